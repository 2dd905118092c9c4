"""A domain in one line, the format in which these comparisons are reported, and the sound version beside it.

    Domain  None%  MD%  PC%  delta  mag.  p  U  n  |  diff [CI]  p_paired  q  n_units  n_clusters  q_beyond

The left half is over runs (Mann-Whitney, Cliff's delta); the right half over cells or tasks. Above 0 the treatment is
better. q_beyond: over models and tasks like these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trueness.analyse.conditions import ConditionSummary
from trueness.analyse.contrasts import Contrast
from trueness.intervals import Interval, fixed, value_text
from trueness.statistics.result import Cell, interval_cells

SHORT = {"none": "None", "markdown": "MD", "pseudocode": "PC"}
MAGNITUDES = {"negligible": "negl."}
OVER = {"paired": "cells", "clustered": "clusters", "unpaired": "runs"}


@dataclass(frozen=True)
class Line:
    """One contrast of one domain, read in one way."""

    domain: str
    reading: str  # which runs, valued how; empty for the analysis itself
    means: dict[str, float | None]  # condition -> mean, in the unit shown
    n: dict[str, int]
    contrast: Contrast
    percent: bool
    adjusted: bool = False  # judged by p after the adjustment, as the analysis itself is

    def row(self) -> dict[str, Cell]:
        """Flat, for CSV and JSON."""
        one, result = self.contrast, self.contrast.result
        treatment, reference = one.pair.names
        return {
            "domain": self.domain,
            "reading": self.reading or "as analysed",
            "question": one.pair.question,
            "reference": reference,
            "treatment": treatment,
            **{f"{name}{'%' if self.percent else ''}": value for name, value in self.means.items()},
            **{f"n {name}": count for name, count in self.n.items()},
            "missing_reference": one.missing[0],
            "missing_treatment": one.missing[1],
            "ratio": one.ratio,
            "U": one.statistic,
            "p": one.p,
            "sided": one.sided,
            "delta": one.delta.value,
            **interval_cells(one.delta.interval, "delta"),
            "magnitude": one.delta.magnitude,
            "levene": one.spread.statistic,
            "p_levene": one.spread.p,
            "variance_ratio": one.spread.ratio,
            "diff": result.difference if result else None,
            **interval_cells(result.interval if result else None, "diff"),
            "diff_level": result.interval.level if result and result.interval else None,
            **interval_cells(result.alone if result else None, "alone"),
            "test": result.test if result else None,
            "p_paired": result.p if result else None,
            "n_units": result.n_units if result else 0,
            "n_clusters": self.n_clusters,
            "q": result.p_adjusted if result else None,
            "q_least": one.least,
            "adjustment": result.adjustment if result else None,
            "n_comparisons": result.n_comparisons if result else 0,
            "over": OVER.get(one.primary, ""),
            "scope": one.scope,
            "p_clustered": one.clustered.p if one.clustered else None,
            "p_beyond": one.beyond.p if one.beyond else None,
            "q_beyond": one.q_beyond,
            **interval_cells(one.beyond.interval if one.beyond else None, "beyond"),
            "notes": " ".join(one.notes),
        }

    @property
    def n_clusters(self) -> int:
        """What was drawn independently, whichever level the test is at."""
        counted = self.contrast.clustered or self.contrast.result
        return counted.n_clusters if counted else 0


def line_of(
    summaries: Sequence[ConditionSummary], one: Contrast, percent: bool, reading: str = "", adjusted: bool = False
) -> Line:
    means = {s.condition: s.mean for s in summaries}
    return Line(one.domain, reading, means, {s.condition: s.n for s in summaries}, one, percent, adjusted)


def line_cells(line: Line, several: bool = False) -> dict[str, str]:
    """The line as text, heading -> cell. RQ1 shows the pooled mean and the ratio, RQ2 every condition.

    several: there are lines of other pairs beside it, so each shows its own two conditions.
    """
    one, result = line.contrast, line.contrast.result
    digits, unit = (1, "%") if line.percent else (3, "")
    cells = {"Domain": line.domain}
    scale = 100 if line.percent else 1
    reference, treatment = (None if mean is None else mean * scale for mean in one.means)
    if several:
        cells["pair"] = " / ".join(short_name(name) for name in reversed(one.pair.names))
        cells[f"first{unit}"], cells[f"second{unit}"] = number_cell(reference, digits), number_cell(treatment, digits)
    elif one.pair.question == "RQ1":
        cells[f"{short_name(one.pair.reference[0])}{unit}"] = number_cell(reference, digits)
        cells[f"others{unit}"] = number_cell(treatment, digits)
        cells["ratio"] = number_cell(one.ratio, 2)
    else:
        cells |= {f"{short_name(name)}{unit}": number_cell(value, digits) for name, value in line.means.items()}
    return cells | {
        "delta": number_cell(one.delta.value, 3),
        "mag.": magnitude_word(one.delta.magnitude),
        "p": p_cell(one.p),
        "U": "-" if one.statistic is None else f"{one.statistic:g}",
        "n": f"{one.n[0]}+{one.n[1]}",
        "diff [CI]": interval_text(result.difference, result.interval, digits) if result else "-",
        "p_paired": p_cell(result.p) if result else "-",
        "q": p_cell(result.p_adjusted) if result else "-",
        "n_units": str(result.n_units) if result else "0",
        "n_clusters": str(line.n_clusters),
        "q_beyond": p_cell(one.q_beyond),
    }


def short_name(condition: str) -> str:
    return SHORT.get(condition, condition)


def magnitude_word(word: str | None) -> str:
    return "-" if word is None else MAGNITUDES.get(word, word)


def p_cell(p: float | None) -> str:
    """Three decimals, as tables have it; the exact value is in the sentences, in CSV and in JSON."""
    if p is None:
        return "-"
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def number_cell(value: float | None, digits: int = 1) -> str:
    if value is None:
        return "-"
    small = digits > 1 and 1e-12 < abs(value) < 10**-digits  # of a cost of 0.0004 nothing is cut
    return f"{value:.2g}" if small else f"{value:z.{digits}f}"


def interval_text(value: float | None, interval: Interval | None, digits: int = 1) -> str:
    """`2.9 [-0.9, 6.7]`."""
    if value is None:
        return "-"
    return value_text(value, interval, fixed(digits))
