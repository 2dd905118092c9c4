"""What `make docs` makes from the code is what lies in docs/: where it is not, the code has changed since.

Pictures of the gallery are not drawn again here (half a minute, and fonts differ between machines); that every chart
has its picture, its question and its caption is checked.
"""

import ast
import importlib.util

from tests.docs.pages import ROOT, read
from tests.each import each


def tool(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def questions():
    """QUESTIONS of tools/gallery.py, read and not imported: all charts would come with it, at every collection."""
    tree = ast.parse((ROOT / "tools" / "gallery.py").read_text(encoding="utf-8"))
    found = next(node for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "QUESTIONS")
    return ast.literal_eval(found.value)


QUESTIONS = questions()


def test_the_reference_of_the_command_line_is_that_of_the_code():
    assert read("docs/cli.md") == tool("cli_reference").page(), "stale: make docs"


def test_the_reference_of_the_public_names_is_that_of_the_code():
    assert read("docs/api.md") == tool("api_reference").page(), "stale: make docs"
    assert "\nGraph.from_matrix(" in read("docs/api.md")  # inherited methods too


def test_the_index_lists_every_page_with_its_title():
    assert read("docs/index.md") == tool("docs_index").page(), "stale: make docs"
    assert "## More" not in read("docs/index.md"), "a page has no question yet: tools/docs_index.py"


@each("name", QUESTIONS)
def test_every_chart_stands_in_the_gallery_with_its_question_and_picture(name):
    page = read("docs/gallery.md")
    assert f"## `{name}`\n**{QUESTIONS[name]}**\n\n![{name}](pictures/{name}.svg)\n\n" in page, "stale: make docs"
    assert (ROOT / "docs" / "pictures" / f"{name}.svg").is_file()
    caption = page.split(f"(pictures/{name}.svg)\n\n")[1].split("\n")[0]
    assert len(caption.split()) > 5


def test_the_gallery_shows_no_chart_that_is_no_more():
    shown = {line.split("`")[1] for line in read("docs/gallery.md").splitlines() if line.startswith("## `")}
    assert shown == set(QUESTIONS)
