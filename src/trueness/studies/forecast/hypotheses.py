"""H1 to H5, each with a rule that was fixed before any result, and one of three verdicts.

All are about the models together (each weighs the same); v_d is their mean on data set d. One-sided p, since each
hypothesis names its direction; Holm over those that could be tested.

    H1 understanding   all the evidence that the original names, each one-sided; all must hold, so p is the largest:
                         aligned     v_d = interval score of a naive reference - that of the models (shares of the
                                     range), above 0 for random, heuristic and climatology
                         learners    as H5: told apart in the right direction
                         data sets   rho over data sets of measured and predicted F1 (size, density, ...), above 0
                         assumptions v_d = agreement on learners whose assumptions are broken against others, above 0
                         rewording   as H3
                       `aligned` must be there; what a study cannot test is named and not weighed
    H2 calibration     v_d = share covered by the ranges of what they are of; between level - .05 and (1 + level)/2,
                       both tested, p is the larger (equivalence). [0, 1] covers all and fails the upper bound
    H3 robustness      v_d = IoU between formulations - IoU between repeats; above -.1 (not worse than asking again)
    H4 capability      Spearman's rho over models of notes["capability"] and minus the interval score, above 0; exact
                       over all orders of the models
    H5 specificity     v_d = mean agreement over the pairs of learners that differ (pairwise_contrasts.py), above 0

    supported                              Holm-adjusted p <= .05
    not supported                          else, if the design could have given such a p, or if the 95 % interval lies
                                           wholly where the hypothesis is false
    cannot be told with this design        else: the smallest p that so many units allow, adjusted, is above .05, or
                                           what the rule needs was not part of the study

Each piece of evidence for H1 stands in the table `evidence`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from trueness.intervals import Interval
from trueness.statistics.multiplicity import adjust
from trueness.statistics.rank_correlations import rank_correlation
from trueness.statistics.reach import smallest_p
from trueness.statistics.result import Alternative, Bounds, Estimate, p_text
from trueness.studies.forecast.analysis import (
    PROPER,
    Analysis,
    Array,
    cell_means,
    ends,
    orders,
    over_datasets,
    per_item,
    percent,
    permutation_p,
    permutation_test,
    smallest_permutation_p,
    table_of,
)
from trueness.studies.forecast.frames import Forecasts
from trueness.texts import counted

ALPHA = 0.05
NAIVE = ("baseline/random", "baseline/heuristic", "baseline/climatology")
BELOW_LEVEL = 0.05
NOT_WORSE = -0.1
ABOVE_ZERO = (0.0, np.inf)
SUPPORTED, NOT_SUPPORTED, CANNOT = "supported", "not supported", "cannot be told with this design"
TITLES = {
    "H1": "models understand what learners do",
    "H2": "their ranges are calibrated",
    "H3": "their answers do not depend on the formulation",
    "H4": "the more capable the model, the better the forecast",
    "H5": "they know which learner does better where",
}


@dataclass(frozen=True)
class _Tested:
    """What a rule found, before the verdict. `true_where`: the open range in which the hypothesis is true."""

    what: str
    of: Estimate = Estimate("", None, None, 0, 0, "")
    unit: str = "data set"
    smallest: float = 1.0  # unadjusted p that so many units can reach
    true_where: tuple[float, float] = ABOVE_ZERO
    why_not: str = ""
    refuted: bool = False  # by its interval, or by that of a piece of evidence

    @property
    def p(self) -> float | None:
        return self.of.p

    def cells(self) -> dict[str, object]:
        return {
            "what": self.what, "estimate": self.of.value, **ends(self.of.interval), "n": self.of.n_clusters,
            "unit": self.unit, "test": self.of.test if self.p is not None else "", "p": self.p,
        }  # fmt: skip


def _test_means(
    rows: pd.DataFrame, column: str, what: str, where: tuple[float, float], within: Bounds, by: str = "dataset"
) -> _Tested:
    """The mean over data sets, on each of which every model weighs the same, against the finite ends of `where`."""
    each = rows.groupby([by, "respondent"])[column].mean().groupby(by).mean()
    sides: list[tuple[float, Alternative]] = [(where[0], "greater"), (where[1], "less")]
    tests = [over_datasets(each, each.index, what, null, side, within=within) for null, side in sides if null < np.inf]
    return _over_datasets(max(tests, key=_p_or_1), what, where)


def _over_datasets(mean: Estimate, what: str, where: tuple[float, float] = ABOVE_ZERO) -> _Tested:
    smallest = smallest_p(mean.n_clusters, sided=1)
    return _Tested(what, mean, smallest=smallest, true_where=where)


def _p_or_1(mean: Estimate) -> float:
    return 1.0 if mean.p is None else mean.p


def _of_rank(x: Array, y: Array, unit: str, what: str) -> _Tested:
    """A rank correlation above 0, exact over all orders of the units."""
    n = len(x)
    p = permutation_p(x, y, orders(n, np.random.default_rng(0)), "greater")
    test = f"{permutation_test(n)} over {unit}s, one-sided"
    rho = replace(rank_correlation(x, y), p=None if np.isnan(p) else p, test=test, n_clusters=n)
    return _Tested(what, rho, unit, smallest_permutation_p(n, "greater"))


def hypotheses(forecasts: Forecasts, contrasts: Analysis, robustness: Analysis) -> Analysis:
    """Needs the analyses of contrasts and robustness of the same study. One row a hypothesis."""
    table = per_item(forecasts.headline, PROPER, forecasts)
    models = [name for name in forecasts.models if name in table]
    evidence = {
        "aligned": _alignment(table, models),
        "learners": _agreement(contrasts, models, "learners", "pairs of learners in the right direction (tau)"),
        "data sets": _difficulty(cell_means(forecasts, "f1"), models),
        "assumptions": _agreement(contrasts, models, "assumptions", "what a broken assumption does, in its direction"),
        "rewording": _robustness(robustness),
    }
    tested = {
        "H1": _weigh(evidence),
        "H2": _calibration(forecasts.answers(models), forecasts.level),
        "H3": evidence["rewording"],
        "H4": _capability(table, models, forecasts.notes.get("capability") or {}),
        "H5": evidence["learners"],
    }
    adjusted = adjust([np.nan if t.p is None else t.p for t in tested.values()], "holm")
    k = max(int(np.count_nonzero(~np.isnan(adjusted))), 1)
    frame = table_of(_row(name, t, float(p), k) for (name, t), p in zip(tested.items(), adjusted, strict=True))
    pieces = table_of(
        {"evidence": name, **t.cells(), "smallest_p": t.smallest, "not_tested": t.why_not}
        for name, t in evidence.items()
    )
    return Analysis("hypotheses", frame, tuple(frame["sentence"]), {"evidence": pieces})


def verdict(p_adjusted: float, smallest_adjusted: float, interval: Interval | None, where: tuple[float, float]) -> str:
    """The rule of the module's docstring. where: the open range of the estimate in which the hypothesis is true."""
    if p_adjusted <= ALPHA + 1e-12:
        return SUPPORTED
    if _is_outside(interval, where) or (smallest_adjusted <= ALPHA + 1e-12 and not np.isnan(p_adjusted)):
        return NOT_SUPPORTED
    return CANNOT


def _is_outside(interval: Interval | None, where: tuple[float, float]) -> bool:
    return interval is not None and (interval.high <= where[0] or interval.low >= where[1])


def _alignment(table: pd.DataFrame, models: list[str]) -> _Tested:
    what = "interval score of the naive reference minus that of the models"
    naive = [name for name in NAIVE if name in table]
    if not models or not naive:
        missing = "no model gave a readable range" if not models else "no naive reference was part of the study"
        return _Tested(what, why_not=missing)
    estimates = {}
    for name in naive:
        gains = table[models].rsub(table[name], axis=0).groupby(level="dataset").mean()
        gain = gains.mean(axis=1).dropna()  # of each model on the items that it answered, then over the models
        estimates[name] = over_datasets(gain, gain.index, what, 0.0, "greater")
    hardest = max(estimates, key=lambda name: _p_or_1(estimates[name]))
    return _over_datasets(estimates[hardest], f"{what} ({hardest}, the hardest of {len(naive)})")


def _calibration(answers: pd.DataFrame, level: float) -> _Tested:
    low, high = level - BELOW_LEVEL, (1 + level) / 2
    what = f"share covered by ranges that say {percent(level)} (calibrated between {percent(low)} and {percent(high)})"
    answers = answers[answers["hit"].notna()]
    if answers.empty:
        return _Tested(what, why_not="no model gave a readable range")
    return _test_means(answers, "hit", what, (low, high), (0.0, 1.0))


def _robustness(robustness: Analysis) -> _Tested:
    what = "IoU between formulations minus IoU between repeats"
    if not robustness.possible:
        return _Tested(what, why_not="one formulation, or no readable range")
    cells = robustness.more["cells"]
    apart = cells.assign(apart=cells["iou"] - cells["iou_repeats"]).dropna(subset=["apart"])
    if apart.empty:
        return _Tested(what, why_not="no repeats, so framing and chance cannot be told apart")
    return _test_means(apart, "apart", what, (NOT_WORSE, np.inf), (-1.0, 1.0))


def _agreement(contrasts: Analysis, models: list[str], kind: str, what: str) -> _Tested:
    """Over data sets: how far the direction of the contrasts of a kind is that of the runs, -1 to 1."""
    units = contrasts.more["units"] if contrasts.possible else pd.DataFrame(columns=["kind", "respondent", "agreement"])
    mine = units[(units["kind"] == kind) & units["respondent"].isin(models)].dropna(subset=["agreement"])
    if mine.empty:
        return _Tested(what, why_not="nothing differs in it, or no readable range")
    return _test_means(mine, "agreement", what, ABOVE_ZERO, (-1.0, 1.0), by="name")


def _difficulty(cells: pd.DataFrame, models: list[str]) -> _Tested:
    what = "rho over data sets between measured and predicted F1"
    mine = cells[cells["respondent"].isin(models)]
    if mine["dataset"].nunique() < 3:
        return _Tested(what, why_not="fewer than three data sets, or no readable range")
    means = mine.groupby("dataset")[["measured", "predicted"]].mean()
    return _of_rank(means["measured"].to_numpy(float), means["predicted"].to_numpy(float), "data set", what)


def _weigh(evidence: dict[str, _Tested]) -> _Tested:
    """All pieces that could be tested must hold (an intersection-union test, which needs no adjustment)."""
    first = evidence["aligned"]
    if first.p is None:
        return first
    known = {name: t for name, t in evidence.items() if t.p is not None}
    hardest = max(known, key=lambda name: known[name].p or 0.0)
    each = ", ".join(f"{name} {p_text(t.p)}" for name, t in known.items())
    lacking = [name for name in evidence if name not in known]
    what = f"{first.what}. All of its evidence must hold ({each}; hardest: {hardest}"
    what += f"; not weighed: {', '.join(lacking)})" if lacking else ")"
    return replace(
        first,
        what=what,
        of=replace(first.of, p=known[hardest].p),
        smallest=max(t.smallest for t in known.values()),
        refuted=any(_is_outside(t.of.interval, t.true_where) for t in known.values()),
    )


def _capability(table: pd.DataFrame, models: list[str], order: Mapping[str, float]) -> _Tested:
    what = "rho between the models' capability and the quality of their forecasts"
    ranked = [name for name in models if name in order]
    if len(ranked) < 3:
        why = f"capability of {len(ranked)} models is known" if order else "the plan gives no capability of the models"
        return _Tested(what, why_not=why)
    quality = -table[ranked].dropna().mean().to_numpy(float)
    return _of_rank(np.array([float(order[name]) for name in ranked]), quality, "model", what)


def _row(name: str, t: _Tested, p_adjusted: float, k: int) -> dict[str, object]:
    smallest, interval = min(1.0, k * t.smallest), t.of.interval
    decided = NOT_SUPPORTED if t.refuted else verdict(p_adjusted, smallest, interval, t.true_where)
    if t.of.value is None:
        grounds = t.why_not or "no value could be had"
    else:
        constant = " (the same on every data set)" if t.of.n_clusters > 1 and t.unit == "data set" else ""
        span = f" [{interval.low:.3g}, {interval.high:.3g}]" if interval else f", no interval{constant}"
        kind = f"{100 * interval.level:g} % CI; " if interval else ""
        test = f"; {t.of.test} {p_text(t.p)}, Holm over {k}: {p_adjusted:.2g}" if t.p is not None else ""
        grounds = f"{t.what}: {t.of.value:.3g}{span} ({kind}{counted(t.of.n_clusters, t.unit)}{test})"
        grounds += f". The smallest p that so many allow, adjusted, is {smallest:.2g}" if decided == CANNOT else ""
    return {
        "hypothesis": name, "title": TITLES[name], "verdict": decided, **t.cells(), "p_holm": p_adjusted,
        "smallest_p_holm": smallest,
        "sentence": f"{name}, {TITLES[name]}: {decided}. {grounds[0].upper()}{grounds[1:]}.",
    }  # fmt: skip
