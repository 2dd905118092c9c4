"""Models of the user's own, and servers, that misbehave: one failed reply each, and the study goes on."""

import json
import socket
import threading
import time
from collections import Counter

import pytest

from tests.each import each
from tests.models.loopback import Loopback, Seen, Turn
from tests.studies.odd_models import ODD, RANGES, Odd
from tests.studies.test_asking import plan, run
from trueness.errors import TruenessError
from trueness.models import Message, Settings
from trueness.models.provider import Provided
from trueness.running import asking, calling
from trueness.running.asking import Asker
from trueness.running.store import Store
from trueness.status import Status

FOUR = 'formulations = ["direct"]'  # two data sets, two learners


def study(folder, *models, forecast=FOUR, more="", **how):
    names = ", ".join(f'"{name if "/" in name and ".py" not in name else ODD + name}"' for name in models)
    return run(plan(models=f"[{names}]", forecast=forecast, more=more), folder, **how)


def replies(folder, name):
    with Store.reading(folder) as store:
        return [stored for stored in store.replies().values() if stored.respondent.endswith(name)]


BAD = {  # model -> what the one line says, the text that is kept because it was paid for
    "Raises": ("ValueError: the model is out of order \ufffd (odd_models.py:", ""),
    "Exits": ("SystemExit: I end your program", ""),
    "GivesNone": ("the model must give a Reply: TypeError: got NoneType", ""),
    "GivesBytes": ("the model must give a Reply: TypeError: got bytes", RANGES),
    "OwnStatus": ("the model must give a Reply: ValidationError: Invalid enum value 'splendid'", RANGES),
    "OddParts": ("Expected `str`, got `null` - at `$.text`", ""),
    "OddSettings": ("the model must give a Reply: RuntimeError: no", RANGES),
    "OddLogprobs": ("Expected `array | null`, got `str` - at `$.logprobs`", RANGES),
    "OddFault": ("the model must give a Reply: RuntimeError: no", RANGES),
    "OddCounts": ("Expected `int | null`, got `str` - at `$.input_tokens`", RANGES),
}


@each("name", BAD)
def test_a_model_that_misbehaves_fails_in_one_line_and_the_others_go_on(tmp_path, name):
    outcome = study(tmp_path, name, "Fine")
    assert (outcome.done, outcome.total, outcome.failed) == (32, 32, 4)
    said, text = BAD[name]
    for stored in replies(tmp_path, name):
        assert (stored.status, stored.reply["text"]) == ("failed", text)
        assert said in stored.reply["message"] and "\n" not in stored.reply["message"]
    bad, fine = outcome.models
    assert (bad.failed, bad.answered, fine.failed, fine.answered) == (4, 0, 0, 4)
    assert sum(bad.reasons.values()) == 4 and said in next(iter(bad.reasons))
    json.dumps(outcome.to_dict())


def test_a_part_that_no_reply_has_is_left_out(tmp_path):
    assert study(tmp_path, "OddFields").failed == 0
    stored = replies(tmp_path, "OddFields")
    assert [(each.status, each.reply["text"]) for each in stored] == [("ok", RANGES)] * 4


def test_a_model_that_changes_what_it_was_given_changes_nothing_that_is_stored(tmp_path):
    assert study(tmp_path, "Appends", "Fine").failed == 0
    ours, theirs = replies(tmp_path, "Appends"), replies(tmp_path, "Fine")
    assert {each.status for each in ours} == {"ok"}
    assert sorted(each.prompt for each in ours) == sorted(each.prompt for each in theirs)
    with Store.reading(tmp_path) as store:
        assert store.spent() == pytest.approx(0.008)  # what was paid is counted


def test_a_model_that_never_comes_back_is_given_up_and_then_set_aside(tmp_path, monkeypatch):
    monkeypatch.setattr(calling, "GRACE", 0.1)
    more = f'[models."{ODD}NeverComesBack"]\ntimeout = 0.2\n'
    outcome = study(tmp_path, "NeverComesBack", "Fine", forecast=f"{FOUR}\nrepeats = 3", more=more)
    lost, fine = outcome.models
    assert (fine.answered, lost.answered) == (12, 0)
    assert "3 calls without an end in a row: the model did not come back within 0.2 s" in lost.set_aside
    assert lost.failed + lost.not_asked == 12 and lost.failed >= 3
    assert {stored.status for stored in replies(tmp_path, "NeverComesBack")} == {"timed_out"}


def test_a_reply_that_comes_after_its_time_is_stored_because_it_was_paid(tmp_path, monkeypatch):
    monkeypatch.setattr(calling, "GRACE", 0.05)
    gate = threading.Event()

    class Late(Odd):
        def answer(self, text, settings):
            gate.wait(30)
            return super().answer(text, settings)

    question = [Message("user", "?")]
    with Store.writing(tmp_path) as store:
        made = Asker(store, {})
        made._models["late"] = Late()
        assert made.ask("late", question, Settings(timeout=0.05), "").status == Status.TIMED_OUT
        gate.set()
        wait_until(lambda: [stored.status for stored in store.replies().values()] == ["ok"])
        assert made.ask("late", question, Settings(timeout=0.05), "").text == RANGES


def wait_until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("name", "says"), [("NoConcurrency", r"'concurrency'.* in \[1, 1000\], got 0"), ("CannotBeMade", "room")]
)
def test_a_model_that_cannot_be_used_is_refused_in_one_line(tmp_path, name, says):
    with pytest.raises(TruenessError, match=says) as refused:
        study(tmp_path, name)
    assert "\n" not in str(refused.value)


def test_what_only_the_user_can_mend_sets_the_model_aside_and_stores_nothing(tmp_path):
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF but not really")
    outcome = study(tmp_path / "out", f"embedded/{broken}", "Fine")
    mistaken, fine = outcome.models
    assert (mistaken.not_asked, mistaken.failed, fine.answered) == (4, 0, 4)
    assert "must be a GGUF file" in mistaken.set_aside


def test_other_models_that_answer_are_counted_and_told(tmp_path):
    outcome = study(tmp_path, "Another", "Fine")
    other, fine = outcome.models
    assert (other.answered_as, fine.answered_as) == ({"a-cheaper-one": 4}, {})
    assert "4 replies came from 'a-cheaper-one'" in "\n".join(other.lines())
    assert fine.lines() == []
    assert study(tmp_path, "Another", "Fine").models[0].answered_as == {"a-cheaper-one": 4}  # a later run tells it, too


# ---- servers


def server_options(name, url, more=""):
    return f'[models."{name}"]\nbase_url = "{url}"\ndelay = 0.01\nretries = 1\n{more}'


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_a_dead_server_is_set_aside_and_the_same_command_asks_again(tmp_path, monkeypatch):
    monkeypatch.setattr(asking, "FIRST_WAIT", 0.01)
    port, name, notes = free_port(), "openai-api/lab/m", []
    more = server_options(name, f"http://127.0.0.1:{port}/v1")
    dead = study(tmp_path, name, "Fine", more=more, report=lambda now: notes.append(list(now.notes)))
    lab, fine = dead.models
    assert (lab.not_asked, lab.failed, fine.answered) == (4, 0, 4)  # nobody was asked: no failed row
    assert f"after 3 failed connections in a row: connection refused at http://127.0.0.1:{port}/v1" in lab.set_aside
    assert (dead.done, dead.total) == (28, 32)
    assert any("set aside" in note and "--retry" in note for note in notes[-1])
    assert replies(tmp_path, name) == []
    with Loopback() as server:
        alive = more.replace(f"http://127.0.0.1:{port}/v1", server.openai)
        lab, _ = study(tmp_path, name, "Fine", more=alive, replan=True).models
    assert (lab.answered, lab.set_aside, lab.reasons) == (4, "", {})


def test_twenty_faults_in_a_row_set_a_model_aside(tmp_path, monkeypatch):
    broken = tmp_path / "broken"
    broken.touch()
    monkeypatch.setenv("TRUENESS_TEST_BROKEN", str(broken))
    many = f"{FOUR}\nrepeats = 8"  # 32 units
    model, fine = study(tmp_path / "out", "Broken", "Fine", forecast=many).models
    assert (model.failed, model.not_asked, fine.answered) == (20, 12, 32)
    assert model.set_aside == "after 20 faults in a row: HTTP 500: out of order"
    assert model.reasons == {"failed: HTTP 500: out of order": 20}
    broken.unlink()
    model, _ = study(tmp_path / "out", "Broken", "Fine", forecast=many).models
    assert (model.failed, model.answered, model.set_aside) == (20, 12, "")  # those that were not asked
    model, _ = study(tmp_path / "out", "Broken", "Fine", forecast=many, retry=True).models
    assert (model.failed, model.answered, model.lines()) == (0, 32, [])


class Busy(Loopback):
    """Turns away what comes while it works on `room` requests, and says how long each took to be let in."""

    def __init__(self, room):
        super().__init__()
        self.room, self.turned_away, self.inside = room, 0, 0

    def take(self, seen: Seen) -> Turn:
        super().take(seen)
        with self._lock:
            if self.concurrent >= self.room:  # this one is not counted yet
                self.turned_away += 1
                return Turn(code=429)
        return Turn(hang=0.02)


def test_a_busy_provider_is_asked_more_slowly_and_no_row_fails(tmp_path, monkeypatch):
    monkeypatch.setattr(asking, "FIRST_WAIT", 0.05)
    name = "openai-api/lab/m"
    with Busy(room=2) as server:
        more = server_options(name, server.openai, "concurrency = 10\n")
        outcome = study(tmp_path, name, forecast=f"{FOUR}\nrepeats = 15", more=more)
        assert server.turned_away > 0
        assert max(Counter(seen.body["seed"] for seen in server.requests if "seed" in seen.body).values()) > 1
    lab = outcome.models[0]
    assert (lab.answered, lab.failed, lab.not_asked) == (60, 0, 0)


@pytest.mark.parametrize("retries", [3, 100])
def test_a_refused_connection_counts_once_for_each_attempt_not_for_each_call(tmp_path, monkeypatch, retries):
    attempts, attempt = [], Provided._call
    monkeypatch.setattr(Provided, "_call", lambda self, *what: attempts.append(1) or attempt(self, *what))
    name = "openai-api/lab/m"
    more = server_options(name, f"http://127.0.0.1:{free_port()}/v1", "concurrency = 1\n")
    lab = study(tmp_path, name, more=more.replace("retries = 1", f"retries = {retries}")).models[0]
    assert "after 3 failed connections in a row: connection refused" in lab.set_aside
    assert (len(attempts), lab.not_asked) == (3, 4)


# ---- attempts that may be on the bill

LAB, QUESTION = "openai-api/lab/m", [Message("user", "?")]
PRICED = {"retries": 3, "delay": 0.01, "price": {"input": 0.0, "output": 1000.0}}
UNCLEAR = Turn(malformed=True)  # answered and billed, perhaps; and nobody can read it


def test_attempts_within_a_call_ask_the_limit_too(tmp_path):
    """Each could cost 0.4: of the four attempts of a call two fit in 1.0."""
    with Loopback() as server, Store.writing(tmp_path) as store:
        server.then(*[UNCLEAR] * 40)
        made = Asker(store, {LAB: PRICED | {"base_url": server.openai}}, limit=1.0)
        reply = made.ask(LAB, QUESTION, Settings(max_tokens=400), "0")
        assert (reply.status, len(server.requests)) == (Status.FAILED, 2)
        assert "could pass the limit of 1 USD" in reply.message
        assert made.spent == pytest.approx(0.8)
        with pytest.raises(asking.BudgetReached):
            made.ask(LAB, QUESTION, Settings(max_tokens=400), "1")
        assert Asker(store, {LAB: PRICED}, limit=1.0).spent == pytest.approx(0.8)  # after a restart, too
        made.close()


@pytest.mark.parametrize("then", [Turn(code=429), Turn(code=503)])
def test_what_may_be_billed_is_counted_also_where_the_last_attempt_was_turned_away(tmp_path, then):
    with Loopback() as server, Store.writing(tmp_path) as store:
        server.then(UNCLEAR, *[then] * 3)
        made = Asker(store, {LAB: PRICED | {"base_url": server.openai}}, limit=10.0)
        assert made.ask(LAB, QUESTION, Settings(max_tokens=400), "0").status == Status.FAILED
        assert (made.spent, len(server.requests)) == (pytest.approx(0.4), 4)
        assert Asker(store, {LAB: PRICED}, limit=1.0).spent == pytest.approx(0.4)
        made.close()
