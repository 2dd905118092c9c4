"""Asking models: every reply is stored, paid once, read again for nothing; a budget is kept."""

import threading

import pytest

from tests.lanes import same_lanes
from trueness.models import Message, Reply, Settings
from trueness.running.asking import Asker, BudgetReached
from trueness.running.store import Store
from trueness.running.study import Plan, Study
from trueness.status import Status
from trueness.studies.forecast.answers import read_forecasts

PLAN = """
name = "ask"
seed = 3
{top}
[discovery]
datasets = ["survey", "cancer"]
learners = ["correlation", "random"]
runs = 6
rows = 300
[forecast]
models = {models}
{forecast}
"""


def plan(models='["mock/overconfident"]', forecast='formulations = ["direct"]', top="", more=""):
    return PLAN.format(models=models, forecast=forecast, top=top) + more


def run(text, folder, **how):
    study = Study(Plan.parse(text, "ask.toml", folder=folder))
    with same_lanes(1) as (executor, slots):
        return study.run(executor, slots, **how)


class Counting:
    """A model that counts its calls and may wait; `usage` is what its replies say of tokens and cost."""

    name, concurrency, offers_schema, offers_logprobs = "mock/counting", 4, False, False

    def __init__(self, status=Status.OK, cost=0.0, gate=None, **usage):
        self.calls, self.status, self.gate, self.usage = 0, status, gate, {"cost": cost, **usage}
        self.most_at_once = self.at_once = 0
        self._lock = threading.Lock()

    def ask(self, messages, settings):
        with self._lock:
            self.calls += 1
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        if self.gate:
            self.gate.wait(5)
        with self._lock:
            self.at_once -= 1
        return Reply(f"reply {self.calls}", self.status, **self.usage)

    def close(self):
        pass


@pytest.fixture()
def store(tmp_path):
    with Store.writing(tmp_path) as opened:
        yield opened


def asker(store, model, options=None, **how):
    made = Asker(store, {"mock/counting": options or {}}, **how)
    made._models["mock/counting"] = model
    return made


QUESTION = [Message("user", "how many?")]
PRICED = {"price": {"input": 0.0, "output": 1000.0}}
ASKED = Settings(max_tokens=400)  # 0.4 USD at most


def ask_all(made, count, threads=8):
    """Different questions from several threads; those that got a reply, and the first error."""
    got, errors, left = [], [], iter(range(count))

    def work():
        for repeat in left:
            try:
                got.append(made.ask("mock/counting", QUESTION, ASKED, f"repeat {repeat}"))
            except BudgetReached as error:
                errors.append(error)
                return

    workers = [threading.Thread(target=work) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
        assert not worker.is_alive()
    return got, errors


def test_a_reply_is_paid_once(store):
    model = Counting()
    first = asker(store, model).ask("mock/counting", QUESTION, Settings(), "repeat 0")
    again = asker(store, model).ask("mock/counting", QUESTION, Settings(), "repeat 0")
    assert (first, model.calls) == (again, 1)
    assert asker(store, model).ask("mock/counting", QUESTION, Settings(), "repeat 1") != first
    assert model.calls == 2


def test_threads_that_ask_the_same_get_one_reply(store):
    gate, got = threading.Event(), []
    model = Counting(gate=gate)
    shared = asker(store, model)
    threads = [
        threading.Thread(target=lambda: got.append(shared.ask("mock/counting", QUESTION, Settings(), "repeat 0")))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    gate.set()
    for thread in threads:
        thread.join()
    assert model.calls == 1
    assert len({reply.text for reply in got}) == 1


@pytest.mark.parametrize(("retry", "calls"), [(False, 1), (True, 2)])
def test_a_failed_call_is_made_again_only_on_retry(store, retry, calls):
    model = Counting(Status.FAILED)
    for _ in range(2):
        asker(store, model, retry=retry).ask("mock/counting", QUESTION, Settings(), "repeat 0")
    assert model.calls == calls


# ---- the budget


def test_no_call_is_made_that_could_pass_the_limit(store):
    model = Counting(cost=0.4)
    made = asker(store, model, PRICED, limit=1.0)
    for repeat in range(2):
        made.ask("mock/counting", QUESTION, ASKED, f"repeat {repeat}")
    with pytest.raises(BudgetReached, match=r"0.4000 USD, and 0.8000 of the limit of 1 USD.*0.0000 reserved"):
        made.ask("mock/counting", QUESTION, ASKED, "repeat 2")
    assert (model.calls, store.spent()) == (2, pytest.approx(0.8))


def test_calls_under_way_are_waited_for_and_do_not_stop_a_study_that_fits(store):
    """30 calls of 0.02 fit in 1.0, of which each could have cost 0.4: two at a time, and none is refused."""
    gate = threading.Event()
    threading.Timer(0.2, gate.set).start()
    model = Counting(cost=0.02, gate=gate)
    got, errors = ask_all(asker(store, model, PRICED, limit=1.0), 30)
    assert (len(got), errors, model.calls) == (30, [], 30)
    assert model.most_at_once <= 2
    assert store.spent() == pytest.approx(0.6)


ABSURD = {
    "no usage": {"cost": None},
    "negative tokens": {"cost": -5.0, "input_tokens": -10, "output_tokens": -10},
    "negative cost": {"cost": -5.0},
    "not a number": {"cost": float("nan")},
    "10^400 tokens": {"cost": None, "input_tokens": 10**400, "output_tokens": 1},
    "a cost of 10^400": {"cost": 10**400},
    "no tokens for a text": {"cost": 0.0, "input_tokens": 12, "output_tokens": 0},
    "a word": {"cost": "little"},
}


@pytest.mark.parametrize("usage", ABSURD.values(), ids=ABSURD)
def test_usage_that_nobody_knows_counts_with_the_most_it_can_have_cost(store, usage):
    model = Counting(**usage)
    got, errors = ask_all(asker(store, model, PRICED, limit=1.0), 30)
    assert (len(got), model.calls) == (2, 2)  # 0.4 each at most
    assert "0.8000 of the limit of 1 USD is spent" in str(errors[0])
    assert all(reply.cost is None for reply in got)  # unknown stays unknown
    again = asker(store, model, PRICED, limit=1.0)  # the same after a restart
    assert again.spent == pytest.approx(0.8)
    with pytest.raises(BudgetReached):
        again.ask("mock/counting", QUESTION, ASKED, "repeat 99")


def test_a_budget_stops_the_study_and_a_higher_one_resumes_it(tmp_path):
    priced = '[models."mock/overconfident"]\nprice = {input = 0.0, output = 1000.0}\n'
    low = plan(forecast="max_tokens = 100", top="limit_usd = 0.25", more=priced)
    outcome = run(low, tmp_path)
    assert "limit of 0.25 USD" in outcome.stopped
    assert 24 <= outcome.done < 24 + 12
    with Store.reading(tmp_path) as store:
        assert 0 < store.spent() <= 0.25
        before = store.replies()
    outcome = run(low.replace("0.25", "50"), tmp_path)
    assert (outcome.stopped, outcome.done, outcome.total) == ("", 36, 36)
    with Store.reading(tmp_path) as store:
        after = store.replies()
    assert {key: reply.at for key, reply in after.items() if key in before} == {k: r.at for k, r in before.items()}


def test_a_limit_without_a_price_is_refused_before_anything_is_asked():
    from trueness.errors import PlanError

    with pytest.raises(PlanError, match=r"price of openai-api/here/m.*price = \{input"):
        Plan.parse(plan(models='["openai-api/here/m"]', top="limit_usd = 1.0"), "ask.toml")


def test_a_model_that_cannot_be_asked_is_told_before_the_first_fit(tmp_path, monkeypatch):
    from trueness.errors import TruenessError

    monkeypatch.setenv("STRIPE_API_KEY", "stripe-key-123456789")
    stolen = '[models."openai-api/stripe/m"]\nbase_url = "https://other.example/v1"\n'
    with pytest.raises(TruenessError, match="would send STRIPE_API_KEY"):
        run(plan(models='["mock/overconfident", "openai-api/stripe/m"]', more=stolen), tmp_path)
    with Store.reading(tmp_path) as store:
        assert store.statuses() == {}


# ---- what a study makes of it


def test_a_better_reader_reads_old_replies_without_a_call(tmp_path, monkeypatch):
    run(plan(), tmp_path)
    calm = read_forecasts(tmp_path).claims

    def refuse(*_):
        raise AssertionError("a model was asked")

    monkeypatch.setattr("trueness.models.build", refuse)
    assert read_forecasts(tmp_path).claims.equals(calm)
    outcome = run(plan(), tmp_path)
    assert (outcome.done, outcome.total) == (28, 28)
