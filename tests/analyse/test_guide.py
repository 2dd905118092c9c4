"""The agent skill and the page for people say the same, and the command knows what they say."""

import re
from importlib import resources

import pytest

from trueness import registry
from trueness.analyse.analysis_settings import AnalysisSettings
from trueness.terminal.options import command_line


@pytest.fixture(scope="module")
def guide():
    return (resources.files("trueness.analyse") / "guide.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", ["skills/analyse-results/SKILL.md", "docs/analyse.md"])
def test_skill_and_page_contain_the_guide_word_for_word(root, guide, page):
    assert guide in (root / page).read_text(encoding="utf-8")


def test_the_skill_begins_with_its_front_matter(root):
    text = (root / "skills" / "analyse-results" / "SKILL.md").read_text(encoding="utf-8")
    _, head, _ = text.split("---\n", 2)
    assert head.startswith("name: analyse-results\ndescription: ")
    assert len(head.split("description: ")[1].strip()) < 1024


def test_the_skill_of_studies_speaks_of_every_study(root):
    text = (root / "skills" / "measure-knowledge" / "SKILL.md").read_text(encoding="utf-8")
    assert [name for name in registry.names("task") if f"| `{name}`" not in text] == []


def test_every_option_of_the_guide_is_one_of_the_command(guide):
    for option in set(re.findall(r"--[a-z][a-z-]+(?![a-z_-])", guide)):
        words = [option, "x"] if option not in ("--one-sided", "--lower-is-better") else [option]
        if option in ("--json", "--csv", "--tex", "--html"):
            words = [option]
        assert command_line().parse_args(["analyse", "scores.csv", *words]).command == "analyse"


def test_every_setting_of_a_toml_has_its_option():
    options = vars(command_line().parse_args(["analyse", "scores.csv"]))
    without = {"level", "resamples", "seed"}
    assert set(vars(AnalysisSettings())) - without <= set(options)
