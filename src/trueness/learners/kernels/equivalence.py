"""From a partially directed graph to a DAG in its class, and to the graph of the class.

graph[i, j] = 1 where the edge is i -> j or i -- j, so i -> j has graph[j, i] = 0 and i -- j has 1 both ways.

    extend     remove a node that can be a sink of what is left, one at a time          Dor & Tarsi (1992)
    close      of that DAG compelled are colliders, the edges that interventions fix, and what follows from these by
               Meek's rules 1 to 3; the others are reversible                            Meek (1995)

All take O(edges x degree^2) for each round, beside one look at the d^2 entries.
cut[i, j] = 1 where an intervention has one of i and j among its targets; of shape (0, 0) where there are none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trueness.learners.kernels.compiling import bare, inner, kernel

Matrix = NDArray[np.uint8]
Integers = NDArray[np.int64]
_DIRECTED, _COMPELLED, _REVERSIBLE = 1, 2, 3
NO_CUT: Matrix = np.zeros((0, 0), dtype=np.uint8)


@kernel
def complete(graph: Matrix, cut: Matrix) -> bool:
    """Replace a partially directed graph, cut edges directed, by the graph of its class; False where none has it."""
    start, around = _adjacent(graph)
    return complete_around(graph, cut, start, around, np.zeros(graph.shape, np.uint8))


@inner
def complete_around(graph: Matrix, cut: Matrix, start: Integers, around: Integers, dag: Matrix) -> bool:
    """The same where it is known what is adjacent; dag: working space, zeros before and after."""
    if not _extend(graph, start, around, dag):
        return False
    _close(dag, cut, start, around)
    _write(dag, start, around, graph)
    return True


@kernel
def dag_of(graph: Matrix) -> tuple[bool, Matrix]:
    """A DAG in the class of a partially directed graph, and whether there is one."""
    start, around = _adjacent(graph)
    dag = np.zeros(graph.shape, np.uint8)
    return _extend(graph, start, around, dag), dag


@bare
def list_out(graph: Matrix, u: int, out: Integers) -> None:
    """out[u]: the v with u -> v or u -- v, how many in its last column."""
    count = 0
    for v in range(len(graph)):
        if graph[u, v]:
            out[u, count] = v
            count += 1
    out[u, len(graph)] = count


@inner
def _adjacent(graph: Matrix) -> tuple[Integers, Integers]:
    """The nodes adjacent to i are around[start[i]:start[i + 1]]."""
    d = len(graph)
    out = np.empty((d, d + 1), np.int64)
    for i in range(d):
        list_out(graph, i, out)
    return adjacent_of(graph, out)


@inner
def adjacent_of(graph: Matrix, out: Integers) -> tuple[Integers, Integers]:
    """The same from lists that hold every j with graph[i, j] = 1 among out[i, :out[i, d]], in as many looks."""
    d = len(graph)
    start = np.zeros(d + 2, np.int64)
    for i in range(d):
        for k in range(out[i, d]):
            j = out[i, k]
            if graph[i, j]:
                start[i + 2] += 1
                if not graph[j, i]:
                    start[j + 2] += 1
    for i in range(d):
        start[i + 2] += start[i + 1]
    around = np.empty(start[d + 1], np.int64)
    for i in range(d):
        for k in range(out[i, d]):
            j = out[i, k]
            if graph[i, j]:
                around[start[i + 1]] = j
                start[i + 1] += 1
                if not graph[j, i]:
                    around[start[j + 1]] = i
                    start[j + 1] += 1
    return start[: d + 1], around


@inner
def _extend(graph: Matrix, start: Integers, around: Integers, dag: Matrix) -> bool:
    """Fill dag; whether there is an extension."""
    d = len(graph)
    stack, gone, waits = np.empty(d, np.int64), np.zeros(d, np.uint8), np.empty(d, np.uint8)
    children = np.zeros(d, np.int64)  # how many v with i -> v are left
    for i in range(d):
        stack[i], waits[i] = i, 1
        for k in range(start[i], start[i + 1]):
            children[i] += not graph[around[k], i]
    top, left = d, d
    while top > 0:
        top -= 1
        x = stack[top]
        waits[x] = 0
        if gone[x] or children[x] or not _can_be_sink(graph, x, start, around, gone):
            continue
        gone[x] = 1
        left -= 1
        for k in range(start[x], start[x + 1]):
            v = around[k]
            if not gone[v]:
                dag[v, x] = _DIRECTED
                children[v] -= not graph[x, v]
                if not waits[v]:  # with x gone v may have become a sink
                    waits[v] = 1
                    stack[top] = v
                    top += 1
    return left == 0


@inner
def _can_be_sink(graph: Matrix, x: int, start: Integers, around: Integers, gone: Matrix) -> bool:
    """Of an x without children that are left: each v with x -- v is adjacent to all others around x."""
    for k in range(start[x], start[x + 1]):
        v = around[k]
        if gone[v] or not graph[x, v]:
            continue
        for m in range(start[x], start[x + 1]):
            u = around[m]
            if u != v and not gone[u] and not graph[u, v] and not graph[v, u]:
                return False
    return True


@inner
def _close(dag: Matrix, cut: Matrix, start: Integers, around: Integers) -> None:
    """Turn each entry _DIRECTED of dag into _COMPELLED or _REVERSIBLE.

    Rule 4 has no case here: cut edges leave chains that are chordal.
    """
    d, is_cut = len(dag), len(cut) > 0
    for x in range(d):
        for k in range(start[x], start[x + 1]):
            y = around[k]
            if dag[x, y]:
                dag[x, y] = (
                    _COMPELLED if (is_cut and cut[x, y]) or _is_collider(dag, x, y, start, around) else _REVERSIBLE
                )
    changed = True
    while changed:
        changed = False
        for x in range(d):
            for k in range(start[x], start[x + 1]):
                y = around[k]
                if dag[x, y] == _REVERSIBLE and _follows(dag, x, y, start, around):
                    dag[x, y] = _COMPELLED
                    changed = True


@inner
def _is_collider(dag: Matrix, x: int, y: int, start: Integers, around: Integers) -> bool:
    for k in range(start[y], start[y + 1]):
        z = around[k]
        if z != x and dag[z, y] and not dag[z, x] and not dag[x, z]:
            return True
    return False


@inner
def _follows(dag: Matrix, x: int, y: int, start: Integers, around: Integers) -> bool:
    """Whether x -> y follows from compelled edges: u -> x with u, y apart; x -> z -> y; or z -> y <- w with z, w apart
    and x -- z, x -- w."""
    for k in range(start[x], start[x + 1]):
        z = around[k]
        if dag[z, x] == _COMPELLED and not dag[z, y] and not dag[y, z]:
            return True
        if dag[z, y] != _COMPELLED:
            continue
        if dag[x, z] == _COMPELLED:
            return True
        if dag[x, z] != _REVERSIBLE and dag[z, x] != _REVERSIBLE:
            continue
        for m in range(k + 1, start[x + 1]):
            w = around[m]
            loose = dag[x, w] == _REVERSIBLE or dag[w, x] == _REVERSIBLE
            if loose and dag[w, y] == _COMPELLED and not dag[z, w] and not dag[w, z]:
                return True
    return False


@inner
def _write(labels: Matrix, start: Integers, around: Integers, graph: Matrix) -> None:
    for i in range(len(graph)):
        for k in range(start[i], start[i + 1]):
            j = around[k]
            if labels[i, j]:
                graph[i, j] = 1
                graph[j, i] = 1 if labels[i, j] == _REVERSIBLE else 0
                labels[i, j] = 0
