"""Scripted models: the same question, the same answer; a script is checked before it is used."""

import json

import pytest

from tests.each import each
from trueness.errors import SettingError
from trueness.models import Message, Settings, build
from trueness.models.mock import BUILT_IN, Mock
from trueness.status import Status

ASKED = [Message("system", "You forecast."), Message("user", "How will pc do on asia?")]


def ask(name, options=None, **settings):
    return build(name, options or {}).ask(ASKED, Settings(**settings))


@each("name", [name for name in BUILT_IN if name != "slow"])
def test_the_same_question_gets_the_same_answer(name):
    first, second = ask(f"mock/{name}"), ask(f"mock/{name}")
    assert (first.text, first.status) == (second.text, second.status)


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("vacuous", "ok"),
        ("overconfident", "ok"),
        ("refuses", "refused"),
        ("truncated", "truncated"),
        ("empty", "unreadable"),
        ("garbage", "ok"),
    ],
)
def test_each_fault_has_its_status(name, status):
    assert ask(f"mock/{name}").status == status


def test_slow_waits_no_longer_than_the_timeout():
    waited = []
    model = Mock("mock/slow", {"seconds": 50}, sleep=waited.append)
    reply = model.ask(ASKED, Settings(timeout=2))
    assert (waited, reply.status) == ([2], Status.TIMED_OUT)


def test_flaky_fails_about_k_of_n_and_always_the_same():
    model = build("mock/flaky", {"fails": 1, "of": 4, "seed": 7})
    failed = [model.ask([Message("user", str(k))], Settings()).status == "failed" for k in range(400)]
    assert failed == [model.ask([Message("user", str(k))], Settings()).status == "failed" for k in range(400)]
    assert 70 < sum(failed) < 130


def script(tmp_path, *entries):
    path = tmp_path / "script.jsonl"
    path.write_text("\n".join(json.dumps(entry) for entry in entries))
    return {"script": str(path)}


def test_the_first_entry_whose_parts_all_occur_answers(tmp_path):
    options = script(
        tmp_path,
        {"match": ["pc", "sachs"], "reply": "first"},
        {"match": ["pc", "asia"], "reply": "second"},
        {"match": [], "reply": "third"},
    )
    assert ask("mock/perfect", options).text == "second"


def test_a_prompt_without_an_entry_fails_and_says_so(tmp_path):
    reply = ask("mock/perfect", script(tmp_path, {"match": ["sachs"], "reply": "x"}))
    assert reply.status == "failed"
    assert "no entry of script.jsonl" in reply.message


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"match": ["a"]}, "must have a 'reply' or a 'status'"),
        ({"match": "a", "reply": "b"}, "must be a list of texts"),
        ({"reply": "b", "satus": "ok"}, "may have match"),
        ({"status": "fine"}, "must be one of"),
    ],
)
def test_a_wrong_entry_is_refused_with_its_place(tmp_path, entry, words):
    with pytest.raises(SettingError, match=f"entry 1 of script.jsonl.*{words}|{words}"):
        ask("mock/perfect", script(tmp_path, entry))


OUTSIDE = """
from trueness.models import Reply
from trueness.status import Status

class Parrot:
    concurrency, offers_schema, offers_logprobs = 1, False, False
    def __init__(self, name, options=None):
        self.name = name
    def ask(self, messages, settings):
        return Reply(messages[-1].content, Status.OK, model=self.name)
    def close(self):
        pass
"""


def test_a_model_of_your_own_is_a_file(tmp_path):
    from trueness import models

    (tmp_path / "mine.py").write_text(OUTSIDE)
    model = models.build(f"{tmp_path / 'mine.py'}:Parrot")
    assert model.ask([models.Message("user", "hello")], models.Settings()).text == "hello"
