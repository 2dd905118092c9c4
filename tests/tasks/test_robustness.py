"""The robustness task: paired rows, workers that know no truth, plans that say what is wrong in one line."""

import json
import re

import numpy as np
import pytest

from tests.each import each
from trueness import registry
from trueness.errors import TruenessError
from trueness.learners.scoring import scorer
from trueness.learners.scoring.leaks import shuffle
from trueness.running.cells import PlanContext
from trueness.running.engine import Chunk, local_executor, run_chunk
from trueness.studies.robustness.plan import Robustness
from trueness.studies.robustness.work import perform

SYSTEMS = {
    "series": {"kind": "var", "nodes": 4, "lags": 1, "graphs": 2, "graph_seed": 900, "edges_per_node": 1.0},
    "rows": {"kind": "synthetic", "nodes": 4, "graph_seed": 900, "edges_per_node": 1.0},
}
TABLE = {
    "datasets": ["series", "rows"],
    "corruptions": ["clean", "mcar_40"],
    "scorers": ["correlation", "granger"],
    "seeds": 2,
    "rows": 120,
    "choose_k": [],
}


def task(tmp_path, systems=None, **changes):
    named = TABLE["datasets"] if systems is None else list(systems)
    settings = {"datasets": SYSTEMS if systems is None else systems}
    return Robustness.from_plan(TABLE | {"datasets": named} | changes, PlanContext(settings, 3, tmp_path, "study.toml"))


def cell_of(made, item, variant, respondent):
    return next(c for c in made.cells() if (c.item, c.variant, c.respondent) == (item, variant, respondent))


def test_one_seed_is_the_same_rows_for_every_scorer_and_another_for_another(tmp_path):
    made = task(tmp_path)
    one, other = (cell_of(made, "series-0", "mcar_40", name) for name in ("correlation", "granger"))
    assert np.array_equal(one.unit(0)["values"], other.unit(0)["values"], equal_nan=True)
    assert not np.array_equal(one.unit(0)["values"], one.unit(1)["values"], equal_nan=True)


def test_a_weaker_corruption_leaves_more_of_the_same_rows(tmp_path):
    made = task(tmp_path, corruptions=["clean", "mcar_40", "mcar_40 x 0.5"])
    half, whole, clean = (
        cell_of(made, "rows", name, "correlation").unit(1)["values"] for name in ("mcar_40 x 0.5", "mcar_40", "clean")
    )
    there = ~np.isnan(whole)
    assert np.isnan(half).mean() == pytest.approx(0.2, abs=0.05) and (~np.isnan(half))[there].all()
    assert np.allclose(whole[there], clean[there])


def test_a_scorer_of_series_is_not_run_on_rows_and_the_plan_says_so(tmp_path):
    made = task(tmp_path)
    assert {cell.item for cell in made.cells() if cell.respondent == "granger"} == {"series-0", "series-1"}
    assert any("granger is for series and was not run on rows" in note for note in made.notes)


@each("name", registry.names("scorer"))
def test_a_shuffled_truth_gives_bit_identical_answers(tmp_path, name):
    if scorer(name).card.needs:
        pytest.importorskip(scorer(name).card.needs)
    more = {"rc-gnn": {"members": 3}, "pc": {"repeats": 3}, "fci": {"repeats": 3}}.get(name, {})
    made = task(tmp_path, scorers=[name], **({name: more} if more else {}))
    cell = cell_of(made, "series-0", "mcar_40", name)
    before = perform(cell.common, cell.unit(0))
    dataset = made.datasets["series-0"].dataset
    dataset.__dict__["truth"] = shuffle(dataset.truth, np.random.default_rng(0))
    after = perform(cell.common, cell.unit(0))
    assert before["status"] == "ok" and before["answer"] == after["answer"]


SPY = """
import gc, sys
import numpy as np
from trueness.learners.base import Card
from trueness.learners.scoring.edge_scores import EdgeScores

class Spy:
    card = Card(title="Spy", summary="what it must not see", assumes=(), paper="none", missing="pairwise")
    def scores(self, data, rng):
        seen = [o for o in gc.get_objects() if type(o).__name__ in ("Graph", "VAR", "Synthetic", "Source", "System")]
        frame, values = sys._getframe(), []
        while frame is not None:
            values += [v for v in frame.f_locals.values() if type(v).__name__ in ("Graph", "VAR", "Source")]
            frame = frame.f_back
        matrix = 1.0 - np.eye(data.d)
        told = {"own_k": len(seen) + len(values) + data.source.count("series")}
        return EdgeScores(matrix, data.names, True, "pairwise", told)
"""


@pytest.mark.slow
def test_no_graph_and_no_data_set_is_in_the_memory_of_a_worker(tmp_path):
    (tmp_path / "spy.py").write_text(SPY)
    made = task(tmp_path, scorers=["spy.py:Spy"])
    cell = next(cell for cell in made.cells() if cell.item == "series-0")
    with local_executor(1) as (executor, _):
        chunk = Chunk(made.function, cell.common, (cell.unit(0),), 60.0)
        outcome = executor.submit(run_chunk, chunk).result()[0]
    assert json.loads(outcome["answer"])["k"]["own rule"] == 0
    assert json.loads(perform(cell.common, cell.unit(0))["answer"])["k"]["own rule"] > 0  # here it would see them


LEAKING = {
    "through the data": "matrix = data.truth.directed * 1.0 if hasattr(data, 'truth') else 1.0 - np.eye(data.d)",
    "through the registry": "from trueness.datasets import load; matrix = load('series', {'kind': 'var', 'nodes': 4, "
    "'lags': 1, 'graph_seed': 900, 'edges_per_node': 1.0}).truth.directed * 1.0",
}


@pytest.mark.parametrize("way", LEAKING)
def test_a_leaking_scorer_is_caught_before_the_study_begins(tmp_path, way):
    lines = SPY.split("    def scores")[0] + f"    def scores(self, data, rng):\n        {LEAKING[way]}\n"
    (tmp_path / "leaky.py").write_text(lines + "        return EdgeScores(matrix, data.names, False, 'pairwise', {})\n")
    with pytest.raises(TruenessError, match="must not know the truth, got: .*(reads|imports)"):
        task(tmp_path, scorers=["leaky.py:Spy"])


ODD = {
    "a text": (
        "data.names, True, 'pairwise', {'signal': 'high'}",
        "'signal' .* must be numbers, got 'high'",
    ),
    "several": ("data.names, True, 'pairwise', {'signal': np.ones(2)}", "'signal' .* as the rows, got shape"),
    "K of text": ("data.names, True, 'pairwise', {'own_k': 'many'}", "'own_k' .* must be a whole number, got 'many'"),
    "no K": ("data.names, True, 'pairwise', {'own_k': np.nan}", "'own_k' .* must be a whole number, got nan"),
    "other columns": ("data.names[::-1], True, 'pairwise'", "EdgeScores of the columns in their order, got others"),
    "other columns in an array": ("np.array(data.names[::-1]), True, 'pairwise'", "in their order, got others"),
}


@each("odd", ODD)
def test_whatever_a_scorer_says_of_its_scores_the_outcome_is_a_status(tmp_path, odd):
    answer, problem = ODD[odd]
    lines = SPY.split("    def scores")[0].replace("import gc, sys\n", "") + "    def scores(self, data, rng):\n"
    (tmp_path / "odd.py").write_text(f"{lines}        return EdgeScores(1.0 - np.eye(data.d), {answer})\n")
    cell = task(tmp_path, scorers=["odd.py:Spy"]).cells()[0]
    outcome = perform(cell.common, cell.unit(0))
    assert outcome["status"] == "unreadable" and re.search(problem, outcome["message"]), outcome


def test_k_by_refits_is_chosen_for_the_first_seeds_alone(tmp_path):
    made = task(tmp_path, choose_k=["stability"], k_seeds=1, subsamples=3)
    cell = cell_of(made, "series-0", "clean", "granger")
    chosen = [set(json.loads(perform(cell.common, cell.unit(repeat))["answer"])["k"]) for repeat in (0, 1)]
    assert chosen == [{"stability", "own rule"}, {"own rule"}]


def test_a_missing_extra_leaves_its_scorer_out_in_one_line_and_the_rest_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "is_installed", lambda package: package != "torch")
    made = task(tmp_path, scorers=["correlation", "dag-gnn"])
    assert {cell.respondent for cell in made.cells()} == {"correlation"}
    assert [note for note in made.notes if "pip install 'trueness[torch]'" in note and "the rest goes on" in note]


def test_a_mask_that_empties_a_column_fails_its_fits_and_no_others(tmp_path):
    made = task(tmp_path, corruptions=["clean", "mcar 0.95"], rows=12)
    empty = cell_of(made, "rows", "mcar 0.95", "correlation")
    outcome = perform(empty.common, empty.unit(0))
    assert outcome["status"] == "failed" and "must leave 3 values in every column" in outcome["message"]
    clean = cell_of(made, "rows", "clean", "correlation")
    assert perform(clean.common, clean.unit(0))["status"] == "ok"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"corruptions": ["mcar 1.5"]}, "'strength' of mcar must be in"),
        ({"corruptions": ["noise -1"]}, "'strength' of noise must be in"),
        ({"corruptions": ["mcar_40 x 3"]}, "'strength' of mcar must be in .* got 1.2"),
        ({"corruptions": ["mcar_4"]}, "Did you mean 'mcar_40'"),
        ({"scorers": ["grnger"]}, "Did you mean 'granger'"),
        ({"scorers": "granger"}, "must be a list of names"),
        ({"scorers": ["granger", "granger"]}, "granger twice"),
        ({"sedes": 3}, "'sedes' is not a setting of robustness. Did you mean 'seeds'"),
        ({"seeds": 0}, "'seeds' of robustness must be a whole number of at least 1"),
        ({"k": 13}, "'k' is not a setting of robustness"),
        ({"validation": "mcar_20"}, "must be one of those planned, got 'mcar_20'"),
        ({"match": "pc"}, "must be one of those planned, got 'pc'"),
        ({"choose_k": ["bic"]}, "must be of stability, got 'bic'. Leave the others out: they are gone."),
        ({"folds": 2}, "'folds' is not a setting of robustness"),
        ({"granger": {"lag": 2}}, "'lag' is not a setting of granger. Did you mean 'lags'"),
        ({"dagma": {"lambda1": 1.0}}, "must be named in 'scorers'"),
        ({"subsamples": 1}, "'subsamples' of robustness must be a whole number of at least 2"),
        ({"required": ["T to RH"]}, "must be edges such as 'T -> RH'"),
        ({"correlation": {"sweep": {"transform": ["none"]}}}, "'sweep' must be one setting and its numbers"),
    ],
)
def test_mistakes_in_a_plan_are_one_line(tmp_path, changes, told):
    with pytest.raises(TruenessError, match=told) as raised:
        task(tmp_path, **changes)
    assert "\n" not in str(raised.value)


def test_regimes_that_overwrite_recorded_rows_are_labelled(tmp_path):
    assert any("Regimes overwrite recorded values" in note for note in task(tmp_path, overwrite_regimes=True).notes)
