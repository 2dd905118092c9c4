"""Two respondents of a study, or two files of scores, against each other: `trueness compare NEW --baseline OLD`.

    d_u = mean over repeats of A on unit u - the same of B,   a unit: an item under a variant that both answered
    sign-flip test over data sets, which is what was drawn; Holm over all pairs of the study's respondents (beyond
    MAX_PAIRS of them, or MAX_TESTED pairs x units, Bonferroni, which needs the number of the others only); the interval
    is that of the adjusted verdict, and the one of the pair alone stands beside it

The long table (scores.csv) is all that is read, so every kind of study can be compared. Where A and B are variants
(ways of asking), or two values of the same part of their names (`direct` and `interval` of direct/named/full/told/run),
the unit is an item of a respondent, all other parts alike.
Two files (logs of two models) are one table for `analyse`, in which the files are compared: by their models where
those differ, else by their names.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Literal, Protocol, cast

import pandas as pd

from trueness import registry
from trueness.analyse.analysis_settings import AnalysisSettings, nearest
from trueness.analyse.gate import Gate, gate_of
from trueness.analyse.loading import Tables, csv_values, read_tables
from trueness.analyse.scores_analysis import ScoresAnalysis, analyse
from trueness.analyse.scores_schema import USUAL_NAMES
from trueness.errors import DataError, SettingError, StoreError, listed
from trueness.files import check_plain
from trueness.measure import direction, measure_of
from trueness.outside import MAX_TABLE, NOT_READ, one_line, open_file
from trueness.statistics.comparison import Comparison
from trueness.statistics.multiplicity import differences_in_pairs
from trueness.statistics.paired import at_level
from trueness.statistics.result import UNBOUNDED

HEADLINES = ("f1", "interval_score_scaled", "score", "auprc")
MAX_PAIRS, MAX_TESTED = 1000, 200_000  # a test takes 1 to 100 ms
TWO_SCALES = 8  # times the other's mean: shares and marks of ten are 10 apart, two models seldom 8
MAX_BESIDE = 5_000_000  # rows of references, one for each variant that others were asked in
_HOW = "Write: trueness compare NEW --baseline OLD, and the gate asks about NEW."
Unscored = Literal["failed", "missing"] | None
_TEXT = ("task", "item", "variant", "respondent", "measure", "status")
_NEEDED = (*_TEXT, "repeat", "value")


class Clustered(Protocol):
    """What is asked of the class that reads a study."""

    clusters: str

    def cluster_of(self, items: pd.Series) -> pd.Series: ...

    def answers_of(self, rows: pd.DataFrame) -> pd.DataFrame: ...


# ---- two respondents, or two variants, of a study


def compare(folder: Path | str, a: str, b: str, measure: str | None = None, level: float = 0.95) -> Comparison:
    """a against b on one measure of the study in `folder`; the sentence, the row and the LaTeX are the result's own."""
    folder = Path(folder)
    rows, role = _rows_of_both(_long_table(folder), a, b, folder)
    study = cast(Clustered, registry.reading(str(rows["task"].iloc[0])))  # it knows what was drawn independently
    rows = study.answers_of(rows) if role == "respondent" else rows
    chosen = _measure(rows, measure, folder)
    other = "variant" if role == "respondent" else "respondent"
    rows = _beside_every_variant(rows) if role == "respondent" else rows
    rows = rows.assign(cluster=study.cluster_of(rows["item"]), unit=rows["item"] + "\x1f" + rows[other])
    of_both = rows[rows[role].isin([a, b])]
    of_both, rows = of_both[of_both["measure"] == chosen], rows[rows["measure"] == chosen]
    if without := {a, b} - set(of_both[role]):
        raise DataError(f"{min(without)!r} has no {chosen} to be compared. Name another measure with --measure.")
    names = sorted(set(rows[role]))
    count, better = len(names) * (len(names) - 1) // 2, direction(chosen)
    pairs = [(a, b)]
    if few := count <= MAX_PAIRS and count * of_both["unit"].nunique() <= MAX_TESTED:
        pairs += [pair for pair in combinations(names, 2) if set(pair) != {a, b}]
    table = _units(rows if few else of_both, role)
    declared = measure_of(chosen)
    first = differences_in_pairs(
        {str(name): table[name].to_numpy() for name in table},
        table.index.get_level_values("cluster").to_numpy(dtype=object),
        level,
        pairs=pairs,
        bounds=UNBOUNDED if declared is None else declared.bounds,
    )[0]
    first = first if few else _adjusted_by_bonferroni(first, count)
    first = first.described(measure=chosen, units="items", clusters=study.clusters, better=better, names=(a, b))
    notes = list(first.notes)
    if better == "lower":
        more = "" if first.interval else ", and superiority is how often it is the higher one"  # shown without it only
        notes.append(f"Lower is better: below 0 {a} is better{more}.")
    if lost := int((of_both["status"] != "ok").sum()):
        notes.append(f"{lost} runs of the two have no value and are in no mean.")
    return replace(first, notes=tuple(notes))


def _long_table(folder: Path) -> pd.DataFrame:
    if folder.is_file():
        raise StoreError(f"{folder} must be the folder of a study, got a file. Of a table: trueness analyse {folder}")
    if not check_plain(folder, "scores.csv"):
        raise StoreError(f"{folder} has no scores.csv. Run the study first, or write it anew: trueness report {folder}")
    path = folder / "scores.csv"
    try:
        with open_file(path, MAX_TABLE, StoreError) as file:
            rows = pd.read_csv(
                file, usecols=lambda name: name in _NEEDED, dtype={name: str for name in _TEXT},
                keep_default_na=False, na_values={"value": [""]},
            )  # fmt: skip
        rows = csv_values(rows)
    except NOT_READ as error:
        raise StoreError(
            f"{path} must be the long table of a study, got: {one_line(error)}. Write it anew: trueness report {folder}"
        ) from None
    if missing := [name for name in _NEEDED if name not in rows]:
        raise StoreError(f"{path} must be the long table of a study, got no column {missing[0]!r}.")
    return rows


def _rows_of_both(rows: pd.DataFrame, a: str, b: str, folder: Path) -> tuple[pd.DataFrame, str]:
    """The rows of the first task that both answered, and what the two are: respondents, or variants."""
    if a == b:
        raise SettingError(f"two different names must be compared, got {a!r} twice.")
    if not {a, b} & (set(rows["respondent"]) | set(rows["variant"])):
        rows = _by_part(rows, a, b)
    role = next((role for role in ("respondent", "variant") if {a, b} <= set(rows[role])), "")
    if not role:
        known = set(rows["respondent"]) | set(rows["variant"])
        wrong = a if a not in known else b
        raise DataError(
            f"{wrong!r} is no respondent of {folder}.{nearest(wrong, known)} "
            f"There are: {listed(sorted(set(rows['respondent'])), most=12)}."
        )
    for _, part in rows.groupby("task", sort=False):
        if {a, b} <= set(part[role]):
            return part, role
    raise DataError(f"{a!r} and {b!r} answered different questions and cannot be compared.")


def _by_part(rows: pd.DataFrame, a: str, b: str) -> pd.DataFrame:
    """Where a and b are values of one part of the variants: that part as the variant, the rest with the item."""
    parts = rows["variant"].str.split("/", expand=True).fillna("")
    for place in parts:
        if {a, b} <= set(parts[place]):
            rest = parts.drop(columns=place).agg("/".join, axis=1)
            return rows.assign(variant=parts[place], respondent=rows["respondent"] + "\x1f" + rest)
    return rows


def _measure(rows: pd.DataFrame, measure: str | None, folder: Path) -> str:
    known = list(dict.fromkeys(rows["measure"]))
    if measure and measure not in known:
        raise SettingError(
            f"{measure!r} is not a measure of {folder}.{nearest(measure, known)} There are: {listed(known, most=8)}."
        )
    return measure or next((name for name in HEADLINES if name in known), known[0])


def _units(rows: pd.DataFrame, role: str) -> pd.DataFrame:
    """One row a unit, one column a name, the mean over repeats in the cell; the index is (cluster, unit)."""
    return rows.groupby(["cluster", "unit", role])["value"].mean().unstack(role)


def _beside_every_variant(rows: pd.DataFrame) -> pd.DataFrame:
    """A baseline that was not asked has one answer to an item, whatever way others were asked about the same target.

    Its variant is `reference`, or `reference/-/-/-/run` where a question has a target (the last part).
    """
    parts = rows["variant"].str.split("/")
    rows = rows.assign(target=parts.str[4].fillna(""))
    unasked = parts.str[0] == "reference"
    variants = rows.loc[~unasked, ["item", "target", "variant"]].drop_duplicates()
    there = rows.loc[unasked, ["item", "target"]].value_counts()
    if int((there * variants[["item", "target"]].value_counts()).sum()) > MAX_BESIDE:
        raise DataError(
            f"a study must have at most {MAX_BESIDE:,} answers of references beside variants, got more. Compare a part."
        )
    beside = rows[unasked].drop(columns="variant").merge(variants, on=["item", "target"])
    return pd.concat([rows[~unasked], beside], ignore_index=True) if len(beside) else rows


def _adjusted_by_bonferroni(comparison: Comparison, count: int) -> Comparison:
    """One comparison, adjusted by how many there are: never less than Holm would make it."""
    note = f"p is adjusted by Bonferroni for {count:,} pairs, of which the others were not tested."
    p = None if comparison.p is None else min(1.0, count * comparison.p)
    made = at_level(comparison, 1 - (1 - comparison.level) / count)
    notes = (*made.notes, note)
    return replace(made, p_adjusted=p, adjustment="bonferroni", n_comparisons=count, notes=notes)


# ---- two files of scores


@dataclass(frozen=True)
class Sides:
    """What is compared: `a`, which a gate asks about, with `b`, the baseline."""

    a: str
    b: str
    folder: str | None
    gate: Gate | None

    @property
    def are_files(self) -> bool:
        return self.folder is None and Path(self.a).is_file()


def read_sides(names: Sequence[str], baseline: str | None, gate: str | None) -> Sides:
    """`NEW --baseline OLD` or `A B`, and perhaps a folder; a gate needs the baseline."""
    words = [*names] if baseline is None else [*names[:1], baseline, *names[1:]]
    if len(words) not in (2, 3):
        got = shlex.join([*names, *([] if baseline is None else ["--baseline", baseline])])
        raise SettingError(f"two sides must be compared, got: {got}. {_HOW}")
    folder = words[2] if len(words) == 3 else None
    sides = Sides(words[0], words[1], folder, None if gate is None else gate_of(gate))
    if sides.gate is not None and baseline is None:
        raise SettingError(f"'gate' must say which of the two it asks about. {_HOW}")
    files = [name for name in words if Path(name).is_file()]
    if len(files) == 1 and folder is None:
        gone = sides.b if files[0] == sides.a else sides.a
        raise DataError(f"{gone} must be a file as {files[0]} is one, got none of that name. Or name a study.")
    return sides


class _OfTwoFiles(AnalysisSettings):
    """`compare` knows one way to choose what is scored."""

    def command(self, **changes: object) -> str:
        if set(changes) != {"score"}:
            return super().command(**changes)
        words = ["trueness", "compare", self.files[0], "--baseline", self.files[1], "--measure", str(changes["score"])]
        return shlex.join(words)


def compare_files(sides: Sides, measure: str | None = None, unscored: Unscored = None) -> ScoresAnalysis:
    """The first file against the second, its baseline, as an analysis of one pair; above 0 the first is better."""
    a, b = Path(sides.a), Path(sides.b)
    one, other = read_tables([a]), read_tables([b])
    labels = _labels(one, other, a, b)
    cases = {name: (one[name], other[name]) for name in one if name in other}
    lost = sorted(set(one) ^ set(other))
    if not cases and len(one) == len(other) == 1:
        cases, lost = {f"{labels[0]} against {labels[1]}": (next(iter(one.values())), next(iter(other.values())))}, []
    if not cases:
        raise DataError(f"{a.name} and {b.name} must share a task, got {listed(one)} and {listed(other)}.")
    tables = Tables()
    for name, parts in cases.items():
        both = [part.assign(compared=label) for part, label in zip(parts, labels, strict=True)]
        tables[name] = pd.concat(both, ignore_index=True)
    lost_words = [f"in one file only: {listed(lost, most=6)}"] if lost else []
    tables.notes = (*one.notes, *other.notes, *lost_words)
    names = {str(name) for part in (one, other) for frame in part.values() for name in frame}
    unit = next((name for name in USUAL_NAMES["task"] if name in names), None)
    settings = _OfTwoFiles(
        files=(str(a), str(b)), condition="compared", baseline=None, treatment=labels[0],
        unit=(unit,) if unit else (), measure=measure, unscored=unscored, adjust="holm",
        gate=sides.gate.condition if sides.gate else None,
    )  # fmt: skip
    analysis = analyse(tables, settings)
    for pair in analysis.contrasts:
        low, high = sorted(abs(side.mean or 0.0) / pair.domain.scale for side in pair.sides)
        if low <= 1 < high <= 100 and 0 < TWO_SCALES * low <= high:
            raise DataError(
                f"{pair.domain.outcome} of {a.name} and {b.name} must be on one scale, got means of {low:.3g} and "
                f"{high:.3g}. Shares and per cent? Divide one by 100; else put both into one table."
            )
    return analysis


def _labels(one: Tables, other: Tables, a: Path, b: Path) -> tuple[str, str]:
    models = [
        {str(model) for frame in tables.values() if "model" in frame for model in frame["model"].unique()}
        for tables in (one, other)
    ]
    if len(models[0]) == len(models[1]) == 1 and models[0] != models[1]:
        return models[0].pop(), models[1].pop()
    if a.resolve() == b.resolve():
        raise SettingError(f"two different files must be compared, got {str(a)!r} twice.")
    return (a.stem, b.stem) if a.stem != b.stem else (str(a), str(b))
