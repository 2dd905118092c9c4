"""Means, differences and degradation of a robustness study; graphs are what was drawn, so intervals count graphs.

    means         mean AUPRC (or F1 at a K) over graphs and seeds, t interval clustered by graph (of one: by seed)
    differences   scorer a - scorer b, paired by graph, corruption and seed; sign-flip over graphs; Holm over pairs
    degradation   AUPRC at 0 (clean), ..., 1 of a corruption's strength, and its loss against clean, paired
    optimism      F1 at oracle_k - F1 at k_from_other_graphs, under the corruption both were chosen on and the others
    plateaus      range of F1 within K +- 5; stable, moderate or sensitive where the interval allows a verdict

All are kept for an evaluation once they are known: tables, charts and sentences ask for the same.
With one graph alone the seeds are what was drawn: an interval then speaks of that graph, and says so in `over`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
import pandas as pd

from trueness.measure import measure_of
from trueness.measures.ranking import chance
from trueness.showing.headline import Headline, Standing, ranking
from trueness.statistics import Comparison, Estimate, adjusted, mean, paired_difference
from trueness.statistics.multiplicity import differences_in_pairs
from trueness.statistics.result import Bounds, interval_cells
from trueness.studies.robustness.choose_k import optimism as optimism_of
from trueness.studies.robustness.plateau import AROUND, PlateauOverSeeds, plateau, range_over_seeds
from trueness.studies.robustness.scores import ORACLE, OTHERS, RobustnessScores
from trueness.studies.robustness.sensitivity import SensitivityCurve

MEAN = ("value", "low", "high", "constant", "n", "units")  # columns of a mean; units: graphs, or seeds of one
AROUND_K = {step: f"f1 at K {step:+d}" if step else "f1 at K" for step in range(-AROUND, AROUND + 1)}
UNTOLD = "cannot be told"
ALL = "all"  # over corruptions; those whose mask tells the graph are not in it


def over(frame: pd.DataFrame) -> str:
    """What the rows were drawn from: graphs, or the seeds of one."""
    return "seed" if frame["dataset"].nunique() == 1 else "dataset"


def average(frame: pd.DataFrame, column: str, level: float, bounds: Bounds = (0.0, 1.0)) -> Estimate:
    """Of a measure within its bounds; of any other column within `bounds`."""
    measure = measure_of(column)
    bounds = bounds if measure is None else measure.bounds
    return mean(frame[column].to_numpy(dtype=float), frame[over(frame)].to_numpy(), level=level, bounds=bounds)


def cells_of(estimate: Estimate) -> dict[str, float | int | bool | None]:
    """Those of MEAN for a table: value, its ends, n and what n counts."""
    cells = {"constant": estimate.constant, "n": estimate.n, "units": estimate.n_clusters}
    return estimate.cells("value", "") | cells


@lru_cache(maxsize=16)
def means(evaluation: RobustnessScores, measure: str = "auprc") -> pd.DataFrame:
    """One row a group, corruption (and all) and scorer: of a measure that needs no K."""
    rows = evaluation.ranking[evaluation.ranking["scorer"].isin(evaluation.scorers_compared)]
    level_of_chance = {name: chance(measure, system.truth) for name, system in evaluation.systems.items()}
    records = []
    for group in evaluation.groups:
        for name in (ALL, *evaluation.full_strength):
            part = rows[(rows["group"] == group) & rows["corruption"].isin(_corruptions(evaluation, name))]
            for scorer in evaluation.scorers_compared:
                fits = part[part["scorer"] == scorer]
                if len(fits):
                    estimate = average(fits, measure, evaluation.level)
                    row: dict[str, object] = {"group": group, "corruption": name, "scorer": scorer, "measure": measure}
                    row |= cells_of(estimate) | {"over": over(fits), "failed": int(fits[measure].isna().sum())}
                    records.append(row | {"chance": float(fits["dataset"].map(level_of_chance).mean())})
    columns = ["group", "corruption", "scorer", "measure", *MEAN, "over", "failed", "chance"]
    return pd.DataFrame(records, columns=columns)


@lru_cache(maxsize=16)
def chosen_means(evaluation: RobustnessScores, measure: str = "f1") -> pd.DataFrame:
    """One row a group, scorer and K method, over the corruptions that no K was chosen on."""
    rows = evaluation.at_chosen_k[evaluation.at_chosen_k["corruption"].isin(evaluation.tests)]
    records = []
    for (group, scorer, method), fits in rows.groupby(["group", "scorer", "method"], sort=False):
        row = {"group": group, "scorer": scorer, "method": method, "oracle": bool(fits["oracle"].any())}
        row |= {"uses": fits["uses"].iloc[0], "k": float(fits["k"].mean()), "measure": measure}
        row |= cells_of(average(fits, measure, evaluation.level)) | {"over": over(fits)}
        records.append(row | {name: float(fits[name].mean()) for name in ("precision", "recall", "shd", "skeleton_f1")})
    columns = ["group", "scorer", "method", "oracle", "uses", "k", "measure", *MEAN]
    return pd.DataFrame(records, columns=[*columns, "over", "precision", "recall", "shd", "skeleton_f1"])


@lru_cache(maxsize=16)
def differences(
    evaluation: RobustnessScores, corruption: str = ALL, measure: str = "auprc"
) -> dict[str, list[Comparison]]:
    """Group -> every pair of scorers, the better one first, Holm-adjusted within the group."""
    rows = evaluation.ranking[evaluation.ranking["scorer"].isin(evaluation.scorers_compared)]
    rows = rows[rows["corruption"].isin(_corruptions(evaluation, corruption))]
    by_group = {}
    for group in evaluation.groups:
        part = rows[rows["group"] == group]
        table = part.pivot_table(
            index=["dataset", "corruption", "seed"], columns="scorer", values=measure, dropna=False
        )
        clusters = table.index.get_level_values(over(part) if len(part) else "dataset").to_numpy()
        columns = {name: table[name].to_numpy(dtype=float) for name in evaluation.scorers_compared if name in table}
        drawn = "graphs" if part["dataset"].nunique() > 1 else "seeds of one graph"
        by_group[group] = [
            pair.described(measure=_measure_text(measure, corruption), units="fits", clusters=drawn, better="higher")
            for pair in differences_in_pairs(columns, clusters, evaluation.level, better="higher", bounds=(0.0, 1.0))
        ]
    return by_group


@lru_cache(maxsize=16)
def degradation(evaluation: RobustnessScores, measure: str = "auprc") -> pd.DataFrame:
    """One row a group, corruption, strength and scorer; strength 0 is clean, where that was run."""
    rows = evaluation.ranking[evaluation.ranking["scorer"].isin(evaluation.scorers_compared)]
    variants = evaluation.corruptions
    bases = [name for name in evaluation.full_strength if name != "clean" and len(_strengths(evaluation, name)) > 1]
    records = []
    for group in evaluation.groups:
        for base in bases:
            for scorer in evaluation.scorers_compared:
                fits = rows[(rows["group"] == group) & (rows["scorer"] == scorer)]
                clean = fits[fits["corruption"] == "clean"].set_index(["dataset", "seed"])[measure]
                for name in _strengths(evaluation, base):
                    at = fits[fits["corruption"] == name]
                    if not len(at):
                        continue
                    factor = 0.0 if name == "clean" else variants[name].factor
                    row = {"group": group, "corruption": base, "strength": factor, "scorer": scorer, "measure": measure}
                    row |= cells_of(average(at, measure, evaluation.level))
                    records.append(row | _loss(at.set_index(["dataset", "seed"])[measure], clean, evaluation.level))
    columns = ["group", "corruption", "strength", "scorer", "measure", *MEAN]
    return pd.DataFrame(records, columns=[*columns, "loss", "loss_low", "loss_high", "loss_p"])


def _strengths(evaluation: RobustnessScores, base: str) -> list[str]:
    strengths = [name for name, variant in evaluation.corruptions.items() if variant.base == base]
    clean = ["clean"] if "clean" in evaluation.corruptions else []
    return clean + sorted(strengths, key=lambda name: evaluation.corruptions[name].factor)


def _loss(at: pd.Series[float], clean: pd.Series[float], level: float) -> dict[str, float | None]:
    both = pd.concat({"clean": clean, "at": at}, axis=1).dropna()
    if not len(both):
        return {}
    labels = both.index.get_level_values("dataset")
    clusters = labels if labels.nunique() > 1 else both.index.get_level_values("seed")
    loss = paired_difference(both["clean"].to_numpy(), both["at"].to_numpy(), clusters.to_numpy(), level)
    return {"loss": loss.difference, **interval_cells(loss.interval, "loss"), "loss_p": loss.p}


def optimism_places(evaluation: RobustnessScores) -> tuple[bool, ...]:
    """`on_validation` of every question that optimism can be asked: one where no other corruption was run."""
    return (True,) if evaluation.tests == (evaluation.validation,) else (True, False)


@lru_cache(maxsize=16)
def optimism(evaluation: RobustnessScores, on_validation: bool = False) -> dict[tuple[str, str], Comparison]:
    """(group, scorer) -> what the oracle gains, Holm over all of them; nothing where a group has one graph.

    Under the corruptions that neither K was chosen on, or under the validation corruption itself, where the oracle
    cannot lose.
    """
    tests = (evaluation.validation,) if on_validation else evaluation.tests
    gaps = {}
    for group in evaluation.groups:
        for scorer in evaluation.scorers_compared:
            validation = evaluation.curves_of(group, scorer, (evaluation.validation,))
            test = evaluation.curves_of(group, scorer, tests)
            test = {name: curves for name, curves in test.items() if _both_k(evaluation, name, scorer)}
            if len(test) > 1:
                chosen = {name: both for name in test if (both := _both_k(evaluation, name, scorer))}
                gap = optimism_of(validation, test, scorer, chosen)
                gaps[group, scorer] = gap.described(measure=f"F1 of {scorer} under {', '.join(tests)}")
    return dict(zip(gaps, adjusted(list(gaps.values()), "holm"), strict=True))


def _both_k(evaluation: RobustnessScores, dataset: str, scorer: str) -> tuple[int, int] | None:
    choices = evaluation.by_truths.get((dataset, scorer), {})
    return (choices[ORACLE].k, choices[OTHERS].k) if OTHERS in choices else None


@lru_cache(maxsize=16)
def plateaus(evaluation: RobustnessScores) -> pd.DataFrame:
    """One row a group, scorer, corruption and K method: F1 at K - 5 ... K + 5, its range, and a verdict or none."""
    records = []
    for group in evaluation.groups:
        for scorer in evaluation.scorers_compared:
            for corruption in evaluation.full_strength:
                curves = evaluation.curves_of(group, scorer, (corruption,))
                for method in (ORACLE, OTHERS):
                    around = plateau_around(evaluation, curves, scorer, method)
                    if around is not None:
                        where = {"group": group, "scorer": scorer, "corruption": corruption, "method": method}
                        cells = {"k": around.k} | cells_of(around.range) | {"verdict": around.verdict or UNTOLD}
                        records.append(where | cells | {name: around.f1[step] for step, name in AROUND_K.items()})
    columns = ["group", "scorer", "corruption", "method", "k", *MEAN, "verdict", *AROUND_K.values()]
    return pd.DataFrame(records, columns=columns)


def plateau_around(
    evaluation: RobustnessScores, curves: Mapping[str, Sequence[SensitivityCurve]], scorer: str, method: str
) -> PlateauOverSeeds | None:
    """curves: of a scorer under a corruption, by graph; each graph has its own K."""
    by_truths = {name: evaluation.by_truths.get((name, scorer), {}).get(method) for name in curves}
    ks = {name: choice.k for name, choice in by_truths.items() if choice is not None}
    each = [(name, plateau(curve, ks[name])) for name in ks for curve in curves[name]]
    if not each:
        return None
    labels = [name for name, _ in each] if len(curves) > 1 else None
    estimate = range_over_seeds([one for _, one in each], labels, evaluation.level)
    k = round(float(np.median(list(ks.values()))))
    f1 = {step: _mean_f1([(curve, ks[name] + step) for name in ks for curve in curves[name]]) for step in AROUND_K}
    return PlateauOverSeeds(k, estimate, tuple(one.verdict for _, one in each), f1)


def _mean_f1(places: Sequence[tuple[SensitivityCurve, int]]) -> float | None:
    """Over the curves that have such a K."""
    values = [curve.at(k)["f1"] for curve, k in places if curve.k[0] <= k <= curve.k[-1]]
    return float(np.mean(values)) if values else None


def _corruptions(evaluation: RobustnessScores, name: str) -> Sequence[str]:
    return evaluation.claims if name == ALL else (name,)


def _measure_text(measure: str, corruption: str) -> str:
    return f"{measure.upper()} over corruptions" if corruption == ALL else f"{measure.upper()} under {corruption}"


def headline_of(evaluation: RobustnessScores) -> Headline | None:
    """Scorers by mean AUPRC over all corruptions, of the first group of systems; who can be told from the best."""
    if not evaluation.groups:
        return None
    group, table = evaluation.groups[0], means(evaluation)
    part = table[(table["group"] == group) & (table["corruption"] == ALL)].dropna(subset=["value"])
    part = part.sort_values("value", ascending=False)
    if part.empty:
        return None
    numbers = part[["value", "low", "high"]].astype(object).where(part[["value", "low", "high"]].notna(), None)
    numbers["constant"] = part["constant"].astype(bool)
    rows = tuple(Standing(str(name), *row) for name, row in zip(part["scorer"], numbers.to_numpy(), strict=True))
    verdicts = {frozenset(pair.names): pair.distinguishable for pair in differences(evaluation)[group]}
    many, chance_level = len(evaluation.claims), float(part["chance"].mean())
    of = f"mean AUPRC over {many} corruption{'s' if many != 1 else ''}, {group}; chance {chance_level:.2f}"
    sentence = ranking(rows, lambda a, b: verdicts.get(frozenset((a, b))), of)
    return Headline(sentence, f"{of}; higher is better; {evaluation.intervals((group,))}", rows)
