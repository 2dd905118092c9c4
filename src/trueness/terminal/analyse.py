"""What `trueness analyse` and `trueness compare` print: what was understood, a line a domain, findings, red flags."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

from rich.table import Table

from trueness.analyse import ScoresAnalysis
from trueness.analyse.analysis_charts import figures
from trueness.analyse.documents import (
    as_csv,
    as_tex,
    as_text,
    chart_frames,
    listed_scopes,
    mean_rows,
    rows_csv,
    table_rows,
)
from trueness.analyse.domain_lines import Line, line_cells, number_cell, p_cell, short_name
from trueness.analyse.finding_sentences import (
    changes_verdict,
    contrast_sentence,
    family_sentence,
    findings,
    mean_sentence,
    missing_sentences,
    short_sentence,
    understood,
)
from trueness.analyse.gate import GateVerdict
from trueness.analyse.roles import Pair
from trueness.analyse.rule_breakdown import FLAGGED, Breakdown
from trueness.analyse.scores_analysis import DomainAnalysis
from trueness.files import write_atomically
from trueness.page.analysis_page import as_html
from trueness.printing import say
from trueness.showing.console import Console, console, plain
from trueness.showing.drawers import NotDrawn
from trueness.showing.saving import save_figure
from trueness.showing.sheet import FOLDED
from trueness.statistics.comparison import ADJUSTED, Comparison
from trueness.texts import printable

ROOMY = 120  # columns from which tables are set wide
_NARROW = {"n_units": "units", "n_clusters": "clusters", "q_beyond": "beyond"}


def print_analysis(analysis: ScoresAnalysis, *, details: bool = False, out: Console | None = None) -> None:
    """Short by default: what can be acted on. With details every rule, every flag and every number."""
    out = out or console()
    _print_understood(out, analysis)
    _print_means(out, analysis)
    for question, title in analysis.questions.items():
        lines = analysis.lines(question)
        out.print(f"\n[bold]{title}[/]")
        _print_lines(out, lines, analysis)
    if analysis.contrasts:
        out.print(plain(_legend(analysis)), style="dim")
    out.print("\n[bold]Findings[/]")
    for part in analysis.domains:
        sentences = [mean_sentence(s, part.domain) for s in part.summaries if details or not part.contrasts]
        say = contrast_sentence if details else short_sentence
        sentences += [say(one, part.domain) for one in part.contrasts]
        sentences += missing_sentences(part)
        sentences += [family_sentence(pair, part.domain) for pair in part.families]
        for sentence in sentences:
            out.print(_item(sentence))
    _print_otherwise(out, analysis)
    _print_flags(out, analysis, details)
    _print_rules(out, analysis, details)
    _print_models(out, analysis)
    if not details:
        out.print("\n--details: every rule, flag and number.  --out FOLDER: tables, LaTeX, page, charts.", style="dim")


def write_folder(analysis: ScoresAnalysis, folder: Path) -> list[Path]:
    """table.csv, table.tex, findings.txt, charts/ (numbers; means and differences as pictures), report.html."""
    texts = {
        "table.csv": as_csv(analysis),
        "table.tex": as_tex(analysis),
        "findings.txt": as_text(analysis),
        **{f"charts/{name}.csv": rows_csv(rows) for name, rows in chart_frames(analysis).items() if rows},
    }
    for name, text in texts.items():
        write_atomically(folder, name, text)
    written = [folder / name for name in texts]
    drawings = {}
    for figure in figures(analysis):
        try:
            written += [path for path in save_figure(figure, folder, "charts") if path not in written]
            drawings[figure.name] = figure, (folder / "charts" / f"{figure.name}.svg").read_text(encoding="utf-8")
        except NotDrawn as error:
            say(f"charts/{figure.name} was not drawn: {error}", stderr=True)
    return [*written, write_atomically(folder, "report.html", as_html(analysis, drawings))]


def tell_gate(verdict: GateVerdict | None) -> int:
    """Print what the gate says; 1 where it fails, 2 where nobody can tell."""
    if verdict is not None:
        say(verdict.sentence(), stderr=True)
    return 0 if verdict is None else verdict.exit_code


def print_comparison(comparison: Comparison) -> None:
    """The one line, then the sentence."""
    out = console()
    level = 100 * (comparison.interval.level if comparison.interval else comparison.level)
    adjusted = f"{ADJUSTED.get(comparison.adjustment or '', 'adjusted')} p"
    ends = f"[{comparison.interval.low:.3f}, {comparison.interval.high:.3f}]" if comparison.interval else "-"
    cells = {
        "A": comparison.names[0], "B": comparison.names[1], "measure": comparison.measure,
        "A - B": number_cell(comparison.difference, 3), f"{level:.4g} % CI": ends, "p": p_cell(comparison.p),
        adjusted: p_cell(comparison.p_adjusted), "units": str(comparison.n_units),
        "clusters": str(comparison.n_clusters),
    }  # fmt: skip
    _print_table(out, list(cells), [list(cells.values())], names=3)
    out.print(plain(comparison.sentence()))


def _print_means(out: Console, analysis: ScoresAnalysis) -> None:
    head, *rows = mean_rows(analysis)
    missing = head.index("missing") if all(row[head.index("missing")] == "0" for row in rows) else -1
    columns = [k for k in range(len(head)) if k != missing]
    first = analysis.domains[0].domain
    over = f"over {first.cluster}s" if first.unit else "over runs"
    out.print(f"\n[bold]Means[/] {plain(first.outcome)}, {100 * analysis.settings.level:g} % CI {over}")
    _print_table(out, [head[k] for k in columns], [[row[k] for k in columns] for row in rows], names=2)


def _print_understood(out: Console, analysis: ScoresAnalysis) -> None:
    roles = analysis.roles
    taken: dict[str, list[str]] = {}
    for part in analysis.domains:
        taken.setdefault(part.domain.schema.words, []).append(part.name)
    for words, names in taken.items():
        of = f", {', '.join(names)}" if len(taken) > 1 else ""
        out.print(plain(f"read as{of}: {words}"))
    parts = {roles.baseline: " (baseline)", roles.treatment: " (treatment)"}
    conditions = ", ".join(f"{plain(name)}{parts.get(name, '')}" for name in roles.conditions)
    runs = sum(len(part.domain.runs) for part in analysis.domains)
    count = len(analysis.domains)
    out.print(f"[bold]{runs:,} runs in {count} domain{'s' if count != 1 else ''}[/]   {conditions}")
    table = _grid()
    for part in analysis.domains:
        table.add_row(f"  [bold]{plain(part.name)}[/]", plain("; ".join(understood(part, roles_of_columns=False))))
    if analysis.notes:
        table.add_row("  notes", plain("; ".join(analysis.notes)), style="dim")
    out.print(table)


def _print_lines(out: Console, lines: Sequence[Line], analysis: ScoresAnalysis) -> None:
    """One table; where the terminal is too narrow for it over runs and over cells apart."""
    head, *rows = table_rows(lines)
    split, names = head.index("diff [CI]"), 1 + ("pair" in head)
    if out.width < ROOMY:
        head = [_NARROW.get(name, name) for name in head]
    head = [_adjusted_head(analysis) if name == "q" else name for name in head]
    apart = (line.contrast.result and line.contrast.result.distinguishable for line in lines)
    _print_table(out, head, rows, names, ["" if strong else "dim" for strong in apart], split)


def _print_table(
    out: Console,
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    names: int,
    styles: Sequence[str] = (),
    split: int = 0,
) -> None:
    """No number is cut: columns that have no room go on below, behind the first `names` ones, which fold if they must.

    split: a place where the columns come apart first.
    """
    gap = 2 if out.width >= ROOMY else 1
    widths = [max(map(len, column)) + gap for column in zip(head, *rows, strict=True)]
    room, numbers = out.width + gap, range(names, len(head))
    if sum(widths[:names]) + max(widths[names:]) > room:
        widths[:names] = [min(width, FOLDED) for width in widths[:names]]
    parts: list[list[int]] = [[]]
    whole = sum(widths) <= room
    for k in numbers:
        full = sum(widths[:names]) + sum(widths[n] for n in (*parts[-1], k)) > room
        if not whole and parts[-1] and (full or k == split):
            parts.append([])
        parts[-1].append(k)
    for part in parts:
        table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, gap - 1))
        for k in (*range(names), *part):
            left = k < names or head[k] in ("mag.", "verdict")
            table.add_column(plain(head[k]), justify="left" if left else "right", no_wrap=k >= names, overflow="fold")
        for row, style in zip_longest(rows, styles, fillvalue=""):
            table.add_row(*(plain(row[k]) for k in (*range(names), *part)), style=str(style))
        out.print(table)


def _print_otherwise(out: Console, analysis: ScoresAnalysis) -> None:
    lines = [(part, line) for part in analysis.domains for line in part.otherwise]
    if not lines:
        return
    out.print("\n[bold]Read otherwise[/]")
    head, *rows = _otherwise_rows(lines, out.width)
    head = [_adjusted_head(analysis) if name == "q" else name for name in head]
    _print_table(out, head, rows, 2, ["yellow" if row[-1] == "another" else "dim" for row in rows])


def _otherwise_rows(lines: Sequence[tuple[DomainAnalysis, Line]], width: int) -> list[list[str]]:
    """The head, and a row a reading; what a narrow terminal has no room for is left out, the means last."""
    cells = [line_cells(line) for _, line in lines]
    judged = [line.adjusted and line.contrast.result and line.contrast.result.n_comparisons > 1 for _, line in lines]
    cells = [row if q else row | {"q": "-"} for row, q in zip(cells, judged, strict=True)]  # no family of its own
    unshown = ("Domain", "q_beyond", "n_units", "n_clusters", *([] if any(judged) else ["q"]))
    names = [name for name in cells[0] if name not in unshown]
    means, gap = names[: names.index("delta")], 2 if width >= ROOMY else 1
    pairs = [line.contrast.pair.names for _, line in lines]
    of_pair = [f", {one} and {other}" if len(set(pairs)) > 1 else "" for one, other in pairs]
    for dropped in ((), ("mag.",), ("U",), ("delta",), ("n",), ("p",), means):
        names = [name for name in names if name not in dropped]
        rows = [["", "", *names, "verdict"]]
        for (part, line), row, pair in zip(lines, cells, of_pair, strict=True):
            verdict = "another" if changes_verdict(line, part) else "the same"
            rows.append([part.name, line.reading + pair, *(row.get(name, "-") for name in names), verdict])
        if sum(max(map(len, column)) + gap for column in zip(*rows, strict=True)) - gap <= width:
            break
    return rows


def _print_flags(out: Console, analysis: ScoresAnalysis, details: bool) -> None:
    out.print("\n[bold]Red flags[/]")
    table = _grid(columns=3)
    flags = [flag for part in analysis.domains for flag in part.flags]
    for flag in flags:
        if flag.raised or details:
            mark = {"raised": "[yellow]![/]", "clear": "[dim].[/]", "not checked": "[dim]?[/]"}[flag.state]
            table.add_row(
                f"{mark} {plain(flag.domain)}",
                plain(flag.name),
                plain(flag.evidence if flag.state != "not checked" else f"not checked: {flag.evidence}"),
                style="" if flag.raised else "dim",
            )
    if table.row_count:
        out.print(table)
    counts = {state: sum(flag.state == state for flag in flags) for state in ("clear", "not checked")}
    words = ", ".join(f"{count} {state}" for state, count in counts.items() if count)
    if words and not details:
        unable = ", ".join(sorted({flag.name for flag in flags if flag.state == "not checked"}))
        out.print(plain(f"  of {len(flags)} checks {words}{f' ({unable})' if unable else ''}"), style="dim")


def _print_rules(out: Console, analysis: ScoresAnalysis, details: bool) -> None:
    for part in analysis.domains:
        if not part.contrasts:
            continue
        pair = part.contrasts[-1].pair
        shown = [rule for rule in part.rules if details or rule.is_flagged(pair)]
        names = f"{plain(pair.names[0])} against {plain(pair.names[1])}"
        if shown:
            shown.sort(key=lambda rule: -abs(rule.deltas[pair] or 0.0))
            what = (
                "all rules"
                if details
                else f"{len(shown)} of {len(part.rules)} rules differ by more than {FLAGGED:g} points"
            )
            out.print(f"\n[bold]{plain(part.name)}[/] {what}, {names}")
            _print_rule_table(out, shown, pair)


def _print_rule_table(out: Console, rules: Sequence[Breakdown], pair: Pair) -> None:
    head = ["rule", *(f"{short_name(name)} pass%" for name in rules[0].passed), "delta", "q", "absent"]
    rows = []
    for rule in rules:
        delta, test = rule.deltas[pair], rule.paired.get(pair)
        rows.append([
            rule.rule, *(number_cell(value) for value in rule.passed.values()),
            "-" if delta is None else f"{delta:+.1f}", p_cell(test.p_adjusted) if test else "-",
            str(sum(rule.absent.values()) or ""),
        ])  # fmt: skip
    _print_table(out, head, rows, 1, ["" if rule.is_flagged(pair) else "dim" for rule in rules])


def _print_models(out: Console, analysis: ScoresAnalysis) -> None:
    parts = [
        part for part in analysis.domains if any(gain is not None for row in part.models for gain in row.gains.values())
    ]
    if not parts:
        return
    pair = parts[0].contrasts[-1].pair
    digits, unit = (1, "%") if analysis.percent else (3, "")
    out.print(f"\n[bold]By model[/] gain: {plain(pair.names[0])} against {plain(pair.names[1])}")
    head = ["", "model", *(f"{short_name(name)}{unit}" for name in parts[0].models[0].means), "gain", "runs"]
    rows, styles = [], []
    for part in parts:
        for k, row in enumerate(part.models):
            gain = row.gains.get(part.contrasts[-1].pair)
            rows.append([
                part.name if k == 0 else "", row.model, *(number_cell(value, digits) for value in row.means.values()),
                "-" if gain is None else f"{gain:+.{digits}f}", str(sum(row.n.values())),
            ])  # fmt: skip
            styles.append("yellow" if gain is not None and gain < 0 else "")
    _print_table(out, head, rows, 2, styles)


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


def _adjusted_head(analysis: ScoresAnalysis) -> str:
    return "Holm p" if analysis.settings.adjust == "holm" else "q"


def _legend(analysis: ScoresAnalysis) -> str:
    sided = "one-sided as declared" if analysis.settings.one_sided else "two-sided"
    unit = analysis.domains[0].domain.unit
    over = f"paired over {unit} cells" if unit else "unpaired"
    lines = [line for part in analysis.domains for line in part.lines]
    levels = sorted({one.result.interval.level for one in analysis.contrasts if one.result and one.result.interval})
    shown = " to ".join(f"{100 * level:.3g}" for level in dict.fromkeys((*levels[:1], *levels[-1:])))
    least = "at least " if any(one.result and one.result.exact for one in analysis.contrasts) else ""  # steps of 2^-C
    wide = any(one.q_beyond is not None for one in analysis.contrasts)
    beyond = "; q_beyond: over models and tasks like these" if wide else ""
    return (
        f"delta, p, U: Cliff's delta, Mann-Whitney over runs, {sided}. diff: better by, with the interval of the "
        f"verdict{f' ({least}{shown} %)' if shown else ''}, {over}; p_paired: {analysis.tests}; "
        f"{_adjusted_head(analysis)}: {analysis.family}. "
        f"For {listed_scopes(lines)}{beyond}. Dim: not told apart."
    )


def as_markdown(analysis: ScoresAnalysis) -> str:
    """One table a question, then the findings."""
    blocks = []
    tables = {"Means": mean_rows(analysis)}
    tables |= {title: table_rows(analysis.lines(question)) for question, title in analysis.questions.items()}
    for title, table in tables.items():
        head, *rows = ([_plain_markdown(cell) for cell in row] for row in table)
        body = [head, ["---"] * len(head), *rows]
        blocks.append(f"{title}\n\n" + "\n".join(f"| {' | '.join(row)} |" for row in body))
    return "\n\n".join([*blocks, "\n".join(f"- {_plain_markdown(line)}" for line in findings(analysis))]) + "\n"


def _plain_markdown(text: str) -> str:
    """Names are data: none may be a link, a picture or another column."""
    return "".join(f"\\{sign}" if sign in "\\`*_<>|#" else sign for sign in printable(text))
