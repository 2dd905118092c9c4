"""For `make site`: the menu is that of docs/index.md; a link to a file outside of docs/ goes to the repository."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from docs_index import DOCS, QUESTIONS

_OUTSIDE = re.compile(r"\]\((?:\.\./)+((?:examples|skills|src|benchmarks|tests|tools)/[^)#]*|[A-Z]+\.(?:md|cff))")


def on_config(config: Any) -> Any:
    titles = [{part: [page for page in pages if page.endswith(".md")]} for part, pages in QUESTIONS.items()]
    known = {page for pages in QUESTIONS.values() for page in pages} | {"index.md"}
    rest = sorted(str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md"))
    more = [page for page in rest if page not in known]
    config.nav = [{"Documentation": "index.md"}, *titles, *([{"More": more}] if more else [])]
    return config


def on_page_markdown(markdown: str, config: Any, **_: Any) -> str:
    return _OUTSIDE.sub(rf"]({config.repo_url}/blob/main/\1", markdown)
