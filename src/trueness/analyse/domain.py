"""One domain as tidy runs: who, under which condition, on which task, and what it scored.

    unit      the cell that is paired across conditions: model x task, repeats averaged
    cluster   what was drawn independently: the task, because all models meet the same ones

A frame goes in as it was read; what was understood comes out in `Domain.schema`, `kinds` and `notes`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trueness.analyse.schema import Schema, column_named, detect
from trueness.analyse.settings import Settings, nearest
from trueness.analyse.shares import Array, Kind, as_shares
from trueness.analyse.values import values_of
from trueness.errors import DataError, listed

Mask = NDArray[np.bool_]
Labels = NDArray[np.object_]
KEYS = ("condition", "model", "task", "repeat")
HEADLINES = ("f1", "interval_score", "skill")  # of a long table, when no measure is named


@dataclass(frozen=True, eq=False)
class Domain:
    """`runs`: condition, model, task, repeat as text; value, extracted, excluded, unit, cluster; one row a run."""

    name: str
    schema: Schema
    runs: pd.DataFrame
    rules: pd.DataFrame  # share of passes of each rule, NaN where it was absent
    kinds: Mapping[str, Kind]  # how each rule was understood
    outcome: str  # what `value` is, in words
    formula: str  # how it comes from the columns
    percent: bool  # value is a failure rate, shown in per cent
    lower_is_better: bool
    readings: Mapping[str, Array]  # other values of the same runs, see values.py
    unscored: Mask
    unit: str  # the columns whose cells are paired, in words
    cluster: str
    notes: tuple[str, ...] = ()

    @property
    def conditions(self) -> list[str]:
        return sorted(str(name) for name in self._condition_codes[1])

    @property
    def sign(self) -> float:
        """Reference minus treatment, times this, is positive when the treatment is better."""
        return 1.0 if self.lower_is_better else -1.0

    @property
    def scale(self) -> float:
        """From values to what is shown: per cent, or as they are."""
        return 100.0 if self.percent else 1.0

    @cached_property
    def units(self) -> tuple[NDArray[np.intp], Labels, Labels]:
        """Number of each run's unit, the units' names, and their clusters; a unit that spans clusters is its own."""
        codes, names = pd.factorize(self.runs["unit"].to_numpy(dtype=object), sort=True)
        clusters, labels = pd.factorize(self.runs["cluster"].to_numpy(dtype=object))
        lowest, highest = np.full(len(names), len(labels)), np.full(len(names), -1)
        np.minimum.at(lowest, codes, clusters)
        np.maximum.at(highest, codes, clusters)
        return codes, names, np.where(lowest == highest, labels[lowest], names)

    def under(self, conditions: Sequence[str]) -> Mask:
        """Which runs are under one of these conditions."""
        codes, names = self._condition_codes
        return np.asarray(np.isin(names, list(conditions))[codes])

    @cached_property
    def _condition_codes(self) -> tuple[NDArray[np.intp], Labels]:
        return pd.factorize(self.runs["condition"].to_numpy(dtype=object))

    @cached_property
    def value(self) -> Array:
        return self.runs["value"].to_numpy(dtype=np.float64)

    def part(self, mask: Mask) -> Domain:
        """The runs of a mask, with their rules and readings."""
        return replace(
            self,
            runs=self.runs[mask].reset_index(drop=True),
            rules=self.rules[mask].reset_index(drop=True),
            readings={name: values[mask] for name, values in self.readings.items()},
            unscored=self.unscored[mask],
        )

    def read_as(self, reading: str) -> Domain:
        """The same runs, valued in another way."""
        return replace(self, runs=self.runs.assign(value=self.readings[reading]))


def domain_of(name: str, frame: pd.DataFrame, settings: Settings) -> Domain:
    """A frame understood; schema.py says what is looked for."""
    schema = detect(frame, settings, name)
    frame, measure, notes = _rows_of_measure(frame, schema, settings, name)
    frame, more = _with_condition(frame, schema, name)
    rules, kinds = _rules(frame, schema)
    values = values_of(frame, schema.outcome, rules, settings, measure)
    if values.unscored.any() and not rules.empty:
        rules[values.unscored] = 0.0 if settings.unscored == "failed" else np.nan
    runs = _keys(frame, schema, settings)
    runs["value"] = values.value
    runs["extracted"] = _extracted(frame, schema)
    runs["excluded"] = _excluded(frame, runs, schema, settings, name)
    unit = settings.unit or tuple(role for role in ("model", "task") if getattr(schema, role))
    cluster = settings.cluster or ("task" if schema.task else "model" if schema.model else "none")
    runs["unit"] = _joined([_labels(frame, runs, schema, column, "the unit", name)[0] for column in unit], len(runs))
    runs["cluster"] = (
        runs["unit"] if cluster == "none" else _labels(frame, runs, schema, cluster, "the cluster", name)[0]
    )
    return Domain(
        name=name,
        schema=schema,
        runs=runs,
        rules=rules,
        kinds=kinds,
        outcome="failure rate" if values.percent else measure or schema.outcome.columns[0],
        formula=f"1 - {schema.outcome.formula}" if values.turned else schema.outcome.formula,
        percent=values.percent,
        lower_is_better=values.lower_is_better,
        readings=values.readings,
        unscored=values.unscored,
        unit=" x ".join(unit),
        cluster="cell" if cluster == "none" else cluster,
        notes=(*schema.guessed, *notes, *more, *values.notes),
    )


def _rows_of_measure(
    frame: pd.DataFrame, schema: Schema, settings: Settings, name: str
) -> tuple[pd.DataFrame, str, tuple[str, ...]]:
    """Of a long table the rows of one measure; of any other table all rows."""
    if schema.outcome.kind != "long table":
        return frame, "", ()
    column, status = schema.outcome.columns[1:]
    measures = list(dict.fromkeys(frame[column].astype(str)))
    chosen = settings.measure or next((m for m in HEADLINES if m in measures), measures[0])
    if chosen not in measures:
        raise DataError(f"measure {chosen!r} is not in {name}.{nearest(chosen, measures)} It has: {listed(measures)}.")
    rows = frame[frame[column].astype(str) == chosen].reset_index(drop=True)
    lost = rows[status].astype(str)
    lost = lost[lost != "ok"]
    notes: tuple[str, ...] = (
        () if settings.measure else (f"measure {chosen}, one of {len(measures)} (--measure chooses)",)
    )
    if len(lost):
        counted = ", ".join(f"{n} {why}" for why, n in lost.value_counts().items())
        notes += (f"{len(lost)} of {len(rows)} rows have no value and stay missing: {counted}",)
    return rows, chosen, notes


def _with_condition(frame: pd.DataFrame, schema: Schema, name: str) -> tuple[pd.DataFrame, tuple[str, ...]]:
    named = frame[schema.condition].notna().to_numpy()
    if not named.any():
        raise DataError(f"{name} must have rows with a condition in {schema.condition!r}, got none.")
    if named.all():
        return frame, ()
    note = f"{int((~named).sum())} rows name no {schema.condition} and are in no comparison"
    return frame[named].reset_index(drop=True), (note,)


def _keys(frame: pd.DataFrame, schema: Schema, settings: Settings) -> pd.DataFrame:
    runs = pd.DataFrame(index=range(len(frame)))
    for role in KEYS:
        column = schema.roles[role]
        runs[role] = _text(frame[column]) if column else ""
    if settings.strip_prefix:
        role = "model" if schema.model else "condition"  # models may be what is compared
        runs[role] = runs[role].str.removeprefix(settings.strip_prefix)
    return runs


def _text(column: pd.Series) -> Labels:
    """Labels as text; 1.0 beside a missing value is 1."""
    whole = pd.api.types.is_float_dtype(column.dtype) and (column.dropna() % 1 == 0).all()
    if whole and (column.dropna().abs() < 2**53).all():
        column = column.astype("Int64")
    return np.asarray(column.astype("string").str.strip().to_numpy(dtype=object, na_value="(none)"))


def _rules(frame: pd.DataFrame, schema: Schema) -> tuple[pd.DataFrame, dict[str, Kind]]:
    found: dict[str, Array] = {}
    kinds: dict[str, Kind] = {}
    for column in schema.rules:
        name = column.rsplit("_", 1)[0]
        name = column if name in found else name
        found[name], kinds[name] = as_shares(frame[column], column)
    return pd.DataFrame(found, index=range(len(frame))), kinds


def _extracted(frame: pd.DataFrame, schema: Schema) -> Array:
    if schema.extraction is None:
        return np.full(len(frame), np.nan)
    return as_shares(frame[schema.extraction], schema.extraction)[0]


def _excluded(frame: pd.DataFrame, runs: pd.DataFrame, schema: Schema, settings: Settings, name: str) -> Mask:
    mask = np.zeros(len(runs), dtype=bool)
    for column, value in settings.excluded:
        for labels in _labels(frame, runs, schema, column, "what is excluded", name):
            mask |= labels == value
    return mask


def _labels(
    frame: pd.DataFrame, runs: pd.DataFrame, schema: Schema, column: str, what: str, name: str
) -> tuple[Labels, ...]:
    """The values of a role or of a column: as they are read, and for a role also as they stand in the file."""
    role = column if schema.roles.get(column) else next((r for r, c in schema.roles.items() if c == column), "")
    if column == "model" and not role:
        role = "condition" if schema.guessed else ""  # models are what is compared
    if role in KEYS:
        return runs[role].to_numpy(dtype=object), _text(frame[schema.roles[role]])
    return (_text(frame[column_named(frame, column, what, name)]),)


def _joined(parts: list[Labels], n: int) -> Labels:
    joined: Labels = np.full(n, "", dtype=object)
    for k, part in enumerate(parts):
        joined = part if k == 0 else joined + " / " + part
    return joined
