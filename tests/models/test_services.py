"""Which provider, which key, which address: said before anything is called."""

import pytest

from tests.each import each
from trueness.errors import UnknownName
from trueness.models import build, check_ready
from trueness.models.services import SERVICES, access


@pytest.fixture(autouse=True)
def no_keys(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for service in SERVICES.values():
        for name in (*service.keys, service.url_variable):
            monkeypatch.delenv(name, raising=False)


@each("name", [s.example for s in SERVICES.values() if s.keys])
def test_a_missing_key_is_named_with_what_works_without(name):
    said = check_ready(name)
    assert SERVICES[name.split("/")[0]].keys[0] in said
    assert "embedded/smollm2" in said and "mock/" in said and "baselines" in said


def test_a_key_never_shows_in_a_representation(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    assert "secret" not in repr(access("openai/gpt-4o", {}))


def test_a_server_on_this_machine_needs_no_key():
    assert check_ready("openai-api/lab/llama", {"base_url": "http://127.0.0.1:9/v1"}) is None
    assert check_ready("ollama/llama3.2") is None


def test_an_unknown_provider_is_named():
    with pytest.raises(UnknownName, match="'opnai/gpt-4o' is not a model"):
        build("opnai/gpt-4o")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"concurency": 3}, "Did you mean 'concurrency'"),
        ({"concurrency": 0}, "must be a whole number in [1, 1000], got 0."),
        ({"price": 3}, "'price'"),
        ({"price": {"input": float("inf"), "output": 1}}, "'price'"),
        ({"delay": -1}, "'delay' of model ollama/llama3.2 must be a number in [0, 300], got -1"),
        ({"delay": float("nan")}, "'delay'"),
        ({"retries": 10**9}, "'retries' of model ollama/llama3.2 must be a whole number in [0, 100]"),
        ({"timeout": float("inf")}, "'timeout'"),
        ({"base_url": 3}, "'base_url' of model ollama/llama3.2 must be text, got 3."),
    ],
)
def test_a_wrong_option_is_refused(options, words):
    assert words in check_ready("ollama/llama3.2", options)


def test_qwen_and_vllm_are_reached_as_open_servers(monkeypatch):
    monkeypatch.setenv("DASHSCOPE_API_KEY", "sk-q")
    assert access("qwen/qwen-plus", {}).route == "openai-api/qwen/qwen-plus"
    assert access("vllm/a/b", {}).route == "openai-api/vllm/a/b"
