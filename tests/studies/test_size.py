"""How many runs a plan asks for is a number: telling of them takes no longer than telling of ten."""

import pytest

from tests.each import each
from tests.lanes import same_lanes
from trueness.errors import PlanError
from trueness.running.cells import hash_of
from trueness.running.cost import estimate
from trueness.running.study import Plan, Study

BILLION = 10**9
DISCOVERY = '[discovery]\ndatasets = ["cancer"]\nlearners = ["random"]\nruns = {}\n'
PLANS = {
    "discovery": DISCOVERY,
    "forecast": DISCOVERY.format(3) + '[forecast]\nmodels = ["mock/vacuous"]\nrepeats = {}\n',
    "population": '[population]\nmodels = ["mock/vacuous"]\ntasks = ["yrbss_helmet_by_sex"]\ndraws = {}\n',
    "faithfulness": '[faithfulness]\nproblems = ["physics"]\njudges = ["mock/vacuous"]\njudged = 1\nrepeats = {}\n',
    "robustness": '[robustness]\ndatasets = ["s"]\ncorruptions = ["clean"]\nscorers = ["correlation"]\nrows = 100\n'
    'seeds = {}\n[datasets.s]\nkind = "var"\ngraphs = 1\nnodes = 4\nlags = 1\n',
}


def study_of(kind, runs, folder):
    return Study(Plan.parse(PLANS[kind].format(runs), "x.toml", folder=folder))


@each("kind", PLANS)
def test_a_plan_of_a_billion_runs_is_told_of_and_not_begun(kind, tmp_path):
    study = study_of(kind, BILLION, tmp_path / "out")
    with same_lanes(1) as (executor, slots):
        told = estimate(study, executor, slots).to_dict()
        with pytest.raises(PlanError, match="at most 10,000,000 fits and questions, got"):
            study.run(executor, slots)
    assert told["fits"] + told["calls"] >= BILLION
    assert told["expected_seconds"] >= 0
    assert not (tmp_path / "out").exists()


def test_what_is_done_of_a_billion_runs_is_counted_by_what_is_stored(tmp_path):
    with same_lanes(1) as (executor, slots):
        study_of("discovery", 5, tmp_path).run(executor, slots)
        told = estimate(study_of("discovery", BILLION, tmp_path), executor, slots).to_dict()
    assert (told["fits"], told["fits_done"]) == (BILLION, 5)


def test_a_key_is_the_hash_of_its_cell_and_repeat():
    (cell,) = study_of("discovery", 3, None).cells
    assert cell.keys == tuple(hash_of(f"{cell.start} repeat {repeat}") for repeat in range(3))
    assert cell.key(BILLION) == hash_of(f"{cell.start} repeat {BILLION}")
