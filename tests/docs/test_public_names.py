"""The pages, notebooks and examples use the public names alone: what stands elsewhere may change without notice."""

import ast
import doctest
import json
import re

import trueness
from tests.docs.pages import PAGES, ROOT, blocks_of
from tests.each import each

MODULES = {name: getattr(trueness, name) for name in ("extend", "faithfulness", "statistics")}
FILES = [
    *PAGES,
    *(str(path.relative_to(ROOT)) for path in [*ROOT.glob("docs/**/*.ipynb"), *ROOT.glob("examples/**/*.py")]),
]


@each("file", FILES)
def test_only_public_names_are_used(file):
    wrong = [name for code in code_of(file) for name in used(ast.parse(code)) if not is_public(name)]
    assert wrong == [], f"{file}: not names of `import trueness`; see docs/api.md"


def code_of(file):
    if file.endswith(".md"):
        blocks = [block.text for block in blocks_of(file) if block.language == "python"]
        return [doctest.script_from_examples(text) if ">>>" in text else text for text in blocks]
    text = (ROOT / file).read_text(encoding="utf-8")
    if file.endswith(".py"):
        return [text]
    return ["".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]


def used(tree):
    """`trueness.NAME` and `trueness.MODULE.NAME`, imported or written out."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "trueness":
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("trueness."))
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in MODULES:
            yield f"trueness.{ast.unparse(node)}"
        elif isinstance(node, ast.Attribute) and re.fullmatch(r"trueness(\.\w+)+", ast.unparse(node)):
            yield ast.unparse(node)


def is_public(name):
    _, first, *rest = name.split(".")
    return first in trueness.__all__ and (first not in MODULES or not rest or rest[0] in MODULES[first].__all__)
