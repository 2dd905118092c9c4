"""Faithfulness: 1,000 graphs executed, intervened on and inverted; 2,000 hostile rules; right against damaged graphs.

Speed: random graphs of 10 nodes (4 knowns; sums, products, powers, roots, exponentials, max, if), each made ready once,
executed, do() on every node but the target over the fixed probes, every known hidden and recovered. Under 20 s on one
core, in processor time. Hostile rules (deep nesting, huge powers, attribute access, numbers of 300,000 digits, strings
of megabytes) are each read, executed and inverted or refused within 50 ms, with the peak of memory they cause.
Known groups: every worked problem of the package with a formula against its five damaged copies.
"""

import json
import random
import sys
import time
import tracemalloc
from pathlib import Path

import harness

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import numpy as np

from trueness.reasoning import rules, Program, Quantity, ReasoningGraph, RuleEdge, sensitivity
from trueness.reasoning.checks import executable_components, score_of
from trueness.reasoning.damage import DAMAGES, damage
from trueness.reasoning.invert import invert_all
from trueness.reasoning.problems import load_problems
from trueness.reasoning.quality import graph_quality
from trueness.reasoning.rules import read_rule
from tests.reasoning.generator import hostile_rules, random_graph

GRAPHS, SECONDS = 1_000, 20.0
RULES, MILLISECONDS = 2_000, 50.0
MEGABYTES = 64.0
AUC = 0.95


def graphs_line():
    rng = random.Random(7)
    graphs = [random_graph(rng) for _ in range(GRAPHS)]
    executed = moved = recovered = hidden = 0
    labels = {"unique": 0, "several": 0, "none": 0, "missing": 0}
    began = time.process_time()
    for graph in graphs:
        program = Program(graph)
        executed += program.base.target is not None
        moved += sum(bool(effect.moves) for effect in sensitivity(program).values())
        for inversion in invert_all(program).values():
            hidden += 1
            recovered += bool(inversion.recovered)
            labels[inversion.label or "missing"] += 1
    seconds = time.process_time() - began
    return {"graphs": GRAPHS, "seconds": round(seconds, 2), "executed": executed, "nodes_that_move": moved} | {
        "hidden": hidden,
        "recovered": recovered,
        "labels": labels,
    }


def read_and_execute(text):
    """All that a hostile rule can reach: reading, executing, do(), inverting."""
    rule = read_rule(text, ("x",), "y", ("x", "y"))
    if rule.tree is None:
        return rule.kind
    program = Program(ReasoningGraph("y", {"x": Quantity(3.0)}, (RuleEdge(("x",), "y", text),)))
    sensitivity(program)
    invert_all(program)
    return "executed" if program.base.target is not None else "no value"


def hostile_line():
    texts = hostile_rules(RULES, seed=11)
    worst, outcomes, slowest = 0.0, {}, ""
    tracemalloc.start()
    peak = 0
    for text in texts:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        read_and_execute(text)
        peak = max(peak, tracemalloc.get_traced_memory()[1] - before)
    tracemalloc.stop()
    rules._read.cache_clear()  # the timing must not profit from the pass above
    for text in texts:
        began = time.process_time()
        outcome = read_and_execute(text)
        taken = time.process_time() - began
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
        if taken > worst:
            worst, slowest = taken, text[:40]
    return {
        "rules": len(texts),
        "slowest_ms": round(1000 * worst, 1),
        "slowest": slowest,
        "outcomes": outcomes,
        "peak_megabytes": round(peak / 1e6, 2),
    }


def auc(right, damaged):
    """P(a right graph scores higher) + half the ties."""
    difference = np.subtract.outer(np.array(right), np.array(damaged))
    return float((difference > 0).mean() + 0.5 * (difference == 0).mean())


def groups_line(seed=3):
    rng = np.random.default_rng(seed)
    right, wrong = {}, {kind: {} for kind in DAMAGES}
    for problem in load_problems():
        if problem.answer.value is None:
            continue
        add(right, problem)
        for kind in DAMAGES:
            copy = damage(problem, kind, rng)
            if copy is not None:
                add(wrong[kind], copy.problem)
    names = ("executable", "answer", "intervention", "structure", "original graph quality")
    rows = {}
    for name in names:
        per_kind = {kind: auc(right[name], found[name]) for kind, found in wrong.items() if found.get(name)}
        pooled = [value for found in wrong.values() for value in found.get(name, ())]
        rows[name] = {"all": auc(right[name], pooled), "n": [len(right[name]), len(pooled)], **per_kind}
    return rows


def add(group, problem):
    components = executable_components(problem.graph, problem.answer, problem.tolerance)
    values = {"executable": score_of(components), "original graph quality": graph_quality(problem.graph).original}
    values |= {name: component.value for name, component in components.items()}
    for name, value in values.items():
        if value is not None:
            group.setdefault(name, []).append(value)


def main():
    options = harness.options(__doc__)
    report = {"graphs": graphs_line(), "hostile": hostile_line(), "auc": groups_line()}
    if options.json:
        print(json.dumps(report))
    else:
        told = report["graphs"]
        print(f"graphs     {told['graphs']:,} of 10 nodes in {told['seconds']:.2f} s (limit {SECONDS:.0f} s)")
        print(f"           executed {told['executed']:,}; recovered {told['recovered']:,} of {told['hidden']:,} knowns")
        print(f"           labels {told['labels']}")
        told = report["hostile"]
        print(
            f"hostile    {told['rules']:,} rules, slowest {told['slowest_ms']} ms (limit {MILLISECONDS:.0f} ms)", end=""
        )
        print(f", peak memory {told['peak_megabytes']} MB (limit {MEGABYTES:.0f} MB); {told['outcomes']}")
        print("AUC        right against damaged; missing values left out (n right, n damaged)")
        for name, row in report["auc"].items():
            shown = "  ".join(f"{kind} {row[kind]:.3f}" for kind in DAMAGES if kind in row)
            print(f"  {name:<24} {row['all']:.3f} (n {row['n'][0]}, {row['n'][1]})  {shown}")
    passed = (
        report["graphs"]["seconds"] < SECONDS
        and report["hostile"]["slowest_ms"] <= MILLISECONDS
        and report["hostile"]["peak_megabytes"] <= MEGABYTES
        and report["auc"]["executable"]["all"] >= AUC
    )
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
