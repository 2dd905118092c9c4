"""Whether replies name the assumptions of the learner."""

from tests.forecast.handmade import claim, reply, spread, study, truth
from trueness.studies.forecast.reasoning import reasoning


def read(*replies, learner="pc"):
    datasets = dict.fromkeys(row["dataset"] for row in replies)
    truths = [truth(spread(0.5), dataset=name, learner=learner) for name in datasets]
    return reasoning(study([claim(dataset=name, learner=learner) for name in datasets], truths, replies=replies))


def test_named_missed_and_wrong_are_counted():
    found = read(reply("PC assumes faithfulness and acyclicity. It also requires linearity.")).more["replies"].iloc[0]
    assert (found["assumed"], found["named"], found["missed"], found["wrong"]) == (3, 2, 1, 1)
    assert found["which_wrong"] == "linear relations"


def test_a_denied_assumption_of_the_card_is_wrong():
    found = read(reply("PC does not require faithfulness.")).more["replies"].iloc[0]
    assert found["wrong"] == 1 and found["which_denied"] == "faithfulness" and found["named"] == 0


def test_a_denied_foreign_assumption_is_right():
    found = read(reply("PC does not assume Gaussian noise.")).more["replies"].iloc[0]
    assert found["wrong"] == 0 and found["named"] == 0


def test_a_foreign_concept_counts_as_wrong_only_when_it_is_said_to_be_assumed():
    assert read(reply("The variables are continuous.")).more["replies"].loc[0, "wrong"] == 0
    assert read(reply("PC assumes continuous variables.")).more["replies"].loc[0, "wrong"] == 1


def test_what_the_prompt_told_is_not_counted_as_knowing():
    told = reply("It assumes faithfulness.", prompt="PC assumes faithfulness.")
    found = read(told).more["replies"].iloc[0]
    assert found["named"] == 1 and found["unprompted"] == 0 and found["not_told"] == 2


def test_spans_point_at_the_evidence():
    text = "Faithfulness matters."
    span = read(reply(text)).more["spans"].iloc[0]
    assert text[span["start"] : span["end"]] == span["evidence"] == "Faithfulness"


def test_the_share_is_by_data_set_with_an_interval():
    everything = "It assumes causal sufficiency, faithfulness and acyclicity."
    analysis = read(*(reply(everything if k < 3 else "No idea.", dataset=f"d{k}") for k in range(6)))
    row = analysis.table.iloc[0]
    assert row["named_share"] == 0.5 and 0 <= row["named_share_low"] < 0.5 < row["named_share_high"] <= 1
    assert "6 data sets" in str(analysis)
