"""What a call costs: list prices in US dollars per million tokens.

    cost = (input_tokens * input + output_tokens * output) / 1e6

The prices stand in prices.toml with the date they were noted; a plan may override them. A price that is not known
is None, never 0. Models that run on this machine cost 0. Discounts for cached prompts are not counted: the cost is
the upper end, so that a budget is kept.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from trueness.errors import SettingError
from trueness.outside import Json

LOCAL = ("embedded", "mock", "ollama", "vllm")  # providers whose models run on the user's own machines
_SNAPSHOT = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$")  # gpt-4o-2024-08-06 costs what gpt-4o costs


@dataclass(frozen=True)
class Price:
    """US dollars per million tokens, as noted on a day."""

    input: float
    output: float
    as_of: str = ""

    def cost(self, input_tokens: int | None, output_tokens: int | None) -> float | None:
        """The price of a call; None where the provider did not say how many tokens it counted."""
        if self.input == self.output == 0:
            return 0.0
        if input_tokens is None or output_tokens is None:
            return None
        return (input_tokens * self.input + output_tokens * self.output) / 1e6


def price(name: str) -> Price | None:
    """The list price of a model, or None where it is not known."""
    if name.split("/")[0] in LOCAL:
        return Price(0.0, 0.0, "runs on this machine")
    known = price_list()["models"]
    entry = known.get(name) or known.get(_SNAPSHOT.sub("", name))
    return Price(float(entry["input"]), float(entry["output"]), str(entry["as_of"])) if entry else None


def stated_price(stated: object, name: str) -> Price | None:
    """The price that a plan states, `price = {input = 2.5, output = 10}`, or else the listed one."""
    if stated is None:
        return price(name)
    if not isinstance(stated, Mapping) or set(stated) != {"input", "output"} or not all(map(_amount, stated.values())):
        raise SettingError(
            f"'price' of model {name} must be {{input = USD, output = USD}} per million tokens, got {stated!r}."
        )
    return Price(float(stated["input"]), float(stated["output"]), "stated in the plan")


@cache
def price_list() -> dict[str, Json]:
    """The whole file: `version`, `note` and `models`."""
    return tomllib.loads(files("trueness.models").joinpath("prices.toml").read_text(encoding="utf-8"))


def _amount(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < math.inf
