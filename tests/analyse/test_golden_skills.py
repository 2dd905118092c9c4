"""The published figures of a skill experiment (CC-BY-4.0), digit by digit, from one command on three files."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from trueness.cli import main

OPTIONS = (
    "--baseline", "none", "--treatment", "pseudocode", "--one-sided", "--exclude", "model=glm-4.7-flash",
    "--strip-prefix", "zai-coding-plan/", "--families", "claude=haiku+opus", "--families", "glm=glm-4.7+glm-5",
)  # fmt: skip
PUBLISHED = {  # failure % none, markdown, pseudocode; delta, magnitude, one-tailed p
    "chart": ("20.9", "5.7", "2.8", "0.318", "small", "0.015"),
    "dockerfile": ("18.7", "4.2", "4.2", "0.015", "negl.", "0.437"),
    "sql": ("50.1", "16.9", "10.5", "0.495", "large", "<0.001"),
}


@pytest.fixture()
def command(golden):
    return ["analyse", *(str(golden / f"{name}.csv") for name in PUBLISHED), *OPTIONS]


def rates(golden, domain):
    """Model, condition and failure rate of the runs that are not excluded, with pandas alone."""
    frame = pd.read_csv(golden / f"{domain}.csv")
    frame = frame[frame["model"] != "zai-coding-plan/glm-4.7-flash"]
    if domain == "chart":
        rate = frame["fail_count"] / (frame["pass_count"] + frame["fail_count"])
    else:
        rate = (1 - frame["auto_score"] / frame["scored_rules"]).fillna(1.0)
    return frame["model"], frame["condition"], rate


def test_one_command_prints_the_published_lines(command, capsys):
    assert main(command) == 0
    out = capsys.readouterr().out
    head, *lines = out[out.index("RQ2") :].splitlines()[1:5]
    assert head.split()[:7] == ["Domain", "None%", "MD%", "PC%", "delta", "mag.", "p"]
    assert [line.split()[:7] for line in lines] == [[name, *figures] for name, figures in PUBLISHED.items()]


def test_the_numbers_are_those_of_pandas_and_scipy(command, golden, capsys):
    assert main([*command, "--json"]) == 0
    parts = {part["domain"]: part for part in json.loads(capsys.readouterr().out)["domains"]}
    ratios = [part["contrasts"][0]["ratio"] for part in parts.values()]
    assert ratios == pytest.approx([4.9439, 4.5, 3.6538], abs=1e-4)  # none.mean() / skill.mean() of the same runs
    for domain, part in parts.items():
        model, condition, rate = rates(golden, domain)
        none, md, pc = (rate[condition == name] for name in ("none", "markdown", "pseudocode"))
        rq1, rq2 = part["contrasts"]
        for row, expected in (
            (rq1, stats.mannwhitneyu(none, pd.concat([md, pc]), alternative="greater")),
            (rq2, stats.mannwhitneyu(pc, md, alternative="less")),  # the document's U, not n m - U
        ):
            assert (row["U"], row["p"]) == (expected.statistic, pytest.approx(expected.pvalue))
        assert rq2["n_comparisons"] == 6
        (pair,) = part["by_family"]
        claude = model.isin(["haiku", "opus"])
        assert (pair["treatment"], pair["reference"], pair["sided"]) == ("claude", "glm", "two-sided")
        assert pair["p"] == pytest.approx(stats.mannwhitneyu(rate[claude], rate[~claude]).pvalue)
        assert {row["model"] for row in part["by_model"]} == set(model.str.removeprefix("zai-coding-plan/"))
    otherwise = {
        (name, row["reading"], row["question"]): row for name, part in parts.items() for row in part["otherwise"]
    }
    # left out in place of failed: the run that could not be read
    assert round(otherwise["dockerfile", "unscored runs missing", "RQ1"]["none%"], 1) == 17.4
    # 1 - deep_score_pct of the file: absent rules in the denominator
    strict = otherwise["chart", "absent rules failed", "RQ2"]
    assert [round(strict[f"{name}%"], 1) for name in ("none", "markdown", "pseudocode")] == [50.6, 18.8, 5.7]
    # the excluded model decides
    rq2 = parts["sql"]["contrasts"][1]
    assert rq2["p_paired"] < 0.01 < 0.2 < otherwise["sql", "nothing excluded", "RQ2"]["p_paired"]
    # three tasks cannot speak of others: one of 2^3 sign patterns
    assert (rq2["n_units"], rq2["n_clusters"], rq2["over"], rq2["p_clustered"]) == (12, 3, "cells", 0.125)
    # the original text names rules 2 and 5 as its example
    flag = next(flag for flag in parts["sql"]["red_flags"] if flag["name"] == "correlated rules")
    assert flag["raised"] and "rule_2_clause_per_line and rule_5_no_select_star r = 0.99" in flag["evidence"]


def test_bca_is_scipys_with_the_documents_seed(golden, analysed):
    _, condition, rate = rates(golden, "chart")
    ends = stats.bootstrap(
        (rate[condition == "none"].to_numpy(),), np.mean, n_resamples=10000, random_state=np.random.default_rng(42)
    ).confidence_interval
    part = analysed(golden / "chart.csv", "--exclude", "model=zai-coding-plan/glm-4.7-flash", "--interval", "bca")
    row = next(row for row in part["domains"][0]["conditions"] if row["condition"] == "none")
    assert (row["runs_low"], row["runs_high"]) == pytest.approx((100 * ends.low, 100 * ends.high))
