"""What `trueness analyse` and `trueness compare` print: what was understood, a line a domain, findings, red flags."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from trueness.analyse import Analysis
from trueness.analyse.documents import QUESTIONS, as_csv, as_tex, as_text, chart_frames, rows_csv, table_rows
from trueness.analyse.lines import Line, line_cells, number_cell, p_cell, short_name
from trueness.analyse.roles import Pair
from trueness.analyse.rules import FLAGGED, Breakdown
from trueness.analyse.sentences import changes_verdict, contrast_sentence, findings, short_sentence, understood
from trueness.files import write_atomically
from trueness.page.analysis_page import as_html
from trueness.showing.console import Console, console, plain
from trueness.statistics.comparison import Comparison
from trueness.texts import printable

ROOMY = 120  # columns from which tables are set wide
_NARROW = {"n_units": "units", "n_clusters": "clusters"}


def print_analysis(analysis: Analysis, *, details: bool = False, out: Console | None = None) -> None:
    """Short by default: what can be acted on. With details every rule, every flag and every number."""
    out = out or console()
    _print_understood(out, analysis)
    for question, title in QUESTIONS.items():
        lines = analysis.lines(question)
        if lines:
            out.print(f"\n[bold]{question}[/] {title}")
            for table in _line_tables(lines, analysis, out.width):
                out.print(table)
    out.print(plain(_legend(analysis)), style="dim")
    out.print("\n[bold]Findings[/]")
    for part in analysis.domains:
        for contrast in part.contrasts:
            sentence = contrast_sentence(contrast, part.domain) if details else short_sentence(contrast, part.domain)
            out.print(_item(sentence))
    _print_otherwise(out, analysis)
    _print_flags(out, analysis, details)
    _print_rules(out, analysis, details)
    _print_models(out, analysis)
    if not details:
        out.print("\n--details: every rule, flag and number.  --out FOLDER: tables, LaTeX, page, charts.", style="dim")


def write_folder(analysis: Analysis, folder: Path) -> list[Path]:
    """table.csv, table.tex, findings.txt, report.html, charts/*.csv."""
    texts = {
        "table.csv": as_csv(analysis),
        "table.tex": as_tex(analysis),
        "findings.txt": as_text(analysis),
        "report.html": as_html(analysis),
        **{f"charts/{name}.csv": rows_csv(rows) for name, rows in chart_frames(analysis).items() if rows},
    }
    for name, text in texts.items():
        write_atomically(folder, name, text)
    return [folder / name for name in texts]


def print_comparison(comparison: Comparison) -> None:
    """The one line, then the sentence."""
    out = console()
    table = Table(box=None, pad_edge=False, header_style="bold")
    interval = f"{100 * comparison.level:g} % CI"
    for name in ("A", "B", "measure", "A - B", interval, "p", "Holm p", "units", "clusters"):
        table.add_column(name, justify="left" if name in ("A", "B", "measure") else "right", overflow="fold")
    table.add_row(
        plain(comparison.names[0]),
        plain(comparison.names[1]),
        plain(comparison.measure),
        number_cell(comparison.difference, 3),
        f"\\[{comparison.interval.low:.3f}, {comparison.interval.high:.3f}]" if comparison.interval else "-",
        p_cell(comparison.p),
        p_cell(comparison.p_adjusted),
        str(comparison.n_units),
        str(comparison.n_clusters),
    )
    out.print(table)
    out.print(plain(comparison.sentence()))


def _print_understood(out: Console, analysis: Analysis) -> None:
    roles = analysis.roles
    words = {roles.baseline: " (baseline)", roles.treatment: " (treatment)"}
    conditions = ", ".join(f"{plain(name)}{words.get(name, '')}" for name in roles.conditions)
    runs = sum(len(part.domain.runs) for part in analysis.domains)
    count = len(analysis.domains)
    out.print(f"[bold]{runs:,} runs in {count} domain{'s' if count != 1 else ''}[/]   {conditions}")
    table = _grid()
    for part in analysis.domains:
        table.add_row(f"  [bold]{plain(part.name)}[/]", plain("; ".join(understood(part, roles_of_columns=False))))
    columns = ", ".join(f"{role} = {name}" for role, name in analysis.domains[0].domain.schema.roles.items() if name)
    table.add_row("  columns", plain("; ".join([columns, *analysis.notes])), style="dim")
    out.print(table)


def _line_tables(lines: Sequence[Line], analysis: Analysis, width: int) -> list[Table]:
    """One table; where the terminal is too narrow for it two, over runs and over cells."""
    head, *rows = table_rows(lines)
    if width < ROOMY:
        head = [_NARROW.get(name, name) for name in head]
    gap = 2 if width >= ROOMY else 1
    needed = sum(max(len(row[k]) for row in (head, *rows)) + gap for k in range(len(head)))
    every = list(range(len(head)))
    names = [k for k in every if head[k] in ("Domain", "pair")]
    split = head.index("diff [CI]")
    parts = [every] if needed - gap <= width else [every[:split], [*names, *every[split:]]]
    return [_line_table(lines, analysis, width, head, rows, columns) for columns in parts]


def _line_table(
    lines: Sequence[Line],
    analysis: Analysis,
    width: int,
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    columns: Sequence[int],
) -> Table:
    table = _plain_table(width)
    for k in columns:
        left = head[k] in ("Domain", "pair", "mag.")
        shown = "Holm p" if head[k] == "q" and analysis.settings.adjust == "holm" else head[k]
        table.add_column(plain(shown), justify="left" if left else "right", no_wrap=True)
    for line, row in zip(lines, rows, strict=True):
        strong = bool(line.contrast.result and line.contrast.result.distinguishable)
        table.add_row(*(plain(row[k]) for k in columns), style="" if strong else "dim")
    return table


def _print_otherwise(out: Console, analysis: Analysis) -> None:
    lines = [(part, line) for part in analysis.domains for line in part.otherwise]
    if not lines:
        return
    out.print("\n[bold]Read otherwise[/]")
    table = _plain_table(out.width)
    left_out = {"Domain", "q", "n_units", "n_clusters"} | ({"delta", "mag."} if out.width < ROOMY else set())
    names = [name for name in line_cells(lines[0][1]) if name not in left_out]
    for name in ("", "", *names, "verdict"):
        table.add_column(plain(name), justify="left" if name in ("", "mag.", "verdict") else "right", no_wrap=True)
    for part, line in lines:
        cells = line_cells(line)
        moved = changes_verdict(line, part)
        table.add_row(
            plain(part.name),
            plain(line.reading),
            *(plain(cells.get(name, "-")) for name in names),
            "another" if moved else "the same",
            style="yellow" if moved else "dim",
        )
    out.print(table)


def _plain_table(width: int) -> Table:
    """Two blanks between columns, one where the terminal is narrow."""
    return Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1) if width >= ROOMY else (0, 1, 0, 0))


def _print_flags(out: Console, analysis: Analysis, details: bool) -> None:
    out.print("\n[bold]Red flags[/]")
    table = _grid(columns=3)
    flags = [flag for part in analysis.domains for flag in part.flags]
    for flag in flags:
        if flag.raised or details:
            mark = "[yellow]![/]" if flag.raised else "[dim].[/]"
            table.add_row(
                f"{mark} {plain(flag.domain)}",
                plain(flag.name),
                plain(flag.evidence),
                style="" if flag.raised else "dim",
            )
    clear = sum(not flag.raised for flag in flags)
    if table.row_count:
        out.print(table)
    if clear and not details:
        out.print(f"  {clear} of {len(flags)} checks are clear", style="dim")


def _print_rules(out: Console, analysis: Analysis, details: bool) -> None:
    for part in analysis.domains:
        if not part.contrasts:
            continue
        pair = part.contrasts[-1].pair
        shown = [rule for rule in part.rules if details or rule.flagged(pair)]
        names = f"{plain(pair.names[0])} against {plain(pair.names[1])}"
        if shown:
            shown.sort(key=lambda rule: -abs(rule.deltas[pair] or 0.0))
            what = (
                "all rules"
                if details
                else f"{len(shown)} of {len(part.rules)} rules differ by more than {FLAGGED:g} points"
            )
            out.print(f"\n[bold]{plain(part.name)}[/] {what}, {names}")
            out.print(_rule_table(shown, pair))


def _rule_table(rules: Sequence[Breakdown], pair: Pair) -> Table:
    table = _table("rule", [f"{short_name(name)} pass%" for name in rules[0].passed], ["delta", "q", "absent"])
    for rule in rules:
        delta, test = rule.deltas[pair], rule.paired.get(pair)
        table.add_row(
            plain(rule.rule),
            *(number_cell(value) for value in rule.passed.values()),
            "-" if delta is None else f"{delta:+.1f}",
            p_cell(test.p_adjusted) if test else "-",
            str(sum(rule.absent.values()) or ""),
            style="" if rule.flagged(pair) else "dim",
        )
    return table


def _print_models(out: Console, analysis: Analysis) -> None:
    parts = [part for part in analysis.domains if part.models and part.contrasts]
    if not parts:
        return
    pair = parts[0].contrasts[-1].pair
    digits, unit = (1, "%") if analysis.percent else (3, "")
    out.print(f"\n[bold]By model[/] gain: {plain(pair.names[0])} against {plain(pair.names[1])}")
    table = _table("", [f"{short_name(name)}{unit}" for name in parts[0].models[0].means], ["gain", "runs"], "model")
    for part in parts:
        for k, row in enumerate(part.models):
            gain = row.gains.get(part.contrasts[-1].pair)
            table.add_row(
                plain(part.name) if k == 0 else "",
                plain(row.model),
                *(number_cell(value, digits) for value in row.means.values()),
                "-" if gain is None else f"{gain:+.{digits}f}",
                str(sum(row.n.values())),
                style="yellow" if gain is not None and gain < 0 else "",
            )
    out.print(table)


def _table(first: str, conditions: Sequence[str], rest: Sequence[str], second: str | None = None) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1))
    for name in (first,) if second is None else (first, second):
        table.add_column(name, no_wrap=True)
    for name in (*conditions, *rest):
        table.add_column(plain(name), justify="right", no_wrap=True)
    return table


def _grid(columns: int = 2) -> Table:
    """Names that stay whole, and a last column that folds under itself."""
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 1))
    for _ in range(columns - 1):
        table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    return table


def _item(text: str) -> Table:
    table = _grid()
    table.add_row("-", plain(text))
    return table


def _legend(analysis: Analysis) -> str:
    settings = analysis.settings
    tested = next((tested for tested in analysis.contrasts if tested.result), None)
    sided = "one-sided as declared" if settings.one_sided else "two-sided"
    comparisons = tested.result.n_comparisons if tested and tested.result else 0
    adjusted = {"bh": "Benjamini-Hochberg", "holm": "Holm"}[settings.adjust]
    unit = analysis.domains[0].domain.unit
    over = f"paired over {unit} cells; sign-flip p" if unit else "unpaired; Welch p"
    return (
        f"delta, p: Cliff's delta, Mann-Whitney over runs, {sided}. diff: better by, {100 * settings.level:g} % CI, "
        f"{over}; {adjusted} over {comparisons} comparisons. Dim: not told apart."
    )


def as_markdown(analysis: Analysis) -> str:
    """One table a question, then the findings."""
    blocks = []
    for question, title in QUESTIONS.items():
        lines = analysis.lines(question)
        if lines:
            head, *rows = ([_plain_markdown(cell) for cell in row] for row in table_rows(lines))
            body = [head, ["---"] * len(head), *rows]
            blocks.append(f"{question} {title}\n\n" + "\n".join(f"| {' | '.join(row)} |" for row in body))
    return "\n\n".join([*blocks, "\n".join(f"- {_plain_markdown(line)}" for line in findings(analysis))]) + "\n"


def _plain_markdown(text: str) -> str:
    """Names are data: none may be a link, a picture or another column."""
    return "".join(f"\\{sign}" if sign in "\\`*_<>|#" else sign for sign in printable(text))
