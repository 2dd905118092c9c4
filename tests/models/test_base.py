"""The contract: what is asked with and what comes back survive a store, and nonsense is refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from trueness.errors import SettingError
from trueness.models import Message, Model, Reply, Settings, TokenLogprob, build
from trueness.models.base import CallOptions, FixedOptions, read_options
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
    with pytest.raises(SettingError, match="'concurency' is not a setting of model openai/x. Did you mean 'concur"):
        read_options(CallOptions, {"concurency": 3}, "openai/x")
    with pytest.raises(
        SettingError, match="'concurrency' is not a setting of model m. It has: temperature, max_tokens"
    ):
        read_options(FixedOptions, {"concurrency": 3}, "m")


@each("value", [True, "3", 3.5, 0, 1001])
def test_an_option_of_the_wrong_type_or_range_is_refused(value):
    with pytest.raises(
        SettingError, match=r"'concurrency' of model openai/x must be a whole number in \[1, 1000\], got"
    ):
        read_options(CallOptions, {"concurrency": value}, "openai/x")


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        (
            "embedded/smollm2",
            {"context": 0},
            "'context' of model embedded/smollm2 must be a whole number of at least 1",
        ),
        ("embedded/smollm2", {"reuse": 1}, "'reuse' of model embedded/smollm2 must be true or false, got 1"),
        ("embedded/smollm2", {"threads": 2.5}, "'threads' of model embedded/smollm2 must be a whole number"),
        ("mock/vacuous", {"script": 3}, "'script' of model mock/vacuous must be text"),
        ("mock/vacuous", {"seconds": "1"}, "'seconds' of model mock/vacuous must be a number"),
        ("mock/vacuous", {"timeout": "1"}, "'timeout' of model mock/vacuous must be a number, got '1'."),
    ],
)
def test_every_option_of_every_kind_of_model_is_checked_by_the_one_checker(name, options, words):
    with pytest.raises(SettingError, match=words):
        build(name, options)


def test_every_kind_of_model_keeps_the_contract():
    assert isinstance(build("mock/vacuous"), Model)


def test_the_plan_may_fix_the_settings_of_any_model():
    reply = build("mock/vacuous", {"temperature": 1, "max_tokens": 7}).ask([Message("user", "?")], Settings())
    assert (reply.settings["temperature"], reply.settings["max_tokens"]) == (1, 7)


def test_a_fixed_setting_out_of_range_is_refused_at_once():
    with pytest.raises(SettingError, match="max_tokens"):
        build("mock/vacuous", {"max_tokens": 0})
