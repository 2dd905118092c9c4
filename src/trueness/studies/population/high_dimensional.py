"""P(Y | X1 ... Xk) where most combinations have too few rows to count: an out-of-fold gradient-boosted truth.

    p[c] = weighted mean over the rows of profile c of the prediction of a model that never saw the row   (5 folds)

Up to 100 profiles (combinations of levels) are asked about, drawn by their weight in the population. The uncertainty is
that of the whole procedure: it is repeated 10 times on rows reweighted by Poisson(1), with new folds, and

    n_eff[c] = sum_l p(1-p) / sum_l var_r(p_r[c, l]),       draws p* ~ Dirichlet(n_eff p)

so that a profile which the repeats disagree on is known from few rows. Reweighting keeps every row once: no row is in
its own training set, which drawing rows with replacement would bring about. What boosting cannot learn from these
rows is not in it: the truth is that of the best prediction, not of a census.
Friedman (2001); scikit-learn's HistGradientBoostingClassifier.

What took long to fit is kept in the study's folder, and not fitted at every plan, run and resume:

    truths/{task}_{key}.json,     key = hash(rows and their weights, variables with their levels, settings of the fit,
                                             state of the random stream, version of scikit-learn)

The rows are read and checked every time, so a changed survey has another key. A file that is missing, half written or
of another key is as good as none: the truth is fitted again, and comes out the same.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict, replace
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from trueness import registry
from trueness.errors import DataError, MissingExtra, StoreError, TruenessError
from trueness.files import read_text, write_atomically
from trueness.outside import MAX_RECORDS, NOT_READ, json_of
from trueness.studies.population.questions import Question
from trueness.studies.population.survey_rows import Rows
from trueness.studies.population.truth import PopulationTruth, truth_from_dict, truth_to_dict

if TYPE_CHECKING:
    from sklearn.ensemble import HistGradientBoostingClassifier

Array = NDArray[np.float64]
PROFILES = 100
FOLDS = 5
REPEATS = 10
MOST_ROWS = 50_000  # of the fit; a larger survey is sampled
VERSION = 1  # of kept truths: raise when the same rows and settings would be fitted otherwise


def kept_truth(rows: Rows, rng: np.random.Generator, draws: int, folder: Path | None) -> PopulationTruth:
    """As `boosted_truth`; looked for in the study's folder, and left there."""
    if folder is None or not registry.is_installed("sklearn"):
        return boosted_truth(rows, rng, draws)
    name = f"truths/{_file_name(rows.question.name)}_{_key(rows, rng, draws)}.json"
    try:
        truth = truth_from_dict(json_of(read_text(folder, name, MAX_RECORDS), name))
        return replace(truth, question=rows.question)  # the prompt and the modes may have changed since
    except (TruenessError, *NOT_READ):
        truth = boosted_truth(rows, rng, draws)
    with suppress(StoreError):  # a folder that cannot be written is said when the study is run
        write_atomically(folder, name, json.dumps(truth_to_dict(truth)))
    return truth


def _key(rows: Rows, rng: np.random.Generator, draws: int) -> str:
    variables = [asdict(variable) for variable in rows.question.variables]
    settings = {
        "version": VERSION,
        "variables": [{k: v for k, v in one.items() if k not in ("numeric", "labels")} for one in variables],
        "fit": [PROFILES, FOLDS, REPEATS, MOST_ROWS, draws],
        "stream": rng.bit_generator.state,
        "scikit-learn": metadata.version("scikit-learn"),
    }
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True, default=str).encode())
    digest.update(rows.cell.tobytes())
    digest.update(b"" if rows.weight is None else rows.weight.tobytes())
    return digest.hexdigest()[:16]


def _file_name(task: str) -> str:
    return "".join(sign if sign.isalnum() or sign in "-_" else "-" for sign in task)


def boosted_truth(
    rows: Rows, rng: np.random.Generator, draws: int, profiles: int = PROFILES, repeats: int = REPEATS
) -> PopulationTruth:
    """The truth of a question with `high_dimensional = true`; its conditions are the drawn profiles."""
    question = rows.question
    if not registry.is_installed("sklearn"):
        raise MissingExtra(f"the truth of task {question.name!r}", "scikit-learn", "populations")
    sample = _sample(rows, rng)
    codes, where = np.unique(sample.profile, return_inverse=True)
    share = np.bincount(where, weights=sample.weight)
    some = np.sort(rng.choice(len(codes), size=min(profiles, len(codes)), replace=False, p=share / share.sum()))
    features, model, levels = _features(question, sample.profile), _model(question, rng), len(question.levels)

    def profile_shares(weight: Array) -> Array:
        predicted = _out_of_fold(model, features, sample.outcome, weight, levels, rng)
        return _by_profile(predicted, where, sample.weight, some)

    with _one_thread():
        probs = profile_shares(sample.weight)
        again = np.stack([profile_shares(sample.weight * rng.poisson(1.0, size=len(where))) for _ in range(repeats)])
    spread = again.var(axis=0, ddof=1).sum(axis=1)
    n_eff = np.maximum((probs * (1 - probs)).sum(axis=1) / np.maximum(spread, 1e-12), 2.0)
    gammas = rng.gamma(np.maximum(n_eff[:, None] * probs, 1e-6), size=(draws, *probs.shape))
    names = tuple(question.condition_name(_level_names(question, int(codes[c]))) for c in some)
    counts = np.bincount(where).astype(np.float64)[some]
    kish = share[some] ** 2 / np.bincount(where, weights=sample.weight**2)[some]
    return PopulationTruth(
        question, names, probs, share[some] / share[some].sum(), counts, kish, n_eff,
        gammas / gammas.sum(axis=-1, keepdims=True), "model", {},
        rows.n_data, rows.n_outside, rows.n_missing, rows.n_unlisted,
    )  # fmt: skip


class _Sample(NamedTuple):
    """The rows of the fit: (n,) each."""

    profile: NDArray[np.int64]  # the code of a combination of levels
    outcome: NDArray[np.int64]
    weight: Array


def _sample(rows: Rows, rng: np.random.Generator) -> _Sample:
    profile, outcome = np.divmod(rows.cell, len(rows.question.levels))
    weight = np.ones(len(profile)) if rows.weight is None else rows.weight
    kept = weight > 0
    if len(profile) > MOST_ROWS:
        kept &= rng.permutation(len(profile)) < MOST_ROWS
    sample = _Sample(profile[kept], outcome[kept], weight[kept])
    outcomes = len(np.unique(sample.outcome))
    if len(sample.profile) < 10 * FOLDS or outcomes < 2:
        raise DataError(
            f"task {rows.question.name!r} must have at least {10 * FOLDS} rows and two outcomes for a high-dimensional "
            f"truth, got {len(sample.profile)} rows and {outcomes} outcomes. Widen the population."
        )
    return sample


def _features(question: Question, profile: NDArray[np.int64]) -> Array:
    """(n, k): the code of each given variable."""
    columns = []
    for variable in reversed(question.given):
        profile, code = np.divmod(profile, len(variable.levels))
        columns.append(code)
    return np.column_stack(columns[::-1]).astype(np.float64)


def _level_names(question: Question, profile: int) -> list[str]:
    codes = _features(question, np.array([profile]))[0].astype(int)
    return [variable.level_names[code] for variable, code in zip(question.given, codes, strict=True)]


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


def _one_thread() -> AbstractContextManager[object]:
    """Threads that wait for each other: 2,000 rows take 30 times the processor time of one thread with two."""
    from threadpoolctl import threadpool_limits

    return cast("AbstractContextManager[object]", threadpool_limits(1))


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


def _by_profile(predicted: Array, where: NDArray[np.intp], weight: Array, some: NDArray[np.intp]) -> Array:
    """(len(some), L): the weighted mean prediction of each profile's rows."""
    total = np.column_stack([np.bincount(where, weights=weight * column) for column in predicted.T])[some]
    return np.asarray(total / total.sum(axis=1, keepdims=True))
