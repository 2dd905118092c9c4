"""BIF: a Bayesian network as text, read with its tables of probabilities.

    variable smoke { type discrete [ 2 ] { yes, no }; }
    probability ( lung | smoke ) { (yes) 0.1, 0.9; (no) 0.01, 0.99; }

Each table becomes an array (levels of parent 1, ..., levels of parent k, levels of the child) whose rows sum to 1.
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueness.errors import DataError, did_you_mean, listed
from trueness.graphs.formats import bif_blocks
from trueness.graphs.links import MAX_NODES

_TYPE = re.compile(r"discrete\s*\[\s*(\d{1,9})\s*\]\s*\{([^{}]*)\}")
MOST_CELLS = 5_000_000  # of one table; a larger one is a mistake or an attack
MOST_IN_ALL = 40_000_000  # cells of all tables together, 320 MB; munin, the largest in use, has 100,000
MOST_PARENTS = 60  # an array of numpy has at most 64 axes


@dataclass(frozen=True, eq=False)
class BifVariable:
    name: str
    levels: tuple[str, ...]
    parents: tuple[str, ...]
    table: NDArray[np.float64]


class Structure(NamedTuple):
    """What is known before the tables are read: levels, and parents with the text of the table; by variable."""

    levels: dict[str, tuple[str, ...]]
    blocks: dict[str, tuple[tuple[str, ...], str]]


def parse_bif(text: str, source: str = "the BIF text") -> tuple[BifVariable, ...]:
    """Variables in the order of the file."""
    levels, blocks = structure_of_bif(text, source)
    cells = sum(_cells(_shape(name, blocks[name][0], levels, source)) for name in levels)
    if cells > MOST_IN_ALL:
        raise DataError(f"the tables of {source} must have at most {MOST_IN_ALL:,} cells in all, got {cells:,.0f}.")
    return tuple(
        BifVariable(name, levels[name], blocks[name][0], _table(name, levels, *blocks[name], source)) for name in levels
    )


def structure_of_bif(text: str, source: str = "the BIF text") -> Structure:
    levels: dict[str, tuple[str, ...]] = {}
    blocks: dict[str, tuple[tuple[str, ...], str]] = {}
    for kind, header, body in bif_blocks(text):
        if kind == "variable":
            levels[_once(_unquote(header), levels, "variable", source)] = _levels(body, header, source)
        elif kind == "probability":
            child, _, condition = header.strip().strip("()").partition("|")
            parents = tuple(_unquote(p) for p in condition.split(",") if p.strip())
            blocks[_once(_unquote(child), blocks, "probability", source)] = (parents, body)
    if len(levels) > MAX_NODES:
        raise DataError(f"{source} must have at most {MAX_NODES:,} variables, got {len(levels):,}. Read a part of it.")
    if not levels:
        raise DataError(f"{source} must hold 'variable' blocks, got none. Is it a BIF file?")
    for name in levels.keys() - blocks.keys():
        raise DataError(f"{name!r} of {source} must have a probability block, got none.")
    for child, (parents, _) in blocks.items():
        for name in (child, *parents):
            if name not in levels:
                raise DataError(f"{name!r} in {source} must be a variable. {did_you_mean(name, levels)}".rstrip())
    return Structure(levels, blocks)


def _once(name: str, seen: Container[str], kind: str, source: str) -> str:
    if name in seen:
        raise DataError(f"{name!r:.60} of {source} must have one {kind} block, got two. Remove one.")
    return name


def _shape(child: str, parents: tuple[str, ...], levels: dict[str, tuple[str, ...]], source: str) -> tuple[int, ...]:
    """Levels of each parent, then of the child."""
    if len(parents) > MOST_PARENTS:
        raise DataError(
            f"{child!r:.60} of {source} must have at most {MOST_PARENTS} parents, got {len(parents):,}. Remove some."
        )
    shape = (*(len(levels[parent]) for parent in parents), len(levels[child]))
    if _cells(shape) > MOST_CELLS:
        raise DataError(
            f"the table of {child!r:.60} in {source} must have at most {MOST_CELLS:,} cells, got {listed(shape, 8)}."
        )
    return shape


def _cells(shape: tuple[int, ...]) -> float:
    return float(np.prod(shape, dtype=float))


def _levels(body: str, name: str, source: str) -> tuple[str, ...]:
    match = _TYPE.search(body)
    if not match:
        raise DataError(f"variable {name.strip()!r} of {source} must be 'type discrete [k] {{ ... }}'.")
    levels = tuple(_unquote(level) for level in match.group(2).split(","))
    if len(levels) != int(match.group(1)) or len(set(levels)) != len(levels):
        raise DataError(
            f"variable {name.strip()!r} of {source} must have {match.group(1)} different levels, got {listed(levels)}."
        )
    return levels


def _table(
    child: str, levels: dict[str, tuple[str, ...]], parents: tuple[str, ...], body: str, source: str
) -> NDArray[np.float64]:
    shape = _shape(child, parents, levels, source)
    table = np.full(shape, np.nan)
    whole = [part.lstrip()[:7] for part in body.split(";")]
    if whole.count("default") > 1 or sum(part.startswith("table") for part in whole) > 1:
        raise DataError(f"the table of {child!r:.60} in {source} must be given once, got two 'table' or 'default'.")
    codes = [{level: code for code, level in enumerate(levels[parent])} for parent in parents]
    for entry in filter(None, (part.strip() for part in body.split(";"))):
        if entry.startswith("table"):
            # the rightmost variable of the header varies fastest, so the child comes first
            flat = _numbers(entry[5:], child, source, int(np.prod(shape)))
            table[...] = np.moveaxis(flat.reshape([shape[-1], *shape[:-1]]), 0, -1)
        elif entry.startswith("default"):
            row = _numbers(entry[7:], child, source, shape[-1])
            table[np.isnan(table).all(axis=-1)] = row
        elif entry.startswith("("):
            states, _, numbers = entry[1:].partition(")")
            names = [_unquote(state) for state in states.split(",")]
            if len(names) != len(parents) or any(n not in c for n, c in zip(names, codes, strict=False)):
                raise DataError(
                    f"({states:.60}) of {child!r:.60} in {source} must name a level of each of {listed(parents)}."
                )
            where = tuple(code[name] for name, code in zip(names, codes, strict=True))
            table[where] = _numbers(numbers, child, source, shape[-1])
    if np.isnan(table).any():
        raise DataError(f"the table of {child!r} in {source} must give a row for every combination of its parents.")
    total = table.sum(axis=-1, keepdims=True)
    if (table < 0).any() or (np.abs(total - 1) > 1e-3).any():
        raise DataError(f"rows of the table of {child!r} in {source} must be probabilities that sum to 1.")
    return np.asarray(table / total)  # files round: rows sum to 1 within 1e-7


def _numbers(text: str, child: str, source: str, count: int) -> NDArray[np.float64]:
    try:
        numbers = np.array([float(part) for part in text.replace(",", " ").split()])
    except ValueError as error:
        raise DataError(f"the table of {child!r} in {source} must hold numbers: {error}.") from None
    if len(numbers) != count:
        raise DataError(f"the table of {child!r} in {source} must have {count} numbers here, got {len(numbers)}.")
    return numbers


def _unquote(name: str) -> str:
    return name.strip().strip('"')
