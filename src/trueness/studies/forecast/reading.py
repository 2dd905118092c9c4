"""Forecast: replies read as ranges, scored against the runs of discovery; what terminal, files and paper take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

import pandas as pd

from trueness.files import write_atomically
from trueness.intervals import fixed, value_text
from trueness.outside import Json
from trueness.running.results import Results, Row
from trueness.running.store import Store
from trueness.running.study_folder import Scored
from trueness.showing import theme
from trueness.showing.console import Console, plain, print_points
from trueness.showing.drawers import NotDrawn, pictures
from trueness.showing.drawn import Draw, read_pictures
from trueness.showing.methods_paragraph import listed, percent, prompts
from trueness.showing.paper import Part as PaperPart
from trueness.showing.paper import Picture
from trueness.showing.saving import Figure, Save, csv_text, source_of
from trueness.showing.sheet import Sheet, changes, left_out, one_by_one
from trueness.showing.tables import Table
from trueness.studies.forecast import files, tables
from trueness.studies.forecast.answers import forecasts_of, long_rows
from trueness.studies.forecast.cell import ForecastPart
from trueness.studies.forecast.findings import Findings
from trueness.studies.forecast.frames import Forecasts, formulations, is_answered
from trueness.studies.forecast.summary import headline_of
from trueness.studies.protocol import PagePlace
from trueness.studies.run_reading import RunReading
from trueness.texts import counted

SKILL_AGAINST = ("skill_random", "skill_heuristic", "skill_climatology")


@dataclass(frozen=True, eq=False)
class ForecastReading(RunReading):
    forecasts: Forecasts

    title = "Forecast"
    question = "Does a model know what a learner will do on a data set?"
    rests_on = ("discovery",)
    asks = many_charts = True
    charts_first = ("intervals_f1", "intervals", "calibration", "differences", "heatmap", "runs")
    clusters = "data sets"

    @classmethod
    def read(cls, results: Results, store: Store, before: Mapping[str, Scored]) -> Self:
        return cls(results, forecasts_of(before["discovery"].results, results, store))

    @classmethod
    def cluster_of(cls, items: pd.Series) -> pd.Series:
        """An item is dataset/learner/measure."""
        return items.str.split("/").str[0]

    @classmethod
    def page(cls, place: PagePlace) -> ForecastPart:
        return ForecastPart(place, lambda: place.reading(cls).findings)

    @cached_property
    def findings(self) -> Findings:
        return Findings(self.forecasts)

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
        return [tables.main_results(self.findings), tables.by_formulation(self.forecasts)]

    # ---- terminal

    def show(self, out: Console, folder: Path, measures: Sequence[str] | None = None) -> None:
        """One line a respondent, models before baselines."""
        forecasts, level = self.forecasts, self.forecasts.percent
        unread = int((forecasts.replies["status"] != "ok").sum())
        out.print()
        out.print(f"[bold]forecast[/]   {len(forecasts.replies):,} replies, {unread:,} not fully read; {level} ranges")
        sheet = _sheet(self.findings.rows)
        sheet.print(out)
        notes = [
            forecasts.arm_text,
            "covers mean: share of ranges that hold the mean of the runs.  covers runs: share of runs inside the "
            f"range, {level} if honest.",
            "interval score: lower is better; scaled to the largest value of each measure.  skill: 1 - score / score "
            "of the baseline.  width: median ratio to the range of runs.  Intervals are clustered by data set; a mean "
            "without one is the same on each.",
            forecasts.range_note,
        ]
        for note in filter(None, (*left_out(sheet.missing(out.width), "evaluation/main_results.csv"), *notes)):
            out.print(f"  {plain(note)}", style="dim")

    def show_findings(self, out: Console) -> None:
        """The checks, then each hypothesis with its verdict."""
        checks = self.findings.validation
        for check, sentence in zip(checks.checks, checks.sentences, strict=True):
            out.print(f"  {plain(sentence)}", style="yellow" if check.passed is False else "dim")
        print_points(self.findings["hypotheses"].sentences, out)

    # ---- files and paper

    def where(self, alone: bool = True) -> str:
        return "statistics/interpretation.txt"

    def figures(self, folder: Path) -> Iterator[Figure]:
        return files.plots(self.forecasts)

    def write_files(self, folder: Path, save: Save, alone: bool = True) -> list[Path]:
        # charts come first: other processes draw them while the findings are made
        written = [path for figure in self.figures(folder) for path in save(figure, folder, "plots")]
        texts = files.texts(self.findings)
        return [*written, *(write_atomically(folder, name, text) for name, text in texts.items())]

    def paper(self, folder: Path, draw: Draw = pictures) -> PaperPart:
        """Its figures are drawn anew where all respondents would not fit a page."""
        forecasts, findings = self.forecasts, self.findings
        claims = forecasts.of_models(forecasts.headline)
        abstract = (
            f"We compare {int(is_answered(claims).sum())} readable of {len(claims)} claimed ranges by "
            f"{counted(len(_asked(forecasts)), 'model')} with what "
            f"{counted(len(forecasts.learner_names), 'learner')} did on "
            f"{counted(len(forecasts.dataset_names), 'data set')}. "
            f"{headline_of(forecasts, findings.rows).sentence}"
        )
        sections: list[tuple[str, Sequence[str]]] = [("Hypotheses", findings["hypotheses"].sentences)]
        sections += [(one.name.capitalize(), one.sentences) for one in findings.told() if one.possible]
        sections.append(("What this design cannot tell", findings.untold()))
        shown: list[Picture] = []
        for figure in files.figures_of_paper(forecasts):
            if isinstance(figure, str):
                shown += read_pictures(folder, "plots", figure)
            else:
                with suppress(NotDrawn):
                    images = draw(source_of(figure.chart), ("svg", "pdf"))
                    shown.append(Picture(figure.name, figure.caption, images["svg"].decode(), images["pdf"]))
        checks, made = findings.validation.sentences, tables.of_paper(findings)
        return PaperPart("forecast", abstract, checks, methods(forecasts), sections, made, shown)


def _asked(forecasts: Forecasts) -> list[str]:
    """The models by name."""
    return [name for name in forecasts.respondents if name not in forecasts.references]


def methods(forecasts: Forecasts) -> list[str]:
    datasets = [_dataset(forecasts, name) for name in forecasts.dataset_names]
    learners = [str(forecasts.learners.get(name, {}).get("title", name)) for name in forecasts.learner_names]
    runs = [truth.planned for truth in forecasts.truths.values()]
    models, scores = _asked(forecasts), forecasts.of_models(forecasts.headline)  # who is asked once has no repeats
    forms, repeats = formulations(scores), int(scores["repeat"].nunique())
    measures = [theme.measure_label(name) for name in forecasts.measures]
    return [
        f"We ran {listed(learners)} on {counted(len(datasets), 'data set')} ({'; '.join(datasets)}), "
        f"{counted(min(runs, default=0), 'run')} or more for each pair, and measured {listed(measures)}.",
        f"The truth of a claim is the distribution of these runs: their {percent(forecasts.level)} range, and the "
        f"{percent(forecasts.level)} bootstrap confidence interval of their mean. "
        f"{forecasts.range_note}".rstrip(),
        f"We asked {counted(len(models), 'model')} ({listed(models)}) for ranges, in "
        f"{counted(len(forms), 'formulation')} ({listed(forms)}), {counted(repeats, 'time')} each. "
        f"{forecasts.arm_text}",
        f"References: {listed(forecasts.references) or 'none'}.",
        *prompts(forecasts.notes.get("prompts")),
        "A reply that could not be read is missing, with its status; it is neither scored nor replaced. Intervals are "
        f"clustered by data set. The study's seed is {forecasts.seed}.",
    ]


def _dataset(forecasts: Forecasts, name: str) -> str:
    about = forecasts.datasets.get(name, {})
    known = [f"{about[key]} {key}" for key in ("nodes", "edges", "rows") if about.get(key) is not None]
    return f"{name}, {', '.join(known)}" if known else name


def _sheet(table: Sequence[Mapping[str, Json]]) -> Sheet:
    skills = [name for name in SKILL_AGAINST if any(row.get(name) is not None for row in table)]
    titles = [name.replace("_", " ") for name in skills]
    columns = {
        "respondent": [str(row["respondent"]) for row in table],
        "answered": [f"{row['answered']} / {row['asked']}" for row in table],
        "covers mean": [_with_ends(row, "calibrated_coverage") for row in table],
        "covers runs": [_with_ends(row, "coverage_runs") for row in table],
        "interval score": [_with_ends(row, "interval_score") for row in table],
        **{title: [_number(row.get(name)) for row in table] for title, name in zip(titles, skills, strict=True)},
        "bias": [_number(row["bias"], signed=True) for row in table],
        "width": [_number(row["width_ratio_runs"]) for row in table],
        "confidence": [str(row["confidence"]) for row in table],
    }
    drop = one_by_one([*titles[:-1], "bias", "width", *titles[-1:], "covers runs", "confidence", "answered"])
    return Sheet(columns, drop, ("answered", "bias", "width", *titles), changes([row["kind"] for row in table]))


def _with_ends(row: Mapping[str, Json], name: str) -> str:
    if row[name] is None:
        return "-"
    ends = row[f"{name}_low"], row[f"{name}_high"]
    return value_text(row[name], ends, fixed(0 if abs(row[name]) >= 100 else 2), bool(row.get(f"{name}_constant")))


def _number(value: float | None, signed: bool = False) -> str:
    if value is None:
        return "-"
    if abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:+.2f}" if signed else f"{value:.2f}"
