"""The [robustness] table of a plan, checked: systems, corruptions, scorers, how K is chosen.

[datasets.series]  graphs = 6           six systems of one family, graph seeds g, g + 1, ...: series-0 ... series-5
[robustness.notears]  sweep.lambda1 = [0.01, 0.1]     further fits under the validation corruption: K x lambda

A cell's rows are drawn and corrupted by the driver, when a unit is handed out; one seed is the same rows for every
scorer, and the same noise under every corruption. What a worker does with them stands in work.py.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated

import numpy as np

from trueness import registry
from trueness.datasets import Dataset, load
from trueness.datasets.corruptions import Corruption, corruption
from trueness.datasets.observed import Observed
from trueness.datasets.series import RecordedSeries
from trueness.errors import PlanError, did_you_mean, listed
from trueness.learners import settings_of
from trueness.learners.scoring.edge_scores import EdgeScorer, build_scorer
from trueness.learners.scoring.leaks import check_no_leak
from trueness.measures.ranking import RANKING_MEASURES
from trueness.outside import Json, is_there
from trueness.running.cells import Cell, PlanContext, file_digest, hash_of, placeless, portable, stream
from trueness.running.outcomes import Outcome, failure_line
from trueness.settings import Between, Hint, Names, OneOf, Positive, Share, SomeNames, Whole
from trueness.statistics.reach import Reach
from trueness.studies.robustness.choose_k import STABILITY
from trueness.studies.robustness.work import StoredScores, told_apart, unpack
from trueness.texts import counted

VERSION = 1  # raise when the same plan would give other results
ENOUGH_SEEDS = 10
LEAK_ROWS = 200
EXPECTED = ("required", "forbidden")  # edges of the user's own
BUDGET_OF_GONE = {"folds": 5, "held_out": 0.3}  # in keys, so that fits and random streams of earlier plans stay


@dataclass(frozen=True)
class PlannedSystem:
    """A data set with what the tables must know of it."""

    dataset: Dataset
    settings: dict[str, Json]
    content: str
    columns: tuple[str, ...]
    lags: int
    notes: tuple[str, ...] = ()  # what was left out of it

    def rows(self, wanted: int | None) -> int:
        table = self.dataset.table
        return wanted or (self.dataset.about.rows if table is None else table.n)


@dataclass(frozen=True)
class Entry:
    """A scorer under the name that the plan gives it. `sweep`: (whose, which setting, its value)."""

    scorer: EdgeScorer
    spec: dict[str, Json]
    sweep: tuple[str, str, float] | None = None

    def takes(self, system: PlannedSystem) -> bool:
        return system.lags > 0 or not self.scorer.card.needs_series or bool(getattr(self.scorer, "lags", None))


@dataclass(frozen=True)
class RowsCell(Cell):
    """A cell whose units carry their rows, drawn by the driver when they are handed out."""

    dataset: Dataset | None = field(default=None, repr=False)
    corruption: Corruption = field(default=Corruption("clean"), repr=False)
    drawn: str = ""  # the identity of the data set alone: rows do not depend on the corruption

    def unit(self, repeat: int) -> dict[str, Json]:
        """With what a worker is handed of one seed, or the problem why there is nothing."""
        unit = super().unit(repeat)
        try:
            seen = self._rows(repeat, self.corruption)
        except Exception as error:  # a user's own data set may raise anything
            return unit | {"problem": failure_line(error)}
        return unit | {"names": seen.names, "values": seen.values, "regimes": seen.regimes, "lags": seen.lags}

    def settled(self, repeat: int, outcome: Outcome) -> Outcome:
        """With how far the scorer told signal and corruption apart, which only the driver can measure.

        Interventions are part of the system, so the clean rows have them.
        """
        answer = StoredScores.read(outcome["answer"]) if outcome["answer"] else None
        if answer is None or answer.signal is None:
            return outcome
        steps = tuple(step for step in self.corruption.steps if step.card.stage == "regimes")
        readings = self._rows(repeat, self.corruption).values
        clean = self._rows(repeat, replace(self.corruption, steps=steps)).values
        apart = told_apart(unpack(answer.signal, np.float32).reshape(readings.shape), readings, clean)
        outcome["answer"] = replace(answer, signal=None, disentanglement=apart).text()
        return outcome

    def _rows(self, repeat: int, corruption: Corruption) -> Observed:
        assert self.dataset is not None
        seed, rows, overwrite = self.common["seed"], self.identity["data"]["rows"], self.identity["overwrite"]
        rng = stream(seed, f"{self.drawn} seed {repeat}")
        noise = int(stream(seed, f"{self.drawn} corruption {repeat}").integers(2**31))
        return corruption.of(self.dataset, rows, seed=noise, rng=rng, overwrite_regimes=overwrite).observed


@dataclass(frozen=True)
class RobustnessSettings:
    """The [robustness] table of a plan, beside the tables of its scorers."""

    datasets: Annotated[SomeNames, Hint("See 'trueness list datasets'.")]
    corruptions: Annotated[SomeNames, Hint("See 'trueness list corruptions'.")]
    scorers: Annotated[SomeNames, Hint("See 'trueness list scorers'.")]
    validation: str = ""
    match: str = ""
    choose_k: Annotated[Names, OneOf((STABILITY,)), Hint("Leave the others out: they are gone.")] = (STABILITY,)
    subsamples: Annotated[int, Between(2, closed=True)] = 20
    seeds: Whole = ENOUGH_SEEDS
    k_seeds: Annotated[int, Between(0, closed=True)] | None = None
    rows: Annotated[int, Between(10, closed=True)] | None = None
    time_limit: Positive = 300.0
    level: Share = 0.95
    overwrite_regimes: bool = False
    metric: Annotated[str, OneOf(("f1", "shd"))] = "f1"  # by which K is chosen on truths, when the store is read
    k_range: Annotated[str, OneOf(("all", "original"))] = "all"
    required: Names = ()
    forbidden: Names = ()


@dataclass(frozen=True)
class Robustness:
    """The checked plan of a robustness study; `cells()` is the work."""

    settings: RobustnessSettings
    datasets: dict[str, PlannedSystem]
    corruptions: dict[str, Corruption]
    scorers: dict[str, Entry]
    validation: str
    match: str
    notes: tuple[str, ...]
    seed: int

    name = "robustness"
    function = "trueness.studies.robustness.work:perform"
    measures = tuple(RANKING_MEASURES)
    headline = ("auprc", "auroc")

    @classmethod
    def from_plan(cls, table: Mapping[str, Json], context: PlanContext) -> Robustness:
        file = context.file
        plain = {key: value for key, value in table.items() if not isinstance(value, dict)}
        options = context.settings_of("robustness", RobustnessSettings, plain)
        scorers, left_out = _scorers(table, options, context)  # the plan's words before any data
        corruptions = {one.name: one for one in map(corruption, options.corruptions)}
        datasets = _systems(options, context)
        if not scorers:
            raise PlanError(f"'scorers' of [robustness] must leave one that can run, got none. {left_out[0]}  ({file})")
        _check_leaks(scorers, datasets, file)
        names = list(corruptions)
        usual = next((name for name in ("compound_full_decoy", "compound_full") if name in names), names[0])
        validation = _check_planned("validation", options.validation or usual, names, file)
        match = _match(options, scorers, file)
        for kind, edge in ((key, edge) for key in EXPECTED for edge in getattr(options, key)):
            if edge.count(" -> ") != 1:
                raise PlanError(f"{kind!r} of [robustness] must be edges such as 'T -> RH', got {edge!r}.  ({file})")
        notes = (*left_out, *_notes(datasets, corruptions, scorers, options))
        return cls(options, datasets, corruptions, scorers, validation, match, notes, context.seed)

    @property
    def level(self) -> float:
        return self.settings.level

    @property
    def time_limit(self) -> float:
        return self.settings.time_limit

    @property
    def k_seeds(self) -> int:
        wanted, seeds = self.settings.k_seeds, self.settings.seeds
        return seeds if wanted is None else min(wanted, seeds)

    def cells(self) -> list[Cell]:
        return [
            self._cell(item, variant, name)
            for item, system in self.datasets.items()
            for variant in self.corruptions
            for name, entry in self.scorers.items()
            if entry.takes(system) and (entry.sweep is None or variant == self.validation)
        ]

    def _cell(self, item: str, variant: str, respondent: str) -> Cell:
        system, made, entry = self.datasets[item], self.corruptions[variant], self.scorers[respondent]
        data = {
            **placeless({"dataset": item}),
            "settings": placeless(system.settings),
            "content": system.content,
            "rows": self.settings.rows,
        }
        choosing = {
            "methods": self.settings.choose_k if entry.sweep is None else (),  # K x lambda needs no chosen K
            "budget": {"subsamples": self.settings.subsamples, **BUDGET_OF_GONE},
            "k_seeds": self.k_seeds,
        }
        identity = {
            "task": self.name,
            "version": VERSION,
            "data": data,
            "corruption": [str(step) for step in made.steps],
            "overwrite": self.settings.overwrite_regimes,
            "scorer": portable(entry.spec["name"]),
            "settings": settings_of(entry.scorer),
            "seed": self.seed,
            **choosing,
        }
        common = {"scorer": entry.spec, "seed": self.seed, **choosing}
        drawn = hash_of(json.dumps(data, sort_keys=True, default=str))
        return RowsCell(
            item, variant, respondent, self.settings.seeds, common, identity, system.dataset, made, drawn
        )  # fmt: skip

    def alike(self, cell: Cell) -> tuple[str, int, int, bool]:
        """Cells that take about the same time: one of them tells how long (`trueness plan`)."""
        system = self.datasets[cell.item]
        return cell.respondent, len(system.dataset.truth), system.rows(self.settings.rows), system.lags > 0

    def calibration(self, cell: Cell) -> dict[int, float]:
        """Seeds whose K is chosen by refits take longer: one of each, with its share."""
        share = self.k_seeds / self.settings.seeds
        return {0: share, self.settings.seeds - 1: 1 - share} if 0 < share < 1 else {0: 1.0}

    def reach(self) -> list[str]:
        """What paired differences could show at all: series and rows apart, graphs being what is drawn."""
        notes = []
        for series in (True, False):
            graphs = [system for system in self.datasets.values() if (system.lags > 0) == series]
            compared = [e for e in self.scorers.values() if not e.sweep and graphs and e.takes(graphs[0])]
            pairs = len(compared) * (len(compared) - 1) // 2
            if graphs and pairs:
                kind = "series" if series else "rows"
                family = f"{len(compared)} scorers in pairs over {len(graphs)} graphs ({kind})"
                notes.append(f"Comparing {family}: {Reach(len(graphs), pairs)}")
        return notes

    def describe(self, item: str, respondent: str) -> dict[str, Json]:
        system, card = self.datasets[item], self.scorers[respondent].scorer.card
        return {"truth": system.dataset.about.truth, "rows": system.rows(self.settings.rows), "missing": card.missing}

    def about(self) -> dict[str, Json]:
        """What the tables of a study need beside the scores: the truths above all, which no worker gets."""
        options = self.settings
        return {
            "datasets": {
                name: {
                    "truth": system.dataset.truth.to_json(),
                    "believed": system.dataset.about.truth,
                    "title": system.dataset.about.title,
                    "columns": list(system.columns),
                    "lags": system.lags,
                    "rows": system.rows(options.rows),
                }
                for name, system in self.datasets.items()
            },
            "corruptions": {name: asdict(made.card) for name, made in self.corruptions.items()},
            "scorers": {
                name: {
                    "title": entry.scorer.card.title,
                    "settings": settings_of(entry.scorer),
                    "sweep": list(entry.sweep) if entry.sweep else None,
                }
                for name, entry in self.scorers.items()
            },
            "validation": self.validation,
            "match": self.match,
            "methods": list(options.choose_k),
            "budget": {"subsamples": options.subsamples},
            "k_seeds": self.k_seeds,
            "metric": options.metric,
            "k_range": options.k_range,
            "expected": {name: list(getattr(options, name)) for name in EXPECTED},
            "notes": list(self.notes),
        }


def _check_planned(key: str, value: str, known: Sequence[str], file: str) -> str:
    if value not in known:
        hint = did_you_mean(value, known) or f"There are {listed(known, 12)}."
        raise PlanError(f"{key!r} of [robustness] must be one of those planned, got {value!r}. {hint}  ({file})")
    return value


def _match(options: RobustnessSettings, scorers: Mapping[str, Entry], file: str) -> str:
    """Whose K the others get too; a scorer that is left out for want of its package has none to give."""
    usual = "rc-gnn" if "rc-gnn" in options.scorers else options.scorers[0]
    wanted = _check_planned("match", options.match or usual, list(dict.fromkeys([*scorers, *options.scorers])), file)
    return wanted if wanted in scorers else next(iter(scorers))


def _systems(options: RobustnessSettings, context: PlanContext) -> dict[str, PlannedSystem]:
    tables, names = context.settings.get("datasets", {}), options.datasets
    for name in tables.keys() - set(names) if "discovery" not in context.settings else ():
        raise PlanError(
            f"[datasets.{name}] must be named in 'datasets' of [robustness], got {listed(names)}.  ({context.file})"
        )
    systems = {}
    for name in names:
        for made, settings in _members(name, dict(tables.get(name, {})), context.file):
            systems[made] = _system(made, settings, context.folder, options.rows)
    return systems


def _members(name: str, settings: dict[str, Json], file: str) -> list[tuple[str, dict[str, Json]]]:
    """`graphs = n` makes n systems of one family; they differ by their graph."""
    if "graphs" not in settings:
        return [(name, settings)]
    count, first = settings.pop("graphs"), settings.get("graph_seed", 0)
    simulated = settings.get("kind") in ("synthetic", "var") and isinstance(first, int)
    if not simulated or not isinstance(count, int) or not 1 <= count <= 1000:
        raise PlanError(
            '\'graphs\' must be a whole number in [1, 1000] beside kind = "synthetic" or "var" and a whole '
            f"'graph_seed', got {count!r:.60}.  ({file}, [datasets.{name}])"
        )
    return [(f"{name}-{k}", settings | {"graph_seed": first + k}) for k in range(count)]


def _system(name: str, settings: dict[str, Json], folder: Path, rows: int | None) -> PlannedSystem:
    notes: list[str] = []
    dataset: Dataset = load(name, settings, folder)
    if isinstance(dataset, RecordedSeries) and rows is not None and rows < dataset.table.n:
        dataset, notes = dataset.for_windows(rows)
    sample = dataset.table if dataset.table is not None else dataset.draw(50, stream(0, name))
    Corruption("clean").apply(sample, seed=0)  # says now what no corruption can take, such as discrete columns
    lags = sample.lags if isinstance(sample, Observed) else 0
    files = [folder / str(settings[key]) for key in ("data", "graph") if key in settings]
    files += [folder / part for part in name.split(":")]
    digest = "".join((*(file_digest(file) for file in files if is_there(file)), *notes))
    return PlannedSystem(dataset, settings, hash_of(digest) if digest else "", sample.names, lags, tuple(notes))


def _scorers(
    table: Mapping[str, Json], options: RobustnessSettings, context: PlanContext
) -> tuple[dict[str, Entry], list[str]]:
    """By the plan's names, and a sentence for each that cannot run here: the rest goes on."""
    names, entries, left_out = options.scorers, {}, []
    for name in (key for key, value in table.items() if isinstance(value, dict) and key not in names):
        raise PlanError(
            f"[robustness.{name}] must be named in 'scorers'. {did_you_mean(name, names)}  ({context.file})"
        )
    for name in names:
        settings = dict(table.get(name, {}))
        sweep = settings.pop("sweep", {})
        base = registry.locate(str(settings.pop("scorer", name)), context.folder)
        where = f"{context.file}, [robustness.{name}]"
        for label, setting, value in [(name, "", 0.0), *_sweep(name, sweep, where)]:
            swept = settings | ({setting: value} if setting else {})
            scorer = build_scorer(base, swept, where)
            needs = scorer.card.needs
            if needs and not registry.is_installed(needs):
                left_out.append(f"{registry.missing(needs, f'scorer {name!r}')}  It was left out; the rest goes on.")
                break
            of = (name, setting, value) if setting else None
            entries[label] = Entry(scorer, {"name": base, "settings": swept}, of)
    return entries, left_out


def _sweep(name: str, sweep: object, where: str) -> list[tuple[str, str, float]]:
    if not sweep:
        return []
    setting, values = next(iter(sweep.items())) if isinstance(sweep, dict) and len(sweep) == 1 else ("", None)
    if not isinstance(values, list) or not values or not all(isinstance(value, int | float) for value in values):
        raise PlanError(
            f"'sweep' must be one setting and its numbers, {{lambda1 = [0.01, 0.1]}}, got {sweep!r}.  ({where})"
        )
    return [(f"{name} {setting}={value:g}", setting, value) for value in values]


def _check_leaks(scorers: Mapping[str, Entry], datasets: Mapping[str, PlannedSystem], file: str) -> None:
    """A scorer of a user's own must answer the same with the truth shuffled, and may not hold on to one."""
    item, system = next(iter(datasets.items()))
    for name, entry in scorers.items():
        if ".py:" not in entry.spec["name"] or not entry.takes(system) or entry.sweep:
            continue
        rows = min(LEAK_ROWS, system.rows(None))
        try:
            report = check_no_leak(entry.scorer, system.dataset, rows)
        except Exception:  # what a scorer cannot do with these rows, its units will tell
            continue
        if not report.passed:
            raise PlanError(
                f"scorer {name!r} must not know the truth, got: {'; '.join(report.findings)} (on {item}). A study that "
                f"it sees the answers of is none.  ({file})"
            )


def _notes(
    datasets: Mapping[str, PlannedSystem], corruptions: Mapping[str, Corruption], scorers: Mapping[str, Entry],
    options: RobustnessSettings,
) -> list[str]:  # fmt: skip
    notes = [note for system in datasets.values() for note in system.notes]
    for name, entry in scorers.items():
        refused = [item for item, system in datasets.items() if not entry.takes(system)]
        if refused and entry.sweep is None:
            notes.append(f"{name} is for series and was not run on {listed(refused, 3)}: rows without time order.")
    notes += dict.fromkeys(lead for entry in scorers.values() if (lead := entry.scorer.card.lead))
    known = sum(system.dataset.about.truth == "known" for system in datasets.values())
    if known < len(datasets):
        notes.append(
            "Truths that are assumed or agreed on illustrate; simulated systems with known graphs carry claims."
        )
    if len(datasets) < 2:
        notes.append("One graph: K cannot be chosen on other graphs, and no interval is over graphs. Add data sets.")
    uses = [name for name, made in corruptions.items() if made.card.uses_graph]
    if uses:
        notes.append(f"The mask of {listed(uses)} is built from the true graph; it is in no mean over corruptions.")
    if options.overwrite_regimes:
        notes.append("Regimes overwrite recorded values: their effects on other columns are missing.")
    if options.seeds < ENOUGH_SEEDS:
        few = f"{counted(options.seeds, 'seed')} a cell: at least {ENOUGH_SEEDS}"
        notes.append(f"{few} are asked for before conclusions are drawn.")
    return notes
