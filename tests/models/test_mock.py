"""Scripted models: the same question, the same answer; a script is checked before it is used."""

import json

import pytest

from tests.each import each
from trueness.errors import SettingError
from trueness.models import Message, Settings, build
from trueness.models.mock import BUILT_IN

ASKED = [Message("system", "You forecast."), Message("user", "How will pc do on asia?")]


def ask(name, options=None, **settings):
    return build(name, options or {}).ask(ASKED, Settings(**settings))


@each("name", BUILT_IN)
def test_the_same_question_gets_the_same_answer(name):
    first, second = ask(f"mock/{name}"), ask(f"mock/{name}")
    assert (first.text, first.status) == (second.text, second.status)


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("vacuous", "ok"),
        ("overconfident", "ok"),
        ("refuses", "refused"),
        ("empty", "unreadable"),
    ],
)
def test_each_fault_has_its_status(name, status):
    assert ask(f"mock/{name}").status == status


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
    assert "no entry of its script" in reply.message


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"match": ["a"]}, "must have a 'reply' or a 'status'"),
        ({"match": "a", "reply": "b"}, "Expected `array`, got `str`"),
        ({"reply": "b", "satus": "ok"}, "unknown field `satus`"),
        ({"status": "fine"}, "Invalid enum value 'fine'"),
    ],
)
def test_a_wrong_entry_is_refused_with_its_place(tmp_path, entry, words):
    with pytest.raises(SettingError, match=f"line 1 of script.jsonl.*{words}"):
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
