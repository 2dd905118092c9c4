"""Discovery: what graph does a learner find in data whose graph we know?

For each data set, learner and repeat: draw rows, fit, score the graph against the truth. What varies between
repeats is always named:

    redraw       a fresh sample from the known model
    bootstrap    rows drawn with replacement from one sample (the only way with real data)
    permute      the order of the columns of one sample
    seed         nothing but the learner's own random generator
    auto         redraw where rows are simulated, bootstrap where they were measured

Repeat k of a data set is the same table for every learner, so learners can be compared in pairs.
What a worker does with a unit stands in work.py.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from trueness import registry
from trueness.datasets import About, Dataset, check_usable, has_truth, load, nodes_of, targets_of
from trueness.datasets.row_order import row_dependence
from trueness.errors import PlanError, did_you_mean, listed
from trueness.learners import Card, Learner, build, fitting, handles_gaps, settings_of
from trueness.measures.graphs import MEASURES
from trueness.outside import Json
from trueness.running.cells import Cell, PlanContext, file_digest, hash_of, placeless, portable, stream
from trueness.settings import Between, Hint, Positive, Share, SomeNames, Whole
from trueness.statistics.runs import quantile_bounds, range_note
from trueness.studies.discovery.work import LearnerSpec, as_taken, reference_of

Vary = Literal["auto", "redraw", "bootstrap", "permute", "seed"]
VERSION = 1  # raise when the same plan would give other results


@dataclass(frozen=True)
class DiscoverySettings:
    """The [discovery] table of a plan, beside the tables of its learners."""

    datasets: Annotated[SomeNames, Hint("See 'trueness list datasets'.")]
    learners: Annotated[SomeNames, Hint("See 'trueness list learners'.")]
    runs: Whole = 100
    vary: Vary = "auto"
    rows: Annotated[int, Between(2, closed=True)] | None = None
    time_limit: Positive = 300.0
    codes: bool = False
    level: Share = 0.95


@dataclass(frozen=True)
class Discovery:
    """The checked plan of a discovery study; `cells()` is the work."""

    datasets: dict[str, Dataset]
    learners: dict[str, Learner]
    learner_specs: dict[str, LearnerSpec]
    dataset_specs: dict[str, dict[str, Json]]
    runs: int
    vary: dict[str, str]  # data set -> what varies
    rows: int | None
    time_limit: float
    codes: bool
    level: float
    seed: int

    name = "discovery"
    function = "trueness.studies.discovery.work:perform"
    measures = tuple(MEASURES)
    headline = ("precision", "recall", "f1", "shd")

    @classmethod
    def from_plan(cls, table: Mapping[str, Json], context: PlanContext) -> Discovery:
        """From the [discovery] table of a plan and its [datasets.*] tables."""
        dataset_tables, seed = context.settings.get("datasets", {}), context.seed
        folder, file = context.folder, context.file
        options = {key: value for key, value in table.items() if not isinstance(value, dict)}
        settings = context.settings_of("discovery", DiscoverySettings, options)
        names = settings.datasets
        for name in dataset_tables.keys() - set(names):
            raise PlanError(
                f"[datasets.{name}] must be named in 'datasets' of [discovery], got {listed(names)}.  ({file})"
            )
        dataset_specs: dict[str, dict[str, Json]] = {
            name: {"settings": dict(dataset_tables.get(name, {})), "folder": str(folder)} for name in names
        }
        learner_specs, learners = _learners(table, settings.learners, folder, file)  # the plan's words before any data
        datasets = {name: load(name, spec["settings"], folder) for name, spec in dataset_specs.items()}
        vary = {name: _vary(settings.vary, name, dataset, file) for name, dataset in datasets.items()}
        task = cls(
            datasets, learners, learner_specs, dataset_specs, settings.runs, vary, settings.rows, settings.time_limit,
            settings.codes, settings.level, seed,
        )  # fmt: skip
        task._check_pairs()
        return task

    def _check_pairs(self) -> None:
        """A learner that cannot take a data set is found before anything runs."""
        for name, dataset in self.datasets.items():
            table = (
                dataset.table
                if dataset.table is not None
                else dataset.draw(50 + len(nodes_of(dataset)), stream(0, name))
            )
            for learner in self.learners.values():
                if dataset.table is not None:
                    check_usable(table, gaps=handles_gaps(learner))
                fitting(as_taken(table, learner.card, self.codes), learner.card)

    def cells(self) -> list[Cell]:
        return [self._cell(item, respondent) for item in self.datasets for respondent in self.learners]

    def _cell(self, item: str, respondent: str) -> Cell:
        dataset, spec = self.dataset_specs[item], self.learner_specs[respondent]
        common = {
            "dataset": {"name": item, **dataset},
            "learner": spec,
            "vary": self.vary[item],
            "rows": self.rows,
            "codes": self.codes,
            "seed": self.seed,
        }
        data = {
            **placeless({"dataset": item}),
            "settings": placeless(dataset["settings"]),
            "content": _content(item, dataset),
            "vary": common["vary"],
            "rows": self.rows,
            "seed": self.seed,
        }
        common["data_identity"] = hash_of(json.dumps(data, sort_keys=True, default=str))
        identity = {
            "task": self.name,
            "version": VERSION,
            "data": data,
            "codes": self.codes,
            "learner": portable(spec["name"]),
            "settings": settings_of(self.learners[respondent]),
        }
        if self.datasets[item].about.data == "mixed" and self.learners[respondent].card.missing:
            identity["columns"] = "mixed"  # before, these learners got the codes of categories as numbers
        return Cell(item, "clean", respondent, self.runs, common, identity)

    def rows_of(self, item: str) -> int:
        """Rows a fit sees: `rows` of the plan, the real table's own number, or the data set's default."""
        dataset = self.datasets[item]
        if self.rows is not None and (dataset.table is None or self.vary[item] == "bootstrap"):
            return self.rows
        return dataset.about.rows if dataset.table is None else dataset.table.n

    def units(self) -> tuple[int, str]:
        """What was drawn independently."""
        return len(self.datasets), "data sets"

    def cautions(self) -> list[str]:
        """What so few runs cannot show."""
        runs, notes = self.runs, []
        if runs < 100:
            notes.append(
                f"{runs} runs a cell: at least 100 are asked for before conclusions are drawn from intervals. "
                f"{range_note([runs], self.level)}".rstrip()
            )
        if quantile_bounds(list(range(min(runs, 1000))), 0.025).low is None:  # what many can, a thousand can
            notes.append(
                f"With {runs} runs the ends of the 2.5 to 97.5 % range of runs cannot be bounded from outside "
                "(146 runs can); the CI of the mean is not affected."
            )
        return notes

    def describe(self, item: str, respondent: str) -> dict[str, Json]:
        """What a reader must know of a cell: class, truth, assumptions met and broken, a perfect and a chance score."""
        dataset, learner = self.datasets[item], self.learners[respondent]
        card = learner.card
        perfect: dict[str, float | None] = {}
        more: dict[str, Json] = {}
        if targets_of(dataset):
            more["experiments"] = getattr(learner, "experiments", "observational")
        if getattr(learner, "scale", "") == "raw" and "standardised" not in dataset.about.properties:
            more["scale"] = "raw"
        order = None if dataset.table is None else row_dependence(dataset.table)
        if order is not None and not order.passed:
            more["row_dependence"] = order.to_dict()
        if dataset.about.notes:
            more["notes"] = list(dataset.about.notes)
        if has_truth(dataset):
            spec = json.dumps({"name": item, **self.dataset_specs[item]})
            reference = reference_of(spec, card.interventions == "targets")
            perfect = {name: score.value for name, score in reference.perfect(card.returns).items()}
            more["chance_f1"] = reference.chance(card.returns)
        return {
            "returns": card.returns,
            "vary": self.vary[item],
            "rows": self.rows_of(item),
            "truth": dataset.about.truth,
            "level_codes": self.codes and "discrete" not in card.data and dataset.about.data != "continuous",
            "assumptions": assumptions(card, dataset.about),
            "perfect_class_against_dag": perfect,
        } | more


def assumptions(card: Card, about: About) -> dict[str, str]:
    """Each assumption of the learner: met, broken, or unknown on this data set."""
    known = set(about.properties)
    gaussian = "gaussian noise" in known
    noise = any(text.endswith("noise") for text in known)
    continuous = about.data == "continuous"
    verdicts = {
        "causal sufficiency": "met" if "causally sufficient" in known else "unknown",
        "acyclicity": "met" if about.truth == "known" else "unknown",
        "no selection bias": "met" if about.truth == "known" else "unknown",  # what we draw, we draw whole
        "continuous variables": "met" if continuous else "broken",
        "linear relations": "met"
        if "linear" in known
        else "broken"
        if "nonlinear" in known or not continuous
        else "unknown",
        "nonlinear relations": "met" if "nonlinear" in known else "broken" if "linear" in known else "unknown",
        "additive noise": "broken" if "post-nonlinear" in known else "met" if noise else "unknown",
        "non-Gaussian noise": "broken" if gaussian or not continuous else "met" if noise else "unknown",
        "Gaussian noise": "met" if gaussian else "broken" if noise or not continuous else "unknown",
        "known targets": "met" if any(text.startswith("interventions (") for text in known) else "unknown",
        "causes have smaller variance": "broken" if "standardised" in known else "unknown",
    }
    return {name: verdicts.get(name, "unknown") for name in card.assumes}


# ---- checking a plan


def _learners(
    table: Mapping[str, Json], names: Sequence[str], folder: Path, file: str
) -> tuple[dict[str, LearnerSpec], dict[str, Learner]]:
    """[discovery.NAME] holds settings; `learner = "pc"` in it makes NAME another version of pc."""
    specs: dict[str, LearnerSpec] = {}
    learners = {}
    for name in (key for key, value in table.items() if isinstance(value, dict) and key not in names):
        raise PlanError(f"[discovery.{name}] must be named in 'learners'. {did_you_mean(name, names)}  ({file})")
    for name in names:
        settings = dict(table.get(name, {}))
        base = registry.locate(str(settings.pop("learner", name)), folder)
        learners[name] = build(base, settings, f"{file}, [discovery.{name}]")
        specs[name] = {"name": base, "settings": settings}
    return specs, learners


def _vary(vary: Vary, name: str, dataset: Dataset, file: str) -> str:
    if vary == "auto":
        return "redraw" if dataset.table is None else "bootstrap"
    if vary == "redraw" and dataset.table is not None:
        raise PlanError(
            f"'vary' must be bootstrap, permute, seed or auto for {name}, got 'redraw': it holds real rows, and has "
            f"no model to draw fresh ones from.  ({file}, [discovery])"
        )
    return str(vary)


def _content(name: str, spec: Mapping[str, Json]) -> str:
    """A hash of a user's own files, so that changed data are new work; '' for what the package holds."""
    folder = Path(spec["folder"])
    files = [str(spec["settings"].get("data", "")), str(spec["settings"].get("graph", "")), *name.split(":")]
    digest = "".join(file_digest(folder / file) for file in files if file and (folder / file).is_file())
    return hash_of(digest) if digest else ""
