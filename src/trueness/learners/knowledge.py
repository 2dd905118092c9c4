"""Background knowledge for a search: edges that must be there, edges that must not, and tiers of time.

    required     "a -> b"      (or the pair ("a", "b")) the edge stays, untested, with this direction
    forbidden    "a -> b"      this direction is never drawn; both directions forbidden: a and b are apart
    tiers        [["a", "b"], ["c"]]      nothing of a later tier causes anything of an earlier one

A pair kept apart by knowledge has no separating set: it says nothing about colliders.
In a PAG a forbidden a -> b puts an arrow at a (a is no cause of b) and leaves the other end open, for a latent
common cause is not forbidden (Andrews, Spirtes & Cooper 2020).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trueness.errors import SettingError, did_you_mean, listed
from trueness.graphs.equivalence import find_cycle

Matrix = NDArray[np.bool_]
Pair = tuple[str, str]
Told = str | Sequence[str]  # an edge as a user writes it


@dataclass(frozen=True)
class Knowledge:
    required: tuple[Pair, ...] = ()
    forbidden: tuple[Pair, ...] = ()
    tiers: tuple[tuple[str, ...], ...] = ()
    owner: str = "the search"

    @classmethod
    def of(
        cls, required: Sequence[Told], forbidden: Sequence[Told], tiers: Sequence[Sequence[str]], owner: str
    ) -> Knowledge:
        """From a learner's settings; SettingError where they contradict themselves."""
        if not (required or forbidden or tiers):
            return cls(owner=owner)
        made = cls(
            tuple(_pair(edge, "required", owner) for edge in required),
            tuple(_pair(edge, "forbidden", owner) for edge in forbidden),
            tuple((tier,) if isinstance(tier, str) else tuple(tier) for tier in tiers),
            owner,
        )
        made._check()
        return made

    def __bool__(self) -> bool:
        return bool(self.required or self.forbidden or self.tiers)

    def names(self) -> tuple[str, ...]:
        """Every name that is spoken of, once."""
        pairs = [name for pair in (*self.required, *self.forbidden) for name in pair]
        return tuple(dict.fromkeys([*pairs, *(name for tier in self.tiers for name in tier)]))

    def matrices(self, nodes: Sequence[str]) -> tuple[Matrix, Matrix]:
        """required[i, j] and forbidden[i, j] for i -> j, over these nodes."""
        d = len(nodes)
        required, forbidden = np.zeros((d, d), dtype=bool), np.zeros((d, d), dtype=bool)
        if not self:
            return required, forbidden
        place = {node: i for i, node in enumerate(nodes)}
        for name in self.names():
            if name not in place:
                advice = did_you_mean(name, nodes) or f"There are: {listed(nodes)}."
                raise SettingError(f"{name!r} in the knowledge of {self.owner} is not a column. {advice}")
        for a, b in self.required:
            required[place[a], place[b]] = forbidden[place[b], place[a]] = True
        for a, b in self.forbidden:
            forbidden[place[a], place[b]] = True
        for later, tier in enumerate(self.tiers):
            for earlier in self.tiers[:later]:
                forbidden[np.ix_([place[a] for a in tier], [place[b] for b in earlier])] = True
        return required, forbidden

    def _check(self) -> None:
        in_tiers = Counter(name for tier in self.tiers for name in tier)
        twice = sorted(name for name, times in in_tiers.items() if times > 1)
        if twice:
            raise SettingError(f"'tiers' of {self.owner} must hold a name once, got {listed(twice)} twice.")
        names = self.names()
        required, forbidden = self.matrices(names)
        cycle = find_cycle(required)
        if cycle:
            raise SettingError(
                f"'required' of {self.owner} must have no cycle, got {' -> '.join(names[i] for i in cycle)}."
            )
        for i, j in np.argwhere(required & forbidden):
            raise SettingError(
                f"'required' of {self.owner} must not be forbidden too, got {names[i]} -> {names[j]}. "
                "See 'forbidden' and 'tiers'."
            )


def _pair(edge: str | Sequence[str], setting: str, owner: str) -> Pair:
    parts = edge.split("->") if isinstance(edge, str) else [part for part in edge if isinstance(part, str)]
    if len(parts) != 2 or not all(part.strip() for part in parts) or parts[0].strip() == parts[1].strip():
        raise SettingError(f"{setting!r} of {owner} must list edges as 'a -> b' or ('a', 'b'), got {edge!r}.")
    return parts[0].strip(), parts[1].strip()
