"""Charts about learners: the frame has the numbers of the runs, missing stays missing."""

import pandas as pd
import pytest

from trueness.showing.saving import save_figure
from trueness.studies.discovery.reading import DiscoveryReading

from .learner_results import MEANS, learner_results


@pytest.fixture(scope="module")
def results():
    return learner_results()


def ranks_of_learners(results):
    return next(figure for figure in DiscoveryReading(results).figures(None) if figure.name == "ranks_learners")


def marks_of(frame, kind):
    return frame[frame["kind"] == kind]


# ---- ranks


def test_mean_ranks_are_the_means_of_the_drawn_ranks(results):
    frame = ranks_of_learners(results).frame
    means = marks_of(frame, "mean").set_index("respondent")["rank"]
    pd.testing.assert_series_equal(
        means, marks_of(frame, "one").groupby("respondent")["rank"].mean()[means.index].astype(float),
        check_dtype=False,
    )  # fmt: skip
    assert list(means.index) == ["pc", "ges", "random"] and means["pc"] == pytest.approx(4 / 3)


def test_a_data_set_with_a_missing_score_ranks_nobody_and_is_counted(results):
    figure = ranks_of_learners(results)
    assert set(marks_of(figure.frame, "one")["dataset"]) == {"asia", "cancer", "child"}
    assert "1 data sets with a missing score are left out" in figure.caption and "over 3 data sets" in figure.caption


def test_the_caption_says_what_so_few_data_sets_cannot_show(results):
    caption = ranks_of_learners(results).caption
    assert "Friedman" in caption and "Holm" in caption and "no difference can reach 0.05" in caption


# ---- consistency


def test_a_discovery_study_draws_its_charts_and_saves_their_numbers(results, tmp_path):
    written = DiscoveryReading(learner_results({item: MEANS[item] for item in ("asia", "cancer")})).write_files(
        tmp_path, save_figure
    )
    names = {path.name for path in written}
    for stem in ("measured", "ranks_learners"):
        assert {f"{stem}.{form}" for form in ("png", "svg", "pdf", "csv")} <= names
    assert {f"results_summary.{form}" for form in ("csv", "tex", "md")} <= names
    assert all(path.stat().st_size > 60 for path in written)
