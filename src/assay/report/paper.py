"""paper/: draft.tex with its tables and figures, for a plain article class with booktabs and graphicx.

It holds what the program knows: how the study was made, the checks, the results, and what stays open. The argument is
the author's. All text that comes from data or models is escaped.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.forecast.findings import Findings
from assay.forecast.frames import Forecasts
from assay.report import look, selection
from assay.report.interpretation import untold, validation_of
from assay.report.saving import Figure
from assay.report.tables import Table, escaped, label_of


def draft(forecasts: Forecasts, findings: Findings | None, tables: Sequence[Table], figures: Sequence[Figure]) -> str:
    """The text of draft.tex. Tables lie in tables/<name>.tex, figures in figures/<name>.pdf."""
    checks = validation_of(forecasts, findings)
    parts = [
        _HEAD % {"title": escaped(f"Do language models know what learners do? Study {forecasts.study}")},
        "\n".join(
            [r"\begin{abstract}", "% Generated from the results; write the argument here.", _abstract(forecasts)]
            + [r"\end{abstract}"]
        ),
        _section("Validation", _itemised(checks.sentences)),
        _section("Methods", methods(forecasts)),
        _section("Results", "\n\n".join([_references(tables, figures), *(_input(table) for table in tables)])),
    ]
    if findings is not None:
        parts.append(_section("Hypotheses", _itemised(findings.hypotheses.sentences)))
        parts.append(_section("What this design cannot tell", _itemised(untold(findings))))
    parts += [_figure(figure) for figure in figures]
    return "\n\n".join([*parts, r"\end{document}"]) + "\n"


def methods(forecasts: Forecasts) -> str:
    """A paragraph from what was done: data, learners, measures, prompts, respondents, intervals, seed."""
    datasets = [_dataset(forecasts, name) for name in selection.datasets(forecasts)]
    learners = [str(forecasts.learners.get(name, {}).get("title", name)) for name in selection.learners(forecasts)]
    runs = [truth.planned for truth in forecasts.truths.values()]
    models = [name for name in selection.respondents(forecasts) if name not in forecasts.references]
    scores = selection.headline(forecasts)
    forms = selection.formulations(scores[~scores["respondent"].isin(forecasts.references)])
    repeats = int(scores["repeat"].nunique()) if len(scores) else 0
    measures = [look.measure_label(name) for name in selection.measures(forecasts)]
    sentences = [
        f"We ran {_listed(learners)} on {len(datasets)} data sets ({'; '.join(datasets)}), "
        f"{min(runs, default=0)} runs or more for each pair, and measured {_listed(measures)}.",
        f"The truth of a claim is the distribution of these runs: their {100 * forecasts.level:g} % range, and the "
        f"{100 * forecasts.level:g} % bootstrap confidence interval of their mean.",
        f"We asked {len(models)} models ({_listed(models)}) for ranges, in {len(forms)} formulations "
        f"({_listed(forms)}), {repeats} times each. {selection.arm_text(forecasts)}",
        f"References: {_listed(forecasts.references) or 'none'}.",
        "A reply that could not be read is missing, with its status; it is neither scored nor replaced. Intervals are "
        f"clustered by data set. The study's seed is {forecasts.seed}.",
    ]
    return "\n".join(escaped(sentence) for sentence in sentences)


def _dataset(forecasts: Forecasts, name: str) -> str:
    about = forecasts.datasets.get(name, {})
    known = [f"{about[key]} {key}" for key in ("nodes", "edges", "rows") if about.get(key) is not None]
    return f"{name}, {', '.join(known)}" if known else name


def _abstract(forecasts: Forecasts) -> str:
    models = [name for name in selection.respondents(forecasts) if name not in forecasts.references]
    scores = selection.headline(forecasts)
    asked = scores[~scores["respondent"].isin(forecasts.references)]
    read = int(selection.answered(asked).sum())
    return escaped(
        f"We compare {read} readable of {len(asked)} claimed ranges by {len(models)} models with what "
        f"{len(selection.learners(forecasts))} learners did on {len(selection.datasets(forecasts))} data sets."
    )


def _references(tables: Sequence[Table], figures: Sequence[Figure]) -> str:
    parts = [rf"Table~\ref{{tab:{label_of(table.name)}}}" for table in tables]
    parts += [rf"Figure~\ref{{fig:{label_of(figure.name)}}}" for figure in figures]
    return f"See {', '.join(parts)}." if parts else "Nothing was measured."


def _input(table: Table) -> str:
    return rf"\input{{tables/{table.name}.tex}}"


def _figure(figure: Figure) -> str:
    return "\n".join(
        [
            r"\begin{figure}[p]",
            r"\centering",
            rf"\includegraphics[width=\textwidth,height=0.8\textheight,keepaspectratio]{{figures/{figure.name}.pdf}}",
            rf"\caption{{{escaped(figure.caption)}}}",
            rf"\label{{fig:{label_of(figure.name)}}}",
            r"\end{figure}",
        ]
    )


def _section(title: str, body: str) -> str:
    return rf"\section{{{escaped(title)}}}" + "\n" + body


def _itemised(sentences: Sequence[str]) -> str:
    if not sentences:
        return "Nothing."
    return "\n".join([r"\begin{itemize}", *(rf"\item {{}}{escaped(line)}" for line in sentences), r"\end{itemize}"])


def _listed(names: Sequence[str]) -> str:
    items = [str(name) for name in names]
    return " and ".join([", ".join(items[:-1]), items[-1]]) if len(items) > 1 else "".join(items)


_HEAD = r"""\documentclass{article}
\usepackage{booktabs}
\usepackage{graphicx}
\title{%(title)s}
\date{}
\begin{document}
\maketitle"""
