"""What a discovery study says: who is best and by how much, where nobody can be told apart, who failed."""

import numpy as np
import pytest

from trueness.measure import measure_of
from trueness.studies.run_findings import CellRuns, findings

RNG = np.random.default_rng(5)
NOISE = {item: RNG.normal(0, 0.02, 60) for item in "abcdefgh"}


def cell(item, respondent, middle, statuses=None, spread=1.0, **more):
    own = np.random.default_rng(len(respondent)).normal(0, 0.01, 60)
    values = np.clip(middle + spread * (NOISE[item] + own), 0, 1)
    return CellRuns(item, respondent, values, None, statuses or {"ok": 60}, **more)


def said(cells, title):
    return dict(findings(cells, measure_of("f1"), 0.95).sections).get(title, ())


BEST = "Which learner does best on each data set"
OVERALL = "Which learner does best over the data sets"
FAILED = "Failures and time limits"


def test_the_best_learner_is_named_with_its_lead_over_the_next():
    (sentence,) = said([cell("a", "pc", 0.8), cell("a", "ges", 0.6), cell("a", "notears", 0.3)], BEST)
    assert sentence.startswith("a: pc has the best F1, 0.80")
    assert "pc is better than ges by 0.2" in sentence and "paired over 60 runs" in sentence and "Holm" in sentence


def test_learners_that_cannot_be_told_apart_are_called_so():
    (sentence,) = said([cell("a", "pc", 0.8), cell("a", "ges", 0.8001), cell("a", "fci", 0.8002)], BEST)
    assert "cannot be told apart" in sentence and "be told from it" in sentence


def test_over_data_sets_the_data_set_is_the_unit():
    cells = [cell(i, n, m + k / 100) for k, i in enumerate("abcdefgh") for n, m in (("pc", 0.8), ("ges", 0.6 - k / 99))]
    first, second = said(cells, OVERALL)
    assert "pc has the best mean F1 over 8 data sets, 0.8" in first and "t CI over data sets" in first
    assert "paired over 8 data sets; exact sign-flip p = 0.0078" in second  # 2 / 2^8


def test_a_mean_that_is_the_same_on_every_data_set_has_no_interval():
    cells = [cell(item, n, middle, spread=0) for item in "abcdefgh" for n, middle in (("pc", 0.8), ("ges", 0.6))]
    first, second = said(cells, OVERALL)
    assert "0.80 (the same on every data set: no interval" in first and "[0.80, 0.80]" not in first
    assert "is better" in second and "no interval" in second and "sign-flip p = 0.0078" in second


def test_a_difference_of_two_runs_lies_within_what_f1_can_be():
    two = [
        CellRuns("a", name, np.array(values), None, {"ok": 2})
        for name, values in (("pc", (0.9, 0.1)), ("ges", (0.2, 0.7)))
    ]
    (sentence,) = said(two, BEST)
    assert "[-1, 1]" in sentence  # t of two runs gives [-7.5, 7.6]


def test_failures_are_a_share_with_its_interval():
    lost = {"ok": 48, "timed_out": 10, "failed": 2}
    (sentence,) = said([cell("a", "pc", 0.8), cell("a", "ges", 0.6, lost)], FAILED)
    assert sentence.startswith(
        "ges: 12 of 60 runs gave no result (failed 2, timed_out 10), 0.20 [0.12, 0.32]"
    )  # Wilson
    assert "no test" in sentence


@pytest.mark.parametrize("classes", [("dag", "cpdag"), ("dag", "dag")])
def test_scores_across_classes_are_not_compared_in_silence(classes):
    cells = [cell("a", name, 0.5, returns=kind) for name, kind in zip(("x", "yy"), classes, strict=True)]
    told = " ".join(findings(cells, measure_of("f1"), 0.95).untold)
    assert ("different classes" in told) == (len(set(classes)) > 1) and "no test over data sets" in told


CHANCE = "Whether a learner beats chance"


def test_a_headline_says_who_beats_chance():
    both = [cell(i, n, m, chance=0.2) for i in "abcdefgh" for n, m in (("pc", 0.8), ("random", 0.2))]
    found = findings(both, measure_of("f1"), 0.95)
    assert "; pc beats chance (.20) (mean F1" in found.headline.sentence
    (sentence,) = dict(found.sections)[CHANCE]
    assert sentence.startswith("1 of 2 learners beat chance") and "pc is better than chance by 0.6" in sentence
    assert "Holm" in sentence and "paired over 8 data sets" in sentence
    assert (
        "all beat chance (.10 to .20)"
        in findings(
            [cell(i, n, 0.8, chance=c) for i in "abcdefgh" for n, c in (("pc", 0.1), ("ges", 0.2))],
            measure_of("f1"),
            0.95,
        ).headline.sentence
    )


def test_chance_is_tested_as_learners_are_so_that_two_data_sets_show_nothing():
    """A t test of two differences that are nearly equal has a tiny p; the exact test's least is .5."""
    both = [cell(i, n, m, chance=c) for i, c in (("a", 0.2), ("b", 0.21)) for n, m in (("pc", 0.8), ("ges", 0.7))]
    found = findings(both, measure_of("f1"), 0.95)
    assert "; none clearly beats chance (" in found.headline.sentence
    (sentence,) = dict(found.sections)[CHANCE]
    assert sentence.startswith("0 of 2 learners beat chance") and "exact sign-flip p = 0.5" in sentence
