"""Half a character (an emoji cut at max_tokens) in a reply or a message: stored as U+FFFD, and nothing ends."""

import json
import sqlite3

import pytest

from tests.studies.odd_models import HALF, ODD
from tests.studies.test_asking import plan, run
from trueness.models import Reply
from trueness.running.store import Run, Store
from trueness.status import Status
from trueness.studies.forecast.answers import read_forecasts


def assert_readable(folder):
    files = [path for path in folder.rglob("*") if path.is_file() and path.suffix in (".csv", ".json", ".txt", ".html")]
    assert files
    for path in files:
        path.read_text(encoding="utf-8")


def test_a_reply_that_was_cut_in_half_is_read_stored_and_read_again(tmp_path):
    text = plan(models=f'["{ODD}CutInHalf"]')
    outcome = run(text, tmp_path)
    assert (outcome.done, outcome.failed) == (28, 0)
    with Store.reading(tmp_path) as store:
        for stored in store.replies().values():
            assert stored.reply["text"].endswith("I am sure \ufffd")
            assert stored.reply["message"] == "cut at max_tokens \ufffd"
    claims = read_forecasts(tmp_path).claims
    assert (claims[claims["respondent"] == f"{ODD}CutInHalf"]["status"] == "ok").sum() == 16
    assert run(text, tmp_path).done == 28
    assert_readable(tmp_path)


def test_every_door_of_the_store_takes_any_text(tmp_path):
    odd = f"a {HALF} b"
    with Store.writing(tmp_path) as store:
        store.set_meta("odd", json.dumps({odd: odd}))
        answer = json.dumps({"read": odd})
        store.add("task", [Run("key", odd, odd, odd, 0, "failed", odd, 0.0, answer, {"measure": (None, "failed")})])
        store.add_reply("reply", odd, "hash", json.dumps([{"role": "user", "content": odd}]), {"note": odd},
                        Reply(odd, Status.OK, odd).to_dict())  # fmt: skip
    with Store.reading(tmp_path) as store:
        assert store.meta("odd") == json.dumps({"a \ufffd b": "a \ufffd b"})
        found = store.runs_of(["key"])[0]
        assert {found.item, found.variant, found.respondent, found.message} == {"a \ufffd b"}
        assert json.loads(found.answer) == {"read": "a \ufffd b"}
        assert store.reply("reply").reply["text"] == "a \ufffd b"
        assert store.prompt("hash") == [{"role": "user", "content": "a \ufffd b"}]


@pytest.fixture()
def of_before(tmp_path):
    """A study in whose store stands what earlier versions could write, and what other programs can."""
    run(plan(models=f'["{ODD}Fine"]'), tmp_path)
    with sqlite3.connect(tmp_path / "study.db") as database:
        for key, reply in database.execute("SELECT key, reply FROM replies").fetchall():
            old = json.dumps(json.loads(reply) | {"text": json.loads(reply)["text"] + HALF, "message": HALF})
            database.execute("UPDATE replies SET reply = ? WHERE key = ?", (old, key))
        for key, answer in database.execute("SELECT key, answer FROM runs WHERE task = 'forecast'").fetchall():
            old = json.dumps(json.loads(answer) | {"note": HALF})
            database.execute(
                "UPDATE runs SET answer = ?, message = CAST(X'61EDA0BD' AS TEXT) WHERE key = ?", (old, key)
            )
    return tmp_path


def test_a_store_that_holds_halves_can_be_read(of_before):
    claims = read_forecasts(of_before).claims
    assert (claims[claims["respondent"] == f"{ODD}Fine"]["status"] == "ok").sum() == 16
    with Store.reading(of_before) as store:
        assert all(stored.reply["text"].endswith("\ufffd") for stored in store.replies().values())
        assert {found.message[0] for found in store.runs_of([*store.statuses("forecast")])} == {"a"}
    assert run(plan(models=f'["{ODD}Fine"]'), of_before).done == 28
    assert_readable(of_before)
