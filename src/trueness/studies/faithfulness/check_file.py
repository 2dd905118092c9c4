"""`trueness faithfulness check labelled.jsonl`: what each measure is worth on graphs that a user brings.

One JSON object per line: a graph (`dag` or `graph`), the problem (`problem_text` or `problem`), the `answer`, and
whether it is right: `correct`, or what was `expected`. `id`, `method` and `source` are kept where they are given.
Nothing is asked: the executed measures are held against right answers, by AUC with intervals. `--formulas MODEL` asks a
model to write the rules that are words as formulas, a question a graph; `--out FILE` keeps them beside the rules.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from trueness.errors import DataError, SettingError
from trueness.files import write_atomically
from trueness.models import Reply
from trueness.outside import Json, json_of, text_of
from trueness.reasoning.execute import Program
from trueness.reasoning.graph import Problem
from trueness.reasoning.rules import rules_of
from trueness.showing.console import Console, plain
from trueness.showing.sheet import print_table
from trueness.showing.tables import Column, Table
from trueness.status import Status
from trueness.studies.faithfulness.accuracy import Criterion, InformedScore, against_accuracy, informed_score
from trueness.studies.faithfulness.api import Entry, evaluate_batch, with_formulas_of
from trueness.studies.faithfulness.scores import Evaluation
from trueness.studies.faithfulness.tables import criterion_table
from trueness.texts import counted

_ALSO = {"dag": ("graph", "reasoning_graph"), "problem_text": ("problem", "question"), "source": ("file",)}


@dataclass(frozen=True)
class CheckedFile:
    """The measures of a labelled file against its right answers."""

    file: str
    evaluations: tuple[Evaluation, ...]
    criteria: tuple[Criterion, ...]
    informed: InformedScore | None
    level: float = 0.95
    formulas: str = ""  # what became of those that a model was asked for

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
        first = [self.formulas] if self.formulas else []
        if not self.criteria:
            return [*first, "No measure has a value on a labelled answer: nothing is known of their worth."]
        informed = [self.informed.finding()] if self.informed else []
        return [*first, *(one.finding() for one in self.criteria), *informed]

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


def check_file(file: str, formulas: str = "", out: str = "") -> CheckedFile:
    """The file read and executed; DataError in one line where no line says whether its answer is right. formulas: a
    model that is asked for the formulas of rules in words; out: a new file with them."""
    if out:
        _check_new(out, formulas)
    entries: list[Entry | Problem] = [
        _entry(line, f"{file}, line {place}") for place, line in enumerate(_lines(file), start=1) if line.strip()
    ]
    evaluations = evaluate_batch(entries).evaluations
    if all(one.correct is None for one in evaluations):
        raise DataError(
            f"{file} must say which answers are right ('correct', or 'expected'), got none. Add one of them."
        )
    became = ""
    if formulas:
        entries, replies = with_formulas_of(entries, formulas)
        became = _what_became(entries, formulas, replies)
        evaluations = evaluate_batch(entries).evaluations
    if out:
        lines = (json.dumps(e.to_dict() if isinstance(e, Problem) else e, ensure_ascii=False) for e in entries)
        write_atomically(Path(out).parent, Path(out).name, "\n".join(lines) + "\n")
    criteria = tuple(against_accuracy(evaluations))
    return CheckedFile(file, evaluations, criteria, informed_score(evaluations), formulas=became)


def _check_new(out: str, formulas: str) -> None:
    """Before a model is paid for what the file would hold."""
    if not formulas:
        raise SettingError(
            f"--out must stand beside --formulas, whose graphs it keeps, got {out!r} alone. Name a model."
        )
    if Path(out).exists():
        raise SettingError(f"--out must name a file that is not there yet, got {out!r}. Choose another name.")
    if not Path(out).parent.is_dir():
        raise SettingError(f"--out must name a file in a folder that is there, got {out!r}. Make the folder first.")


def _what_became(entries: Sequence[Entry | Problem], model: str, replies: Sequence[Reply]) -> str:
    """Of the formulas of a model: replies, formulas, those that are executed."""
    lost = Counter(str(reply.status) for reply in replies if reply.status is not Status.OK)
    graphs = [entry.graph for entry in entries if isinstance(entry, Problem)]
    rules = [
        rule
        for graph in graphs
        for effect, of_effect in rules_of(graph).items()
        for rule in of_effect
        if any(edge.formula for edge in graph.rules_of.get(effect, ()))
    ]
    executed = sum(rule.by_formula for rule in rules)
    failed = f" ({', '.join(f'{n} {status}' for status, n in lost.items())})" if lost else ""
    left = f"; {len(rules) - executed} leave out what the words say, or cannot be read" if executed < len(rules) else ""
    return (
        f"{model} was asked for the formulas of {counted(len(replies), 'graph')}{failed} and wrote {len(rules)}: "
        f"{executed} are executed beside their words{left}."
    )


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
