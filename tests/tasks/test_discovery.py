"""What varies is what was named, and cells are labelled with what they break."""

import numpy as np
import pytest

from trueness.learners import build
from trueness.running.study import Plan
from trueness.studies.discovery.plan import assumptions
from trueness.studies.discovery.work import draw, perform, perform_each


def task(vary="auto", datasets='"asia", "sachs", "synthetic-12"', learners='"random"', **more):
    lines = "\n".join(f"{key} = {value}" for key, value in more.items())
    text = f'[discovery]\ndatasets = [{datasets}]\nlearners = [{learners}]\nruns = 3\nvary = "{vary}"\n{lines}\n'
    return Plan.parse(text, "t.toml").task


def tables(found, item, n=2):
    cell = next(cell for cell in found.cells() if cell.item == item)
    return [draw(found.datasets[item], cell.common, repeat) for repeat in range(n)]


def rows_as_set(table):
    return {tuple(row) for row in table.values}


def test_redraw_gives_fresh_rows():
    first, second = tables(task(rows=500), "synthetic-12")
    assert rows_as_set(first).isdisjoint(rows_as_set(second))


def test_bootstrap_draws_from_the_same_rows():
    found = task()
    first, second = tables(found, "sachs")
    real = rows_as_set(found.datasets["sachs"].table)
    assert rows_as_set(first) <= real and rows_as_set(second) <= real
    assert (first.values != second.values).any()
    assert len(rows_as_set(first)) < 853


def test_permute_moves_columns_and_nothing_else():
    first, second = tables(task("permute"), "sachs")
    assert first.names != second.names
    for j, name in enumerate(first.names):
        np.testing.assert_array_equal(first.values[:, j], second.values[:, second.names.index(name)])


def test_auto_redraws_models_and_bootstraps_real_rows():
    assert task().vary == {"asia": "redraw", "sachs": "bootstrap", "synthetic-12": "redraw"}


def test_keys_change_with_what_decides_the_result_and_with_nothing_else(tmp_path):
    def keys(**how):
        return [key for cell in task(datasets='"asia"', **how).cells() for key in cell.keys]

    assert keys() == keys()
    assert set(keys(rows=100)).isdisjoint(keys())
    assert set(keys(vary="bootstrap")).isdisjoint(keys())
    assert keys(time_limit=7) == keys()


def test_cells_are_labelled_with_the_assumptions_they_break():
    found = task(learners='"random"')
    lingam = build("lingam/direct").card
    asia, syn = found.datasets["asia"].about, found.datasets["synthetic-12"].about
    assert assumptions(lingam, asia)["continuous variables"] == "broken"
    assert assumptions(lingam, asia)["linear relations"] == "broken"
    assert assumptions(lingam, syn)["non-Gaussian noise"] == "met"
    assert assumptions(lingam, syn)["linear relations"] == "met"
    assert assumptions(build("causal-learn/pc").card, found.datasets["sachs"].about)["faithfulness"] == "unknown"


def test_a_learner_s_file_may_move_but_not_change(tmp_path, root):
    source = (root / "tests" / "studies" / "outside_learners.py").read_text()
    keys = []
    for folder, text in (("a", source), ("b", source), ("c", source + "\n# changed\n")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(text)
        keys.append(task(datasets='"asia"', learners=f'"{tmp_path / folder / "mine.py"}:Slow"').cells()[0].keys)
    assert keys[0] == keys[1]
    assert set(keys[0]).isdisjoint(keys[2])


@pytest.mark.parametrize("vary", ["bootstrap", "permute", "auto"])
def test_units_done_together_end_as_units_done_alone(vary):
    found = task(vary, '"sachs", "asia"', '"pc", "random"', rows=200)
    for cell in found.cells():
        units = [cell.unit(repeat) for repeat in range(3)]
        together = list(perform_each(cell.common, units))
        alone = [perform(cell.common, unit) for unit in units]
        assert all(outcome["seconds"] > 0 for outcome in together)
        assert [outcome | {"seconds": 0} for outcome in together] == [outcome | {"seconds": 0} for outcome in alone]
