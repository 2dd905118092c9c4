"""A truth that had to be fitted is fitted once for the same rows, settings and seed, and is not trusted blindly."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tests.population.made import levels, question
from trueness.studies.population import truth as truths
from trueness.studies.population.questions import Variable
from trueness.studies.population.truth import truth_of

pytest.importorskip("sklearn")


@pytest.fixture
def asked(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 2, (120, 3)), columns=["y", "a", "b"])
    frame.to_csv(tmp_path / "people.csv", index=False)
    outcome, *given = (Variable(name, levels=levels("0", "1")) for name in ("y", "a", "b"))
    return question(outcome=outcome, given=tuple(given), high_dimensional=True, folder=tmp_path)


@pytest.fixture
def fits(monkeypatch):
    """How often a truth was fitted."""
    found, fit = [], truths.boosted_truth

    def counted(rows, rng, draws):
        found.append(rows.question.name)
        return fit(rows, rng, draws, repeats=2)

    monkeypatch.setattr(truths, "boosted_truth", counted)
    return found


def kept(asked, seed=1):
    return truth_of(asked, np.random.default_rng(seed), folder=asked.folder)


def test_it_is_fitted_once_and_comes_back_the_same(asked, fits):
    first, again = kept(asked), kept(asked)
    assert len(fits) == 1
    assert again.conditions == first.conditions and again.question == first.question
    np.testing.assert_array_equal(again.probs, first.probs)
    np.testing.assert_allclose(again.draws, first.draws, atol=1 / 65_535)


@pytest.mark.slow
def test_other_rows_another_seed_or_other_levels_are_fitted_anew(asked, fits):
    kept(asked)
    kept(asked, seed=2)
    kept(replace(asked, outcome=replace(asked.outcome, title="another name")))
    rows = (asked.folder / "people.csv").read_text().splitlines()
    (asked.folder / "people.csv").write_text("\n".join(rows[:-1]))
    kept(asked)
    assert len(fits) == 4


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["", "{}", '{"question": 3', "[]"])
def test_a_file_that_cannot_be_read_is_as_good_as_none(asked, fits, damage):
    first = kept(asked)
    (path,) = (asked.folder / "truths").iterdir()
    path.write_text(damage)
    np.testing.assert_array_equal(kept(asked).probs, first.probs)
    assert len(fits) == 2
