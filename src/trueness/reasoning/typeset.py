"""Formulas as they are typeset, in Unicode or LaTeX, in the characters of the grammar.

(1+r)ⁿ, 3½, ρ           (1+r)^(n), (3 + 1/2), rho
\\frac12, \\sqrt[3]{a}    ((1)/(2)), ((a)^(1/(3)))
\\sin^2\\theta, cos 60°   (sin(theta))^2, cos(radians(60)); sin a b is left as it is: nobody says how far it goes
"""

from __future__ import annotations

import re
import unicodedata

from trueness.patterns import late

_SIGNS = dict(zip("×·⋅∗÷∕⁄−–—≈′[]", "****///---='()", strict=True)) | {"√": " sqrt ", "π": " pi "}
_SIGNS |= {  # ½, ⅔
    chr(code): f"({unicodedata.normalize('NFKC', chr(code)).replace('⁄', '/')})"
    for code in (*range(0xBC, 0xBF), *range(0x2150, 0x215F))
}
_RAISED = {  # ⁿ is n above the line; º is often a degree, and ª and ™ are no exponents
    chr(code): unicodedata.normalize("NFKC", chr(code)).replace("−", "-")
    for low, high in ((0xB2, 0xBA), (0x2B0, 0x2E4), (0x1D2C, 0x1D6B), (0x1D9B, 0x1DC0), (0x2070, 0x2080))
    for code in range(low, high)
    if unicodedata.decomposition(chr(code)).startswith("<super>")
}
_SUPERSCRIPT = late(f"[{''.join(_RAISED)}]+")
_DIGITS_OF = str.maketrans(_RAISED)
_ARGUMENT = r"(?:\{([^{}]*)\}|(\\(?![dtc]?frac|sqrt|text|math|left)[A-Za-z]+|[^\W_]))"  # \frac\pi2, \frac{a}2
_LATEX = (
    (late(r"\\(?:left|right|quad|qquad|displaystyle|[,;:! ()\[\]])|~"), " "),
    (late(r"\\Delta\s*(?=\\?[A-Za-z])"), " Delta"),  # of one quantity: ΔT
    (late(r"\\log_\{?(10|2)\}?"), r" log\1 "),
    (
        late(
            r"\\(sin|cos|tan|ln|log|exp)\s*\\(?![dtc]?frac|sqrt|root|text|math|left|[lr]vert)"
            r"([A-Za-z]+(?:_(?:\{\w*\}|\w))?)"
        ),
        r" \1(\2)",
    ),
    (late(r"\\lambda(?![A-Za-z])"), " lamda"),
    (late(r"\\var(?=(?:epsilon|theta|phi|rho|sigma|kappa)(?![A-Za-z]))"), r"\\"),
    (late(r"\\[lr]?[vV]ert(?![A-Za-z])"), "|"),
    (late(r"\\(?:times|cdot)"), "*"),
    (late(rf"\\[dtc]?frac(?![A-Za-z])\s*{_ARGUMENT}\s*{_ARGUMENT}"), r"((\1\2)/(\3\4))"),
    (late(r"\\[dt]?binom\s*\{([^{}]*)\}\s*\{([^{}]*)\}"), r" comb(\1, \2)"),
    (late(r"\\sqrt\s*\{([^{}]*)\}"), r" sqrt(\1)"),
    (late(r"\\sqrt(?=\d)"), " sqrt "),
    (late(r"\\root\{([^{}]*)\}\s*\{([^{}]*)\}"), r"((\2)^(1/(\1)))"),
    (late(r"_\{(\w*)\}"), r"_\1"),
    (late(r"\^\{([^{}]*)\}"), r"^(\1)"),
    (late(r"\\(?:text|mathrm)\s*\{([^{}]*)\}"), r"\1"),
    (late(r"\\(?=[A-Za-z])"), " "),
)
_ENDS = r"(?=\s*(?:$|[-+*/=),.]|(?:sin|cos|tan)\b))"  # nothing follows that could belong to the angle
_ANGLE = r"((?:\d+(?:\.\d+)?\s*)?[^\W\d]\w*|\d+(?:\.\d+)?)"
_BARE_CALL = late(rf"\b(sin|cos|tan|ln|log10|log2)\s+{_ANGLE}{_ENDS}")  # sin θ, sin 2 θ
_POWER = late(r"\b(sin|cos|tan|ln|log10)\s*(?:\^|\*\*)\s*(?:([2-9])|\(\s*([2-9])\s*\))\s*(?=\(|[^\W_])")  # sin^2 θ
_BARE_ANGLE = late(_ANGLE + _ENDS)
_CIRCLE = late(r"\s*(?:\^\s*\{?\s*\\circ\s*\}?|\\degree(?![A-Za-z]))")
_DEGREES = late(  # cos(60°); elsewhere nobody says in what the other angles are
    r"\b(sin|cos|tan)\s*(?:\(\s*(\d+(?:\.\d+)?)\s*(?:°|deg(?:rees?)?\b)\s*\)|\s(\d+(?:\.\d+)?)\s*°)"
)
_BRACKET = late(r"\\(?:left|right|[bB]igg?[lr]?)\s*([\[\]])")
_NO_INDEX = late(r"\[([^\[\]]*[(^][^\[\]]*)\]")
_INDEXED_ROOT = late(r"\\sqrt\s*\[\s*([^\][{}]{1,5})\]")
_MIXED = late("(?<![\\w.])(\\d+) ?([\u00bc-\u00be\u2150-\u215e])")  # 3½ is 3 + 1/2
_GREEK = late("[α-ωΑ-Ω]")
_MODULE = late(r"\b(?:math|np|numpy)\.(?=(?:sqrt|exp|log10|log2|sin|cos|tan|ceil|floor|pi|radians|degrees)\b)")
_INVERSE = late(r"\barc(sin|cos|tan)\s*\(|\b(sin|cos|tan)\s*(?:\^\s*[({]?\s*[-−]\s*1\s*[)}]?|⁻¹)\s*\(")
_FACTORIAL = late(r"(?<![\w.])(?:\(([^()]*)\)|([^\W\d]\w*|\d+))!(?!=)")


def as_characters(text: str) -> str:
    text = _INVERSE.sub(lambda match: f"a{match[1] or match[2]}(", text)
    text = _MODULE.sub("", re.sub(r"\b(?:math|np|numpy)\.log\(", "ln(", text))
    text = re.sub(r"(?<=[\w)}])\s+(?:mod|\\b?mod)\s+(?=[\w({\\])", " % ", text)
    text = _FACTORIAL.sub(lambda match: f" factorial({match[1] or match[2]})", text)
    text = _SUPERSCRIPT.sub(lambda match: f"^({match[0].translate(_DIGITS_OF)})", text)
    text = _MIXED.sub(lambda match: f"({match[1]} + {unicodedata.normalize('NFKC', match[2]).replace('⁄', '/')})", text)
    text = "".join(_SIGNS.get(letter, letter) for letter in text.strip().strip("$`"))
    text = _CIRCLE.sub("°", re.sub(r"\blog_(?=(?:10|2)\b)", "log", text))
    before = "" if set("\\{") & set(text) else text
    while before != text:  # from the innermost braces outwards; each round removes some
        before = text
        for pattern, replacement in _LATEX[:-1]:
            text = pattern.sub(replacement, text)
    text = _DEGREES.sub(r"\1(radians(\2\3))", latin(_LATEX[-1][0].sub(" ", text)))
    return _BARE_CALL.sub(r"\1(\2)", _with_powers_behind(text))


def with_brackets(text: str) -> str:
    """Brackets that are no index, as parentheses: of LaTeX, and P[r(1 + r)^n]."""
    text = _INDEXED_ROOT.sub(r"\\root{\1}", text)
    text = _NO_INDEX.sub(r"(\1)", text)
    return _BRACKET.sub(lambda match: "(" if match[1] == "[" else ")", text)


def _with_powers_behind(text: str) -> str:
    """sin^2(θ) and sin^2 θ are (sin(θ))^2."""
    at = 0
    while (match := _POWER.search(text, at)) is not None:
        at, end = match.start() + 1, match.end()
        bare = _BARE_ANGLE.match(text, end)
        closing = bare.end() if bare else _closing(text, end)
        if closing > end:
            angle = bare[1] if bare else text[end + 1 : closing - 1]
            text = f"{text[: match.start()]}({match[1]}({angle}))^{match[2] or match[3]}{text[closing:]}"
    return text


def _closing(text: str, opening: int) -> int:
    """Behind the bracket that closes the one at this place; 0 where none is there or none closes it."""
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth <= 0:
            return at + 1 if text[opening] == "(" else 0
    return 0


def latin(text: str) -> str:
    """ρ is rho, Δ is Delta: one name in rules and nodes."""
    text = unicodedata.normalize("NFKC", text)
    return _GREEK.sub(_spelt, text)


def _spelt(letter: re.Match[str]) -> str:
    name = unicodedata.name(letter[0], "").replace("FINAL ", "").partition(" LETTER ")[2].split()  # U+03A2 has no name
    return letter[0] if not name else name[0].title() if letter[0].isupper() else name[0].lower()
