"""The causal order of DirectLiNGAM, and the weights along an order. Columns are rows here: z (d, m), z[i] column i.

The most exogenous of the columns left is the i with the least (Hyvarinen & Smith 2013; lingam's `pwling`)

    M_i  = sum_j min(0, D_ij)^2          D_ij = H(x_j) + H(r_i|j) - H(x_i) - H(r_j|i) = -D_ji
    H(u) = (1 + log 2 pi) / 2 - k1 (E log cosh u - gamma)^2 - k2 (E u exp(-u^2 / 2))^2          u of variance 1

with r_i|j = (x_i - rho_ij x_j) / sqrt(1 - rho_ij^2). It is taken out of the others and the search goes on.

What makes it fast, without changing what is computed:
- equal rows count once, with a weight;
- M_i only grows while its pairs are summed: a column whose partial sum passes a complete one needs no more pairs;
- x_i of the next round is r_i|winner, so its entropy is known already, and correlations follow by the recursion
  rho_ij.m = (rho_ij - rho_im rho_jm) / sqrt((1 - rho_im^2) (1 - rho_jm^2));
- sum log(1 + e_t) = log prod (1 + e_t): one logarithm for 512 rows; 2^y by a polynomial that LLVM vectorises.

Ties: of equal measures the first column wins (two binary columns with as many ones each are a tie). A column that is
a linear function of those taken out has no residual to test: it comes next in the order. Two columns that are
multiples of each other say nothing of their direction.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueness.learners.kernels.compiling import contracted, inner, kernel, reordered
from trueness.learners.kernels.lasso import least_squares, penalised

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]

K1, K2, GAMMA = 79.047, 7.4129, 0.37457
GAUSSIAN = (1 + math.log(2 * math.pi)) / 2  # the entropy of a standard normal variable
TIE = 1e-10  # a choice by less than this is reported as a tie
ROUNDING = 1e-12  # differences of entropies below this, and measures equal but for this part, are equal
FLAT = 1e-12  # 1 - rho^2 below this is rounding: nothing is left of the column
BLOCK = 512  # rows whose product of (1 + e), each at most 2, cannot overflow
FAR = 37.5  # beyond this |u|, exp(-2|u|) and exp(-u^2 / 2) add nothing to a double
LOG2 = math.log(2.0)
_PER_ABS, _PER_SQUARE = -2.0 / LOG2, -0.5 / LOG2  # exp(-2 m) = 2^(_PER_ABS m), exp(-m^2 / 2) = 2^(_PER_SQUARE m^2)
_ROUND = 1.5 * 2.0**52  # adding it to a double rounds that to a whole number, which stands in the low bits

# Chebyshev interpolants: 2^f for |f| <= 1/2 (relative error 2e-14), atanh(s) / s in s^2 <= 1/9 (3e-15)
_E0, _E1, _E2, _E3, _E4 = (float.fromhex(c) for c in (
    "0x1.000000000003fp+0", "0x1.62e42fefa3a30p-1", "0x1.ebfbdff813e5ap-3", "0x1.c6b08d7037d54p-5",
    "0x1.3b2ab72c299a2p-7"))  # fmt: skip
_E5, _E6, _E7, _E8, _E9 = (float.fromhex(c) for c in (
    "0x1.5d87fea82df0dp-10", "0x1.43088c3aeaa75p-13", "0x1.ffcb3368446ebp-17", "0x1.63f1a7248eba0p-20",
    "0x1.b695bedb43a8ep-24"))  # fmt: skip
_L0, _L1, _L2, _L3, _L4 = (float.fromhex(c) for c in (
    "0x1.0000000000002p+0", "0x1.555555554f2bap-2", "0x1.999999a7ba6e2p-3", "0x1.2492438832d03p-3",
    "0x1.c71e97aa9186dp-4"))  # fmt: skip
_L5, _L6, _L7, _L8 = (float.fromhex(c) for c in (
    "0x1.742351b47e148p-4", "0x1.3e929a2ed0f6dp-4", "0x1.e48bb0e960576p-5", "0x1.7c450931ed531p-4"))  # fmt: skip


@contracted
def exp2(y: float) -> float:
    """2^y for -1022 < y <= 0. No reassociation here: it would undo the rounding."""
    shifted = y + _ROUND
    f = y - (shifted - _ROUND)
    f2 = f * f
    f4 = f2 * f2
    low = (_E0 + _E1 * f) + (_E2 + _E3 * f) * f2
    high = (_E4 + _E5 * f) + (_E6 + _E7 * f) * f2
    power = low + (high + (_E8 + _E9 * f) * f4) * f4
    bits = (np.float64(shifted).view(np.int64) << 52) + np.float64(power).view(np.int64)
    return np.int64(bits).view(np.float64)


@contracted
def log1p(e: float) -> float:
    """log(1 + e) = 2 atanh(e / (2 + e)) for 0 <= e <= 1."""
    s = e / (2.0 + e)
    q = s * s
    q2 = q * q
    low = (_L0 + _L1 * q) + (_L2 + _L3 * q) * q2
    high = (_L4 + _L5 * q) + (_L6 + _L7 * q) * q2
    return 2.0 * s * (low + (high + _L8 * (q2 * q2)) * (q2 * q2))


@reordered
def _block_sums(x: Array, y: Array, a: float, b: float) -> tuple[float, float, float]:
    """prod(1 + exp(-2|u|)), sum |u| and sum u exp(-u^2/2) of u = a x - b y, over at most BLOCK rows."""
    product, size, bump = 1.0, 0.0, 0.0
    for t in range(len(x)):
        u = a * x[t] - b * y[t]
        m = abs(u)
        size += m
        m = min(m, FAR)
        product *= 1.0 + exp2(_PER_ABS * m)
        bump += u * exp2(_PER_SQUARE * m * m)
    return product, size, bump


@reordered
def _weighted_sums(x: Array, y: Array, a: float, b: float, counts: Array) -> tuple[float, float]:
    """sum w log(2 cosh u) and sum w u exp(-u^2/2) of u = a x - b y."""
    log_cosh, bump = 0.0, 0.0
    for t in range(len(x)):
        u = a * x[t] - b * y[t]
        m = abs(u)
        far = min(m, FAR)
        log_cosh += counts[t] * (m + log1p(exp2(_PER_ABS * far)))
        bump += counts[t] * (u * exp2(_PER_SQUARE * far * far))
    return log_cosh, bump


@kernel
def entropy(x: Array, y: Array, a: float, b: float, counts: Array, single: int, n: int) -> float:
    """H(a x - b y): rows before `single` count once, the others counts[t] times; n in all."""
    log_cosh, bump = _weighted_sums(x[single:], y[single:], a, b, counts[single:])
    for start in range(0, single, BLOCK):
        stop = min(start + BLOCK, single)
        product, size, part = _block_sums(x[start:stop], y[start:stop], a, b)
        log_cosh += size + math.log(product)
        bump += part
    return _from_sums(log_cosh, bump, n)


@inner
def _both_entropies(x: Array, y: Array, a: float, b: float, counts: Array, single: int, n: int) -> tuple[float, float]:
    """H(a x - b y) and H(a y - b x), block by block: rows are read once."""
    log_cosh, bump = _weighted_sums(x[single:], y[single:], a, b, counts[single:])
    other_log_cosh, other_bump = _weighted_sums(y[single:], x[single:], a, b, counts[single:])
    for start in range(0, single, BLOCK):
        stop = min(start + BLOCK, single)
        product, size, part = _block_sums(x[start:stop], y[start:stop], a, b)
        log_cosh += size + math.log(product)
        bump += part
        product, size, part = _block_sums(y[start:stop], x[start:stop], a, b)
        other_log_cosh += size + math.log(product)
        other_bump += part
    return _from_sums(log_cosh, bump, n), _from_sums(other_log_cosh, other_bump, n)


@inner
def _from_sums(log_cosh: float, bump: float, n: int) -> float:
    log_cosh = log_cosh / n - LOG2
    bump /= n
    return GAUSSIAN - K1 * (log_cosh - GAMMA) ** 2 - K2 * bump * bump


class State(NamedTuple):
    """What the search knows; the arrays change as columns are taken out."""

    z: Array  # (d, m) distinct rows, standardised: the residuals of the columns left
    counts: Array  # (m,) how often each row occurs
    single: int  # rows before this one occur once
    n: int  # rows in all
    rho: Array  # (d, d) correlations of z
    before: Mask  # before[i, j]: i must be taken out before j
    left: Mask  # (d,) not yet taken out
    flat: Mask  # (d,) nothing is left of it: a linear function of columns taken out
    h: Array  # (d,) H(x_i)
    residual_h: Array  # (d, d) H(r_i|j) of this round; nan where not compared
    doubt: Array  # (d, d) how much j spoke against i when last compared


@kernel
def causal_order(
    z: Array, counts: Array, single: int, n: int, rho: Array, before: Mask, close: float
) -> tuple[Integers, Array, int]:
    """The order of the columns, the margin of each choice, and the number of pairs that were compared.

    z and rho are as in State and are overwritten. margin[k]: by how much, at least, the second least measure was above
    the least; below `close` only where it was so; inf where there was no choice. The order is the same at any `close`.
    """
    d = len(z)
    left, flat = np.ones(d, np.bool_), np.zeros(d, np.bool_)
    s = State(z, counts, single, n, rho, before, left, flat, np.empty(d), np.empty((d, d)), np.empty((d, d)))
    for i in range(d):
        s.h[i] = entropy(z[i], z[i], 1.0, 0.0, counts, single, n)
        for j in range(d):
            s.doubt[i, j] = 1e-10 * abs(rho[i, j])  # not compared yet: after those that were, the more correlated first
    order, margin, pairs = np.empty(d, np.int64), np.empty(d), 0
    for k in range(d):
        best, margin[k], compared = _most_exogenous(s, close)
        order[k], left[best] = best, False
        pairs += compared
        if not flat[best]:
            _take_out(s, best)
    return order, margin, pairs


@inner
def _most_exogenous(s: State, close: float) -> tuple[int, float, int]:
    """The candidate with the least measure, its margin, and the number of pairs compared.

    Compared next is always the candidate that looks best, with the column that most likely speaks against it: until
    the others are above the least by `close`, or, when a second complete measure is not, until they cannot be equal.
    """
    d = len(s.h)
    candidate, choices, only = np.zeros(d, np.bool_), 0, -1
    for i in range(d):
        candidate[i] = s.left[i] and _is_free(s, i)
        if candidate[i]:
            if s.flat[i]:
                return i, np.inf, 0
            choices, only = choices + 1, i
        for j in range(d):
            s.residual_h[i, j] = np.nan
    if choices == 1:
        return only, np.inf, 0
    measure, complete, seen = np.zeros(d), np.zeros(d, np.bool_), np.zeros((d, d), np.bool_)
    least, second, pairs = np.inf, np.inf, 0  # the two least measures that are complete
    while True:
        i = _least(measure, candidate, complete)
        equal = least * (1.0 + ROUNDING) + ROUNDING * ROUNDING
        if i < 0 or measure[i] > (equal if second < least + close else max(equal, least + close)):
            break
        j = _most_doubtful(s, i, seen)
        if j < 0:
            complete[i], second = True, min(second, max(least, measure[i]))
            least = min(least, measure[i])
            continue
        seen[i, j], seen[j, i] = True, True
        pairs += 1
        _compare(s, i, j, measure)
    best, margin = 0, np.inf
    while not complete[best] or measure[best] > equal:
        best += 1
    for i in range(d):
        if candidate[i] and i != best:
            margin = min(margin, measure[i] - least)
    return best, margin, pairs


@inner
def _is_free(s: State, i: int) -> bool:
    for j in range(len(s.left)):  # noqa: SIM110  numba has no generators
        if s.left[j] and s.before[j, i]:
            return False
    return True


@inner
def _least(measure: Array, candidate: Mask, complete: Mask) -> int:
    """The candidate with the least sum so far of those not yet compared with all; -1 without any."""
    best = -1
    for i in range(len(measure)):
        if candidate[i] and not complete[i] and (best < 0 or measure[i] < measure[best]):
            best = i
    return best


@inner
def _most_doubtful(s: State, i: int, seen: Mask) -> int:
    """The column to compare i with next; -1 where none is left."""
    best = -1
    for j in range(len(s.left)):
        if j != i and s.left[j] and not s.flat[j] and not seen[i, j] and (best < 0 or s.doubt[i, j] > s.doubt[i, best]):
            best = j
    return best


@inner
def _compare(s: State, i: int, j: int, measure: Array) -> None:
    """Add D_ij^2 to the measure of the column that it speaks against."""
    left_over = 1.0 - s.rho[i, j] * s.rho[i, j]
    if left_over < FLAT:
        return
    a = 1.0 / math.sqrt(left_over)
    b = a * s.rho[i, j]
    s.residual_h[i, j], s.residual_h[j, i] = _both_entropies(s.z[i], s.z[j], a, b, s.counts, s.single, s.n)
    difference = (s.h[j] + s.residual_h[i, j]) - (s.h[i] + s.residual_h[j, i])
    against, other = (i, j) if difference < 0 else (j, i)
    measure[against] += difference * difference
    s.doubt[against, other], s.doubt[other, against] = difference * difference, 0.0


@inner
def _take_out(s: State, m: int) -> None:
    """Replace the columns left by their standardised residuals given m, with their correlations and entropies."""
    d, rows = s.z.shape
    scale = np.zeros(d)
    for i in range(d):
        left_over = 1.0 - s.rho[i, m] * s.rho[i, m]
        s.flat[i] = s.flat[i] or left_over < FLAT
        if s.left[i] and not s.flat[i]:
            scale[i] = 1.0 / math.sqrt(left_over)
    for start in range(0, rows, BLOCK):  # block by block: that of m stays in cache
        taken = s.z[m, start : start + BLOCK]
        for i in range(d):
            if scale[i] > 0.0:
                column, slope, stretch = s.z[i, start : start + BLOCK], s.rho[i, m], scale[i]
                for t in range(len(taken)):
                    column[t] = (column[t] - slope * taken[t]) * stretch
    for i in range(d):
        if scale[i] > 0.0:
            s.h[i] = s.residual_h[i, m]
            if math.isnan(s.h[i]):  # m was the only candidate, so that no pair was compared
                s.h[i] = entropy(s.z[i], s.z[i], 1.0, 0.0, s.counts, s.single, s.n)
    for i in range(d):
        for j in range(i):
            if s.left[i] and s.left[j] and not s.flat[i] and not s.flat[j]:
                s.rho[i, j] = (s.rho[i, j] - s.rho[i, m] * s.rho[j, m]) * scale[i] * scale[j]
                s.rho[j, i] = s.rho[i, j]


@kernel
def prune(rho: Array, n: int, order: Integers, required: Mask, forbidden: Mask, weights: Array) -> Mask:
    """Fill weights[i, j] of i -> j by the adaptive lasso along the order, refitted by least squares on what it keeps.

    rho (d, d): correlations, so that the weights are those of standardised columns.
    Returns singular (d,): the columns whose predictors are linearly dependent; their weights are left as they were.
    """
    d = len(rho)
    singular = np.zeros(d, np.bool_)
    for k in range(1, d):
        j = order[k]
        chosen = np.empty(k, np.int64)
        p = np.int64(0)
        for t in range(k):
            if not forbidden[order[t], j]:
                chosen[p] = order[t]
                p += 1
        gram, xy, ols = _normal_equations(rho, n, chosen, p, j)
        if not least_squares(gram, xy, ols):
            singular[j] = True
            continue
        kept = penalised(gram, xy, float(n), n, ols)
        count = np.int64(0)
        for t in range(p):
            if kept[t] != 0.0 or required[chosen[t], j]:
                chosen[count] = chosen[t]
                count += 1
        gram, xy, ols = _normal_equations(rho, n, chosen, count, j)
        least_squares(gram, xy, ols)  # a part of a regular matrix is regular
        for t in range(count):
            weights[chosen[t], j] = ols[t]
    return singular


@inner
def _normal_equations(rho: Array, n: int, chosen: Integers, p: int, j: int) -> tuple[Array, Array, Array]:
    """X'X and X'y of standardised columns, and room for the coefficients."""
    gram, xy = np.empty((p, p)), np.empty(p)
    for s in range(p):
        xy[s] = n * rho[chosen[s], j]
        for t in range(p):
            gram[s, t] = n * rho[chosen[s], chosen[t]]
    return gram, xy, np.empty(p)
