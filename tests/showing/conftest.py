"""One small simulated study for all tests of the report, with a respondent whose name is hostile."""

import pytest

from tests.forecast.example import example
from trueness.showing.paper import write_paper
from trueness.showing.saving import save_figure
from trueness.studies.forecast.reading import ForecastReading

HOSTILE = r"open_router/x&y_50%$#{}~^\<b>|"
RESPONDENTS = ("mock/calibrated", "mock/overconfident", HOSTILE)


@pytest.fixture(scope="session")
def forecasts():
    return example(
        seed=3, datasets=("asia", "cancer", "child"), learners=("pc", "fci"), respondents=RESPONDENTS,
        formulations=("direct", "quantiles"), repeats=2, runs=40,
    )  # fmt: skip


@pytest.fixture(scope="session")
def reading(forecasts):
    made = ForecastReading(None)
    vars(made)["forecasts"] = forecasts
    return made


@pytest.fixture(scope="session")
def findings(reading):
    return reading.findings


@pytest.fixture(scope="session")
def tree(tmp_path_factory, reading):
    """(folder, what was written)"""
    folder = tmp_path_factory.mktemp("tree")
    written = reading.write_files(folder, save_figure)
    shared = ["The plan as it was given: seed = 3.", f"A hostile setting: {HOSTILE}."]
    return folder, written + write_paper(folder, "example", [reading.paper(folder)], shared)
