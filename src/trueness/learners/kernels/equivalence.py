"""From a partially directed graph to a DAG in its class, and from a DAG to the CPDAG of its class.

graph[i, j] = 1 where the edge is i -> j or i -- j, so i -> j has graph[j, i] = 0 and i -- j has 1 both ways.

    extend     remove a node that can be a sink of what is left, one at a time          Dor & Tarsi (1992)
    label      the edges of the DAG compelled or reversible, in order of causes         Chickering (1995)
    close      the same where interventions fix the direction of some edges: these, colliders, then Meek's rules 1 to 3

All take O(edges x degree^2), beside one look at the d^2 entries; `close` that much for each of its rounds.
cut[i, j] = 1 where an intervention has one of i and j among its targets; of shape (0, 0) where there are none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trueness.learners.kernels.compiling import inner, kernel

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
    order = _extend(graph, start, around, dag)
    if order[0] < 0:
        return False
    if len(cut):
        _close(dag, cut, start, around)
    else:
        _label(dag, order, start, around)
    _write(dag, start, around, graph)
    return True


@kernel
def dag_of(graph: Matrix) -> tuple[bool, Matrix]:
    """A DAG in the class of a partially directed graph, and whether there is one."""
    start, around = _adjacent(graph)
    dag = np.zeros(graph.shape, np.uint8)
    order = _extend(graph, start, around, dag)
    return order[0] >= 0, dag


@kernel
def cpdag_of_dag(dag: Matrix, order: Integers) -> Matrix:
    """The CPDAG of a DAG (dag[i, j] = 1 for i -> j) whose nodes are given causes first."""
    start, around = _adjacent(dag)
    labels, graph = dag.copy(), np.zeros(dag.shape, np.uint8)
    _label(labels, order, start, around)
    _write(labels, start, around, graph)
    return graph


@inner
def _adjacent(graph: Matrix) -> tuple[Integers, Integers]:
    """The nodes adjacent to i are around[start[i]:start[i + 1]]."""
    d = len(graph)
    degree = np.zeros(d, np.int64)
    for i in range(d):
        for j in range(d):
            if graph[i, j]:
                degree[i] += 1
                if not graph[j, i]:
                    degree[j] += 1
    start = np.zeros(d + 1, np.int64)
    for i in range(d):
        start[i + 1] = start[i] + degree[i]
    around = np.empty(start[d], np.int64)
    for i in range(d):
        for j in range(d):
            if graph[i, j]:
                degree[i] -= 1
                around[start[i] + degree[i]] = j
                if not graph[j, i]:
                    degree[j] -= 1
                    around[start[j] + degree[j]] = i
    return start, around


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
def _extend(graph: Matrix, start: Integers, around: Integers, dag: Matrix) -> Integers:
    """Fill dag; its nodes, causes first. order[0] = -1 where there is no extension."""
    d = len(graph)
    order, stack = np.empty(d, np.int64), np.empty(d, np.int64)
    gone, waits = np.zeros(d, np.uint8), np.empty(d, np.uint8)
    children = np.zeros(d, np.int64)  # how many v with i -> v are left
    for i in range(d):
        stack[i], waits[i], order[i] = i, 1, -1
        for k in range(start[i], start[i + 1]):
            children[i] += not graph[around[k], i]
    top, place = d, d
    while top > 0:
        top -= 1
        x = stack[top]
        waits[x] = 0
        if gone[x] or children[x] or not _can_be_sink(graph, x, start, around, gone):
            continue
        gone[x] = 1
        place -= 1
        order[place] = x
        for k in range(start[x], start[x + 1]):
            v = around[k]
            if not gone[v]:
                dag[v, x] = _DIRECTED
                children[v] -= not graph[x, v]
                if not waits[v]:  # with x gone v may have become a sink
                    waits[v] = 1
                    stack[top] = v
                    top += 1
    return order


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
def _label(dag: Matrix, order: Integers, start: Integers, around: Integers) -> None:
    """Turn each entry _DIRECTED of dag into _COMPELLED or _REVERSIBLE: by y, and into one y from the latest x on."""
    d = len(dag)
    rank, parents = np.empty(d, np.int64), np.empty(d, np.int64)
    for place in range(d):
        y = order[place]
        rank[y] = place
        count = np.int64(0)  # a plain 0 is a type of its own, for which functions would be compiled again
        for k in range(start[y], start[y + 1]):
            x = around[k]
            if dag[x, y]:
                m = count
                while m > 0 and rank[parents[m - 1]] < rank[x]:
                    parents[m] = parents[m - 1]
                    m -= 1
                parents[m] = x
                count += 1
        for k in range(count):
            x = parents[k]
            if dag[x, y] != _DIRECTED:
                continue
            label = _COMPELLED if _has_other_cause(dag, x, parents, count) else _REVERSIBLE
            all_compelled = False
            for m in range(start[x], start[x + 1]):  # u -> x compelled: then u -> y is, or x -> y must be
                u = around[m]
                if dag[u, x] == _COMPELLED:
                    if dag[u, y]:
                        dag[u, y] = _COMPELLED
                    else:
                        all_compelled = True
            for m in range(count):
                if all_compelled or dag[parents[m], y] == _DIRECTED:
                    dag[parents[m], y] = _COMPELLED if all_compelled else label


@inner
def _close(dag: Matrix, cut: Matrix, start: Integers, around: Integers) -> None:
    """As `_label`, with the cut edges compelled. Rule 4 has no case here: cut edges leave chains that are chordal."""
    d = len(dag)
    for x in range(d):
        for k in range(start[x], start[x + 1]):
            y = around[k]
            if dag[x, y]:
                dag[x, y] = _COMPELLED if cut[x, y] or _is_collider(dag, x, y, start, around) else _REVERSIBLE
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
def _has_other_cause(dag: Matrix, x: int, parents: Integers, count: int) -> bool:
    """Whether one of parents[:count] other than x is no parent of x."""
    m = 0
    while m < count and (parents[m] == x or dag[parents[m], x]):
        m += 1
    return m < count


@inner
def _write(labels: Matrix, start: Integers, around: Integers, graph: Matrix) -> None:
    for i in range(len(graph)):
        for k in range(start[i], start[i + 1]):
            j = around[k]
            if labels[i, j]:
                graph[i, j] = 1
                graph[j, i] = 1 if labels[i, j] == _REVERSIBLE else 0
                labels[i, j] = 0
