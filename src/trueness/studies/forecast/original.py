"""The original protocol's config.json (experiments, llm_settings) as the settings of a plan of ours.

A list that is left out as `[...]` is the document's own: its six data sets, its five models under the names that their
providers take. Which were taken is said.
"""

from __future__ import annotations

from pathlib import Path

from trueness.errors import PlanError, listed
from trueness.outside import Json
from trueness.printing import say
from trueness.studies.forecast.frames import ORIGINAL

_FORMULATIONS = dict(enumerate(ORIGINAL, start=1))  # the original's numbers, its own words
_DATASETS = {"synthetic_12": "synthetic-12", "synthetic_30": "synthetic-30", "synthetic12": "synthetic-12",
             "synthetic30": "synthetic-30"}  # fmt: skip
_LISTS: dict[str, list[object]] = {  # what the document lists where its config.json prints [...]
    "datasets": ["asia", "sachs", "cancer", "child", "synthetic-12", "synthetic-30"],
    "algorithms": ["PC", "LiNGAM", "FCI", "NOTEARS"],
    "llm_models": ["openai/gpt-4", "deepseek/deepseek-chat", "anthropic/claude-3-5-sonnet-latest",
                   "google/gemini-1.5-pro", "together/meta-llama/Llama-3-70b-chat-hf"],
    "prompt_formulations": [1, 2, 3],
}  # fmt: skip


def settings_of(config: Json, path: Path) -> dict[str, Json]:
    try:
        return _settings_of(config)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError) as error:
        raise PlanError(
            f"{path} must be a config.json with experiments (datasets, algorithms, n_runs, llm_models, "
            f"prompt_formulations), got: {type(error).__name__} {error}. Or write a plan: trueness new forecast"
        ) from None


def _settings_of(config: Json) -> dict[str, Json]:
    """Our settings; what is of another shape than the original's raises."""
    experiments, llm_settings = dict(config["experiments"]), config.get("llm_settings", {})
    for key in [key for key, value in experiments.items() if value == ["..."] and key in _LISTS]:
        experiments[key] = _LISTS[key]
        say(f"trueness: {key} is [...]: taken as the document lists them, {listed(_LISTS[key])}.", stderr=True)
    named = list(experiments.get("llm_models", []))
    options = {
        name: {"retries": llm_settings.get("max_retries", 3), "delay": llm_settings.get("retry_delay", 5)}
        for name in named
        if not name.startswith(("embedded/", "mock/"))
    }
    return {
        "discovery": {
            "datasets": [_DATASETS.get(name.lower(), name.lower()) for name in experiments["datasets"]],
            "learners": [name.lower() for name in experiments["algorithms"]],
            "runs": experiments.get("n_runs", 100),
            "codes": True,
        },
        "forecast": {
            "models": named,
            "formulations": [_FORMULATIONS[int(k)] for k in experiments.get("prompt_formulations", (1, 2, 3))],
            "temperature": llm_settings.get("temperature", 0.1),
            "max_tokens": llm_settings.get("max_tokens", 1024),
        },
        "models": options,
    }
