"""The tables of a robustness study, each with its caption: ranking, one frozen K, K by method, K +- 5.

Scorers stand in the order of the plan; groups (series, rows; known and assumed truths) are never averaged.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

import pandas as pd

from trueness.errors import SettingError, did_you_mean, listed
from trueness.measures.ranking import RANKING_MEASURES
from trueness.showing.saving import plain_records
from trueness.showing.tables import Column, Table
from trueness.statistics.result import interval_cells
from trueness.status import Status
from trueness.studies.robustness.answers import RobustnessStudy
from trueness.studies.robustness.calibration import FROZEN, frozen_means
from trueness.studies.robustness.choose_k import MATCHED, ORACLE, OTHERS
from trueness.studies.robustness.scores import RobustnessScores
from trueness.studies.robustness.sensitivity import AROUND
from trueness.studies.robustness.summaries import (
    ALL,
    AROUND_K,
    SENSITIVE,
    STABLE,
    chosen_means,
    differences,
    means,
    optimism,
    plateaus,
)
from trueness.texts import counted

WHO = (Column("group", "Systems", "text"), Column("scorer", "Scorer", "text"))
_TELLS = " (mask tells the graph)"


def tables_at_k(study: RobustnessStudy) -> list[Table]:
    """In the order in which they are read."""
    evaluation = study.evaluation
    return [main_table(evaluation), choice_table(study), around_table(evaluation)]


def measure_without_k(asked: Sequence[str] | None) -> str:
    """The measure that was asked for; F1 and SHD stand in robustness/chosen.csv, at each K."""
    measure = (asked or ["auprc"])[0]
    if measure not in RANKING_MEASURES:
        nearest = did_you_mean(measure, RANKING_MEASURES) or f"There are {listed(RANKING_MEASURES)}."
        raise SettingError(f"{measure!r} is not a measure of a ranking without K. {nearest}")
    return measure


def ranking_table(study: RobustnessStudy, measure: str = "auprc") -> Table:
    """Scorers by corruptions; what was left out has a line too."""
    evaluation = study.evaluation
    rows = _wide_rows(means(evaluation, measure), lambda cell: cell["corruption"])
    for row in rows:
        row["failed"] = sum(
            answer.status != Status.OK
            for answer in evaluation.answers
            if (answer.scorer, evaluation.systems[answer.dataset].group) == (row["scorer"], row["group"])
        )
    columns = [_estimate_column(ALL, "All")]
    columns += [_estimate_column(name, f"{name}{_tells(evaluation, name)}") for name in evaluation.corruptions]
    graphs = [f"{group}: {counted(evaluation.n_graphs(group), 'graph')}" for group in evaluation.groups]
    seeds = 1 + max((answer.seed for answer in evaluation.answers), default=-1)
    caption = (
        f"Mean {measure.upper()} over ordered pairs, without any K; {evaluation.intervals()}. All: "
        f"over {', '.join(evaluation.claims)}. "
        f"{'; '.join(graphs)}; {counted(seeds, 'seed')} each."
    )
    all_columns = (*WHO, *columns, Column("failed", "Failed", "count"))
    title = f"{measure.upper()}: no K"
    return Table("robustness_ranking", all_columns, rows, caption, rule_before="group", title=title)


def main_table(evaluation: RobustnessScores) -> Table:
    """The original's: methods by corruptions, SHD and F1 of each at one frozen K."""
    frame = frozen_means(evaluation)
    columns = [
        _estimate_column(f"{name} {corruption}", f"{name} {corruption}{_tells(evaluation, corruption)}", places)
        for corruption in dict.fromkeys(frame["corruption"])
        for name, places in (("SHD", 1), ("F1", 2))
    ]
    rows = _wide_rows(frame, lambda cell: f"{FROZEN[cell['measure']]} {cell['corruption']}")
    caption = (
        f"SHD (fp + fn) and directed F1 at one K a graph, chosen by {evaluation.metric.upper()} of {evaluation.match} "
        f"on {evaluation.validation} (oracle: it saw the truth; the others are matched to it) and frozen; "
        f"{evaluation.intervals()}."
    )
    title = f"SHD and F1 at one K, frozen from {evaluation.validation} (oracle)"
    return Table("robustness_main", (*WHO, *columns), rows, caption, rule_before="group", title=title)


def choice_table(study: RobustnessStudy) -> Table:
    """F1 at each K, one line a scorer; columns of oracles say so."""
    evaluation, budget = study.evaluation, study.budget
    frame = chosen_means(evaluation)
    oracles = set(frame.loc[frame["oracle"], "method"])
    columns = [
        _estimate_column(name, f"{name} (oracle)" if name in oracles and "oracle" not in name else name)
        for name in _order_methods(frame["method"])
    ]
    caption = (
        f"Directed F1 at K edges, by how K was found; mean under {', '.join(evaluation.tests)}. {ORACLE} saw the truth "
        f"that it is scored against, on {evaluation.validation}; {OTHERS} the truths of other graphs there; the others "
        f"the rows alone, with the same budget for every scorer ({budget['subsamples']} half samples; "
        f"by refits: the first {counted(budget['k_seeds'], 'seed')} of each cell)."
    )
    rows = _wide_rows(frame, lambda cell: cell["method"])
    title = f"F1 at K, under {', '.join(evaluation.tests)}"
    return Table("robustness_k", (*WHO, *columns), rows, caption, rule_before="group", title=title)


def around_table(evaluation: RobustnessScores) -> Table:
    """The original's step 4 in a study: F1 at K - 5 ... K + 5 of each scorer where its K was chosen, and a verdict."""
    frame = plateaus(evaluation)
    frame = frame[(frame["method"] == ORACLE) & (frame["corruption"] == evaluation.validation)]
    columns = (
        *WHO,
        Column("k", "K", "count"),
        Column("value", "range of F1", "number", "low", "high", decimals=3),
        Column("verdict", "Verdict", "text"),
        *(Column(key, "K" if not step else f"{step:+d}", decimals=2) for step, key in AROUND_K.items()),
    )
    caption = (
        f"Directed F1 at {AROUND} edges fewer to {AROUND} more than K under {evaluation.validation}, K being each "
        f"scorer's {ORACLE} there (of several graphs the median; oracle: it saw the truth), and the range of F1: "
        f"below {STABLE:g} stable, to {SENSITIVE:g} moderate, above sensitive, where the whole interval allows a "
        f"verdict; {evaluation.intervals()}. Of every corruption: plateaus.csv."
    )
    steps = list(AROUND_K.values())
    return Table(
        "robustness_around_k", columns, plain_records(frame), caption, rule_before="group",
        title=f"F1 at K - {AROUND} ... K + {AROUND}, under {evaluation.validation} (oracle)",
        drop=[(steps[k], steps[-1 - k]) for k in range(AROUND)],  # the farthest from K go first
    )  # fmt: skip


def optimism_frame(evaluation: RobustnessScores) -> pd.DataFrame:
    """What the oracle gains, a scorer a line: where both K were chosen, and under the other corruptions."""
    return pd.DataFrame(
        {
            "under": evaluation.validation if chosen_on else ", ".join(evaluation.tests),
            "group": group, "scorer": scorer, "oracle": gap.means[0], "others": gap.means[1],
            "optimism": gap.difference, **interval_cells(gap.span), "p": gap.p, "p_holm": gap.p_adjusted,
            "graphs": gap.n_clusters,
        }
        for (chosen_on, group, scorer), gap in optimism(evaluation).items()
    )  # fmt: skip


def differences_frame(evaluation: RobustnessScores) -> pd.DataFrame:
    """Every pair of scorers, over corruptions and under each; Holm within a group and corruption."""
    return pd.DataFrame(
        [
            {"group": group, "corruption": corruption} | pair.row() | {"sentence": pair.sentence()}
            for corruption in (ALL, *evaluation.corruptions)
            for group, pairs in differences(evaluation, corruption).items()
            for pair in pairs
        ]
    )


def _wide_rows(frame: pd.DataFrame, key: Callable[[Mapping[Hashable, str]], str]) -> list[dict[str, object]]:
    """One row a group and scorer: the means of a long frame side by side, each under the key that is given to it."""
    rows = []
    for (group, scorer), cells in frame.groupby(["group", "scorer"], sort=False):
        row: dict[str, object] = {"group": group, "scorer": scorer}
        for cell in cells.to_dict("records"):
            name = key(cell)
            row |= {name: cell["value"]} | {f"{name} {end}": cell[end] for end in ("low", "high", "constant")}
        rows.append(row)
    return rows


def _estimate_column(key: str, title: str, decimals: int = 2) -> Column:
    return Column(key, title, "number", f"{key} low", f"{key} high", decimals=decimals)


def _tells(evaluation: RobustnessScores, corruption: str) -> str:
    return _TELLS if evaluation.corruptions[corruption].uses_graph else ""


def _order_methods(methods: Iterable[str]) -> list[str]:
    """The oracle first, then other graphs, what the rows say, and the matched ones."""
    names = list(dict.fromkeys(methods))
    rank = {ORACLE: 0, OTHERS: 1}
    return sorted(names, key=lambda name: (3 if name.startswith(MATCHED) else rank.get(name, 2), names.index(name)))
