"""Whether forecasts come from knowing the data set by name."""

import pytest

from tests.forecast.handmade import over, reply, spread, study, truth
from trueness.studies.forecast.reasoning import contamination

FAMOUS = ["asia", "sachs", "cancer", "child"]
OTHERS = ["x1", "x2", "x3", "x4"]
TRUTHS = [truth(spread(0.5), dataset=name) for name in FAMOUS + OTHERS]
GOOD, BAD = (0.4, 0.6), (0.0, 0.2)


def remembered():
    """Good where the name of a famous set is told, bad elsewhere."""
    return (
        over(FAMOUS, *GOOD)
        + over(FAMOUS, *BAD, names="anonymised")
        + over(OTHERS, *BAD)
        + over(OTHERS, *BAD, names="anonymised")
    )


def probe(analysis, name, who="m"):
    table = analysis.table
    return table[(table["probe"] == name) & (table["respondent"] == who)].reset_index(drop=True)


def test_memory_of_famous_sets_shows_as_an_interaction():
    analysis = contamination(study(remembered(), TRUTHS))
    apart = probe(analysis, "interaction").iloc[0]
    assert apart["difference"] < 0
    assert apart["p"] == pytest.approx(2 / 70)  # one of C(8, 4) splits, and its mirror
    by_group = probe(analysis, "names").set_index("contrast")["difference"]
    assert by_group["named - anonymised, other data sets"] == 0
    assert by_group["named - anonymised, famous data sets"] < by_group["named - anonymised, all data sets"] < 0


def test_a_reply_that_names_the_hidden_data_set_is_found():
    texts = ["This looks like the Asia network.", "Eight binary variables."]
    replies = [reply(text, repeat=k, names="anonymised") for k, text in enumerate(texts)]
    found = probe(contamination(study(remembered(), TRUTHS, replies=replies)), "recognised").iloc[0]
    assert found["difference"] == 0.5
