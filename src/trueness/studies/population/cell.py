"""The population part: claimed distributions beside the true ones, condition by condition."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import zip_longest

from trueness.outside import Json
from trueness.reading.distribution import read_distribution, read_quantiles
from trueness.reading.level import read_level, read_number
from trueness.showing import blocks
from trueness.showing.grid import Facet, Grid, unique
from trueness.showing.saving import plain_rows
from trueness.status import Status
from trueness.studies.population import findings as population_findings
from trueness.studies.population import tables
from trueness.studies.population.answers import AnswerKey, Populations
from trueness.studies.population.elicitation import Form
from trueness.studies.population.elicitation.distribution import PERCENTILES
from trueness.studies.population.elicitation.forms import Answer
from trueness.studies.population.measures import MEASURES
from trueness.studies.population.numeric_outcomes import NAMES, answer_row, condition_rows
from trueness.studies.population.original_results import NO_PROMPT
from trueness.studies.population.truth import PopulationTruth
from trueness.studies.protocol import AnalysisPart, CellKey, Check, PagePlace, Section, Summary

SHOWN = 3  # replies of a condition that a page shows; all are in the store
REFERENCE = "reference"


class PopulationPart:
    task = "population"

    def __init__(self, place: PagePlace, read: Callable[[], Populations]):
        self._task = place.task
        self._store = place.store
        self._read = read

    @cached_property
    def tables(self) -> Populations:
        return self._read()

    @property
    def _modes(self) -> list[str]:
        return unique(key.mode for key in self.tables.answers if key.mode)

    def cell_keys(self) -> Iterator[CellKey]:
        yield from dict.fromkeys((a.task, a.mode or REFERENCE, a.respondent) for a in self.tables.answers)

    def grid(self) -> Grid:
        populations = self.tables
        modes = Facet("variant", "Asked by", self._modes, self._modes)
        names = unique([*populations.models, *populations.references])
        grid = Grid(
            "population",
            list(populations.truths),
            names,
            list(populations.references),
            list(MEASURES),
            [modes],
            spread=f"{100 * populations.level:g} % interval",
            repeats="conditions",
        )
        for key, score in populations.score_by_key.items():
            if key.repeat:
                continue
            values: dict[str, tuple[float | None, float | None, float | None, int]] = {}
            for name, measured in score.measures.items():
                ends = (measured.interval.low, measured.interval.high) if measured.interval else (None, None)
                values[name] = (measured.value, *ends, len(score.statuses))
            counts = Counter(str(status) for status in score.statuses.values())
            reasons = {name: measured.reason for name, measured in score.measures.items() if measured.reason}
            places = (key.task, key.respondent, (key.mode or REFERENCE,))
            grid.add(*places, len(score.statuses), dict(counts), values, reasons)
        return grid

    def cell(self, key: CellKey) -> dict[str, Json] | None:
        task, mode, respondent = key
        answer_key = AnswerKey(respondent, "" if mode == REFERENCE else mode, task, 0)
        if answer_key not in self.tables.answers:
            return None
        truth, score = self.tables.truths[task], self.tables.score_by_key[answer_key]
        rows = [
            {
                "measure": name.replace("_", " "),
                "value": measured.value,
                "interval": [measured.interval.low, measured.interval.high] if measured.interval else None,
                "status": measured.reason or str(measured.status),
            }
            for name, measured in score.measures.items()
        ]
        answers = self.tables.answers[answer_key]
        conditions = []
        for condition in truth.conditions:
            if condition in answers:
                conditions.append(self._bars(task, condition, answers[condition]))
                conditions += self._exchanges(key, condition)
        return {
            "statuses": dict(Counter(str(status) for status in score.statuses.values())),
            "siblings": list(self._siblings(key)),
            "graph": "",
            "blocks": [
                blocks.lines("Question", self._question_lines(truth)),
                *conditions,
                blocks.table(
                    "Measures", rows, f"{100 * self.tables.level:g} % bootstrap intervals of truth and draws."
                ),
            ],
        }

    def _question_lines(self, truth: PopulationTruth) -> list[str]:
        question = truth.question
        return [question.prompt_for(truth.conditions[0]), f"Population: {question.population.text}"]

    def _siblings(self, key: CellKey) -> Iterator[dict[str, object]]:
        for other in self.cell_keys():
            if other[0] == key[0] and other != key:
                if other[2] == key[2]:
                    yield {"key": list(other), "label": other[1], "group": "Asked in other ways"}
                elif other[1] in (key[1], REFERENCE):
                    yield {"key": list(other), "label": other[2], "group": "Others on the same question"}

    def _bars(self, task: str, condition: str, answer: Answer) -> blocks.Block:
        truth = self.tables.truths[task]
        if truth.numeric:
            return self._numbers(truth, condition, answer)
        claimed = answer.distribution
        return {
            "kind": "bars",
            "title": condition,
            "levels": list(truth.levels),
            "truth": [round(float(p), 4) for p in truth.probs[truth.conditions.index(condition)]],
            "claimed": None if claimed is None else [round(float(p), 4) for p in claimed.probs],
            "status": str(answer.status),
            "message": answer.message,
            "replies": {str(status): n for status, n in answer.counts.items()},
        }

    def _numbers(self, truth: PopulationTruth, condition: str, answer: Answer) -> blocks.Block:
        """Mean and quantiles, of the population and of the answer."""
        known = next(row for row in condition_rows(truth, self.tables.level) if row["condition"] == condition)
        claimed = answer_row(truth, answer)
        rows = [
            {"of": "mean", "population": known["true_mean"], "answer": claimed["mean"]},
            *({"of": name, "population": known[f"true_{name}"], "answer": claimed[name]} for name in NAMES),
        ]
        interval = f"{known['true_mean_low']:.6g} to {known['true_mean_high']:.6g}"
        note = (
            f"The mean of the population: {interval} ({100 * self.tables.level:g} %). {answer.status}. {answer.message}"
        )
        return blocks.table(condition, rows, note.rstrip())

    def _exchanges(self, key: CellKey, condition: str) -> Iterator[blocks.Block]:
        task, mode, respondent = key
        name = mode.split("/")[0]
        cell = next(
            (
                c
                for c in self._task.cells
                if (c.item, c.variant, c.respondent) == (f"{task}/{condition}", name, respondent)
            ),
            None,
        )
        runs = [] if cell is None else self._store.runs_of([cell.key(0)])
        record: dict[str, Json] = json.loads(runs[0].answer) if runs and runs[0].answer else {"replies": [], "used": ""}
        form = Form.of(self.tables.truths[task].question, condition)
        entries = record["replies"]
        for number, entry in enumerate(entries[:SHOWN], 1):
            stored = self._store.reply(entry["key"])
            if stored is None:
                continue
            marks, read, (status, message) = _read(record["used"], form, stored.reply)
            about = f" · {entry['about']}" if entry.get("about") else ""
            title = f"Reply {number} of {len(entries)} for {condition}{about}"
            block = blocks.exchange(self._store, stored, marks, status, message, title) | {"folded": len(entries) > 1}
            yield block | ({"read": read, "reader": record["used"]} if read else {})

    # ---- what it says

    def summary(self) -> Summary:
        populations = self.tables
        scores = [score for score in populations.scores if score.respondent not in populations.references]
        if not scores:
            return Summary((Check("population", None, "Nobody has been asked yet."),))
        answered = [score for score in scores if score.status == Status.OK]
        informative = sum(score.informative for score in answered)
        checks = (
            Check("complete", *populations.completeness()),
            Check(
                "informative",
                informative == len(answered),
                f"In {informative} of {len(answered)} answered tasks and modes a perfect sampler of as many draws can "
                "be told from a uniform one.",
            ),
        )
        sections = tuple(Section(title, sentences) for title, sentences in population_findings.sections(populations))
        headline = population_findings.headline_of(populations)
        return Summary(checks, sections, tuple(population_findings.untold(populations)), headline)

    def graph(self, item: str) -> None:
        return None

    def analyses(self) -> list[AnalysisPart]:
        populations = self.tables
        if not populations.answers:
            return []
        comparisons = plain_rows(tables.comparisons_frame(populations))
        return [
            AnalysisPart(
                "respondents", tables=(blocks.table("One row a respondent and mode", tables.summary_rows(populations)),)
            ),
            AnalysisPart(
                "comparisons",
                tuple(str(row["sentence"]) for row in comparisons),
                tables=(blocks.table("Paired differences over tasks", comparisons),),
            ),
            AnalysisPart(
                "scores", tables=(blocks.table("Every task and measure", plain_rows(tables.scores_frame(populations))),)
            ),
        ]


class FilesPart(PopulationPart):
    """The same of result files, which hold the replies themselves, or a sample of them."""

    def __init__(self, populations: Populations):
        self._read = lambda: populations

    def _question_lines(self, truth: PopulationTruth) -> list[str]:
        stated = truth.question.prompt != NO_PROMPT
        return [truth.question.prompt if stated else "The files do not say how it was asked, or about whom."]

    def _exchanges(self, key: CellKey, condition: str) -> Iterator[blocks.Block]:
        task, mode, respondent = key
        answer = self.tables.answers[AnswerKey(respondent, "" if mode == REFERENCE else mode, task, 0)][condition]
        n = len(answer.texts)
        both = zip_longest(answer.texts, answer.read_as, fillvalue="")
        titled = [(f"{k} of {n} for {condition}{read_as}", text) for k, (text, read_as) in enumerate(both, 1)]
        for title, text in titled[:SHOWN]:
            yield blocks.text(f"Reply {title}", text)
        if titled[SHOWN:]:
            rest = "\n\n".join(f"{title}\n{text}" for title, text in titled[SHOWN:])
            yield blocks.text(f"Replies {SHOWN + 1} to {n} for {condition}", rest) | {"folded": True}


def _read(
    used: str, form: Form, reply: dict[str, Json]
) -> tuple[list[blocks.Mark], dict[str, float | str | None], tuple[str, str]]:
    """Where something was read in one reply, what, and its status; letters are read from probabilities, not text."""
    text, status = str(reply.get("text") or ""), str(reply.get("status"))
    if status not in (Status.OK, Status.TRUNCATED):
        return [], {}, (status, str(reply.get("message") or ""))
    if used == "distribution" and form.outcome.numeric:
        stated = read_quantiles(text, PERCENTILES)
        marks = [(*span, f"p{p} {stated.values[p]:g}") for p, span in stated.spans.items()]
        return marks, {f"p{p}": value for p, value in stated.values.items()}, (str(stated.status), stated.message)
    if used == "distribution":
        shares_read = read_distribution(text, form.levels)
        marks = [(*span, f"{level} {shares_read.shares[level]:.3g}") for level, span in shares_read.spans.items()]
        shares = {level: shares_read.shares.get(level) for level in form.levels}
        return marks, dict(shares), (str(shares_read.status), shares_read.message)
    if used == "sample":
        if form.outcome.numeric:
            number = read_number(text)
            marks = [(*number.span, f"{number.value:g}")] if number.value is not None and number.span else []
            return marks, {"number": number.value}, (str(number.status), number.message)
        level = read_level(text, form.levels, form.outcome.bins, form.outcome.top)
        span = [(*level.span, str(level.level))] if level.level is not None and level.span else []
        return span, {"level": level.level}, (str(level.status), level.message)
    return [], {}, (status, "")
