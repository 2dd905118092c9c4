"""A bad fit costs itself and nothing else."""

import os
import signal
import time

import pytest

from trueness.errors import SettingError
from trueness.running import engine, worker
from trueness.running.engine import Chunk, chunk_sizes, executor_for, local_executor, run_chunk
from trueness.running.outcomes import checked_outcome
from trueness.running.study import Plan
from trueness.studies.discovery.work import perform


def echo(common, unit):
    """Runs in the worker: what the unit says to do."""
    if unit.get("die"):
        os.kill(os.getpid(), signal.SIGKILL)
    if unit.get("die_once") and not os.path.exists(unit["die_once"]):  # noqa: PTH110
        open(unit["die_once"], "w").close()  # noqa: PTH123, SIM115
        os._exit(3)
    time.sleep(unit.get("sleep", 0))
    return {"status": "ok", "message": "", "seconds": 0.0, "answer": str(common["x"] + unit["y"]), "scores": {}}


def chunk(*units, limit=30.0):
    return Chunk("tests.studies.test_engine:echo", {"x": 1}, tuple(units), limit)


def answers(outcomes):
    return [outcome["answer"] or outcome["status"] for outcome in outcomes]


@pytest.fixture(autouse=True)
def importable(monkeypatch, root):
    monkeypatch.setenv("PYTHONPATH", str(root))


def run(work):
    with local_executor(1) as (executor, _):
        return executor.submit(run_chunk, work).result(timeout=120)


def test_a_hanging_unit_is_ended_and_the_rest_goes_on():
    began = time.monotonic()
    found = run(chunk({"y": 0}, {"y": 1, "sleep": 3600}, {"y": 2}, limit=1.0))
    assert answers(found) == ["1", "timed_out", "3"]
    assert found[1]["message"] == "ended after 1 s"
    assert time.monotonic() - began < 60


def test_a_limit_counts_what_a_fit_uses_and_not_what_others_do(monkeypatch):
    """Of a second by the clock it got a tenth; asleep it loses all of it; far behind the limit the clock ends it."""
    now = [0.0]
    monkeypatch.setattr(worker.time, "monotonic", lambda: now[0])

    def ends_after(share, asleep):
        now[0] = 0.0
        end = worker._End(5.0, lambda: (share * now[0], asleep))
        while end.seconds_left() > 0:
            now[0] += 0.5
        return now[0]

    assert ends_after(1.0, False) == ends_after(0.0, True) == 5.0
    assert 40 < ends_after(0.1, False) < 50 and ends_after(0.0, False) == 50.0


def test_a_crashing_unit_fails_alone_and_says_how_it_died():
    found = run(chunk({"y": 0}, {"y": 1, "die": True}, {"y": 2}))
    assert answers(found) == ["1", "failed", "3"]
    assert "SIGKILL" in found[1]["message"]


def test_each_unit_of_a_chunk_has_its_own_second_chance(tmp_path):
    """Two kills from outside in one chunk cost nothing, wherever they fall."""
    found = run(chunk({"y": 0, "die_once": str(tmp_path / "a")}, {"y": 1}, {"y": 2, "die_once": str(tmp_path / "b")}))
    assert [one["status"] for one in found] == ["ok", "ok", "ok"]


def batch(plan, runs, limit=30.0, dataset="sachs"):
    """The chunk of all runs of a plan's only cell."""
    task = Plan.parse(f'[discovery]\ndatasets = ["{dataset}"]\nruns = {runs}\n{plan}', "x.toml").task
    (cell,) = task.cells()
    return Chunk(task.function, cell.common, tuple(cell.unit(repeat) for repeat in range(runs)), limit)


def test_a_run_that_hangs_in_a_batch_is_ended_and_the_others_are_not(outside):
    work = batch(f'learners = ["hangs"]\n[discovery.hangs]\nlearner = "{outside}HangsInABatch"', 7, limit=1.0)
    statuses = ["timed_out" if repeat in (2, 5) else "ok" for repeat in range(7)]  # their first rows are high ones
    assert [outcome["status"] for outcome in run(work)] == statuses


def test_a_batch_gives_what_single_units_give():
    work = batch('learners = ["pc"]\nrows = 300', 6)
    alone = [perform(work.common, unit) for unit in work.units]
    for found, expected in zip(run(work), alone, strict=True):
        assert found["status"] == "ok"
        assert checked_outcome(found) | {"seconds": 0} == expected | {"seconds": 0}


def test_chunks_grow_with_the_speed_of_a_fit_and_share_the_end():
    assert chunk_sizes(None, 100, 2) == 1
    assert chunk_sizes(10.0, 100, 2) == 1
    assert chunk_sizes(0.1, 100, 2) == 10
    assert chunk_sizes(0.0001, 10_000, 2) == 256
    assert chunk_sizes(0.0001, 10, 2) == 5


def test_a_cluster_that_is_not_there_is_a_user_error(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(engine, "ANSWER_LIMIT", 0.5)
    with pytest.raises(SettingError, match="address of a Dask scheduler"), executor_for(None, "tcp://127.0.0.1:1"):
        pass
