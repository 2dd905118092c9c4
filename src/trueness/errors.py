"""What can go wrong by a user's hand, as one tree.

    TruenessError                 one line, no traceback, exit code 2
    |-- UnknownName            a name that is not in the registry, with the nearest one
    |-- MissingExtra           a package that is not installed, with the install command
    |-- SettingError           a parameter out of its range or of the wrong type
    |-- GraphError             a graph that is not what it says: a cycle, a matrix without direction
    |-- DataError              a table that cannot be used: missing values, constant column, text
    |-- PlanError              a study.toml that cannot be carried out
    `-- StoreError             a study folder that is locked, damaged or made from another plan

A learner that crashes, hangs or answers nonsense is no error of this tree: it is a result with a status.
Messages have one form: which, must be, got, what to do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice

from trueness.texts import printable

MAX_MESSAGE = 2_000  # characters
_BREAK = re.compile(r"[\t\n\r\f\v\x85\u2028\u2029]")
MAX_COMPARED, MAX_KNOWN = 100, 5_000  # how long, and how many, names are compared to offer the nearest one


class TruenessError(Exception):
    """A mistake that the user can mend; its text is one line, whatever names of strangers stand in it."""

    def __init__(self, message: str = ""):
        shown = printable(_BREAK.sub(" ", message))
        long = f"{shown[: MAX_MESSAGE // 2]} ... {shown[-MAX_MESSAGE // 4 :]}"
        super().__init__(shown if len(shown) <= MAX_MESSAGE else long)


class UnknownName(TruenessError):
    """A name that nobody registered."""

    def __init__(self, kind: str, name: str, known: Iterable[str], hint: str = ""):
        nearest = did_you_mean(name, known)
        advice = nearest or (f"See 'trueness list {kind}s'." if " " not in kind else "")
        super().__init__(" ".join(part for part in (f"{name!r} is not a {kind}.", advice, hint) if part))


class MissingExtra(TruenessError):
    """Something needs a package of an extra that is not installed."""

    def __init__(self, what: str, package: str, extra: str):
        super().__init__(f"{what} needs {package}, which is not installed.  pip install 'trueness[{extra}]'")


class SettingError(TruenessError):
    """A parameter is out of its range, of the wrong type, or not a parameter at all."""


class GraphError(TruenessError):
    """A graph breaks the rules of its kind."""


class DataError(TruenessError):
    """A table cannot be used as it is."""


class PlanError(TruenessError):
    """A study plan cannot be carried out."""


class StoreError(TruenessError):
    """A study folder or its database cannot be used."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The sentence that offers the nearest known name, or nothing; nothing for what is too long to be a slip."""
    if len(name) > MAX_COMPARED:
        return ""
    names = {str(k).lower(): str(k) for k in islice(known, MAX_KNOWN) if len(str(k)) <= MAX_COMPARED}
    near = get_close_matches(name.lower(), names, n=1, cutoff=0.55)
    return f"Did you mean {names[near[0]]!r}?" if near else ""


def listed(names: Iterable[object], most: int = 6) -> str:
    """Names for a message: all of a few, the first of many."""
    items = [name if len(name) <= MAX_COMPARED else f"{name[:40]}..." for name in map(str, names)]
    return ", ".join(items[:most]) + (f", ... ({len(items)} in all)" if len(items) > most else "")
