"""K from the rows alone: no true graph, neither this one nor another, is looked at.

    stability        K = number of pairs among the q largest scores in at least pi of B half samples
                     q = sqrt((2 pi - 1) v d (d - 1)): at most v false ones expected      Meinshausen & Buehlmann 2010
    stars            K = the largest with max_{k <= K} sum 2 f_k (1 - f_k) / (d (d - 1)) <= .05, f_k (i, j) the share of
                     half samples with i -> j among their k largest                         Liu, Roeder & Wasserman 2010
    bic              K = argmin  n loss(K) + parameters(K) log n                             Schwarz 1978
    held-out         K = argmin  loss(K) on the last 30 % of the rows (of each regime), scores from the others
    cross-validated  the same, summed over folds
    adaptive         K at the elbow of the sorted scores: farthest below the line from first to last; found anew for
                     each corruption                                                          Satopaa et al. 2011

loss(K) is the Gaussian one of ranking_likelihood.py, so bic and held-out favour learners that rank linear effects. K
lies in 1 ... `most` (k_range: 4 edges a node). A series is split in blocks, never row by row (a row next to a cut has
the wrong past: `lags` rows a cut); other rows are shuffled first. All learners get the same Budget.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.observed import Observed
from trueness.errors import DataError, SettingError
from trueness.learners.scoring import EdgeScorer
from trueness.studies.robustness.choose_k import KChoice
from trueness.studies.robustness.ranking_likelihood import Array, likelihood_path, moments, rank_pairs
from trueness.studies.robustness.sensitivity import check_k, k_range

LABEL_FREE = ("stability", "stars", "bic", "held-out", "cross-validated", "adaptive")


@dataclass(frozen=True)
class Budget:
    """What every learner may spend on choosing its K: fits on half samples, and folds."""

    subsamples: int = 20
    folds: int = 5
    held_out: float = 0.3

    def __post_init__(self) -> None:
        if self.subsamples < 2:
            raise SettingError(f"'subsamples' of a budget must be at least 2, got {self.subsamples}. Try 20.")
        if self.folds < 2:
            raise SettingError(f"'folds' of a budget must be at least 2, got {self.folds}. Try 5.")
        if not 0 < self.held_out < 1:
            raise SettingError(f"'held_out' of a budget must be in (0, 1), got {self.held_out:g}. Try 0.3.")

    @property
    def fits(self) -> int:
        """All together, the one on all rows with them."""
        return self.subsamples + self.folds + 2


def label_free(
    scorer: EdgeScorer,
    data: Observed,
    scores: Array,
    rng: Generator,
    learner: str = "",
    budget: Budget | None = None,
    methods: Sequence[str] = LABEL_FREE,
) -> Mapping[str, KChoice]:
    """Those of `methods`, by name. scores: those on all rows, which are there already."""
    budget = budget or Budget()
    halves = half_sample_scores(scorer, data, rng, budget.subsamples) if {"stability", "stars"} & set(methods) else []
    makers: dict[str, Callable[[], KChoice]] = {
        "stability": lambda: stability_k(halves, learner),
        "stars": lambda: stars_k(halves, learner),
        "bic": lambda: bic_k(data, scores, learner),
        "held-out": lambda: held_out_k(scorer, data, rng, learner, share=budget.held_out),
        "cross-validated": lambda: cross_validated_k(scorer, data, rng, learner, folds=budget.folds),
        "adaptive": lambda: adaptive_k(scores, learner),
    }
    return {name: make() for name, make in makers.items() if name in methods}


def half_sample_scores(scorer: EdgeScorer, data: Observed, rng: Generator, subsamples: int = 20) -> list[Array]:
    """The learner's scores on half samples, drawn without replacement; of a series, on stretches of half its length."""
    return [scorer.scores(data.rows(_half(data, rng)), rng).matrix for _ in range(subsamples)]


def stability_k(
    halves: Sequence[Array], learner: str = "", *, threshold: float = 0.7, false_edges: float = 1.0
) -> KChoice:
    """threshold: pi; false_edges: v. The bound is loose, so K is small: it answers which edges are beyond doubt."""
    if not 0.5 < threshold <= 1:
        raise SettingError(f"'threshold' of stability selection must be in (0.5, 1], got {threshold:g}. Try 0.7.")
    pairs = len(halves[0]) * (len(halves[0]) - 1)
    q = max(1, min(round(math.sqrt((2 * threshold - 1) * false_edges * pairs)), pairs))
    kept = int(np.count_nonzero((_places(halves) < q).mean(axis=0) >= threshold))
    note = f"{q} edges of each of {len(halves)} half samples; kept in {threshold:.0%} of them."
    return _choice(kept, "stability", learner, len(halves), note)


def stars_k(
    halves: Sequence[Array], learner: str = "", *, instability: float = 0.05, most: int | None = None
) -> KChoice:
    """instability: the largest that is allowed, on average over all pairs."""
    if not 0 < instability < 0.5:
        raise SettingError(f"'instability' of stars must be in (0, 0.5), got {instability:g}. Try 0.05.")
    d = len(halves[0])
    places = _places(halves)
    k, limit = 0, _most(d, most)
    while k < limit:
        share = (places < k + 1).mean(axis=0)
        if 2 * (share * (1 - share)).sum() / (d * (d - 1)) > instability:
            break
        k += 1
    return _choice(k, "stars", learner, len(halves))


def _places(halves: Sequence[Array]) -> NDArray[np.int64]:
    """(B, d, d): the place of each pair in each ranking, 0 the strongest; pairs without a score come after all."""
    d = len(halves[0])
    places = np.full((len(halves), d, d), d * d, dtype=np.int64)
    for place, matrix in zip(places, halves, strict=True):
        cause, effect = rank_pairs(matrix).T
        place[cause, effect] = np.arange(len(cause))
    return places


def bic_k(data: Observed, scores: Array, learner: str = "", most: int | None = None) -> KChoice:
    seen = moments(data)
    path = likelihood_path(scores, seen, seen, _most(data.d, most))
    return _choice(int(np.argmin(path.n * path.loss + path.parameters * math.log(path.n))), "bic", learner, 1)


def held_out_k(
    scorer: EdgeScorer,
    data: Observed,
    rng: Generator,
    learner: str = "",
    *,
    share: float = 0.3,
    most: int | None = None,
) -> KChoice:
    parts = [np.split(rows, [round((1 - share) * len(rows))]) for rows in _regimes(data, rng)]
    train, test = (np.concatenate(part) for part in zip(*parts, strict=True))
    loss = _held_out_loss(scorer, data, train, test, rng, _most(data.d, most))
    return _choice(int(np.argmin(loss)), "held-out", learner, 1)


def cross_validated_k(
    scorer: EdgeScorer, data: Observed, rng: Generator, learner: str = "", *, folds: int = 5, most: int | None = None
) -> KChoice:
    limit = _most(data.d, most)
    total = np.zeros(limit + 1)
    parts = [np.array_split(rows, folds) for rows in _regimes(data, rng)]
    for fold in zip(*parts, strict=True):
        test = np.concatenate(fold)
        train = np.setdiff1d(np.arange(data.n), test)
        total += _held_out_loss(scorer, data, train, test, rng, limit)
    return _choice(int(np.argmin(total)), "cross-validated", learner, folds)


def adaptive_k(scores: Array, learner: str = "", most: int | None = None) -> KChoice:
    d = len(scores)
    size = np.sort(np.abs(scores[~np.eye(d, dtype=bool)]))[::-1]
    if size[0] == 0:
        return _choice(0, "adaptive", learner, 1)
    at = np.arange(len(size)) / max(len(size) - 1, 1)
    drop = (size - size[-1]) / (size[0] - size[-1]) if size[0] > size[-1] else 1 - at
    elbow = int(np.argmax((1 - at) - drop))  # a straight line has its elbow at the first: nothing tells where to cut
    return _choice(min(max(elbow, 1), _most(d, most)), "adaptive", learner, 1)


def _choice(k: int, method: str, learner: str, fits: int, note: str = "") -> KChoice:
    """The least K is 1: the rows may favour no edge at all, and the note then says so."""
    if k < 1:
        note = f"{note} The rows favour no edge; 1 is the least that can be kept.".strip()
    return KChoice(max(k, 1), method, "the rows alone", learner, fits, note)


def _most(d: int, most: int | None) -> int:
    return k_range(d)[1] if most is None else check_k(most, d)


def _held_out_loss(
    scorer: EdgeScorer, data: Observed, train: NDArray[np.intp], test: NDArray[np.intp], rng: Generator, most: int
) -> Array:
    """loss(K) on the test rows for K = 0 ... most; flat where the learner has no more edges."""
    if min(len(train), len(test)) < data.d + data.lags + 2:
        raise DataError(
            f"{data.source} must have enough rows to hold some out, got {len(train)} to learn from and {len(test)} to "
            f"judge by, of {data.d} columns. Use more rows or fewer folds."
        )
    rows = data.rows(train)
    seen = moments(rows)
    path = likelihood_path(scorer.scores(rows, rng).matrix, seen, moments(data.rows(test), seen), most)
    return np.pad(path.loss, (0, most + 1 - len(path.loss)), mode="edge")


def _regimes(data: Observed, rng: Generator) -> list[NDArray[np.intp]]:
    """The rows of each regime, in time order or shuffled: what is held out must hold some of each."""
    labels = np.zeros(data.n, dtype=np.intp) if data.regimes is None else data.regimes
    regimes = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    return regimes if data.lags else [rng.permutation(rows) for rows in regimes]


def _half(data: Observed, rng: Generator) -> NDArray[np.intp]:
    """Half of the rows: any, or one stretch of a series."""
    half = data.n // 2
    if data.lags:
        start = int(rng.integers(0, data.n - half + 1))
        return np.arange(start, start + half)
    return np.sort(rng.permutation(data.n)[:half])
