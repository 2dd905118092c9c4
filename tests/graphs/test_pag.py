"""PAGs against their definition: a mark is a tail or an arrow exactly when all equivalent MAGs agree on it."""

from itertools import chain, combinations, product

import numpy as np
import pytest
from tests.each import each

from trueness.graphs import ARROW, CIRCLE, NONE, TAIL, Graph
from trueness.graphs.equivalence import ancestors, d_separated, mag_of_dag, pag_of_dag


def random_dag(rng, d, p):
    upper = np.triu(rng.random((d, d)) < p, 1)
    order = rng.permutation(d)
    return upper[np.ix_(order, order)]


def canonical_dag(mag):
    """The DAG whose observed nodes have the MAG's m-separations: a latent cause for each <->."""
    d = len(mag)
    pairs = [(i, j) for i, j in combinations(range(d), 2) if mag[i, j] == ARROW and mag[j, i] == ARROW]
    dag = np.zeros((d + len(pairs), d + len(pairs)), dtype=bool)
    dag[:d, :d] = (mag == ARROW) & (mag.T == TAIL)
    for k, (i, j) in enumerate(pairs):
        dag[d + k, [i, j]] = True
    return dag


def questions(mag):
    """Every (x, y, given) with x and y apart; adjacent nodes of a MAG are never separated, so they need no asking."""
    nodes = range(len(mag))
    apart = [(x, y) for x, y in combinations(nodes, 2) if mag[x, y] == NONE]
    sets = chain.from_iterable(combinations(nodes, k) for k in range(len(mag) - 1))
    return [(x, y, given) for given in sets for x, y in apart if x not in given and y not in given]


def is_ancestral(mag):
    """An arrow into j forbids j being an ancestor of the other end."""
    directed = (mag == ARROW) & (mag.T == TAIL)
    before = np.array([ancestors(directed, [j]) for j in range(len(mag))])  # before[j, i]: i is an ancestor of j
    return not ((mag == ARROW) & before).any()


def pag_by_enumeration(mag):
    """Intersect the marks of all MAGs with the same skeleton and the same separations."""
    d = len(mag)
    dag = canonical_dag(mag)
    truth = [(question, d_separated(dag, *question)) for question in questions(mag)]
    pairs = [(i, j) for i, j in combinations(range(d), 2) if mag[i, j] != NONE]
    seen_tail, seen_arrow = np.zeros((d, d), bool), np.zeros((d, d), bool)
    for choice in product(((TAIL, ARROW), (ARROW, TAIL), (ARROW, ARROW)), repeat=len(pairs)):
        other = np.zeros((d, d), dtype=np.int8)
        for (i, j), (at_i, at_j) in zip(pairs, choice, strict=True):
            other[j, i], other[i, j] = at_i, at_j
        if not is_ancestral(other):
            continue
        dag = canonical_dag(other)
        differs = next((k for k, (question, answer) in enumerate(truth) if d_separated(dag, *question) != answer), None)
        if differs is None:
            seen_tail |= other == TAIL
            seen_arrow |= other == ARROW
        else:  # what told this one apart is likely to tell the next one apart: ask it first
            truth.insert(0, truth.pop(differs))
    marks = np.where(seen_tail & seen_arrow, CIRCLE, np.where(seen_arrow, ARROW, TAIL))
    return np.where(mag == NONE, NONE, marks)


@pytest.mark.slow
@each("seed", range(56))
def test_pag_is_what_all_equivalent_mags_share(seed):
    rng = np.random.default_rng(seed)
    while True:
        d = int(rng.integers(5, 8))
        dag = random_dag(rng, d, rng.uniform(0.3, 0.7))
        observed = sorted(rng.choice(d, size=4 if seed % 4 else 5, replace=False).tolist())
        mag = mag_of_dag(dag, observed)
        if 3 <= np.count_nonzero(mag) // 2 <= 6:
            break
    np.testing.assert_array_equal(pag_of_dag(dag, observed), pag_by_enumeration(mag))


def test_collider_and_its_effect_have_the_textbook_pag():
    pag = Graph.from_edges(["a -> c", "b -> c", "c -> d"]).to_pag()
    assert {str(edge) for edge in pag.edges} == {"a o-> c", "b o-> c", "c -> d"}
