"""One respondent on one question: every measure with its interval, or the reason why it has none.

The formulas stand in measures/distributions.py. The distance is taken over the conditions that were answered, by their
weights, and every reference (uniform, marginal, best, worst) over the same ones; `answered` says how much of the
population that is. Nothing that was not answered counts as a level, as uniform, or as wrong.

Intervals: 2,000 draws of p* (the truth's bootstrap) and q* = Mult(k, q)/k (q itself for a claim).

    distances, skills and scores    basic bootstrap [2 t - Q.975 t*, 2 t - Q.025 t*]: noise makes every distance longer,
                                    in t* as in t, and reflecting takes that off; ends outside the possible are cut
    D2, change, slope               percentiles, the noise of both stages taken off
    direction                       percentiles

`uninformative`: at k draws a perfect and a uniform sampler cannot be told apart; `score` is then missing (degenerate),
and the other measures stand. `flat`: the marginal cannot be told from the truth, so there is no dependence to know.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from assay.datasets.microdata import nearest
from assay.errors import DataError, listed
from assay.intervals import Distribution, Interval
from assay.measures import distributions as measure
from assay.measures.distributions import Scale
from assay.population.answers import Answer
from assay.population.questions import Question
from assay.population.truth import Truth
from assay.status import Status

Array = NDArray[np.float64]

MEASURES = (
    "score", "score_raw", "score_w1", "score_original", "skill_uniform", "skill_marginal", "skill_d2_uniform",
    "skill_d2_marginal", "tv", "js", "w1", "d2", "direction", "change", "calibration_slope",
)  # fmt: skip
LEVEL = 0.95
_FINITE = (-np.inf, np.inf)


@dataclass(frozen=True)
class Measured:
    """A value with its interval, or the status that says why there is none."""

    value: float | None
    interval: Interval | None = None
    status: Status = Status.OK


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
    answered: float  # share of the population whose condition was answered
    draws: float | None  # k, the fewest over the conditions; None for claims
    informative: bool
    flat: bool
    scale: Scale | None
    replies: Mapping[Status, int] = field(default_factory=dict)
    mass: float | None = None  # mean probability on the option letters

    def value(self, name: str) -> float:
        """NaN where it is missing: for tables."""
        found = self.measures[name].value
        return float("nan") if found is None else found


class Scales:
    """The ends of the score by task and k: simulated once, whoever is scored.

    The draws follow from `seed`, the task and k alone, so that the order of scoring changes nothing.
    """

    def __init__(self, seed: int, draws: int = 2_000):
        self.seed = seed
        self.draws = draws
        self._found: dict[tuple[str, str, bytes, bytes], Scale] = {}

    def of(self, truth: Truth, used: NDArray[np.intp], k: Array, ordinal: bool = False) -> Scale:
        key = (truth.question.name, "w1" if ordinal else "l1", k.tobytes(), truth.probs[used].tobytes())
        if key not in self._found:
            words = [byte for text in key[:2] for byte in text.encode()]
            rng = np.random.default_rng([self.seed, *words, *(0 if np.isinf(v) else int(v) for v in k)])
            distance = measure.wasserstein if ordinal else measure.l1
            self._found[key] = measure.scale_of(
                truth.probs[used], truth.weights[used], truth.n_eff[used], k, self.draws, rng, distance
            )
        return self._found[key]


def score_answers(
    question: Question,
    truth: Truth,
    answers: Mapping[str, Answer],
    *,
    rng: np.random.Generator,
    scales: Scales | None = None,
    respondent: str = "",
    mode: str = "",
) -> TaskScore:
    """answers: one a condition of the truth; a condition without one is missing (failed)."""
    strange = [condition for condition in answers if condition not in truth.conditions and condition not in truth.thin]
    if strange:
        near = nearest(strange[0], truth.conditions)
        raise DataError(
            f"an answer of task {question.name!r} must be to one of its conditions, got {strange[0]!r}. {near}"
        )
    found = [answers.get(condition) or Answer(None, Status.FAILED) for condition in truth.conditions]
    statuses = {c: _status(answer) for c, answer in zip(truth.conditions, found, strict=True)}
    replies: Counter[Status] = Counter()
    for answer in found:
        replies.update(answer.counts)
    used = np.array([c for c, status in enumerate(statuses.values()) if status is Status.OK], dtype=np.intp)
    masses = [answer.mass for answer in found if answer.mass is not None]
    mass = float(np.mean(masses)) if masses else None
    if not len(used):
        status = Counter(statuses.values()).most_common(1)[0][0]
        nothing = {name: Measured(None, None, status) for name in MEASURES}
        return TaskScore(
            question.name, question.source, respondent, mode, status, nothing, statuses, 0.0, None, False, False, None,
            dict(replies), mass,
        )  # fmt: skip
    q = np.array([_aligned(found[c].distribution, truth, question) for c in used])
    k = np.array([np.inf if found[c].draws is None else found[c].draws for c in used], dtype=np.float64)
    scales = scales or Scales(int(rng.integers(2**31)), len(truth.draws))
    scale = scales.of(truth, used, k)
    measures, flat = _measured(truth, used, q, k, scales, rng)
    return TaskScore(
        question.name, question.source, respondent, mode, Status.OK, measures, statuses,
        float(truth.weights[used].sum()), None if np.isinf(k).all() else float(k.min()), scale.informative, flat, scale,
        dict(replies), mass,
    )  # fmt: skip


def reference_answers(truth: Truth, name: str) -> dict[str, Answer]:
    """What `uniform`, `marginal` and `oracle` (the truth itself) would answer: claims, without draws."""
    rows: dict[str, Array] = {
        "uniform": np.full_like(truth.probs, 1 / len(truth.levels)),
        "marginal": np.broadcast_to(truth.marginal, truth.probs.shape),
        "oracle": truth.probs,
    }
    if name not in rows:
        raise DataError(f"a reference of a population study must be one of {listed(rows)}, got {name!r}.")
    return {
        condition: Answer(Distribution(truth.levels, tuple((row / row.sum()).tolist())))
        for condition, row in zip(truth.conditions, rows[name], strict=True)
    }


def _measured(
    truth: Truth, used: NDArray[np.intp], q: Array, k: Array, scales: Scales, rng: np.random.Generator
) -> tuple[dict[str, Measured], bool]:
    p, w, n = truth.probs[used], truth.weights[used], truth.n_eff[used]
    w = w / w.sum()
    drawn_p = truth.draws[:, used]
    drawn_q = q if np.isinf(k).all() else measure.sampled(q, k, len(drawn_p), rng)
    uniform, marginal = np.full_like(p, 1 / p.shape[1]), np.broadcast_to(truth.marginal, p.shape)
    marginal = marginal / marginal.sum(axis=1, keepdims=True)
    distance, drawn = measure.averaged(measure.l1(p, q), w), measure.averaged(measure.l1(drawn_p, drawn_q), w)
    scale = scales.of(truth, used, k)
    found = {
        "tv": _basic(distance / 2, drawn / 2, (0, 1)),
        "score": _scored(scale, distance, drawn, clip=True),
        "score_raw": _scored(scale, distance, drawn, clip=False),
        "score_original": _original(p, q, w, drawn_p, distance, drawn),
        "js": _basic(
            measure.averaged(measure.jensen_shannon(p, q), w),
            measure.averaged(measure.jensen_shannon(drawn_p, drawn_q), w),
            (0, 1),
        ),
    }
    for name, reference in (("uniform", uniform), ("marginal", marginal)):
        far = measure.averaged(measure.l1(p, reference), w)
        drawn_far = measure.averaged(measure.l1(drawn_p, reference), w)
        found[f"skill_{name}"] = _basic(measure.skill(distance, far), measure.skill(drawn, drawn_far), (-np.inf, 1))
        if name == "marginal":
            flat = bool(far <= scale.best)
    # a bootstrap draw holds the noise of the sample and its own: taking off twice as much is (n - 1)/2 for n - 1
    n2, k2 = (n - 1) / 2 + 1, (k - 1) / 2 + 1
    claimed = np.full_like(n, np.inf)
    square = measure.averaged(measure.squared(p, q, n, k), w)
    drawn_square = measure.averaged(measure.squared(drawn_p, drawn_q, n2, k2), w)
    found["d2"] = _percentile(square, drawn_square, (-np.inf, 2))
    for name, reference in (("uniform", uniform), ("marginal", marginal)):
        far = measure.averaged(measure.squared(p, reference, n, claimed), w)
        drawn_far = measure.averaged(measure.squared(drawn_p, reference, n2, claimed), w)
        found[f"skill_d2_{name}"] = _percentile(measure.skill(square, far), measure.skill(drawn_square, drawn_far))
    found["direction"] = _percentile(measure.direction(p, q, w), measure.direction(drawn_p, drawn_q, w))
    found["change"] = _percentile(measure.change(p, q, w, n), measure.change(drawn_p, drawn_q, w, n2))
    found["calibration_slope"] = _percentile(
        measure.calibration_slope(p, q, w, k), measure.calibration_slope(drawn_p, drawn_q, w, k2)
    )
    found["w1"] = found["score_w1"] = Measured(None, None, Status.DEGENERATE)
    if truth.ordinal:
        moved, drawn = (measure.averaged(measure.wasserstein(*pair), w) for pair in ((p, q), (drawn_p, drawn_q)))
        found["w1"] = _basic(moved, drawn, (0, 1))
        found["score_w1"] = _scored(scales.of(truth, used, k, ordinal=True), moved, drawn, clip=True)
    return found, flat


def _scored(scale: Scale, distance: Array, drawn: Array, clip: bool) -> Measured:
    if not scale.informative:
        return Measured(None, None, Status.DEGENERATE)
    low, high = (float(end) for end in 2 * distance - np.quantile(drawn, [(1 + LEVEL) / 2, (1 - LEVEL) / 2]))
    ends = scale.raw(np.array([high, low, float(distance)]))
    ends = np.clip(ends, 0, 100) if clip else ends
    return Measured(float(ends[2]), Interval(float(ends[0]), float(ends[1]), LEVEL, "mean"))


def _original(p: Array, q: Array, w: Array, drawn_p: Array, distance: Array, drawn: Array) -> Measured:
    value = measure.score_original(p, q, w, drawn_p)
    if np.isnan(value):
        return Measured(None, None, Status.DEGENERATE)
    worst = float(measure.averaged(measure.l1(np.full_like(p, 1 / p.shape[1]), p), w))
    best = float(np.quantile(measure.averaged(measure.l1(drawn_p, p), w), measure.CEILING))
    ends = 2 * distance - np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    low, high = np.sort(100 * np.clip((ends - worst) / (best - worst), 0, 1))
    return Measured(value, Interval(float(low), float(high), LEVEL, "mean"))


def _basic(value: Array, drawn: Array, bounds: tuple[float, float] = _FINITE) -> Measured:
    if not np.isfinite(value):
        return Measured(None, None, Status.DEGENERATE)
    drawn = drawn[np.isfinite(drawn)]
    if not len(drawn):
        return Measured(float(value))
    low, high = np.clip(2 * value - np.quantile(drawn, [(1 + LEVEL) / 2, (1 - LEVEL) / 2]), *bounds)
    return Measured(float(value), Interval(float(low), float(high), LEVEL, "mean"))


def _percentile(value: Array, drawn: Array, bounds: tuple[float, float] = _FINITE) -> Measured:
    if not np.isfinite(value):
        return Measured(None, None, Status.DEGENERATE)
    drawn = drawn[np.isfinite(drawn)]
    if not len(drawn):
        return Measured(float(value))
    low, high = np.clip(np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]), *bounds)
    return Measured(float(value), Interval(float(low), float(high), LEVEL, "mean"))


def _status(answer: Answer) -> Status:
    if answer.distribution is None and answer.status is Status.OK:
        return Status.UNREADABLE
    return answer.status


def _aligned(distribution: Distribution | None, truth: Truth, question: Question) -> Array:
    """(L,) in the order of the truth's levels; a level that the answer does not name has probability 0."""
    assert distribution is not None
    if distribution.levels == truth.levels:
        return np.array(distribution.probs)
    named = dict(zip(distribution.levels, distribution.probs, strict=True))
    strange = [str(level) for level in named if level not in truth.levels]
    if strange:
        raise DataError(
            f"an answer of task {question.name!r} must be over its levels ({listed(truth.levels)}), got {strange[0]!r}."
        )
    return np.array([named.get(level, 0.0) for level in truth.levels])
