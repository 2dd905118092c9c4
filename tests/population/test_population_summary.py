"""Two intervals of a mean over tasks: over sources, and given these sources. Each covers what it says it is of."""

import numpy as np
import pytest

from trueness.status import Status
from trueness.studies.population.scores import MEASURES, POSSIBLE, Measured, TaskScore
from trueness.studies.population.tables import compare_respondents, respondent_means


def scores_of(values, respondent="m", measure="tv"):
    """values: (sources, tasks)."""
    nothing = dict.fromkeys(MEASURES, Measured(None, None, Status.DEGENERATE))
    return [
        TaskScore(
            f"task {s} {t}", f"survey {s}", respondent, "", Status.OK, nothing | {measure: Measured(float(value))}, {},
            1.0, None, True, False, None,
        )
        for s, row in enumerate(np.asarray(values))
        for t, value in enumerate(row)
    ]  # fmt: skip


def test_each_interval_covers_what_it_is_of():
    """Three surveys whose means differ as much as their tasks do, 400 times."""
    rng = np.random.default_rng(0)
    sources = given = misread = 0
    for _ in range(400):
        surveys = 0.5 + 0.05 * rng.standard_normal(3)
        values = surveys[:, None] + 0.05 * rng.standard_normal((3, 5))
        found = scores_of(values)
        over, within = (
            respondent_means(found, "tv")["m"].interval,
            respondent_means(found, "tv", given_sources=True)["m"].interval,
        )
        sources += over.contains(0.5)
        given += within.contains(surveys.mean())
        misread += within.contains(0.5)
    assert sources >= 366  # 380 expected; below 366 has probability .001
    assert given >= 366
    assert misread < 330  # as an interval over surveys in general it would promise too much


def test_two_sources_leave_nearly_everything_open_and_their_tasks_do_not():
    found = scores_of([[40.0, 42.0, 44.0], [50.0, 52.0, 54.0]], measure="score")
    over, given = respondent_means(found)["m"], respondent_means(found, given_sources=True)["m"]
    assert (over.n_clusters, given.n_clusters) == (2, 6)
    assert over.value == given.value == 47
    assert over.interval.width > 90 and given.interval.width < 15


@pytest.mark.parametrize("measure", ["score_document", "score_original", "tv"])
def test_every_bounded_measure_has_an_interval_inside_its_bounds(measure):
    low, high = POSSIBLE[measure]
    for values in ([[low], [low + 0.3 * (high - low)]], [[high], [high - 0.3 * (high - low)]]):
        interval = respondent_means(scores_of(values, measure=measure), measure)["m"].interval
        assert low <= interval.low < interval.high <= high


def test_values_that_are_all_the_same_have_no_interval_and_say_so():
    """0 [0, 0] of the uniform baseline stood in every table."""
    scores = scores_of([[0.0, 1e-17], [0.0, 0.0]], measure="skill_uniform")
    for mean in (
        respondent_means(scores, "skill_uniform")["m"],
        respondent_means(scores, "skill_uniform", given_sources=True)["m"],
    ):
        assert mean.interval is None and mean.constant


@pytest.mark.parametrize(("given_sources", "units"), [(False, 2), (True, 8)])
def test_comparisons_count_sources_or_tasks_as_units(given_sources, units):
    rng = np.random.default_rng(1)
    values = rng.random((2, 4))
    (found,) = compare_respondents(scores_of(values) + scores_of(values - 0.1, "n"), "tv", given_sources)
    assert (found.n_units, found.n_clusters) == (8, units)
    assert found.difference == pytest.approx(0.1)
    assert found.p == pytest.approx(2.0 ** (1 - units))  # all differences point one way
