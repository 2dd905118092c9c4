"""BIF: a Bayesian network as text, read with its tables of probabilities.

    variable smoke { type discrete [ 2 ] { yes, no }; }
    probability ( lung | smoke ) { (yes) 0.1, 0.9; (no) 0.01, 0.99; }

Each table becomes an array (levels of parent 1, ..., levels of parent k, levels of the child) whose rows sum to 1.
"""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError, did_you_mean
from assay.graphs.formats import bif_blocks

_TYPE = re.compile(r"discrete\s*\[\s*(\d+)\s*\]\s*\{([^{}]*)\}")
MOST_CELLS = 5_000_000  # of one table; a larger one is a mistake or an attack


@dataclass(frozen=True, eq=False)
class Variable:
    name: str
    levels: tuple[str, ...]
    parents: tuple[str, ...]
    table: NDArray[np.float64]


def read_bif(path: Path | str) -> tuple[Variable, ...]:
    path = Path(path)
    if not path.is_file():
        raise DataError(f"{path} is not there. Give the path of a .bif file.")
    try:
        raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        text = raw.decode("utf-8")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise DataError(f"{path.name} must be a BIF file in UTF-8, got: {error}.") from error
    return parse_bif(text, path.name)


def parse_bif(text: str, source: str = "the BIF text") -> tuple[Variable, ...]:
    """Variables in the order of the file."""
    levels: dict[str, tuple[str, ...]] = {}
    blocks: dict[str, tuple[tuple[str, ...], str]] = {}
    for kind, header, body in bif_blocks(text):
        if kind == "variable":
            levels[_unquote(header)] = _levels(body, header, source)
        elif kind == "probability":
            child, _, given = header.strip().strip("()").partition("|")
            blocks[_unquote(child)] = (tuple(_unquote(p) for p in given.split(",") if p.strip()), body)
    if not levels:
        raise DataError(f"{source} must hold 'variable' blocks, got none. Is it a BIF file?")
    for name in levels.keys() - blocks.keys():
        raise DataError(f"{name!r} of {source} must have a probability block, got none.")
    for child, (parents, _) in blocks.items():
        for name in (child, *parents):
            if name not in levels:
                raise DataError(f"{name!r} in {source} must be a variable. {did_you_mean(name, levels)}".rstrip())
    return tuple(
        Variable(name, levels[name], blocks[name][0], _table(name, levels, *blocks[name], source)) for name in levels
    )


def _levels(body: str, name: str, source: str) -> tuple[str, ...]:
    found = _TYPE.search(body)
    if not found:
        raise DataError(f"variable {name.strip()!r} of {source} must be 'type discrete [k] {{ ... }}'.")
    levels = tuple(_unquote(level) for level in found.group(2).split(","))
    if len(levels) != int(found.group(1)) or len(set(levels)) != len(levels):
        raise DataError(
            f"variable {name.strip()!r} of {source} must have {found.group(1)} different levels, got {levels}."
        )
    return levels


def _table(
    child: str, levels: dict[str, tuple[str, ...]], parents: tuple[str, ...], body: str, source: str
) -> NDArray[np.float64]:
    shape = [len(levels[parent]) for parent in parents] + [len(levels[child])]
    if np.prod(shape, dtype=float) > MOST_CELLS:
        raise DataError(f"the table of {child!r} in {source} must have at most {MOST_CELLS:,} cells, got {shape}.")
    table = np.full(shape, np.nan)
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
                raise DataError(f"({states}) of {child!r} in {source} must name a level of each of {parents}.")
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
