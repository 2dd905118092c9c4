"""Every claim scored against the runs it is about: claims frame in, scores frame out.

One row a claim at its own level. Columns beside KEYS, level, low, high, median, status, claim_status:

    covers_mean                      low <= mean of the runs <= high (the original's primary measure)
    coverage_runs                    share of the runs in [low, high]
    overlaps_ covers_ inside_ iou_ fraction_ calibration_ class_ log_width_ratio_      each against
        *_mean_ci                    the bootstrap CI of the mean
        *_runs                       the 2.5 to 97.5 % range of the runs
    width, interval_score, bias      of this row's interval; bias > 0 is optimistic
    wis, pinball, crps, pit          of the whole claim, all its levels and its median: on the row of its widest level
    *_scaled                         the same divided by the measure's largest value (SHD: d(d-1)/2), so that scores of
                                     SHD, which are in edges, can be averaged with those of precision, recall and F1
    skill_<reference>                1 - S / S_ref with the interval score of the reference on the same cell, measure,
                                     target and level; over several cells take 1 - mean S / mean S_ref (`pooled_skills`)

interval_score, wis, pinball and crps are proper only against what the claim is of: each run (averaged) where the target
is `run`, the mean over the runs where it is `mean`. The overlaps are given against both truths whatever the target; the
name says which. WIS of one level without a median is (a/2) IS, so it compares within a formulation, not across.
`pit` is of SHD with target `run`: of one run a claim, drawn by the claim's own key, so that the values of claims about
different cells are independent, and uniform when the claims are right.

A claim beyond what the measure can be is scored as it was made, and one that lies wholly there no better than the worst
claim that can be (against.py). A claim that was not read keeps its status and has no scores; claim_status is `ok` when
all its levels were read. A claim whose cell has no run with a value, and a ratio to a truth of zero width, are
`degenerate`. The oracle's claims come from one half of the runs and are scored on the other (flags "from even runs",
"from odd runs"); those of baseline/random are expectations in closed form.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trueness.errors import DataError
from trueness.measures.interval_scores import skill
from trueness.outside import Json
from trueness.status import Status
from trueness.studies.forecast.against import VERSUS, Claims, Rows, expected_scores, of_claims, of_ends, of_outcomes
from trueness.studies.forecast.frames import ARMS, CLAIM_COLUMNS, KEYS, RANDOM, Truth, Truths, halves

Array = NDArray[np.float64]
Columns = Mapping[str, NDArray[Any]]

FROM_HALF = {"even": "from even runs", "odd": "from odd runs"}  # the flag of a claim made of half of the runs
_OTHER_HALF = {"from even runs": "odd", "from odd runs": "even"}

_PROPER = ("interval_score", "wis", "pinball", "crps")
OF_INTERVAL = (
    "covers_mean", "coverage_runs", *(f"{score}_{truth}" for truth in ("mean_ci", "runs") for score in VERSUS),
    "width", "interval_score", "bias",
)  # fmt: skip
OF_CLAIM = ("wis", "pinball", "crps", "pit")  # of all levels together
SCALED = ("width", "bias", *_PROPER)
SCORES = (*OF_INTERVAL, *OF_CLAIM, *(f"{score}_scaled" for score in SCALED))
QUESTION = ("dataset", "learner", "measure", "target", "level")  # on which a claim meets a reference

_TOGETHER = 2**18  # outcomes of rows that are scored at once
_CLASSES = frozenset(name for name in SCORES if name.startswith("class_"))


def score_claims(
    claims: pd.DataFrame, truths: Truths, references: Sequence[str] = (), *, seed: int = 0
) -> pd.DataFrame:
    """The scores frame; `references` are respondents of the same claims frame, each gives a column of skill."""
    frame = _check_claims(claims)
    frame["status"] = _with_truths(frame, truths)
    frame["claim_status"], claim = _claim_statuses(frame)
    columns: dict[str, NDArray[Any]] = {
        name: np.full(len(frame), None, dtype=object) if name in _CLASSES else np.full(len(frame), np.nan)
        for name in SCORES
    }
    by_chance = (frame["respondent"] == RANDOM).to_numpy(dtype=bool)
    answers = _arrays(frame, claim, seed)
    groups = [*_by_truth(frame, truths, seed)]
    truth_of = {row: truth for rows, truth, _ in groups for row in rows}
    answered, theirs = np.array([*truth_of], dtype=np.intp), [*truth_of.values()]
    for name, values in of_ends(answers.take(answered), theirs).items():
        columns[name][answered] = values
    for rows, target in _alike(groups):
        for some, fill in ((rows[~by_chance[rows]], _fill), (rows[by_chance[rows]], _expect)):
            if len(some):
                fill(columns, answers.take(some), [truth_of[row] for row in some.tolist()], target)
    upper = np.array([truth.upper for truth in theirs])
    for name in SCALED:
        columns[f"{name}_scaled"][answered] = columns[name][answered] / upper
    kept = frame[[*KEYS, "level", "low", "high", "median", "status", "claim_status"]]
    scores = pd.concat([kept, pd.DataFrame(columns, index=frame.index)], axis=1)
    score = "interval_score"
    beside = _of_references(scores, references, score)
    return scores.assign(**{skill_column(name): skill(scores[score], theirs) for name, theirs in beside})


def skill_column(reference: str) -> str:
    """skill_random, skill_heuristic, ...; skill_human/experts."""
    return f"skill_{reference.removeprefix('baseline/')}"


def pooled_skills(scores: pd.DataFrame, references: Sequence[str]) -> dict[str, dict[str, float]]:
    """Reference -> respondent -> 1 - mean S / mean S_ref over the rows that both answered; NaN without any.

    S is scaled. The mean of single skills would be ruled by the few cells on which the reference is nearly perfect.
    `scores` must hold the references' rows. The reference itself has none.
    """
    score, whose = "interval_score_scaled", scores["respondent"]
    ours = scores[score].to_numpy(dtype=np.float64)
    chosen = {str(name): (whose == name).to_numpy(dtype=bool) & ~np.isnan(ours) for name in whose.unique()}
    skills: dict[str, dict[str, float]] = {}
    for reference, theirs in _of_references(scores, references, score):
        both = {name: rows & ~np.isnan(theirs) for name, rows in chosen.items() if name != reference}
        skills[reference] = {
            name: float(skill(ours[rows].mean(), theirs[rows].mean())) if rows.any() else float("nan")
            for name, rows in both.items()
        }
    return skills


def long(scores: pd.DataFrame, names: Sequence[str] | None = None) -> pd.DataFrame:
    """Rows of the long table: item, variant, respondent, repeat, measure, value, status.

    item is dataset/learner/measure, variant the arms joined by "/", measure the score's name. Of a claim at several
    levels the widest has the plain names; the others have those of one interval, with the level: coverage_runs_50.
    """
    numeric = [name for name in scores.columns if name in SCORES and name not in _CLASSES]
    numeric += [name for name in scores.columns if name.startswith("skill_")]
    chosen = numeric if names is None else [name for name in names if name in numeric]
    of_interval = [name for name in chosen if name.removesuffix("_scaled") not in OF_CLAIM]
    top = _is_widest(scores)
    parts = [_long_rows(scores[top], chosen, "")]
    below = scores[~top]
    for level in sorted(below["level"].unique()):
        parts.append(_long_rows(below[below["level"] == level], of_interval, f"_{100 * level:g}"))
    return pd.concat(parts, ignore_index=True)


def _check_claims(claims: pd.DataFrame) -> pd.DataFrame:
    frame = claims[list(CLAIM_COLUMNS)].reset_index(drop=True)
    for name in ("level", "low", "high", "median"):
        frame[name] = frame[name].astype(np.float64)
    frame["status"] = frame["status"].astype(str)
    ok = frame["status"] == Status.OK
    wrong = ok & ~((frame["low"] <= frame["high"]) & frame["level"].between(0, 1, inclusive="neither"))
    if wrong.any():
        raise DataError(
            f"a claim with status ok must have low <= high and a level in (0, 1), got {_label(frame[wrong].iloc[0])}. "
            "Swap the ends, or give it a status."
        )
    twice = frame.duplicated([*KEYS, "level"])
    if twice.any():
        raise DataError(f"a claim must be there once, got twice {_label(frame[twice].iloc[0])}. Number the repeats.")
    frame.loc[~ok, ["low", "high", "median"]] = np.nan  # a value without a reading would be scored by somebody
    return frame


def _label(row: pd.Series) -> str:
    item = f"{row['dataset']}/{row['learner']}/{row['measure']}"
    return f"[{row['low']}, {row['high']}] at {row['level']} ({row['respondent']} on {item}, repeat {row['repeat']})"


def _with_truths(frame: pd.DataFrame, truths: Truths) -> list[str]:
    """The statuses; an answer to a question whose truth has no value is degenerate."""
    known = {key for key, truth in truths.items() if len(truth.runs)}
    return [
        str(Status.DEGENERATE) if status == Status.OK and tuple(key) not in known else status
        for status, *key in _tuples(frame, ("status", "dataset", "learner", "measure"))
    ]


def _claim_statuses(frame: pd.DataFrame) -> tuple[NDArray[np.object_], NDArray[np.int64]]:
    """The status of each row's whole claim (ok, or the first that is not), and which claim the row is of."""
    claim = np.asarray(frame.groupby(list(KEYS), sort=False, dropna=False).ngroup(), dtype=np.int64)
    status = frame["status"].to_numpy(dtype=object)
    worst = np.full(claim.max(initial=-1) + 1, str(Status.OK), dtype=object)
    bad = np.flatnonzero(status != Status.OK)[::-1]
    worst[claim[bad]] = status[bad]
    return worst[claim], claim


def _is_widest(frame: pd.DataFrame) -> NDArray[np.bool_]:
    level = frame.groupby(list(KEYS), sort=False, dropna=False)["level"].transform("max")
    return (frame["level"] == level).to_numpy(dtype=bool)


def _arrays(frame: pd.DataFrame, claim: NDArray[np.int64], seed: int) -> Claims:
    counts = ((frame["measure"] == "shd") & (frame["target"] == "run")).to_numpy(dtype=bool) & _is_widest(frame)
    return Claims(
        row=np.arange(len(frame)),
        claim=claim,
        whole=(frame["claim_status"] == Status.OK).to_numpy(dtype=bool),
        uniforms=_uniforms(frame, counts, seed),
        **{name: frame[name].to_numpy(dtype=np.float64) for name in ("level", "low", "high", "median")},
    )


def _uniforms(frame: pd.DataFrame, wanted: NDArray[np.bool_], seed: int) -> Array:
    """(rows, 2) uniforms by each claim's own key: they do not depend on the order of the table."""
    uniforms = np.full((len(frame), 2), np.nan)
    for row, key in zip(np.flatnonzero(wanted), _tuples(frame[wanted], KEYS), strict=True):
        digest = hashlib.blake2b("\x1f".join(map(str, (seed, *key))).encode(), digest_size=16).digest()
        uniforms[row] = np.frombuffer(digest, dtype=np.uint64) >> np.uint64(11)
    return uniforms * 2.0**-53


def _by_truth(frame: pd.DataFrame, truths: Truths, seed: int) -> Iterator[tuple[list[int], Truth, str]]:
    """The rows with an answer, by the runs that they are scored on and the target."""
    grouped: dict[tuple[str, ...], list[int]] = {}
    columns = ("status", "flags", "target", "dataset", "learner", "measure")
    for row, (status, flags, *key) in enumerate(_tuples(frame, columns)):
        if status == Status.OK:
            grouped.setdefault((_OTHER_HALF.get(flags, ""), *key), []).append(row)
    split = halves(truths, rng=np.random.default_rng([seed, 2])) if any(half for half, *_ in grouped) else {}
    for (half, target, *key), rows in grouped.items():
        truth = (split[half] if half else truths)[key[0], key[1], key[2]]
        if len(truth.runs):  # half of one run is none
            yield rows, truth, target


def _alike(groups: Sequence[tuple[list[int], Truth, str]]) -> Iterator[tuple[Rows, str]]:
    """Rows with one target and as many runs, which are scored together; all rows about a truth, and few numbers."""
    waiting: dict[tuple[int, str], list[int]] = {}
    for rows, truth, target in groups:
        gathered = waiting.setdefault((len(truth.runs), target), [])
        gathered += rows
        if len(gathered) * len(truth.runs) > _TOGETHER:
            yield np.array(gathered, dtype=np.intp), target
            gathered.clear()
    for (_, target), rows in waiting.items():
        yield np.array(rows, dtype=np.intp), target


def _fill(columns: Columns, claims: Claims, truths: Sequence[Truth], target: str) -> None:
    for name, values in of_outcomes(claims, truths, target).items():
        columns[name][claims.row] = values
    for rows, scores in of_claims(claims, truths, target):
        for name, values in scores.items():
            columns[name][rows] = values


def _expect(columns: Columns, claims: Claims, truths: Sequence[Truth], target: str) -> None:
    """The rows of baseline/random."""
    levels: dict[int, list[float]] = {}
    for level, claim in sorted(zip(claims.level.tolist(), claims.claim.tolist(), strict=True)):
        levels.setdefault(claim, []).append(level)
    alike: dict[tuple[float, ...], list[int]] = {}
    for k, (level, claim) in enumerate(zip(claims.level.tolist(), claims.claim.tolist(), strict=True)):
        alike.setdefault((level, *levels[claim]), []).append(k)
    for (level, *all_levels), which in alike.items():
        expected = expected_scores([truths[k] for k in which], level, all_levels, target)
        for name, values in expected.items():
            columns[name][claims.row[which]] = values


def _of_references(scores: pd.DataFrame, names: Sequence[str], score: str) -> Iterator[tuple[str, Array]]:
    """Each reference, and for each row its mean score on the same question; NaN where it gave none."""
    question = scores.groupby(list(QUESTION), sort=False).ngroup()
    for name in names:
        theirs = scores["respondent"] == name
        means = scores.loc[theirs, score].groupby(question[theirs]).mean()
        yield name, means.reindex(question).to_numpy(dtype=np.float64)


def _long_rows(rows: pd.DataFrame, names: Sequence[str], suffix: str) -> pd.DataFrame:
    n = len(names)
    values = rows[list(names)].to_numpy(dtype=np.float64)
    whole = np.array([name.removesuffix("_scaled") in OF_CLAIM for name in names], dtype=bool)
    status = np.where(whole, rows[["claim_status"]].to_numpy(dtype=object), rows[["status"]].to_numpy(dtype=object))
    status = np.where((status == Status.OK) & np.isnan(values), str(Status.DEGENERATE), status)
    table = pd.DataFrame(
        {
            "item": np.repeat(_join_columns(rows, ("dataset", "learner", "measure")), n),
            "variant": np.repeat(_join_columns(rows, ARMS), n),
            "respondent": np.repeat(rows["respondent"].to_numpy(dtype=object), n),
            "repeat": np.repeat(rows["repeat"].to_numpy(), n),
            "measure": np.tile(np.array([f"{name}{suffix}" for name in names], dtype=object), len(rows)),
            "value": values.ravel(),
            "status": status.ravel(),
        }
    )
    has_pit = np.repeat(((rows["measure"] == "shd") & (rows["target"] == "run")).to_numpy(dtype=bool), n)
    return table[has_pit | (table["measure"] != "pit").to_numpy(dtype=bool)]


def _join_columns(rows: pd.DataFrame, names: Sequence[str]) -> NDArray[np.object_]:
    return np.array(["/".join(map(str, values)) for values in _tuples(rows, names)], dtype=object)


def _tuples(frame: pd.DataFrame, names: Sequence[str]) -> Iterator[tuple[Json, ...]]:
    """The rows as plain tuples; iterating over a column of text is ten times slower than over its list."""
    return zip(*(frame[name].tolist() for name in names), strict=True)
