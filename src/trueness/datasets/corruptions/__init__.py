"""Corrupted data: named corruptions, each a sequence of small steps with a strength, a seed and a card.

corruption("mcar_40").of(dataset, 500, seed=1, rng=rng)      rows of a data set, corrupted
corruption("compound_full").apply(table, seed=1, truth=dag)  rows of a table; needs the truth for its mask, see there
Corruption("mine", (Step("noise", 0.2), Step("mcar", 0.1)))  one's own
corruption("noise 0.2 + mcar 0.1"), corruption("mcar_40 x 0.5")     the same in a word, and half of a named one
corruptions()                                                rows for `trueness list corruptions`

The original's are as published; what it left open is said in the summary. compound_full, compound_mnar_bias and extreme
build their masks from the true parents, as the original did; the same with `_decoy` do not, and carry the claims. mild,
moderate and severe are ours: the original names them only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from trueness.datasets.corruptions.corruption import Corrupted, Corruption, CorruptionCard
from trueness.datasets.corruptions.steps import STAGES, STEPS, Step, StepCard
from trueness.errors import UnknownName

__all__ = ["PRESETS", "STAGES", "STEPS", "Corrupted", "Corruption", "CorruptionCard", "Step", "StepCard", "corruption",
           "corruptions"]  # fmt: skip


def _preset(name: str, summary: str, *steps: tuple[str, float] | tuple[str, float, dict[str, float]]) -> Corruption:
    return Corruption(name, tuple(Step(*step) for step in steps), summary)


def _compound_full(name: str, mask: str, summary: str) -> Corruption:
    return _preset(
        name, summary, ("regimes", 3), ("multiplicative_bias", 0.15), ("heteroscedastic_noise", 0.3),
        ("outliers", 0.03, {"size": 5}), ("drift", 0.01), (mask, 0.25),
    )  # fmt: skip


def _extreme(name: str, mask: str, summary: str) -> Corruption:
    return _preset(
        name, summary, ("regimes", 5), ("cubic_bias", 0.2), ("noise", 0.5), ("outliers", 0.1, {"size": 10}),
        ("drift", 0.05), (mask, 0.4),
    )  # fmt: skip


_BLIND = "; its mask does not know the graph"
_ALL = (
    _preset("clean", "nothing is done"),
    _compound_full("compound_full", "mnar_structural", "the original's validation corruption: all six kinds together"),
    _compound_full("compound_full_decoy", "mnar_decoy", "as compound_full" + _BLIND),
    _preset("compound_mnar_bias", "structural MNAR and a wrong scale", ("multiplicative_bias", 0.2),
          ("mnar_structural", 0.25)),
    _preset("compound_mnar_bias_decoy", "as compound_mnar_bias" + _BLIND, ("multiplicative_bias", 0.2),
          ("mnar_decoy", 0.25)),
    _preset("mcar_40", "40 % missing completely at random", ("mcar", 0.4)),
    _extreme("extreme", "mnar_structural", "all six kinds, about twice as strong"),
    _extreme("extreme_decoy", "mnar_decoy", "as extreme" + _BLIND),
    _preset("noise_0.1", "Gaussian noise of .1 sd", ("noise", 0.1)),
    _preset("noise_0.3", "Gaussian noise of .3 sd", ("noise", 0.3)),
    _preset("noise_0.5", "Gaussian noise of .5 sd", ("noise", 0.5)),
    _preset("mcar_20", "20 % missing completely at random", ("mcar", 0.2)),
    _preset("mcar_30", "30 % missing completely at random", ("mcar", 0.3)),
    _preset("mnar_self", "large values missing more often, 25 % in all", ("mnar_self", 0.25)),
    _preset("mnar_threshold", "the largest 25 % of each column missing", ("mnar_threshold", 0.25)),
    _preset("mnar_structural", "missing with the true parents' values, 25 %", ("mnar_structural", 0.25)),
    _preset("mnar_decoy", "missing with values of columns drawn at random, 25 %", ("mnar_decoy", 0.25)),
    _preset("bias_additive", "offsets of up to .5 sd, one a column", ("additive_bias", 0.5)),
    _preset("bias_multiplicative", "factors of .7 to 1.3, one a column", ("multiplicative_bias", 0.3)),
    _preset("regimes", "three regimes with hard interventions on 1 to 3 nodes", ("regimes", 3)),
    _preset("sensor_failure", "sensors silent for stretches of rows, 20 % in all", ("sensor_failure", 0.2)),
    _preset("mild", "little of everything but regimes", ("multiplicative_bias", 0.05), ("noise", 0.1),
          ("outliers", 0.01, {"size": 3}), ("mcar", 0.1)),
    _preset("moderate", "some of everything but regimes", ("multiplicative_bias", 0.1), ("heteroscedastic_noise", 0.2),
          ("outliers", 0.02, {"size": 4}), ("drift", 0.005), ("mcar", 0.2)),
    _preset("severe", "much of everything but regimes", ("cubic_bias", 0.1), ("heteroscedastic_noise", 0.4),
          ("outliers", 0.05, {"size": 7}), ("drift", 0.02), ("mnar_self", 0.3)),
)  # fmt: skip

PRESETS: Mapping[str, Corruption] = MappingProxyType({made.name: made for made in _ALL})


def corruption(name: str) -> Corruption:
    """The corruption of that name. Steps with their strengths will do too, and parts of a named one:
    `noise 0.2`, `noise 0.2 + mcar 0.1`, `mcar_40 x 0.5`."""
    if name in PRESETS:
        return PRESETS[name]
    whole, _, factor = name.rpartition(" x ")
    if whole and _is_number(factor):
        return replace(corruption(whole).scaled(float(factor)), name=name)
    parts = [part.rpartition(" ") for part in name.split(" + ")]
    if all(step in STEPS and _is_number(strength) for step, _, strength in parts):
        steps = tuple(Step(step, float(strength)) for step, _, strength in parts)
        return Corruption(name, steps, "; ".join(STEPS[step.name].summary for step in steps))
    raise UnknownName("corruption", name, PRESETS, hint="Steps and their strengths: 'noise 0.2 + mcar 0.1'.")


def corruptions() -> list[dict[str, object]]:
    """One row a named corruption."""
    return [made.card.row() for made in PRESETS.values()]


def _is_number(text: str) -> bool:
    return text.removeprefix("-").replace(".", "", 1).isdigit()
