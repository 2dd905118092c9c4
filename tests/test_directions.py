"""One direction for every measure, wherever it is compared, ranked or shown."""

import csv

import pytest

from tests.each import each
from trueness.analyse.comparing import compare
from trueness.analyse.measure_names import better_of
from trueness.measure import direction, measure_of
from trueness.measures import MEASURES
from trueness.measures.ranking import RANKING_MEASURES
from trueness.showing.grid import shown_measure
from trueness.studies.faithfulness.scores import COMPONENTS
from trueness.studies.forecast.comparisons import ABLATED, COMPARED
from trueness.studies.forecast.scores import SCORES, skill_column
from trueness.studies.population.scores import MEASURES as OF_POPULATION
from trueness.studies.robustness.measures import AT_K

OF_FORECAST = [name for name in SCORES if not name.startswith("class_")]
STUDIES = {  # every name that a long table can have
    "discovery": list(MEASURES),
    "forecast": [
        *OF_FORECAST,
        *(f"{name}_50" for name in OF_FORECAST),
        "coverage_runs_99.5",
        *map(skill_column, ("baseline/random", "baseline/heuristic", "human/experts", "baseline/width")),
    ],
    "population": list(OF_POPULATION),
    "faithfulness": ["cf", *COMPONENTS, "behaviour"],
    "robustness": [*RANKING_MEASURES, *(f"{name}@{k}" for name in AT_K for k in ("oracle_k", "bic", "own_rule"))],
}
ALL = [(study, name) for study, names in STUDIES.items() for name in names]
NEITHER = {"width", "bias", "inside", "calibration", "log_width_ratio"}


@each("study", STUDIES)
def test_every_measure_of_a_study_is_in_the_table(study):
    assert [name for name in STUDIES[study] if measure_of(name) is None] == []


def test_only_measures_whose_best_value_lies_between_have_no_direction():
    without = {name for _, name in ALL if direction(name) is None}
    longest_first = sorted(NEITHER, key=len, reverse=True)
    assert {next(word for word in longest_first if name.startswith(word)) for name in without} == NEITHER


def test_each_place_that_declares_a_direction_says_the_same():
    for one in (*MEASURES.values(), *RANKING_MEASURES.values()):
        assert one.direction == direction(one.name)
    for name in (*COMPARED, *COMPARED.values(), *ABLATED):
        assert direction(name) is not None
    for _, name in ALL:
        assert shown_measure(name, ()).direction == direction(name)
        assert (better_of(name) == "lower") == (direction(name) == "lower")


@pytest.mark.slow
@each("study, measure", ALL)
def test_compare_calls_the_better_one_better(study, measure, tmp_path):
    """`low` has 0.2 on each of eight data sets, `high` 0.6."""
    with (tmp_path / "scores.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow("study,task,item,variant,respondent,repeat,measure,value,status".split(","))
        for k in range(8):
            item = {"forecast": f"d{k}/pc/f1", "population": f"s{k}/t"}.get(study, f"d{k}")
            for name, value in (("low", 0.2), ("high", 0.6)):
                writer.writerow(["s", study, item, "v", name, 0, measure, value + k / 1000, "ok"])
    said = str(compare(tmp_path, "low", "high", measure))
    word = {"higher": "worse", "lower": "better", None: "lower"}[direction(measure)]
    assert said.startswith(f"low is {word} than high by 0.4"), said
    turned = str(compare(tmp_path, "high", "low", measure))
    word = {"higher": "better", "lower": "worse", None: "higher"}[direction(measure)]
    assert turned.startswith(f"high is {word} than low by 0.4"), turned
