"""Distributions, levels and probabilities read out of replies: what counts, what is flagged, what stays missing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueness.reading.distribution import read_distribution, read_level, rounding
from trueness.status import Status

SEX = {"male": ("Male", "man", "men"), "female": ("Female", "woman", "women")}
SCHOOL = {
    "less than high school": ("no diploma",),
    "high school": ("diploma",),
    "college": ("bachelor", "bachelor's degree"),
}
AGES = {"18-29": (), "30-64": (), "65 or more": ("65+",)}

FORMS = {
    "json": '{"male": 49, "female": 51}',
    "json in text": 'Here it is:\n```json\n{"Male": "49 %", "Female": "51 %"}\n```\nI hope it helps.',
    "fractions": '{"male": 0.49, "female": 0.51}',
    "nested": '{"reasoning": "about half", "distribution": {"male": 49, "female": 51}}',
    "rows": '[{"level": "male", "percent": 49}, {"level": "female", "percent": 51}]',
    "lines": "- Male: 49%\n- Female: 51%",
    "table": "| sex | share |\n|---|---|\n| male | 49 % |\n| female | 51 % |",
    "sentence": "About 49% are men and 51% are women.",
    "behind its thoughts": "<think>male 10 %, female 90 %?</think> male: 49 %, female: 51 %",
    "given twice the same": 'male: 49 %\nfemale: 51 %\n{"male": 49, "female": 51}',
}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS.keys())
def test_a_distribution_is_read_in_any_usual_form(text):
    found = read_distribution(text, SEX)
    assert found.status == Status.OK
    assert found.probs == pytest.approx({"male": 0.49, "female": 0.51})
    assert found.flags == ()


def test_a_sum_that_rounding_explains_is_divided_out_in_silence():
    found = read_distribution('{"less than high school": 33, "high school": 33, "college": 33}', SCHOOL)
    assert (found.status, found.flags, found.total) == (Status.OK, (), pytest.approx(0.99))


def test_a_sum_that_is_off_is_flagged_and_kept():
    found = read_distribution('{"male": 50, "female": 60}', SEX)
    assert (found.status, found.flags, found.total) == (Status.OK, ("off_sum",), pytest.approx(1.1))
    assert "110 %" in found.message


@pytest.mark.parametrize(
    "text", ['{"male": 5, "female": 6}', '{"male": 90, "female": 90}', '{"male": -5, "female": 105}']
)
def test_what_is_no_distribution_is_unreadable(text):
    found = read_distribution(text, SEX)
    assert (found.status, found.probs) == (Status.UNREADABLE, {})


def test_a_level_left_out_is_zero_only_where_the_others_are_everything():
    whole = read_distribution('{"high school": 60, "college": 40}', SCHOOL)
    assert (whole.status, whole.shares["less than high school"], whole.flags) == (Status.OK, 0.0, ("level_left_out",))
    part = read_distribution('{"high school": 60, "college": 30}', SCHOOL)
    assert part.status == Status.UNREADABLE and "less than high school" in part.message


def test_two_different_distributions_are_unreadable():
    assert (
        read_distribution('{"male": 40, "female": 60} or {"male": 50, "female": 50}', SEX).status == Status.UNREADABLE
    )
    assert read_distribution("male: 40 %\nfemale: 60 %\nmale: 45 %", SEX).status == Status.UNREADABLE


@pytest.mark.parametrize("text", ["", "   \n", "It depends on many things."])
def test_a_reply_without_shares_is_unreadable(text):
    assert read_distribution(text, SEX).status == Status.UNREADABLE
    assert read_level(text, SEX).status == Status.UNREADABLE


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("Female.", "female"),
        ("**male**", "male"),
        ("The person is a woman.", "female"),
        ("He could be a man or a woman.\nAnswer: woman", "female"),
        ("male or female? The answer is male", "male"),
        ("Male\nMen and women differ in this.", "male"),
        ("male or female", None),
        ("- male\n- female", None),
        ("- male\n- female\nAnswer: female", "female"),
        ("male\nmale", "male"),
        ("human", None),
    ],
)
def test_a_level_counts_where_it_is_the_answer(text, level):
    found = read_level(text, SEX)
    assert found.value == level
    assert found.status == (Status.UNREADABLE if level is None else Status.OK)


def test_a_number_stands_for_its_bin():
    assert read_level("42 years old", AGES, bins=(18, 30, 65)).value == "30-64"
    assert read_level("17", AGES, bins=(18, 30, 65)).status == Status.UNREADABLE
    assert read_level("70", AGES, bins=(18, 30, 65), top=70).status == Status.UNREADABLE
    assert read_level("18-29", AGES, bins=(18, 30, 65)).value == "18-29"


@given(st.lists(st.integers(0, 100), min_size=2, max_size=6), st.sampled_from(["json", "lines"]))
def test_nothing_is_made_up(numbers, form):
    """Whatever the numbers: a distribution comes out only where they sum to about 100, and then it is theirs."""
    levels = {f"level {chr(97 + k)}": () for k in range(len(numbers))}
    pairs = list(zip(levels, numbers, strict=True))
    text = (
        "{" + ", ".join(f'"{level}": {n}' for level, n in pairs) + "}"
        if form == "json"
        else "\n".join(f"{level}: {n} %" for level, n in pairs)
    )
    found = read_distribution(text, levels)
    total = sum(numbers)
    if found.status == Status.OK:
        scale = 100 if form == "lines" or total > 1.5 else 1
        assert [found.shares[level] for level in levels] == pytest.approx([n / scale for n in numbers])
        assert ("off_sum" in found.flags) == (abs(total / scale - 1) > rounding(len(numbers)))
    else:
        assert form == "json" and total == 0 or abs(total - 100) > 20 or max(numbers) > 100


@given(st.text(max_size=300))
def test_no_text_breaks_a_reader(text):
    for found in (read_distribution(text, AGES), read_level(text, AGES, (18, 30, 65))):
        assert found.status in (Status.OK, Status.UNREADABLE, Status.REFUSED)
