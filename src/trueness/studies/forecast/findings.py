"""All analyses of a forecast study, every test as a row, and what they say in words; validation first.

An analysis that a study does not allow (one formulation, no repeats, no baseline) is there too and says why.

A row of statistical_tests.csv holds estimate, interval, n, test, p and its adjustment together. The original's test
(Wilcoxon on items, Benjamini-Hochberg) and the one that counts data sets (exact sign-flip, Holm) stand in two rows.

Its files, all of which can be written again from its tables:

    llm_comparisons/{dataset}_{algorithm}_llm_comparison.json   every claim beside what was measured
    evaluation/main_results.csv  detailed_results.json  coverage_by_{model,algorithm,dataset,metric,formulation}.csv
    statistics/statistical_tests.csv  interpretation.txt        validation on top, then hypotheses and findings
    plots/{intervals,runs}_{measure}, heatmap_*, calibration
                                                                 as .png .svg .pdf, their numbers as .csv
    plots/results_summary.csv  .tex  {algorithm}_summary_table.csv     what the learners did, all and each alone

The same tables give the same bytes. variance/ is written with the discovery runs.

A claim that could not be read is in llm_comparisons/, with null for its numbers and its status. Against the CI of the
mean (`vs_mean_ci`, the original's) and against the range of runs (`vs_runs`):

    overlaps         the two have a point in common
    ci_contains      the measured interval holds the whole claim
    range_contains   the claim holds the whole measured interval
    iou, fraction    |both| / |either|,  |both| / |measured|
    calibration      (width of the claim - measured width) / measured width; null where the latter is 0
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import pandas as pd

from trueness.outside import Json
from trueness.showing.methods_paragraph import section
from trueness.showing.saving import Figure, csv_text, plain, plain_records, plain_rows, safe_name
from trueness.showing.summary import is_open
from trueness.showing.tables import Table
from trueness.statistics.runs import expected_content
from trueness.studies.forecast import tables
from trueness.studies.forecast.analysis import Analysis
from trueness.studies.forecast.comparisons import ablation, comparisons, guidelines, robustness
from trueness.studies.forecast.contrasts import contrasts, effects, ranking
from trueness.studies.forecast.frames import ARMS, Forecasts, Truth
from trueness.studies.forecast.hypotheses import CANNOT, hypotheses
from trueness.studies.forecast.reasoning import contamination, reasoning
from trueness.studies.forecast.validation import Validation, convergence, failures, validation
from trueness.texts import printable_json


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


# ---- files

_VERSUS = {
    "overlaps": "overlaps", "ci_contains": "inside", "range_contains": "covers", "iou": "iou",
    "fraction": "fraction", "calibration": "calibration", "class": "class", "log_width_ratio": "log_width_ratio",
}  # fmt: skip
_TRUTHS = ("mean_ci", "runs")
_CLAIM = ("respondent", "measure", *ARMS, "repeat", "level", "low", "high", "median", "status", "flags")
_SCORES = (
    "covers_mean", "coverage_runs", "width", "interval_score", "interval_score_scaled", "bias",
)  # fmt: skip


def texts(findings: Findings) -> dict[str, str]:
    """File -> text, of all that is neither drawn nor typeset."""
    forecasts = findings.forecasts
    files = {f"llm_comparisons/{name}": text for name, text in comparison_texts(forecasts).items()}
    files["evaluation/main_results.csv"] = csv_text(pd.DataFrame(findings.rows))
    files["evaluation/detailed_results.json"] = _detailed(findings)
    for factor in tables.FACTORS:
        files[f"evaluation/coverage_by_{factor}.csv"] = csv_text(tables.coverage_by(forecasts, factor))
    files["statistics/statistical_tests.csv"] = csv_text(findings.tests)
    files["statistics/interpretation.txt"] = interpretation(findings)
    measured = tables.measured_table(forecasts)
    files["plots/results_summary.csv"] = measured.to_csv()
    files["plots/results_summary.tex"] = measured.to_latex()
    for learner, part in measured.frame().groupby("learner", sort=False):
        files[f"plots/{safe_name(str(learner))}_summary_table.csv"] = csv_text(part)
    return files


def plots(forecasts: Forecasts) -> Iterator[Figure]:
    """All respondents; one figure at a time, so that a large study does not hold them all. No claims: no figures."""
    if forecasts.scores.empty:
        return
    from trueness.studies.forecast import charts

    for measure in forecasts.measures:
        yield charts.intervals(forecasts, measure)
    for measure in forecasts.measures:
        yield charts.runs(forecasts, measure)
    yield charts.heatmap(forecasts, "overlaps_mean_ci")
    yield charts.heatmap(forecasts, "overlaps_runs")
    yield charts.heatmap(forecasts, "covers_mean", ("respondent", "dataset"))
    yield charts.calibration(forecasts)


def _detailed(findings: Findings) -> str:
    """detailed_results.json: the checks, a row a respondent, what each analysis found, and one line a respondent, cell,
    measure and formulation, its repeats averaged."""
    forecasts, checks = findings.forecasts, findings.validation
    head = {
        "study": forecasts.study,
        "seed": forecasts.seed,
        "level": forecasts.level,
        "valid": checks.is_valid,
        "validation": checks.rows(),
        "completeness": plain_rows(checks.completeness),
        "arm": forecasts.main_arm,
        "respondents": findings.rows,
        "analyses": {
            a.name: {"told": a.possible, "sentences": list(a.sentences), "rows": plain_rows(a.table)}
            for a in findings.analyses()
            if a.name != "validation"
        },
    }
    columns = [*_SCORES, *(f"{score}_{truth}" for truth in _TRUTHS for score in ("overlaps", "iou", "calibration"))]
    grouped = forecasts.headline.groupby(["respondent", "dataset", "learner", "measure", "formulation"])
    counts = grouped.agg(
        asked=("answered", "size"), answered=("answered", "sum"), low=("low", "median"), high=("high", "median"),
        measured_mean=("truth_mean", "first"),
    )  # fmt: skip
    return _with_lines(head, "cells", plain_records(grouped[columns].mean().join(counts).reset_index()))


# ---- llm_comparisons/


def comparison_names(forecasts: Forecasts) -> dict[tuple[str, str], str]:
    """(data set, learner) -> {dataset}_{algorithm}_llm_comparison.json; two that would share a name are numbered."""
    names: dict[tuple[str, str], str] = {}
    for item in sorted(forecasts.items):
        name, k = safe_name(*item), 2
        while f"{name}_llm_comparison.json" in names.values():
            name, k = f"{safe_name(*item)}-{k}", k + 1
        names[item] = f"{name}_llm_comparison.json"
    return names


def comparison_texts(forecasts: Forecasts) -> dict[str, str]:
    """File name -> JSON text, one line a claim."""
    keys = ["dataset", "learner", "measure", *ARMS, "respondent", "repeat", "level"]
    flags = forecasts.claims.drop_duplicates(keys)[[*keys, "flags"]]
    scores = forecasts.scores.drop(columns="flags", errors="ignore").merge(flags, how="left", on=keys)
    scores = scores.sort_values(["respondent", *ARMS, "repeat", "measure", "level"], kind="stable")
    parts = {(str(d), str(a)): part for (d, a), part in scores.groupby(["dataset", "learner"])}
    names = comparison_names(forecasts)
    return {name: _comparison(forecasts, item, parts.get(item, scores.iloc[:0])) for item, name in names.items()}


def _comparison(forecasts: Forecasts, item: tuple[str, str], part: pd.DataFrame) -> str:
    dataset, learner = item
    truths = {measure: forecasts.truths.get((dataset, learner, measure)) for measure in forecasts.measures}
    head = {
        "study": forecasts.study,
        "dataset": dataset,
        "algorithm": learner,
        "level": forecasts.level,
        "about": plain(dict(forecasts.datasets.get(dataset, {}))),
        "respondents": sorted(part["respondent"].unique()),
        "measured": {measure: _truth_record(truth) for measure, truth in truths.items()},
    }
    return _with_lines(head, "claims", [_claim(row) for row in plain_records(part)])


def _truth_record(truth: Truth | None) -> dict[str, object] | None:
    if truth is None:
        return None
    ci, runs = truth.mean_ci, truth.run_range
    return {
        "n_runs": truth.planned, "n_ok": len(truth.runs), "mean": plain(truth.mean),
        "ci_lower": ci.low if ci else None, "ci_upper": ci.high if ci else None,
        "run_lower": runs.low if runs else None, "run_upper": runs.high if runs else None,
        "run_content": expected_content(len(truth.runs), runs.level) if runs else None,
        "status": "degenerate" if truth.degenerate else "ok" if len(truth.runs) else "failed",
        "resolution": truth.resolution, "upper": truth.upper,
    }  # fmt: skip


def _claim(row: dict[str, Json]) -> dict[str, Json]:
    versus = {f"vs_{truth}": {name: row[f"{score}_{truth}"] for name, score in _VERSUS.items()} for truth in _TRUTHS}
    return {name: row[name] for name in (*_CLAIM, *_SCORES)} | versus


def _with_lines(head: Mapping[str, Json], name: str, rows: list[dict[str, Json]]) -> str:
    """JSON with the head indented and one line a row: it can be read, compared and written fast."""
    top = printable_json(plain(head), indent=2, allow_nan=False).removesuffix("\n}")
    body = ",\n".join("    " + printable_json(row, allow_nan=False) for row in rows)
    return f'{top},\n  "{name}": [\n{body}\n  ]\n}}\n' if rows else f'{top},\n  "{name}": []\n}}\n'
