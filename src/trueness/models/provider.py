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

The SDKs' clients bound to one address and one key: what they would do beyond a single call is off.

Off are their retries (provider.py has its own rule), redirects (an SDK takes the key along to wherever it is sent) and,
where the address is not the provider's or the environment's, what they add from the environment by themselves:
OPENAI_ORG_ID, OPENAI_CUSTOM_HEADERS and the like. ANTHROPIC_AUTH_TOKEN is never sent in place of the key.

A body is read here, before any library sees it: at most MOST_BODY bytes as they come and as many unpacked, and no text
whose tags a library would look for again and again (its patterns take time with the square of their number).
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import time
import zlib
from collections.abc import Callable, Coroutine, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cache
from threading import BoundedSemaphore, Lock, Thread
from typing import TYPE_CHECKING, Any, TypeVar

from trueness import registry, texts
from trueness.errors import TruenessError
from trueness.models.base import UNKNOWN_COUNT, Message, Reply, Settings, TokenLogprob, is_count, stated_price
from trueness.models.faults import BodyRefused, Fault, as_fault, clean, refused_parameter
from trueness.models.services import LONGEST_WAIT, Access, check_service
from trueness.outside import MEGABYTE, Json, size
from trueness.status import Status

if TYPE_CHECKING:
    from google.genai import Client
    from google.genai.types import HttpOptions
    from httpx import Response
    from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage

MOST_BODY = 16 * MEGABYTE  # 4,000 tokens with twenty log-probabilities each have 8
MOST_TAGS = 100  # <think> in a reply: a model opens one, or one for each step
_TAGS = re.compile(rb"<(?:think|summary|[a-z-]*internal)\b")
_COUNTS = {  # part of a path -> the counts that the layers below rely on
    "/chat/completions": ("prompt_tokens", "completion_tokens", "total_tokens"),
    "/responses": ("input_tokens", "output_tokens", "total_tokens"),
    "/messages": ("input_tokens", "output_tokens"),
}


def bind(api: ModelAPI, way: Access) -> None:
    """Bind the client of one of Inspect AI's model objects."""
    client = getattr(api, "client", None)
    if client is None:
        _bind_each(api)
        return
    client.max_retries = 0
    client._client.follow_redirects = False
    client._client.headers["accept-encoding"] = "identity"
    client._client.event_hooks["response"] += [_read_body, _make_countable]
    if getattr(client, "auth_token", None):  # Inspect AI prefers ANTHROPIC_AUTH_TOKEN to the key that it is given
        client.api_key, client.auth_token, client._custom_headers = way.secret, None, {}
    if not way.is_providers:
        client.organization, client.project, client._custom_headers = None, None, {}


def _bind_each(api: Any) -> None:
    """The same where each call makes a client of its own (Google): over one of httpx, whose hooks see a body first."""
    import httpx
    from google.genai.types import HttpRetryOptions

    made, close = api.model_client, api.aclose
    client = httpx.AsyncClient(headers={"accept-encoding": "identity"})

    def bind_client(http_options: HttpOptions) -> Client:
        per_call = copy(client)  # its connections, and hooks of its own: Inspect AI adds some for each call
        per_call.event_hooks = {"response": [_read_body]}
        http_options.httpx_async_client = per_call
        http_options.retry_options = HttpRetryOptions(attempts=1)
        bound: Client = made(http_options)
        return bound

    async def close_both() -> None:
        await close()
        await client.aclose()

    api.model_client, api.aclose = bind_client, close_both


async def _read_body(response: Response) -> None:
    """The whole body, within MOST_BODY; the readers of a library find it read."""
    packed, unpacker = bytearray(), None
    kind = response.headers.get("content-encoding", "identity").lower()
    if kind not in ("identity", ""):
        if kind not in ("gzip", "deflate"):
            raise BodyRefused(f"its body is packed as {kind[:20]!r}, which was not asked for")
        unpacker = zlib.decompressobj(zlib.MAX_WBITS | 32)
    async for chunk in response.aiter_raw():
        packed += chunk
        if len(packed) > MOST_BODY:
            raise BodyRefused(f"its body has more than {size(MOST_BODY)}")
    try:
        content = bytes(packed) if unpacker is None else unpacker.decompress(packed, MOST_BODY + 1)
    except zlib.error as error:
        raise BodyRefused(f"its body is packed as {kind} and cannot be unpacked") from error
    if len(content) > MOST_BODY:
        raise BodyRefused(f"its body unpacks to more than {size(MOST_BODY)}")
    response._content = content


async def _make_countable(response: Response) -> None:
    """Counts of tokens that the layers below cannot take (null, 3.5, "x", none) become one that is read as unknown:
    what a home-made server answered, and billed, is not lost for them."""
    names = next((names for part, names in _COUNTS.items() if part in response.url.path), ())
    if response.status_code != 200 or not names:
        return
    try:
        body = json.loads(response.content)
        plain = json.dumps(body).encode()  # where no letter of a tag is escaped
    except (ValueError, RecursionError):
        return
    if len(_TAGS.findall(plain)) > MOST_TAGS:
        raise BodyRefused(f"it opens more than {MOST_TAGS} <think> or other tags")
    if not isinstance(body, dict) or (body.get("usage") is None and "total_tokens" in names):
        return  # OpenAI's protocols allow that no usage is told; Anthropic's does not
    counts = body.get("usage")
    if not isinstance(counts, dict) or not all(is_count(counts.get(name)) for name in names):
        body["usage"] = dict.fromkeys(names, UNKNOWN_COUNT)
        response._content = json.dumps(body).encode()


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
            with self._slots:
                outcome = on_the_loop(self._call(messages, requested))
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
        on_the_loop(self._api.aclose())

    async def _call(self, messages: Sequence[Message], settings: Settings) -> Reply | Fault:
        sent = _without(settings, self._refused)
        try:
            return await asyncio.wait_for(self._generate(messages, settings, sent), settings.timeout)
        except TimeoutError:
            return Fault(Status.TIMED_OUT, f"no reply within {settings.timeout:g} s", may_pass=True)
        except Exception as error:  # whatever an SDK raises, or a body of another shape does, is a result of the call
            fault = as_fault(error)
            message = f"{fault.message} at {self._address}" if fault.kind == "connection" else fault.message
            return replace(fault, message=clean(message), refuses=refused_parameter(error, sent))

    async def _generate(self, messages: Sequence[Message], requested: Settings, sent: Settings) -> Reply | Fault:
        from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

        kinds = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
        chat: list[ChatMessage] = [kinds[message.role](content=message.content) for message in messages]
        answer = await self._api.generate(input=chat, tools=[], tool_choice="none", config=_config(sent))
        output, call = answer if isinstance(answer, tuple) else (answer, None)
        if isinstance(output, Exception):
            raise output
        settings = effective_settings(requested, sent, call.request if call else None)
        reply = read_output(output, sent, self._asked_for)
        if reply.status == Status.UNREADABLE and reply.input_tokens is None:  # a body of another shape, not an answer
            return Fault(Status.FAILED, "no usable reply: it holds neither text nor usage", may_pass=True)
        return replace(reply, settings=settings)

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
    with _starting:
        loop = _start_loop(os.getpid())  # a forked process has the memory of the loop, but not its thread
    return asyncio.run_coroutine_threadsafe(work, loop).result()


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
    if request is not None:  # wherever the protocol puts it
        places = [request, request.get("generation_config"), request.get("extra_body")]
        tables = [place for place in places if isinstance(place, Mapping)]
        for name in ("temperature", "seed"):
            effective[name] = next((place[name] for place in tables if place.get(name) is not None), None)
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
    content, details = output.message.content, output.choices[0].stop_details
    is_refusal = not isinstance(content, str) and any(getattr(part, "refusal", None) for part in content)
    if reason == "content_filter" or is_refusal:
        why = output.error or (details and (details.explanation or details.category)) or ""
        return Status.REFUSED, texts.arriving(why) or "the model refused to answer"
    if reason == "model_length":
        return Status.FAILED, f"the prompt does not fit the model's context: {text[:200]}"
    if reason == "max_tokens":
        return Status.TRUNCATED, f"the reply reached max_tokens = {sent.max_tokens} and was cut off"
    if not text.strip():
        return Status.UNREADABLE, "the reply is empty"
    return Status.OK, ""


def _logprobs(output: ModelOutput, text: str, sent: Settings) -> tuple[tuple[TokenLogprob, ...] | None, str]:
    """The log-probabilities, and a complaint where they are not those of the text."""
    if not sent.top_logprobs or not output.choices:
        return None, ""
    logprobs = output.choices[0].logprobs
    if logprobs is None:
        return None, "no log-probabilities came with the reply" if text else ""
    entries = tuple(
        TokenLogprob(one.token, float(one.logprob), tuple((o.token, float(o.logprob)) for o in one.top_logprobs or ()))
        for one in logprobs.content
    )
    # by their bytes where given, since a character may be spread over several tokens
    raw = (one.token.encode(errors="replace") if one.bytes is None else bytes(one.bytes) for one in logprobs.content)
    if b"".join(raw).decode(errors="replace") != text:
        return None, f"log-probabilities dropped: their {len(entries)} tokens are not those of the text"
    if any(len(entry.top) > sent.top_logprobs for entry in entries):
        return None, f"log-probabilities dropped: more than the {sent.top_logprobs} rivals asked for"
    return entries, ""
