"""Data sets by name: built in, a user's own file, a member of the synthetic family, or a Python object.

load("asia")                       load("synthetic-50")              load("my_net.bif")
load("plant.csv")                  its graph beside it: plant.dot, plant.graph.csv, ...
load("plant.csv:expert.graphml")   its graph named
load("my_file.py:my_dataset")      an object with name, truth, about, table, draw
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_type_hints

from assay import registry
from assay.datasets.dataset import About, Dataset
from assay.datasets.table import Table, check_usable
from assay.errors import SettingError, UnknownName, did_you_mean

__all__ = ["About", "Dataset", "Table", "check_usable", "load"]

_ROWS = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet")
_OWN = {"data", "graph", "discrete", "truth", "direction"}  # settings of a user's own table


def load(name: str, settings: dict[str, Any] | None = None, folder: Path | str = ".") -> Dataset:
    """The data set of that name; `settings` are those of a [datasets.NAME] table of a plan, paths are from `folder`."""
    settings = dict(settings or {})
    if settings.get("kind") == "synthetic":
        return _synthetic(name, {key: value for key, value in settings.items() if key != "kind"})
    if "data" in settings:
        return _own(name, settings, Path(folder))
    if settings:
        raise SettingError(f"[datasets.{name}] must have 'data = \"file.csv\"' or 'kind = \"synthetic\"'.")
    if ".py:" in name:
        found = registry.resolve("dataset", name)
        return found() if callable(found) and not hasattr(found, "draw") else found  # type: ignore[no-any-return]
    file, _, graph = name.partition(":")
    if file.endswith((*_ROWS, ".bif", ".bif.gz")):
        return _own("", {"data": file} | ({"graph": graph} if graph else {}), Path(folder))
    if re.fullmatch(r"synthetic-[1-9]\d{0,4}", name):
        from assay.datasets.synthetic import builtin

        return builtin(name)
    try:
        found = registry.resolve("dataset", name)
    except UnknownName:
        raise UnknownName("dataset", name, registry.names("dataset"), hint="Your own: plant.csv:graph.dot.") from None
    return found(name) if name in registry.DATASETS else found() if not hasattr(found, "draw") else found  # type: ignore[no-any-return]


def _own(name: str, settings: dict[str, Any], folder: Path) -> Dataset:
    from assay.datasets.networks import network_of_file
    from assay.datasets.tables import table_of_file

    for key in settings.keys() - _OWN:
        raise SettingError(f"{key!r} is not a setting of a data set. {did_you_mean(key, _OWN)}  ([datasets.{name}])")
    path = folder / settings["data"]
    if path.name.endswith((".bif", ".bif.gz")):
        return network_of_file(path)
    graph = settings.get("graph")
    if settings.get("truth", "assumed") not in ("known", "consensus", "assumed"):
        raise SettingError(f"'truth' must be known, consensus or assumed, got {settings['truth']!r}.")
    rest = {key: settings[key] for key in ("discrete", "truth", "direction") if key in settings}
    return table_of_file(path, folder / graph if graph else None, name=name or None, **rest)


def _synthetic(name: str, settings: dict[str, Any]) -> Dataset:
    from assay.datasets.synthetic import Synthetic

    known = [key for key in get_type_hints(Synthetic) if key != "label"]
    for key in settings:
        if key not in known:
            raise SettingError(
                f"{key!r} is not a setting of synthetic. {did_you_mean(key, known)}  ([datasets.{name}])"
            )
    try:
        return Synthetic(**settings, label=name)
    except TypeError as error:
        raise SettingError(f"[datasets.{name}]: {error}.") from None
