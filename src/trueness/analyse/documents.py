"""An analysis as files: JSON, CSV, LaTeX (booktabs), plain text, and the frames behind the charts."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence

from trueness.analyse.domain_lines import Line, interval_text, line_cells, short_name
from trueness.analyse.finding_sentences import findings, understood
from trueness.analyse.scores_analysis import ScoresAnalysis
from trueness.outside import Json
from trueness.statistics.result import Cell, latex_text
from trueness.texts import csv_row, printable

_LEFT = ("Domain", "pair", "mag.", "diff [CI]", "condition", "mean [CI]", "over runs")
_PLAIN_QUESTIONS = {"RQ1": "baseline against all others", "RQ2": "pair"}
_TEX_HEADS = {
    "delta": r"$\delta$",
    "p": "$p$",
    "U": "$U$",
    "n": "$n$",
    "p_paired": r"$p_\mathrm{paired}$",
    "q": "$q$",
    "n_units": r"$n_\mathrm{units}$",
    "n_clusters": r"$n_\mathrm{clusters}$",
    "q_beyond": r"$q_\mathrm{beyond}$",
}


def as_dict(analysis: ScoresAnalysis) -> dict[str, Json]:
    """All numbers, unrounded; NaN is never in it."""
    content = {
        "settings": dict(vars(analysis.settings)),
        "conditions": list(analysis.roles.conditions),
        "baseline": analysis.roles.baseline,
        "treatment": analysis.roles.treatment,
        "family": analysis.family,
        "notes": list(analysis.notes),
        "domains": [
            {
                "domain": part.name,
                "understood": understood(part),
                "columns": part.domain.schema.roles,
                "outcome": part.domain.outcome,
                "formula": part.domain.formula,
                "lower_is_better": part.domain.lower_is_better,
                "direction_assumed": part.domain.assumed,
                "rules": dict(part.domain.kinds),
                "possible_clusters": list(part.domain.groupings),
                "averaged_over": [factor.name for factor in part.domain.factors],
                "conditions": [summary.row() for summary in part.summaries],
                "contrasts": [
                    row | {"without_partner": list(line.contrast.left_out)}
                    for line, row in zip(part.lines, _rows(analysis, (line.row() for line in part.lines)), strict=True)
                ],
                "otherwise": _rows(analysis, (line.row() for line in part.otherwise)),
                "by_rule": _rows(analysis, (rule.row(c.pair) for c in part.contrasts for rule in part.rules)),
                "by_model": _rows(analysis, (row.row(c.pair) for c in part.contrasts for row in part.models)),
                "by_family": [pair.row() for pair in part.families],
                "red_flags": [vars(flag) | {"raised": flag.raised} for flag in part.flags],
            }
            for part in analysis.domains
        ],
        "findings": findings(analysis),
        **({"gate": analysis.gate.to_dict()} if analysis.gate else {}),
    }
    return {key: _plain(value) for key, value in content.items()}


def as_csv(analysis: ScoresAnalysis) -> str:
    """One line a domain, question and reading; the means alone where nothing is compared."""
    rows = _rows(analysis, (line.row() for part in analysis.domains for line in (*part.lines, *part.otherwise)))
    return rows_csv(rows or [summary.row() for part in analysis.domains for summary in part.summaries])


def rows_csv(rows: Sequence[Mapping[str, Cell]]) -> str:
    text = io.StringIO()
    names = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(csv_row(names))
    writer.writerows(csv_row(row.get(name, "") for name in names) for row in rows)
    return text.getvalue()


def as_text(analysis: ScoresAnalysis) -> str:
    """The lines as they are reported, then the findings: what goes into findings.txt."""
    blocks = [f"{title}\n{_align_cells(table_rows(analysis.lines(key)))}" for key, title in analysis.questions.items()]
    return "\n\n".join([*blocks, "\n".join(map(printable, findings(analysis)))]) + "\n"


def table_rows(lines: Sequence[Line]) -> list[list[str]]:
    """The heading, then one row a line; pairs are named where there are several, columns without a value left out."""
    several = len({line.contrast.pair for line in lines}) > 1
    rows = [line_cells(line, several) for line in lines]
    heads = [name for name in rows[0] if name != "q_beyond" or any(row[name] != "-" for row in rows)]
    return [
        [printable(cell) for cell in row] for row in (heads, *([row.get(name, "-") for name in heads] for row in rows))
    ]


def mean_rows(analysis: ScoresAnalysis) -> list[list[str]]:
    """The heading, then each condition of each domain with its mean and intervals."""
    repeats = any(summary.pass_all for part in analysis.domains for summary in part.summaries)
    head = ["Domain", "condition", "n", "missing", "mean [CI]", "over runs", *(["pass^k"] if repeats else [])]
    rows = []
    for part in analysis.domains:
        digits, unit = (1, " %") if part.domain.percent else (3, "")
        for s in part.summaries:
            runs = "-" if s.ci_runs is None else f"[{s.ci_runs.low:.{digits}f}, {s.ci_runs.high:.{digits}f}]"
            row = [part.name, s.condition, str(s.n), str(s.n_missing), interval_text(s.mean, s.ci, digits) + unit, runs]
            every = s.pass_all.value if s.pass_all else None
            rows.append([*row, *(["-" if every is None else f"{100 * every:.1f} % (k = {s.k})"] if repeats else [])])
    return [[printable(cell) for cell in row] for row in (head, *rows)]


def _align_cells(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def as_tex(analysis: ScoresAnalysis) -> str:
    """The means, then one booktabs table a question. Bold: the better mean, only where q says that they differ."""
    head, *rows = mean_rows(analysis)
    level = 100 * analysis.settings.level
    title = (
        f"% Means with {level:g} % CI over {analysis.domains[0].domain.cluster}s, and over runs as usually reported."
    )
    means = _tabular(head, [" & ".join(latex_text(cell) for cell in row) + r" \\" for row in rows])
    return "\n".join(["\n".join([title, *means]) + "\n", *(_tex(analysis, key) for key in analysis.questions)])


def _tabular(head: Sequence[str], rows: Sequence[str]) -> list[str]:
    return [
        rf"\begin{{tabular}}{{{''.join('l' if name in _LEFT else 'r' for name in head)}}}",
        r"\toprule",
        " & ".join(_TEX_HEADS.get(name, latex_text(name)) for name in head) + r" \\",
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
    ]


def _tex(analysis: ScoresAnalysis, question: str) -> str:
    lines = analysis.lines(question)
    head, *rows = table_rows(lines)
    table = [
        f"% {analysis.questions[question]}.",
        f"% delta, mag., p, U: Cliff's delta and Mann-Whitney over runs, {lines[0].contrast.sided}.",
        f"% diff [CI]: paired, above 0 is better for {_better_above_0(lines)}; the interval of the "
        f"verdict at q <= {analysis.settings.alpha:.2g}; p_paired: {analysis.tests}; q: {analysis.family}.",
        f"% For {listed_scopes(lines)}; q_beyond: over models and tasks like these (two-way t).",
        f"% Bold: the better mean, only where q <= {analysis.settings.alpha:.2g}.",
        *_tabular(
            head, [_tex_row(line, dict(zip(head, row, strict=True))) for line, row in zip(lines, rows, strict=True)]
        ),
    ]
    return "\n".join(table) + "\n"


def _better_above_0(lines: Sequence[Line]) -> str:
    treatments = {line.contrast.pair.names[0] for line in lines}
    return printable(treatments.pop()) if len(treatments) == 1 else "the second of each pair"


def listed_scopes(lines: Sequence[Line]) -> str:
    return "; ".join(dict.fromkeys(printable(line.contrast.scope) for line in lines))


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
    result = line.contrast.result
    if result is None or not result.distinguishable or not result.difference:
        return ()
    return line.contrast.pair.treatment if result.difference > 0 else line.contrast.pair.reference


def chart_frames(analysis: ScoresAnalysis) -> dict[str, list[dict[str, Cell]]]:
    """What charts draw, one row a mark: means with intervals, differences, rules, models, families."""
    parts = analysis.domains
    return {
        "means": [summary.row() for part in parts for summary in part.summaries],
        "differences": [_difference(row) for row in _rows(analysis, (line.row() for p in parts for line in p.lines))],
        "readings": [
            _difference(row)
            for part in parts
            for row in _rows(analysis, (line.row() for line in (*part.lines, *part.otherwise)))
        ],
        "rules": _rows(analysis, (rule.row(c.pair) for p in parts for c in p.contrasts for rule in p.rules)),
        "models": _rows(analysis, (row.row(c.pair) for p in parts for c in p.contrasts for row in p.models)),
        "families": [pair.row() for part in parts for pair in part.families],
    }


def _rows(analysis: ScoresAnalysis, rows: Iterable[dict[str, Cell]]) -> list[dict[str, Cell]]:
    """RQ1 and RQ2 are questions of the protocol; in any other table they are said in plain words."""
    if analysis.of_protocol:
        return list(rows)
    return [row | {"question": _PLAIN_QUESTIONS[str(row["question"])]} for row in rows]


def _difference(row: dict[str, Cell]) -> dict[str, Cell]:
    keys = ("domain", "reading", "question", "treatment", "reference", "diff", "diff_low", "diff_high", "p_paired", "q")
    return {key: row[key] for key in (*keys, "n_units", "n_clusters", "delta", "delta_low", "delta_high", "p")}


def _plain(value: object) -> object:
    """JSON has no NaN and no tuple keys."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return value
