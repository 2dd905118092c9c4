"""draft.tex, checked as text: what LaTeX would stumble over, whether or not it is installed."""

import re
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.report.tables import escaped

COMMENT = re.compile(r"(?<!\\)%.*")


@pytest.fixture(scope="module")
def paper(tree):
    return tree[0] / "paper"


@pytest.fixture(scope="module")
def sources(paper):
    return {path: COMMENT.sub("", path.read_text()) for path in [paper / "draft.tex", *paper.glob("tables/*.tex")]}


def test_environments_are_balanced(sources):
    for path, text in sources.items():
        open_ones = []
        for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", text):
            if kind == "begin":
                open_ones.append(name)
            else:
                assert open_ones and open_ones.pop() == name, f"{path.name}: \\end{{{name}}}"
        assert not open_ones, path.name


def test_braces_and_dollars_are_balanced(sources):
    for path, text in sources.items():
        bare = re.sub(r"\\[\\{}$%&#_]", "", text)
        assert bare.count("{") == bare.count("}"), path.name
        assert bare.count("$") % 2 == 0, path.name


def test_every_file_that_is_named_exists(paper, sources):
    text = sources[paper / "draft.tex"]
    inputs = re.findall(r"\\input\{([^}]+)\}", text)
    pictures = re.findall(r"\\includegraphics(?:\[[^]]*\])?\{([^}]+)\}", text)
    assert inputs and pictures
    for name in [*inputs, *pictures]:
        assert (paper / name).is_file(), name


def test_every_reference_has_a_label_and_labels_are_unique(sources):
    whole = "".join(sources.values())
    labels = re.findall(r"\\label\{([^}]+)\}", whole)
    assert len(labels) == len(set(labels))
    assert set(re.findall(r"\\ref\{([^}]+)\}", whole)) <= set(labels)


def test_rows_of_a_table_have_as_many_cells_as_columns(sources):
    for path, text in sources.items():
        for spec, body in re.findall(r"\\begin\{tabular\}\{(\w+)\}(.*?)\\end\{tabular\}", text, re.DOTALL):
            rows = [line for line in body.splitlines() if line.endswith(r"\\")]
            assert rows and all(len(re.findall(r"(?<!\\)&", row)) == len(spec) - 1 for row in rows), path.name


def test_only_plain_packages_are_used(sources, paper):
    assert set(re.findall(r"\\usepackage\{(\w+)\}", sources[paper / "draft.tex"])) == {"booktabs", "graphicx"}


def test_a_hostile_name_is_escaped_everywhere(sources):
    for path, text in sources.items():
        assert "y_50%" not in text and r"\<b>" not in text, path.name
    assert any(r"x\&y\_50\%\$\#\{\}" in text for text in sources.values())


@given(st.text(max_size=60))
def test_escaped_text_has_no_special_left(text):
    found = escaped(text)
    bare = re.sub(r"\\[&%$#_{}]|\\text\w+\{\}", "", found)
    assert not set(bare) & set("\\&%$#_{}~^<>|\n\r\x00")
    assert all(ord(sign) < 0x180 for sign in found)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.slow
def test_the_draft_compiles(paper):
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "draft.tex"]
    done = subprocess.run(command, cwd=paper, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout[-2000:]
