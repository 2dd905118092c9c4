"""The files of a population study, all of which can be written again from its store.

    population/{model}_{task}.json    one entry a condition and mode, with the original's keys:
                                      condition, true_vals, weights, model_vals, model_texts
    population/scores.csv             every task, respondent, mode, repeat and measure with its interval
    population/main.csv .tex          one line a respondent and mode
    population/table.csv .tex         tasks by respondents (score)
    population/numbers.csv            conditional means and quantiles, where an outcome is a number
    population/comparisons.csv        paired differences, over sources and over tasks of these sources, Holm
    population/notes.txt              what so few sources cannot tell; who was asked in another way, and why
    plots/population_{task}           truth beside model per condition: .png .svg .pdf, its numbers as .csv

The original keeps a value a row; rows of microdata are not ours to copy, so `true_vals` are the levels and `weights`
their weighted shares: a weighted table of the one by the other is the same distribution. `model_vals` are the levels
of the draws (each with the same weight), or, for a claim, the levels with `model_weights` beside.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from trueness.files import write_atomically
from trueness.running.store import to_json
from trueness.showing.saving import Figure, Save, csv_text, safe_name, save_figure
from trueness.studies.population import tables
from trueness.studies.population.answers import AnswerKey, Populations
from trueness.studies.population.chart_distribution import distribution
from trueness.studies.population.elicitation import Answer
from trueness.studies.population.numeric_outcomes import numbers_figure, numbers_frame
from trueness.studies.population.truth import PopulationTruth


def write_population_tree(folder: Path, populations: Populations, save: Save = save_figure) -> list[Path]:
    """Write all of it below `folder`; what was written."""
    written = [path for figure in plots(populations) for path in save(figure, folder, "plots")]
    for name, text in texts(populations).items():
        written.append(write_atomically(folder, f"population/{name}", text))
    return written


def texts(populations: Populations) -> dict[str, str]:
    """File below population/ -> text."""
    main, table = tables.main_table(populations), tables.task_table(populations)
    contents = {
        "scores.csv": csv_text(tables.scores_frame(populations)),
        "main.csv": main.to_csv(),
        "main.tex": main.to_latex(),
        "table.csv": table.to_csv(),
        "table.tex": table.to_latex(),
        "comparisons.csv": csv_text(tables.comparisons_frame(populations)),
        **({"numbers.csv": csv_text(numbers)} if not (numbers := numbers_frame(populations)).empty else {}),
        "notes.txt": "\n".join(notes(populations)) + "\n",
    }
    for model in populations.models:
        for task in populations.truths:
            entries = list(cell_entries(populations, model, task))
            if entries:
                contents[f"{safe_name(model, task)}.json"] = to_json(entries)
    return contents


def cell_entries(populations: Populations, model: str, task: str) -> Iterator[dict[str, object]]:
    """One a mode, repeat and condition: all that a page needs to open the cell."""
    truth = populations.truths[task]
    for key, answers in populations.answers.items():
        if (key.respondent, key.task) == (model, task):
            for condition, answer in answers.items():
                yield _entry(key, truth, condition, answer)


def _entry(key: AnswerKey, truth: PopulationTruth, condition: str, answer: Answer) -> dict[str, object]:
    c = truth.conditions.index(condition)
    claimed = answer.distribution
    levels: list[object] = list(truth.question.outcome.middles if truth.numeric else truth.levels)
    drawn = bool(answer.values or answer.numbers)
    values: list[object] = list(answer.values or answer.numbers) if drawn else levels if claimed is not None else []
    weights = [1 / len(values)] * len(values) if drawn else [] if claimed is None else list(claimed.probs)
    return {
        "condition": condition,
        "true_vals": levels,
        "weights": truth.probs[c].tolist(),
        "model_vals": values,
        "model_texts": list(answer.texts),
        "model_weights": weights,
        "model": key.respondent,
        "task": key.task,
        "mode": key.mode,
        "elicited_by": answer.mode or key.mode,
        "repeat": key.repeat,
        "status": str(answer.status),
        "message": answer.message,
        "replies": {str(status): n for status, n in answer.counts.items()},
        "letter_mass": answer.mass,
        "order_error": answer.error,
        "stated_sum": answer.total,
        "flags": list(answer.flags),
        "prompt": truth.question.prompt_for(condition),
        "population": truth.question.population.text,
        "source": truth.question.source,
        "condition_weight": float(truth.weights[c]),
        "rows": float(truth.rows[c]),
        "n_eff": float(truth.n_eff[c]),
    }


def notes(populations: Populations) -> list[str]:
    """Sentences that must stand beside the tables."""
    sentences = tables.left_out_sentences(populations) + tables.design_sentences(populations)
    sentences += tables.fallback_sentences(populations)
    for name, truth in populations.truths.items():
        sentences += truth.notes
        if truth.thin:
            thin = ", ".join(f"{condition} ({n})" for condition, n in truth.thin.items())
            sentences.append(f"{name}: conditions with too few rows were left out: {thin}.")
        if truth.design == "model":
            sentences.append(f"{name}: the truth is an out-of-fold gradient-boosted estimate with its own uncertainty.")
    sentences += tables.uninformative_sentences(populations)
    return sentences or ["Every model was asked as planned."]


def plots(populations: Populations) -> Iterator[Figure]:
    """One figure a task that somebody was asked."""
    tasks = {key.task for key in populations.answers if key.respondent not in populations.references}
    for task in populations.truths:
        if task in tasks:
            yield (numbers_figure if populations.truths[task].numeric else distribution)(populations, task)
