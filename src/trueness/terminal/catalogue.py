"""What there is: learners, data sets, measures and tasks as rows for `trueness list` and the docs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import isfunction
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, get_args

from trueness import models, registry
from trueness.datasets import check_usable, has_truth, is_table, load, nodes_of
from trueness.datasets.corruptions import corruptions
from trueness.datasets.dataset import Dataset, Truth, has_card, read_card
from trueness.datasets.row_order import row_dependence
from trueness.datasets.table import Table
from trueness.errors import TruenessError, UnknownName, listed
from trueness.learners import build, settings_of
from trueness.learners.gaps import gap_causes, tell_gap_causes
from trueness.learners.scoring.edge_scores import build_scorer

if TYPE_CHECKING:
    from trueness.learners.base import Card

ROWS_RULE, GAPS_RULE = "rows are independent of each other", "gaps hang on no other column"
LEARNER_COLUMNS = ("title", "returns", "data", "mixed", "missing", "curved", "interventions", "paper", "needs")
SCORER_COLUMNS = ("title", "missing values", "paper", "needs")
KINDS = ("learners", "scorers", "datasets", "corruptions", "populations", "models", "measures", "tasks")


def rows(kind: str) -> list[dict[str, object]]:
    makers: dict[str, Callable[[], list[dict[str, object]]]] = {
        "learners": lambda: _listing("learner", LEARNER_COLUMNS, _learner_row),
        "scorers": lambda: _listing("scorer", SCORER_COLUMNS, _scorer_row),
        "datasets": lambda: [
            _of_card(name) if has_card(name) else _of_dataset(name) for name in registry.names("dataset")
        ],
        "corruptions": corruptions,
        "models": models.catalogue,
        "measures": _measures,
        "tasks": _tasks,
    }
    listing: list[dict[str, object]] = (registry.offer("list", kind) or makers[kind])()
    return listing


def detail(kind: str, name: str) -> dict[str, object]:
    """Everything on one card."""
    if kind == "learners":
        return _learner(name)
    if kind == "scorers":
        return _scorer(name)
    if kind == "datasets":
        return _dataset(name)
    if card := registry.offer("card", kind):
        content: dict[str, object] = card(name)
        return content
    known = {str(row["name"]): row for row in rows(kind)}
    if name not in known:
        raise UnknownName(kind.removesuffix("s"), name, known)
    return known[name]


def is_model(name: str) -> bool:
    """Whether a name is of a model: `provider/model` (no learner or file is called so), or `my_file.py:MyModel`."""
    if ".py:" in name:
        return hasattr(registry.resolve("model", name), "ask")
    known = (*registry.names("learner"), *registry.names("dataset"))
    return "/" in name and ":" not in name and name not in known and not Path(name).exists()


def check(name: str, dataset: Dataset | None = None) -> list[dict[str, object]]:
    """The rules for a learner, or those for a data set, whichever the name is; for `dataset` where it was loaded."""
    from trueness.learners.contract import check_learner

    if dataset is not None:
        return _check_dataset(dataset)
    is_data = name in registry.names("dataset") or name.startswith("synthetic-") or _is_data_file(name)
    if not is_data and _is_scorer(name):
        return _check_scorer(name)
    if not is_data and name not in registry.names("learner") and ".py:" not in name:
        known = (*registry.names("learner"), *registry.names("scorer"), *registry.names("dataset"))
        raise UnknownName("learner, scorer or dataset", name, known, hint="See 'trueness list'.")
    if is_data:
        return _check_dataset(load(name))
    return [{"rule": c.rule, "verdict": c.verdict, "detail": c.detail} for c in check_learner(build(name))]


def _is_data_file(name: str) -> bool:
    """A table or network of the user's own, or a Python file's object that draws rows (a function makes one)."""
    if ".py:" in name:
        made = registry.resolve("dataset", name)
        return hasattr(made, "draw") or isfunction(made)
    return "." in name


def _is_scorer(name: str) -> bool:
    """A name of scorers alone, or a user's own with `scores` and no `fit`; `pc` is a learner first."""
    if ".py:" in name:
        made = registry.resolve("scorer", name)
        return hasattr(made, "scores") and not hasattr(made, "fit")
    return name in registry.names("scorer") and name not in registry.names("learner")


def _check_scorer(name: str) -> list[dict[str, object]]:
    """The rules for a scorer: the contract's shape, the same seed the same bits, and no way to the truth."""
    import numpy as np

    from trueness.datasets.series import VAR
    from trueness.learners.scoring.leaks import check_no_leak

    scorer, system = build_scorer(name), VAR(nodes=5, lags=1, rows=300)
    rows = system.draw(300, np.random.default_rng(0))
    before = rows.values.copy()
    one, two = (scorer.scores(rows, np.random.default_rng(1)) for _ in range(2))
    leak = check_no_leak(scorer, system)
    rules = {
        "the scores are EdgeScores of the columns in their order": getattr(one, "names", ()) == rows.names,
        "the same seed gives the same bits": bool(np.array_equal(one.matrix, two.matrix)),
        "the data are left unchanged": bool(np.array_equal(before, rows.values)),
        "the truth, shuffled, changes nothing and is not looked at": leak.passed,
    }
    return [
        {"rule": rule, "verdict": "pass" if passed else "FAIL", "detail": str(leak) if "truth" in rule else ""}
        for rule, passed in rules.items()
    ]


def _check_dataset(dataset: Dataset) -> list[dict[str, object]]:
    """Whether a data set can be used, rule by rule."""
    import numpy as np
    from numpy.random import default_rng

    table = dataset.table or dataset.draw(None, default_rng(0))
    check_usable(table, gaps=True)
    order = None if dataset.table is None else row_dependence(dataset.table)
    causes = gap_causes(table) if table.has_gaps else ()
    again = dataset.draw(100, default_rng(1)).values
    rules = {
        "rows can be used (no constant column, n >= d)": True,
        "the truth is a valid DAG over the columns": dataset.truth.is_valid()
        and set(dataset.truth.nodes) == set(table.names)
        if has_truth(dataset)
        else None,
        "the same seed draws the same rows": bool(
            np.array_equal(again, dataset.draw(100, default_rng(1)).values, equal_nan=True)
        ),
        "says how far its truth can be believed": dataset.about.truth in get_args(Truth),
        **({ROWS_RULE: None if order is None else order.passed} if dataset.table is not None else {}),
        **({GAPS_RULE: not causes} if dataset.table is not None and table.has_gaps else {}),
    }
    edges = f"{dataset.truth.n_edges()} edges" if has_truth(dataset) else "no graph known"
    experiments = table.experiments
    under = f", {int((~experiments.observational).sum()):,} rows under interventions" if experiments else ""
    gaps = f", {int(table.gaps.sum()):,} missing values" if table.gaps.any() else ""
    ordered = int(table.ordered.sum())
    kinds = table.kind + (f"; {ordered} ordered, read as numbers" if ordered else "")
    details = {0: f"{table.n:,} rows, {table.d} columns ({kinds}), {edges}{gaps}{under}"}
    details |= {} if has_truth(dataset) else {1: "no graph is known: edges and their stability, no score"}
    details |= {} if order is None else {4: order.sentence()}
    if causes:
        details[5] = f"{tell_gap_causes(causes)}; test-wise deletion then keeps false edges. Set missing = 'auto'."
    verdicts = {True: "pass", False: "FAIL", None: "not claimed"}
    guesses = [("how the file was read", "guessed", note) for note in table.notes]
    checks = [(rule, verdicts[passed], details.get(k, "")) for k, (rule, passed) in enumerate(rules.items())]
    return [{"rule": rule, "verdict": verdict, "detail": detail} for rule, verdict, detail in (*guesses, *checks)]


def own_table(name: str, settings: dict[str, object]) -> Dataset | None:
    """A user's own table, with what was said of its columns; None of anything else."""
    return load(name, settings) if is_table(name) else None


def columns(table: Table) -> list[dict[str, object]]:
    """What each column was taken as, whether that was guessed or given, and why; its lag-1 autocorrelation."""
    order = row_dependence(table)
    lag1 = {} if order is None else {one.column: round(one.lag1, 2) + 0.0 for one in order.columns}
    return [
        {
            "column": c.name, "kind": c.kind, "from": "given" if c.by_user else "guess", "levels": c.levels or "",
            "missing": c.missing or "", "why": c.why, "lag 1": lag1.get(c.name, ""),
        }
        for c in table.judged
    ]  # fmt: skip


def how_to_keep(table: Table) -> str:
    """The sentence that says how columns are kept that look like identifiers; nothing where none does."""
    kept = {c.name: c.keep for c in table.judged if c.keep}
    if not kept:
        return ""
    name, kind = next(iter(kept.items()))
    return f"Left out by guess: {listed(kept)}. To keep one, say what it is: --kinds {quote(f'{name}={kind}')}."


def expectations(table: Table) -> list[dict[str, object]]:
    """What the atlas expects of learners, the best first; nothing of very wide tables, or of rows that are no draws."""
    from trueness import atlas

    order = row_dependence(table)
    if table.d > 200 or (order is not None and not order.passed):  # its systems have up to 50 columns
        return []
    place = atlas.place_of(table)
    fitting = atlas.LEARNERS if not table.discrete.any() else atlas.ANY_COLUMNS
    return [
        {"learner": learner, "expected F1": round(place.expects(learner), 2)}
        | dict(zip(("5 %", "95 %"), place.at(learner, "f1", (0.05, 0.95)).round(2).tolist(), strict=True))
        for learner in sorted(fitting, key=place.expects, reverse=True)
    ]


def _listing(kind: str, columns: Sequence[str], row_of: Callable[[Any], tuple[str, ...]]) -> list[dict[str, object]]:
    """One row per card; of an outside entry point that is broken, why."""
    listing = []
    for name in registry.names(kind):
        try:
            about: dict[str, object] = dict(zip(columns, row_of(registry.resolve(kind, name).card), strict=True))
        except (TruenessError, ImportError, AttributeError) as error:
            about = dict[str, object](dict.fromkeys(columns, ""), needs=f"broken: {error}")
        listing.append({"name": name} | about)
    return listing


def _learner_row(card: Card) -> tuple[str, ...]:
    lacks = bool(card.needs) and not registry.is_installed(card.needs)
    told = (card.mixed and len(card.data) == 2, card.missing, card.curved, card.interventions == "targets")
    marks = ("yes" if holds else "" for holds in told)
    needs = f"{card.package} (not installed)" if lacks else ""
    return card.title, card.returns, ", ".join(sorted(card.data)), *marks, card.paper, needs


def _learner(name: str) -> dict[str, object]:
    learner = build(name)
    card = learner.card
    return {
        "name": name,
        "title": card.title,
        "summary": card.summary,
        "family": card.family,
        "returns": card.returns,
        "data": sorted(card.data),
        "ordered columns": "as numbers" if "continuous" in card.data else "as categories",
        "mixed tables": card.mixed and len(card.data) == 2,
        "missing values": card.missing or "refused",
        "curved relations": card.curved,
        **({"limits": list(card.limits)} if card.limits else {}),
        "rows under interventions": card.interventions,
        "assumes": list(card.assumes),
        "deterministic": card.deterministic,
        "paper": card.paper,
        "package": card.package,
        "settings": settings_of(learner),
    }


def _scorer_row(card: Card) -> tuple[str, ...]:
    lacks = bool(card.needs) and not registry.is_installed(card.needs)
    needs = f"{registry.EXTRAS[card.needs][0]} (not installed)" if lacks else ""
    parts = ("a time series" if card.needs_series else "", needs)
    return card.title, card.missing, card.paper, ", ".join(filter(None, parts))


def _scorer(name: str) -> dict[str, object]:
    scorer = build_scorer(name)
    card = scorer.card
    return {
        "name": name,
        "title": card.title,
        "summary": card.summary,
        "missing values": card.missing,
        "direction": "none: matrix[i, j] = matrix[j, i]" if card.symmetric else "yes",
        "needs": "a time series" if card.needs_series else "",
        "assumes": list(card.assumes),
        "deterministic": card.deterministic,
        **({"lead": card.lead} if card.lead else {}),
        "paper": card.paper,
        "settings": settings_of(scorer),
    }


def _of_card(name: str) -> dict[str, object]:
    """What the package's own data sets say of themselves: no network of a thousand nodes is read for it."""
    card = read_card(name)
    sizes = {"nodes": card["listed"]["nodes"], "edges": card["listed"]["edges"], "rows": card["rows"]}
    about = {"data": card["listed"]["data"], "truth": card["truth"], "domain": card["domain"]}
    return {"name": name, "title": card["title"], **sizes, **about}


def _of_dataset(name: str) -> dict[str, object]:
    dataset = load(name)
    sizes = {"nodes": len(dataset.truth), "edges": dataset.truth.n_edges(), "rows": dataset.about.rows}
    about = {key: getattr(dataset.about, key) for key in ("data", "truth", "domain")}
    return {"name": name, "title": dataset.about.title, **sizes, **about}


def _dataset(name: str) -> dict[str, object]:
    from trueness.measures.graphs import Reference
    from trueness.running.cells import stream

    dataset = load(name)
    about = dataset.about
    table = dataset.table or dataset.draw(None, stream(0, name))
    card: dict[str, object] = {
        "name": dataset.name,
        "title": about.title,
        "domain": about.domain,
        "summary": about.summary,
        "truth": f"{about.truth}: {about.truth_note}",
        "rows": about.rows if dataset.table is None else table.n,
        "data": about.data,
        "vary": "redraw, bootstrap, permute, seed" if dataset.table is None else "bootstrap, permute, seed",
        "nodes": len(nodes_of(dataset)),
    }
    if has_truth(dataset):
        truth = dataset.truth
        cpdag = truth.to_cpdag()
        perfect = {name: score.value for name, score in Reference(truth).perfect("cpdag").items()}
        card |= {
            "edges": truth.n_edges(),
            "reversible edges": cpdag.n_edges() - int(cpdag.directed.sum()),
            "perfect CPDAG against the DAG": perfect,
        }
    card |= {
        "source": about.source,
        "licence": about.licence,
        "reference": about.reference,
        "variables": about.variables,
    }
    if about.notes:
        card["notes"] = list(about.notes)
    return card | ({"graph": [str(edge) for edge in dataset.truth.edges]} if has_truth(dataset) else {})


def _measures() -> list[dict[str, object]]:
    from trueness.measures.graphs import MEASURES
    from trueness.measures.ranking import RANKING_MEASURES

    return [
        {"name": m.name, "title": m.title, "better": m.better, "against": m.reference, "description": m.description}
        for m in (*MEASURES.values(), *RANKING_MEASURES.values())
    ]


def _tasks() -> list[dict[str, object]]:
    return [
        {"name": name, "summary": (registry.resolve("task", name).__doc__ or "").splitlines()[0]}
        for name in registry.names("task")
    ]
