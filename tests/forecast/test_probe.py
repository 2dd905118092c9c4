"""Edge cases whose right answer nobody has to measure."""

from trueness.studies.forecast.offers import probe


def test_what_was_claimed_of_no_data_stands_beside_what_is_right():
    sure = probe("mock/overconfident", edge_cases=True)["edge case: empty data"]
    assert sure.startswith("precision [") and "right: no claim" in sure
    assert probe("mock/refuses", edge_cases=True)["edge case: empty data"].startswith("no claim; right: no claim")
    assert not any("edge" in key for key in probe("mock/vacuous"))
