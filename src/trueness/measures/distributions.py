"""Distributions against distributions, over conditions: arrays in, arrays out. NaN is a measure without a value.

p (truth) and q (answer): (..., C, L), each row of L levels sums to 1; w: (C,) weights of the conditions, sum to 1;
n: (C,) effective rows behind p; k: (C,) draws behind q, inf for a claimed one. u is uniform, m = sum_c w_c p_c.

    L1         sum_c w_c ||q_c - p_c||_1                      TV = L1 / 2                       0 best, 2 (TV: 1) worst
    JS         sum_c w_c (KL(p||a) + KL(q||a)) / 2 in bits, a = (p + q)/2                       0 best, 1 worst
    W1         sum_c w_c sum_l |F_q(l) - F_p(l)| (x_{l+1} - x_l) / (x_L - x_1)                  0 best, 1 worst; ordinal
    D2         sum_c w_c (||p_c - q_c||^2 - sum p(1-p)/(n-1) - sum q(1-q)/(k-1))              unbiased, may be negative
    skill      1 - D(q, p) / D(r, p), r = u or m              1 perfect, 0 as the reference, negative worse; not clipped

Three scores on one scale (100: cannot be told from the truth, 0: nor from uniform guessing), of which two are theirs:

    score_document  100 clip((D - worst)/(best - worst), 0, 1),    worst = L1(u, p)
                                    best  = Q.975 L1(Mult(n_mc, p)/n_mc, p)
    score_original  the same with   best  = Q.975 L1(p*, p), p* bootstrap: the code that was published later
    score           the same with   best  = Q.975 L1(Mult(k, p)/k, p*)     a perfect sampler of k draws
                                    worst = Q.025 L1(Mult(k, u)/k, p*)     a uniform sampler of k draws
                    (a simple random sample of n rows has p* = Mult(n, p)/n; weights and clusters make n the n_eff)

The published ceiling knows nothing of k: a perfect sampler of (.45, .55) known from 5,000 rows gets 18, 47 and 92 from
20, 100 and 1,000 draws. The document's forgets that the truth is a sample, and both have a floor without noise. Where a
truth is so near to uniform that best >= worst, (D - worst)/(best - worst) rewards distance: such a task has no score by
any of the three. With k on both sides it averages 98 and more and a uniform one 2 or less, wherever the two can
be told apart: a task is `informative` at that k when simulated samplers do so, else its score would be a coin flip.
Endres & Schindelin (2003) for JS; the bias of D2: sampling adds sum p(1-p)/n to ||p - q||^2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

Array = NDArray[np.float64]
Distance = Callable[[Array, Array, Array], Array]  # p, q, w -> (...)

PERFECT, UNIFORM = 98.3, 1.7  # of the simulated samplers on an informative task: 98 and 2 with room for their own error
CEILING = 0.975


def l1(p: Array, q: Array, w: Array) -> Array:
    """(...): the sum of absolute differences, in [0, 2]."""
    return _weighted_sum(np.abs(p - q), w)


def jensen_shannon(p: Array, q: Array, w: Array, entropy_of_p: Array | None = None) -> Array:
    """(...): the divergence in bits, in [0, 1]; H((p + q)/2) - (H(p) + H(q))/2 is the same and has no 0/0."""
    of_p = entropy(p, w) if entropy_of_p is None else entropy_of_p
    return np.asarray(np.maximum(entropy((p + q) / 2, w) - (of_p + entropy(q, w)) / 2, 0.0))


def entropy(p: Array, w: Array) -> Array:
    """(...): the mean entropy of the conditions, in bits."""
    return np.asarray(_weighted_sum(entr(p), w) / np.log(2))


def wasserstein(p: Array, q: Array, w: Array, positions: Array | None = None) -> Array:
    """(...): W1 divided by the range of the positions; the levels lie evenly where none are given."""
    levels = p.shape[-1]
    x = np.arange(levels, dtype=np.float64) if positions is None else np.asarray(positions, dtype=np.float64)
    if levels < 2:
        return np.zeros(np.broadcast_shapes(p.shape, q.shape)[:-2])
    steps = np.append(np.diff(x), 0.0) / (x[-1] - x[0])  # beyond the last level both have all their mass
    return _weighted_sum(np.abs(np.cumsum(p - q, axis=-1)) * steps, w)


def d2(p: Array, q: Array, w: Array, n: Array, k: Array) -> Array:
    """(...): D2, unbiased for the mean of ||p - q||^2 where p rests on n rows and q on k draws; NaN for one draw."""
    return _weighted_sum((p - q) ** 2, w) - noise(p, w, n) - noise(q, w, k)


def noise(p: Array, w: Array, n: Array) -> Array:
    """(...): sum_c w_c sum p(1-p)/(n-1), what sampling adds to a squared distance; 0 for n = inf, NaN for n <= 1."""
    n = np.asarray(n, dtype=np.float64)
    if np.isinf(n).all():
        return np.zeros(p.shape[:-2])
    return _weighted_sum(p * (1 - p), w / np.where(n > 1, n - 1, np.nan))


def skill(distance: Array | float, reference: Array | float) -> Array:
    """1 - D/D_ref; NaN where the reference makes no error to be improved on."""
    reference = np.asarray(reference, dtype=np.float64)
    return np.asarray(1 - np.asarray(distance) / np.where(reference > 0, reference, np.nan))


def ceiling(p: Array, w: Array, draws: Array, distance: Distance = l1) -> float:
    """The distance from p that 97.5 % of the draws keep."""
    return float(np.quantile(distance(draws, p, w), CEILING))


def clipped_scale(distance: Array | float, best: float, worst: float) -> Array:
    """100 clip((D - worst)/(best - worst), 0, 1); NaN where the ends have crossed: the farthest would get 100."""
    if best >= worst:
        return np.full(np.shape(distance), np.nan)
    return 100 * np.clip((np.asarray(distance) - worst) / (best - worst), 0.0, 1.0) + 0.0  # no -0


@dataclass(frozen=True)
class ScoreScale:
    """The two ends of our score at k draws, and what the simulated samplers get on it."""

    best: float  # distance of 100
    worst: float  # distance of 0
    perfect: float  # mean score of a perfect sampler
    uniform: float  # mean score of a uniform one

    @property
    def informative(self) -> bool:
        """A perfect and a uniform sampler can be told apart."""
        return self.best < self.worst and self.perfect >= PERFECT and self.uniform <= UNIFORM

    def raw(self, distance: Array | float) -> Array:
        """100 at `best`, 0 at `worst`, beyond both where the distance is; not clipped."""
        return np.asarray(100 * (np.asarray(distance) - self.worst) / (self.best - self.worst))

    def score(self, distance: Array | float) -> Array:
        return np.clip(self.raw(distance), 0.0, 100.0)


def scale_of(
    p: Array, w: Array, draws: Array, k: Array, rng: np.random.Generator, distance: Distance = l1
) -> ScoreScale:
    """Simulate a perfect and a uniform sampler of k draws against a truth that is itself a sample.

    draws: (B, C, L), the truth as other surveys of the same design would have found it: its bootstrap, or Mult(n, p)/n.
    """
    perfect, uniform = (multinomial(x, k, len(draws), rng) for x in (p, np.full_like(p, 1 / p.shape[-1])))
    perfect, uniform = distance(perfect, draws, w), distance(uniform, draws, w)
    best, worst = float(np.quantile(perfect, CEILING)), float(np.quantile(uniform, 1 - CEILING))
    if best >= worst:
        return ScoreScale(best, worst, float("nan"), float("nan"))
    scale = ScoreScale(best, worst, 0.0, 0.0)
    return ScoreScale(best, worst, float(scale.score(perfect).mean()), float(scale.score(uniform).mean()))


def multinomial(p: Array, n: Array, draws: int, rng: np.random.Generator) -> Array:
    """(B, C, L): Mult(n, p)/n; p itself where n is inf. n is rounded to whole draws, at least one."""
    n = np.broadcast_to(np.asarray(n, dtype=np.float64), p.shape[:-1])
    shares = np.broadcast_to(p, (draws, *p.shape)).copy()
    finite = np.isfinite(n)
    if finite.any():
        size = np.maximum(np.rint(n[finite]), 1).astype(np.int64)
        p = p[finite] / p[finite].sum(axis=-1, keepdims=True)
        shares[:, finite] = rng.multinomial(size, p, size=(draws, len(size))) / size[:, None]
    return shares


def poisson_bootstrap(p: Array, n: Array, draws: int, rng: np.random.Generator) -> Array:
    """(B, C, L): p counted again from n draws by a Poisson bootstrap, Poisson(n p) over its sum; p where n is inf.

    Counts of 10 and more are (sqrt(np) + z/2)^2 - 1/4, of mean np and variance np + 1/8 (Anscombe 1948). Four times
    faster than `multinomial`, with a variance larger by 1/n: for intervals, where that errs on the long side.
    """
    n = np.broadcast_to(np.asarray(n, dtype=np.float64), p.shape[:-1])
    shares = np.broadcast_to(p, (draws, *p.shape)).copy()
    finite = np.isfinite(n)
    if not finite.any():
        return shares
    mean = p[finite] * n[finite][:, None]
    many = mean >= 10
    counts = np.empty((draws, *mean.shape))
    counts[:, ~many] = rng.poisson(mean[~many], size=(draws, int((~many).sum())))
    normal = rng.standard_normal((draws, int(many.sum())))
    counts[:, many] = np.maximum((np.sqrt(mean[many]) + normal / 2) ** 2 - 0.25, 0.0)
    total = (counts @ np.ones(p.shape[-1]))[..., None]
    shares[:, finite] = np.where(total > 0, counts / np.where(total > 0, total, 1.0), p[finite])
    return shares


def _weighted_sum(x: Array, w: Array) -> Array:
    """(..., C, L) -> (...): sum_c w_c sum_l x, as one product with a vector."""
    return np.asarray(x.reshape(*x.shape[:-2], -1) @ np.repeat(w, x.shape[-1]))
