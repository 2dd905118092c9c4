"""Stability: how often a learner finds each edge when the rows are drawn again.

    for r = 1 ... repeats:   rows_r = n rows with replacement,  graph_r = learner.fit(rows_r)
    frequency(i -> j)        = share of the graphs with i -> j; so for --, <->, o->, o-o, and for any edge (*-*)

with Wilson's interval. The interval says how well `repeats` resamples tell the frequency over all resamples; it is
no probability that the edge is true: a learner can be wrong with great constancy.
Friedman, Goldszmidt & Wyner (1999), "Data analysis with Bayesian networks: a bootstrap approach".
A resample on which the learner fails is counted by its status and is no vote against an edge: frequencies are shares
of the graphs that came. Learners that can do so fit the resamples as a batch, without copying rows, to the same graphs
(learners/batches.py). `join_imputations` counts edges over imputed tables in place of resamples: what the gaps leave
open, not what the rows do (Rubin 1987).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.table import Table, TableLike, check_usable
from trueness.errors import DataError, GraphError, SettingError, TruenessError, did_you_mean
from trueness.graphs import ARROW, CIRCLE, TAIL, Edge, Graph, Kind
from trueness.learners.base import Card, Learner, build, check_answer, handles_gaps
from trueness.learners.batches import TimedFit, fit_alone, fit_resamples
from trueness.learners.gaps import impute
from trueness.status import Status

if TYPE_CHECKING:
    import pandas

ANY = "*-*"  # an edge with whatever marks
_MARKS = {Edge("", "", *ends).arrow: ends for ends in product((TAIL, ARROW, CIRCLE), repeat=2)}
_TURNED = {"<-": "->", "<--": "->", "<-o": "o->", "o-": "-o", "o--": "-o"}  # as a row has it, source and target swapped


class EdgeFrequency(NamedTuple):
    """In which share of the graphs `source mark target` is there, and the interval of that share."""

    source: str
    target: str
    mark: str
    frequency: float
    low: float
    high: float
    times: int

    def __str__(self) -> str:
        share = f"{100 * self.frequency:.0f} % [{100 * self.low:.0f}, {100 * self.high:.0f}]"
        return f"{self.source} {self.mark} {self.target}  {share}"


@dataclass(frozen=True, eq=False)
class Stability:
    """Selection frequencies of all edges over the resamples of one table."""

    learner: str
    nodes: tuple[str, ...]
    kind: Kind
    repeats: int
    failures: Mapping[str, int]  # status -> resamples that gave no graph
    messages: Mapping[str, int]  # why -> resamples
    edges: tuple[EdgeFrequency, ...]  # every edge that was seen, most frequent first
    adjacencies: tuple[EdgeFrequency, ...]  # the same for pairs, whatever the marks
    threshold: float
    level: float
    source: str = "resamples"  # what each graph was fitted to

    @property
    def n(self) -> int:
        """Graphs that the frequencies are shares of."""
        return self.repeats - sum(self.failures.values())

    def of(self, source: str, target: str, mark: str = ANY) -> EdgeFrequency:
        """The frequency of one edge, e.g. of("a", "b", "->"); 0 where it was never seen. *-* is an edge of any kind."""
        for node in (source, target):
            if node not in self.nodes:
                raise GraphError(f"{node!r} is not a column. {did_you_mean(node, self.nodes)}".rstrip())
        if mark in _TURNED:
            source, target, mark = target, source, _TURNED[mark]
        if mark != ANY and mark not in _MARKS:
            raise GraphError(f"'mark' of an edge must be one of ->, --, <->, o->, o-o, -o, *-*, got {mark!r}.")
        source, target, mark = _edge(source, target, mark)
        for row in self.adjacencies if mark == ANY else self.edges:
            if row[:3] == (source, target, mark):
                return row
        return _row(source, target, mark, 0, self.n, self.level)

    def graph(self, threshold: float | None = None) -> Graph:
        """What is found in at least `threshold` of the graphs, weighted by its frequency.

        cpdag, pag   pairs that are adjacent so often; an end gets the mark that it has so often, else a tail (cpdag:
                     an undirected edge) or a circle (pag), which claim nothing
        dag          edges i -> j that are there so often; one that would close a cycle with more frequent ones is out
        """
        at = self.threshold if threshold is None else _share(threshold)
        marks, weights = np.zeros((2, len(self.nodes), len(self.nodes)))
        index = {node: i for i, node in enumerate(self.nodes)}
        if self.kind == "dag":
            return self._dag(at, index)
        for row in self.adjacencies:
            if row.frequency >= at and row.times:
                i, j = index[row.source], index[row.target]
                marks[i, j], marks[j, i] = self._ends(row.source, row.target, at)
                weights[i, j] = weights[j, i] = row.frequency
        weights[(marks == TAIL) & (marks.T == ARROW)] = 0.0  # i -> j has its weight at [i, j] alone
        return Graph(self.nodes, marks.astype(np.int8), weights, self.kind)

    def _ends(self, i: str, j: str, at: float) -> tuple[int, int]:
        """The marks at j and at i."""
        votes = [Counter[int](), Counter[int]()]
        for row in self.edges:
            if {row.source, row.target} == {i, j}:
                source_mark, target_mark = _MARKS[row.mark]
                at_i, at_j = (source_mark, target_mark) if row.source == i else (target_mark, source_mark)
                votes[0][at_j] += row.times
                votes[1][at_i] += row.times
        unsure = TAIL if self.kind == "cpdag" else CIRCLE
        ends = [vote.most_common(1)[0] for vote in votes]
        to_j, to_i = (mark if count >= at * self.n else unsure for mark, count in ends)
        if self.kind == "cpdag" and to_j == to_i == ARROW:  # each in half of the graphs
            return TAIL, TAIL
        return to_j, to_i

    def _dag(self, at: float, index: Mapping[str, int]) -> Graph:
        weights = np.zeros((len(self.nodes), len(self.nodes)))
        reach = np.eye(len(self.nodes), dtype=bool)
        for row in self.edges:
            i, j = index[row.source], index[row.target]
            if row.frequency >= at and not reach[j, i]:
                weights[i, j] = row.frequency
                reach |= np.outer(reach[:, i], reach[j])
        marks = np.where(weights != 0, ARROW, np.where(weights.T != 0, TAIL, 0)).astype(np.int8)
        return Graph(self.nodes, marks, weights, "dag")

    def to_pandas(self) -> pandas.DataFrame:
        """One row an edge with its marks, then one a pair (mark *-*)."""
        import pandas

        return pandas.DataFrame([*self.edges, *self.adjacencies], columns=list(EdgeFrequency._fields))

    def __str__(self) -> str:
        lost = ", ".join(f"{count} {status}" for status, count in self.failures.items())
        lost = f"; {lost}" if lost else ""
        head = f"{self.learner}: edges in {self.n} graphs from {self.repeats} {self.source}{lost}"
        if not self.n:
            return f"{head}. {' '.join(self.messages)}"
        kept = [row for row in self.edges if row.frequency >= self.threshold]
        rest = len(self.edges) - len(kept)
        lines = [head, *(f"  {row}" for row in kept)]
        lines += [f"  {count} {self.source} gave no graph: {why}" for why, count in self.messages.items()]
        if rest:
            lines.append(f"  {rest} more in less than {100 * self.threshold:g} % of the graphs")
        return "\n".join(lines)


def stability(
    learner: Learner | str,
    data: TableLike,
    repeats: int = 100,
    *,
    rng: Generator | None = None,
    threshold: float = 0.5,
    level: float = 0.95,
) -> Stability:
    """Fit `learner` (or the one of that name) to `repeats` resamples of the rows, and count its edges.

    threshold: from which frequency on an edge is told and kept in `.graph()`.
    Each resample has a generator of its own, so the first k of more repeats are the same as k repeats.
    """
    learner = _definite(learner, repeats, "repeats", level)
    table = Table.of(data)
    check_usable(table, handles_gaps(learner))  # what no resample can mend is the user's to mend
    generators = np.random.default_rng(rng).spawn(repeats)
    draws = (generator.integers(table.n, size=table.n) for generator in generators)
    runs = fit_resamples(learner, table, draws, generators)
    return _count_edges(runs, repeats, "resamples", learner.card, table.names, threshold, level)


def join_imputations(
    learner: Learner | str,
    data: TableLike,
    tables: int = 20,
    *,
    rng: Generator | None = None,
    threshold: float = 0.5,
    level: float = 0.95,
) -> Stability:
    """Fit `learner` to `tables` tables whose gaps were each drawn anew, and count its edges: multiple imputation.

    A table's draws are from the Gaussian most likely for a resample of the rows, so that tables differ by what is not
    known of the Gaussian too (Honaker & King 2010). `.graph()` has what most tables agree on.
    """
    learner = _definite(learner, tables, "tables", level)
    table = Table.of(data)
    check_usable(table, gaps=True)
    if not table.has_gaps:
        raise DataError(f"{table.source} must have missing values to impute, got none. Use stability for the rows.")
    generators = np.random.default_rng(rng).spawn(tables)
    runs = (fit_alone(learner, impute(table, generator, resample=True), generator) for generator in generators)
    return _count_edges(runs, tables, "imputed tables", learner.card, table.names, threshold, level)


def _definite(learner: Learner | str, repeats: int, setting: str, level: float) -> Learner:
    """The learner, which must draw edges."""
    if isinstance(learner, str):
        learner = build(learner)
    if repeats < 1:
        raise SettingError(f"{setting!r} of stability must be at least 1, got {repeats}. Try 100.")
    if not 0 < level < 1:
        raise SettingError(f"'level' of stability must be in (0, 1), got {level}. Try 0.95.")
    if learner.card.returns == "weighted":
        raise SettingError(
            f"stability needs definite edges, and {learner.card.title} gives scores. Choose another learner."
        )
    return learner


def _count_edges(
    runs: Iterable[TimedFit],
    repeats: int,
    source: str,
    card: Card,
    names: tuple[str, ...],
    threshold: float,
    level: float,
) -> Stability:
    failures, messages = Counter[str](), Counter[str]()
    i, j = np.indices((len(names), len(names)))
    times = np.zeros((16, len(names), len(names)), dtype=np.int32)
    for run in runs:
        if isinstance(run.answer, Exception):
            failures[str(Status.FAILED)] += 1
            messages[_words_of(run.answer)] += 1
        elif problem := check_answer(run.answer, card, names):
            failures[str(Status.UNREADABLE)] += 1
            messages[problem] += 1
        else:
            marks = run.answer.reorder(names).marks
            times[4 * marks + marks.T, i, j] += 1
    n = repeats - failures.total()
    edges, pairs = _named(times, names), Counter[tuple[str, str, str]]()
    for (one, other, _), count in edges.items():
        pairs[_edge(one, other, ANY)] += count
    return Stability(
        learner=card.title,
        nodes=names,
        kind=card.returns,
        repeats=repeats,
        failures=dict(failures),
        messages=dict(messages),
        edges=_rows(edges, n, level),
        adjacencies=_rows(pairs, n, level),
        threshold=_share(threshold),
        level=level,
        source=source,
    )


def _words_of(error: Exception) -> str:
    plain = " ".join(str(error).split())[:300]
    return str(error) if isinstance(error, TruenessError) else f"{type(error).__name__}: {plain}"


def _named(times: NDArray[np.int32], names: tuple[str, ...]) -> Counter[tuple[str, str, str]]:
    """Edges with how often they were seen; times: (16, d, d), [4 marks[i, j] + marks[j, i], i, j]."""
    counts = Counter[tuple[str, str, str]]()
    for at_j, at_i in product((TAIL, ARROW, CIRCLE), repeat=2):
        here = np.triu(times[4 * at_j + at_i])
        marks = at_j * (here > 0) + at_i * (here.T > 0)
        for edge, count in zip(Graph(names, marks, None, "pag").edges, here[here > 0].tolist(), strict=True):
            counts[_edge(edge.source, edge.target, edge.arrow)] += count
    return counts


def _rows(counts: Counter[tuple[str, str, str]], n: int, level: float) -> tuple[EdgeFrequency, ...]:
    """Most frequent first; names break ties, so that the order of the columns has no say."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(_row(*edge, count, n, level) for edge, count in ordered)


def _row(source: str, target: str, mark: str, count: int, n: int, level: float) -> EdgeFrequency:
    from trueness.statistics.proportions import wilson  # scipy: learners are listed without it

    if n < 1:
        raise GraphError("no resample gave a graph, so no edge has a frequency. See .failures and .messages.")
    interval = wilson(count, n, level)
    return EdgeFrequency(source, target, mark, count / n, interval.low, interval.high, count)


def _share(threshold: float) -> float:
    if not 0 < threshold <= 1:
        raise SettingError(f"'threshold' of stability must be in (0, 1], got {threshold:g}. Try 0.5.")
    return float(threshold)


def _edge(source: str, target: str, mark: str) -> tuple[str, str, str]:
    """An edge with equal marks is named by its ends in alphabetical order: one row, whatever the order of columns."""
    if mark == ANY or _MARKS[mark][0] == _MARKS[mark][1]:
        source, target = sorted((source, target))
    return source, target, mark
