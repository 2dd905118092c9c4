"""All analyses together, and the studies that allow few of them."""

import json

import pytest

from tests.forecast.example import example
from tests.forecast.handmade import claim, over, spread, study, truth
from trueness.studies.forecast.findings import Findings


@pytest.fixture(scope="module")
def simulated():
    return Findings(example(repeats=2, names=("named", "anonymised"), formulations=("direct", "steps", "quantiles")))


@pytest.mark.slow
def test_every_analysis_of_the_example_is_told(simulated):
    assert [analysis.name for analysis in simulated.analyses() if not analysis.possible] == []
    assert next(iter(simulated.analyses())).name == "validation"


@pytest.mark.slow
def test_every_sentence_ends_and_none_holds_nan(simulated):
    for analysis in simulated.analyses():
        for sentence in analysis.sentences:
            assert sentence.endswith((".", "!")), sentence
            assert "nan" not in sentence.lower().replace("explan", ""), sentence


def test_findings_are_plain_json(simulated):
    text = json.dumps(simulated.to_dict(), allow_nan=False)
    assert json.loads(text)["study"] == "example"


def test_the_mocks_are_told_for_what_they_are(simulated):
    failures = simulated["failures"].table.set_index(["mode", "respondent"])["share"]
    assert failures["vacuous", "mock/vacuous"] == 1
    assert failures["over-optimistic", "mock/optimistic"] > failures["over-pessimistic", "mock/optimistic"]
    assert simulated.validation.checks[3].passed is False


TRAPS = {
    "one data set": study([claim(), claim(learner="fci")], [truth(spread(0.5)), truth(spread(0.4), learner="fci")]),
    "one formulation": study(over("abcdef", 0.4, 0.6), [truth(spread(0.5), dataset=name) for name in "abcdef"]),
    "all unreadable": study(over("abc", None, None), [truth(spread(0.5), dataset=name) for name in "abc"]),
    "identical answers": study(
        [c for k in range(3) for c in over("abc", 0.4, 0.6, respondent=f"m{k}")],
        [truth(spread(0.5), dataset=name) for name in "abc"],
    ),
    "zero-width truth": study(over("abc", 0.4, 0.6), [truth([0.5] * 100, dataset=name) for name in "abc"]),
    "no run with a value": study([claim()], [truth([], planned=100)]),
    "only a reference": study([claim(respondent="baseline/x")], [truth(spread(0.5))], references=("baseline/x",)),
    "nothing asked": study([], [truth(spread(0.5))]),
    "nothing at all": study([], []),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TRAPS)
def test_a_poor_study_is_told_and_does_not_crash(name, recwarn):
    found = Findings(TRAPS[name])
    json.dumps(found.to_dict(), allow_nan=False)
    for analysis in found.analyses():
        assert analysis.sentences and all("nan" not in sentence for sentence in analysis.sentences)
    assert [str(w.message) for w in recwarn.list] == []


@pytest.mark.slow
def test_a_study_is_not_changed_by_its_analyses():
    forecasts = example(datasets=("asia", "cancer"), repeats=1, formulations=("direct", "steps"))
    before = forecasts.scores.copy(), forecasts.claims.copy(), forecasts.replies.copy()
    list(Findings(forecasts).analyses())
    for one, other in zip(before, (forecasts.scores, forecasts.claims, forecasts.replies), strict=True):
        assert one.equals(other)
