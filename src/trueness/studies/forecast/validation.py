"""Whether the numbers stand: five checks before any conclusion, how verdicts settle with the runs, how answers fail.

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

All runs are the reference, so the agreement at m = n is 1 by construction and near n it flatters (the draw shares most
of its runs with the reference); the sd of the coverage is the honest part. The runs of a cell are drawn together for
all respondents.

Failure modes, of a claim [l, u] about a measure with largest value M, measured mean m, and R the range of the runs
(or, where the target is the mean, its CI):

    refused, truncated, unreadable, ...   no range: by status
    impossible                            no value of the claim can be: u < 0 or l > M (an SHD above d(d-1)/2)
    beyond the scale                      an end of it cannot be: l < 0 or u > M
    over-optimistic, over-pessimistic     the whole claim is better (worse) than m
    overconfident                         narrower than R and covers less of what it is of than its level
    vacuous                               at least .95 M wide
    point                                 l = u
    same everywhere                       one respondent, measure and arm: the same range for all of 3 or more cells

Of a whole reply, with precision [p, P], recall [r, R'], F1 [f, F] and |E| true edges:

    incoherent F1    F1 is the harmonic mean of each run's precision and recall, which rises in both, so some run must
                     have a value in [H(p, r), H(P, R')]; of a mean only F <= H(P, R') must hold (H is concave)
    inverted SHD     F1 = f means fp + fn <= 2|E|(1 - f)/f, and SHD is at most that: a claimed SHD above it, from the
                     lowest claimed F1, is one that grows with quality

Shares come with Wilson's interval, which counts claims as if each was drawn alone; claims about one data set are not,
so the true interval is wider.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trueness.statistics.proportions import wilson
from trueness.statistics.runs import CHECKPOINTS
from trueness.status import Status
from trueness.studies.forecast.analysis import Analysis, Array, join_words, lines, percent, percent_with_ends
from trueness.studies.forecast.frames import ARMS, CELL, ITEM, KEYS, REPLY, Forecasts, Truth, ends_of
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
    truths = {key: forecasts.truths.get(key) for key in dict.fromkeys([*claimed, *forecasts.truths])}
    if not truths:
        return None, "no cell was measured."
    cells: dict[tuple[str, ...], tuple[int, int]] = {}  # -> runs with a graph, runs planned
    for (dataset, learner, _), truth in truths.items():
        runs, planned = (len(truth.runs), truth.planned) if truth else (0, 0)
        cells[dataset, learner] = max(cells.get((dataset, learner), (0, 0)), (runs, planned))
    short = [cell for cell, (runs, _) in cells.items() if runs < LEAST_RUNS]
    least = min(cells, key=lambda cell: cells[cell][0])
    runs, planned = cells[least]
    if short:
        return False, (
            f"{len(short)} of {len(cells)} cells rest on fewer than {LEAST_RUNS} runs; the least is {least[1]} on "
            f"{least[0]}: {runs} of {planned} planned."
        )
    sentence = f"each of {counted(len(cells), 'cell')} rests on {runs} runs or more."
    fewer = sum(truth is not None and len(truth.runs) < truth.planned for truth in truths.values())
    if fewer:
        sentence += f" On some of them {fewer} of {len(truths)} measures have no value (0/0, or a failed run)."
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
    low, high, mean = (rows[name].to_numpy(float) for name in ("low", "high", "truth_mean"))
    final, who = (low <= mean) & (mean <= high), rows["respondent"].to_numpy()
    tables = []
    for m, of_cells in zip(steps, means, strict=True):
        drawn = of_cells[place]  # (claims, draws)
        verdict = (low[:, None] <= drawn) & (drawn <= high[:, None])
        agreement = pd.Series((verdict == final[:, None]).mean(axis=1)).groupby(who, sort=False)
        coverage = pd.DataFrame(verdict.astype(float)).groupby(who, sort=False).mean()  # respondents x draws
        tables.append(pd.DataFrame({
            "respondent": coverage.index, "runs": m, "claims": agreement.size(), "agreement": agreement.mean(),
            "coverage": coverage.mean(axis=1), "coverage_sd": coverage.std(axis=1),
        }))  # fmt: skip
    table = pd.concat(tables, ignore_index=True)
    return Analysis("convergence", table, (_settling(table, forecasts, n),))


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


def _settling(table: pd.DataFrame, forecasts: Forecasts, n: int) -> str:
    models = table[table["respondent"].isin(forecasts.models)]
    each = (models if len(models) else table).groupby("runs")[["agreement", "coverage_sd"]].mean()
    settled = each.index[each["agreement"] >= _SETTLED]
    least, first = each.index[0], each.iloc[0]
    return (
        f"With {least} runs a cell {percent(first['agreement'])} of the verdicts (the mean is covered or not) "
        f"are those of all {n} runs; {percent(_SETTLED)} agree from {settled[0]} runs on. Between draws of "
        f"{least} runs a model's coverage moves by {percent(first['coverage_sd'])} (sd; {DRAWS} draws)."
    )


# ---- in which ways answers fail

VACUOUS = 0.95
LEAST_CELLS = 3  # that must share a range before it counts as one answer for all
_ROUNDING = 0.005  # claims are written with two digits
Flags = NDArray[np.bool_]
Counts = Iterator[tuple[str, str, int, int, str]]  # respondent, mode, how often, of how many, of what


def failures(forecasts: Forecasts) -> Analysis:
    """One row a respondent and mode."""
    people = (*forecasts.models, *(name for name in forecasts.references if name.startswith("human/")))
    rows = forecasts.all_arms
    rows = rows[rows["respondent"].isin(people)].reset_index(drop=True)
    if rows.empty:
        return Analysis.untold("failures", "Failure modes cannot be told: nobody was asked.")
    answered = rows[rows["answered"]].reset_index(drop=True)
    counts = [*_by_status(rows), *_of_claims(answered), *_of_replies(answered, forecasts)]
    table = pd.DataFrame(counts, columns=["respondent", "mode", "count", "of", "unit"])
    table["share"] = table["count"] / table["of"].where(table["of"] > 0)
    pairs = zip(table["count"], table["of"], strict=True)
    table[["low", "high"]] = np.array([ends_of(wilson(int(n), int(of)) if of else None) for n, of in pairs], float)
    return Analysis("failures", table, tuple(_sentences(table, people)))


def _by_status(rows: pd.DataFrame) -> Counts:
    counts = pd.crosstab(rows["respondent"], rows["status"].astype(str))
    for respondent, row in counts.iterrows():
        for status in (status.value for status in Status if status.value != Status.OK):
            yield str(respondent), status, int(row.get(status, 0)), int(row.sum()), "claims"


def _of_claims(rows: pd.DataFrame) -> Counts:
    low, high, mean, upper = (rows[name].to_numpy(float) for name in ("low", "high", "truth_mean", "truth_upper"))
    below, above = high < mean, low > mean
    fewer_is_better = (rows["measure"] == "shd").to_numpy()
    of_mean = (rows["target"] == "mean").to_numpy()
    spread = np.where(of_mean, rows["ci_high"] - rows["ci_low"], rows["truth_high"] - rows["truth_low"])
    # SHD has the same range only by its numbers: [0, 10] on every data set counts, whatever its size
    cell = pd.factorize(pd.MultiIndex.from_frame(rows[list(CELL)]))[0]
    group = rows.assign(cell=cell).groupby(["respondent", "measure", *ARMS], sort=False, observed=True)
    lowest, highest = group[["low", "high"]].transform("min"), group[["low", "high"]].transform("max")
    same = (lowest == highest).all(axis=1) & (group["cell"].transform("nunique") >= LEAST_CELLS)
    modes = {
        "impossible": is_impossible(low, high, upper),
        "beyond the scale": is_beyond(low, high, upper),
        "over-optimistic": np.where(fewer_is_better, below, above),
        "over-pessimistic": np.where(fewer_is_better, above, below),
        "overconfident": (high - low < spread) & (rows["hit"].to_numpy(float) < rows["level"].to_numpy(float)),
        "vacuous": high - low >= VACUOUS * upper,
        "point": low == high,
        "same everywhere": same.to_numpy(bool),
    }
    for mode, flags in modes.items():
        yield from _count(rows, mode, flags, np.ones(len(rows), bool), "claims")


def _of_replies(rows: pd.DataFrame, forecasts: Forecasts) -> Counts:
    once = rows.drop_duplicates([*REPLY, "measure"]).set_index([*REPLY, "measure"])
    wide = once[["low", "high"]].unstack("measure")

    def ends(measure: str) -> tuple[Array, Array]:
        missing = np.full(len(wide), np.nan)
        low, high = (
            wide[end, measure].to_numpy(float) if (end, measure) in wide else missing for end in ("low", "high")
        )
        return low, high

    (low_p, high_p), (low_r, high_r), (low_f1, high_f1), (low_shd, _) = map(ends, ("precision", "recall", "f1", "shd"))
    replies = wide.index.to_frame(index=False)
    of_run = (replies["target"] == "run").to_numpy()
    too_high = low_f1 > harmonic(high_p, high_r) + _ROUNDING
    too_low = of_run & (high_f1 < harmonic(low_p, low_r) - _ROUNDING)
    edges = replies["dataset"].map({name: about["edges"] for name, about in forecasts.datasets.items()}).to_numpy(float)
    f1 = np.maximum(low_f1, 1e-12)
    inverted = low_shd > 2 * edges * (1 - f1) / f1 + 0.5
    yield from _count(replies, "incoherent F1", too_high | too_low, ~np.isnan(low_p + low_r + low_f1), "replies")
    yield from _count(replies, "inverted SHD", inverted, ~np.isnan(low_f1 + low_shd) & of_run, "replies")


def harmonic(precision: Array, recall: Array) -> Array:
    """2pr / (p + r), 0 where both are 0."""
    total = precision + recall
    zero = np.where(np.isnan(total), np.nan, 0.0)
    return np.asarray(np.divide(2 * precision * recall, total, out=zero, where=total > 0))


def _count(rows: pd.DataFrame, mode: str, flags: Flags, could: Flags, unit: str) -> Counts:
    """could: in which rows the mode can be at all."""
    who, names = pd.factorize(rows["respondent"])
    hits, base = (np.bincount(who, weights=which, minlength=len(names)) for which in (flags & could, could))
    yield from ((str(name), mode, int(hits[k]), int(base[k]), unit) for k, name in enumerate(names))


def _sentences(table: pd.DataFrame, people: tuple[str, ...]) -> Iterator[str]:
    for name in people:
        mine = table[(table["respondent"] == name) & (table["count"] > 0)].sort_values("share", ascending=False)
        each = [
            f"{row.mode} {row.count} of {row.of} {row.unit} ({percent_with_ends(row.share, row.low, row.high)})"
            for row in lines(mine)
        ]
        yield f"{name}: {join_words(each, 6) if each else 'no failure mode was seen'}."
