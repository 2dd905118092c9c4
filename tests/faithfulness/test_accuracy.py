"""cf against right answers, and both by method and file."""

from tests.each import each
from trueness.studies.faithfulness import evaluate_batch
from trueness.studies.faithfulness.batch import GIVEN, against_accuracy, method_rows

EDGE = {"cause": ["a", "b"], "effect": "t", "rule": "t = a*b"}


def entry(k, rule="t = a*b", **more):
    dag = {"target_variable": "t", "knowns": {"a": k + 2, "b": 3}, "causal_graph": [EDGE | {"rule": rule}]}
    said = {"id": f"p{k}", "dag": dag, "problem_text": f"{k + 2} boxes of 3. How many?", "answer": 3 * (k + 2)}
    return said | more


def test_a_measure_that_sees_wrong_answers_is_informative_and_one_that_does_not_is_not():
    right = [entry(k, expected=3 * (k + 2)) for k in range(8)]
    wrong = [entry(k + 10, rule="t = a + b", expected=3 * (k + 12)) | {"answer": k} for k in range(8)]
    found = {one.measure: one for one in against_accuracy(evaluate_batch(right + wrong).evaluations)}
    assert (found["executable"].auc.value, found["executable"].verdict) == (1.0, "informative")
    assert found["executable"].rho.value > 0.8
    assert (found["graph_quality"].auc.value, found["graph_quality"].verdict) == (0.5, "uninformative")
    assert (found["executable"].n_right, found["executable"].n_wrong) == (8, 8)
    assert "executable is informative of right answers: AUC 1.00" in found["executable"].finding()


def test_without_right_and_wrong_answers_nothing_is_said():
    assert against_accuracy(evaluate_batch([entry(k) for k in range(4)]).evaluations) == []
    (only, *_) = against_accuracy(evaluate_batch([entry(k, correct=True) for k in range(4)]).evaluations)
    assert only.auc.value is None
    assert only.finding().open


def test_cf_is_shown_by_method_and_file():
    given = [
        *(entry(k, method="zero-shot", source="a.jsonl", correct=k > 0) for k in range(4)),
        *(entry(k, method="few-shot", source="a.jsonl", correct=True) | {"id": f"q{k}"} for k in range(4)),
        entry(9, method="few-shot", source="b.jsonl") | {"dag": "no graph"},
    ]
    rows = method_rows({GIVEN: evaluate_batch(given).evaluations})
    assert [(row["method"], row["file"], row["of"], row["labelled"]) for row in rows] == [
        ("zero-shot", "a.jsonl", 4, 4),
        ("few-shot", "a.jsonl", 4, 4),
        ("few-shot", "b.jsonl", 1, 0),
    ]
    assert (rows[0]["right"], rows[1]["right"], rows[2]["right"]) == (0.75, 1.0, None)
    assert rows[0]["causal_intervention"] == 1.0
    assert (rows[2]["cf"], rows[2]["bounds_low"], rows[2]["bounds_high"]) == (None, 0.0, 1.0)


def made(n_right, n_wrong, text="t{}"):
    """Right and wrong answers to graphs that are executed: `executable` tells them apart."""
    for k in range(n_right + n_wrong):
        edge = {"cause": ["a"], "effect": "y", "rule": "y = 2 a"}
        dag = {"target_variable": "y", "knowns": {"a": k + 1}, "causal_graph": [edge]}
        right = k < n_right
        yield {"dag": dag, "problem_text": text.format(k), "answer": 2 * (k + 1) if right else -1, "correct": right}


@each("n_right, n_wrong", [(2, 1), (3, 1), (3, 3), (8, 2), (1, 30)])
def test_few_labels_are_no_verdict(n_right, n_wrong):
    criteria = against_accuracy(evaluate_batch(list(made(n_right, n_wrong))).evaluations)
    assert {one.verdict for one in criteria} == {"not known"}
    said = next(one for one in criteria if one.measure == "executable").finding()
    assert f"{n_right} and {n_wrong} clusters" in said and "needs 4 each" in said
