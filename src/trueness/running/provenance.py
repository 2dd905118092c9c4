"""Where a study's results come from: provenance.json.

    plan        its hash and seed, and the way to its folder
    sessions    one for each command that worked on the study: when, on what machine, with which packages
    data        a hash of every data set's truth and rows
    cells       what was asked for, with every setting

A session is written to the store when it begins and when it ends, so that `trueness report` on another machine tells of
the machine that did the work. Environments that several sessions share stand in the file once.

The file goes where the results go, so it names no folder of this machine and no user: of a full path the file's own
name is left, and the plan's folder is told as the way to it from the study's.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import cache
from getpass import getuser
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec
import numpy as np

from trueness.datasets import Dataset, has_truth
from trueness.errors import StoreError, TruenessError
from trueness.files import read_text
from trueness.outside import Json, json_of, one_line
from trueness.running.cells import Stage, stream
from trueness.running.results import Results
from trueness.running.store import Store

SAMPLE = 200  # rows that stand for a data set whose rows are simulated
_FULL_PATH = re.compile(r"""(?<![^\s"'(\[=,;])/[^/\s:"']+/[^\s:"',;)\]]*""")  # within a sentence or a command


def provenance(store: Store, tasks: Sequence[Results], plan: str, plan_folder: Path) -> dict[str, Json]:
    """provenance.json, from the store."""
    sessions, environments = _entry(store, "sessions", Entries), _entry(store, "environments", Named)
    used = [environments[name] for entry in sessions if (name := str(entry.get("environment"))) in environments]
    record = {
        "study": tasks[0].study,
        "tasks": [results.task for results in tasks],
        "seed": tasks[0].seed,
        "written": _now(),
        "plan_from_here": way_to(plan_folder, store.folder),
        "plan_sha256": _sha256((store.meta("plan") or "").encode()),
        "plan_file_sha256": _sha256(plan.encode()),
        **(used[-1] if used else environment()),
        "sessions": sessions,
        "environments": environments,
        **({"data": {}} | _entry(store, "sources", Named)),
        "cells": [
            {"task": results.task, "item": cell.item, "variant": cell.variant, "respondent": cell.respondent}
            | {"runs": cell.repeats, "settings": cell.identity}
            for results in tasks
            for cell in results.cells
        ],
    }
    return without_paths(record)  # type: ignore[no-any-return]


def way_to(plan_folder: Path, folder: Path) -> str | None:
    """From the study's folder to the plan's, such as '../..'; None where that would name folders of a user."""
    there, here = plan_folder.resolve(), folder.resolve()
    way = Path(os.path.relpath(there, here))
    shared = Path(os.path.commonpath((there, here)))
    return None if shared == Path(shared.anchor) or _users() & set(way.parts) else str(way)


def plan_folder_of(folder: Path) -> Path:
    """Where the paths of a study folder's own study.toml start: the plan's folder, else the study's.

    The study may be a stranger's: what it says is taken where `way_to` would have said it, so it cannot lead to
    another part of the machine.
    """
    try:
        record = json_of(read_text(folder, "provenance.json"), "provenance.json")
    except TruenessError:
        return folder
    way = record.get("plan_from_here") if isinstance(record, dict) else None
    place = folder / way if isinstance(way, str) else folder
    try:
        return place if place.is_dir() and way_to(place, folder) is not None else folder
    except (OSError, ValueError):  # a name that no system can have
        return folder


def without_paths(value: object) -> Json:
    """The same without folders of this machine: of a full path in any text the file's name is left."""
    if isinstance(value, dict):
        return {without_paths(key): without_paths(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [without_paths(entry) for entry in value]
    if not isinstance(value, str):
        return value
    parts = value.split(":")  # data.csv:graph.dot
    for k, steps in enumerate(part.split("/") for part in parts):
        is_full = steps[0] == "" and len(steps) > 1 and steps[1] != ""  # no address, //host
        if is_full or (".." in steps and _users() & set(steps)):
            parts[k] = Path(parts[k]).name
    return _FULL_PATH.sub(lambda path: Path(path[0]).name, ":".join(parts))


@cache
def _users() -> frozenset[str]:
    """What this user is called, as far as the system tells."""
    names = set()
    with suppress(RuntimeError):
        names.add(Path.home().name)
    with suppress(OSError, KeyError, ImportError):
        names.add(getuser())
    return frozenset(names - {""})


@contextmanager
def session(store: Store, stages: Sequence[Stage]) -> Iterator[None]:
    """Written when the work begins, and again when it ends: a driver that was killed has no end."""
    here = environment()
    name = _sha256(json.dumps(here, sort_keys=True).encode())[:12]
    environments, sessions = _entry(store, "environments", Named) | {name: here}, _entry(store, "sessions", Entries)
    sessions.append({"began": _now(), "ended": None, "environment": name})
    store.set_meta("environments", json.dumps(environments))
    store.set_meta("sources", json.dumps(without_paths(sources(stages))))
    store.set_meta("sessions", json.dumps(sessions))
    yield
    sessions[-1]["ended"] = _now()
    store.set_meta("sessions", json.dumps(sessions))


Entries, Named = list[dict[str, Any]], dict[str, dict[str, Any]]
Kind = TypeVar("Kind")


def _entry(store: Store, name: str, kind: type[Kind]) -> Kind:
    """What the store says under that name, empty where it says nothing; a store of somebody else may say anything."""
    what = f"the entry {name!r} of study.db"
    try:
        return msgspec.convert(json_of(store.meta(name) or json.dumps(kind()), what, StoreError), kind)
    except msgspec.ValidationError as wrong:
        raise StoreError(f"{what} must be as trueness writes it, got: {one_line(wrong)}. Restore a copy.") from None


@cache
def environment() -> dict[str, Json]:
    """Of packages everything that is installed: a learner of the user's own may import any of it."""
    installed = {(item.metadata["Name"], item.version) for item in metadata.distributions()}
    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "platform": platform.platform(),
        "machine": platform.machine(),
        "cpu": {"model": _cpu_model(), "cores": os.cpu_count()},
        "packages": dict(sorted(installed, key=lambda pair: pair[0].lower())),
    }


@cache
def _cpu_model() -> str:
    with suppress(OSError):
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        if named := re.search(r"^model name\s*: (.*)$", text, re.MULTILINE):
            return named[1].strip()
    return platform.processor()


def sources(stages: Sequence[Stage]) -> dict[str, dict[str, Json]]:
    """Hashes of what is asked about."""
    data: dict[str, str] = {}
    for stage in stages:
        for name, held in stage.datasets.items():
            data[name] = data_digest(cast(Dataset, getattr(held, "dataset", held)))
        for name, truth in stage.about.get("truths", {}).items():  # shares by condition
            data[name] = _sha256(json.dumps(truth, sort_keys=True, default=str).encode())
    return {"data": data}


def data_digest(dataset: Dataset) -> str:
    """Of the truth, where one is known, and the rows; of simulated data the first rows of a fixed stream."""
    table = dataset.table
    if table is None:
        table = dataset.draw(SAMPLE, stream(0, "provenance"))
    digest = hashlib.sha256(dataset.truth.to_json().encode() if has_truth(dataset) else b"")
    digest.update(json.dumps(table.layout, default=str).encode())
    digest.update(np.ascontiguousarray(table.values, dtype="<f8").tobytes())
    return digest.hexdigest()


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
