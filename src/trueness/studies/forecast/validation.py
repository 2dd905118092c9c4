"""Whether the numbers stand: five checks before any conclusion, and how the verdicts settle with the runs.

    runs        every cell that a claim speaks of rests on at least 100 runs that gave a graph
    complete    every model gave at least one readable range for every measure of every cell under every arm
    widths      no truth has zero width, as the original asks; those that have are named and marked `degenerate` (no
                ratio to them is taken), and a claimed point is a failure mode that is counted
    vacuous     no model answers [0, largest value] everywhere
    possible    no model claims what the measure cannot be (an SHD above d(d-1)/2, a precision above 1)

A check that fails does not stop a report: it says what the numbers below it do not rest on.

Convergence says what would have been said with fewer runs:

    for m = 10, 20, 30, 50, 100, ... n and B draws of m runs without replacement:
    agreement(m)  = share of claims whose verdict `low <= mean of the m runs <= high` is that of all runs
    coverage(m)   = share of claims that cover the mean of m runs, averaged over draws; its sd between draws
    ratio_mean(m) = median width / (2 z sd / sqrt(m)):  against the CI of the mean a claim looks wider the more was run
    ratio_runs    = median width / width of the range of the runs: does not move with m

All runs are the reference, so the agreement at m = n is 1 by construction and near n it flatters (the draw shares most
of its runs with the reference); the sd of the coverage is the honest part. The runs of a cell are drawn together for
all respondents.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtri

from trueness.statistics.convergence import CHECKPOINTS
from trueness.status import Status
from trueness.studies.forecast.analysis import Analysis, Array, join_words, percent
from trueness.studies.forecast.frames import CELL, ITEM, KEYS, Forecasts, Truth
from trueness.studies.forecast.scores import is_beyond, is_impossible
from trueness.studies.protocol import Check
from trueness.texts import counted

LEAST_RUNS = 100
DRAWS = 50
_SETTLED = 0.95  # the agreement from which on verdicts are called settled
_MARK = {True: "passed", False: "FAILED", None: "not checked"}


class Validation(NamedTuple):
    """The checks, and the completeness matrix (respondents x statuses)."""

    checks: tuple[Check, ...]
    completeness: pd.DataFrame

    @property
    def is_valid(self) -> bool:
        return all(check.passed for check in self.checks)

    @property
    def sentences(self) -> tuple[str, ...]:
        return tuple(f"{_MARK[check.passed]} {check.name}: {check.sentence}" for check in self.checks)

    def rows(self) -> list[dict[str, object]]:
        return [{"check": check.name, "passed": check.passed, "sentence": check.sentence} for check in self.checks]

    def analysis(self) -> Analysis:
        """The same in the form of the other analyses."""
        return Analysis("validation", pd.DataFrame(self.rows()), self.sentences, {"completeness": self.completeness})


def validation(forecasts: Forecasts) -> Validation:
    rules = {"runs": _runs, "complete": _complete, "widths": _widths, "vacuous": _vacuous, "possible": _possible}
    checks = tuple(Check(name, *rule(forecasts)) for name, rule in rules.items())
    return Validation(checks, completeness(forecasts))


Verdict = tuple[bool | None, str]  # passed, None where there is nothing to check; the sentence


def completeness(forecasts: Forecasts) -> pd.DataFrame:
    """One row a respondent: claims asked for, answered, and the others by status. Levels of one claim count once."""
    claims = forecasts.claims.drop_duplicates(list(KEYS))
    counts = pd.crosstab(claims["respondent"], claims["status"].astype(str))
    order = [status.value for status in Status if status.value in counts]
    order += [str(status) for status in counts if status not in order]
    table = counts.reindex(index=list(forecasts.as_scored), columns=order).fillna(0).astype(int)
    table.insert(0, "asked", table.sum(axis=1))
    table.insert(1, "answered", claims["low"].notna().groupby(claims["respondent"]).sum().reindex(table.index))
    return table.rename_axis(columns=None).reset_index(names="respondent")


def _runs(forecasts: Forecasts) -> Verdict:
    """A run that gave a graph counts, though a measure may be 0/0 on it: SHD has a value wherever there is a graph."""
    claimed = forecasts.scores[[*CELL, "measure"]].drop_duplicates().itertuples(index=False, name=None)
    keys = list(dict.fromkeys([*claimed, *forecasts.truths]))
    if not keys:
        return None, "no cell was measured."
    each = pd.DataFrame(keys, columns=[*CELL, "measure"])
    truths = [forecasts.truths.get(key) for key in keys]
    each["runs"] = [len(truth.runs) if truth else 0 for truth in truths]
    each["planned"] = [truth.planned if truth else 0 for truth in truths]
    cells = each.groupby(list(CELL), sort=False)[["runs", "planned"]].max().reset_index()
    short = cells[cells["runs"] < LEAST_RUNS]
    if len(short):
        worst = short.sort_values("runs").iloc[0]
        return False, (
            f"{len(short)} of {len(cells)} cells rest on fewer than {LEAST_RUNS} runs; the least is "
            f"{worst['learner']} on {worst['dataset']}: {worst['runs']} of {worst['planned']} planned."
        )
    sentence = f"each of {counted(len(cells), 'cell')} rests on {int(cells['runs'].min())} runs or more."
    fewer = int((each["runs"] < each["planned"]).sum())
    if fewer:
        sentence += f" On some of them {fewer} of {len(each)} measures have no value (0/0, or a failed run)."
    return True, sentence


def _complete(forecasts: Forecasts) -> Verdict:
    models, rows = forecasts.models, forecasts.all_arms
    claims = rows[rows["respondent"].isin(models)]
    if claims.empty:
        return None, "no model was asked."
    items = len(claims[list(ITEM)].drop_duplicates())
    answered = claims[claims["answered"]].drop_duplicates([*ITEM, "respondent"])["respondent"].value_counts()
    lacking = [f"{name} {answered.get(name, 0)} of {items}" for name in models if answered.get(name, 0) < items]
    if lacking:
        return False, f"not every model answered every item: {join_words(lacking)}."
    return True, f"{counted(len(models), 'model')} answered all {items} items (cell x measure x arm)."


def _widths(forecasts: Forecasts) -> Verdict:
    rows = forecasts.all_arms
    flat = [key for key, truth in forecasts.truths.items() if truth.degenerate]
    points = int((rows["answered"] & (rows["low"] == rows["high"])).sum())
    which = f", {join_words(['/'.join(key) for key in flat], 6)}" if flat else ""
    return not flat if forecasts.truths else None, (
        f"{len(flat)} of {len(forecasts.truths)} truths have zero width (every run gave one value){which}; they are "
        f"marked degenerate and have no ratio. {points} of {int(rows['answered'].sum())} claims are points."
    )


def vacuous(forecasts: Forecasts) -> list[str]:
    """The models that answered the whole range everywhere."""
    share = _vacuous_share(_answered(forecasts))
    return list(share.index[share == 1])


def _answered(forecasts: Forecasts) -> pd.DataFrame:
    rows = forecasts.all_arms
    return rows[rows["answered"] & rows["respondent"].isin(forecasts.models)]


def _vacuous_share(answered: pd.DataFrame) -> pd.Series:
    """Respondent -> the share of its ranges that say nothing."""
    full = (answered["low"] <= 0) & (answered["high"] >= answered["truth_upper"])
    return full.groupby(answered["respondent"]).mean()


def _vacuous(forecasts: Forecasts) -> Verdict:
    share = _vacuous_share(_answered(forecasts))
    if share.empty:
        return None, "no model gave a readable range."
    empty = list(share.index[share == 1])
    if empty:
        return False, f"{join_words(empty)} answered the whole range everywhere: full coverage, and nothing said."
    most = share.sort_values().index[-1]
    return True, f"no model answers the whole range everywhere; the most is {most} ({percent(share[most])})."


def _possible(forecasts: Forecasts) -> Verdict:
    answered = _answered(forecasts)
    if answered.empty:
        return None, "no model gave a readable range."
    low, high, upper = (answered[name].to_numpy(float) for name in ("low", "high", "truth_upper"))
    beyond, impossible = int(is_beyond(low, high, upper).sum()), int(is_impossible(low, high, upper).sum())
    if not beyond:
        return True, f"every range of {counted(len(answered), 'claim')} can be."
    return False, (
        f"{beyond} of {counted(len(answered), 'claim')} have an end that the measure cannot reach, {impossible} of "
        "them lie wholly there. They are scored as made, and those no better than the worst claim that can be."
    )


# ---- with fewer runs


def convergence(forecasts: Forecasts) -> Analysis:
    """One row a respondent and number of runs."""
    rows = forecasts.answers(forecasts.claimants)
    rows = rows[rows["truth_runs"] >= 2]
    if rows.empty:
        return Analysis.untold("convergence", "Convergence cannot be told: no readable claim about a measured cell.")
    place, keys = pd.factorize(pd.MultiIndex.from_frame(rows[[*CELL, "measure"]]))
    truths = [forecasts.truths[key] for key in keys]
    n = max(len(truth.runs) for truth in truths)
    steps = [m for m in CHECKPOINTS if m < n] + [n]
    means = _subsampled_means(truths, steps, np.random.default_rng([forecasts.seed, 0xC0]))
    spread = np.array([truth.runs.std(ddof=1) for truth in truths])[place]
    low, high, mean, start, end = (
        rows[name].to_numpy(float) for name in ("low", "high", "truth_mean", "truth_low", "truth_high")
    )
    final, who = (low <= mean) & (mean <= high), rows["respondent"].to_numpy()
    tables = []
    for m, of_cells in zip(steps, means, strict=True):
        drawn = of_cells[place]  # (claims, draws)
        verdict = (low[:, None] <= drawn) & (drawn <= high[:, None])
        each = pd.DataFrame({
            "agreement": (verdict == final[:, None]).mean(axis=1),
            "ratio_mean": _ratio(high - low, 2 * ndtri((1 + forecasts.level) / 2) * spread / np.sqrt(m)),
            "ratio_runs": _ratio(high - low, end - start),
        }).groupby(who, sort=False)  # fmt: skip
        coverage = pd.DataFrame(verdict.astype(float)).groupby(who, sort=False).mean()  # respondents x draws
        tables.append(pd.DataFrame({
            "respondent": coverage.index, "runs": m, "claims": each.size(), "agreement": each["agreement"].mean(),
            "coverage": coverage.mean(axis=1), "coverage_sd": coverage.std(axis=1),
            "ratio_mean": each["ratio_mean"].median(), "ratio_runs": each["ratio_runs"].median(),
        }))  # fmt: skip
    table = pd.concat(tables, ignore_index=True)
    return Analysis("convergence", table, tuple(_convergence_sentences(table, forecasts, n)))


def _subsampled_means(truths: list[Truth], steps: list[int], rng: np.random.Generator) -> list[Array]:
    """Of each step: (cells, draws) means. The first m of a shuffled order are a draw of m without replacement."""
    means: list[Array] = [np.empty((len(truths), DRAWS)) for _ in steps]
    for k, truth in enumerate(truths):
        runs = truth.runs
        shuffled = rng.permuted(np.broadcast_to(runs, (DRAWS, len(runs))), axis=1)
        sums = np.cumsum(shuffled - runs[0], axis=1)
        for step, m in enumerate(steps):
            all_of_them = m >= len(runs)  # a cell with fewer runs than the others stays at what it has
            means[step][k] = truth.mean if all_of_them else sums[:, m - 1] / m + runs[0]
    return means


def _ratio(part: Array, whole: Array) -> Array:
    ratio: Array = np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0)
    return ratio


def _convergence_sentences(table: pd.DataFrame, forecasts: Forecasts, n: int) -> Iterator[str]:
    models = table[table["respondent"].isin(forecasts.models)]
    each = (models if len(models) else table).groupby("runs")[["agreement", "coverage_sd"]].mean()
    settled = each.index[each["agreement"] >= _SETTLED]
    least, first = each.index[0], each.iloc[0]
    yield (
        f"With {least} runs a cell {percent(first['agreement'])} of the verdicts (the mean is covered or not) "
        f"are those of all {n} runs; {percent(_SETTLED)} agree from {settled[0]} runs on. Between draws of "
        f"{least} runs a model's coverage moves by {percent(first['coverage_sd'])} (sd; {DRAWS} draws)."
    )
    small, large = table[table["runs"] == least], table[table["runs"] == n]
    ratios = small["ratio_mean"].median(), large["ratio_mean"].median(), large["ratio_runs"].median()
    if least < n and all(np.isfinite(ratios)):
        yield (
            f"Against the CI of the mean the median claim is {ratios[0]:.1f} times as wide at {least} runs and "
            f"{ratios[1]:.1f} times at {n}, against the range of the runs {ratios[2]:.2f} times at any number: only "
            "the latter says something about the claim."
        )
