"""Steps: each corruption of one kind, its card, and the order in which they are done. z (n, d) in standard units.

    regimes -> bias -> noise -> outliers -> drift -> mask

    additive_bias         z_j + b_j,                 b_j ~ U(-s, s)         one offset a column
    multiplicative_bias   z_j f_j,                   f_j ~ U(1 - s, 1 + s)  one factor a column
    cubic_bias            z + s z^3                                         a sensor that is not linear
    noise                 z + s e,                   e ~ N(0, 1)
    heteroscedastic_noise z + s (1 + |z|) e
    outliers              z +- size in a share s of the cells
    drift                 z_t + g_t,                 g_t = r g_{t-1} + s e_t,  r = .999
    mcar                  every cell is missing with probability s
    mnar_self             P(x_j missing) = sigmoid(a_j + b z_j)                     large values go missing
    mnar_threshold        values above the (1 - s) quantile of their column are missing
    mnar_structural       P(x_j missing) = sigmoid(a_j + b sum_i z_i / sqrt(k)) of the k true parents i; roots: mcar
    mnar_decoy            the same with two columns drawn at random in place of the parents
    sensor_failure        stretches of rows, on average n / 50 long, in one column at a time

s is `strength`: of a mask the share of cells that go missing, on average (a_j is solved for that; b = 2). A learner
that standardises its columns does not see the first two. mnar_structural is built from the true graph, so whoever looks
at what is missing can read off the edges. It is the original's; mnar_decoy is as hard on the data and tells nothing.
Each step draws from its own stream, default_rng([seed, place of the step in STEPS]): adding a step leaves what the
others do as it is, and the same seed at two strengths gives paired rows for a curve of degradation. Sums with e are
drawn in single precision: twice as fast, and an error of 1e-7 in noise is noise.
Rubin (1976); Mohan & Pearl (2021) for masks that depend on other variables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.errors import SettingError, did_you_mean, listed

Array = NDArray[np.float64]
PERSISTENCE = 0.999  # r of the drift: it forgets over a thousand rows
_AT_ONCE = 32_768  # values of a column that stay in the cache together
Mask = NDArray[np.bool_]
STEEPNESS = 2.0  # b: two standard deviations move the odds of being missing by e^4
DECOYS = 2
_SAMPLE = 4000  # rows that tell where the share of missing cells is p
Stage = Literal["regimes", "bias", "noise", "outliers", "drift", "mask"]
STAGES: tuple[Stage, ...] = ("regimes", "bias", "noise", "outliers", "drift", "mask")


def stretches(z: Array) -> Iterator[Array]:
    """Views of z, column by column, each a piece that stays in the cache. z is in column order."""
    for column in z.T:
        for start in range(0, len(column), _AT_ONCE):
            yield column[start : start + _AT_ONCE]


def additive_bias(z: Array, strength: float, rng: Generator) -> None:
    z += rng.uniform(-strength, strength, z.shape[1])


def multiplicative_bias(z: Array, strength: float, rng: Generator) -> None:
    z *= rng.uniform(1 - strength, 1 + strength, z.shape[1])


def cubic_bias(z: Array, strength: float, rng: Generator) -> None:
    for part in stretches(z):
        part += strength * part * part * part


def noise(z: Array, strength: float, rng: Generator) -> None:
    for part in stretches(z):
        part += np.float32(strength) * rng.standard_normal(len(part), dtype=np.float32)


def heteroscedastic_noise(z: Array, strength: float, rng: Generator) -> None:
    for part in stretches(z):
        spread = np.abs(part)
        spread += 1.0
        spread *= np.float32(strength) * rng.standard_normal(len(part), dtype=np.float32)
        part += spread


def outliers(z: Array, strength: float, rng: Generator, size: float = 5.0) -> None:
    """Cells are drawn by their number, with repeats: the share is `strength` less what is drawn twice."""
    for column in z.T:
        count = rng.binomial(len(column), strength)
        rows = rng.integers(0, len(column), count)
        column[rows] += np.where(rng.integers(0, 2, count, dtype=np.int8), size, -size)


def drift(z: Array, strength: float, rng: Generator) -> None:
    from scipy.signal import lfilter

    for column in z.T:
        carried = np.zeros(1)
        for part in stretches(column[:, None]):
            steps = np.float32(strength) * rng.standard_normal(len(part), dtype=np.float32)
            moved, carried = lfilter([1.0], [1.0, -PERSISTENCE], steps.astype(np.float64), zi=carried)
            part += moved


def mcar(z: Array, strength: float, rng: Generator) -> Mask:
    # 16 bits a cell: the share is p to one part in 65,536, in a quarter of the time
    return (rng.integers(0, 2**16, z.T.shape, dtype=np.uint16) < round(strength * 2**16)).T


def mnar_self(z: Array, strength: float, rng: Generator) -> Mask:
    missing = np.empty(z.shape, dtype=np.bool_, order="F")
    for j in range(z.shape[1]):
        missing[:, j] = _logistic(z[:, j], strength, rng)
    return missing


def mnar_threshold(z: Array, strength: float, rng: Generator) -> Mask:
    if strength == 0:
        return np.zeros(z.shape, dtype=np.bool_, order="F")
    above: Mask = z > np.nanquantile(z, 1 - strength, axis=0)
    return above


def mnar_structural(z: Array, strength: float, rng: Generator, parents: NDArray[np.bool_]) -> Mask:
    """parents[i, j]: i -> j in the true graph."""
    missing = np.empty(z.shape, dtype=np.bool_, order="F")
    for j in range(z.shape[1]):
        causes = np.flatnonzero(parents[:, j])
        if len(causes):
            missing[:, j] = _logistic(z[:, causes].sum(axis=1) / math.sqrt(len(causes)), strength, rng)
        else:
            missing[:, j] = mcar(z[:, j], strength, rng)
    return missing


def mnar_decoy(z: Array, strength: float, rng: Generator) -> Mask:
    d = z.shape[1]
    decoys = np.zeros((d, d), dtype=np.bool_)
    for j in range(d):
        others = np.delete(np.arange(d), j)
        decoys[rng.choice(others, size=min(DECOYS, d - 1), replace=False), j] = True
    return mnar_structural(z, strength, rng, decoys)


def sensor_failure(z: Array, strength: float, rng: Generator) -> Mask:
    n, d = z.shape
    length = max(1, n // 50)
    # stretches overlap: with m of them at random places a share 1 - (1 - length / n)^m is covered
    count = math.ceil(math.log1p(-strength) / math.log1p(-min(length / n, 0.5))) if strength else 0
    missing = np.zeros((n, d), dtype=np.bool_, order="F")
    for j in range(d):
        for start in rng.integers(0, n, count):
            stop = start + int(rng.integers(1, 2 * length))
            missing[start:stop, j] = True
            missing[: max(0, stop - n), j] = True  # what runs over the end begins again: no row is safer
    return missing


def _logistic(driver: Array, share: float, rng: Generator) -> Mask:
    """Missing with probability sigmoid(a + b driver), a such that the mean probability is `share`.

    u < sigmoid(a + b x) is logit(u) < a + b x; instead of a logarithm a cell, the sorted threshold of x for each of
    65,536 values of u is looked up.
    """
    if not share:
        return np.zeros(len(driver), dtype=np.bool_)
    known = driver[:: max(1, len(driver) // _SAMPLE)]
    level = _intercept(STEEPNESS * known[np.isfinite(known)], share)
    bound = ((_logits() - level) / STEEPNESS).astype(np.float32)
    # a gap that is there already drives nothing: the comparison with NaN is false
    return np.take(bound, rng.integers(0, 2**16, len(driver), dtype=np.uint16)) < driver


@cache
def _logits() -> Array:
    """logit(u) of u = (k + 1/2) / 2^16."""
    u = np.arange(0.5, 2**16) / 2**16
    return np.asarray(np.log(u) - np.log1p(-u))


def _intercept(slope: Array, share: float) -> float:
    """a with mean sigmoid(a + slope) = share, by bisection."""
    from scipy.special import expit

    if not len(slope):
        return 0.0
    low, high = -40.0 - float(slope.max()), 40.0 - float(slope.min())
    for _ in range(40):
        middle = (low + high) / 2
        if float(expit(middle + slope).mean()) < share:
            low = middle
        else:
            high = middle
    return (low + high) / 2


@dataclass(frozen=True)
class StepCard:
    """What people may know of a step. `strength` says what the number means, [low, high] where it may lie."""

    name: str
    stage: Stage
    summary: str
    strength: str
    high: float
    low: float = 0.0
    uses_graph: bool = False
    whole: bool = False  # the strength is a count
    settings: tuple[str, ...] = ()


_SHARE = "share of the cells that go missing"
_CARDS: tuple[tuple[StepCard, Callable[..., Mask | None] | None], ...] = (
    (StepCard("regimes", "regimes", "hard interventions on 1 to 3 nodes, block by block",
              "number of regimes, the first without intervention", 100, low=1, whole=True), None),
    (StepCard("additive_bias", "bias", "one offset a column", "largest offset, in sd", 10), additive_bias),
    (StepCard("multiplicative_bias", "bias", "one factor a column", "factors are 1 - s to 1 + s", 0.99),
     multiplicative_bias),
    (StepCard("cubic_bias", "bias", "a sensor that is not linear: z + s z^3", "weight of the cube", 10),
     cubic_bias),
    (StepCard("noise", "noise", "Gaussian noise", "sd of the noise, in sd of the column", 10), noise),
    (StepCard("heteroscedastic_noise", "noise", "noise that grows with the value, sd s (1 + |z|)", "sd at 0", 10),
     heteroscedastic_noise),
    (StepCard("outliers", "outliers", "single values thrown up or down", "share of the cells", 0.5, settings=("size",)),
     outliers),
    (StepCard("drift", "drift", "AR(1) drift of every column", "sd of one step, in sd of the column", 1), drift),
    (StepCard("mcar", "mask", "missing completely at random", _SHARE, 0.95), mcar),
    (StepCard("mnar_self", "mask", "large values go missing more often", _SHARE, 0.95), mnar_self),
    (StepCard("mnar_threshold", "mask", "the largest values are missing", _SHARE, 0.95), mnar_threshold),
    (StepCard("mnar_structural", "mask", "values go missing with those of the true parents", _SHARE, 0.95,
              uses_graph=True), mnar_structural),
    (StepCard("mnar_decoy", "mask", "values go missing with those of columns drawn at random", _SHARE, 0.95),
     mnar_decoy),
    (StepCard("sensor_failure", "mask", "a sensor is silent for a stretch of rows", _SHARE, 0.95),
     sensor_failure),
)  # fmt: skip

STEPS: Mapping[str, StepCard] = MappingProxyType({card.name: card for card, _ in _CARDS})
"""The card of every step, in the order in which steps are done."""
_FUNCTIONS = {card.name: function for card, function in _CARDS}
_PLACES = {name: place for place, name in enumerate(STEPS)}


@dataclass(frozen=True)
class Step:
    """A step with its strength, e.g. Step("outliers", 0.03, {"size": 5})."""

    name: str
    strength: float
    settings: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.name not in STEPS:
            nearest = did_you_mean(self.name, STEPS) or f"There are {listed(STEPS, 20)}."
            raise SettingError(f"{self.name!r} is not a step of a corruption. {nearest}")
        card = self.card
        for key in self.settings:
            if key not in card.settings:
                raise SettingError(
                    f"{key!r} is not a setting of {self.name}. It has: {listed(card.settings) or 'none'}."
                )
        strength = self.strength
        if not (math.isfinite(strength) and card.low <= strength <= card.high):
            raise SettingError(
                f"'strength' of {self.name} must be in [{card.low:g}, {card.high:g}] ({card.strength}), "
                f"got {strength:g}."
            )
        if card.whole and strength != int(strength):
            raise SettingError(f"'strength' of {self.name} must be a whole number ({card.strength}), got {strength:g}.")

    @property
    def card(self) -> StepCard:
        return STEPS[self.name]

    def rng(self, seed: int) -> Generator:
        return np.random.default_rng([seed, _PLACES[self.name]])

    def apply(self, z: Array, seed: int, **more: object) -> Mask | None:
        """Values are changed in place (None comes back); a mask is handed back."""
        function = _FUNCTIONS[self.name]
        assert function is not None  # regimes are done by the corruption: they need the system
        return function(z, self.strength, self.rng(seed), **self.settings, **more)

    def __str__(self) -> str:
        more = "".join(f", {key} {value:g}" for key, value in self.settings.items())
        return f"{self.name} {self.strength:g}{more}"
