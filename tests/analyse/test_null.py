"""The small form of benchmarks/analyse_null.py: the whole command on tables in which nothing is there."""

import importlib.util
import sys

import numpy as np
import pytest

from trueness.analyse import AnalysisSettings, analyse


@pytest.fixture(scope="module")
def null(root):
    sys.path.insert(0, str(root / "benchmarks"))  # its harness lies beside it
    spec = importlib.util.spec_from_file_location("analyse_null", root / "benchmarks" / "analyse_null.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    sys.path.remove(str(root / "benchmarks"))


@pytest.mark.slow
def test_rates_and_coverages_are_near_their_targets(null):
    shape = next(shape for shape in null.SHAPES if shape.name == "models and tasks react differently")
    assert null.faults(null.measure(shape, 12), 12) == []


def test_what_holds_for_these_models_is_not_said_of_others(null):
    """Three models that react each in its own way: sure for these in many tables, and over models like them in few."""
    rng, settings = np.random.default_rng(0), AnalysisSettings(resamples=100)
    shape = null.Shape("react", 9, 3, 2, 1, model_by=0.15)
    contrasts = [analyse({"t": null.draw(shape, rng)[0]}, settings).contrasts[0] for _ in range(20)]
    assert all(one.scope == "these 3 models and tasks like these 9" for one in contrasts)
    assert np.mean([one.result.distinguishable for one in contrasts]) > 0.4
    assert np.mean([one.q_beyond <= 0.05 for one in contrasts]) <= 0.15


def test_missing_failures_of_one_side_are_flagged_and_missing_at_random_is_not(null):
    rng, settings = np.random.default_rng(0), AnalysisSettings(resamples=100)
    for name, least, most in (("failures of one side missing", 1, 1), ("missing at random", 0, 0.25)):
        shape = next(shape for shape in null.SHAPES if shape.name == name)
        parts = [analyse({"t": null.draw(shape, rng)[0]}, settings).domains[0] for _ in range(8)]
        assert least <= np.mean([part.flags[0].raised for part in parts]) <= most
