"""What goes wrong between us and a provider, in one form: a status, a line, and whether it may pass.

The SDKs raise trees of their own; they agree in that an HTTP fault carries a status code (`status_code` or `code`)
and its response. Without a status the connection or the body was broken, which may pass.

    kind     connection   no connection was made: nobody was reached
             busy         turned away for now (429, 503, 529)
             quota        turned away for hours: the quota is used up, or Retry-After is longer than we wait
             http         another error code: no answer, no bill
             ""           anything else, such as silence or a broken body: it may have been answered and billed
"""

from __future__ import annotations

import math
import os
import re
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from trueness import texts
from trueness.models.base import Settings
from trueness.status import Status

_MAY_PASS = {408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529}
_SENT_ON = {301, 302, 303, 307, 308}
_BUSY = {429, 503, 529}
_UNREACHED = ("ConnectError", "ClientConnectorError", "ClientConnectorDNSError")  # of httpx and aiohttp
_PARAMETERS = {  # ours -> as the providers' messages call it
    "temperature": ("temperature",),
    "schema": ("response_format", "json_schema", "output_format", "response_schema", "responsejsonschema"),
    "top_logprobs": ("logprobs",),
    "seed": ("seed",),
}
_REFUSAL = re.compile(
    r"unsupported|not support|n't support|not allowed|not permitted|unknown|unrecogni|deprecated|extra"
)


class BodyRefused(Exception):
    """The body of a reply that is too large to be unpacked or read."""


@dataclass(frozen=True)
class Fault:
    """One attempt that brought no reply."""

    status: Status
    message: str
    may_pass: bool
    wait: float | None = None  # seconds, where the provider says how long
    refuses: str | None = None  # the parameter that it does not take
    kind: str = ""


def as_fault(error: BaseException) -> Fault:
    """The fault behind whatever an SDK raised."""
    if refused := next((cause for cause in _causes(error) if isinstance(cause, BodyRefused)), None):
        return Fault(Status.FAILED, f"no usable reply: {refused}", may_pass=False)
    code = _http_status(error)
    text = _words(error)
    if code is None:
        if any(isinstance(cause, TimeoutError) or "Timeout" in type(cause).__name__ for cause in _causes(error)):
            return Fault(Status.TIMED_OUT, f"no reply in time: {text}", may_pass=True)
        unreached = _why_unreached(error)
        if unreached:
            return Fault(Status.FAILED, unreached, may_pass=True, kind="connection")
        return Fault(Status.FAILED, f"no usable reply: {text}", may_pass=True)
    if code == 429 and "insufficient_quota" in text:
        return Fault(Status.FAILED, f"HTTP 429: {text}", may_pass=False, kind="quota")
    kind = "busy" if code in _BUSY else "http"
    if code in _SENT_ON:
        text = f"the server sends on to {_header(error, 'location') or 'another address'}, where the key would go along"
    return Fault(Status.FAILED, f"HTTP {code}: {text}", code in _MAY_PASS, wait=_retry_after(error), kind=kind)


def refused_parameter(error: BaseException, sent: Settings) -> str | None:
    """The parameter of ours that a 400 or 422 says the model does not take, if it was sent."""
    if _http_status(error) not in (400, 422):
        return None
    text = _words(error, most=2000).lower()
    if not _REFUSAL.search(text):
        return None
    asked = {name: getattr(sent, name) for name in _PARAMETERS} | {"top_logprobs": sent.top_logprobs or None}
    return next(
        (name for name, value in asked.items() if value is not None and any(map(text.__contains__, _PARAMETERS[name]))),
        None,
    )


def clean(text: str, most: int = 1000) -> str:
    """One line, not too long, without a key: taken out before anything is cut, or half of it would stay."""
    return " ".join(texts.arriving(text).split())[:most]


def _http_status(error: BaseException) -> int | None:
    for name in ("status_code", "code"):
        value = getattr(error, name, None)
        if isinstance(value, int):
            return value
    return None


def _words(error: BaseException, most: int = 300) -> str:
    """What the provider said, or the kind of the error where it said nothing."""
    text = _message_of(getattr(error, "body", None)) or str(getattr(error, "message", "") or error)
    if _http_status(error) is None:
        cause = error.__cause__ or error.__context__
        parts = (type(error).__name__, text, f"{type(cause).__name__}: {cause}" if cause else "")
        text = ": ".join(part for part in parts if part)
    return clean(text or type(error).__name__, most)


def _message_of(body: object) -> str:
    """The message in an error's body: {"message": ...} or {"error": {"message": ...}}."""
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        return str(inner.get("message") or "") if isinstance(inner, Mapping) else ""
    return ""


def _why_unreached(error: BaseException) -> str:
    """Why no connection was made ('connection refused', 'name or service not known'), or '' where one was."""
    causes = list(_causes(error))
    reasons = [cause for cause in causes if isinstance(cause, ConnectionRefusedError | socket.gaierror)]
    if not reasons and not any(type(cause).__name__ in _UNREACHED for cause in causes):
        return ""
    last = next(iter(reasons), causes[-1])
    number = getattr(last, "errno", None)
    reason = os.strerror(number) if isinstance(number, int) and number > 0 else getattr(last, "strerror", None)
    return " ".join(str(reason or last or "no connection").split()).lower()[:200]


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what led to it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _header(error: BaseException, name: str) -> str:
    """A header of the response behind an error, or ''; the SDKs' mappings heed no case."""
    headers: Mapping[str, str] | None = getattr(getattr(error, "response", None), "headers", None)
    return clean(str(headers.get(name) or "")) if headers else ""


def _retry_after(error: BaseException) -> float | None:
    """Seconds of the Retry-After header; None where it tells none (a date, say)."""
    value = _header(error, "retry-after")
    seconds = float(value) if re.fullmatch(r"[0-9]+(\.[0-9]+)?", value) else math.inf
    return seconds if seconds < math.inf else None
