"""A provider's model through Inspect AI's model layer and the provider's own SDK.

    ask = attempt, and again after each fault that may pass: at most `retries` (3) times,
          after Retry-After seconds where the provider says so, else after `delay` (5) seconds

Inspect AI's own retries (without end), its cache (of a week) and the retries inside the SDKs are off: one rule, this
one. A parameter that a model refuses (a temperature, a schema, log-probabilities) is left out from then on; the
effective settings of every reply say what was really sent and name what was refused.

One event loop in a thread of its own: blocking callers in many threads share the asynchronous SDKs.

A provider's output, as Inspect AI hands it over, to a Reply: its status, tokens, log-probabilities, settings.

    input_tokens = fresh + read from the provider's cache + written to it      cached_tokens = read from it

Log-probabilities are kept only where their tokens, put together, are the text; else they belong to something else.
Counts of tokens that cannot be (below 0, no whole number, above 10^9) are unknown, and the message says so. A name of
the model that is not the one asked for is kept; a date or a number behind it is a snapshot of the same model.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import time
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from threading import BoundedSemaphore, Lock, Thread
from typing import TYPE_CHECKING, TypeVar

from trueness import registry, texts
from trueness.errors import TruenessError
from trueness.models.base import Message, Reply, Settings, TokenLogprob, is_count
from trueness.models.faults import Fault, as_fault, clean, refused_parameter
from trueness.models.prices import stated_price
from trueness.models.services import LONGEST_WAIT, Access, check_service
from trueness.models.wire import bind
from trueness.outside import Json
from trueness.status import Status

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, GenerateConfig, Logprob, ModelAPI, ModelOutput, ModelUsage


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
        self._sleep = sleep
        self._address = way.address.url
        self._asked_for = way.model
        self._refused: set[str] = set()
        self._slots = BoundedSemaphore(self.concurrency)
        self._api = on_the_loop(_open(way))

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

    def pause(self, seconds: float, fault: Fault) -> str:
        """Before the next attempt: why there is none, or ''. A driver may set its own."""
        self._sleep(seconds)
        return ""

    def close(self) -> None:
        on_the_loop(_close(self._api))

    def _attempt(self, messages: Sequence[Message], settings: Settings) -> Reply | Fault:
        with self._slots:
            return on_the_loop(self._call(messages, settings))

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
        seconds = time.perf_counter() - start
        return replace(reply, model=self.name, message=clean(reply.message), cost=cost, seconds=seconds)


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


# ---- the loop


T = TypeVar("T")
_starting = Lock()


def on_the_loop(work: Coroutine[object, object, T]) -> T:
    """Run a coroutine on the shared loop and wait for what it gives."""
    return asyncio.run_coroutine_threadsafe(work, _loop()).result()


def _loop() -> asyncio.AbstractEventLoop:
    with _starting:
        return _start_loop(os.getpid())  # a forked process has the memory of the loop, but not its thread


@cache
def _start_loop(process: int) -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, name="trueness-models", daemon=True).start()
    return loop


# ---- what came back


_SNAPSHOT = re.compile(r"[-@:](\d{3,8}|\d{4}-\d{2}-\d{2}|\d{2}-\d{2,4}|latest|free)")
_NOTHING = "(no content)"  # what Inspect AI puts where a provider sent no candidate at all


def read_output(output: ModelOutput, sent: Settings, model: str) -> Reply:
    """The reply in an `inspect_ai.model.ModelOutput`; `model` is the name that was asked for."""
    text = texts.arriving(output.completion) if output.choices and output.completion != _NOTHING else ""
    status, message = _outcome(output, text, sent)
    logprobs, complaint = _logprobs(output, text, sent)
    tokens, absurd = _tokens(output.usage)
    return Reply(
        text="" if status is Status.FAILED else text,
        status=status,
        message="; ".join(part for part in (message, complaint, absurd) if part),
        logprobs=logprobs,
        answered_as=answered_as(model, output.model),
        input_tokens=tokens["input"],
        output_tokens=tokens["output"],
        cached_tokens=tokens["cached"],
    )


def answered_as(requested: str, answered: object) -> str:
    """The name of who answered, where it is another model; '' where it is the same, a snapshot of it, or not told."""
    name = texts.arriving(answered).strip() if isinstance(answered, str) else ""
    ours, theirs = (text.lower().rsplit("/", 1)[-1] for text in (requested, name))
    ours = ours.removesuffix("-latest").removesuffix(":free")
    same = not theirs or ours == theirs or (theirs.startswith(ours) and _SNAPSHOT.fullmatch(theirs[len(ours) :]))
    return "" if same else name[:200]


def effective_settings(requested: Settings, sent: Settings, request: Mapping[str, Json] | None) -> dict[str, Json]:
    """What was really sent, and under `refused` the names of what was asked for and is not in the request."""
    effective = sent.to_dict()
    if request is not None:
        for name in ("temperature", "seed"):
            effective[name] = _find(request, name)
    names = ("temperature", "seed", "schema")
    refused = [name for name in names if getattr(requested, name) is not None and effective[name] is None]
    if requested.top_logprobs and not sent.top_logprobs:
        refused.append("top_logprobs")
    return effective | {"refused": refused}


def _tokens(usage: ModelUsage | None) -> tuple[dict[str, int | None], str]:
    """Tokens of a reply, and a complaint where a provider counts what cannot be counted."""
    if usage is None:
        return dict.fromkeys(("input", "output", "cached")), ""
    cached, written = usage.input_tokens_cache_read or 0, usage.input_tokens_cache_write or 0
    counts = {"input": (usage.input_tokens, cached, written), "output": (usage.output_tokens,), "cached": (cached,)}
    tokens = {name: sum(parts) if all(map(is_count, parts)) else None for name, parts in counts.items()}
    wrong = " and ".join(name for name, count in tokens.items() if count is None)
    return tokens, f"{wrong} tokens unknown: the provider's count cannot be" if wrong else ""


def _outcome(output: ModelOutput, text: str, sent: Settings) -> tuple[Status, str]:
    if not output.choices:
        return Status.UNREADABLE, "the reply is empty: it has no choices"
    reason = output.stop_reason
    if reason == "content_filter" or _is_refusal(output):
        return Status.REFUSED, texts.arriving(output.error or _explanation(output)) or "the model refused to answer"
    if reason == "model_length":
        return Status.FAILED, f"the prompt does not fit the model's context: {text[:200]}"
    if reason == "max_tokens":
        return Status.TRUNCATED, f"the reply reached max_tokens = {sent.max_tokens} and was cut off"
    if not text.strip():
        return Status.UNREADABLE, "the reply is empty"
    return Status.OK, ""


def _is_refusal(output: ModelOutput) -> bool:
    content = output.message.content
    return not isinstance(content, str) and any(getattr(part, "refusal", None) for part in content)


def _explanation(output: ModelOutput) -> str:
    details = output.choices[0].stop_details
    return (details.explanation or details.category or "") if details else ""


def _logprobs(output: ModelOutput, text: str, sent: Settings) -> tuple[tuple[TokenLogprob, ...] | None, str]:
    """The log-probabilities, and a complaint where they are not those of the text."""
    if not sent.top_logprobs or not output.choices:
        return None, ""
    logprobs = output.choices[0].logprobs
    if logprobs is None:
        return None, "no log-probabilities came with the reply" if text else ""
    entries = tuple(_token(entry) for entry in logprobs.content)
    if _text_of_tokens(logprobs.content) != text:
        return None, f"log-probabilities dropped: their {len(entries)} tokens are not those of the text"
    if any(len(entry.top) > sent.top_logprobs for entry in entries):
        return None, f"log-probabilities dropped: more than the {sent.top_logprobs} rivals asked for"
    return entries, ""


def _token(entry: Logprob) -> TokenLogprob:
    top = tuple((rival.token, float(rival.logprob)) for rival in entry.top_logprobs or ())
    return TokenLogprob(entry.token, float(entry.logprob), top)


def _text_of_tokens(entries: Iterable[Logprob]) -> str:
    """The text of the tokens; by their bytes where given, since a character may be spread over several tokens."""
    parts = [
        bytes(entry.bytes) if entry.bytes is not None else entry.token.encode(errors="replace") for entry in entries
    ]
    return b"".join(parts).decode(errors="replace")


def _find(request: Mapping[str, Json], name: str) -> Json:
    """A parameter of a raw request, wherever the protocol puts it."""
    for place in (request, request.get("generation_config"), request.get("extra_body")):
        if isinstance(place, Mapping) and place.get(name) is not None:
            return place[name]
    return None
