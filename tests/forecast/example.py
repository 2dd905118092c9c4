"""A small simulated forecast study as frames: the demo data of the docs and of the tests. Nothing is asked or fitted.

Runs are counted as a learner's are: of |E| true edges tp ~ Binomial(|E|, recall) are found beside fp ~ Poisson ones, so
precision, recall, F1 and SHD of a run belong together. Every respondent's quality is known beforehand. With m and s the
mean and the standard deviation of a cell's runs, it claims

    centre = m + (shift + noise e) s + optimism        e ~ N(0, 1) of the cell and measure, its own for each respondent
    [l, u] = centre -+ z(level) s width                cut to what the measure can be

    mock/calibrated      noise .5, width sqrt(1 + .5^2): unsure by just as much as it is wrong
    mock/overconfident   noise 1.5, width .3: sure and wrong
    mock/optimistic      optimism .15 of the measure's range, width 1
    mock/vacuous         [0, largest value] always: covers everything, says nothing

A few replies are refused, cut off or unreadable, and a few leave out one measure.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator
from scipy.special import ndtri

from trueness.status import Status
from trueness.studies.forecast.frames import (
    CLAIM_COLUMNS,
    FORMULATIONS,
    LEVELS,
    MEASURES,
    REPLY_COLUMNS,
    Forecasts,
    Truth,
    Truths,
    with_intervals,
)
from trueness.studies.forecast.references import REFERENCES, reference_claims
from trueness.studies.forecast.scores import score_claims


@dataclass(frozen=True)
class Quality:
    """How a simulated respondent errs; in standard deviations of the runs, optimism in shares of the range."""

    noise: float = 0.0
    width: float = 1.0
    optimism: float = 0.0
    vacuous: bool = False
    refuses: float = 0.0
    garbles: float = 0.0
    names_assumptions: float = 0.5  # how often its reasoning names those of the learner


QUALITIES = {
    "mock/calibrated": Quality(noise=0.5, width=1.25**0.5, names_assumptions=0.9),
    "mock/overconfident": Quality(noise=1.5, width=0.3, garbles=0.06),
    "mock/optimistic": Quality(optimism=0.15, refuses=0.04),
    "mock/vacuous": Quality(vacuous=True, names_assumptions=0.1),
}
# of a formulation: (how it widens, how it moves the centre in sd): what the prompt-robustness analyses must find
_FRAMING = {"direct": (1.0, 0.0), "steps": (1.15, 0.2), "interval": (0.9, -0.1), "quantiles": (1.0, 0.0)}
_ANONYMISED = 1.5  # how much more noise there is once the names are gone

_ABOUT = ("nodes", "edges", "rows", "data", "truth", "domain")
DATASETS: dict[str, dict[str, Any]] = {
    name: dict(zip(_ABOUT, about, strict=True)) | {"density": 2 * about[1] / (about[0] * (about[0] - 1))}
    for name, *about in (
        ("asia", 8, 8, 10_000, "discrete", "known", "medicine"),
        ("cancer", 5, 4, 5_000, "discrete", "known", "medicine"),
        ("child", 20, 25, 5_000, "discrete", "known", "medicine"),
        ("sachs", 11, 20, 853, "continuous", "consensus", "biology"),
        ("synthetic-12", 12, 18, 1_000, "continuous", "known", "simulation"),
        ("synthetic-30", 30, 45, 1_000, "continuous", "known", "simulation"),
        ("earthquake", 5, 4, 5_000, "discrete", "known", "everyday reasoning"),
        ("survey", 6, 6, 5_000, "discrete", "known", "social science"),
        ("titanic", 7, 5, 1_045, "mixed", "assumed", "history"),
        ("credit", 16, 7, 653, "mixed", "assumed", "finance"),
        ("wine", 12, 11, 1_599, "continuous", "assumed", "food chemistry"),
    )
}
_ON_NUMBERS = ["continuous variables"]
_DISCRETE = [name for name, about in DATASETS.items() if about["data"] != "continuous"]
_CARD = ("title", "family", "returns", "assumes", "breaks")
LEARNERS: dict[str, dict[str, Any]] = {
    name: dict(zip(_CARD, card, strict=True))
    for name, *card in (
        ("pc", "PC", "constraint-based", "cpdag", ["causal sufficiency", "faithfulness", "acyclicity"],
         {"sachs": ["acyclicity"]}),
        ("fci", "FCI", "constraint-based", "pag", ["faithfulness", "acyclicity"], {"sachs": ["acyclicity"]}),
        ("lingam", "DirectLiNGAM", "functional", "dag",
         ["linear relations", "non-Gaussian noise", "continuous variables", "causal sufficiency"],
         {name: _ON_NUMBERS for name in _DISCRETE} | {"synthetic-12": ["non-Gaussian noise"]}),
        ("notears", "NOTEARS", "functional", "dag",
         ["linear relations", "equal noise variances or informative scale", "causal sufficiency"],
         {name: ["linear relations"] for name in _DISCRETE}),
    )
}  # fmt: skip


def example(
    seed: int = 0,
    datasets: Sequence[str] = tuple(DATASETS)[:6],
    learners: Sequence[str] = tuple(LEARNERS),
    respondents: Sequence[str] = tuple(QUALITIES),
    formulations: Sequence[str] = FORMULATIONS[:4],
    repeats: int = 3,
    *,
    runs: int = 100,
    names: Sequence[str] = ("named",),
    metadata: Sequence[str] = ("full",),
    definition: Sequence[str] = ("told",),
    targets: Sequence[str] = ("run",),
    references: Sequence[str] = REFERENCES,
) -> Forecasts:
    """The simulated study. Respondents are those of QUALITIES; other names take its qualities in turn."""
    rng = np.random.default_rng([seed, 0])
    truths = _truths(datasets, learners, runs, rng)
    claims: list[dict[str, Any]] = []
    replies: list[dict[str, Any]] = []
    known = list(QUALITIES.values())
    for k, respondent in enumerate(respondents):
        quality = QUALITIES.get(respondent, known[k % len(known)])
        draw = np.random.default_rng([seed, 1 + k])
        centres = {key: _centre(truth, quality, draw) for key, truth in truths.items()}
        arms = product(datasets, learners, formulations, names, metadata, definition, targets, range(repeats))
        for dataset, learner, formulation, named, told, defined, target, repeat in arms:
            question = {
                "dataset": dataset, "learner": learner, "formulation": formulation, "names": named, "metadata": told,
                "definition": defined, "target": target, "respondent": respondent, "repeat": repeat,
            }  # fmt: skip
            answers = {m: _answer(truths[dataset, learner, m], centres, quality, question, draw) for m in MEASURES}
            status = _fate(quality, draw)
            replies.append(_reply(question, answers, status, quality, draw))
            claims.extend(_claims(question, answers, status, draw))
    about = {name: DATASETS[name] for name in datasets}
    answered = reference_claims(truths, about, references, targets)
    frame = pd.DataFrame([*claims, *answered.to_dict("records")], columns=list(CLAIM_COLUMNS))
    return Forecasts(
        study="example",
        seed=seed,
        level=0.95,
        truths=truths,
        claims=frame,
        scores=score_claims(frame, truths, references),
        replies=pd.DataFrame(replies, columns=list(REPLY_COLUMNS)),
        datasets=about,
        learners={name: LEARNERS[name] for name in learners},
        references=tuple(references),
        notes={"simulated": True},
    )


def _truths(datasets: Sequence[str], learners: Sequence[str], n: int, rng: Generator) -> Truths:
    """Learners do worse on larger graphs and where the data break what they assume."""
    found: dict[tuple[str, str, str], Truth] = {}
    for dataset, learner in product(datasets, learners):
        about = DATASETS[dataset]
        edges, upper = about["edges"], about["nodes"] * (about["nodes"] - 1) / 2
        broken = dataset in LEARNERS[learner]["breaks"]
        recall = np.clip(0.85 - 0.1 * np.log10(about["nodes"]) - 0.25 * broken + rng.normal(0, 0.05), 0.1, 0.95)
        tp = rng.binomial(edges, recall, size=n)
        fp = np.minimum(rng.poisson(edges * (0.45 if broken else 0.2), size=n), upper - edges)
        with np.errstate(invalid="ignore"):
            values = {
                "precision": tp / (tp + fp),  # 0/0 where nothing was found: a run without a value
                "recall": tp / edges,
                "f1": 2 * tp / (edges + tp + fp),
                "shd": fp + edges - tp,
            }
        for measure, column in values.items():
            count = measure == "shd"
            found[dataset, learner, measure] = Truth(
                dataset, learner, measure, column[~np.isnan(column)].astype(np.float64), n, None, None,
                1.0 if count else 1 / edges, upper if count else 1.0,
            )  # fmt: skip
    return with_intervals(found, rng=rng)


def _centre(truth: Truth, quality: Quality, rng: Generator) -> float:
    """Where the respondent believes the middle of the runs to be, in their standard deviations from the mean."""
    spread = max(float(truth.runs.std()), truth.resolution / 2)
    better = -1 if truth.measure == "shd" else 1
    return quality.noise * float(rng.normal()) + better * quality.optimism * truth.upper / spread


def _answer(
    truth: Truth,
    centres: dict[tuple[str, str, str], float],
    quality: Quality,
    question: dict[str, Any],
    rng: Generator,
) -> dict[float, tuple[float, float]]:
    """{level: (low, high)}; the median is the middle of the narrowest."""
    levels = LEVELS if question["formulation"] == "quantiles" else LEVELS[-1:]
    if quality.vacuous:
        return dict.fromkeys(levels, (0.0, truth.upper))
    widening, move = _FRAMING.get(question["formulation"], (1.0, 0.0))
    spread = max(float(truth.runs.std()), truth.resolution / 2)
    believed = centres[truth.dataset, truth.learner, truth.measure]
    if question["names"] != "named":
        believed *= _ANONYMISED
    centre = truth.mean + spread * (believed + move + 0.1 * rng.normal())
    if question["target"] == "mean":
        spread = max(spread / len(truth.runs) ** 0.5, truth.resolution / 10)
    digits = 1 if truth.measure == "shd" else 3
    found = {}
    for level in levels:
        half = float(ndtri((1 + level) / 2)) * spread * quality.width * widening
        ends = np.clip([centre - half, centre + half], 0, truth.upper).round(digits)
        found[level] = (float(ends[0]), float(ends[1]))
    return found


def _fate(quality: Quality, rng: Generator) -> Status:
    drawn = rng.random()
    if drawn < quality.refuses:
        return Status.REFUSED
    if drawn < quality.refuses + quality.garbles:
        return Status.UNREADABLE if rng.random() < 0.7 else Status.TRUNCATED
    return Status.OK


def _claims(
    question: dict[str, Any], answers: dict[str, dict[float, tuple[float, float]]], status: Status, rng: Generator
) -> Iterator[dict[str, Any]]:
    left_out = rng.choice(MEASURES) if rng.random() < 0.01 else None
    for measure, levels in answers.items():
        read = status if measure != left_out or status != Status.OK else Status.UNREADABLE
        middle = sum(levels[min(levels)]) / 2 if len(levels) > 1 else np.nan
        for level, (low, high) in levels.items():
            values = (low, high, middle) if read == Status.OK else (np.nan, np.nan, np.nan)
            yield {
                **question, "measure": measure, "level": level, "low": values[0], "high": values[1],
                "median": values[2], "status": str(read), "flags": "",
            }  # fmt: skip


def _reply(
    question: dict[str, Any],
    answers: dict[str, dict[float, tuple[float, float]]],
    status: Status,
    quality: Quality,
    rng: Generator,
) -> dict[str, Any]:
    text = {
        Status.REFUSED: "I am not able to predict how an algorithm performs on this data set.",
        Status.UNREADABLE: "Precision should be fairly high and recall moderate; it depends on the sample.",
        Status.TRUNCATED: _reasoning(question, quality, rng) + "\nPrecision: [0.",
    }.get(status) or _reasoning(question, quality, rng) + "\n" + _written(answers)
    prompt = f"How will {question['learner']} do on {question['dataset']}? ({question['formulation']})"
    return {
        **question, "status": str(status), "message": "", "prompt": prompt, "text": text,
        "model": question["respondent"], "seconds": 0.5 + rng.random(), "cost": 0.0, "input_tokens": 150,
        "output_tokens": len(text) // 4, "cached_tokens": 100,
    }  # fmt: skip


def _reasoning(question: dict[str, Any], quality: Quality, rng: Generator) -> str:
    """Names the learner's assumptions, or (a denial) those of another one."""
    card = LEARNERS[question["learner"]]
    if rng.random() < quality.names_assumptions:
        named = f"{card['title']} assumes {' and '.join(card['assumes'][:2])}."
    else:
        named = f"{card['title']} is a well-known method and does not assume Gaussian noise."
    return f"{named} The data set has {DATASETS[question['dataset']]['nodes']} variables."


def _written(answers: dict[str, dict[float, tuple[float, float]]]) -> str:
    if len(next(iter(answers.values()))) == 1:
        titles = {"precision": "Precision", "recall": "Recall", "f1": "F1", "shd": "SHD"}
        return "\n".join(f"{titles[m]}: [{low:g}, {high:g}]" for m, v in answers.items() for low, high in v.values())
    return json.dumps(
        {
            measure: {"median": round(sum(levels[min(levels)]) / 2, 4)}
            | {f"{100 * level:g}": list(ends) for level, ends in levels.items()}
            for measure, levels in answers.items()
        }
    )
