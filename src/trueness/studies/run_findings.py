"""What a study of runs found, in sentences: each with its estimate, interval, n, test and adjustment.

    on one data set     d_k = F1 of A in run k - F1 of B in run k;  run k is the same table for every learner.
                        Paired t over runs, Holm over all pairs on all data sets: it speaks of new samples of this set.
    over data sets      d_u = mean F1 of A on data set u - that of B;  exact sign-flips over data sets (t over more than
                        20), Holm over pairs: it speaks of data sets like these.

    against chance      e_u = mean F1 on data set u - that of the truth with its names permuted (measures/graphs.py);
                        tested as learners are (paired t over runs, where there is one data set), Holm over learners.

Two that cannot be told apart are not thereby equal. Failures are shares with Wilson's interval.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueness.intervals import Interval, fixed, value_text
from trueness.measure import Measure
from trueness.outside import Json
from trueness.running.results import NOT_RUN
from trueness.showing.summary import Headline, Standing, figure, joined, ranking
from trueness.showing.theme import MEASURE_LABELS, measure_label
from trueness.statistics import Estimate, mean, share
from trueness.statistics.comparison import Comparison
from trueness.statistics.multiplicity import adjusted, differences_in_pairs
from trueness.statistics.paired import paired_difference
from trueness.status import Status

ITEMS_TOLD = 12  # data sets that get a sentence of their own
PAIRS_TESTED = 45  # ten learners; more are too many for one family of tests
EXACT = 20  # data sets up to which all sign patterns are counted; beyond, t over data sets
SMALLEST = 6  # data sets below which no two-sided sign-flip reaches .05

Array = NDArray[np.float64]


class Words(NamedTuple):
    """What the respondents and the items of a study are called, and whether items are worth sentences of their own."""

    who: str
    item: str
    each: bool


LEARNERS = Words("learner", "data set", each=True)
ANYBODY = Words("respondent", "item", each=False)


@dataclass(frozen=True, eq=False)
class CellRuns:
    """One learner on one data set: the measure in every run (NaN where it has none), its mean's CI, how runs ended.

    done: which repeats the values are of; those of the same number saw the same rows. Without it: 0, 1, 2, ...
    """

    item: str
    respondent: str
    values: Array
    ci: Interval | None
    statuses: Mapping[str, int]
    returns: str = ""
    truth: str = ""
    done: NDArray[np.int64] | None = None
    chance: float | None = None  # what the truth with its names permuted gets

    @property
    def repeats(self) -> NDArray[np.int64]:
        return np.arange(len(self.values)) if self.done is None else self.done

    @property
    def n(self) -> int:
        return int((~np.isnan(self.values)).sum())

    @property
    def mean(self) -> float:
        return float(np.nanmean(self.values))

    def with_about(self, about: Mapping[str, Json], measure: str) -> CellRuns:
        """And what the study says of the cell."""
        chance = about.get("chance_f1") if measure == "f1" else None
        return replace(
            self, returns=str(about.get("returns") or ""), truth=str(about.get("truth") or ""), chance=chance
        )


@dataclass(frozen=True)
class RunFindings:
    sections: tuple[tuple[str, tuple[str, ...]], ...]
    untold: tuple[str, ...]
    pairs: tuple[Comparison, ...]  # respondents against each other over items
    first: tuple[str, ...] = ()  # what a terminal has room for: over all items, and what failed
    headline: Headline | None = None


def findings(cells: Sequence[CellRuns], measure: Measure, level: float, words: Words = LEARNERS) -> RunFindings:
    who, item, each = words
    study = _Study(cells, measure, level, who, item)
    means = [(cell.item, cell.respondent, cell.mean) for cell in cells if cell.n]
    pairs = compare_learners(means, measure, level, item)
    sections = {
        f"Which {who} does best over the {item}s": study.best_over_sets(pairs),
        f"Which {who} does best on each {item}": study.best_on_sets() if each else (),
        f"Whether a {who} beats chance": study.against_chance(),
        "Failures and time limits": study.failures(),
    }
    titled = [(title, tuple(sentences)) for title, sentences in sections.items()]
    first = (*titled[0][1], *titled[3][1])
    sections_shown = tuple(pair for pair in titled if pair[1])
    alone = study.on_the_only_set() if each else None  # over the runs of the one data set that there is
    headline = study.headline(pairs if alone is None else alone)
    return RunFindings(sections_shown, tuple(study.untold()), tuple(pairs), first, headline)


def compare_learners(
    cells: Iterable[tuple[str, str, float]], measure: Measure, level: float, called: str = LEARNERS.item
) -> list[Comparison]:
    """Every pair of learners over the data sets that both have, the better one first; none where they are too many.

    cells: (data set, learner, mean of its runs).
    """
    table: dict[str, dict[str, float]] = {}
    for item, respondent, value in cells:
        table.setdefault(respondent, {})[item] = value
    items = list(dict.fromkeys(item for by_item in table.values() for item in by_item))
    if len(items) < 2 or not 0 < len(table) * (len(table) - 1) // 2 <= PAIRS_TESTED:
        return []
    means = {name: np.array([by_item.get(item, np.nan) for item in items]) for name, by_item in table.items()}
    labels = np.array(items, dtype=object)
    ranked = _rank({name: float(np.nanmean(values)) for name, values in means.items()}, measure)
    test = _test_over_sets(len(items))
    words = {"measure": _label(measure), "units": f"{called}s", "clusters": f"{called}s"}
    ordered = {name: means[name] for name in ranked}
    pairs = differences_in_pairs(ordered, labels, level, test, bounds=measure.bounds)
    return [pair.described(better=measure.direction, **words) for pair in pairs]  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class _Study:
    cells: Sequence[CellRuns]
    measure: Measure
    level: float
    who: str
    item: str

    @property
    def label(self) -> str:
        return _label(self.measure)

    def headline(self, pairs: Sequence[Comparison]) -> Headline | None:
        """Means over the data sets on which every learner has one, ranked; who can be told from the first."""
        learners, whole = self._learners, self._whole()
        if not whole:
            return None
        values = {name: np.array([by_learner[name].mean for by_learner in whole]) for name in learners}
        means = {name: mean(values[name], level=self.level, bounds=self.measure.bounds) for name in learners}
        ends = {name: whole[0][name].ci if len(whole) == 1 else means[name].interval for name in learners}
        ranked = _rank({name: float(column.mean()) for name, column in values.items()}, self.measure)
        rows = [Standing.of(name, float(values[name].mean()), ends[name], means[name].constant) for name in ranked]
        verdicts = {frozenset(pair.names): _apart(pair) for pair in pairs}
        many = f"{len(whole)} {self.item}{'s' if len(whole) != 1 else ''}"
        classes = {by_learner[name].returns for by_learner in whole for name in learners}
        of = f"mean {self.label} over {many}" + (", each against the truth of its class" if len(classes) > 1 else "")
        way = {"lower": "lower is better", "higher": "higher is better"}.get(
            self.measure.better, "neither way is better"
        )
        over = f"; {100 * self.level:g} % interval over {'runs' if len(whole) == 1 else self.item + 's'}"
        over = over if any(row.low is not None for row in rows) else ""
        sentence = ranking(rows, lambda a, b: verdicts.get(frozenset((a, b))), of, self._chance_clause(ranked))
        return Headline(sentence, f"{of}; {way}{over}", tuple(rows))

    def _over_chance(self) -> dict[str, Comparison]:
        """Each learner against the truth with its names permuted; none where a data set has no such level."""
        whole, learners = self._whole(), self._learners
        if not whole or any(by_learner[name].chance is None for by_learner in whole for name in learners):
            return {}
        alone = len(whole) == 1
        units = "runs" if alone else f"{self.item}s"
        pairs = []
        for name in learners:
            cells = [by_learner[name] for by_learner in whole]
            values = cells[0].values if alone else np.array([cell.mean for cell in cells])
            chance = np.broadcast_to(np.array([cell.chance for cell in cells], dtype=np.float64), values.shape)
            test: Literal["sign-flip", "t"] = "t" if alone else _test_over_sets(len(whole))
            pair = paired_difference(values, chance, level=self.level, test=test, names=(name, "chance"))
            pairs.append(pair.within(*self.measure.bounds))
        words = {"measure": self.label, "units": units, "clusters": units}
        held = [pair.described(better=self.measure.direction, **words) for pair in adjusted(pairs, "holm")]  # type: ignore[arg-type]
        return dict(zip(learners, held, strict=True))

    def _chance_clause(self, ranked: Sequence[str]) -> str:
        over = self._over_chance()
        if not over:
            return ""
        beating = [name for name in ranked if _beats(over[name])]
        levels = [float(np.mean([by_learner[name].chance or 0.0 for by_learner in self._whole()])) for name in ranked]
        level = " to ".join(dict.fromkeys(figure(value) for value in (min(levels), max(levels))))
        if len(beating) == len(ranked):
            return f"{'all beat' if len(ranked) > 1 else 'beats'} chance ({level})"
        if not beating:
            return f"{'none clearly beats' if ranked[1:] else 'no clear difference from'} chance ({level})"
        return f"{joined(beating)} {'beat' if beating[1:] else 'beats'} chance ({level})"

    def against_chance(self) -> Iterator[str]:
        """How many beat it, and the least of them or, where none does, the first."""
        over = self._over_chance()
        if over:
            least = min(over.values(), key=lambda pair: (not _beats(pair), pair.difference or 0.0))
            beating = sum(_beats(pair) for pair in over.values())
            many = f"{len(over)} {self.who}{'s' if len(over) != 1 else ''}"
            yield f"{beating} of {many} beat chance, the truth with its names permuted. The least: {least.sentence()}"

    def best_over_sets(self, pairs: Sequence[Comparison]) -> Iterator[str]:
        """The best mean over the data sets on which every learner has one, and how it stands against each other."""
        whole = self._whole()
        if len(whole) < 2 or len(self._learners) < 2:
            yield f"Two {self.who}s and two {self.item}s that both have are needed to compare them over {self.item}s."
            return
        means = {name: [by_learner[name].mean for by_learner in whole] for name in self._learners}
        ranked = _rank({name: float(np.mean(values)) for name, values in means.items()}, self.measure)
        estimate = mean(np.array(means[ranked[0]]), level=self.level, bounds=self.measure.bounds)
        yield (
            f"{ranked[0]} has the {self.best} mean {self.label} over {len(whole)} {self.item}s, "
            f"{_value_text(estimate.value, estimate.interval)} ({self._grounds(estimate)}; no test of its own)."
        )
        if not pairs:
            yield f"{len(self._learners)} {self.who}s are too many for one family of tests. Two: trueness compare A B"
            return
        yield from (pair.sentence() for pair in pairs if ranked[0] in pair.names)

    def _grounds(self, estimate: Estimate) -> str:
        if estimate.interval is None:
            return f"the same on every {self.item}: no interval" if estimate.constant else "no interval"
        return f"{100 * self.level:g} % t CI over {self.item}s"

    def best_on_sets(self) -> Iterator[str]:
        shown = [(item, by_learner) for item, by_learner in self._by_item().items() if len(by_learner) > 1]
        tested = self._on_sets(shown[:ITEMS_TOLD])
        for item, by_learner in shown[:ITEMS_TOLD]:
            ranked = self._order(by_learner)
            first = by_learner[ranked[0]]
            lead = (
                f"{item}: {ranked[0]} has the {self.best} {self.label}, {_value_text(first.mean, first.ci)} "
                f"({100 * self.level:g} % bootstrap CI of the mean; n = {first.n} runs)."
            )
            against = {pair.names[1]: pair for pair in tested.get(item, ()) if pair.names[0] == ranked[0]}
            if not against:
                yield f"{lead} No test: {len(by_learner)} {self.who}s are too many pairs for one family."
                continue
            open_ones = [name for name in ranked[2:] if not _apart(against[name])]
            others = f" Nor can {joined(open_ones)} be told from it." if open_ones else ""
            yield f"{lead} {against[ranked[1]].sentence()}{others}"
        if len(shown) > ITEMS_TOLD:
            yield f"{len(shown) - ITEMS_TOLD} more {self.item}s are in the matrix."

    def on_the_only_set(self) -> list[Comparison] | None:
        """Every pair over its runs; None where there are several data sets, or none."""
        whole = self._whole()
        return self._on_sets([("", whole[0])]).get("", []) if len(whole) == 1 else None

    def _on_sets(self, shown: Sequence[tuple[str, Mapping[str, CellRuns]]]) -> dict[str, list[Comparison]]:
        """All pairs of learners on each data set, one family."""
        pairs: list[tuple[str, Comparison]] = []
        for item, by_learner in shown:
            if len(by_learner) * (len(by_learner) - 1) // 2 <= PAIRS_TESTED:
                cells = [by_learner[name] for name in self._order(by_learner)]
                pairs += [(item, self._compare_runs(a, b)) for a, b in combinations(cells, 2)]
        tested: dict[str, list[Comparison]] = {}
        for (item, _), pair in zip(pairs, adjusted([pair for _, pair in pairs], "holm"), strict=True):
            words = pair.described(measure=self.label, units="runs", clusters="runs", better=self.measure.direction)
            tested.setdefault(item, []).append(words)
        return tested

    def _compare_runs(self, a: CellRuns, b: CellRuns) -> Comparison:
        names = (a.respondent, b.respondent)
        _, ours, theirs = np.intersect1d(a.repeats, b.repeats, assume_unique=True, return_indices=True)
        pair = paired_difference(a.values[ours], b.values[theirs], level=self.level, test="t", names=names)
        return pair.within(*self.measure.bounds)

    def failures(self) -> Iterator[str]:
        by_learner: dict[str, list[CellRuns]] = {}
        for cell in self.cells:
            by_learner.setdefault(cell.respondent, []).append(cell)
        for name, cells in by_learner.items():
            ended: Counter[str] = Counter()
            for cell in cells:
                ended.update({status: n for status, n in cell.statuses.items() if status != NOT_RUN})
            lost = {status: n for status, n in sorted(ended.items()) if status != Status.OK}
            if not lost:
                continue
            ends = np.repeat([1.0, 0.0], [sum(lost.values()), ended[Status.OK]])
            estimate = share(ends, level=self.level)
            worst = max(cells, key=lambda cell: sum(cell.statuses.get(status, 0) for status in lost))
            most = sum(worst.statuses.get(status, 0) for status in lost)
            why = ", ".join(f"{status} {n:,}" for status, n in lost.items())
            yield (
                f"{name}: {sum(lost.values()):,} of {len(ends):,} runs gave no result ({why}), "
                f"{_value_text(estimate.value, estimate.interval)} ({100 * self.level:g} % Wilson interval of the "
                f"share; n = {len(ends):,} runs; no test); most on {worst.item}, {most:,}."
            )

    def untold(self) -> Iterator[str]:
        assumed = list(dict.fromkeys(cell.item for cell in self.cells if cell.truth == "assumed"))
        if assumed:
            yield f"The truth of {joined(assumed)} is assumed: scores there are agreement with an expert's guess."
        items = len({cell.item for cell in self.cells})
        if items < SMALLEST:
            yield (
                f"With {items} {self.item}{'s' if items != 1 else ''} no test over {self.item}s can reach p < .05 by "
                f"sign flips: differences between {self.who}s hold for these {self.item}s only."
            )
        classes = sorted({cell.returns for cell in self.cells if cell.returns})
        if len(classes) > 1:
            yield (
                f"Learners return different classes ({', '.join(classes)}) and each is scored against the truth of its "
                "own: a higher score across classes is no better graph. dag_* measures are against the DAG for all."
            )
        yield f"Each {self.who} ran with the settings of the plan: other settings may rank them otherwise."

    @property
    def _learners(self) -> list[str]:
        """Those with a result somewhere; who has none is told among the failures."""
        return list(dict.fromkeys(cell.respondent for cell in self.cells if cell.n))

    @property
    def best(self) -> str:
        return "highest" if self.measure.better == "neither" else "best"

    def _whole(self) -> list[dict[str, CellRuns]]:
        """The data sets on which every learner has a mean."""
        return [by_learner for by_learner in self._by_item().values() if len(by_learner) == len(self._learners)]

    def _by_item(self) -> dict[str, dict[str, CellRuns]]:
        by_item: dict[str, dict[str, CellRuns]] = {}
        for cell in self.cells:
            if cell.n:
                by_item.setdefault(cell.item, {})[cell.respondent] = cell
        return by_item

    def _order(self, by_learner: Mapping[str, CellRuns]) -> list[str]:
        return _rank({name: cell.mean for name, cell in by_learner.items()}, self.measure)


def _test_over_sets(count: int) -> Literal["sign-flip", "t"]:
    return "sign-flip" if count <= EXACT else "t"


def _label(measure: Measure) -> str:
    return measure_label(measure.name) if measure.name in MEASURE_LABELS else measure.label


def _rank(values: Mapping[str, float], measure: Measure) -> list[str]:
    """The best first; the highest, where neither way is better."""
    sign = 1.0 if measure.better == "lower" else -1.0
    return sorted(values, key=lambda name: sign * values[name])


def _apart(pair: Comparison) -> bool:
    """Told apart; a difference that is the same in every run needs no test."""
    return pair.distinguishable or (pair.p is None and bool(pair.difference))


def _beats(pair: Comparison) -> bool:
    return _apart(pair) and (pair.difference or 0.0) > 0


def _value_text(value: float | None, interval: Interval | None) -> str:
    if value is None:
        return "no value"
    return value_text(value, interval, fixed(2))
