"""docs/statistics.md has every method of the package: its module, and every paper that the module rests on."""

import ast
import re

from tests.docs.pages import ROOT, read
from tests.each import each

MODULES = [*(ROOT / "src/trueness/statistics").glob("*.py"), ROOT / "src/trueness/measures/interval_scores.py"]
NO_METHOD = {"__init__", "result"}
CITED = re.compile(r"([A-Z][A-Za-z-]+)(?:,? et al\.)? \(?((?:19|20)\d\d)(?:, ((?:19|20)\d\d))?")


def cited(path):
    """(surname before the year, year) of every paper in a module's first lines."""
    text = " ".join((ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split())
    return [(name, year) for name, *years in CITED.findall(text) for year in years if year]


@each("path", [path for path in MODULES if path.stem not in NO_METHOD])
def test_a_module_s_method_and_papers_are_on_the_page(path):
    formulas, references = read("docs/statistics.md").split("## References")
    assert f"`{path.stem}`" in formulas or f".{path.stem}`" in formulas
    for name, year in cited(path):
        assert re.search(rf"^- .*{name}.*\({year}\)", references, re.MULTILINE), f"{name} ({year})"


def test_every_reference_is_used_in_the_text():
    formulas, references = read("docs/statistics.md").split("## References")
    flat = " ".join(formulas.split())
    for names, year in re.findall(r"^- (.+?) \((\d{4})\)", references, re.MULTILINE):
        last = names.split(" & ")[-1].split(",")[0]
        assert re.search(rf"{last}[^;.()]* \(?(\d{{4}}, )?{year}", flat), f"{names} ({year})"
