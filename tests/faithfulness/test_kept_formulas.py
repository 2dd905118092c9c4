"""`with_formulas_of`: a model is asked for what rules in words lack."""

from tests.faithfulness.judges import Scripted
from trueness.studies.faithfulness import with_formulas_of


def test_a_graph_that_needs_none_is_not_asked_about_and_an_unreadable_one_stays():
    edge = {"cause": ["revenue", "costs"], "effect": "profit", "rule": "profit = revenue - costs"}
    exact = {"target_variable": "profit", "knowns": {"revenue": 100, "costs": 40}, "causal_graph": [edge]}
    model = Scripted(lambda *_: "never")
    entries, replies = with_formulas_of([{"dag": exact, "id": 1}, {"dag": "no graph", "id": "x"}], model)
    assert (len(entries), replies, model.calls) == (2, [], 0)
    assert entries[1] == {"dag": "no graph", "id": "x"}
