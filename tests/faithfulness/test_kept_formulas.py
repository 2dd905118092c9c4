"""`check --formulas MODEL --out FILE`: whatever the model does is a status, replies are paid once, FILE reads back."""

import json

import pytest

from tests.faithfulness.judges import Scripted
from trueness.cli import main
from trueness.studies.faithfulness import with_formulas_of
from trueness.studies.faithfulness.check_file import check_file

RULE = "what the shop keeps once everybody has been paid out of the takings"
MODEL = """
import json, pathlib
from trueness.models import Reply
from trueness.status import Status

class Mine:
    name, concurrency, offers_schema, offers_logprobs = "mine", 3, False, False
    def __init__(self, name, options): pass
    def close(self): pass
    def ask(self, messages, settings):
        here = pathlib.Path(__file__).with_name("asked")
        with here.open("a") as file:
            file.write("x")
        space = {"Reply": Reply, "Status": Status}
        exec("def said():\\n    " + here.with_name("does").read_text(), space)
        return space["said"]()
"""
# what no reader of files may meet raw, and what a text may hold all the same
ODD = [
    "\u00ad", "\u0085", "\u007f", "\u009b", "\U000e0041", "\u2028", "\u2029", "\u202e", "\ufeff", "\u00a0", "\x1c",
    "\x0b", "\x1b[31m", "ä€😀", "\\x1b", "a\tb\nc\rd",
]  # fmt: skip


def made(tmp_path, does, entries, separators="\n"):
    (tmp_path / "mine.py").write_text(MODEL)
    (tmp_path / "does").write_text(does)
    path = tmp_path / "labelled.jsonl"
    path.write_bytes(separators.join(json.dumps(entry, ensure_ascii=False) for entry in entries).encode())
    return str(path), f"{tmp_path / 'mine.py'}:Mine", str(tmp_path / "with.jsonl")


def entry(k, text="p", **more):
    edge = {"cause": ["revenue", "costs"], "effect": "profit", "rule": RULE, "sure": 0.5}
    graph = {"target_variable": "profit", "knowns": {"revenue": 100, "costs": 40}, "causal_graph": [edge], "note": "n"}
    return {"id": k, "problem": text, "graph": graph, "answer": "60", "correct": k % 2 == 0} | more


def asked(tmp_path):
    return len((tmp_path / "asked").read_text()) if (tmp_path / "asked").exists() else 0


GOOD = """return Reply('{"formulas": {"profit": "revenue - costs"}}', Status.OK)"""


@pytest.mark.parametrize("does", [
    "raise RuntimeError('boom')", "return None", "return 7", "raise SystemExit(3)", "return Reply(None, Status.OK)",
    "return Reply('x', 'fine')", "return Reply('', Status.REFUSED, 'no')", "return Reply('[' * 100000, Status.OK)",
    r"""return Reply('{"formulas": {"profit": "\\ud800"}}', Status.OK)""",
])  # fmt: skip
def test_whatever_a_model_does_is_a_status_and_the_file_is_written(tmp_path, does, capsys):
    path, model, out = made(tmp_path, does, [entry(k) for k in range(3)])
    assert main(["faithfulness", "check", path, "--formulas", model, "--out", out, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)["sentences"][1]
    assert "3 graphs" in said and "0 are taken" in said.replace("wrote 0:", "wrote 0: 0 are taken")
    assert check_file(out).evaluations and asked(tmp_path) <= 3


def test_every_text_reads_back_as_it_was(tmp_path):
    entries = [entry(k, f"p {odd} q", own={odd: [odd]}, expected=odd) for k, odd in enumerate(ODD)]
    entries[-1]["graph"]["causal_graph"] = ["revenue, costs -> profit"]  # no object: it stays as it is
    path, model, out = made(tmp_path, GOOD, entries)
    check_file(path, model, out)
    with open(out, encoding="utf-8", newline="") as file:
        written = [json.loads(line) for line in file.read().split("\n") if line]
    for line in written[:-1]:
        assert line["graph"]["causal_graph"][0].pop("formula") == "revenue - costs"
    assert written == entries
    assert check_file(out).executed_rows()[0]["executed"] == len(ODD) - 1


def test_the_same_command_again_asks_nothing(tmp_path, capsys):
    path, model, out = made(tmp_path, GOOD, [entry(k, f"p{k}") for k in range(4)])
    command = ["faithfulness", "check", path, "--formulas", model, "--out", out]
    assert main([*command, "--json"]) == 0
    first, paid = json.loads(capsys.readouterr().out), asked(tmp_path)
    assert paid == 4
    with open(f"{out}.replies", "a") as file:
        file.write('\n{"key": "cut off')
    assert main([*command, "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert asked(tmp_path) == paid and "4 replies from before" in again["sentences"][1]
    assert again["accuracy"] == first["accuracy"]
    more, _, _ = made(tmp_path, GOOD, [entry(k, f"p{k}") for k in range(5)])
    assert main([*command, "--json"]) == 0 and asked(tmp_path) == 5  # the fifth alone


def test_a_file_of_somebody_else_is_not_written_over(tmp_path, capsys):
    path, model, out = made(tmp_path, GOOD, [entry(0)])
    (tmp_path / "with.jsonl").write_text("mine")
    assert main(["faithfulness", "check", path, "--formulas", model, "--out", out]) == 2
    assert "not there yet" in capsys.readouterr().err and asked(tmp_path) == 0


def test_a_graph_that_needs_none_is_not_asked_about_and_an_unreadable_one_stays():
    edge = {"cause": ["revenue", "costs"], "effect": "profit", "rule": "profit = revenue - costs"}
    exact = {"target_variable": "profit", "knowns": {"revenue": 100, "costs": 40}, "causal_graph": [edge]}
    model = Scripted(lambda *_: "never")
    entries, replies = with_formulas_of([{"dag": exact, "id": 1}, {"dag": "no graph", "id": "x"}], model)
    assert (len(entries), replies, model.calls) == (2, [], 0)
    assert entries[1] == {"dag": "no graph", "id": "x"}
