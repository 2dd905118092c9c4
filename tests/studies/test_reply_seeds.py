"""The plan's seed reaches the models: each reply has a seed of its own, and one study gives one scores.csv."""

import hashlib

from tests.models.loopback import Loopback
from tests.studies.odd_models import ODD
from tests.studies.test_asking import plan, run
from trueness.models import Message, Reply, Settings
from trueness.running.asking import Asker
from trueness.running.cells import reply_key
from trueness.running.store import Store
from trueness.status import Status

QUESTION = [Message("user", "how many? \u00fc")]
KEY = "97f77915fd2b89f7aab7834ac68443b9"  # of the version before replies had seeds


class Seeded:
    name, concurrency, offers_schema, offers_logprobs = "seeded", 1, False, False

    def ask(self, messages, settings):
        return Reply("x", Status.OK, settings=settings.to_dict())

    def close(self):
        pass


def seed_of(folder, seed, settings=None, salt=""):
    folder.mkdir(exist_ok=True)
    with Store.writing(folder) as store:
        made = Asker(store, {}, seed=seed)
        made._models["seeded"] = Seeded()
        return made.ask("seeded", QUESTION, settings or Settings(), salt).settings["seed"]


def test_the_seed_of_a_reply_follows_from_the_studys_seed_and_its_key(tmp_path):
    key = reply_key("seeded", {}, QUESTION, Settings(), "")
    expected = int.from_bytes(hashlib.sha256(f"7 {key}".encode()).digest()[:4], "big") >> 1
    assert seed_of(tmp_path / "a", 7) == expected < 2**31
    seeds = {seed_of(tmp_path / f"{k}", *how) for k, how in enumerate([(7,), (8,), (7, None, "repeat 1")])}
    assert len(seeds) == 3


def test_a_seed_that_a_task_states_stays(tmp_path):
    assert seed_of(tmp_path, 7, Settings(seed=11)) == 11


def test_keys_of_replies_are_those_of_stores_of_before():
    options = {"base_url": "http://x/v1", "concurrency": 3}
    assert reply_key("openai/gpt-4o", options, QUESTION, Settings(max_tokens=400), "repeat 1") == KEY


def test_every_kind_of_model_gets_a_seed_and_two_repeats_get_two(tmp_path):
    name = "openai-api/lab/m"
    with Loopback() as server:
        more = f'[models."{name}"]\nbase_url = "{server.openai}"\n'
        models = f'["{name}", "mock/overconfident", "{ODD}Fine"]'
        run(plan(models=models, forecast='formulations = ["direct"]\nrepeats = 2', more=more), tmp_path)
        sent = [seen.body["seed"] for seen in server.requests]
    assert len(set(sent)) == 8
    with Store.reading(tmp_path) as store:
        asked = [stored.settings["seed"] for stored in store.replies().values()]
        assert len(set(asked)) == 24 and set(sent) < set(asked)
