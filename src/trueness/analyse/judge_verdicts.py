"""`trueness judge verdicts.csv`: can a judge's verdicts be believed, and what is their mean once corrected?

    item, judge, verdict      one row per verdict: a number, or yes/no, pass/fail, true/false
    label                     what a person says of the item, where one has said so, in any of its rows
    repeat, cluster           the same judge again; items that belong together

Per judge: its base rate, agreement with itself and with people (kappa and alpha beside the base rates, since a judge
that always says 1 agrees with people who nearly always do), the judged mean corrected by people's labels
(prediction-powered; Rogan-Gladen for 0 and 1), and how many labels a wanted interval needs. Of an item that was judged
several times the first verdict is held against its label.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from trueness.analyse.loading import read_table
from trueness.errors import DataError, listed
from trueness.outside import Json
from trueness.showing.console import Console, plain, print_table
from trueness.showing.summary import Finding
from trueness.showing.tables import Column, Table
from trueness.statistics import (
    Estimate,
    gwet_ac1,
    krippendorff_alpha,
    mean,
    prediction_powered_mean,
    share,
    weighted_kappa,
)
from trueness.statistics.agreement import KappaWeights, Scale
from trueness.statistics.ppi import labels_needed, rogan_gladen
from trueness.statistics.result import Cell, Result
from trueness.texts import counted

_WORDS = {"yes": 1.0, "no": 0.0, "pass": 1.0, "fail": 0.0, "true": 1.0, "false": 0.0, "correct": 1.0, "incorrect": 0.0}
_NEEDED = ("item", "judge", "verdict")
_LABELS = "labels needed"
_MOST_CATEGORIES = 12  # beyond, verdicts are taken as numbers and not as grades
Row = dict[str, Cell]
Figure = tuple[str, Estimate | Result | Row]


@dataclass(frozen=True, eq=False)
class JudgeReport:
    """What was found, one row per judge and figure."""

    file: str
    verdicts: pd.DataFrame
    half_width: float
    level: float = 0.95
    remarks: tuple[str, ...] = ()  # of the table as a whole

    @cached_property
    def rows(self) -> list[Row]:
        judges = self.verdicts.groupby("judge", sort=False)
        figures = [(str(judge), *figure) for judge, mine in judges for figure in self._of_judge(mine)]
        return [_row(judge, figure, estimate) for judge, figure, estimate in figures]

    def _of_judge(self, mine: pd.DataFrame) -> Iterator[Figure]:
        read = mine[mine["verdict"].notna()]
        readable = mine["verdict"].notna().astype(float)
        yield "readable verdicts", share(readable, list(mine["cluster"]), self.level)
        yield "base rate (mean verdict)", _mean(read["verdict"], read["cluster"], self.level)
        wide = read.pivot_table(index="repeat", columns="item", values="verdict", aggfunc="first")
        if len(wide) > 1:
            yield "with itself, alpha", krippendorff_alpha(wide.to_numpy(), self._scale, level=self.level)
        once = read.drop_duplicates("item")
        if once["label"].notna().any():
            yield from self._against_people(once[once["label"].notna()], once[once["label"].isna()])

    def _against_people(self, both: pd.DataFrame, others: pd.DataFrame) -> Iterator[Figure]:
        verdicts, true, clusters = both["verdict"].to_numpy(), both["label"].to_numpy(), list(both["cluster"])
        pair = np.vstack([verdicts, true])
        yield "people's base rate (mean label)", _mean(both["label"], both["cluster"], self.level)
        if self._scale != "interval":
            yield "with people, share", share((verdicts == true).astype(float), clusters, self.level)
            if len(np.unique(verdicts)) > 1 and len(np.unique(true)) > 1:
                weights: KappaWeights = "none" if self._scale == "nominal" else "quadratic"
                yield "with people, kappa", weighted_kappa(verdicts, true, weights, clusters, self.level)
            yield "with people, AC1", gwet_ac1(pair, clusters, self.level)
        yield "with people, alpha", krippendorff_alpha(pair, self._scale, clusters, self.level)
        more, groups = others["verdict"].to_numpy(), (clusters, list(others["cluster"]))
        if len(others):
            yield "mean corrected by labels (PPI++)", prediction_powered_mean(true, verdicts, more, groups, self.level)
        if len(others) and self._scale == "nominal":
            yield "share corrected for its errors (Rogan-Gladen)", rogan_gladen(true, verdicts, more, self.level)
        needed = labels_needed(true, verdicts, len(others), self.half_width, self.level)
        if needed is not None:
            items = len(both) + len(others)
            few = f"; there are {items} items only" if needed > items else ""
            note = f"by the variances of the {len(both)} labels at hand{few}"
            figure = f"{_LABELS} for a half width of {self.half_width:g}"
            yield figure, {"value": needed, "n": len(both), "note": note}

    @cached_property
    def _scale(self) -> Scale:
        values = pd.concat([self.verdicts["verdict"], self.verdicts["label"]]).dropna().unique()
        if set(values) <= {0.0, 1.0}:
            return "nominal"
        return "ordinal" if (values % 1 == 0).all() and len(values) <= _MOST_CATEGORIES else "interval"

    def sentences(self) -> list[str]:
        """What a reader must know before the figures are used."""
        lines: list[str] = list(self.remarks)
        for judge, mine in self.verdicts.groupby("judge", sort=False):
            values, labels, once = mine["verdict"].dropna(), mine["label"].dropna(), mine.drop_duplicates("item")
            if values.nunique() == 1:
                text = f"{judge} says {values.iloc[0]:g} to all of {len(values)} items: it carries no information."
                lines.append(Finding(text, open=True))
            if labels.empty:
                text = f"No item of {judge} has a label: its agreement with people and its corrected mean are "
                lines.append(Finding(f"{text}not checked.", open=True))
                continue
            unlabelled = int(once["label"].isna().sum())
            lines.append(
                f"{judge}: {len(once) - unlabelled} of {len(once)} items have a label. PPI++ is the mean of items like "
                f"all of these; Rogan-Gladen, for 0 and 1, the share among the {unlabelled} without a label. The first "
                "verdict on an item that can be read stands against its label."
            )
            if labels.nunique() == 1:
                why = f"all labels of {judge} are {labels.iloc[0]:g} ({labels.size} rows)"
                text = f"How many labels are needed is not known until another one occurs: {why}."
                lines.append(Finding(text, open=True))
        counts = [row for row in self.rows if str(row["figure"]).startswith(_LABELS)]
        lines += [f"{row['judge']}: {row['value']} {row['figure']}, {row['note']}." for row in counts]
        lost = int(self.verdicts["verdict"].isna().sum())
        return lines + ([f"{lost} of {len(self.verdicts)} verdicts cannot be read; they are left out."] if lost else [])

    def table(self) -> Table:
        columns = (
            Column("judge", "Judge", "text"),
            Column("figure", "Figure", "text"),
            Column("n", "n", "count"),
            Column("value", "Value", "number", "low", "high", decimals=2),
        )
        caption = (
            f"Judges of {self.file}. Brackets: {100 * self.level:g} % intervals over items, clustered where given."
        )
        rows = [row for row in self.rows if not str(row["figure"]).startswith(_LABELS)]  # these would have decimals
        return Table("judges", columns, rows, caption, rule_before="judge")

    def to_dict(self) -> dict[str, Json]:
        return {"file": self.file, "judges": self.rows, "sentences": [str(one) for one in self.sentences()]}

    def show(self, out: Console) -> None:
        print_table(out, f"judges of {Path(self.file).name}", self.table(), place="--json")
        for sentence in self.sentences():
            out.print(f"  {plain(sentence)}", soft_wrap=True)


def judge_file(path: Path | str, half_width: float = 0.05) -> JudgeReport:
    """A CSV or JSONL table of verdicts; DataError in one line where it is none."""
    if not half_width > 0:
        raise DataError(f"'half-width' must be above 0, got {half_width:g}.")
    path = Path(path)
    table = read_table(path).rename(columns=lambda name: str(name).strip().lower())
    lacking = [name for name in _NEEDED if name not in table.columns]
    if lacking:
        there = ", ".join(map(str, table.columns[:12]))
        raise DataError(
            f"{path} must have the columns {', '.join(_NEEDED)}, got no {', '.join(lacking)}, but {there}. Rename them."
        )
    if table.empty:
        raise DataError(f"{path} must have a verdict in every row, got no row.")
    for name in ("item", "judge", "cluster"):
        blank = [row for row, empty in enumerate(table[name].isna(), start=1) if empty] if name in table else []
        if len(blank):
            more = f" (and {len(blank) - 1} more)" if len(blank) > 1 else ""
            raise DataError(f"{path}, row {blank[0]}: {name!r} must be named, got an empty cell{more}. Fill it in.")
    frame = pd.DataFrame({"item": table["item"].astype(str), "judge": table["judge"].astype(str)})
    for name in ("verdict", "label", "repeat"):
        frame[name] = [_number(value) for value in table[name]] if name in table else np.nan
        endless = np.flatnonzero(np.isinf(frame[name]))
        if len(endless):
            got = table[name].iloc[endless[0]]
            raise DataError(
                f"{path}, row {endless[0] + 1}: {name!r} must be a finite number, got {str(got)!r}. Mend it."
            )
    if frame["verdict"].isna().all():
        raise DataError(f"{path}: 'verdict' must be numbers or yes and no, got {table['verdict'].iloc[0]!r}.")
    frame["repeat"] = frame["repeat"].fillna(0.0)
    frame["cluster"] = table["cluster"].astype(str) if "cluster" in table else frame["item"]
    remarks = []
    labels = frame.groupby("item")["label"]
    torn = labels.nunique() > 1
    frame["label"] = labels.transform("first").where(~frame["item"].map(torn))
    if torn.any():
        named = f"{counted(int(torn.sum()), 'item')} ({listed(torn.index[torn], most=3)})"
        remarks.append(f"Labels that contradict each other are not taken: those of {named}.")
    return JudgeReport(str(path), frame, half_width, remarks=tuple(remarks))


def _number(value: object) -> float:
    text = str(value).strip().lower()
    try:
        return _WORDS[text] if text in _WORDS else float(text)
    except ValueError:
        return float("nan")


def _mean(values: pd.Series, clusters: pd.Series, level: float) -> Estimate:
    """Of 0 and 1 a share, whose interval knows its ends and how few it is made of."""
    numbers = values.to_numpy(dtype=float)
    if set(np.unique(numbers)) <= {0.0, 0.5, 1.0}:
        return share(numbers, list(clusters), level)
    return mean(numbers, list(clusters), level=level, bounds=(float(numbers.min()), float(numbers.max())))


def _row(judge: str, figure: str, estimate: Estimate | Result | Row) -> Row:
    notes: Row = {"note": " ".join(getattr(estimate, "notes", ()))}
    cells = estimate if isinstance(estimate, dict) else notes | estimate.row()
    value, n = cells.get("value", cells.get("difference")), cells.get("n", cells.get("n_units"))
    ends: Row = {"low": cells.get("low"), "high": cells.get("high")}
    return {"judge": judge, "figure": figure, "value": value} | ends | {"n": n, "note": cells["note"]}
