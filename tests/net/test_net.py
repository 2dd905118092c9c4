"""Every written file and every form of output of five small studies is what it was; see golden.py for a change."""

import re
import shutil

import pytest

from tests.net.golden import differences, file_differences, is_checked
from tests.net.studies import KINDS
from trueness.cli import main

PAIRS = {
    "discovery": ("pc", "ges"),
    "forecast": ("mock/vacuous", "mock/overconfident"),
    "population": ("believers.py:Even", "believers.py:First"),
    "faithfulness": ("right", "rule_swapped"),
    "robustness": ("granger", "correlation"),
}
FORMS = {"txt": [], "json": ["--json"], "csv": ["--csv"], "md": ["--md"], "tex": ["--tex"]}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not is_checked(), reason="not checked: what is kept comes from another kind of processor"),
]


@pytest.mark.parametrize("kind", KINDS)
def test_every_file_is_what_it_was(kind, small_study):
    assert file_differences(f"{kind}/files.json", small_study(kind)) == ""


@pytest.mark.parametrize("kind", KINDS)
def test_every_form_of_output_is_what_it_was(kind, small_study, output):
    folder = small_study(kind)
    found = [differences(f"{kind}/show.{form}", output("show", folder, *options)) for form, options in FORMS.items()]
    found.append(differences(f"{kind}/show-80.txt", output("show", folder, columns=80)))
    for form, options in FORMS.items():
        found.append(differences(f"{kind}/compare.{form}", output("compare", *PAIRS[kind], folder, *options)))
    assert [text for text in found if text] == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_made_again_is_the_same(kind, small_study, output, tmp_path):
    folder = tmp_path / f"net-{kind}"
    shutil.copytree(small_study(kind), folder)
    assert differences(f"{kind}/report.json", output("report", folder, "--json")) == ""
    assert file_differences(f"{kind}/files.json", folder) == ""


def test_a_paper_has_what_the_study_it_rests_on_found(small_study):
    text = (small_study("forecast") / "paper" / "draft.tex").read_text(encoding="utf-8")
    assert r"\section{Discovery: which learner does best on each data set}" in text


def test_every_form_of_analyse_is_what_it_was(root, output):
    table = root / "examples" / "scores.csv"
    found = [differences(f"analyse/analyse.{form}", output("analyse", table, *how)) for form, how in FORMS.items()]
    page = output("analyse", table, "--html")  # its styles and scripts are the page's own files; this is what it shows
    found.append(differences("analyse/page.json", re.search(r'id="document">(.*?)</script>', page, re.DOTALL)[1]))
    assert [text for text in found if text] == []


@pytest.fixture()
def output(capsys, monkeypatch):
    """What a command prints: (arguments) -> its standard output, without folders of this machine."""

    def run(*arguments, columns=120):
        monkeypatch.setenv("COLUMNS", str(columns))
        capsys.readouterr()
        assert main([str(argument) for argument in arguments]) in (0, 1)
        text = capsys.readouterr().out
        for folder in (argument.parent for argument in arguments if hasattr(argument, "parent")):
            text = text.replace(str(folder), "...")
        return text

    return run
