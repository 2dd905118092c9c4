"""The line search of More & Thuente (1994): a step with f(s) <= f(0) + 1e-3 s f'(0) and |f'(s)| <= 0.9 |f'(0)|.

Keeps an interval of steps that must hold one, and tries minima of cubics and parabolas through its ends: their cases
1 to 4, as in MINPACK-2's dcsrch and dcstep, which L-BFGS-B calls.

    start_line(line, value, slope, step, limit)
    while not next_step(line, value, slope):     # f and f' at line[STEP]
        ...                                      # line[STEP] is the next step to try
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from trueness.learners.kernels.compiling import bare

Array = NDArray[np.float64]

DECREASE, CURVATURE, PRECISION = 1e-3, 0.9, 0.1
# of `line`: f and f' at 0; the step to try and its limits; the interval's ends, the better one first, with f and f'
VALUE, SLOPE, STEP, LIMIT, LOW, HIGH, S1, F1, D1, S2, F2, D2, WIDTH, WIDER, BRACKETED, SECOND = range(16)


def new_line() -> Array:
    return np.zeros(16)


@bare
def start_line(line: Array, value: float, slope: float, step: float, limit: float) -> None:
    line[VALUE], line[SLOPE], line[STEP], line[LIMIT] = value, slope, step, limit
    line[S1], line[F1], line[D1] = 0.0, value, slope
    line[S2], line[F2], line[D2] = 0.0, value, slope
    line[LOW], line[HIGH] = 0.0, 5.0 * step
    line[WIDTH], line[WIDER] = limit, 2.0 * limit
    line[BRACKETED], line[SECOND] = 0.0, 0.0


@bare
def next_step(line: Array, value: float, slope: float) -> bool:
    """Whether the step just tried is the answer: it keeps both rules, or no better one can be told from it."""
    step, test = line[STEP], DECREASE * line[SLOPE]
    enough = line[VALUE] + step * test
    if value <= enough and slope >= 0.0:
        line[SECOND] = 1.0
    if line[BRACKETED] > 0.0:
        if step <= line[LOW] or step >= line[HIGH] or line[HIGH] - line[LOW] <= PRECISION * line[HIGH]:
            return True
    if step == line[LIMIT] and value <= enough and slope <= test:
        return True
    if step == 0.0 and (value > enough or slope >= test):
        return True
    if value <= enough and abs(slope) <= -CURVATURE * line[SLOPE]:
        return True
    # until a step lowers f enough, the interval is that of f less its allowed slope
    tilt = test if line[SECOND] == 0.0 and value <= line[F1] and value > enough else 0.0
    line[F1] -= line[S1] * tilt
    line[F2] -= line[S2] * tilt
    line[D1] -= tilt
    line[D2] -= tilt
    new = _shrink_interval(line, step, value - step * tilt, slope - tilt)
    line[F1] += line[S1] * tilt
    line[F2] += line[S2] * tilt
    line[D1] += tilt
    line[D2] += tilt
    if line[BRACKETED] > 0.0:
        width = abs(line[S2] - line[S1])
        if width >= 0.66 * line[WIDER]:
            new = line[S1] + 0.5 * (line[S2] - line[S1])
        line[WIDER], line[WIDTH] = line[WIDTH], width
        line[LOW], line[HIGH] = min(line[S1], line[S2]), max(line[S1], line[S2])
    else:
        line[LOW], line[HIGH] = new + 1.1 * (new - line[S1]), new + 4.0 * (new - line[S1])
    new = min(max(new, 0.0), line[LIMIT])
    if line[BRACKETED] > 0.0:
        if new <= line[LOW] or new >= line[HIGH] or line[HIGH] - line[LOW] <= PRECISION * line[HIGH]:
            new = line[S1]
    line[STEP] = new
    return False


@bare
def _shrink_interval(line: Array, s: float, f: float, d: float) -> float:
    """Put step s with value f and slope d into the interval; the next step to try."""
    s1, f1, d1, s2, f2, d2 = line[S1], line[F1], line[D1], line[S2], line[F2], line[D2]
    away = d * math.copysign(1.0, d1) < 0.0  # the slope has changed its sign
    cubic = parabola = new = 0.0
    if f > f1:
        theta, gamma = _cubic(s1, f1, d1, s, f, d)
        gamma = -gamma if s < s1 else gamma
        cubic = s1 + ((gamma - d1) + theta) / (((gamma - d1) + gamma) + d) * (s - s1)
        parabola = s1 + ((d1 / ((f1 - f) / (s - s1) + d1)) / 2.0) * (s - s1)
        new = cubic if abs(cubic - s1) < abs(parabola - s1) else cubic + (parabola - cubic) / 2.0
        line[BRACKETED] = 1.0
    elif away:
        theta, gamma = _cubic(s1, f1, d1, s, f, d)
        gamma = -gamma if s > s1 else gamma
        cubic = s + ((gamma - d) + theta) / (((gamma - d) + gamma) + d1) * (s1 - s)
        parabola = s + (d / (d - d1)) * (s1 - s)
        new = cubic if abs(cubic - s) > abs(parabola - s) else parabola
        line[BRACKETED] = 1.0
    elif abs(d) < abs(d1):
        theta, gamma = _cubic(s1, f1, d1, s, f, d)
        gamma = -gamma if s > s1 else gamma
        ratio = ((gamma - d) + theta) / ((gamma + (d1 - d)) + gamma)
        if ratio < 0.0 and gamma != 0.0:
            cubic = s + ratio * (s1 - s)
        else:
            cubic = line[HIGH] if s > s1 else line[LOW]
        parabola = s + (d / (d - d1)) * (s1 - s)
        nearer = abs(cubic - s) < abs(parabola - s)
        if line[BRACKETED] > 0.0:
            new = cubic if nearer else parabola
            bound = s + 0.66 * (s2 - s)
            new = min(bound, new) if s > s1 else max(bound, new)
        else:
            new = parabola if nearer or cubic == parabola else cubic
            new = max(line[LOW], min(line[HIGH], new))
    elif line[BRACKETED] > 0.0:
        theta, gamma = _cubic(s2, f2, d2, s, f, d)
        gamma = -gamma if s > s2 else gamma
        new = s + ((gamma - d) + theta) / (((gamma - d) + gamma) + d2) * (s2 - s)
    else:
        new = line[HIGH] if s > s1 else line[LOW]
    if f > f1:
        line[S2], line[F2], line[D2] = s, f, d
    else:
        if away:
            line[S2], line[F2], line[D2] = s1, f1, d1
        line[S1], line[F1], line[D1] = s, f, d
    return new


@bare
def _cubic(a: float, fa: float, da: float, b: float, fb: float, db: float) -> tuple[float, float]:
    """theta and gamma of the cubic through both points; gamma 0 where it has no minimum."""
    theta = 3.0 * (fa - fb) / (b - a) + da + db
    size = max(abs(theta), abs(da), abs(db))
    return theta, size * math.sqrt(max(0.0, (theta / size) ** 2 - (da / size) * (db / size)))
