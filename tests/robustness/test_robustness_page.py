"""The page for users: its code runs, and what it names is there."""

import re

from assay.datasets.corruptions import PRESETS, STEPS


def test_the_code_of_the_page_runs(root):
    page = (root / "docs" / "robustness.md").read_text(encoding="utf-8")
    names: dict = {}
    exec(re.search(r"```python\n(.*?)```", page, re.DOTALL).group(1), names)
    assert names["scores"].shape == (10, 10)


def test_the_corruptions_that_the_page_names_are_there(root):
    page = (root / "docs" / "robustness.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:compound|extreme|mnar|mcar)\w*)`", page))
    assert named and named <= {*PRESETS, *STEPS}
