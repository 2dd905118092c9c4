"""FCI against its references: causal-learn's PAG draw by draw, differences put down to rules; an oracle's true PAG.

causal-learn 0.1.4.8 departs from Zhang (2008) and from Spirtes, Glymour & Scheines (2000) in these places:

    possible-d-sep  getPossibleDsep goes on from the pair (a, c) instead of (b, c), and asks of predecessors on the
                    path, not of the node, that they may be causes; ours is Colombo et al. (2012), def. 3.3 and 3.4
    R4              is skipped unless R1 to R3 have just changed something, decides by new tests on the path instead
                    of the separating set, and may turn an arrow that it drew itself into a tail
    R5              does not ask that the first three nodes be unshielded, and searches each node once, so that a
                    covered path hides an uncovered one
    R8              is tried on a, c in the order of the columns only, not on c, a
    R9              searches each node once, so that a covered path hides an uncovered one
    R10             asks for any semi-directed path instead of an uncovered one, and none of length 0

Where graphs differ, causal-learn is run again with these places mended, one by one, then two by two, ...: the
smallest set of mends that gives our graph is the explanation. What no set explains fails the check. Who is right is
asked of theory: with an oracle for d-separation, does causal-learn return the true PAG, and with which mends?
"""

import argparse
import contextlib
import io
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations

import harness  # noqa: F401  one thread
import networkx
import numpy as np
from equality_pc import SETS, draw, random_dag

from trueness.datasets.table import Table
from trueness.graphs import ARROW, CIRCLE, NONE, TAIL, Graph, equivalence
from trueness.learners.fci import FCI
from trueness.learners.independence import Oracle


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=30)
    parser.add_argument("--oracle", type=int, default=1000, help="random DAGs with latent nodes and an oracle test")
    parser.add_argument("--theirs", type=int, default=300, help="of these, how many causal-learn gets too")
    parser.add_argument("--sets", nargs="*", default=SETS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    bad = 0
    for name in options.sets:
        reasons: Counter[str] = Counter(explanation(draw(name, seed)) for seed in range(options.draws))
        equal, bad = reasons.pop("equal", 0), bad + reasons["UNEXPLAINED"]
        rest = ", ".join(f"{count} by {reason}" for reason, count in reasons.most_common() if count)
        print(f"{name:<14} {equal} of {options.draws} PAGs equal{'; others ' + rest if rest else ''}", flush=True)
    wrong = sum(
        not oracle_agrees(seed, search) for seed in range(options.oracle) for search in ("stable", "exhaustive")
    )
    print(f"{'oracle':<14} {options.oracle} DAGs with latent nodes, two searches: {wrong} PAGs differ from the truth's")
    theirs: Counter[str] = Counter(causallearn_oracle(seed) for seed in range(options.theirs))
    told = ", ".join(f"{count} {reason}" for reason, count in theirs.most_common())
    print(f"{'their oracle':<14} causal-learn on the first {options.theirs} of these DAGs: {told}")
    raise SystemExit(bad + wrong > 0)


def causallearn_oracle(seed: int) -> str:
    """`right`, or what must be mended before causal-learn with an oracle returns the true PAG."""
    truth, latent = dag_with_latents(seed)
    wanted = truth.to_pag(latent)
    for size in range(len(MENDS) + 1):
        for names in combinations(MENDS, size):
            with mended(names):
                if causallearn_on_oracle(truth, latent) == wanted:
                    return f"right with {' + '.join(names)} mended" if names else "right"
    return "wrong"


def causallearn_on_oracle(truth: Graph, latent: list[str]) -> Graph:
    from causallearn.search.ConstraintBased.FCI import fci

    observed = [node for node in truth.nodes if node not in latent]
    order = [truth.index(node) for node in (*observed, *latent)]
    dag = networkx.DiGraph()
    dag.add_nodes_from(range(len(order)))
    dag.add_edges_from(np.argwhere(truth.directed[np.ix_(order, order)]).tolist())
    with contextlib.redirect_stdout(io.StringIO()):
        rows = np.random.default_rng(0).normal(size=(3, len(observed)))  # never looked at
        found, _ = fci(rows, "d_separation", 0.05, show_progress=False, true_dag=dag)
    return Graph.from_causallearn(found, kind="pag", nodes=tuple(observed))


def causallearn_fci(table: Table) -> Graph:
    from causallearn.search.ConstraintBased.FCI import fci

    test = "chisq" if table.kind == "discrete" else "fisherz"
    values = table.values.astype(np.int64) if test == "chisq" else np.array(table.values)
    with contextlib.redirect_stdout(io.StringIO()):
        found, _ = fci(values, test, 0.05, show_progress=False)
    return Graph.from_causallearn(found, kind="pag", nodes=table.names)


def explanation(table: Table) -> str:
    """`equal`, or the smallest set of mends with which causal-learn gives our graph."""
    ours = FCI(search="exhaustive", colliders="separating set").fit(table)
    if ours == causallearn_fci(table):
        return "equal"
    for size in range(1, len(MENDS) + 1):
        for names in combinations(MENDS, size):
            with mended(names):
                if ours == causallearn_fci(table):
                    return " + ".join(names)
    return "UNEXPLAINED"


def dag_with_latents(seed: int) -> tuple[Graph, list[str]]:
    truth = random_dag(seed, most=14)
    rng = np.random.default_rng(10**6 + seed)
    return truth, rng.choice(truth.nodes, size=int(rng.integers(0, max(1, len(truth) // 2))), replace=False).tolist()


def oracle_agrees(seed: int, search: str) -> bool:
    truth, latent = dag_with_latents(seed)
    return FCI(search=search).run(Oracle(truth, latent)).graph == truth.to_pag(latent)


# ---- causal-learn's rules, mended

_FROM = {-1: TAIL, 1: ARROW, 2: CIRCLE, 0: NONE}
_TO = {mark: number for number, mark in _FROM.items()}


def marks_of(graph: object) -> np.ndarray:
    """marks[i, j] at j's end; causal-learn keeps the end at i in graph[i, j]."""
    return np.vectorize(_FROM.get, otypes=[np.int8])(graph.graph.T)


def on_marks(rule: Callable[[np.ndarray], None]) -> Callable[..., bool]:
    """A rule of causal-learn's signature from one that changes marks in place."""

    def apply(graph: object, *rest: object) -> bool:
        changed = next(flag for flag in rest if isinstance(flag, bool))
        marks = marks_of(graph)
        before = marks.copy()
        rule(marks)
        graph.graph[:] = np.vectorize(_TO.get, otypes=[int])(marks.T)
        return changed or bool((marks != before).any())

    return apply


def rule_5(marks: np.ndarray) -> None:
    circle = (marks == CIRCLE) & (marks.T == CIRCLE)
    for b in range(len(marks)):
        for a in range(len(marks)):
            circle = (marks == CIRCLE) & (marks.T == CIRCLE)
            path = circle_path(marks, circle, a, b) if circle[a, b] else None
            for u, v in zip(path or (), (path or ())[1:], strict=False):
                marks[u, v] = marks[v, u] = TAIL
            if path:
                marks[a, b] = marks[b, a] = TAIL


def circle_path(marks: np.ndarray, circle: np.ndarray, a: int, b: int) -> list[int] | None:
    """a, c, ..., d, b with a, d and b, c apart and every three in a row unshielded; the shortest."""
    paths = [[a, int(c)] for c in np.flatnonzero(circle[a]) if c != b and marks[b, c] == NONE]
    seen = {(a, path[1]) for path in paths}
    while paths:
        path = paths.pop(0)
        u, v = path[-2:]
        if u != a and circle[v, b] and marks[v, a] == NONE and marks[u, b] == NONE:
            return [*path, b]
        for w in np.flatnonzero(circle[v]).tolist():
            if w not in path and w != b and marks[u, w] == NONE and (v, w) not in seen:
                seen.add((v, w))
                paths.append([*path, w])
    return None


def tail_rule(holds: Callable[[np.ndarray, int, int], bool]) -> Callable[[np.ndarray], None]:
    def rule(marks: np.ndarray) -> None:
        for c in range(len(marks)):
            for a in range(len(marks)):
                if marks[a, c] == ARROW and marks[c, a] == CIRCLE and holds(marks, a, c):
                    marks[c, a] = TAIL

    return rule


def rule_4(graph: object, sep_sets: dict) -> bool:
    """By the separating set of the path's ends, whichever way round causal-learn noted it."""

    def rule(marks: np.ndarray) -> None:
        d = len(marks)
        for b in range(d):
            for a in range(d):
                for c in range(d):
                    if marks[b, a] != ARROW or marks[c, b] != CIRCLE:
                        continue
                    if marks[a, c] != ARROW or marks[c, a] != TAIL:
                        continue
                    x = far_end(marks, a, b, c)
                    if x is None:
                        continue
                    separating = sep_sets[min(x, c), max(x, c)]
                    if b in separating and marks[b, c] != TAIL:
                        marks[c, b], marks[b, c] = TAIL, ARROW
                    elif b not in separating and marks[a, b] != TAIL and marks[b, c] != TAIL:
                        marks[a, b] = marks[c, b] = marks[b, c] = ARROW

    return on_marks(rule)(graph, False)


def far_end(marks: np.ndarray, a: int, b: int, c: int) -> int | None:
    queue, after = [a], {a: b}
    while queue:
        v = queue.pop(0)
        if marks[after[v], v] != ARROW:
            continue
        for u in range(len(marks)):
            if u in after or u in (b, c) or marks[u, v] != ARROW:
                continue
            if marks[u, c] == NONE:
                return u
            if marks[u, c] == ARROW and marks[c, u] == TAIL:
                after[u] = v
                queue.append(u)
    return None


def possible_dsep(node_x: object, node_y: object, graph: object, longest: int) -> list:
    """The definition, with networkx for blocks and for the nodes that may be causes; in the order of the columns."""
    marks = marks_of(graph)
    x, y = graph.node_map[node_x], graph.node_map[node_y]
    blocks = networkx.biconnected_components(networkx.Graph(marks != NONE))
    block = next(nodes for nodes in blocks if x in nodes and y in nodes)
    backward = networkx.DiGraph(((marks != NONE) & (marks.T != ARROW)).T).subgraph(block)
    allowed = networkx.descendants(backward, x) | networkx.descendants(backward, y) | {x, y}
    edges = [(x, v) for v in allowed if marks[x, v] != NONE]
    seen = set(edges)
    while edges:
        a, b = edges.pop()
        for c in np.flatnonzero(marks[b]).tolist():
            if c in (a, x) or (b, c) in seen or c not in allowed:
                continue
            if (marks[a, b] == ARROW and marks[c, b] == ARROW) or marks[a, c] != NONE:
                seen.add((b, c))
                edges.append((b, c))
    return [graph.nodes[v] for v in sorted({v for _, v in seen} - {x, y})]


def mend_rule_4(module: object) -> None:
    """R4 has to come every time: it takes R5's turn and then gives R5 its own."""
    kept: dict = {}
    rule_5_now, rule_0_now = module.ruleR5, module.rule0

    def rule0(graph: object, nodes: object, sep_sets: dict, *rest: object) -> None:
        kept["sets"] = sep_sets
        rule_0_now(graph, nodes, sep_sets, *rest)

    def rule_4_then_5(graph: object, changed: bool, *rest: object) -> bool:
        return rule_5_now(graph, rule_4(graph, kept["sets"]) or changed, *rest)

    module.rule0, module.ruleR5 = rule0, rule_4_then_5
    module.ruleR4B = lambda graph, length, data, test, alpha, sets, changed, *rest: changed


def replace(name: str, function: Callable) -> Callable[[object], None]:
    return lambda module: setattr(module, name, function)


MENDS: dict[str, Callable[[object], None]] = {
    "possible-d-sep": replace("getPossibleDsep", possible_dsep),
    "R5": replace("ruleR5", on_marks(rule_5)),
    "R4": mend_rule_4,
    "R8": replace("rule8", on_marks(tail_rule(equivalence._rule_8))),
    "R9": replace("rule9", on_marks(tail_rule(equivalence._rule_9))),
    "R10": replace("rule10", on_marks(tail_rule(equivalence._rule_10))),
}
_TOUCHED = ("getPossibleDsep", "rule0", "ruleR4B", "ruleR5", "rule8", "rule9", "rule10")


@contextlib.contextmanager
def mended(names: tuple[str, ...]) -> Iterator[None]:
    import causallearn.search.ConstraintBased.FCI as module

    saved = {name: getattr(module, name) for name in _TOUCHED}
    try:
        for name in MENDS:  # R5 before R4, which wraps it
            if name in names:
                MENDS[name](module)
        yield
    finally:
        for name, function in saved.items():
            setattr(module, name, function)


if __name__ == "__main__":
    main()
