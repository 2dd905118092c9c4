"""qa: orders of options, places of letters, captured mass, and what is evaluated of the prompt."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from tests.population.believers import Believer, PlaceLover, sender
from trueness.models import Reply, TokenLogprob
from trueness.status import Status
from trueness.studies.population.elicitation import Form, Manner, letter_probs
from trueness.studies.population.modes import elicit, orders, read_answer


def form_of(k):
    return Form("Which one?", {f"level {chr(97 + j)}": () for j in range(k)})


def belief(k, seed=0):
    shares = np.random.default_rng(seed).dirichlet(np.ones(k))
    return {name: float(share) for name, share in zip(form_of(k).levels, shares, strict=True)}


def ask(model, k, seed=1, **manner):
    form = form_of(k)
    found = elicit("qa", form, Manner(**manner), sender(model), np.random.default_rng(seed))
    return read_answer("qa", form, found)


def test_all_orders_are_asked_while_they_are_few():
    rng = np.random.default_rng(0)
    assert sorted(orders(4, 128, rng)) == list(itertools.permutations(range(4)))
    assert len(orders(5, 128, rng)) == 120
    assert len(orders(6, 128, rng)) == 126 == len(set(orders(6, 128, rng)))


@given(st.integers(2, 12), st.integers(1, 200), st.integers(0, 10))
def test_every_option_stands_at_every_place_equally_often(k, most, seed):
    asked = orders(k, most, np.random.default_rng(seed))
    for place in range(k):
        assert len(set(Counter(order[place] for order in asked).values())) == 1
    assert len(asked) <= max(most, k)


@pytest.mark.parametrize("k", [2, 4, 7])
def test_permuting_the_letters_does_not_change_an_answer_without_position_bias(k):
    """One order alone, another order alone, and all of them: the same answer."""
    model = Believer(shares=belief(k))
    alone = [ask(model, k, seed, permutations=1).distribution.probs for seed in range(3)]
    together = ask(model, k).distribution.probs
    for answer in (*alone, together):
        assert answer == pytest.approx(tuple(belief(k).values()), abs=1e-9)


@each("k", [2, 3, 5, 6, 9])
def test_a_model_with_nothing_but_a_favourite_place_answers_uniformly(k):
    assert ask(PlaceLover(shares=belief(k)), k).distribution.probs == pytest.approx((1 / k,) * k)


def test_the_captured_mass_is_reported_and_a_low_one_flagged():
    high, low = (ask(Believer(shares=belief(3), mass=mass), 3) for mass in (0.9, 0.2))
    assert high.mass == pytest.approx(0.9) and high.flags == ()
    assert low.mass == pytest.approx(0.2) and low.flags == ("low_mass",)
    assert "20 %" in low.message
    assert low.distribution.probs == pytest.approx(high.distribution.probs)


def test_tokens_of_one_letter_are_added_and_an_article_is_none():
    top = (("A", math.log(0.3)), (" A", math.log(0.2)), ("a", math.log(0.4)), ("B.", math.log(0.05)), ("AB", -9.0))
    reply = Reply("A", Status.OK, logprobs=(TokenLogprob("a", math.log(0.4), top),))
    assert letter_probs(reply, 2) == pytest.approx([0.5, 0.05])
    assert letter_probs(Reply("A", Status.OK), 2) is None
