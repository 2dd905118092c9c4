"""Where nodes and edges of a drawing lie: layers, order within a layer, positions (Sugiyama, Tagawa & Toda 1981).

1  order     causes first; a cycle is broken at the node with most children left (Eades, Lin & Smyth 1993)
2  layer     longest path, then each node moves within its room to where its edges are shortest
3  routes    an edge over several layers gets a bend point in each, so that no edge runs behind a node
4  sort      barycentre sweeps down and up, the order with fewest crossings is kept
5  place     each layer moves towards its neighbours: least squares with a least distance, solved exactly (PAV)

Numbers only: `along` is the direction of the arrows (layers), `across` the place within a layer. Deterministic.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

_SWEEPS = 24
_PASSES = 30
BEND = 10.0  # the room that a bend point takes across
_STRAIGHT = (1.0, 2.0, 8.0)  # how much a segment with 0, 1 or 2 bends resists being slanted (as in Graphviz)


@dataclass(frozen=True)
class Layers:
    """Vertices 0 to n - 1 are nodes, the rest bend points; routes[k] is edge k as vertices, one a layer, downwards."""

    layer: tuple[int, ...]
    rows: tuple[tuple[int, ...], ...]
    routes: tuple[tuple[int, ...], ...]


def layers_of(n: int, edges: Sequence[tuple[int, int]], leads: Sequence[bool]) -> Layers:
    """Layers of n nodes; an edge that leads puts its first node above its second, the others follow the order."""
    leading = [edge for edge, lead in zip(edges, leads, strict=True) if lead]
    place = {node: k for k, node in enumerate(_order(n, leading))}
    arcs = [(i, j) if place[i] < place[j] else (j, i) for i, j in edges]
    layer = _layer(n, arcs, place)
    routes: list[tuple[int, ...]] = []
    for i, j in arcs:
        bends = range(len(layer), len(layer) + layer[j] - layer[i] - 1)
        routes.append((i, *bends, j))
        layer += range(layer[i] + 1, layer[j])
    rows: list[list[int]] = [[] for _ in range(max(layer, default=-1) + 1)]
    for vertex in sorted(range(len(layer)), key=lambda v: (place.get(v, n), v)):
        rows[layer[vertex]].append(vertex)
    return Layers(tuple(layer), _sorted_rows(rows, routes, len(layer)), tuple(routes))


def _order(n: int, directed: Sequence[tuple[int, int]]) -> list[int]:
    children: list[list[int]] = [[] for _ in range(n)]
    parents_left = [0] * n
    for i, j in directed:
        children[i].append(j)
        parents_left[j] += 1
    left, order = set(range(n)), []
    while left:
        ready = [i for i in left if parents_left[i] == 0]
        if ready:
            node = min(ready)
        else:  # a cycle: start it where it costs fewest arrows against the order
            node = min(left, key=lambda i: (parents_left[i] - sum(j in left for j in children[i]), i))
        left.remove(node)
        order.append(node)
        for j in children[node]:
            parents_left[j] -= 1
    return order


def _layer(n: int, arcs: Sequence[tuple[int, int]], place: dict[int, int]) -> list[int]:
    above: list[list[int]] = [[] for _ in range(n)]
    below: list[list[int]] = [[] for _ in range(n)]
    for i, j in arcs:
        above[j].append(i)
        below[i].append(j)
    order = sorted(range(n), key=place.__getitem__)
    layer = [0] * n
    for i in order:
        layer[i] = max((layer[j] + 1 for j in above[i]), default=0)
    for _ in range(n):  # ends sooner: total length falls with each move
        moved = False
        for i in reversed(order):
            wanted = layer[i]
            if below[i] and len(below[i]) > len(above[i]):
                wanted = min(layer[j] for j in below[i]) - 1
            elif above[i] and len(below[i]) < len(above[i]):
                wanted = max(layer[j] for j in above[i]) + 1
            moved |= wanted != layer[i]
            layer[i] = wanted
        if not moved:
            break
    lowest = min(layer, default=0)
    return [k - lowest for k in layer]


def _sorted_rows(rows: list[list[int]], routes: Sequence[Sequence[int]], size: int) -> tuple[tuple[int, ...], ...]:
    up: list[list[int]] = [[] for _ in range(size)]
    down: list[list[int]] = [[] for _ in range(size)]
    for route in routes:
        for a, b in pairwise(route):
            down[a].append(b)
            up[b].append(a)
    # a huge drawing cannot be read whatever the order is; do not spend minutes on it
    sweeps = max(2, min(_SWEEPS, 200_000 // (size + 1)))
    best, fewest = [list(row) for row in rows], _crossings(rows, down)
    for sweep in range(sweeps):
        downwards = sweep % 2 == 0
        near = up if downwards else down
        position = {v: float(k) for row in rows for k, v in enumerate(row)}
        for row in rows if downwards else reversed(rows):
            # ties keep their order on even pairs of sweeps and turn it on odd ones, or sweeps would stand still
            turn = -1 if sweep % 4 > 1 else 1
            key = {v: (_mean([position[u] for u in near[v]], position[v]), turn * position[v]) for v in row}
            row.sort(key=key.__getitem__)
            position.update({v: float(k) for k, v in enumerate(row)})
        crossings = _crossings(rows, down)
        if crossings < fewest:
            best, fewest = [list(row) for row in rows], crossings
        if fewest == 0:
            break
    return tuple(tuple(row) for row in best)


def _mean(values: Sequence[float], default: float) -> float:
    return sum(values) / len(values) if values else default


def _crossings(rows: Sequence[Sequence[int]], down: Sequence[Sequence[int]]) -> int:
    total = 0
    for row, below in pairwise(rows):
        position = {v: k for k, v in enumerate(below)}
        ends: list[int] = []
        for vertex in row:
            for end in sorted(position[v] for v in down[vertex]):
                total += len(ends) - bisect_right(ends, end)
            for v in down[vertex]:  # edges of one node do not cross each other
                insort(ends, position[v])
    return total


def place_across(layers: Layers, breadth: Sequence[float], space: float) -> list[float]:
    """The place of each vertex across; breadth[i] is the room of node i, `space` what lies between two neighbours."""
    n = len(breadth)
    half = [breadth[v] / 2 if v < n else BEND / 2 for v in range(len(layers.layer))]
    near: list[list[tuple[int, float]]] = [[] for _ in layers.layer]
    for route in layers.routes:
        for a, b in pairwise(route):
            stiff = _STRAIGHT[(a >= n) + (b >= n)]
            near[a].append((b, stiff))
            near[b].append((a, stiff))
    across = [0.0] * len(layers.layer)
    for row in layers.rows:
        offsets = _offsets(row, half, space, n)
        for v, offset in zip(row, offsets, strict=True):
            across[v] = offset - offsets[-1] / 2
    for k in range(_PASSES):
        for row in layers.rows if k % 2 == 0 else reversed(layers.rows):
            wanted, weight = [], []
            for v in row:
                total = sum(w for _, w in near[v])
                wanted.append(sum(across[u] * w for u, w in near[v]) / total if total else across[v])
                weight.append(total or 0.01)
            for v, x in zip(row, _apart(wanted, weight, _offsets(row, half, space, n)), strict=True):
                across[v] = x
    lowest = min((x - h for x, h in zip(across, half, strict=True)), default=0.0)
    return [x - lowest for x in across]


def _offsets(row: Sequence[int], half: Sequence[float], space: float, n: int) -> list[float]:
    """The least distance of each vertex of a row from the first; bends lie closer together than nodes."""
    offsets = [0.0]
    for a, b in pairwise(row):
        offsets.append(offsets[-1] + half[a] + half[b] + (space if a < n or b < n else space / 3))
    return offsets[: len(row)]


def _apart(wanted: Sequence[float], weight: Sequence[float], offsets: Sequence[float]) -> list[float]:
    """Minimise sum weight (x - wanted)^2 with x[k + 1] - x[k] >= offsets[k + 1] - offsets[k]: pool violators."""
    blocks: list[tuple[float, float, int]] = []  # mean, weight, size
    for x, w, offset in zip(wanted, weight, offsets, strict=True):
        mean, total, size = x - offset, w, 1
        while blocks and blocks[-1][0] > mean:
            before, w_before, n_before = blocks.pop()
            mean = (mean * total + before * w_before) / (total + w_before)
            total, size = total + w_before, size + n_before
        blocks.append((mean, total, size))
    level = [mean for mean, _, size in blocks for _ in range(size)]
    return [x + offset for x, offset in zip(level, offsets, strict=True)]
