"""The analysis as one self-contained HTML page. Every text of the data is escaped; nothing is loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from assay.analyse.analysis import Analysis, DomainAnalysis
from assay.analyse.documents import QUESTIONS, table_rows
from assay.analyse.lines import Line, number_cell, p_cell, short_name
from assay.analyse.sentences import findings, understood

_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
table{border-collapse:collapse;margin:.6rem 0;font-variant-numeric:tabular-nums}
th,td{padding:.2rem .7rem;text-align:right;border-bottom:1px solid #ddd}th:first-child,td:first-child{text-align:left}
thead th{border-bottom:2px solid #222}.raised{color:#a33b00}.quiet{color:#666}svg{display:block;margin:.6rem 0}
.scroll{overflow-x:auto}
"""
_BLUE, _GREY = "#0072b2", "#999999"  # Okabe-Ito


def as_html(analysis: Analysis) -> str:
    body = ["<h1>Analysis</h1>", _list("What was understood", _understood(analysis))]
    for question, title in QUESTIONS.items():
        lines = analysis.lines(question)
        if lines:
            body += [f"<h2>{question} {escape(title)}</h2>", _lines(lines), _forest(lines)]
    body.append(_list("Findings", findings(analysis)))
    for part in analysis.domains:
        body += [f"<h2>{escape(part.name)}</h2>", _flags(part), _rules(part), _models(part)]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Analysis</title>'
        f"<style>{_STYLE}</style></head><body>{''.join(body)}</body></html>\n"
    )


def _understood(analysis: Analysis) -> list[str]:
    return [f"{part.name}: {'; '.join(understood(part))}" for part in analysis.domains] + list(analysis.notes)


def _list(title: str, entries: Sequence[str]) -> str:
    return f"<h2>{escape(title)}</h2><ul>{''.join(f'<li>{escape(entry)}</li>' for entry in entries)}</ul>"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    heads = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>'


def _lines(lines: Sequence[Line]) -> str:
    head, *rows = table_rows(lines)
    return _table(head, rows)


def _forest(lines: Sequence[Line]) -> str:
    """The paired differences with their intervals, zero marked."""
    drawn = [(line, line.contrast.result) for line in lines if line.contrast.result and line.contrast.result.interval]
    ends = [end for _, c in drawn if c and c.interval for end in (c.interval.low, c.interval.high)]
    if not ends:
        return ""
    low, high = min(0.0, *ends), max(0.0, *ends)
    span = (high - low) or 1.0

    def x(value: float) -> float:
        return 200 + 440 * (value - low) / span

    height = 26 * len(drawn) + 30
    marks = [
        f'<line x1="{x(0):.1f}" x2="{x(0):.1f}" y1="4" y2="{height - 24}" stroke="{_GREY}" stroke-dasharray="3 3"/>'
    ]
    for k, (line, found) in enumerate(drawn):
        if found is None or found.interval is None or found.difference is None:
            continue
        y = 18 + 26 * k
        label = f"{line.domain} ({found.names[0]} - {found.names[1]})" if len(line.contrast.pair.names) else line.domain
        marks.append(f'<text x="190" y="{y + 4}" text-anchor="end">{escape(_clipped(label))}</text>')
        marks.append(
            f'<line x1="{x(found.interval.low):.1f}" x2="{x(found.interval.high):.1f}" y1="{y}" y2="{y}" '
            f'stroke="{_BLUE}" stroke-width="2"/><circle cx="{x(found.difference):.1f}" cy="{y}" r="4" fill="{_BLUE}"/>'
        )
    unit = " points" if lines[0].percent else ""
    below = height - 6
    marks.append(f'<text x="200" y="{below}">{low:.1f}</text>')
    marks.append(f'<text x="640" y="{below}" text-anchor="end">{high:.1f}{unit}</text>')
    size = f'width="700" height="{height}" font-size="12"'
    return f'<svg {size} role="img" aria-label="paired differences">{"".join(marks)}</svg>'


def _clipped(text: str, most: int = 30) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."


def _flags(part: DomainAnalysis) -> str:
    entries = [
        f'<li class="{"raised" if flag.raised else "quiet"}">{"red flag" if flag.raised else "clear"}: '
        f"{escape(flag.name)}: {escape(flag.evidence)}</li>"
        for flag in part.flags
    ]
    return f"<ul>{''.join(entries)}</ul>"


def _rules(part: DomainAnalysis) -> str:
    if not part.rules:
        return ""
    pair = part.contrasts[-1].pair
    names = list(part.rules[0].passed)
    head = ["rule", *(f"{short_name(name)} pass%" for name in names), "delta", "absent", "p_paired", "q"]
    rows = []
    for rule in part.rules:
        found: Any = rule.paired.get(pair)
        delta = rule.deltas[pair]
        shown = "-" if delta is None else f"{delta:+.1f}{' !' if rule.flagged(pair) else ''}"
        cells = [number_cell(rule.passed[name]) for name in names]
        tests = [p_cell(found.p), p_cell(found.p_adjusted)] if found else ["-", "-"]
        rows.append([rule.rule, *cells, shown, str(sum(rule.absent.values())), *tests])
    return f"<h3>Rules: {escape(pair.names[0])} against {escape(pair.names[1])}</h3>" + _table(head, rows)


def _models(part: DomainAnalysis) -> str:
    if not part.models:
        return ""
    pair = part.contrasts[-1].pair
    names = list(part.models[0].means)
    rows = [
        [
            row.model,
            *(f"{number_cell(row.means[name])} (n {row.n[name]})" for name in names),
            number_cell(row.gains[pair]),
        ]
        for row in part.models
    ]
    return "<h3>Models</h3>" + _table(["model", *map(short_name, names), "gain"], rows)
