"""What can go wrong, each with a tally: injected, survived, lost, counted twice, differing bytes.

    lost        answered replies that are in no store although the driver had time to write them
    twice       units that are counted more than once
    differing   bytes of scores.csv that are not those of the undisturbed study

A scenario gets an empty folder, a generator of moments and how often to strike.
"""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.faults.places import Place

KINDS = ("discovery", "forecast", "population", "faithfulness", "robustness")
NEEDS_MOUNT = ("disk full", "read-only folder")
IN_FLIGHT = 2  # calls the counted model takes at a time


@dataclass(frozen=True)
class Tally:
    injected: int = 0
    survived: int = 0
    lost: int = 0
    twice: int = 0
    differing: int = 0
    told: str = ""  # a scenario that must end in a message: the message

    def __add__(self, other: Tally) -> Tally:
        mine, theirs = vars(self), vars(other)
        return Tally(**{name: mine[name] + theirs[name] for name in mine})

    @property
    def clean(self) -> bool:
        return self.survived == self.injected and not (self.lost or self.twice or self.differing)


Scenario = Callable[[Path, random.Random, int], Tally]
SCENARIOS: dict[str, Scenario] = {}


def scenario(name: str) -> Callable[[Scenario], Scenario]:
    def add(function: Scenario) -> Scenario:
        SCENARIOS[name] = function
        return function

    return add


@cache
def calm(kind: str) -> tuple[bytes, int]:
    """The undisturbed study: its bytes and how long its bill is."""
    with TemporaryDirectory(prefix="trueness-calm-") as folder:
        place = Place.make(kind, Path(folder))
        code, told = place.finish()
        assert code == 0, told
        return place.bytes(), sum(place.bill().values())


def differing(place: Place) -> int:
    """Bytes that differ from the undisturbed study's, by position and length."""
    ours, theirs = place.bytes(), calm(place.kind)[0]
    return sum(a != b for a, b in zip(ours, theirs, strict=False)) + abs(len(ours) - len(theirs))


def ended(place: Place, tally: Tally, *options: str) -> Tally:
    """Give the same command again, undisturbed, and count."""
    code, told = place.finish(*options)
    if code != 0:
        return replace(tally, told=tally.told + told)
    unpaid = max(0, sum(place.bill().values()) - place.stored() - IN_FLIGHT * tally.injected)
    return replace(
        tally,
        survived=tally.injected,
        lost=unpaid,
        twice=place.twice(),
        differing=differing(place),
    )


def _killed(kind: str) -> Scenario:
    def strike(root: Path, moments: random.Random, times: int) -> Tally:
        place, kills = Place.make(kind, root), 0
        while kills < times:
            before, driver = place.units() + place.stored(), place.start()
            while place.units() + place.stored() == before and driver.poll() is None:
                time.sleep(0.02)  # until this start has something to lose
            time.sleep(moments.uniform(0.0, 0.4))
            if driver.poll() is not None:  # it was done before the blow: a new study for the blows that are left
                done = ended(place, Tally(kills))
                rest = strike(root, moments, times - kills)
                return done + rest
            driver.kill()
            driver.communicate()
            kills += 1
        return ended(place, Tally(kills))

    return strike


for _kind in KINDS:
    SCENARIOS[f"driver killed: {_kind}"] = _killed(_kind)


@contextmanager
def small_disk(where: Path, size: str) -> Iterator[None]:
    """A tmpfs of that size; needs the right to mount."""
    where.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(where)], check=True, capture_output=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(where)], check=True, capture_output=True)


def may_mount() -> bool:
    try:
        with TemporaryDirectory(prefix="trueness-mount-") as probe, small_disk(Path(probe), "64k"):
            return True
    except (OSError, subprocess.CalledProcessError):
        return False


@scenario("disk full")
def disk_full(root: Path, moments: random.Random, times: int) -> Tally:
    """The study's folder is a disk that fills up; after room is made the same command ends in the same bytes."""
    tally = Tally()
    for _ in range(times):
        kind = moments.choice(("discovery", "forecast"))
        place = Place.make(kind, root)
        with small_disk(place.folder, f"{moments.randint(60, 300)}k"):
            code, told = place.finish()
            if code == 0:
                continue  # it fitted: no fault
            assert "disk is full" in told or "No space left" in told, told
            assert "Traceback" not in told, told
            subprocess.run(["mount", "-o", "remount,size=64m", str(place.folder)], check=True)
            tally += ended(place, Tally(1))
    return tally


@scenario("read-only folder")
def read_only(root: Path, moments: random.Random, times: int) -> Tally:
    """A folder that cannot be written is one line; once it can be, the study runs."""
    place = Place.make("discovery", root)
    with small_disk(place.folder, "64m"):
        subprocess.run(["mount", "-o", "remount,ro", str(place.folder)], check=True)
        code, told = place.finish()
        assert (code, "Traceback" in told) == (2, False), told
        subprocess.run(["mount", "-o", "remount,rw", str(place.folder)], check=True)
        return ended(place, Tally(1))


@scenario("database locked by another program")
def locked(root: Path, moments: random.Random, times: int) -> Tally:
    tally = Tally()
    for _ in range(times):
        place = Place.make("forecast", root)
        driver = place.start()
        while place.units() < 3 and driver.poll() is None:
            time.sleep(0.02)
        other = sqlite3.connect(place.folder / "study.db", timeout=10, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        _, told = driver.communicate(timeout=120)
        other.execute("ROLLBACK")
        other.close()
        assert driver.returncode == 2, told
        assert "locked by another program" in told, told
        tally += ended(place, Tally(1))
    return tally


@scenario("two drivers on one study")
def two_drivers(root: Path, moments: random.Random, times: int) -> Tally:
    tally = Tally()
    for _ in range(times):
        place = Place.make("forecast", root)
        first = place.start()
        while place.units() < 1 and first.poll() is None:
            time.sleep(0.02)
        first.send_signal(signal.SIGSTOP)  # so that it is not done before the second has started
        code, told = place.finish()
        first.send_signal(signal.SIGCONT)
        assert code == 2, told
        assert "another trueness" in told, told
        _, told = first.communicate(timeout=300)
        assert first.returncode == 0, told
        tally += ended(place, Tally(1))
    return tally


@scenario("driver stopped (SIGTERM)")
def stopped(root: Path, moments: random.Random, times: int) -> Tally:
    """As a scheduler ends a job: what is in flight is finished, so nothing at all is lost."""
    tally = Tally()
    for _ in range(times):
        place = Place.make("forecast", root)
        driver = place.start()
        while place.stored() < 2 and driver.poll() is None:
            time.sleep(0.02)
        driver.send_signal(signal.SIGTERM)
        _, told = driver.communicate(timeout=120)
        assert driver.returncode == 130, told
        found = ended(place, Tally(1))
        tally += replace(found, lost=sum(place.bill().values()) - place.stored())
    return tally


@scenario("clock jumps a day")
def clock(root: Path, moments: random.Random, times: int) -> Tally:
    """The wall clock leaps to and fro at every look; durations and results must not follow it."""
    tally = Tally()
    for turn in range(times):
        root.mkdir(parents=True, exist_ok=True)
        place = Place.make("forecast", root / f"clock-{turn}")
        (place.root / "sitecustomize.py").write_text(
            f"import random, time\n_true, _leap = time.time, random.Random({moments.randrange(1000)})\n"
            "time.time = lambda: _true() + _leap.choice((-86400.0, 0.0, 86400.0))\n"
        )
        leaping = replace(place, environment={**place.environment, "PYTHONPATH": str(place.root)})
        tally += ended(leaping, Tally(1))
    return tally


@scenario("replies fail: 10 %")
def replies_fail_some(root: Path, moments: random.Random, times: int) -> Tally:
    return _faulty_replies(root, times, 0.1)


@scenario("replies fail: 50 %")
def replies_fail_often(root: Path, moments: random.Random, times: int) -> Tally:
    return _faulty_replies(root, times, 0.5)


def _faulty_replies(root: Path, times: int, share: float) -> Tally:
    """What failed has its status and is never scored; --retry asks again what another try may mend, and that alone."""
    tally = Tally()
    for turn in range(times):
        place = Place.make("forecast", root / f"{share}-{turn}", TRUENESS_TEST_FAULTS=str(share))
        code, told = place.finish()
        assert code in (0, 1), told
        with sqlite3.connect(place.folder / "study.db") as database:
            faults = database.execute("SELECT count(*) FROM replies WHERE cost IS NULL").fetchone()[0]
            scored = database.execute(
                "SELECT count(*) FROM scores JOIN runs ON runs.id = scores.run WHERE runs.status != 'ok' "
                "AND scores.value IS NOT NULL AND runs.task = 'forecast'"
            ).fetchone()[0]
        paid = sum(place.bill().values())
        before = Place.stored(place)
        assert place.finish()[0] in (0, 1)  # the same command pays nothing again
        again = sum(place.bill().values()) - paid
        tally += Tally(faults, faults if scored == 0 else 0, paid - before, place.twice() + again)
    return tally
