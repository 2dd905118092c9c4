"""Corruptions of values: bias, noise, outliers, drift. z (n, d) in standard units, changed in place.

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

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Array = NDArray[np.float64]
PERSISTENCE = 0.999  # r of the drift: it forgets over a thousand rows
_ROWS_AT_ONCE = 8192  # so that a block of rows stays in the cache


def additive_bias(z: Array, strength: float, rng: Generator) -> None:
    z += rng.uniform(-strength, strength, z.shape[1])


def multiplicative_bias(z: Array, strength: float, rng: Generator) -> None:
    z *= rng.uniform(1 - strength, 1 + strength, z.shape[1])


def cubic_bias(z: Array, strength: float, rng: Generator) -> None:
    z += strength * z**3


def noise(z: Array, strength: float, rng: Generator) -> None:
    for start in range(0, len(z), _ROWS_AT_ONCE):
        part = z[start : start + _ROWS_AT_ONCE]
        part += np.float32(strength) * rng.standard_normal(part.shape, dtype=np.float32)


def heteroscedastic_noise(z: Array, strength: float, rng: Generator) -> None:
    for start in range(0, len(z), _ROWS_AT_ONCE):
        part = z[start : start + _ROWS_AT_ONCE]
        spread = np.abs(part)
        spread += 1.0
        spread *= strength
        spread *= rng.standard_normal(part.shape, dtype=np.float32)
        part += spread


def outliers(z: Array, strength: float, rng: Generator, size: float = 5.0) -> None:
    """Cells are drawn by their number, with repeats: the share is `strength` less what is drawn twice."""
    count = rng.binomial(z.size, strength)
    cells = rng.integers(0, z.size, count)
    z.reshape(-1)[cells] += np.where(rng.integers(0, 2, count, dtype=np.int8), size, -size)


def drift(z: Array, strength: float, rng: Generator) -> None:
    from scipy.signal import lfilter

    carried = np.zeros((1, z.shape[1]))
    for start in range(0, len(z), _ROWS_AT_ONCE):
        part = z[start : start + _ROWS_AT_ONCE]
        steps = strength * rng.standard_normal(part.shape, dtype=np.float32).astype(np.float64)
        moved, carried = lfilter([1.0], [1.0, -PERSISTENCE], steps, axis=0, zi=carried)
        part += moved
