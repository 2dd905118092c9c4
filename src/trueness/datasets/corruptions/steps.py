"""Steps: each corruption of one kind with its card, and the order in which they are done.

    regimes -> bias -> noise -> outliers -> drift -> mask

Each step draws from its own stream, default_rng([seed, place of the step in STEPS]): adding a step leaves what the
others do as it is, and the same seed at two strengths gives paired rows for a curve of degradation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.random import Generator

from trueness.datasets.corruptions import masks, values
from trueness.errors import SettingError, did_you_mean, listed

Stage = Literal["regimes", "bias", "noise", "outliers", "drift", "mask"]
STAGES: tuple[Stage, ...] = ("regimes", "bias", "noise", "outliers", "drift", "mask")


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
_CARDS: tuple[tuple[StepCard, Callable[..., masks.Mask | None] | None], ...] = (
    (StepCard("regimes", "regimes", "hard interventions on 1 to 3 nodes, block by block",
              "number of regimes, the first without intervention", 100, low=1, whole=True), None),
    (StepCard("additive_bias", "bias", "one offset a column", "largest offset, in sd", 10), values.additive_bias),
    (StepCard("multiplicative_bias", "bias", "one factor a column", "factors are 1 - s to 1 + s", 0.99),
     values.multiplicative_bias),
    (StepCard("cubic_bias", "bias", "a sensor that is not linear: z + s z^3", "weight of the cube", 10),
     values.cubic_bias),
    (StepCard("noise", "noise", "Gaussian noise", "sd of the noise, in sd of the column", 10), values.noise),
    (StepCard("heteroscedastic_noise", "noise", "noise that grows with the value, sd s (1 + |z|)", "sd at 0", 10),
     values.heteroscedastic_noise),
    (StepCard("outliers", "outliers", "single values thrown up or down", "share of the cells", 0.5, settings=("size",)),
     values.outliers),
    (StepCard("drift", "drift", "AR(1) drift of every column", "sd of one step, in sd of the column", 1), values.drift),
    (StepCard("mcar", "mask", "missing completely at random", _SHARE, 0.95), masks.mcar),
    (StepCard("mnar_self", "mask", "large values go missing more often", _SHARE, 0.95), masks.mnar_self),
    (StepCard("mnar_threshold", "mask", "the largest values are missing", _SHARE, 0.95), masks.mnar_threshold),
    (StepCard("mnar_structural", "mask", "values go missing with those of the true parents", _SHARE, 0.95,
              uses_graph=True), masks.mnar_structural),
    (StepCard("mnar_decoy", "mask", "values go missing with those of columns drawn at random", _SHARE, 0.95),
     masks.mnar_decoy),
    (StepCard("sensor_failure", "mask", "a sensor is silent for a stretch of rows", _SHARE, 0.95),
     masks.sensor_failure),
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

    def apply(self, z: values.Array, seed: int, **more: object) -> masks.Mask | None:
        """Values are changed in place (None comes back); a mask is handed back."""
        function = _FUNCTIONS[self.name]
        assert function is not None  # regimes are done by the corruption: they need the system
        return function(z, self.strength, self.rng(seed), **self.settings, **more)

    def __str__(self) -> str:
        more = "".join(f", {key} {value:g}" for key, value in self.settings.items())
        return f"{self.name} {self.strength:g}{more}"
