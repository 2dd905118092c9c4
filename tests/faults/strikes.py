"""Signals in quick succession, and fits that harm their own process: nobody is left behind, nothing else is lost."""

from __future__ import annotations

import os
import random
import signal
import time
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from tests.faults.places import HERE, Place
from tests.faults.scenarios import Tally, scenario

OUTSIDE = HERE.parent / "studies" / "outside_learners.py"
WITHIN = 0.07  # seconds for the three blows
_NAPS = f"""
[discovery]
datasets = ["survey", "synthetic-5"]
learners = ["random", "naps"]
runs = 6
rows = 300
[discovery.naps]
learner = "{OUTSIDE}:NapsAsTold"
"""
_HARM = f"""
[discovery]
datasets = ["survey", "synthetic-5"]
learners = ["random", "hangs-up", "writes", "leaves-children"]
runs = 1
rows = 300
time_limit = 20.0
[discovery.hangs-up]
learner = "{OUTSIDE}:HangsUp"
[discovery.writes]
learner = "{OUTSIDE}:WritesIntoDescriptors"
[discovery.leaves-children]
learner = "{OUTSIDE}:LeavesChildren"
"""


def place_of(plan: str, root: Path, **environment: str) -> Place:
    place = Place.make("discovery", root, **environment)
    (place.root / "plan.toml").write_text(f'name = "strikes"\nseed = 4\n{plan}')
    return place


@cache
def undisturbed() -> bytes:
    place = place_of(_NAPS, Path(mkdtemp(prefix="trueness-naps-")))
    code, told = place.finish()
    assert code == 0, told
    return place.bytes()


def left(place: Place) -> list[int]:
    """Processes of that place: each has its folder in the environment it was started with."""
    mark = f"TRUENESS_TEST_BILL={place.environment['TRUENESS_TEST_BILL']}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:  # it has ended
            continue
    return found


def all_gone(place: Place, seconds: float = 30.0) -> bool:
    end = time.monotonic() + seconds
    while (found := left(place)) and time.monotonic() < end:
        time.sleep(0.05)
    return not found


@scenario("driver struck three times (SIGTERM, SIGTERM, SIGINT)")
def struck_three_times(root: Path, moments: random.Random, times: int) -> Tally:
    """Within 70 ms, while fits sleep for an hour: the driver ends, and so does all that it started."""
    tally, calm = Tally(), undisturbed()
    for turn in range(times):
        place = place_of(_NAPS, root / f"struck-{turn}", TRUENESS_TEST_NAP="3600")
        driver = place.start()
        while not place.units() and driver.poll() is None:
            time.sleep(0.02)
        time.sleep(moments.uniform(0.0, 1.0))
        for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGINT):
            if driver.poll() is None:
                os.kill(driver.pid, number)
            time.sleep(moments.uniform(0.0, WITHIN / 2))
        try:
            driver.communicate(timeout=60)
            ended = all_gone(place)
        finally:
            for pid in left(place):
                os.kill(pid, signal.SIGKILL)
        code, told = place_after(place).finish()
        assert code == 0, told
        tally += Tally(1, int(ended), 0, place.twice(), int(place.bytes() != calm))
    return tally


def place_after(place: Place) -> Place:
    """The same folder without the naps."""
    return Place(place.kind, place.root, {k: v for k, v in place.environment.items() if k != "TRUENESS_TEST_NAP"})


@scenario("fits that hang up, write into descriptors, leave children")
def harming_fits(root: Path, moments: random.Random, times: int) -> Tally:
    """Each is a failed fit, or one that is ok and leaves nobody; the healthy ones have their scores."""
    tally = Tally()
    for turn in range(times):
        place = place_of(_HARM, root / f"harm-{turn}")
        code, told = place.finish()
        assert code == 1, told
        statuses = place.statuses()
        assert statuses["random"] == statuses["leaves-children"] == {"ok"}, statuses
        assert statuses["hangs-up"] == statuses["writes"] == {"failed"}, statuses
        faults = place.failed() + 2  # and those that left children
        tally += Tally(faults, faults if all_gone(place) else 0, 0, place.twice(), 0)
    return tally
