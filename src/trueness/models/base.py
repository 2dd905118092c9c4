"""Text in, text out: the contract between a study and whatever answers it.

    Model.ask(messages, settings) -> Reply

A Reply is a result whatever happened: its status says whether there is an answer, its message why there is none.
Prompt tokens are counted as `input_tokens`, of which `cached_tokens` were taken from an earlier prompt and not
evaluated again. Cost is in US dollars; unknown is None, never 0.

What a call costs: list prices in US dollars per million tokens.

    cost = (input_tokens * input + output_tokens * output) / 1e6

The prices stand in prices.toml with the date they were noted; a plan may override them. A price that is not known
is None, never 0. Models that run on this machine cost 0. Discounts for cached prompts are not counted: the cost is
the upper end, so that a budget is kept.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.resources import files
from typing import Annotated, Literal, Protocol, get_args, runtime_checkable

import msgspec

from trueness.errors import SettingError
from trueness.outside import Json
from trueness.settings import Between, Made, Temperature, read_settings, temperature_to_send
from trueness.status import Status

Role = Literal["system", "user", "assistant"]
DAY = 86_400  # seconds
MOST_TOKENS = 10**9  # of a call
UNKNOWN_COUNT = -1
MOST_CALLS = 1000  # in flight at a time; each is a thread


@dataclass(frozen=True)
class Message:
    """One turn of a conversation."""

    role: Role
    content: str

    def __post_init__(self) -> None:
        if self.role not in get_args(Role):
            raise SettingError(f"The role of a message must be one of {', '.join(get_args(Role))}, got {self.role!r}.")

    def to_dict(self) -> dict[str, str]:
        return {"role": self.role, "content": self.content}


@dataclass(frozen=True)
class Settings:
    """How to ask. `temperature = None` leaves it to the model; `schema` is the JSON schema of the answer."""

    temperature: float | None = 0.1
    max_tokens: int = 1024
    schema: Mapping[str, Json] | None = None
    top_logprobs: int = 0
    seed: int | None = None
    timeout: float = 120.0

    def __post_init__(self) -> None:
        _require(self.temperature is None or 0 <= self.temperature <= 2, "temperature", "in [0, 2]", self.temperature)
        _require(self.max_tokens >= 1, "max_tokens", "at least 1", self.max_tokens)
        _require(0 <= self.top_logprobs <= 1000, "top_logprobs", "in 0 .. 1000", self.top_logprobs)
        _require(0 < self.timeout <= DAY, "timeout", f"above 0 and at most {DAY:,} seconds", self.timeout)

    def to_dict(self) -> dict[str, Json]:
        return asdict(self) | {"schema": dict(self.schema) if self.schema is not None else None}


@dataclass(frozen=True)
class TokenLogprob:
    """A token of the answer, its log-probability and those of its likeliest rivals (itself among them)."""

    token: str
    logprob: float
    top: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Reply:
    """What came back. `settings` are the effective ones: what the model was really asked with.

    `answered_as` is the name the provider says has answered, where that is another model than was asked.
    `fault` is the kind of what went wrong where nobody answered (models/faults.py); a model of your own may say "busy".
    """

    text: str
    status: Status
    message: str = ""
    model: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cost: float | None = None
    seconds: float = 0.0
    settings: Mapping[str, Json] = field(default_factory=dict)
    logprobs: tuple[TokenLogprob, ...] | None = None
    answered_as: str = ""
    fault: str = ""

    def to_dict(self) -> dict[str, Json]:
        return msgspec.to_builtins(self)  # type: ignore[no-any-return]

    @classmethod
    def from_dict(cls, values: Mapping[str, Json]) -> Reply:
        """Of this version or a later one."""
        return msgspec.convert(values, cls)


@runtime_checkable
class Model(Protocol):
    """Whatever answers. `ask` blocks, may be called from many threads, and raises only for the user's mistakes."""

    name: str
    concurrency: int
    offers_schema: bool
    offers_logprobs: bool

    def ask(self, messages: Sequence[Message], settings: Settings) -> Reply: ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class FixedOptions:
    """Options of any model: settings that the plan fixes for it, whatever the study asks with."""

    temperature: Temperature | None = None
    max_tokens: int | None = None
    timeout: float | None = None

    def __post_init__(self) -> None:
        Settings(**self.fixed_settings)  # refuses what is out of range before anything is asked

    @property
    def fixed_settings(self) -> dict[str, Json]:
        values = {"max_tokens": self.max_tokens, "timeout": self.timeout}
        values = {name: value for name, value in values.items() if value is not None}
        return values if self.temperature is None else values | {"temperature": temperature_to_send(self.temperature)}


@dataclass(frozen=True)
class CallOptions(FixedOptions):
    """Options of a model that takes several calls at a time; `price` as prices.stated_price reads it."""

    concurrency: Annotated[int, Between(1, MOST_CALLS, closed=True)] = 10
    price: object = None


def is_count(value: object) -> bool:
    """Whether it can be a number of tokens."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS


def read_options(made: type[Made], options: Mapping[str, Json] | None, model: str) -> Made:
    """Options of a plan, checked."""
    return read_settings(made, options or {}, f"model {model}")


def checked_concurrency(value: object, model: str) -> int:
    """Also of models of the user's own."""
    return read_options(CallOptions, {"concurrency": value}, model).concurrency


def _require(holds: bool, name: str, must: str, got: object) -> None:
    if not holds:
        raise SettingError(f"{name!r} of a question must be {must}, got {got!r}.")


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
