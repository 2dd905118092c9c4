"""Multinomial logits of one category on other columns, by Newton's method.

    P(level c | z) = exp(b_c z) / sum_e exp(b_e z),  b_0 = 0,  z = (1, columns)
    gradient_c = sum_r (1[level_r = c] - P_c) z_r,   Hessian_ce = -sum_r P_c (1[c = e] - P_e) z_r z_r'

A coefficient whose direction has no curvature left (a level that does not occur, a column that others determine, a
perfect separation) stays where it is: the likelihood does not change along it.
room: 3 Q + 2 (q + levels) + Q^2 numbers for Q = (levels - 1) q coefficients of q columns.
"""

from __future__ import annotations

import math

import numpy as np

from trueness.learners.kernels.compiling import bare

_STEPS, _FLAT = 30, 1e-8  # of Newton's method; the gain of a step below which it ends
_NO_CURVATURE = 1e-9


@bare
def room_for_logits(levels, p):
    """Numbers that the fits of a category of so many levels on p columns work in."""
    coefficients = (levels - 1) * (p + 1)
    return 3 * coefficients + 2 * (p + 1 + levels) + coefficients * coefficients


@bare
def logit_ratio(numbers, work, p, s, m, low, high, x_low, x_high, room):
    """2 (log L(y | S, x) - log L(y | S)): y the listed columns from low to high, x those from x_low to x_high."""
    with_x = _fit(numbers, work, p, s, m, low, high, x_low, x_high, room)
    return 2.0 * (with_x - _fit(numbers, work, p, s, m, low, high, x_low, x_low, room))


@bare
def _fit(numbers, work, p, s, m, low, high, x_low, x_high, room):
    """The greatest log likelihood."""
    q, logits = 1 + s + x_high - x_low, high - low
    size = q * logits
    before, likelihood = -np.inf, 0.0
    for a in range(size):
        room[a] = 0.0
    halvings = 0
    for step in range(_STEPS):
        likelihood = _derivatives(numbers, work, p, s, m, low, high, x_low, q, logits, room)
        if likelihood < before and halvings < 10:  # too far: half of the last step back
            halvings += 1
            for a in range(size):
                room[a] = 0.5 * (room[a] + room[2 * size + a])
            continue
        if likelihood - before < _FLAT and step > 0:
            break
        before, halvings = likelihood, 0
        for a in range(size):
            room[2 * size + a] = room[a]
        _newton_step(room, size, 3 * size + 2 * (q + logits + 1))
    return max(likelihood, before)


@bare
def _derivatives(numbers, work, p, s, m, low, high, x_low, q, logits, room):
    """Log likelihood at the coefficients; gradient and minus the Hessian (its lower triangle) into `room`."""
    size = q * logits
    gradient, z, share = size, 3 * size, 3 * size + q
    hessian = 3 * size + 2 * (q + logits + 1)
    for a in range(size):
        room[gradient + a] = 0.0
        for b in range(a + 1):
            room[hessian + a * size + b] = 0.0
    likelihood = 0.0
    for r in range(numbers.shape[1]):
        whole = True
        for i in range(m):
            whole = whole and not math.isnan(numbers[np.int64(work[i, p]), r])
        if not whole:
            continue
        room[z] = 1.0
        for j in range(1, q):
            listed = j - 1 if j <= s else x_low + j - 1 - s
            room[z + j] = numbers[np.int64(work[listed, p]), r]
        greatest = 0.0
        for c in range(logits):
            value = 0.0
            for j in range(q):
                value += room[c * q + j] * room[z + j]
            room[share + c] = value
            greatest = max(greatest, value)
        total, here = math.exp(-greatest), -greatest
        for c in range(logits):
            if numbers[np.int64(work[low + c, p]), r] > 0.0:  # standardised: 1 lies above the mean, 0 below
                here = room[share + c] - greatest
            room[share + c] = math.exp(room[share + c] - greatest)
            total += room[share + c]
        likelihood += here - math.log(total)
        for c in range(logits):
            of_c = room[share + c] / total
            level = numbers[np.int64(work[low + c, p]), r] > 0.0
            for j in range(q):
                a = c * q + j
                room[gradient + a] += ((1.0 if level else 0.0) - of_c) * room[z + j]
                for e in range(c + 1):
                    curve = of_c * ((1.0 if e == c else 0.0) - room[share + e] / total) * room[z + j]
                    for i in range(q if e < c else j + 1):
                        room[hessian + a * size + e * q + i] += curve * room[z + i]
    return likelihood


@bare
def _newton_step(room, size, hessian):
    """Coefficients += (-Hessian)^-1 gradient, by Cholesky in place; directions without curvature are left out."""
    for a in range(size):
        diagonal = room[hessian + a * size + a]
        left = diagonal
        for b in range(a):
            value = room[hessian + a * size + b]
            for t in range(b):
                value -= room[hessian + a * size + t] * room[hessian + b * size + t]
            value *= room[hessian + b * size + b]
            room[hessian + a * size + b] = value
            left -= value * value
        room[hessian + a * size + a] = 1.0 / math.sqrt(left) if left > _NO_CURVATURE * max(diagonal, 1.0) else 0.0
    for a in range(size):
        value = room[size + a]
        for t in range(a):
            value -= room[hessian + a * size + t] * room[size + t]
        room[size + a] = value * room[hessian + a * size + a]
    for a in range(size - 1, -1, -1):
        value = room[size + a]
        for t in range(a + 1, size):
            value -= room[hessian + t * size + a] * room[size + t]
        room[size + a] = value * room[hessian + a * size + a]
        room[a] += room[size + a]
