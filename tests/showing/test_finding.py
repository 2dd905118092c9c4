"""Whether a sentence leaves something open is a field of it, not guessed from its words."""

import json
import pickle

from trueness.showing.summary import Finding, finding, is_open, told_and_open
from trueness.statistics import mean


def test_a_finding_is_a_text_that_knows_whether_it_is_open():
    told, left = Finding("a is better than b."), Finding("Nothing can be told.", open=True)
    assert told_and_open([told, left, "a plain text"]) == ([told, "a plain text"], [left])
    assert json.dumps([left]) == '["Nothing can be told."]'
    again = pickle.loads(pickle.dumps(left))
    assert again == left and is_open(again) and not is_open(told)


def test_an_estimate_without_an_interval_is_open():
    assert is_open(finding(mean([1.0]))) and not is_open(finding(mean([1.0, 2.0, 4.0])))
    assert finding(mean([1.0, 2.0]), "before: ").startswith("before: ")
