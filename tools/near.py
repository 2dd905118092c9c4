"""The test folders of the rooms at or above what was changed since the last commit, for `make near`.

A change in a room can break what stands on it, and nothing below. Without a change in src: the tests that were changed.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.test_layers import HEIGHT, ROOMS  # noqa: E402

ROOM_OF = {  # folders of tests that are not called as the room they test
    "faithfulness": "studies", "forecast": "studies", "population": "studies", "robustness": "studies",
    "tasks": "studies", "net": "cli", "docs": "cli", "faults": "cli", "hostile": "cli", "replies": "reading",
}  # fmt: skip


def near(changed: list[str]) -> list[str]:
    rooms = [Path(name).parts[2].removesuffix(".py") for name in changed if name.startswith("src/trueness/")]
    lowest = min((HEIGHT.get(room, 0) for room in rooms), default=len(ROOMS))
    touched = {Path(*Path(name).parts[:2]) for name in changed if name.startswith("tests/") and name.endswith(".py")}
    for place in sorted((ROOT / "tests").iterdir()):
        room = ROOM_OF.get(place.name, place.name)
        is_tests = (place.is_dir() and any(place.glob("test_*.py"))) or place.name.startswith("test_")
        if is_tests and HEIGHT.get(room, len(ROOMS)) >= lowest and rooms:
            touched.add(place.relative_to(ROOT))
    return sorted(str(path) for path in touched if (ROOT / path).exists())


def changed_files() -> list[str]:
    asked = (["git", "diff", "--name-only", "HEAD"], ["git", "ls-files", "--others", "--exclude-standard"])
    return [
        line for one in asked for line in subprocess.run(one, cwd=ROOT, capture_output=True, text=True).stdout.split()
    ]


if __name__ == "__main__":
    sys.stdout.write(" ".join(near(changed_files())) or "tests/test_layers.py")
