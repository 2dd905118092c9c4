"""Population: replies read as distributions, scored against weighted microdata.

    population/{model}_{task}.json    one entry a condition and mode, with the original's keys:
                                      condition, true_vals, weights, model_vals, model_texts
    population/scores.csv             every task, respondent, mode, repeat and measure with its interval
    population/main.csv .tex .md      one line a respondent and mode
    population/table.csv .tex .md     tasks by respondents (score)
    population/numbers.csv            conditional means and quantiles, where an outcome is a number
    population/comparisons.csv        paired differences, over sources and over tasks of these sources, Holm
    population/notes.txt              what so few sources cannot tell, and what was left out
    plots/population_{task}           truth beside model per condition: .png .svg .pdf, its numbers as .csv

All of it can be written again from the store. The original keeps a value a row; rows of microdata are not ours to copy,
so `true_vals` are the levels and `weights` their weighted shares: a weighted table of the one by the other is the same
distribution. `model_vals` are the levels of the draws (each with the same weight), or, for a claim, the levels with
`model_weights` beside.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, zip_longest
from pathlib import Path
from typing import ClassVar

import pandas as pd

from trueness.outside import Json
from trueness.reading.distribution import DistributionReading
from trueness.running.results import Row
from trueness.running.store import to_json
from trueness.showing import blocks
from trueness.showing.grid import Facet, Grid, unique
from trueness.showing.methods_paragraph import listed
from trueness.showing.saving import Figure, csv_text, plain_rows, safe_name
from trueness.showing.tables import Table
from trueness.status import Status
from trueness.studies.population import tables
from trueness.studies.population.answers import AnswerKey, Populations, populations_of
from trueness.studies.population.elicitation import Answer, Form
from trueness.studies.population.measures import MEASURES
from trueness.studies.population.modes import read_shares, read_value
from trueness.studies.population.original_results import read_results, result_files
from trueness.studies.population.scores import Measured
from trueness.studies.population.truth import PopulationTruth
from trueness.studies.protocol import AnalysisPart, CellKey, Check, Section, Summary
from trueness.studies.reading import Reading
from trueness.texts import counted

SHOWN = 3  # replies of a condition that a page shows; all are in the store
REFERENCE = "reference"


class PopulationTables:
    """What populations say, from a store or from a folder of the original's results."""

    title: ClassVar[str] = "Population"
    question: ClassVar[str] = "Does a model know real distributions?"
    task: ClassVar[str] = "population"

    @property
    def populations(self) -> Populations:
        raise NotImplementedError

    @cached_property
    def _respondents(self) -> list[dict[str, Json]]:
        return tables.summary_rows(self.populations)

    @cached_property
    def _by_score(self) -> list[dict[str, Json]]:
        return tables.comparison_rows(self.populations, tables.MEASURE)

    @cached_property
    def _compared(self) -> list[dict[str, Json]]:
        skills = (tables.comparison_rows(self.populations, name) for name in ("skill_uniform", "skill_marginal"))
        return [*self._by_score, *chain.from_iterable(skills)]

    def as_json(self, measures: Sequence[str] | None) -> dict[str, object]:
        return {"study": self.populations.study, "task": self.task, "rows": self._respondents}

    def as_csv(self, measures: Sequence[str] | None) -> str:
        return self._by_task(measures).to_csv()

    def tables(self, measures: Sequence[str] | None) -> list[Table]:
        return [tables.main_table(self.populations, self._respondents), self._by_task(measures)]

    def _by_task(self, measures: Sequence[str] | None) -> Table:
        return tables.task_table(self.populations, (measures or ["score"])[0])

    # ---- what it says

    @property
    def state(self) -> str:
        populations, rows = self.populations, self._respondents
        sources = counted(len({truth.question.source for truth in populations.truths.values()}), "source")
        lost = ", ".join(f"{status} {n:,}" for status in tables.TROUBLE if (n := sum(row[str(status)] for row in rows)))
        return (
            f"{counted(len(populations.truths), 'task')} from {sources}, {sum(row[str(Status.OK)] for row in rows):,} "
            f"of {sum(row['replies'] for row in rows):,} replies read{f' ({lost})' if lost else ''}"
        )

    def troubles(self) -> list[str]:
        return tables.left_out(self.populations)

    def notes(self) -> list[str]:
        return [*tables.LEGEND, *tables.notes(self.populations)]

    def first_findings(self) -> Sequence[str]:
        return ()  # they stand with the tables

    def summary(self) -> Summary:
        populations = self.populations
        scores = [score for score in populations.scores if score.respondent not in populations.references]
        if not scores:
            return Summary((Check("population", None, "Nobody has been asked yet."),))
        answered = [score for score in scores if score.status == Status.OK]
        informative, pairs = sum(score.informative for score in answered), self._by_score
        told = (
            f"In {informative} of {len(answered)} answered tasks and modes a perfect sampler of as many draws can be "
            "told from a uniform one."
        )
        checks = (
            Check("complete", *populations.completeness()),
            Check("informative", informative == len(answered), told),
        )
        sentences = tuple(str(row["sentence"]) for row in tables.tested(pairs))
        sections = (Section("Who can be told from whom", sentences),) if sentences else ()
        headline = tables.headline_of(populations.level, self._respondents, pairs)
        return Summary(checks, sections, (*self._every_note(), *tables.never_tested(pairs)), headline)

    def _every_note(self) -> list[str]:
        noted = [*tables.left_out(self.populations), *tables.notes(self.populations)]
        return noted or ["Every model was asked as planned."]

    def abstract(self) -> str:
        models, truths = self.populations.models, self.populations.truths
        return (
            f"We asked {counted(len(models), 'model')} {counted(len(truths), 'question')} about populations and "
            "compared their answers with weighted microdata."
        )

    def methods(self) -> list[str]:
        populations = self.populations
        questions = [
            f"{name} ({truth.question.source}; {counted(len(truth.levels), 'level')}, "
            f"{counted(len(truth.conditions), 'condition')})"
            for name, truth in populations.truths.items()
        ]
        modes = dict.fromkeys(key.mode for key in populations.answers if key.respondent in populations.models)
        manner = "; ".join(f"{key} {value}" for key, value in vars(populations.manner).items())
        return [
            f"Questions: {listed(questions)}.",
            f"We asked {counted(len(populations.models), 'model')} ({listed(populations.models)}), by {listed(modes)}; "
            f"settings: {manner}. References: {listed(populations.references) or 'none'}.",
            "An answer that could not be read is missing.",
        ]

    # ---- the page

    def cell_keys(self) -> Iterator[CellKey]:
        yield from dict.fromkeys((a.task, a.mode or REFERENCE, a.respondent) for a in self.populations.answers)

    def grid(self) -> Grid:
        populations = self.populations
        modes = unique(key.mode for key in populations.answers if key.mode)
        names, level = unique([*populations.models, *populations.references]), f"{100 * populations.level:g}"
        grid = Grid(
            self.task, list(populations.truths), names, list(populations.references), list(MEASURES),
            [Facet("variant", "Asked by", modes, modes)], spread=f"{level} % interval", repeats="conditions",
        )  # fmt: skip
        for key, score in populations.score_by_key.items():
            if key.repeat:
                continue
            n, counts = len(score.statuses), Counter(str(status) for status in score.statuses.values())
            values = {name: (one.value, *_ends(one), n) for name, one in score.measures.items()}
            reasons = {name: one.reason for name, one in score.measures.items() if one.reason}
            grid.add(key.task, key.respondent, (key.mode or REFERENCE,), n, dict(counts), values, reasons)
        return grid

    def cell(self, key: CellKey) -> dict[str, object] | None:
        """Claimed distributions beside the true ones, condition by condition."""
        answer_key = _answer_key(key)
        answers = self.populations.answers.get(answer_key)
        if answers is None:
            return None
        truth, score = self.populations.truths[answer_key.task], self.populations.score_by_key[answer_key]
        rows = [
            {
                "measure": name.replace("_", " "),
                "value": one.value,
                "interval": list(_ends(one)) if one.interval else None,
                "status": one.reason or str(one.status),
            }
            for name, one in score.measures.items()
        ]
        conditions = []
        for condition in truth.conditions:
            if condition in answers:
                conditions.append(self._bars(truth, condition, answers[condition]))
                conditions += self._exchanges(key, condition)
        note = f"{100 * self.populations.level:g} % bootstrap intervals of truth and draws."
        return {
            "statuses": dict(Counter(str(status) for status in score.statuses.values())),
            "siblings": list(self._siblings(key)),
            "graph": "",
            "blocks": [
                blocks.lines("Question", self._question_lines(truth)),
                *conditions,
                blocks.table("Measures", rows, note),
            ],
        }

    def graph(self, item: str) -> None:
        return None

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

    def _bars(self, truth: PopulationTruth, condition: str, answer: Answer) -> blocks.Block:
        level, claimed = self.populations.level, answer.distribution
        if truth.numeric:
            known, said = tables.true_numbers(truth, level)[condition], tables.answer_numbers(truth, answer)
            names = ("mean", *tables.NAMES)
            rows = [{"of": name, "population": known[f"true_{name}"], "answer": said[name]} for name in names]
            mean = f"{known['true_mean_low']:.6g} to {known['true_mean_high']:.6g} ({100 * level:g} %)"
            note = f"The mean of the population: {mean}. {answer.status}. {answer.message}"
            return blocks.table(condition, rows, note.rstrip())
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

    def _exchanges(self, key: CellKey, condition: str) -> Iterator[blocks.Block]:
        raise NotImplementedError

    def analyses(self) -> list[AnalysisPart]:
        if not self.populations.answers:
            return []
        found = tuple(str(row["sentence"]) for row in self._compared)
        pairs = plain_rows(pd.DataFrame(self._compared))
        return [AnalysisPart("comparisons", found, tables=(blocks.table("Paired differences over tasks", pairs),))]


class OriginalResults(PopulationTables):
    """From a folder of the original's result files, which hold the replies themselves, or a sample of them."""

    def __init__(self, populations: Populations):
        self._populations = populations

    @property
    def populations(self) -> Populations:
        return self._populations

    @property
    def level(self) -> float:
        return self.populations.level

    @property
    def study(self) -> str:
        return self.populations.study

    def page(self) -> OriginalResults:
        return self

    def completeness(self) -> list[dict[str, Json]]:
        counts: dict[str, Counter[str]] = {name: Counter() for name in self.populations.models}
        for key, answers in self.populations.answers.items():
            if key.respondent in counts:
                counts[key.respondent].update(str(answer.status) for answer in answers.values())
        return [{"respondent": name, "planned": of.total(), "statuses": dict(of)} for name, of in counts.items()]

    def _question_lines(self, truth: PopulationTruth) -> list[str]:
        return ["The files do not say how it was asked, or about whom."]

    def _exchanges(self, key: CellKey, condition: str) -> Iterator[blocks.Block]:
        answer = self.populations.answers[_answer_key(key)][condition]
        n = len(answer.texts)
        both = zip_longest(answer.texts, answer.read_as, fillvalue="")
        titled = [(f"{k} of {n} for {condition}{read_as}", text) for k, (text, read_as) in enumerate(both, 1)]
        for title, text in titled[:SHOWN]:
            yield blocks.text(f"Reply {title}", text)
        if titled[SHOWN:]:
            rest = "\n\n".join(f"{title}\n{text}" for title, text in titled[SHOWN:])
            yield blocks.text(f"Replies {SHOWN + 1} to {n} for {condition}", rest) | {"folded": True}


def foreign_results(folder: Path) -> OriginalResults | None:
    """The results in a folder that is no study; None where it holds no JSON file."""
    return OriginalResults(read_results(folder)) if result_files(folder) else None


class PopulationReading(PopulationTables, Reading):
    asks = True
    charts_first = ("population",)
    clusters = "sources"
    files_below = "population"

    @cached_property
    def populations(self) -> Populations:
        with self.results.store.ensure_open() as store:
            return populations_of(self.results, store)

    @classmethod
    def cluster_of(cls, items: pd.Series) -> pd.Series:
        """An item is source/task, and what was drawn is the source."""
        return items.str.rsplit("/", n=1).str[0]

    def rows(self) -> Iterable[Row]:
        return self.populations.rows()

    def to_dict(self) -> dict[str, object]:
        return {"respondents": self._respondents}

    def figures(self, folder: Path) -> Iterator[Figure]:
        """One a task of levels that somebody was asked."""
        from trueness.studies.population.charts import distribution

        asked = {key.task for key in self.populations.answers if key.respondent not in self.populations.references}
        for task, truth in self.populations.truths.items():
            if task in asked and not truth.numeric:
                yield distribution(self.populations, task)

    def files(self) -> Mapping[str, str]:
        populations = self.populations
        numbers = tables.numbers_frame(populations)
        texts = {
            "scores.csv": csv_text(tables.scores_frame(populations)),
            "comparisons.csv": csv_text(pd.DataFrame(self._compared)),
            **({} if numbers.empty else {"numbers.csv": csv_text(numbers)}),
            "notes.txt": "\n".join(self._every_note()) + "\n",
        }
        entries: dict[str, list[dict[str, object]]] = {}  # by file: one a mode, repeat and condition
        for key, answers in populations.answers.items():
            if key.respondent in populations.models:
                truth, name = populations.truths[key.task], f"{safe_name(key.respondent, key.task)}.json"
                entries.setdefault(name, []).extend(_entry(key, truth, *one) for one in answers.items())
        texts |= {name: to_json(one) for name, one in entries.items()}
        return {f"population/{name}": text for name, text in texts.items()}

    def _exchanges(self, key: CellKey, condition: str) -> Iterator[blocks.Block]:
        task, mode, respondent = key
        place = self.results.place_of.get((f"{task}/{condition}", mode, respondent))
        run = next(iter(self.results.runs_at(place)), None) if place is not None else None
        record: dict[str, Json] = json.loads(run.answer) if run and run.answer else {"replies": [], "used": ""}
        form, entries = Form.of(self.populations.truths[task].question, condition), record["replies"]
        with self.results.store.ensure_open() as store:
            for number, entry in enumerate(entries[:SHOWN], 1):
                stored = store.reply(entry["key"])
                if stored is None:
                    continue
                marks, read, (status, message) = _read(record["used"], form, stored.reply)
                about = f" · {entry['about']}" if entry.get("about") else ""
                title = f"Reply {number} of {len(entries)} for {condition}{about}"
                block = blocks.exchange(store, stored, marks, status, message, title) | {"folded": len(entries) > 1}
                yield block | ({"read": read, "reader": record["used"]} if read else {})


def _ends(measured: Measured) -> tuple[float | None, float | None]:
    return (measured.interval.low, measured.interval.high) if measured.interval else (None, None)


def _answer_key(key: CellKey) -> AnswerKey:
    task, mode, respondent = key
    return AnswerKey(respondent, "" if mode == REFERENCE else mode, task, 0)


def _entry(key: AnswerKey, truth: PopulationTruth, condition: str, answer: Answer) -> dict[str, object]:
    c = truth.conditions.index(condition)
    claimed = answer.distribution
    levels: list[object] = list(truth.question.outcome.middles if truth.numeric else truth.levels)
    drawn = bool(answer.values or answer.numbers)
    values: list[object] = list(answer.values or answer.numbers) if drawn else levels if claimed is not None else []
    weights = [1 / len(values)] * len(values) if drawn else [] if claimed is None else list(claimed.probs)
    return {
        "condition": condition,
        "true_vals": levels,
        "weights": truth.probs[c].tolist(),
        "model_vals": values,
        "model_texts": list(answer.texts),
        "model_weights": weights,
        "model": key.respondent,
        "task": key.task,
        "mode": key.mode,
        "repeat": key.repeat,
        "status": str(answer.status),
        "message": answer.message,
        "replies": {str(status): n for status, n in answer.counts.items()},
        "letter_mass": answer.mass,
        "stated_sum": answer.total,
        "flags": list(answer.flags),
        "prompt": truth.question.prompt_for(condition),
        "population": truth.question.population.text,
        "source": truth.question.source,
        "condition_weight": float(truth.weights[c]),
        "rows": float(truth.rows[c]),
        "n_eff": float(truth.n_eff[c]),
    }


def _read(
    used: str, form: Form, reply: dict[str, Json]
) -> tuple[list[blocks.Mark], dict[str, float | str | None], tuple[str, str]]:
    """Where something was read in one reply, what, and its status; letters are read from probabilities, not text."""
    text, status = str(reply.get("text") or ""), str(reply.get("status"))
    if status not in (Status.OK, Status.TRUNCATED):
        return [], {}, (status, str(reply.get("message") or ""))
    if used == "distribution":
        read = read_shares(text, form)
        said: dict[str, float | str | None]
        spans: Mapping[str, tuple[int, int]]
        if isinstance(read, DistributionReading):
            said, spans, digits = dict.fromkeys(form.levels) | dict(read.shares), dict(read.spans), ".3g"
        else:
            said, digits = {f"p{p}": value for p, value in read.values.items()}, "g"
            spans = {f"p{p}": span for p, span in read.spans.items()}
        marks = [(*span, f"{name} {said[name]:{digits}}") for name, span in spans.items()]
        return marks, said, (str(read.status), read.message)
    if used == "sample":
        one, name = read_value(text, form), "number" if form.outcome.numeric else "level"
        shown = f"{one.value:g}" if isinstance(one.value, float) else str(one.value)
        return [(*one.span, shown)] if one.span else [], {name: one.value}, (str(one.status), one.message)
    return [], {}, (status, "")
