"""Tables and chart of a faithfulness study: numbers with n, interval and status; what is missing is said, not drawn."""

import numpy as np
import pytest

from tests.faithfulness.judges import always_critical, random_judge, reading_of
from tests.faithfulness.test_own_graph import GRAPH, NEWTON, model
from trueness.reasoning.problems import load_problems, read_problems
from trueness.status import Status
from trueness.studies.faithfulness import Asking, Scoring, evaluate_batch, evaluate_behaviour, findings
from trueness.studies.faithfulness.answers import FaithfulnessStudy
from trueness.studies.faithfulness.batch import GIVEN
from trueness.studies.faithfulness.behaviour import Behaviour, OwnGraph
from trueness.studies.faithfulness.charts import probes
from trueness.studies.faithfulness.known_groups import with_damaged

PROBLEMS = with_damaged(load_problems("physics")[:3] + load_problems("everyday")[:2], np.random.default_rng(1))


def study(judges=(), problems=PROBLEMS, behaviours=()):
    seen = [problem for problem in problems if not problem.id.startswith("physics-kinetic")]
    asking = Asking(repeats=2)
    judgements = evaluate_batch(seen, list(judges), asking=asking).judgements if judges else ()
    return FaithfulnessStudy(
        "s", 1, 0.95, {problem.id: problem for problem in problems}, tuple(judge.name for judge in judges),
        judgements, Scoring(), tuple(behaviours),
    )  # fmt: skip


@pytest.fixture(scope="module")
def judged():
    solver = model(GRAPH, lambda force, mass: force / mass)
    solver.name = "mock/solver"
    found = evaluate_behaviour(NEWTON, solver)
    lost = OwnGraph(Status.UNREADABLE, "the answer holds no JSON with a causal graph.")
    unread = Behaviour("physics-braking", "mock/solver", 0, lost, None, lost.status, lost.message)
    return study([always_critical(), random_judge()], behaviours=[found, unread])


def rows_of(found, **where):
    return [row for row in found if all(row[key] == value for key, value in where.items())]


def test_a_component_has_its_mean_and_interval(judged):
    (row,) = rows_of(findings.component_rows(judged), method=GIVEN, measure="causal_intervention")
    assert row["low"] <= row["value"] <= row["high"]


def test_what_has_no_value_is_counted_with_its_reason_and_bounds(judged):
    (cf,) = rows_of(findings.component_rows(judged), method=GIVEN, measure="cf")
    assert (cf["n"], cf["of"], cf["missing"]) == (4, 5, "no judge asked 1")
    assert cf["bounds_low"] < cf["value"] < cf["bounds_high"]


def test_a_models_own_graphs_are_a_method_of_their_own(judged):
    (own,) = rows_of(findings.component_rows(judged), method="mock/solver", measure="causal_intervention")
    assert (own["value"], own["n"], own["of"], own["missing"]) == (1.0, 1, 2, "unreadable 1")


def test_known_groups_have_an_interval_and_a_verdict(judged):
    rows = {row["measure"]: row for row in findings.group_rows(judged)}
    assert (rows["executable"]["verdict"], rows["executable"]["auc_low"]) == ("not known", None)  # of three problems
    assert rows["executable"]["auc"] > 0.9
    assert rows["judge"]["verdict"] in ("does not tell", "hardly tells", "not known")
    assert {"edge_reversed", "answer_wrong"} <= set(rows["cf"])


def test_reliability_has_a_line_a_judge_and_figure(judged):
    rows = findings.judge_rows(judged)
    assert {row["judge"] for row in rows} >= {"mock/critical", "mock/random", "mock/critical and mock/random"}
    (alpha,) = rows_of(rows, judge="mock/random", figure="with itself, alpha")
    assert abs(alpha["value"]) < 0.3
    assert alpha["low"] < alpha["value"] < alpha["high"]
    table = findings.reliability_table(judged)
    (constant,) = rows_of(table.rows, judge="mock/critical", figure="with itself, alpha")
    assert constant["value"] is None  # nothing to disagree about: no alpha, and no 1 either


def test_every_table_has_a_title_and_what_may_be_dropped(judged):
    for table in reading_of(judged).tables(None):
        keys = {column.key for column in table.columns}
        assert table.title and all(set(group) <= keys for group in table.drop) and table.to_csv().count("\n") > 1
    told = reading_of(judged).files()
    for name in ("known_groups.json", "reliability.json", "verdicts.csv", "pairs.csv", "summary.txt"):
        assert f"faithfulness/{name}" in told


def test_own_graphs_are_a_problems_file_of_another_study(judged, tmp_path):
    (tmp_path / "own.jsonl").write_text(reading_of(judged).files()["faithfulness/own_graphs_mock-solver.jsonl"])
    (again,) = read_problems(tmp_path / "own.jsonl")
    assert again.graph.to_dict() == judged.behaviours[0].own.problem.graph.to_dict()
    assert again.answer.value == 6.5


def test_the_frame_has_a_row_a_mark_and_the_picture_says_what_is_missing(tmp_path):
    figure = probes(study())
    frame = figure.frame.set_index(["panel", "row", "series"])
    cf = frame.loc[("component", "cf", GIVEN)]
    assert (np.isnan(cf["value"]), cf["note"]) == (True, "no judge asked 5")
    assert frame.loc[("known groups", "executable", "all damages"), "value"] == 1.0
    svg = figure.save(tmp_path, ("svg",))[0].read_text()
    assert "no value: no judge asked 5" in svg
    assert f"Without a value: cf ({GIVEN})" in figure.caption
