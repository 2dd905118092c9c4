"""A robustness study from plan to files: stored, scored anew, written; on a Dask cluster with the same bytes."""

import csv
import importlib
import io
import json
import subprocess
import sys
from concurrent.futures import Executor, Future
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from trueness.cli import main
from trueness.measures.ranking import score_ranking
from trueness.running.store import Store
from trueness.running.study import Plan, Study
from trueness.statistics import mean, paired_difference
from trueness.studies.robustness.answers import read_robustness
from trueness.studies.robustness.calibration import frozen_means
from trueness.studies.robustness.choose_k import k_from_other_graphs, oracle_k
from trueness.studies.robustness.reading import report, texts
from trueness.studies.robustness.sensitivity import original_range
from trueness.studies.robustness.summaries import (
    ALL,
    headline_of,
    means,
    optimism,
)
from trueness.studies.robustness.tables import choice_table, main_table, ranking_table, tables_at_k
from trueness.studies.robustness.work import unpack_matrix

PLAN = """
name = "small"
seed = 3
[datasets.series]
kind = "var"
nodes = 5
lags = 1
graphs = {graphs}
graph_seed = 900
[robustness]
datasets = ["series"]
corruptions = ["clean", "mcar_40", "compound_full_decoy", "mnar_structural"]
scorers = ["correlation", "granger", "notears-lite"]
seeds = 2
k_seeds = 1
rows = 150
subsamples = 3
match = "granger"
required = ["X0 -> X1"]
[robustness.notears-lite]
sweep.ridge = [0.02, 0.3]
"""


class Inline(Executor):
    """Chunks in this process, at once: the engine has tests of its own."""

    def submit(self, function, chunk):
        module, name = chunk.function.split(":")
        perform, future = getattr(importlib.import_module(module), name), Future()
        future.set_result([perform(chunk.common, unit) for unit in chunk.units])
        return future


def run(folder, text):
    (folder / "plan.toml").write_text(text)
    return Study(Plan.read(folder / "plan.toml", folder / "study")).run(Inline(), 1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("robustness")
    outcome = run(place, PLAN.format(graphs=6))
    assert (outcome.done, outcome.failed) == (outcome.total, 0)
    return place / "study"


@pytest.fixture(scope="module")
def study(folder):
    return read_robustness(folder)


def test_scores_of_the_store_are_scored_against_the_truth_when_read(folder, study):
    with Store.reading(folder) as store:
        run = next(run for run in store.runs_of([*store.statuses("robustness")]) if run.respondent == "granger")
    assert run.scores == {}  # the worker scored nothing
    truth = study.evaluation.systems[run.item].truth
    expected = score_ranking(unpack_matrix(json.loads(run.answer)["scores"]), truth)["auprc"].value
    frame = study.evaluation.ranking.set_index(["dataset", "corruption", "scorer", "seed"])
    assert frame.loc[(run.item, run.variant, run.respondent, run.repeat), "auprc"] == expected


def test_the_long_table_has_every_fit_with_and_without_k(folder, study):
    rows = list(csv.DictReader(io.StringIO((folder / "scores.csv").read_text())))
    assert {row["task"] for row in rows} == {"robustness"}
    fits = [answer for answer in study.evaluation.answers if answer.scorer not in study.evaluation.sweeps]
    assert sum(row["measure"] == "auprc" for row in rows) == len(fits) == 6 * 4 * 3 * 2
    assert len(study.evaluation.ranking) == study.planned == len(fits) + 6 * 2 * 2  # the sweep's are in its own table
    wanted = {
        "f1@oracle_k",
        "f1@k_from_other_graphs",
        "shd@stability",
        "f1@own_rule",
        "f1@matched_to_oracle_k",
    }
    assert wanted <= {row["measure"] for row in rows}


def test_granger_is_ahead_on_series_and_means_count_graphs(study):
    frame = means(study.evaluation).set_index(["corruption", "scorer"])
    granger = frame.loc[(ALL, "granger")]
    assert granger["value"] > frame.loc[(ALL, "correlation"), "value"] + 0.2 and granger["units"] == 6
    rows = study.evaluation.ranking
    rows = rows[(rows["scorer"] == "granger") & rows["corruption"].isin(study.evaluation.claims)]
    assert granger["value"] == mean(rows["auprc"], rows["dataset"]).value


def test_a_corruption_whose_mask_tells_the_graph_is_in_no_mean_over_corruptions(study):
    assert "mnar_structural" in study.evaluation.corruptions and "mnar_structural" not in study.evaluation.claims
    titles = [column.title for column in ranking_table(study).columns]
    assert "mnar_structural (mask tells the graph)" in titles
    assert "mean AUPRC over 3 corruptions" in headline_of(study.evaluation).sentence


def test_optimism_is_the_gain_of_the_oracle_on_corruptions_it_was_not_chosen_on(study):
    evaluation = study.evaluation
    found = optimism(evaluation)[False, "series", "granger"]
    validation = evaluation.curves_of("series", "granger", ("compound_full_decoy",))
    test = evaluation.curves_of("series", "granger", ("clean", "mcar_40"))
    best = [np.mean([c.at(oracle_k(validation[g]).k)["f1"] for c in test[g]]) for g in test]
    honest = [np.mean([c.at(k_from_other_graphs(validation, g).k)["f1"] for c in test[g]]) for g in test]
    expected = paired_difference(best, honest)
    assert found.difference == pytest.approx(expected.difference)
    assert found.span.low == pytest.approx(expected.interval.low)
    assert any(
        "oracle_k" in line and "F1 of granger" in line
        for line in study.findings["oracle_k against k_from_other_graphs"]
    )


def test_every_k_that_saw_the_truth_is_called_an_oracle(study):
    rows = study.evaluation.at_chosen_k
    assert set(rows.loc[rows["oracle"], "method"]) == {"oracle_k", "matched to oracle_k"}
    assert all("oracle" in title for title in (c.title for c in choice_table(study).columns) if "oracle_k" in title)
    assert {"stability", "own rule"} <= set(rows.loc[~rows["oracle"], "method"])


def test_the_report_is_one_document_with_everything(study):
    found = json.loads(json.dumps(report(study), allow_nan=False))
    assert found["validation_corruption"] == "compound_full_decoy" and found["fits"]["failures"] == []
    for part in ("auprc", "edges_kept", "optimism_of_oracle_k", "robustness_of_k", "invariance"):
        assert found[part], part
    assert found["differences"]["series"][0]["sentence"] and found["expected_edges"][0]["edges"] == 1


@pytest.fixture(scope="module")
def written(folder):
    assert main(["report", str(folder)]) == 0
    return {path.name for path in (folder / "robustness").iterdir()}


def test_every_corruption_has_its_sensitivity_curve_as_picture_and_numbers(written, folder):
    for name in ("clean", "mcar_40", "compound_full_decoy"):
        assert {f"sensitivity_curve_{name}.png", f"sensitivity_curve_{name}.csv"} <= written
    frame = pd.read_csv(folder / "robustness" / "sensitivity_curve_mcar_40.csv")
    assert set(frame["graphs"]) == {6} and set(frame["n"]) == {12}
    assert {
        "evaluation_report.json",
        "k_lambda_notears-lite_series.png",
        "k.tex",
        "ranking.tex",
    } <= written


@pytest.mark.parametrize(("option", "told"), [("--json", '"auprc"'), ("--csv", "mcar_40 low"), ("--tex", "\\toprule")])
def test_show_prints_the_ranking_in_every_form(folder, option, told, capsys):
    assert main(["show", str(folder), option]) == 0
    assert told in capsys.readouterr().out


@pytest.mark.slow
def test_the_slurm_script_runs_on_a_local_cluster_with_the_same_bytes(root, tmp_path):
    pytest.importorskip("distributed")
    text = PLAN.format(graphs=1).split("[robustness.notears-lite]")[0]
    run(tmp_path, text)
    command = [sys.executable, str(root / "examples" / "slurm_robustness.py"), "plan.toml"]
    done = subprocess.run(
        [*command, "--local", "2", "--folder", "spread"], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "spread" / "scores.csv").read_bytes() == (tmp_path / "study" / "scores.csv").read_bytes()


def test_one_frozen_k_for_all_scorers_and_corruptions(folder, study):
    """The original's main table: the corruption whose mask tells the graph is in it, labelled."""
    evaluation = study.evaluation
    table = main_table(evaluation)
    titles = [column.title for column in table.columns]
    assert "F1 mnar_structural (mask tells the graph)" in titles and "SHD mcar_40" in titles
    frozen = {name: evaluation.by_truths[name, "granger"]["oracle_k"].k for name in evaluation.systems}
    frame = frozen_means(evaluation).set_index(["scorer", "corruption", "measure"])
    for scorer in ("granger", "correlation"):
        curves = {key: curve for key, curve in evaluation.curves.items() if key[1:3] == ("mcar_40", scorer)}
        expected = np.mean([curve.at(frozen[key[0]])["f1"] for key, curve in curves.items()])
        assert frame.loc[(scorer, "mcar_40", "f1"), "value"] == pytest.approx(expected)
    sparse = pd.read_csv(io.StringIO(texts(study)["a_sparse.csv"]))
    kept = sparse.groupby(["dataset", "corruption", "scorer", "seed"]).size()
    assert all(n == frozen[key[0]] for key, n in kept.items() if key[2] == "granger")
    found = report(study)
    assert found["calibration"]["series-0"]["optimal_k"] == frozen["series-0"]
    assert found["sensitivity_curves"]["series-0"]["mnar_structural"]["granger"]["k"][0] == 5


def test_metric_and_range_of_k_are_settings_that_need_no_new_fit(study):
    evaluation = replace(study.evaluation, metric="shd", k_range="original")
    for (dataset, scorer), choices in evaluation.by_truths.items():
        curves = evaluation.curves_of("series", scorer, (evaluation.validation,))[dataset]
        low, high = original_range(curves[0].true_edges, curves[0].nodes)
        means = np.mean([curve.between(low, high).shd_reversals_twice for curve in curves], axis=0)
        assert choices["oracle_k"].k == low + int(np.argmin(means))


def test_a_study_shows_f1_around_k_with_its_verdict(folder, capsys):
    assert main(["show", str(folder)]) == 0
    printed = capsys.readouterr().out
    assert "F1 at K - 5 ... K + 5, under compound_full_decoy (oracle)" in printed and "Verdict" in printed
    table = tables_at_k(read_robustness(folder))[2].frame()
    assert set(table["verdict"]) <= {"stable", "moderate", "sensitive", "cannot be told"}
    steps = table.filter(like="f1 at K")
    assert steps.shape[1] == 11 and (steps["f1 at K"] >= steps.max(axis=1) - 0.1).all()


DENOISING = """
import numpy as np
from trueness.learners.base import Card
from trueness.learners.scoring.edge_scores import EdgeScores

class Smooth:
    card = Card(title="Smooth", summary="a median of three rows", assumes=(), paper="none", missing="pairwise")
    def scores(self, data, rng):
        columns = np.where(np.isnan(data.values), np.nanmedian(data.values, axis=0), data.values)
        rows = np.stack([np.roll(columns, k, axis=0) for k in (-1, 0, 1)])
        signal = columns if {copies} else np.median(rows, axis=0)
        return EdgeScores(1.0 - np.eye(data.d), data.names, True, "pairwise", {{"signal": signal}})
"""


def test_how_far_signal_and_corruption_are_told_apart_is_measured_against_the_uncorrupted_rows(tmp_path):
    for name, copies in (("smooth", False), ("copy", True)):
        (tmp_path / f"{name}.py").write_text(DENOISING.format(copies=copies))
    text = PLAN.format(graphs=2).replace(
        '"correlation", "granger", "notears-lite"', '"smooth.py:Smooth", "copy.py:Smooth"'
    )
    text = text.replace('match = "granger"', "choose_k = []").partition("[robustness.notears-lite]")[0]
    run(tmp_path, text)
    table = pd.read_csv(io.StringIO(texts(read_robustness(tmp_path / "study"))["disentanglement.csv"]))
    told = table.set_index(["scorer", "corruption"])
    copied = told.loc["copy.py:Smooth"]
    assert copied["value"].abs().max() < 1e-6 and copied.loc["clean", "readings"] == pytest.approx(1)
    assert told.loc[("smooth.py:Smooth", "clean"), "value"] < 0  # there is nothing to take away
    assert (copied.loc["compound_full_decoy", "readings"] < 0.9) and not table["value"].isna().any()
