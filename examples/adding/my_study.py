"""Directions: which way does an edge point? A study of your own, complete.

For every true edge x -> y of a data set a model chooses between "x causes y" and "y causes x". Which stands first
alternates between repeats, so that a model with a favourite letter has accuracy .5 (after Kiciman et al. 2023).
"""

from dataclasses import dataclass

from trueness import Dataset, load
from trueness.extend import Cell, Measure, Message, PlanError, Settings, Status, reply_key

ASKED = "Which is more likely?\nA: {0} causes {1}.\nB: {1} causes {0}.\nAnswer with one letter, A or B."
SETTINGS = Settings(temperature=0.0, max_tokens=4)


@dataclass(frozen=True)
class Directions:
    """Its table of a plan: datasets = [...], models = [...], repeats = 2."""

    datasets: dict[str, Dataset]
    models: dict[str, dict]  # name -> options, from the plan's [models.NAME]
    repeats: int

    name, level, limit_usd = "directions", 0.95, None
    measures = headline = (Measure("accuracy", better="higher", description="share of edges turned the right way"),)

    @classmethod
    def from_plan(cls, table, context):
        if not {"datasets", "models"} <= table.keys() <= {"datasets", "models", "repeats"}:
            raise PlanError(f"directions takes datasets, models and repeats, got {list(table)}.  ({context.file})")
        options = context.settings.get("models", {})
        datasets = {name: load(name, folder=context.folder) for name in table["datasets"]}
        return cls(datasets, {name: options.get(name, {}) for name in table["models"]}, table.get("repeats", 2))

    def cells(self):
        """One cell is one model on one edge."""
        edges = [(name, edge) for name, data in self.datasets.items() for edge in data.truth.edges]
        return [self._cell(model, f"{name}/{edge}", edge) for model in self.models for name, edge in edges]

    def _cell(self, model, item, edge):
        """`identity` is all that decides the answers; `messages` and `settings` are what `trueness plan` counts."""
        prompts = [[Message("user", ASKED.format(*way))] for way in (edge[:2], edge[1::-1])]
        identity = {"item": item, "asked": reply_key(model, self.models[model], prompts[0], SETTINGS, "")}
        common = {"prompts": prompts, "messages": prompts[0], "settings": SETTINGS}
        return Cell(item, "pair", model, self.repeats, common, identity)

    def perform(self, cell, repeat, ask):
        """Ask and score one repeat. `ask` gives a stored reply where there is one; a status is never a number."""
        reply = ask(cell.respondent, cell.common["prompts"][repeat % 2], SETTINGS, f"repeat {repeat}")
        letter = reply.text.strip().rstrip(".").upper()
        status = Status.UNREADABLE if reply.status == Status.OK and letter not in ("A", "B") else reply.status
        scores = {"accuracy": (float(letter == "AB"[repeat % 2]), "ok")} if status == Status.OK else {}
        found = {"status": str(status), "message": reply.message, "seconds": reply.seconds, "answer": letter}
        return found | {"scores": scores, "cost": reply.cost, "excerpt": reply.text[:70]}

    def describe(self, item, respondent):
        return {}  # what a reader should know of a cell
