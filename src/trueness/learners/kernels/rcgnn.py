"""RC-GNN's two compiled loops: messages along the graph that clean the signals, and the search for the graph.

Predictors of a node stand in the columns c = l d + i of z (n, p): variable i, l rows back (l = 0: the same row), and
the constant 1 in the last one, p = (L + 1) d + 1. parents[j, c] = 1: variable i acts on j, l rows later.
"""

from __future__ import annotations

import numpy as np

from trueness.learners.kernels.compiling import bare, inner, kernel

K1, K2, GAUSSIAN_LOGCOSH = 79.047, 7.4129, 0.37457  # of the approximation of negentropy, Hyvarinen (1998)
NO_GAIN = 1e-6


@kernel
def pass_messages(x, e, y, trust, spread, child, child_lag, weight, first, active, noise):
    """One sweep over all values x (n, d): each is drawn given its own reading, its causes and its effects.

    x_i(t) | rest ~ N(m, 1 / h),   h = trust_i(t) + 1 / v_i(t) + sum over effects k, l of  w^2 / v_k(t + l)
    trust: precision of the reading y (0: none). spread v (n, d): variance of what the causes leave, e = x - prediction.
    The edges out of i are child[first[i] : first[i + 1]] with their lags and weights; k hears no cause in a row where
    active[t, k] is 0. e is kept up to date.
    """
    n, d = x.shape
    for t in range(n):
        for i in range(d):
            h = trust[t, i] + 1 / spread[t, i]
            slope = trust[t, i] * (x[t, i] - y[t, i]) + e[t, i] / spread[t, i]
            for place in range(first[i], first[i + 1]):
                k, later = child[place], t + child_lag[place]
                if later < n and active[later, k]:
                    w = weight[place]
                    h += w * w / spread[later, k]
                    slope -= w * e[later, k] / spread[later, k]
            move = -slope / h + noise[t, i] / np.sqrt(h)
            x[t, i] += move
            e[t, i] += move
            for place in range(first[i], first[i + 1]):
                k, later = child[place], t + child_lag[place]
                if later < n and active[later, k]:
                    e[later, k] -= weight[place] * move


@bare
def _solve(a, b, k):
    """a[:k, :k] s = b[:k] by Cholesky, in place; a small ridge keeps it possible."""
    for i in range(k):
        for j in range(i + 1):
            total = a[i, j] + (1e-9 * a[i, i] if i == j else 0.0)
            for m in range(j):
                total -= a[i, m] * a[j, m]
            if i == j:
                a[i, i] = np.sqrt(max(total, 1e-12))
            else:
                a[i, j] = total / a[j, j]
    for i in range(k):
        for m in range(i):
            b[i] -= a[i, m] * b[m]
        b[i] /= a[i, i]
    for i in range(k - 1, -1, -1):
        for m in range(i + 1, k):
            b[i] -= a[m, i] * b[m]
        b[i] /= a[i, i]


@inner
def _fit(j, columns, k, grams, held, beta, work):
    """beta[:k] of j on columns over the regimes that are not held; (sum of squares left, weight of the rows)."""
    p = grams.shape[1]
    for a in range(k):
        beta[a] = 0.0
        for b in range(k):
            work[a, b] = 0.0
    yy = 0.0
    n = 0.0
    for g in range(len(grams)):
        if not held[g]:
            yy += grams[g, j, j]
            n += grams[g, p - 1, p - 1]
            for a in range(k):
                beta[a] += grams[g, columns[a], j]
                for b in range(a + 1):
                    work[a, b] += grams[g, columns[a], columns[b]]
    _solve(work, beta, k)
    left = yy
    for a in range(k):
        for g in range(len(grams)):
            if not held[g]:
                left -= grams[g, columns[a], j] * beta[a]
    return max(left, 1e-6 * n), n


@bare
def _left_in(j, columns, k, gram, beta):
    """Sum of squares that beta leaves in one regime."""
    total = gram[j, j]
    for a in range(k):
        total -= 2 * beta[a] * gram[columns[a], j]
        for b in range(k):
            total += beta[a] * beta[b] * gram[columns[a], columns[b]]
    return total


@bare
def _held_alone(j, gram):
    """Log likelihood of j in a regime where it has a mean and a spread of its own."""
    p = len(gram)
    n = gram[p - 1, p - 1]
    if n < 1:
        return 0.0
    variance = max(gram[j, j] / n - (gram[p - 1, j] / n) ** 2, 1e-6)
    return -n / 2 * np.log(variance)


@inner
def node_score(
    j, parents, grams, z, weights, regime, edge_cost, held_cost, entropy, at_least, held, beta, columns, work
):
    """Log likelihood of node j given its parents, less what edges and held regimes cost.

    over regimes that hold:   -n / 2 log(variance left) + n negentropy(what is left / its sd)      (constants dropped)
    over a held regime:       -n_g / 2 log(variance of j there) - held_cost: its causes are cut
    Regimes are held one after another while that gains. The T-long pass of the negentropy is made where `entropy` and
    the rest is at least `at_least`. held (G,) and beta, columns (k,) are filled; returns (the rest, score, k).
    """
    p = grams.shape[1]
    k = 0
    for c in range(p - 1):
        if parents[c]:
            columns[k] = c
            k += 1
    columns[k] = p - 1
    k += 1
    for g in range(len(held)):
        held[g] = 0
    left, n = _fit(j, columns, k, grams, held, beta, work)
    score = -n / 2 * np.log(left / n)
    regimes, off = len(grams), 0
    while off < regimes - 1:
        best, best_gain = -1, 0.0
        for g in range(regimes):
            if not held[g]:
                n_g = grams[g, p - 1, p - 1]
                rest = max(left - _left_in(j, columns, k, grams[g], beta), 1e-6 * n)
                gain = _held_alone(j, grams[g]) - (n - n_g) / 2 * np.log(rest / max(n - n_g, 1.0)) - held_cost
                gain -= -n / 2 * np.log(left / n)
                if gain > best_gain:
                    best, best_gain = g, gain
        if best < 0:
            break
        held[best] = 1
        off += 1
        score_before = score
        left, n = _fit(j, columns, k, grams, held, beta, work)
        score = -n / 2 * np.log(left / n)
        for g in range(regimes):
            if held[g]:
                score += _held_alone(j, grams[g]) - held_cost
        if score <= score_before:  # refitted, it never is worse: rounding
            break
    plain = score - edge_cost * (k - 1)
    score = plain
    if entropy > 0 and plain >= at_least:
        sd = np.sqrt(left / n)
        cosh = odd = total = 0.0
        for t in range(len(z)):
            if not held[regime[t]] and weights[t] > 0:
                u = z[t, j]
                for a in range(k):
                    u -= beta[a] * z[t, columns[a]]
                u /= sd
                size = abs(u)
                cosh += weights[t] * (size + np.log1p(np.exp(-2 * size)) - 0.6931471805599453)
                odd += weights[t] * u * np.exp(-u * u / 2)
                total += weights[t]
        score += entropy * total * (K1 * (cosh / total - GAUSSIAN_LOGCOSH) ** 2 + K2 * (odd / total) ** 2)
    return plain, score, k


@bare
def _reaches(parents, d, start, goal, skip_from, skip_to, stack, seen):
    """Is there a path start -> ... -> goal within a row, the edge skip_from -> skip_to left out?"""
    for k in range(d):
        seen[k] = 0
    stack[0] = start
    seen[start] = 1
    top = 1
    while top:
        top -= 1
        node = stack[top]
        if node == goal:
            return True
        for k in range(d):
            if parents[k, node] and not seen[k] and not (node == skip_from and k == skip_to):
                seen[k] = 1
                stack[top] = k
                top += 1
    return False


@kernel
def search(parents, allowed, grams, z, weights, regime, edge_cost, held_cost, entropy, strength, held, betas):
    """Greedy search from `parents` (d, p): the best edge to add, take out or turn, while one gains.

    strength[j, c]: what the score would lose without an edge that is there, or gain (mostly less than 0) with one
    that is not. held (d, G) and betas (d, p) are those of the last graph.
    """
    d, p = parents.shape
    gain = np.empty((d, p))
    score = np.empty(d)
    stale = np.ones(d, dtype=np.uint8)
    flags, beta, columns = np.zeros(len(grams), dtype=np.uint8), np.empty(p), np.empty(p, dtype=np.int64)
    work = np.empty((p, p))
    stack, seen = np.empty(d + 1, dtype=np.int64), np.empty(d, dtype=np.uint8)
    for _ in range(10 * d * p):
        for j in range(d):
            if stale[j]:
                stale[j] = 0
                base = 0.0
                for c in range(-1, p - 1):  # -1: as it is; otherwise with that edge put in or taken out
                    if c >= 0 and not allowed[j, c]:
                        gain[j, c] = -np.inf
                        continue
                    if c >= 0:
                        parents[j, c] = 1 - parents[j, c]
                    least = base - 1.0 if c >= 0 and parents[j, c] else -np.inf
                    plain, other, k = node_score(
                        j, parents[j], grams, z, weights, regime, edge_cost, held_cost, entropy, least,
                        flags, beta, columns, work,
                    )  # fmt: skip
                    if c >= 0:
                        if plain < least:  # too weak an edge: the shape of what is left stays as it is
                            other = plain + score[j] - base
                        parents[j, c] = 1 - parents[j, c]
                        gain[j, c] = other - score[j]
                        continue
                    base, score[j] = plain, other
                    for g in range(len(flags)):
                        held[j, g] = flags[g]
                    for a in range(p):
                        betas[j, a] = 0.0
                    for a in range(k):
                        betas[j, columns[a]] = beta[a]
        best, kind, to, column = NO_GAIN, -1, -1, -1
        for j in range(d):
            for c in range(p - 1):
                if allowed[j, c]:
                    turned = -np.inf
                    if c < d and parents[j, c] and allowed[c, j]:
                        turned = gain[j, c] + gain[c, j]
                    if gain[j, c] > best and (
                        c >= d or parents[j, c] or not _reaches(parents, d, j, c, -1, -1, stack, seen)
                    ):
                        best, kind, to, column = gain[j, c], 0, j, c
                    if turned > best and not _reaches(parents, d, c, j, c, j, stack, seen):
                        best, kind, to, column = turned, 1, j, c
        if kind < 0:
            break
        parents[to, column] = 1 - parents[to, column]
        stale[to] = 1
        if kind == 1:
            parents[column, to] = 1
            stale[column] = 1
    for j in range(d):
        for c in range(p - 1):
            strength[j, c] = -gain[j, c] if parents[j, c] else gain[j, c]
            if not parents[j, c] and not strength[j, c] < 0:
                strength[j, c] = 0.0  # it would close a cycle
