"""What a finished or half-finished study writes beside its tables, from study.db alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from trueness.errors import PlanError, UnknownName
from trueness.files import check_plain, read_text
from trueness.outside import MAX_PLAN
from trueness.running.outputs import write_outputs
from trueness.running.provenance import plan_folder_of
from trueness.running.readings import Readings, readings_of
from trueness.running.results import Results
from trueness.running.store import Store
from trueness.studies.run_reading import RunReading

if TYPE_CHECKING:
    from trueness.showing.press import Press
    from trueness.showing.saving import Figure


@dataclass(frozen=True, eq=False)
class Report:
    """What was written, and the readings that it was written from."""

    folder: Path
    files: tuple[Path, ...] = ()
    readings: Mapping[str, RunReading] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # what was left out, and why

    def to_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = {"folder": str(self.folder), "files": [str(path) for path in self.files]}
        told = {name: reading.to_dict() for name, reading in self.readings.items()}
        return found | {"notes": list(self.notes)} | {name: part for name, part in told.items() if part is not None}


@contextmanager
def readings(folder: Path, known: Readings | None = None) -> Iterator[dict[str, RunReading]]:
    """Every study of a folder, read from its store, which stays open meanwhile."""
    with Store.reading(folder) as store:
        yield _read(store, known)


def _read(store: Store, known: Readings | None = None) -> dict[str, RunReading]:
    return cast(dict[str, RunReading], readings_of(Results.all_of(store), store, known))


def figure(folder: Path | str, name: str) -> Figure:
    """A chart of a study by the name of its file: its numbers (`frame`), its Altair chart, its caption."""
    seen = []
    with readings(Path(folder)) as found:
        for reading in found.values():
            for one in reading.figures(Path(folder)):
                if one.name == name:
                    return one
                seen.append(one.name)
    raise UnknownName("chart", name, seen)


def rewrite(folder: Path) -> Report:
    """All of it from the store alone: scores.csv, provenance and what lies beside them anew, and the report."""
    plan = folder / "study.toml"
    with Store.reading(folder) as store:
        if not check_plain(folder, "study.toml"):
            raise PlanError(f"{plan} is not there. Copy the study's plan to it, or run the study again.")
        text = read_text(folder, "study.toml", MAX_PLAN)

        def outputs(found: Readings) -> None:
            write_outputs(found, store, text, plan_folder_of(folder), folder)

        return _written(folder, _read(store), outputs)


def write_report(folder: Path, known: Readings | None = None) -> Report:
    """The files of the study's parts, the paper and its PDF."""
    with readings(folder, known) as found:
        return _written(folder, found, lambda _: None)


def stands_alone(found: Mapping[str, RunReading], name: str) -> bool:
    """Whether no other study of the plan rests on it, and shows it with its own."""
    return not any(name in reading.rests_on for reading in found.values())


def _written(folder: Path, found: dict[str, RunReading], meanwhile: Callable[[Readings], None]) -> Report:
    """Charts are drawn by other processes: they are begun first, and `meanwhile` has until they are there."""
    from trueness.showing.press import press

    files: list[Path] = []
    with press() as printing:
        if any(reading.many_charts for reading in found.values()):
            printing.begin()
        for name, reading in found.items():
            files += reading.write_files(folder, printing.save, stands_alone(found, name))
        meanwhile(found)
        printing.wait()
        report = _with_paper(Report(folder, tuple(files), found), printing)
        there = tuple(path for path in report.files if path not in printing.missing)
        return replace(report, files=there, notes=tuple(printing.notes()))


def _with_paper(report: Report, printing: Press) -> Report:
    """draft.tex and report.pdf of all parts together; the tables and charts are there already."""
    from trueness.showing import prose
    from trueness.showing.drawing import NotDrawn
    from trueness.showing.paper import write_paper
    from trueness.showing.pdf import write_pdf

    folder, found = report.folder, report.readings
    alone = [reading for name, reading in found.items() if stands_alone(found, name)]
    parts = [part for reading in alone if (part := reading.paper(folder, printing.now)) is not None]
    study = next(iter(found.values())).results.study
    asked = [reading.results.about.get("prompts") for reading in found.values() if not reading.rests_on]
    shared = [sentence for used in asked for sentence in prose.prompts(used)] + prose.of_the_plan(folder)
    report = replace(report, files=(*report.files, *write_paper(folder, study, parts, shared)))
    try:
        pdf = write_pdf(folder, study, parts, shared, printing.pdfs)
    except NotDrawn:
        printing.leave_out(folder, "report.pdf")
        return report
    return replace(report, files=(*report.files, pdf))
