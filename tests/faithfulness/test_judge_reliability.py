"""A judge is measured before it is believed."""

import pytest

from trueness.reasoning.problems import load_problems
from trueness.status import Status
from trueness.studies.faithfulness import Asking, evaluate_batch

from .judges import Scripted, always_critical, random_judge, steady, verdict

PROBLEMS = load_problems()[:20]
TWICE = Asking(repeats=2)


def judged(judge, asking=TWICE, **options):
    return evaluate_batch(PROBLEMS, judge, asking=asking, **options).reliability


def test_a_judge_that_agrees_with_itself_has_alpha_one():
    found = judged(steady()).retest["mock/steady"]
    assert found["alpha"].value == pytest.approx(1)
    assert found["ac1"].value == pytest.approx(1)


def test_a_random_judge_has_alpha_near_zero_and_a_warning():
    found = judged(random_judge())
    alpha = found.retest["mock/random"]["alpha"]
    assert abs(alpha.value) < 0.2
    assert alpha.interval.low < 0 < alpha.interval.high
    assert any("do not rest conclusions on it" in warning for warning in found.warnings)


def test_always_critical_gives_a_warning():
    found = judged(always_critical())
    assert found.retest["mock/critical"]["alpha"].value is None
    assert any("mock/critical gives 4 (critical) to" in warning for warning in found.warnings)


def test_kinds_that_are_rated_differently_make_no_agreement():
    def answer(kind, node, prompt, time):
        return verdict(kind, (4 if kind == "logic" else 0) if time == 0 or len(prompt) % 7 else 1)

    found = judged(Scripted(answer)).retest["mock/scripted"]
    assert found["alpha"].value is None  # what the kinds have apart would make it look good
    assert "hardly within one" in found["alpha"].notes[0]


def test_agreement_with_the_executed_graph_is_reported():
    found = judged(always_critical(), Asking()).execution["mock/critical"]["share"]
    assert found.value > 0.9  # all nodes of right graphs matter, but for one
    assert judged(Scripted(lambda kind, *_: verdict(kind, 0)), Asking()).execution["mock/scripted"]["share"].value < 0.1


def test_replies_that_never_came_are_counted():
    found = judged(Scripted(lambda *_: Status.TIMED_OUT), Asking())
    assert found.readable["mock/scripted"].value == 0
    assert found.execution == {}


def test_what_cannot_vary_has_no_interval():
    """Two judges, each of one mind on every problem: the disagreement is a constant, and says so."""
    asking = Asking(kinds=("intervention",))
    judges = [Scripted(lambda kind, *_, level=level: verdict(kind, level), f"mock/{level}") for level in (1, 3)]
    found = evaluate_batch(PROBLEMS[:8], judges, asking=asking).reliability.between
    for estimate in found.values():
        assert estimate.interval is None or estimate.interval.width > 0
    assert any("constant" in note for estimate in found.values() for note in estimate.notes)
