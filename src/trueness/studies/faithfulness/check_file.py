"""`trueness faithfulness check labelled.jsonl`: what each measure is worth on graphs that a user brings.

One JSON object per line: a graph (`dag` or `graph`), the problem (`problem_text` or `problem`), the `answer`, and
whether it is right: `correct`, or what was `expected`. `id`, `method` and `source` are kept where they are given.
Nothing is asked: the executed measures are held against right answers, by AUC with intervals.

`--formulas MODEL` asks a model to write the rules that are words as formulas, a question a graph. `--out FILE` has the
entries as they were, a formula beside each rule that got one, nothing else changed. The replies lie in FILE.replies as
they arrive: the same command again asks only what has no reply yet, and writes FILE anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

from trueness import models
from trueness.errors import DataError, SettingError
from trueness.files import write_atomically
from trueness.models import Model, Reply
from trueness.outside import Json, json_of, typed_text
from trueness.reasoning.execute import Program
from trueness.reasoning.graph import Problem
from trueness.reasoning.problems import id_of
from trueness.reasoning.rules import rules_of
from trueness.running.calling import KeptReplies
from trueness.showing.console import Console, plain, print_table
from trueness.showing.tables import Column, Table
from trueness.status import Status
from trueness.studies.faithfulness.api import Entry, evaluate_batch, problem_of, with_formulas_of
from trueness.studies.faithfulness.batch import HELD_OUT, Criterion, against_accuracy, clustered_by
from trueness.studies.faithfulness.findings import criterion_table
from trueness.studies.faithfulness.right_answers import expected_of
from trueness.studies.faithfulness.scores import Evaluation
from trueness.texts import arriving_values, counted, printable_json

REPLIES = ".replies"  # behind the name of the new file
_GRAPHS = ("dag", "graph", "reasoning_graph")
_ALSO = {"dag": _GRAPHS[1:], "problem_text": ("problem", "question"), "source": ("file",), "answer": ("model_answer",)}
_COUNTS = ("graphs", "read", "executed", "right", "wrong", "unlabelled")


@dataclass(frozen=True)
class CheckedFile:
    """The measures of a labelled file against its right answers."""

    file: str
    evaluations: tuple[Evaluation, ...]
    criteria: tuple[Criterion, ...]
    remarks: tuple[str, ...]  # what to know before the figures: answers that are missing, formulas that came

    def executed_rows(self) -> list[dict[str, object]]:
        """Per source: graphs, those that can be read, and those that execute to a value of the target."""
        counts: dict[str, Counter[str]] = {}
        for one in self.evaluations:
            row = counts.setdefault(one.file or "as given", Counter())
            row["graphs"] += 1
            if one.of is not None and one.of.graph.edges:
                row["read"] += 1
                row["executed"] += Program(one.of.graph).base.target is not None
            row["right" if one.correct else "wrong" if one.correct is False else "unlabelled"] += 1
        return [{"source": source, **row} for source, row in counts.items()]

    def tables(self) -> list[Table]:
        columns = (Column("source", "Source", "text"), *(Column(key, key, "count") for key in _COUNTS))
        caption = "Graphs by source: read, executed to a value of the target, and whether their answer is right."
        executed = Table("faithfulness_executed", columns, self.executed_rows(), caption)
        return [executed, criterion_table(self.criteria, 0.95, clustered_by(self.evaluations))]

    def sentences(self) -> list[str]:
        told: list[str] = [one.finding() for one in self.criteria]
        nothing = "No measure has a value on a labelled answer: nothing is known of their worth."
        return [str(HELD_OUT), *self.remarks, *(told or [nothing])]

    def to_dict(self) -> dict[str, object]:
        return {
            "file": self.file,
            "executed": self.executed_rows(),
            "accuracy": [one.row() for one in self.criteria],
            "sentences": [str(sentence) for sentence in self.sentences()],
        }

    def show(self, out: Console) -> None:
        lines, first = self.sentences(), 1 + len(self.remarks)
        for sentence in lines[:first]:
            out.print(f"  {plain(sentence)}", soft_wrap=True)
        for table in self.tables():
            print_table(out, table.caption, table, place="--json")
        for sentence in lines[first:]:
            out.print(f"  {plain(sentence)}", soft_wrap=True)


def check_file(file: str, formulas: str = "", out: str = "") -> CheckedFile:
    """The file read and executed; DataError in one line where no line says whether its answer is right. formulas: a
    model that is asked for the formulas of rules in words; out: a new file with them."""
    if out:
        _check_new(out, formulas)
    text, file = typed_text(file), "standard input" if file == "-" else file
    records, entries = [], []
    first: dict[str, str] = {}
    for where, record in _records(text, file):
        records.append(record)
        entries.append(_entry(record, where))
        earlier = first.setdefault(str(entries[-1]["id"]), where)
        if earlier != where:
            got = f"got {entries[-1]['id']!r} there and in {earlier}"
            raise DataError(f"{where}: 'id' must be another one in every entry, {got}. Rename one, or leave them out.")
    evaluations = evaluate_batch(entries).evaluations
    if all(one.correct is None for one in evaluations):
        raise DataError(
            f"{file} must say which answers are right ('correct', or 'expected'), got none. Add one of them."
        )
    remarks = list(_remarks(entries, evaluations))
    if formulas:
        with_formulas, became = _completed(records, entries, formulas, out)
        evaluations = evaluate_batch(with_formulas).evaluations
        remarks.append(became)
    return CheckedFile(file, evaluations, tuple(against_accuracy(evaluations)), tuple(remarks))


def _records(text: str, file: str) -> Iterator[tuple[str, dict[str, Json]]]:
    """The objects of JSON lines, or of one JSON list, each with its place. A line ends at \\n alone: JSON may hold the
    line ends of other alphabets in its texts."""
    if text.lstrip()[:1] == "[":
        items = [(f"{file}, entry {place}", item) for place, item in enumerate(json_of(text, file), start=1)]
    else:
        lines = [(f"{file}, line {place}", line) for place, line in enumerate(text.split("\n"), start=1)]
        items = [(where, json_of(line, where)) for where, line in lines if line.strip()]
    if not items:
        raise DataError(f"{file} must hold graphs with their answers, got none: it is empty.")
    for where, item in items:
        if not isinstance(item, dict):
            raise DataError(f"{where}: must be an object with a graph and an answer, got {type(item).__name__}.")
        yield where, item


def _entry(record: Mapping[str, Json], where: str) -> dict[str, Json]:
    entry = dict(record)
    for name, others in _ALSO.items():
        if entry.get(name) is None:
            entry[name] = next((record[other] for other in others if record.get(other) is not None), None)
    if entry["dag"] is None:
        raise DataError(f"{where}: must have a graph ('dag' or 'graph'), got {', '.join(map(repr, list(record)[:5]))}.")
    return entry | {"id": id_of(entry, where)}


def _remarks(entries: Sequence[Entry], evaluations: Sequence[Evaluation]) -> Iterator[str]:
    """How many answers are missing, and how many have no label because nobody can be sure."""
    bare = sum(entry["answer"] is None for entry in entries)
    if bare:
        yield (
            f"{bare} of {len(entries)} entries have no answer ('answer', or 'model_answer'): "
            "what is held against it has no value there."
        )
    unsure = [
        str(entry["id"])
        for entry, one in zip(entries, evaluations, strict=True)
        if one.correct is None and expected_of(entry) is not None and entry["answer"] is not None
    ]
    if unsure:
        named = ", ".join(unsure[:5]) + (", ..." if len(unsure) > 5 else "")
        yield (
            f"Whether the answer is the expected one is not certain in {len(unsure)} of {len(entries)} entries (id "
            f"{named}): they have no label. Say it there with 'correct'."
        )


# ---- formulas of rules in words, and the new file


def _check_new(out: str, formulas: str) -> None:
    """Before a model is paid for what the file would hold."""
    if not formulas:
        raise SettingError(
            f"--out must stand beside --formulas, whose graphs it keeps, got {out!r} alone. Name a model."
        )
    if not Path(out).parent.is_dir():
        raise SettingError(f"--out must name a file in a folder that is there, got {out!r}. Make the folder first.")
    if Path(out).exists() and not Path(out + REPLIES).is_file():
        raise SettingError(f"--out must name a file that is not there yet, got {out!r}. Choose another name.")


def _completed(
    records: Sequence[Entry], entries: Sequence[Entry], model: str, out: str
) -> tuple[list[Entry | Problem], str]:
    """The entries with formulas, and what became of these in a sentence. records: the entries as the file has them,
    which go on into the new one."""
    built: Model = models.build(model)
    if out:
        built = KeptReplies(built, Path(out).parent, Path(out).name + REPLIES)
    with closing(built) as writer:
        with_formulas, replies = with_formulas_of(entries, writer)
        earlier = writer.taken if isinstance(writer, KeptReplies) else 0
    if out:
        pairs = zip(records, with_formulas, strict=True)
        lines = (printable_json(arriving_values(_written(record, entry))) for record, entry in pairs)
        write_atomically(Path(out).parent, Path(out).name, "\n".join(lines) + "\n")
    return with_formulas, _what_became(entries, with_formulas, model, replies, earlier)


def _written(record: Entry, entry: Entry | Problem) -> Entry:
    """What the file had, a formula beside each edge that got one; edges of another form as they were read."""
    formulas = {edge.effect: edge.formula for edge in entry.graph.edges} if isinstance(entry, Problem) else {}
    if not isinstance(entry, Problem) or not any(formulas.values()):
        return record
    key = next(name for name in _GRAPHS if record.get(name) is not None)
    beside = deepcopy(record[key])
    edges = beside.get("causal_graph") if isinstance(beside, dict) else None
    if not isinstance(edges, list) or not all(isinstance(edge, dict) for edge in edges):
        return {**record, key: entry.graph.to_dict()}
    for edge in edges:
        if formula := formulas.get(str(edge.get("effect")).strip()):
            edge["formula"] = formula
    return {**record, key: beside}


def _what_became(
    before: Sequence[Entry], after: Sequence[Entry | Problem], model: str, replies: Sequence[Reply], earlier: int
) -> str:
    """Of the formulas of a model: replies, formulas, those that are computed with, and what the graphs gained."""
    lost = Counter(str(reply.status) for reply in replies if reply.status is not Status.OK)
    pairs = [(problem_of(old), new) for old, new in zip(before, after, strict=True)]
    graphs = [(old.graph, new.graph) for old, new in pairs if isinstance(old, Problem) and isinstance(new, Problem)]
    wrote = [{edge.effect for edge in new.edges if edge.formula} - {edge.effect for edge in old.edges if edge.formula}
             for old, new in graphs]  # fmt: skip
    new_rules = [
        rule for (_, new), effects in zip(graphs, wrote, strict=True) if effects
        for effect, of_effect in rules_of(new).items() if effect in effects
        for rule in of_effect
    ]  # fmt: skip
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
