"""One small finished study of each kind, made once a test run and shared by all tests that only read it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from tests import forked

KINDS = ("discovery", "forecast", "population", "faithfulness", "robustness")
PLANS = Path(__file__).parent / "plans"


def finish(kind: str, place: Path) -> None:
    """Runs the study in this new folder, by the command, in processes of its own."""
    shutil.copytree(PLANS, place)
    done = command(place, "run", f"{kind}.toml")
    assert done.returncode in (0, 1), done.stderr  # 1: some failed, as they should


def command(place: Path, *arguments: str, columns: int = 120) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"COLUMNS": str(columns), "NO_COLOR": "1", "TERM": "dumb"}
    return forked.run(arguments, place, environment)
