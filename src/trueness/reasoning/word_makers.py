"""What a form of words makes of the phrases in it: 15 % of X is 0.15 X, twice as many as X is 2 X."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import product
from typing import Protocol, TypeAlias

from trueness.reasoning.trees import Binary, Call, Name, Number, Tree
from trueness.reasoning.word_numbers import SHARES, number_of
from trueness.reasoning.word_shapes import EVERY, Shape, combine, is_percent

MULTIPLES = {
    "twice": 2.0, "double": 2.0, "doubling": 2.0, "thrice": 3.0, "triple": 3.0, "tripling": 3.0, "halve": 0.5,
    "halving": 0.5, "quadruple": 4.0,
}  # fmt: skip


class Reads(Protocol):
    """What reads a piece of text as shapes, or as a list."""

    def shapes(self, text: str, depth: int = 0) -> list[Shape]: ...

    def over_list(self, operation: str, text: str, depth: int, alone: bool = True) -> Iterator[Shape]: ...


Make: TypeAlias = Callable[[Reads, "re.Match[str]", int], Iterator[Shape]]


def of_all(operation: str) -> Make:
    return lambda reader, match, depth: reader.over_list(operation, match[1], depth)


def scale(reader: Reads, match: re.Match[str], depth: int) -> Iterator[Shape]:
    word = " ".join(match[1].replace("-", " ").split())
    factor = SHARES.get(word, MULTIPLES.get(word, number_of(word)))
    if factor is not None:
        yield from (Binary("*", Number(factor), inner) for inner in reader.shapes(match[2], depth))


def percent(sign: str) -> Make:
    """15 % of X, 15 % more than X, X increased by 15 %, X reduced by one fifth."""

    def make(reader: Reads, match: re.Match[str], depth: int) -> Iterator[Shape]:
        amount = match["share"].replace(",", "").replace("-", " ")
        share: Tree = Number(SHARES[amount]) if amount in SHARES else Binary("/", Number(float(amount)), Number(100.0))
        for inner in reader.shapes(match["whole"], depth):
            part: Tree = Binary("*", share, inner)
            yield part if sign == "of" else Binary(sign, inner, part)

    return make


def change_by(call: str) -> Make:
    """X reduced by Y and Z, where neither is a percentage as it is written."""

    def make(reader: Reads, match: re.Match[str], depth: int) -> Iterator[Shape]:
        by = [*reader.shapes(match[2], depth), *reader.over_list("sum", match[2], depth, alone=False)]
        for whole, change in product(reader.shapes(match[1], depth), by):
            if not is_percent(change):
                yield Call(call, (whole, change))

    return make


def take_away(reader: Reads, match: re.Match[str], depth: int) -> Iterator[Shape]:
    """What remains of X after giving away Y and Z."""
    away = [*reader.shapes(match[2], depth), *reader.over_list("sum", match[2], depth, alone=False)]
    for whole, part in product(reader.shapes(match[1], depth), away):
        yield from combine("-", whole, part)


def share_of(factor: float, swapped: bool = False) -> Make:
    """X as a share of Y; in percent by 100."""

    def make(reader: Reads, match: re.Match[str], depth: int) -> Iterator[Shape]:
        part, whole = (match[2], match[1]) if swapped else (match[1], match[2])
        for shapes in product(reader.shapes(part, depth), reader.shapes(whole, depth)):
            share = Binary("/", *shapes)
            yield share if factor == 1 else Binary("*", Number(factor), share)

    return make


def of_one(make_tree: Callable[[Tree], Tree]) -> Make:
    return lambda reader, match, depth: (make_tree(inner) for inner in reader.shapes(match[1], depth))


def offset(sign: str, first: bool = True) -> Make:
    """3 more than X; with the number behind, X's age in 3 years."""

    def make(reader: Reads, match: re.Match[str], depth: int) -> Iterator[Shape]:
        size, of = (match[1], match[2]) if first else (match[2], match[1])
        number = number_of(size)
        if number is not None:
            yield from (Binary(sign, inner, Number(number)) for inner in reader.shapes(of, depth))

    return make


def of_two(operator: str) -> Make:
    def make(reader: Reads, match: re.Match[str], depth: int) -> Iterator[Shape]:
        sides = (reader.shapes(match[1], depth), reader.shapes(match[2], depth))
        yield from (Binary(operator, *pair) for pair in product(*sides))

    return make


def parallel(reader: Reads, match: re.Match[str], depth: int) -> Iterator[Shape]:
    """Product over sum, of two: one over the sum of their reciprocals."""
    yield Binary("/", Number(1.0), Call("reciprocals", (Name(f"{EVERY}both their"),)))


def choose(reader: Reads, match: re.Match[str], depth: int) -> Iterator[Shape]:
    """Choose 2 people out of n."""
    number = number_of(match[1])
    if number is not None and not re.search(r"\b(?:order|arrang\w+|replac\w+|repeat\w*)\b", match[2]):
        yield from (Call("comb", (inner, Number(number))) for inner in reader.shapes(match[2], depth))


def beyond(reader: Reads, match: re.Match[str], depth: int) -> Iterator[Shape]:
    """Hours beyond 40: what is above it, and nothing below."""
    number = number_of(match[2])
    if number is not None:
        for inner in reader.shapes(match[1], depth):
            yield Call("max", (Number(0.0), Binary("-", inner, Number(number))))


def repeat(reader: Reads, match: re.Match[str], depth: int) -> Iterator[Shape]:
    """Halve X once for each of the Y."""
    factor = Number({"doubl": 2.0, "tripl": 3.0, "halv": 0.5}[match[1]])
    for whole, times in product(reader.shapes(match[2], depth), reader.shapes(match[3], depth)):
        yield Binary("*", whole, Binary("^", factor, times))


def both(reader: Reads, match: re.Match[str], depth: int) -> Iterator[Shape]:
    """Total income from both jobs."""
    yield Call("sum", (Name(f"{EVERY}both {match[1]}" if " both " in match[0] else f"{EVERY}all {match[1]}"),))


def apart(reader: Reads, match: re.Match[str], depth: int) -> Iterator[Shape]:
    """The difference between the heights of the two trees: of two, and without a sign."""
    yield Call("difference", (Name(EVERY + match[1]),))


def more(reader: Reads, match: re.Match[str], depth: int) -> Iterator[Shape]:
    """How much taller Ann is than Bea."""
    yield from (Binary("-", *pair) for pair in product(reader.shapes(match[1], depth), reader.shapes(match[2], depth)))


def fewer(reader: Reads, match: re.Match[str], depth: int) -> Iterator[Shape]:
    yield from (Binary("-", *pair) for pair in product(reader.shapes(match[2], depth), reader.shapes(match[1], depth)))


def squares_apart(reader: Reads, match: re.Match[str], depth: int) -> Iterator[Shape]:
    """The difference of the squares of the outer and inner radius."""
    first, second = match[1], match[2]
    if " " not in re.sub(r"^the ", "", first) and " " in re.sub(r"^the ", "", second):
        first = f"{first} {second.split()[-1]}"
    for pair in product(reader.shapes(first, depth), reader.shapes(second, depth)):
        yield Binary("-", *(Binary("^", side, Number(2.0)) for side in pair))


def power(exponent: float) -> Callable[[Tree], Tree]:
    return lambda inner: Binary("^", inner, Number(exponent))
