"""Forecast: does a model know what a learner will do on a data set?

A model is told a data set and a learner and gives ranges for precision, recall, F1 and SHD. The truth is what the
runs of the plan's own [discovery] showed. Baselines and people answer the same questions (forecast/references.py,
forecast/human.py); they are not asked, so they cost no cell.

A cell is one model on one (data set, learner) in one variant:

    variant = formulation/names/metadata/definition/target,  e.g. direct/named/full/told/run
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from trueness.datasets import Dataset
from trueness.errors import PlanError, did_you_mean, listed
from trueness.learners import Learner
from trueness.models import Message, Reply, Settings
from trueness.models.prices import stated_price
from trueness.reading.expected import Reading, read_forecast
from trueness.running.cells import Cell, Context, reply_key
from trueness.status import Status
from trueness.studies.forecast import frames, human
from trueness.studies.forecast.prompting import messages, schema, template
from trueness.studies.forecast.references import AVAILABLE, REFERENCES

VERSION = 1  # raise when the same plan would ask other questions
ARMS = {
    "formulation": frames.FORMULATIONS,
    "names": frames.NAMES,
    "metadata": frames.METADATA,
    "definition": frames.DEFINITION,
    "target": frames.TARGETS,
}
_PLURAL = {"formulation": "formulations", "target": "targets"}  # how an arm is called in a plan
_DEFAULTS = {
    "formulation": frames.FORMULATIONS[:3],
    "names": ("named",),
    "metadata": ("full",),
    "definition": ("told",),
    "target": ("run",),
}
SETTINGS = (
    "models", "references", "humans", "formulations", "names", "metadata", "definition", "targets", "crossed",
    "repeats", "structured", "temperature", "max_tokens", "timeout", "capability",
)  # fmt: skip
EXCERPT = 70  # characters of an unreadable reply that the terminal shows

Ask = Callable[[str, Sequence[Message], Settings, str], Reply]


class MeasuredRuns(Protocol):
    """What is asked of the plan's [discovery]: the study whose runs are the truth."""

    runs: int
    level: float
    vary: dict[str, str]
    datasets: dict[str, Dataset]
    learners: dict[str, Learner]
    learner_specs: dict[str, dict[str, Any]]

    def rows_of(self, item: str) -> int: ...

    def describe(self, item: str, respondent: str) -> dict[str, Any]: ...

    def units(self) -> tuple[int, str]: ...


@dataclass(frozen=True)
class Forecast:
    """The checked plan of a forecast study; `cells()` is what models are asked."""

    discovery: MeasuredRuns
    models: dict[str, dict[str, Any]]  # name -> options
    references: tuple[str, ...]
    humans: dict[str, str]  # respondent -> text of its CSV
    variants: tuple[dict[str, str], ...]
    repeats: int
    structured: bool
    temperature: float | None
    max_tokens: int
    timeout: float
    limit_usd: float | None
    capability: dict[str, float]
    seed: int

    name = "forecast"
    headline = ("covers_mean", "coverage_runs", "interval_score")
    measures = ("covers_mean", "coverage_runs", "interval_score")

    @classmethod
    def from_plan(cls, table: Mapping[str, Any], context: Context) -> Forecast:
        """From the [forecast] table of a plan, beside its [discovery] and [models.*] tables."""
        file = context.file
        for key in table:
            if key not in SETTINGS:
                hint = did_you_mean(key, SETTINGS) or f"It has {', '.join(SETTINGS)}."
                raise PlanError(f"{key!r} is not a setting of forecast. {hint}  ({file}, [forecast])")
        discovery = context.tasks.get("discovery")
        if discovery is None:
            raise PlanError(
                f"[forecast] must stand beside a [discovery] table, whose runs are its truth, got none.  ({file})"
            )
        options = {str(name): dict(value) for name, value in context.settings.get("models", {}).items()}
        asked = _strings(table, "models", (), file)
        found = cls(
            discovery=discovery,
            models={name: _located(options.get(name, {}), context.folder) for name in asked},
            references=_references(table, file),
            humans=_humans(table, context.folder, file),
            variants=_variants(table, file),
            repeats=_at_least_one(table.get("repeats", 1), "repeats", file),
            structured=_truth_value(table.get("structured", True), "structured", file),
            temperature=_temperature(table.get("temperature", 0.1), file),
            max_tokens=_at_least_one(table.get("max_tokens", 1024), "max_tokens", file),
            timeout=float(_positive(table.get("timeout", 120), "timeout", file)),
            limit_usd=_limit(context.settings.get("limit_usd"), file),
            capability={str(k): float(v) for k, v in dict(table.get("capability", {})).items()},
            seed=context.seed,
        )
        found._check_budget(file)
        return found

    @property
    def level(self) -> float:
        return self.discovery.level

    def _check_budget(self, file: str) -> None:
        """A limit is only kept where every model has a price."""
        for name, options in self.models.items():
            priced = stated_price(options.get("price"), name)
            if self.limit_usd is not None and priced is None:
                raise PlanError(
                    f"'limit_usd' must know the price of {name}, got none in the price list. Say it: "
                    f'[models."{name}"] price = {{input = 1.0, output = 4.0}} (USD per million tokens).  ({file})'
                )

    def cells(self) -> list[Cell]:
        """In an order that keeps shared text together: formulation, data set, learner."""
        return [
            self._cell(model, arms, dataset, learner)
            for model in self.models
            for arms in self.variants
            for dataset in self.discovery.datasets
            for learner in self.discovery.learners
        ]

    def _cell(self, model: str, arms: dict[str, str], dataset: str, learner: str) -> Cell:
        data = self.discovery.datasets[dataset]
        asked = messages(
            arms,
            data,
            self.discovery.learners[learner],
            self.discovery.rows_of(dataset),
            self.discovery.vary[dataset],
            self.discovery.runs,
            self.structured,
            self.discovery.describe(dataset, learner)["level_codes"],
        )
        settings = self._settings(model, arms)
        common = {"messages": asked, "settings": settings, "nodes": len(data.truth)}
        key = reply_key(model, self.models[model], asked, settings, "")
        identity = {"task": self.name, "version": VERSION, "question": key}
        return Cell(f"{dataset}/{learner}", "/".join(arms.values()), model, self.repeats, common, identity)

    def _settings(self, model: str, arms: Mapping[str, str]) -> Settings:
        options = self.models[model]
        most = options.get("max_tokens", self.max_tokens)
        return Settings(
            temperature=options.get("temperature", self.temperature),
            max_tokens=most,
            schema=schema(arms["formulation"], most, arms["target"]) if self.structured else None,
            timeout=options.get("timeout", self.timeout),
        )

    def perform(self, cell: Cell, repeat: int, ask: Ask) -> dict[str, Any]:
        """Ask one question and read the reply. A model that cannot be held to the schema answers in free text."""
        asked, settings = cell.common["messages"], cell.common["settings"]
        salt = f"repeat {repeat}"
        reply = ask(cell.respondent, asked, settings, salt)
        key = reply_key(cell.respondent, self.models[cell.respondent], asked, settings, salt)
        reading = read_reply(reply, cell.common["nodes"])
        return {
            "status": str(reading.status),
            "message": reply.message or reading.message,
            "seconds": reply.seconds,
            "answer": json.dumps({"reply": key, "read": reading.to_dict()}),
            "scores": {},
            "cost": reply.cost,
            "excerpt": " ".join(reply.text.split())[:EXCERPT],
        }

    def units(self) -> tuple[int, str]:
        return self.discovery.units()

    def describe(self, item: str, respondent: str) -> dict[str, Any]:
        return {"nodes": len(self.discovery.datasets[item.split("/")[0]].truth)}

    def about(self) -> dict[str, Any]:
        """What the tables of a forecast study need beside its replies."""
        return {
            "datasets": {name: self._dataset_about(name) for name in self.discovery.datasets},
            "learners": {name: self._learner_about(name) for name in self.discovery.learners},
            "references": list(self.references),
            "humans": self.humans,
            "targets": sorted({arms["target"] for arms in self.variants}),
            "capability": self.capability,
            "prompts": {
                name: {"version": template(name).version, "hash": template(name).hash}
                for name in dict.fromkeys(arms["formulation"] for arms in self.variants)
            },
        }

    def _dataset_about(self, name: str) -> dict[str, Any]:
        data = self.discovery.datasets[name]
        nodes, edges = len(data.truth), data.truth.n_edges()
        return {
            "nodes": nodes,
            "edges": edges,
            "density": edges / max(1, nodes * (nodes - 1) // 2),
            "rows": self.discovery.rows_of(name),
            "data": data.about.data,
            "truth": data.about.truth,
            "domain": data.about.domain,
        }

    def _learner_about(self, name: str) -> dict[str, Any]:
        card = self.discovery.learners[name].card
        assumed = {data: self.discovery.describe(data, name)["assumptions"] for data in self.discovery.datasets}
        return {
            "title": card.title,
            "base": self.discovery.learner_specs[name]["name"],
            "returns": card.returns,
            "assumes": list(card.assumes),
            "breaks": {
                data: [a for a, verdict in found.items() if verdict == "broken"] for data, found in assumed.items()
            },
        }


def read_reply(reply: Reply, nodes: int) -> Reading:
    """What a reply claims. One that never came keeps its own status; one that was cut off is read as far as it goes."""
    if reply.status not in (Status.OK, Status.TRUNCATED):
        statuses = dict.fromkeys(frames.MEASURES, reply.status)
        return Reading(dict.fromkeys(frames.MEASURES), statuses, reply.status, message=reply.message)
    reading = read_forecast(reply.text, nodes=nodes)
    if reply.status == Status.TRUNCATED and reading.status == Status.UNREADABLE:
        cut = {m: Status.TRUNCATED if s == Status.UNREADABLE else s for m, s in reading.statuses.items()}
        return replace(reading, statuses=cut, status=Status.TRUNCATED)
    return reading


# ---- checking a plan


def _variants(table: Mapping[str, Any], file: str) -> tuple[dict[str, str], ...]:
    """All combinations when `crossed`; else the first of every arm, with one arm at a time varied."""
    chosen = {}
    for arm, known in ARMS.items():
        name = _PLURAL.get(arm, arm)
        values = _strings(table, name, _DEFAULTS[arm], file)
        for value in values:
            if value not in known:
                raise PlanError(
                    f"{name!r} must be of {', '.join(known)}, got {value!r}. {did_you_mean(value, known)}  "
                    f"({file}, [forecast])"
                )
        chosen[arm] = values
    if not chosen["formulation"]:
        raise PlanError(f"'formulations' must name at least one of {', '.join(frames.FORMULATIONS)}.  ({file})")
    if _truth_value(table.get("crossed", False), "crossed", file):
        return tuple(dict(zip(chosen, values, strict=True)) for values in itertools.product(*chosen.values()))
    first = {arm: values[0] for arm, values in chosen.items()}
    others = [first | {"formulation": name} for name in chosen["formulation"]]
    for arm in ("names", "metadata", "definition", "target"):
        others += [
            base | {arm: value} for base in list(others[: len(chosen["formulation"])]) for value in chosen[arm][1:]
        ]
    return tuple(others)


def _strings(table: Mapping[str, Any], key: str, default: Sequence[str], file: str) -> tuple[str, ...]:
    values = table.get(key, list(default))
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise PlanError(f"{key!r} of [forecast] must be a list of names, got {values!r}.  ({file})")
    twice = sorted({value for value in values if values.count(value) > 1})
    if twice:
        raise PlanError(f"{key!r} of [forecast] must name each once, got {listed(twice)} twice.  ({file})")
    return tuple(values)


def _references(table: Mapping[str, Any], file: str) -> tuple[str, ...]:
    given = _strings(table, "references", tuple(REFERENCES), file)
    names = tuple(name if name.startswith("baseline/") else f"baseline/{name}" for name in given)
    for name in names:
        if name not in AVAILABLE:
            raise PlanError(
                f"'references' must be of {listed(AVAILABLE)}, got {name!r}. {did_you_mean(name, AVAILABLE)}  "
                f"({file}, [forecast])"
            )
    return names


def _humans(table: Mapping[str, Any], folder: Path, file: str) -> dict[str, str]:
    found = {}
    for name in _strings(table, "humans", (), file):
        path = folder / name.removeprefix("human/")
        if not path.is_file():
            raise PlanError(f"'humans' must be CSV files, got {name!r}, which is not there. Print a sheet to fill: "
                            f"trueness new human-sheet  ({file}, [forecast])")  # fmt: skip
        human.read_experts(path)  # a mistake in it is said now
        found[f"human/{path.stem}"] = path.read_text(encoding="utf-8-sig")
    return found


def _located(options: dict[str, Any], folder: Path) -> dict[str, Any]:
    """A mock's script lies beside the plan."""
    return options | ({"script": str(folder / options["script"])} if "script" in options else {})


def _truth_value(value: Any, name: str, file: str) -> bool:
    if not isinstance(value, bool):
        raise PlanError(f"{name!r} must be true or false, got {value!r}.  ({file}, [forecast])")
    return value


def _at_least_one(value: Any, name: str, file: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise PlanError(f"{name!r} must be a whole number of at least 1, got {value!r}.  ({file}, [forecast])")
    return value


def _positive(value: Any, name: str, file: str) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < float("inf"):
        raise PlanError(f"{name!r} must be a number above 0, got {value!r}.  ({file})")
    return float(value)


def _limit(value: Any, file: str) -> float | None:
    return None if value is None else _positive(value, "limit_usd", file)


def _temperature(value: Any, file: str) -> float | None:
    if value == "none":
        return None
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 2:
        raise PlanError(
            f"'temperature' must be a number in [0, 2] or \"none\" (the model's own), got {value!r}.  "
            f"({file}, [forecast])"
        )
    return float(value)
