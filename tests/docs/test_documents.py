"""docs/documents.md: every file, command, option and name that it points to is there."""

import re

PLACES = ("src/", "docs/", "tests/", "examples/", "benchmarks/", "tools/", "skills/")
WORD = re.compile(r"[A-Za-z][\w-]{2,}")


def missing(text, root):
    """What stands in `...` in the second column of its tables, and is nowhere."""
    cells = [row.split(" | ") for row in text.splitlines() if row.startswith("| ") and " | " in row]
    pointers = [name for cells_of_row in cells for name in re.findall(r"`([^`]+)`", cells_of_row[1])]
    files = [path for place in ("src", "tests", "docs", "examples") for path in (root / place).rglob("*")]
    kinds = {".py", ".toml", ".md", ".txt", ".js", ".json", ".jsonl"}
    sources = [path for path in files if path.suffix in kinds and path.name != "documents.md"]
    words = {word for path in sources for word in WORD.findall(path.read_text(encoding="utf-8"))}
    words |= {part for path in files for part in WORD.findall(path.name)} | {"trueness"}
    for name in pointers:
        if name.startswith(PLACES):
            there = any(root.glob(name.rstrip("/"))) if "*" in name else (root / name.split(":")[0]).exists()
            if not there:
                yield name
        else:
            yield from (f"{word} in {name}" for word in WORD.findall(name) if not word.isupper() and word not in words)


def test_every_place_and_name_of_the_page_is_there(root):
    text = (root / "docs" / "documents.md").read_text(encoding="utf-8")
    assert text.count("\n| ") > 150
    assert list(missing(text, root)) == []


def test_a_place_or_a_name_that_is_not_there_is_seen(root):
    name = "no_such" + "_column"  # in two parts: this file is searched too
    row = f"| a | `src/trueness/cli.py`, `src/trueness/nowhere.py`, column `{name}` | |\n"
    assert list(missing(row, root)) == ["src/trueness/nowhere.py", f"{name} in {name}"]
