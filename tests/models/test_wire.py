"""What really goes over the wire: one address, one key, one call; and what comes back, however it is counted."""

import json
import resource
import time
import zlib
from contextlib import ExitStack
from importlib.util import find_spec

import pytest

from tests.each import each
from tests.models.loopback import Loopback, Turn
from tests.models.test_provider import PROTOCOLS
from trueness.models import Message, Settings, allow, services
from trueness.models.provider import Provided, answered_as
from trueness.status import Status

# asked for without importing it: each process of a test run collects this file, and one of them runs it
pytestmark = pytest.mark.skipif(find_spec("inspect_ai") is None, reason="inspect_ai is not installed")

KEY = "sk-a-very-secret-key"
ASKED = [Message("user", "How will pc do on asia?")]
EXTRAS = {
    "ANTHROPIC_AUTH_TOKEN": "oauth-of-the-user",
    "ANTHROPIC_CUSTOM_HEADERS": "X-Gateway: gateway-of-the-user",
    "OPENAI_CUSTOM_HEADERS": "X-Gateway: gateway-of-the-user",
    "OPENAI_ORG_ID": "org-of-the-user",
    "OPENAI_PROJECT_ID": "project-of-the-user",
    "OPENAI_ADMIN_KEY": "admin-of-the-user",
    "GOOGLE_CLOUD_PROJECT": "cloud-of-the-user",
}


@pytest.fixture(autouse=True)
def keys(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(services, "_hosts", set())
    for variable in ("OPENAI", "ANTHROPIC", "GOOGLE", "TOGETHER", "LAB"):
        monkeypatch.setenv(f"{variable}_API_KEY", KEY)


@pytest.fixture
def ask():
    with ExitStack() as stack:

        def ask(server, name, turn=None, **settings):
            server.then(turn or Turn())
            model = Provided(name, {"base_url": server.url + PROTOCOLS[name], "retries": 0})
            stack.callback(model.close)
            return model.ask(ASKED, Settings(**settings))

        yield ask


@pytest.fixture
def server():
    with Loopback() as running:
        yield running


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_redirect_to_another_server_is_not_followed(server, ask, name):
    allow(hosts=[server.url])
    with Loopback() as elsewhere:
        reply = ask(server, name, Turn(redirect=elsewhere.url))
        assert elsewhere.requests == []
    assert KEY in str(server.requests[0].headers)  # the key was in use
    assert reply.status == "failed"
    assert reply.message.startswith(f"HTTP 307: the server sends on to {elsewhere.url}/")


@pytest.mark.parametrize("name", PROTOCOLS)
@pytest.mark.parametrize("allowed", [False, True], ids=["no key", "key allowed"])
def test_nothing_else_of_the_environment_goes_to_an_address_of_the_plan(server, ask, monkeypatch, name, allowed):
    for variable, value in EXTRAS.items():
        monkeypatch.setenv(variable, value)
    if allowed:
        allow(hosts=[server.url])
    assert ask(server, name).status == "ok"
    sent = json.dumps(server.requests[0].headers) + json.dumps(server.requests[0].body)
    assert "of-the-user" not in sent
    assert (KEY in sent) is allowed


def test_what_the_user_sets_for_a_provider_goes_along_where_the_user_sets_the_address(server, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", server.openai)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-the-user")
    model = Provided("openai/gpt-4o")
    assert model.ask(ASKED, Settings()).status == "ok"
    model.close()
    assert server.requests[0].headers["openai-organization"] == "org-of-the-user"
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


@each("count", [-5, 10**400, 3.5, True, "12", [1], 1e308, 10**9 + 1])
@each("name", [name for name in PROTOCOLS if not name.startswith("google")])
def test_a_count_that_cannot_be_is_unknown_and_the_reply_is_kept(server, ask, name, count):
    reply = ask(server, name, Turn(usage=count))
    assert (reply.status, reply.text) == (Status.OK, "Precision: [0.6, 0.8]")
    assert (reply.input_tokens, reply.output_tokens, reply.cost) == (None, None, None)
    assert reply.message == "input and output tokens unknown: the provider's count cannot be"


@pytest.mark.parametrize("count", [10**400, 10**9 + 1], ids=str)
def test_a_count_that_cannot_be_is_unknown_with_google_too(server, ask, count):
    reply = ask(server, "google/gemini-2.5-flash", Turn(usage=count))
    assert (reply.status, reply.input_tokens, reply.output_tokens, reply.cost) == (Status.OK, None, None, None)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_reply_without_usage_is_kept_and_its_tokens_are_unknown(server, ask, name):
    reply = ask(server, name, Turn(usage=None))
    assert (reply.status, reply.text) == (Status.OK, "Precision: [0.6, 0.8]")
    assert (reply.input_tokens, reply.output_tokens, reply.cost) == (None, None, None)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_provider_that_answers_as_another_model_is_noted(server, ask, name):
    assert ask(server, name, Turn(model="cheaper-model")).answered_as == "cheaper-model"
    assert ask(server, name, Turn(model=f"{name.split('/', 1)[1]}-2025-01-31")).answered_as == ""
    assert ask(server, name).answered_as == ""


@pytest.mark.parametrize("name", PROTOCOLS)
def test_half_a_character_and_a_key_in_a_reply_are_replaced_on_arrival(server, ask, name):
    logprobs = 0 if name in ("openai/gpt-5", "anthropic/claude-sonnet-4-5") else 1
    reply = ask(server, name, Turn(text=f"{KEY} is your key \ud83d"), top_logprobs=logprobs)
    assert (reply.status, reply.text, reply.logprobs) == (Status.OK, "*** is your key \ufffd", None)


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("gpt-4o", "gpt-4o-2024-08-06"),
        ("gpt-4", "gpt-4-0613"),
        ("claude-sonnet-4-5", "claude-sonnet-4-5-20250929"),
        ("claude-sonnet-4-5-latest", "claude-sonnet-4-5-20250929"),
        ("gemini-2.5-flash", "models/gemini-2.5-flash-002"),
        ("gemini-2.5-flash-preview", "gemini-2.5-flash-preview-05-20"),
        ("llama3.2", "llama3.2:latest"),
        ("meta-llama/Llama-3.3-70B", "llama-3.3-70b"),
        ("meta-llama/llama-3.3:free", "meta-llama/llama-3.3"),
        ("gpt-4o", ""),
        ("gpt-4o", None),
    ],
)
def test_a_snapshot_is_the_same_model(asked, answered):
    assert answered_as(asked, answered) == ""


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("gpt-4o", "gpt-4o-mini"),
        ("gpt-4o", "gpt-4o-mini-2024-07-18"),
        ("gpt-4", "gpt-4-32k"),
        ("gpt-4o-2024-05-13", "gpt-4o-2024-08-06"),
        ("gpt-4o-mini", "gpt-4o"),
        ("claude-opus-4-5", "claude-sonnet-4-5"),
        ("llama3.2", "llama3.2:1b"),
    ],
)
def test_another_size_or_another_snapshot_is_another_model(asked, answered):
    assert answered_as(asked, answered) == answered


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_body_that_unpacks_to_gigabytes_is_not_unpacked(server, ask, name):
    """1.5 MB of gzip are 1.5 GB; it goes over the wire of a real server on loopback."""
    zeros, packed = bytes(2**20), zlib.compressobj(9, wbits=31)
    bomb = b"".join([packed.compress(zeros) for _ in range(300)]) + packed.flush()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    reply = ask(server, name, Turn(packed=bomb))
    assert reply.status == Status.FAILED and "its body unpacks to more than 16 MB" in reply.message
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 150_000  # KB
    assert len(server.requests) == 1


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_body_that_does_not_end_is_not_read_on(server, ask, name):
    reply = ask(server, name, Turn(text="x" * (17 * 2**20)))
    assert reply.status == Status.FAILED and "its body has more than 16 MB" in reply.message


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_body_that_a_server_packs_unasked_is_unpacked(server, ask, name):
    reply = ask(server, name)
    server.packs = True
    assert ask(server, name).text == reply.text
    assert server.requests[0].headers["accept-encoding"] == "identity"


@pytest.mark.parametrize("block", ["<think>", "<think>a</think>", "<think", "<summary>", "<internal>", "\u003cthink>"])
def test_blocks_of_thinking_do_not_hold_up_the_others(server, ask, block):
    """112 kB of them took 20 s, and no time limit ended it."""
    started = time.process_time()
    reply = ask(
        server, "openai/gpt-4o", Turn(text=block * (112_000 // len(block)) + "Precision: [0.6, 0.8]"), timeout=5.0
    )
    assert time.process_time() - started < 3
    assert reply.status == Status.FAILED and "<think> or other tags" in reply.message
