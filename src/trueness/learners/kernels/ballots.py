"""How sets of neighbours vote on unshielded triples x - y - z: those that separate x and z, the best, or the one met.

Each set is tested once: all those around x, then those around z that are not all neighbours of x. Sets around a node
grow until there would be more than MOST_SETS of them: 3 neighbours of 25 at a time, 2 of 80. Where none of them
separates, the set that the search met votes: if it is of neighbours too, only larger, or if `latent` causes can make
sets beyond the neighbours necessary.
"""

from __future__ import annotations

import numpy as np

from trueness.learners.kernels.compiling import bare, inner
from trueness.learners.kernels.skeleton import neighbours, next_set
from trueness.learners.kernels.testing import evaluate, p_value, verdict, workspace

NONE, MET, ALL, BEST = -1, 0, 1, 2
MOST_SETS = 4096


@inner
def ballots(
    kind, n, alpha, limits, correlation, dag, columns, weights, levels, planes, burt, first, xlogx,
    adjacent, where, pool, rule, most, latent,
):  # fmt: skip
    """Of unshielded triples: (m, 3) x < z, those of a pair behind each other; whether most votes leave y out; (m,)
    their share times the largest p of a set without y; the others' share times the largest p of one with y."""
    d = adjacent.shape[0]
    code, table, strata, margins, factor = workspace(
        kind, weights.shape[0], levels, min(d, most + 2), correlation.shape[0]
    )
    count = 0
    for x in range(d):
        for z in range(x + 1, d):
            if not adjacent[x, z] and where[x, z] >= 0:
                for y in range(d):
                    count += adjacent[x, y] and adjacent[y, z]
    triples, collides, evidence = np.empty((count, 3), np.int32), np.empty(count, np.bool_), np.zeros((2, count))
    members, places, chosen = np.empty(d + 1, np.int64), np.empty(d + 1, np.int64), np.empty(d + 1, np.int64)
    within = np.empty(d, np.int64)  # votes with y
    in_best, is_in = np.zeros(d, np.bool_), np.zeros(d, np.bool_)
    at = 0
    for x in range(d):
        for z in range(x + 1, d):
            if adjacent[x, z] or where[x, z] < 0:
                continue
            start = at
            for y in range(d):
                if adjacent[x, y] and adjacent[y, z]:
                    triples[at, 0], triples[at, 1], triples[at, 2] = x, y, z
                    within[at - start] = 0
                    in_best[at - start] = False
                    at += 1
            if at == start:
                continue
            votes, best, of_x, of_z = 0, -1.0, np.int64(-1), np.int64(-1)  # largest sets around x, around z
            for end in range(2 if rule == MET else 0, 3):
                q = neighbours(adjacent, z if end else x, members) - 1
                size, sets = np.int64(0), 1.0
                if end == 2:
                    q = size = pool[where[x, z]] if rule == MET or votes == 0 else -1
                    for i in range(size):
                        members[i + 1] = pool[where[x, z] + 1 + i]
                while size <= q and (size <= most or end == 2) and sets <= MOST_SETS:
                    for i in range(size):
                        places[i] = i
                    more = True
                    while more:
                        near_x, near_z = True, end == 2
                        for i in range(size):
                            chosen[i] = members[places[i] + 1]
                            near_x = near_x and adjacent[x, chosen[i]]
                            near_z = near_z and adjacent[z, chosen[i]]
                        known = (near_x and size <= of_x) or (near_z and size <= of_z)
                        if rule != MET and end == 2:
                            known = known or not (near_x or near_z or latent)
                        if not known:
                            p, separates = 0.0, False
                            if size <= most:  # a union of sets may be more than can be given
                                statistic, df = evaluate(
                                    kind, n, correlation, dag, columns, weights, levels, planes, burt, first, xlogx,
                                    code, table, strata, margins, factor, x, z, chosen, size, np.int64(0),
                                )  # fmt: skip
                                p = p_value(kind, n, statistic, df)
                                separates = rule == ALL and verdict(kind, alpha, limits, statistic, df)
                            separates = separates or (rule == ALL and latent and end == 2)
                            votes += separates
                            for i in range(size):
                                is_in[chosen[i]] = True
                            for t in range(start, at):
                                here = is_in[triples[t, 1]]
                                within[t - start] += here and separates
                                evidence[int(here), t] = max(evidence[int(here), t], p)
                                in_best[t - start] = here if p > best else in_best[t - start]
                            for i in range(size):
                                is_in[chosen[i]] = False
                            best = max(best, p)
                        more = next_set(places, size, q) >= 0
                    of_x, of_z = (size, of_z) if end == 0 else (of_x, size)
                    size += 1
                    sets = sets_up_to(q, size)
            for t in range(start, at):
                share = 1 - within[t - start] / votes if votes else 1.0 - in_best[t - start]
                collides[t] = share > 0.5
                evidence[0, t] *= share
                evidence[1, t] *= 1 - share
    return triples, collides, evidence[0], evidence[1]


@bare
def sets_up_to(q, size):
    """How many subsets of q have at most so many members."""
    sets, of_size = 1.0, 1.0
    for k in range(1, size + 1):
        of_size *= (q - k + 1) / k
        sets += of_size
    return sets
