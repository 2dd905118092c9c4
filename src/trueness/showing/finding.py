"""Finding: a sentence that knows whether it tells something or says that it cannot be told."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self


class Finding(str):
    """`open`: what it asks stays open with this design. It is a text wherever a text is wanted."""

    open: bool

    def __new__(cls, text: object, open: bool = False) -> Self:
        made = super().__new__(cls, text)
        made.open = open
        return made

    def __reduce__(self) -> tuple[type[Self], tuple[str, bool]]:
        return type(self), (str(self), self.open)


def is_open(sentence: str) -> bool:
    return isinstance(sentence, Finding) and sentence.open


def finding(result: object, before: str = "") -> Finding:
    """Of an estimate or a comparison; it is open where it has no interval."""
    return Finding(f"{before}{result}", open=getattr(result, "interval", None) is None)


def told_and_open(sentences: Iterable[str]) -> tuple[list[str], list[str]]:
    """What was found, and what stays open."""
    all_of_them = list(sentences)
    return [one for one in all_of_them if not is_open(one)], [one for one in all_of_them if is_open(one)]
