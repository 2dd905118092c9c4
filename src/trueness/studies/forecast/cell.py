"""The forecast part: claims beside what the runs showed, replies with the spans that were read."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import NamedTuple

import pandas as pd

from trueness.models import Reply
from trueness.outside import Json
from trueness.running.results import NOT_RUN, Results
from trueness.running.store import Run
from trueness.showing import blocks
from trueness.showing.grid import Facet, Grid, unique
from trueness.showing.saving import plain_rows
from trueness.showing.theme import measure_label
from trueness.statistics.runs import range_note
from trueness.studies.forecast.analysis import Analysis
from trueness.studies.forecast.findings import Findings
from trueness.studies.forecast.forecast_frames import ARMS, MEASURES, Forecasts, Truth
from trueness.studies.forecast.forecast_headline import headline_of
from trueness.studies.forecast.interpretation import untold
from trueness.studies.forecast.measures import SHOWN as SCORES
from trueness.studies.forecast.work import read_reply
from trueness.studies.protocol import AnalysisPart, CellKey, Check, Section, Summary

ANSWERED_ALIKE = "reference"  # the variant of who was not asked
_TOLD_FIRST = (
    "hypotheses",
    "comparisons",
    "robustness",
    "ranking",
    "contrasts",
    "guidelines",
)  # whose sentences stand on the first page


class ScoredClaim(NamedTuple):
    """One range of one repeat, or the status that says why there is none; `scores` in the order of SCORES."""

    repeat: int
    low: float | None
    high: float | None
    status: str
    scores: tuple[float | None, ...]


class ForecastPart:
    task = "forecast"

    def __init__(self, results: Results, read: Callable[[], Forecasts], findings: Callable[[], Findings]):
        self._task, self._store = results, results.store
        self._read = read
        self._findings = findings

    @cached_property
    def tables(self) -> Forecasts:
        return self._read()

    @cached_property
    def findings(self) -> Findings:
        return self._findings()

    @cached_property
    def _claims(self) -> dict[CellKey, dict[str, list[ScoredClaim]]]:
        """Cell -> measure -> what was claimed in each repeat, at its widest level."""
        scores = self.tables.scores
        keys = ["dataset", "learner", "measure", *ARMS, "respondent", "repeat"]
        rows = scores.sort_values("level", kind="stable").drop_duplicates(keys, keep="last").sort_index()
        columns = [rows[name].tolist() for name in (*keys, "low", "high", "status", *_in(scores))]
        claims: dict[CellKey, dict[str, list[ScoredClaim]]] = {}
        for dataset, learner, measure, *rest in zip(*columns, strict=True):
            arms, (respondent, repeat, low, high, status), values = rest[:5], rest[5:10], rest[10:]
            variant = ANSWERED_ALIKE if respondent in self.tables.references else "/".join(map(str, arms))
            claim = ScoredClaim(int(repeat), _number(low), _number(high), str(status), tuple(map(_number, values)))
            claims.setdefault((f"{dataset}/{learner}", variant, respondent), {}).setdefault(measure, []).append(claim)
        return claims

    @cached_property
    def _place_of(self) -> dict[CellKey, int]:
        """Cell that is asked -> its place in the plan."""
        return {(cell.item, cell.variant, cell.respondent): place for place, cell in enumerate(self._task.cells)}

    @cached_property
    def _by_item(self) -> dict[str, list[CellKey]]:
        by_item: dict[str, list[CellKey]] = {}
        for key in self.cell_keys():
            by_item.setdefault(key[0], []).append(key)
        return by_item

    @cached_property
    def _variants(self) -> dict[str, str]:
        """Variant -> how the page calls it."""
        names = unique(cell.variant for cell in self._task.cells)
        return dict(zip(names, short_variants(names), strict=True))

    def cell_keys(self) -> Iterator[CellKey]:
        yield from dict.fromkeys([*self._place_of, *self._claims])

    def grid(self) -> Grid:
        tables = self.tables
        models = unique(cell.respondent for cell in self._task.cells)
        of = Facet("of", "Forecast of", list(MEASURES), [measure_label(name) for name in MEASURES])
        variants = Facet("variant", "Formulation", list(self._variants), list(self._variants.values()))
        grid = Grid(
            "forecast", list(self._by_item), unique([*models, *tables.references]), list(tables.references),
            list(SCORES), [of, variants], spread="least and most over repeats", repeats="repeats",
        )  # fmt: skip
        names = _in(tables.scores)
        for key in self.cell_keys():
            place = self._place_of.get(key)
            for measure in MEASURES:
                claims = self._claims.get(key, {}).get(measure, [])
                planned = len(claims) if place is None else self._task.cells[place].repeats
                values = {name: _spread([claim.scores[k] for claim in claims]) for k, name in enumerate(names)}
                counts = dict(Counter(claim.status for claim in claims))
                grid.add(key[0], key[2], (measure, key[1]), planned, counts, values)
        return grid

    def cell(self, key: CellKey) -> dict[str, Json] | None:
        item, _, respondent = key
        place, claims = self._place_of.get(key), self._claims.get(key, {})
        if place is None and not claims:
            return None
        runs = [] if place is None else self._task.runs_at(place)
        planned = 1 if place is None else self._task.cells[place].repeats
        nodes = 0 if place is None else int(self._task.abouts[place]["nodes"])
        exchanges = [block for run in runs for block in self._exchange(run, nodes, planned)]
        counts = Counter(claim.status for of_measure in claims.values() for claim in of_measure)
        return {
            "statuses": dict(counts) or {NOT_RUN: planned},
            "siblings": list(self._siblings(key)),
            "graph": "",
            "truth_of": ["discovery", *_discovery_key(item)],
            "blocks": [
                self._ranges(item, claims),
                *self._few_runs(item),
                *(exchanges or [blocks.lines("Reply", [self._no_reply(respondent, place, planned)])]),
            ],
        }

    def _few_runs(self, item: str) -> list[blocks.Block]:
        """What the measured ranges hold, where they are of few runs."""
        dataset, _, learner = item.partition("/")
        truths = (self.tables.truths.get((dataset, learner, measure)) for measure in MEASURES)
        note = range_note((len(truth.runs) for truth in truths if truth is not None), self.tables.level)
        return [blocks.lines("Range of the runs", [note])] if note else []

    def _no_reply(self, respondent: str, place: int | None, planned: int) -> str:
        if place is None:
            return f"{respondent} answers without being asked: its range is computed or was given on a sheet."
        return f"None of {planned} repeats has been asked yet."

    def _siblings(self, key: CellKey) -> Iterator[dict[str, object]]:
        """The same question in other words, then the same question to others."""
        for other in self._by_item[key[0]]:
            if other == key:
                continue
            if other[2] == key[2]:
                label = self._variants.get(other[1], other[1])
                yield {"key": list(other), "label": label, "group": "Other formulations"}
            elif other[1] in (key[1], ANSWERED_ALIKE):
                yield {"key": list(other), "label": other[2], "group": "Others on the same question"}

    def _ranges(self, item: str, claims: dict[str, list[ScoredClaim]]) -> blocks.Block:
        """What was claimed beside what was measured, a row a measure."""
        dataset, _, learner = item.partition("/")
        names, rows = _in(self.tables.scores), []
        for measure in MEASURES:
            truth, repeats = self.tables.truths.get((dataset, learner, measure)), claims.get(measure, [])
            means = {name: _spread([claim.scores[k] for claim in repeats])[0] for k, name in enumerate(names)}
            row = {
                "name": measure,
                "label": measure_label(measure),
                "claims": [claim._asdict() | {"scores": None} for claim in repeats],
                "scores": {info.label: means.get(info.name) for info in SCORES[:3]},
            }
            rows.append(row | _truth_cells(truth))
        return {"kind": "claims", "title": "Claimed and measured", "rows": rows, "level": self.tables.level}

    def _exchange(self, run: Run, nodes: int, planned: int) -> Iterator[blocks.Block]:
        stored = None if run.answer is None else self._store.reply(json.loads(run.answer)["reply"])
        if stored is None:
            yield blocks.lines("Reply", [f"Repeat {run.repeat + 1}: no reply came. {run.message}".strip()])
            return
        reading = read_reply(Reply.from_dict(stored.reply), nodes)
        marks = [
            (*value.span, f"{measure_label(name)} {value.low:g} to {value.high:g}")
            for name, value in reading.values.items()
            if value is not None
        ]
        marks += [
            (*value.span, f"{measure_label(name)} at {100 * level:g} %: {value.low:g} to {value.high:g}")
            for name, levels in reading.levels.items()
            for level, value in levels.items()
        ]
        title = f"Repeat {run.repeat + 1} of {planned}" if planned > 1 else "Reply"
        block = blocks.exchange(self._store, stored, marks, str(reading.status), reading.message, title)
        read = {name: None if value is None else [value.low, value.high] for name, value in reading.values.items()}
        yield block | {"read": read, "nodes": nodes, "reader": "ranges"}

    # ---- what it says

    def summary(self) -> Summary:
        if self.tables.scores.empty:
            return Summary((Check("forecast", None, "No claim has been made yet."),))
        findings = self.findings
        checks = tuple(Check(check.name, check.passed, check.sentence) for check in findings.validation.checks)
        shown = [analysis for analysis in findings.analyses() if analysis.name in _TOLD_FIRST and analysis.possible]
        sections = tuple(Section(analysis.name, analysis.sentences) for analysis in shown)
        return Summary(checks, sections, tuple(untold(findings)), headline_of(self.tables))

    def graph(self, item: str) -> None:
        return None

    def analyses(self) -> list[AnalysisPart]:
        if self.tables.scores.empty:
            return []
        from trueness.studies.forecast.interpretation import tests_frame
        from trueness.studies.forecast.summary import rows

        first = AnalysisPart(
            "respondents", tables=(blocks.table("One row a respondent", [_plain(row) for row in rows(self.tables)]),)
        )
        tests = AnalysisPart("tests", tables=(blocks.table("All tests", plain_rows(tests_frame(self.findings))),))
        return [first, tests, *(_analysis(analysis) for analysis in self.findings.analyses())]


def short_variants(variants: list[str]) -> list[str]:
    """Of formulation/names/metadata/... only what differs between the variants of this study."""
    split = [variant.split("/") for variant in variants]
    differ = [k for k in range(max(map(len, split), default=0)) if len({v[k] for v in split if k < len(v)}) > 1]
    return [" · ".join(parts[k] for k in differ if k < len(parts)) or parts[0] for parts in split]


def _analysis(analysis: Analysis) -> AnalysisPart:
    frames = {"": analysis.table, **analysis.more}
    tables = tuple(
        blocks.table(name.replace("_", " "), plain_rows(frame)) for name, frame in frames.items() if len(frame)
    )
    return AnalysisPart(analysis.name, tuple(analysis.sentences), analysis.possible, tables)


def _truth_cells(truth: Truth | None) -> dict[str, object]:
    if truth is None or not len(truth.runs):
        return {"truth": None, "top": 1.0}
    ci, runs = truth.mean_ci, truth.run_range
    return {
        "truth": {
            "mean": _number(truth.mean), "n": len(truth.runs), "ci": None if ci is None else [ci.low, ci.high],
            "runs": None if runs is None else [runs.low, runs.high],
        },
        "top": truth.upper,
    }  # fmt: skip


def _in(scores: pd.DataFrame) -> list[str]:
    """Those of SCORES that the study has."""
    return [info.name for info in SCORES if info.name in scores]


def _spread(values: list[float | None]) -> tuple[float | None, float | None, float | None, int]:
    """Mean, least, most and n of what is there."""
    there = [value for value in values if value is not None]
    return (sum(there) / len(there), min(there), max(there), len(there)) if there else (None, None, None, 0)


def _discovery_key(item: str) -> list[str]:
    dataset, _, learner = item.partition("/")
    return [dataset, "clean", learner]


def _number(value: float | None) -> float | None:
    return None if value is None or value != value else float(value)


def _plain(row: dict[str, Json]) -> dict[str, Json]:
    return {name: value if isinstance(value, str | int | bool) else _number(value) for name, value in row.items()}
