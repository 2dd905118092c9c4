"""Tables whose numbers looked right and were not: columns that are no scores, directions, ids, factors, groups."""

import json
import shlex

import numpy as np
import pandas as pd
import pytest

from tests.each import each
from trueness.cli import main

TASKS = ("arc", "boolq", "piqa", "copa", "rte", "wic", "wsc", "cb")
MODELS = ("base", "mid", "tuned")


def board(**columns):
    """One row a model."""
    return [{"model": m} | {name: values[k] for name, values in columns.items()} for k, m in enumerate(MODELS)]


def runs(models=("a", "b"), tasks=TASKS, **columns):
    """One row a model and task; each column a function of (model's number, task's number, draws)."""
    rng = np.random.default_rng(0)
    return [
        {"model": m, "task": t} | {name: of(i, k, rng) for name, of in columns.items()}
        for i, m in enumerate(models)
        for k, t in enumerate(tasks)
    ]


def drawn(i, k, rng):
    return rng.random()


def right(i, k, rng):
    return int(rng.random() < 0.6)


@pytest.fixture()
def read(write, analysed):
    """Domain -> what analyse says of it."""
    return lambda rows, *options: {d["domain"]: d for d in analysed(write(rows), *options)["domains"]}


@pytest.fixture()
def offered(write, mistake, analysed):
    """What the commands say that the one line offers, by their options."""

    def run(rows):
        told = mistake("analyse", path := write(rows)).replace("  or: ", "\n").replace("trueness analyse", "\n").strip()
        options = [shlex.split(line)[1:] for line in told.splitlines() if str(path) in line]
        return {" ".join(words): analysed(path, *words)["domains"][0] for words in options}

    return run


# ---- columns that are no scores


NO_SCORES = {
    "acc_stderr": lambda i, k, rng: 0.01 + rng.random() / 100,
    "quant_bits": lambda i, k, rng: (4, 8)[i],
    "worker_pid": lambda i, k, rng: int(rng.integers(4000, 9000)),
    "rng_seed": lambda i, k, rng: int(rng.integers(100)),
    "latency_ms": lambda i, k, rng: 100 * rng.random(),
    "cost_usd": drawn,
    "completion_tokens": lambda i, k, rng: int(rng.integers(10, 90)),
    "model_size": lambda i, k, rng: (7, 13)[i],
    "year": lambda i, k, rng: 2020 + k % 4,
    "delta": drawn,
    "avg_score": drawn,
    "temperature": lambda i, k, rng: 0.7,
    "cached": lambda i, k, rng: bool(rng.random() < 0.5),
    "difficulty": lambda i, k, rng: 1 + k % 3,  # one for each task
    "zorp": lambda i, k, rng: (31, 47)[i],  # one for each model
    "serial": lambda i, k, rng: 8 * i + k,
}


@each("name, of", NO_SCORES.items())
def test_a_column_that_is_no_score_is_refused_with_the_command_and_read_where_it_is_named(
    name, of, write, mistake, analysed
):
    rows = runs(**{name: of})
    told = mistake("analyse", write(rows))
    assert " has no scores: " in told and f"--score {name}" in told
    if len({row[name] for row in rows}) > 2:
        assert analysed(write(rows), "--score", name)["domains"][0]["outcome"] == name


def test_errors_differences_and_means_beside_models_are_no_models(offered):
    rng = np.random.default_rng(1)
    rows = []
    for task in TASKS:
        a, b = (round(float(x), 3) for x in rng.random(2))
        row = {"task": task, "llama": a, "llama_stderr": 0.01, "mistral": b, "mistral_stderr": 0.02}
        rows.append(row | {"Δ": round(b - a, 3), "llama vs mistral": round(b - a, 3)})
    ((options, part),) = offered(rows).items()
    assert options == "--score llama,mistral"
    assert {row["condition"] for row in part["conditions"]} == {"llama", "mistral"}


def test_metrics_of_one_system_are_measures_and_no_models(offered):
    names = ("faithfulness", "answer_relevancy", "context_precision", "hallucination")
    rng = np.random.default_rng(0)
    rows = [
        {"user_input": f"what is {k}?", "response": f"r{k}", **dict(zip(names, rng.random(4), strict=True))}
        for k in range(15)
    ]
    found = offered(rows)
    assert list(found) == [f"--score {name}" for name in names]
    assert all(not part["contrasts"] and part["conditions"][0]["n"] == 15 for part in found.values())
    assert [part["lower_is_better"] for part in found.values()] == [False] * 3 + [True]


# ---- direction


@each(
    "name",
    ["WER", "cer", "word_error_rate", "val_loss", "RMSE", "MAE", "perplexity", "hallucination_rate", "toxicity",
     "SHD", "WER (%)", "toxicity_score", "1-accuracy"],
)  # fmt: skip
def test_lower_is_better_by_the_name(name, read):
    (part,) = read(runs(**{name: lambda i, k, rng: 0.3 - 0.1 * i + rng.random() / 100})).values()
    assert part["lower_is_better"] and not part["direction_assumed"]
    assert part["contrasts"][0]["treatment"] == "b" and part["contrasts"][0]["diff"] > 0


@each("name", ["accuracy_score", "neg_log_loss", "1-WER", "toxicity_detection_f1", "error_reduction", "BLEU"])
def test_higher_is_better_by_the_name(name, read):
    (part,) = read(runs(**{name: lambda i, k, rng: 0.3 - 0.1 * i + rng.random() / 100})).values()
    assert not part["lower_is_better"] and not part["direction_assumed"] and part["contrasts"][0]["diff"] < 0


def test_an_assumed_direction_is_in_the_sentence_itself(write, capsys):
    assert main(["analyse", str(write(runs(zorp=drawn))), "--score", "zorp"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    verdict = next(part for part in told.split(" - ") if "not told apart" in part)
    assert "higher zorp is taken as better, no name says it (--lower-is-better turns it)" in verdict
    assert main(["analyse", str(write(runs(zorp=drawn))), "--score", "zorp", "--lower-is-better"]) == 0
    assert "is taken as better" not in " ".join(capsys.readouterr().out.split())


def test_measures_of_mixed_directions_are_never_averaged(offered):
    rows = board(wiki_ppl=(9.0, 8.0, 7.0), c4_ppl=(8.0, 7.5, 7.0), mmlu=(0.5, 0.6, 0.7), arc=(0.4, 0.5, 0.7))
    ppl, accuracy = offered(rows).values()
    assert (ppl["outcome"], ppl["lower_is_better"]) == ("perplexity", True)
    assert (accuracy["outcome"], accuracy["lower_is_better"]) == ("accuracy", False)
    assert ppl["contrasts"][0]["diff"] > 0 and accuracy["contrasts"][0]["diff"] > 0
    wer, bleu = offered(runs(wer=drawn, bleu=drawn)).values()
    assert wer["lower_is_better"] and not bleu["lower_is_better"]


# ---- ids, factors, groups


def restarting(part):
    rng = np.random.default_rng(0)
    sizes = {"algebra": 40, "geometry": 60, "numbers": 69}
    return [
        {"model": m, part: name, "task_id": k, "correct": int(rng.random() < 0.6)}
        for name, n in sizes.items()
        for k in range(n)
        for m in "ab"
    ]


@each("part", ["Domain", "subject", "zorp"])
def test_ids_that_start_anew_are_refused_with_the_commands(part, offered):
    found = offered(restarting(part))
    assert {options: domain["contrasts"][0]["n_units"] for options, domain in found.items()} == {
        f"--unit {part},task_id": 169,
        "--unit task_id": 69,
    }
    rows = [{key: row[key] for key in ("model", "task_id", "correct")} for row in restarting("part")]
    assert list(offered(rows)) == ["--unit task_id"]


def test_a_column_that_is_bound_to_some_conditions_fails_the_check(read):
    rows = []
    for model, styles in (("gpt", ["cot"]), ("claude", ["direct", "cot"]), ("llama", ["direct", "cot"])):
        rows += [row | {"prompt_style": s} for s in styles for row in runs((model,), range(20), correct=right)]
    (part,) = read(rows).values()
    (flag,) = [flag for flag in part["red_flags"] if flag["name"] == "averaged over"]
    assert flag["raised"] and "prompt_style is only cot for gpt: which of them acts is open" in flag["evidence"]


def grouped(seed):
    """80 questions of 10 documents; the models differ by document, and in none of them on average."""
    rng = np.random.default_rng(seed)
    shift = 0.2 * rng.standard_normal(10)
    return [
        {"model": m, "question_id": k, "document": f"d{k // 8}",
         "score": 0.5 + (m == "b") * shift[k // 8] + 0.05 * rng.standard_normal()}
        for k in range(80)
        for m in "ab"
    ]  # fmt: skip


def test_a_column_that_groups_the_tasks_is_named_and_the_verdict_shown_at_both_levels(tmp_path, capsys):
    told, over_tasks, over_documents = [], 0, 0
    for seed in range(25):
        path = tmp_path / f"{seed}.csv"
        pd.DataFrame(grouped(seed)).to_csv(path, index=False)
        assert main(["analyse", str(path), "--json"]) == 0
        (part,) = json.loads(capsys.readouterr().out)["domains"]
        assert part["possible_clusters"] == ["document"]
        (row,) = part["otherwise"]
        assert row["reading"] == "over documents (--cluster document)" and row["n_clusters"] == 10
        over_tasks += part["contrasts"][0]["p_paired"] <= 0.05
        over_documents += row["p_paired"] <= 0.05
        told.append(part["contrasts"][0]["p_paired"] <= 0.05 < row["p_paired"])
    assert over_tasks >= 8 and over_documents <= 4
    assert main(["analyse", str(tmp_path / f"{told.index(True)}.csv")]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "; but not told apart over 10 document groups (--cluster document): " in out
    assert "possible clusters, since each task lies in one group: document (10 groups)" in out


# ---- shares and other units


@each("name, percent", [
    ("latency_s", False), ("cost_usd", False), ("loss", False), ("rmse", False), ("r2", False), ("tokens", False),
    ("throughput", False), ("energy_kwh", False), ("WER", True), ("error_rate", True), ("acc", True), ("zorp", True),
])  # fmt: skip
def test_only_a_share_is_shown_in_per_cent(name, percent, read):
    (part,) = read(runs(**{name: lambda i, k, rng: 0.002 + rng.random() / 1000}), "--score", name).values()
    (flag,) = [flag for flag in part["red_flags"] if flag["name"] == "ceiling"]
    assert ("a%" in part["contrasts"][0]) == percent, name
    assert (flag["state"] == "not checked") == (name not in ("error_rate", "acc", "zorp")), name


def test_equal_means_are_called_equal_and_a_small_difference_keeps_its_digits(write, capsys):
    for shift, words in ((0.0, "not told apart (equal means "), (0.0004, "(a better by 0.0004 ")):
        rows = runs(cost_usd=lambda i, k, rng, s=shift: 0.002 + s * i + 0.0006 * ((k + i) % 2))
        assert main(["analyse", str(write(rows)), "--score", "cost_usd"]) == 0
        assert words in " ".join(capsys.readouterr().out.split()), shift


# ---- what the columns and rows are


def test_the_average_of_a_group_of_tasks_is_refused_with_the_command_that_leaves_it_out(offered, mistake, write):
    tasks = {
        "mmlu": 0.6,
        "mmlu_stem": 0.55,
        "mmlu_law": 0.62,
        "arc": 0.5,
        "arc_easy": 0.7,
        "arc_hard": 0.6,
        "piqa": 0.7,
    }
    rows = [{"model": m, "task": t, "acc": v + 0.05 * i} for i, m in enumerate(MODELS) for t, v in tasks.items()]
    (part,) = offered(rows).values()  # arc lies below both that are named so: no average of them
    assert part["conditions"][0]["n"] == 6 and any("excluded" in line for line in part["understood"])
    wide = write(board(**{t: tuple(v + 0.05 * i for i in range(3)) for t, v in tasks.items()}))
    told = mistake("analyse", wide, "--score", ",".join(tasks))
    assert "--score mmlu,mmlu_stem,mmlu_law,arc,arc_easy,arc_hard,piqa --exclude task=mmlu" in told


# ---- one verdict, said once


def test_the_reading_over_groups_is_judged_after_the_adjustment_as_the_finding_is(tmp_path, capsys):
    rng = np.random.default_rng(0)
    for name, shift in (("old", 0.03), ("new", 0.0)):
        rows = [{"domain": d, "utterance": k, "speaker": f"s{k // 5}", "WER": 0.1 + shift + rng.random() / 50}
                for k in range(30) for d in "xy"]  # fmt: skip
        pd.DataFrame(rows).to_csv(tmp_path / f"{name}.csv", index=False)
    files = [str(tmp_path / "new.csv"), "--baseline", str(tmp_path / "old.csv")]
    assert main(["compare", *files, "--md"]) == 0
    said = capsys.readouterr().out
    assert "but not told apart over 6 speaker groups" in said
    assert said.count("Another verdict.") == 2 and "sign-flip Holm p = 0.062, 30 cells in 6 speakers" in said
    assert main(["compare", *files]) == 0
    table = capsys.readouterr().out.split("Read otherwise")[1]
    assert "Holm p" in table and "0.062" in table and "the same" not in table


def test_compare_scores_the_column_that_its_measure_names_and_offers_that(tmp_path, capsys, mistake):
    for name, shift in (("old", 0), ("new", 50)):
        pd.DataFrame({"id": range(20), "latency_ms": [300 + 7 * k + shift + k % 3 for k in range(20)]}).to_csv(
            tmp_path / f"{name}.csv", index=False
        )
    files = [str(tmp_path / "new.csv"), "--baseline", str(tmp_path / "old.csv")]
    assert f"trueness compare {' '.join(files)} --measure latency_ms" in mistake("compare", *files)
    assert main(["compare", *files, "--measure", "latency_ms", "--json"]) == 0
    (part,) = json.loads(capsys.readouterr().out)["domains"]
    assert (part["outcome"], round(part["contrasts"][0]["diff"])) == ("latency_ms", -50)
    assert "'zorp' is not in" in mistake("analyse", files[0], "--score", "latency_ms", "--measure", "zorp")
