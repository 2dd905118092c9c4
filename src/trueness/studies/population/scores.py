"""One respondent on one question: every measure with its interval, or the reason why it has none.

The formulas stand in measures/distributions.py. The distance is taken over the conditions that were answered, by their
weights, and every reference (uniform, marginal, best, worst) over the same ones; `answered` says how much of the
population that is. Nothing that was not answered counts as a level, as uniform, or as wrong.

Intervals: 2,000 draws of p* (the truth's bootstrap) and q* = Poisson(k q) over its sum (q itself for a claim).

    distances, skills and scores    percentiles of draws moved by twice their bias, mean(t*) - t: noise makes every
                                    distance longer, once in t and once more in t*
    D2                              percentiles, the noise of both stages taken off in the formula

cut at what is possible, and widened to hold the estimate where it has to be.

Where the outcome is a number, W1 on its values takes the place of L1 in every score and skill, D2 is that of the
distribution functions (the mean over cells of (F_q - F_p)^2), and TV and JS have no value.

`uninformative`: at k draws a perfect and a uniform sampler cannot be told apart; `score` is then missing (degenerate),
and the other measures stand. `flat`: the marginal cannot be told from the truth, so there is no dependence to know.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from trueness.datasets.surveys import nearest
from trueness.errors import DataError, listed
from trueness.intervals import Distribution, Interval
from trueness.measures import distributions as measure
from trueness.measures.distributions import ScoreScale
from trueness.status import Status
from trueness.studies.population.elicitation import Answer
from trueness.studies.population.measures import MEASURES as DECLARED
from trueness.studies.population.truth import PopulationTruth

Array = NDArray[np.float64]

MEASURES = tuple(measure.name for measure in DECLARED)
LEVEL = 0.95
POSSIBLE = {
    one.name: (-np.inf if one.minimum is None else one.minimum, np.inf if one.maximum is None else one.maximum)
    for one in DECLARED
}


@dataclass(frozen=True)
class Measured:
    """A value with its interval, or the status that says why there is none."""

    value: float | None
    interval: Interval | None = None
    status: Status = Status.OK
    reason: str = ""  # one word where a measure of an answer has no value


UNINFORMATIVE = Measured(None, None, Status.DEGENERATE, "uninformative")


@dataclass(frozen=True)
class TaskScore:
    """A respondent on a question."""

    task: str
    source: str
    respondent: str
    mode: str
    status: Status
    measures: Mapping[str, Measured]
    statuses: Mapping[str, Status]  # condition -> what became of it
    answered: float = 0.0  # share of the population whose condition was answered
    draws: float | None = None  # k, the fewest over the conditions; None for claims
    informative: bool = False
    flat: bool = False
    scale: ScoreScale | None = None
    replies: Mapping[Status, int] = field(default_factory=dict)
    mass: float | None = None  # mean probability on the option letters

    def value(self, name: str) -> float:
        """NaN where it is missing: for tables."""
        number = self.measures[name].value
        return float("nan") if number is None else number


@dataclass(frozen=True, eq=False)
class _Pair:
    """A measure on the data, and on the bootstrap draws (B,)."""

    value: Array
    drawn: Array


@dataclass(frozen=True, eq=False)
class _Ground:
    """What a truth gives to every respondent: computed once for the conditions that were answered."""

    p: Array
    w: Array
    n: Array
    draws: Array  # (B, C, L)
    entropy: _Pair
    far: Mapping[str, _Pair]  # L1 of the references, by name
    best: Mapping[str, float]  # 100 by the rules of others: score_original, score_document


class Scales:
    """The ends of the score by task and k, and the truth's share of all intervals: once, whoever is scored.

    The draws follow from `seed`, the task and k alone, so that the order of scoring changes nothing. `n_mc`: the number
    of Monte Carlo samples in the document's rule, whoever is scored.
    """

    def __init__(self, seed: int, n_mc: int = 128):
        self.seed = seed
        self.n_mc = n_mc
        self._scales: dict[tuple[str, bytes, bytes], ScoreScale] = {}
        self._grounds: dict[tuple[str, bytes], _Ground] = {}

    def of(self, truth: PopulationTruth, used: NDArray[np.intp], k: Array) -> ScoreScale:
        ground = self.ground(truth, used)
        key = (truth.question.name, k.tobytes(), ground.p.tobytes())
        if key not in self._scales:
            name = list(truth.question.name.encode())
            rng = np.random.default_rng([self.seed, *name, *(0 if np.isinf(v) else int(v) for v in k)])
            self._scales[key] = measure.scale_of(ground.p, ground.w, ground.draws, k, rng, _distance(truth))
        return self._scales[key]

    def ground(self, truth: PopulationTruth, used: NDArray[np.intp]) -> _Ground:
        key = (truth.question.name, truth.probs[used].tobytes())
        if key not in self._grounds:
            rng = np.random.default_rng([self.seed, *truth.question.name.encode(), self.n_mc])
            self._grounds[key] = _ground(truth, used, self.n_mc, rng)
        return self._grounds[key]


def score_answers(
    truth: PopulationTruth,
    answers: Mapping[str, Answer],
    *,
    rng: np.random.Generator,
    scales: Scales | None = None,
    respondent: str = "",
    mode: str = "",
) -> TaskScore:
    """answers: one a condition of the truth; a condition without one is missing (failed)."""
    question = truth.question
    strange = [condition for condition in answers if condition not in truth.conditions and condition not in truth.thin]
    if strange:
        near = nearest(strange[0], truth.conditions)
        raise DataError(
            f"an answer of task {question.name!r} must be to one of its conditions, got {strange[0]!r}. {near}"
        )
    ordered = [answers.get(condition) or Answer(None, Status.FAILED) for condition in truth.conditions]
    statuses = {
        c: Status.UNREADABLE if one.distribution is None and one.status is Status.OK else one.status
        for c, one in zip(truth.conditions, ordered, strict=True)
    }
    masses = [answer.mass for answer in ordered if answer.mass is not None]
    said = TaskScore(
        question.name, question.source, respondent, mode, Counter(statuses.values()).most_common(1)[0][0], {}, statuses,
        replies=dict(sum((Counter(answer.counts) for answer in ordered), Counter[Status]())),
        mass=float(np.mean(masses)) if masses else None,
    )  # fmt: skip
    used = np.array([c for c, status in enumerate(statuses.values()) if status is Status.OK], dtype=np.intp)
    if not len(used):
        return replace(said, measures=dict.fromkeys(MEASURES, Measured(None, None, said.status)))
    q = np.array([_align_levels(ordered[c].distribution, truth) for c in used])
    k = np.array([np.inf if ordered[c].draws is None else ordered[c].draws for c in used], dtype=np.float64)
    scales = scales or Scales(int(rng.integers(2**31)))
    ground, scale = scales.ground(truth, used), scales.of(truth, used, k)
    return replace(
        said, status=Status.OK, measures=_all_measures(truth, used, q, k, scales, rng), scale=scale,
        answered=float(truth.weights[used].sum()), draws=None if np.isinf(k).all() else float(k.min()),
        informative=scale.informative, flat=bool(ground.far["marginal"].value <= scale.best),
    )  # fmt: skip


def _ground(truth: PopulationTruth, used: NDArray[np.intp], n_mc: int, rng: np.random.Generator) -> _Ground:
    everything = len(used) == len(truth.conditions)
    draws = truth.draws if everything else np.ascontiguousarray(truth.draws[:, used])
    p, n, w = truth.probs[used], truth.n_eff[used], truth.weights[used] / truth.weights[used].sum()
    references = {"uniform": np.full_like(p, 1 / p.shape[1]), "marginal": np.tile(truth.marginal, (len(p), 1))}
    distance = _distance(truth)
    far = {name: _debias(distance(p, r, w), distance(draws, r, w)) for name, r in references.items()}
    monte_carlo = measure.multinomial(p, np.full(len(p), n_mc), len(draws), rng)
    best = {
        "score_original": measure.ceiling(p, w, draws, distance),
        "score_document": measure.ceiling(p, w, monte_carlo, distance),
    }
    entropy = _Pair(measure.entropy(p, w), measure.entropy(draws, w))
    return _Ground(p, w, n, draws, entropy, far, best)


def _distance(truth: PopulationTruth) -> measure.Distance:
    return measure.wasserstein if truth.numeric else measure.l1


def _twice(n: Array) -> Array:
    """The n whose noise is twice that of n: a bootstrap draw holds the noise of the sample and its own."""
    return (n - 1) / 2 + 1


def _all_measures(
    truth: PopulationTruth, used: NDArray[np.intp], q: Array, k: Array, scales: Scales, rng: np.random.Generator
) -> dict[str, Measured]:
    ground, scale = scales.ground(truth, used), scales.of(truth, used, k)
    p, w, n, drawn_p = ground.p, ground.w, ground.n, ground.draws
    drawn_q = q if np.isinf(k).all() else measure.poisson_bootstrap(q, k, len(drawn_p), rng)
    off = _distance(truth)
    distance = _debias(off(p, q, w), off(drawn_p, drawn_q, w))
    shares = [np.cumsum(one, axis=-1) if truth.numeric else one for one in (p, q, drawn_p, drawn_q)]
    cells = p.shape[1] if truth.numeric else 1
    pairs = {
        "d2": _Pair(
            measure.d2(shares[0], shares[1], w, n, k) / cells,
            measure.d2(shares[2], shares[3], w, _twice(n), _twice(k)) / cells,
        ),
        **{f"skill_{name}": _skill(distance, far) for name, far in ground.far.items()},
    }
    measures = dict.fromkeys(MEASURES, UNINFORMATIVE)
    if truth.numeric:
        measures |= dict.fromkeys(("tv", "js"), Measured(None, None, Status.DEGENERATE, "a number"))
    else:
        pairs["tv"] = _Pair(distance.value / 2, distance.drawn / 2)
        pairs["js"] = _debias(
            measure.jensen_shannon(p, q, w, ground.entropy.value),
            measure.jensen_shannon(drawn_p, drawn_q, w, ground.entropy.drawn),
        )
    measures["w1"] = Measured(None, None, Status.DEGENERATE, "not ordinal")
    if truth.ordinal:
        pairs["w1"] = _debias(measure.wasserstein(p, q, w), measure.wasserstein(drawn_p, drawn_q, w))
    ends = _quantiles(pairs)
    measures |= {name: _with_interval(name, pair.value, ends[name]) for name, pair in pairs.items()}
    reach = np.append(ends["w1"] if truth.numeric else 2 * ends["tv"], distance.value)
    if scale.informative:
        measures["score"] = _on_scale(scale.score(reach))
    worst = float(ground.far["uniform"].value)
    measures |= {name: _on_scale(measure.clipped_scale(reach, best, worst)) for name, best in ground.best.items()}
    return measures


def _debias(value: Array, drawn: Array) -> _Pair:
    """Draws moved by twice their bias: noise makes a distance longer, once in the data and once more in the draws."""
    return _Pair(value, drawn - 2 * (drawn.mean() - value))


def _skill(distance: _Pair, reference: _Pair) -> _Pair:
    return _Pair(measure.skill(distance.value, reference.value), measure.skill(distance.drawn, reference.drawn))


def _quantiles(pairs: Mapping[str, _Pair]) -> dict[str, Array]:
    """Both ends of the middle 95 % of each measure's draws: one sort for all, draws without a value at the end."""
    drawn = np.sort(np.stack([pair.drawn for pair in pairs.values()]), axis=1)
    last = np.count_nonzero(~np.isnan(drawn), axis=1) - 1
    middle = {}
    for name, row, top in zip(pairs, drawn, last, strict=True):
        at = np.array([(1 - LEVEL) / 2, (1 + LEVEL) / 2]) * top
        middle[name] = np.interp(at, np.arange(top + 1), row[: top + 1]) if top >= 0 else np.full(2, np.nan)
    return middle


def _with_interval(name: str, value: Array, ends: Array) -> Measured:
    if not np.isfinite(value):
        return Measured(None, None, Status.DEGENERATE, "nothing to divide by")
    if not np.isfinite(ends).all():
        return Measured(float(value))
    if np.ptp([*ends, value]) <= 1e-12:  # so by construction, as the skill of a reference against itself
        return Measured(float(value))
    low, high = np.clip(ends, *POSSIBLE[name])
    # an interval that left its own estimate out would be right about the bias and no use to a reader
    return Measured(float(value), Interval(float(min(low, value)), float(max(high, value)), LEVEL, "mean"))


def _on_scale(ends: Array) -> Measured:
    """ends: the score at both ends of the distance, and at the distance itself."""
    if not np.isfinite(ends).all():
        return UNINFORMATIVE
    return Measured(float(ends[2]), Interval(float(ends.min()), float(ends.max()), LEVEL, "mean"))


def _align_levels(distribution: Distribution | None, truth: PopulationTruth) -> Array:
    """(L,) in the order of the truth's levels; a level that the answer does not name has probability 0."""
    assert distribution is not None
    named = dict(zip(distribution.levels, distribution.probs, strict=True))
    strange = [str(level) for level in named if level not in truth.levels]
    if strange:
        raise DataError(
            f"an answer of task {truth.question.name!r} must be over its levels ({listed(truth.levels)}), got "
            f"{strange[0]!r}."
        )
    return np.array([named.get(level, 0.0) for level in truth.levels])
