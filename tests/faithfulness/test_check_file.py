"""`trueness faithfulness check`: what the measures are worth on labelled graphs that a user brings."""

import json
import subprocess
import sys

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


def test_uninformative_parts_are_not_averaged_in_silence(tmp_path):
    found = check_file(str(labelled(tmp_path, entries())))
    assert "graph_quality" in dict(found.informed.left_out)
    assert any("graph_quality (uninformative)" in sentence for sentence in found.sentences())


def test_the_command_prints_tables_and_json(tmp_path, capsys):
    path = labelled(tmp_path, entries())
    assert main(["faithfulness", "check", str(path), "--json"]) == 0
    assert shaped("faithfulness-check", capsys.readouterr().out)["accuracy"]
    assert main(["faithfulness", "check", str(path)]) == 0
    assert "uninformative" in capsys.readouterr().out


@pytest.mark.parametrize("entry", [{"answer": 3}, [], {"dag": {}, "answer": 3}])
def test_a_file_without_graphs_or_labels_is_refused_in_one_line(tmp_path, entry, capsys):
    assert main(["faithfulness", "check", str(labelled(tmp_path, [entry]))]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_the_measures_of_the_study_are_named_without_its_packages():
    """The registry asks every study for its measures; sympy and pint take seconds."""
    code = (
        "import sys, trueness.studies.faithfulness.measures as m; sys.exit(bool({'sympy', 'pint'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_public_name_is_there():
    from trueness.studies import faithfulness

    for name in faithfulness.__all__:
        assert getattr(faithfulness, name).__name__ == name
    with pytest.raises(AttributeError):
        faithfulness.nothing  # noqa: B018
