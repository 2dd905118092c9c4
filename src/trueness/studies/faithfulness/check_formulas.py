"""`trueness faithfulness check --formulas MODEL --out FILE`: the formulas of a file's rules in words, and the new file.

FILE has the entries as they were, a formula beside each rule that got one, nothing else changed. The replies lie in
FILE.replies as they arrive: the same command again asks only what has no reply yet, and writes FILE anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from copy import deepcopy
from pathlib import Path

from trueness import models
from trueness.errors import SettingError
from trueness.files import write_atomically
from trueness.models import Model, Reply
from trueness.outside import Json
from trueness.reasoning.execute import Program
from trueness.reasoning.graph import Problem, ReasoningGraph
from trueness.reasoning.rules import rules_of
from trueness.running.calling import KeptReplies
from trueness.status import Status
from trueness.studies.faithfulness.api import Entry, problem_of, with_formulas_of
from trueness.texts import arriving_values, counted, printable_json

REPLIES = ".replies"  # behind the name of the new file
_GRAPH_KEYS = ("dag", "graph", "reasoning_graph")


def check_new(out: str, formulas: str) -> None:
    """Before a model is paid for what the file would hold."""
    if not formulas:
        raise SettingError(
            f"--out must stand beside --formulas, whose graphs it keeps, got {out!r} alone. Name a model."
        )
    if not Path(out).parent.is_dir():
        raise SettingError(f"--out must name a file in a folder that is there, got {out!r}. Make the folder first.")
    if Path(out).exists() and not Path(out + REPLIES).is_file():
        raise SettingError(f"--out must name a file that is not there yet, got {out!r}. Choose another name.")


def completed(
    records: Sequence[Entry], entries: Sequence[Entry], model: str, out: str = ""
) -> tuple[list[Entry | Problem], str]:
    """The entries with formulas, and what became of these in a sentence. records: the entries as the file has them,
    which go on into the new one."""
    with closing(_opened(model, out)) as writer:
        with_formulas, replies = with_formulas_of(entries, writer)
        earlier = writer.taken if isinstance(writer, KeptReplies) else 0
    if out:
        pairs = zip(records, with_formulas, strict=True)
        lines = (printable_json(arriving_values(_written(record, entry))) for record, entry in pairs)
        write_atomically(Path(out).parent, Path(out).name, "\n".join(lines) + "\n")
    return with_formulas, _what_became(entries, with_formulas, model, replies, earlier)


def _opened(model: str, out: str) -> Model:
    built = models.build(model)
    return KeptReplies(built, Path(out).parent, Path(out).name + REPLIES) if out else built


def _written(record: Entry, entry: Entry | Problem) -> Entry:
    """What the file had, its graph with the formulas."""
    if not isinstance(entry, Problem):
        return record
    key = next(name for name in _GRAPH_KEYS if record.get(name) is not None)
    dag = record[key]
    if _graph(dag) == entry.graph:
        return record
    beside = _beside(dag, {edge.effect: edge.formula for edge in entry.graph.edges if edge.formula})
    same = (_graph(beside) or entry.graph).edges == entry.graph.edges if beside else False
    return {**record, key: beside if same else entry.graph.to_dict()}


def _graph(dag: Json) -> ReasoningGraph | None:
    read = problem_of({"dag": dag})
    return read.graph if isinstance(read, Problem) else None


def _beside(dag: Json, formulas: Mapping[str, str]) -> Json:
    """The graph in its writer's own form; None where its edges are no objects that could take a formula."""
    written = deepcopy(dag)
    edges = written.get("causal_graph") if isinstance(written, dict) else None
    if not isinstance(edges, list):
        return None
    for edge in edges:
        effect = str(edge.get("effect")).strip() if isinstance(edge, dict) else ""
        if effect in formulas:
            edge["formula"] = formulas[effect]
    return written


def _what_became(
    before: Sequence[Entry], after: Sequence[Entry | Problem], model: str, replies: Sequence[Reply], earlier: int
) -> str:
    """Of the formulas of a model: replies, formulas, those that are computed with, and what the graphs gained."""
    lost = Counter(str(reply.status) for reply in replies if reply.status is not Status.OK)
    pairs = [(problem_of(old), new) for old, new in zip(before, after, strict=True)]
    graphs = [(old.graph, new.graph) for old, new in pairs if isinstance(old, Problem) and isinstance(new, Problem)]
    new_rules = [
        rule
        for old, new in graphs
        for effect, of_effect in (rules_of(new).items() if old != new else ())
        for rule in of_effect
        if any(e.formula for e in new.rules_of.get(effect, ()))
        and not any(e.formula for e in old.rules_of.get(effect, ()))
    ]
    taken = sum(rule.by_formula for rule in new_rules)
    notes = [f"{earlier} replies from before"] if earlier else []
    notes += [f"{n} {status}" for status, n in lost.items()]
    noted = f" ({', '.join(notes)})" if notes else ""
    left = f", {len(new_rules) - taken} are not (they leave out what the words say, or cannot be read)"
    values = [sum(Program(pair[k]).base.target is not None for pair in graphs) for k in (0, 1)]
    return (
        f"{model} was asked for the formulas of {counted(len(replies), 'graph')}{noted} and wrote "
        f"{len(new_rules)}: {taken} are taken beside their words{left if taken < len(new_rules) else ''}. Graphs that "
        f"are executed: {values[0]} by the rules alone, {values[1]} with these formulas."
    )
