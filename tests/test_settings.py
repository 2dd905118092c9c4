"""One checker for every plan, learner and scorer: what there is, what it must be, what was given, where."""

import tomllib
from dataclasses import dataclass, field
from typing import Annotated, Literal

import pytest

from trueness.errors import PlanError, SettingError
from trueness.running.study import toml_text
from trueness.settings import (
    Between,
    Hint,
    Names,
    OneOf,
    Positive,
    Share,
    SomeNames,
    Temperature,
    Whole,
    read_settings,
)


@dataclass(frozen=True)
class Made:
    who: Annotated[SomeNames, Hint("See 'trueness list learners'.")]
    runs: Whole = 100
    rows: Annotated[int, Between(2, closed=True)] | None = None
    level: Share = 0.95
    timeout: Positive = 120.0
    temperature: Temperature = 0.1
    modes: Annotated[Names, OneOf(("qa", "sample"))] = ()
    vary: Literal["auto", "redraw"] = "auto"
    codes: bool = False
    judged: Whole | Names | None = None
    weights: dict[str, float] = field(default_factory=dict)


def read(**given):
    return read_settings(Made, {"who": ["pc"]} | given, "a study", "t.toml, [study]", PlanError)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"rnus": 3}, "'rnus' is not a setting of a study. Did you mean 'runs'?"),
        ({"xyzzy": 3}, "'xyzzy' is not a setting of a study. It has: who, runs, rows,"),
        ({"who": []}, "'who' of a study must name at least one, got none. See 'trueness list learners'."),
        ({"who": "pc"}, "'who' of a study must be a list of names, got 'pc'. See 'trueness list learners'."),
        ({"who": ["pc", 3]}, "'who' of a study must be a list of names, got ['pc', 3]."),
        ({"who": ["pc", "pc"]}, "'who' of a study must name each once, got pc twice."),
        ({"runs": 0}, "'runs' of a study must be a whole number of at least 1, got 0."),
        ({"runs": 2.5}, "'runs' of a study must be a whole number of at least 1, got 2.5."),
        ({"runs": True}, "'runs' of a study must be a whole number of at least 1, got True."),
        ({"rows": 1}, "'rows' of a study must be a whole number of at least 2, got 1."),
        ({"level": 1}, "'level' of a study must be a number in (0, 1), got 1."),
        ({"level": float("nan")}, "'level' of a study must be a number in (0, 1), got nan."),
        ({"timeout": float("inf")}, "'timeout' of a study must be a number above 0, got inf."),
        ({"timeout": 10**400}, "'timeout' of a study must be a number above 0, got 1000"),
        ({"temperature": 3}, "'temperature' of a study must be a number in [0, 2] or \"none\", got 3."),
        ({"temperature": "hot"}, "'temperature' of a study must be a number in [0, 2] or \"none\", got 'hot'."),
        ({"modes": ["sampel"]}, "'modes' of a study must be of qa, sample, got 'sampel'. Did you mean 'sample'?"),
        ({"vary": "redrwa"}, "'vary' of a study must be one of auto, redraw, got 'redrwa'. Did you mean 'redraw'?"),
        ({"temperature": "non"}, "a number in [0, 2] or \"none\", got 'non'. Did you mean 'none'?"),
        ({"vary": "no"}, "'vary' of a study must be one of auto, redraw, got 'no'."),
        ({"codes": 1}, "'codes' of a study must be true or false, got 1."),
        ({"weights": 3}, "'weights' of a study must be a table, got 3."),
    ],
)
def test_a_mistake_is_one_line_in_one_form(given, told):
    with pytest.raises(PlanError) as error:
        read(**given)
    assert told in str(error.value) and str(error.value).endswith("  (t.toml, [study])")
    assert "\n" not in str(error.value) and len(str(error.value)) < 300


def test_what_cannot_be_left_out_is_asked_for():
    with pytest.raises(SettingError, match="'who' of x must be a list of names, got none. See 'trueness list"):
        read_settings(Made, {}, "x")


def test_values_are_those_that_the_fields_say():
    made = read(timeout=5, temperature="none", judged=["a", "b"], rows=2, level=0.5)
    assert made == Made(("pc",), timeout=5.0, temperature="none", judged=("a", "b"), rows=2, level=0.5)
    assert isinstance(made.timeout, float) and read(judged=3).judged == 3 and read().runs == 100


def test_a_written_plan_reads_back_whatever_its_names_hold():
    settings = {"a = 1": "x", "'": '\x7f \U0001f600 "\\\n\x1b', "t.[u]": {"=1+1": [1, "\u00e9"], "": {" b ": True}}}
    assert tomllib.loads(toml_text(settings)) == settings
