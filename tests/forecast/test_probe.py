"""Edge cases whose right answer nobody has to measure."""

import pytest

from trueness.reading.expected import read_forecast
from trueness.studies.forecast.offers import judge_edge_case, probe

SURE = "Precision: [0.9, 1]\nRecall: [0.9, 1]\nF1: [0.9, 1]\nSHD: [0, 1]"


@pytest.mark.parametrize(
    ("case", "text", "verdict"),
    [
        ("empty data", SURE, "FAILED: claims"),
        ("empty data", "Nothing can be learned from no rows.", "passed"),
        ("one column", "SHD: [1, 3]", "FAILED"),
        ("one column", "SHD: [0, 0]", "passed"),
        ("perfect data", SURE, "passed"),
        ("perfect data", SURE.replace("[0.9, 1]", "[0.6, 0.8]"), "FAILED"),
        ("perfect data", "It depends.", "not checked"),
    ],
)
def test_what_is_right_about_an_edge_case(case, text, verdict):
    assert judge_edge_case(case, read_forecast(text, nodes=4)).startswith(verdict)


def test_a_sure_model_fails_on_no_data_and_a_silent_one_passes():
    assert probe("mock/overconfident", edge_cases=True)["edge case: empty data"].startswith("FAILED")
    assert probe("mock/refuses", edge_cases=True)["edge case: empty data"].startswith("passed")
    assert not any("edge" in key for key in probe("mock/vacuous"))
