"""Does a forecast know what is better and what is harder: learners in order, pair by pair, and by size of the data?

Ranking. On data set d, with f_l the measured mean of learner l and g_l the predicted midpoint (repeats averaged):

    spearman, kendall    rank correlation of f and g over the learners (tau-b); missing when all g_l are equal
    pairs                (right + tied in g / 2) / pairs with f_l != f_m;    1/2 is chance
    order                2 pairs - 1, Kendall's tau-a over the pairs that differ in f: has a value for equal g too (0)

The original protocol gives the rank correlations. With four learners a data set says little (24 orders), so the mean
over data sets with its interval is the finding, and `order` is what is tested: dropping the data sets on which a
respondent gave one number for all would reward it for saying nothing.

A contrast sets two groups A, B of cells (data set, learner) against each other within each unit u:

    measured_u  = mean_A f - mean_B f,   predicted_u = mean_A g - mean_B g
    agreement_u = sign(measured_u) sign(predicted_u); missing where nothing differs in measured_u
    right       = units with agreement 1;   off_by = mean_u (predicted_u - measured_u) with its t interval
    p           = sign flips of the agreements over data sets, one-sided; Holm over the models' contrasts of a kind

    learners      one learner against another on the same data set                                  unit: data set
    families      constraint-based against functional and so on, by the `family` of the cards       unit: data set
    assumptions   learners that the data set breaks an assumption of, against the others            unit: data set
    data sets     synthetic-30 against -12, child against asia; else the largest against the smallest    unit: learner
    broken        data sets that break one assumption of a learner (Gaussian noise, say) against the others     "

Learners that see the same data are no independent draws: contrasts by learner are counted, not tested.

Effects, over data sets d:

    x_d = nodes (size), edges / possible edges (density), nodes / rows (dimension)
    rho_measured = Spearman(x_d, mean F1 on d),  rho = Spearman(x_d, predicted midpoint on d),  difference = of the two

with an interval of each rho (Bonett & Wright) and a permutation p (all n! orders up to 8 data sets, else 20,000 drawn
ones); F1 and forecasts are averaged over the learners first. Below 5 data sets no rho can be told from chance.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trueness.showing.summary import Finding
from trueness.statistics.multiplicity import adjust
from trueness.statistics.rank_correlations import rank_correlation, spearman
from trueness.statistics.result import p_text
from trueness.studies.forecast.analysis import (
    Analysis,
    Array,
    cell_means,
    lines,
    orders,
    over_datasets,
    percent,
    permutation_p,
    permutation_test,
    smallest_permutation_p,
    table_of,
)
from trueness.studies.forecast.frames import CELL, Forecasts
from trueness.texts import counted

Rows = NDArray[np.bool_]
DATASET_PAIRS = (("synthetic-30", "synthetic-12"), ("child", "asia"))  # those of the original protocol


def ranking(forecasts: Forecasts, measure: str = "f1") -> Analysis:
    """One row a respondent; `more` has one row a respondent and data set."""
    rows = cell_means(forecasts, measure)
    if rows.empty or rows["learner"].nunique() < 2:
        why = f"no readable claim about {measure}" if rows.empty else f"{rows['learner'].iloc[0]} is the only learner"
        return Analysis.untold("ranking", f"The ranking of learners cannot be told: {why}.")
    each = table_of(
        {"respondent": respondent, "dataset": dataset, **_order_on(cell)}
        for (respondent, dataset), cell in rows.groupby(["respondent", "dataset"], sort=False)
    )
    table = table_of(_rank_row(name, mine) for name, mine in each.groupby("respondent", sort=False))
    declared = table["respondent"].isin(forecasts.models)
    table["p_holm"] = adjust(table["p"].where(declared), "holm")  # references are there for comparison
    return Analysis("ranking", table, tuple(_rank_sentences(table, measure)), {"datasets": each})


def order_agreement(measured: Array, predicted: Array) -> float:
    """`order` of the module's docstring; NaN when no two measured values differ."""
    first, second = np.triu_indices(len(measured), 1)
    truth = np.sign(measured[first] - measured[second])
    claim = np.sign(predicted[first] - predicted[second])
    differs = truth != 0
    return float((truth * claim)[differs].mean()) if differs.any() else float("nan")


def _order_on(cell: pd.DataFrame) -> dict[str, float]:
    measured, predicted = cell["measured"].to_numpy(float), cell["predicted"].to_numpy(float)
    order = order_agreement(measured, predicted)
    varies = len(cell) > 1 and np.ptp(measured) > 0 and np.ptp(predicted) > 0
    return {
        "learners": len(cell),
        "spearman": spearman(measured, predicted) if varies else np.nan,
        "kendall": cell["measured"].corr(cell["predicted"], "kendall") if varies else np.nan,
        "order": order,
        "pairs": (order + 1) / 2,
    }


def _rank_row(name: object, mine: pd.DataFrame) -> dict[str, object]:
    order = over_datasets(mine["order"], mine["dataset"], "order", null=0.0, within=(-1.0, 1.0))
    means = {column: mine[column].mean() for column in ("pairs", "spearman", "kendall")}
    row = {"respondent": name, "datasets": len(mine), **order.cells("order"), "p": order.p, "test": order.test}
    return row | means


def _rank_sentences(table: pd.DataFrame, measure: str) -> Iterator[str]:
    for row in lines(table):
        if not np.isfinite(row.order):
            open_ = f"{row.respondent}: how it orders the learners by {measure} cannot be told: it gives no order."
            yield Finding(open_, open=True)
            continue
        interval = f" [{row.order_low:.2f}, {row.order_high:.2f}]" if np.isfinite(row.order_low) else " (no interval)"
        among = f"Holm-adjusted {row.p_holm:.2g}" if np.isfinite(row.p_holm) else "a reference: not adjusted"
        p = f"; {row.test} {p_text(row.p)}, {among}" if np.isfinite(row.p) else "; no test"
        yield (
            f"{row.respondent} orders the learners by {measure} with tau {row.order:.2f}{interval} "
            f"({percent(row.pairs)} of the pairs; {counted(row.datasets, 'data set')}, t{p})."
        )


# ---- pair by pair


class _Contrast(NamedTuple):
    kind: str
    a: str
    b: str
    unit: Literal["dataset", "learner"]
    in_a: Rows
    in_b: Rows


def contrasts(forecasts: Forecasts, measure: str = "f1") -> Analysis:
    """One row a contrast and respondent; `more` has one row a unit."""
    cells = cell_means(forecasts, measure)
    places = cells[list(CELL)].drop_duplicates(ignore_index=True)
    pairs = list(_contrasts(places, forecasts))
    if not pairs or cells.empty:
        why = "no readable claim" if cells.empty else "one learner on one data set"
        return Analysis.untold("contrasts", f"Pairs of learners and of data sets cannot be compared: {why}.")
    wide = cells.pivot_table(index=list(CELL), columns="respondent", values=["measured", "predicted"], sort=False)
    wide = wide.reindex(pd.MultiIndex.from_frame(places))  # a cell without any value stays in its place
    units = pd.concat([_units(one, wide, list(dict.fromkeys(cells["respondent"]))) for one in pairs], ignore_index=True)
    if units.empty:
        return Analysis.untold("contrasts", "Pairs of learners and of data sets cannot be compared: none has both.")
    groups = units.groupby(["kind", "a", "b", "respondent", "unit"], sort=False)
    table = table_of(_contrast_row(key, mine) for key, mine in groups)
    models = table["respondent"].isin(forecasts.models)
    table["p_holm"] = table["p"].where(models).groupby(table["kind"]).transform(lambda p: adjust(p, "holm"))
    return Analysis("contrasts", table, tuple(_contrast_sentences(table[models], measure)), {"units": units})


def _units(one: _Contrast, wide: pd.DataFrame, respondents: list[str]) -> pd.DataFrame:
    """measured_u, predicted_u and agreement_u of each respondent, of the units in which both groups have a value."""
    of_a, of_b = (wide[rows].groupby(level=one.unit, sort=False).mean() for rows in (one.in_a, one.in_b))
    apart = of_a - of_b
    each = pd.DataFrame({name: apart[name][respondents].unstack() for name in ("measured", "predicted")}).dropna()
    each = each.rename_axis(["respondent", "name"]).reset_index()
    sign = np.sign(each["measured"].round(12))
    each["agreement"] = (sign * np.sign(each["predicted"].round(12))).where(sign != 0)
    each = each.assign(unit=one.unit, kind=one.kind, a=one.a, b=one.b)
    return each[["name", "measured", "predicted", "agreement", "unit", "kind", "a", "b", "respondent"]]


def _contrasts(cells: pd.DataFrame, forecasts: Forecasts) -> Iterator[_Contrast]:
    """cells: one row a (data set, learner), in the order in which the groups are cut from it."""
    about = forecasts.learners
    learner, dataset = cells["learner"], cells["dataset"]
    family = learner.map({name: str(card.get("family") or "") for name, card in about.items()})
    for kind, column, names in (
        ("learners", learner, [name for name in about if (learner == name).any()]),
        ("families", family, [name for name in family.dropna().unique() if name]),
    ):
        for a, b in combinations(names, 2):
            yield _Contrast(kind, a, b, "dataset", (column == a).to_numpy(), (column == b).to_numpy())
    broken = [frozenset(about.get(a, {}).get("breaks", {}).get(d, ())) for d, a in cells.to_numpy()]
    any_broken = np.array([bool(names) for names in broken], dtype=bool)
    if any_broken.any() and not any_broken.all():
        yield _Contrast("assumptions", "broken", "not broken", "dataset", any_broken, ~any_broken)
    for a, b in _dataset_pairs(list(dataset.unique()), forecasts):
        yield _Contrast("data sets", a, b, "learner", (dataset == a).to_numpy(), (dataset == b).to_numpy())
    for name in sorted(frozenset().union(*broken)):
        breaks = np.array([name in names for names in broken], dtype=bool)
        makes_it = learner.isin(learner[breaks]).to_numpy()
        yield _Contrast("broken", name, "not broken", "learner", breaks, makes_it & ~breaks)


def _dataset_pairs(names: list[str], forecasts: Forecasts) -> list[tuple[str, str]]:
    known = [pair for pair in DATASET_PAIRS if set(pair) <= set(names)]
    if known or len(names) < 2:
        return known
    by_size = sorted(names, key=lambda name: float(forecasts.datasets.get(name, {}).get("nodes") or 0))
    return [(by_size[-1], by_size[0])]


def _contrast_row(key: tuple[object, ...], each: pd.DataFrame) -> dict[str, object]:
    kind, a, b, who, unit = key
    off_by = over_datasets(each["predicted"] - each["measured"], each["name"], "off by", within=(-2.0, 2.0))
    there = each[each["agreement"].notna()]
    right = there["agreement"] > 0
    tested = unit == "dataset" and len(there) > 0
    test = over_datasets(there["agreement"], there["name"], "agreement", 0.0, "greater") if tested else None
    return {
        "kind": kind, "a": a, "b": b, "respondent": who, "unit": unit, "n": len(each),
        "measured": each["measured"].mean(), "predicted": each["predicted"].mean(), **off_by.cells("off_by"),
        "right": int(right.sum()), "of": len(there), "wrong_on": ", ".join(map(str, there["name"][~right])),
        "p": test.p if test else None, "test": test.test if test else "",
    }  # fmt: skip


def _contrast_sentences(table: pd.DataFrame, measure: str) -> Iterator[str]:
    for (who, kind), mine in table.groupby(["respondent", "kind"], sort=False):
        each = [
            f"{row.a} - {row.b}: right on {row.right} of {row.of} {row.unit.replace('dataset', 'data set')}s (measured "
            f"{row.measured:+.2f}, predicted {row.predicted:+.2f})"
            + (f", wrong on {row.wrong_on}" if row.wrong_on and row.of <= 6 else "")
            for row in lines(mine)
        ]
        more = f"; and {len(each) - 8} more" if len(each) > 8 else ""
        yield f"{who}, {kind} by {measure}: {'; '.join(each[:8])}{more}."


# ---- what makes a data set hard

MEASURED = "measured"


def effects(forecasts: Forecasts, measure: str = "f1") -> Analysis:
    """One row a property and respondent; `measured` is the row of the runs themselves."""
    names = [name for name in forecasts.datasets if any(key[0] == name for key in forecasts.truths)]
    if len(names) < 3:
        why = f"{counted(len(names), 'data set')}; a rank correlation needs three"
        return Analysis.untold("effects", f"Size, density and dimension effects cannot be told: {why}.")
    about = pd.DataFrame([forecasts.datasets[name] for name in names], dtype=object)
    size, density, rows = (about[name].to_numpy(float) for name in ("nodes", "density", "rows"))
    numbers = dict(_middles(forecasts, measure, names))
    rng = np.random.default_rng([forecasts.seed, 0xEF])
    orders_of = cache(lambda n: orders(n, rng))
    found = []
    for name, x in {"size": size, "density": density, "dimension": size / rows}.items():
        for respondent, y in numbers.items():
            rho, there = rank_correlation(x, y), ~np.isnan(y)
            p = permutation_p(x[there], y[there], orders_of(int(there.sum())))
            row: dict[str, object] = {"property": name, "respondent": respondent, "datasets": rho.n}
            row |= rho.cells("rho") | {"p": p, "test": permutation_test(rho.n)}
            if respondent != MEASURED:
                measured = rank_correlation(x, np.where(there, numbers[MEASURED], np.nan)).value
                apart = None if rho.value is None or measured is None else rho.value - measured
                row |= {"rho_measured": measured, "difference": apart}
            found.append(row)
    table = table_of(found)
    table["q"] = adjust(table["p"], "bh")
    return Analysis("effects", table, tuple(_effect_sentences(table, forecasts, measure, len(names))))


def _middles(forecasts: Forecasts, measure: str, datasets: list[str]) -> Iterator[tuple[str, Array]]:
    """Respondent or measured -> one number a data set, over the learners; only where every learner has one."""
    rows = forecasts.answers(forecasts.claimants, measure)
    learners = list(dict.fromkeys(key[1] for key in forecasts.truths))
    means = {key: truth.mean for key, truth in forecasts.truths.items()}
    yield MEASURED, np.array([[means.get((d, a, measure), np.nan) for d in datasets] for a in learners]).mean(axis=0)
    claimed = rows.groupby(["respondent", "learner", "dataset"], sort=False)["midpoint"].mean()
    for respondent in pd.unique(rows["respondent"]):
        wide = claimed[respondent].unstack("dataset").reindex(index=learners, columns=datasets)
        yield respondent, wide.to_numpy(float).mean(axis=0)


def _effect_sentences(table: pd.DataFrame, forecasts: Forecasts, measure: str, n: int) -> Iterator[str]:
    for name, mine in table.groupby("property", sort=False):
        truth = next(lines(mine))  # the runs themselves come first
        if not np.isfinite(truth.rho):
            yield f"{name}: no correlation can be had, the data sets do not differ in it."
            continue
        each = [
            f"{row.respondent} {_with_ends(row.rho, row.rho_low, row.rho_high)}, off by {row.difference:+.2f}"
            for row in lines(mine)
            if row.respondent in forecasts.models and np.isfinite(row.rho)
        ]
        yield (
            f"{name}: measured {measure} goes with it by rho {_with_ends(truth.rho, truth.rho_low, truth.rho_high)} "
            f"(permutation p = {truth.p:.2g}; {n} data sets); forecasts: {'; '.join(each) or 'none that vary'}."
        )
    smallest = smallest_permutation_p(n)
    if smallest > 0.05:
        yield f"With {n} data sets the smallest p of a rank correlation is {smallest:.2g}: no effect can be shown."


def _with_ends(value: float, low: float, high: float) -> str:
    return f"{value:+.2f}" + (f" [{low:+.2f}, {high:+.2f}]" if np.isfinite(low) else "")
