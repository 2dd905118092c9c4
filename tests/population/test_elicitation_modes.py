"""What each mode of elicitation makes of a model whose beliefs are known."""

import numpy as np
import pytest

from tests.each import each
from tests.population.believers import SPREAD, Believer, Refuser, Wordy, said, sender
from trueness.status import Status
from trueness.studies.population.elicitation import Form, Manner
from trueness.studies.population.modes import STEPS, elicit, most_calls, read_answer

FORM = Form("Does a person in this town agree?", {"yes": ("Yes",), "no": ("No",), "maybe": ()}, "Did the person agree?")


def asked(mode, model, form=FORM, seed=0, **manner):
    found = elicit(mode, form, Manner(**manner), sender(model), np.random.default_rng(seed))
    return found, read_answer(mode, form, found)


@pytest.mark.parametrize("mode", ["qa", "distribution", "likelihood"])
def test_a_stated_belief_is_read_back(mode):
    _, answer = asked(mode, Believer())
    assert (answer.status, answer.draws) == (Status.OK, None)
    assert answer.distribution.levels == ("yes", "no", "maybe")
    assert answer.distribution.probs == pytest.approx(tuple(SPREAD.values()), abs=0.026)  # half a step


def test_draws_are_counted_and_their_number_kept():
    _, answer = asked("sample", Believer(), draws=400)
    assert (answer.draws, len(answer.values), answer.counts) == (400, 400, {Status.OK: 400})
    assert answer.distribution.probs == pytest.approx(tuple(SPREAD.values()), abs=0.1)


def test_a_story_is_followed_by_its_question():
    class Teller(Believer):
        def ask(self, messages, settings):
            self.calls.append([m.content for m in messages])
            return said("Once a person said yes." if len(messages) == 1 else "Yes, the person did.")

    model = Teller()
    found, answer = asked("story", model, draws=3)
    assert answer.values == ("yes",) * 3
    assert model.calls[1] == [FORM.prompt, "Once a person said yes.", FORM.second_prompt]
    assert [e.role for e in found] == ["story", "extract"] * 3


def test_a_story_that_was_refused_is_a_draw_without_a_level_and_no_second_call():
    model = Refuser()
    _, answer = asked("story", model, draws=3)
    assert len(model.calls) == 3
    assert answer.distribution is None
    assert answer.counts == {Status.REFUSED: 2, Status.UNREADABLE: 1}


@each("mode", ["sample", "distribution", "qa", "likelihood", "story"])
def test_refusals_and_empty_texts_are_statuses_and_never_levels(mode):
    _, answer = asked(mode, Refuser(), draws=6)
    assert answer.distribution is None
    assert answer.status == (Status.UNREADABLE if mode in ("qa", "likelihood") else Status.REFUSED)
    assert set(answer.counts) <= {Status.REFUSED, Status.UNREADABLE}


@each("mode", ["qa", "likelihood"])
def test_a_model_without_log_probabilities_is_asked_once_and_says_why(mode):
    exchanges, answer = asked(mode, Wordy())
    assert len(exchanges) == 1 and answer.status == Status.UNREADABLE
    assert "no log-probabilities" in answer.message


def test_a_spread_belief_counts_by_its_expectation():
    class Torn(Believer):
        """Of every level: 40 % surely not, else evenly over 50 to 65 %."""

        def letters(self, text):
            spread = {"0 %": 0.4, "50-55 %": 0.2, "55-60 %": 0.2, "60-65 %": 0.2}
            self.shares = {step: spread.get(step, 0.0) for step in STEPS}
            return super().letters(text.replace("How likely", "What"))

    form = Form("Agrees?", {"yes": (), "no": ()})
    _, answer = asked("likelihood", Torn(), form)
    assert answer.total == pytest.approx(2 * 0.6 * 0.575)
    assert "off_sum" in answer.flags and "69 %" in answer.message


@each("mode", ["qa", "sample", "story", "likelihood", "distribution"])
def test_calls_are_counted_beforehand(mode):
    model = Believer()
    found, _ = asked(mode, model, draws=5)
    assert len(found) == len(model.calls) == most_calls(mode, 3, Manner(draws=5))
