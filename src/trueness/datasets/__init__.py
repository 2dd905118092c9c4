"""Data sets by name: built in, a user's own file, a member of the synthetic family, or a Python object.

load("asia")                       load("synthetic-50")              load("my_net.bif")
load("plant.csv")                  its graph beside it: plant.dot, plant.graph.csv, ...; without one its truth is `none`
load("plant.csv:expert.json")      its graph named
load("var-10")                     a simulated time series; settings: kind = "var", lags, relation, ...
load("air", {"kind": "air-quality", "data": "AirQualityUCI.csv"}), load("log", {"kind": "series", "data": "log.csv"})
load("my_file.py:my_dataset")      an object with name, truth, about, table, draw
load(frame), load(array)           a DataFrame, an array of numbers or a Table in memory, with truth `none`
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from trueness import registry
from trueness.datasets.columns import kinds_of
from trueness.datasets.dataset import About, Dataset, Truth, has_truth, nodes_of, targets_of
from trueness.datasets.table import Table, TableLike, check_usable
from trueness.errors import DataError, SettingError, UnknownName, listed
from trueness.outside import Json, is_there
from trueness.settings import checked_settings

__all__ = ["TABLE_FILES", "About", "Dataset", "Table", "check_usable", "has_truth", "is_table", "load", "load_stored",
           "nodes_of", "settings_of_options", "targets_of"]  # fmt: skip

TABLE_FILES = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz", ".parquet", ".jsonl")
_KINDS = ("synthetic", "var", "series", "air-quality")


@dataclass(frozen=True)
class _Memory:
    """Settings of a table in memory."""

    discrete: tuple[str, ...] | None = None
    kinds: dict[str, object] | None = None
    targets: str | None = None


@dataclass(frozen=True)
class _File:
    """Settings of a file of rows, or of a network."""

    data: str
    graph: str | None = None
    discrete: tuple[str, ...] | None = None
    truth: Truth | None = None
    kinds: dict[str, object] | None = None
    targets: str | None = None
    decimal: Literal["comma", "point"] | None = None


@dataclass(frozen=True)
class _Series:
    """Settings of a recorded series."""

    data: str
    graph: str | None = None
    lags: int = 1
    missing: float | None = None
    drop: tuple[str, ...] = ()
    truth: Truth = "assumed"


@dataclass(frozen=True)
class _AirQuality:
    """Settings of UCI Air Quality."""

    data: str
    lags: int = 2


def load(name: str | Path | TableLike, settings: dict[str, Json] | None = None, folder: Path | str = ".") -> Dataset:
    """The data set of that name, or a table in memory; `settings` are those of a [datasets.NAME] table of a plan, paths
    are from `folder`."""
    settings, folder = dict(settings or {}), Path(folder)
    if not isinstance(name, str | Path):
        return _in_memory(name, settings)
    name = str(name)
    if "kind" in settings:
        kind = settings.pop("kind")
        if kind not in _KINDS:
            raise SettingError(f"'kind' must be one of {listed(_KINDS)}, got {kind!r}.  ([datasets.{name}])")
        return _of_kind(kind, name, settings, folder)
    file, _, graph = name.partition(":")
    if "data" in settings:
        return _of_files(name, settings, folder)
    if is_table(name, folder) or (not settings and file.endswith((".bif", ".bif.gz"))):
        return _of_files("", {"data": file} | ({"graph": graph} if graph else {}) | settings, folder)
    if settings:
        raise SettingError(f"[datasets.{name}] must have 'data = \"file.csv\"' or 'kind = \"synthetic\"'.")
    if ".py:" in name:
        return _build(registry.resolve("dataset", registry.locate(name, folder)))
    if re.fullmatch(r"synthetic-[1-9]\d{0,4}", name):
        from trueness.datasets.synthetic import builtin

        return builtin(name)
    if re.fullmatch(r"var-[1-9]\d{0,3}", name):
        return _of_kind("var", "", {"nodes": int(name.removeprefix("var-"))}, folder)
    try:
        maker = registry.resolve("dataset", name)
    except UnknownName:
        raise UnknownName("dataset", name, registry.names("dataset"), hint="Your own: plant.csv:graph.dot.") from None
    return maker(name) if name in registry.built_in("dataset") else _build(maker)  # type: ignore[no-any-return]


def is_table(name: str, folder: Path | str = ".") -> bool:
    """Whether a name is of a file of rows: by its ending, or any file that is there and neither a network nor code."""
    file = name.partition(":")[0]
    if file.lower().endswith(TABLE_FILES):
        return True
    return "." in file and not file.endswith((".bif", ".bif.gz", ".py")) and is_there(Path(folder) / file)


def settings_of_options(name: str, options: Mapping[str, str | None]) -> dict[str, Json]:
    """The settings of a table that stand behind --kinds, --drop and --decimal."""
    kinds = kinds_of(options.get("kinds"), options.get("drop"))
    settings = {"kinds": kinds, "decimal": options.get("decimal")}
    if any(settings.values()) and not is_table(name):
        got = f"got {name!r:.60}"
        raise SettingError(f"--kinds, --drop and --decimal must be for a table of your own, {got}. Leave them out.")
    return {key: value for key, value in settings.items() if value}


def _build(maker: registry.Loaded) -> Dataset:
    """A data set of somebody else's code: the object itself, or what its class or function makes."""
    return maker() if isinstance(maker, type) or not hasattr(maker, "draw") else maker  # type: ignore[no-any-return]


def load_stored(name: object, settings: object, folder: Path | str) -> Dataset:
    """The data set that a stored study names, which may be a stranger's: no Python file is run to look at a study."""
    if not isinstance(name, str) or not isinstance(settings, dict | None):
        raise DataError(f"a data set of a stored study must be a name and its settings, got {name!r:.60}.")
    if ".py:" in name and not registry.was_run(registry.locate(name, Path(folder))):
        raise DataError(f"data set {name!r:.60} is made by a Python file, which is run by 'trueness run' only.")
    return load(name, settings, folder)


def _of_files(name: str, settings: dict[str, Json], folder: Path) -> Dataset:
    from trueness.datasets.networks import network_of_file
    from trueness.datasets.tables import table_of_file

    given: dict[str, Any] = checked_settings(_File, settings, "a data set", f"  ([datasets.{name:.60}])")
    path, graph = folder / given.pop("data"), given.pop("graph", None)
    if path.name.endswith((".bif", ".bif.gz")):
        return network_of_file(path)
    return table_of_file(path, folder / graph if graph else None, name=name or None, **given)


def _in_memory(data: TableLike, settings: dict[str, Json]) -> Dataset:
    """Rows that are there already."""
    from trueness.datasets.tables import table_alone

    given: dict[str, Any] = checked_settings(_Memory, settings, "a table in memory")
    return table_alone(Table.of(data, strict=False, **given), "data")


def _of_kind(kind: str, name: str, settings: dict[str, Json], folder: Path) -> Dataset:
    """A simulated system, or a recorded series."""
    from trueness.datasets.series import VAR, air_quality, series_of_file
    from trueness.datasets.synthetic import Synthetic

    made = dict(zip(_KINDS, (Synthetic, VAR, _Series, _AirQuality), strict=True))[kind]
    given: dict[str, Any] = checked_settings(made, settings, kind, f"  ([datasets.{name:.60}])")
    if kind in ("synthetic", "var"):
        try:
            return made(**given | {"label": name})  # type: ignore[no-any-return]
        except (TypeError, ValueError, IndexError, OverflowError) as error:
            raise SettingError(f"[datasets.{name}]: {error}.") from None
    paths = {key: folder / given.pop(key) for key in ("data", "graph") if given.get(key)}
    if kind == "air-quality":
        return air_quality(paths["data"], **given)
    return series_of_file(paths["data"], paths.get("graph"), name=name, **given)
