"""All analyses of a forecast study, every test as a row, and what they say in words; validation first.

An analysis that a study does not allow (one formulation, no repeats, no baseline) is there too and says why.

A row of statistical_tests.csv holds estimate, interval, n, test, p and its adjustment together. The original's test
(Wilcoxon on items, Benjamini-Hochberg) and the one that counts data sets (exact sign-flip, Holm) stand in two rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import pandas as pd

from trueness.outside import Json
from trueness.showing.methods_paragraph import section
from trueness.showing.saving import plain_records
from trueness.showing.summary import is_open
from trueness.showing.tables import Table
from trueness.studies.forecast import tables
from trueness.studies.forecast.analysis import Analysis
from trueness.studies.forecast.comparisons import ablation, comparisons, guidelines, robustness
from trueness.studies.forecast.contamination import contamination
from trueness.studies.forecast.contrasts import contrasts, effects, ranking
from trueness.studies.forecast.frames import Forecasts
from trueness.studies.forecast.hypotheses import CANNOT, hypotheses
from trueness.studies.forecast.reasoning import reasoning
from trueness.studies.forecast.validation import Validation, convergence, failures, validation


@dataclass(frozen=True, eq=False)
class Findings:
    """The analyses by name, each made when it is first asked for."""

    forecasts: Forecasts
    _made: dict[str, Analysis] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Analysis:
        if name not in self._made:
            self._made[name] = ANALYSES[name](self)
        return self._made[name]

    @cached_property
    def rows(self) -> list[tables.Row]:
        """One a respondent."""
        return tables.rows(self.forecasts)

    @cached_property
    def tests(self) -> pd.DataFrame:
        """All tests, one row a test."""
        return pd.DataFrame(list(_tests(self)), columns=list(TEST_COLUMNS))

    @cached_property
    def validation(self) -> Validation:
        return validation(self.forecasts)

    def analyses(self) -> Iterator[Analysis]:
        """In the order in which a report tells them."""
        return (self[name] for name in ANALYSES)

    def told(self) -> list[Analysis]:
        """All but the checks and the hypotheses."""
        return [self[name] for name in ANALYSES if name not in ("validation", "hypotheses")]

    def untold(self) -> list[str]:
        """Verdicts that stay open, analyses that could not be made, and sentences that say so themselves."""
        verdicts = self["hypotheses"].table
        sentences = list(verdicts.loc[verdicts["verdict"] == CANNOT, "sentence"])
        for analysis in self.told():
            still_open = [one for one in analysis.sentences if is_open(one) or not analysis.possible]
            sentences += [f"{analysis.name}: {sentence}" for sentence in still_open]
        return sentences or ["Nothing that was asked stays open."]

    def tables(self) -> list[Table]:
        """Those of a paper."""
        forecasts = self.forecasts
        return [
            tables.main_results(forecasts, self.rows),
            tables.measured_table(forecasts),
            tables.hypotheses(forecasts, self["hypotheses"].table),
        ]

    def to_dict(self) -> dict[str, Json]:
        """Plain JSON; the validation first."""
        return {
            "study": self.forecasts.study,
            "arm": self.forecasts.arm_text,  # which arm the findings are about, unless they compare arms
            "valid": self.validation.is_valid,
            "analyses": [analysis.to_dict() for analysis in self.analyses()],
        }


def _of(make: Callable[[Forecasts], Analysis]) -> Callable[[Findings], Analysis]:
    return lambda findings: make(findings.forecasts)


ANALYSES: Mapping[str, Callable[[Findings], Analysis]] = {
    "validation": lambda findings: findings.validation.analysis(),  # the others stand on it
    "hypotheses": lambda findings: hypotheses(findings.forecasts, findings["contrasts"], findings["robustness"]),
    "comparisons": _of(comparisons),
    "robustness": _of(robustness),
    "ranking": _of(ranking),
    "contrasts": _of(contrasts),
    "reasoning": _of(reasoning),
    "effects": _of(effects),
    "ablation": _of(ablation),
    "guidelines": lambda findings: guidelines(findings["ablation"]),
    "contamination": _of(contamination),
    "failures": _of(failures),
    "convergence": _of(convergence),
}


def interpretation(findings: Findings) -> str:
    """Plain text: the checks, the hypotheses, the findings, and what the design cannot tell."""
    checks = findings.validation
    failed = "Not all hold; what follows is to be read with those that failed in mind."
    matrix = checks.completeness
    counts = str(matrix.to_string(index=False)).splitlines() if len(matrix) else ["no claims"]
    parts = [
        f"Study {findings.forecasts.study}: what was found",
        section("Validation", ["All hold." if checks.is_valid else failed, *checks.sentences]),
        section("Completeness", counts, wrap=False),
        section("Hypotheses", findings["hypotheses"].sentences),
        *(section(f"Findings: {a.name}", a.sentences) for a in findings.told() if a.possible),
        section("What this design cannot tell", findings.untold()),
    ]
    return "\n\n".join(parts) + "\n"


# ---- tests as rows

TEST_COLUMNS = (
    "analysis", "what", "a", "b", "estimand", "estimate", "low", "high", "n_items", "n_datasets",
    "n_models", "n_learners", "test", "p",
    "adjustment", "p_adjusted", "n_comparisons", "smallest_p", "notes",
)  # fmt: skip
_TESTS: dict[str, tuple[str, str, str | None, dict[str, str]]] = {
    # what, estimand, adjustment; column of TEST_COLUMNS -> that of the analysis where it has another name
    "ranking": (
        "order of the learners by F1", "Kendall's tau", "Holm",
        {"a": "respondent", "estimate": "order", "low": "order_low", "high": "order_high", "n_datasets": "datasets"},
    ),
    "effects": (
        "{property}", "Spearman's rho with F1", "BH",
        {"a": "respondent", "estimate": "rho", "low": "rho_low", "high": "rho_high", "n_datasets": "datasets",
         "p_adjusted": "q"},
    ),
    "contrasts": (
        "{kind}: {respondent}", "predicted minus measured difference a - b", "Holm",
        {"estimate": "off_by", "low": "off_by_low", "high": "off_by_high"},
    ),
    "ablation": ("{arm}: {score}, {respondent}", "mean difference a - b", "Holm", {"estimate": "difference"}),
    "contamination": ("{probe}: {contrast}", "difference", None, {"a": "respondent", "estimate": "difference"}),
    "comparisons": (
        "{score}", "mean difference a - b, interval of the sign flips", "Holm",
        {"estimate": "difference", "p": "p_sign_flip", "p_adjusted": "p_sign_flip_holm"},
    ),
    "hypotheses": ("{hypothesis}: {verdict}", "", "Holm", {"smallest_p": "smallest_p_holm", "notes": "sentence"}),
}  # fmt: skip


def _tests(findings: Findings) -> Iterator[dict[str, Json]]:
    for name in ("hypotheses", "comparisons", "ranking", "effects", "contrasts", "ablation", "contamination"):
        what, estimand, adjustment, columns = _TESTS[name]
        columns = {"p_adjusted": "p_holm"} | columns
        for row in plain_records(findings[name].table):
            test = {column: row.get(columns.get(column, column)) for column in TEST_COLUMNS}
            test |= {"analysis": name, "what": what.format_map(row), "estimand": estimand, "adjustment": adjustment}
            if name == "hypotheses":
                test |= {"estimand": row["what"], f"n_{row['unit'].replace(' ', '')}s": row["n"]}
            if name == "contrasts":
                test |= {f"n_{row['unit']}s": row["n"], "notes": f"right on {row['right']} of {row['of']}"}
                test["test"] = f"{row['test']} (direction)" if row["test"] else None
            if name != "comparisons":
                yield test
                continue
            yield test | {"test": "sign-flip over data sets"}
            wilcoxon = {"p": row["p_wilcoxon"], "p_adjusted": row["p_wilcoxon_bh"], "smallest_p": None}
            yield test | wilcoxon | {"test": "Wilcoxon on items (original)", "adjustment": "BH"}
