"""Learners as ranked, and edges with their odds."""

from __future__ import annotations

import pandas as pd

from trueness.showing.tables import Column, Table
from trueness.studies.learn.scores import LIKELY, LearnedEdge, LearnScores, ends, percent


def ranking_table(learned: LearnScores) -> Table:
    rows = []
    for name, value in learned.ranking:
        row = {"learner": name, "class": learned.about["classes"].get(name)}
        if learned.depends:
            rows.append(row)
            continue
        row |= {"f1": value.value, **ends(value)}
        expected = learned.expected("f1", name)
        row |= {} if expected is None else {"one": expected.mean, "one_low": expected.low, "one_high": expected.high}
        rival = next((one for one in learned.rivals if one.learner == name), None)
        row["verdict"] = "first" if rival is None else "worse" if rival.told_apart else "not told apart"
        rows.append(row)
    names = (Column("learner", "learner", "text"), Column("class", "class", "text"))
    if learned.depends:
        return Table("learners", names, rows, "Learners; no F1 is promised, as the table's rows depend on each other.")
    columns = (
        *names,
        Column("f1", "F1 expected [CI]", low="low", high="high"),  # `verdict` tells apart, no bold
        Column("one", "of one table [90 %]", low="one_low", high="one_high"),
        Column("verdict", "against the first", "text"),
    )
    return Table(
        "learners",
        columns,
        rows,
        "Learners on twins of the table: mean F1, as such promises have been kept, with its CI over twins.",
    )


def edges_frame(learned: LearnScores) -> pd.DataFrame:
    """Every pair, unrounded: source, mark, target, present, onward, share, confounded."""
    rows = [{"source": edge.source, "mark": edge.mark} | edge._asdict() for edge in learned.edges]
    return pd.DataFrame(rows, columns=["source", "mark", *LearnedEdge._fields[1:]])


def edges_table(learned: LearnScores, least: float = LIKELY) -> Table:
    rows = [
        {"edge": f"{edge.source} {edge.mark} {edge.target}", "odds": percent(edge.present), "way": percent(edge.onward)}
        | edge._asdict()
        for edge in learned.edges
        if edge.present >= least
    ]
    columns: tuple[Column, ...] = (
        Column("edge", "edge", "text"),
        Column("odds", "odds", "text"),
        Column("way", "this way", "text"),
        Column("share", "share of graphs", decimals=2),
    )
    if any(row["confounded"] is not None for row in rows):
        columns = (*columns, Column("confounded", "hidden cause", decimals=2))
    return Table(
        "edges", columns, rows, "Edges with their odds, calibrated on twins; `this way` given that there is one."
    )
