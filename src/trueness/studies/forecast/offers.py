"""What commands ask of this study: one question to a model, a sheet for experts, the original's config.json as a plan.

`check MODEL` asks one question before a long run and says what was asked, the raw reply and what was read from it. The
question is a forecast (PC on asia, told directly), so that connection, format and reader are all tried at once. Edge
cases (`--edge-cases`) are three more, whose right answer nobody has to measure: no rows, one column, perfect data. What
was read stands beside what is right.

In a config.json (experiments, llm_settings) a list that is left out as `[...]` is the document's own: its six data
sets, its five models under the names that their providers take. Which were taken is said.
"""

from __future__ import annotations

from pathlib import Path

from trueness import models, texts
from trueness.datasets import load
from trueness.errors import PlanError, listed
from trueness.learners import build
from trueness.models import Message, Settings
from trueness.outside import MAX_PLAN, Json, is_there, text_of, toml_of
from trueness.printing import say
from trueness.running.study import NewFile, Plan, read_plan, toml_text
from trueness.studies.forecast.answers import read_reply
from trueness.studies.forecast.frames import ORIGINAL
from trueness.studies.forecast.plan import Forecast
from trueness.studies.forecast.prompting import LINES, PLACEHOLDERS, messages, schema, template
from trueness.studies.forecast.references import sheet

# ---- trueness check MODEL

ARMS = {"formulation": "direct", "names": "named", "metadata": "full", "definition": "told", "target": "run"}
_EDGES = {  # case -> rows as told, and what is right
    "empty data": ("Rows: 0", "no claim"),
    "one column": ("Rows: 1,000", "an SHD of 0, or no claim"),
    "perfect data": (
        "Rows: the exact joint distribution, without sampling error; all that the algorithm assumes holds",
        "ranges that hold 1, and an SHD of 0",
    ),
}


def edge_question(case: str) -> list[Message]:
    """The direct question, about data on which the answer is known beforehand."""
    made = template("direct")
    variables = "Variables (1): X1" if case == "one column" else "Variables (4): X1, X2, X3, X4"
    values = dict.fromkeys(PLACEHOLDERS, "") | {
        "dataset": f"Name: not told\n{variables}\n{_EDGES[case][0]}",
        "runs": "100",
    }
    return made.fill(values | {"learner": "Name: PC", "format": LINES})


def probe(name: str, edge_cases: bool = False) -> dict[str, Json]:
    """Ask one question of the model (four with the edge cases) and say everything that came of it."""
    model = models.build(name)
    dataset = load("asia")
    made, rows = template("direct"), dataset.about.rows
    question = messages(made, ARMS, dataset, build("pc"), rows, "redraw", 100, structured=model.offers_schema)
    settings = Settings(max_tokens=256, schema=schema("direct") if model.offers_schema else None)
    try:
        reply = model.ask(question, settings)
        free = Settings(max_tokens=256)
        edges = {case: model.ask(edge_question(case), free) for case in (_EDGES if edge_cases else ())}
    finally:
        model.close()
    reading = read_reply(reply, len(dataset.truth))
    report = {
        "model": name,
        "status": str(reading.status),
        "message": reply.message or reading.message,
        "answered by": reply.answered_as or reply.model,
        "seconds": round(reply.seconds, 2),
        "tokens": f"{reply.input_tokens} in, {reply.output_tokens} out",
        "usd": reply.cost,
        "settings": {key: str(value) for key, value in reply.settings.items() if key != "schema"},
        "asked": "\n".join(message.content for message in question),
        "reply": reply.text,
        "read": {key: str(value) for key, value in reading.to_dict().items()},
    }
    for case, answer in edges.items():
        claims = {name: value for name, value in read_reply(answer, 4).values.items() if value is not None}
        read = ", ".join(f"{name} [{value.low:g}, {value.high:g}]" for name, value in claims.items()) or "no claim"
        report[f"edge case: {case}"] = f"{read}; right: {_EDGES[case][1]}  ({answer.text!r:.80})"
    return {key: texts.arriving_values(value) for key, value in report.items()}


# ---- trueness new human-sheet


def new_sheet(file: str | None, plan: str | None) -> NewFile:
    """The CSV sheet, with low and high to fill in."""
    path, made = Path(file or "experts.csv"), _plan(plan)
    tasks: tuple[object, ...] = tuple(made.tasks)
    task = next((task for task in tasks if isinstance(task, Forecast)), None)
    if task is None:
        raise PlanError(f"{made.file} must have a [forecast] table for a sheet, got none. See: trueness new forecast")
    text = sheet(task.about()["datasets"], list(task.discovery.learners), level=task.level)
    return NewFile(path, text, f'Fill in low and high, then name it in a plan: humans = ["{path}"]')


def _plan(plan: str | None) -> Plan:
    """A plan may name the sheet before it is there: its questions do not depend on what is filled in."""
    path = Path(plan or "")
    if path.suffix != ".toml" or not is_there(path):
        return read_plan(plan)
    settings = toml_of(text_of(path, MAX_PLAN, PlanError), path.name, PlanError)
    if isinstance(settings.get("forecast"), dict):
        settings["forecast"].pop("humans", None)
    return Plan.parse(toml_text(settings), path.name, path.parent)


# ---- trueness run config.json

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
