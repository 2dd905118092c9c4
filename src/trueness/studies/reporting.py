"""What a finished or half-finished study writes beside its tables, from study.db alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from os.path import lexists
from pathlib import Path
from typing import TYPE_CHECKING, cast

from trueness import registry
from trueness.errors import PlanError, StoreError, UnknownName, listed
from trueness.files import check_plain, read_text
from trueness.learners import settings_of
from trueness.outside import MAX_PLAN, Json, json_of
from trueness.running.study_db import NAME
from trueness.running.study_folder import StudyFolder
from trueness.settings import difference_of
from trueness.studies.protocol import FilesReading
from trueness.studies.reading import Reading

if TYPE_CHECKING:
    from trueness.showing.press import Press
    from trueness.showing.saving import Figure


@dataclass(frozen=True, eq=False)
class Report:
    """What was written, and the study that it was written from."""

    study: StudyFolder
    files: tuple[Path, ...] = ()
    notes: tuple[str, ...] = ()  # what was left out, and why

    @property
    def folder(self) -> Path:
        return self.study.path

    @property
    def readings(self) -> dict[str, Reading]:
        return readings_of(self.study)

    def to_dict(self) -> dict[str, object]:
        record: dict[str, object] = {"folder": str(self.folder), "files": [str(path) for path in self.files]}
        parts = {name: reading.to_dict() for name, reading in self.readings.items()}
        return record | {"notes": list(self.notes)} | {name: part for name, part in parts.items() if part is not None}


def readings_of(study: StudyFolder) -> dict[str, Reading]:
    """As what shows them knows them."""
    return cast(dict[str, Reading], study.readings)


def result_files(folder: Path) -> FilesReading | None:
    """The reading of result files of others; None where the folder is a study of ours, or holds no such file."""
    is_study = lexists(folder / NAME)  # a link or a pipe is told by who opens a study
    return None if is_study else registry.offer("show", ".json")(folder)  # type: ignore[no-any-return]


def by_other_defaults(study: StudyFolder) -> list[str]:
    """Whose stored runs are by settings that the plan does not name and that are other ones by default today.

    Only what is built in is looked at: of a stranger's study no code is run.
    """
    plan = json_of(study.store.meta("plan") or "{}", "the entry 'plan' of study.db", StoreError)
    differences: dict[str, dict[str, None]] = {}
    for results in study.tasks:
        tables = _table(plan, results.task)
        for who, identity in {cell.respondent: cell.identity for cell in results.cells}.items():
            kind = "scorer" if "scorer" in identity else "learner"
            name, settings, named = str(identity.get(kind)), _table(identity, "settings"), _table(tables, who)
            if name in registry.built_in(kind) and who in (name, *tables):  # under other names: a study's own settings
                today = json.loads(json.dumps(settings_of(registry.resolve(kind, name)())))
                open_ones = today.keys() - {*named, *tables}
                then, now = ({key: of[key] for key in sorted(open_ones) if key in of} for of in (settings, today))
                if difference := difference_of(then, now):
                    differences.setdefault(difference, {})[who] = None
    return [
        f"{listed(names)}: by defaults of before ({difference}). 'trueness run {study.path}' does them anew."
        for difference, names in differences.items()
    ]


def _table(entry: Json, key: str) -> dict[str, Json]:
    value = entry.get(key) if isinstance(entry, dict) else None
    return value if isinstance(value, dict) else {}


def plain_texts() -> AbstractContextManager[None]:
    """Texts of frames are Python's meanwhile: Arrow's are for tables larger than ours."""
    import pandas as pd

    return pd.option_context("mode.string_storage", "python")


def figure(folder: Path | str, name: str) -> Figure:
    """A chart of a study by the name of its file: its numbers (`frame`), its Altair chart, its caption."""
    seen = []
    with StudyFolder.reading(folder) as study:
        for reading in readings_of(study).values():
            for one in reading.figures(study.path):
                if one.name == name:
                    return one
                seen.append(one.name)
    raise UnknownName("chart", name, seen)


def rewrite(study: StudyFolder) -> Report:
    """All of it from the store alone: scores.csv, provenance and what lies beside them anew, and the report."""
    from trueness.running.provenance import plan_folder_of
    from trueness.running.study_folder import write_outputs

    folder = study.path
    if not check_plain(folder, "study.toml"):
        raise PlanError(f"{folder / 'study.toml'} is not there. Copy the study's plan to it, or run the study again.")
    text = read_text(folder, "study.toml", MAX_PLAN)
    return write_report(study, lambda: write_outputs(study, text, plan_folder_of(folder)))


def stands_alone(readings: Mapping[str, Reading], name: str) -> bool:
    """Whether no other study of the plan rests on it, and shows it with its own."""
    return not any(name in reading.rests_on for reading in readings.values())


def write_report(study: StudyFolder, meanwhile: Callable[[], None] = lambda: None) -> Report:
    """The files of the study's parts, the paper and its PDF.

    Charts are drawn by other processes: they are begun first, and `meanwhile` has until they are there.
    """
    from trueness.showing.press import press

    files: list[Path] = []
    with study.store.ensure_open(), press() as printing, plain_texts():
        if any(registry.reading(results.task).many_charts for results in study.tasks):
            printing.expect_many()
        readings = readings_of(study)
        for name, reading in readings.items():
            files += reading.write_files(study.path, printing.save, stands_alone(readings, name))
        meanwhile()
        printing.wait()
        report = _with_paper(Report(study, tuple(files)), printing)
        there = tuple(path for path in report.files if path not in printing.missing)
        return replace(report, files=there, notes=(*by_other_defaults(study), *printing.notes()))


def _with_paper(report: Report, printing: Press) -> Report:
    """draft.tex and report.pdf of all parts together; the tables and charts are there already."""
    from trueness.showing import methods_paragraph
    from trueness.showing.drawers import NotDrawn
    from trueness.showing.paper import write_paper
    from trueness.showing.pdf import write_pdf

    folder, readings = report.folder, report.readings
    made = {name: reading.paper(folder) for name, reading in readings.items()}
    parts = [  # a study that another rests on says what it found; its table is among the other's
        part if stands_alone(readings, name) else replace(part, tables=())
        for name, part in made.items()
        if part is not None
    ]
    title = report.study.study
    prompts = [reading.results.about.get("prompts") for reading in readings.values() if not reading.rests_on]
    shared = [
        sentence for used in prompts for sentence in methods_paragraph.prompts(used)
    ] + methods_paragraph.of_the_plan(folder)
    report = replace(report, files=(*report.files, *write_paper(folder, title, parts, shared)))
    try:
        pdf = write_pdf(folder, title, parts, shared, printing.pdfs)
    except NotDrawn:
        printing.leave_out(folder, "report.pdf")
        return report
    return replace(report, files=(*report.files, pdf))
