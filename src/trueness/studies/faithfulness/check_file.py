"""`trueness faithfulness check labelled.jsonl`: what each measure is worth on graphs that a user brings.

One JSON object per line: a graph (`dag` or `graph`), the problem (`problem_text` or `problem`), the `answer`, and
whether it is right: `correct`, or what was `expected`. `id`, `method` and `source` are kept where they are given.
Nothing is asked: the executed measures are held against right answers, by AUC with intervals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from trueness.errors import DataError
from trueness.outside import Json, json_of, typed_text
from trueness.reasoning.execute import Program
from trueness.reasoning.problems import id_of
from trueness.showing.console import Console, plain, print_table
from trueness.showing.tables import Column, Table
from trueness.studies.faithfulness.api import Entry, evaluate_batch
from trueness.studies.faithfulness.batch import HELD_OUT, Criterion, against_accuracy, clustered_by
from trueness.studies.faithfulness.findings import criterion_table
from trueness.studies.faithfulness.right_answers import expected_of
from trueness.studies.faithfulness.scores import Evaluation

_GRAPHS = ("dag", "graph", "reasoning_graph")
_ALSO = {"dag": _GRAPHS[1:], "problem_text": ("problem", "question"), "source": ("file",), "answer": ("model_answer",)}
_COUNTS = ("graphs", "read", "executed", "right", "wrong", "unlabelled")


@dataclass(frozen=True)
class CheckedFile:
    """The measures of a labelled file against its right answers."""

    file: str
    evaluations: tuple[Evaluation, ...]
    criteria: tuple[Criterion, ...]
    remarks: tuple[str, ...]  # what to know before the figures: answers that are missing or not certain

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


def check_file(file: str) -> CheckedFile:
    """The file read and executed; DataError in one line where no line says whether its answer is right."""
    text, file = typed_text(file), "standard input" if file == "-" else file
    entries: list[Entry] = []
    first: dict[str, str] = {}
    for where, record in _records(text, file):
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
    remarks = tuple(_remarks(entries, evaluations))
    return CheckedFile(file, evaluations, tuple(against_accuracy(evaluations)), remarks)


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
