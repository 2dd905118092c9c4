"""Learn: a table without a known graph is learned by studying twins of it, whose graphs are known.

    twins      systems fitted to the table, with the graphs that several learners find in it or in a resample of it
               (datasets/twins.py)
    fresh      each learner on fresh draws of every twin, as many rows as the table: who is to be believed
    resampled  each learner on resamples of one such draw, and of the table: how sure an edge is, calibrated on twins
    your graph the user's guess, and the same graph with its names permuted: is it better than chance

    R2          of each number on all others: how much the others tell (near 1: nearly dependent columns)
    trouble     a column with many gaps, one that the others nearly determine, a level that few rows have

A category enters these as columns of 0 and 1, an ordered column as its numbers; rows with a gap are left out there.
Draw k of a twin is the same table for every learner. What a worker does with a unit stands in work.py.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from trueness import atlas, registry
from trueness.atlas import LEARNERS, place_of
from trueness.datasets import Dataset, Table, load
from trueness.datasets.row_order import row_dependence
from trueness.errors import DataError, GraphError, PlanError, did_you_mean, listed
from trueness.graphs import Graph
from trueness.learners import Learner, build, handles_gaps, settings_of
from trueness.learners.gaps import gap_causes, missing_of, tell_gap_causes
from trueness.learners.knowledge import Knowledge
from trueness.outside import Json, is_there
from trueness.running.cells import Cell, PlanContext, hash_of, placeless, portable
from trueness.settings import Between, Hint, Positive, Share, Whole
from trueness.studies.learn import work
from trueness.studies.learn.guess import others_of
from trueness.studies.learn.measures import GUESS, MEASURES, TABLE

Array = NDArray[np.float64]
VERSION = 1
FEWEST_ROWS = 20
KNOWLEDGE = ("required", "forbidden", "tiers")
EXPECTED = ("f1", "precision", "recall")  # of the atlas
ENDS = (0.05, 0.95)
ANY_COLUMNS = {name: LEARNERS[name] for name in ("pc", "pc (alpha .01)", "ges", "boss")}
# DAGMA and NOTEARS follow the units of the columns (varsortability), which somebody chose: they are run where asked for
NUMBERS = {"lingam": LEARNERS["lingam"]}


@dataclass(frozen=True)
class LearnSettings:
    """The [learn] table of a plan, beside the tables of its learners."""

    data: str
    graph: str = ""
    learners: Annotated[tuple[str, ...], Hint("See 'trueness list learners'.")] = ()
    rows: Annotated[int, Between(FEWEST_ROWS, closed=True)] | None = None
    twins: Annotated[Whole, Hint("Graphs that each learner gives twins: of the table, then of resamples.")] = 2
    draws: Whole = 3
    resamples: Whole = 40
    permutations: Whole = 200
    required: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    tiers: tuple[tuple[str, ...], ...] = ()
    time_limit: Positive = 60.0
    level: Share = 0.95


@dataclass(frozen=True)
class Learn:
    """The checked plan; `cells()` is the work."""

    settings: LearnSettings
    dataset: Dataset
    data_spec: dict[str, Json]
    specs: dict[str, dict[str, Json]]
    learners: dict[str, Learner]
    guess: Graph | None
    seed: int

    name = "learn"
    function = "trueness.studies.learn.work:perform"
    measures = tuple(measure.name for measure in MEASURES)
    headline = ("f1",)

    @classmethod
    def from_plan(cls, table: Mapping[str, Json], context: PlanContext) -> Learn:
        options = {key: value for key, value in table.items() if not isinstance(value, dict)}
        chosen = context.settings_of("learn", LearnSettings, options)
        spec: dict[str, Json] = {"name": chosen.data, "folder": str(context.folder)}
        spec["settings"] = dict(context.settings.get("datasets", {}).get(chosen.data, {}))
        if is_there(context.folder / chosen.data):  # its graph, where one lies beside it, is not told to anybody
            file_settings = {"data": str(context.folder / chosen.data), "truth": "none"}
            spec |= {"name": Path(chosen.data).name, "settings": file_settings | spec["settings"]}
        dataset = load(spec["name"], spec["settings"], context.folder)
        if chosen.rows and dataset.table is not None and chosen.rows > dataset.table.n:
            raise PlanError(
                f"'rows' must be at most the {dataset.table.n} of {chosen.data}, got {chosen.rows}.  ({context.file})"
            )
        spec |= {"rows": chosen.rows, "seed": context.seed}
        sample = work.table_of(json.dumps(spec))
        if sample.n < FEWEST_ROWS:
            raise DataError(
                f"{spec['name']} must have at least {FEWEST_ROWS} rows to be resampled, got {sample.n}. Add rows."
            )
        Knowledge.of(chosen.required, chosen.forbidden, chosen.tiers, "learn").matrices(sample.names)
        specs = _specs(table, chosen, sample, context)
        learners = {name: build(one["name"], one["settings"], context.file) for name, one in specs.items()}
        guess = None
        if chosen.graph:
            guess = Graph.read(context.folder / chosen.graph)
            _check_guess(guess, sample, Path(chosen.graph).name)
        return cls(chosen, dataset, spec, specs, learners, guess, context.seed)

    @property
    def level(self) -> float:
        return self.settings.level

    @property
    def time_limit(self) -> float:
        return self.settings.time_limit

    @property
    def table(self) -> Table:
        return work.table_of(json.dumps(self.data_spec))

    def cells(self) -> list[Cell]:
        """Of the table first, then twin by twin: what is known early is of use early."""
        cells = [self._cell(TABLE, "resampled", name, None) for name in self.learners]
        if self.guess is not None:
            cells.append(self._guess_cell(self.guess))
        for item, twin in self._twins().items():
            for variant in ("fresh", "resampled"):
                cells += [self._cell(item, variant, name, twin) for name in self.learners]
        return cells

    def _twins(self) -> dict[str, dict[str, Json]]:
        sources = [name for name in self.learners if self.learners[name].card.returns in ("dag", "cpdag")]
        return {
            f"twin {k + 1} from {name}": {"source": self.specs[name], "resample": k}
            for k in range(self.settings.twins)
            for name in sources
        }

    def _repeats(self, item: str, variant: str) -> int:
        if variant == "resampled":
            return self.settings.resamples if item == TABLE else max(self.settings.resamples // 2, 2)
        return self.settings.draws

    def _cell(self, item: str, variant: str, name: str, twin: dict[str, Json] | None) -> Cell:
        common = {"data": self.data_spec, "learner": self.specs[name], "twin": twin, "variant": variant}
        identity = {
            **self._identity(item, variant),
            "twin": None if twin is None else [*self._named(item.partition(" from ")[2]).values(), twin["resample"]],
            **self._named(name),
        }
        return Cell(item, variant, name, self._repeats(item, variant), common | {"seed": self.seed}, identity)

    def _named(self, name: str) -> dict[str, Json]:
        """What decides what a learner does: also its defaults, which another version may have changed."""
        return {"learner": portable(self.specs[name]["name"]), "settings": settings_of(self.learners[name])}

    def _guess_cell(self, guess: Graph) -> Cell:
        edges = json.loads(guess.to_json())
        tried = others_of(guess, self.settings.permutations)
        every = tried < self.settings.permutations
        common = {"data": self.data_spec, "guess": edges, "variant": GUESS, "seed": self.seed, "every": every}
        identity = self._identity(GUESS, "names permuted") | {"guess": edges} | ({"every": True} if every else {})
        return Cell(GUESS, "names permuted", GUESS, tried + 1, common, identity)

    def _identity(self, item: str, variant: str) -> dict[str, Json]:
        table = self.table
        content = hash_of(json.dumps(table.layout) + hash_of(table.values.tobytes().hex()))
        data = {**placeless({"name": self.data_spec["name"]}), "content": content, "seed": self.seed}
        return {
            "task": self.name,
            "version": VERSION,
            "data": data,
            "item": item.split(" from ")[0],
            "variant": variant,
        }

    def units(self) -> tuple[int, str]:
        return len(self._twins()), "twins"

    def cautions(self) -> list[str]:
        count = self.settings.resamples
        return [f"{count} resamples tell odds no finer than {1 / count:.2f}."] if count < 20 else []

    def about(self) -> dict[str, Json]:
        """What the data look like, and what was left out of them."""
        table, order = self.table, None if self.dataset.table is None else row_dependence(self.dataset.table)
        return look_at(table) | {
            "gap_causes": _tell_gaps(table, self.specs) if table.has_gaps else "",
            "row_dependence": None if order is None else order.to_dict(),
            "data": self.data_spec["name"],
            "notes": list(self.dataset.about.notes),
            "guess": None if self.guess is None else json.loads(self.guess.to_json()),
            "not_heeding": self._not_heeding(),
            "atlas": self._in_the_atlas(table),
            "classes": {name: learner.card.returns for name, learner in self.learners.items()},
        }

    def _in_the_atlas(self, table: Table) -> dict[str, Json]:
        """What the atlas expects of each learner before anything has run, and where the table lies beyond it."""
        place = place_of(table)
        expected: dict[str, dict[str, float]] = {}
        for name, spec in self.specs.items():
            settings = {key: value for key, value in spec["settings"].items() if key not in (*KNOWLEDGE, "missing")}
            entry = atlas.entry_of(spec["name"], settings)
            if entry is not None:
                expected[name] = {measure: round(place.expects(entry, measure), 4) for measure in EXPECTED}
                ends = place.at(entry, "f1", ENDS)
                expected[name] |= {"low": round(float(ends[0]), 4), "high": round(float(ends[1]), 4)}
        return {"expected": expected, "beyond": list(place.beyond)}

    def _not_heeding(self) -> list[str]:
        """Learners that cannot be told what is known beforehand, where something is."""
        known = [key for key in KNOWLEDGE if getattr(self.settings, key)]
        return [name for name, learner in self.learners.items() if not set(known) <= settings_of(learner).keys()]

    def describe(self, item: str, respondent: str) -> dict[str, Json]:
        if respondent not in self.learners:
            return {"rows": self.table.n, "truth": "assumed"}
        returns = self.learners[respondent].card.returns
        return {"returns": returns, "rows": self.table.n, "truth": "none" if item == TABLE else "known"}


def _specs(
    table: Mapping[str, Json], chosen: LearnSettings, sample: Table, context: PlanContext
) -> dict[str, dict[str, Json]]:
    """Of each learner: its name and settings; [learn.NAME] holds settings, `learner = "pc"` in it makes NAME a pc."""
    usual = ANY_COLUMNS | (NUMBERS if not sample.discrete.any() else {})
    names = chosen.learners or tuple(usual)
    for name in (key for key, value in table.items() if isinstance(value, dict) and key not in names):
        hint = did_you_mean(name, names)
        raise PlanError(f"[learn.{name}] must be named in 'learners'. {hint}  ({context.file})")
    knowledge = {key: value for key in KNOWLEDGE if (value := getattr(chosen, key))}
    specs = {}
    for name in names:
        base, settings = usual.get(name, (name, {}))
        settings = settings | dict(table.get(name, {}))
        base = registry.locate(str(settings.pop("learner", base)), context.folder)
        learner = build(base, settings, f"{context.file}, [learn.{name}]")
        takes = learner.card.takes(sample) and (handles_gaps(learner) or not sample.has_gaps)
        if not takes and chosen.learners:
            raise DataError(
                f"{chosen.data} must suit {name}, got {sample.kind} columns"
                f"{' with gaps' if sample.has_gaps else ''}. Leave it out of 'learners'.  ({context.file})"
            )
        if takes:
            chosen_for_gaps = missing_of(learner, sample) if "missing" not in settings else "testwise"
            settings |= {} if chosen_for_gaps == "testwise" else {"missing": chosen_for_gaps}
            specs[name] = {"name": base, "settings": _with_knowledge(learner, settings, knowledge)}
    if not specs:
        raise DataError(f"{chosen.data} must suit at least one learner of {listed(names)}, got none.  ({context.file})")
    return specs


def _tell_gaps(table: Table, specs: Mapping[str, dict[str, Json]]) -> str:
    """On what gaps hang, and what learners were told of them; '' where they hang on nothing."""
    causes = gap_causes(table)
    ways: dict[str, list[str]] = {}
    for name, spec in specs.items():
        ways.setdefault(str(spec["settings"].get("missing", "testwise")), []).append(name)
    how = "; ".join(f"missing = {way!r} for {listed(names)}" for way, names in ways.items())
    return f"{tell_gap_causes(causes)}: {how}" if causes else ""


def _with_knowledge(learner: Learner, settings: dict[str, Json], knowledge: Mapping[str, Json]) -> dict[str, Json]:
    """Where the learner can heed it; the report says who cannot."""
    heeds = settings_of(learner)
    return settings | {key: value for key, value in knowledge.items() if key in heeds}


def _check_guess(guess: Graph, sample: Table, file: str) -> None:
    if guess.kind != "dag":
        raise GraphError(f"the graph in {file} must be a dag to imply independences, got a {guess.kind}.")
    strange, absent = (sorted({*a} - {*b}) for a, b in ((guess.nodes, sample.names), (sample.names, guess.nodes)))
    if strange:
        hint = did_you_mean(strange[0], absent) or "Drop what was left out of the table or is not in it."
        raise GraphError(f"the nodes of {file} must be columns that are learned from, got {listed(strange)}. {hint}")
    if absent:
        raise GraphError(
            f"the nodes of {file} must be all {sample.d} columns that are learned from, got none for {listed(absent)}. "
            "Name a column without edges too: in DOT `name;`."
        )


# ---- what a table looks like


def look_at(table: Table) -> dict[str, object]:
    columns = [_column(table, j) for j in range(table.d)]
    table = table.read_ordered()
    whole = table.values[~table.gaps.any(axis=1)]
    numbers = np.flatnonzero(~table.discrete)
    if len(numbers) and len(whole) > 3 * table.d + 20:
        for j in numbers:
            columns[j]["r2"] = _r2(table, whole, j)
    return {"n": table.n, "d": table.d, "kind": table.kind, "complete_rows": len(whole), "columns": columns}


def _column(table: Table, j: int) -> dict[str, object]:
    """complete_without: rows that would be complete if it were left out; least: rows of its rarest level."""
    values, levels = table.values[:, j], table.levels[j]
    missing = int(np.isnan(values).sum())
    seen = values[~np.isnan(values)]
    kind = "continuous" if levels is None else f"{len(levels)} {'ordered ' * bool(table.ordered[j])}levels"
    looked: dict[str, object] = {"column": table.names[j], "kind": kind, "missing": missing}
    if missing:
        looked["complete_without"] = int((~np.delete(table.gaps, j, axis=1).any(axis=1)).sum())
    if levels is None:
        return looked | {"variance": float(seen.var())}
    return looked | {"least": int(np.bincount(seen.astype(int), minlength=len(levels)).min())}


def _r2(table: Table, whole: Array, j: int) -> float:
    """The share of a number's variance that a linear regression on all other columns explains."""
    y, others = whole[:, j] - whole[:, j].mean(), [np.ones(len(whole))]
    for i in range(table.d):
        if i != j and table.levels[i] is None:
            others.append((whole[:, i] - whole[:, i].mean()) / max(whole[:, i].std(), 1e-12))
        elif i != j:
            others += [(whole[:, i] == level).astype(float) for level in range(1, len(table.levels[i] or ()))]
    x = np.stack(others, 1)
    rest = y - x @ np.linalg.lstsq(x, y, rcond=None)[0]
    return float(1 - rest @ rest / max(float(y @ y), 1e-300))
