"""The contract: what is asked with and what comes back survive a store, and nonsense is refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueness.errors import SettingError
from trueness.models import Message, Reply, Settings, TokenLogprob, build
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


@pytest.mark.parametrize(
    ("wrong", "words"),
    [({"temperature": 3}, "temperature"), ({"max_tokens": 0}, "max_tokens"), ({"timeout": 0}, "timeout")],
)
def test_settings_out_of_range_are_refused(wrong, words):
    with pytest.raises(SettingError, match=f"{words}.*must be.*got"):
        Settings(**wrong)


def test_an_unknown_option_names_the_nearest():
    with pytest.raises(SettingError, match="'concurency' is not a setting of model openai/x. Did you mean 'concur"):
        read_options(CallOptions, {"concurency": 3}, "openai/x")
    with pytest.raises(
        SettingError, match="'concurrency' is not a setting of model m. It has: temperature, max_tokens"
    ):
        read_options(FixedOptions, {"concurrency": 3}, "m")


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        (
            "embedded/smollm2",
            {"context": 0},
            "'context' of model embedded/smollm2 must be a whole number of at least 1",
        ),
        ("embedded/smollm2", {"reuse": 1}, "'reuse' of model embedded/smollm2 must be true or false, got 1"),
        ("embedded/smollm2", {"context": 2.5}, "'context' of model embedded/smollm2 must be a whole number"),
        ("mock/vacuous", {"script": 3}, "'script' of model mock/vacuous must be text"),
        ("mock/vacuous", {"timeout": "1"}, "'timeout' of model mock/vacuous must be a number, got '1'."),
    ],
)
def test_every_option_of_every_kind_of_model_is_checked_by_the_one_checker(name, options, words):
    with pytest.raises(SettingError, match=words):
        build(name, options)


def test_the_plan_may_fix_the_settings_of_any_model():
    reply = build("mock/vacuous", {"temperature": 1, "max_tokens": 7}).ask([Message("user", "?")], Settings())
    assert (reply.settings["temperature"], reply.settings["max_tokens"]) == (1, 7)
