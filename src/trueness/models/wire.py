"""The SDKs' clients bound to one address and one key: what they would do beyond a single call is off.

Off are their retries (provider.py has its own rule), redirects (an SDK takes the key along to wherever it is sent) and,
where the address is not the provider's or the environment's, what they add from the environment by themselves:
OPENAI_ORG_ID, OPENAI_CUSTOM_HEADERS and the like. ANTHROPIC_AUTH_TOKEN is never sent in place of the key.

A body is read here, before any library sees it: at most MOST_BODY bytes as they come and as many unpacked, and no text
whose tags a library would look for again and again (its patterns take time with the square of their number).
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Awaitable, Callable
from copy import copy
from typing import TYPE_CHECKING, Protocol, cast

from trueness.models.base import UNKNOWN_COUNT, is_count
from trueness.models.faults import BodyRefused
from trueness.models.services import Access
from trueness.outside import MEGABYTE, Json, size

if TYPE_CHECKING:
    from google.genai import Client
    from google.genai.types import HttpOptions
    from httpx import Response
    from inspect_ai.model import ModelAPI

MOST_BODY = 16 * MEGABYTE  # 4,000 tokens with twenty log-probabilities each have 8
MOST_TAGS = 100  # <think> in a reply: a model opens one, or one for each step
_TAGS = re.compile(rb"<(?:think|summary|[a-z-]*internal)\b")
_COUNTS = {  # part of a path -> the counts that the layers below rely on
    "/chat/completions": ("prompt_tokens", "completion_tokens", "total_tokens"),
    "/responses": ("input_tokens", "output_tokens", "total_tokens"),
    "/messages": ("input_tokens", "output_tokens"),
}


class MakesClients(Protocol):
    """A model object that has no client to keep."""

    model_client: Callable[[HttpOptions], Client]
    aclose: Callable[[], Awaitable[None]]


def bind(api: ModelAPI, way: Access) -> None:
    """Bind the client of one of Inspect AI's model objects."""
    client = getattr(api, "client", None)
    if client is None:
        _bind_each(cast(MakesClients, api))
        return
    client.max_retries = 0
    client._client.follow_redirects = False
    client._client.headers["accept-encoding"] = "identity"
    client._client.event_hooks["response"] += [_read_body, _make_countable]
    if getattr(client, "auth_token", None):  # Inspect AI prefers ANTHROPIC_AUTH_TOKEN to the key that it is given
        client.api_key, client.auth_token, client._custom_headers = way.secret, None, {}
    if not way.is_providers:
        client.organization, client.project, client._custom_headers = None, None, {}


def _bind_each(api: MakesClients) -> None:
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
        return made(http_options)

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
        body = json.loads(response.content, parse_int=_number)
        plain = json.dumps(body).encode()  # where no letter of a tag is escaped
    except (ValueError, RecursionError):
        return
    if len(_TAGS.findall(plain)) > MOST_TAGS:
        raise BodyRefused(f"it opens more than {MOST_TAGS} <think> or other tags")
    if not isinstance(body, dict) or (body.get("usage") is None and "total_tokens" in names):
        return  # OpenAI's protocols allow that no usage is told; Anthropic's does not
    counts = body["usage"] if isinstance(body.get("usage"), dict) else {}
    sound = {name: counts[name] if is_count(counts.get(name)) else UNKNOWN_COUNT for name in names}
    details = {name: value for name, value in counts.items() if name not in names and _is_sound(value)}
    body["usage"] = details | sound
    response._content = json.dumps(body).encode()


def _number(text: str) -> int:
    """Python makes no number of more than 4,300 digits, and nobody counts as far."""
    return int(text) if len(text) < 1000 else UNKNOWN_COUNT


def _is_sound(value: Json) -> bool:
    """A further entry of a usage (tokens of the cache, a table of them), as the layers below can take it."""
    return value is None or is_count(value) or (isinstance(value, dict) and all(map(_is_sound, value.values())))
