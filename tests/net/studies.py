"""One small finished study of each kind, made once a test run and shared by all tests that only read it."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

KINDS = ("discovery", "forecast", "population", "faithfulness", "robustness")
PLANS = Path(__file__).parent / "plans"


def finished(kind: str, place: Path) -> Path:
    """The folder of the study; whoever comes first makes it, by the command, in processes of its own."""
    place.mkdir(parents=True, exist_ok=True)
    with (place / f"{kind}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        folder = place / "results" / f"net-{kind}"
        if not (folder / "report.html").is_file():
            for path in PLANS.iterdir():
                if path.is_file():
                    shutil.copy(path, place)
            done = command(place, "run", f"{kind}.toml")
            assert done.returncode in (0, 1), done.stderr  # 1: some failed, as they should
    return folder


def command(place: Path, *arguments: str, columns: int = 120) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"COLUMNS": str(columns), "NO_COLOR": "1", "TERM": "dumb"}
    return subprocess.run(
        [sys.executable, "-P", "-m", "trueness", *arguments], cwd=place, env=environment, capture_output=True, text=True
    )
