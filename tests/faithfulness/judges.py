"""Judges without a model behind them."""

import json
import re
import threading
from zlib import crc32

import numpy as np

from trueness.models import Reply
from trueness.reading.verdicts import DIMENSIONS
from trueness.status import Status
from trueness.studies.faithfulness.reading import FaithfulnessReading


class Scripted:
    """Answers by a function of (kind, node, prompt, how often it was asked this)."""

    concurrency = 4
    offers_schema = True
    offers_logprobs = False

    def __init__(self, answer, name="mock/scripted"):
        self.answer, self.name = answer, name
        self.calls = 0
        self._times = {}
        self._lock = threading.Lock()

    def ask(self, messages, settings):
        prompt = messages[-1].content
        with self._lock:
            self.calls += 1
            time = self._times[prompt] = self._times.get(prompt, -1) + 1
        said = self.answer(kind_of(prompt), node_of(prompt), prompt, time)
        if isinstance(said, Status):
            return Reply("", said, "scripted", self.name)
        return Reply(said if isinstance(said, str) else json.dumps(said), Status.OK, model=self.name)

    def close(self):
        pass


class Computing:
    """Writes a graph and answers by a function of the numbers of the text."""

    name, concurrency, offers_schema, offers_logprobs = "mock/computing", 2, False, False

    def __init__(self, graph, answer, unit=""):
        self.graph, self.answer, self.unit = graph, answer, unit

    def ask(self, messages, settings):
        prompt = messages[-1].content
        text = prompt.split("Problem\n")[1]
        numbers = [float(number) for number in re.findall(r"(?<![\w^])\d+(?:\.\d+)?", text.split("\n\n")[0])]
        value = self.answer(*numbers)
        stated = {"answer": f"{value} {self.unit}" if self.unit else value}
        written = self.graph if "Write the graph" in prompt else {}
        return Reply(json.dumps(written | stated), Status.OK, model=self.name)

    def close(self):
        pass


def kind_of(prompt):
    if "What is the impact of do(" in prompt:
        return "intervention"
    if "does the chain hold?" in prompt:
        return "abduction"
    return "logic" if "Rate the reasoning." in prompt else "counterfactual"


def node_of(prompt):
    found = re.search(r"^(?:Node|Hidden): (.+)$", prompt, re.MULTILINE)
    return found[1] if found else ""


def verdict(kind, level):
    if kind == "intervention":
        return {"impact": level, "causal_path": "x", "reasoning": "r"}
    if kind == "abduction":
        return {"holds": level >= 2, "solutions": "unique", "value": None}
    return dict.fromkeys(DIMENSIONS, level)


def steady(name="mock/steady"):
    """The same rating to the same question, different ones to different questions."""
    return Scripted(lambda kind, node, prompt, time: verdict(kind, sum(map(ord, prompt)) % 5), name)


def random_judge(seed=0, name="mock/random"):
    """Draws by seed, question and time: the order in which threads ask does not matter."""

    def answer(kind, node, prompt, time):
        rng = np.random.default_rng([seed, crc32(prompt.encode()), time])
        if kind == "logic":
            return {dimension: int(rng.integers(5)) for dimension in DIMENSIONS}
        return verdict(kind, int(rng.integers(5)))

    return Scripted(answer, name)


def always_critical(name="mock/critical"):
    return Scripted(lambda kind, node, prompt, time: verdict(kind, 4), name)


def guide(kind, node, prompt, time):
    """The judge of the guide's example: 48 and 49 of 50 points, both abductions hold, logic .85."""
    if kind == "intervention":
        points = {"F": 48, "m": 49}[node]
        return {
            "impact_level": "high",
            "score": points,
            "causal_path": f"{node} → acceleration",
            "alternative_paths": "No",
        }
    if kind == "abduction":
        return {"holds": True, "reasoning": "Can infer it.", "inference_possible": True}
    return dict(zip(DIMENSIONS, (4, 4, 3, 3, 3), strict=True))


def reading_of(study, results=None):
    """The reading of a study that is made already."""
    made = FaithfulnessReading(results)
    vars(made)["answers"] = study
    return made
