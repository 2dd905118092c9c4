"""The truth of a question: weighted conditional distributions, and how well the survey knows them.

    p[c, l] = W[c, l] / W[c, .]          w_c = W[c, .] / W[., .]         marginal = sum_c w_c p[c, .]
    Kish    n_eff[c] = (sum w)^2 / sum w^2                               design effect = n / n_eff

and 2,000 bootstrap draws of p (B, C, L), by what the task names:

    cells       W*[c, l] = (S/W) Poisson(W^2/S): the mean and variance that a Poisson bootstrap of the rows gives each
                cell, at the price of one draw a cell. Unweighted it is Poisson(n). No rows are touched again.
    clusters    whole clusters are drawn, n_h - 1 of n_h in each stratum with weight n_h/(n_h - 1) (Rao & Wu 1988)
    replicates  p* = p + sum_r z_r sqrt(scale) (p_r - p), z_r ~ N(0, 1): its covariance is that of the replicates,
                scale sum_r (p_r - p)(p_r - p)'; cut off at 0 and divided by its sum

With clusters or replicates n_eff is what the draws show, sum_l p(1-p) / sum_l var*(p_l); else it is Kish's. A condition
without rows is an error; one with fewer than `least` rows is left out and named in `thin`.
Kish (1965), Survey Sampling; Fay & Train (1995) for the replicates of the ACS.

P(Y | X1 ... Xk), where most combinations have too few rows to count, is an out-of-fold gradient-boosted truth:

    p[c] = weighted mean over the rows of profile c of the prediction of a model that never saw the row   (5 folds)

Up to 100 profiles (combinations of levels) are asked about, drawn by their weight in the population. The uncertainty is
that of the whole procedure: it is repeated 10 times on rows reweighted by Poisson(1), with new folds, and

    n_eff[c] = sum_l p(1-p) / sum_l var_r(p_r[c, l]),       draws p* ~ Dirichlet(n_eff p)

so that a profile which the repeats disagree on is known from few rows. Reweighting keeps every row once: no row is in
its own training set, which drawing rows with replacement would bring about. What boosting cannot learn from these
rows is not in it: the truth is that of the best prediction, not of a census.
Friedman (2001); scikit-learn's HistGradientBoostingClassifier.

A truth goes to JSON and back, so that a study can be scored again from its store when the microdata are gone. Its 2,000
bootstrap draws are kept as 16-bit shares (steps of 1/65535), deflated: about 2 bytes a share.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from trueness import registry
from trueness.datasets.surveys import Microdata, open_microdata
from trueness.errors import DataError, MissingExtra, StoreError, listed
from trueness.outside import Json, Unpacker
from trueness.studies.population.questions import Level, Question, SourceCard, TargetPopulation, Variable
from trueness.studies.population.survey_rows import Rows, rows_of

if TYPE_CHECKING:
    from sklearn.ensemble import HistGradientBoostingClassifier

Array = NDArray[np.float64]
Design = Literal["cells", "clusters", "replicates", "model"]
QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
_STEPS = 65_535
_TIMES = 10  # what draws unpack to: they have noise, and pack to a half
_ARRAYS = ("probs", "weights", "rows", "kish", "n_eff")
_COUNTS = ("n_data", "n_outside", "n_missing", "n_unlisted")
_OF_NUMBERS = ("means", "quantiles")
DRAWS = 2_000
_COUNTS_AT_ONCE = 4_000_000  # entries of a block of drawn clusters: 32 MB


@dataclass(frozen=True, eq=False)
class PopulationTruth:
    """Row c of every array is conditions[c]; column l is levels[l]."""

    question: Question  # with the levels that the data gave it
    conditions: tuple[str, ...]
    probs: Array  # (C, L), rows sum to 1
    weights: Array  # (C,), sum to 1: the share of each condition in the population
    rows: Array  # (C,) unweighted number of rows
    kish: Array  # (C,)
    n_eff: Array  # (C,) rows of a simple random sample that would know as much
    draws: Array  # (B, C, L)
    design: Design
    thin: Mapping[str, int] = field(default_factory=dict)  # condition left out -> its rows
    n_data: int = 0
    n_outside: int = 0
    n_missing: int = 0
    n_unlisted: int = 0
    means: Array | None = None  # (C,) E[V1 | V2 = c], where the outcome is a number
    quantiles: Array | None = None  # (C, 5) of it, at QUANTILES

    @property
    def levels(self) -> tuple[str, ...]:
        return self.question.levels

    @property
    def ordinal(self) -> bool:
        return self.question.outcome.ordinal

    @property
    def numeric(self) -> bool:
        return self.question.outcome.numeric

    def mean_draws(self) -> Array:
        """(B, C): the bootstrap draws of the conditional means, around them."""
        assert self.means is not None
        middles = np.array(self.question.outcome.middles)
        return np.asarray(self.means + (self.draws - self.probs) @ middles)

    @cached_property
    def marginal(self) -> Array:
        """(L,): P(V1) over the conditions that are kept."""
        return np.asarray(self.weights @ self.probs)


def truth_of(
    question: Question,
    rng: np.random.Generator,
    data: Microdata | None = None,
    draws: int = DRAWS,
) -> PopulationTruth:
    """Read the data of a question and estimate what it asks for."""
    data = data or open_microdata(question.data, question.folder)
    rows = rows_of(question, data)
    if question.high_dimensional:
        return boosted_truth(rows, rng, draws)
    counts = rows.totals(None)
    keep, thin = _conditions(rows.question, counts.sum(axis=1))
    weight = rows.weight
    total = counts if weight is None else rows.totals(weight)
    squares = counts if weight is None else rows.totals(weight**2)
    empty = keep[total[keep].sum(axis=1) <= 0]
    if len(empty):
        raise DataError(
            f"condition {rows.question.conditions[empty[0]]!r} of task {question.name!r} must have rows with a weight "
            "above 0, got none. Drop the level, or widen the population."
        )
    total, squares, counts = total[keep], squares[keep], counts[keep]
    probs = total / total.sum(axis=1, keepdims=True)
    kish = total.sum(axis=1) ** 2 / squares.sum(axis=1)
    design: Design = "cells"
    if question.replicate_weights:
        design, drawn = "replicates", _by_replicates(rows, data, keep, probs, draws, rng)
    elif question.clusters is not None:
        design, drawn = "clusters", _by_clusters(rows, data, keep, probs, draws, rng)
    else:
        drawn = cell_draws(total, squares, probs, draws, rng)
    n_eff = kish if design == "cells" else _seen_n_eff(probs, drawn, kish)
    means, quantiles = (None, None) if rows.numbers is None else _on_numbers(rows, rows.numbers, keep)
    return PopulationTruth(
        rows.question, tuple(rows.question.conditions[c] for c in keep), probs, total.sum(axis=1) / total.sum(),
        counts.sum(axis=1), kish, n_eff, drawn, design, thin,
        rows.n_data, rows.n_outside, rows.n_missing, rows.n_unlisted, means, quantiles,
    )  # fmt: skip


def _on_numbers(rows: Rows, numbers: Array, keep: NDArray[np.intp]) -> tuple[Array, Array]:
    """(C,) weighted means and (C, 5) quantiles of the numbers themselves; cells play no part."""
    condition = rows.cell // len(rows.question.levels)
    weight = np.ones(len(numbers)) if rows.weight is None else rows.weight
    inside = [(numbers[condition == c], weight[condition == c]) for c in keep]
    means = np.array([np.average(x, weights=w) for x, w in inside])
    return means, np.array([np.quantile(x, QUANTILES, method="inverted_cdf", weights=w) for x, w in inside])


def _conditions(question: Question, rows: Array) -> tuple[NDArray[np.intp], dict[str, int]]:
    """Which conditions are kept. Combinations of several variables may be empty; a single level may not."""
    names = question.conditions
    empty = [name for name, n in zip(names, rows, strict=True) if n == 0]
    if empty and len(question.given) < 2:
        raise DataError(
            f"condition {empty[0]!r} of task {question.name!r} must have rows in the population "
            f"({question.population.text}), got none. Drop the level, or widen the population."
        )
    thin = {name: int(n) for name, n in zip(names, rows, strict=True) if n < question.least}
    keep = np.flatnonzero(rows >= question.least)
    if not len(keep):
        raise DataError(
            f"task {question.name!r} must have a condition with at least {question.least} rows, "
            f"got {listed(f'{name} {n}' for name, n in thin.items())}. Merge levels, or lower 'least'."
        )
    return keep, thin


def cell_draws(total: Array, squares: Array, probs: Array, draws: int, rng: np.random.Generator) -> Array:
    mean = np.divide(total**2, squares, out=np.zeros_like(total), where=squares > 0)
    unit = np.divide(squares, total, out=np.zeros_like(total), where=total > 0)
    return _normalise(rng.poisson(mean, size=(draws, *total.shape)) * unit, probs)


def _by_clusters(
    rows: Rows, data: Microdata, keep: NDArray[np.intp], probs: Array, draws: int, rng: np.random.Generator
) -> Array:
    import pandas as pd

    question = rows.question
    assert question.clusters is not None
    columns = {"clusters": question.clusters, **({"strata": question.strata} if question.strata else {})}
    for key, column in columns.items():
        data.check_column(column, f"{key!r} of task {question.name!r}")
    frame = data.read([*columns.values()])[rows.kept]
    stratum = pd.factorize(frame[question.strata])[0] if question.strata else np.zeros(len(frame), dtype=np.int64)
    # the same cluster number may be used again in another stratum
    cluster, labels = pd.factorize(pd.MultiIndex.from_arrays([stratum, pd.factorize(frame[question.clusters])[0]]))
    stratum_of = np.array([label[0] for label in labels])
    c, levels = rows.shape
    table = np.zeros((len(labels), c * levels))
    np.add.at(table, (cluster, rows.cell), 1.0 if rows.weight is None else rows.weight)
    totals = np.zeros((draws, c * levels))
    for h in np.unique(stratum_of):
        members = table[stratum_of == h]
        n = len(members)
        if n == 1:  # a lone cluster has no spread to show: it stays as it is
            totals += members[0]
            continue
        block = max(1, _COUNTS_AT_ONCE // n)
        for start in range(0, draws, block):
            size = min(block, draws - start)
            drawn = rng.multinomial(n - 1, np.full(n, 1 / n), size=size) * (n / (n - 1))
            totals[start : start + size] += drawn @ members
    return _normalise(totals.reshape(draws, c, levels)[:, keep], probs)


def _by_replicates(
    rows: Rows, data: Microdata, keep: NDArray[np.intp], probs: Array, draws: int, rng: np.random.Generator
) -> Array:
    question = rows.question
    names = question.replicate_weights
    for name in names:
        data.check_column(name, f"'replicate_weights' of task {question.name!r}")
    scale = question.replicate_scale
    if scale is None:
        raise DataError(
            f"task {question.name!r} must say 'replicate_scale' with its replicate weights (4/80 = 0.05 for the ACS, "
            "1/R for a bootstrap, (R-1)/R for a jackknife), got none."
        )
    apart = np.empty((len(names), *probs.shape))
    for r, name in enumerate(names):  # one column at a time: 80 columns of 3 million rows are 2 GB
        total = rows.totals(data.read([name])[name].to_numpy(dtype=np.float64)[rows.kept])[keep]
        sums = total.sum(axis=1, keepdims=True)
        apart[r] = np.divide(total, sums, out=probs.copy(), where=sums > 0) - probs
    z = rng.standard_normal((draws, len(names))) * np.sqrt(scale)
    moved = probs + np.tensordot(z, apart, axes=1)
    return _normalise(np.maximum(moved, 0.0), probs)


def _normalise(totals: Array, probs: Array) -> Array:
    """Rows that sum to 1; a condition that was not drawn at all keeps its distribution."""
    sums = totals.sum(axis=-1, keepdims=True)
    return np.where(sums > 0, totals / np.where(sums > 0, sums, 1.0), probs)


def _seen_n_eff(probs: Array, draws: Array, kish: Array) -> Array:
    spread = draws.var(axis=0).sum(axis=1)
    inside = (probs * (1 - probs)).sum(axis=1)
    return np.where(spread > 0, inside / np.where(spread > 0, spread, 1.0), kish)


# ---- P(Y | X1 ... Xk)

PROFILES = 100
FOLDS = 5
REPEATS = 10
MOST_ROWS = 50_000  # of the fit; a larger survey is sampled


def boosted_truth(
    rows: Rows, rng: np.random.Generator, draws: int, profiles: int = PROFILES, repeats: int = REPEATS
) -> PopulationTruth:
    """The truth of a question with `high_dimensional = true`; its conditions are the drawn profiles."""
    question = rows.question
    if not registry.is_installed("sklearn"):
        raise MissingExtra(f"the truth of task {question.name!r}", "scikit-learn", "populations")
    from threadpoolctl import threadpool_limits

    profile, outcome, of_row = _rows_to_fit(rows, rng)
    codes, where = np.unique(profile, return_inverse=True)
    share = np.bincount(where, weights=of_row)
    some = np.sort(rng.choice(len(codes), size=min(profiles, len(codes)), replace=False, p=share / share.sum()))
    sizes = [len(variable.levels) for variable in question.given]
    features = np.column_stack(np.unravel_index(profile, sizes)).astype(np.float64)
    model = _model(question, rng)

    def profile_shares(weight: Array) -> Array:
        """(profiles, L): the weighted mean prediction of each profile's rows."""
        predicted = _out_of_fold(model, features, outcome, weight, len(question.levels), rng)
        total = np.column_stack([np.bincount(where, weights=of_row * column) for column in predicted.T])[some]
        return np.asarray(total / total.sum(axis=1, keepdims=True))

    with threadpool_limits(1):  # threads that wait for each other: 2,000 rows take 30 times the processor time with two
        probs = profile_shares(of_row)
        again = np.stack([profile_shares(of_row * rng.poisson(1.0, size=len(where))) for _ in range(repeats)])
    spread = again.var(axis=0, ddof=1).sum(axis=1)
    n_eff = np.maximum((probs * (1 - probs)).sum(axis=1) / np.maximum(spread, 1e-12), 2.0)
    gammas = rng.gamma(np.maximum(n_eff[:, None] * probs, 1e-6), size=(draws, *probs.shape))
    chosen = zip(*np.unravel_index(codes[some], sizes), strict=True)
    names = [[one.level_names[k] for one, k in zip(question.given, levels, strict=True)] for levels in chosen]
    counts = np.bincount(where).astype(np.float64)[some]
    kish = share[some] ** 2 / np.bincount(where, weights=of_row**2)[some]
    return PopulationTruth(
        question, tuple(map(question.condition_name, names)), probs, share[some] / share[some].sum(), counts, kish,
        n_eff, gammas / gammas.sum(axis=-1, keepdims=True), "model", {},
        rows.n_data, rows.n_outside, rows.n_missing, rows.n_unlisted,
    )  # fmt: skip


def _rows_to_fit(rows: Rows, rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64], Array]:
    """(n,) each: the code of a combination of levels, the outcome, the weight."""
    profile, outcome = np.divmod(rows.cell, len(rows.question.levels))
    weight = np.ones(len(profile)) if rows.weight is None else rows.weight
    kept = weight > 0
    if len(profile) > MOST_ROWS:
        kept &= rng.permutation(len(profile)) < MOST_ROWS
    outcomes = len(np.unique(outcome[kept]))
    if kept.sum() < 10 * FOLDS or outcomes < 2:
        raise DataError(
            f"task {rows.question.name!r} must have at least {10 * FOLDS} rows and two outcomes for a high-dimensional "
            f"truth, got {kept.sum()} rows and {outcomes} outcomes. Widen the population."
        )
    return profile[kept], outcome[kept], weight[kept]


def _model(question: Question, rng: np.random.Generator) -> HistGradientBoostingClassifier:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(
        max_iter=50,
        learning_rate=0.1,
        max_leaf_nodes=8,
        min_samples_leaf=20,
        early_stopping=False,
        categorical_features=[not variable.ordinal for variable in question.given],
        random_state=int(rng.integers(2**31)),
    )


def _out_of_fold(
    model: HistGradientBoostingClassifier,
    features: Array,
    outcome: NDArray[np.int64],
    weight: Array,
    levels: int,
    rng: np.random.Generator,
) -> Array:
    """(n, L): each row predicted by the model of the other folds."""
    fold = rng.permutation(len(outcome)) % FOLDS
    out_of_fold = np.zeros((len(outcome), levels))
    for f in range(FOLDS):
        train, test = (fold != f) & (weight > 0), fold == f
        if len(np.unique(outcome[train])) < 2:  # nothing to learn from: the base rate
            out_of_fold[np.ix_(test, [int(outcome[train][0])])] = 1.0
            continue
        model.fit(features[train], outcome[train], sample_weight=weight[train])
        out_of_fold[np.ix_(test, model.classes_)] = model.predict_proba(features[test])
    return out_of_fold


# ---- kept


def truth_to_dict(truth: PopulationTruth) -> dict[str, Json]:
    question = asdict(truth.question)
    del question["folder"]  # a path of this machine
    shares = np.rint(truth.draws * _STEPS).astype("<u2")
    packed = base64.b64encode(zlib.compress(shares.tobytes(), 6)).decode("ascii")
    return {
        "question": question,
        "conditions": list(truth.conditions),
        **{name: getattr(truth, name).tolist() for name in _ARRAYS},
        "draws": {"shape": list(shares.shape), "data": packed},
        "design": truth.design,
        "thin": dict(truth.thin),
        **{name: None if (kept := getattr(truth, name)) is None else kept.tolist() for name in _OF_NUMBERS},
        **{name: getattr(truth, name) for name in _COUNTS},
    }


def truths_from_dicts(records: Mapping[str, Json]) -> dict[str, PopulationTruth]:
    """All truths of a store, which are unpacked within one limit."""
    unpacker = Unpacker(_TIMES)
    return {name: truth_from_dict(one, unpacker) for name, one in records.items()}


def truth_from_dict(record: Mapping[str, Json], unpacker: Unpacker | None = None) -> PopulationTruth:
    packed = base64.b64decode(record["draws"]["data"])
    shares = (unpacker or Unpacker(_TIMES)).inflate(packed, "the draws of a truth", StoreError)
    kept: dict[str, Any] = {name: record[name] for name in (*_COUNTS, "design", "thin")}
    arrays = [*_ARRAYS, *(name for name in _OF_NUMBERS if record.get(name))]
    kept |= {name: np.array(record[name], dtype=np.float64) for name in arrays}
    return PopulationTruth(
        question=question_from_dict(record["question"]),
        conditions=tuple(record["conditions"]),
        draws=np.frombuffer(shares, dtype="<u2").reshape(record["draws"]["shape"]) / _STEPS,
        **kept,
    )


def question_from_dict(record: Mapping[str, Json]) -> Question:
    def variable(one: Mapping[str, Json]) -> Variable:
        levels = tuple(Level(**_with_tuples(level)) for level in one["levels"])
        return Variable(**{**_with_tuples(one), "levels": levels})

    parts = {
        "outcome": variable(record["outcome"]),
        "given": tuple(map(variable, record["given"])),
        "population": TargetPopulation(**_with_tuples(record["population"])),
        "card": SourceCard(**record["card"]),
    }
    return Question(**{**_with_tuples(record), **parts})


def _with_tuples(record: Mapping[str, Json]) -> dict[str, Json]:
    """JSON's lists as the tuples that frozen records hold."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in record.items()}
