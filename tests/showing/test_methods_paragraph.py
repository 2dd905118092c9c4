"""The methods paragraph: what the plan said, as sentences; what is not there is not told."""

import json

import pandas as pd
import pytest

from trueness.showing import methods_paragraph
from trueness.showing.marks import panel_columns, spread_of, text_width
from trueness.showing.theme import colours, item_label, labels

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


def test_nothing_is_said_of_a_folder_without_a_plan(tmp_path):
    assert methods_paragraph.of_the_plan(tmp_path) == []


@pytest.mark.parametrize(
    ("names", "text"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", 2, "c"], "a, 2 and c")]
)
def test_names_are_joined_as_people_do(names, text):
    assert methods_paragraph.listed(names) == text


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"alpha": 0.05, "test": "chi2", "empty": [], "none": None}, "; alpha 0.05, test chi2"),
        ({"inner": {"a": [1, 2]}}, "; inner {a 1 and 2}"), ({}, ""), ("no table", ""), ({"x": None}, ""),
    ],
)  # fmt: skip
def test_settings_that_say_nothing_are_not_said(settings, text):
    assert methods_paragraph.settings_text(settings) == text


def test_prompts_are_named_with_version_and_hash():
    assert methods_paragraph.prompts({"direct": {"version": 2, "hash": "0123456789"}}) == [
        "Prompts: direct (version 2, 01234567)."
    ]
    assert methods_paragraph.prompts(None) == methods_paragraph.prompts({}) == []


def test_a_section_is_a_title_a_rule_and_lines_that_fit():
    text = methods_paragraph.section("Findings", ["word " * 60, "short"])
    lines = text.splitlines()
    assert lines[:2] == ["Findings", "--------"] and max(map(len, lines)) <= 110 and lines[-1] == "  short"
    assert methods_paragraph.section("Empty", []).endswith("\n  nothing")


# ---- names and colours of respondents


def test_a_colour_belongs_to_a_name_and_references_are_grey():
    first = colours(["b", "a", "ref"], ["ref"])
    assert first == colours(["ref", "a", "b"], ["ref"]) and len(set(first.values())) == 3
    red, green, blue = (int(first["ref"][k : k + 2], 16) for k in (1, 3, 5))
    assert red == green == blue


def test_more_models_than_colours_are_still_told_apart():
    found = colours([f"m{k:02}" for k in range(21)])
    assert len(set(found.values())) == 21


def test_a_short_name_is_one_respondents_alone():
    names = ["openai/gpt", "azure/gpt", "openai/mini", "a/" + "x" * 40, "a/" + "x" * 20 + "y" + "x" * 19]
    short = labels(names)
    assert short["openai/mini"] == "mini" and short["openai/gpt"] == "openai/gpt"
    assert len(set(short.values())) == len(names)
    assert len(labels(["p/" + "long" * 20])["p/" + "long" * 20]) == 22


def test_items_of_two_data_sets_or_learners_have_two_names():
    assert {item_label("asia", "pc"), item_label("asia", "ges"), item_label("cancer", "pc")} > {
        item_label("asia", "pc")
    }


@pytest.mark.parametrize(("panels", "most", "columns"), [(0, 5, 1), (5, 5, 5), (6, 5, 3), (7, 3, 3), (4, 3, 2)])
def test_panels_fill_their_rows_alike(panels, most, columns):
    assert panel_columns(panels, most) == columns


def test_counts_in_a_caption_and_room_for_names():
    assert spread_of(pd.Series([100, 80, 90])) == "80 to 100" and spread_of(pd.Series([5, 5])) == "5"
    assert spread_of(pd.Series([], dtype=int)) == "no"
    assert text_width([]) == 0 and text_width(["x" * 1000]) == 130
