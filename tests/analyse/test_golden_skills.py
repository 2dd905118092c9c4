"""The published figures of a skill experiment (CC-BY-4.0), digit by digit, each from one command."""

import pytest

from trueness.cli import main

OPTIONS = (
    "--baseline", "none", "--treatment", "pseudocode", "--one-sided", "--exclude", "model=glm-4.7-flash",
    "--strip-prefix", "zai-coding-plan/",
)  # fmt: skip
PUBLISHED = {  # failure % none, markdown, pseudocode; delta, magnitude, one-tailed p
    "chart": ("20.9", "5.7", "2.8", "0.318", "small", "0.015"),
    "dockerfile": ("18.7", "4.2", "4.2", "0.015", "negl.", "0.437"),
    "sql": ("50.1", "16.9", "10.5", "0.495", "large", "<0.001"),
}


@pytest.mark.parametrize("domain", PUBLISHED)
def test_one_command_prints_the_published_line(golden, capsys, domain):
    assert main(["analyse", str(golden / f"{domain}.csv"), *OPTIONS]) == 0
    out = capsys.readouterr().out
    block = out[out.index("RQ2") :].splitlines()
    assert block[1].split()[:7] == ["Domain", "None%", "MD%", "PC%", "delta", "mag.", "p"]
    assert block[2].split()[:7] == [domain, *PUBLISHED[domain]]


def test_three_files_are_three_domains(golden, analysed):
    found = analysed(*(golden / f"{name}.csv" for name in PUBLISHED), *OPTIONS)
    assert [part["domain"] for part in found["domains"]] == list(PUBLISHED)
    for part in found["domains"]:
        rq2 = part["contrasts"][1]
        shown = [f"{rq2[f'{name}%']:.1f}" for name in ("none", "markdown", "pseudocode")]
        assert tuple(shown) == PUBLISHED[part["domain"]][:3]
        assert rq2["n_comparisons"] == 6


def test_presence_is_the_papers_three_to_five_fold_reduction(golden, analysed):
    found = analysed(*(golden / f"{name}.csv" for name in PUBLISHED), *OPTIONS)
    ratios = [part["contrasts"][0]["ratio"] for part in found["domains"]]
    # none.mean() / skill.mean() of the same runs with pandas
    assert ratios == pytest.approx([4.9439, 4.5, 3.6538], abs=1e-4)


def test_a_run_that_could_not_be_read_counts_as_failed_and_both_ways_are_shown(golden, analysed):
    (part,) = analysed(golden / "dockerfile.csv", *OPTIONS)["domains"]
    other = next(line for line in part["otherwise"] if line["reading"] == "unscored runs missing")
    assert round(part["contrasts"][1]["none%"], 1) == 18.7
    assert round(other["none%"], 1) == 17.4


def test_two_rules_of_sql_measure_one_thing(golden, analysed):
    # the original text names rules 2 and 5 as its example
    (part,) = analysed(golden / "sql.csv", *OPTIONS)["domains"]
    flag = next(flag for flag in part["red_flags"] if flag["name"] == "correlated rules")
    assert flag["raised"]
    assert "rule_2_clause_per_line and rule_5_no_select_star r = 0.99" in flag["evidence"]


def test_the_excluded_model_is_in_the_line_beside(golden, analysed):
    (part,) = analysed(golden / "sql.csv", *OPTIONS)["domains"]
    without, with_all = part["contrasts"][1], part["otherwise"][-1]
    assert with_all["reading"] == "nothing excluded"
    assert without["p_paired"] < 0.01 < 0.2 < with_all["p_paired"]
    assert {row["model"] for row in part["by_model"]} == {"haiku", "opus", "glm-4.7", "glm-5"}


def test_absent_rules_are_shown_counted_as_failed(golden, analysed):
    (part,) = analysed(golden / "chart.csv", *OPTIONS)["domains"]
    strict = next(line for line in part["otherwise"] if line["reading"] == "absent rules failed")
    # 1 - deep_score_pct of the file: absent rules in the denominator
    assert [round(strict[f"{name}%"], 1) for name in ("none", "markdown", "pseudocode")] == [50.6, 18.8, 5.7]


def test_three_tasks_cannot_speak_of_others(golden, analysed):
    (part,) = analysed(golden / "sql.csv", *OPTIONS)["domains"]
    rq2 = part["contrasts"][1]
    assert (rq2["n_units"], rq2["n_clusters"], rq2["over"]) == (12, 3, "cells")
    assert rq2["p_clustered"] == 0.125  # one of 2^3 sign patterns
