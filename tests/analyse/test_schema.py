"""What is detected in a table, and what is said about it."""

import numpy as np
import pandas as pd
import pytest

from trueness.analyse import AnalysisSettings
from trueness.analyse.domain import domain_of
from trueness.analyse.loading import read_table
from trueness.analyse.scores_schema import detect
from trueness.errors import DataError


def table(**columns):
    base = {"llm": ["a", "a", "b", "b"], "Variant": ["x", "y", "x", "y"], "question_id": [1, 1, 2, 2]}
    return pd.DataFrame(base | columns)


def formula(frame, **settings):
    return detect(frame, AnalysisSettings(**settings), "t")[1].outcome.formula


def test_counts_come_before_scores_and_scores_before_rules():
    rules = {"tone_pass": [True, False, True, True]}
    total = {"auto_score": [1, 0, 1, 1], "scored_rules": [1, 1, 1, 1]}
    counts = {"pass_count": [1, 0, 1, 1], "fail_count": [0, 1, 0, 0]}
    assert formula(table(**rules, **total, **counts)) == "fail_count / (pass_count + fail_count)"
    assert formula(table(**rules, **total)) == "1 - auto_score / scored_rules"
    assert formula(table(**rules)) == "1 - mean of 1 rules"
    assert formula(table(**rules, correct=[1, 0, 1, 1])) == "correct"
    assert formula(table(**rules, **counts), score="tone_pass") == "tone_pass"


def test_the_long_table_of_a_study_is_known():
    rows = [
        ("s", "discovery", item, "clean", learner, r, m, v + 0.01 * r, "ok")
        for item, v in (("asia", 0.5), ("sachs", 0.4), ("alarm", 0.7))
        for learner in ("pc", "ges")
        for r in range(2)
        for m in ("f1", "shd")
    ]
    rows.append(("s", "discovery", "asia", "clean", "pc", 2, "f1", None, "timed_out"))
    names = ["study", "task", "item", "variant", "respondent", "repeat", "measure", "value", "status"]
    frame = pd.DataFrame(rows, columns=names)
    domain = domain_of("t", frame, AnalysisSettings())
    assert domain.schema.condition == "respondent" and domain.schema.task == "item"
    assert domain.outcome == "f1" and not domain.lower_is_better
    assert any("1 timed_out" in note for note in domain.notes)
    assert np.isnan(domain.value).sum() == 1
    assert domain_of("t", frame, AnalysisSettings(measure="shd")).lower_is_better
    with pytest.raises(DataError, match="measure 'f2' is not in t. It has: f1, shd"):
        domain_of("t", frame, AnalysisSettings(measure="f2"))


def test_an_unscored_run_can_be_left_missing(root):
    frame = read_table(root / "examples" / "scores.csv")
    failed, missing = (domain_of("t", frame, AnalysisSettings(unscored=how)) for how in ("failed", "missing"))
    assert failed.value[failed.unscored].tolist() == [1.0]
    assert np.isnan(missing.value[missing.unscored]).all()
    assert missing.rules[missing.unscored].isna().all(axis=None)


def test_parquet_reads_as_csv_does(tmp_path):
    pytest.importorskip("pyarrow")
    frame = table(correct=[1, 0, 1, 1])
    frame.to_parquet(tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet").equals(frame)


def test_a_toml_says_what_the_options_say(root, analysed):
    from_file = analysed(root / "examples" / "analyse.toml")
    options = ("--baseline", "none", "--treatment", "examples", "--exclude", "task=letter", "--strip-prefix", "north/")
    from_options = analysed(root / "examples" / "scores.csv", *options, "--adjust", "holm")
    assert from_file["domains"] == from_options["domains"]
    assert analysed(root / "examples" / "analyse.toml", "--adjust", "bh")["settings"]["adjust"] == "bh"


def test_a_row_that_stands_twice_is_counted():
    frame = pd.DataFrame({"model": list("ab") * 30, "item": np.repeat(range(30), 2), "score": np.arange(60) / 60})
    again = pd.concat([frame, frame.iloc[:1]], ignore_index=True)
    told = [" ".join(detect(rows, AnalysisSettings(), "t")[1].guessed) for rows in (frame, again)]
    assert "of another" not in told[0] and "1 row with the model, item of another: counted as further runs" in told[1]
