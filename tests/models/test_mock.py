"""Scripted models: the same question, the same answer; a script is checked before it is used."""

import json

import pytest

from tests.each import each
from trueness.errors import SettingError, UnknownName
from trueness.models import Message, Settings, build
from trueness.models.mock import BUILT_IN, Mock
from trueness.reading.expected import read_forecast
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


def test_what_is_not_ok_says_why():
    for name in ("refuses", "truncated", "empty"):
        assert ask(f"mock/{name}").message


@pytest.mark.parametrize("nodes", [5, 8, 37])
def test_vacuous_is_read_as_the_widest_ranges(nodes):
    read = read_forecast(ask("mock/vacuous").text, nodes=nodes)
    ranges = {name: (value.low, value.high) for name, value in read.values.items()}
    unit = dict.fromkeys(("precision", "recall", "f1"), (0.0, 1.0))
    assert ranges == {**unit, "shd": (0.0, nodes * (nodes - 1) / 2)}


def test_overconfident_is_read_as_ranges_of_almost_no_width():
    read = read_forecast(ask("mock/overconfident").text, nodes=5)
    assert all(0 < read.values[name].high - read.values[name].low < 0.01 for name in ("precision", "recall", "f1"))
    assert read.values["shd"].high - read.values["shd"].low == 1


@pytest.mark.parametrize("name", ["garbage", "empty", "truncated", "refuses"])
def test_faults_are_never_read_as_ranges(name):
    read = read_forecast(ask(f"mock/{name}").text, nodes=8)
    assert set(read.values.values()) == {None}


def test_copycat_gives_the_prompt_back():
    assert ask("mock/copycat-of-the-prompt").text == "You forecast.\nHow will pc do on asia?"


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


def test_a_stated_price_gives_costs_without_a_key():
    reply = ask("mock/vacuous", {"price": {"input": 1.0, "output": 1.0}})
    assert reply.cost == pytest.approx((reply.input_tokens + reply.output_tokens) / 1e6)


def test_an_unknown_mock_names_the_nearest():
    with pytest.raises(UnknownName, match="Did you mean 'mock/vacuous'"):
        build("mock/vacous")


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


def test_a_scripted_fault(tmp_path):
    reply = ask("mock/any-name", script(tmp_path, {"match": ["asia"], "status": "timed_out"}))
    assert (reply.status, reply.text) == (Status.TIMED_OUT, "")


def test_a_prompt_without_an_entry_fails_and_says_so(tmp_path):
    reply = ask("mock/perfect", script(tmp_path, {"match": ["sachs"], "reply": "x"}))
    assert reply.status == "failed"
    assert "no entry of script.jsonl" in reply.message


def test_a_script_may_be_toml(tmp_path):
    (tmp_path / "s.toml").write_text('[[entry]]\nmatch = ["asia"]\nreply = "here"\n')
    assert ask("mock/perfect", {"script": str(tmp_path / "s.toml")}).text == "here"


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


def test_a_script_that_is_not_there(tmp_path):
    with pytest.raises(SettingError, match="not there"):
        build("mock/perfect", {"script": str(tmp_path / "none.jsonl")})


def test_a_script_that_is_no_json(tmp_path):
    (tmp_path / "s.jsonl").write_text("{")
    with pytest.raises(SettingError, match="must be JSON lines"):
        build("mock/perfect", {"script": str(tmp_path / "s.jsonl")})


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


@pytest.mark.parametrize("wrong", [{"of": 0}, {"fails": -1}, {"seconds": -1}, {"seconds": float("nan")}])
def test_an_option_out_of_range_is_refused(wrong):
    with pytest.raises(SettingError, match="of model mock/flaky must be"):
        build("mock/flaky", wrong)
