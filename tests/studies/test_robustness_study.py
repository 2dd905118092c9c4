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

from trueness.analyse.comparing import compare
from trueness.cli import main
from trueness.errors import PlanError
from trueness.measures.ranking import score_ranking
from trueness.running.store import Store
from trueness.running.study import Plan, Study
from trueness.statistics import mean, paired_difference
from trueness.status import Status
from trueness.studies.robustness.answers import read_robustness
from trueness.studies.robustness.calibration import frozen_means
from trueness.studies.robustness.choose_k import k_from_other_graphs, oracle_k
from trueness.studies.robustness.findings import findings
from trueness.studies.robustness.reading import report, texts
from trueness.studies.robustness.sensitivity import original_range
from trueness.studies.robustness.summaries import (
    ALL,
    differences,
    headline_of,
    means,
    optimism,
    plateaus,
)
from trueness.studies.robustness.tables import choice_table, main_table, ranking_table
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
strengths = [0.5, 1]
scorers = ["correlation", "granger", "notears-lite"]
seeds = 2
k_seeds = 1
rows = 150
subsamples = 3
k = 6
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


def test_the_same_command_does_nothing_again(folder):
    before = (folder / "scores.csv").read_bytes()
    with Store.reading(folder) as store:
        stored = {run.key: run.seconds for run in store.runs_of([*store.statuses("robustness")])}
    run(folder.parent, PLAN.format(graphs=6))
    with Store.reading(folder) as store:
        assert {run.key: run.seconds for run in store.runs_of([*store.statuses("robustness")])} == stored
    assert (folder / "scores.csv").read_bytes() == before


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
    assert sum(row["measure"] == "auprc" for row in rows) == len(fits) == 6 * 7 * 3 * 2
    assert len(study.evaluation.ranking) == study.planned == len(fits) + 6 * 2 * 2  # the sweep's are in its own table
    wanted = {
        "f1@oracle_k",
        "f1@k_from_other_graphs",
        "shd@stability",
        "f1@given",
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
    assert "mnar_structural" in study.evaluation.full_strength and "mnar_structural" not in study.evaluation.claims
    titles = [column.title for column in ranking_table(study).columns]
    assert "mnar_structural (mask tells the graph)" in titles
    assert "mean AUPRC over 3 corruptions" in headline_of(study.evaluation).sentence


@pytest.mark.parametrize("fewer", ["clean", "mcar_40"])
def test_a_sentence_over_corruptions_counts_the_fits_of_all_of_them(study, fewer):
    """6 graphs, 2 seeds: 12 fits under each corruption, and 11 or 10 where some failed."""
    lost = {("series-0", fewer, "granger", 0), ("series-1", fewer, "granger", 1), ("series-0", fewer, "correlation", 0)}
    answers = tuple(
        replace(a, status=Status.FAILED, matrix=None, k={})
        if (a.dataset, a.corruption, a.scorer, a.seed) in lost
        else a
        for a in study.evaluation.answers
    )
    sentences = findings(replace(study.evaluation, answers=answers))
    assert "; n = 10 to 12 fits each;" in sentences["which scorer to use"][0]
    assert "; n = 12 fits each;" in findings(study.evaluation)["which scorer to use"][0]
    (lost_by,) = [line for line in sentences["degradation"] if "mcar_40 against clean" in line]
    assert "(paired over 10 to 12 fits;" in lost_by


def test_differences_are_paired_over_graphs_with_interval_and_test(study):
    pairs = differences(study.evaluation)["series"]
    found = next(pair for pair in pairs if set(pair.names) == {"granger", "correlation"})
    assert found.names[0] == "granger" and found.n_clusters == 6 and found.span is not None
    assert found.p is not None and found.adjustment == "holm" and "paired over" in found.sentence()


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


def test_on_the_corruption_it_was_chosen_on_the_oracle_never_loses(study):
    gaps = [gap for (there, *_), gap in optimism(study.evaluation).items() if there]
    assert gaps and all(gap.difference >= -1e-12 for gap in gaps)


def test_optimism_is_asked_once_where_one_corruption_was_run(study):
    evaluation = study.evaluation
    assert {there for there, *_ in optimism(evaluation)} == {True, False}
    alone = replace(evaluation, corruptions={"mcar_40": evaluation.corruptions["mcar_40"]}, validation="mcar_40")
    assert {there for there, *_ in optimism(alone)} == {True}


def test_on_the_validation_corruption_no_k_beats_the_oracle(study):
    rows = study.evaluation.at_chosen_k
    rows = rows[(rows["corruption"] == "compound_full_decoy") & (rows["scorer"] == "granger")]
    by_graph = rows.groupby(["dataset", "method"])["f1"].mean().unstack()
    whole = by_graph[["k_from_other_graphs", "given"]]  # one K for all seeds of a graph, as the oracle's is
    assert (by_graph["oracle_k"].to_numpy()[:, None] >= whole.to_numpy() - 1e-12).all()


def test_every_k_that_saw_the_truth_is_called_an_oracle(study):
    rows = study.evaluation.at_chosen_k
    assert set(rows.loc[rows["oracle"], "method"]) == {"oracle_k", "matched to oracle_k"}
    assert all("oracle" in title for title in (c.title for c in choice_table(study).columns) if "oracle_k" in title)
    assert {"stability", "own rule"} <= set(rows.loc[~rows["oracle"], "method"])


def test_k_by_refits_has_the_seeds_it_was_chosen_for(study):
    rows = study.evaluation.at_chosen_k
    assert set(rows.loc[rows["method"] == "stability", "seed"]) == {0}
    assert set(rows.loc[rows["method"] == "own rule", "seed"]) == {0, 1}


def test_the_report_is_one_document_with_everything(study):
    found = json.loads(json.dumps(report(study), allow_nan=False))
    assert found["validation_corruption"] == "compound_full_decoy" and found["fits"]["failures"] == []
    for part in ("auprc", "edges_kept", "optimism_of_oracle_k", "degradation", "robustness_of_k", "invariance"):
        assert found[part], part
    assert found["differences"]["series"][0]["sentence"] and found["expected_edges"][0]["edges"] == 1
    strengths = {row["strength"] for row in found["degradation"] if row["corruption"] == "mcar_40"}
    assert strengths == {0.0, 0.5, 1.0}


def test_files_are_the_same_bytes_when_written_anew(study, folder):
    assert texts(study) == texts(read_robustness(folder))


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
        "degradation.png",
        "k_lambda_notears-lite_series.png",
        "k.tex",
        "ranking.tex",
    } <= written


def test_the_terminal_names_the_oracle_and_prints_its_optimism(folder, capsys):
    assert main(["show", str(folder)]) == 0
    text = capsys.readouterr().out
    assert "optimism of oracle_k" in text and "F1 at oracle_k (oracle)" in text
    assert "The mask of mnar_structural is built from the true graph" in text


def test_plateaus_have_a_verdict_or_say_that_there_is_none(study):
    frame = plateaus(study.evaluation)
    assert set(frame["verdict"]) <= {"stable", "moderate", "sensitive", "cannot be told"}
    assert set(frame["method"]) == {"oracle_k", "k_from_other_graphs"}


def test_two_scorers_compare_in_one_line(folder):
    assert "AUPRC" in compare(folder, "granger", "correlation").sentence().upper()


def test_an_effect_says_what_it_was_counted_over_and_is_not_called_large_where_nothing_is_told_apart(tmp_path, capsys):
    run(tmp_path, PLAN.format(graphs=2))
    assert main(["compare", "granger", "correlation", str(tmp_path / "study"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["p"] > 0.05 and found["magnitude"] is None and "superiority over items " in found["sentence"]
    assert main(["show", str(tmp_path / "study")]) == 0
    told = capsys.readouterr().out
    assert "superiority over fits " in told and not [word for word in ("small;", "medium;", "large;") if word in told]


@pytest.mark.parametrize(("option", "told"), [("--json", '"auprc"'), ("--csv", "mcar_40 low"), ("--tex", "\\toprule")])
def test_show_prints_the_ranking_in_every_form(folder, option, told, capsys):
    assert main(["show", str(folder), option]) == 0
    assert told in capsys.readouterr().out


def test_a_template_is_a_plan(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "robustness"]) == 0
    assert Plan.read("study.toml").task.settings.seeds == 10


def test_one_graph_has_no_other_to_choose_k_on_and_says_so(tmp_path):
    text = PLAN.format(graphs=1).replace('"compound_full_decoy", ', "").split("[robustness.notears-lite]")[0]
    run(tmp_path, text.replace("strengths = [0.5, 1]\n", ""))
    found = read_robustness(tmp_path / "study")
    assert optimism(found.evaluation) == {}
    assert set(means(found.evaluation)["over"]) == {"seed"}
    assert any("no other graph" in line for line in found.findings["oracle_k against k_from_other_graphs"])
    assert texts(found)


@pytest.mark.slow
def test_the_slurm_script_runs_on_a_local_cluster_with_the_same_bytes(root, tmp_path):
    pytest.importorskip("distributed")
    text = PLAN.format(graphs=1).split("[robustness.notears-lite]")[0].replace("strengths = [0.5, 1]\n", "")
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


def test_a_plan_says_metric_and_range(tmp_path):
    text = PLAN.format(graphs=2).replace("k = 6", 'metric = "shd"\nk_range = "original"')
    (tmp_path / "plan.toml").write_text(text)
    about = Study(Plan.read(tmp_path / "plan.toml", tmp_path / "study")).stages[0].about
    assert (about["metric"], about["k_range"]) == ("shd", "original")
    (tmp_path / "plan.toml").write_text(text.replace('"shd"', '"f2"'))
    with pytest.raises(PlanError, match="f2"):
        Study(Plan.read(tmp_path / "plan.toml", tmp_path / "study"))


def test_a_study_shows_f1_around_k_with_its_verdict(folder, capsys):
    assert main(["show", str(folder)]) == 0
    printed = capsys.readouterr().out
    assert "F1 at K - 5 ... K + 5, under compound_full_decoy (oracle)" in printed and "Verdict" in printed
    table = pd.read_csv(io.StringIO(texts(read_robustness(folder))["around_k.csv"]))
    assert set(table["verdict"]) <= {"stable", "moderate", "sensitive", "cannot be told"}
    steps = table.filter(like="f1 at K")
    assert steps.shape[1] == 11 and (steps["f1 at K"] >= steps.max(axis=1) - 0.1).all()


def test_intervals_of_one_graph_are_over_its_seeds(tmp_path, capsys):
    run(tmp_path, PLAN.format(graphs=1))
    assert main(["show", str(tmp_path / "study")]) == 0
    printed = capsys.readouterr().out
    assert "over graphs" not in printed.replace("no interval is over graphs", "") and "over the seeds of one" in printed
    written = texts(read_robustness(tmp_path / "study"))
    for name in ("findings.txt", "main.tex", "ranking.tex", "around_k.tex"):
        assert "over graphs" not in written[name].replace("no interval is over graphs", ""), name


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
