"""What the paper and the PDF say of a forecast study: methods, sentences, tables, and the figures drawn already."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from trueness.showing import theme
from trueness.showing.drawers import NotDrawn, pictures
from trueness.showing.drawn import Draw, read_pictures
from trueness.showing.methods_paragraph import listed, percent, prompts
from trueness.showing.paper import Part, Picture
from trueness.showing.saving import source_of
from trueness.statistics.runs import range_note
from trueness.studies.forecast import selection
from trueness.studies.forecast.files import figures_of_paper, tables_of_paper
from trueness.studies.forecast.findings import Findings
from trueness.studies.forecast.forecast_frames import Forecasts
from trueness.studies.forecast.forecast_headline import headline_of
from trueness.studies.forecast.interpretation import analyses_of, untold, validation_of
from trueness.texts import counted


def methods(forecasts: Forecasts) -> list[str]:
    datasets = [_dataset(forecasts, name) for name in selection.datasets(forecasts)]
    learners = [str(forecasts.learners.get(name, {}).get("title", name)) for name in selection.learners(forecasts)]
    runs = [truth.planned for truth in forecasts.truths.values()]
    models = [name for name in selection.respondents(forecasts) if name not in forecasts.references]
    scores = selection.headline(forecasts)
    scores = scores[~scores["respondent"].isin(forecasts.references)]  # who is asked once has no repeats
    forms, repeats = selection.formulations(scores), int(scores["repeat"].nunique())
    measures = [theme.measure_label(name) for name in selection.measures(forecasts)]
    return [
        f"We ran {listed(learners)} on {counted(len(datasets), 'data set')} ({'; '.join(datasets)}), "
        f"{counted(min(runs, default=0), 'run')} or more for each pair, and measured {listed(measures)}.",
        f"The truth of a claim is the distribution of these runs: their {percent(forecasts.level)} range, and the "
        f"{percent(forecasts.level)} bootstrap confidence interval of their mean. "
        f"{range_note((len(truth.runs) for truth in forecasts.truths.values()), forecasts.level)}".rstrip(),
        f"We asked {counted(len(models), 'model')} ({listed(models)}) for ranges, in "
        f"{counted(len(forms), 'formulation')} ({listed(forms)}), {counted(repeats, 'time')} each. "
        f"{selection.arm_text(forecasts)}",
        f"References: {listed(forecasts.references) or 'none'}.",
        *prompts(forecasts.notes.get("prompts")),
        "A reply that could not be read is missing, with its status; it is neither scored nor replaced. Intervals are "
        f"clustered by data set. The study's seed is {forecasts.seed}.",
    ]


def _dataset(forecasts: Forecasts, name: str) -> str:
    about = forecasts.datasets.get(name, {})
    known = [f"{about[key]} {key}" for key in ("nodes", "edges", "rows") if about.get(key) is not None]
    return f"{name}, {', '.join(known)}" if known else name


def part(folder: Path, forecasts: Forecasts, findings: Findings | None, draw: Draw = pictures) -> Part:
    """Its figures are drawn anew where all respondents would not fit a page."""
    models = [name for name in selection.respondents(forecasts) if name not in forecasts.references]
    scores = selection.headline(forecasts)
    claims = scores[~scores["respondent"].isin(forecasts.references)]
    read = int(selection.is_answered(claims).sum())
    abstract = (
        f"We compare {read} readable of {len(claims)} claimed ranges by {counted(len(models), 'model')} with what "
        f"{counted(len(selection.learners(forecasts)), 'learner')} did on "
        f"{counted(len(selection.datasets(forecasts)), 'data set')}. {headline_of(forecasts).sentence}"
    )
    checks = validation_of(forecasts, findings).sentences
    sections: list[tuple[str, Sequence[str]]] = []
    if findings is not None:
        sections.append(("Hypotheses", findings.hypotheses.sentences))
        sections += [
            (analysis.name.capitalize(), analysis.sentences) for analysis in analyses_of(findings) if analysis.possible
        ]
        sections.append(("What this design cannot tell", untold(findings)))
    shown: list[Picture] = []
    for figure in figures_of_paper(forecasts):
        if isinstance(figure, str):
            shown += read_pictures(folder, "plots", figure)
        else:
            with suppress(NotDrawn):
                images = draw(source_of(figure.chart), ("svg", "pdf"))
                shown.append(Picture(figure.name, figure.caption, images["svg"].decode(), images["pdf"]))
    tables = tables_of_paper(forecasts, findings)
    return Part("forecast", abstract, checks, methods(forecasts), sections, tables, shown)
