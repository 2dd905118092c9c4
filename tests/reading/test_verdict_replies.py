"""What a judge's reply says; prose, refusals and ratings off the scale have a status and no value."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueness.reading.verdicts import DIMENSIONS, read_verdict

FIVE = dict(zip(DIMENSIONS, (4, 4, 3, 3, 3), strict=True))


def test_a_rating_is_read_with_its_span():
    text = 'Sure! {"impact": 3, "causal_path": "F -> a", "reasoning": "direct"} Hope it helps.'
    verdict = read_verdict(text, "intervention")
    assert (verdict.status, verdict.rating) == ("ok", 3)
    assert text[slice(*verdict.spans["rating"])] == "3"
    assert verdict.notes["causal_path"] == "F -> a"


@pytest.mark.parametrize(
    "given, rating",
    [
        ({"impact": "critical"}, 4),
        ({"impact_level": "high"}, 4),
        ({"impact_level": "medium"}, 2),
        ({"impact_level": "low"}, 0),
        ({"impact": "3/4"}, 3),
        ({"result": {"impact": 1}}, 1),
    ],
)
def test_levels_in_words_and_inner_objects_are_read(given, rating):
    assert read_verdict(json.dumps(given), "intervention").rating == rating


def test_the_points_of_the_original_are_a_share_of_their_most():
    verdict = read_verdict('{"impact_level": "high", "score": 48}', "intervention", points=50)
    assert verdict.rating == pytest.approx(4 * 0.96)


@pytest.mark.parametrize("given", ['{"impact": 7}', '{"impact": -1}', '{"impact": "maybe"}', '{"impact": null}'])
def test_a_rating_off_the_scale_is_unreadable(given):
    verdict = read_verdict(given, "intervention")
    assert verdict.status == "unreadable"
    assert verdict.rating is None
    assert "must be in 0 .. 4" in verdict.message


def test_of_several_objects_the_last_counts():
    assert read_verdict('{"impact": 1} No, rather {"impact": 4}', "intervention").rating == 4


@pytest.mark.parametrize("kind", ["intervention", "abduction", "logic", "counterfactual"])
def test_prose_is_unreadable_and_a_refusal_refused(kind):
    assert read_verdict("The impact is quite high, I would say 3 of 4.", kind).status == "unreadable"
    assert read_verdict("I'm sorry, but I cannot judge this.", kind).status == "refused"
    assert read_verdict("", kind).status == "unreadable"


def test_an_abduction_gives_holds_label_and_value():
    verdict = read_verdict('{"holds": true, "solutions": "unique", "value": "10 N"}', "abduction")
    assert (verdict.holds, verdict.solutions, verdict.value) == (True, "unique", 10)


def test_logic_needs_all_five():
    assert read_verdict(json.dumps(FIVE), "logic").ratings == FIVE
    verdict = read_verdict(json.dumps({k: v for k, v in FIVE.items() if k != "verification"}), "logic")
    assert verdict.status == "unreadable"
    assert "verification" in verdict.message


def test_a_cut_off_verdict_is_truncated():
    assert read_verdict('{"reasoning": "the node is', "intervention").status == "truncated"


@given(st.text(max_size=300), st.sampled_from(["intervention", "abduction", "logic", "counterfactual"]))
def test_no_reply_raises_and_only_ok_has_values(text, kind):
    verdict = read_verdict(text, kind)
    if verdict.status != "ok":
        assert verdict.rating is None
        assert verdict.holds is None
