"""Charts of corruptions and of K: the frame has the numbers, the picture has the frame, an oracle is named."""

import numpy as np
import pytest

from trueness.graphs import Graph
from trueness.statistics import mean
from trueness.status import Status
from trueness.studies.charts import k_lambda, k_lambda_cells, sensitivity
from trueness.studies.robustness.choose_k import KChoice, oracle_k
from trueness.studies.robustness.scores import RobustnessScores, ScorerAnswer, System, Variant
from trueness.studies.robustness.sensitivity import sensitivity_curve


@pytest.fixture(scope="module")
def curves():
    truth = Graph.from_edges(["a -> b", "b -> c", "c -> d"], tuple("abcd"), "dag")
    rng = np.random.default_rng(0)
    return {
        name: [sensitivity_curve(truth.directed + noise * rng.random((4, 4)), truth) for _ in range(3)]
        for name, noise in (("good", 0.5), ("bad", 5.0))
    }


def test_the_frame_has_the_mean_of_the_curves_and_its_interval(curves):
    frame = sensitivity(curves, "mcar_40").frame.set_index(["learner", "measure", "k"])
    constant = mean([curve.at(3)["f1"] for curve in curves["good"]])
    row = frame.loc[("good", "f1", 3)]
    assert (row["value"], row["n"]) == (constant.value, 3)
    assert constant.constant and np.isnan(row["low"])  # three equal values have no interval
    expected = mean([curve.at(3)["f1"] for curve in curves["bad"]], bounds=(0, 1))
    row = frame.loc[("bad", "f1", 3)]
    assert (row["low"], row["high"]) == (expected.interval.low, expected.interval.high)


def test_the_figure_is_named_after_the_corruption_and_its_oracle_is_called_one(curves, tmp_path):
    chosen = [oracle_k(curves["good"], "good"), KChoice(4, "matched", "the truth of this graph (oracle)", "bad")]
    figure = sensitivity(curves, "mcar_40", chosen)
    assert "good: oracle_k" in figure.caption and "bad: matched (oracle)" in figure.caption
    written = figure.save(tmp_path, ("svg",))
    assert [path.name for path in written] == ["sensitivity_curve_mcar_40.svg", "sensitivity_curve_mcar_40.csv"]
    svg = written[0].read_text()
    assert "K, edges kept" in svg


TRUTH = Graph.from_edges(["a -> b", "b -> c"], tuple("abc"), "dag")
PERFECT = TRUTH.directed * 1.0


@pytest.fixture(scope="module")
def evaluation():
    """Three graphs; the scorer is perfect on clean rows; a sweep of two."""
    said = {"clean": PERFECT, "mcar_40": PERFECT.T}
    variants = {"clean": Variant(False), "mcar_40": Variant(False)}
    graphs = ("g", "h", "i")
    answers = [ScorerAnswer(g, name, "s", 0, Status.OK, matrix) for g in graphs for name, matrix in said.items()]
    swept = {"s l=0.1": ("s", "l", 0.1), "s l=1": ("s", "l", 1.0)}
    for g in graphs:
        answers += [ScorerAnswer(g, "mcar_40", "s l=0.1", 0, Status.OK, PERFECT)]
        answers += [ScorerAnswer(g, "mcar_40", "s l=1", 0, Status.OK, PERFECT.T)]
    systems = {g: System(TRUTH, "known", False, 100) for g in graphs}
    return RobustnessScores(systems, variants, ("s", *swept), tuple(answers), "mcar_40", "s", swept)


def test_k_lambda_has_every_k_and_marks_the_first_best_of_each_lambda(evaluation, tmp_path):
    frame = k_lambda_cells(evaluation, "s", "rows")
    assert len(frame) == 2 * 6 and set(frame["n"]) == {3}
    assert frame.loc[frame["best"], ["lambda", "k"]].to_numpy().tolist() == [[0.1, 2], [1.0, 1]]
    figure = k_lambda(evaluation, "s", "rows")
    assert "oracle" in figure.caption and figure.save(tmp_path, ("svg",))
