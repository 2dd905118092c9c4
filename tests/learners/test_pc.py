"""PC against theory (an oracle), a plain reading of the algorithm, and causal-learn."""

from itertools import combinations

import numpy as np
import pytest

import trueness
from tests.each import each
from trueness.datasets.synthetic import Synthetic
from trueness.datasets.table import Table
from trueness.graphs import Graph
from trueness.learners.independence import Independence, Oracle
from trueness.learners.pc import PC

SEARCHES = ("stable", "exhaustive")


def random_dag(seed, most=10):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(3, most + 1))
    order = rng.permutation(d)
    dag = np.triu(rng.random((d, d)) < rng.uniform(0.1, 0.6), 1)[np.ix_(order, order)]
    return Graph.from_matrix(dag, [f"X{i}" for i in range(d)], direction="row to column")


@pytest.mark.parametrize("search", SEARCHES)
def test_with_an_oracle_pc_returns_the_cpdag(search):
    for seed in range(150):
        truth = random_dag(seed)
        assert PC(search=search).run(Oracle(truth)).graph == truth.to_cpdag()


def plain_skeleton(tests, exhaustive):
    """Colombo & Maathuis, algorithm 4.1, one test at a time."""
    names, sets, made, depth = tests.names, {}, set(), 0
    edges = {frozenset(pair) for pair in combinations(names, 2)}
    while True:
        near = {x: [y for y in names if frozenset((x, y)) in edges] for x in names}
        if all(len(around) - 1 < depth for around in near.values()):
            return edges, sets, len(made)
        for x in names:
            for y in near[x]:
                pair = frozenset((x, y))
                for given in combinations([s for s in near[x] if s != y], depth):
                    if pair not in edges and not exhaustive:
                        break
                    made.add((pair, frozenset(given)))
                    if tests.independent(x, y, given):
                        edges.discard(pair)
                        sets[pair] = sets.get(pair, frozenset()) | frozenset(given)
        depth += 1


@each("search", SEARCHES)
@each("name", ["asia", "sachs", "synthetic-12"])
def test_the_skeleton_is_that_of_the_algorithm_as_written(name, search):
    data = trueness.load(name)
    table = data.table if data.table is not None else data.draw(800, np.random.default_rng(1))
    result = PC(search=search).fit_details(table)
    edges, sets, made = plain_skeleton(Independence(table), search == "exhaustive")
    assert {frozenset((edge.source, edge.target)) for edge in result.graph.edges} == edges
    for pair in map(frozenset, combinations(table.names, 2)):
        found = result.separating_set(*pair)
        assert (None if found is None else frozenset(found)) == sets.get(pair)
    assert result.n_tests == made


def sample(name, seed):
    if name == "sachs":
        table = trueness.load("sachs").table
        return table.rows(np.random.default_rng(seed).integers(table.n, size=table.n))
    return trueness.load(name).draw(1000, np.random.default_rng(seed))


@pytest.mark.parametrize("name", ["asia", "cancer", "sachs", "synthetic-12"])
def test_the_exhaustive_search_gives_causal_learns_graph_and_number_of_tests(name):
    pc = pytest.importorskip("causallearn.search.ConstraintBased.PC").pc
    for seed in range(3):
        table = sample(name, seed)
        test = "chisq" if table.kind == "discrete" else "fisherz"
        values = table.values.astype(np.int64) if test == "chisq" else np.array(table.values)
        theirs = pc(values, 0.05, test, show_progress=False)
        ours = PC(search="exhaustive", colliders="separating set", conflicts="first").fit_details(table)
        assert ours.graph == Graph.from_causallearn(theirs.G, kind="cpdag", nodes=table.names)
        assert ours.n_tests == len(theirs.test.pvalue_cache) - 3  # three entries are about the data


@pytest.mark.parametrize("rule", ["majority", "max-p"])
def test_with_an_oracle_every_rule_for_colliders_returns_the_cpdag(rule):
    for seed in range(25):
        truth = random_dag(seed, most=8)
        assert PC(colliders=rule).run(Oracle(truth)).graph == truth.to_cpdag()


def test_around_a_hub_large_sets_are_left_out_but_for_the_one_that_was_met():
    """Thirty neighbours have 2^30 subsets: those of three would be more than 4,096 with the smaller ones."""
    hub, children, middle = "hub", [f"x{k}" for k in range(30)], ["x0", "x1", "x2"]
    arrows = {(hub, child) for child in children} | {(child, "end") for child in middle}
    nodes = [hub, *children, "end"]
    truth = Graph.from_matrix([[(a, b) in arrows for b in nodes] for a in nodes], nodes, direction="row to column")
    for rule in ("majority", "max-p"):
        assert PC(depth=3, colliders=rule).run(Oracle(truth)).graph == truth.to_cpdag()


@pytest.mark.parametrize("rule", ["majority", "max-p"])
def test_the_strongest_colliders_are_those_of_a_dag_whatever_the_order_of_the_columns(rule):
    def drawn():
        for seed in range(60):  # few rows of dense graphs: tests err, colliders contradict each other
            numbers = Synthetic(nodes=9, edges_per_node=2.5, graph_seed=seed).draw(300, np.random.default_rng(seed))
            yield numbers.rows(range(80))
            codes = (numbers.values > np.median(numbers.values, axis=0)).astype(float)
            yield Table(numbers.names, codes, (("low", "high"),) * numbers.d)

    wrong, broken = [], 0
    for number, table in enumerate(drawn()):
        turned = table.columns(np.random.default_rng(number).permutation(table.d).tolist())
        plain, other = (PC(alpha=0.2, colliders=rule).fit(data) for data in (table, turned))
        if plain.problems() or plain != other.reorder(table.names):
            wrong.append((number, plain.problems()))
        broken += bool(PC(alpha=0.2, colliders=rule, conflicts="first").fit(table).problems())
    assert not wrong
    assert broken  # tables that need it are among these


@pytest.mark.parametrize("conflicts", ["strongest", "first"])
def test_no_graph_has_a_directed_cycle(conflicts):
    for seed in range(60):  # few rows of dense graphs: tests err, colliders contradict each other
        table = Synthetic(nodes=9, edges_per_node=2.5, graph_seed=seed).draw(80, np.random.default_rng(seed))
        for search in SEARCHES:
            graph = PC(alpha=0.2, search=search, conflicts=conflicts).fit(table)
            assert graph.find_cycle() == ()
