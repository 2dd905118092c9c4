"""One question to a model before a long run: what was asked, the raw reply, and what was read from it.

The question is a forecast (PC on asia, told directly), so that connection, format and reader are all tried at once.
"""

from __future__ import annotations

from typing import Any

from trueness import models, texts
from trueness.datasets import load
from trueness.learners import build
from trueness.models import Settings
from trueness.studies.forecast.prompting import messages, schema, template
from trueness.studies.forecast.work import read_reply

ARMS = {"formulation": "direct", "names": "named", "metadata": "full", "definition": "told", "target": "run"}


def probe(name: str) -> dict[str, Any]:
    """Ask one question of the model and say everything that came of it."""
    model = models.build(name)
    dataset = load("asia")
    made, rows = template("direct"), dataset.about.rows
    asked = messages(made, ARMS, dataset, build("pc"), rows, "redraw", 100, structured=model.offers_schema)
    settings = Settings(max_tokens=256, schema=schema("direct") if model.offers_schema else None)
    try:
        reply = model.ask(asked, settings)
    finally:
        model.close()
    reading = read_reply(reply, len(dataset.truth))
    found = {
        "model": name,
        "status": str(reading.status),
        "message": reply.message or reading.message,
        "answered by": reply.answered_as or reply.model,
        "seconds": round(reply.seconds, 2),
        "tokens": f"{reply.input_tokens} in, {reply.output_tokens} out",
        "usd": reply.cost,
        "settings": {key: str(value) for key, value in reply.settings.items() if key != "schema"},
        "asked": "\n".join(message.content for message in asked),
        "reply": reply.text,
        "read": {key: str(value) for key, value in reading.to_dict().items()},
    }
    return {key: texts.arriving_values(value) for key, value in found.items()}
