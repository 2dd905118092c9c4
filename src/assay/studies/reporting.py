"""What a finished or half-finished study writes beside its tables: the trees of its tasks, from study.db alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import PlanError
from assay.files import check_plain, read_text
from assay.outside import MAX_PLAN
from assay.running.outputs import write_outputs
from assay.running.provenance import plan_folder_of
from assay.running.results import Results
from assay.running.store import Store

if TYPE_CHECKING:
    from assay.showing.press import Press
    from assay.showing.saving import Save
    from assay.studies.faithfulness.answers import FaithfulnessStudy
    from assay.studies.forecast.findings import Findings
    from assay.studies.forecast.frames import Forecasts
    from assay.studies.population.answers import Populations
    from assay.studies.robustness.answers import RobustnessStudy


@dataclass(frozen=True, eq=False)
class Report:
    """What was written, and what it says."""

    folder: Path
    files: tuple[Path, ...] = ()
    forecasts: Forecasts | None = None
    findings: Findings | None = None
    populations: Populations | None = None
    faithfulness: FaithfulnessStudy | None = None
    robustness: RobustnessStudy | None = None
    discovery: Results | None = None
    notes: tuple[str, ...] = ()  # what was left out, and why

    def scored(self) -> dict[str, Any]:
        """Task -> its tables, of those that were read."""
        found = {
            "forecast": self.forecasts, "population": self.populations, "faithfulness": self.faithfulness,
            "robustness": self.robustness,
        }  # fmt: skip
        return {task: tables for task, tables in found.items() if tables is not None}

    def to_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = {"folder": str(self.folder), "files": [str(path) for path in self.files]}
        found["notes"] = list(self.notes)
        if self.forecasts is not None and self.findings is not None:
            from assay.studies.forecast.summary import rows

            found["forecast"] = {"respondents": rows(self.forecasts), "findings": self.findings.to_dict()}
        if self.populations is not None:
            from assay.studies.population.tables import fallback_sentences, summary_rows

            asked_otherwise = fallback_sentences(self.populations)
            found["population"] = {"respondents": summary_rows(self.populations), "asked_otherwise": asked_otherwise}
        if self.faithfulness is not None:
            from assay.studies.faithfulness.tables import as_dict

            found["faithfulness"] = as_dict(self.faithfulness)
        if self.robustness is not None:
            from assay.studies.robustness.tables import summary_rows as robustness_rows

            told = {"findings": self.robustness.findings, "notes": list(self.robustness.notes)}
            found["robustness"] = told | {"auprc": robustness_rows(self.robustness)}
        return found


def rewrite(folder: Path) -> Report:
    """All of it from the store alone: scores.csv, variance/ and provenance anew, and the report."""
    plan = folder / "study.toml"
    with Store.reading(folder) as store:
        if not check_plain(folder, "study.toml"):
            raise PlanError(f"{plan} is not there. Copy the study's plan to it, or run the study again.")
        text = read_text(folder, "study.toml", MAX_PLAN)

        def outputs(found: Sequence[Results], report: Report) -> None:
            write_outputs(found, store, text, plan_folder_of(folder), folder, report.scored())

        return _written(folder, store, outputs)


def write_report(folder: Path) -> Report:
    """The trees of the study's tasks, the paper and its PDF."""
    with Store.reading(folder) as store:
        return _written(folder, store, lambda found, report: None)


def _written(folder: Path, store: Store, meanwhile: Callable[[Sequence[Results], Report], None]) -> Report:
    """Charts are drawn by other processes: they are begun first, and `meanwhile` has until they are there."""
    from assay.showing.press import press

    found = Results.all_of(store)
    by_task = {results.task: results for results in found}
    report = Report(folder)
    with press() as printing:
        if "forecast" in by_task:  # a dozen charts and more
            printing.begin()
        for task, written in _TREES.items():
            if task in by_task:
                report = written(report, by_task, store, printing.save)
        meanwhile(found, report)
        printing.wait()
        report = _with_paper(report, found, printing)
        files = tuple(path for path in report.files if path not in printing.missing)
        return replace(report, files=files, notes=tuple(printing.notes()))


ByTask = Mapping[str, Results]


def _with_discovery(report: Report, found: ByTask, store: Store, save: Save) -> Report:
    from assay.studies.discovery.files import write_discovery_tree

    results, alone = found["discovery"], "forecast" not in found
    files = write_discovery_tree(report.folder, results, alone, save)
    return replace(report, files=(*report.files, *files), discovery=results)


def _with_forecast(report: Report, found: ByTask, store: Store, save: Save) -> Report:
    from assay.studies.forecast.answers import forecasts_of
    from assay.studies.forecast.files import write_forecast_tree
    from assay.studies.forecast.findings import findings

    forecasts = forecasts_of(found["discovery"], found["forecast"], store)
    told = findings(forecasts)
    files = write_forecast_tree(report.folder, forecasts, told, save)
    return replace(report, files=(*report.files, *files), forecasts=forecasts, findings=told)


def _with_population(report: Report, found: ByTask, store: Store, save: Save) -> Report:
    from assay.studies.population.answers import populations_of
    from assay.studies.population.files import write_population_tree

    populations = populations_of(found["population"], store)
    files = write_population_tree(report.folder, populations, save)
    return replace(report, files=(*report.files, *files), populations=populations)


def _with_faithfulness(report: Report, found: ByTask, store: Store, save: Save) -> Report:
    from assay.studies.faithfulness.answers import faithfulness_of
    from assay.studies.faithfulness.files import write_faithfulness_tree

    study = faithfulness_of(found["faithfulness"], store)
    files = write_faithfulness_tree(report.folder, study, save)
    return replace(report, files=(*report.files, *files), faithfulness=study)


def _with_robustness(report: Report, found: ByTask, store: Store, save: Save) -> Report:
    from assay.studies.robustness.answers import robustness_of
    from assay.studies.robustness.files import write_robustness_tree

    study = robustness_of(found["robustness"])
    files = write_robustness_tree(report.folder, study, save)
    return replace(report, files=(*report.files, *files), robustness=study)


_TREES = {
    "discovery": _with_discovery,
    "forecast": _with_forecast,
    "population": _with_population,
    "faithfulness": _with_faithfulness,
    "robustness": _with_robustness,
}


def _with_paper(report: Report, found: Sequence[Results], printing: Press) -> Report:
    """draft.tex and report.pdf of all tasks together; the tables and charts are there already."""
    from assay.showing import methods, parts
    from assay.showing.drawing import NotDrawn
    from assay.showing.paper import write_paper
    from assay.showing.pdf import write_pdf

    folder, made = report.folder, []
    if report.forecasts is not None:
        made.append(parts.forecast_part(folder, report.forecasts, report.findings, printing.now))
    elif found[0].task == "discovery":
        made.append(parts.discovery_part(folder, found[0]))
    if report.populations is not None:
        made.append(parts.population_part(folder, report.populations))
    if report.faithfulness is not None:
        made.append(parts.faithfulness_part(folder, report.faithfulness))
    if report.robustness is not None:
        made.append(parts.robustness_part(folder, report.robustness))
    if not made:
        return report
    asked = [results.about.get("prompts") for results in found if results.task != "forecast"]
    shared = [sentence for used in asked for sentence in methods.prompts(used)] + methods.of_the_plan(folder)
    files = write_paper(folder, found[0].study, made, shared)
    report = replace(report, files=(*report.files, *files))
    try:
        pdf = write_pdf(folder, found[0].study, made, shared, printing.pdfs)
    except NotDrawn:
        printing.leave_out(folder, "report.pdf")
        return report
    return replace(report, files=(*report.files, pdf))
