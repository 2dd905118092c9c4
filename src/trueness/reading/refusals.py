"""Replies that decline, and replies that were cut off."""

from __future__ import annotations

from trueness.patterns import late

_DECLINES = late(
    r"\b(?:i(?: am|m| m)? (?:(?:really |very )?sorry|unable|not able|not in a position|not comfortable)"
    r"|i (?:can ?not|can t|cannot|won t|will not|must decline|do not|don t|couldn t|could not|am afraid)"
    r"|cannot (?:be )?(?:provide|predict|estimate|determine|give|answer|help|assist|complete|fulfil)\w{0,3}"
    r"|as an? (?:ai|language model|large language model)"
    r"|unable to (?:provide|predict|estimate|determine|give|answer|help)"
    r"|against my|not appropriate for me|it is (?:not possible|impossible) to|it s (?:not possible|impossible) to"
    r"|impossible to (?:say|predict|estimate|give|provide)|without (?:running|access|more information|the data)"
    r"|ich kann (?:leider )?(?:keine|nicht|das)|leider (?:kann|nicht)|je (?:ne peux|suis désolé|regrette)|désolée?"
    r"|lo siento|no puedo|não posso|desculpe|mi dispiace|non posso)\b"
    r"|无法|抱歉|不能提供|申し訳|できません|죄송|не могу|извините"
)


def declines(view: str) -> bool:
    """Whether the reply says that it will not answer; asked only where nothing was read."""
    return _DECLINES.search(view) is not None


def ends_open(view: str) -> bool:
    """Whether the reply stops after a connector or an open bracket."""
    tail = view[-40:].rstrip()
    return bool(tail) and (tail[-1] in ",-[(=~" or tail.endswith((" to", " and", " between")))
