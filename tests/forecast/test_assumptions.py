"""Which assumptions a text names, and which it denies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueness.studies.forecast.reasoning import CONCEPTS, concept_of, mentions


def named(text, **about):
    return {m.concept for m in mentions(text, **about) if not m.denied}


def denied(text, **about):
    return {m.concept for m in mentions(text, **about) if m.denied}


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("PC assumes causal sufficiency.", "causal sufficiency"),
        ("It requires that there are no hidden confounders.", "causal sufficiency"),
        ("It assumes the absence of latent common causes.", "causal sufficiency"),
        ("no unmeasured confounding", "causal sufficiency"),
        ("The faithfulness assumption may fail here.", "faithfulness"),
        ("The data are unfaithful to the graph.", "faithfulness"),
        ("The graph must be acyclic.", "acyclicity"),
        ("It needs a graph without cycles.", "acyclicity"),
        ("Feedback loops are excluded.", "acyclicity"),
        ("It relies on linear relationships.", "linear relations"),
        ("Linearity is violated on discrete data.", "linear relations"),
        ("LiNGAM needs non-Gaussian noise.", "non-Gaussian noise"),
        ("The errors must be non-normal.", "non-Gaussian noise"),
        ("The noise must not be Gaussian.", "non-Gaussian noise"),
        ("Fisher's z test assumes Gaussian errors.", "Gaussian noise"),
        ("residuals are assumed normally distributed", "Gaussian noise"),
        ("It is made for continuous variables.", "continuous variables"),
        ("NOTEARS assumes equal error variances.", "equal noise variances"),
        ("It exploits varsortability.", "equal noise variances"),
    ],
)
def test_a_named_assumption_is_found(text, concept):
    assert concept in named(text)
    assert concept not in denied(text)


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("PC does not assume Gaussian noise.", "Gaussian noise"),
        ("It doesn't require linearity.", "linear relations"),
        ("FCI works without assuming causal sufficiency.", "causal sufficiency"),
        ("FCI relaxes causal sufficiency.", "causal sufficiency"),
        ("FCI drops the assumption of causal sufficiency.", "causal sufficiency"),
        ("FCI allows latent confounders.", "causal sufficiency"),
        ("FCI can handle hidden variables.", "causal sufficiency"),
        ("Faithfulness is not required.", "faithfulness"),
        ("Linearity need not hold.", "linear relations"),
        ("There is no assumption of acyclicity.", "acyclicity"),
        ("It makes no linearity assumption.", "linear relations"),
        ("It never assumes that the noise is Gaussian.", "Gaussian noise"),
        ("It does not assume that there are no hidden confounders.", "causal sufficiency"),
    ],
)
def test_a_denied_assumption_is_not_named(text, concept):
    assert concept in denied(text)
    assert concept not in named(text)


@pytest.mark.parametrize(
    "text",
    ["The data do not satisfy the assumption of linearity.", "They do not meet the requirement of faithfulness."],
)
def test_an_assumption_that_the_data_break_is_named(text):
    assert named(text) and not denied(text)


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("The relations are non-linear.", "linear relations"),
        ("nonlinear effects", "linear relations"),
        ("LiNGAM exploits non-Gaussian noise.", "Gaussian noise"),
        ("It uses continuous optimization.", "continuous variables"),
        ("A latent factor drives two of the proteins.", "causal sufficiency"),
        ("It returns a DAG.", "acyclicity"),
        ("The normal range of precision is 0.5 to 0.7.", "Gaussian noise"),
    ],
)
def test_what_only_looks_like_an_assumption_is_neither(text, concept):
    assert concept not in named(text) | denied(text)


def test_a_denial_ends_with_its_sentence():
    assert named("It does not assume Gaussian noise. Faithfulness is assumed.") == {"faithfulness"}


def test_a_sentence_about_another_learner_is_not_counted():
    text = "LiNGAM assumes linearity. PC assumes faithfulness, unlike LiNGAM."
    assert named(text, names=("pc", "PC"), others=("lingam", "LiNGAM")) == {"faithfulness"}


def test_the_span_is_where_the_words_are():
    text = "First: 0.5. Then it assumes faithfulness."
    found = mentions(text)[0]
    assert text[found.start : found.end] == "faithfulness" and found.as_assumption


@pytest.mark.parametrize(
    ("phrase", "concept"),
    [
        ("equal noise variances or informative scale", "equal noise variances"),
        ("equal noise variances (EV)", "equal noise variances"),
        ("non-Gaussian noise", "non-Gaussian noise"),
        ("Gaussian noise", "Gaussian noise"),
        ("linear relations", "linear relations"),
        ("no indirect dependence", "no indirect dependence"),
    ],
)
def test_phrases_of_the_cards_have_their_concept(phrase, concept):
    assert concept_of(phrase) == concept


def test_a_phrase_that_no_concept_knows_is_looked_for_word_for_word():
    assert named("It wants no indirect dependence.", phrases=("no indirect dependence",)) == {"no indirect dependence"}


def test_every_card_in_the_registry_is_understood():
    from trueness import registry
    from trueness.learners.base import build

    known = {concept.name for concept in CONCEPTS} | {
        "no indirect dependence", "causes have smaller variance", "known targets", "additive noise",
        "nonlinear relations", "nonlinear relations or non-Gaussian noise",
    }  # fmt: skip
    for name in registry.built_in("learner"):
        if "/" not in name:
            assert {concept_of(phrase) for phrase in build(name).card.assumes} <= known, name


@given(st.text(max_size=200))
def test_no_text_breaks_the_reader_and_spans_lie_in_it(text):
    text += " assumes no cycles"
    for found in mentions(text, names=("pc",), others=("fci",)):
        assert 0 <= found.start < found.end <= len(text)


def test_a_long_sentence_full_of_denials_is_read_in_time():
    assert len(mentions("does not assume no cycles and not linear " * 3000)) > 3000
