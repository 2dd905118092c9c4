"""What a finished or half-finished study writes beside its tables: the trees of its tasks, from study.db alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import PlanError
from assay.outputs import write_outputs
from assay.results import Results
from assay.store import Store
from assay.study import base_of

if TYPE_CHECKING:
    from assay.faithfulness_study import FaithfulnessStudy
    from assay.forecast.findings import Findings
    from assay.forecast.frames import Forecasts
    from assay.population_study import Populations
    from assay.robustness_study import RobustnessStudy


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

    def to_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = {"folder": str(self.folder), "files": [str(path) for path in self.files]}
        if self.forecasts is not None and self.findings is not None:
            from assay.report.summary import rows

            found["forecast"] = {"respondents": rows(self.forecasts), "findings": self.findings.to_dict()}
        if self.populations is not None:
            from assay.report.population_tables import fallback_sentences, summary_rows

            asked_otherwise = fallback_sentences(self.populations)
            found["population"] = {"respondents": summary_rows(self.populations), "asked_otherwise": asked_otherwise}
        if self.faithfulness is not None:
            from assay.report.faithfulness_tables import as_dict

            found["faithfulness"] = as_dict(self.faithfulness)
        if self.robustness is not None:
            from assay.report.robustness_tables import summary_rows as robustness_rows

            told = {"findings": self.robustness.findings, "notes": list(self.robustness.notes)}
            found["robustness"] = told | {"auprc": robustness_rows(self.robustness)}
        return found


def rewrite(folder: Path) -> None:
    """scores.csv, variance/ and provenance anew from the store."""
    plan = folder / "study.toml"
    with Store.reading(folder) as store:
        if not plan.is_file():
            raise PlanError(f"{plan} is not there. Copy the study's plan to it, or run the study again.")
        write_outputs(Results.all_of(store), store, plan.read_text(encoding="utf-8"), base_of(folder), folder)


def write_report(folder: Path) -> Report:
    """The trees of the study's tasks."""
    with Store.reading(folder) as store:
        found = Results.all_of(store)
    tasks = [results.task for results in found]
    report = Report(folder)
    if "discovery" in tasks:
        report = _with_discovery(report, found[tasks.index("discovery")], alone="forecast" not in tasks)
    if "forecast" in tasks:
        report = _with_forecast(report)
    if "population" in tasks:
        report = _with_population(report)
    if "faithfulness" in tasks:
        report = _with_faithfulness(report)
    if "robustness" in tasks:
        report = _with_robustness(report)
    return _with_paper(report, found)


def _with_discovery(report: Report, results: Results, alone: bool) -> Report:
    from assay.report.discovery_tree import write_discovery_tree

    return replace(report, files=(*report.files, *write_discovery_tree(report.folder, results, alone)))


def _with_forecast(report: Report) -> Report:
    from assay.forecast.findings import findings
    from assay.forecast_study import read_forecasts
    from assay.report.forecast_tree import write_forecast_tree

    forecasts = read_forecasts(report.folder)
    found = findings(forecasts)
    files = write_forecast_tree(report.folder, forecasts, found)
    return replace(report, files=(*report.files, *files), forecasts=forecasts, findings=found)


def _with_population(report: Report) -> Report:
    from assay.population_study import read_populations
    from assay.report.population_tree import write_population_tree

    populations = read_populations(report.folder)
    files = write_population_tree(report.folder, populations)
    return replace(report, files=(*report.files, *files), populations=populations)


def _with_faithfulness(report: Report) -> Report:
    from assay.faithfulness_study import read_faithfulness
    from assay.report.faithfulness_tree import write_faithfulness_tree

    study = read_faithfulness(report.folder)
    files = write_faithfulness_tree(report.folder, study)
    return replace(report, files=(*report.files, *files), faithfulness=study)


def _with_robustness(report: Report) -> Report:
    from assay.report.robustness_tree import write_robustness_tree
    from assay.robustness_study import read_robustness

    study = read_robustness(report.folder)
    files = write_robustness_tree(report.folder, study)
    return replace(report, files=(*report.files, *files), robustness=study)


def _with_paper(report: Report, found: Sequence[Results]) -> Report:
    """draft.tex and report.pdf of all tasks together; the tables and charts are there already."""
    from assay.report import methods, parts
    from assay.report.paper import write_paper
    from assay.report.pdf import write_pdf

    folder, made = report.folder, []
    if report.forecasts is not None:
        made.append(parts.forecast_part(folder, report.forecasts, report.findings))
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
    return replace(report, files=(*report.files, *files, write_pdf(folder, found[0].study, made, shared)))
