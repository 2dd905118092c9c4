"""Models and servers that misbehave: half characters, nobody there, busy for a while, classes that keep no contract."""

from __future__ import annotations

import random
import sqlite3
import threading
import time
from pathlib import Path

from tests.faults.places import Place
from tests.faults.providers import Faulty, calm_bytes, place_at
from tests.faults.scenarios import Tally, differing, ended, scenario
from tests.models.loopback import Seen, Turn


@scenario("half characters in replies")
def half_characters(root: Path, moments: random.Random, times: int) -> Tally:
    """Every reply ends in half an emoji: the study ends, is read again, and its bytes are those without."""
    tally = Tally()
    for turn in range(times):
        kind = ("forecast", "faithfulness", "population")[turn % 3]
        place = Place.make(kind, root / f"half-{turn}", TRUENESS_TEST_HALF="1")
        if kind == "forecast":
            code, told = place.finish()
            assert (code, "Traceback" in told) == (0, False), told
            tally += Tally(place.stored(), place.stored(), 0, place.twice(), differing(place))
        else:  # a half may change what is read; it must not end anything
            code, told = place.finish()
            assert code in (0, 1) and "Traceback" not in told, told
            assert place.finish()[0] == code
            tally += Tally(place.stored(), place.stored(), 0, place.twice(), 0)
    return tally


@scenario("models that keep no contract")
def no_contract(root: Path, moments: random.Random, times: int) -> Tally:
    """A third of the calls raise, exit, give None or bytes or a status of their own, or never come back: each has its
    status, and --retry without them ends in the bytes of the undisturbed study."""
    tally = Tally()
    for turn in range(times):
        place = Place.make("forecast", root / f"odd-{turn}", TRUENESS_TEST_ODD="0.3")
        plan = place.root / "plan.toml"
        plan.write_text(plan.read_text().replace("repeats = 3\n", "repeats = 3\ntimeout = 0.5\n"))
        code, told = place.finish()
        assert code == 1 and "Traceback" not in told, told
        faults = place.failed()
        healthy = Place(place.kind, place.root, {**place.environment, "TRUENESS_TEST_ODD": "0"})
        plan.write_text(plan.read_text().replace("timeout = 0.5\n", ""))  # it is not part of a question's key
        tally += ended(healthy, Tally(faults), "--retry", "--replan")
    return tally


class Sometimes(Faulty):
    """Healthy, or busy, or not there at all, as it is told."""

    def __init__(self) -> None:
        super().__init__(0.0, 1)
        self.busy = threading.Event()
        self.turned_away = 0

    def take(self, seen: Seen) -> Turn:
        turn = super().take(seen)
        with self._lock:
            away = self.busy.is_set() or self.concurrent >= 2
            self.turned_away += away
        return Turn(code=429) if away else turn


@scenario("429 storms")
def storms(root: Path, moments: random.Random, times: int) -> Tally:
    """A provider with room for two calls, and for none at all during storms: one run, no failed row, the same bytes."""
    tally = Tally()
    for turn in range(times):
        with Sometimes() as server:
            place = place_at(server, root / f"storm-{turn}")
            driver = place.start()
            while driver.poll() is None:
                (server.busy.set if moments.random() < 0.5 else server.busy.clear)()
                time.sleep(moments.uniform(0.1, 1.0))
            told = driver.communicate()[1]
        assert driver.returncode == 0, told
        assert _failed(place) == 0, told
        tally += Tally(server.turned_away, server.turned_away, 0, place.twice(), _different(place))
    return tally


@scenario("dead server")
def dead_server(root: Path, moments: random.Random, times: int) -> Tally:
    """Nobody listens: the models are set aside, nothing is stored of them, and the same command asks them all when
    somebody does."""
    tally = Tally()
    for turn in range(times):
        with Faulty(0.0, 1) as server:
            port = server._server.server_port
            place = place_at(server, root / f"dead-{turn}")
            plan = (place.root / "plan.toml").read_text()
            dead = plan.replace(f":{port}", ":9")  # nobody listens there
            (place.root / "plan.toml").write_text(dead)
            code, told = place.finish()
            assert code == 1 and "Traceback" not in told, told
            assert "set aside" in told and "connection refused at http://127.0.0.1:9" in told, told
            assert _failed(place) == 0, told
            (place.root / "plan.toml").write_text(plan)
            code, told = place.finish("--replan")
            assert code == 0, told
        tally += Tally(3, 3, 0, place.twice(), _different(place))
    return tally


def _failed(place: Place) -> int:
    with sqlite3.connect(f"file:{place.folder / 'study.db'}?mode=ro", uri=True) as database:
        asked = "SELECT count(*) FROM runs WHERE task = 'forecast' AND status IN ('failed', 'timed_out')"
        return int(database.execute(asked).fetchone()[0])


def _different(place: Place) -> int:
    ours, theirs = place.bytes(), calm_bytes()
    return sum(a != b for a, b in zip(ours, theirs, strict=False)) + abs(len(ours) - len(theirs))
