"""Options of a model that a plan fixes, [models.NAME], in every study that asks models."""

import pytest

from trueness.errors import TruenessError
from trueness.models import Message, Settings, build
from trueness.running.study import Plan

STUDIES = {
    "forecast": '[discovery]\ndatasets = ["asia"]\nlearners = ["pc"]\n[forecast]\nmodels = ["mock/vacuous"]\n',
    "population": '[population]\nmodels = ["mock/vacuous"]\ntasks = ["acs_married_by_age"]\nmodes = ["sample"]\n',
    "faithfulness": '[faithfulness]\njudges = ["mock/vacuous"]\njudged = 1\n',
}


def cells(study, more=""):
    return Plan.parse(f"{STUDIES[study]}{more}", "t.toml").tasks[-1].cells()


@pytest.mark.parametrize("study", STUDIES)
def test_a_model_may_be_left_its_temperature(study):
    found = cells(study, '[models."mock/vacuous"]\ntemperature = "none"')
    assert {cell.common["settings"].temperature for cell in found} == {None}
    assert None not in {cell.common["settings"].temperature for cell in cells(study)}


def test_a_model_that_is_left_its_temperature_is_asked_without():
    reply = build("mock/vacuous", {"temperature": "none"}).ask([Message("user", "?")], Settings(temperature=0.7))
    assert reply.settings["temperature"] is None


@pytest.mark.parametrize("study", STUDIES)
@pytest.mark.parametrize(
    ("option", "problem"),
    [
        (
            'temperature = "hot"',
            r"'temperature' of model mock/vacuous must be a number in \[0, 2\] or \"none\", got 'hot'",
        ),
        ('max_tokens = "many"', "'max_tokens' of model mock/vacuous must be a whole number, got 'many'"),
        ("timeout = true", "'timeout' of model mock/vacuous must be a number, got True"),
        ("max_tokens = 0", "'max_tokens' of a question must be at least 1, got 0"),
    ],
)
def test_an_option_that_cannot_be_is_one_line(study, option, problem):
    with pytest.raises(TruenessError, match=problem):
        cells(study, f'[models."mock/vacuous"]\n{option}')
