"""One question to a model before a long run: what was asked, the raw reply, and what was read from it.

The question is a forecast (PC on asia, told directly), so that connection, format and reader are all tried at once.
Edge cases (`check MODEL --edge-cases`) are three more, whose right answer nobody has to measure:

    empty data     0 rows: no claim, since nothing can be learned
    one column     no pair of variables: an SHD of 0, or no claim of it
    perfect data   the exact distribution, every assumption met: ranges that hold 1, and an SHD of 0
"""

from __future__ import annotations

from trueness import models, texts
from trueness.datasets import load
from trueness.learners import build
from trueness.models import Message, Settings
from trueness.outside import Json
from trueness.reading.expected import MEASURES, Reading
from trueness.studies.forecast.answers import read_reply
from trueness.studies.forecast.prompting import LINES, PLACEHOLDERS, messages, schema, template

ARMS = {"formulation": "direct", "names": "named", "metadata": "full", "definition": "told", "target": "run"}


_ROWS = {
    "empty data": "Rows: 0",
    "one column": "Rows: 1,000",
    "perfect data": "Rows: the exact joint distribution, without sampling error; all that the algorithm assumes holds",
}


def edge_question(case: str) -> list[Message]:
    """The direct question, about data on which the answer is known beforehand."""
    made = template("direct")
    variables = "Variables (1): X1" if case == "one column" else "Variables (4): X1, X2, X3, X4"
    values = dict.fromkeys(PLACEHOLDERS, "") | {"dataset": f"Name: not told\n{variables}\n{_ROWS[case]}", "runs": "100"}
    return made.fill(values | {"learner": "Name: PC", "format": LINES})


def judge_edge_case(case: str, reading: Reading) -> str:
    """passed, FAILED with what was claimed, or not checked (no readable answer where one is due)."""
    claims = {name: value for name, value in reading.values.items() if value is not None}
    shown = ", ".join(f"{name} [{value.low:g}, {value.high:g}]" for name, value in claims.items())
    if case == "empty data":
        return f"FAILED: claims {shown} of no data" if claims else "passed: claims nothing"
    if case == "one column":
        wrong = "shd" in claims and claims["shd"].high > 0
        return f"FAILED: claims {shown} where no pair is" if wrong else "passed: no wrong pair is claimed"
    if len(claims) < len(MEASURES):
        return f"not checked: {reading.status}, {shown or 'no range'}"
    held = all(value.low <= (0 if name == "shd" else 1) <= value.high for name, value in claims.items())
    return f"passed: {shown}" if held else f"FAILED: {shown} leave out the perfect result"


def probe(name: str, edge_cases: bool = False) -> dict[str, Json]:
    """Ask one question of the model (four with the edge cases) and say everything that came of it."""
    model = models.build(name)
    dataset = load("asia")
    made, rows = template("direct"), dataset.about.rows
    question = messages(made, ARMS, dataset, build("pc"), rows, "redraw", 100, structured=model.offers_schema)
    settings = Settings(max_tokens=256, schema=schema("direct") if model.offers_schema else None)
    try:
        reply = model.ask(question, settings)
        free = Settings(max_tokens=256)
        edges = {case: model.ask(edge_question(case), free) for case in (_ROWS if edge_cases else ())}
    finally:
        model.close()
    reading = read_reply(reply, len(dataset.truth))
    report = {
        "model": name,
        "status": str(reading.status),
        "message": reply.message or reading.message,
        "answered by": reply.answered_as or reply.model,
        "seconds": round(reply.seconds, 2),
        "tokens": f"{reply.input_tokens} in, {reply.output_tokens} out",
        "usd": reply.cost,
        "settings": {key: str(value) for key, value in reply.settings.items() if key != "schema"},
        "asked": "\n".join(message.content for message in question),
        "reply": reply.text,
        "read": {key: str(value) for key, value in reading.to_dict().items()},
    }
    for case, answer in edges.items():
        report[f"edge case: {case}"] = f"{judge_edge_case(case, read_reply(answer, 4))}  ({answer.text!r:.80})"
    return {key: texts.arriving_values(value) for key, value in report.items()}
