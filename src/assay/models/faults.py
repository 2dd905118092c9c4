"""What goes wrong between us and a provider, in one form: a status, a line, and whether it may pass.

The SDKs raise trees of their own; they agree in that an HTTP fault carries a status code (`status_code` or `code`)
and its response. Without a status the connection or the body was broken, which may pass.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from assay.models.base import Settings
from assay.status import Status

_MAY_PASS = {408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529}
_PARAMETERS = {  # ours -> as the providers' messages call it
    "temperature": ("temperature",),
    "schema": ("response_format", "json_schema", "output_format", "response_schema", "responsejsonschema"),
    "top_logprobs": ("logprobs",),
    "seed": ("seed",),
}
_REFUSAL = re.compile(
    r"unsupported|not support|n't support|not allowed|not permitted|unknown|unrecogni|deprecated|extra"
)


@dataclass(frozen=True)
class Fault:
    """One attempt that brought no reply."""

    status: Status
    message: str
    may_pass: bool
    wait: float | None = None  # seconds, where the provider says how long
    refuses: str | None = None  # the parameter that it does not take


def as_fault(error: BaseException) -> Fault:
    """The fault behind whatever an SDK raised."""
    code = _http_status(error)
    text = _words(error)
    if code is None:
        if _is_timeout(error):
            return Fault(Status.TIMED_OUT, f"no reply in time: {text}", may_pass=True)
        return Fault(Status.FAILED, f"no usable reply: {text}", may_pass=True)
    if code == 429 and "insufficient_quota" in text:
        return Fault(Status.FAILED, f"HTTP 429: {text}", may_pass=False)
    return Fault(Status.FAILED, f"HTTP {code}: {text}", code in _MAY_PASS, wait=_retry_after(error))


def refused_parameter(error: BaseException, sent: Settings) -> str | None:
    """The parameter of ours that a 400 or 422 says the model does not take, if it was sent."""
    if _http_status(error) not in (400, 422):
        return None
    text = _words(error, most=2000).lower()
    if not _REFUSAL.search(text):
        return None
    given = {
        "temperature": sent.temperature is not None,
        "schema": sent.schema is not None,
        "top_logprobs": sent.top_logprobs > 0,
        "seed": sent.seed is not None,
    }
    return next((name for name, words in _PARAMETERS.items() if given[name] and any(w in text for w in words)), None)


def clean(text: str, secret: str) -> str:
    """One line, without the key."""
    line = " ".join(text.split())
    return line.replace(secret, "***") if len(secret) > 4 else line


def _http_status(error: BaseException) -> int | None:
    for name in ("status_code", "code"):
        value = getattr(error, name, None)
        if isinstance(value, int):
            return value
    return None


def _words(error: BaseException, most: int = 300) -> str:
    """What the provider said, or the kind of the error where it said nothing."""
    said = _message_of(getattr(error, "body", None)) or str(getattr(error, "message", "") or error)
    if _http_status(error) is None:
        cause = error.__cause__ or error.__context__
        parts = (type(error).__name__, said, f"{type(cause).__name__}: {cause}" if cause else "")
        said = ": ".join(part for part in parts if part)
    return " ".join((said or type(error).__name__).split())[:most]


def _message_of(body: object) -> str:
    """The message in an error's body: {"message": ...} or {"error": {"message": ...}}."""
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        return str(inner.get("message") or "") if isinstance(inner, Mapping) else ""
    return ""


def _is_timeout(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, TimeoutError) or "Timeout" in type(error).__name__:
            return True
        error = error.__cause__ or error.__context__
    return False


def _retry_after(error: BaseException) -> float | None:
    """Seconds of the Retry-After header (RFC 9110: seconds or a date)."""
    headers: Mapping[str, str] | None = getattr(getattr(error, "response", None), "headers", None)
    value = headers.get("retry-after") or headers.get("Retry-After") if headers else None
    if not value:
        return None
    if re.fullmatch(r"\d+(\.\d+)?", value.strip()):
        return float(value)
    try:
        then = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (then - datetime.now(UTC)).total_seconds())
