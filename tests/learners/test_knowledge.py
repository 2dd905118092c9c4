"""Background knowledge: what it says is kept by every search; what contradicts itself is refused."""

import numpy as np
import pytest

import trueness
from tests.each import each
from trueness.errors import SettingError
from trueness.graphs import ARROW, TAIL
from trueness.learners.fci import FCI, RFCI
from trueness.learners.knowledge import Knowledge
from trueness.learners.pc import PC

TABLE = trueness.load("asia").draw(3000, np.random.default_rng(0))


def test_matrices_hold_what_was_said():
    required, forbidden = Knowledge.of(["a -> b"], ["c->d"], [["a"], ["c", "d"]], "pc").matrices("abcd")
    assert np.argwhere(required).tolist() == [[0, 1]]
    assert np.argwhere(forbidden).tolist() == [[1, 0], [2, 0], [2, 3], [3, 0]]


@each(
    "settings, message",
    [
        ({"required": [("a", "b", "c")]}, r"'required' of pc must list edges"),
        ({"required": ["a - b"]}, r"'required' of pc must list edges as 'a -> b' or \('a', 'b'\), got 'a - b'"),
        ({"forbidden": ["a -> a"]}, r"'forbidden' of pc must list edges"),
        ({"required": ["a -> b", "b -> c", "c -> a"]}, r"'required' of pc must have no cycle, got a -> b -> c -> a"),
        ({"required": ["a -> b"], "forbidden": ["a -> b"]}, r"must not be forbidden too, got a -> b"),
        ({"required": ["a -> b"], "tiers": [["b"], ["a"]]}, r"must not be forbidden too, got a -> b"),
        ({"tiers": [["a"], ["a", "b"]]}, r"'tiers' of pc must hold a name once, got a twice"),
    ],
)
def test_knowledge_that_contradicts_itself_is_refused(settings, message):
    with pytest.raises(SettingError, match=message):
        PC(**settings)


@pytest.mark.parametrize("learner", [PC, FCI, RFCI])
def test_a_required_edge_is_there_with_its_direction(learner):
    graph = learner(required=("asia -> xray",)).fit(TABLE)  # which no test would keep
    i, j = graph.index("asia"), graph.index("xray")
    assert (graph.marks[i, j], graph.marks[j, i]) == (ARROW, TAIL)


@pytest.mark.parametrize("learner", [PC, FCI, RFCI])
def test_edges_forbidden_both_ways_are_absent(learner):
    free = learner().fit(TABLE)
    edge = next(edge for edge in free.edges)
    both = (f"{edge.source} -> {edge.target}", f"{edge.target} -> {edge.source}")
    graph = learner(forbidden=both).fit(TABLE)
    assert graph.marks[graph.index(edge.source), graph.index(edge.target)] == 0


@pytest.mark.parametrize("search", ["stable", "exhaustive"])
def test_tiers_direct_every_edge_between_them(search):
    tiers = (("asia", "smoke"), ("tub", "lung", "bronc"), ("either", "xray", "dysp"))
    graph = PC(search=search, tiers=tiers).fit(TABLE)
    tier = {name: k for k, names in enumerate(tiers) for name in names}
    for edge in graph.edges:
        if tier[edge.source] != tier[edge.target]:
            assert edge.arrow == "->" and tier[edge.source] < tier[edge.target]
    assert graph.find_cycle() == ()


def test_a_pair_kept_apart_by_knowledge_says_nothing_about_colliders():
    rng = np.random.default_rng(0)
    x = rng.normal(size=2000)
    y = x + rng.normal(size=2000)
    z = y + rng.normal(size=2000)  # a chain: x -> y -> z
    graph = PC(forbidden=("X0 -> X2", "X2 -> X0")).fit(np.stack([x, y, z], axis=1))
    assert [str(edge) for edge in graph.edges] == ["X0 -- X1", "X1 -- X2"]
