"""A forecast study as tables: one question asked, its reply read; all of a store read, scored, baselines beside.

    replies in study.db -> claims (read again by the present reader) -> scores against the runs of [discovery]

Nothing is asked and nothing is run; a better reader or another score needs no new call.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import repeat
from pathlib import Path

import numpy as np
import pandas as pd

from trueness.errors import StoreError
from trueness.models import Reply
from trueness.outside import Json
from trueness.reading.expected import Reading, read_forecast
from trueness.running.cells import Ask, Cell, reply_key
from trueness.running.outcomes import Outcome
from trueness.running.results import Results, Row
from trueness.running.store import Store, StoredReply
from trueness.running.study_folder import StudyFolder
from trueness.status import Status
from trueness.studies.forecast.frames import (
    ARMS,
    CELL,
    CLAIM_COLUMNS,
    MEASURES,
    REPLY_COLUMNS,
    DatasetAbout,
    Forecasts,
    Truth,
)
from trueness.studies.forecast.references import GONE, check_experts, parse_experts, questions, reference_claims
from trueness.studies.forecast.scores import long, score_claims

_OF_REPLY = ("text", "model", "seconds", "cost", "input_tokens", "output_tokens", "cached_tokens")
_NUMBERS = ("repeat", "level", "low", "high", "median")  # of claims: a table without rows knows no kinds of columns


EXCERPT = 70  # characters of an unreadable reply that the terminal shows


def perform(cell: Cell, repeat: int, ask: Ask, options: Mapping[str, Json]) -> Outcome:
    """Ask one question and read the reply. A model that cannot be held to the schema answers in free text."""
    messages, settings = cell.common["messages"], cell.common["settings"]
    salt = f"repeat {repeat}"
    reply = ask(cell.respondent, messages, settings, salt)
    key = reply_key(cell.respondent, options, messages, settings, salt)
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


def read_reply(reply: Reply, nodes: int) -> Reading:
    """What a reply claims. One that never came keeps its own status; one that was cut off is read as far as it goes."""
    if reply.status not in (Status.OK, Status.TRUNCATED):
        statuses = dict.fromkeys(MEASURES, reply.status)
        return Reading(dict.fromkeys(MEASURES), statuses, reply.status, message=reply.message)
    reading = read_forecast(reply.text, nodes=nodes)
    if reply.status == Status.TRUNCATED and reading.status == Status.UNREADABLE:
        cut = {m: Status.TRUNCATED if s == Status.UNREADABLE else s for m, s in reading.statuses.items()}
        return reading._replace(statuses=cut, status=Status.TRUNCATED)
    return reading


def read_forecasts(folder: Path | str) -> Forecasts:
    """The tables of the forecast study in a folder."""
    with StudyFolder.reading(folder) as study:
        return forecasts_of(study.task("discovery"), study.task("forecast"), study.store)


def forecasts_of(discovery: Results, forecast: Results, store: Store) -> Forecasts:
    about = forecast.about
    truths = truths_of(discovery, about["datasets"])
    read = [*_replies(forecast, store)]
    rows = [row for keys, _, reading in read for row in _claim_rows(keys, reading, forecast.level)]
    model_claims = pd.DataFrame(rows, columns=list(CLAIM_COLUMNS))
    references = tuple(name for name in about["references"] if name not in GONE)
    others = [reference_claims(truths, about["datasets"], references, about["targets"])]
    asked_of_people = questions(about["datasets"], about["learners"])
    others += [parse_experts(text, name, asked_of_people, name) for name, text in about["humans"].items()]
    filled = [part for part in (model_claims, *others) if len(part)]
    table = pd.concat(filled, ignore_index=True) if filled else model_claims.astype(dict.fromkeys(_NUMBERS, float))
    people = [name for name in table["respondent"].unique() if name.startswith("human/")]  # a sheet may hold several
    check_experts(people, f"the study {forecast.study}")
    references = (*references, *people)
    return Forecasts(
        study=forecast.study,
        seed=forecast.seed,
        level=forecast.level,
        truths=truths,
        claims=table,
        scores=score_claims(table, truths, references=references),
        replies=_replies_frame(read, store),
        datasets=about["datasets"],
        learners=about["learners"],
        references=references,
        arm=dict(zip(ARMS, forecast.cells[0].variant.split("/"), strict=True)) if forecast.cells else {},
        notes={key: about[key] for key in ("capability", "prompts", "famous") if key in about},
    )


def truths_of(discovery: Results, datasets: Mapping[str, DatasetAbout]) -> dict[tuple[str, str, str], Truth]:
    """(data set, learner, measure) -> what the runs showed."""
    truths = {}
    for cell in discovery.summaries:
        nodes, edges = datasets[cell.item]["nodes"], datasets[cell.item]["edges"]
        if nodes < 2:  # nothing can be wrong, and nothing can be divided by what could be
            raise StoreError(f"the nodes of {cell.item} must be at least 2, got {nodes}. The study is damaged.")
        for measure in MEASURES:
            step, upper = (1.0, nodes * (nodes - 1) / 2) if measure == "shd" else (1.0 / max(1, edges), 1.0)
            values, of_runs = cell.values[measure], cell.measures[measure]
            runs = values[~np.isnan(values)]
            key = cell.item, cell.respondent, measure
            truths[key] = Truth(*key, runs, cell.repeats, of_runs.ci, of_runs.runs, step, upper)
    return truths


Keys = dict[str, str | int]
Read = tuple[Keys, StoredReply, Reading]


def _replies(forecast: Results, store: Store) -> Iterator[Read]:
    """Every unit that was asked, with its reply as the present reader reads it."""
    stored = store.replies()
    for cell, about in zip(forecast.cells, forecast.abouts, strict=True):
        dataset, _, learner = cell.item.partition("/")
        keys: Keys = dict(zip((*CELL, *ARMS), (dataset, learner, *cell.variant.split("/")), strict=True))
        for run in forecast.of_cell(cell):
            reply = None if run.answer is None else stored.get(json.loads(run.answer)["reply"])
            if reply is not None:
                reading = read_reply(Reply.from_dict(reply.reply), about["nodes"])
                yield keys | {"respondent": cell.respondent, "repeat": run.repeat}, reply, reading


def _claim_rows(keys: Keys, reading: Reading, level: float) -> Iterator[dict[str, object]]:
    """One row a measure and level; a measure that was not read has one row with its status and no numbers."""
    for measure in MEASURES:
        own = f"{measure}:"
        flags = [flag.removeprefix(own) for flag in reading.flags if flag.startswith(own) or ":" not in flag]
        base = keys | {"measure": measure, "flags": ";".join(flags), "status": str(reading.statuses[measure])}
        value, median = reading.values.get(measure), reading.medians.get(measure)
        levels = dict(reading.levels.get(measure, {}))
        if value is None and not levels:
            yield base | {"level": level, "low": np.nan, "high": np.nan, "median": np.nan}
        if value is not None and (keys["formulation"] != "quantiles" or not levels):
            levels = {level: value}
        middle = np.nan if median is None else (median.low + median.high) / 2
        for at, interval in sorted(levels.items()):
            yield base | {"level": at, "low": interval.low, "high": interval.high, "median": middle}


def _replies_frame(read: list[Read], store: Store) -> pd.DataFrame:
    """`prompt` is the text that was asked; None where the store does not hold it."""
    asked = {key: store.prompt(key) for key in dict.fromkeys(stored.prompt for _, stored, _ in read)}
    texts = {key: "\n".join(message["content"] for message in messages) or None for key, messages in asked.items()}
    rows = [
        {name: stored.reply[name] for name in _OF_REPLY}
        | keys
        | {"status": str(reading.status), "message": stored.reply["message"] or reading.message}
        | {"prompt": texts[stored.prompt]}
        for keys, stored, reading in read
    ]
    return pd.DataFrame(rows, columns=list(REPLY_COLUMNS))


def long_rows(forecasts: Forecasts) -> Iterator[Row]:
    """The rows of scores.csv."""
    table = long(forecasts.scores)
    table["value"] = table["value"].astype(object).where(table["value"].notna(), None)
    columns = (table[name].tolist() for name in Row._fields[2:])
    return map(Row._make, zip(repeat(forecasts.study), repeat("forecast"), *columns, strict=False))
