"""Numbers as people write them: 1,5   1.234,56   1,234.56   1'234.5   1 234,5.

A cell tells of its marks where it can be read in one way alone:

    1.234,56  1,234.56      the last mark is the decimal one, the other stands between thousands
    1,234,567               a mark that comes twice stands between thousands
    1,5  0,123  1234,567    not three digits behind it, or no thousands before it: a decimal mark
    1,234                   either; other cells of the column, then other columns of the file, then the user decide

One sign that all numbers of a column share, as in 45 % or $1,234.50, is no part of them.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    import pandas

Decimal = Literal["comma", "point"]
MARKS: dict[Decimal, str] = {"comma": ",", "point": "."}
LOOKED_AT = 10_000  # different texts of a column that tell how its numbers are written; all of them must be so
_GROUPS = ".,'’ \u00a0\u202f"
_NUMBER = re.compile(rf"[+-]?(\d*)((?:([{_GROUPS}])\d{{3}}(?:\3\d{{3}})*)?)(?:([.,])(\d*))?([eE][+-]?\d+)?")


@dataclass(frozen=True)
class NumberFormat:
    """How the numbers of a column are written; `either` is the mark of which that cannot be told, in `example`."""

    decimal: str = ""
    group: str = ""
    either: str = ""
    example: str = ""
    sign: str = ""  # of money or per cent

    @property
    def is_plain(self) -> bool:
        """Whether Python would read them, too."""
        return self.decimal != "," and not self.group and not self.either and not self.sign

    @property
    def mark(self) -> str:
        """The decimal mark of its file, as far as this column tells: what stands between thousands is the other one."""
        return self.decimal or {",": ".", ".": ","}.get(self.group, "")

    def decided(self, decimal: str) -> NumberFormat:
        """The same where what could be read either way is a decimal mark, or else stands between thousands."""
        if not self.either:
            return self
        role = "decimal" if decimal == self.either else "group"
        return replace(self, either="", example="", **{role: self.either})


def written_as(series: pandas.Series) -> NumberFormat | None:
    """How a column of texts writes numbers; None where it holds none, or where its cells contradict one another."""
    words = series.dropna().drop_duplicates().iloc[:LOOKED_AT].astype("string").str.strip()
    sign = _sign(words)
    words = words.str.replace(sign, "", regex=False).str.strip() if sign else words
    read = [_marks(word) for word in words]
    numbers = [marks for marks in read if marks is not None]
    if not numbers or len(numbers) <= len(read) / 2:
        return None
    decimals, groups = ({getattr(marks, name) for marks in numbers} - {""} for name in ("decimal", "group"))
    open_ones = {marks.either: marks.example for marks in reversed(numbers) if marks.either}
    if any(re.fullmatch(r"[+-]?\d{4,}", word) for word in words):  # thousands without a mark: it is a decimal one
        decimals |= open_ones.keys()
    if len(decimals) > 1 or len(groups) > 1 or decimals & groups or len(open_ones.keys() - decimals - groups) > 1:
        return None
    if decimals or groups:
        rest = open_ones.keys() - decimals - groups  # the one mark that is left is the other of the two
        if rest and decimals and groups:
            return None
        return NumberFormat("".join(decimals or rest), "".join(groups or (rest if decimals else ())), sign=sign)
    return NumberFormat(either=next(iter(open_ones), ""), example=next(iter(open_ones.values()), ""), sign=sign)


def _sign(words: pandas.Series) -> str:
    """The one sign of money or per cent that all numbers have, or ''."""
    signs = [[c for c in word if c in "%‰" or unicodedata.category(c) == "Sc"] for word in words]
    different = {of[0] for of in signs if of}
    sign = different.pop() if len(different) == 1 else ""
    with_sign = {len(of) for word, of in zip(words, signs, strict=True) if _marks(word.replace(sign, "").strip())}
    return sign if with_sign == {1} else ""


def numbers_of(series: pandas.Series, written: NumberFormat) -> pandas.Series:
    """The column as numbers; as texts with a decimal point where some of its cells are no numbers."""
    import pandas as pd

    words = cells = series.astype("string").str.strip()
    if written.sign:
        words = words.str.replace(written.sign, "", regex=False).str.strip()
    group, decimal = re.escape(written.group or "'"), re.escape(written.decimal or ".")
    whole = rf"(?:\d+|\d{{1,3}}(?:{group}\d{{3}})+)" if written.group else r"\d*"
    fit = words.str.fullmatch(rf"[+-]?{whole}(?:{decimal}\d*)?(?:[eE][+-]?\d+)?").fillna(False).astype(bool)
    plain = words.str.replace(written.group, "", regex=False) if written.group else words
    plain = plain.str.replace(",", ".", regex=False) if written.decimal == "," else plain
    if not fit[words.notna()].all():
        return cells.where(~fit, plain)
    numbers: pandas.Series = pd.to_numeric(plain, errors="coerce")
    return numbers.astype(np.float64) if numbers.isna().any() or written.decimal else numbers.astype(np.int64)


def _marks(word: str) -> NumberFormat | None:
    match = _NUMBER.fullmatch(word)
    if match is None or not any(map(str.isdigit, word)):
        return None
    start, grouped, group, decimal = match[1], match[2], match[3] or "", match[4] or ""
    thousands = 1 <= len(start) <= 3 and not start.startswith("0")
    if not grouped:
        return NumberFormat(decimal=decimal)
    if not thousands:  # 0,123  1234,567
        return NumberFormat(decimal=group) if group in ".," and len(grouped) == 4 and not decimal else None
    if decimal:
        return NumberFormat(decimal, group) if decimal != group else None
    if len(grouped) > 4 or group not in ".,":
        return NumberFormat(group=group)
    return NumberFormat(either=group, example=word)
