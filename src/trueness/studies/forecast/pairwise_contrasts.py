"""Pair by pair: does a forecast know which of two is better, by how much, and on which data?

A contrast sets two groups A, B of cells (data set, learner) against each other within each unit u:

    measured_u  = mean_A f - mean_B f     f: mean over the runs of a cell
    predicted_u = mean_A g - mean_B g     g: middle of the claimed range, formulations and repeats averaged
    agreement_u = sign(measured_u) sign(predicted_u); missing where nothing differs in measured_u
    right       = units with agreement 1;   off_by = mean_u (predicted_u - measured_u) with its t interval
    p           = sign flips of the agreements over data sets, one-sided; Holm over the models' contrasts of a kind

    learners      one learner against another on the same data set                                  unit: data set
    families      constraint-based against functional and so on, by the `family` of the cards       unit: data set
    assumptions   learners that the data set breaks an assumption of, against the others            unit: data set
    data sets     synthetic-30 against -12, child against asia; else the largest against the smallest    unit: learner
    broken        data sets that break one assumption of a learner (Gaussian noise, say) against the others     "

Learners that see the same data are no independent draws: contrasts by learner are counted, not tested.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trueness.statistics.multiplicity import adjust
from trueness.studies.forecast.analysis import Analysis, asked_models, cell_means, join_words, lines, number
from trueness.studies.forecast.by_dataset import over_datasets
from trueness.studies.forecast.forecast_frames import CELL, Forecasts

Rows = NDArray[np.bool_]
Array = NDArray[np.float64]
DATASET_PAIRS = (("synthetic-30", "synthetic-12"), ("child", "asia"))  # those of the original protocol


class ForecastContrast(NamedTuple):
    kind: str
    a: str
    b: str
    unit: Literal["dataset", "learner"]
    in_a: Rows
    in_b: Rows


class UnitDifferences(NamedTuple):
    """measured_u, predicted_u and agreement_u, of the units in which both groups have a value."""

    names: NDArray[np.object_]
    measured: Array
    predicted: Array
    agreement: Array

    @classmethod
    def of(cls, measured: pd.Series, predicted: pd.Series) -> UnitDifferences:
        there = (measured.notna() & predicted.notna()).to_numpy()
        names, m, p = measured.index.to_numpy(object)[there], measured.to_numpy()[there], predicted.to_numpy()[there]
        sign = np.sign(m.round(12))
        return cls(names, m, p, np.where(sign != 0, sign * np.sign(p.round(12)), np.nan))

    def rows(self) -> list[dict[str, object]]:
        names = ("name", *self._fields[1:])
        return [dict(zip(names, row, strict=True)) for row in zip(*(column.tolist() for column in self), strict=True)]


def contrasts(forecasts: Forecasts, measure: str = "f1") -> Analysis:
    """One row a contrast and respondent; `more` has one row a unit."""
    cells = cell_means(forecasts, measure)
    places = cells[list(CELL)].drop_duplicates(ignore_index=True)
    pairs = list(_contrasts(places, forecasts))
    if not pairs or cells.empty:
        why = "no readable claim" if cells.empty else "one learner on one data set"
        return Analysis.untold("contrasts", f"Pairs of learners and of data sets cannot be compared: {why}.")
    rows, units = [], []
    wide = cells.pivot_table(index=list(CELL), columns="respondent", values=["measured", "predicted"], sort=False)
    wide = wide.reindex(pd.MultiIndex.from_frame(places))  # a cell without any value stays in its place
    for one in pairs:
        of_a, of_b = (wide[rows].groupby(level=one.unit, sort=False).mean() for rows in (one.in_a, one.in_b))
        apart = of_a - of_b
        for who in dict.fromkeys(cells["respondent"]):
            each = UnitDifferences.of(apart["measured", who], apart["predicted", who])
            if len(each.names):
                rows.append(_row(one, who, each))
                which = {"unit": one.unit, "kind": one.kind, "a": one.a, "b": one.b, "respondent": who}
                units += [unit | which for unit in each.rows()]
    if not rows:
        return Analysis.untold("contrasts", "Pairs of learners and of data sets cannot be compared: none has both.")
    table = pd.DataFrame(rows)
    models = table["respondent"].isin(asked_models(forecasts))
    table["p_holm"] = np.nan
    for _, part in table[models].groupby("kind", sort=False):
        table.loc[part.index, "p_holm"] = adjust(part["p"].to_numpy(float), "holm")
    sentences = tuple(_sentences(table[models], measure))
    return Analysis("contrasts", table, sentences, {"units": pd.DataFrame(units)})


def _contrasts(cells: pd.DataFrame, forecasts: Forecasts) -> Iterator[ForecastContrast]:
    """cells: one row a (data set, learner), in the order in which the groups are cut from it."""
    learner, dataset = cells["learner"].to_numpy(object), cells["dataset"].to_numpy(object)
    names = [name for name in forecasts.learners if (learner == name).any()]
    for a, b in combinations(names, 2):
        yield ForecastContrast("learners", a, b, "dataset", learner == a, learner == b)
    family = np.array([str(forecasts.learners.get(name, {}).get("family") or "") for name in learner], dtype=object)
    for a, b in combinations([name for name in dict.fromkeys(family) if name], 2):
        yield ForecastContrast("families", a, b, "dataset", family == a, family == b)
    broken = [frozenset(forecasts.learners.get(a, {}).get("breaks", {}).get(d, ())) for d, a in cells.to_numpy()]
    any_broken = np.array([bool(names) for names in broken], dtype=bool)
    if any_broken.any() and not any_broken.all():
        yield ForecastContrast("assumptions", "broken", "not broken", "dataset", any_broken, ~any_broken)
    for a, b in _dataset_pairs(list(dict.fromkeys(dataset)), forecasts):
        yield ForecastContrast("data sets", a, b, "learner", dataset == a, dataset == b)
    for name in sorted(frozenset().union(*broken)):
        breaks = np.array([name in names for names in broken], dtype=bool)
        makes_it = np.isin(learner, learner[breaks])
        yield ForecastContrast("broken", name, "not broken", "learner", breaks, makes_it & ~breaks)


def _dataset_pairs(names: list[str], forecasts: Forecasts) -> list[tuple[str, str]]:
    known = [pair for pair in DATASET_PAIRS if set(pair) <= set(names)]
    if known or len(names) < 2:
        return known
    by_size = sorted(names, key=lambda name: float(forecasts.datasets.get(name, {}).get("nodes") or 0))
    return [(by_size[-1], by_size[0])]


def _row(one: ForecastContrast, who: str, each: UnitDifferences) -> dict[str, object]:
    off_by = over_datasets(each.predicted - each.measured, each.names, "off by", within=(-2.0, 2.0))
    agreement = each.agreement[~np.isnan(each.agreement)]
    names = each.names[~np.isnan(each.agreement)]
    test = over_datasets(agreement, names, "agreement", 0.0, "greater") if len(names) else None
    tested = test is not None and one.unit == "dataset"
    return {
        "kind": one.kind, "a": one.a, "b": one.b, "respondent": who, "unit": one.unit, "n": len(each.names),
        "measured": each.measured.mean(), "predicted": each.predicted.mean(), **off_by.cells("off_by", missing=np.nan),
        "right": int((agreement > 0).sum()), "of": len(names), "wrong_on": ", ".join(map(str, names[agreement <= 0])),
        "p": number(test.p) if test and tested else np.nan, "test": test.test if test and tested else "",
    }  # fmt: skip


def _sentences(table: pd.DataFrame, measure: str) -> Iterator[str]:
    for (who, kind), mine in table.groupby(["respondent", "kind"], sort=False):
        each = [
            f"{row.a} - {row.b}: right on {row.right} of {row.of} {row.unit.replace('dataset', 'data set')}s (measured "
            f"{row.measured:+.2f}, predicted {row.predicted:+.2f})"
            + (f", wrong on {row.wrong_on}" if row.wrong_on and row.of <= 6 else "")
            for row in lines(mine)
        ]
        yield f"{who}, {kind} by {measure}: {join_words(each, 8)}."
