"""Forecast: replies read as ranges, scored against the runs of discovery; what terminal, page, files and paper take."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import pandas as pd

from trueness.files import write_atomically
from trueness.models import Reply
from trueness.outside import Json
from trueness.running.results import NOT_RUN, Row
from trueness.running.store import Run
from trueness.showing import blocks, theme
from trueness.showing.grid import Facet, Grid, unique
from trueness.showing.methods_paragraph import listed, prompts
from trueness.showing.paper import Part as PaperPart
from trueness.showing.paper import read_pictures
from trueness.showing.saving import Figure, Save, csv_text, plain, plain_records, plain_rows
from trueness.showing.tables import Table
from trueness.statistics.runs import range_note
from trueness.studies.forecast import tables
from trueness.studies.forecast.analysis import Analysis
from trueness.studies.forecast.answers import forecasts_of, long_rows, read_reply
from trueness.studies.forecast.findings import Findings, plots, texts
from trueness.studies.forecast.frames import ARMS, KEYS, MEASURES, Forecasts, Truth, formulations
from trueness.studies.forecast.measures import SHOWN as SCORES
from trueness.studies.forecast.tables import headline_of
from trueness.studies.protocol import AnalysisPart, CellKey, Check, Section, Summary
from trueness.studies.reading import OPEN, Reading
from trueness.texts import counted

ANSWERED_ALIKE = "reference"  # the variant of who was not asked
_PLACE = ["item", "variant", "respondent"]
TOLD_FIRST = ("hypotheses", "comparisons", "robustness", "ranking", "contrasts", "guidelines")  # on the first page


class ForecastReading(Reading):
    title = "Forecast"
    question = "Does a model know what a learner will do on a data set?"
    rests_on = ("discovery",)
    asks = many_charts = True
    files_below = "statistics"
    charts_first = ("intervals_f1", "intervals", "calibration", "heatmap", "runs")
    clusters = "data sets"
    pictures = ("intervals_f1", "runs_f1", "calibration", "heatmap_covers_mean_respondent_dataset")

    @cached_property
    def forecasts(self) -> Forecasts:
        discovery = self.before["discovery"].results
        with self.results.store.ensure_open() as store:
            return forecasts_of(discovery, self.results, store)

    @cached_property
    def findings(self) -> Findings:
        return Findings(self.forecasts)

    @classmethod
    def cluster_of(cls, items: pd.Series) -> pd.Series:
        """An item is dataset/learner/measure."""
        return items.str.split("/").str[0]

    # ---- numbers

    def rows(self) -> Iterable[Row]:
        return long_rows(self.forecasts)

    def to_dict(self) -> dict[str, Json]:
        return {"respondents": self.findings.rows, "findings": self.findings.to_dict()}

    def as_json(self, measures: Sequence[str] | None) -> dict[str, Json]:
        return {"study": self.results.study, "task": self.results.task, "rows": self.findings.rows}

    def as_csv(self, measures: Sequence[str] | None) -> str:
        return csv_text(pd.DataFrame(self.findings.rows))

    def tables(self, measures: Sequence[str] | None) -> list[Table]:
        return [tables.main_results(self.forecasts, self.findings.rows)]

    # ---- what it says

    @property
    def state(self) -> str:
        statuses = self.forecasts.replies["status"]
        unread = int((statuses != "ok").sum())
        return f"{len(statuses):,} replies, {unread:,} not fully read; {self.forecasts.percent} ranges"

    def notes(self) -> list[str]:
        return [table.caption for table in self.tables(None)]

    def summary(self) -> Summary:
        if self.forecasts.scores.empty:
            return Summary((Check("forecast", None, "No claim has been made yet."),))
        findings = self.findings
        shown = [findings[name] for name in TOLD_FIRST if findings[name].possible]
        sections = tuple(Section(analysis.name, analysis.sentences) for analysis in shown)
        headline = headline_of(self.forecasts, findings.rows)
        return Summary(findings.validation.checks, sections, tuple(findings.untold()), headline)

    def first_findings(self) -> list[str]:
        """The checks, then each hypothesis with its verdict."""
        return [*self.findings.validation.sentences, *self.findings["hypotheses"].sentences]

    def abstract(self) -> str:
        forecasts = self.forecasts
        claims = forecasts.of_models(forecasts.headline)
        return (
            f"We compare {int(claims['answered'].sum())} readable of {len(claims)} claimed ranges by "
            f"{counted(len(forecasts.models), 'model')} with what {counted(len(forecasts.learner_names), 'learner')} "
            f"did on {counted(len(forecasts.dataset_names), 'data set')}."
        )

    def methods(self) -> list[str]:
        forecasts, level = self.forecasts, self.forecasts.percent
        datasets = [self._dataset(name) for name in forecasts.dataset_names]
        learners = [str(forecasts.learners.get(name, {}).get("title", name)) for name in forecasts.learner_names]
        runs = min((truth.planned for truth in forecasts.truths.values()), default=0)
        models = [name for name in forecasts.respondents if name not in forecasts.references]
        scores = forecasts.of_models(forecasts.headline)  # who is asked once has no repeats
        forms, repeats = formulations(scores), int(scores["repeat"].nunique())
        measures = [theme.measure_label(name) for name in forecasts.measures]
        return [
            f"We ran {listed(learners)} on {counted(len(datasets), 'data set')} ({'; '.join(datasets)}), "
            f"{counted(runs, 'run')} or more for each pair, and measured {listed(measures)}.",
            f"The truth of a claim is the distribution of these runs: their {level} range, and the {level} bootstrap "
            f"confidence interval of their mean. {forecasts.range_note}".rstrip(),
            f"We asked {counted(len(models), 'model')} ({listed(models)}) for ranges, in "
            f"{counted(len(forms), 'formulation')} ({listed(forms)}), {counted(repeats, 'time')} each. "
            f"{forecasts.arm_text}",
            f"References: {listed(forecasts.references) or 'none'}.",
            *prompts(forecasts.notes.get("prompts")),
            "A reply that could not be read is missing, with its status; it is neither scored nor replaced. Intervals "
            f"are clustered by data set. The study's seed is {forecasts.seed}.",
        ]

    def _dataset(self, name: str) -> str:
        about = self.forecasts.datasets.get(name, {})
        known = [f"{about[key]} {key}" for key in ("nodes", "edges", "rows") if about.get(key) is not None]
        return f"{name}, {', '.join(known)}" if known else name

    # ---- files and paper

    def figures(self, folder: Path) -> Iterator[Figure]:
        return plots(self.forecasts)

    def files(self) -> Mapping[str, str]:
        return texts(self.findings)

    def write_files(self, folder: Path, save: Save, alone: bool = True) -> list[Path]:
        # charts come first: other processes draw them while the findings are made
        written = [path for figure in self.figures(folder) for path in save(figure, folder, "plots")]
        return [*written, *(write_atomically(folder, name, text) for name, text in self.files().items())]

    def paper(self, folder: Path) -> PaperPart:
        findings, shown = self.findings, read_pictures(folder, "plots", *self.pictures)
        sections: list[tuple[str, Sequence[str]]] = [("Hypotheses", findings["hypotheses"].sentences)]
        sections += [(one.name.capitalize(), one.sentences) for one in findings.told() if one.possible]
        sections.append((OPEN, findings.untold()))
        abstract = f"{self.abstract()} {headline_of(self.forecasts, findings.rows).sentence}"
        checks, made = findings.validation.sentences, findings.tables()
        return PaperPart("forecast", abstract, checks, self.methods(), sections, made, shown)

    # ---- the page: matrix, cells, analyses

    @cached_property
    def _claims(self) -> pd.DataFrame:
        """One row a claim, at its widest level, with its place in the grid."""
        scores = self.forecasts.scores
        rows = scores.sort_values("level", kind="stable").drop_duplicates(list(KEYS), keep="last").sort_index()
        asked = ~rows["respondent"].isin(self.forecasts.references)
        variant = rows["formulation"].str.cat(rows[list(ARMS[1:])], sep="/")
        return rows.assign(item=rows["dataset"] + "/" + rows["learner"], variant=variant.where(asked, ANSWERED_ALIKE))

    @cached_property
    def _claims_of(self) -> dict[CellKey, pd.DataFrame]:
        return {tuple(map(str, key)): part for key, part in self._claims.groupby(_PLACE, sort=False)}  # type: ignore[misc]

    @cached_property
    def _by_item(self) -> dict[str, list[CellKey]]:
        by_item: dict[str, list[CellKey]] = {}
        for key in self.cell_keys():
            by_item.setdefault(key[0], []).append(key)
        return by_item

    @cached_property
    def _variants(self) -> dict[str, str]:
        """Variant -> how the page calls it: only what differs between the variants of this study."""
        names = unique(cell.variant for cell in self.results.cells)
        return dict(zip(names, short_variants(names), strict=True))

    def cell_keys(self) -> Iterator[CellKey]:
        yield from dict.fromkeys([*self.results.place_of, *self._claims_of])

    def grid(self) -> Grid:
        results, references = self.results, list(self.forecasts.references)
        of = Facet("of", "Forecast of", list(MEASURES), [theme.measure_label(name) for name in MEASURES])
        variants = Facet("variant", "Formulation", list(self._variants), list(self._variants.values()))
        respondents = unique([*(cell.respondent for cell in results.cells), *references])
        grid = Grid(
            "forecast", list(self._by_item), respondents, references, list(SCORES), [of, variants],
            spread="least and most over repeats", repeats="repeats",
        )  # fmt: skip
        groups = self._claims.groupby([*_PLACE, "measure"], sort=False)
        spreads = {name: groups[name].agg(["mean", "min", "max", "count"]).T.to_dict("list") for name in self._scores}
        counts = {key: dict(Counter(statuses)) for key, statuses in groups["status"]}
        for key in self.cell_keys():
            place = results.place_of.get(key)
            for measure in MEASURES:
                statuses = counts.get((*key, measure), {})
                planned = sum(statuses.values()) if place is None else results.cells[place].repeats
                values = {name: _spread(of_cell.get((*key, measure))) for name, of_cell in spreads.items()}
                grid.add(key[0], key[2], (measure, key[1]), planned, statuses, values)
        return grid

    @cached_property
    def _scores(self) -> list[str]:
        """Those of SCORES that the study has."""
        return [info.name for info in SCORES if info.name in self.forecasts.scores]

    def cell(self, key: CellKey) -> dict[str, Json] | None:
        item, _, respondent = key
        place, claims = self.results.place_of.get(key), self._claims_of.get(key, self._claims.iloc[:0])
        if place is None and claims.empty:
            return None
        exchanges, planned = [], 1
        no_reply = f"{respondent} answers without being asked: its range is computed or was given on a sheet."
        if place is not None:
            planned, nodes = self.results.cells[place].repeats, int(self.results.abouts[place]["nodes"])
            runs = self.results.runs_at(place)
            exchanges = [block for run in runs for block in self._exchange(run, nodes, planned)]
            no_reply = f"None of {planned} repeats has been asked yet."
        dataset, _, learner = item.partition("/")
        return {
            "statuses": dict(Counter(claims["status"])) or {NOT_RUN: planned},
            "siblings": list(self._siblings(key)),
            "graph": "",
            "truth_of": ["discovery", dataset, "clean", learner],
            "blocks": [*self._ranges(dataset, learner, claims), *(exchanges or [blocks.lines("Reply", [no_reply])])],
        }

    def _siblings(self, key: CellKey) -> Iterator[dict[str, object]]:
        """The same question in other words, then the same question to others."""
        for other in self._by_item[key[0]]:
            if other != key and other[2] == key[2]:
                yield {"key": list(other), "label": self._variants[other[1]], "group": "Other formulations"}
            elif other != key and other[1] in (key[1], ANSWERED_ALIKE):
                yield {"key": list(other), "label": other[2], "group": "Others on the same question"}

    def _ranges(self, dataset: str, learner: str, claims: pd.DataFrame) -> Iterator[blocks.Block]:
        """What was claimed beside what was measured, a row a measure; what the ranges of few runs hold."""
        truths = {measure: self.forecasts.truths.get((dataset, learner, measure)) for measure in MEASURES}
        rows = []
        for measure, truth in truths.items():
            mine = claims[claims["measure"] == measure]
            means = {info.label: plain(mine[info.name].mean()) for info in SCORES[:3]}
            row = {"name": measure, "label": theme.measure_label(measure), "scores": means, **_truth_cells(truth)}
            rows.append(row | {"claims": plain_records(mine[["repeat", "low", "high", "status"]])})
        yield {"kind": "claims", "title": "Claimed and measured", "rows": rows, "level": self.forecasts.level}
        note = range_note((len(truth.runs) for truth in truths.values() if truth is not None), self.forecasts.level)
        if note:
            yield blocks.lines("Range of the runs", [note])

    def _exchange(self, run: Run, nodes: int, planned: int) -> Iterator[blocks.Block]:
        store = self.results.store
        stored = None if run.answer is None else store.reply(json.loads(run.answer)["reply"])
        if stored is None:
            yield blocks.lines("Reply", [f"Repeat {run.repeat + 1}: no reply came. {run.message}".strip()])
            return
        reading = read_reply(Reply.from_dict(stored.reply), nodes)
        given = {name: value for name, value in reading.values.items() if value is not None}
        spans = [(name, "", value) for name, value in given.items()]
        spans += [
            (name, f" at {100 * level:g} %:", value)
            for name, levels in reading.levels.items()
            for level, value in levels.items()
        ]
        marks = [
            (*value.span, f"{theme.measure_label(name)}{at} {value.low:g} to {value.high:g}")
            for name, at, value in spans
        ]
        title = f"Repeat {run.repeat + 1} of {planned}" if planned > 1 else "Reply"
        block = blocks.exchange(store, stored, marks, str(reading.status), reading.message, title)
        read = {name: [given[name].low, given[name].high] if name in given else None for name in reading.values}
        yield block | {"read": read, "nodes": nodes, "reader": "ranges"}

    def analyses(self) -> list[AnalysisPart]:
        if self.forecasts.scores.empty:
            return []
        rows, tests = plain_rows(pd.DataFrame(self.findings.rows)), plain_rows(self.findings.tests)
        first = AnalysisPart("respondents", tables=(blocks.table("One row a respondent", rows),))
        second = AnalysisPart("tests", tables=(blocks.table("All tests", tests),))
        return [first, second, *(_analysis(analysis) for analysis in self.findings.analyses())]


def short_variants(variants: list[str]) -> list[str]:
    """Of formulation/names/metadata/... only what differs between the variants of this study."""
    split = [variant.split("/") for variant in variants]
    differ = [k for k in range(max(map(len, split), default=0)) if len({v[k] for v in split if k < len(v)}) > 1]
    return [" · ".join(parts[k] for k in differ if k < len(parts)) or parts[0] for parts in split]


def _analysis(analysis: Analysis) -> AnalysisPart:
    frames = {"": analysis.table, **analysis.more}
    made = tuple(
        blocks.table(name.replace("_", " "), plain_rows(frame)) for name, frame in frames.items() if len(frame)
    )
    return AnalysisPart(analysis.name, tuple(analysis.sentences), analysis.possible, made)


def _truth_cells(truth: Truth | None) -> dict[str, object]:
    if truth is None or not len(truth.runs):
        return {"truth": None, "top": 1.0}
    ci, runs = (None if one is None else [one.low, one.high] for one in (truth.mean_ci, truth.run_range))
    return {"truth": {"mean": plain(truth.mean), "n": len(truth.runs), "ci": ci, "runs": runs}, "top": truth.upper}


def _spread(values: Sequence[float] | None) -> tuple[float | None, ...]:
    """Mean, least, most and n of what is there."""
    mean, least, most, n = values or (None, None, None, 0)
    return (mean, least, most, int(n)) if n else (None, None, None, 0)
