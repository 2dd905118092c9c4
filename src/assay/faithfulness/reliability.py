"""Can the judge be believed? Agreement with itself, with another judge, with execution, and what should not matter.

items: (problem, probe, dimension), clustered by problem. Ratings 0..4 (`holds` is 0 or 4).

    test-retest     Krippendorff's alpha (ordinal) and AC1 over the repeats of one judge
    between judges  alpha over all judges (mean of repeats, rounded), quadratically weighted kappa and AC1 a pair
    execution       share of nodes on which the judge and the executed graph agree; AC1 and, where both vary, kappa
    position        rating with the graph listed forwards minus backwards, paired
    verbosity       logic rating with padding minus without, paired
    correction      prediction-powered mean, where people labelled some items

A judge that always says the same has no alpha (there is nothing to disagree about): a warning says so.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.faithfulness.judging import Judgement
from assay.faithfulness.known_groups import group_of
from assay.faithfulness.probes import Manner
from assay.faithfulness.score import Evaluation
from assay.reading.verdicts import TOP
from assay.statistics import (
    Estimate,
    gwet_ac1,
    krippendorff_alpha,
    paired_difference,
    prediction_powered_mean,
    share,
    weighted_kappa,
)
from assay.statistics.result import Result

Method = Literal["jackknife", "bootstrap"]
ONE_SIDED = 0.95  # share of one rating from which a judge says nothing but that
FEW = 5  # ratings below which one cannot speak of always
UNRELIABLE = 0.667  # Krippendorff's limit for tentative conclusions
FAMILIES = (
    "gpt", "claude", "gemini", "gemma", "llama", "mistral", "mixtral", "qwen", "deepseek", "smollm", "grok", "phi",
    "command",
)  # fmt: skip
_SAME_HOUSE = {"gemma": "gemini", "mixtral": "mistral", "o1": "gpt", "o3": "gpt", "o4": "gpt", "chatgpt": "gpt"}
LABEL_COLUMNS = ("problem", "kind", "node", "label")


class Item(NamedTuple):
    problem: str
    kind: str
    node: str
    dimension: str = ""


Table = dict[Item, dict[tuple[str, int], float]]  # item -> (judge, repeat) -> rating


@dataclass(frozen=True)
class Reliability:
    """All that was found, each an Estimate or Comparison with its interval, and warnings in sentences."""

    retest: Mapping[str, Mapping[str, Estimate]] = field(default_factory=dict)  # judge -> alpha, ac1, alpha logic, ...
    between: Mapping[str, Estimate] = field(default_factory=dict)  # alpha, kappa A and B, alpha logic, ...
    execution: Mapping[str, Mapping[str, Estimate]] = field(default_factory=dict)  # judge -> share, kappa
    effects: Mapping[str, Mapping[str, Result]] = field(default_factory=dict)  # judge -> position, verbosity
    corrected: Mapping[str, Estimate] = field(default_factory=dict)  # kind -> prediction-powered mean
    readable: Mapping[str, Estimate] = field(default_factory=dict)  # judge -> share of replies with a verdict
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "retest": {judge: {k: v.row() for k, v in found.items()} for judge, found in self.retest.items()},
            "between": {name: found.row() for name, found in self.between.items()},
            "execution": {judge: {k: v.row() for k, v in found.items()} for judge, found in self.execution.items()},
            "effects": {judge: {k: v.row() for k, v in found.items()} for judge, found in self.effects.items()},
            "corrected": {kind: found.row() for kind, found in self.corrected.items()},
            "readable": {judge: found.row() for judge, found in self.readable.items()},
            "warnings": list(self.warnings),
        }

    def sentences(self) -> list[str]:
        said = [str(found) for found in self.readable.values()]
        for judge, estimates in self.retest.items():
            said += [f"{judge} with itself, {name}: {found}" for name, found in estimates.items()]
        said += [f"Between judges, {name}: {found}" for name, found in self.between.items()]
        for judge, estimates in self.execution.items():
            said += [f"{judge} against the executed graphs: {found}" for found in estimates.values()]
        for judge, results in self.effects.items():
            said += [f"{judge}, {name}: {result}" for name, result in results.items()]
        return [*said, *(str(found) for found in self.corrected.values()), *self.warnings]


def reliability(
    judgements: Sequence[Judgement],
    evaluations: Iterable[Evaluation] = (),
    *,
    evaluated: Sequence[str] = (),
    labels: Mapping[Item, float] | None = None,
    method: Method = "jackknife",
    level: float = 0.95,
) -> Reliability:
    """evaluated: names of the models whose reasoning was judged. labels: what people said, 0..4."""
    judges = list(dict.fromkeys(judgement.judge for judgement in judgements))
    plain = ratings(judgements, "plain")
    executed = executed_answers(evaluations)
    retest = {judge: found for judge in judges if (found := _retest(plain, judge, method, level))}
    between = _between(plain, judges, method, level)
    against = {judge: found for judge in judges if (found := _execution(plain, judge, executed, method, level))}
    effects = {judge: moved for judge in judges if (moved := _effects(judgements, judge, level))}
    warnings = [*_constant(plain, judges), *_families(judges, evaluated), *_weak(retest, between)]
    if against and len(set(executed.values())) == 1:
        warnings.append(
            "The executed graphs say the same of every node: a judge that always says so agrees. Add corrupt = true."
        )
    if judgements and not any(judgement.repeat for judgement in judgements):
        warnings.append("Each judge was asked once: how far it agrees with itself is not known. Set repeats = 2.")
    readable = _readable(judgements, level)
    warnings += [f"{judge} gave no verdict that can be read." for judge, found in readable.items() if found.value == 0]
    return Reliability(
        retest, between, against, effects, _corrected(plain, labels or {}, level), readable,
        tuple(warnings),
    )  # fmt: skip


def ratings(judgements: Iterable[Judgement], manner: Manner) -> Table:
    """Every readable rating: item -> (judge, repeat) -> 0..4."""
    table: Table = {}
    for judgement in judgements:
        if judgement.probe.manner != manner:
            continue
        verdict, probe = judgement.verdict, judgement.probe
        values = {dimension: value for dimension, value in verdict.ratings.items()} if verdict.status == "ok" else {}
        if verdict.rating is not None:
            values[""] = verdict.rating
        if verdict.holds is not None:
            values[""] = TOP * float(verdict.holds)
        for dimension, value in values.items():
            item = Item(judgement.problem, probe.kind, probe.node, dimension)
            table.setdefault(item, {})[judgement.judge, judgement.repeat] = value
    return table


def executed_answers(evaluations: Iterable[Evaluation]) -> dict[Item, bool]:
    """What execution says of each node: does do() move the target, is the known recovered."""
    return {
        Item(evaluation.problem, kind, node.node): node.executed
        for evaluation in evaluations
        for kind, nodes in evaluation.nodes.items()
        for node in nodes
        if node.executed is not None
    }


def _matrix(table: Table, raters: Sequence[tuple[str, int]]) -> NDArray[np.float64]:
    return np.array([[table[item].get(rater, np.nan) for item in table] for rater in raters], dtype=np.float64)


def _problems(table: Iterable[Item]) -> list[str]:
    """Clusters: a problem and its damaged copies are one."""
    return [group_of(item.problem)[0] for item in table]


def _retest(table: Table, judge: str, method: Method, level: float) -> dict[str, Estimate]:
    own = {item: kept for item, values in table.items() if (kept := {k: v for k, v in values.items() if k[0] == judge})}
    raters = sorted({rater for values in own.values() for rater in values})
    if len(raters) < 2:
        return {}
    found = {}
    for kind, part in _by_kind(own).items():
        matrix, problems = _matrix(part, raters), _problems(part)
        found[f"alpha{kind}"] = krippendorff_alpha(matrix, "ordinal", problems, level, method)
        found[f"ac1{kind}"] = gwet_ac1(matrix, problems, level, method, categories=_categories(matrix))
    return found


def _by_kind(table: Table) -> dict[str, Table]:
    """All items as "", then each kind: kinds that are rated differently make the agreement over all look good."""
    kinds = dict.fromkeys(item.kind for item in table)
    parts = {f" {kind}": {item: v for item, v in table.items() if item.kind == kind} for kind in kinds}
    return {"": table, **parts}


def _between(table: Table, judges: Sequence[str], method: Method, level: float) -> dict[str, Estimate]:
    if len(judges) < 2:
        return {}
    means = {judge: _judge_means(table, judge) for judge in judges}
    found = {}
    for kind, part in _by_kind(table).items():
        matrix = np.array([[means[judge].get(item, np.nan) for item in part] for judge in judges])
        problems = _problems(part)
        found[f"alpha{kind}"] = krippendorff_alpha(matrix, "ordinal", problems, level, method)
        for a, b in combinations(range(len(judges)), 2):
            pair, both = f"{judges[a]} and {judges[b]}", matrix[[a, b]]
            found[f"kappa{kind} {pair}"] = weighted_kappa(both[0], both[1], "quadratic", problems, level, method)
            found[f"ac1{kind} {pair}"] = gwet_ac1(both, problems, level, method, categories=_categories(both))
    return found


def _judge_means(table: Table, judge: str) -> dict[Item, float]:
    """The mean over repeats, as a rating."""
    found = {}
    for item, values in table.items():
        own = [value for (name, _), value in values.items() if name == judge]
        if own:
            found[item] = float(np.rint(sum(own) / len(own)))
    return found


def _categories(matrix: NDArray[np.float64]) -> int:
    """Those of the scale, or more where points of the original were read."""
    return max(TOP + 1, len(np.unique(matrix[~np.isnan(matrix)])))


def _execution(
    table: Table, judge: str, executed: Mapping[Item, bool], method: Method, level: float
) -> dict[str, Estimate]:
    """A rating of 2 or more says that the node matters; `holds` says that the known is recovered."""
    means = _judge_means(table, judge)
    both = [item for item in means if item in executed]
    if not both:
        return {}
    said = np.array([float(means[item] >= TOP / 2) for item in both])
    true = np.array([float(executed[item]) for item in both])
    problems = _problems(both)
    found = {
        "share": share((said == true).astype(np.float64), problems, level, name="share of nodes on which they agree"),
        "ac1": gwet_ac1(np.vstack([said, true]), problems, level, method, categories=2),
    }
    if len(np.unique(true)) > 1 and len(np.unique(said)) > 1:  # where one never varies kappa is 0 whatever they say
        found["kappa"] = weighted_kappa(said, true, "none", problems, level, method)
    return found


def _effects(judgements: Sequence[Judgement], judge: str, level: float) -> dict[str, Result]:
    own = [judgement for judgement in judgements if judgement.judge == judge]
    plain = _judge_averages(ratings(own, "plain"))
    found: dict[str, Result] = {}
    for name, manner, words in (("position", "reversed", "listed backwards"), ("verbosity", "padded", "padded")):
        other = _judge_averages(ratings(own, manner))  # type: ignore[arg-type]
        both = [item for item in other if item in plain]
        if both:
            a, b = ([values[item] for item in both] for values in (other, plain))
            found[name] = paired_difference(a, b, _problems(both), level, names=(words, "plain"))
    return found


def _judge_averages(table: Table) -> dict[Item, float]:
    return {item: sum(values.values()) / len(values) for item, values in table.items()}


def _readable(judgements: Sequence[Judgement], level: float) -> dict[str, Estimate]:
    asked: dict[str, list[float]] = {}
    problems: dict[str, list[str]] = {}
    for judgement in judgements:
        asked.setdefault(judgement.judge, []).append(float(judgement.verdict.status == "ok"))
        problems.setdefault(judgement.judge, []).append(group_of(judgement.problem)[0])
    return {
        judge: share(values, problems[judge], level, name=f"share of readable verdicts of {judge}")
        for judge, values in asked.items()
    }


# ---- warnings


def _constant(table: Table, judges: Sequence[str]) -> list[str]:
    """A judge that gives one rating to everything of a kind, whatever it is asked."""
    warnings = []
    for judge in judges:
        for kind in dict.fromkeys(item.kind for item in table):
            values = [
                v for i, found in table.items() if i.kind == kind for (name, _), v in found.items() if name == judge
            ]
            if len(values) < FEW:
                continue
            value, count = Counter(values).most_common(1)[0]
            if count / len(values) >= ONE_SIDED:
                word = {4.0: " (critical)" if kind == "intervention" else "", 0.0: " (none)"}.get(value, "")
                warnings.append(
                    f"{judge} gives {value:g}{word} to {count} of {len(values)} questions on {kind}: "
                    "its agreement says nothing, and its ratings carry no information."
                )
    return warnings


def _families(judges: Sequence[str], evaluated: Sequence[str]) -> list[str]:
    return [
        f"{judge} judges {model}, a model of its own family ({family(judge)}): it may prefer itself."
        for judge in judges
        for model in evaluated
        if family(judge) is not None and family(judge) == family(model)
    ]


def family(model: str) -> str | None:
    """The house of a model by its name; None where the name does not tell."""
    words = re.findall(r"[a-z]+\d?", model.lower().replace("/", " "))
    for word in words:
        for name in (*FAMILIES, *_SAME_HOUSE):
            if word == name or (name in FAMILIES and word.startswith(name)):
                return _SAME_HOUSE.get(name, name)
    return None


def _weak(retest: Mapping[str, Mapping[str, Estimate]], between: Mapping[str, Estimate]) -> list[str]:
    alphas = [(f"{judge} with itself", name, a) for judge, found in retest.items() for name, a in found.items()]
    alphas += [("between the judges", name, a) for name, a in between.items()]
    named = {
        f"{who}{name.removeprefix('alpha').replace(' ', ' on ', 1)}": alpha
        for who, name, alpha in alphas
        if name.startswith("alpha")
    }
    return [
        f"Agreement {name} is alpha {alpha.value:.2f}, below {UNRELIABLE}: do not rest conclusions on it."
        for name, alpha in named.items()
        if alpha.value is not None and alpha.value < UNRELIABLE
    ]


# ---- what people said


def read_labels(path: Path) -> dict[Item, float]:
    """A CSV with the columns problem, kind, node, label (0..4) and, for logic, dimension."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}. Give a CSV of labels.") from None
    return parse_labels(text, Path(path).name)


def parse_labels(text: str, name: str) -> dict[Item, float]:
    found: dict[Item, float] = {}
    for number, row in enumerate(csv.DictReader(text.splitlines()), start=2):
        lacking = [column for column in LABEL_COLUMNS if row.get(column) is None]
        if lacking:
            raise DataError(f"{name} must have the columns {', '.join(LABEL_COLUMNS)}, got no {lacking[0]!r}.")
        try:
            label = float(row["label"])
        except ValueError:
            label = -1.0
        if not 0 <= label <= TOP:
            raise DataError(f"{name}, line {number}: 'label' must be in 0 .. {TOP}, got {row['label']!r}.")
        found[Item(row["problem"], row["kind"], row["node"], row.get("dimension") or "")] = label
    return found


def _corrected(table: Table, labels: Mapping[Item, float], level: float) -> dict[str, Estimate]:
    """Per kind: the judges' mean rating, corrected by the items that people labelled; on the scale 0..1."""
    said = _judge_averages(table)
    found = {}
    for kind in dict.fromkeys(item.kind for item in said):
        of_kind = [item for item in said if item.kind == kind]
        here = [item for item in of_kind if item in labels]
        rest = [item for item in of_kind if item not in labels]
        if here:
            found[kind] = prediction_powered_mean(
                [labels[item] / TOP for item in here],
                [said[item] / TOP for item in here],
                [said[item] / TOP for item in rest],
                (_problems(here), _problems(rest)),
                level,
                name=f"{kind}, corrected by {len(here)} labels",
            )
    return found
