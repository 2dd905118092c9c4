"""Asking models: every reply is stored, paid once, read again for nothing; a budget is kept."""

import threading

import pytest

from assay.asking import Asker, BudgetReached
from assay.engine import local_executor
from assay.forecast_study import read_forecasts
from assay.models import Message, Reply, Settings
from assay.results import Results
from assay.status import Status
from assay.store import Store
from assay.study import Plan, Study

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
    with local_executor(1) as (executor, slots):
        return study.run(executor, slots, **how)


class Counting:
    """A model that counts its calls and may wait."""

    name, concurrency, offers_schema, offers_logprobs = "mock/counting", 4, False, False

    def __init__(self, status=Status.OK, cost=0.0, gate=None):
        self.calls, self.status, self.cost, self.gate = 0, status, cost, gate

    def ask(self, messages, settings):
        self.calls += 1
        if self.gate:
            self.gate.wait(5)
        return Reply(f"reply {self.calls}", self.status, cost=self.cost)

    def close(self):
        pass


@pytest.fixture()
def store(tmp_path):
    with Store.writing(tmp_path) as opened:
        yield opened


def asker(store, model, **how):
    made = Asker(store, {}, **how)
    made._models["mock/counting"] = model
    return made


QUESTION = [Message("user", "how many?")]


def test_a_reply_is_paid_once(store):
    model = Counting()
    first = asker(store, model).ask("mock/counting", QUESTION, Settings(), "repeat 0")
    again = asker(store, model).ask("mock/counting", QUESTION, Settings(), "repeat 0")
    assert (first, model.calls) == (again, 1)
    assert asker(store, model).ask("mock/counting", QUESTION, Settings(), "repeat 1") != first
    assert model.calls == 2


def test_a_longer_timeout_does_not_ask_again(store):
    model = Counting()
    for seconds in (10, 600):
        asker(store, model).ask("mock/counting", QUESTION, Settings(timeout=seconds), "repeat 0")
    assert model.calls == 1


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


def test_no_call_is_made_that_could_pass_the_limit(store):
    model = Counting(cost=0.4)
    made = Asker(store, {"mock/counting": {"price": {"input": 0.0, "output": 1000.0}}}, limit=1.0)
    made._models["mock/counting"] = model
    asked = Settings(max_tokens=400)  # 0.4 USD at most
    for repeat in range(2):
        made.ask("mock/counting", QUESTION, asked, f"repeat {repeat}")
    with pytest.raises(BudgetReached, match=r"limit of 1 USD.*Raise 'limit_usd'"):
        made.ask("mock/counting", QUESTION, asked, "repeat 2")
    assert (model.calls, store.spent()) == (2, pytest.approx(0.8))


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
    from assay.errors import PlanError

    with pytest.raises(PlanError, match=r"price of openai-api/here/m.*price = \{input"):
        Plan.parse(plan(models='["openai-api/here/m"]', top="limit_usd = 1.0"), "ask.toml")


def test_a_better_reader_reads_old_replies_without_a_call(tmp_path, monkeypatch):
    run(plan(), tmp_path)
    calm = read_forecasts(tmp_path).claims

    def refuse(*_):
        raise AssertionError("a model was asked")

    monkeypatch.setattr("assay.models.build", refuse)
    assert read_forecasts(tmp_path).claims.equals(calm)
    outcome = run(plan(), tmp_path)
    assert (outcome.done, outcome.total) == (28, 28)


def test_an_unreadable_model_does_not_stop_the_study_and_stays_missing(tmp_path):
    outcome = run(plan(models='["mock/garbage", "mock/overconfident"]'), tmp_path)
    assert (outcome.done, outcome.failed) == (32, 0)
    scores = read_forecasts(tmp_path).scores
    unread = scores[scores["respondent"] == "mock/garbage"]
    assert set(unread["status"]) == {"unreadable"}
    assert unread["interval_score"].isna().all() and unread["covers_mean"].isna().all()


def test_a_failing_model_is_counted_as_failed_and_retried(tmp_path):
    flaky = plan(models='["mock/flaky"]', forecast="repeats = 1")
    outcome = run(flaky, tmp_path)
    failed = outcome.failed
    assert 0 < failed < 12
    assert run(flaky, tmp_path, retry=True).failed == failed  # a mock fails the same questions again
    with Store.reading(tmp_path) as store:
        assert Results.all_of(store)[1].n_failed() == failed


def test_progress_names_what_cannot_be_read(tmp_path):
    seen = []
    run(plan(models='["mock/garbage"]'), tmp_path, report=lambda now: seen.append((now.stage, dict(now.asked))))
    stage, asked = seen[-1]
    assert stage == "forecast"
    assert (asked["mock/garbage"].unreadable, asked["mock/garbage"].done) == (4, 4)
    assert len(asked["mock/garbage"].examples) == 3
