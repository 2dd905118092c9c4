"""A provider's model through Inspect AI's model layer and the provider's own SDK.

    ask = attempt, and again after each fault that may pass: at most `retries` (3) times,
          after Retry-After seconds where the provider says so, else after `delay` (5) seconds

Inspect AI's own retries (without end), its cache (of a week) and the retries inside the SDKs are off: one rule, this
one. A parameter that a model refuses (a temperature, a schema, log-probabilities) is left out from then on; the
effective settings of every reply say what was really sent and name what was refused.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from threading import BoundedSemaphore
from typing import TYPE_CHECKING

from trueness import registry
from trueness.errors import TruenessError
from trueness.models import background
from trueness.models.base import Message, Reply, Settings
from trueness.models.faults import Fault, as_fault, clean, refused_parameter
from trueness.models.prices import stated_price
from trueness.models.provider_output import effective_settings, read_output
from trueness.models.services import LONGEST_WAIT, Access, check_service
from trueness.models.wire import bind
from trueness.outside import Json
from trueness.status import Status

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI


class Provided:
    """A model behind a provider's API. `sleep` is how it waits between attempts."""

    def __init__(
        self, name: str, options: Mapping[str, Json] | None = None, sleep: Callable[[float], None] = time.sleep
    ):
        way = check_service(name, options or {})
        self.name = name
        self.concurrency = way.options.concurrency
        self.offers_schema = way.service.offers_schema
        self.offers_logprobs = way.service.offers_logprobs
        self.price = stated_price(way.options.price, name)
        self._fixed = way.options.fixed_settings
        self._retries, self._delay = way.options.retries, way.options.delay
        self.pause = _pause_by(sleep)  # a driver may set its own
        self._address = way.address.url
        self._asked_for = way.model
        self._refused: set[str] = set()
        self._slots = BoundedSemaphore(self.concurrency)
        self._api = background.run(_open(way))

    def ask(self, messages: Sequence[Message], settings: Settings) -> Reply:
        start = time.perf_counter()
        requested = replace(settings, **self._fixed)
        faults = 0
        while True:
            outcome = self._attempt(messages, requested)
            if isinstance(outcome, Reply):
                return self._finish(outcome, start)
            if outcome.refuses:  # only of what was sent, so this ends: ask again without it, at once
                self._refused.add(outcome.refuses)
                continue
            faults += 1
            wait = self._delay if outcome.wait is None else outcome.wait
            if not outcome.may_pass or faults > self._retries or wait > LONGEST_WAIT:
                return self._finish(self._failure(outcome, requested, faults, wait), start)
            why_not = self.pause(wait, outcome)
            if why_not:
                outcome = replace(outcome, message=f"{outcome.message}; not tried again: {why_not}")
                return self._finish(self._failure(outcome, requested, faults, wait), start)

    def close(self) -> None:
        background.run(_close(self._api))

    def _attempt(self, messages: Sequence[Message], settings: Settings) -> Reply | Fault:
        with self._slots:
            return background.run(self._call(messages, settings))

    async def _call(self, messages: Sequence[Message], settings: Settings) -> Reply | Fault:
        sent = _without(settings, self._refused)
        try:
            return await asyncio.wait_for(self._generate(messages, settings, sent), settings.timeout)
        except TimeoutError:
            return Fault(Status.TIMED_OUT, f"no reply within {settings.timeout:g} s", may_pass=True)
        except Exception as error:  # whatever an SDK raises, or a body of another shape does, is a result of the call
            return self._fault(error, sent)

    async def _generate(self, messages: Sequence[Message], requested: Settings, sent: Settings) -> Reply | Fault:
        answer = await self._api.generate(input=_chat(messages), tools=[], tool_choice="none", config=_config(sent))
        output, call = answer if isinstance(answer, tuple) else (answer, None)
        if isinstance(output, Exception):
            raise output
        settings = effective_settings(requested, sent, call.request if call else None)
        reply = read_output(output, sent, self._asked_for)
        if reply.status == Status.UNREADABLE and reply.input_tokens is None:  # a body of another shape, not an answer
            return Fault(Status.FAILED, "no usable reply: it holds neither text nor usage", may_pass=True)
        return replace(reply, settings=settings)

    def _fault(self, error: BaseException, sent: Settings) -> Fault:
        fault = as_fault(error)
        message = f"{fault.message} at {self._address}" if fault.kind == "connection" else fault.message
        return replace(fault, message=clean(message), refuses=refused_parameter(error, sent))

    def _failure(self, fault: Fault, settings: Settings, faults: int, wait: float) -> Reply:
        message = fault.message + (f" (tried {faults} times)" if faults > 1 else "")
        kind = fault.kind
        if fault.may_pass and wait > LONGEST_WAIT:
            message += f"; the provider asks to wait {wait:g} s"
            kind = "quota"
        sent = _without(settings, self._refused)
        return Reply("", fault.status, message, settings=effective_settings(settings, sent, None), fault=kind)

    def _finish(self, reply: Reply, start: float) -> Reply:
        cost = self.price.cost(reply.input_tokens, reply.output_tokens) if self.price else None
        return replace(
            reply,
            model=self.name,
            message=clean(reply.message),
            cost=cost,
            seconds=time.perf_counter() - start,
        )


def _pause_by(sleep: Callable[[float], None]) -> Callable[[float, Fault], str]:
    """How a model waits before its next attempt. It gives the reason why there is none, or ''."""

    def pause(seconds: float, fault: Fault) -> str:
        sleep(seconds)
        return ""

    return pause


async def _open(way: Access) -> ModelAPI:
    """The API object, made on the loop that will use it."""
    logging.getLogger("inspect_ai").addHandler(logging.NullHandler())  # its warnings are in our effective settings
    inspect = registry.need("inspect_ai.model", f"model {way.name}")
    try:
        api: ModelAPI = inspect.get_model(way.route, base_url=way.address.url, api_key=way.secret, memoize=False).api
    except Exception as error:  # an SDK that is too old, a name that the provider's layer cannot take apart
        raise TruenessError(f"model {way.name} cannot be opened: {clean(str(error))}") from None
    bind(api, way)
    return api


async def _close(api: ModelAPI) -> None:
    await api.aclose()


def _chat(messages: Sequence[Message]) -> list[ChatMessage]:
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

    kinds = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
    return [kinds[message.role](content=message.content) for message in messages]


def _config(settings: Settings) -> GenerateConfig:
    from inspect_ai.model import GenerateConfig, ResponseSchema
    from inspect_ai.util import JSONSchema

    schema = None
    if settings.schema is not None:
        schema = ResponseSchema(name="answer", json_schema=JSONSchema.model_validate(dict(settings.schema)))
    return GenerateConfig(
        temperature=settings.temperature,
        max_tokens=settings.max_tokens,
        seed=settings.seed,
        logprobs=True if settings.top_logprobs else None,
        top_logprobs=settings.top_logprobs or None,
        response_schema=schema,
        timeout=max(1, round(settings.timeout)),
        max_retries=0,
        cache=False,
        reasoning_summary="none",  # asking for one makes a first, hidden call to see whether it is allowed
        cache_prompt=False,  # Anthropic bills the writing, and no later prompt would read a whole one back
    )


def _without(settings: Settings, refused: set[str]) -> Settings:
    """The settings less what the model refuses."""
    empty: dict[str, Json] = {"temperature": None, "schema": None, "top_logprobs": 0, "seed": None}
    return replace(settings, **{name: empty[name] for name in refused})
