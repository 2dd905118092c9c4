"""Means and differences of a robustness study; graphs are what was drawn, so intervals count graphs.

    means         mean AUPRC (or F1 at a K) over graphs and seeds, t interval clustered by graph (of one: by seed)
    differences   scorer a - scorer b, paired by graph, corruption and seed; sign-flip over graphs; Holm over pairs
    optimism      F1 at oracle_k - F1 at k_from_other_graphs, under the corruption both were chosen on and the others
    plateaus      max F1 - min F1 within K +- 5: < .1 stable, .1 to .2 moderate, > .2 sensitive     the original's

One curve has one range and no error. Over seeds the mean range has an interval, and a verdict is given only where the
whole interval allows it. With T true edges F1 moves in steps of about 1 / T: of few edges a range is mostly steps.

All are kept for an evaluation once they are known: tables, charts and sentences ask for the same.
With one graph alone the seeds are what was drawn: an interval then speaks of that graph, and says so in `over`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Literal

import numpy as np
import pandas as pd

from trueness.measure import measure_of
from trueness.measures.ranking import chance
from trueness.showing.saving import plain_records
from trueness.showing.summary import Headline, Standing, ranking
from trueness.statistics import Comparison, Estimate, adjusted, mean, paired_difference
from trueness.statistics.multiplicity import differences_in_pairs
from trueness.statistics.result import Bounds
from trueness.studies.robustness.choose_k import ORACLE, OTHERS, f1_at
from trueness.studies.robustness.scores import RobustnessScores
from trueness.studies.robustness.sensitivity import AROUND, SensitivityCurve
from trueness.texts import counted

Verdict = Literal["stable", "moderate", "sensitive"]
MEAN = ("value", "low", "high", "constant", "n", "units")  # columns of a mean; units: graphs, or seeds of one
AT_K = ("precision", "recall", "shd", "skeleton_f1")  # means without an interval, beside that of F1
AROUND_K = {step: f"f1 at K {step:+d}" if step else "f1 at K" for step in range(-AROUND, AROUND + 1)}
STABLE, SENSITIVE = 0.1, 0.2
UNTOLD = "cannot be told"
ALL = "all"  # over corruptions; those whose mask tells the graph are not in it


def over(frame: pd.DataFrame) -> str:
    """What the rows were drawn from: graphs, or the seeds of one."""
    return "seed" if frame["dataset"].nunique() == 1 else "dataset"


def average(frame: pd.DataFrame, column: str, level: float, bounds: Bounds = (0.0, 1.0)) -> dict[str, object]:
    """MEAN of a measure within its bounds; of any other column within `bounds`."""
    measure = measure_of(column)
    bounds = bounds if measure is None else measure.bounds
    return cells_of(
        mean(frame[column].to_numpy(dtype=float), frame[over(frame)].to_numpy(), level=level, bounds=bounds)
    )


def cells_of(estimate: Estimate) -> dict[str, object]:
    """Those of MEAN for a table: value, its ends, n and what n counts."""
    counts = {"constant": estimate.constant, "n": estimate.n, "units": estimate.n_clusters}
    return {**estimate.cells("value", ""), **counts}


@lru_cache(maxsize=16)
def means(evaluation: RobustnessScores, measure: str = "auprc") -> pd.DataFrame:
    """One row a group, corruption (and all) and scorer: of a measure that needs no K."""
    level_of_chance = {name: chance(measure, system.truth) for name, system in evaluation.systems.items()}
    records = []
    for group, name, scorer in product(evaluation.groups, (ALL, *evaluation.corruptions), evaluation.scorers_compared):
        fits = evaluation.ranking_of(group, evaluation.claims if name == ALL else (name,), scorer)
        if len(fits):
            row: dict[str, object] = {"group": group, "corruption": name, "scorer": scorer, "measure": measure}
            row |= average(fits, measure, evaluation.level) | {"over": over(fits)}
            row |= {"failed": int(fits[measure].isna().sum())}
            records.append(row | {"chance": float(fits["dataset"].map(level_of_chance).mean())})
    columns = ["group", "corruption", "scorer", "measure", *MEAN, "over", "failed", "chance"]
    return pd.DataFrame(records, columns=columns)


@lru_cache(maxsize=16)
def chosen_means(evaluation: RobustnessScores) -> pd.DataFrame:
    """F1 and more, one row a group, scorer and K method, over the corruptions that no K was chosen on."""
    rows = evaluation.at_chosen_k[evaluation.at_chosen_k["corruption"].isin(evaluation.tests)]
    records = []
    for (group, scorer, method), fits in rows.groupby(["group", "scorer", "method"], sort=False):
        row = {"group": group, "scorer": scorer, "method": method, "oracle": bool(fits["oracle"].any())}
        row |= {"uses": fits["uses"].iloc[0], "k": float(fits["k"].mean()), "measure": "f1"}
        row |= average(fits, "f1", evaluation.level) | {"over": over(fits)}
        records.append(row | {name: float(fits[name].mean()) for name in AT_K})
    columns = ["group", "scorer", "method", "oracle", "uses", "k", "measure", *MEAN, "over", *AT_K]
    return pd.DataFrame(records, columns=columns)


@lru_cache(maxsize=16)
def differences(evaluation: RobustnessScores, corruption: str = ALL) -> dict[str, list[Comparison]]:
    """AUPRC: group -> every pair of scorers, the better one first, Holm-adjusted within the group."""
    corruptions = evaluation.claims if corruption == ALL else (corruption,)
    under = "over corruptions" if corruption == ALL else f"under {corruption}"
    by_group = {}
    for group in evaluation.groups:
        rows = evaluation.ranking_of(group, corruptions)
        keys = ["dataset", "corruption", "seed"]
        table = rows.pivot_table(index=keys, columns="scorer", values="auprc", dropna=False)
        clusters = table.index.get_level_values(over(rows) if len(rows) else "dataset").to_numpy()
        columns = {name: table[name].to_numpy(dtype=float) for name in evaluation.scorers_compared if name in table}
        drawn = "graphs" if rows["dataset"].nunique() > 1 else "seeds of one graph"
        by_group[group] = [
            pair.described(measure=f"AUPRC {under}", units="fits", clusters=drawn, better="higher")
            for pair in differences_in_pairs(columns, clusters, evaluation.level, better="higher", bounds=(0.0, 1.0))
        ]
    return by_group


@lru_cache(maxsize=4)
def optimism(evaluation: RobustnessScores) -> dict[tuple[bool, str, str], Comparison]:
    """(on validation, group, scorer) -> what the oracle gains; nothing where a group has one graph.

    Under the validation corruption, where the oracle cannot lose, and under those that neither K was chosen on, where
    any were run. Holm within each place.
    """
    gaps: dict[tuple[bool, str, str], Comparison] = {}
    for on_validation in (True,) if evaluation.tests == (evaluation.validation,) else (True, False):
        corruptions = (evaluation.validation,) if on_validation else evaluation.tests
        here = {}
        for group, scorer in product(evaluation.groups, evaluation.scorers_compared):
            f1: dict[str, list[float]] = {ORACLE: [], OTHERS: []}
            for name, curves in evaluation.curves_of(group, scorer, corruptions).items():
                choices = evaluation.by_truths.get((name, scorer), {})
                if OTHERS in choices:
                    for method, values in f1.items():
                        values.append(f1_at(curves, choices[method].k))
            if len(f1[ORACLE]) > 1:
                gap = paired_difference(f1[ORACLE], f1[OTHERS], names=(ORACLE, OTHERS))
                measure = f"F1 of {scorer} under {', '.join(corruptions)}"
                here[on_validation, group, scorer] = gap.described(measure=measure, units="graphs", better="higher")
        gaps |= dict(zip(here, adjusted(list(here.values()), "holm"), strict=True))
    return gaps


@dataclass(frozen=True)
class Plateau:
    """How much F1 moves within K +- 5: the mean range over curves with its interval, and mean F1 at each step."""

    k: int
    range: Estimate
    f1: Mapping[int, float | None]  # steps from K -> mean F1 there

    @property
    def verdict(self) -> Verdict | None:
        """None where the interval spans two of them; of one curve, or of equal ones, it is that of their range."""
        if self.range.value is not None and (self.range.constant or self.range.n == 1):  # nothing else was drawn
            return verdict_of(self.range.value)
        if self.range.interval is None:
            return None
        low, high = verdict_of(self.range.interval.low), verdict_of(self.range.interval.high)
        return low if low == high else None


def verdict_of(f1_range: float) -> Verdict:
    if f1_range < STABLE:
        return "stable"
    return "moderate" if f1_range <= SENSITIVE else "sensitive"


@lru_cache(maxsize=16)
def plateaus(evaluation: RobustnessScores) -> pd.DataFrame:
    """One row a group, scorer, corruption and K method: F1 at K - 5 ... K + 5, its range, and a verdict or none."""
    records = []
    for group, scorer, corruption in product(evaluation.groups, evaluation.scorers_compared, evaluation.corruptions):
        curves = evaluation.curves_of(group, scorer, (corruption,))
        for method in (ORACLE, OTHERS):
            around = plateau_around(evaluation, curves, scorer, method)
            if around is not None:
                row = {"group": group, "scorer": scorer, "corruption": corruption, "method": method, "k": around.k}
                row |= cells_of(around.range) | {"verdict": around.verdict or UNTOLD}
                records.append(row | {name: around.f1[step] for step, name in AROUND_K.items()})
    columns = ["group", "scorer", "corruption", "method", "k", *MEAN, "verdict", *AROUND_K.values()]
    return pd.DataFrame(records, columns=columns)


def plateau_around(
    evaluation: RobustnessScores, curves: Mapping[str, Sequence[SensitivityCurve]], scorer: str, method: str
) -> Plateau | None:
    """curves: of a scorer under a corruption, by graph; each graph has its own K."""
    by_truths = {name: evaluation.by_truths.get((name, scorer), {}).get(method) for name in curves}
    ks = {name: choice.k for name, choice in by_truths.items() if choice is not None}
    each = [(name, curve) for name in ks for curve in curves[name]]
    if not each:
        return None
    labels = [name for name, _ in each] if len(curves) > 1 else None
    ranges = [float(np.ptp(curve.between(ks[name] - AROUND, ks[name] + AROUND).f1)) for name, curve in each]
    estimate = mean(ranges, labels, level=evaluation.level, name="range of F1 around K", bounds=(0.0, 1.0))
    f1: dict[int, float | None] = {}
    for step in AROUND_K:  # over the curves that have such a K
        values = [curve.at(k)["f1"] for name, curve in each if curve.k[0] <= (k := ks[name] + step) <= curve.k[-1]]
        f1[step] = float(np.mean(values)) if values else None
    return Plateau(round(float(np.median(list(ks.values())))), estimate, f1)


def headline_of(evaluation: RobustnessScores) -> Headline | None:
    """Scorers by mean AUPRC over all corruptions, of the first group of systems; who can be told from the best."""
    if not evaluation.groups:
        return None
    group, table = evaluation.groups[0], means(evaluation)
    part = table[(table["group"] == group) & (table["corruption"] == ALL)].dropna(subset=["value"])
    part = part.sort_values("value", ascending=False)
    if part.empty:
        return None
    standing = [[row[key] for key in ("scorer", "value", "low", "high", "constant")] for row in plain_records(part)]
    rows = tuple(Standing(*row) for row in standing)
    verdicts = {frozenset(pair.names): pair.distinguishable for pair in differences(evaluation)[group]}
    kinds = counted(len(evaluation.claims), "corruption")
    of = f"mean AUPRC over {kinds}, {group}; chance {float(part['chance'].mean()):.2f}"
    sentence = ranking(rows, lambda a, b: verdicts.get(frozenset((a, b))), of)
    return Headline(sentence, f"{of}; higher is better; {evaluation.intervals((group,))}", rows)
