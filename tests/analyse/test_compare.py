"""`trueness compare A B`: one line over the long table of a study."""

import csv
import json

import numpy as np
import pytest

from tests.hostile.attack import within
from trueness.analyse import comparing
from trueness.analyse.comparing import compare
from trueness.cli import main
from trueness.errors import DataError, SettingError, StoreError
from trueness.running.results import Row

pytestmark = pytest.mark.usefixtures("kept_lanes")


def write_scores(folder, rows):
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "scores.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(Row._fields)
        writer.writerows(rows)
    return folder


@pytest.fixture()
def discovery(tmp_path):
    rng = np.random.default_rng(0)
    rows = [
        ("s", "discovery", f"net{k}", "clean", learner, r, measure, base + 0.02 * k + 0.01 * rng.random(), "ok")
        for k in range(6)
        for learner, base in (("pc", 0.7), ("ges", 0.5), ("random", 0.1))
        for r in range(4)
        for measure in ("f1", "shd")
    ]
    rows.append(("s", "discovery", "net0", "clean", "pc", 4, "f1", "", "timed_out"))
    return write_scores(tmp_path / "results" / "s", rows)


@pytest.fixture()
def forecast(tmp_path):
    rows = [("s", "discovery", "asia", "clean", "pc", 0, "f1", 0.5, "ok")]
    rows += [
        ("s", "forecast", f"{net}/causal-learn/pc/{m}", variant, who, 0, "interval_score_scaled", base + k / 10, "ok")
        for k, net in enumerate(("asia", "sachs", "alarm"))
        for m in ("f1", "shd")
        for variant in ("direct", "steps")
        for who, base in (("openai/gpt-x", 0.2 + (variant == "steps") / 20), ("baseline/heuristic", 0.4))
    ]
    return write_scores(tmp_path / "results" / "f", rows)


def test_six_data_sets_reach_one_in_thirty_two_and_holm_triples_it(discovery):
    found = compare(discovery, "pc", "ges")
    assert found.difference == pytest.approx(0.2, abs=0.02)
    assert (found.n_units, found.n_clusters) == (6, 6)
    assert found.p == 2 / 2**6 and found.p_adjusted == 3 * found.p
    assert found.n_comparisons == 3
    assert found.better == "higher" and compare(discovery, "pc", "ges", "shd").better == "lower"
    turned = compare(discovery, "ges", "pc")
    assert (turned.difference, turned.p) == (pytest.approx(-found.difference), found.p)


def test_the_sentence_says_everything_and_what_is_missing(discovery):
    told = compare(discovery, "pc", "random").sentence()
    parts = (
        "pc",
        "random",
        "0.6",
        "95 % CI",
        "sign-flip p = 0.031",
        "Holm-adjusted",
        "1 runs of the two have no value",
    )
    assert [part for part in parts if part not in told] == []


def test_the_interval_is_that_of_the_adjusted_verdict_and_the_one_alone_stands_beside(tmp_path, capsys):
    """Before, a 95 % interval stood beside a Holm-adjusted verdict."""
    rng = np.random.default_rng(2)
    rows = [
        ("s", "discovery", f"net{k}", "clean", learner, 0, "f1", 0.5 + gain + 0.05 * rng.standard_normal(), "ok")
        for k in range(10)
        for learner, gain in (("pc", 0.0), ("ges", 0.04), ("boss", 0.1))
    ]
    folder = write_scores(tmp_path / "s", rows)
    for a, b in (("pc", "ges"), ("boss", "pc"), ("boss", "ges")):
        found = compare(folder, a, b)
        assert (found.interval.low > 0 or found.interval.high < 0) == found.distinguishable
        assert found.alone.level == 0.95 and found.interval.low <= found.alone.low <= found.alone.high
        if found.interval.level > 0.95:
            assert f"{100 * found.interval.level:.4g} % CI of the verdict, alone 95 % CI [" in found.sentence()
            assert rf"{100 * found.interval.level:.4g}\,\% CI of the verdict" in found.to_latex()
    assert main(["compare", "boss", "pc", str(folder), "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert row["level"] == pytest.approx(1 - 0.05 / 3) and row["low"] < row["alone_low"]
    assert main(["compare", "boss", "pc", str(folder)]) == 0
    assert "98.33 % CI" in capsys.readouterr().out.splitlines()[0]
    assert (
        main(["compare", "boss", "--baseline", "pc", str(folder), "--gate", "worse by more than 2"]) == 2
    )  # points were meant
    assert "'gate' must name less than 100 points (1), the most" in capsys.readouterr().err


def test_forecast_items_cluster_by_data_set(forecast):
    found = compare(forecast, "openai/gpt-x", "baseline/heuristic")
    assert (found.n_units, found.n_clusters) == (12, 3)
    assert found.better == "lower" and found.difference < 0
    assert found.interval is None  # three data sets bound nothing at 95 %


def test_a_baseline_stands_beside_every_wording_of_a_question_about_its_target(tmp_path):
    """As forecast.references writes them: not asked, so without formulation, and about runs or about the mean."""
    asked = [
        f"{formulation}/named/full/told/{target}" for formulation in ("direct", "steps") for target in ("run", "mean")
    ]
    rows = [
        ("s", "forecast", f"{net}/pc/f1", variant, who, 0, "interval_score_scaled", value, "ok")
        for net in ("asia", "sachs")
        for who, value, variants in (
            ("openai/gpt-x", 0.2, asked),
            ("baseline/heuristic", 0.4, ["reference/-/-/-/run"]),
            ("baseline/oracle", 0.1, ["reference/-/-/-/run", "reference/-/-/-/mean"]),
        )
        for variant in variants
    ]
    folder = write_scores(tmp_path / "results" / "f", rows)
    assert compare(folder, "openai/gpt-x", "baseline/oracle").n_units == 8
    found = compare(folder, "openai/gpt-x", "baseline/heuristic")
    assert (found.n_units, found.difference) == (4, pytest.approx(-0.2))


def test_mistakes_are_named(discovery, forecast, tmp_path):
    with pytest.raises(DataError, match="Did you mean 'ges'"):
        compare(discovery, "pc", "gess")
    with pytest.raises(SettingError, match="got 'pc' twice"):
        compare(discovery, "pc", "pc")
    with pytest.raises(SettingError, match="is not a measure"):
        compare(discovery, "pc", "ges", "f2")
    with pytest.raises(DataError, match="answered different questions"):
        compare(forecast, "pc", "openai/gpt-x")
    with pytest.raises(StoreError, match="has no scores.csv"):
        compare(tmp_path, "pc", "ges")


def of(respondents, items, variants=("clean",), **other):
    """A row of every respondent on every item under every variant."""
    rng = np.random.default_rng(0)
    return [
        ("s", other.get("task", "discovery"), item, variant, who, 0, "f1", round(rng.random(), 3), "ok")
        for who in respondents
        for item in items
        for variant in variants
    ]


def test_of_very_many_pairs_only_the_one_that_is_asked_for_is_tested(tmp_path):
    """300 respondents are 44,850 pairs, each with a test; Bonferroni needs their number only, and is Holm's bound."""
    folder = write_scores(tmp_path, of([f"r{k}" for k in range(300)], [f"i{k}" for k in range(8)]))
    with within():
        found = compare(folder, "r1", "r2")
    assert (found.n_units, found.n_comparisons, found.adjustment) == (8, 44_850, "bonferroni")
    assert found.p_adjusted == min(1, 44_850 * found.p)
    assert found.interval is None and found.alone.level == 0.95  # eight items bound nothing at 1 - .05/44,850
    assert "Bonferroni" in found.notes[-1] and "Bonferroni-adjusted" in str(found)


def test_references_beside_variants_without_end_are_refused(tmp_path):
    rows = of(["a"], ["i"], [f"v{k}" for k in range(3000)]) + of(["b"], ["i"], [f"reference/{k}" for k in range(3000)])
    with within(), pytest.raises(DataError, match="at most 5,000,000 answers of references beside variants"):
        compare(write_scores(tmp_path, rows), "a", "b")


def test_a_long_table_beyond_the_limit_of_tables_is_not_read(discovery, monkeypatch):
    monkeypatch.setattr(comparing, "MAX_TABLE", 1000)
    with pytest.raises(StoreError, match=r"scores.csv must have at most .*, got more"):
        compare(discovery, "pc", "ges")


def test_a_table_in_place_of_a_study_and_a_file_that_is_not_there_are_said(in_tmp, capsys):
    (in_tmp / "scores.csv").write_text("model,item,score\na,1,0.5\nb,1,0.7\n")
    assert main(["compare", "a", "b", "scores.csv"]) == 2 and main(["compare", "scores.csv", "none.csv"]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert "trueness analyse scores.csv" in first and "none.csv must be a file as scores.csv is one" in second


def test_shares_against_percentages_are_refused(in_tmp, capsys):
    for name, scale in (("a", 1.0), ("b", 100.0), ("c", 10.0)):
        rows = "".join(f"{name},{k},{scale * (k % 7) / 7:.3f}\n" for k in range(20))
        (in_tmp / f"{name}.csv").write_text("model,item,score\n" + rows)
    for other in ("b.csv", "c.csv"):
        assert main(["compare", other, "--baseline", "a.csv"]) == 2
        assert "must be on one scale, got means of 0.4" in capsys.readouterr().err


def test_a_gate_of_a_study_names_its_sides_and_follows_the_measure(discovery, capsys, mistake):
    gate, folder = "worse by more than 2 points", str(discovery)
    for names in (("ges", folder, "--baseline", "pc"), ("ges", "--baseline", "pc", folder)):
        assert main(["compare", *names, "--gate", gate.replace("2", "10")]) == 2  # six data sets are too few
        assert "ges (candidate) against pc (baseline): f1: cannot be judged" in capsys.readouterr().err
    assert main(["compare", "ges", folder, "--baseline", "pc", "--gate", f"possibly {gate}", "--json"]) == 2
    told = json.loads(capsys.readouterr().out)["gate"]
    assert (told["judged"], told["fails"]) == (False, False)
    assert told["verdicts"][0]["difference"] == pytest.approx(-0.2, abs=0.02)
    assert main(
        [
            *("compare", "ges", folder, "--baseline", "pc", "--measure", "shd"),
            "--gate",
            "possibly worse by more than .1",
        ]
    )
    assert "shd: cannot be judged, 0.2" in capsys.readouterr().err  # fewer is better
    assert "Write: trueness compare NEW --baseline OLD" in mistake("compare", "pc", "ges", folder, "--gate", gate)
