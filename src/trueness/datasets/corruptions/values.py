"""Corruptions of values: bias, noise, outliers, drift. z (n, d) in standard units and column order, changed in place.

    additive_bias         z_j + b_j,                 b_j ~ U(-s, s)         one offset a column
    multiplicative_bias   z_j f_j,                   f_j ~ U(1 - s, 1 + s)  one factor a column
    cubic_bias            z + s z^3                                         a sensor that is not linear
    noise                 z + s e,                   e ~ N(0, 1)
    heteroscedastic_noise z + s (1 + |z|) e
    outliers              z +- size in a share s of the cells
    drift                 z_t + g_t,                 g_t = r g_{t-1} + s e_t,  r = .999

A learner that standardises its columns does not see the first two: they hurt those that read scales.
s is `strength`. The sum with e is drawn in single precision: twice as fast, and an error of 1e-7 in noise is noise.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Array = NDArray[np.float64]
PERSISTENCE = 0.999  # r of the drift: it forgets over a thousand rows
_AT_ONCE = 32_768  # values of a column that stay in the cache together


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
