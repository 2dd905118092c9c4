"""FCI and RFCI: a PAG from conditional independence tests, with latent common causes allowed.

The skeleton as in PC; colliders; then each edge x - y is tested again given subsets of Possible-D-SEP(x) and of
Possible-D-SEP(y), for latent causes can make sets beyond the neighbours necessary; then all marks are taken back to
circles, colliders are oriented anew, and rules R1 to R10 are applied until nothing changes.
Spirtes, Glymour & Scheines (2000), ch. 6.7; rules and their completeness: Zhang (2008).

colliders    which set decides: the "majority" of all sets of neighbours, and where none of them separates that which
             was met; or always the "separating set" that was met (the references' rule; pc.py)
selection    also apply R5 to R7, which are about selection bias. Without selection they fire only where tests err.

RFCI leaves out the search through Possible-D-SEP, so that it is fast with many latent causes. A collider or a
discriminating path is used only if its edges survive tests given subsets of the separating set S of its ends; an edge
that does not survive is removed, and the triples this uncovers are looked at:

    (x, y, z) unshielded:     x, y and y, z must be dependent given S(x, z) without y       (lemma 3.1)
    (x, ..., a, b, c):        each edge of the path must be dependent given every subset of S(x, c)   (lemma 3.2)

All marks are right in the large-sample limit; there may be an edge more than in FCI's PAG.
Colombo, Maathuis, Kalisch & Richardson (2012), section 3.2 and algorithms 4.4 and 4.5.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from trueness.graphs import ARROW, CIRCLE, NONE, TAIL, Graph
from trueness.learners.base import Card
from trueness.learners.independence import Independence
from trueness.learners.kernels import pag, testing
from trueness.learners.kernels import skeleton as kernel
from trueness.learners.knowledge import Matrix
from trueness.learners.pc import PC, VOTERS, Found, SearchByTests, search_skeleton

PAGColliders = Literal["separating set", "majority"]
Triple = tuple[int, int, int]
Marks = NDArray[np.int8]


@dataclass(frozen=True)
class FCI(SearchByTests):
    """Fast causal inference. Returns a PAG. `depth`: the greatest set given, -1 for no limit."""

    colliders: PAGColliders = "majority"
    selection: bool = field(default=True, metadata={"after": "depth"})

    card: ClassVar[Card] = replace(
        PC.card,
        title="FCI",
        summary="PC's search made safe against hidden common causes; its circles say what cannot be told.",
        returns="pag",
        assumes=("faithfulness", "acyclicity", "no selection bias"),
        paper="Spirtes, Meek & Richardson 1995; Zhang 2008",
    )

    def _learn(self, tests: Independence, required: Matrix, forbidden: Matrix, most: int) -> Found:
        first, _ = search_skeleton(tests, required, forbidden, self.search, most)
        rule = getattr(kernel, VOTERS[self.colliders])
        marks = pag.colliders(first.adjacent, pag.left_out(*first[:3]), forbidden, required)
        later, evidence = kernel.search(tests.kernel, required, forbidden, False, most, rule, marks, first)
        skeleton = first._replace(pool=later.pool)
        marks = pag.colliders(skeleton.adjacent, evidence.triples[evidence.collides], forbidden, required)
        pag.close(marks, skeleton.where, skeleton.pool, True, self.selection)
        return Graph(tests.names, marks, None, "pag"), skeleton, later.tests


@dataclass(frozen=True)
class RFCI(FCI):
    """Really fast causal inference. Returns a PAG. Settings as in FCI, but that sets do not vote."""

    colliders: Literal["separating set"] = field(default="separating set", metadata={"later": True})

    card: ClassVar[Card] = replace(
        FCI.card,
        title="RFCI",
        summary="FCI that checks the edges of colliders and discriminating paths instead of searching Possible-D-SEP.",
        paper="Colombo, Maathuis, Kalisch & Richardson 2012",
    )

    def _learn(self, tests: Independence, required: Matrix, forbidden: Matrix, most: int) -> Found:
        skeleton, _ = search_skeleton(tests, required, forbidden, self.search, most)
        orientation = _Orientation(tests, skeleton, required, forbidden)
        orientation.run(self.selection)
        final = skeleton.updated(orientation.removed)._replace(adjacent=orientation.marks != 0)
        return Graph(tests.names, orientation.marks, None, "pag"), final, orientation.made


class _Orientation:
    """The marks so far, and the separating sets, both changed as edges turn out not to be there."""

    def __init__(self, tests: Independence, skeleton: kernel.Skeleton, required: Matrix, forbidden: Matrix):
        self.tests = tests.kernel
        self.fixed = required | required.T
        self.known: dict[tuple[int, int, frozenset[int]], bool] = {}
        self.made = np.zeros(len(skeleton.adjacent) + 1, dtype=np.int64)
        self.sets = {
            (int(x), int(y)): frozenset(skeleton.members(x, y).tolist())
            for x, y in np.argwhere(np.triu(skeleton.where >= 0, 1))
        }
        self.removed: dict[tuple[int, int], frozenset[int]] = {}  # of edges that were taken out since
        self.marks: Marks = np.where(skeleton.adjacent, CIRCLE, NONE).astype(np.int8)
        self.marks[skeleton.adjacent & required.T] = TAIL
        self.marks[skeleton.adjacent & forbidden.T] = ARROW

    def run(self, selection: bool) -> None:
        """Colliders, then the rules, R4 by one path at a time."""
        self.use_triples(self.unshielded_triples())
        nothing = np.full(self.marks.shape, -1, np.int32), np.zeros(1, np.int32)
        pag.close(self.marks, *nothing, False, selection)
        while self.use_a_discriminating_path():
            pag.close(self.marks, *nothing, False, selection)

    # ---- tests

    def independent(self, x: int, y: int, separating: Iterable[int]) -> bool:
        """Asked once: the same question comes up on many paths."""
        question = min(x, y), max(x, y), frozenset(separating)
        if question not in self.known:
            members = np.array(sorted(question[2]), dtype=np.int64)
            self.known[question] = bool(testing.single(self.tests, *question[:2], members)[3])
            self.made[len(members)] += 1
        return self.known[question]

    def separating(self, x: int, y: int) -> frozenset[int] | None:
        return self.sets.get((min(x, y), max(x, y)))

    def smallest_separating(self, x: int, y: int, among: Iterable[int]) -> frozenset[int] | None:
        pool = sorted(set(among) - {x, y})
        subsets = (frozenset(s) for size in range(len(pool) + 1) for s in combinations(pool, size))
        return next((s for s in subsets if self.independent(x, y, s)), None)

    # ---- colliders (algorithm 4.4)

    def unshielded_triples(self) -> list[Triple]:
        edge = self.marks != NONE
        triples = []
        for y in range(len(edge)):
            around = np.flatnonzero(edge[y]).tolist()
            triples += [(x, y, z) for x, z in combinations(around, 2) if not edge[x, z]]
        return triples

    def use_triples(self, triples: Iterable[Triple]) -> None:
        """Keep the triples whose edges survive, remove the others' edges; then draw the colliders."""
        left, kept = deque(triples), dict[Triple, None]()
        while left:
            x, y, z = triple = left.popleft()
            separating = self.separating(x, z)
            if separating is None or not self.is_unshielded(triple):
                continue
            weak = [end for end in (x, z) if self.independent(end, y, separating - {y})]
            if not any(not self.fixed[end, y] for end in weak):
                kept[triple] = None
            for end in weak:
                if not self.fixed[end, y]:
                    left += self.remove(end, y, separating - {y})
        for x, y, z in kept:
            separating = self.separating(x, z)
            if self.is_unshielded((x, y, z)) and separating is not None and y not in separating:
                if self.marks[x, y] != TAIL and self.marks[z, y] != TAIL:
                    self.marks[x, y] = self.marks[z, y] = ARROW

    def is_unshielded(self, triple: Triple) -> bool:
        x, y, z = triple
        return bool(self.marks[x, y] and self.marks[y, z] and not self.marks[x, z])

    def remove(self, x: int, y: int, among: Iterable[int]) -> list[Triple]:
        """Take the edge out; the triangles it was part of, now unshielded triples."""
        separating = self.smallest_separating(x, y, among)
        if separating is None or not self.marks[x, y]:
            return []
        self.marks[x, y] = self.marks[y, x] = NONE
        self.sets[min(x, y), max(x, y)] = self.removed[min(x, y), max(x, y)] = separating
        middle = np.flatnonzero((self.marks[x] != NONE) & (self.marks[y] != NONE))
        return [(min(x, y), int(m), max(x, y)) for m in middle]

    # ---- rule R4 (algorithm 4.5)

    def use_a_discriminating_path(self) -> bool:
        """Orient by one path, or remove an edge that does not survive; False when there is no path left."""
        for c, b in np.argwhere(self.marks == CIRCLE).tolist():
            for a in range(len(self.marks)):
                if self.marks[b, a] != ARROW or self.marks[a, c] != ARROW or self.marks[c, a] != TAIL:
                    continue
                path = self.path_to(a, b, c)
                if path and (self.remove_weak_edge(path) or self.orient_by(path)):
                    return True
        return False

    def path_to(self, a: int, b: int, c: int) -> list[int]:
        """A shortest discriminating path [x, ..., a, b, c] whose ends have a separating set; empty where none is."""
        marks, queue, after = self.marks, deque([a]), {a: b}
        while queue:
            v = queue.popleft()
            if marks[after[v], v] != ARROW:
                continue
            for u in np.flatnonzero(marks[:, v] == ARROW).tolist():
                if u in after or u in (b, c):
                    continue
                after[u] = v
                if marks[u, c] == NONE and self.separating(u, c) is not None:
                    path = [u]
                    while path[-1] != b:
                        path.append(after[path[-1]])
                    return [*path, c]
                if marks[u, c] == ARROW and marks[c, u] == TAIL:
                    queue.append(u)
        return []

    def remove_weak_edge(self, path: list[int]) -> bool:
        among = self.separating(path[0], path[-1]) or frozenset()
        for x, y in zip(path, path[1:], strict=False):
            if not self.fixed[x, y] and self.smallest_separating(x, y, among) is not None:
                self.use_triples(self.remove(x, y, among))
                return True
        return False

    def orient_by(self, path: list[int]) -> bool:
        marks, (a, b, c) = self.marks, path[-3:]
        if b in (self.separating(path[0], c) or ()):
            if marks[b, c] == TAIL:
                return False
            marks[c, b], marks[b, c] = TAIL, ARROW
        else:
            if marks[a, b] == TAIL or marks[b, c] == TAIL:
                return False
            marks[a, b] = marks[c, b] = marks[b, c] = ARROW
        return True


LEARNERS = {"fci": FCI, "rfci": RFCI}
