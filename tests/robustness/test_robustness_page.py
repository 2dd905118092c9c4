"""The page for users: its code runs, and what it names is there."""

import re

from trueness.datasets.corruptions import PRESETS, STEPS


def test_the_corruptions_that_the_page_names_are_there(root):
    page = (root / "docs" / "robustness.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:compound|extreme|mnar|mcar)\w*)`", page))
    assert named and named <= {*PRESETS, *STEPS}


def test_the_plan_on_the_page_and_the_example_have_settings_that_exist(root):
    from trueness.running.study import Plan
    from trueness.settings import hints_of
    from trueness.studies.robustness.plan import RobustnessSettings

    page = (root / "docs" / "robustness.md").read_text(encoding="utf-8")
    plan = next(text for text in re.findall(r"```toml\n(.*?)```", page, re.DOTALL) if "[robustness]" in text)
    named = re.findall(r"^(\w+) =", plan.split("[robustness]")[1].split("[robustness.")[0], re.MULTILINE)
    assert named and set(named) <= set(hints_of(RobustnessSettings))
    example = Plan.read(root / "examples" / "robustness.toml").task
    assert example.settings.seeds >= 10 and len(example.datasets) >= 6
