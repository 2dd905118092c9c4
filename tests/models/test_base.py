"""The contract: what is asked with and what comes back survive a store, and nonsense is refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueness.errors import SettingError
from trueness.models import Message, Model, Reply, Settings, TokenLogprob, build
from trueness.models.base import check_options, option
from trueness.status import Status

numbers = st.floats(allow_nan=False, allow_infinity=False)
logprobs = st.lists(
    st.builds(TokenLogprob, st.text(), numbers, st.lists(st.tuples(st.text(), numbers)).map(tuple)), max_size=3
).map(tuple)
replies = st.builds(
    Reply,
    text=st.text(),
    status=st.sampled_from(Status),
    message=st.text(),
    input_tokens=st.none() | st.integers(0, 10**6),
    cached_tokens=st.none(),
    cost=st.none() | numbers,
    settings=st.dictionaries(st.text(), st.none() | st.integers() | st.text()),
    logprobs=st.none() | logprobs,
)


@given(replies)
def test_a_reply_survives_the_store(reply):
    assert Reply.from_dict(json.loads(json.dumps(reply.to_dict()))) == reply


def test_a_reply_of_a_later_version_can_be_read():
    assert Reply.from_dict({"text": "a", "status": "ok", "something_new": 1}).text == "a"


def test_settings_are_json_for_the_key_of_a_question():
    settings = Settings(schema={"type": "object"}, seed=3)
    assert json.loads(json.dumps(settings.to_dict())) == {
        "temperature": 0.1,
        "max_tokens": 1024,
        "schema": {"type": "object"},
        "top_logprobs": 0,
        "seed": 3,
        "timeout": 120.0,
    }


@pytest.mark.parametrize(
    ("wrong", "words"),
    [({"temperature": 3}, "temperature"), ({"max_tokens": 0}, "max_tokens"), ({"timeout": 0}, "timeout")],
)
def test_settings_out_of_range_are_refused(wrong, words):
    with pytest.raises(SettingError, match=f"{words}.*must be.*got"):
        Settings(**wrong)


def test_a_message_has_one_of_three_roles():
    with pytest.raises(SettingError, match="system, user, assistant"):
        Message("robot", "hello")


def test_evaluated_tokens_are_those_not_reused():
    assert Reply("", Status.OK, input_tokens=100, cached_tokens=90).evaluated_tokens == 10
    assert Reply("", Status.OK).evaluated_tokens is None


def test_an_unknown_option_names_the_nearest():
    with pytest.raises(SettingError, match="Did you mean 'concurrency'"):
        check_options({"concurency": 3}, ("concurrency", "price"), "openai/x")


@pytest.mark.parametrize("value", [True, "3", 3.5])
def test_an_option_of_the_wrong_type_is_refused(value):
    with pytest.raises(SettingError, match="must be int"):
        option({"concurrency": value}, "concurrency", 10, int, "openai/x")


def test_every_kind_of_model_keeps_the_contract():
    assert isinstance(build("mock/vacuous"), Model)


def test_the_plan_may_fix_the_settings_of_any_model():
    reply = build("mock/vacuous", {"temperature": 1, "max_tokens": 7}).ask([Message("user", "?")], Settings())
    assert (reply.settings["temperature"], reply.settings["max_tokens"]) == (1, 7)


def test_a_fixed_setting_out_of_range_is_refused_at_once():
    with pytest.raises(SettingError, match="max_tokens"):
        build("mock/vacuous", {"max_tokens": 0})
