"""report.html: one file that needs no program, no network and no other file.

A small study is in it whole. Of a large one it holds all sums, findings, tests and charts, and a stated sample of
cells: taken in turn from the list of all, so that every part of the study has some, as many as fit.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

from trueness import __version__
from trueness.analyse.reading import AnalysisReading
from trueness.files import read_bytes, remove, write_atomically
from trueness.outside import Json
from trueness.page import figures
from trueness.page.page import html_of, script_json
from trueness.page.pages import FilesPage, Page, StudyPage, path_of
from trueness.running.study_folder import OUTDATED, PAGE, StudyFolder
from trueness.studies.protocol import FilesReading
from trueness.studies.reporting import Report

CELLS = 3_000_000  # characters of JSON for cells, graphs and charts: together with the rest under 8 MB
GRAPHS = 1_200_000
CHARTS = 2_400_000
LONGEST = 200_000  # characters of one reply


def write_page(study: StudyFolder) -> Path:
    """Write report.html into the study's folder; what was read for its tables is not read again."""
    with study.store.ensure_open():
        document = document_of(StudyPage(study))
    written = write_atomically(study.path, PAGE, html_of(document))
    remove(study.path, OUTDATED)
    return written


def write_files_page(folder: Path, reading: FilesReading) -> Path:
    """The same of result files of others, beside them."""
    return write_atomically(folder, PAGE, html_of(document_of(FilesPage(folder, reading))))


def analysis_html(reading: AnalysisReading) -> str:
    """The analysis of a scores table as one page."""
    head = {
        "study": "Analysis", "folder": ", ".join(part.name for part in reading.analysis.domains),
        "version": __version__, "made": datetime.now(UTC).isoformat(timespec="seconds"), "tasks": [],
    }  # fmt: skip
    overview = {"task": "analysis", **asdict(reading.summary())}
    data = {
        "overview": {"tasks": [overview], "completeness": [], "provenance": {}, "seed": None},
        "progress": {"tasks": [], "cost": None, "latest": [], "version": ""},
        "figures": [],
        "analysis": [{"task": "analysis", "parts": [asdict(part) for part in reading.analyses()]}],
    }
    return html_of({"served": False, "head": head, "tabs": ["overview", "analysis"], "sample": "", "data": data})


def with_page(report: Report) -> Report:
    """The report with report.html among its files."""
    return replace(report, files=(*report.files, write_page(report.study)))


def document_of(page: Page) -> dict[str, Json]:
    data: dict[str, Json] = {name: page.get(name) for name in ("overview", "analysis", "progress")}
    data["figures"] = _charts(
        figures.chart_rows(page.folder, page.chart_places, page.chart_order, _portable_name(page.folder)), page.folder
    )
    for task in page.parts:
        data[path_of("grid", task)] = page.get(path_of("grid", task))
    graphs = [path_of("graph", task["task"], item) for task in page.head()["tasks"] for item in task["graphs"]]
    left = [_fill(page, data, graphs, GRAPHS, "graphs"), _fill(page, data, list(page.cell_paths()), CELLS, "cells")]
    head = page.head() | {"folder": _portable_name(page.folder)}
    return {"served": False, "head": head, "sample": " ".join(sentence for sentence in left if sentence), "data": data}


def _portable_name(folder: Path) -> str:
    """The folder as it may stand in a file that is handed on: as it was typed, or its name without the way to it."""
    return folder.name if folder.is_absolute() or ".." in folder.parts else str(folder)


def _fill(page: Page, data: dict[str, Json], paths: list[str], room: int, what: str) -> str:
    """Put as many of the paths into the data as there is room for; what is to be said if not all are in."""
    for taken, path in enumerate(spread(paths)):
        content = page.get(path)
        _shorten(content)
        room -= len(script_json(content))
        if room < 0 and taken:
            return f"This file shows {taken:,} of {len(paths):,} {what}, taken evenly from the study."
        data[path] = content
    return ""


def spread(paths: list[str]) -> Iterable[str]:
    """All of them, each next one far from those before: the start of the list is an even sample of it."""
    step = max(1, int(len(paths) * 0.618))
    while paths and _divides(step, len(paths)):
        step += 1
    return (paths[(k * step) % len(paths)] for k in range(len(paths)))


def _divides(step: int, n: int) -> bool:
    """Whether steps of that length would miss some of n places on a ring."""
    while n:
        step, n = n, step % n
    return step != 1


def _shorten(cell: object) -> None:
    for block in cell.get("blocks", ()) if isinstance(cell, dict) else ():
        if len(block.get("text", "")) > LONGEST:
            left = f"Only the first {LONGEST:,} of {len(block['text']):,} characters are in this file."
            block["text"], block["message"] = block["text"][:LONGEST], f"{left} {block.get('message', '')}".rstrip()


def _charts(described: list[dict[str, Json]], folder: Path) -> list[dict[str, Json]]:
    """Each with its PDF inside, while there is room; beyond it the PDF is a file beside this one."""
    room = CHARTS - sum(len(figure["svg"]) + len(figure["csv"]) for figure in described)
    for figure in described:
        if "pdf" in figure["files"] and room > 0:
            figure["pdf"] = base64.b64encode(read_bytes(folder, figure["files"]["pdf"])).decode("ascii")
            room -= len(figure["pdf"])
    return described
