"""The methods paragraph: what the plan said, as sentences; what is not there is not told."""

import json

import pytest

from trueness.showing import methods_paragraph

PLAN = """
name = "mine"
folder = "elsewhere"
seed = 3
[discovery]
datasets = ["asia", "cancer"]
learners = ["/home/someone/own.py:Mine"]
level = 0.9
[discovery.pc]
alpha = 0.05
"""


def test_every_setting_of_the_plan_is_told_but_its_name_and_its_place(tmp_path):
    (tmp_path / "study.toml").write_text(PLAN)
    (sentence,) = methods_paragraph.of_the_plan(tmp_path)
    assert "seed = 3; discovery.datasets = asia and cancer" in sentence and "discovery.pc.alpha = 0.05" in sentence
    assert "elsewhere" not in sentence and "name" not in sentence and "/home" not in sentence


def test_versions_come_from_the_provenance_and_what_it_lacks_is_left_out(tmp_path):
    packages = {"numpy": "2.0", "unheard-of": "1.0"}
    record = {"seed": 3, "python": "3.11", "machine": "x86", "packages": packages}
    (tmp_path / "provenance.json").write_text(json.dumps(record))
    (sentence,) = methods_paragraph.of_the_plan(tmp_path)
    assert "Seed 3; Python 3.11; numpy 2.0; x86." in sentence and "unheard-of" not in sentence


@pytest.mark.parametrize("content", ["[", "5", '{"packages": [1]}'])
def test_a_provenance_of_somebody_else_stops_nothing(tmp_path, content):
    (tmp_path / "provenance.json").write_text(content)
    assert all(isinstance(sentence, str) for sentence in methods_paragraph.of_the_plan(tmp_path))


# ---- names and colours of respondents
