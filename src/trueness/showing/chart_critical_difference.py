"""ranks: mean ranks over data sets, and who cannot be told from whom (a critical-difference chart).

    r_ij = rank of respondent j on data set i, 1 the best, ties averaged;   dot: R_j = mean_i r_ij;   ticks: the r_ij

Rows are sorted by R_j. A bar at the right joins a run of neighbours of which no pair is told apart by signed-rank
tests, adjusted by Holm (statistics/ranks.py).
Demsar (2006), "Statistical comparisons of classifiers over multiple data sets".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from trueness.outside import Json
from trueness.showing import theme
from trueness.showing.marks import named_data, row_axis, row_scale, text_width, with_data
from trueness.showing.saving import Figure
from trueness.statistics.ranks import Better, Ranking, rank
from trueness.statistics.reach import Reach
from trueness.statistics.result import p_text

if TYPE_CHECKING:
    import altair as alt

COLUMNS = ("kind", "respondent", "dataset", "rank", "score", "first", "last", "n", "procedure")
KEY = "dot: mean rank; ticks: single data sets; bars at the right: not told apart"
_BAR = 7.0  # points from one group's bar to the next


def ranks_frame(scores: pd.DataFrame, better: Better, ranking: Ranking) -> pd.DataFrame:
    """One row a mark. kind: `mean` (a respondent), `one` (its rank on one data set), `group` (first to last).

    scores: (data sets, respondents), of which rows with a missing score have no rank.
    """
    there = scores.dropna()
    rows: list[dict[str, Json]] = [
        {"kind": "mean", "respondent": name, "rank": value, "n": ranking.n}
        for name, value in zip(ranking.names, ranking.average_ranks, strict=True)
    ]
    ranks = there.rank(axis=1, ascending=better == "lower")
    for name in ranking.names:
        rows += [
            {"kind": "one", "respondent": name, "dataset": dataset, "rank": value, "score": there.at[dataset, name]}
            for dataset, value in ranks[name].items()
        ]
    rows += [{"kind": "group", "first": group[0], "last": group[-1], "n": ranking.n} for group in ranking.groups]
    return pd.DataFrame(rows, columns=list(COLUMNS)).assign(procedure="wilcoxon-holm")


def ranks_chart(
    frame: pd.DataFrame,
    colours: Mapping[str, str],
    labels: Mapping[str, str] | None = None,
    width: theme.Width = "column",
    title: str = "Mean ranks",
) -> alt.LayerChart | alt.FacetChart:
    import altair as alt

    names = list(frame.loc[frame["kind"] == "mean", "respondent"])
    labels = labels or theme.labels(names)
    row_labels = [labels[name] for name in names]
    place = {name: k for k, name in enumerate(names)}
    groups = frame[frame["kind"] == "group"]
    wide = theme.POINTS[width] - text_width(row_labels) - 50 - _BAR * len(groups)
    marks = frame[frame["kind"].isin(("mean", "one"))].copy()
    marks["row"] = marks["respondent"].map(place) + 0.5
    marks["colour"] = marks["respondent"].map(dict(colours))
    marks["text"] = [f"{value:.2f}" for value in marks["rank"].astype(float)]
    bars = pd.DataFrame({
        "from": groups["first"].map(place).astype(float) + 0.25, "to": groups["last"].map(place).astype(float) + 0.75,
        "x": [wide + 32 + _BAR * k for k in range(len(groups))],
    })  # fmt: skip
    scale = alt.Scale(domain=[0.7, max(len(names), 2) + 0.3], nice=False, zero=False)
    ticks = list(range(1, max(len(names), 2) + 1))
    x = alt.X("rank:Q", scale=scale, axis=alt.Axis(title="mean rank (1 is best)", values=ticks, format="d"))
    y = alt.Y("row:Q", scale=row_scale(len(names)), axis=row_axis(row_labels))
    bar_y = alt.Y("from:Q", scale=row_scale(len(names)), axis=row_axis(row_labels))
    base = alt.Chart(named_data("marks"))
    colour = alt.Color("colour:N", scale=None)
    one, mean = (base.transform_filter(f"datum.kind == '{kind}'") for kind in ("one", "mean"))
    layers: list[alt.Chart] = [
        one.mark_tick(thickness=1.2, size=7, opacity=0.35).encode(x=x, y=y, color=colour),
        mean.mark_point(size=34, filled=True, opacity=1).encode(x=x, y=y, color=colour),
        mean.mark_text(align="left", fontSize=6.5, color="#444444").encode(
            x=alt.value(wide + 5), y=y, text=alt.Text("text:N")
        ),
        alt.Chart(named_data("bars"))
        .mark_rule(strokeWidth=3, color="#525252")
        .encode(x=alt.X("x:Q", scale=None), y=bar_y, y2=alt.Y2("to:Q")),
    ]
    chart = alt.layer(*layers, width=wide, height=13 * max(len(names), 1))
    return with_data(theme.apply_theme(chart, title, KEY), {"marks": marks, "bars": bars})


def ranks(
    scores: pd.DataFrame,
    better: Better,
    what: str,
    references: Sequence[str] = (),
    respondents: Sequence[str] | None = None,
    level: float = 0.95,
    width: theme.Width = "column",
    name: str = "ranks",
) -> Figure:
    """scores: (data sets, respondents). respondents: all of the study, so that colours are those of other charts."""
    kept = with_enough(scores)
    if kept.shape[1] > 1:
        ranking = rank(kept.to_numpy(dtype=float), list(kept.columns), better, level)
    else:
        note = "Fewer than two respondents have scores, so none is ranked."
        ranking = Ranking((), (), len(kept), None, None, None, (), (), level, 0, (note,))
    frame = ranks_frame(kept, better, ranking)
    names = list(respondents or scores.columns)
    chart = ranks_chart(
        frame, theme.colours(names, references), theme.labels(names), width, f"Mean ranks by {what.partition(',')[0]}"
    )
    left_out = [str(name) for name in scores.columns if name not in kept.columns]
    return Figure(name, frame, chart, _caption(ranking, what, better, left_out))


def with_enough(scores: pd.DataFrame) -> pd.DataFrame:
    """Without those that miss more than half: a data set counts only where all who are ranked have a score."""
    return scores.loc[:, scores.notna().mean() > 0.5]


def _caption(ranking: Ranking, what: str, better: Better, left_out: Sequence[str]) -> str:
    k = len(ranking.names)
    test = f"Friedman's test (Iman-Davenport) {p_text(ranking.p)}" if ranking.p is not None else "no Friedman test"
    pairs = k * (k - 1) // 2
    parts = [
        f"Mean ranks of {k} respondents by {what} ({better} is better) over {ranking.n} data sets; ticks: the ranks on "
        f"single data sets. {test}. Bars at the right join those of which no pair is told apart by signed-rank tests, "
        f"Holm-adjusted, over {pairs} pairs at {100 * ranking.level:g} %."
    ]
    if pairs and ranking.n:
        reach = Reach(ranking.n, pairs, round(1 - ranking.level, 10))
        parts += [] if reach.possible else [str(reach).replace("units", "data sets")]
    if ranking.n_missing:
        parts.append(f"{ranking.n_missing} data sets with a missing score are left out.")
    if left_out:
        parts.append(f"Not ranked, for want of scores: {', '.join(left_out)}.")
    return " ".join([*parts, *ranking.notes])
