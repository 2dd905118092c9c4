"""`trueness evaluate`: stored matrices and corrupted data of others, by folder, in the layouts that there are."""

import json
import os

import numpy as np
import pytest

from tests.shapes import shaped
from trueness.cli import main
from trueness.datasets import load
from trueness.datasets.corruptions import corruption
from trueness.errors import DataError, SettingError
from trueness.studies.robustness.stored import Request, evaluate

CORRUPTIONS = ("compound_full", "extreme", "mcar_40")


@pytest.fixture
def system():
    return load("var-5", {"kind": "var", "nodes": 5, "lags": 1, "graph_seed": 2})


@pytest.fixture
def artifacts(tmp_path, system):
    """As the original leaves them: a folder a corruption with a common start, A_best.npy in each."""
    rng = np.random.default_rng(0)
    for k, name in enumerate(CORRUPTIONS):
        folder = tmp_path / "artifacts" / f"unified_v8_{name}"
        folder.mkdir(parents=True)
        np.save(folder / "A_best.npy", system.truth.directed + (0.3 + k) * rng.random((5, 5)))
    np.save(tmp_path / "artifacts" / "A_true.npy", system.truth.directed.astype(float))
    return tmp_path / "artifacts"


@pytest.fixture
def data(tmp_path, system):
    for name in CORRUPTIONS:
        made = corruption("mcar_20").of(system, 300, seed=1, rng=np.random.default_rng(1))
        folder = tmp_path / "interim" / "uci_air_c" / name
        folder.mkdir(parents=True)
        np.save(folder / "X.npy", np.nan_to_num(made.observed.values).reshape(3, 100, 5))
        np.save(folder / "M.npy", ~made.observed.gaps.reshape(3, 100, 5))
    return tmp_path / "interim"


def test_k_is_chosen_on_the_validation_corruption_and_frozen(artifacts, system):
    found = evaluate(Request(artifacts))
    evaluation = found.evaluation
    assert evaluation.scorers == ("RC-GNN",) and set(evaluation.corruptions) == set(CORRUPTIONS)
    curve = evaluation.curves["stored", "compound_full", "RC-GNN", 0]
    edges = system.truth.n_edges()
    within = curve.between(min(5, 20), min(3 * edges, 20))
    best = int(within.k[np.argmax(within.f1)])
    report = found.to_dict()
    assert report["calibration"]["stored"]["optimal_k"] == best
    rows = [row for row in report["main"] if row["measure"] == "f1"]
    assert {row["k"] for row in rows} == {best} and {row["corruption"] for row in rows} == set(CORRUPTIONS)
    for row in rows:
        assert row["value"] == evaluation.curves["stored", row["corruption"], "RC-GNN", 0].at(best)["f1"]
    lists = report["sensitivity_curves"]["stored"]["compound_full"]["RC-GNN"]
    assert lists["k"] == list(range(within.k[0], within.k[-1] + 1)) and lists["f1"] == pytest.approx(within.f1)


def test_the_command_writes_the_report_the_curve_and_a_sparse(artifacts, tmp_path, capsys):
    assert main(["evaluate", str(artifacts), "--out", str(tmp_path / "out")]) == 0
    assert "OPTIMAL K FOUND" in capsys.readouterr().out
    report = shaped("evaluation-report", (tmp_path / "out" / "evaluation_report.json").read_text())
    k = report["calibration"]["stored"]["optimal_k"]
    sparse = np.load(tmp_path / "out" / "A_sparse_extreme_RC-GNN.npy")
    original = np.load(artifacts / "unified_v8_extreme" / "A_best.npy")
    assert np.count_nonzero(sparse) == k and set(sparse[sparse != 0]) <= set(original.ravel())
    for name in ("sensitivity_curve_compound_full.png", "main.tex", "main.csv", "findings.txt"):
        assert (tmp_path / "out" / name).is_file(), name
    assert evaluate(Request(artifacts)).evaluation.scorers == ("RC-GNN",)
    assert main(["evaluate", str(artifacts), "--out", str(tmp_path / "out"), "--json"]) == 0
    assert shaped("evaluation-report", capsys.readouterr().out)["calibration"].keys() == report["calibration"].keys()


@pytest.mark.parametrize("layout", ["{corruption}/{method}.csv", "{method}/{corruption}.csv"])
def test_methods_and_corruptions_are_told_apart_in_either_layout(tmp_path, system, layout):
    rng = np.random.default_rng(0)
    for method in ("mine", "theirs"):
        for name in CORRUPTIONS:
            path = tmp_path / layout.format(corruption=name, method=method)
            path.parent.mkdir(exist_ok=True)
            rows = [",".join(["", *system.truth.nodes])]
            rows += [
                ",".join([node, *map(str, row)])
                for node, row in zip(system.truth.nodes, rng.random((5, 5)), strict=True)
            ]
            path.write_text("\n".join(rows))
    header = ",".join(system.truth.nodes)
    np.savetxt(tmp_path / "A_true.csv", system.truth.directed, delimiter=",", header=header, comments="")
    evaluation = evaluate(Request(tmp_path)).evaluation
    assert set(evaluation.scorers) == {"mine", "theirs"} and set(evaluation.corruptions) == set(CORRUPTIONS)
    assert evaluation.systems["stored"].truth == system.truth


def test_what_cannot_be_used_is_said(artifacts, tmp_path):
    np.save(artifacts / "unified_v8_extreme" / "A_best.npy", np.ones((4, 4)))
    np.save(artifacts / "unified_v8_mcar_40" / "A_best.npy", np.array([{}], dtype=object), allow_pickle=True)
    failures = evaluate(Request(artifacts)).study.failures()
    assert any("must be 5 x 5 as the truth, got (4, 4)" in line for line in failures)
    assert any("as numpy saves it" in line for line in failures)  # nothing is unpickled
    with pytest.raises(SettingError, match="Did you mean 'extreme'"):
        evaluate(Request(artifacts, validation="extrem"))
    (artifacts / "A_true.npy").unlink()
    with pytest.raises(DataError, match="--truth FILE"):
        evaluate(Request(artifacts))
    with pytest.raises(DataError, match="must be a folder"):
        evaluate(Request(tmp_path / "none"))


def test_the_published_matrices_by_folder(root, tmp_path):
    """The authors' figures at threshold .1; K = 20 on compound_full, and what all four have there."""
    folder = root.parent / "shared" / "golden" if "TRUENESS_GOLDEN" not in os.environ else None
    path = (folder or type(root)(os.environ["TRUENESS_GOLDEN"])) / "rcgnn" / "matrices.json"
    if not path.is_file():
        pytest.skip(f"the golden matrices are not in {path.parent} (set TRUENESS_GOLDEN)")
    published = json.loads(path.read_text())
    truth = np.zeros((13, 13))
    truth[tuple(np.array(published["true_edges"]).T)] = 1
    np.save(tmp_path / "A_true.npy", truth)
    for name, matrix in published["matrices"].items():
        (tmp_path / f"unified_v8_{name}").mkdir()
        np.save(tmp_path / f"unified_v8_{name}" / "A_best.npy", np.array(matrix))
    found = evaluate(Request(tmp_path))
    lines = list(found._at_threshold())
    for name, figures in published["published"].items():
        wanted = f"SHD={figures['SHD']} "
        assert any(line.startswith(f"{name}, RC-GNN") and wanted in line for line in lines), (name, lines)
    main_rows = {(row["corruption"], row["measure"]): row["value"] for row in found.to_dict()["main"]}
    chosen = found.to_dict()["calibration"]["stored"]
    assert (chosen["optimal_k"], chosen["verdict"]) == (20, "stable") and chosen["f1_range"] == pytest.approx(
        0.0957, abs=1e-4
    )
    assert chosen["at_optimal_k"]["f1"] == 2 * 12 / (20 + 13)
    for name in ("clean_full", "extreme", "mcar_40"):  # all 13 among the 20: what gave the leak away
        assert main_rows[name, "f1"] == 2 * 13 / (20 + 13) and main_rows[name, "shd_reversals_twice"] == 7


def test_one_matrix_in_two_files_is_refused(artifacts):
    np.savetxt(artifacts / "unified_v8_extreme" / "A_best.csv", np.eye(5), delimiter=",")
    with pytest.raises(DataError, match=r"must be one file, got A_best.csv and A_best.npy. Keep one."):
        evaluate(Request(artifacts))


def evaluated(capsys, *arguments):
    assert main(["evaluate", *map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_only_what_somebody_stored_is_called_stored(artifacts, data, capsys):
    arguments = ["evaluate", str(artifacts), "--data", str(data), "--scorers", "correlation,granger"]
    assert main(arguments) == 0
    text = capsys.readouterr().out
    lines = (
        "   F1-Score: ",
        "RC-GNN (sparse) | SHD=",
        "| Dir-F1=",
        "(oracle)",
        "K +- 5",
        "SHD extreme",
        "granger (sparse)",
    )
    assert not [line for line in (*lines, "granger (sparse)", "windows laid end to end") if line not in text]
    head = text[: text.index("OPTIMAL K FOUND")]
    assert "as stored" in head and "RC-GNN" in head and "granger" not in head and "correlation" not in head
    assert "Fitted here on the data: correlation, granger." in text
    np.save(artifacts / "unified_v8_extreme" / "granger.npy", np.eye(5))
    report = evaluated(capsys, *arguments[1:])
    assert report["scorers"]["granger"]["stored"] and not report["scorers"]["correlation"]["stored"]
    assert report["fits"]["done"] == 9  # the stored one is not fitted anew


def test_phase_two_has_the_agreement_of_several_matrices_and_the_edges_of_an_expert(artifacts, system, capsys):
    cause, effect = np.argwhere(system.truth.directed)[0]
    report = evaluated(
        capsys, artifacts, "--required", f"X{cause} -> X{effect}", "--forbidden", f"X{effect} -> X{cause}"
    )
    assert [row["scorer"] for row in report["invariance"]] == ["RC-GNN"] and 0 < report["invariance"][0]["value"] < 1
    assert {row["kind"] for row in report["expected_edges"]} == {"required", "forbidden"}
    assert report["findings"]["invariance"] and report["findings"]["expected edges"]
    assert main(["evaluate", str(artifacts), "--required", "X0 -> Y"]) == 2
    assert "'--required' must be an edge between nodes of the truth" in capsys.readouterr().err
    assert main(["evaluate", str(artifacts)]) == 0
    assert "no domain validation" in capsys.readouterr().out


def test_scores_that_are_all_equal_have_no_k_no_verdict_and_no_agreement(artifacts, capsys):
    """`const` comes first by name; K is chosen with the method that ranks."""
    for name in CORRUPTIONS:
        folder = artifacts / f"unified_v8_{name}"
        np.save(folder / "const.npy", np.ones((5, 5)))
        np.save(folder / "good.npy", np.load(folder / "A_best.npy"))
        (folder / "A_best.npy").unlink()
    report = evaluated(capsys, artifacts)
    assert report["calibration"]["stored"]["scorer"] == report["matched_to"] == "good"
    named = ("main", "edges_kept", "k_by_truths", "robustness_of_k", "invariance")
    assert {row.get("scorer", row.get("learner")) for key in named for row in report[key]} == {"good"}
    assert any(line == "const: its scores are all equal: they rank nothing." for line in report["fits"]["failures"])
    for name in CORRUPTIONS:
        (artifacts / f"unified_v8_{name}" / "good.npy").unlink()
    assert main(["evaluate", str(artifacts)]) == 0
    text = capsys.readouterr().out
    assert "No K from const under compound_full: its scores are all equal: they rank nothing." in text
    assert not [word for word in ("OPTIMAL", "ROBUST", "agree", "K saw") if word in text]
    assert evaluated(capsys, artifacts)["calibration"] == {}


def test_a_tie_around_k_ranks_nothing_there(artifacts, system, capsys):
    """One pair is above nineteen equal ones: every K from 5 on cuts within the tie."""
    scores = np.ones((5, 5))
    scores[tuple(np.argwhere(~system.truth.directed & ~np.eye(5, dtype=bool))[0])] = 2
    scores[tuple(np.argwhere(system.truth.directed)[0])] = 3
    for name in CORRUPTIONS:
        np.save(artifacts / f"unified_v8_{name}" / "A_best.npy", scores)
    assert main(["evaluate", str(artifacts)]) == 0
    text = capsys.readouterr().out
    assert "around the best K are all equal: they rank nothing" in text and "ROBUST" not in text


def test_a_k_at_the_end_of_its_range_is_not_called_optimal(artifacts, system, capsys):
    """The true edges are ranked last: F1 grows with K beyond 3 |E| or to the last pair."""
    scores = 2.0 - system.truth.directed - 0.01 * np.arange(25).reshape(5, 5)
    for name in CORRUPTIONS:
        np.save(artifacts / f"unified_v8_{name}" / "A_best.npy", scores)
    chosen = evaluated(capsys, artifacts)["calibration"]["stored"]
    assert chosen["optimal_k"] == chosen["k_range"][1]
    assert main(["evaluate", str(artifacts)]) == 0
    text = capsys.readouterr().out
    assert "BEST K OF ITS RANGE" in text and f", the end of {chosen['k_range'][0]} to " in text
    assert "OPTIMAL" not in text
