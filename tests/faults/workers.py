"""What happens to those who do the work: a process killed, out of memory, hanging; a cluster that loses its parts."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tests.faults.islands import THIS_MACHINE, Island
from tests.faults.places import HERE, Place
from tests.faults.scenarios import Tally, differing, ended, scenario

OUTSIDE = HERE.parent / "studies" / "outside_learners.py"
_SICK = f"""
[discovery]
datasets = ["survey", "synthetic-5"]
learners = ["random", "hungry", "hangs", "crashes"]
runs = 4
rows = 200
time_limit = 1.0
[discovery.hungry]
learner = "{OUTSIDE}:Hungry"
[discovery.hangs]
learner = "{OUTSIDE}:HangsSometimes"
[discovery.crashes]
learner = "{OUTSIDE}:Crashes"
"""


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


@scenario("out of memory, hanging and crashing fits")
def sick_fits(root: Path, moments: random.Random, times: int) -> Tally:
    """Each has its status, the healthy ones their scores, and a second study gives the same bytes."""
    tally = Tally()
    for turn in range(times):
        found = []
        for copy in ("first", "second"):
            place = Place.make("discovery", root / f"sick-{turn}-{copy}")
            (place.root / "plan.toml").write_text(f'name = "sick"\nseed = {turn + 1}\n{_SICK}')
            code, told = place.finish()
            assert code == 1, told
            found.append(place)
        statuses = found[0].statuses()
        assert statuses["random"] == {"ok"}, statuses
        assert statuses["hungry"] == statuses["crashes"] == {"failed"}, statuses
        assert statuses["hangs"] <= {"ok", "timed_out"}, statuses
        faults = found[0].failed()
        changed = 0 if found[0].bytes() == found[1].bytes() else 1
        tally += Tally(faults, faults, 0, found[0].twice(), changed)
    return tally


@contextmanager
def cluster(
    places: Sequence[Island] = (THIS_MACHINE,) * 4,
) -> Iterator[tuple[str, subprocess.Popen[str], list[subprocess.Popen[str]]]]:
    """A scheduler at the first place and a worker at each other one, each a process, as a user starts them."""
    program = (sys.executable, "-m")
    middle, *others = places
    scheduler = subprocess.Popen(
        [*middle.enter, *program, "distributed.cli.dask_scheduler", "--host", middle.host, "--port", "0"]
        + ["--no-dashboard"],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert scheduler.stderr is not None
    address = next(line.split()[-1] for line in scheduler.stderr if "Scheduler at:" in line)
    start = (*program, "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard", "--host")
    hands = [
        subprocess.Popen([*place.enter, *start, place.host], stderr=subprocess.DEVNULL, text=True) for place in others
    ]
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
        with cluster((THIS_MACHINE,) * (4 if part == "worker" else 2)) as (address, scheduler, hands):
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
