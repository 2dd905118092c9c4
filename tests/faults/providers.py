"""Providers that fail over HTTP, through their own SDKs: busy, broken, cut off, silent, garbled, far too large."""

from __future__ import annotations

import gzip
import hashlib
import random
import sqlite3
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.faults.places import Place
from tests.faults.scenarios import Tally, scenario
from tests.models.loopback import Loopback, Seen, Turn

PLAN = """
name = "forecast"
seed = 4
[discovery]
datasets = ["survey", "synthetic-5"]
learners = ["correlation", "random"]
runs = 4
rows = 300
[forecast]
models = ["openai/gpt-4o", "anthropic/claude-x", "google/gemini-x"]
repeats = 2
"""
MODELS = {"openai/gpt-4o": "/v1", "anthropic/claude-x": "", "google/gemini-x": ""}
KEYS = {f"{name}_API_KEY": "planted-key" for name in ("OPENAI", "ANTHROPIC", "GOOGLE")}
UNBILLED = (
    Turn(code=429, retry_after="0"), Turn(code=429), Turn(code=500), Turn(code=502), Turn(code=503), Turn(cut=True)
)  # fmt: skip
UNBILLED += (Turn(packed=gzip.compress(bytes(64 << 20))),)  # 64 kB that unpack to 64 MB
BILLED = (  # answered, but nobody could have read the answer
    Turn(malformed=True), Turn(shapeless=True), Turn(hang=6.0), Turn(text="<think>" * 16_000)
)  # fmt: skip
MOST_TRIES = 12  # of --retry; with half of all calls failing two or three are enough


class Faulty(Loopback):
    """Meets a share of the requests with a fault of any kind."""

    def __init__(self, share: float, seed: int):
        super().__init__(ranges)
        self.share, self.chance, self.faults, self.billed = share, random.Random(seed), 0, 0

    def take(self, seen: Seen) -> Turn:
        super().take(seen)
        with self._lock:
            if self.chance.random() >= self.share:
                return Turn()
            turn = self.chance.choice(UNBILLED + BILLED)
            self.faults += 1
            self.billed += turn in BILLED
            return turn


def ranges(prompt: str) -> str:
    """They depend on the prompt alone."""
    low = int(hashlib.sha256(prompt.encode()).hexdigest()[:4], 16) % 60 / 100
    return f"Precision: [{low}, {low + 0.3}]\nRecall: [{low}, {low + 0.2}]\nF1: [{low}, {low + 0.25}]\nSHD: [1, 4]"


def place_at(server: Loopback, root: Path) -> Place:
    place = Place.make("forecast", root, **KEYS)
    options = [
        f'[models."{name}"]\nbase_url = "{server.url}{path}"\nretries = 2\ndelay = 0.05\ntimeout = 4.0\n'
        for name, path in MODELS.items()
    ]
    (place.root / "plan.toml").write_text(PLAN + "".join(options))
    return place


@cache
def calm_bytes() -> bytes:
    with Faulty(0.0, 1) as server, TemporaryDirectory(prefix="trueness-calm-") as folder:
        place = place_at(server, Path(folder))
        code, told = place.finish()
        assert code == 0, told
        return place.bytes()


@scenario("provider faults over HTTP: 10 %")
def some(root: Path, moments: random.Random, times: int) -> Tally:
    return _provider_faults(root, moments, times, 0.1)


@scenario("provider faults over HTTP: 50 %")
def often(root: Path, moments: random.Random, times: int) -> Tally:
    return _provider_faults(root, moments, times, 0.5)


def _provider_faults(root: Path, moments: random.Random, times: int, share: float) -> Tally:
    """Each call is tried three times; what fails has its status, and --retry, until nothing is missing, asks for that
    alone: in the end the bytes are those of a study without faults, and every readable answer is stored."""
    tally = Tally()
    for turn in range(times):
        with Faulty(share, moments.randrange(10**6)) as server:
            place = place_at(server, root / f"http-{share}-{turn}")
            code, told = place.finish()
            for _ in range(MOST_TRIES):
                assert code in (0, 1) and "Traceback" not in told, told
                if code == 0:
                    break
                code, told = place.finish("--retry")
            readable = sum(server.paid.values()) - server.billed
        ours, theirs = place.bytes(), calm_bytes()
        different = sum(a != b for a, b in zip(ours, theirs, strict=False)) + abs(len(ours) - len(theirs))
        survived = server.faults if code == 0 else 0
        tally += Tally(server.faults, survived, max(0, readable - _stored(place)), place.twice(), different)
    return tally


def _stored(place: Place) -> int:
    with sqlite3.connect(f"file:{place.folder / 'study.db'}?mode=ro", uri=True) as database:
        return int(database.execute("SELECT count(*) FROM replies WHERE status = 'ok'").fetchone()[0])
