"""Whether replies name the assumptions of the learner."""

from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from tests.forecast.handmade import claim, reply, spread, study, truth
from trueness import registry
from trueness.learners.base import build
from trueness.studies.forecast.reasoning import CONCEPTS, concept_of, mentions, reasoning

# text | concept | named or not
SAID = """
PC assumes causal sufficiency. | causal sufficiency | named
It requires that there are no hidden confounders. | causal sufficiency | named
It assumes the absence of latent common causes. | causal sufficiency | named
The data are unfaithful to the graph. | faithfulness | named
It needs a graph without cycles. | acyclicity | named
Linearity is violated on discrete data. | linear relations | named
The errors must be non-normal. | non-Gaussian noise | named
residuals are assumed normally distributed | Gaussian noise | named
It is made for continuous variables. | continuous variables | named
It exploits varsortability. | equal noise variances | named
PC does not assume Gaussian noise. | Gaussian noise | no
FCI works without assuming causal sufficiency. | causal sufficiency | no
FCI allows latent confounders. | causal sufficiency | no
Faithfulness is not required. | faithfulness | no
There is no assumption of acyclicity. | acyclicity | no
It never assumes that the noise is Gaussian. | Gaussian noise | no
The relations are non-linear. | linear relations | no
LiNGAM exploits non-Gaussian noise. | Gaussian noise | no
It uses continuous optimization. | continuous variables | no
A latent factor drives two of the proteins. | causal sufficiency | no
It returns a DAG. | acyclicity | no
The normal range of precision is 0.5 to 0.7. | Gaussian noise | no
"""


def named(text, **about):
    return mentions(text, **about)


@each("text, concept, what", [line.split(" | ") for line in SAID.strip().splitlines()])
def test_an_assumption_is_named_or_not(text, concept, what):
    assert (concept in named(text)) == (what == "named")


def test_a_denial_ends_with_its_sentence_and_a_sentence_about_another_learner_is_not_counted():
    assert named("It does not assume Gaussian noise. Faithfulness is assumed.") == {"faithfulness"}
    text = "LiNGAM assumes linearity. PC assumes faithfulness, unlike LiNGAM."
    assert named(text, names=("pc", "PC"), others=("lingam", "LiNGAM")) == {"faithfulness"}


def test_every_card_in_the_registry_is_understood_and_other_phrases_are_looked_for_word_for_word():
    assert concept_of("equal noise variances or informative scale") == "equal noise variances"
    assert concept_of("non-Gaussian noise") == "non-Gaussian noise"
    known = {concept.name for concept in CONCEPTS} | {
        "no indirect dependence", "causes have smaller variance", "known targets", "additive noise",
        "nonlinear relations", "nonlinear relations or non-Gaussian noise",
    }  # fmt: skip
    for name in registry.built_in("learner"):
        if "/" not in name:
            assert {concept_of(phrase) for phrase in build(name).card.assumes} <= known, name
    assert named("It wants no indirect dependence.", phrases=("no indirect dependence",)) == {"no indirect dependence"}


@given(st.text(max_size=200))
def test_no_text_breaks_the_reader(text):
    assert "faithfulness" in named(text + ". It assumes faithfulness", names=("pc",), others=("fci",))


def test_a_long_sentence_full_of_assumptions_is_read_in_time():
    assert "acyclicity" in named("assumes no cycles and linear relations " * 3000)


# ---- by reply


def read(*replies):
    datasets = dict.fromkeys(row["dataset"] for row in replies)
    return reasoning(study([claim(dataset=name) for name in datasets], [truth(spread(0.5), name) for name in datasets],
                           replies=replies))  # fmt: skip


def first(text, **more):
    return read(reply(text, **more)).more["replies"].iloc[0]


def test_named_and_missed_are_counted():
    found = first("PC assumes faithfulness and acyclicity. It also requires linearity.")
    assert (found["assumed"], found["named"], found["missed"]) == (3, 2, 1)
    assert first("PC does not assume faithfulness.")["named"] == 0


def test_what_the_prompt_told_is_not_counted_as_knowing():
    found = first("It assumes faithfulness.", prompt="PC assumes faithfulness.")
    assert found["named"] == 1 and found["unprompted"] == 0 and found["not_told"] == 2


def test_the_share_is_by_data_set_with_an_interval():
    everything = "It assumes causal sufficiency, faithfulness and acyclicity."
    analysis = read(*(reply(everything if k < 3 else "No idea.", dataset=f"d{k}") for k in range(6)))
    row = analysis.table.iloc[0]
    assert row["named_share"] == 0.5 and 0 <= row["named_share_low"] < 0.5 < row["named_share_high"] <= 1
    assert "6 data sets" in str(analysis)
