"""The tables of a robustness study, each with its caption: ranking, edges kept, optimism, differences.

Scorers stand in the order of the plan; groups (series, rows; known and assumed truths) are never averaged.
"""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from trueness.errors import SettingError, did_you_mean, listed
from trueness.measures.ranking import RANKING_MEASURES
from trueness.showing.saving import plain_records
from trueness.showing.tables import Column, Table
from trueness.statistics import Reach
from trueness.statistics.result import interval_cells
from trueness.status import Status
from trueness.studies.robustness.answers import RobustnessStudy
from trueness.studies.robustness.plateau import AROUND, SENSITIVE, STABLE
from trueness.studies.robustness.scores import ORACLE, OTHERS, RobustnessScores
from trueness.studies.robustness.summaries import (
    ALL,
    AROUND_K,
    chosen_means,
    differences,
    means,
    optimism,
    optimism_places,
    plateaus,
)

MATCHED = "matched to "


def ranking_table(study: RobustnessStudy, measure: str = "auprc") -> Table:
    """Scorers by corruptions; what was left out has a line too."""
    evaluation = study.evaluation
    frame = means(evaluation, measure)
    rows = []
    for (group, scorer), cells in frame.groupby(["group", "scorer"], sort=False):
        row: dict[str, object] = {"group": group, "scorer": scorer}
        for cell in cells.itertuples():
            row |= _wide(str(cell.corruption), cell)
        rows.append(row | {"failed": _n_failed(study, str(group), str(scorer))})
    columns = [Column("group", "Systems", "text"), Column("scorer", "Scorer", "text")]
    for name in (ALL, *evaluation.full_strength):
        title = (
            "All"
            if name == ALL
            else f"{name} (mask tells the graph)"
            if evaluation.corruptions[name].uses_graph
            else name
        )
        columns.append(Column(name, title, "number", f"{name} low", f"{name} high", decimals=2))
    columns.append(Column("failed", "Failed", "count"))
    caption = (
        f"Mean {measure.upper()} over ordered pairs, without any K; {evaluation.intervals()}. All: "
        f"over {', '.join(evaluation.claims)}. {_graphs(evaluation)}"
    )
    return Table(f"robustness_{measure}", tuple(columns), rows, caption, rule_before="group")


def choice_table(study: RobustnessStudy) -> Table:
    """F1 at each K, one line a scorer; columns of oracles say so."""
    evaluation = study.evaluation
    frame = chosen_means(evaluation)
    methods = _order_methods(frame["method"])
    rows = []
    for (group, scorer), cells in frame.groupby(["group", "scorer"], sort=False):
        row: dict[str, object] = {"group": group, "scorer": scorer}
        for cell in cells.itertuples():
            row |= _wide(str(cell.method), cell)
        rows.append(row)
    oracles = set(frame.loc[frame["oracle"], "method"])
    columns = [Column("group", "Systems", "text"), Column("scorer", "Scorer", "text")]
    for name in methods:
        title = f"{name} (oracle)" if name in oracles and "oracle" not in name else name
        columns.append(Column(name, title, "number", f"{name} low", f"{name} high", decimals=2))
    refits = study.budget["k_seeds"]
    caption = (
        f"Directed F1 at K edges, by how K was found; mean under {', '.join(evaluation.tests)}. {ORACLE} saw the truth "
        f"that it is scored against, on {evaluation.validation}; {OTHERS} the truths of other graphs there; the others "
        f"the rows alone, with the same budget for every scorer ({study.budget['subsamples']} half samples, "
        f"{study.budget['folds']} folds; by refits: the first {refits} seed{'s' if refits != 1 else ''} of each cell)."
    )
    return Table("robustness_k", tuple(columns), rows, caption, rule_before="group")


def around_table(study: RobustnessStudy) -> Table:
    """The original's step 4 in a study: F1 at K - 5 ... K + 5 of each scorer where its K was chosen, and a verdict."""
    evaluation = study.evaluation
    frame = plateaus(evaluation)
    frame = frame[(frame["method"] == ORACLE) & (frame["corruption"] == evaluation.validation)]
    columns = [Column("group", "Systems", "text"), Column("scorer", "Scorer", "text"), Column("k", "K", "count")]
    columns.append(Column("value", "range of F1", "number", "low", "high", decimals=3))
    columns.append(Column("verdict", "Verdict", "text"))
    columns += [Column(key, "K" if not step else f"{step:+d}", decimals=2) for step, key in AROUND_K.items()]
    caption = (
        f"Directed F1 at {AROUND} edges fewer to {AROUND} more than K under {evaluation.validation}, K being each "
        f"scorer's {ORACLE} there (of several graphs the median; oracle: it saw the truth), and the range of F1: "
        f"below {STABLE:g} stable, to {SENSITIVE:g} moderate, above sensitive, where the whole interval allows a "
        f"verdict; {evaluation.intervals()}. Of every corruption: plateaus.csv."
    )
    rows = plain_records(frame)
    return Table("robustness_around_k", tuple(columns), rows, caption, rule_before="group")


def optimism_table(study: RobustnessStudy) -> Table:
    """What the oracle gains, a scorer a line: where both K were chosen, and under the other corruptions."""
    evaluation, rows = study.evaluation, []
    for chosen_on in optimism_places(evaluation):
        under = evaluation.validation if chosen_on else ", ".join(evaluation.tests)
        for (group, scorer), gap in optimism(evaluation, chosen_on).items():
            row = {"under": under, "group": group, "scorer": scorer, "oracle": gap.means[0], "others": gap.means[1]}
            row |= {"optimism": gap.difference, **interval_cells(gap.span), "p": gap.p, "graphs": gap.n_clusters}
            row |= {"p_holm": gap.p_adjusted, "constant": gap.constant}
            rows.append(row)
    columns = (
        Column("under", "Under", "text"),
        Column("group", "Systems", "text"),
        Column("scorer", "Scorer", "text"),
        Column("oracle", f"F1 at {ORACLE} (oracle)", decimals=3),
        Column("others", f"F1 at {OTHERS}", decimals=3),
        Column("optimism", "Optimism", "number", "low", "high", decimals=3),
        Column("p", "p (sign-flip)", decimals=3),
        Column("p_holm", "p (Holm)", decimals=3),
        Column("graphs", "Graphs", "count"),
    )
    caption = (
        f"Optimism: directed F1 at {ORACLE} minus that at {OTHERS}, both chosen on {evaluation.validation}; there, and "
        "under the other corruptions; paired by graph, sign-flip intervals of the verdict by Holm over all scorers of "
        f"a place ({100 * evaluation.level:g} % alone where so few graphs bound nothing beyond)."
    )
    return Table("robustness_optimism", columns, rows, caption, rule_before="under")


def differences_frame(evaluation: RobustnessScores) -> pd.DataFrame:
    """Every pair of scorers, over corruptions and under each; Holm within a group and corruption."""
    rows = []
    for corruption in (ALL, *evaluation.full_strength):
        for group, pairs in differences(evaluation, corruption).items():
            rows += [
                {"group": group, "corruption": corruption} | pair.row() | {"sentence": pair.sentence()}
                for pair in pairs
            ]
    return pd.DataFrame(rows)


def summary_rows(study: RobustnessStudy, measure: str = "auprc") -> list[dict[str, object]]:
    """One row a group, corruption and scorer, for --json."""
    return plain_records(means(study.evaluation, measure))


def checked_measure(name: str) -> str:
    """A measure that needs no K; F1 and SHD stand in robustness/chosen.csv, at each K."""
    if name not in RANKING_MEASURES:
        nearest = did_you_mean(name, RANKING_MEASURES) or f"There are {listed(RANKING_MEASURES)}."
        raise SettingError(f"{name!r} is not a measure of a ranking without K. {nearest}")
    return name


def open_sentences(study: RobustnessStudy) -> list[str]:
    """What the study cannot tell: its own notes, how small a p so few graphs allow, and where nobody looked."""
    evaluation, sentences = study.evaluation, list(study.notes)
    pairs = len(evaluation.scorers_compared) * (len(evaluation.scorers_compared) - 1) // 2
    for group in evaluation.groups:
        graphs = sum(system.group == group for system in evaluation.systems.values())
        sentences.append(f"{group.capitalize()}: {Reach(graphs, max(pairs, 1))}")
    sentences.append(
        "Corruptions were applied at the strengths of the plan: nothing is known between or beyond them, nor of others."
    )
    return sentences


def _wide(name: str, cell: object) -> dict[str, object]:
    """A mean of a long frame as cells of a wide row."""
    return {name: getattr(cell, "value", None)} | {
        f"{name} {end}": getattr(cell, end, None) for end in ("low", "high", "constant")
    }


def _order_methods(methods: Iterable[str]) -> list[str]:
    """The oracle first, then other graphs, what the rows say, and the matched ones."""
    names = list(dict.fromkeys(methods))
    rank = {ORACLE: 0, OTHERS: 1}
    return sorted(names, key=lambda name: (3 if name.startswith(MATCHED) else rank.get(name, 2), names.index(name)))


def _n_failed(study: RobustnessStudy, group: str, scorer: str) -> int:
    return sum(
        answer.status != Status.OK
        for answer in study.evaluation.answers
        if answer.scorer == scorer and study.evaluation.systems[answer.dataset].group == group
    )


def _graphs(evaluation: RobustnessScores) -> str:
    counts = {group: sum(s.group == group for s in evaluation.systems.values()) for group in evaluation.groups}
    seeds = 1 + max((answer.seed for answer in evaluation.answers), default=-1)
    graphs = "; ".join(f"{group}: {n} graph{'s' if n != 1 else ''}" for group, n in counts.items())
    return f"{graphs}; {seeds} seed{'s' if seeds != 1 else ''} each."
