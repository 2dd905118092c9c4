"""`trueness faithfulness check labelled.jsonl`: what each measure is worth on graphs that a user brings.

One JSON object per line: a graph (`dag` or `graph`), the problem (`problem_text` or `problem`), the `answer`, and
whether it is right: `correct`, or what was `expected`. `id`, `method` and `source` are kept where they are given.
Nothing is asked: the executed measures are held against right answers, by AUC with intervals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from trueness.errors import DataError
from trueness.outside import Json, json_of, text_of
from trueness.reasoning.execute import Program
from trueness.showing.console import Console, plain
from trueness.showing.sheet import print_table
from trueness.showing.tables import Column, Table
from trueness.studies.faithfulness.accuracy import Criterion, InformedScore, against_accuracy, informed_score
from trueness.studies.faithfulness.api import evaluate_batch
from trueness.studies.faithfulness.scores import Evaluation
from trueness.studies.faithfulness.tables import criterion_table

_ALSO = {"dag": ("graph", "reasoning_graph"), "problem_text": ("problem", "question"), "source": ("file",)}


@dataclass(frozen=True)
class CheckedFile:
    """The measures of a labelled file against its right answers."""

    file: str
    evaluations: tuple[Evaluation, ...]
    criteria: tuple[Criterion, ...]
    informed: InformedScore | None
    level: float = 0.95

    def executed_rows(self) -> list[dict[str, object]]:
        """Per source: graphs, those that can be read, and those that execute to a value of the target."""
        counts: dict[str, Counter[str]] = {}
        for one in self.evaluations:
            row = counts.setdefault((one.of.source if one.of else "") or "as given", Counter())
            row["graphs"] += 1
            if one.of is not None and one.of.graph.edges:
                row["read"] += 1
                row["executed"] += Program(one.of.graph).base.target is not None
            row["right" if one.correct else "wrong" if one.correct is False else "unlabelled"] += 1
        return [{"source": source, **row} for source, row in counts.items()]

    def tables(self) -> list[Table]:
        columns = (Column("source", "Source", "text"),) + tuple(
            Column(key, key, "count") for key in ("graphs", "read", "executed", "right", "wrong", "unlabelled")
        )
        caption = "Graphs by source: read, executed to a value of the target, and whether their answer is right."
        executed = Table("faithfulness_executed", columns, self.executed_rows(), caption)
        return [executed, criterion_table(self.criteria, self.level)]

    def sentences(self) -> list[str]:
        if not self.criteria:
            return ["No measure has a value on a labelled answer: nothing is known of their worth."]
        return [*(one.finding() for one in self.criteria), *([self.informed.finding()] if self.informed else [])]

    def to_dict(self) -> dict[str, object]:
        return {
            "file": self.file,
            "executed": self.executed_rows(),
            "accuracy": [one.row() for one in self.criteria],
            "sentences": [str(sentence) for sentence in self.sentences()],
        }

    def show(self, out: Console) -> None:
        for table in self.tables():
            print_table(out, table.caption, table, place="--json")
        for sentence in self.sentences():
            out.print(f"  {plain(sentence)}", soft_wrap=True)


def check_file(file: str) -> CheckedFile:
    """The file read and executed; DataError in one line where no line says whether its answer is right."""
    entries = [
        _entry(line, f"{file}, line {place}") for place, line in enumerate(_lines(file), start=1) if line.strip()
    ]
    evaluations = evaluate_batch(entries).evaluations
    if all(one.correct is None for one in evaluations):
        raise DataError(
            f"{file} must say which answers are right ('correct', or 'expected'), got none. Add one of them."
        )
    return CheckedFile(file, evaluations, tuple(against_accuracy(evaluations)), informed_score(evaluations))


def _lines(file: str) -> list[str]:
    return text_of(Path(file)).splitlines()


def _entry(line: str, where: str) -> dict[str, Json]:
    record = json_of(line, where)
    if not isinstance(record, Mapping):
        raise DataError(f"{where}: must be an object with a graph and an answer, got {type(record).__name__}.")
    entry = dict(record)
    for name, others in _ALSO.items():
        entry.setdefault(name, next((record[other] for other in others if other in record), None))
    if entry["dag"] is None:
        raise DataError(f"{where}: must have a graph ('dag' or 'graph'), got {', '.join(map(repr, list(record)[:5]))}.")
    return entry | {"id": f"{entry.get('id', where)}"}
