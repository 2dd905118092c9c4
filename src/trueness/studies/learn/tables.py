"""Learners as ranked, and edges with their odds."""

from __future__ import annotations

from trueness.showing.tables import Column, Table
from trueness.studies.learn.scores import LIKELY, LearnScores


def ranking_table(learned: LearnScores) -> Table:
    rows = []
    for name, value in learned.ranking:
        ends = value.interval
        row = {"learner": name, "class": learned.about["classes"].get(name), "f1": value.value}
        row |= {} if ends is None else {"low": ends.low, "high": ends.high}
        expected = learned.expected("f1", name)
        row |= {} if expected is None else {"one": expected.mean, "one_low": expected.low, "one_high": expected.high}
        pair = next((pair for pair in learned.pairs if pair.names[1] == name), None)
        row["verdict"] = "best" if pair is None else "worse" if pair.distinguishable else "not told apart"
        rows.append(row)
    columns = (
        Column("learner", "learner", "text"),
        Column("class", "class", "text"),
        Column("f1", "F1 over twins [CI]", low="low", high="high", better="higher"),
        Column("one", "F1 of one table [90 %]", low="one_low", high="one_high"),
        Column("verdict", "against the best", "text"),
    )
    return Table("learners", columns, rows, "Learners on twins of the table: mean F1 with its CI over twins.")


def edges_table(learned: LearnScores, least: float = LIKELY) -> Table:
    rows = [
        {
            "edge": f"{edge.source} {edge.mark} {edge.target}",
            "present": edge.present,
            "onward": edge.onward,
            "share": edge.share,
            "confounded": edge.confounded,
        }
        for edge in learned.edges
        if edge.present >= least
    ]
    columns = (
        Column("edge", "edge", "text"),
        Column("present", "odds", decimals=2),
        Column("onward", "this way", decimals=2),
        Column("share", "share of graphs", decimals=2),
        Column("confounded", "hidden cause", decimals=2),
    )
    return Table(
        "edges", columns, rows, "Edges with their odds, calibrated on twins; `this way` given that there is one."
    )
