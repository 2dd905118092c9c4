"""Forecast: does a model know what a learner will do on a data set?

A model is told a data set and a learner and gives ranges for precision, recall, F1 and SHD. The truth is what the
runs of the plan's own [discovery] showed. Baselines and people answer the same questions (forecast/references.py);
they are not asked, so they cost no cell.

A cell is one model on one (data set, learner) in one variant:

    variant = formulation/names/metadata/definition/target,  e.g. direct/named/full/told/run
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Protocol

import numpy as np

from trueness import atlas
from trueness.atlas import entry_of, place_of
from trueness.datasets import Dataset
from trueness.errors import PlanError, did_you_mean, listed
from trueness.learners import Learner
from trueness.models import Settings
from trueness.outside import MEGABYTE, Json, inside, is_there, text_of
from trueness.running.cells import Ask, Cell, PlanContext, reply_key
from trueness.running.outcomes import Outcome
from trueness.settings import Names, OneOf, Positive, SomeNames, Temperature, Whole, temperature_to_send
from trueness.studies.forecast import frames
from trueness.studies.forecast.answers import perform
from trueness.studies.forecast.prompting import Template, messages, own_template, schema, template
from trueness.studies.forecast.references import ATLAS, REFERENCES, TAUS, questions, read_experts

VERSION = 1  # raise when the same plan would ask other questions
MAX_WORDING = MEGABYTE
SHORT = tuple(name.removeprefix("baseline/") for name in REFERENCES)


@dataclass(frozen=True)
class ForecastSettings:
    """The [forecast] table of a plan."""

    models: Names = ()
    references: Annotated[Names, OneOf((*SHORT, *REFERENCES))] = REFERENCES
    humans: Names = ()
    formulations: SomeNames = frames.FORMULATIONS[:3]  # ours, the original's, or files with the user's own wording
    names: Annotated[SomeNames, OneOf(frames.NAMES)] = ("named",)
    metadata: Annotated[SomeNames, OneOf(frames.METADATA)] = ("full",)
    definition: Annotated[SomeNames, OneOf(frames.DEFINITION)] = ("told",)
    targets: Annotated[SomeNames, OneOf(frames.TARGETS)] = ("run",)
    repeats: Whole = 1
    structured: bool = True
    temperature: Temperature = 0.1
    max_tokens: Whole = 1024
    timeout: Positive = 120.0
    capability: dict[str, float] = field(default_factory=dict)
    famous: Names = ()  # data sets that a model may know by heart; none: contamination.FAMOUS


class MeasuredRuns(Protocol):
    """What is asked of the plan's [discovery]: the study whose runs are the truth."""

    runs: int
    seed: int
    level: float
    vary: dict[str, str]
    datasets: dict[str, Dataset]
    learners: dict[str, Learner]
    learner_specs: Mapping[str, Mapping[str, Json]]

    def rows_of(self, item: str) -> int: ...

    def describe(self, item: str, respondent: str) -> dict[str, Json]: ...

    def units(self) -> tuple[int, str]: ...


@dataclass(frozen=True)
class Forecast:
    """The checked plan of a forecast study; `cells()` is what models are asked."""

    discovery: MeasuredRuns
    models: dict[str, dict[str, Json]]  # name -> options
    references: tuple[str, ...]
    humans: dict[str, str]  # respondent -> text of its CSV
    variants: tuple[dict[str, str], ...]
    templates: dict[str, Template]  # formulation -> its words
    settings: ForecastSettings
    limit_usd: float | None
    seed: int

    name = "forecast"
    headline = ("covers_mean", "coverage_runs", "interval_score")
    measures = ("covers_mean", "coverage_runs", "interval_score")

    @classmethod
    def from_plan(cls, table: Mapping[str, Json], context: PlanContext) -> Forecast:
        """From the [forecast] table of a plan, beside its [discovery] and [models.*] tables."""
        settings = context.settings_of("forecast", ForecastSettings, table)
        where = f"{context.file}, [forecast]"
        discovery = context.tasks.get("discovery")
        if discovery is None:
            raise PlanError(
                "[forecast] must stand beside a [discovery] table, whose runs are its truth, got none.  "
                f"({context.file})"
            )
        templates = _templates(settings.formulations, context.folder, where)
        return cls(
            discovery=discovery,
            models=context.models_of(settings.models),
            references=tuple(name if name in REFERENCES else f"baseline/{name}" for name in settings.references),
            humans=_humans(settings.humans, context.folder, where, discovery),
            variants=_variants(settings, list(templates)),
            templates=templates,
            settings=settings,
            limit_usd=context.limit_usd,
            seed=context.seed,
        )

    @property
    def level(self) -> float:
        return self.discovery.level

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
        question = messages(
            self.templates[arms["formulation"]],
            arms,
            data,
            self.discovery.learners[learner],
            self.discovery.rows_of(dataset),
            self.discovery.vary[dataset],
            self.discovery.runs,
            self.settings.structured,
            self.discovery.describe(dataset, learner)["level_codes"],
        )
        settings = self._settings(model, arms)
        common = {"messages": question, "settings": settings, "nodes": len(data.truth)}
        key = reply_key(model, self.models[model], question, settings, "")
        identity = {"task": self.name, "version": VERSION, "question": key}
        return Cell(f"{dataset}/{learner}", "/".join(arms.values()), model, self.settings.repeats, common, identity)

    def _settings(self, model: str, arms: Mapping[str, str]) -> Settings:
        """A wording that does not tell the form of the answer is answered in free text."""
        options, ours, form = self.models[model], self.settings, arms["formulation"]
        most = options.get("max_tokens", ours.max_tokens)
        held = ours.structured and self.templates[form].has_form
        return Settings(
            temperature=options.get("temperature", temperature_to_send(ours.temperature)),
            max_tokens=most,
            schema=schema(form, most, arms["target"]) if held else None,
            timeout=options.get("timeout", ours.timeout),
        )

    def perform(self, cell: Cell, repeat: int, ask: Ask) -> Outcome:
        return perform(cell, repeat, ask, self.models[cell.respondent])

    def units(self) -> tuple[int, str]:
        return self.discovery.units()

    def describe(self, item: str, respondent: str) -> dict[str, Json]:
        return {"nodes": len(self.discovery.datasets[item.split("/")[0]].truth)}

    def about(self) -> dict[str, Json]:
        """What the tables of a forecast study need beside its replies."""
        return {
            "datasets": {name: self._dataset_about(name) for name in self.discovery.datasets},
            "learners": {name: self._learner_about(name) for name in self.discovery.learners},
            "references": list(self.references),
            "humans": self.humans,
            "targets": list(dict.fromkeys(arms["target"] for arms in self.variants)),
            "capability": {str(who): float(rank) for who, rank in self.settings.capability.items()},
            "prompts": {name: {"version": made.version, "hash": made.hash} for name, made in self.templates.items()},
            "famous": list(self.settings.famous),
        }

    def _dataset_about(self, name: str) -> frames.DatasetAbout:
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
            **({"atlas": self._in_the_atlas(name)} if ATLAS in self.references else {}),
        }

    def _in_the_atlas(self, name: str) -> dict[str, dict[str, dict[str, list[float]]]]:
        """Learner -> measure -> target -> quantiles, of a table as the learners get it."""
        rng = np.random.default_rng(self.discovery.seed)
        place = place_of(self.discovery.datasets[name].draw(self.discovery.rows_of(name), rng))
        known = {who: entry_of(spec["name"], spec["settings"]) for who, spec in self.discovery.learner_specs.items()}
        return {
            who: {m: {t: place.at(entry, m, TAUS, t).round(4).tolist() for t in atlas.TARGETS} for m in atlas.MEASURES}
            for who, entry in known.items()
            if entry is not None
        }

    def _learner_about(self, name: str) -> frames.LearnerAbout:
        card = self.discovery.learners[name].card
        assumed = {data: self.discovery.describe(data, name)["assumptions"] for data in self.discovery.datasets}
        return {
            "title": card.title,
            "base": self.discovery.learner_specs[name]["name"],
            "returns": card.returns,
            "family": card.family,
            "assumes": list(card.assumes),
            "breaks": {
                data: [a for a, verdict in each.items() if verdict == "broken"] for data, each in assumed.items()
            },
        }


# ---- checking a plan


def _templates(names: Sequence[str], folder: Path, where: str) -> dict[str, Template]:
    """Formulation -> template: one of ours, or a file of the user's, which is called as the file without its ending."""
    templates: dict[str, Template] = {}
    for name in names:
        if name in frames.FORMULATIONS:
            made = template(name)
        elif Path(name).suffix in (".md", ".txt"):
            path = inside(folder, name, f"a wording of your own in {where}", PlanError)
            made = own_template(name, text_of(path, MAX_WORDING, PlanError), where)
        else:
            raise PlanError(
                f"'formulations' of forecast must be of {listed(frames.FORMULATIONS, 20)}, or a .md or .txt file, got "
                f"{name!r}. {did_you_mean(name, frames.FORMULATIONS)}".rstrip()
                + f"  ({where})"
            )
        if made.name in (*templates, frames.REFERENCE) or "/" in made.name:
            raise PlanError(f"each of 'formulations' must have a name of its own, got {made.name!r} again.  ({where})")
        if made.version == "own" and made.name in frames.FORMULATIONS:
            raise PlanError(f"a wording of your own must not be called {made.name!r}, as ours is.  ({where})")
        templates[made.name] = made
    return templates


def _variants(settings: ForecastSettings, formulations: Sequence[str]) -> tuple[dict[str, str], ...]:
    """The first of every arm, with one arm at a time varied."""
    chosen = {
        "formulation": formulations, "names": settings.names, "metadata": settings.metadata,
        "definition": settings.definition, "target": settings.targets,
    }  # fmt: skip
    first = {arm: values[0] for arm, values in chosen.items()}
    forms = [first | {"formulation": name} for name in formulations]
    return (*forms, *(form | {arm: value} for arm in frames.ARMS[1:] for form in forms for value in chosen[arm][1:]))


def _humans(names: Sequence[str], folder: Path, where: str, discovery: MeasuredRuns) -> dict[str, str]:
    sheets, sizes = {}, {name: frames.DatasetAbout(nodes=len(data.truth)) for name, data in discovery.datasets.items()}
    for name in names:
        path = folder / name.removeprefix("human/")
        if not is_there(path):
            raise PlanError(f"'humans' must be CSV files, got {name!r}, which is not there. Print a sheet to fill: "
                            f"trueness new human-sheet  ({where})")  # fmt: skip
        read_experts(path, questions(sizes, discovery.learners))  # a mistake in it is said now
        sheets[f"human/{path.stem}"] = path.read_text(encoding="utf-8-sig")
    return sheets
