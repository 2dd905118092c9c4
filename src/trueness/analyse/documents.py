"""An analysis as files: JSON, CSV, LaTeX (booktabs), plain text, and the frames behind the charts."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from typing import Any

from trueness.analyse.analysis import Analysis
from trueness.analyse.lines import Line, line_cells, short_name
from trueness.analyse.sentences import findings, understood
from trueness.statistics.result import latex_text
from trueness.texts import csv_row, printable

_LEFT = ("Domain", "pair", "mag.", "diff [CI]")
_TEX_HEADS = {
    "delta": r"$\delta$",
    "p": "$p$",
    "p_paired": r"$p_\mathrm{paired}$",
    "q": "$q$",
    "n_units": r"$n_\mathrm{units}$",
    "n_clusters": r"$n_\mathrm{clusters}$",
}
QUESTIONS = {"RQ1": "presence: the baseline against all others pooled", "RQ2": "format: one condition against another"}


def as_dict(analysis: Analysis) -> dict[str, Any]:
    """All numbers, unrounded; NaN is never in it."""
    settings = {key: value for key, value in vars(analysis.settings).items()}
    found = {
        "settings": settings,
        "conditions": list(analysis.roles.conditions),
        "baseline": analysis.roles.baseline,
        "treatment": analysis.roles.treatment,
        "notes": list(analysis.notes),
        "domains": [
            {
                "domain": part.name,
                "understood": understood(part),
                "columns": part.domain.schema.roles,
                "outcome": part.domain.outcome,
                "formula": part.domain.formula,
                "rules": dict(part.domain.kinds),
                "conditions": [summary.row() for summary in part.summaries],
                "contrasts": [line.row() | {"without_partner": list(line.contrast.left_out)} for line in part.lines],
                "otherwise": [line.row() for line in part.otherwise],
                "by_rule": [rule.row(c.pair) for c in part.contrasts for rule in part.rules],
                "by_model": [row.row(c.pair) for c in part.contrasts for row in part.models],
                "red_flags": [vars(flag) for flag in part.flags],
            }
            for part in analysis.domains
        ],
        "findings": findings(analysis),
    }
    return dict(_plain(found))


def as_csv(analysis: Analysis) -> str:
    """One line a domain, question and reading."""
    rows = [line.row() for part in analysis.domains for line in (*part.lines, *part.otherwise)]
    return rows_csv(rows)


def rows_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    text = io.StringIO()
    names = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(csv_row(names))
    writer.writerows(csv_row(row.get(name, "") for name in names) for row in rows)
    return text.getvalue()


def as_text(analysis: Analysis) -> str:
    """The lines as they are reported, then the findings: what goes into findings.txt."""
    blocks = []
    for question, title in QUESTIONS.items():
        lines = analysis.lines(question)
        if lines:
            blocks.append(f"{question} {title}\n{_aligned(table_rows(lines))}")
    return "\n\n".join([*blocks, "\n".join(map(printable, findings(analysis)))]) + "\n"


def table_rows(lines: Sequence[Line]) -> list[list[str]]:
    """The heading, then one row a line; pairs are named where there are several."""
    several = len({line.contrast.pair for line in lines}) > 1
    rows = [line_cells(line, several) for line in lines]
    cells = [list(rows[0]), *([row.get(name, "-") for name in rows[0]] for row in rows)]
    return [[printable(cell) for cell in row] for row in cells]


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def as_tex(analysis: Analysis) -> str:
    """One booktabs table a question. Bold: the better mean, only where q says that the two can be told apart."""
    return "\n".join(_tex(analysis, question) for question in QUESTIONS if analysis.lines(question))


def _tex(analysis: Analysis, question: str) -> str:
    lines = analysis.lines(question)
    adjusted = {"bh": "Benjamini-Hochberg", "holm": "Holm"}[analysis.settings.adjust]
    made = max((line.contrast.result.n_comparisons for line in lines if line.contrast.result), default=0)
    head, *rows = table_rows(lines)
    table = [
        f"% {question} {QUESTIONS[question]}.",
        f"% delta, mag., p: Cliff's delta and Mann-Whitney over runs, {lines[0].contrast.sided}.",
        f"% diff [CI]: paired, above 0 is better for {printable(lines[0].contrast.pair.names[0])}; "
        f"{100 * analysis.settings.level:g} % CI and sign-flip p; q: {adjusted} over {made} comparisons.",
        f"% Bold: the better mean, only where q <= {analysis.settings.alpha:.2g}.",
        rf"\begin{{tabular}}{{{''.join('l' if name in _LEFT else 'r' for name in head)}}}",
        r"\toprule",
        " & ".join(_TEX_HEADS.get(name, latex_text(name)) for name in head) + r" \\",
        r"\midrule",
        *(_tex_row(line, dict(zip(head, row, strict=True))) for line, row in zip(lines, rows, strict=True)),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(table) + "\n"


def _tex_row(line: Line, cells: Mapping[str, str]) -> str:
    unit = "%" if line.percent else ""
    best = {f"{short_name(name)}{unit}" for name in _best(line)}
    if "pair" in cells and best:
        best = {f"{'second' if _best(line) == line.contrast.pair.treatment else 'first'}{unit}"}
    if line.contrast.pair.question == "RQ1" and _best(line) == line.contrast.pair.treatment:
        best = {f"others{unit}"}
    shown = [
        rf"\textbf{{{cell}}}" if name in best else latex_text(cell).replace("<", "$<$") for name, cell in cells.items()
    ]
    return " & ".join(shown) + r" \\"


def _best(line: Line) -> tuple[str, ...]:
    """The conditions of the better side; none where the two cannot be told apart."""
    found = line.contrast.result
    if found is None or not found.distinguishable or not found.difference:
        return ()
    return line.contrast.pair.treatment if found.difference > 0 else line.contrast.pair.reference


def chart_frames(analysis: Analysis) -> dict[str, list[dict[str, Any]]]:
    """What charts draw, one row a mark: means with intervals, differences, rules, models, spread of the cells."""
    parts = analysis.domains
    return {
        "means": [summary.row() for part in parts for summary in part.summaries],
        "differences": [_difference(line) for part in parts for line in part.lines],
        "readings": [_difference(line) for part in parts for line in (*part.lines, *part.otherwise)],
        "rules": [rule.row(c.pair) for part in parts for c in part.contrasts for rule in part.rules],
        "models": [row.row(c.pair) for part in parts for c in part.contrasts for row in part.models],
    }


def _difference(line: Line) -> dict[str, Any]:
    keys = ("domain", "reading", "question", "treatment", "reference", "diff", "diff_low", "diff_high", "p_paired", "q")
    row = line.row()
    return {key: row[key] for key in (*keys, "n_units", "n_clusters", "delta", "delta_low", "delta_high", "p")}


def _plain(value: Any) -> Any:
    """JSON has no NaN and no tuple keys."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return value
