"""A provider's output, as Inspect AI hands it over, to a Reply: its status, tokens, log-probabilities, settings.

    input_tokens = fresh + read from the provider's cache + written to it      cached_tokens = read from it

Log-probabilities are kept only where their tokens, put together, are the text; else they belong to something else.
Counts of tokens that cannot be (below 0, no whole number, above 10^9) are unknown, and the message says so. A name of
the model that is not the one asked for is kept; a date or a number behind it is a snapshot of the same model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from trueness import texts
from trueness.models.base import Reply, Settings, TokenLogprob
from trueness.outside import Json
from trueness.status import Status

if TYPE_CHECKING:
    from inspect_ai.model import Logprob, ModelOutput, ModelUsage

MOST_TOKENS = 10**9  # of a call
UNKNOWN_COUNT = -1
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


def is_count(value: object) -> bool:
    """Whether it can be a number of tokens."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS


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
