"""Corrupted data: named corruptions, each a sequence of small steps with a strength, a seed and a card.

corruption("mcar_40").of(dataset, 500, seed=1, rng=rng)      rows of a data set, corrupted
corruption("compound_full").apply(table, seed=1, truth=dag)  rows of a table; needs the truth for its mask, see there
Corruption("mine", (Step("noise", 0.2), Step("mcar", 0.1)))  one's own
corruption("noise 0.2 + mcar 0.1"), corruption("mcar_40 x 0.5")     the same in a word, and half of a named one
corruptions()                                                rows for `trueness list corruptions`

Steps are done in a fixed order on columns in standard units, z = (x - mean) / sd over what is observed and without
intervention, so that the same strength means the same on a column of 0.01 volts as on one of 1,000 hectopascal:

    regimes -> bias -> noise -> outliers -> drift -> mask         observed = mean + sd z', NaN where missing

    regimes               the system is run again under interventions, with the same noise (observed.py)
    multiplicative_bias   z_j f_j,                   f_j ~ U(1 - s, 1 + s)  one factor a column
    cubic_bias            z + s z^3                                         a sensor that is not linear
    noise                 z + s e,                   e ~ N(0, 1)
    heteroscedastic_noise z + s (1 + |z|) e
    outliers              z +- size in a share s of the cells
    drift                 z_t + g_t,                 g_t = r g_{t-1} + s e_t,  r = .999
    mcar                  every cell is missing with probability s
    mnar_self             P(x_j missing) = sigmoid(a_j + b z_j)                     large values go missing
    mnar_structural       P(x_j missing) = sigmoid(a_j + b sum_i z_i / sqrt(k)) of the k true parents i; roots: mcar
    mnar_decoy            the same with two columns drawn at random in place of the parents
    sensor_failure        stretches of rows, on average n / 50 long, in one column at a time

s is `strength`: of a mask the share of cells that go missing, on average (a_j is solved for that; b = 2). A learner
that standardises its columns does not see a multiplicative bias. mnar_structural is built from the true graph, so
whoever looks at what is missing can read off the edges. It is the original's; mnar_decoy is as hard on the data and
tells nothing, and carries the claims. Each step draws from its own stream, default_rng([seed, number of the step]): the
same seed at two strengths gives paired rows. Sums with e are drawn in single precision: twice as fast, and an error of
1e-7 in noise is noise.
Rubin (1976); Mohan & Pearl (2021) for masks that depend on other variables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.dataset import Dataset
from trueness.datasets.observed import FEWEST, Observed, plan_regimes
from trueness.datasets.series import VAR
from trueness.datasets.synthetic import Synthetic
from trueness.datasets.table import Table
from trueness.errors import DataError, SettingError, UnknownName, did_you_mean, listed
from trueness.graphs import Graph

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Stage = Literal["regimes", "bias", "noise", "outliers", "drift", "mask"]
STAGES: tuple[Stage, ...] = ("regimes", "bias", "noise", "outliers", "drift", "mask")
PERSISTENCE = 0.999  # r of the drift: it forgets over a thousand rows
STEEPNESS = 2.0  # b: two standard deviations move the odds of being missing by e^4
DECOYS = 2
_AT_ONCE = 32_768  # values of a column that stay in the cache together
_SAMPLE = 4000  # rows that tell where the share of missing cells is p
_REVEALS = "the mask is built from the true graph"
_OVERWRITTEN = "regimes overwrite recorded values: their effects on other columns are missing"


# ---- steps: values are changed in place, a mask is handed back; z is (n, d) in column order


def stretches(z: Array) -> Iterator[Array]:
    """Views of z, column by column, each a piece that stays in the cache."""
    for column in z.T:
        for start in range(0, len(column), _AT_ONCE):
            yield column[start : start + _AT_ONCE]


def _normal(part: Array, strength: float, rng: Generator) -> NDArray[np.float32]:
    return np.float32(strength) * rng.standard_normal(len(part), dtype=np.float32)


def multiplicative_bias(z: Array, strength: float, rng: Generator) -> None:
    z *= rng.uniform(1 - strength, 1 + strength, z.shape[1])


def cubic_bias(z: Array, strength: float, rng: Generator) -> None:
    for part in stretches(z):
        part += strength * part * part * part


def noise(z: Array, strength: float, rng: Generator) -> None:
    for part in stretches(z):
        part += _normal(part, strength, rng)


def heteroscedastic_noise(z: Array, strength: float, rng: Generator) -> None:
    for part in stretches(z):
        part += (np.abs(part) + 1.0) * _normal(part, strength, rng)


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
            steps = _normal(part, strength, rng).astype(np.float64)
            moved, carried = lfilter([1.0], [1.0, -PERSISTENCE], steps, zi=carried)
            part += moved


def mcar(z: Array, strength: float, rng: Generator) -> Mask:
    # 16 bits a cell: the share is p to one part in 65,536, in a quarter of the time
    return (rng.integers(0, 2**16, z.T.shape, dtype=np.uint16) < round(strength * 2**16)).T


def mnar_self(z: Array, strength: float, rng: Generator) -> Mask:
    return np.array([_logistic(column, strength, rng) for column in z.T]).T


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

    stream: int  # of the seed
    stage: Stage
    strength: str
    high: float
    summary: str
    function: Callable[..., Mask | None] | None = None  # None of regimes: they need the system
    low: float = 0.0
    uses_graph: bool = False
    settings: tuple[str, ...] = ()


_SHARE = "share of the cells that go missing"
STEPS: Mapping[str, StepCard] = MappingProxyType({
    "regimes": StepCard(0, "regimes", "number of regimes, the first without intervention", 100,
                        "hard interventions on 1 to 3 nodes, block by block", low=1),
    "multiplicative_bias": StepCard(2, "bias", "factors are 1 - s to 1 + s", 0.99, "one factor a column",
                                    multiplicative_bias),
    "cubic_bias": StepCard(3, "bias", "weight of the cube", 10, "a sensor that is not linear: z + s z^3", cubic_bias),
    "noise": StepCard(4, "noise", "sd of the noise, in sd of the column", 10, "Gaussian noise", noise),
    "heteroscedastic_noise": StepCard(5, "noise", "sd at 0", 10, "noise that grows with the value, sd s (1 + |z|)",
                                      heteroscedastic_noise),
    "outliers": StepCard(6, "outliers", "share of the cells", 0.5, "single values thrown up or down", outliers,
                         settings=("size",)),
    "drift": StepCard(7, "drift", "sd of one step, in sd of the column", 1, "AR(1) drift of every column", drift),
    "mcar": StepCard(8, "mask", _SHARE, 0.95, "missing completely at random", mcar),
    "mnar_self": StepCard(9, "mask", _SHARE, 0.95, "large values go missing more often", mnar_self),
    "mnar_structural": StepCard(11, "mask", _SHARE, 0.95, "values go missing with those of the true parents",
                                mnar_structural, uses_graph=True),
    "mnar_decoy": StepCard(12, "mask", _SHARE, 0.95, "values go missing with those of columns drawn at random",
                           mnar_decoy),
    "sensor_failure": StepCard(13, "mask", _SHARE, 0.95, "a sensor is silent for a stretch of rows", sensor_failure),
})  # fmt: skip
"""The card of every step, in the order in which steps are done."""


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
        card, strength = self.card, self.strength
        strange = next((key for key in self.settings if key not in card.settings), None)
        if strange is not None:
            known = listed(card.settings) or "none"
            raise SettingError(f"{strange!r} is not a setting of {self.name}. It has: {known}.")
        whole = self.name != "regimes" or strength == math.floor(strength)
        if not (math.isfinite(strength) and card.low <= strength <= card.high and whole):
            must = f"be in [{card.low:g}, {card.high:g}]" if whole else "be a whole number"
            raise SettingError(f"'strength' of {self.name} must {must} ({card.strength}), got {strength:g}.")

    @property
    def card(self) -> StepCard:
        return STEPS[self.name]

    def rng(self, seed: int) -> Generator:
        return np.random.default_rng([seed, self.card.stream])

    def apply(self, z: Array, seed: int, **more: object) -> Mask | None:
        assert self.card.function is not None
        return self.card.function(z, self.strength, self.rng(seed), **self.settings, **more)

    def __str__(self) -> str:
        more = "".join(f", {key} {value:g}" for key, value in self.settings.items())
        return f"{self.name} {self.strength:g}{more}"


# ---- corruptions


@dataclass(frozen=True)
class CorruptionCard:
    """One line of `trueness list corruptions`, and the label that every result of it carries."""

    name: str
    summary: str
    steps: tuple[str, ...]  # what is done, in order, each with its strength
    uses_graph: bool  # the mask is built from the true parents, so it reveals the graph
    needs_system: bool  # regimes: interventions on the system that makes the rows
    labels: tuple[str, ...] = ()  # what a reader must know beside a number got under it

    def row(self) -> dict[str, object]:
        uses, regimes = ("yes" if one else "no" for one in (self.uses_graph, self.needs_system))
        steps = "; ".join(self.steps) or "nothing"
        return {"name": self.name, "summary": self.summary, "steps": steps, "uses the graph": uses, "regimes": regimes}


@dataclass(frozen=True, eq=False)
class Corrupted:
    """values, clean: (n, d) in the units of the data, `values` NaN where mask[t, j] (missing); regimes: (n,).

    Arrays are in column order; `observed` copies them into a table."""

    names: tuple[str, ...]
    values: Array
    mask: Mask
    regimes: NDArray[np.intp]
    clean: Array
    card: CorruptionCard
    seed: int
    source: str = "the data"
    lags: int = 0

    def __post_init__(self) -> None:
        for array in (self.values, self.mask, self.regimes, self.clean):
            array.setflags(write=False)

    @property
    def observed(self) -> Observed:
        """What a learner gets: no clean values, no card, no truth. Regimes are None where there is one only."""
        regimes = self.regimes if self.regimes.any() else None
        kinds = (None,) * len(self.names)
        return Observed(self.names, self.values, kinds, f"{self.source} ({self.card.name})", regimes, self.lags)


@dataclass(frozen=True)
class Corruption:
    """A name and its steps; apply it to a table, or let it draw from a data set."""

    name: str
    steps: tuple[Step, ...] = ()
    summary: str = ""

    def __post_init__(self) -> None:
        order = [STAGES.index(step.card.stage) for step in self.steps]
        if order != sorted(order):
            got = " -> ".join(step.card.stage for step in self.steps)
            raise SettingError(f"steps of {self.name!r} must be in the order {' -> '.join(STAGES)}, got {got}.")
        twice = sorted({step.name for step in self.steps if [s.name for s in self.steps].count(step.name) > 1})
        if twice:
            raise SettingError(f"a corruption must have each step once, got {listed(twice)} twice in {self.name!r}.")

    @property
    def card(self) -> CorruptionCard:
        uses_graph = any(step.card.uses_graph for step in self.steps)
        steps = tuple(str(step) for step in self.steps)
        labels = (_REVEALS,) if uses_graph else ()
        return CorruptionCard(self.name, self.summary, steps, uses_graph, self._regimes > 1, labels)

    def scaled(self, factor: float) -> Corruption:
        """Every strength times `factor` (a number of regimes stays)."""
        steps = tuple(s if s.name == "regimes" else replace(s, strength=s.strength * factor) for s in self.steps)
        return Corruption(f"{self.name} x {factor:g}", steps, self.summary)

    def of(
        self, dataset: Dataset, n: int | None = None, *, seed: int, rng: Generator, overwrite_regimes: bool = False
    ) -> Corrupted:
        """n rows of a data set, drawn with `rng` and corrupted with `seed`.

        A simulated system is run under the regimes. Measured rows cannot be: that is an error unless
        `overwrite_regimes`, which puts the held values into the table and is labelled.
        """
        if self._regimes > 1 and isinstance(dataset, Synthetic | VAR):
            n = dataset.about.rows if n is None else n
            regimes = plan_regimes(n, len(dataset.truth), self._regimes, self.steps[0].rng(seed))
            clean, moved = dataset.draw_regimes(regimes, n, rng)
            return self._finish(clean, _standard(moved.values, clean), regimes.labels, dataset.truth, seed)
        return self.apply(dataset.draw(n, rng), seed=seed, truth=dataset.truth, overwrite_regimes=overwrite_regimes)

    def apply(
        self, table: Table, *, seed: int, truth: Graph | None = None, overwrite_regimes: bool = False
    ) -> Corrupted:
        """The rows of a table, corrupted. `truth` is needed by masks that use the graph, and by those alone."""
        if self._regimes <= 1:
            labels = getattr(table, "regimes", None)
            labels = np.zeros(table.n, dtype=np.intp) if labels is None else labels.copy()
            return self._finish(table, _standard(table.values, table), labels, truth, seed)
        if not overwrite_regimes:
            raise DataError(
                f"regimes of {self.name!r} must be drawn from a simulated system, got rows of {table.source}: an "
                "intervention cannot be run on recorded rows. Use a synthetic or var data set, or pass "
                "overwrite_regimes=True (labelled)."
            )
        regimes = plan_regimes(table.n, table.d, self._regimes, self.steps[0].rng(seed))
        z = _standard(table.values, table)
        for block in regimes.blocks:  # no descendant hears of it
            z[block.start : block.stop, block.nodes] = block.values
        return self._finish(table, z, regimes.labels, truth, seed, _OVERWRITTEN)

    @property
    def _regimes(self) -> int:
        return next((int(step.strength) for step in self.steps if step.name == "regimes"), 1)

    def _finish(
        self, clean: Table, z: Array, labels: NDArray[np.intp], truth: Graph | None, seed: int, *notes: str
    ) -> Corrupted:
        """Bias to mask, on what the regimes left; z is changed in place."""
        if clean.experiments is not None:
            raise DataError(
                f"a corruption must have rows whose targets are not told, got those of {clean.source}: a corrupted "
                "row does not say where it was intervened on. Leave 'targets' out, or take observational rows."
            )
        if clean.discrete.any():
            name = clean.names[int(clean.discrete.argmax())]
            raise DataError(
                f"a corruption must have continuous columns, got the discrete {name!r} of {clean.source}. "
                "Use Table.as_numbers() where its levels are numbers."
            )
        mask: Mask = np.isnan(z)
        for step in self.steps:
            more = {"parents": self._parents(truth, clean)} if step.card.uses_graph else {}
            lost = None if step.name == "regimes" else step.apply(z, seed, **more)
            if lost is not None:
                mask |= lost
        left = clean.n - np.count_nonzero(mask, axis=0)
        if (left < FEWEST).any():
            j = int((left < FEWEST).argmax())
            raise DataError(
                f"the mask of {self.name!r} must leave {FEWEST} values in every column, got {left[j]} of {clean.n} in "
                f"{clean.names[j]!r}. Lower its strength, or use more rows."
            )
        mean, sd = _moments(clean)
        z *= sd
        z += mean
        z[mask] = np.nan
        card = replace(self.card, labels=(*self.card.labels, *notes))
        lags = clean.lags if isinstance(clean, Observed) else 0
        return Corrupted(clean.names, z, mask, labels, clean.values, card, seed, clean.source, lags)

    def _parents(self, truth: Graph | None, table: Table) -> NDArray[np.bool_]:
        if truth is None:
            raise DataError(
                f"the mask of {self.name!r} is built from the true graph and must be given one (truth=...), got none. "
                "Use mnar_decoy, which needs none."
            )
        return truth.reorder(table.names).directed


def _moments(table: Table) -> tuple[Array, Array]:
    """Mean and sd of each column over what is observed; a constant column keeps its unit."""
    values = table.values
    if np.isfinite(values.sum()):  # one quick pass; the slower functions are for gaps only
        mean = values.mean(axis=0)
        square = np.einsum("tj,tj->j", values, values) / max(len(values), 1)
        sd = np.sqrt(np.maximum(square - mean**2, 0.0))
        rough = sd < 1e-3 * np.abs(mean)  # the difference of two large numbers: once more, exactly
        sd[rough] = values[:, rough].std(axis=0)
    else:
        mean, sd = np.nanmean(values, axis=0), np.nanstd(values, axis=0)
    return mean, np.where(sd > 0, sd, 1.0)


def _standard(values: Array, clean: Table) -> Array:
    """A copy in column order: steps go through a column at a time."""
    mean, sd = _moments(clean)
    return np.asfortranarray((values - mean) / sd)


# ---- by name; those of the original are as published, mild, moderate and severe are ours

_FULL = "regimes 3 + multiplicative_bias 0.15 + heteroscedastic_noise 0.3 + outliers 0.03, size 5 + drift 0.01"
_EXTREME = "regimes 5 + cubic_bias 0.2 + noise 0.5 + outliers 0.1, size 10 + drift 0.05"
_BLIND = "its mask does not know the graph"
_NAMED = (
    ("clean", "", "nothing is done"),
    ("compound_full", f"{_FULL} + mnar_structural 0.25",
     "the original's validation corruption: all six kinds together"),
    ("compound_full_decoy", f"{_FULL} + mnar_decoy 0.25", f"as compound_full; {_BLIND}"),
    ("compound_mnar_bias", "multiplicative_bias 0.2 + mnar_structural 0.25", "structural MNAR and a wrong scale"),
    ("compound_mnar_bias_decoy", "multiplicative_bias 0.2 + mnar_decoy 0.25", f"as compound_mnar_bias; {_BLIND}"),
    ("mcar_40", "mcar 0.4", "40 % missing completely at random"),
    ("extreme", f"{_EXTREME} + mnar_structural 0.4", "all six kinds, about twice as strong"),
    ("extreme_decoy", f"{_EXTREME} + mnar_decoy 0.4", f"as extreme; {_BLIND}"),
    ("noise_0.5", "noise 0.5", "Gaussian noise of .5 sd"),
    ("mcar_20", "mcar 0.2", "20 % missing completely at random"),
    ("mcar_30", "mcar 0.3", "30 % missing completely at random"),
    ("mnar_self", "mnar_self 0.25", "large values missing more often, 25 % in all"),
    ("mnar_structural", "mnar_structural 0.25", "missing with the true parents' values, 25 %"),
    ("mnar_decoy", "mnar_decoy 0.25", "missing with values of columns drawn at random, 25 %"),
    ("regimes", "regimes 3", "three regimes with hard interventions on 1 to 3 nodes"),
    ("sensor_failure", "sensor_failure 0.2", "sensors silent for stretches of rows, 20 % in all"),
    ("mild", "multiplicative_bias 0.05 + noise 0.1 + outliers 0.01, size 3 + mcar 0.1",
     "little of everything but regimes"),
    ("moderate", "multiplicative_bias 0.1 + heteroscedastic_noise 0.2 + outliers 0.02, size 4 + drift 0.005 + mcar 0.2",
     "some of everything but regimes"),
    ("severe", "cubic_bias 0.1 + heteroscedastic_noise 0.4 + outliers 0.05, size 7 + drift 0.02 + mnar_self 0.3",
     "much of everything but regimes"),
)  # fmt: skip


def _steps(text: str) -> tuple[Step, ...]:
    """The steps of a text as `str` writes them, joined by ' + '; ValueError where it is none."""
    steps = []
    for part in filter(None, text.split(" + ")):
        (name, strength), *settings = (word.rsplit(" ", 1) for word in part.split(", "))
        if name not in STEPS:
            raise ValueError(name)
        steps.append(Step(name, float(strength), {key: float(value) for key, value in settings}))
    return tuple(steps)


PRESETS: Mapping[str, Corruption] = MappingProxyType(
    {name: Corruption(name, _steps(text), summary) for name, text, summary in _NAMED}
)


def corruption(name: str) -> Corruption:
    """The corruption of that name. Steps with their strengths will do too, and parts of a named one:
    `noise 0.2`, `noise 0.2 + mcar 0.1`, `mcar_40 x 0.5`."""
    if name in PRESETS:
        return PRESETS[name]
    whole, _, factor = name.rpartition(" x ")
    try:
        if whole:
            return replace(corruption(whole).scaled(float(factor)), name=name)
        steps = _steps(name)
    except ValueError:
        hint = "Steps and their strengths: 'noise 0.2 + mcar 0.1'."
        raise UnknownName("corruption", name, PRESETS, hint=hint) from None
    return Corruption(name, steps, "; ".join(step.card.summary for step in steps))


def corruptions() -> list[dict[str, object]]:
    """One row a named corruption."""
    return [made.card.row() for made in PRESETS.values()]
