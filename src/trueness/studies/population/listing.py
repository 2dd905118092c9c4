"""The tasks that come with the package, as rows and cards for `trueness list populations`. No data are read."""

from __future__ import annotations

from trueness.studies.population.question_files import builtin, builtin_question


def rows() -> list[dict[str, object]]:
    """One a task: what it asks, of whom, and in which modes."""
    return [
        {
            "name": question.name,
            "source": question.source,
            "asks": question.asks,
            "levels": len(question.levels),
            "weight": question.weight or "",
            "modes": ", ".join(question.modes),
        }
        for question in builtin()
    ]


def card(name: str) -> dict[str, object]:
    """Everything about one task and where its rows come from."""
    question = builtin_question(name)
    about = question.card
    return {
        "name": question.name,
        "asks": question.asks,
        "prompt": question.prompt,
        "population": question.population.text,
        "levels": list(question.levels),
        "ordinal": question.outcome.ordinal,
        "modes": list(question.modes),
        "title": about.title,
        "source": about.source,
        "licence": about.licence,
        "year": about.year,
        "surveyed": about.population,
        "url": about.url,
        "notes": about.notes,
        "data": question.data,
        "weight": question.weight or "none: every row counts the same",
        "strata, clusters": " / ".join(name or "none" for name in (question.strata, question.clusters)),
        "truth": "out-of-fold gradient boosting" if question.high_dimensional else "weighted shares",
    }
