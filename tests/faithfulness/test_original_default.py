"""logic = "original": the original .5 where no reasoning can be judged, and it is said."""

import json

import pytest

from tests.each import each
from trueness import faithfulness
from trueness.cli import main
from trueness.status import Status

from .judges import Scripted, guide
from .test_cf_score import DAG, REASONING, TEXT

ORIGINAL = faithfulness.Scoring(logic="original")


def test_without_reasoning_the_originals_cf_can_be_had_again():
    """FAQ 2 of the guide: logic .5, and cf from the other parts."""
    found = faithfulness.evaluate(DAG, TEXT, "", Scripted(guide), answer=5, scoring=ORIGINAL)
    assert found.cf == pytest.approx((1 + 1 + 0.5 + 1) / 4)
    assert found.bounds == (0.75, 1.0)
    logic = found.to_dict()["components"]["logic_quality"]
    assert (logic["score"], logic["n"], logic["source"]) == (0.5, 0, "the original's default")
    assert "no judgement" in logic["message"] and "no judgement" in found.message


@each(
    "said, value",
    [
        ("The reasoning is fine.", 0.5),
        ("I'm sorry, I cannot do that.", 0.5),
        (Status.FAILED, None),
        (Status.TIMED_OUT, None),
    ],
)
def test_a_reply_that_cannot_be_read_takes_it_and_a_call_that_failed_does_not(said, value):
    found = faithfulness.evaluate(DAG, TEXT, REASONING, Scripted(lambda *_: said), answer=5, scoring=ORIGINAL)
    assert found.components["logic_quality"].value == value


def test_a_study_says_where_it_counts_the_originals_half(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    entries = [{"id": f"p{k}", "dag": DAG, "problem_text": f"{TEXT} ({k})", "answer": 5} for k in range(4)]
    (tmp_path / "mine.jsonl").write_text("\n".join(map(json.dumps, entries)))
    plan = 'name = "half"\nfolder = "half"\n[faithfulness]\nproblems = ["mine.jsonl"]\nlogic = "original"\n'
    (tmp_path / "plan.toml").write_text(plan)
    assert main(["run", "plan.toml"]) == 0
    capsys.readouterr()
    assert main(["show", "half"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "logic_quality is the original's 0.5 in 4 of 4 graphs" in shown
    assert "nothing missing becomes 0.5" not in shown
    assert main(["show", "half", "--json"]) == 0
    assert any("original's 0.5" in sentence for sentence in json.loads(capsys.readouterr().out)["sentences"])
