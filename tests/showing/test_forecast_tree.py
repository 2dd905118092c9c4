"""The tree: exactly the files of the protocol, missing stays missing, the same tables give the same bytes."""

import csv
import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from trueness.studies.forecast.findings import Findings, comparison_names, comparison_texts, texts
from trueness.studies.forecast.tables import coverage_by

CHECKS = ("runs", "complete", "widths", "vacuous", "possible")


def names_below(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_the_files_are_those_of_the_protocol(tree):
    folder, written = tree
    wanted = {
        f"llm_comparisons/{d}_{a}_llm_comparison.json" for d in ("asia", "cancer", "child") for a in ("pc", "fci")
    }
    wanted |= {"evaluation/main_results.csv", "evaluation/detailed_results.json"}
    wanted |= {f"evaluation/coverage_by_{by}.csv" for by in ("model", "algorithm", "dataset", "metric", "formulation")}
    wanted |= {"statistics/statistical_tests.csv", "statistics/interpretation.txt", "paper/draft.tex"}
    wanted |= {"plots/results_summary.csv", "plots/results_summary.tex"}
    found = names_below(folder)
    assert wanted <= found
    rest = found - wanted
    assert all(re.fullmatch(r"plots/\w+\.(png|svg|pdf|csv)|paper/(tables/\w+\.tex|figures/\w+\.pdf)", n) for n in rest)
    assert {str(path.relative_to(folder)) for path in written} == found


def test_the_same_tables_give_the_same_texts(tree, findings):
    folder, _ = tree
    for name, text in texts(findings).items():
        assert (folder / name).read_text() == text, name


def test_a_claim_that_was_not_read_is_null_with_its_status(forecasts):
    found = [claim for text in comparison_texts(forecasts).values() for claim in json.loads(text)["claims"]]
    missing = [claim for claim in found if claim["status"] in ("unreadable", "refused", "truncated")]
    assert missing and len(found) == len(forecasts.scores)
    for claim in missing:
        assert claim["low"] is None and claim["covers_mean"] is None and claim["vs_runs"]["iou"] is None


def test_a_comparison_holds_the_scores_of_its_claims(forecasts):
    text = comparison_texts(forecasts)["asia_pc_llm_comparison.json"]
    claims = pd.DataFrame(json.loads(text)["claims"])
    scores = forecasts.scores[(forecasts.scores["dataset"] == "asia") & (forecasts.scores["learner"] == "pc")]
    keys = ["respondent", "formulation", "measure", "repeat", "level"]
    both = claims.merge(scores, on=keys, suffixes=("", "_scored"), validate="one_to_one")
    assert len(both) == len(scores)
    pd.testing.assert_series_equal(both["interval_score"], both["interval_score_scored"], check_names=False)
    versus = pd.Series([row["iou"] for row in both["vs_mean_ci"]], dtype=float)
    pd.testing.assert_series_equal(versus, both["iou_mean_ci"], check_names=False)


def test_coverage_carries_n_and_an_interval(forecasts):
    for factor in ("model", "algorithm", "dataset", "metric", "formulation"):
        frame = coverage_by(forecasts, factor)
        assert (frame["n"] <= frame["asked"]).all()
        inside = frame[frame["calibrated_coverage_low"].notna()]
        assert len(inside)
        assert (inside["calibrated_coverage_low"] <= inside["calibrated_coverage"] + 1e-12).all()
        assert (inside["calibrated_coverage"] <= inside["calibrated_coverage_high"] + 1e-12).all()


def test_the_checks_stand_on_top_of_every_report(tree):
    folder, _ = tree
    text = (folder / "statistics" / "interpretation.txt").read_text()
    assert text.index("Validation") < text.index("Hypotheses") < text.index("What this design cannot tell")
    detailed = json.loads((folder / "evaluation" / "detailed_results.json").read_text())
    draft = (folder / "paper" / "draft.tex").read_text()
    assert [check["check"] for check in detailed["validation"]] == list(CHECKS)
    assert list(detailed).index("validation") < list(detailed).index("respondents") < list(detailed).index("cells")
    assert draft.index(r"\section{Validation}") < draft.index(r"\section{Methods}")
    for name in CHECKS:
        assert re.search(rf"(passed|FAILED|not checked) {name}:", text)
        assert re.search(rf"(passed|FAILED|not checked) {name}:", draft)


def test_no_p_value_stands_alone(tree):
    folder, _ = tree
    with (folder / "statistics" / "statistical_tests.csv").open() as file:
        rows = list(csv.DictReader(file))
    with_p = [row for row in rows if row["p"]]
    assert {row["analysis"] for row in with_p} >= {"comparisons", "hypotheses"}
    for row in with_p:
        assert row["estimate"] and row["test"] and row["n_datasets"]


def nothing_asked(forecasts):
    empty = {name: getattr(forecasts, name).iloc[:0] for name in ("scores", "claims", "replies")}
    return replace(forecasts, references=(), **empty)


def no_runs_of_a_cell(forecasts):
    key = ("asia", "pc", "f1")
    bare = replace(forecasts.truths[key], runs=np.array([]), mean_ci=None, run_range=None)
    return replace(forecasts, truths={**forecasts.truths, key: bare})


@pytest.mark.parametrize("changed", [nothing_asked, no_runs_of_a_cell])
def test_a_study_with_holes_is_written_too(forecasts, changed):
    holes = Findings(changed(forecasts))
    assert texts(holes)["evaluation/main_results.csv"] is not None
    assert all(table.to_latex() for table in holes.tables())


def test_two_names_that_would_share_a_file_get_two(forecasts):
    truths = {key: truth for key, truth in forecasts.truths.items() if key[0] == "asia"}
    both = truths | {("as/ia", a, m): t for (_, a, m), t in truths.items()}
    both |= {("as:ia", a, m): t for (_, a, m), t in truths.items()}
    names = comparison_names(replace(forecasts, truths=both))
    assert len(set(names.values())) == len(names)


def test_no_temporary_file_is_left(tree):
    folder, _ = tree
    assert not [name for name in names_below(folder) if name.endswith(".tmp")]
