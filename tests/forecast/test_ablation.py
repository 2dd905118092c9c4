"""What the models make of what they are told."""

import pytest

from tests.forecast.handmade import over, spread, study, truth
from trueness.studies.forecast.comparisons import ablation, guidelines

NAMES = [f"d{k}" for k in range(6)]
TRUTHS = [truth(spread(0.5), dataset=name) for name in NAMES]


def rows(claims, **where):
    table = ablation(study(claims, TRUTHS)).table
    for column, value in where.items():
        table = table[table[column] == value]
    return table


def test_names_that_help_show_as_a_paired_difference():
    claims = over(NAMES, 0.4, 0.6) + over(NAMES, 0.0, 0.2, names="anonymised")
    hit = rows(claims, arm="names", score="hit", respondent="m").iloc[0]
    assert (hit["a"], hit["b"], hit["difference"]) == ("named", "anonymised", 1.0)
    assert hit["p"] == pytest.approx(2 / 2**6) and hit["n_datasets"] == 6
    score = rows(claims, arm="names", score="interval_score_scaled", respondent="m").iloc[0]
    assert score["difference"] < 0


def test_only_questions_that_differ_in_nothing_else_are_paired():
    # anonymised was asked under `steps` only: nothing to pair
    claims = over(NAMES, 0.4, 0.6) + over(NAMES, 0.0, 0.2, names="anonymised", formulation="steps")
    assert not ablation(study(claims, TRUTHS)).possible


def test_all_pairs_of_three_levels_are_compared():
    claims = [c for level in ("sparse", "diagnostic", "full") for c in over(NAMES, 0.4, 0.6, metadata=level)]
    found = rows(claims, arm="metadata", score="hit", respondent="all models")
    assert list(zip(found["a"], found["b"], strict=True)) == [
        ("sparse", "diagnostic"), ("sparse", "full"), ("diagnostic", "full"),
    ]  # fmt: skip
    assert (found["difference"] == 0).all()


def test_arms_that_did_not_vary_are_named():
    claims = over(NAMES, 0.4, 0.6) + over(NAMES, 0.4, 0.6, definition="untold")
    assert "Not varied in this study: formulation, names, metadata, target." in str(ablation(study(claims, TRUTHS)))


def test_one_prompt_for_all_cannot_be_told():
    analysis = ablation(study(over(NAMES, 0.4, 0.6), TRUTHS))
    assert not analysis.possible and "the same formulation, names, metadata, definition, target" in str(analysis)


@pytest.mark.parametrize("advice", ["helps", "harms"])
def test_whether_guided_reasoning_helps_is_a_paired_test_and_a_guideline(advice):
    names = [f"d{k}" for k in range(8)]
    right, wrong = ("steps", "direct") if advice == "helps" else ("direct", "steps")
    claims = over(names, 0.4, 0.6, formulation=right) + over(names, 0.0, 0.2, formulation=wrong)
    arms = ablation(study(claims, [truth(spread(0.5), dataset=name) for name in names]))
    found = guidelines(arms)
    assert found.table.loc[0, "advice"] == advice
    assert str(found).startswith(f"Guided reasoning {advice}") and "8 data sets, Holm-adjusted p = 0.016" in str(found)
