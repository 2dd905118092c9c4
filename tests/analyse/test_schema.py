"""What is detected in a table, and what is said about it."""

import numpy as np
import pandas as pd
import pytest

from trueness.analyse import AnalysisSettings, analyse
from trueness.analyse.domain import domain_of
from trueness.analyse.finding_sentences import understood
from trueness.analyse.loading import read_table
from trueness.analyse.scores_schema import detect
from trueness.errors import DataError, SettingError


def table(**columns):
    base = {"llm": ["a", "a", "b", "b"], "Variant": ["x", "y", "x", "y"], "question_id": [1, 1, 2, 2]}
    return pd.DataFrame(base | columns)


def formula(frame, **settings):
    return detect(frame, AnalysisSettings(**settings), "t")[1].outcome.formula


def test_usual_names_are_found_in_any_case():
    _, schema = detect(table(correct=[1, 0, 1, 1], epoch=[1, 1, 1, 1]), AnalysisSettings(), "t")
    assert schema.roles == {
        "condition": "Variant", "model": "llm", "task": "question_id", "repeat": "epoch", "extraction": None,
    }  # fmt: skip


def test_counts_come_before_scores_and_scores_before_rules():
    rules = {"tone_pass": [True, False, True, True]}
    total = {"auto_score": [1, 0, 1, 1], "scored_rules": [1, 1, 1, 1]}
    counts = {"pass_count": [1, 0, 1, 1], "fail_count": [0, 1, 0, 0]}
    assert formula(table(**rules, **total, **counts)) == "fail_count / (pass_count + fail_count)"
    assert formula(table(**rules, **total)) == "1 - auto_score / scored_rules"
    assert formula(table(**rules)) == "1 - mean of 1 rules"
    assert formula(table(**rules, correct=[1, 0, 1, 1])) == "correct"
    assert formula(table(**rules, **counts), score="tone_pass") == "tone_pass"


def test_models_are_compared_where_there_are_no_conditions():
    frame = pd.DataFrame({"model": ["a", "b"] * 6, "task": np.repeat(range(6), 2), "correct": [1, 0, 1, 1] * 3})
    found = analyse({"t": frame}, AnalysisSettings(treatment="a"))
    assert found.domains[0].domain.unit == "task"
    assert "the values of model are compared" in " ".join(found.domains[0].domain.notes)


def test_a_score_on_its_own_scale_stays_on_it():
    frame = table(elo=[1000.0, 1100.0, 990.0, 1200.0])
    domain = domain_of("t", frame, AnalysisSettings(score="elo"))
    assert not domain.percent and not domain.lower_is_better
    assert domain_of("t", frame, AnalysisSettings(score="elo", lower_is_better=True)).lower_is_better


def test_better_has_one_sign_whichever_way_the_score_runs():
    frame = pd.DataFrame({"condition": ["a", "b"] * 8, "task": np.repeat(range(8), 2), "elo": [10.0, 30.0] * 8})
    up = analyse({"t": frame}, AnalysisSettings(score="elo", treatment="b")).domains[0].contrasts[0]
    down = (
        analyse({"t": frame}, AnalysisSettings(score="elo", treatment="b", lower_is_better=True))
        .domains[0]
        .contrasts[0]
    )
    assert up.result.difference == 20 == -down.result.difference
    assert up.delta.value == 1 == -down.delta.value


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


def test_what_was_understood_is_said(root):
    found = analyse({"letters": read_table(root / "examples" / "scores.csv")}, AnalysisSettings(strip_prefix="north/"))
    told = "; ".join(understood(found.domains[0]))
    assert "144 runs: 3 conditions x 3 models x 8 tasks x 2 repeats" in told
    assert "failure rate = 1 - auto_score / scored_rules, lower is better; 5 rules (5 as true/false)" in told
    assert told.startswith("columns condition = condition (--condition), model = model (--unit), task = task (--unit")
    assert "repeat = rep, extraction = extraction_ok, score = auto_score / scored_rules (--score)" in told
    assert "1 run with nothing to score: counted as failed" in told
    assert set(found.domains[0].domain.runs["model"]) == {"ada", "bob", "cyd"}


def test_an_unscored_run_can_be_left_missing(root):
    frame = read_table(root / "examples" / "scores.csv")
    failed, missing = (domain_of("t", frame, AnalysisSettings(unscored=how)) for how in ("failed", "missing"))
    assert failed.value[failed.unscored].tolist() == [1.0]
    assert np.isnan(missing.value[missing.unscored]).all()
    assert missing.rules[missing.unscored].isna().all(axis=None)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_separators_are_seen(tmp_path, separator):
    path = tmp_path / ("t.tsv" if separator == "\t" else "t.csv")
    table(correct=[1, 0, 1, 1]).to_csv(path, index=False, sep=separator)
    assert list(read_table(path)) == ["llm", "Variant", "question_id", "correct"]


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


def test_a_wrong_word_in_a_toml_is_named(tmp_path):
    (tmp_path / "a.toml").write_text('base_line = "none"')
    with pytest.raises(SettingError, match="Did you mean 'baseline'"):
        AnalysisSettings.read(tmp_path / "a.toml")
    (tmp_path / "a.toml").write_text('one_sided = "yes"')
    with pytest.raises(SettingError, match="must be true or false"):
        AnalysisSettings.read(tmp_path / "a.toml")


def test_one_measure_with_items_of_an_unusual_name_is_a_long_table_and_keeps_its_direction():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"system": np.repeat(list("ab"), 20), "utterance": [f"u{k}" for k in range(20)] * 2})
    _, schema = detect(frame.assign(WER=rng.random(40)), AnalysisSettings(), "t")
    assert (schema.condition, schema.task, schema.outcome.columns) == ("system", "utterance", ("WER",))


def test_a_row_that_stands_twice_is_counted():
    frame = pd.DataFrame({"model": list("ab") * 30, "item": np.repeat(range(30), 2), "score": np.arange(60) / 60})
    again = pd.concat([frame, frame.iloc[:1]], ignore_index=True)
    told = [" ".join(detect(rows, AnalysisSettings(), "t")[1].guessed) for rows in (frame, again)]
    assert "of another" not in told[0] and "1 row with the model, item of another: counted as further runs" in told[1]
