"""Logs of other harnesses, in the form in which those write them."""

import json
import zipfile

import pytest

from trueness.analyse.loading import read_table
from trueness.errors import DataError


def inspect_log(condition="none", model="mockllm/model", right=2, samples=3):
    """What Inspect's recorder writes, down to what is read from it (log version 2)."""
    about = {
        "task": "sums", "model": model, "solver": "generate", "created": "2026-01-05T10:00:00+00:00",
        "task_args": {"condition": condition}, "metadata": {"note": "first"}, "dataset": {"samples": samples},
        "config": {"epochs": 2},
    }  # fmt: skip
    found = [
        {
            "id": f"q{k}", "epoch": epoch, "input": "1+1?", "target": "2", "metadata": {"level": "easy"},
            "scores": {"match": {"value": "C" if k < right else "I"}, "grade": {"value": {"tone": 0.5, "form": 1}}},
        }
        for epoch in (1, 2)
        for k in range(samples)
    ]  # fmt: skip
    found[0]["error"] = {"message": "time"}
    found[0]["scores"] = {}
    return about, found


def write_archive(path, about, samples, stopped=False):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps({"version": 2, "eval": about}))
        archive.writestr("_journal/summaries/1.json", json.dumps(samples))
        if not stopped:
            archive.writestr("summaries.json", json.dumps(samples))
            archive.writestr("header.json", json.dumps({"version": 2, "status": "success", "eval": about}))
    return path


def test_an_inspect_archive_becomes_a_row_a_sample_and_epoch(tmp_path):
    frame = read_table(write_archive(tmp_path / "log.eval", *inspect_log()))
    assert frame["metric"].value_counts().to_dict() == {"match": 6, "grade/tone": 6, "grade/form": 6}
    row = frame.iloc[1]
    assert (row["domain"], row["model"], row["task"], row["repeat"]) == ("sums", "mockllm/model", "q1", 1)
    assert (row["condition"], row["level"]) == ("none", "easy")
    assert (row["metric"], row["value"]) == ("match", 1.0)
    assert set(frame[frame["metric"] == "grade/tone"]["value"].dropna()) == {0.5}


def test_a_sample_with_an_error_stays_missing(tmp_path):
    frame = read_table(write_archive(tmp_path / "log.eval", *inspect_log()))
    assert not frame["extraction_ok"].iloc[0]
    assert frame[frame["metric"] == "match"]["value"].isna().tolist() == [True] + [False] * 5
    about, samples = inspect_log()
    about["dataset"]["sample_ids"] = ["q0", "q1", "q2", "q3"]  # the fourth was never run
    frame = read_table(write_archive(tmp_path / "other.eval", about, samples))
    never = frame[frame["task"] == "q3"]
    assert set(never["repeat"]) == {1, 2} and never["value"].isna().all() and not never["extraction_ok"].any()


@pytest.mark.slow
def test_a_log_that_inspect_itself_wrote(tmp_path):
    pytest.importorskip("inspect_ai")
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import match
    from inspect_ai.solver import solver

    @solver
    def says_two():
        async def solve(state, generate):
            state.output = ModelOutput.from_content("mockllm/model", "2")
            return state

        return solve

    samples = [Sample(id=f"q{k}", input=f"{k}+1?", target=str(k + 1)) for k in range(3)]
    task = Task(name="sums", dataset=samples, solver=says_two(), scorer=match(), metadata={"condition": "none"})
    for kind in ("eval", "json"):
        eval(task, model="mockllm/model", epochs=2, log_dir=str(tmp_path), log_format=kind, display="none")
    for path in (*tmp_path.glob("*.eval"), *tmp_path.glob("*.json")):
        frame = read_table(path)
        assert frame["value"].tolist() == [0.0, 1.0, 0.0] * 2 and set(frame["metric"]) == {"match"}
        assert set(frame["condition"]) == {"none"} and set(frame["repeat"]) == {1, 2}


def promptfoo_result(prompt, provider, test, passed, error=None):
    parts = [{"pass": passed, "score": float(passed), "reason": "", "assertion": {"type": "contains", "value": "x"}}]
    grading = {"pass": passed, "score": float(passed), "componentResults": parts}
    return {
        "promptIdx": 0, "testIdx": test, "provider": {"id": provider, "label": ""},
        "prompt": {"raw": "..", "label": prompt}, "vars": {"topic": test}, "testCase": {"vars": {"topic": test}},
        "success": passed, "score": float(passed), "error": error, "gradingResult": None if error else grading,
    }  # fmt: skip


@pytest.mark.parametrize("nested", [True, False], ids=["version 3", "version 2"])
def test_promptfoo_prompts_are_the_conditions(tmp_path, nested):
    results = [promptfoo_result(p, "openai:x", t, t > 0) for p in ("short", "long") for t in range(3) for _ in range(2)]
    results.append(promptfoo_result("long", "openai:x", 3, False, error="timeout"))
    content = (
        {"evalId": "e", "results": {"version": 3, "results": results}} if nested else {"version": 2, "results": results}
    )
    (tmp_path / "output.json").write_text(json.dumps(content))
    frame = read_table(tmp_path / "output.json")
    assert set(frame["condition"]) == {"short", "long"} and set(frame["model"]) == {"openai:x"}
    assert frame["repeat"].tolist()[:2] == [1, 2]
    assert frame["1_contains_pass"].dropna().astype(bool).sum() == 8
    assert frame["score"].isna().sum() == 1 and not frame["extraction_ok"].iloc[-1]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", "{", "must be valid JSON"),
        ("a.json", '{"some": 1}', "got an object with the keys some"),
        ("a.jsonl", "", "empty file"),
        ("a.jsonl", "[1]", "must hold records"),
        ("a.eval", "no zip", "must be a log of Inspect"),
    ],
)
def test_a_damaged_log_is_one_line(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=message):
        read_table(tmp_path / name)


def write_log(folder, name, status="success", of="a", samples=None, again="", **about):
    """A JSON log of ten samples; `of` is the run's id, which a log that goes on with it has too."""
    spec = {"task": "sums", "model": name, "task_args": {"cot": True}, "task_id": of, "created": again or "1"} | about
    log = {"version": 2, "status": status, "eval": spec, "samples": samples or []}
    log |= {"error": {"message": "the provider was gone"}} if status == "error" else {}
    (folder / f"{name}.json").write_text(json.dumps(log))


def scored(value=None, right=5, n=10, **more):
    scores = [{"match": {"value": value or "IC"[k < right]}} for k in range(n)]
    return [{"id": f"q{k}", "epoch": 1, "scores": scores[k]} | more for k in range(n)]


@pytest.fixture()
def mixed(tmp_path):
    """Two logs with scores among logs of runs that failed, were stopped, were not scored, or were scored in words."""
    write_log(tmp_path, "old", samples=scored(right=9))
    write_log(tmp_path, "new", samples=scored(right=2), of="b")
    write_log(tmp_path, "failed", "error", of="c")
    write_log(tmp_path, "stopped", "cancelled", of="d")
    write_log(tmp_path, "words", samples=scored("well done"), of="e")
    write_log(tmp_path, "unscored", samples=[{"id": "q1", "epoch": 1, "scores": {}}], of="f")
    write_log(tmp_path, "broken", samples=[{"id": "q1", "epoch": 1, "error": {"message": "no answer"}}], of="g")
    (tmp_path / "eval-set.json").write_text('{"some": 1}')
    return tmp_path


def test_logs_without_scores_are_left_out_with_their_reasons_and_the_others_are_compared(mixed, analysed):
    found = analysed(mixed)
    assert found["conditions"] == ["new", "old"] and found["domains"][0]["outcome"] == "match"
    told = "; ".join(found["notes"])
    for reason in (
        "failed.json (ended in error (the provider was gone))",
        "stopped.json (was cancelled)",
        "words.json (words as scores ('well done'))",
        "unscored.json (1 sample, none was scored)",
        "broken.json (each sample ended in an error (no answer))",
        "eval-set.json must be a log of Inspect",
    ):
        assert reason in told, told


def test_logs_without_scores_alone_are_refused_and_no_argument_of_the_task_is_a_score(mixed, mistake):
    names = ("failed", "stopped", "words", "unscored", "broken")
    for name in names:
        assert f"{name}.json must hold scores of samples, got none: " in mistake("analyse", mixed / f"{name}.json")
    told = mistake("analyse", *(mixed / f"{name}.json" for name in names))
    assert "none of 5 files has scores: failed.json (ended in error" in told
    assert "must hold scores of samples" in mistake("compare", mixed / "old.json", mixed / "failed.json")


def test_a_run_that_was_done_again_counts_once(tmp_path, analysed):
    write_log(tmp_path, "old", samples=scored())
    write_log(tmp_path, "new", "error", samples=scored(n=4), of="b", again="2026-01-05")
    write_log(tmp_path, "retried", samples=scored(right=2), of="b", again="2026-01-06", model="new")
    found = analysed(tmp_path)
    assert {row["condition"]: row["n"] for row in found["domains"][0]["conditions"]} == {"new": 10, "old": 10}
    assert "left out: new.json (run again: retried.json)" in "; ".join(found["notes"])


def test_words_beside_numbers_and_names_of_our_columns_in_metadata_change_no_score(tmp_path, analysed):
    """Before, one scorer in words made the scores of all metrics one average; `value` as metadata was a traceback."""
    for name, right in (("old", 9), ("new", 2)):
        samples = scored(right=right)
        for sample in samples:
            sample["scores"] |= {"tone": {"value": 0.5}, "verdict": {"value": "fine"}}
            sample["metadata"] = {"value": 3, "metric": "x", "status": "ok", "measure": 1}
        write_log(tmp_path, name, samples=samples, of=name)
    found = analysed(tmp_path, "--measure", "match")
    means = {row["condition"]: row["mean"] for row in found["domains"][0]["conditions"]}
    assert means == {"new": pytest.approx(20), "old": pytest.approx(90)}
    assert "words in verdict are no scores ('fine')" in "; ".join(found["notes"])
