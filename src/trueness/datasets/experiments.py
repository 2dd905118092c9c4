"""Experiments: which columns were intervened on, row by row.

    rows[i] = e             row i comes from experiment e
    kinds[e].targets        the columns that did not come from their causes alone there: set, shifted or weakened
    targets = ()            nothing was done: the rows are observational

A table without experiments says nothing of interventions. In a file a column holds them (targets = "lab"), whose values
name the columns: "", "smoke", "smoke + bronc". It leaves the table.
What learners do with such rows: learners/base.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueness.errors import DataError, did_you_mean

if TYPE_CHECKING:
    import pandas

NO_TARGET = ("", "none", "observational")
MOST = 1000  # experiments of one table; a column with more values is something else


class Experiment(NamedTuple):
    name: str
    targets: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Experiments:
    kinds: tuple[Experiment, ...]
    rows: NDArray[np.intp]  # (n,)

    def __post_init__(self) -> None:
        rows = np.array(self.rows, dtype=np.intp)
        rows.setflags(write=False)
        object.__setattr__(self, "rows", rows)

    def __str__(self) -> str:
        held = [self.kinds[e] for e in np.unique(self.rows) if self.kinds[e].targets]
        experiments = f"{len(held)} experiment{'s' if len(held) != 1 else ''} with known targets"
        return f"{len(self.rows):,} rows, {int(self.observational.sum()):,} observational, the others of {experiments}"

    def take(self, index: NDArray[np.intp]) -> Experiments:
        return Experiments(self.kinds, self.rows[index])

    def rename(self, names: Mapping[str, str]) -> Experiments:
        """With other names of columns, and without the names of the experiments: they may tell what was hidden."""
        hidden = (tuple(names.get(target, "?") for target in kind.targets) for kind in self.kinds)
        return Experiments(tuple(Experiment(f"E{e + 1}", targets) for e, targets in enumerate(hidden)), self.rows)

    @property
    def observational(self) -> NDArray[np.bool_]:
        """observational[i]: nothing was done in row i."""
        return np.array([not kind.targets for kind in self.kinds], dtype=bool)[self.rows]

    @property
    def family(self) -> tuple[tuple[str, ...], ...]:
        """The targets of the experiments that have rows, each set once."""
        occurring = (self.kinds[e].targets for e in np.unique(self.rows))
        return tuple(sorted({tuple(sorted(targets)) for targets in occurring}))

    def is_target(self, names: Sequence[str]) -> NDArray[np.bool_]:
        """is_target[e, j]: column j is a target of experiment e."""
        return np.array([[name in kind.targets for name in names] for kind in self.kinds], dtype=bool)


def split_experiments(frame: pandas.DataFrame, column: str, source: str) -> tuple[pandas.DataFrame, Experiments]:
    """The frame without the column that tells of experiments, and what it tells."""
    names = [str(name) for name in frame.columns]
    if column not in names:
        raise DataError(f"{column!r} in 'targets' is not a column of {source}. {did_you_mean(column, names)}".rstrip())
    others = [name for name in names if name != column]
    values = frame.iloc[:, names.index(column)]
    if values.dtype.kind in "fiub":
        raise DataError(
            f"column {column!r} of {source} must name the columns that were targets, got numbers. Write 'a + b' for "
            "columns a and b, and nothing where nothing was done."
        )
    rows, distinct = values.astype("string").str.strip().fillna("").factorize()
    if len(distinct) > MOST:
        raise DataError(f"column {column!r} of {source} must name at most {MOST} experiments, got {len(distinct):,}.")
    kinds = tuple(Experiment(label or "none", _targets(label, others, column, source)) for label in distinct)
    return frame.iloc[:, [j for j, name in enumerate(names) if name != column]], Experiments(kinds, rows)


def _targets(label: str, names: Sequence[str], column: str, source: str) -> tuple[str, ...]:
    if label in names:
        return (label,)
    targets = () if label.lower() in NO_TARGET else tuple(re.split(r"\s*[+;,]\s*", label))
    for name in targets:
        if name not in names:
            raise DataError(
                f"target {name!r:.60} of column {column!r} must be a column of {source}. {did_you_mean(name, names)}"
                "Where the values are other labels, put the names of the columns in their place."
            )
    return tuple(dict.fromkeys(targets))
