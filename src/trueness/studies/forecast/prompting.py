"""The words of a forecast question: a template, a data set's card, a learner's card, and the arms.

A template (prompts/*.md) has three parts: its version, what all questions of a formulation share, and what is asked.
The shared part goes first, then the data set, then the learner, so that models with a prompt cache evaluate a prefix
once. Cards are the only source of what is shown. The templates original-* are the original protocol's, word for word:
one message, nothing more told than there, so metadata, definition, target and the JSON form play no part in them. A
user's own wording (a .md or .txt file) is such a template too, with the same PLACEHOLDERS. Arms:

    names       named | anonymised (X1, X2, ...) | renamed (other words): does a famous name carry the answer?
    metadata    sparse (what the original protocol tells) | diagnostic (what decides how learners do) | full
    definition  told | untold: how the measures are defined
    target      run | mean: what the range is to hold
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from trueness.datasets import Dataset
from trueness.errors import PlanError, did_you_mean, listed
from trueness.learners import Learner, settings_of
from trueness.models import Message
from trueness.running.cells import hash_of

FEW_TOKENS = 512  # of a reply, at or below which its reasoning is limited
RANGES_TOKENS = 130  # that the four ranges take, generously

_CLASSES = {"dag": "a DAG", "cpdag": "a CPDAG (edges that cannot be told apart stay undirected)", "pag": "a PAG"}
_VARIES = {
    "redraw": "drawn afresh from the known model for every run",
    "bootstrap": "drawn with replacement from one sample for every run",
    "permute": "the same rows in every run, with the columns in another order",
    "seed": "the same rows in every run",
}
_DEFINITION = """\
How a learned graph is scored: it is compared with the true graph in the class that the algorithm returns (DAG, CPDAG \
or PAG). An edge is right when both its ends are. Precision: right edges among the learned ones. Recall: right edges \
among the true ones. F1: their harmonic mean. SHD: the number of pairs of variables whose edge is missing, extra, \
reversed or has a wrong mark."""
_TARGET = {
    "run": "Each range is to hold the result of a single run.",
    "mean": "Each range is to hold the mean over all runs.",
}
_INTERVAL = {
    "run": "the 95 % interval of a single run",
    "mean": "the 95 % confidence interval of the mean over the runs",
}
LINES = """\
End with four lines and nothing after them: the name of the measure, a colon, and its range as [lower, upper]. \
Precision, recall and F1 lie between 0 and 1; SHD is a number of edges."""
_JSON = """\
Answer with one JSON object and nothing else{first}: the keys precision, recall, f1 and shd, each an object with low \
and high. Precision, recall and F1 lie between 0 and 1; SHD is a number of edges."""
_JSON_QUANTILES = """\
Answer with one JSON object and nothing else: the keys precision, recall, f1 and shd, each an object with median (a \
number) and 50, 80 and 95 (objects with low and high). Precision, recall and F1 lie between 0 and 1; SHD is a number \
of edges."""
_LINES_QUANTILES = """\
End with a table of four rows (precision, recall, F1, SHD) and the columns median, 50 %, 80 % and 95 %, intervals as \
[lower, upper]. Precision, recall and F1 lie between 0 and 1; SHD is a number of edges."""


PLACEHOLDERS = (
    "dataset_name", "domain", "n_nodes", "n_samples", "algorithm_name", "assumptions", "dataset", "learner", "runs",
    "definition", "target", "interval", "format",
)  # fmt: skip
_PLACE = re.compile(r"\{(\w+)\}")
_MEANT = re.compile(r"\{([\w .-]{0,40})\}")  # {n nodes} and {} are mistakes; {"precision": [low, high]} is a form
_LATER = ("no selection bias",)  # came to the cards last: our wordings stay, so that no stored reply is asked again


@dataclass(frozen=True)
class Template:
    name: str
    version: str
    shared: str
    question: str

    def fill(self, values: Mapping[str, str]) -> list[Message]:
        """A system message that a formulation's cells share, where there is one, then the cell's own."""
        shared, question = (_PLACE.sub(lambda place: values[place[1]], part) for part in (self.shared, self.question))
        system = [Message("system", shared.replace("\n\n", "\n"))] if shared else []
        return [*system, Message("user", question)]

    @property
    def has_form(self) -> bool:
        """Whether it tells the form of an answer, to which a model may then be held."""
        return "{format}" in self.shared + self.question

    @property
    def hash(self) -> str:
        return hash_of(f"{self.shared}\n---\n{self.question}")


@cache
def template(formulation: str) -> Template:
    text = _prompt_file(f"{formulation}.md")
    version, shared, question = (part.strip() for part in re.split(r"^---\n", text, flags=re.M))
    return Template(formulation, version.removeprefix("version:").strip(), shared, question)


def own_template(name: str, text: str, place: str) -> Template:
    """A user's wording as one message; a {word} in it must be a placeholder, so that none is asked unfilled."""
    for word in _MEANT.findall(text):
        if word not in PLACEHOLDERS:
            raise PlanError(
                f"a placeholder of {name} must be of {listed(PLACEHOLDERS, 20)}, got {{{word}}}. "
                f"{did_you_mean(word, PLACEHOLDERS)}  ({place})"
            )
    return Template(Path(name).stem, "own", "", text.strip())


@cache
def _prompt_file(name: str) -> str:
    return (resources.files("trueness.studies.forecast") / "prompts" / name).read_text(encoding="utf-8")


def messages(
    made: Template,
    arms: Mapping[str, str],
    dataset: Dataset,
    learner: Learner,
    rows: int,
    vary: str,
    runs: int,
    structured: bool,
    codes: bool = False,
) -> list[Message]:
    """The question of one cell. `codes`: the learner needs numbers and is given the level codes of categories."""
    about, card = dataset.about, learner.card
    named = arms["names"] == "named"
    ours = made.version != "own" and not made.name.startswith("original-")
    assumes = [name for name in card.assumes if not (ours and name in _LATER)]
    all_assumed = ", ".join(assumes) or "nothing that its card names"
    values = {
        "dataset_name": about.title if named else "not told",
        "domain": about.domain if named else "not told",
        "n_nodes": str(len(dataset.truth)),
        "n_samples": str(rows),
        "algorithm_name": card.title,
        "assumptions": f"Assumes: {all_assumed}" if ours else all_assumed,
        "dataset": dataset_text(dataset, arms["names"], arms["metadata"], rows, vary),
        "learner": learner_text(learner, arms["metadata"], codes),
        "runs": str(runs),
        "definition": _DEFINITION if arms["definition"] == "told" else "",
        "target": _TARGET[arms["target"]],
        "interval": _INTERVAL[arms["target"]],
        "format": _format(arms["formulation"], structured),
    }
    return made.fill(values)


def schema(formulation: str, max_tokens: int = 1024, target: str = "run") -> dict[str, object]:
    """The JSON schema of an answer, for models that can be held to one.

    Where few tokens are allowed the reasoning is kept short, so that it does not cut off the ranges behind it.
    """
    measures = {name: _ranges(formulation, "number") for name in ("precision", "recall", "f1")}
    measures["shd"] = _ranges(formulation, "integer" if target == "run" else "number")  # edges are counted
    if formulation != "steps":
        return _object(measures)
    reasoning: dict[str, object] = {"type": "string"}
    if max_tokens <= FEW_TOKENS:
        reasoning["maxLength"] = max(10, max_tokens - RANGES_TOKENS)  # even at one character a token
    return _object({"reasoning": reasoning} | measures)


def _ranges(formulation: str, kind: str) -> dict[str, object]:
    interval = _object({"low": {"type": kind}, "high": {"type": kind}})
    if formulation != "quantiles":
        return interval
    return _object({"median": {"type": kind}, "50": interval, "80": interval, "95": interval})


def _object(properties: Mapping[str, object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _format(formulation: str, structured: bool) -> str:
    if formulation == "quantiles":
        return _JSON_QUANTILES if structured else _LINES_QUANTILES
    if not structured:
        return LINES
    return _JSON.format(first=", with the key reasoning (text) first" if formulation == "steps" else "")


def dataset_text(dataset: Dataset, names: str, metadata: str, rows: int, vary: str) -> str:
    """What a model is told of a data set: lines of its card."""
    about, nodes = dataset.about, list(dataset.truth.nodes)
    named = names == "named"
    shown = dict(zip(nodes, variable_names(nodes, names), strict=True))
    meanings = named and metadata == "full" and about.domain != "simulation"
    variables = [
        f"{shown[node]}: {about.variables[node]}" if meanings and about.variables.get(node) else shown[node]
        for node in nodes
    ]
    lines = [
        f"Name: {about.title if named else 'not told'}",
        f"Domain: {about.domain if named else 'not told'}",
        f"Variables ({len(nodes)}): {('; ' if meanings else ', ').join(variables)}",
        f"Rows: {rows:,}",
    ]
    if metadata != "sparse":
        known = ", ".join(about.properties) or "nothing is known of the mechanism"
        lines += [
            f"Kind of data: {about.data}",
            f"Mechanism: {known}",
            f"Rows are {_VARIES[vary]}",
            f"Edges of the true graph: {dataset.truth.n_edges()} ({about.truth})",
        ]
    if metadata == "full" and named:
        lines.append(f"About: {about.summary}")
    return "\n".join(lines)


def variable_names(nodes: list[str], names: str) -> list[str]:
    if names == "named":
        return nodes
    if names == "anonymised":
        return [f"X{j + 1}" for j in range(len(nodes))]
    words = _prompt_file("words.txt").split()
    if len(nodes) > len(words):
        raise PlanError(f"'renamed' has words for {len(words)} variables, got {len(nodes)}. Use 'anonymised'.")
    return words[: len(nodes)]


def learner_text(learner: Learner, metadata: str, codes: bool = False) -> str:
    card = learner.card
    lines = [f"Name: {card.title}", f"Returns: {_CLASSES.get(card.returns, card.returns)}"]
    if codes and metadata != "sparse":
        lines.append("Data as it gets them: categories as whole numbers 0, 1, 2, ...")
    if metadata == "full":
        settings = ", ".join(f"{name} = {value}" for name, value in settings_of(learner).items() if _plain(value))
        lines += [f"Settings: {settings or 'none'}"]
    return "\n".join(lines)


def _plain(value: object) -> bool:
    return isinstance(value, str | int | float | bool)
