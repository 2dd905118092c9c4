"""What the name of a stranger's column says: a measure and which way it is better, or something that is no score.

    better_of("AMI WER")            lower           measure_in("AMI WER")       wer, of AMI
    better_of("neg_log_loss")       higher          measure_in("acc_norm")      accuracy
    better_of("gpt-x")              None            why_no_score("acc_stderr")  an error of measurement

A name is read from its end, as English compounds are: toxicity_detection_f1 is an f1, accuracy_loss a loss. The
measures of our studies are declared, never guessed (measure.py). What no word here says is unknown, and whoever assumes
a direction says so.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from trueness.measure import Better, direction, measure_of

_HIGHER = """
    accuracy acc correct pass passed passes success successful solved resolved win wins winrate match matched em f1 f2
    fscore auc auroc auprc map iou miou bleu rouge rouge1 rouge2 rougel meteor chrf comet bleurt bertscore precision
    recall specificity ndcg mrr hit hits ssim agreement reward score rating rated star likert grade point mark mos
    quality faithful faithfulness relevance relevancy coherence fluency consistency adherence compliance factuality
    similarity clarity adequacy utilization utility fidelity robustness tpr tnr reduction free
"""
_LOWER = """
    wer cer ter der eer error err hallucination hallucinated toxicity toxic violation fail failed failure false fpr fnr
    miss harmful unsafe asr attack_success jailbreak_success jailbreak_rate jailbreak_score jailbroken
"""
# a mean of these is no count of anything among so many, also where it lies in [0, 1]
_HIGHER_UNITS = """
    kappa mcc r2 psnr pearson spearman correlation elo likelihood loglikelihood logprob throughput speedup fps rtfx
    qps tps speed tokens_per_second
"""
_LOWER_UNITS = """
    log_loss loss logloss perplexity ppl nll bpb entropy bits_per_byte mae mse rmse nrmse rmsle mape smape wape mase
    crps wis brier interval_score pinball ece shd sid aid distance fid lpips mcd regret noise width latency seconds
    duration runtime elapsed time ttft cost price tokens energy co2 kl divergence surprisal
"""
_NO_SCORES = {
    "an id": "id pid uuid guid hash index idx key nr no number port unnamed row rownames seqn",
    "a place": "rank ranking position place",
    "a size": "size params param parameters layers dim vocab memory vram ram gb mb kb gib mib bytes flops gflops",
    "a date": "date day month year timestamp hour released release created updated started ended cutoff",
    "a duration": "time latency duration second sec s ms runtime elapsed ttft tpot minute rtf",
    "a speed": "throughput fps rtfx qps tps speed speedup",
    "a seed or a repeat": "seed rep repeat epoch trial fold run iteration step",
    "a length": "token char character word length len context ctx window turn",
    "a cost": "cost price usd eur dollar fee co2 emission energy kwh watt",
    "an error of measurement": "stderr std stdev sd sem se ci variance var margin pvalue",
    "a difference": "delta δ diff difference change gain improvement uplift lift",
    "a setting": "temperature topk topp shot fewshot bit quantization lr learning_rate sample_rate sampling_rate "
    "frame_rate dropout decay beam head gpu thread worker batch version generation attempt retry max_token",
    "a count": "n count like download vote hub",
}
_AVERAGES = set("average avg mean overall total sum median aggregate".split())
_OF_ANYTHING = {"score", "rating", "point", "grade", "quality", "reward"}  # a toxicity score is a toxicity
_STATISTICS = re.compile(
    r"\b(mean|average|median|sum) (absolute|squared?|reciprocal|average precision|iou|precision|opinion)"
)
_SAYS_NOTHING = set(
    "rate ratio pct percent value norm normalized macro micro weighted raw test val dev validation train eval final "
    "best worst max min p50 p90 p95 p99 b m k kg at in out used taken spent of the is none input output prompt "
    "completion request response".split()
) | _AVERAGES  # fmt: skip
_TURNS = {"neg", "negative", "non", "anti", "inverse", "1"}
_ALIKE = {"acc": "accuracy", "correct": "accuracy", "passed": "pass", "passes": "pass", "ppl": "perplexity",
          "err": "error", "failed": "failure", "fail": "failure", "toxic": "toxicity"}  # fmt: skip
_PASSES = {"", "accuracy", "pass", "success", "score", "solved", "resolved", "match", "em", "failure", "error"}
_QUALITY = re.compile(r"\w*(ful|ct|te|ed|less|se|nt|ive|ous)ness")  # helpfulness, correctness, groundedness
_BENCHMARKS = re.compile(
    r"(mmlu|arc|hellaswag|winogrande|truthfulqa|gsm8k|bbh|gpqa|ifeval|humaneval|mbpp|boolq|piqa|musr|openbookqa|lambada"
    r"|commonsense|math)\b",
    re.I,
)  # benchmarks whose scores are shares of right answers, in whatever unit a leaderboard writes them


def better_of(name: str) -> Better | None:
    """As the measures of our studies say; of others by the words of their names."""
    return direction(name) if measure_of(name) else _read(name)[1]


def is_share(name: str) -> bool:
    """Whether values in [0, 1] under that name are so many of all: a rate, or a score that names no other unit."""
    kind = _read(name)[0].removeprefix("negative ")
    if {"rate", "pct", "percent", "percentage", "share", "fraction", "%"} & set(_words_of(name)):
        return True
    units = f"{_HIGHER_UNITS} {_LOWER_UNITS}".split()
    return kind not in units if kind else why_no_score(name) in ("", "an average or a sum", "a number as name")


def is_pass_share(name: str) -> bool:
    """Passes among attempts, or failures: what a ceiling is known of."""
    return _read(name)[0] in _PASSES


def measure_in(name: str) -> str:
    """The measure that a column holds, in one word; empty where its name says none. A benchmark has its own."""
    return _read(name)[0] or ("accuracy" if is_benchmark(name) else "")


def is_measure_alone(name: str) -> bool:
    """No task and no model is named beside the measure: recall@5, acc_norm, F1 (%)."""
    return bool(_read(name)[0]) and _read(name)[2] == ""


def is_benchmark(name: str) -> bool:
    return bool(_BENCHMARKS.match(name.strip()))


def why_no_score(name: str) -> str:
    """What a column of that name holds in place of a score; empty where nothing says so."""
    words = list(_words_of(name))
    if not words:
        return "no name" if not re.search(r"\w", name) else "a number as name"
    if words[0] in ("num", "n", "nb"):
        return "a count"
    if {"vs", "versus", "minus"} & set(words):
        return "a difference"
    if {words[0], words[-1]} & _AVERAGES and not _STATISTICS.search(" ".join(words)):
        return "an average or a sum"
    cut = next((k for k, word in enumerate(words) if k and word in ("per", "to")), None)  # time to first token
    if cut and "_".join(words) not in _directions():
        words = words[:cut]
    while len(words) > 1 and (words[-1] in _SAYS_NOTHING or words[-1].isdigit()):
        words.pop()
    ends = ("_".join(words[-length:]) for length in (2, 1))
    return next((_reasons()[e] for end in ends for e in (end, end.removesuffix("s")) if e in _reasons()), "")


@cache
def _words_of(name: str) -> tuple[str, ...]:
    """The words of a name: "worker_pid", "WorkerPid" and "Worker PID" are the same two."""
    text = unicodedata.normalize("NFKC", name).replace("#", " n ")
    text = re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", " ", text).lower()
    return tuple(re.findall(r"[^\W_]+", text))


@cache
def _read(name: str) -> tuple[str, Better | None, str]:
    """(measure, which way is better, the words beside it)."""
    words = _words_of(name)
    for end in range(len(words), 0, -1):
        for start in range(max(0, end - 3), end):
            term = "_".join(words[start:end])
            term = next(
                (t for t in (term, term.removesuffix("s"), term.removesuffix("es")) if t in _directions()), term
            )
            way = _directions().get(term) or ("higher" if _QUALITY.fullmatch(term) else None)
            if way is None or (term in _OF_ANYTHING and _read("_".join(words[:start]))[0]):
                continue
            turned = start > 0 and (words[start - 1] in _TURNS or words[0] in ("neg", "negative"))
            kind = f"{'negative ' if turned else ''}{_ALIKE.get(term, term)}"
            says_nothing = _SAYS_NOTHING | _directions().keys() | (_TURNS if turned else set())
            rest = [word for word in (*words[:start], *words[end:]) if word not in says_nothing and not word.isdigit()]
            return kind, ("lower" if way == "higher" else "higher") if turned else way, " ".join(rest)
    return "", None, " ".join(words)


@cache
def _directions() -> dict[str, Better]:
    higher, lower = f"{_HIGHER} {_HIGHER_UNITS}".split(), f"{_LOWER} {_LOWER_UNITS}".split()
    return {**dict.fromkeys(higher, "higher"), **dict.fromkeys(lower, "lower")}


@cache
def _reasons() -> dict[str, str]:
    return {word: reason for reason, words in _NO_SCORES.items() for word in words.split()}
