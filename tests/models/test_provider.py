"""Providers over real HTTP: the SDKs of OpenAI, Anthropic and Google against a loopback server."""

import json
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec

import pytest

from tests.each import each
from tests.models.loopback import Loopback, Turn
from trueness.models import Message, Settings, allow, services
from trueness.models.provider import Provided
from trueness.status import Status

# asked for without importing it: each process of a test run collects this file, and one of them runs it
pytestmark = pytest.mark.skipif(find_spec("inspect_ai") is None, reason="inspect_ai is not installed")

ASKED = [Message("system", "You forecast."), Message("user", "How will pc do on asia?")]
PROMPT = "You forecast.\nHow will pc do on asia?"
RANGES = {"type": "object", "properties": {"precision": {"type": "array", "items": {"type": "number"}}}}
KEY = "sk-a-very-secret-key"

PROTOCOLS = {  # name of a model -> part of the address that its SDK adds itself
    "openai/gpt-4o": "/v1",
    "openai/gpt-5": "/v1",
    "anthropic/claude-sonnet-4-5": "",
    "google/gemini-2.5-flash": "",
    "together/meta-llama/Llama-3.3-70B-Instruct-Turbo": "/v1",
    "openai-api/lab/llama": "/v1",
}
THREE = ["openai/gpt-4o", "anthropic/claude-sonnet-4-5", "google/gemini-2.5-flash"]


@pytest.fixture
def server():
    with Loopback() as running:
        yield running


@pytest.fixture
def asked(server, monkeypatch):
    """Ask a model of a name; the waits that it took are in `asked.waits`."""
    for variable in ("OPENAI", "ANTHROPIC", "GOOGLE", "TOGETHER", "LAB"):
        monkeypatch.setenv(f"{variable}_API_KEY", KEY)
    monkeypatch.setattr(services, "_hosts", set())
    allow(hosts=[server.url])
    opened = []

    def ask(name, options=None, messages=ASKED, **settings):
        base_url = server.url + PROTOCOLS[name]
        model = Provided(name, {"base_url": base_url, **(options or {})}, sleep=ask.waits.append)
        opened.append(model)
        return model.ask(messages, Settings(**settings))

    ask.waits = []
    yield ask
    for model in opened:
        model.close()


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_question_is_answered(server, asked, name):
    reply = asked(name)
    assert (reply.status, reply.text, reply.message) == (Status.OK, "Precision: [0.6, 0.8]", "")
    assert (reply.input_tokens, reply.output_tokens) == (10, 6)
    assert server.counts == {PROMPT: 1}


@pytest.mark.parametrize("name", THREE)
def test_a_busy_provider_is_asked_again_when_it_says(server, asked, name):
    server.then(Turn(code=429, retry_after="7"), Turn(code=429, retry_after="1.5"))
    assert asked(name).status == "ok"
    assert asked.waits == [7.0, 1.5]


@pytest.mark.parametrize(
    "fault",
    [Turn(code=500), Turn(code=503), Turn(code=429), Turn(cut=True), Turn(malformed=True)],
    ids=["500", "503", "429", "cut", "malformed"],
)
@pytest.mark.parametrize("name", THREE)
def test_a_fault_is_tried_three_times_more_after_five_seconds_each(server, asked, name, fault):
    server.then(*[fault] * 9)
    reply = asked(name)
    assert (reply.status, reply.text) == (Status.FAILED, "")
    assert reply.message.endswith("(tried 4 times)")
    assert asked.waits == [5.0, 5.0, 5.0]
    assert len(server.requests) == 4


@pytest.mark.parametrize("name", THREE)
def test_silence_is_timed_out(server, asked, name):
    server.then(Turn(hang=30))
    reply = asked(name, {"retries": 0}, timeout=0.5)
    assert reply.status == "timed_out"
    assert reply.message == "no reply within 0.5 s"


@pytest.mark.parametrize("name", THREE)
def test_a_refusal_is_a_refusal(server, asked, name):
    server.then(Turn(refusal=True))
    reply = asked(name)
    assert reply.status == "refused"
    assert reply.message


@pytest.mark.parametrize("name", THREE)
def test_a_reply_that_was_cut_off_keeps_its_text(server, asked, name):
    server.then(Turn(truncated=True))
    reply = asked(name, max_tokens=6)
    assert (reply.status, reply.text) == (Status.TRUNCATED, "Precision: [0.6, 0.8]")
    assert "max_tokens = 6" in reply.message


@pytest.mark.parametrize("name", THREE)
def test_empty_text_is_unreadable_and_paid_for(server, asked, name):
    server.then(Turn(text=""))
    reply = asked(name)
    assert (reply.status, reply.message) == (Status.UNREADABLE, "the reply is empty")
    assert reply.cost > 0


@pytest.mark.parametrize("name", THREE)
def test_a_body_of_another_shape_never_becomes_an_answer(server, asked, name):
    server.then(*[Turn(shapeless=True)] * 4)
    reply = asked(name)
    assert (reply.status, len(server.requests)) == ("failed", 4)  # it may pass, so it was tried again
    assert reply.text == ""


@pytest.mark.parametrize("name", THREE)
def test_a_wrong_key_is_said_once_and_not_shown(server, asked, name):
    server.then(Turn(code=401, error=f"Incorrect API key provided: {KEY}."))
    reply = asked(name)
    assert reply.status == "failed"
    assert "HTTP 401" in reply.message and "***" in reply.message
    assert KEY not in json.dumps(reply.to_dict())
    assert asked.waits == []


@pytest.mark.parametrize("name", ["openai/gpt-4o", "together/meta-llama/Llama-3.3-70B-Instruct-Turbo"])
def test_a_temperature_that_is_refused_is_left_out_and_recorded(server, asked, name):
    server.refuses = {"temperature"}
    reply = asked(name)
    assert (reply.status, reply.text) == (Status.OK, "Precision: [0.6, 0.8]")
    assert (reply.settings["temperature"], reply.settings["refused"]) == (None, ["temperature"])
    assert asked.waits == []


@pytest.mark.parametrize("name", ["anthropic/claude-sonnet-4-5", "openai/gpt-5"])
def test_a_temperature_that_the_layer_below_drops_is_recorded(server, asked, name):
    reply = asked(name)
    assert "temperature" not in server.requests[-1].body
    assert (reply.settings["temperature"], reply.settings["refused"]) == (None, ["temperature"])


def test_what_is_sent_is_what_was_asked_with(server, asked):
    reply = asked("openai/gpt-4o", seed=4)
    body = server.requests[-1].body
    assert (body["temperature"], body["max_tokens"], body["seed"]) == (0.1, 1024, 4)
    assert (reply.settings["temperature"], reply.settings["seed"], reply.settings["refused"]) == (0.1, 4, [])


def test_a_schema_that_is_refused_is_left_out(server, asked):
    server.refuses = {"response_format"}
    reply = asked("openai-api/lab/llama", schema=RANGES)
    assert (reply.status, reply.settings["refused"]) == (Status.OK, ["schema"])


@pytest.mark.parametrize("name", ["openai/gpt-4o", "google/gemini-2.5-flash"])
def test_log_probabilities_are_those_of_the_text(asked, name):
    reply = asked(name, top_logprobs=1)
    assert "".join(token.token for token in reply.logprobs) == reply.text
    assert reply.logprobs[0].top[0][1] == -0.5


@pytest.mark.parametrize("name", ["openai/gpt-4o", "google/gemini-2.5-flash"])
def test_log_probabilities_of_the_wrong_length_are_dropped_and_said(server, asked, name):
    server.then(Turn(extra_logprobs=2))
    reply = asked(name, top_logprobs=1)
    assert (reply.status, reply.logprobs) == (Status.OK, None)
    assert "log-probabilities dropped" in reply.message


def test_a_provider_that_asks_for_an_hour_is_not_waited_for(server, asked):
    server.then(Turn(code=429, retry_after="3600"))
    reply = asked("openai/gpt-4o")
    assert reply.status == "failed"
    assert "asks to wait 3600 s" in reply.message
    assert asked.waits == []


@each("header", ["Wed, 21 Oct 2015 07:28:00 GMT", "9" * 400, "soon"])
def test_what_is_no_number_of_seconds_in_retry_after_is_the_default(server, asked, header):
    asked.waits.clear()
    server.then(Turn(code=429, retry_after=header))
    assert (asked("openai/gpt-4o").status, asked.waits) == ("ok", [5.0])


def test_spent_quota_is_not_tried_again(server, asked):
    server.then(Turn(code=429, error="insufficient_quota: you exceeded your current quota"))
    assert asked("openai/gpt-4o").status == "failed"
    assert len(server.requests) == 1


def test_many_threads_ask_at_once_and_no_more_than_allowed(server):
    server.then(*[Turn(hang=0.05)] * 24)
    model = Provided("openai-api/lab/llama", {"base_url": server.openai, "concurrency": 4})
    with ThreadPoolExecutor(12) as pool:
        replies = list(pool.map(lambda k: model.ask([Message("user", f"question {k}")], Settings()), range(24)))
    model.close()
    assert [reply.status for reply in replies] == [Status.OK] * 24
    assert server.paid == {f"question {k}": 1 for k in range(24)}
    assert 1 < server.most_concurrent <= 4


def test_a_server_that_is_not_there_fails_in_words():
    model = Provided("openai-api/lab/llama", {"base_url": "http://127.0.0.1:9/v1", "retries": 0})
    reply = model.ask(ASKED, Settings())
    model.close()
    assert reply.status == "failed"
    assert reply.message == "connection refused at http://127.0.0.1:9/v1"
