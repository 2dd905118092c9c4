"""What happens to those who do the work: a process that is killed, a cluster that loses its parts."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tests.faults.places import Place
from tests.faults.scenarios import Tally, differing, ended, scenario


def children(pid: int) -> list[int]:
    found = subprocess.run(
        ["pgrep", "-P", str(pid), "-f", "trueness.running.worker"], capture_output=True, text=True
    ).stdout.split()
    return [int(child) for child in found]


@scenario("worker killed")
def worker_killed(root: Path, moments: random.Random, times: int) -> Tally:
    """A kill from outside is no fault of the learner: the fit is done again, and the driver goes on."""
    tally, turn = Tally(), 0
    while tally.injected < times:
        place = Place.make("discovery", root / f"worker-{turn}")
        turn += 1
        driver, blows = place.start(), 0  # one a study: a fit that is struck twice is one that crashes
        while driver.poll() is None:
            time.sleep(moments.uniform(0.4, 1.0))
            if not blows and place.units():
                for child in children(driver.pid)[:1]:
                    signal_(child)
                    blows = 1
        told = driver.communicate()[1]
        assert driver.returncode == 0, told
        tally += Tally(blows, blows, 0, place.twice(), differing(place))
    return tally


def signal_(pid: int) -> None:
    subprocess.run(["kill", "-KILL", str(pid)], check=False)  # it may have ended by itself


@contextmanager
def cluster(workers: int) -> Iterator[tuple[str, subprocess.Popen[str], list[subprocess.Popen[str]]]]:
    """A scheduler and its workers, each a process, as a user starts them."""
    program, here = (sys.executable, "-m"), ("--no-dashboard", "--host", "127.0.0.1")
    scheduler = subprocess.Popen(
        [*program, "distributed.cli.dask_scheduler", *here, "--port", "0"], stderr=subprocess.PIPE, text=True
    )
    assert scheduler.stderr is not None
    address = next(line.split()[-1] for line in scheduler.stderr if "Scheduler at:" in line)
    start = [*program, "distributed.cli.dask_worker", address, "--nthreads", "1", *here]
    hands = [subprocess.Popen(start, stderr=subprocess.DEVNULL, text=True) for _ in range(workers)]
    try:
        for _ in hands:
            next(line for line in scheduler.stderr if "Register worker" in line)
        yield address, scheduler, hands
    finally:
        for process in (*hands, scheduler):
            process.kill()
            process.wait()


@scenario("Dask worker lost")
def dask_worker_lost(root: Path, moments: random.Random, times: int) -> Tally:
    return _cluster_wounded(root, moments, times, "worker")


@scenario("Dask scheduler lost")
def dask_scheduler_lost(root: Path, moments: random.Random, times: int) -> Tally:
    return _cluster_wounded(root, moments, times, "scheduler")


def _cluster_wounded(root: Path, moments: random.Random, times: int, part: str) -> Tally:
    """Without a worker the driver goes on; without the scheduler it stops with one line, and goes on elsewhere."""
    tally = Tally()
    for turn in range(times):
        place = Place.make("cluster", root / f"{part}-{turn}")
        with cluster(3 if part == "worker" else 1) as (address, scheduler, hands):
            driver = place.start("--cluster", address)
            while not place.units() and driver.poll() is None:
                time.sleep(0.02)
            time.sleep(moments.uniform(0.0, 0.3))
            if driver.poll() is not None:
                continue  # it was done before the blow
            (moments.choice(hands) if part == "worker" else scheduler).kill()
            _, told = driver.communicate(timeout=180)
        assert "Traceback" not in told, told
        if part == "worker":
            assert driver.returncode == 0, told
            tally += Tally(1, 1, 0, place.twice(), differing(place))
        else:
            tally += replace(ended(place, Tally(1)), lost=0)
    return tally
