"""What the terminal shows of results: tables and cards. Colours on a TTY, plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from rich.table import Table

from assay import registry
from assay.running.progress import clock
from assay.running.results import CellSummary, Results
from assay.showing.console import Console, console, plain, save_recorded
from assay.statistics.runs import range_note
from assay.studies.run_tables import cell_text, interval_text

if TYPE_CHECKING:
    from assay.running.cost import AskCost, CellCost, Estimate
    from assay.running.study import Study
    from assay.studies.reporting import Report

_PERFECT = ("precision", "recall", "f1", "shd")
MANY_CELLS = 40  # above it `assay plan` has a line a learner
MOST_CELLS, MOST_LEARNERS = 1_000, 40  # lines and columns of a table that anybody reads
ROOMY = 155  # columns that all headline measures need; below, F1 and SHD


@contextmanager
def busy(what: str) -> Iterator[None]:
    """A spinner while something takes its time; nothing where there is no TTY."""
    out = console(stderr=True)
    if not out.is_terminal:
        yield
        return
    with out.status(what):
        yield


def print_results(
    results: Results, folder: Path, measures: Sequence[str] | None = None, out: Console | None = None
) -> None:
    """The runs of a discovery task, or of a user's own; what our tasks that ask found has tables of its own."""
    out = out or console()
    if results.task not in registry.TASKS:
        _print_own(results, folder, measures, out)
    if results.task != "discovery":
        return
    total = sum(cell.repeats for cell in results.summaries)
    ok = sum(cell.ok for cell in results.summaries)
    out.print(f"[bold]{plain(results.study)}[/]   {plain(folder)}   {ok:,} of {total:,} runs ok")
    if ok < total:
        _print_completeness(out, results)
        _print_messages(out, results)
    if not measures:
        measures = results.headline if out.width >= ROOMY else ("f1", "shd")
    out.print(_summary_table(results, measures))
    if len(results.cells) > MOST_CELLS:
        out.print(f"{len(results.cells) - MOST_CELLS:,} more cells: assay show {plain(folder)} --csv")
    for note in _notes(results):
        out.print(f"  {plain(note)}", style="dim")


def _print_own(results: Results, folder: Path, measures: Sequence[str] | None, out: Console) -> None:
    """A task that this program has no words for: a line a cell, its runs and the mean of each measure."""
    out.print(f"[bold]{plain(results.study)}[/]   {plain(results.task)}   {plain(folder)}")
    rows = [
        {"item": cell.item, "respondent": cell.respondent, "ok / planned": f"{cell.ok} / {cell.repeats}"}
        | {f"{name} [CI]": cell_text(cell.measures[name]) for name in measures or results.headline}
        for cell in results.summaries
    ]
    print_rows(rows, "cells", out)


def print_report(report: Report, out: Console | None = None) -> None:
    """What the tasks that ask found, where everything lies, and what was left out."""
    out = out or console()
    _print_tasks(report, out)
    for note in report.notes:
        out.print(plain(note), style="yellow", soft_wrap=not out.is_terminal)


def _print_tasks(report: Report, out: Console) -> None:
    if report.populations is not None:
        from assay.studies.population.printed import print_populations

        print_populations(out, report.populations)
        out.print(f"report: {plain(report.folder / 'population')}")
    if report.faithfulness is not None:
        from assay.studies.faithfulness.printed import print_faithfulness

        print_faithfulness(out, report.faithfulness)
        out.print(f"report: {plain(report.folder / 'faithfulness')}")
    if report.robustness is not None:
        from assay.studies.robustness.printed import print_robustness

        print_robustness(out, report.robustness)
        out.print(f"report: {plain(report.folder / 'robustness')}")
    if report.forecasts is None or report.findings is None:
        return
    from assay.studies.forecast.printed import print_findings, print_forecasts

    out.print()
    print_forecasts(out, report.forecasts)
    print_findings(out, report.findings)
    out.print(f"report: {plain(report.folder / 'statistics' / 'interpretation.txt')}")


def print_asked_of(folder: Path) -> None:
    """The parts of a study in which models are asked, where it has any; also while it runs."""
    from assay.running.store import Store

    with Store.reading(folder) as store:
        found = {results.task: results for results in Results.all_of(store)}
        if "forecast" in found:
            from assay.studies.forecast.answers import forecasts_of
            from assay.studies.forecast.printed import print_forecasts

            out = console()
            out.print()
            print_forecasts(out, forecasts_of(found["discovery"], found["forecast"], store))
        if "population" in found:
            from assay.studies.population.answers import populations_of
            from assay.studies.population.printed import print_populations

            print_populations(console(), populations_of(found["population"], store))
        if "faithfulness" in found:
            from assay.studies.faithfulness.answers import faithfulness_of
            from assay.studies.faithfulness.printed import print_faithfulness

            print_faithfulness(console(), faithfulness_of(found["faithfulness"], store))
        if "robustness" in found:
            from assay.studies.robustness.answers import robustness_of
            from assay.studies.robustness.printed import print_robustness

            print_robustness(console(), robustness_of(found["robustness"]))


def save_picture(results: Results, folder: Path, path: Path, measures: Sequence[str] | None = None) -> None:
    """What the terminal shows, as SVG, without fonts from elsewhere."""
    save_recorded(lambda out: print_results(results, folder, measures, out), folder, path)


def _summary_table(results: Results, measures: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", collapse_padding=True)
    for name in ("data set", "learner", "class", "n"):
        table.add_column(name, justify="right" if name == "n" else "left", no_wrap=True)
    against_dag = [name for name in measures if name.removeprefix("dag_") in _PERFECT and name.startswith("dag_")]
    for name in measures:
        table.add_column(plain(f"{name} [CI]"), no_wrap=True)
    for name in against_dag:  # what a flawless answer of the learner's class gets against the DAG
        table.add_column(plain(f"perfect {name}"), justify="right", no_wrap=True)
    main = "f1" if "f1" in measures else measures[0]
    table.add_column(plain(f"{main} of runs"), no_wrap=True)
    table.add_column("s/fit", justify="right", no_wrap=True)
    table.add_column("breaks", style="dim", no_wrap=True)
    letters = _broken_assumptions(results)
    item = ""
    for cell in results.summaries[:MOST_CELLS]:
        if item and cell.item != item:
            table.add_section()
        seconds = f"{median(cell.seconds):.3f}" if cell.seconds else "-"  # a first fit may pay for an import
        table.add_row(
            plain(_item(cell)) if cell.item != item else "",
            plain(cell.respondent),
            plain(cell.about["returns"]),
            str(cell.ok),
            *(plain(cell_text(cell.measures[name])) for name in measures),
            *(_perfect(cell, name) for name in against_dag),
            plain(interval_text(cell.measures[main].runs)),
            seconds,
            " ".join(letters[name] for name in _broken(cell)),
        )
        item = cell.item
    return table


def _perfect(cell: CellSummary, name: str) -> str:
    value = cell.about["perfect_class_against_dag"]["perfect_" + name.removeprefix("dag_")]
    return "-" if value is None else f"{value:.2f}"


def _item(cell: CellSummary) -> str:
    return cell.item + ("" if cell.about["truth"] == "known" else f" ({cell.about['truth']})")


def _broken(cell: CellSummary) -> list[str]:
    return [name for name, verdict in cell.about.get("assumptions", {}).items() if verdict == "broken"]


def _broken_assumptions(results: Results) -> dict[str, str]:
    """A letter for each assumption that some cell breaks, explained below the table."""
    names = dict.fromkeys(name for cell in results.summaries for name in _broken(cell))
    return {name: chr(ord("a") + k % 26) for k, name in enumerate(names)}


def _print_completeness(out: Console, results: Results) -> None:
    """Items by respondents: runs ok of those planned, and how the others ended; of a study that fits on a screen."""
    respondents = list(dict.fromkeys(cell.respondent for cell in results.summaries))
    if len(results.cells) > MOST_CELLS or len(respondents) > MOST_LEARNERS:
        whole = sum(cell.ok == cell.repeats for cell in results.summaries)
        out.print(f"completeness: in {whole:,} of {len(results.cells):,} cells all runs are ok")
        return
    table = Table(
        box=None, pad_edge=False, header_style="bold", title="completeness: runs ok / planned", title_justify="left"
    )
    table.add_column("data set", no_wrap=True)
    for name in respondents:
        table.add_column(plain(name))
    found = {(cell.item, cell.respondent): cell for cell in results.summaries}
    for item in dict.fromkeys(cell.item for cell in results.summaries):
        table.add_row(plain(item), *(plain(_complete(found[item, name])) for name in respondents))
    out.print(table)


def _complete(cell: CellSummary) -> str:
    rest = ", ".join(f"{status} {count}" for status, count in sorted(cell.statuses.items()) if status != "ok")
    return f"{cell.ok} / {cell.repeats}" + (f"  ({rest})" if rest else "")


def _print_messages(out: Console, results: Results) -> None:
    """Why runs failed: each message once, with how often."""
    counted: dict[tuple[str, str, str], int] = {}
    for run in results.failed_runs():
        key = (run.respondent, run.status, run.message)
        counted[key] = counted.get(key, 0) + 1
    for (respondent, status, message), count in sorted(counted.items(), key=lambda pair: -pair[1])[:8]:
        out.print(f"  {plain(respondent)}  {plain(status)} x {count}: {plain(message)}", style="yellow")


def _notes(results: Results) -> list[str]:
    level = 100 * results.level
    notes = [
        f"mean [CI]: {level:g} % bootstrap interval of the mean.  of runs: {100 * (1 - results.level) / 2:g} to "
        f"{100 * (1 + results.level) / 2:g} % range of single runs.",
        "Each learner is scored against the truth of its own class (dag, cpdag, pag); dag_* against the DAG.",
    ]
    if few := range_note((cell.ok for cell in results.summaries), results.level):
        notes[0] += f"  {few}"
    letters = _broken_assumptions(results)
    if letters:
        notes.append(
            "breaks: the data set breaks what the learner assumes: " + ", ".join(f"{k} {n}" for n, k in letters.items())
        )
    assumed = sorted({cell.item for cell in results.summaries if cell.about["truth"] == "assumed"})
    if assumed:
        notes.append(f"Truth assumed, an expert's guess and not a measurement: {', '.join(assumed)}.")
    if any(cell.about.get("level_codes") for cell in results.summaries):
        notes.append("Learners that need numbers were given level codes of categories (codes = true).")
    return notes


def print_estimate(study: Study, found: Estimate) -> None:
    out = console()
    out.print(f"[bold]{plain(study.plan.name)}[/]   {plain(study.plan.folder)}")
    at_least = "at least " if found.at_least else "about "
    if found.cells:
        out.print(
            f"{len(found.cells)} cells, {found.fits:,} fits, {found.done:,} done already; {at_least}"
            f"{clock(found.seconds)} on {found.workers} worker{'s' if found.workers != 1 else ''}"
        )
    rows = [_cell_row(cost) for cost in found.cells] if len(found.cells) <= MANY_CELLS else _rows_by_learner(found)
    if rows:
        print_rows(rows, title="")
    if found.asks:
        print_rows([_ask_row(ask) for ask in found.asks], title="models")
        out.print(f"limit {found.limit_usd:g} USD" if found.limit_usd is not None else "no limit_usd is set")
    for note in found.notes:
        out.print(f"- {plain(note)}")


def _cell_row(cost: CellCost) -> dict[str, Any]:
    return {
        "data set": cost.item,
        "learner": cost.respondent,
        "fits left": cost.left,
        "s/fit": f"{cost.seconds:.3f}",
        "total": clock(cost.seconds * cost.left),
        "": "" if cost.status == "ok" else f"{cost.status}: {cost.message}",
    }


def _rows_by_learner(found: Estimate) -> list[dict[str, Any]]:
    """One line a learner, where a line a cell would fill the screen; its first trouble is told."""
    rows = []
    for name in dict.fromkeys(cost.respondent for cost in found.cells):
        own = [cost for cost in found.cells if cost.respondent == name]
        left, seconds = sum(cost.left for cost in own), sum(cost.left * cost.seconds for cost in own)
        trouble = next((f"{cost.status}: {cost.message}" for cost in own if cost.status != "ok"), "")
        row = {"learner": name, "cells": len(own), "fits left": left, "s/fit": f"{seconds / max(left, 1):.3f}"}
        rows.append(row | {"total": clock(seconds), "": trouble})
    return rows


def _ask_row(ask: AskCost) -> dict[str, Any]:
    low, high = ask.cost
    cost = "price not known" if low is None or high is None else f"{low:.2f} to {high:.2f}" if high else "0"
    return {
        "model": ask.model,
        "calls": f"{ask.calls:,}",
        "left": f"{ask.left:,}",
        "prompt tokens": f"{ask.input_tokens[0]:,} to {ask.input_tokens[1]:,}",
        "reply tokens": f"{ask.output_tokens[0]:,} to {ask.output_tokens[1]:,}",
        "USD": cost,
    }


def print_rows(rows: Sequence[Mapping[str, Any]], title: str, out: Console | None = None) -> None:
    out = out or console()
    if not rows:
        out.print(f"no {plain(title)}")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in rows[0]:
        numbers = all(isinstance(row[name], int) for row in rows)
        shown = plain(name)
        table.add_column(shown, justify="right" if numbers else "left", overflow="fold", no_wrap=name == "name")
    for row in rows:
        table.add_row(*(plain(value) for value in row.values()))
    out.print(table)


def print_card(card: Mapping[str, Any]) -> None:
    out = console()
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in card.items():
        lines = str(value).split("\n")  # a prompt and a reply have several
        if isinstance(value, Mapping):
            lines = [f"{key}: {text}" if text != "" else key for key, text in value.items()]
        elif isinstance(value, list):
            lines = [", ".join(map(str, value))]
        table.add_row(plain(name), "\n".join(map(plain, lines)))
    out.print(table)
