"""What the terminal shows of a population study: a line a respondent and mode, tasks by respondents, the notes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rich.padding import Padding

from trueness.intervals import fixed, value_text
from trueness.outside import Json
from trueness.showing import theme
from trueness.showing.console import Console, plain
from trueness.showing.sheet import Sheet, changes, left_out, one_by_one, print_table
from trueness.status import Status
from trueness.studies.population.answers import Populations
from trueness.studies.population.files import notes
from trueness.studies.population.tables import left_out_sentences, summary_rows, task_table
from trueness.texts import counted

TROUBLE = (Status.REFUSED, Status.UNREADABLE, Status.TRUNCATED, Status.FAILED, Status.TIMED_OUT)
WIDE_TABLE = 7  # columns of respondents that a terminal holds


def print_populations(out: Console, populations: Populations, tasks: bool = True) -> None:
    names = theme.labels((*populations.models, *populations.references), longest=26)
    rows = [
        row | {"name": names[row["respondent"]], "in_part": _in_part(populations, row)}
        for row in summary_rows(populations)
    ]
    sources = counted(len({truth.question.source for truth in populations.truths.values()}), "source")
    lost = ", ".join(f"{status} {n:,}" for status in TROUBLE if (n := sum(row[str(status)] for row in rows)))
    out.print(
        f"[bold]population[/]   {counted(len(populations.truths), 'task')} from {sources}, "
        f"{sum(row[str(Status.OK)] for row in rows):,} of {sum(row['replies'] for row in rows):,} replies read"
        f"{f' ({lost})' if lost else ''}"
    )
    first = left_out_sentences(populations)
    for line in first:
        out.print(Padding(plain(line), (0, 0, 0, 2)))
    sheet = Sheet(
        {title: [cell(row) for row in rows] for title, cell in CELLS.items()}, one_by_one(DROPPED_FIRST),
        right=("answered", "mass"), starts=changes([row["kind"] for row in rows]), folds=("not read",),
    )  # fmt: skip
    sheet.print(out)
    if tasks:
        _print_tasks(out, populations)
    lines = [
        "score: 100 cannot be told from the truth, 0 no better than uniform; the mean over informative tasks.  skill: "
        "1 - distance / distance of the baseline, below 0 is worse.  mass: probability on option letters.",
        "Intervals are 95 %, over sources (clustered); 'these sources': over tasks; none where the value is the same "
        "in every task (constant).  Modes are not averaged.",
        *left_out(sheet.missing(out.width), "population/main.csv"),
        *(line for line in notes(populations) if line not in first),
    ]
    for line in lines:
        out.print(Padding(plain(line), (0, 0, 0, 2)), style="dim")


def _print_tasks(out: Console, populations: Populations) -> None:
    by_task = task_table(populations)
    if len(by_task.columns) - 2 > WIDE_TABLE:
        return  # in population/table.csv
    print_table(out, "score by task", by_task, place="population/table.csv")


def _in_part(populations: Populations, row: Mapping[str, Json]) -> str:
    """Of how many conditions, where a task counts as answered although some of its conditions are not."""
    theirs = [s for s in populations.scores if (s.respondent, s.mode) == (row["respondent"], row["mode"])]
    statuses = [status for score in theirs if score.status == Status.OK for status in score.statuses.values()]
    answered = statuses.count(Status.OK)
    return "" if answered == len(statuses) else f" ({answered} of {len(statuses)} conditions)"


def _mode(row: Mapping[str, Json]) -> str:
    return f"{row['mode']} by {row['fell_back']}" if row["fell_back"] else str(row["mode"])


def _value(row: Mapping[str, Json], name: str, places: int) -> str:
    if row[name] is None:
        return "-"
    if abs(row[name]) >= 10:
        places = 0
    ends = row[f"{name}_low"], row[f"{name}_high"]
    return value_text(row[name], ends, fixed(places), bool(row.get(f"{name}_constant")))


def _score(row: Mapping[str, Json]) -> str:
    """The mean score, and of how many tasks where not all are informative."""
    if row["score"] is None:
        return "uninformative" if row["answered"] else "-"
    part = "" if row["informative"] == row["answered"] else f" ({row['informative']} of {row['answered']} tasks)"
    return _value(row, "score", 0) + part


def _not_read(row: Mapping[str, Json]) -> str:
    return ", ".join(f"{status} {row[str(status)]:,}" for status in TROUBLE if row[str(status)])


CELLS: dict[str, Callable[[Mapping[str, Json]], str]] = {
    "respondent": lambda row: str(row["name"]),
    "mode": _mode,
    "answered": lambda row: f"{row['answered']} / {row['tasks']}{row['in_part']}",
    "score": _score,
    "these sources": lambda row: "-" if row["score_given"] is None else _value(row, "score_given", 0),
    "skill uniform": lambda row: _value(row, "skill_uniform", 2),
    "skill marginal": lambda row: _value(row, "skill_marginal", 2),
    "TV": lambda row: _value(row, "tv", 2),
    "mass": lambda row: "-" if row["mass"] is None else f"{100 * row['mass']:.0f} %",
    "not read": _not_read,
}
DROPPED_FIRST = ("TV", "skill uniform", "mass", "these sources", "skill marginal")  # where it is narrow
