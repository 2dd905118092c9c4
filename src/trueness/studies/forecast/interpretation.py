"""statistics/: every test as a row, and what they say in words, validation first.

A row of statistical_tests.csv holds estimate, interval, n, test, p and its adjustment together. The original's test
(Wilcoxon on items, Benjamini-Hochberg) and the one that counts data sets (exact sign-flip, Holm) stand in two rows.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from trueness.outside import Json
from trueness.showing.finding import is_open
from trueness.showing.methods_paragraph import section
from trueness.studies.forecast.analysis import Analysis
from trueness.studies.forecast.findings import Findings
from trueness.studies.forecast.forecast_frames import Forecasts
from trueness.studies.forecast.hypotheses import CANNOT
from trueness.studies.forecast.validation import Validation, validation

TEST_COLUMNS = (
    "analysis", "what", "a", "b", "estimand", "estimate", "low", "high", "n_items", "n_datasets",
    "n_models", "n_learners", "test", "p",
    "adjustment", "p_adjusted", "n_comparisons", "smallest_p", "notes",
)  # fmt: skip


def validation_of(forecasts: Forecasts, findings: Findings | None) -> Validation:
    return findings.validation if findings is not None else validation(forecasts)


def tests_frame(findings: Findings | None) -> pd.DataFrame:
    """All tests of the findings, one row a test."""
    rows = list(_tests(findings)) if findings is not None else []
    return pd.DataFrame(rows, columns=list(TEST_COLUMNS))


def interpretation(forecasts: Forecasts, findings: Findings | None) -> str:
    """Plain text: the checks, the hypotheses, the findings, and what the design cannot tell."""
    checks = validation_of(forecasts, findings)
    verdict = (
        "All hold." if checks.is_valid else "Not all hold; what follows is to be read with those that failed in mind."
    )
    parts = [f"Study {forecasts.study}: what was found", section("Validation", [verdict, *checks.sentences])]
    parts.append(section("Completeness", _table_lines(checks.completeness), wrap=False))
    if findings is None:
        return "\n\n".join([*parts, section("Findings", ["The analyses were not made."])]) + "\n"
    parts.append(section("Hypotheses", findings.hypotheses.sentences))
    parts += [section(f"Findings: {a.name}", a.sentences) for a in analyses_of(findings) if a.possible]
    parts.append(section("What this design cannot tell", untold(findings)))
    return "\n\n".join(parts) + "\n"


def untold(findings: Findings) -> list[str]:
    """Verdicts that stay open, analyses that could not be made, and sentences that say so themselves."""
    sentences = [str(row["sentence"]) for row in _open_hypotheses(findings)]
    for analysis in analyses_of(findings):
        still_open = analysis.sentences if not analysis.possible else [s for s in analysis.sentences if is_open(s)]
        sentences += [f"{analysis.name}: {sentence}" for sentence in still_open]
    return sentences or ["Nothing that was asked stays open."]


def analyses_of(findings: Findings) -> list[Analysis]:
    """All but the checks and the hypotheses."""
    return [a for a in findings.analyses() if a.name not in ("validation", "hypotheses")]


def _open_hypotheses(findings: Findings) -> list[dict[str, Json]]:
    return [row for row in _records(findings.hypotheses) if row["verdict"] == CANNOT]


def _table_lines(table: pd.DataFrame) -> list[str]:
    return str(table.to_string(index=False)).splitlines() if len(table) else ["no claims"]


# ---- tests as rows


def _tests(findings: Findings) -> Iterator[dict[str, Json]]:
    for row in _records(findings.hypotheses):
        yield {
            "analysis": "hypotheses", "what": f"{row['hypothesis']}: {row['verdict']}", "estimand": row["what"],
            "estimate": row["estimate"], "low": row["low"], "high": row["high"],
            f"n_{row['unit'].replace(' ', '')}s": row["n"], "test": row["test"] or None, "p": row["p"],
            "adjustment": "Holm", "p_adjusted": row["p_holm"], "smallest_p": row["smallest_p_holm"],
            "notes": row["sentence"],
        }  # fmt: skip
    for row in _records(findings.comparisons):
        yield from _comparison_tests(row)
    for row in _records(findings.ranking):
        yield {
            "analysis": "ranking", "what": "order of the learners by F1", "a": row["respondent"],
            "estimand": "Kendall's tau", "estimate": row["order"], "low": row["order_low"], "high": row["order_high"],
            "n_datasets": row["datasets"], "test": row["test"], "p": row["p"], "adjustment": "Holm",
            "p_adjusted": row["p_holm"],
        }  # fmt: skip
    for row in _records(findings.effects):
        yield {
            "analysis": "effects", "what": f"{row['property']}, {row['learner']}", "a": row["respondent"],
            "estimand": "Spearman's rho with F1", "estimate": row["rho"], "low": row["rho_low"],
            "high": row["rho_high"], "n_datasets": row["datasets"],
            "test": row["test"], "p": row["p"], "adjustment": "BH",
            "p_adjusted": row["q"],
        }  # fmt: skip
    for row in _records(findings.contrasts):
        yield {
            "analysis": "contrasts", "what": f"{row['kind']}: {row['respondent']}", "a": row["a"], "b": row["b"],
            "estimand": "predicted minus measured difference a - b", "estimate": row["off_by"],
            "low": row["off_by_low"], "high": row["off_by_high"], f"n_{row['unit']}s": row["n"],
            "test": f"{row['test']} (direction)" if row["test"] else None, "p": row["p"], "adjustment": "Holm",
            "p_adjusted": row["p_holm"], "notes": f"right on {row['right']} of {row['of']}",
        }  # fmt: skip
    for row in _records(findings.ablation):
        yield {
            "analysis": "ablation", "what": f"{row['arm']}: {row['score']}, {row['respondent']}", "a": row["a"],
            "b": row["b"], "estimand": "mean difference a - b", "estimate": row["difference"], "low": row["low"],
            "high": row["high"], "n_datasets": row["n_datasets"], "test": row["test"], "p": row["p"],
            "adjustment": "Holm", "p_adjusted": row["p_holm"], "smallest_p": row["smallest_p"],
        }  # fmt: skip
    for row in _records(findings.contamination):
        yield {
            "analysis": "contamination", "what": f"{row['probe']}: {row['contrast']}", "a": row["respondent"],
            "estimand": "difference", "estimate": row["difference"], "low": row["low"], "high": row["high"],
            "n_datasets": row["n_datasets"], "test": row["test"], "p": row["p"], "smallest_p": row["smallest_p"],
        }  # fmt: skip


def _comparison_tests(row: dict[str, Json]) -> Iterator[dict[str, Json]]:
    shared = {
        "analysis": "comparisons", "what": row["score"], "a": row["a"], "b": row["b"],
        "estimand": "mean difference a - b, interval of the sign flips", "estimate": row["difference"],
        "low": row["low"], "high": row["high"], "n_items": row["n_items"], "n_datasets": row["n_datasets"],
        "n_comparisons": row["n_comparisons"], "notes": row["notes"],
    }  # fmt: skip
    yield shared | {
        "test": "sign-flip over data sets", "p": row["p_sign_flip"], "adjustment": "Holm",
        "p_adjusted": row["p_sign_flip_holm"], "smallest_p": row["smallest_p"],
    }  # fmt: skip
    yield shared | {
        "test": "Wilcoxon on items (original)", "p": row["p_wilcoxon"], "adjustment": "BH",
        "p_adjusted": row["p_wilcoxon_bh"],
    }  # fmt: skip


def _records(analysis: Analysis) -> list[dict[str, Json]]:
    """Rows in which a column that is not there reads as missing."""
    return [_Lenient({str(key): value for key, value in row.items()}) for row in analysis.table.to_dict("records")]


class _Lenient(dict[str, Json]):
    """An analysis may leave out a column that a study does not allow; its test row is then empty there."""

    def __missing__(self, key: str) -> None:
        return None
