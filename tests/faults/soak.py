"""make soak: every scenario many times, a table at the end, a failure where anything was lost, doubled or changed.

python -m tests.faults.soak [--minutes 25] [--json] [NAME ...]
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
import time
import traceback
from pathlib import Path
from tempfile import mkdtemp

import tests.faults.workers  # noqa: F401  registers its scenarios
from tests.faults.scenarios import NEEDS_MOUNT, SCENARIOS, Tally, may_mount


def soak(minutes: float, names: list[str], seed: int) -> dict[str, Tally]:
    """Rounds over all scenarios until the time is up; each round strikes twice."""
    root, moments, end = Path(mkdtemp(prefix="trueness-soak-")), random.Random(seed), time.monotonic() + 60 * minutes
    tallies = {name: Tally() for name in names}
    first = True
    try:
        while first or time.monotonic() < end:
            for name in names:
                if not first and time.monotonic() > end:
                    break
                tallies[name] += _struck(name, root / "study", moments)
                print(f"{name}: {tallies[name]}", file=sys.stderr, flush=True)
            first = False
    finally:
        shutil.rmtree(root, ignore_errors=True)
    return tallies


def _struck(name: str, root: Path, moments: random.Random) -> Tally:
    """What a scenario finds amiss is a fault that was not survived; the others go on."""
    try:
        return SCENARIOS[name](root, moments, 2)
    except (AssertionError, subprocess.TimeoutExpired) as error:
        traceback.print_exc()
        return Tally(injected=1, told=f"{error}\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="scenarios (default: all)")
    parser.add_argument("--minutes", type=float, default=25.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    names = options.names or [name for name in SCENARIOS if name not in NEEDS_MOUNT or may_mount()]
    left_out = [name for name in SCENARIOS if name not in names]
    tallies = soak(options.minutes, names, options.seed)
    if options.json:
        print(json.dumps({name: vars(tally) for name, tally in tallies.items()}, indent=2))
    else:
        print(f"{'scenario':45} {'injected':>9} {'survived':>9} {'lost':>6} {'twice':>6} {'bytes':>6}")
        for name, t in tallies.items():
            print(f"{name:45} {t.injected:9} {t.survived:9} {t.lost:6} {t.twice:6} {t.differing:6}")
        for name in left_out if not options.names else ():
            print(f"{name:45} left out: needs the right to mount")
    return 0 if all(tally.clean for tally in tallies.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
