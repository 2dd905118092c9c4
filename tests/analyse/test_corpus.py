"""Tables and logs in the shapes that other people have: each is read right, or refused in one line with the option.

Written for the purpose after the formats of lm-evaluation-harness, Inspect, promptfoo, HELM, leaderboards and
spreadsheets. `want`: what must be understood (key of the JSON -> value); `refused`: what the one line says. With both,
the first command that the line names reads the table.
"""

import json
import re
import shlex
from dataclasses import dataclass, field

import pytest

from tests.each import each
from trueness.cli import main

TASKS = ("add", "sub", "mul", "div", "sqrt", "exp", "log")
RISE = {"base": (1, 0, 0, 1, 0, 1, 0), "tuned": (1, 1, 0, 1, 1, 1, 1)}


@dataclass(frozen=True)
class Case:
    name: str
    files: dict[str, str]
    want: dict[str, object] = field(default_factory=dict)
    refused: str = ""
    options: tuple[str, ...] = ()
    read: tuple[str, ...] = ()  # the files, or folders, that are named; all where empty


def csv(head, rows, mark=","):
    return "\n".join([head.replace(",", mark), *(mark.join(map(str, row)) for row in rows)]) + "\n"


def long(head, score=lambda m, t: RISE[m][t], mark=","):
    """One row a model and task; `score` makes the last column."""
    return csv(head, [(m, TASKS[t], score(m, t)) for m in RISE for t in range(7)], mark)


def grid(head, row, mark=","):
    """One row a model and task, of several columns: row(model, number of the task) -> cells behind both."""
    return csv(head, [(m, t, *row(m, k)) for m in RISE for k, t in enumerate(TASKS)], mark)


def metrics(other, value):
    rows = [
        (m, t, x, RISE[m][k] if x == "acc" else value(k))
        for m in RISE
        for k, t in enumerate(TASKS)
        for x in ("acc", other)
    ]
    return csv("model,task,metric,value", rows)


def records(score):
    return [{"model": m, "task": t, "correct": score(RISE[m][k])} for m in RISE for k, t in enumerate(TASKS)]


def samples(model, metrics=("acc", "acc_norm"), filters=("none",)):
    lines = [
        {"doc_id": k, "doc": {}, "target": "1", "arguments": [], "resps": [], "filtered_resps": [], "filter": f,
         "metrics": list(metrics), **{m: float(RISE[model][k]) if m == metrics[0] else 1.0 for m in metrics}}
        for f in filters
        for k in range(7)
    ]  # fmt: skip
    return "\n".join(map(json.dumps, lines))


def results(model, tasks=("arc", "hellaswag", "mmlu"), key="acc,none"):
    name, kind = key.split(",")
    scores = {t: {"alias": t, key: 0.4 + 0.1 * k + 0.2 * (model == "tuned"), f"{name}_stderr,{kind}": 0.01}
              for k, t in enumerate(tasks)}  # fmt: skip
    return json.dumps({"results": scores, "versions": {}, "config": {"model": "hf"}, "model_name": model})


def inspect(model, errors=(), scorers=("match",), condition=None, epochs=1, drop=()):
    about = {"task": "sums", "model": model, "task_args": {"condition": condition} if condition else {},
             "config": {"epochs": epochs}, "dataset": {"sample_ids": list(TASKS)}}  # fmt: skip
    found = [
        {"id": TASKS[k], "epoch": e + 1,
         **({"error": {"message": "x"}, "scores": {}} if k in errors else
            {"scores": {s: {"value": "C" if RISE[model][k] or s != "match" else "I"} for s in scorers}})}
        for e in range(epochs)
        for k in range(7)
        if k not in drop
    ]  # fmt: skip
    return json.dumps({"version": 2, "status": "success", "eval": about, "samples": found})


def helm(model, changed=False):
    found = [
        {"instance_id": f"id{k}", "train_trial_index": 0, "stats": [
            {"name": {"name": n}, "count": 1, "mean": float(RISE[model][k]) if n == "exact_match" else 0.9}
            for n in ("num_references", "exact_match", "logprob")]} for k in range(7)
    ]  # fmt: skip
    twice = [record | {"perturbation": {"name": "typos"}, "stats": found[1]["stats"]} for record in found]
    return json.dumps(found + twice if changed else found)


def columns(head, front="", last=""):
    """A row a task and a column a model: row(base, tuned) of each."""
    rows = [(t, RISE["base"][k], RISE["tuned"][k]) for k, t in enumerate(TASKS)]
    return front + csv(head, rows) + last


def study():
    rows = [
        ("s", "discovery", t, "clean", m, 0, "f1", RISE[m][k] * 0.5 + 0.2, "ok")
        for m in RISE
        for k, t in enumerate(TASKS)
    ]
    return csv("study,task,item,variant,respondent,repeat,measure,value,status", rows)


SHOTS = csv(
    "model,task,shots,correct", [(m, t, s, RISE[m][k]) for m in RISE for k, t in enumerate(TASKS) for s in "05"]
)
ACROSS = csv("task,base,tuned", [(t, RISE["base"][k], RISE["tuned"][k]) for k, t in enumerate(TASKS)])
QUESTIONS = csv("model,prompt,correct", [(m, f"q{k}", (k + len(m)) % 2) for m in RISE for k in range(30)])
BOTH = {"conditions": ["base", "tuned"]}
ACC = BOTH | {"outcome": "correct", "lower_is_better": False, "base": 3 / 7, "tuned": 6 / 7}
BOARD = csv(
    "Model,MMLU,ARC,GSM8K", [("base", 61.2, 55.0, 30.1), ("tuned", 70.3, 61.5, 52.8), ("mid", 65.0, 58.2, 41.0)]
)
AVERAGE = csv(
    "#,Model,Params (B),License,Average,MMLU,ARC",
    [(1, "tuned", 7, "mit", 66, 70.3, 61.5), (2, "base", 7, "mit", 58, 61.2, 55.0)],
)

CASES = [
    Case("models by tasks", {"t.csv": long("model,task,correct")}, ACC),
    Case("byte order mark", {"t.csv": "\ufeff" + long("model,task,correct")}, ACC),
    Case("tabs", {"t.tsv": long("model,task,correct", mark="\t")}, ACC),
    Case("per cent as text", {"t.csv": long("model,task,accuracy", lambda m, t: f"{50 + 10 * RISE[m][t]}.5%")},
         BOTH | {"base": 0.505 + 0.3 / 7, "note": "numbers with '%' beside them were read in accuracy"}),
    Case("decimal commas", {"t.csv": long("model,task,score", lambda m, t: f"0,{5 + RISE[m][t]}5", ";")},
         BOTH | {"base": 0.55 + 0.3 / 7, "note": "numbers with a decimal comma were read in score"}),
    Case("one model", {"t.csv": csv("model,task,score", [("base", t, RISE["base"][k]) for k, t in enumerate(TASKS)])},
         {"conditions": ["base"], "base": 3 / 7, "contrasts": 0}),
    Case("no model at all", {"t.csv": csv("question,correct", [(t, RISE["base"][k]) for k, t in enumerate(TASKS)])},
         {"conditions": ["all runs"], "all runs": 3 / 7, "contrasts": 0}),
    Case("a score on its own scale", {"t.csv": long("model,task,elo", lambda m, t: 1000 + 100 * RISE[m][t])},
         BOTH | {"outcome": "elo", "lower_is_better": False}, options=("--score", "elo")),
    Case("counts",
         {"t.csv": grid("condition,task,pass_count,fail_count", lambda m, k: (2 + RISE[m][k], 3 - RISE[m][k]))},
         BOTH | {"outcome": "failure rate"}),
    Case("right of all", {"t.csv": grid("model,task,n_correct,n_total", lambda m, k: (2 + RISE[m][k], 5))},
         BOTH | {"outcome": "pass rate", "lower_is_better": False, "base": (2 + 3 / 7) / 5}),
    Case("rules alone", {"t.csv": grid("condition,task,a_pass,b_pass", lambda m, k: (bool(RISE[m][k]), True))},
         BOTH | {"outcome": "failure rate"}),
    Case("prompts that are questions", {"t.csv": QUESTIONS},
         BOTH | {"tasks": 30, "note": "prompt has 30 values: items, not conditions"}),
    Case("a study of ours", {"t.csv": study()}, BOTH | {"outcome": "f1"}),
    Case("a JSON list", {"t.json": json.dumps(records(int))}, ACC),
    Case("Inspect, two models", {"a.json": inspect("base"), "b.json": inspect("tuned")}, ACC | {"outcome": "match"}),
    Case("Inspect, samples with errors",
         {"a.json": inspect("base", errors=(1,)), "b.json": inspect("tuned", errors=(1,))},
         BOTH | {"base": 3 / 6, "note": "2 of 14 runs have no score"}),
    Case("Inspect, samples never run", {"a.json": inspect("base", drop=(6,)), "b.json": inspect("tuned")},
         BOTH | {"note": "1 of 14 runs have no score (1 of 7 in base)"}),
    Case("lm-eval samples in folders", {f"{m}/samples_arc_2026-01-05T10-00-00.1.jsonl": samples(m) for m in RISE},
         ACC | {"outcome": "acc", "domain": "arc", "note": "acc_norm"}),
    Case("lm-eval samples with filters",
         {f"{m}.jsonl": samples(m, ("exact_match",), ("strict", "flexible")) for m in RISE},
         BOTH | {"outcome": "exact_match,strict", "note": "exact_match,flexible"}),
    Case(
        "lm-eval, a folder with both",
        {
            f"{m}/{f}": c
            for m in RISE
            for f, c in (
                ("results_2026-01-05T10-00-00.json", results(m)),
                ("samples_arc_2026-01-05T10-00-00.1.jsonl", samples(m)),
            )
        },
        ACC | {"outcome": "acc", "note": "2 files samples_*.jsonl read, 2 others not"},
        read=(".",),
    ),
    Case("HELM", {f"mmlu:subject=x,model={m}/per_instance_stats.json": helm(m) for m in RISE},
         ACC | {"outcome": "exact_match", "domain": "mmlu,subject=x"}),
    Case("a folder of tables", {f"{d}/scores.csv": long("model,task,correct") for d in ("easy", "hard")},
         ACC | {"domain": "easy"}, read=(".",)),
    Case("an empty folder", {"sub/readme.md": "x"}, refused="must hold files of scores", read=("sub",)),
    Case("too many pairs", {"t.csv": csv("model,task,score", [(f"m{k}", t, k % 2) for k in range(9) for t in TASKS])},
         refused="say which one is meant with --treatment"),
    Case("thousands", {"t.csv": long("model,task,points", lambda m, t: f'"{1000 + 50 * t + 100 * RISE[m][t]:,}"')},
         BOTH | {"base": 1150 + 300 / 7, "note": "numbers with ',' between thousands were read in points"},
         options=("--score", "points")),
    Case("a last line of means, blank lines above it",
         {"t.csv": long("model,task,accuracy", lambda m, t: f"{100 * RISE[m][t]}%") + ",,\nMean,,64%\n"},
         ACC | {"outcome": "accuracy", "note": "1 row of sums or averages left out (Mean)"}),
    Case(
        "a condition that is called None",
        {
            "t.csv": csv(
                "condition,task,correct",
                [(c, t, RISE[m][k]) for m, c in (("base", "None"), ("tuned", "CoT")) for k, t in enumerate(TASKS)],
            )
        },
        {"conditions": ["CoT", "None"], "None": 3 / 7, "CoT": 6 / 7, "note": "baseline None"},
    ),
    Case("None among numbers", {"t.csv": long("model,task,correct", lambda m, t: "None" if t == 0 else RISE[m][t])},
         BOTH | {"base": 2 / 6, "note": "2 of 14 runs have no score"}),
    Case("passes as signs", {"t.csv": long("Model,Test,Outcome", lambda m, t: "❌✅"[RISE[m][t]])},
         ACC | {"outcome": "Outcome"}),
    Case("words where a score would be",
         {"t.csv": long("model,task,score", lambda m, t: ("timeout", "ERROR")[m == "base"] if t == 0 else RISE[m][t])},
         BOTH | {"base": 2 / 6, "note": "no score in score: 'ERROR' (1), 'timeout' (1)"}),
    Case("records under a key", {"t.json": json.dumps({"data": records(int), "made": "today"})},
         ACC | {"note": "t.json: data read, not made"}),
    Case("a further factor", {"t.csv": SHOTS}, ACC | {"note": "averaged over shots (2 values)"}),
    Case("leaderboard", {"t.csv": BOARD}, {"conditions": ["base", "mid", "tuned"], "tasks": 3, "outcome": "accuracy",
         "base": (61.2 + 55.0 + 30.1) / 300, "note": "wide table: 3 columns are tasks"},
         refused="--score MMLU,ARC,GSM8K"),
    Case("leaderboard with averages", {"t.csv": AVERAGE}, BOTH | {"tasks": 2, "note": "no scores: #, Params (B)"},
         refused="Average is an average or a sum. Name the score: "),
    Case("leaderboard of a German spreadsheet",
         {"t.csv": csv("Modell;MMLU;ARC", [("base", "61,2 %", "55,0 %"), ("tuned", "70,3 %", "61,5 %")], ";")},
         BOTH | {"tasks": 2, "base": 0.581, "outcome": "accuracy"}, refused="--score MMLU,ARC"),
    Case("one of a long leaderboard against each other",
         {"t.csv": csv("model,a,b,c", [(f"m{k:02}", 50 + k, 40 + k, 60 - k) for k in range(30)])},
         {"conditions": [f"m{k:02}" for k in range(30)], "contrasts": 29}, "--score a,b,c", ("--treatment", "m07")),
    Case("models as columns", {"t.csv": ACROSS}, ACC | {"outcome": "score", "note": "2 columns are models"},
         refused="--score base,tuned"),
    Case("models as columns, passes in words",
         {"t.csv": csv("task,base,tuned", [(t, *("ny"[RISE[m][k]] for m in RISE)) for k, t in enumerate(TASKS)])},
         ACC | {"outcome": "score"}, refused="--score base,tuned"),
    Case("rows under another name, compared",
         {"t.csv": csv("Wer,eins,zwei", [("base", 0.5, 0.3), ("tuned", 0.7, 0.6)])}, BOTH | {"tasks": 2, "base": 0.4},
         "--score eins,zwei", ("--condition", "Wer")),
    Case("columns of two measures", {"t.csv": csv("model,mmlu,elo", [("base", 0.6, 1000), ("tuned", 0.7, 1100)])},
         refused="--score mmlu  or: "),
    Case("columns on two scales", {"t.csv": csv("model,a,b,c", [("base", 0.6, 1000, 0.2), ("tuned", 0.7, 1100, 0.3)])},
         BOTH | {"base": 0.4, "tasks": 2}, "got c up to 0.3 and b up to 1100. Name those of one: ",
         ("--score", "a,b,c")),
    Case("errors in brackets", {"t.csv": csv("Model,ARC,MMLU", [("base", "55.0 (1.2)", "61.2 (0.4)")])},
         refused="0/1, a rate in [0, 1], or pass/fail/absent), got '55.0 (1.2)'",
         options=("--score", "ARC,MMLU")),
    Case("per cent and shares in one column",
         {"t.csv": long("model,task,accuracy", lambda m, t: "85%" if t else "0.8")},
         refused="Write numbers in one way"),
    Case("small shares in per cent", {"t.csv": long("model,task,error_rate", lambda m, t: f"0.{1 + 3 * RISE[m][t]}%")},
         BOTH | {"base": 0.1 + 0.9 / 7, "lower_is_better": True}),
    Case("lm-eval results", {"results_2026.json": results("base")},
         refused="got none: means alone, and a test needs the samples"),
    Case("Latin-1", {"t.csv": long("model,task,correct").replace("mul", "m\udce4l")}, ACC),
    Case("a title above the names", {"t.csv": "My results\n" + long("model,task,correct")},
         refused="Delete what is above the names"),
    Case("records with several scores inside", {"t.jsonl": "\n".join(
        json.dumps({"id": r["task"], "model": r["model"], "scores": {"exact": r["correct"], "rouge": 0.5}})
        for r in records(float))},
        ACC | {"outcome": "scores.exact", "tasks": 7}, refused="--score scores.exact  or: "),
    Case("no scores", {"t.csv": csv("model,note", [("a", "x"), ("b", "y")])}, refused="--score COLUMN"),
    Case("a line of choices", {"t.csv": csv("case,style,note", [(k, "ab"[k % 2], "z") for k in range(9)])},
         refused="has no scores"),
    Case("conditions under another name",
         {"t.csv": csv("style,correct", [(m, RISE[m][k]) for m in RISE for k in range(7)])},
         ACC, refused="Name it: "),
]  # fmt: skip


@each("case", CASES)
def test_a_table_of_this_shape_is_read_right_or_refused_in_one_line(case, tmp_path, capsys, mistake):
    for name, text in case.files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8", errors="surrogateescape")
    arguments = ["analyse", *(str(tmp_path / name) for name in case.read or case.files), *case.options]
    if case.refused:
        told = mistake(*arguments)
        assert case.refused in told
        if not case.want:
            return
        arguments = shlex.split(re.search(r"trueness (analyse .*?)(?:  or: |\n|$)", told)[1])
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    part, want = found["domains"][0], dict(case.want)
    assert sorted(found["conditions"]) == want.pop("conditions")
    means = {row["condition"]: row["mean"] for row in part["conditions"]}
    for condition in set(want) & set(means):
        scale = 100 if part["conditions"][0]["mean"] > 1 and want[condition] <= 1 else 1
        assert means[condition] == pytest.approx(scale * want.pop(condition)), part["understood"]
    understood = "; ".join([*part["understood"], *found["notes"], *found["findings"]])
    assert want.pop("note", "") in understood
    assert f"{want.pop('tasks', '')} tasks" in understood or "tasks" not in case.want
    assert len(part["contrasts"]) == want.pop("contrasts", len(part["contrasts"]))
    assert {key: part[key] for key in want} == want
