"""`trueness faithfulness check`: what the measures are worth on labelled graphs that a user brings."""

import json

import pytest

from tests.shapes import shaped
from trueness.cli import main
from trueness.reasoning.problems import load_problems, read_problems
from trueness.studies.faithfulness.check_file import check_file


def labelled(tmp_path, entries):
    path = tmp_path / "labelled.jsonl"
    path.write_text("\n".join(json.dumps(entry) for entry in entries))
    return path


def entries():
    for place, problem in enumerate(load_problems("physics")[:8]):
        right = place % 2 == 0
        answer = problem.answer.value * (1 if right else 3)
        yield {"id": place, "problem": problem.text, "graph": problem.graph.to_dict(), "answer": answer,
               "expected": problem.answer.value, "source": "mine"}  # fmt: skip


def test_each_measure_has_its_auc_and_its_verdict(tmp_path):
    found = check_file(str(labelled(tmp_path, entries())))
    verdicts = {one.measure: one.verdict for one in found.criteria}
    assert verdicts["executable"] == "informative"
    assert verdicts["graph_quality"] == "uninformative"
    assert found.executed_rows() == [{"source": "mine", "graphs": 8, "read": 8, "executed": 8, "right": 4, "wrong": 4}]


def test_labels_in_words_are_labels_and_a_study_takes_the_same_lines(tmp_path):
    given = [entry | {"correct": "yes" if k % 2 else "no"} for k, entry in enumerate(entries())]
    for entry in given:
        del entry["expected"]
    assert check_file(str(labelled(tmp_path, given))).executed_rows()[0]["right"] == 4
    assert len(read_problems(labelled(tmp_path, given))) == 8


def test_the_command_prints_tables_and_json(tmp_path, capsys):
    path = labelled(tmp_path, entries())
    assert main(["faithfulness", "check", str(path), "--json"]) == 0
    assert shaped("faithfulness-check", capsys.readouterr().out)["accuracy"]
    assert main(["faithfulness", "check", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "uninformative" in printed
    held_out = "Of 1,254 held-out graphs that models wrote 11.6 % could be executed"
    assert held_out in printed.splitlines()[0] and "0.45 [0.40, 0.52]" in printed.splitlines()[0]


@pytest.mark.parametrize("entry", [{"answer": 3}, [], {"dag": {}, "answer": 3}])
def test_a_file_without_graphs_or_labels_is_refused_in_one_line(tmp_path, entry, capsys):
    assert main(["faithfulness", "check", str(labelled(tmp_path, [entry]))]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def raw_file(tmp_path, text):
    path = tmp_path / "raw.jsonl"
    path.write_bytes(text.encode())
    return path


def test_lines_end_at_a_line_end_of_json_alone_and_a_list_is_a_file_too(tmp_path):
    given = [
        entry | {"problem": f"a {sign} b"} for entry, sign in zip(entries(), "\u2028\u2029\u0085\x1c", strict=False)
    ]
    lines = [json.dumps(entry, ensure_ascii=False) for entry in given]
    for text in ("\n".join(lines), "\r\n".join(lines), "\ufeff" + "\n\n".join(lines), json.dumps(given, indent=1)):
        found = check_file(str(raw_file(tmp_path, text)))
        assert [one.of.text for one in found.evaluations] == [entry["problem"] for entry in given]


def test_an_answer_under_another_name_is_taken_and_one_that_is_missing_is_said(tmp_path):
    given = [
        {("model_answer" if name == "answer" else name): value for name, value in one.items()} for one in entries()
    ]
    found, plain = check_file(str(labelled(tmp_path, given))), check_file(str(labelled(tmp_path, entries())))
    assert [one.row() for one in found.criteria] == [one.row() for one in plain.criteria] and not found.remarks
    for entry in given[:3]:
        del entry["model_answer"]
        entry["correct"] = True
    assert "3 of 8 entries have no answer" in check_file(str(labelled(tmp_path, given))).sentences()[1]


def test_a_label_that_is_not_certain_is_none_and_is_counted(tmp_path):
    given = list(entries())
    given[0] |= {"expected": "x + y", "answer": "y + x"}
    given[2] |= {"expected": "\\text{Ann}", "answer": "Ann"}
    found = check_file(str(labelled(tmp_path, given)))
    assert found.sentences()[1].startswith(
        "Whether the answer is the expected one is not certain in 1 of 8 entries (id 0)"
    )
    assert found.executed_rows()[0]["unlabelled"] == 1 and found.executed_rows()[0]["right"] == 3
