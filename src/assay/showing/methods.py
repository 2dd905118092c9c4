"""The methods paragraph of every kind of study, from what its plan said and what was run.

Data, learners, measures, prompts, settings, versions, seeds: as sentences, not escaped. What was not done is not told.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.files import read_text
from assay.outside import MAX_PLAN, json_of, toml_of
from assay.running.provenance import without_paths
from assay.running.results import Results
from assay.showing import look
from assay.statistics.runs import range_note
from assay.studies.faithfulness.answers import FaithfulnessStudy
from assay.studies.forecast import selection
from assay.studies.forecast.frames import Forecasts
from assay.studies.population.answers import Populations
from assay.studies.robustness.answers import RobustnessStudy

_NAMED = (  # packages whose version a reader asks for
    "causal-assay", "numpy", "scipy", "pandas", "numba", "networkx", "gadjid", "causal-learn", "lingam", "gcastle",
    "pyAgrum", "tigramite", "torch",
)  # fmt: skip
_IN_WORDS = {"redraw": "a fresh sample", "bootstrap": "rows drawn with replacement from one sample"}
_IN_WORDS |= {"permute": "the columns of one sample in another order", "seed": "the learner's own random numbers"}


def of_discovery(results: Results) -> list[str]:
    """Learners with every setting that is not the same in all of its cells left to provenance.json."""
    data = {
        cell.item: f"{cell.item} ({about['rows']} rows, truth {about['truth']}; each run "
        f"{_IN_WORDS.get(about['vary'], about['vary'])})"
        for cell, about in zip(results.cells, results.abouts, strict=True)
    }
    learners = {
        cell.respondent: f"{cell.respondent} ({about['returns']}{_settings(cell.identity.get('settings'))})"
        for cell, about in zip(results.cells, results.abouts, strict=True)
    }
    runs = sorted({cell.repeats for cell in results.cells})
    return [
        f"Data: {listed(data.values())}.",
        f"Learners and what they return: {listed(learners.values())}.",
        f"Each learner was fitted {spread(runs)} times to each data set; run k of a data set is the same table for "
        "every learner. A run that failed or timed out is missing, with its status.",
        f"Measures: {listed(look.measure_label(name) for name in results.headline)}, against the truth of the "
        f"learner's own class; intervals: {percent(results.level)} bootstrap intervals of the mean, and the "
        f"{percent(results.level)} range of single runs. {range_note(runs, results.level)}".rstrip(),
    ]


def of_forecast(forecasts: Forecasts) -> list[str]:
    datasets = [_dataset(forecasts, name) for name in selection.datasets(forecasts)]
    learners = [str(forecasts.learners.get(name, {}).get("title", name)) for name in selection.learners(forecasts)]
    runs = [truth.planned for truth in forecasts.truths.values()]
    models = [name for name in selection.respondents(forecasts) if name not in forecasts.references]
    scores = selection.headline(forecasts)
    forms = selection.formulations(scores[~scores["respondent"].isin(forecasts.references)])
    repeats = int(scores["repeat"].nunique()) if len(scores) else 0
    measures = [look.measure_label(name) for name in selection.measures(forecasts)]
    return [
        f"We ran {listed(learners)} on {len(datasets)} data sets ({'; '.join(datasets)}), "
        f"{min(runs, default=0)} runs or more for each pair, and measured {listed(measures)}.",
        f"The truth of a claim is the distribution of these runs: their {percent(forecasts.level)} range, and the "
        f"{percent(forecasts.level)} bootstrap confidence interval of their mean. "
        f"{range_note((len(truth.runs) for truth in forecasts.truths.values()), forecasts.level)}".rstrip(),
        f"We asked {len(models)} models ({listed(models)}) for ranges, in {len(forms)} formulations "
        f"({listed(forms)}), {repeats} times each. {selection.arm_text(forecasts)}",
        f"References: {listed(forecasts.references) or 'none'}.",
        *prompts(forecasts.notes.get("prompts")),
        "A reply that could not be read is missing, with its status; it is neither scored nor replaced. Intervals are "
        f"clustered by data set. The study's seed is {forecasts.seed}.",
    ]


def of_population(populations: Populations) -> list[str]:
    asked = [
        f"{name} ({truth.question.source}; {len(truth.levels)} levels, {len(truth.conditions)} conditions)"
        for name, truth in populations.truths.items()
    ]
    modes = dict.fromkeys(asked.mode for asked in populations.answers if asked.respondent in populations.models)
    manner = "; ".join(f"{key} {value}" for key, value in vars(populations.manner).items())
    return [
        f"Questions: {listed(asked)}.",
        f"We asked {len(populations.models)} models ({listed(populations.models)}), by {listed(modes)}; settings: "
        f"{manner}. References: {listed(populations.references) or 'none'}.",
        "A model that could not be asked in the planned way was asked in another, which is said beside the tables. An "
        "answer that could not be read is missing.",
    ]


def of_faithfulness(study: FaithfulnessStudy) -> list[str]:
    copies = len(study.evaluations) - len(study.right)
    weights = listed(f"{name.replace('_', ' ')} {weight:g}" for name, weight in study.scoring.weights.items())
    return [
        f"{len(study.right)} problems whose graphs hold, and {copies} damaged copies of them.",
        f"Judges: {listed(study.judges) or 'none; rules were executed'}. Models that wrote graphs of their own: "
        f"{listed(study.evaluated) or 'none'}.",
        f"cf is the weighted mean of its components (weights: {weights}); where execution and a judge both have a "
        f"value, the {study.scoring.prefer} one counts. What could not be had is missing, never one half.",
    ]


def of_robustness(study: RobustnessStudy) -> list[str]:
    evaluation = study.evaluation
    systems = [f"{name} ({len(s.truth)} nodes, {s.truth.n_edges()} edges)" for name, s in evaluation.systems.items()]
    corruptions = [
        f"{name} ({', '.join(found.steps) or 'nothing is done'})" for name, found in evaluation.corruptions.items()
    ]
    scorers = [f"{name}{_settings(given.get('settings'), ' (', ')')}" for name, given in study.scorers.items()]
    budget = ", ".join(f"{key} {value}" for key, value in study.budget.items())
    return [
        f"Systems: {listed(systems)}.",
        f"Corruptions: {listed(corruptions)}.",
        f"Scorers: {listed(scorers)}; {study.done:,} of {study.planned:,} fits were done.",
        f"The number of edges K was chosen on {evaluation.validation} and frozen; budget of the choice: {budget}. "
        f"Others were matched to {evaluation.match}. Intervals: {percent(evaluation.level)} t intervals over graphs.",
    ]


def of_the_plan(folder: Path) -> list[str]:
    """Every setting that the plan gives, and the versions that ran it."""
    found = []
    try:
        plan = without_paths(toml_of(read_text(folder, "study.toml", MAX_PLAN), "study.toml"))
    except AssayError:
        plan = {}
    settings = [f"{key} = {_value(value)}" for key, value in _flat(plan) if key not in ("folder", "name")]
    if settings:
        found.append(f"The plan as it was given: {'; '.join(settings)}. All other settings are the defaults.")
    try:
        ran = json_of(read_text(folder, "provenance.json"), "provenance.json")
    except AssayError:
        return found
    ran = ran if isinstance(ran, dict) else {}
    packages = ran["packages"] if isinstance(ran.get("packages"), dict) else {}
    versions = listed(f"{name} {packages[name]}" for name in _NAMED if name in packages)
    found.append(
        f"Seed {ran.get('seed')}; Python {ran.get('python')}; {versions}; {ran.get('machine')}. All versions and the "
        "full settings of every cell are in provenance.json."
    )
    return found


def prompts(used: Mapping[str, Any] | None) -> list[str]:
    if not used:
        return []
    told = listed(f"{name} (version {p.get('version')}, {str(p.get('hash'))[:8]})" for name, p in used.items())
    return [f"Prompts: {told}."]


def listed(names: Iterable[Any]) -> str:
    items = [str(name) for name in names]
    return " and ".join([", ".join(items[:-1]), items[-1]]) if len(items) > 1 else "".join(items)


def spread(counts: Sequence[int]) -> str:
    return "no" if not counts else f"{counts[0]}" if counts[0] == counts[-1] else f"{counts[0]} to {counts[-1]}"


def percent(level: float) -> str:
    return f"{100 * level:g} %"


def _dataset(forecasts: Forecasts, name: str) -> str:
    about = forecasts.datasets.get(name, {})
    known = [f"{about[key]} {key}" for key in ("nodes", "edges", "rows") if about.get(key) is not None]
    return f"{name}, {', '.join(known)}" if known else name


def _settings(given: Any, before: str = "; ", after: str = "") -> str:
    if not isinstance(given, Mapping) or not given:
        return ""
    told = [f"{key} {_value(value)}" for key, value in given.items() if value not in (None, [], {}, "")]
    return f"{before}{', '.join(told)}{after}" if told else ""


def _value(value: Any) -> str:
    if isinstance(value, list):
        return listed(_value(entry) for entry in value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} {_value(entry)}" for key, entry in value.items()) + "}"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _flat(settings: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for key, value in settings.items():
        found += _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else [(f"{prefix}{key}", value)]
    return found
