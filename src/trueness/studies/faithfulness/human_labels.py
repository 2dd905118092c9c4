"""What people said of the same questions, and the judges' mean corrected by it.

    mean(label) + lam (mean of the judge over unlabelled items - its mean over labelled ones)      per kind, in 0..1

Prediction-powered inference (statistics/ppi.py, which chooses lam): Angelopoulos et al. (2023), Science 382.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from trueness.errors import DataError
from trueness.outside import text_of
from trueness.reading.verdicts import TOP
from trueness.statistics import Estimate, prediction_powered_mean
from trueness.studies.faithfulness.ratings import Item, Table, averages, clusters_of

LABEL_COLUMNS = ("problem", "kind", "node", "label")


def read_labels(path: Path) -> dict[Item, float]:
    """A CSV with the columns problem, kind, node, label (0..4) and, for logic, dimension."""
    return parse_labels(text_of(Path(path)), Path(path).name)


def parse_labels(text: str, name: str) -> dict[Item, float]:
    labels: dict[Item, float] = {}
    for number, row in enumerate(_rows(text, name), start=2):
        lacking = [column for column in LABEL_COLUMNS if row.get(column) is None]
        if lacking:
            raise DataError(f"{name} must have the columns {', '.join(LABEL_COLUMNS)}, got no {lacking[0]!r}.")
        try:
            label = float(row["label"])
        except ValueError:
            label = -1.0
        if not 0 <= label <= TOP:
            raise DataError(f"{name}, line {number}: 'label' must be in 0 .. {TOP}, got {row['label']!r}.")
        labels[Item(row["problem"], row["kind"], row["node"], row.get("dimension") or "")] = label
    return labels


def _rows(text: str, name: str) -> list[dict[str, str]]:
    try:
        return list(csv.DictReader(io.StringIO(text, newline="")))
    except csv.Error as error:
        raise DataError(f"{name} must be CSV, got: {error}. Save it as CSV again.") from None


def correct_by_labels(table: Table, labels: Mapping[Item, float], level: float) -> dict[str, Estimate]:
    """Per kind: the judges' mean rating, corrected by the items that people labelled; on the scale 0..1."""
    means = averages(table)
    by_kind = {}
    for kind in dict.fromkeys(item.kind for item in means):
        of_kind = [item for item in means if item.kind == kind]
        here = [item for item in of_kind if item in labels]
        rest = [item for item in of_kind if item not in labels]
        if here:
            estimate = prediction_powered_mean(
                [labels[item] / TOP for item in here],
                [means[item] / TOP for item in here],
                [means[item] / TOP for item in rest],
                (clusters_of(here), clusters_of(rest)),
                level,
                name=f"{kind}, corrected by {len(here)} labels",
            )
            ends = estimate.interval
            by_kind[kind] = estimate if ends is None else replace(estimate, interval=ends.within(0, 1))
    return by_kind
