"""Cause-effect pairs from a file of them: two columns each, and which one is the cause.

    SampleID,A,B            A and B: numbers with spaces between them, A the cause of B
    pair1,205 46 794,8.9 9.9 7.2

as the Causal Discovery Toolbox ships the Tuebingen pairs (Tuebingen_pairs.csv inside the wheel of cdt 0.6.0: 99 pairs,
94 to 16,382 rows). They come from many sources with terms of their own, so the user brings the file. Mooij et al.
(2016), JMLR 17, whose truths are common sense (`consensus`) and whose weights of related pairs are not in the file.
The effect is the first column of every second pair: who goes by the order of columns is right half the time.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trueness.datasets.dataset import About
from trueness.datasets.microdata import data_errors
from trueness.datasets.table import Table, check_usable
from trueness.datasets.tables import RealTable
from trueness.errors import DataError, SettingError
from trueness.graphs import Graph
from trueness.outside import MEGABYTE, is_there, open_file

LARGEST_FILE = 64 * MEGABYTE  # the Tuebingen pairs have 2


def pair_of_file(path: Path | str, number: int = 1, name: str = "") -> RealTable:
    """The pair on line `number` of a file of pairs, counted from 1."""
    import pandas as pd

    path = Path(path)
    if not is_there(path):
        raise DataError(f"{path} is not there. Give a file of pairs with the columns SampleID, A and B.")
    with data_errors(path, "a file of pairs with the columns SampleID, A and B"), open_file(path, LARGEST_FILE) as file:
        frame = pd.read_csv(file, dtype=str, usecols=["SampleID", "A", "B"])
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= len(frame):
        raise SettingError(f"'pair' of {path.name} must be a whole number in [1, {len(frame)}], got {number!r:.40}.")
    label = str(frame["SampleID"].iloc[number - 1])
    cause, effect = (_numbers(frame[column].iloc[number - 1], label, path) for column in ("A", "B"))
    if len(cause) != len(effect):
        raise DataError(f"{label} of {path.name} must have as many A as B, got {len(cause)} and {len(effect)}.")
    columns = [cause, effect] if number % 2 else [effect, cause]
    table = Table(("first", "second"), np.column_stack(columns), (None, None), f"{path.name} {label}")
    check_usable(table)
    truth = Graph.from_edges(["first -> second" if number % 2 else "second -> first"], table.names, "dag")
    about = About(
        title=f"Cause and effect, {label}",
        domain="not told",
        summary=f"{table.n:,} rows of two variables, one of which causes the other.",
        truth="consensus",
        truth_note="what the collectors of the pairs hold for obvious",
        rows=table.n,
        source=path.name,
        licence="that of the pair's own source",
        reference="Mooij, Peters, Janzing, Zscheischler & Schoelkopf (2016), JMLR 17(32), for the Tuebingen pairs",
        variables={"first": "", "second": ""},
        data="continuous",
    )
    return RealTable(name or label, truth, about, table)


def _numbers(text: str, label: str, path: Path) -> NDArray[np.float64]:
    with data_errors(path, f"a file of pairs with numbers in {label}"):
        return np.array(str(text).split(), dtype=np.float64)
