"""One domain as tidy runs: who, under which condition, on which task, and what it scored.

    unit      the cell that is paired across conditions: model x task, repeats averaged
    cluster   what was drawn independently: the task, because all models meet the same ones

A frame goes in as it was read; what was understood comes out in `Domain.schema`, `kinds` and `notes`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_bool_dtype, is_float_dtype

from trueness.analyse.analysis_settings import AnalysisSettings, nearest
from trueness.analyse.measure_names import measure_in
from trueness.analyse.run_scores import Array, Kind, as_shares, decimals, values_of
from trueness.analyse.scores_schema import SCORES, Schema, column_named, detect
from trueness.errors import DataError, listed
from trueness.measure import measure_of
from trueness.statistics.result import UNBOUNDED, Bounds

Mask = NDArray[np.bool_]
Labels = NDArray[np.object_]
KEYS = ("condition", "model", "task", "repeat")
HEADLINES = ("f1", "interval_score", "skill")  # of a long table, when no measure is named
MOST_FACTORS = 50  # columns that are looked at
MOST_LEVELS = 30  # values beyond which a column is no factor but a text or a measurement
CHANCE = 0.05


class Units(NamedTuple):
    """Number of each run's unit; the units' names, clusters and models. A unit that spans clusters is its own."""

    codes: NDArray[np.intp]
    names: Labels
    clusters: Labels
    models: Labels


class Factor(NamedTuple):
    """A further column that varies: averaged over, or `bound` to conditions, in words."""

    name: str
    levels: int
    bound: str = ""


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
    percent: bool  # value is a share, shown in per cent
    lower_is_better: bool
    assumed: bool  # which way is better: neither the name of the score says it nor the user
    readings: Mapping[str, Array]  # other values of the same runs, see run_scores.py
    unscored: Mask
    blank: Mask
    unit: str  # the columns whose cells are paired, in words
    cluster: str
    factors: tuple[Factor, ...] = ()
    groups: str = ""  # a column that puts each task into one group, which may be what was drawn
    lost: tuple[str, ...] = ()  # rows that name no condition, model or task, in words
    notes: tuple[str, ...] = ()
    unmatched: Mapping[tuple[str, str], Sequence[str]] = field(default_factory=dict)  # an exclusion -> what there is
    over_clusters: bool = False  # tested over the clusters however few they are

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

    @property
    def digits(self) -> int:
        """Decimals of what is shown."""
        return 1 if self.percent else 3

    @property
    def points(self) -> str:
        """What is written behind a difference."""
        return " points" if self.percent else ""

    @property
    def per_cent(self) -> str:
        """What is written behind a mean."""
        return " %" if self.percent else ""

    @property
    def bounds(self) -> Bounds:
        """Least and most that a mean can be, in the unit shown: of shares, and as a measure of ours declares."""
        declared = measure_of(self.outcome) if self.schema.outcome.of_study else None
        return (0.0, 100.0) if self.percent else declared.bounds if declared else UNBOUNDED

    @property
    def gains(self) -> Bounds:
        """The same of a difference."""
        least, most = self.bounds
        return UNBOUNDED if least is None or most is None else (least - most, most - least)

    @cached_property
    def units(self) -> Units:
        codes, names = pd.factorize(self.runs["unit"].to_numpy(dtype=object), sort=True)
        clusters, models = (self._of_units(codes, names, column) for column in ("cluster", "model"))
        return Units(codes, names, clusters, models)

    def _of_units(self, codes: NDArray[np.intp], names: Labels, column: str) -> Labels:
        """The label of each unit in a column; its own name where it has several."""
        inside, labels = pd.factorize(self.runs[column].to_numpy(dtype=object))
        lowest, highest = np.full(len(names), len(labels)), np.full(len(names), -1)
        np.minimum.at(lowest, codes, inside)
        np.maximum.at(highest, codes, inside)
        return np.where(lowest == highest, labels[lowest], names)

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
            blank=self.blank[mask],
        )

    def valued(self, values: Array) -> Domain:
        """The same runs with other values."""
        return replace(self, runs=self.runs.assign(value=values))

    def otherwise(self, complete: Domain) -> dict[str, Domain]:
        """The other readings of the record that change something. complete: with what was excluded."""
        ways = {
            name: self.valued(values)
            for name, values in self.readings.items()
            if not np.allclose(values, self.value, rtol=0, atol=1e-9, equal_nan=True)
        }
        if self.groups:
            runs = self.runs.assign(cluster=self.runs["group"])
            name = f"over {self.groups}s (--cluster {self.groups})"
            ways[name] = replace(self, runs=runs, cluster=self.groups, over_clusters=True)
        if len(complete.runs) > len(self.runs):
            ways["nothing excluded"] = complete
        return ways


def domain_of(name: str, frame: pd.DataFrame, settings: AnalysisSettings) -> Domain:
    """A frame understood; scores_schema.py says what is looked for. `--measure` may name the column that is scored."""
    chosen = settings.measure or ""
    if chosen in frame or {part.strip() for part in chosen.split(",")} <= set(frame):
        settings = replace(settings, score=chosen, measure=None)
    frame, schema = detect(frame, settings, name)
    frame, measure, notes = _rows_of_measure(frame, schema, settings, name)
    frame, lost = _rows_with_names(frame, schema, name)
    rules, kinds = _rules(frame, schema)
    values = values_of(frame, schema.outcome, rules, settings, measure)
    if values.unscored.any() and not rules.empty:
        rules[values.unscored] = np.nan if settings.unscored == "missing" else 0.0
    runs = _keys(frame, schema, settings)
    runs["value"] = values.value
    runs["extracted"] = as_shares(frame[schema.extraction], schema.extraction)[0] if schema.extraction else np.nan
    runs["excluded"], unmatched = _to_drop(frame, runs, schema, settings, name)
    if not schema.outcome.of_study:
        _check_averages(runs[~runs["excluded"]], settings, name)
    unit = settings.unit or tuple(role for role in ("model", "task") if getattr(schema, role))
    cluster = settings.cluster or ("task" if schema.task else "model" if schema.model else "none")
    runs["unit"] = ""
    for column in unit:
        labels = _labels(frame, runs, schema, column, "the unit", name)[0]
        runs["unit"] = labels if column == unit[0] else runs["unit"] + " / " + labels
    runs["cluster"] = (
        runs["unit"] if cluster == "none" else _labels(frame, runs, schema, cluster, "the cluster", name)[0]
    )
    groups = "" if settings.cluster else _groups(frame, schema)
    runs["group"] = _text(frame[groups]) if groups else ""
    formula = schema.outcome.formula
    if values.turned:
        a, b = schema.outcome.columns
        formula = f"{a} / ({a} + {b})" if schema.outcome.kind == "counts" else f"{a} / {b}"
    of_failures = schema.outcome.kind in ("counts", "score of rules", "rules")
    return Domain(
        name=name,
        schema=schema,
        runs=runs,
        rules=rules,
        kinds=kinds,
        outcome=measure or (("pass rate" if values.turned else "failure rate") if of_failures else formula),
        formula=formula,
        percent=values.percent,
        lower_is_better=values.lower_is_better,
        assumed=values.assumed,
        readings=values.readings,
        unscored=values.unscored,
        blank=values.blank,
        unit=" x ".join(unit),
        cluster="cell" if cluster == "none" else cluster,
        factors=_factors(frame, schema, (*unit, cluster)),
        groups=groups,
        lost=lost,
        notes=(*schema.guessed, *notes, *values.notes),
        unmatched=unmatched,
    )


def _rows_of_measure(
    frame: pd.DataFrame, schema: Schema, settings: AnalysisSettings, name: str
) -> tuple[pd.DataFrame, str, tuple[str, ...]]:
    """Of a long table the rows of one measure; of any other table all rows."""
    if schema.outcome.kind != "long table":
        if settings.measure is not None:
            raise DataError(
                f"measure {settings.measure!r} is not in {name}: its score is {schema.outcome.formula}, and no column "
                f"names measures. Its columns are: {listed(frame.columns, most=12)}."
            )
        return frame, "", ()
    _, column, status = schema.outcome.columns
    names = frame[column].astype(str).where(frame[column].notna())
    rows_of = names.value_counts(sort=False)
    measures = list(rows_of.index)
    if settings.measure:
        chosen = settings.measure
    elif schema.outcome.of_study:
        chosen = next((m for m in HEADLINES if m in measures), measures[0])
    else:  # the one that most rows have, of equals one with a usual name
        chosen = max(measures, key=lambda m: (rows_of[m], m.partition(",")[0].lower() in SCORES))
    if chosen not in measures:
        raise DataError(f"measure {chosen!r} is not in {name}.{nearest(chosen, measures)} It has: {listed(measures)}.")
    rows = frame[names == chosen].reset_index(drop=True)
    notes: tuple[str, ...] = ()
    if len(measures) > 1 and not settings.measure:
        others = listed([measure for measure in measures if measure != chosen], most=5)
        notes = (f"measure {chosen}, one of {len(measures)} (--measure chooses): {others}",)
    if schema.task:
        without = pd.unique(frame.loc[~frame[schema.task].isin(rows[schema.task]), schema.task].dropna().astype(str))
        notes += (f"without {chosen}, so in nothing below: {listed(without, most=6)}",) if len(without) else ()
    lost = rows[status].astype(str) if status else pd.Series(dtype=str)
    lost = lost[lost != "ok"]
    if len(lost):
        counted = ", ".join(f"{n} {why}" for why, n in lost.value_counts().items())
        notes += (f"{len(lost)} of {len(rows)} rows have no value and stay missing: {counted}",)
    return rows, chosen, notes


def _rows_with_names(frame: pd.DataFrame, schema: Schema, name: str) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The rows that name a condition; in words how many do not, and how many name no model or task."""
    named = frame[schema.condition].notna().to_numpy()
    if not named.any():
        raise DataError(f"{name} must have rows with a condition in {schema.condition!r}, got none.")
    lost = []
    if not named.all():
        lost = [f"{int((~named).sum())} of {len(frame)} rows name no {schema.condition} and are in no comparison"]
        frame = frame[named].reset_index(drop=True)
    for column in filter(None, (schema.model, schema.task)):
        if n := int(frame[column].isna().sum()):
            lost.append(f"{n} of {len(frame)} rows name no {column} and are one {column} together")
    return frame, tuple(lost)


def _check_averages(runs: pd.DataFrame, settings: AnalysisSettings, domain: str) -> None:
    """mmlu beside mmlu_stem and mmlu_law, between which it always lies, is their average. Passes are of nothing."""
    parts: dict[str, list[str]] = {}
    for name in map(str, runs["task"].unique()):
        for end in re.finditer(r"[\W_]+", name):
            parts.setdefault(name[: end.start()], []).append(name)
    groups = [name for name in runs["task"].unique() if len(parts.get(name, ())) > 1]
    if not groups or runs["value"].dropna().isin((0, 1)).all():
        return
    table = runs.groupby(["condition", "model", "task"])["value"].mean().unstack("task")
    step = 10.0 ** -(decimals(runs["value"].to_numpy()) or 4)
    for name in groups:
        inside = table[parts[name]]
        between = table[name].between(inside.min(axis=1) - step, inside.max(axis=1) + step)
        if (between | table[name].isna()).all():
            raise DataError(
                f"{domain} must have tasks and no averages of them, got {name}, which always lies between "
                f"{listed(parts[name], most=3)}. Leave it out: "
                f"{settings.command(exclude=(*settings.exclude, f'task={name}'))}"
            )


def _keys(frame: pd.DataFrame, schema: Schema, settings: AnalysisSettings) -> pd.DataFrame:
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
    whole = is_float_dtype(column.dtype) and (column.dropna() % 1 == 0).all()
    if whole and (column.dropna().abs() < 2**53).all():
        column = column.astype("Int64")
    return np.asarray(column.astype("string").str.strip().to_numpy(dtype=object, na_value="(none)"))


def _rules(frame: pd.DataFrame, schema: Schema) -> tuple[pd.DataFrame, dict[str, Kind]]:
    shares: dict[str, Array] = {}
    kinds: dict[str, Kind] = {}
    for column in schema.rules:
        name = column.rsplit("_", 1)[0]
        name = column if name in shares else name
        shares[name], kinds[name] = as_shares(frame[column], column)
    return pd.DataFrame(shares, index=range(len(frame))), kinds


def _further_columns(frame: pd.DataFrame, schema: Schema, taken: Sequence[str]) -> list[str]:
    """Columns that are no role, no score and no rule, and none of these."""
    used = {*schema.roles.values(), *schema.outcome.columns, *schema.rules, *taken}
    return [name for name in map(str, frame.columns) if name not in used and not measure_in(name)][:MOST_FACTORS]


def _factors(frame: pd.DataFrame, schema: Schema, taken: Sequence[str]) -> tuple[Factor, ...]:
    """Columns crossed with condition, model and task, or of which each condition has one value."""
    keys = [column for column in (schema.condition, schema.model, schema.task) if column]
    keys += [column for column in taken if column in frame and column not in keys]
    factors = []
    for column in _further_columns(frame, schema, keys):
        levels = frame[column].nunique()
        if not 2 <= levels <= MOST_LEVELS or levels == len(frame):
            continue
        bound = _bound(frame, schema, column)
        if bound or (frame.groupby(keys, dropna=False)[column].nunique() == levels).mean() > 0.5:  # crossed
            factors.append(Factor(column, levels, bound))
    return tuple(factors)


def _bound(frame: pd.DataFrame, schema: Schema, column: str) -> str:
    """Whether each condition has one value; or which conditions have one in all of their cells, where so many drawn
    from all cells would have more."""
    each = frame.groupby(schema.condition)[column].nunique()
    if (each <= 1).all():
        return f"{column} changes with {schema.condition}"
    if each.min() > 1:
        return ""
    from scipy.stats import hypergeom

    keys = [c for c in (schema.condition, schema.model, schema.task, column) if c]
    cells = frame[list(dict.fromkeys(keys))].dropna().drop_duplicates()
    groups = cells.groupby(schema.condition)[column]
    single = groups.first()[groups.nunique() == 1]
    having, sizes = cells[column].value_counts().to_dict(), groups.size().to_dict()
    chance = {c: hypergeom.pmf(sizes[c], len(cells), having[v], sizes[c]) for c, v in single.items()}
    sure = single[[chance[c] * groups.ngroups <= CHANCE for c in single.index]]
    words = [f"{column} is only {v} for {listed(map(str, sure.index[sure == v]), most=3)}" for v in sure.unique()]
    return "; ".join(words)


def _groups(frame: pd.DataFrame, schema: Schema) -> str:
    """The column of which each task has one value and tasks share them; of several the finest."""
    if schema.task is None:
        return ""
    tasks, finest, most = frame[schema.task].nunique(), "", 1.0
    for column in _further_columns(frame, schema, []):
        levels = frame[column].nunique()
        parts = is_float_dtype(frame[column].dtype) and not (frame[column].dropna() % 1 == 0).all()
        if not most < levels <= tasks / 2 or parts or is_bool_dtype(frame[column].dtype):
            continue
        if (frame.groupby(schema.task)[column].nunique(dropna=False) == 1).all():
            finest, most = column, levels
    return finest


def _to_drop(
    frame: pd.DataFrame, runs: pd.DataFrame, schema: Schema, settings: AnalysisSettings, name: str
) -> tuple[Mask, dict[tuple[str, str], list[str]]]:
    """Which runs are excluded; and of the exclusions that no run has, the values that there are."""
    mask, unmatched = np.zeros(len(runs), dtype=bool), {}
    for column, value in settings.exclusions:
        labels = _labels(frame, runs, schema, column, "what is excluded", name)
        here = np.any([part == value for part in labels], axis=0)
        mask |= here
        if not here.any():
            unmatched[column, value] = sorted(set(map(str, labels[0])))
    return mask, unmatched


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
