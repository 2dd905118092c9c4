"""The [robustness] table of a plan, checked: systems, corruptions at their strengths, scorers, how K is chosen.

[datasets.series]  graphs = 6           six systems of one family, graph seeds g, g + 1, ...: series-0 ... series-5
strengths = [0.5, 1]                    every corruption also at half its strength: "mcar_40 x 0.5"
[robustness.notears]  sweep.lambda1 = [0.01, 0.1]     further fits under the validation corruption: K x lambda
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, TypeVar

from trueness import registry
from trueness.datasets import Dataset, load
from trueness.datasets.corruptions import Corruption, corruption
from trueness.datasets.observed import Observed
from trueness.datasets.recorded import RecordedSeries
from trueness.errors import PlanError, TruenessError, did_you_mean, listed
from trueness.learners import settings_of
from trueness.learners.scoring.edge_scores import EdgeScorer, build_scorer
from trueness.learners.scoring.leaks import check_no_leak
from trueness.outside import Json, is_there
from trueness.running.cells import PlanContext, file_digest, hash_of, stream
from trueness.settings import Between, Hint, Names, OneOf, Positive, Share, SomeNames, Whole
from trueness.studies.robustness.label_free import LABEL_FREE, Budget
from trueness.studies.robustness.sensitivity import check_k
from trueness.texts import counted

ENOUGH_SEEDS = 10
LEAK_ROWS = 200
_SERIES_ONLY = "{} is for series and was not run on {}: rows without time order."


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

    def to_dict(self, rows: int | None) -> dict[str, object]:
        about = self.dataset.about
        return {
            "truth": self.dataset.truth.to_json(),
            "believed": about.truth,
            "title": about.title,
            "columns": list(self.columns),
            "lags": self.lags,
            "rows": self.rows(rows),
        }


@dataclass(frozen=True)
class PlannedVariant:
    """A corruption at a share of its strength."""

    corruption: Corruption
    base: str
    factor: float

    def to_dict(self) -> dict[str, object]:
        card = self.corruption.card
        return asdict(card) | {"base": self.base, "factor": self.factor}


@dataclass(frozen=True)
class Entry:
    """A scorer under the name that the plan gives it. `sweep`: (whose, which setting, its value)."""

    scorer: EdgeScorer
    spec: dict[str, Json]
    sweep: tuple[str, str, float] | None = None

    def takes(self, system: PlannedSystem) -> bool:
        return system.lags > 0 or not self.scorer.card.needs_series or bool(getattr(self.scorer, "lags", None))

    def to_dict(self) -> dict[str, object]:
        card = self.scorer.card
        return {
            "title": card.title,
            "missing": card.missing,
            "symmetric": card.symmetric,
            "assumes": list(card.assumes),
            "settings": settings_of(self.scorer),
            "sweep": list(self.sweep) if self.sweep else None,
        }


@dataclass(frozen=True)
class RobustnessSettings:
    """The [robustness] table of a plan, beside the tables of its scorers."""

    datasets: Annotated[SomeNames, Hint("See 'trueness list datasets'.")]
    corruptions: Annotated[SomeNames, Hint("See 'trueness list corruptions'.")]
    scorers: Annotated[SomeNames, Hint("See 'trueness list scorers'.")]
    strengths: tuple[float, ...] = (1.0,)
    validation: str = ""
    match: str = ""
    choose_k: Annotated[Names, OneOf(LABEL_FREE)] = LABEL_FREE
    subsamples: Annotated[int, Between(2, closed=True)] = Budget.subsamples
    folds: Annotated[int, Between(2, closed=True)] = Budget.folds
    held_out: Share = Budget.held_out
    seeds: Whole = ENOUGH_SEEDS
    k_seeds: Annotated[int, Between(0, closed=True)] | None = None
    rows: Annotated[int, Between(10, closed=True)] | None = None
    time_limit: Positive = 300.0
    level: Share = 0.95
    overwrite_regimes: bool = False
    k: Whole | None = None
    metric: Annotated[str, OneOf(("f1", "shd"))] = "f1"
    k_range: Annotated[str, OneOf(("all", "original"))] = "all"
    required: Names = ()
    forbidden: Names = ()


@dataclass(frozen=True)
class RobustnessPlan:
    """What the table says, with the data sets, corruptions and scorers that it names."""

    datasets: dict[str, PlannedSystem]
    corruptions: dict[str, PlannedVariant]
    scorers: dict[str, Entry]
    validation: str
    match: str
    methods: tuple[str, ...]
    budget: Budget
    seeds: int
    k_seeds: int
    rows: int | None
    time_limit: float
    level: float
    overwrite_regimes: bool
    k: int | None  # given by the user, beside those that are chosen
    metric: str  # by which oracle_k and k_from_other_graphs are chosen, when the store is read
    k_range: str
    expected: dict[str, list[str]]  # required and forbidden edges of the user's
    notes: tuple[str, ...]
    seed: int


Made = TypeVar("Made", bound=RobustnessPlan)


def read(made: type[Made], table: Mapping[str, Json], context: PlanContext) -> Made:
    """From the [robustness] table of a plan and its [datasets.*] tables."""
    file = context.file
    plain = {key: value for key, value in table.items() if not isinstance(value, dict)}
    options = context.settings_of("robustness", RobustnessSettings, plain)
    scorers, left_out = _scorers(table, options, context)  # the plan's words before any data
    corruptions = _corruptions(options, file)
    datasets = _systems(options, context)
    bases = list(dict.fromkeys(variant.base for variant in corruptions.values()))
    if not scorers:
        raise PlanError(f"'scorers' of [robustness] must leave one that can run, got none. {left_out[0]}  ({file})")
    _check_leaks(scorers, datasets, file)
    notes = [*left_out, *_notes(datasets, corruptions, scorers, options)]
    return made(
        datasets=datasets,
        corruptions=corruptions,
        scorers=scorers,
        validation=_check_planned("validation", options.validation or _validation(bases), bases, file),
        match=_match(options, scorers, file),
        methods=tuple(name for name in LABEL_FREE if name in options.choose_k),
        budget=Budget(options.subsamples, options.folds, options.held_out),
        seeds=options.seeds,
        k_seeds=options.seeds if options.k_seeds is None else min(options.k_seeds, options.seeds),
        rows=options.rows,
        time_limit=options.time_limit,
        level=options.level,
        overwrite_regimes=options.overwrite_regimes,
        k=_check_k(options.k, datasets, file),
        metric=options.metric,
        k_range=options.k_range,
        expected={
            "required": _edges("required", options.required, file),
            "forbidden": _edges("forbidden", options.forbidden, file),
        },
        notes=tuple(notes),
        seed=context.seed,
    )


def _check_planned(key: str, value: str, known: Sequence[str], file: str) -> str:
    if value not in known:
        hint = did_you_mean(value, known) or f"There are {listed(known, 12)}."
        raise PlanError(f"{key!r} of [robustness] must be one of those planned, got {value!r}. {hint}  ({file})")
    return value


def _validation(bases: list[str]) -> str:
    """The original's, or the one like it whose mask does not know the graph, or the first."""
    return next((name for name in ("compound_full_decoy", "compound_full") if name in bases), bases[0])


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
    count = settings.pop("graphs")
    if settings.get("kind") not in ("synthetic", "var") or not isinstance(count, int) or not 1 <= count <= 1000:
        raise PlanError(
            f'\'graphs\' must be a whole number in [1, 1000] beside kind = "synthetic" or "var", got {count!r}.  '
            f"({file}, [datasets.{name}])"
        )
    first = settings.get("graph_seed", 0)
    if not isinstance(first, int):
        raise PlanError(f"'graph_seed' must be a whole number, got {first!r:.60}.  ({file}, [datasets.{name}])")
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


def _corruptions(options: RobustnessSettings, file: str) -> dict[str, PlannedVariant]:
    """Each at its strengths; those at full strength first."""
    if any(strength <= 0 for strength in options.strengths):
        raise PlanError(f"'strengths' of [robustness] must be numbers above 0, got {options.strengths!r}.  ({file})")
    variants = {}
    for factor in sorted({1.0, *map(float, options.strengths)}, key=lambda f: (f != 1.0, f)):
        for name in options.corruptions:
            try:
                whole = corruption(name)
                made = whole if factor == 1 else corruption(f"{name} x {factor:g}")
            except TruenessError as error:
                at = "" if factor == 1 else f" at {factor:g} of its strength"
                raise PlanError(f"{error}  ({file}, corruption {name!r}{at})") from None
            if factor == 1 or any(not step.card.whole for step in whole.steps):
                variants[made.name] = PlannedVariant(made, name, factor)
    return variants


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
    datasets: Mapping[str, PlannedSystem], corruptions: Mapping[str, PlannedVariant], scorers: Mapping[str, Entry],
    options: RobustnessSettings,
) -> list[str]:  # fmt: skip
    notes = [note for system in datasets.values() for note in system.notes]
    for name, entry in scorers.items():
        refused = [item for item, system in datasets.items() if not entry.takes(system)]
        if refused and entry.sweep is None:
            notes.append(_SERIES_ONLY.format(name, listed(refused, 3)))
    notes += dict.fromkeys(lead for entry in scorers.values() if (lead := entry.scorer.card.lead))
    known = sum(system.dataset.about.truth == "known" for system in datasets.values())
    if known < len(datasets):
        notes.append(
            "Truths that are assumed or agreed on illustrate; simulated systems with known graphs carry claims."
        )
    if len(datasets) < 2:
        notes.append("One graph: K cannot be chosen on other graphs, and no interval is over graphs. Add data sets.")
    uses = [name for name, variant in corruptions.items() if variant.corruption.card.uses_graph and variant.factor == 1]
    if uses:
        notes.append(f"The mask of {listed(uses)} is built from the true graph; it is in no mean over corruptions.")
    if options.overwrite_regimes:
        notes.append("Regimes overwrite recorded values: their effects on other columns are missing.")
    if (seeds := options.seeds) < ENOUGH_SEEDS:
        notes.append(few_seeds(seeds))
    return notes


def few_seeds(seeds: int) -> str:
    return f"{counted(seeds, 'seed')} a cell: at least {ENOUGH_SEEDS} are asked for before conclusions are drawn."


def _check_k(k: int | None, datasets: Mapping[str, PlannedSystem], file: str) -> int | None:
    for name, system in datasets.items() if k is not None else ():
        try:
            check_k(k or 0, len(system.columns))
        except TruenessError as error:
            raise PlanError(f"{error}  ({file}, [robustness], {name})") from None
    return k


def _edges(name: str, edges: Sequence[str], file: str) -> list[str]:
    for edge in edges:
        if edge.count(" -> ") != 1:
            raise PlanError(f"{name!r} of [robustness] must be edges such as 'T -> RH', got {edge!r}.  ({file})")
    return list(edges)
