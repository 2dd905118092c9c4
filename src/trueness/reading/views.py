"""The view a reply is read through: the same text, character for character, with less to tell apart.

    view[i] stands for text[i]   (lower case; dashes are '-'; markup, quotes and braces are blanks; full-width is ASCII)

Since no character moves, a span found in the view is the span in the reply.

Replies that decline, and replies that were cut off.
"""

from __future__ import annotations

import re

from trueness.patterns import late

LIMIT = 200_000  # characters of a reply that are read; the rest is named in the message

_BLANK = "*`$_\"'{}\t\r\u00a0\u2007\u2009\u200a\u202f\u3000\u200b\u2060\ufeff\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb"
_BLANK += "•◦▪●‣·"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d\u2043"
_TABLE = {ord(sign): " " for sign in _BLANK}
_TABLE |= {ord(sign): "-" for sign in _DASHES}
_TABLE |= {ord("０") + digit: str(digit) for digit in range(10)}
_TABLE |= {
    ord(wide): narrow
    for wide, narrow in zip("（）［］【】：，、；％．＝｜～〜∼≈→⇒∈﹪⩾⩽≧≦", "()[][]:,,;%.=|~~~~~~:%≥≤≥≤", strict=True)
}
_FREQUENT = tuple((sign, _TABLE[ord(sign)]) for sign in "\u2013\u2014\u2212\u2011\u2019\u201c\u201d•≈→\u00a0\u202f")
_ASCII_BLANKS = tuple(sign for sign in _BLANK if sign.isascii())
_WITHOUT_BLANKS = bytes(32 if chr(code) in _BLANK else code for code in range(256))
_FOREIGN = late(f"[{''.join(chr(code) for code in _TABLE if code > 127)}]")
_ASCII_LOWER = {code: code + 32 for code in range(65, 91)}

_TAG = late(r"</?[a-z][\w -]{0,30}>")
_SILENT_TAGS = frozenset("table thead tbody tr th td b i u em strong br p li ul ol code div span".split())
_CELL_ENDS = late(r"</t([rhd])>")
_ENTITIES = {"&ndash;": "-", "&mdash;": "-", "&minus;": "-", "&nbsp;": " ", "&plusmn;": "±", "&le;": "≤", "&ge;": "≥"}
_ENTITIES |= {"&#8211;": "-", "&lt;": "<", "&gt;": ">"}
_LINK = late(r"https?://[^\s)\]]+")
_TABBED = late(r"(?<=\S)\t(?=\S)")
_STRUCK = late(r"~~[^~\n]{1,80}~~")
_LEADERS = late(r"\.{4,}")
_LATEX = late(
    r"\\(?:frac|dfrac|tfrac)\s?(?P<fraction>\{\d{1,6}\}\s?\{\d{1,6}\})"
    r"|\\(?P<sign>pm|leq?|geq?|leqslant|geqslant|lt|gt|approx|sim|to|rightarrow|in|%)(?![a-z])"
    r"|\\(?:left|right|big[lr]?|text(?:bf|it|tt)?|math(?:bf|rm|it|sf)|operatorname|emph|boxed"
    r"|quad|qquad|item|hline|midrule|toprule|bottomrule|;|,|!|:|>| |\(|\)|\[|\]|_|&)"
)
_SIGNS = {
    "pm": "±",
    "le": "≤",
    "leq": "≤",
    "leqslant": "≤",
    "lt": "<",
    "ge": "≥",
    "geq": "≥",
    "geqslant": "≥",
    "gt": ">",
}
_SIGNS |= {"approx": "~", "sim": "~", "to": "~", "rightarrow": "~", "in": ":", "%": "%"}


def view_of(text: str) -> str:
    """The reply as the readers look at it; as long as the reply."""
    view = text.lower()
    if len(view) != len(text):  # one letter of Turkish grows when it is lowered
        view = text.translate(_ASCII_LOWER)
    if not view.isascii():
        for sign, plain in _FREQUENT:
            view = view.replace(sign, plain)
        view = view.replace("f₁", "f1")
    if "\\" in view:
        view = _LATEX.sub(_plain_latex, view)
    if "</" in view:
        if "</t" in view:
            view = _CELL_ENDS.sub(_plain_cell, view)
        view = _TAG.sub(_plain_tag, view)
    if "&" in view:
        for entity, plain in _ENTITIES.items():
            view = view.replace(entity, plain.ljust(len(entity)))
    if "://" in view:
        view = _LINK.sub(lambda link: " " * len(link.group()), view)
    if "\t" in view:
        view = _TABBED.sub("|", view)
    if "~~" in view:
        view = _STRUCK.sub(lambda text: " " * len(text.group()), view)
    if "...." in view:
        view = _LEADERS.sub(lambda dots: " " * len(dots.group()), view)
    if view.isascii():
        view = view.encode().translate(_WITHOUT_BLANKS).decode()
    elif _FOREIGN.search(view) is not None:
        view = view.translate(_TABLE)
    else:  # accents only: a look at every character would take ten times as long
        for sign in _ASCII_BLANKS:
            view = view.replace(sign, " ")
    return view.replace("->", " ~")


def _plain_latex(match: re.Match[str]) -> str:
    """As many characters as the command had."""
    written = match.group()
    if fraction := match.group("fraction"):
        plain = fraction.replace("}", "", 1).replace("{", " ", 1).replace("{", "/").replace("}", "").replace(" /", "/")
        return plain.rjust(len(written))
    if sign := match.group("sign"):
        return _SIGNS[sign].rjust(len(written))
    if written in ("\\[", "\\]", "\\(", "\\)"):
        return "  "
    return " " * len(written)


def _plain_cell(match: re.Match[str]) -> str:
    """The rows and cells of an HTML table as those of a markdown one."""
    return "|    " if match.group(1) != "r" else "\n    "


def _plain_tag(match: re.Match[str]) -> str:
    """An opening tag is a name; a closing one says nothing new."""
    written = match.group()
    return " " * len(written) if written[1] == "/" or written[1:-1] in _SILENT_TAGS else f" {written[1:-1]} "


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
