"""Lines of Python in each room against its budget: python -m tools.size [--lower]

--lower writes the numbers that were reached into budget.toml, where they are lower.

The numbers in budget.toml are decisions. They go down to what was reached; a number that goes up is a line of its
commit message, with what the lines replace or why the room grows. tests/test_budget.py holds them.
"""

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "trueness"


def room_of(file: Path) -> str:
    """Return the room of a file of the package: its folder, a study's name, or what a few folders share."""
    parts = file.relative_to(SOURCE).parts
    if parts[0] in ("cli.py", "__main__.py", "terminal", "page"):
        return "face"
    if len(parts) == 1:
        return "base"
    if parts[0] == "studies" and len(parts) > 2:
        return parts[1]
    if parts[:2] == ("learners", "kernels"):
        return "kernels"
    return {"atlas": "measures"}.get(parts[0], parts[0])


def lines_of(file: Path) -> int:
    return len(file.read_text(encoding="utf-8").splitlines())


def sizes() -> dict[str, int]:
    """Return the lines of each room, of the tests, and the number of files of the package."""
    rooms: dict[str, int] = {}
    files = list(SOURCE.rglob("*.py"))
    for file in files:
        rooms[room_of(file)] = rooms.get(room_of(file), 0) + lines_of(file)
    return rooms | {"tests": sum(map(lines_of, (ROOT / "tests").rglob("*.py"))), "files": len(files)}


def budget() -> dict[str, int]:
    return tomllib.loads((ROOT / "budget.toml").read_text(encoding="utf-8"))["lines"]


def lower() -> None:
    """Write each number that was reached over a higher one; none goes up."""
    reached, file = sizes(), ROOT / "budget.toml"
    lines = file.read_text(encoding="utf-8").splitlines()
    for index, line in enumerate(lines):
        name, equals, number = line.partition(" = ")
        if equals and name in reached:
            lines[index] = f"{name} = {min(reached[name], int(number))}"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    if "--lower" in sys.argv[1:]:
        lower()
    allowed = budget()
    rooms = {name: size for name, size in sizes().items() if name not in ("tests", "files")}
    for name, size in sorted(rooms.items(), key=lambda item: -item[1]):
        over = "" if size <= allowed.get(name, 0) else "  over"
        sys.stdout.write(f"{name:14}{size:8,} of {allowed.get(name, 0):7,}{over}\n")
    held = sizes()
    total = sum(allowed[name] for name in rooms if name in allowed)
    files = f"in {held['files']} files of {allowed['files']}"
    sys.stdout.write(f"{'src':14}{sum(rooms.values()):8,} of {total:7,}, {files}\n")
    sys.stdout.write(f"{'tests':14}{held['tests']:8,} of {allowed['tests']:7,}\n")


if __name__ == "__main__":
    main()
