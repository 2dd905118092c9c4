"""What `trueness analyse` and `trueness compare` print and write."""

from __future__ import annotations

from pathlib import Path

from trueness.analyse import ScoresAnalysis
from trueness.analyse.gate import GateVerdict
from trueness.analyse.reading import AnalysisReading, findings, rows_csv
from trueness.files import write_atomically
from trueness.page.standalone import analysis_html
from trueness.printing import say
from trueness.showing.console import Console, console, plain, print_notes, print_points, print_table
from trueness.showing.tables import Column, Table
from trueness.showing.theme import measure_label
from trueness.statistics.comparison import ADJUSTED, Comparison


def print_analysis(analysis: ScoresAnalysis, out: Console | None = None) -> None:
    """The verdicts first, then the tables they rest on, then what was understood."""
    out, reading = out or console(), AnalysisReading(analysis)
    unbroken = not out.is_terminal  # a line of a file is not broken
    out.print(f"[bold]{plain(reading.state)}[/]", soft_wrap=unbroken)
    print_points(findings(analysis), out)
    for table in reading.tables():
        print_table(out, "", table, "--csv, --json")
    print_notes(reading.notes(), out)


def write_folder(analysis: ScoresAnalysis, folder: Path) -> list[Path]:
    """table.csv, table.tex, findings.txt, one CSV a breakdown, report.html."""
    reading = AnalysisReading(analysis)
    texts = {
        "table.csv": reading.as_csv(),
        "table.tex": "\n".join(table.to_latex() for table in reading.tables()),
        "findings.txt": reading.as_text(),
        **{f"{name}.csv": rows_csv(rows) for name in ("by_rule", "by_model") if (rows := reading.rows(name))},
        "report.html": analysis_html(reading),
    }
    return [write_atomically(folder, name, text) for name, text in texts.items()]


def tell_gate(verdict: GateVerdict | None) -> int:
    """Print what the gate says; 1 where it fails, 2 where nobody can tell."""
    if verdict is not None:
        say(verdict.sentence(), stderr=True)
    return 0 if verdict is None else verdict.exit_code


def print_comparison(comparison: Comparison) -> None:
    """The sentence, then its numbers."""
    out = console()
    out.print(plain(comparison.sentence()), soft_wrap=not out.is_terminal)
    print_table(out, "", comparison_table(comparison), "--csv, --json")


def comparison_table(comparison: Comparison) -> Table:
    """A table of one row: `trueness compare A B --csv | --tex | --md`."""
    nested = comparison.n_units != comparison.n_clusters and comparison.units != comparison.clusters
    columns = (
        Column("a", "a", "text"),
        Column("b", "b", "text"),
        Column("measure", "Measure", "text"),
        Column("n_units", comparison.units, "count"),
        *([Column("n_clusters", comparison.clusters, "count")] if nested else []),
        Column("mean_a", "Mean a"),
        Column("mean_b", "Mean b"),
        Column("difference", "a - b", "number", "low", "high"),
        Column("p", f"p ({comparison.test})", decimals=3),
        Column("p_adjusted", f"p ({ADJUSTED.get(comparison.adjustment or '', 'not adjusted')})", decimals=3),
    )
    row = {**comparison.row(), "measure": measure_label(comparison.measure)}
    return Table("comparison", columns, [row], comparison.sentence())
