"""The pages of the documentation, taken apart: blocks with the mark that stands right above them, links, headings.

    <!-- not run: it needs a key -->          the block below is not run, and why
    <!-- run by tests/x/test_y.py -->         another test runs the block below
    <!-- file: study.toml -->                 the reader saves the block below under that name

A `text` block behind a `sh` block is what its commands print; `...` stands for what was left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(str(path.relative_to(ROOT)) for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
LINKED = [*PAGES, "CONTRIBUTING.md", "skills/analyse-results/SKILL.md", "skills/measure-knowledge/SKILL.md"]

_FENCE = re.compile(r"^(`{3,})(\w*)\n(.*?)^\1 *$", re.MULTILINE | re.DOTALL)
_MARK = re.compile(r"<!-- (not run|run by|file):? (.+?) -->\n\Z")
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """One fenced block; `kind` and `said` are those of its mark, empty where it has none."""

    page: str
    line: int
    language: str
    text: str
    kind: str = ""
    said: str = ""

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


def read(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def blocks_of(page: str) -> list[Block]:
    text = read(page)
    found = []
    for fence in _FENCE.finditer(text):
        mark = _MARK.search(text[: fence.start()])
        line = text.count("\n", 0, fence.start()) + 1
        kind, said = mark.groups() if mark else ("", "")
        found.append(Block(page, line, fence[2], fence[3], kind, said))
    return found


def prose_of(page: str) -> str:
    """The page without its blocks."""
    return _FENCE.sub("", read(page))


def links_of(page: str) -> list[str]:
    """Targets of links and pictures inside the repository."""
    inline = re.sub(r"`[^`\n]+`", "", prose_of(page))
    return [link for link in _LINK.findall(inline) if "://" not in link]


def anchors_of(page: str) -> set[str]:
    """Headings as code hosts name them: lower case, no punctuation, blanks as dashes."""
    words = [re.sub(r"[^\w\- ]", "", heading.lower()).strip() for heading in _HEADING.findall(prose_of(page))]
    return {word.replace(" ", "-") for word in words}


def lines_of(block: Block) -> list[str]:
    """The command lines of a block; a line that ends in a backslash goes on in the next."""
    joined = block.text.replace("\\\n", " ")
    return [line for line in joined.splitlines() if line.strip() and not line.lstrip().startswith("#")]
