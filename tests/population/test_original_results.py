"""A folder of the original's result files is read back, scored and shown."""

import json

import numpy as np
import pytest

from tests.population.made import answers, microdata, people, question
from trueness.cli import main
from trueness.errors import DataError
from trueness.status import Status
from trueness.studies.population.answers import AnswerKey
from trueness.studies.population.original_results import read_results, split_names
from trueness.studies.population.scores import Scales, score_answers
from trueness.studies.population.truth import truth_of


def entry(condition, true, weights, said, **more):
    return {
        "condition": condition,
        "true_vals": true,
        "weights": weights,
        "model_vals": said,
        "model_texts": ["..."],
        **more,
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two models on two tasks: the first draws from the truth, the second always says male; rows of a real shape."""
    place = tmp_path_factory.mktemp("benchmark")
    rows, rng = people(1_000), np.random.default_rng(3)
    for task, weighted in (("sex_by_age", True), ("sex_by_age_plain", False)):
        for model in ("llama_8b", "llama_70b"):
            entries = []
            for name, part in (("18-39", rows[rows["age"] < 40]), ("40 or more", rows[rows["age"] >= 40])):
                share = np.average(part["sex"] == "male", weights=part["w"] if weighted else None)
                said = (
                    [None, *np.where(rng.random(100) < share, "Male", "female")]
                    if model == "llama_8b"
                    else ["male"] * 50
                )
                weights = part["w"].tolist() if weighted else None
                entries.append(entry(name, part["sex"].tolist(), weights, list(map(lambda v: v and str(v), said))))
            (place / f"{model}_{task}.json").write_text(json.dumps(entries))
    return place


def test_they_are_scored_as_if_the_rows_had_been_read(folder):
    """The truth is that of the rows and their weights; the same answers get the same measures."""
    found = read_results(folder)
    truth = truth_of(question(weight="w"), np.random.default_rng(0), microdata(people(1_000)))
    back = found.truths["sex_by_age"]
    order = [back.levels.index(level) for level in truth.levels]
    np.testing.assert_allclose(back.probs[:, order], truth.probs)
    np.testing.assert_allclose(back.n_eff, truth.n_eff)
    males = [[1.0, 0.0]] * 2
    score = score_answers(truth, answers(truth, males, 50), rng=np.random.default_rng(0), scales=Scales(0))
    again = found.score_by_key[AnswerKey("llama_70b", "sample", "sex_by_age", 0)]
    for measure in ("tv", "d2", "skill_uniform", "score_document"):
        assert again.value(measure) == pytest.approx(score.value(measure), abs=0.02), measure
    assert found.score_by_key[AnswerKey("llama_8b", "sample", "sex_by_age", 0)].value("score") > 80


def test_our_own_files_are_refused(tmp_path):
    ours = entry("c", ["a", "b"], [0.5, 0.5], ["a", "b"], model_weights=[0.4, 0.6], n_eff=100.0)
    (tmp_path / "m_t.json").write_text(json.dumps([ours]))
    with pytest.raises(DataError, match="must be of the original, got one of trueness. Show the folder of its study"):
        read_results(tmp_path)


@pytest.mark.parametrize(
    ("stems", "expected"),
    [
        (["a_8b_x_by_z", "a_8b_y_by_z", "a_70b_x_by_z", "a_70b_y_by_z"], ("a_8b", "x_by_z")),
        (["a_8b_x_by_z"], ("a", "8b_x_by_z")),  # one file says nothing: the first underscore
        (["a_8b_x_by_z", "a_8b_w"], ("a_8b", "x_by_z")),
        (["a_x_by_z", "b_x_by_z", "c_x_by_z"], ("a", "x_by_z")),
        (["name"], ("name", "name")),
    ],
)
def test_names_are_cut_where_models_and_tasks_repeat(stems, expected):
    assert split_names(stems)[stems[0]] == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "must be valid JSON"),
        ("[3]", "entry 1 of m_t.json must have condition, true_vals, model_vals, got no condition"),
        ('[{"condition": "a", "true_vals": ["x"], "weights": [], "model_vals": []}]', "must be lists of equal length"),
        ('[{"condition": "a", "true_vals": ["x"], "weights": [-1], "model_vals": []}]', "numbers from 0 to"),
        ("[]", "must hold result files named MODEL_TASK.json"),
    ],
)
def test_other_files_are_refused_in_one_line(tmp_path, text, message):
    (tmp_path / "m_t.json").write_text(text)
    with pytest.raises(DataError) as error:
        read_results(tmp_path)
    assert message in str(error.value) and "\n" not in str(error.value)


def test_the_folder_is_shown_in_every_form(folder, capsys):
    assert main(["show", str(folder)]) == 0
    assert (
        "2 tasks from 1 source, 600 of 604 replies" in capsys.readouterr().out
    )  # 2 tasks, 2 conditions: 101 and 50 values
    for form, word in (("--csv", "llama_8b (sample)"), ("--tex", r"\toprule"), ("--md", "|"), ("--json", '"rows"')):
        assert main(["show", str(folder), form]) == 0
        assert word in capsys.readouterr().out


def test_a_condition_that_a_model_has_no_entry_for_is_missing_and_counted(tmp_path):
    """It stood as "answered 1 / 1" beside a model that had answered both."""
    both = [entry("c1", ["a", "b"], None, ["a", "b"] * 20), entry("c2", ["a", "a", "b"], None, ["a"] * 40)]
    (tmp_path / "whole_t.json").write_text(json.dumps(both))
    (tmp_path / "part_t.json").write_text(json.dumps(both[:1]))
    back = read_results(tmp_path)
    assert [a.status for a in back.answers[AnswerKey("part", "sample", "t", 0)].values()] == [Status.OK, Status.FAILED]
    assert back.completeness() == (False, "3 of 4 conditions to be asked have an answer (1 failed).")


def test_two_truths_and_two_answers_for_one_condition_are_refused(tmp_path):
    one, other = entry("c1", ["a", "b"], None, ["a"]), entry("c1", ["a", "a", "b"], None, ["a"])
    (tmp_path / "m1_t.json").write_text(json.dumps([one]))
    (tmp_path / "m2_t.json").write_text(json.dumps([other]))
    with pytest.raises(DataError, match="must be the same in the files of all models, got another of 'm2'"):
        read_results(tmp_path)
    (tmp_path / "m2_t.json").write_text(json.dumps([one, one]))
    with pytest.raises(DataError, match="must stand once, got it 2 times"):
        read_results(tmp_path)
