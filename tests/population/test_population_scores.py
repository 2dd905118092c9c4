"""Scores of answers: statuses, references, intervals, and tables over tasks and respondents."""

from dataclasses import replace

import numpy as np
import pytest

from tests.each import each
from tests.population.made import answers, microdata, people, question, reference_answers
from trueness.errors import DataError
from trueness.intervals import Distribution
from trueness.measures.distributions import l1, multinomial
from trueness.status import Status
from trueness.studies.population.elicitation import Answer
from trueness.studies.population.questions import Variable
from trueness.studies.population.scores import Scales, score_answers
from trueness.studies.population.truth import truth_of


def truth_for(weight=None, seed=0, n=2_000, **changes):
    asked = question(weight=weight, **changes)
    return truth_of(asked, np.random.default_rng(seed), microdata(people(n, seed)))


def scored(truth, given, seed=0, **labels):
    return score_answers(truth, given, rng=np.random.default_rng(seed), scales=Scales(0), **labels)


@each("weight", [None, "w"])
@each("k", [20, 100, 1_000])
def test_a_sampler_of_the_truth_averages_98_and_a_uniform_one_2(weight, k):
    share = (0.03, 0.95) if k == 20 else (0.25, 0.7)  # 20 draws can tell a clear truth only
    frame = people(3_000, share=share)
    truth = truth_of(question(weight=weight), np.random.default_rng(0), microdata(frame))
    scales, rng = Scales(0), np.random.default_rng(k)
    scale = scales.of(truth, np.arange(2), np.full(2, float(k)))
    assert scale.informative
    found = []
    for probs in (truth.probs, np.full_like(truth.probs, 0.5)):
        drawn = multinomial(probs, np.full(2, k), 500, rng)
        found.append(scale.score(l1(truth.probs, drawn, truth.weights)))
        score = score_answers(truth, answers(truth, drawn[0], k), rng=rng, scales=scales)
        assert score.value("score") == pytest.approx(found[-1][0])
    assert found[0].mean() >= 98
    assert found[1].mean() <= 2


@pytest.mark.parametrize("weight", [None, "w"])
def test_the_marginal_has_exactly_no_skill_against_the_marginal(weight):
    truth = truth_for(weight)
    score = scored(truth, reference_answers(truth, "marginal"))
    assert score.value("skill_marginal") == pytest.approx(0, abs=1e-12)
    assert not score.flat


def test_worse_than_uniform_stays_below_zero_in_the_raw_values():
    truth = truth_for()
    score = scored(truth, answers(truth, truth.probs[:, ::-1]))
    assert score.value("score") == 0
    assert score.value("skill_uniform") < -0.5


@pytest.mark.parametrize("shares", [(1.0, 0.0), (0.5, 0.5)])
def test_a_truth_at_uniform_has_no_score_by_any_rule_and_says_why(shares):
    """By the original's two rules "100 % yes" got 100 and the exact answer 0."""
    truth = truth_for()
    truth = replace(truth, probs=np.full_like(truth.probs, 0.5))
    score = scored(truth, answers(truth, [shares] * len(truth.conditions)))
    for name in ("score", "score_original", "score_document"):
        assert score.measures[name].value is None
        assert score.measures[name].reason == "uninformative"


def test_a_refusal_is_a_status_and_not_a_level():
    truth = truth_for()
    given = reference_answers(truth, "oracle") | {"18-39": Answer(None, Status.REFUSED, {Status.REFUSED: 3})}
    score = scored(truth, given)
    assert score.statuses == {"18-39": Status.REFUSED, "40 or more": Status.OK}
    assert score.answered == pytest.approx(truth.weights[1])
    assert score.replies == {Status.REFUSED: 3}
    assert score.value("score") == 100


def test_an_answer_to_no_condition_is_named_with_the_nearest():
    truth = truth_for()
    with pytest.raises(DataError, match="got '40 or mroe'. Did you mean '40 or more'"):
        scored(truth, {"40 or mroe": Answer(None, Status.REFUSED)})


def test_levels_may_come_in_any_order_and_unnamed_ones_are_zero():
    truth = truth_for()
    turned = {
        c: Answer(Distribution(("female", "male"), tuple(truth.probs[i, ::-1]))) for i, c in enumerate(truth.conditions)
    }
    assert scored(truth, turned).value("tv") == pytest.approx(0)
    only = {c: Answer(Distribution(("male",), (1.0,))) for c in truth.conditions}
    assert scored(truth, only).value("tv") == pytest.approx(float(truth.weights @ truth.probs[:, 1]))


def test_intervals_of_d2_cover_the_distance_of_the_population():
    """p = (.3, .7) and (.7, .3) by age; the answers are drawn from (.4, .6) and (.6, .4): D2 = .02."""
    inside = 0
    for seed in range(60):
        truth = truth_of(question(), np.random.default_rng(seed), microdata(people(1_500, seed)), draws=400)
        rng = np.random.default_rng(1_000 + seed)
        q = np.array([rng.multinomial(200, row) / 200 for row in ([0.4, 0.6], [0.6, 0.4])])
        interval = scored(truth, answers(truth, q, 200)).measures["d2"].interval
        inside += interval.contains(0.02)
    assert inside >= 50  # 57 expected; below 50 has probability .004 even at a coverage of 92 %


def test_only_ordinal_outcomes_have_w1():
    nominal = truth_for()
    ordinal = truth_for(outcome=Variable("sex", levels=nominal.question.outcome.levels, ordinal=True))
    assert scored(nominal, reference_answers(nominal, "uniform")).measures["w1"].status is Status.DEGENERATE
    assert scored(ordinal, reference_answers(ordinal, "uniform")).value("w1") > 0
