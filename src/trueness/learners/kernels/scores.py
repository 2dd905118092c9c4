"""Local scores s(y | S) of a node y with parents S; higher is better, and a graph's score is their sum.

    Gaussian BIC    -n/2 (1 + log var_y + log(1 - R^2_{y.S})) - c log(n)/2 (|S| + 1)           Schwarz (1978)
    discrete BIC    sum_jk N_jk log(N_jk / N_j) - c log(n)/2 (r_y - 1) q_S
    BDeu            sum_j [lG(a/q) - lG(N_j + a/q) + sum_k lG(N_jk + a/(q r)) - lG(a/(q r))]
                    + |S| log(e) + (d - 1 - |S|) log(1 - e)        Buntine (1991); Heckerman et al. (1995)

j runs over the q joint levels of S, k over the r levels of y, lG = log Gamma; c is the penalty, a the equivalent
sample size, e the prior probability of an edge. n drops out of the Gaussian score, which needs the correlations
only; discrete rows are compressed to the distinct ones with their counts.

All three are score equivalent: DAGs of one Markov class have equal sums. Scores are cached under 128-bit Zobrist keys
(Zobrist 1970), key(y, S) = own(y) xor_{p in S} parent(p): two sets among 10^9 share a key with probability 10^-21.
A full neighbourhood of the cache is overwritten, so a score may be computed twice, never wrongly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueness.learners.kernels.compiling import bare, bare_kernel
from trueness.learners.kernels.counting import distinct_rows
from trueness.learners.kernels.mixed import degenerate_score

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Codes = NDArray[np.int32]

GAUSSIAN_BIC, DISCRETE_BIC, BDEU, DEGENERATE_BIC = 0, 1, 2, 3  # the last one: mixed.py
_LEAST = 1e-12  # the share of a variance that is taken as unexplained at least: a deterministic relation stays finite
_REPEATED = 1e-10  # a parent of which less than this share is new repeats the others
_NEARLY = 1e-3  # the root of a share that is so small that the inverse of the correlations is not exact
_PROBES = 8
CELLS, LABELS, JOINT = 0, 1, 2


class Scorer(NamedTuple):
    """Data, settings, cache and working space of one run; one thread at a time.

    Few arrays on purpose: compilation takes time for each of them in each function that is handed them.
    """

    kind: int
    n: float
    limit: int  # most parents
    price: float  # of a free parameter: c log(n) / 2
    sample_size: float  # a
    edge: float  # log(e), 0 where graphs have no prior
    no_edge: float  # log(1 - e)
    moments: Floats  # (d + 1, d): correlations; in the last row -n/2 (1 + log var_y)
    rows: Codes  # (d + 1, m): the distinct rows, a column after the other; in the last row how often each occurs
    # (d, 7): the key as child (two words), as parent (two words), the number of levels; and, for interventions
    # (`by_node`), where the node's block of `moments` or its counts in `rows` begin, and the rows that it is scored on
    nodes: Integers
    more: Integers  # (k, 3): a node, and the same two of further rows on which it has parameters of their own
    keys: Integers  # (slots, 2): what is cached, 0 where free
    values: Floats  # (slots,)
    factor: Floats  # working space (d + 1, d + 1), see _unexplained
    work: Codes  # working space (3, .): CELLS, LABELS, JOINT


def gaussian_scorer(values: Floats, penalty: float, max_parents: int) -> Scorer:
    """From continuous rows (n, d)."""
    centred, n = values - values.mean(axis=0), len(values)
    covariance = centred.T @ centred / n
    scale = np.sqrt(covariance.diagonal())
    moments = np.vstack([covariance / np.outer(scale, scale), -0.5 * n * (1 + 2 * np.log(scale))])
    return _scorer(GAUSSIAN_BIC, n, min(max_parents, n - 2), penalty, moments)  # n - 1 parents explain everything


def mixed_scorer(moments: Floats, first: Integers, n: int, penalty: float, limit: int) -> Scorer:
    """From correlations of columns (p + 1, p), in the last row log variances; first: (d + 1,), mixed.py."""
    d, p = len(first) - 1, moments.shape[1]
    plain = _scorer(DEGENERATE_BIC, n, limit, penalty, np.zeros((d + 1, d)), first.astype(np.int32).reshape(-1, 1))
    return plain._replace(moments=np.ascontiguousarray(moments), factor=np.zeros((2 * p + 1, p + 2)))


def rows_scorer(
    rows: Codes,
    levels: Integers,
    kind: int,
    penalty: float,
    sample_size: float,
    structure_prior: float,
    max_parents: int,
) -> Scorer:
    """From distinct rows as `compress` gives them; kind is DISCRETE_BIC or BDEU."""
    d = len(levels)
    plain = _scorer(kind, int(rows[d].sum()), max_parents, penalty, np.zeros((d + 1, d)), rows, levels)
    if kind == DISCRETE_BIC:
        return plain
    edge = min(structure_prior / max(d - 1, 1), 0.5)  # never above 1/2: a prior is not to ask for edges
    log_edge = math.log(edge) if edge > 0 else 0.0
    return plain._replace(sample_size=float(sample_size), edge=log_edge, no_edge=math.log1p(-edge))


def by_node(scorers: Sequence[Scorer], block: Integers, more: Integers, n: int) -> Scorer:
    """The node y scored by the moments of scorers[block[y]], and by those of scorers[b] for each (y, b) of `more`; the
    price is that of n rows."""
    first = scorers[0]
    nodes = first.nodes.copy()
    nodes[:, 5] = block * len(first.moments)
    nodes[:, 6] = [int(scorers[b].n) for b in block]
    price = first.price * math.log(n) / math.log(first.n)
    limit = max(scorer.limit for scorer in scorers)  # of a node with fewer rows: `_score_on`
    sizes = np.array([int(scorer.n) for scorer in scorers])
    further = np.column_stack([more[:, 0], more[:, 1] * len(first.moments), sizes[more[:, 1]]])
    moments = np.vstack([scorer.moments for scorer in scorers])
    return first._replace(limit=limit, price=price, moments=moments, nodes=nodes, more=further)


def counted_by_node(whole: Scorer, counts: Codes, block: Integers, more: Integers) -> Scorer:
    """The same with counts[block[y]] and counts[b] of the distinct rows."""
    nodes, d = whole.nodes.copy(), len(whole.nodes)
    nodes[:, 5], nodes[:, 6] = d + block, counts[block].sum(axis=1)
    further = np.column_stack([more[:, 0], d + more[:, 1], counts[more[:, 1]].sum(axis=1)])
    return whole._replace(rows=np.ascontiguousarray(np.vstack([whole.rows[:d], counts])), nodes=nodes, more=further)


def _scorer(
    kind: int,
    n: int,
    limit: int,
    penalty: float,
    moments: Floats,
    rows: Codes | None = None,
    levels: Integers | None = None,
) -> Scorer:
    d = moments.shape[1]
    rows = np.zeros((d + 1, 1), dtype=np.int32) if rows is None else rows
    levels = np.ones(d, dtype=np.int64) if levels is None else levels
    begin = np.full(d, d if kind in (DISCRETE_BIC, BDEU) else 0)
    slots = 1 << int(np.clip(math.ceil(math.log2(16 * d * d)), 10, 21))
    return Scorer(
        kind,
        float(n),
        max(0, min(limit, d - 1)),
        0.5 * penalty * math.log(n),
        sample_size=0.0,
        edge=0.0,
        no_edge=0.0,
        moments=np.ascontiguousarray(moments),
        rows=rows,
        nodes=np.column_stack([_mixed(4 * d).reshape(d, 4), levels, begin, np.full(d, n)]),
        more=np.zeros((0, 3), dtype=np.int64),
        keys=np.zeros((slots, 2), dtype=np.int64),
        values=np.empty(slots),
        factor=np.full((d + 1, d + 1), -1.0),
        work=np.empty((3, (2 * rows.shape[1] + 64) * int(levels.max())), dtype=np.int32),
    )


def _mixed(count: int) -> Integers:
    """The first numbers of splitmix64 (Steele et al. 2014): fixed, and as good as random."""
    with np.errstate(over="ignore"):
        z = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(z ^ (z >> np.uint64(31))).view(np.int64)


def compress(codes: Codes) -> tuple[Codes, Integers]:
    """The distinct rows of codes (n, d) as columns, below them how often each occurs, (d + 1, m); and the numbers
    of levels. Codes are renumbered so that every level occurs."""
    place, counts = distinct_rows(codes.astype(np.int64))
    rows = np.ascontiguousarray(np.vstack([codes[place].T, counts]), dtype=np.int32)  # vstack may go by columns
    levels: Integers = np.empty(codes.shape[1], dtype=np.int64)
    for j, column in enumerate(rows[:-1]):
        numbers = (np.bincount(column) > 0).cumsum()
        levels[j] = numbers[-1]
        column[:] = numbers[column] - 1
    return rows, levels


@bare_kernel
def local_score(s: Scorer, y: int, parents: Integers, k: int) -> float:
    """s(y | parents[:k]), from the cache where it is known."""
    nodes, keys, values = s.nodes, s.keys, s.values
    a, b = nodes[y, 0], nodes[y, 1]
    for i in range(k):
        p = parents[i]
        a ^= nodes[p, 2]
        b ^= nodes[p, 3]
    b |= 1  # a key is never that of a free slot
    mask = len(values) - 1
    slot = a & mask
    for probe in range(_PROBES):
        slot = (a + probe) & mask
        if keys[slot, 1] == b and keys[slot, 0] == a:
            return values[slot]
        if keys[slot, 1] == 0:
            break
    if s.kind == GAUSSIAN_BIC:
        before = s.factor[len(nodes), len(nodes)]
        if len(s.more) or (before >= 0 and nodes[int(before), 5] != nodes[y, 5]):
            s.factor[len(nodes), 0] = -1.0  # what is known there is of other correlations
    value = _score_on(s, y, parents, k, nodes[y, 5], nodes[y, 6])
    if s.kind == BDEU:
        value += k * s.edge + (len(nodes) - 1 - k) * s.no_edge
    for i in range(len(s.more)):
        if s.more[i, 0] == y:
            s.factor[len(s.factor) - 1, 0] = -1.0
            value += _score_on(s, y, parents, k, s.more[i, 1], s.more[i, 2])
    keys[slot, 0], keys[slot, 1], values[slot] = a, b, value
    return value


@bare
def _score_on(s: Scorer, y: int, parents: Integers, k: int, first: int, n: int) -> float:
    """The score on the n rows whose moments or counts begin at `first`, without the prior on graphs."""
    d = len(s.nodes)
    if s.kind == DEGENERATE_BIC:
        block = s.moments[first : first + s.moments.shape[1] + 1]
        return degenerate_score(block, s.rows, float(n), s.price, y, parents, k, s.factor)
    if s.kind == GAUSSIAN_BIC:
        if k > n - 2:  # n - 1 parents explain everything
            return -np.inf
        rest = _unexplained(s.moments[first:], y, parents, k, s.factor)
        return s.moments[first + d, y] - 0.5 * n * math.log(rest) - s.price * (k + 1)
    groups, q = _count(s.rows, s.rows[first], s.nodes, y, parents, k, s.work)
    r = s.nodes[y, 4]
    if s.kind == BDEU:
        return _dirichlet(s.work, groups, r, q, s.sample_size)
    return _likelihood(s.work, groups, r) - s.price * (r - 1) * q


@bare
def _unexplained(r: Floats, y: int, parents: Integers, k: int, factor: Floats) -> float:
    """1 - R^2 of y on the parents: one row of the Cholesky factor of their correlations after another.

    Row a of `factor` holds L[a, :a + 1], its last column z = L^-1 r_y; 1 - R^2 = 1 - |z|^2. In its last row stand the
    parents that the rows belong to, -1 after them, and y: what this call shares with the one before is there already.
    """
    last = factor.shape[1] - 1
    known = factor[len(factor) - 1]
    rest, shared = 1.0, 0
    while shared < k and known[shared] == parents[shared]:
        if known[last] != y:
            z = r[parents[shared], y]
            for b in range(shared):
                z -= factor[shared, b] * factor[b, last]
            factor[shared, last] = z / factor[shared, shared]
        rest -= factor[shared, last] * factor[shared, last]
        shared += 1
    known[last], known[k] = y, -1.0
    for a in range(shared, k):
        p = parents[a]
        known[a] = p
        new, z = 1.0, r[p, y]
        for b in range(a):
            x = r[p, parents[b]]
            for c in range(b):
                x -= factor[a, c] * factor[b, c]
            x /= factor[b, b]
            factor[a, b] = x
            new -= x * x
            z -= x * factor[b, last]
        factor[a, a] = math.sqrt(new) if new > _REPEATED else np.inf  # dividing by it leaves the repeated one out
        z /= factor[a, a]
        factor[a, last] = z
        rest -= z * z
    return max(rest, _LEAST)


def room_for_sets(d: int) -> Floats:
    """What `added_scores` and `least_needed` work in."""
    return np.full((2 * d + 3, d), -1.0)


@bare
def added_scores(s: Scorer, y: int, parents: Integers, k: int, rows: Floats) -> None:
    """rows[d, p] = s(y | parents[:k] + p) of the Gaussian score, for every p that is none of them, all at once.

    As in `_unexplained` with p last: rows[a, p] is L[k, a], then come what is left of r(p, y), 1 - |L[k, :k]|^2, and
    the parents that the rows belong to, -1 after them: what this call shares with the one before is there already.
    The loops over p are what a processor does several of at a time; nothing is looked up or cached.
    """
    r, factor, d = s.moments, s.factor, len(s.nodes)
    last = factor.shape[1] - 1
    z, new, known = rows[d], rows[d + 1], rows[d + 2]
    _unexplained(r, y, parents, k, factor)
    rest, shared = 1.0, 0
    while shared < k and known[shared] == parents[shared]:
        shared += 1
    known[k] = -1.0
    for p in range(d):
        new[p], z[p] = 1.0, r[y, p]
    for a in range(k):
        row, pivot, of_y = rows[a], factor[a, a], factor[a, last]
        rest -= of_y * of_y
        if a >= shared:
            known[a] = parents[a]
            for p in range(d):
                row[p] = r[parents[a], p]
            for b in range(a):
                for p in range(d):
                    row[p] -= rows[b, p] * factor[a, b]
            for p in range(d):
                row[p] /= pivot
        for p in range(d):
            new[p] -= row[p] * row[p]
            z[p] -= row[p] * of_y
    free = s.moments[d, y] - s.price * (k + 2)
    for p in range(d):
        x = z[p] / (math.sqrt(new[p]) if new[p] > _REPEATED else np.inf)
        z[p] = free - 0.5 * s.n * math.log(max(rest - x * x, _LEAST))


@bare
def least_needed(s: Scorer, y: int, parents: Integers, k: int, rows: Floats) -> tuple[int, float]:
    """The i without which parents[:k] score highest, and what they score then, but for rounding.

    Gaussian: 1 - R^2 rises by b_i^2 / (A^-1)_ii, where A = L L' are the correlations of the parents and b = A^-1 r_y;
    scores one by one where they follow from each other so nearly that the inverse would be inexact.
    """
    d, factor = len(s.nodes), s.factor
    inverse, last, best, top = rows[d + 3 :], factor.shape[1] - 1, np.int64(0), -np.inf  # of L
    is_clear, rest = s.kind == GAUSSIAN_BIC, 0.0
    if is_clear:
        rest = _unexplained(s.moments, y, parents, k, factor)
        for a in range(k):
            is_clear = is_clear and _NEARLY < factor[a, a] < np.inf
    if not is_clear:
        for i in range(k):  # the last one stands in for the one left out
            p = parents[i]
            parents[i] = parents[k - 1]
            score = local_score(s, y, parents, k - 1)
            parents[i] = p
            if score > top:
                best, top = i, score
        return best, top
    for a in range(k):
        row = inverse[a]
        for i in range(a):
            row[i] = 0.0
        for b in range(a):
            for i in range(b + 1):
                row[i] -= factor[a, b] * inverse[b, i]
        for i in range(a):
            row[i] /= factor[a, a]
        row[a] = 1 / factor[a, a]
    for i in range(k):
        weight, diagonal = 0.0, 0.0
        for a in range(i, k):
            weight += inverse[a, i] * factor[a, last]
            diagonal += inverse[a, i] * inverse[a, i]
        if -weight * weight / diagonal > top:
            best, top = i, -weight * weight / diagonal
    return best, s.moments[d, y] - 0.5 * s.n * math.log(rest - top) - s.price * k


@bare
def _count(
    rows: Codes, counts: Codes, nodes: Integers, y: int, parents: Integers, k: int, work: Codes
) -> tuple[int, float]:
    """Fill work[CELLS, j r + level] for the joint levels j < groups of the parents; q counts the possible ones.

    Beyond about twice the rows, only joint levels that occur are numbered: the work is O(rows) whatever q is.
    """
    m, r = rows.shape[1], nodes[y, 4]
    cells, joint, column = work[CELLS], work[JOINT], rows[y]
    groups, q = np.int64(1), 1.0
    for a in range(k):
        p = parents[a]
        wide, levels = nodes[p, 4], rows[p]
        q *= wide
        groups *= wide
        if a == 0:
            for i in range(m):
                joint[i] = levels[i]
        else:
            for i in range(m):
                joint[i] = joint[i] * wide + levels[i]
        if groups > 2 * m + 64:
            groups = _renumber(work, m, groups)
    for c in range(groups * r):
        cells[c] = 0
    if k == 0:
        for i in range(m):
            cells[np.uint64(column[i])] += counts[i]
    else:
        for i in range(m):  # unsigned, because a signed index is checked for counting from the end
            cells[np.uint64(joint[i] * r + column[i])] += counts[i]
    return groups, q


@bare
def _renumber(work: Codes, m: int, groups: int) -> int:
    """Give the numbers that occur in work[JOINT, :m] (all < groups) the names 0, 1, ... in order of occurrence."""
    for g in range(groups):
        work[LABELS, g] = -1
    used = 0
    for i in range(m):
        g = work[JOINT, i]
        if work[LABELS, g] < 0:
            work[LABELS, g] = used
            used += 1
        work[JOINT, i] = work[LABELS, g]
    return used


@bare
def _likelihood(work: Codes, groups: int, r: int) -> float:
    total = 0.0
    for j in range(groups):
        n_j = np.int64(0)
        for c in range(j * r, (j + 1) * r):
            x = np.int64(work[CELLS, c])
            if x > 0:
                n_j += x
                total += x * math.log(x)
        if n_j > 0:
            total -= n_j * math.log(n_j)
    return total


@bare
def _dirichlet(work: Codes, groups: int, r: int, q: float, sample_size: float) -> float:
    a_j, a_jk = sample_size / q, sample_size / (q * r)
    of_j, of_jk = math.lgamma(a_j), math.lgamma(a_jk)
    total = 0.0
    for j in range(groups):
        n_j = np.int64(0)
        for c in range(j * r, (j + 1) * r):
            x = np.int64(work[CELLS, c])
            if x > 0:
                n_j += x
                total += _log_rising(a_jk, of_jk, x)
        if n_j > 0:
            total -= _log_rising(a_j, of_j, n_j)
    return total


@bare
def _log_rising(a: float, log_gamma_a: float, x: int) -> float:
    """log Gamma(a + x) - log Gamma(a); by a short product where x is small, which is faster."""
    if x <= 8:
        product = a
        for i in range(1, x):
            product *= a + i
        return math.log(product)
    return math.lgamma(a + x) - log_gamma_a
