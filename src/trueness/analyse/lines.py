"""A domain in one line, the format in which these comparisons are reported, and the sound version beside it.

    Domain  None%  MD%  PC%  delta  mag.  p   |   diff [CI]  p_paired  q  n_units  n_clusters

The left half is over runs (Mann-Whitney, Cliff's delta); the right half over cells. Above 0 the treatment is better.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from trueness.analyse.conditions import ConditionSummary
from trueness.analyse.contrasts import Contrast
from trueness.statistics.result import interval_cells

SHORT = {"none": "None", "markdown": "MD", "pseudocode": "PC"}
MAGNITUDES = {"negligible": "negl."}


@dataclass(frozen=True)
class Line:
    """One contrast of one domain, read in one way."""

    domain: str
    reading: str  # which runs, valued how; empty for the analysis itself
    means: dict[str, float | None]  # condition -> mean, in the unit shown
    n: dict[str, int]
    contrast: Contrast
    percent: bool

    def row(self) -> dict[str, Any]:
        """Flat, for CSV and JSON."""
        found = self.contrast.result
        treatment, reference = self.contrast.pair.names
        return {
            "domain": self.domain,
            "reading": self.reading or "as analysed",
            "question": self.contrast.pair.question,
            "reference": reference,
            "treatment": treatment,
            **{f"{name}{'%' if self.percent else ''}": value for name, value in self.means.items()},
            **{f"n {name}": count for name, count in self.n.items()},
            "ratio": self.contrast.ratio,
            "U": self.contrast.statistic,
            "p": self.contrast.p,
            "sided": self.contrast.sided,
            "delta": self.contrast.delta.value,
            **{f"delta_{end}": value for end, value in interval_cells(self.contrast.delta.interval).items()},
            "magnitude": self.contrast.delta.magnitude,
            "levene": self.contrast.spread.statistic,
            "p_levene": self.contrast.spread.p,
            "variance_ratio": self.contrast.spread.ratio,
            "diff": found.difference if found else None,
            **{f"diff_{end}": value for end, value in interval_cells(found.interval if found else None).items()},
            "p_paired": found.p if found else None,
            "n_units": found.n_units if found else 0,
            "n_clusters": self.n_clusters,
            "q": found.p_adjusted if found else None,
            "adjustment": found.adjustment if found else None,
            "n_comparisons": found.n_comparisons if found else 0,
            "over": {"paired": "cells", "clustered": "clusters", "unpaired": "runs"}.get(self.contrast.primary, ""),
            "p_clustered": self.contrast.clustered.p if self.contrast.clustered else None,
            "notes": " ".join(self.contrast.notes),
        }

    @property
    def n_clusters(self) -> int:
        """What was drawn independently, whichever level the test is at."""
        found = self.contrast.clustered or self.contrast.result
        return found.n_clusters if found else 0


def line_of(summaries: Sequence[ConditionSummary], found: Contrast, percent: bool, reading: str = "") -> Line:
    means = {s.condition: s.mean for s in summaries}
    return Line(found.domain, reading, means, {s.condition: s.n for s in summaries}, found, percent)


def line_cells(line: Line, several: bool = False) -> dict[str, str]:
    """The line as text, heading -> cell. RQ1 shows the pooled mean and the ratio, RQ2 every condition.

    several: there are lines of other pairs beside it, so each shows its own two conditions.
    """
    found = line.contrast.result
    digits, unit = (1, "%") if line.percent else (3, "")
    cells = {"Domain": line.domain}
    scale = 100 if line.percent else 1
    reference, treatment = (None if mean is None else mean * scale for mean in line.contrast.means)
    if several:
        cells["pair"] = " / ".join(short_name(name) for name in reversed(line.contrast.pair.names))
        cells[f"first{unit}"], cells[f"second{unit}"] = number_cell(reference, digits), number_cell(treatment, digits)
    elif line.contrast.pair.question == "RQ1":
        cells[f"{short_name(line.contrast.pair.reference[0])}{unit}"] = number_cell(reference, digits)
        cells[f"others{unit}"] = number_cell(treatment, digits)
        cells["ratio"] = number_cell(line.contrast.ratio, 2)
    else:
        cells |= {f"{short_name(name)}{unit}": number_cell(value, digits) for name, value in line.means.items()}
    return cells | {
        "delta": number_cell(line.contrast.delta.value, 3),
        "mag.": magnitude_word(line.contrast.delta.magnitude),
        "p": p_cell(line.contrast.p),
        "diff [CI]": interval_text(found.difference, found.interval, digits) if found else "-",
        "p_paired": p_cell(found.p) if found else "-",
        "q": p_cell(found.p_adjusted) if found else "-",
        "n_units": str(found.n_units) if found else "0",
        "n_clusters": str(line.n_clusters),
    }


def short_name(condition: str) -> str:
    return SHORT.get(condition, condition)


def magnitude_word(word: str | None) -> str:
    return "-" if word is None else MAGNITUDES.get(word, word)


def p_cell(p: float | None) -> str:
    """Three decimals, as tables have it; the exact value is in the sentences, in CSV and in JSON."""
    if p is None:
        return "-"
    return "<0.001" if p < 0.0005 else f"{p:.3f}"


def number_cell(value: float | None, digits: int = 1) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def interval_text(value: float | None, interval: Any, digits: int = 1) -> str:
    """`2.9 [-0.9, 6.7]`."""
    if value is None:
        return "-"
    ends = "" if interval is None else f" [{interval.low:.{digits}f}, {interval.high:.{digits}f}]"
    return f"{value:.{digits}f}{ends}"
