"""A Dask cluster gives the same bytes as a local run, also when one of its workers is killed."""

import os
import sqlite3
import subprocess
import sys
import time

import pytest

from tests.faults.islands import THIS_MACHINE, islands, may_part
from tests.faults.places import DRIVER
from tests.faults.workers import cluster

distributed = pytest.importorskip("distributed")

WORKERS = 3
PLAN = """
name = "spread"
[discovery]
datasets = ["survey", "synthetic-6"]
learners = ["random", "slow", "correlation"]
runs = 30
rows = 400
[discovery.slow]
learner = "{slow}"
nap = 0.1
"""


@pytest.fixture(params=["a network namespace for each worker", "one machine"])
def places(request):
    """Where the scheduler, and where each worker runs. One of the two ways is enough."""
    apart = request.param != "one machine"
    if apart and not may_part():
        pytest.skip("this machine does not let a process have a network of its own: workers are plain processes")
    if not apart and may_part():
        pytest.skip("the workers have network namespaces of their own")
    if not apart:
        yield [THIS_MACHINE] * (1 + WORKERS)
        return
    with islands(WORKERS) as found:
        yield found


def trueness(place, *arguments):
    command = [*place.enter, sys.executable, str(DRIVER), *arguments]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def stored(folder):
    """How many of the study's fits there are so far."""
    try:
        with sqlite3.connect(f"file:{folder / 'study.db'}?mode=ro", uri=True) as database:
            return database.execute("SELECT count(*) FROM runs").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def networks_of(workers):
    return {os.readlink(f"/proc/{worker.pid}/ns/net") for worker in workers}


def within(seconds, holds):
    """Whether it holds before the time is up: a process that was just started is not yet where it goes."""
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.05)
    return holds()


@pytest.mark.slow
def test_a_cluster_of_three_gives_the_same_bytes_when_a_worker_dies(tmp_path, outside, places):
    plan = tmp_path / "spread.toml"
    plan.write_text(PLAN.format(slow=outside + "Slow"))
    local = trueness(THIS_MACHINE, "run", str(plan), "--folder", str(tmp_path / "local"))
    with cluster(places) as (address, _, workers):
        if places[0] is not THIS_MACHINE:
            assert within(60, lambda: len(networks_of(workers) - {os.readlink("/proc/self/ns/net")}) == WORKERS)
        spread = trueness(places[0], "run", str(plan), "--folder", str(tmp_path / "spread"), "--cluster", address)
        while stored(tmp_path / "spread") < 20 and spread.poll() is None:
            time.sleep(0.05)
        assert spread.poll() is None, "it ended before the blow"
        workers[0].kill()
        assert spread.wait(timeout=300) == 0, spread.stderr.read()
    assert local.wait(timeout=300) == 0, local.stderr.read()
    assert (tmp_path / "spread" / "scores.csv").read_bytes() == (tmp_path / "local" / "scores.csv").read_bytes()
