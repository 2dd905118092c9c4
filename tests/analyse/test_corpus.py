"""Tables and logs in the shapes that other people have: each is read right, or refused in one line with the option.

Written for the purpose after the formats of lm-evaluation-harness, Inspect, promptfoo, HELM, leaderboards and
spreadsheets. `want`: what must be understood (key of the JSON -> value); `refused`: what the one line says.
"""

import json
import zipfile
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
         BOTH | {"base": 0.505 + 0.3 / 7, "note": "per cent as shares in accuracy"}),
    Case("decimal commas", {"t.csv": long("model,task,score", lambda m, t: f"0,{5 + RISE[m][t]}5", ";")},
         BOTH | {"base": 0.55 + 0.3 / 7, "note": "decimal commas in score"}),
    Case("per cent and shares in one column",
         {"t.csv": long("model,task,accuracy", lambda m, t: "85%" if t else "0.8")},
         refused="column 'accuracy' must be per cent throughout or nowhere, got '85%' and '0.8'"),
    Case(
        "leaderboard",
        {"t.csv": BOARD},
        {"conditions": ["base", "mid", "tuned"], "tasks": 3, "note": "wide table: 3 columns", "outcome": "accuracy"}
        | {"base": (61.2 + 55.0 + 30.1) / 300},
    ),
    Case("leaderboard with averages", {"t.csv": AVERAGE},
         BOTH | {"tasks": 2, "note": "no scores: #, Params (B), Average"}),
    Case("models as columns", {"t.csv": ACROSS}, ACC | {"outcome": "score", "note": "2 columns are models"}),
    Case(
        "columns on two scales",
        {"t.csv": csv("model,mmlu,elo", [("base", 0.6, 1000), ("tuned", 0.7, 1100)])},
        refused="must be on one scale, got mmlu up to 0.7 and elo up to 1100. Leave the others out: --exclude task=elo",
    ),
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
    Case("lm-eval results", {f"{m}/results_2026.json": results(m) for m in RISE},
         BOTH | {"base": 0.5, "tuned": 0.7, "tasks": 3, "note": "--log_samples"}),
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
    Case("no scores", {"t.csv": csv("model,note", [("a", "x"), ("b", "y")])}, refused="--score COLUMN"),
    Case("too many pairs", {"t.csv": csv("model,task,score", [(f"m{k}", t, k % 2) for k in range(9) for t in TASKS])},
         refused="say which one is meant with --treatment"),
    Case("leaderboard of a German spreadsheet",
         {"t.csv": csv("Modell;MMLU;ARC", [("base", "61,2 %", "55,0 %"), ("tuned", "70,3 %", "61,5 %")], ";")},
         BOTH | {"tasks": 2, "base": 0.581, "outcome": "accuracy"}),
    Case("rows under another name, compared",
         {"t.csv": csv("Wer,eins,zwei", [("base", 0.5, 0.3), ("tuned", 0.7, 0.6)])}, BOTH | {"tasks": 2, "base": 0.4},
         options=("--condition", "Wer")),
    Case("thousands", {"t.csv": long("model,task,points", lambda m, t: f'"{1000 + 50 * t + 100 * RISE[m][t]:,}"')},
         BOTH | {"base": 1150 + 300 / 7, "note": "commas as thousands (1,234 is 1234) in points"},
         options=("--score", "points")),
    Case("another encoding", {"t.csv": long("model,task,correct").replace("mul", "m\udce4l")},
         refused="must be text in UTF-8, got: 'utf-8' codec can't decode byte 0xe4"),
    Case(
        "lm-eval results with groups and other metrics",
        {
            f"{m}/results_2026.json": json.dumps(
                json.loads(results(m, ("mmlu_law", "mmlu_art", "mmlu")))
                | {"group_subtasks": {"mmlu": ["mmlu_law", "mmlu_art"]}}
            ).replace('"mmlu_law"', '"squad": {"f1,none": 0.8, "sample_len": 7}, "mmlu_law"', 1)
            for m in RISE
        },
        BOTH | {"outcome": "acc", "base": 0.45, "tasks": 2, "note": "without acc, so in nothing below: squad"},
    ),
    Case("one column twice",
         {"t.csv": csv("model,mmlu,arc,mmlu", [("base", 0.6, 0.5, 0.6), ("tuned", 0.7, 0.6, 0.7)])},
         refused="must name each column once, got 'mmlu' more than once"),
    Case("one of a long leaderboard against each other",
         {"t.csv": csv("model,a,b,c", [(f"m{k:02}", 50 + k, 40 + k, 60 - k) for k in range(30)])},
         {"conditions": [f"m{k:02}" for k in range(30)], "contrasts": 29}, options=("--treatment", "m07")),
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
    Case("errors in brackets and best in bold",
         {"t.csv": csv("Model,ARC,MMLU", [("base", "55.0 (1.2)", "61.2 (0.4)"), ("tuned", "**61.5** (1.1)", "70.3*")])},
         BOTH | {"outcome": "accuracy", "base": 0.581, "tuned": 0.659}),
    Case("words where a score would be",
         {"t.csv": long("model,task,score", lambda m, t: ("timeout", "ERROR")[m == "base"] if t == 0 else RISE[m][t])},
         BOTH | {"base": 2 / 6, "note": "no score in score: 'ERROR' (1), 'timeout' (1)"}),
    Case(
        "records with several scores inside",
        {
            "t.jsonl": "\n".join(
                json.dumps({"id": r["task"], "model": r["model"], "scores": {"exact": r["correct"], "rouge": 0.5}})
                for r in records(float)
            )
        },
        ACC | {"outcome": "exact", "tasks": 7, "note": "measure exact, one of 2"},
    ),
    Case("records under a key", {"t.json": json.dumps({"data": records(int), "made": "today"})},
         ACC | {"note": "t.json: data read, not made"}),
    Case("models of tasks in JSON", {"t.json": json.dumps({m: dict(zip(TASKS, RISE[m], strict=True)) for m in RISE})},
         ACC | {"outcome": "score"}),
    Case(
        "events of a log",
        {
            "t.jsonl": "\n".join(
                map(
                    json.dumps,
                    [
                        {"spec": {"name": "x"}},
                        *(
                            {"event_id": k, "sample_id": t, "data": {"correct": bool(RISE["base"][k])}}
                            for k, t in enumerate(TASKS)
                        ),
                        {"final": {"accuracy": 0.5}},
                    ],
                )
            )
        },
        refused="--score COLUMN",
    ),
    Case("choices between two",
         {"t.csv": csv("question,model_a,model_b,winner", [(t, "x", "y", "model_a") for t in TASKS])},
         refused="winner chooses between two: write a row for each of them"),
    Case("a further factor", {"t.csv": SHOTS}, ACC | {"note": "averaged over: shots (2)"}),
]  # fmt: skip


@each("case", CASES)
def test_a_table_of_this_shape_is_read_right_or_refused_in_one_line(case, tmp_path, capsys, mistake):
    for name, text in case.files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8", errors="surrogateescape")
    arguments = ["analyse", *(str(tmp_path / name) for name in case.read or case.files), *case.options]
    if case.refused:
        assert case.refused in mistake(*arguments)
        return
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    part, want = found["domains"][0], dict(case.want)
    assert sorted(found["conditions"]) == want.pop("conditions")
    means = {row["condition"]: row["mean"] for row in part["conditions"]}
    for condition in set(want) & set(means):
        scale = 100 if part["conditions"][0]["mean"] > 1 and want[condition] <= 1 else 1
        assert means[condition] == pytest.approx(scale * want.pop(condition)), part["understood"]
    if "note" in want:
        assert want.pop("note") in "; ".join([*part["understood"], *found["notes"]])
    if "tasks" in want:
        assert any(f"{want['tasks']} tasks" in line for line in part["understood"]) and want.pop("tasks")
    if "contrasts" in want:
        assert len(part["contrasts"]) == want.pop("contrasts")
    assert {key: part[key] for key in want} == want


@pytest.fixture()
def logs(tmp_path):
    for model in RISE:
        about = json.loads(inspect(model))
        with zipfile.ZipFile(tmp_path / f"{model}.eval", "w") as archive:
            archive.writestr("header.json", json.dumps({"version": 2, "eval": about["eval"]}))
            archive.writestr("summaries.json", json.dumps(about["samples"]))
    return tmp_path


def test_two_logs_are_compared_by_their_models(logs, capsys):
    assert main(["compare", str(logs / "tuned.eval"), str(logs / "base.eval")]) == 0
    out = capsys.readouterr().out
    assert "tuned and base are not told apart (tuned better by 42.9 points" in out and "exact McNemar p = 0.25" in out


WORSE = "worse by more than 2 points"


@pytest.mark.parametrize(
    ("sides", "gate", "code", "words"),
    [
        (("base", "--baseline", "tuned"), f"possibly {WORSE}", 1, "neither shown nor ruled out, 42.9 points worse ["),
        (("base", "--baseline", "tuned"), WORSE, 0, f"'possibly {WORSE}' would fail."),
        (("tuned", "--baseline", "base"), "worse by more than 20 points", 0, "sums: ruled out, 42.9 points better ["),
        (("base", "tuned"), f"base possibly {WORSE}", 1, "base (candidate) against tuned (baseline)"),
        (("tuned", "base"), f"base possibly {WORSE}", 1, "base (candidate) against tuned (baseline)"),
        (("tuned", "base"), f"tuned.eval is {WORSE}", 0, "tuned (candidate) against base (baseline)"),
    ],
)
def test_a_gate_ends_with_one_where_it_holds_and_says_who_is_asked(logs, capsys, sides, gate, code, words):
    names = [name if name.startswith("--") else str(logs / f"{name}.eval") for name in sides]
    assert main(["compare", *names, "--gate", gate, "--json"]) == code
    out, err = capsys.readouterr()
    assert words in err and len(err.splitlines()) == 1
    told = json.loads(out)["gate"]
    assert told["sentence"] == err.strip() and told["fails"] == bool(code)
    (verdict,) = told["verdicts"]
    assert {verdict["candidate"], verdict["baseline"]} == {"base", "tuned"}


def regression(folder):
    """Accuracy 87.5 % of 16 before, 50 % after: six answers that were right are wrong."""
    for name, right in (("old", 14), ("new", 8)):
        rows = "".join(f"{name},q{k},{int(k < right)}\n" for k in range(16))
        (folder / f"{name}.csv").write_text("model,task,correct\n" + rows)
    return str(folder / "old.csv"), str(folder / "new.csv")


def test_a_regression_fails_whichever_file_is_written_first(tmp_path, capsys, mistake):
    old, new = regression(tmp_path)
    gate = WORSE
    for names in ((new, "--baseline", old), ("--baseline", old, new)):
        assert main(["compare", *names, "--gate", gate]) == 1
        line = capsys.readouterr().err
        assert "gate fails (worse by more than 2 points): new (candidate) against old (baseline): " in line
        assert "shown, 37.5 points worse [" in line
    assert main(["compare", old, new, "--gate", f"new {gate}"]) == 1
    assert main(["compare", old, "--baseline", new, "--gate", gate]) == 0
    capsys.readouterr()
    refused = mistake("compare", old, new, "--gate", gate)
    assert f"trueness compare {old} --baseline {new} --gate '{gate}'" in refused
    assert f"trueness compare {new} --baseline {old} --gate '{gate}'" in refused
    assert "must name one of old, new, got 'nwe'. Did you mean 'new'?" in mistake(
        "compare", old, new, "--gate", f"nwe {gate}"
    )
    assert "Write: trueness compare NEW --baseline OLD" in mistake("compare", new, "--gate", gate)


def test_a_gate_of_a_table_says_whom_it_asks_about_or_is_refused(tmp_path, capsys, mistake):
    rows = [(m, f"t{k}", 0.9 - 0.3 * (m == "new") + 0.001 * k) for m in ("mid", "new", "old") for k in range(12)]
    (tmp_path / "t.csv").write_text(csv("condition,task,accuracy", rows))
    command, gate = ["analyse", str(tmp_path / "t.csv")], WORSE
    assert "must say whom it asks about" in mistake(*command, "--gate", gate)
    assert main([*command, "--gate", f"new {gate}", "--json"]) == 1
    out, err = capsys.readouterr()
    assert [v["baseline"] for v in json.loads(out)["gate"]["verdicts"]] == ["mid", "old"]
    assert "new (candidate) against mid (baseline)" in err and "new (candidate) against old (baseline)" in err
    both = ["--baseline", "old", "--treatment", "new"]  # before, new was compared with mid alone
    assert "--exclude condition=mid" in mistake(*command, *both, "--gate", gate)
    assert main([*command, *both, "--exclude", "condition=mid", "--gate", gate]) == 1
    assert "new (candidate) against old (baseline)" in capsys.readouterr().err
    one = ["--exclude", "condition=mid", "--exclude", "condition=old"]
    assert "must have two sides to compare" in mistake(*command, *one, "--gate", gate)


def test_a_crash_has_an_exit_code_of_its_own_and_one_line(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("trueness.analyse.read_tables", lambda files: [][1])
    assert main(["analyse", "t.csv", "--gate", f"new {WORSE}"]) == 70
    told = capsys.readouterr().err
    assert len(told.splitlines()) == 1 and "a mistake of this program, IndexError: " in told and "--debug" in told


def two_files(folder, new, old, column="score"):
    for name, values in (("new", new), ("old", old)):
        (folder / f"{name}.csv").write_text(csv(f"task,{column}", [(f"t{k}", v) for k, v in enumerate(values)]))
    return ["compare", str(folder / "new.csv"), "--baseline", str(folder / "old.csv"), "--gate"]


def test_few_equal_pairs_do_not_rule_out_a_loss(tmp_path, capsys):
    for n, code in ((6, 1), (20, 1), (60, 1), (200, 0)):  # without a loss in n pairs, 3.8 / (n + 3.8) may be lost
        command = two_files(tmp_path, [k % 2 for k in range(n)], [k % 2 for k in range(n)])
        assert main([*command, f"possibly {WORSE}"]) == code
        assert f"[-{384.146 / (n + 3.84146):.1f}, " in capsys.readouterr().err
    command = two_files(tmp_path, [1] * 20, [0] + [1] * 19)  # one gain shows no more
    assert main([*command, f"possibly {WORSE}"]) == 1
    assert "neither shown nor ruled out, 5.0 points better [-11.9, 23.6]" in capsys.readouterr().err


def test_a_strict_gate_takes_runs_without_a_score_as_failed_and_judges_none_without_a_worst_score(tmp_path, capsys):
    right = [int(k % 5 > 0) for k in range(400)]
    lost = [value if k % 3 else "" for k, value in enumerate(right)]
    assert main([*two_files(tmp_path, lost, right), f"possibly {WORSE}"]) == 1
    assert "134 runs of new without a score" in (told := capsys.readouterr().err) and "had they failed, up to" in told
    assert main([*two_files(tmp_path, right, lost), f"possibly {WORSE}"]) == 0  # those of the baseline do not help it
    scores = [20 + 7.5 * (k % 5) for k in range(60)]
    command = two_files(tmp_path, ["", *(v + 3 + k % 2 for k, v in enumerate(scores[1:]))], scores)
    assert main([*command, "possibly worse by more than 2"]) == 2
    assert "gate cannot be judged" in capsys.readouterr().err


def test_a_gate_about_the_baseline_is_refused_with_both_commands(tmp_path, mistake):
    command = two_files(tmp_path, [1, 0, 1], [1, 1, 1])
    new, old = (str(tmp_path / f"{name}.csv") for name in ("new", "old"))
    told = mistake(*command, f"old {WORSE}")
    assert f"compare {new} --baseline {old} --gate '{WORSE}'" in told and f"{old} --baseline {new}" in told
    assert f"Did you mean 'new'? Write: --gate \"new {WORSE}\"" in mistake(*command, f"nwe {WORSE}")


def test_the_line_of_a_gate_counts_the_files_and_measures_that_it_does_not_judge(tmp_path, capsys):
    (tmp_path / "bad.csv").write_bytes(b"\xff\xfe\xfa")
    rows = [(m, k, w, k % 2) for m in ("new", "old") for k in range(9) for w in ("exact", "length")]
    (tmp_path / "t.csv").write_text(csv("model,task,metric,value", rows))
    assert main(["analyse", str(tmp_path), "--gate", f"new {WORSE}"]) == 0
    told = capsys.readouterr().err
    assert "Not judged: 1 file. Not judged: length (--measure)." in told and "t, exact: " in told


def test_a_gate_of_means_alone_cannot_be_judged(tmp_path, capsys):
    for name, acc in (("new", 0.4), ("old", 0.7)):
        scores = {task: {"acc,none": acc, "acc_stderr,none": 0.01} for task in ("arc", "mmlu")}
        results = {"results": scores, "config": {"model_args": name}}
        (tmp_path / f"results_{name}.json").write_text(json.dumps(results))
    command = ["compare", *(str(tmp_path / f"results_{name}.json") for name in ("new", "old"))]
    for gate in (f"new {WORSE}", f"new possibly {WORSE}"):
        assert main([*command, "--gate", gate]) == 2
        assert "gate cannot be judged (" in (told := capsys.readouterr().err) and "passes" not in told


def test_a_gate_beyond_the_scale_is_refused_since_it_could_never_hold(tmp_path, capsys):
    (tmp_path / "t.csv").write_text(csv("model,task,score", [(m, f"t{k}", k / 10) for k in range(9) for m in "ab"]))
    command = ["analyse", str(tmp_path / "t.csv"), "--condition", "model", "--baseline", "a", "--gate"]
    for gate, code in (("worse by more than .5 points", 0), ("worse by more than 99 points", 0)):
        assert main([*command, gate]) == code
    for gate in ("worse by more than 100 points", "possibly worse by more than 200"):
        capsys.readouterr()
        assert main([*command, gate]) == 2
        told = capsys.readouterr().err
        assert f"'gate' must name less than 100 points, the most that there can be, got '{gate}': it would" in told


def test_two_files_of_two_measures_are_told_by_their_columns(tmp_path, mistake):
    two_files(tmp_path, [0.5, 0.6, 0.7], [0.5, 0.6, 0.7], "accuracy")
    (tmp_path / "old.csv").write_text(csv("task,loss", [(f"t{k}", 0.3 + k / 10) for k in range(3)]))
    told = mistake("compare", tmp_path / "new.csv", "--baseline", tmp_path / "old.csv")
    assert "got columns that only the first has (accuracy) or only the second (loss)" in told
