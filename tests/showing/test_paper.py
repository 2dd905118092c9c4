"""draft.tex, checked as text: what LaTeX would stumble over, whether or not it is installed."""

import re
import shutil
import subprocess

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueness.showing.paper import Part, Picture, draft, read_pictures
from trueness.showing.pdf import width_of, wrap_lines, write_pdf
from trueness.showing.saving import Drawing, Figure
from trueness.showing.tables import Column, Table, tex_text
from trueness.studies.discovery.reading import DiscoveryReading
from trueness.studies.forecast.tables import headline_of
from trueness.texts import printable

from .conftest import HOSTILE
from .learner_results import learner_results

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


def test_a_hostile_name_is_escaped_everywhere(sources):
    for path, text in sources.items():
        assert "y_50%" not in text and r"\<b>" not in text, path.name
    assert any(r"x\&y\_50\%\$\#\{\}" in text for text in sources.values())


@given(st.text(max_size=60))
def test_escaped_text_has_no_special_left(text):
    found = tex_text(text)
    bare = re.sub(r"\\[&%$#_{}]|\\text\w+\{\}", "", found)
    assert not set(bare) & set("\\&%$#_{}~^<>|\n\r\x00")
    assert all(ord(sign) < 0x180 for sign in found)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.slow
def test_the_draft_compiles(paper, tmp_path):
    """In a copy: what LaTeX leaves beside the draft must not be in the folder that other tests look at."""
    folder = shutil.copytree(paper.parent, tmp_path / "tree") / paper.name
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "draft.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout[-2000:]


def test_methods_of_a_discovery_name_data_learners_settings_runs_and_measures():
    told = " ".join(DiscoveryReading(learner_results()).methods())
    for words in ("asia (100 rows", "pc (dag; alpha 0.05)", "4 times", "F1 and SHD", "95 %"):
        assert words in told


def test_the_paper_has_every_finding_of_the_page(tree, forecasts, findings, reading):
    """Headline, hypotheses, and each analysis that was told."""
    part = reading.paper(tree[0])
    assert headline_of(forecasts, findings.rows).sentence in part.abstract
    told = {sentence for _, sentences in part.sections for sentence in sentences}
    assert all(set(a.sentences) <= told for a in findings.analyses() if a.possible and a.name != "validation")


def test_what_is_missing_stands_before_the_methods(tmp_path):
    text = draft("s", [DiscoveryReading(learner_results()).paper(tmp_path)])
    assert text.index("failed 4") < text.index(r"\section{Methods}")


SQUARE = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30" viewBox="0 0 40 30"><clipPath id="c">'
SQUARE += '<rect width="20" height="20"/></clipPath><rect clip-path="url(#c)" width="40" height="30" fill="red"/></svg>'


def a_part(**changed):
    table = Table("t", (Column("name", "Name", "text"), Column("n", "n", "count")), [{"name": HOSTILE, "n": 3}], "Cap.")
    given = {
        "sections": [("Findings", ["One."])],
        "tables": [table],
        "pictures": [Picture("p", "A picture.", SQUARE, b"%PDF")],
    }
    return Part("discovery", "An abstract.", ["A check."], ["A method."], **(given | changed))


def test_report_pdf_has_every_word_and_needs_no_tex(tmp_path):
    pypdf = pytest.importorskip("pypdf")
    path = write_pdf(tmp_path, "name of the study", [a_part()], ["Seed 7."])
    text = " ".join(page.extract_text() for page in pypdf.PdfReader(path).pages)
    for words in (
        "name of the study",
        "An abstract.",
        "A check.",
        "One.",
        HOSTILE,
        "A picture.",
        "A method.",
        "Seed 7.",
    ):
        assert words in text


@given(st.text(max_size=300))
def test_lines_are_never_wider_than_the_page(text):
    lines = wrap_lines(text, 120.0, 9.0)
    assert all(width_of(line, 9.0) <= 120.0 or len(line) == 1 for line in lines)
    assert "".join(lines).replace(" ", "") == "".join(map(printable, text.split()))


def test_figures_come_with_the_captions_they_carry(tmp_path):
    Figure("dag_x", pd.DataFrame(), Drawing(SQUARE), "Says a < b & c.").save(tmp_path / "plots")
    assert [(p.name, p.caption) for p in read_pictures(tmp_path, "plots", "dag_*")] == [("dag_x", "Says a < b & c.")]


def test_parts_of_several_tasks_stand_in_one_draft():
    other = a_part(tables=[], pictures=[])
    text = draft("s", [other, Part("robustness", "B.", ["C."], ["D."], [("Found", ["E & F."])])], ["Seed 1."])
    order = [r"\section{Validation}", r"\subsection{Discovery}", r"\subsection{Robustness}", "Seed 1.", r"E \& F."]
    assert [text.index(words) for words in order] == sorted(text.index(words) for words in order)
    assert r"\section{Robustness: found}" in text
