"""All questions of a cell: to a judge about nodes, or to a model about its own graph and changed problems."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping

from trueness.models import Settings
from trueness.outside import Json
from trueness.reading.verdicts import Verdict
from trueness.running.cells import Cell, reply_key
from trueness.running.stage import Ask, Outcome
from trueness.status import Status
from trueness.studies.faithfulness.behaviour import questions_of_behaviour
from trueness.studies.faithfulness.own_graph import (
    GRAPH_KINDS,
    OwnGraph,
    question_of_formulas,
    read_own_graph,
    with_own_formulas,
)
from trueness.studies.faithfulness.probes import ProbeQuestion, verdict_of

EXCERPT = 70  # characters of an unreadable reply that the terminal shows


def perform(
    cell: Cell,
    repeat: int,
    ask: Ask,
    options: Mapping[str, Json],
    settings_of: Callable[[ProbeQuestion], Settings],
    changes: int,
) -> Outcome:
    """Ask all questions of a cell; the unit is ok where every one of them has a verdict."""
    model, problem, salt = cell.respondent, cell.common["problem"], f"repeat {repeat}"
    own: OwnGraph | None = None
    record: list[dict[str, object]] = [{**probe._asdict(), "reply": None} for probe in cell.common["left_out"]]
    replies, seconds, unread, message = [], 0.0, "", ""
    statuses: Counter[Status] = Counter()
    waiting = list(cell.common["questions"])
    while waiting:
        question = waiting.pop(0)
        settings = settings_of(question)
        reply = ask(model, question.messages, settings, salt)
        key = reply_key(model, options, question.messages, settings, salt)
        record.append({**question.probe._asdict(), "reply": key, "changed": question.changed})
        reading: OwnGraph | Verdict
        if question.probe.kind in GRAPH_KINDS:
            reading = own = read_own_graph(reply, problem) if own is None else with_own_formulas(own, reply, problem)
            further = question_of_formulas(own) if question.probe.kind == "own_graph" else None
            if further is not None:
                waiting = [further]
            elif own.problem is not None:
                waiting = questions_of_behaviour(own.problem, changes)
        else:
            further, reading = None, verdict_of(reply, problem, question.probe)
        replies.append(reply)
        seconds += reply.seconds
        if further is not None:  # a graph that waits for its formulas has no status yet
            continue
        statuses[reading.status] += 1
        if reading.status is not Status.OK and not message:
            message, unread = reading.message, " ".join(reply.text.split())[:EXCERPT]
    bad = [status for status, _ in statuses.most_common() if status is not Status.OK]
    costs = [reply.cost for reply in replies if reply.cost is not None]
    lost = sum(statuses[status] for status in bad)
    return {
        "status": str(bad[0] if bad else Status.OK),
        "message": f"{lost} of {len(replies)} questions without a verdict: {message}" if bad else "",
        "seconds": seconds,
        "answer": json.dumps({"replies": record}),
        "scores": {},
        "cost": sum(costs) if costs else None,
        "excerpt": unread,
    }
