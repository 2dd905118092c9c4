"""What every benchmark does alike: one thread, a median of CPU seconds, a table, JSON, and an exit code that tells.

Import it before numpy: it sets the number of threads.
"""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[name] = "1"

import argparse
import json
import resource
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Line:
    """One comparison: ours and the peer on the same work, or ours against a limit in seconds."""

    what: str
    ours_s: float
    target: float | None
    peer: str = ""
    peer_s: float | None = None
    limit: bool = False  # the target is an upper limit of ours_s, not a ratio

    @property
    def ratio(self) -> float | None:
        return None if self.peer_s is None else self.peer_s / self.ours_s

    @property
    def passed(self) -> bool | None:
        if self.target is None:
            return None
        return self.ours_s <= self.target if self.limit else (self.ratio or 0.0) >= self.target


def options(document: str, quick: bool = False) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=document.splitlines()[0])
    if quick:
        parser.add_argument("--quick", action="store_true", help="leave out what takes long")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--repeats", type=int, default=5)
    return parser.parse_args()


def median_seconds(call: Callable[[], Any], repeats: int) -> float:
    """CPU seconds, after one call that is not counted: the clock tells what else the machine does."""
    call()
    return statistics.median(cpu_seconds(call) for _ in range(repeats))


def cpu_seconds(call: Callable[[], Any]) -> float:
    """Of this process, and of those that it started and that have ended."""
    began = _spent()
    call()
    return _spent() - began


def _spent() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def finish(name: str, lines: list[Line], notes: tuple[str, ...] = (), as_json: bool = False) -> None:
    """Print and leave: exit code 1 when a target was missed."""
    notes += (f"load of the machine at the end: {os.getloadavg()[0]:.1f}",)
    if as_json:
        rows = [asdict(line) | {"ratio": line.ratio, "pass": line.passed} for line in lines]
        print(json.dumps({"benchmark": name, "lines": rows, "notes": list(notes)}))
    else:
        print(f"{name}")
        for line in lines:
            peer = f"  {line.peer} {_time(line.peer_s)}  {line.ratio:6.1f} x" if line.peer_s is not None else ""
            verdict = {None: "", True: "pass", False: "SHORT"}[line.passed]
            print(f"  {line.what:<44} {_time(line.ours_s):>10}{peer}{_target(line)}  {verdict}")
        for note in notes:
            print(f"  {note}")
    sys.exit(any(line.passed is False for line in lines))


def _target(line: Line) -> str:
    if line.target is None:
        return ""
    return f"  (target {_time(line.target) if line.limit else f'{line.target:g} x'})"


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.3f} ms" if seconds < 0.1 else f"{seconds:.3f} s"
