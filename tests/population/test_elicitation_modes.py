"""What each mode of elicitation makes of a model whose beliefs are known."""

import numpy as np
import pytest

from tests.each import each
from tests.population.believers import SPREAD, Believer, Refuser, Wordy, said, sender
from trueness.status import Status
from trueness.studies.population.elicitation import Form, Manner
from trueness.studies.population.modes import STEPS, elicit, most_calls, read_answers

FORM = Form("Does a person in this town agree?", {"yes": ("Yes",), "no": ("No",), "maybe": ()}, "Did the person agree?")


def asked(mode, model, form=FORM, seed=0, **manner):
    found = elicit(mode, form, Manner(**manner), sender(model), np.random.default_rng(seed))
    return found, read_answers(found.used, form, found.exchanges)


@pytest.mark.parametrize("mode", ["qa", "distribution", "likelihood"])
def test_a_stated_belief_is_read_back(mode):
    found, answers = asked(mode, Believer())
    assert (found.used, answers[""].status, answers[""].draws) == (mode, Status.OK, None)
    assert answers[""].distribution.levels == ("yes", "no", "maybe")
    assert answers[""].distribution.probs == pytest.approx(tuple(SPREAD.values()), abs=0.026)  # half a step


def test_draws_are_counted_and_their_number_kept():
    _, answers = asked("sample", Believer(), draws=400)
    answer = answers[""]
    assert (answer.draws, len(answer.values), answer.counts) == (400, 400, {Status.OK: 400})
    assert answer.distribution.probs == pytest.approx(tuple(SPREAD.values()), abs=0.1)


def test_a_story_is_followed_by_its_question():
    class Teller(Believer):
        def ask(self, messages, settings):
            self.calls.append([m.content for m in messages])
            return said("Once a person said yes." if len(messages) == 1 else "Yes, the person did.")

    model = Teller()
    found, answers = asked("story", model, draws=3)
    assert answers[""].values == ("yes",) * 3
    assert model.calls[1] == [FORM.prompt, "Once a person said yes.", FORM.second_prompt]
    assert [e.role for e in found.exchanges] == ["story", "extract"] * 3


def test_a_story_that_was_refused_is_a_draw_without_a_level_and_no_second_call():
    model = Refuser()
    _, answers = asked("story", model, draws=3)
    assert len(model.calls) == 3
    assert answers[""].distribution is None
    assert answers[""].counts == {Status.REFUSED: 2, Status.UNREADABLE: 1}


@each("mode", ["sample", "distribution", "qa", "likelihood", "story"])
def test_refusals_and_empty_texts_are_statuses_and_never_levels(mode):
    _, answers = asked(mode, Refuser(), draws=6)
    for answer in answers.values():
        assert answer.distribution is None
        assert answer.status == Status.REFUSED
        assert set(answer.counts) <= {Status.REFUSED, Status.UNREADABLE}


def test_qa_without_log_probabilities_falls_back_to_draws_and_says_so():
    found, answers = asked("qa", Wordy(), draws=50)
    assert found.used == answers[""].mode == "sample"
    assert "qa -> sample" in found.note and "50 answers" in found.note
    assert answers[""].draws == 50


def test_likelihood_without_log_probabilities_is_asked_in_words():
    found, answers = asked("likelihood", Wordy())
    assert found.used == "likelihood-words" and "in words" in found.note
    assert answers[""].distribution.probs == pytest.approx(tuple(SPREAD.values()))


def test_expectation_and_argmax_differ_where_the_belief_is_spread():
    class Torn(Believer):
        """Of every level: 40 % surely not, else evenly over 50 to 65 %."""

        def letters(self, text):
            spread = {"0 %": 0.4, "50-55 %": 0.2, "55-60 %": 0.2, "60-65 %": 0.2}
            self.shares = {step: spread.get(step, 0.0) for step in STEPS}
            return super().letters(text.replace("How likely", "What"))

    form = Form("Agrees?", {"yes": (), "no": ()})
    _, answers = asked("likelihood", Torn(), form)
    assert answers[""].total == pytest.approx(2 * 0.6 * 0.575)
    assert "off_sum" in answers[""].flags and "69 %" in answers[""].message
    assert answers["argmax"].status == Status.UNREADABLE  # both levels called impossible


@each("mode", ["qa", "sample", "story", "likelihood", "distribution"])
def test_calls_are_counted_beforehand(mode):
    model = Believer()
    found, _ = asked(mode, model, draws=5)
    assert len(found.exchanges) == len(model.calls) == most_calls(mode, 3, Manner(draws=5))
