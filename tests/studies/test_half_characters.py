"""Half a character (an emoji cut at max_tokens) in a reply or a message: stored as U+FFFD, and nothing ends."""

import json

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
