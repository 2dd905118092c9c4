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
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import get_args

from trueness import registry
from trueness.datasets.columns import kinds_of
from trueness.datasets.dataset import About, Dataset, Truth, has_truth, nodes_of, targets_of
from trueness.datasets.table import Table, TableLike, check_usable
from trueness.errors import DataError, SettingError, UnknownName, did_you_mean, listed
from trueness.outside import Json, is_there

__all__ = ["TABLE_FILES", "About", "Dataset", "Table", "check_usable", "has_truth", "is_table", "load", "load_stored",
           "nodes_of", "settings_of_options", "targets_of"]  # fmt: skip

TABLE_FILES = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz", ".parquet", ".jsonl")
_OWN = ("data", "graph", "discrete", "truth", "kinds", "targets", "decimal")
_KINDS: dict[str, tuple[str, ...]] = {  # with their settings; those of a simulation are the fields of its class
    "synthetic": (),
    "var": (),
    "series": ("data", "graph", "lags", "missing", "drop", "truth"),
    "air-quality": ("data", "lags"),
}
_TEXTS = {"kind": "a word", "data": "the path of a file", "graph": "the path of a file or a word", "truth": "a word",
          "discrete": "a list of columns", "drop": "a list of columns"}  # fmt: skip


def load(name: str | Path | TableLike, settings: dict[str, Json] | None = None, folder: Path | str = ".") -> Dataset:
    """The data set of that name, or a table in memory; `settings` are those of a [datasets.NAME] table of a plan, paths
    are from `folder`."""
    settings, folder = dict(settings or {}), Path(folder)
    if not isinstance(name, str | Path):
        return _in_memory(name, settings)
    name = str(name)
    _check_texts(name, settings)
    if "kind" in settings:
        kind = settings.pop("kind")
        if kind not in _KINDS:
            raise SettingError(f"'kind' must be one of {listed(_KINDS)}, got {kind!r}.  ([datasets.{name}])")
        _check_keys(name, settings, _KINDS[kind] or _settings_of(kind), kind)
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


def _check_texts(name: str, settings: dict[str, Json]) -> None:
    """Paths and words are text, lists of columns are lists of text; numbers are checked by what they belong to."""
    for key, value in settings.items():
        texts = value if key in ("discrete", "drop") and isinstance(value, list | tuple) else [value]
        if key in _TEXTS and not all(isinstance(text, str) and "\0" not in text for text in texts):
            raise SettingError(f"{key!r} must be {_TEXTS[key]}, got {value!r:.60}.  ([datasets.{name:.60}])")


def _check_keys(name: str, settings: dict[str, Json], known: Sequence[str], owner: str) -> None:
    for key in settings:
        if key not in known:
            raise SettingError(f"{key!r} is not a setting of {owner}. {did_you_mean(key, known)}  ([datasets.{name}])")


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

    _check_keys(name, settings, _OWN, "a data set")
    path = folder / settings["data"]
    if path.name.endswith((".bif", ".bif.gz")):
        return network_of_file(path)
    graph = settings.get("graph")
    if settings.get("truth", "assumed") not in get_args(Truth):
        raise SettingError(f"'truth' must be one of {listed(get_args(Truth))}, got {settings['truth']!r}.")
    _check_settings(settings)
    rest = {key: value for key, value in settings.items() if key not in ("data", "graph")}
    return table_of_file(path, folder / graph if graph else None, name=name or None, **rest)


def _check_settings(settings: dict[str, Json]) -> None:
    if not isinstance(settings.get("kinds", {}), dict):
        got = f"{settings['kinds']!r:.40}"
        raise SettingError(f"'kinds' must be a table such as {{age = \"continuous\"}}, got {got}.")
    if not isinstance(settings.get("targets", ""), str):
        raise SettingError(f"'targets' must be the name of a column, got {settings['targets']!r:.60}.")
    if settings.get("decimal", "point") not in ("comma", "point"):
        raise SettingError(f"'decimal' must be 'comma' or 'point', got {settings['decimal']!r:.40}.")


def _in_memory(data: TableLike, settings: dict[str, Json]) -> Dataset:
    """Rows that are there already; settings: discrete, kinds, targets."""
    from trueness.datasets.tables import table_alone

    _check_keys("", settings, ("discrete", "kinds", "targets"), "a table in memory")
    _check_settings(settings)
    table = Table.of(
        data, settings.get("discrete"), kinds=settings.get("kinds"), strict=False, targets=settings.get("targets")
    )
    return table_alone(table, "data")


def _settings_of(kind: str) -> list[str]:
    from trueness.datasets.series import VAR
    from trueness.datasets.synthetic import Synthetic

    return [field.name for field in fields(VAR if kind == "var" else Synthetic) if field.name != "label"]


def _of_kind(kind: str, name: str, settings: dict[str, Json], folder: Path) -> Dataset:
    """A simulated system, or a recorded series."""
    from trueness.datasets.series import VAR, air_quality, series_of_file
    from trueness.datasets.synthetic import Synthetic

    if kind in ("synthetic", "var"):
        try:
            return (VAR if kind == "var" else Synthetic)(**settings, label=name)
        except (TypeError, ValueError, IndexError, OverflowError) as error:
            raise SettingError(f"[datasets.{name}]: {error}.") from None
    if "data" not in settings:
        raise SettingError(f"[datasets.{name}] must have 'data = \"file.csv\"' for kind {kind!r}.")
    paths = {key: folder / settings.pop(key) for key in ("data", "graph") if key in settings}
    if kind == "air-quality":
        return air_quality(paths["data"], **settings)
    return series_of_file(paths["data"], paths.get("graph"), name=name, **settings)
