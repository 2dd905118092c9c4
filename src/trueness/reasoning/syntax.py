"""The grammar of rules: our own tokens and recursive descent, nothing of the text is ever executed.

    rule       := [side "="] side                        a = F / m      a = F/m = 10/2 takes the first two sides
    side       := "if" choice "then" choice "else" side | choice
    choice     := logic ["if" logic "else" choice]
    logic      := all ("or" all)*       all := negation ("and" negation)*       negation := ["not"] comparison
    comparison := sum [("<" | "<=" | ">" | ">=" | "==" | "!=") sum]
    sum        := product (("+" | "-") product)*
    product    := signed (("*" | "/" | "%" | "of") signed)*      2 x and 2(x) multiply; x y does not
    signed     := ("-" | "+") signed | power
    power      := atom ["%"] [("^" | "**") signed]
    atom       := number | name | function "(" side ("," side)* ")" | "(" side ")" | "|" side "|" | "sqrt" atom

Limits, each named in the message when it is met: length 500, 200 tokens, nesting 40, 40 digits in a number, exponents
up to 1,000. Everything else (attributes, indexing, strings, lambda, names with two underscores) is refused.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

from trueness.errors import TruenessError, did_you_mean
from trueness.reasoning.trees import FUNCTIONS, Binary, Call, Choice, Name, Negative, Number, Tree

MAX_LENGTH = 500
MAX_TOKENS = 200
MAX_DEPTH = 40
MAX_DIGITS = 40
MAX_POWER = 1_000

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<number>(?:\d{1,3}(?:,\d{3})+(?!\d|,\d)(?:\.\d+)?|\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+(?![\w.]))?)
    | (?P<name>[^\W\d]\w*'*)
    | (?P<operator>\*\*|==|!=|<=|>=|[-+*/^%()<>=|,])
    | (?P<stray>\S)
    )""",
    re.VERBOSE,
)
_SIGNS = {
    "×": "*",
    "·": "*",
    "⋅": "*",
    "∗": "*",
    "÷": "/",
    "∕": "/",
    "⁄": "/",
    "−": "-",
    "–": "-",
    "—": "-",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "≈": "=",
    "√": " sqrt ",
    "π": " pi ",
    "½": "(1/2)",
    "¼": "(1/4)",
    "¾": "(3/4)",
    "⅓": "(1/3)",
    "′": "'",
    "[": "(",
    "]": ")",
}
_SUPERSCRIPT = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+")
_DIGITS_OF = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_LATEX = (
    (re.compile(r"\\(?:left|right|,|;|!)"), ""),
    (re.compile(r"\\(?:times|cdot)"), "*"),
    (re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}"), r"((\1)/(\2))"),
    (re.compile(r"\\sqrt\s*\{([^{}]*)\}"), r"sqrt(\1)"),
    (re.compile(r"_\{(\w*)\}"), r"_\1"),
    (re.compile(r"\^\{([^{}]*)\}"), r"^(\1)"),
    (re.compile(r"\\(?:text|mathrm)\s*\{([^{}]*)\}"), r"\1"),
    (re.compile(r"\\(?=[A-Za-z])"), " "),
)
_BRACKETS = re.compile(r"\s*[(\[][^()\[\]]{0,30}[)\]]\s*$")
_INDEXED = re.compile(r"[\w)]\s*\[")
_KEYWORDS = frozenset(("if", "then", "else", "and", "or", "not", "of"))
_OPENS = frozenset(("number", "name", "("))


class RuleError(TruenessError):
    """A rule that is no formula of the grammar."""


class Equation(NamedTuple):
    """`left = right`; left is None where the rule has no equals sign."""

    left: Tree | None
    right: Tree


class _Token(NamedTuple):
    kind: str  # number, name, end, or the operator itself
    text: str


def parse(text: str, names: tuple[str, ...] = ()) -> Equation:
    """A formula as trees; RuleError in one line where it is none. `names` may hold names of several words."""
    if len(text) > MAX_LENGTH:
        raise RuleError(f"a rule must have at most {MAX_LENGTH} characters, got {len(text):,}. Shorten it.")
    tokens = _tokens(plain(text), names)
    return _Parser(tokens).equation()


def plain(text: str) -> str:
    """Signs of mathematics and LaTeX as the grammar's own characters."""
    if _INDEXED.search(text):
        raise RuleError("a rule must not index (x[...]). Give each value a name of its own.")
    text = _SUPERSCRIPT.sub(lambda found: f"^({found[0].translate(_DIGITS_OF)})", text)
    text = "".join(_SIGNS.get(letter, letter) for letter in text.strip().strip("$`"))
    if "\\" in text:
        for pattern, replacement in _LATEX:
            text = pattern.sub(replacement, text)
    return unicodedata.normalize("NFKC", text)


def symbol(name: str) -> str:
    """A node's name as it stands in a formula: `net force` is net_force, v₀ is v0."""
    joined = re.sub(r"[^\w']+", "_", unicodedata.normalize("NFKC", name))
    return re.sub("__+", "_", joined).strip("_")


def _spellings(names: Iterable[str]) -> list[tuple[str, str]]:
    """How names of several words may stand in a rule, the longest first: `net force` for net_force or Net Force (N)."""
    found = {}
    for name in names:
        for spelling in (name.strip(), name.strip().replace("_", " "), _BRACKETS.sub("", name.strip())):
            if spelling and spelling != symbol(name) and not spelling.isdigit():
                found[spelling] = symbol(name)
    return sorted(found.items(), key=lambda pair: -len(pair[0]))


def _tokens(text: str, names: Iterable[str]) -> list[_Token]:
    for spelling, own in _spellings(names):
        if spelling.lower() in text.lower():
            text = re.sub(rf"(?<!\w){re.escape(spelling)}(?!\w)", own, text, flags=re.IGNORECASE)
    tokens: list[_Token] = []
    at, opened = 0, 0
    text = text.rstrip().rstrip(".;")
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            break
        kind, written = match.lastgroup or "", match[match.lastgroup or ""]
        if kind == "stray":
            raise RuleError(f"a rule must not contain {written!r}. Use numbers, names, + - * / ^ and parentheses.")
        if kind == "number" and opened and "," in written:  # max(1,200): two arguments
            written = written.split(",")[0]
            match_end = match.start("number") + len(written)
        else:
            match_end = match.end()
        opened += (written == "(") - (written == ")")
        tokens.append(_Token(written if kind == "operator" else kind, written))
        at = match_end
        if len(tokens) > MAX_TOKENS:
            raise RuleError(f"a rule must have at most {MAX_TOKENS} numbers, names and signs, got more. Split it.")
    return [*tokens, _Token("end", "")]


class _Parser:
    """One token ahead; `depth` counts what is open, so that nesting is bounded before Python's stack is."""

    def __init__(self, tokens: list[_Token]):
        self.tokens, self.at, self.depth, self.bars = tokens, 0, 0, 0

    @property
    def ahead(self) -> _Token:
        return self.tokens[self.at]

    def take(self, *kinds: str) -> _Token | None:
        token = self.ahead
        if token.kind in kinds or (token.kind == "name" and token.text in kinds and token.text in _KEYWORDS):
            self.at += 1
            return token
        return None

    def expect(self, kind: str) -> None:
        if not self.take(kind):
            got = self.ahead.text or "the end"
            raise RuleError(f"a rule must have {kind!r} before {got!r}. Check its parentheses and words.")

    def equation(self) -> Equation:
        first = self.side()
        if not self.take("="):
            self.end()
            return Equation(None, first)
        second = self.side()
        if self.ahead.kind != "=":  # a = F/m = 10/2 = 5: what follows is the computation
            self.end()
        return Equation(first, second)

    def end(self) -> None:
        if self.ahead.kind != "end":
            before = self.tokens[self.at - 1].text
            raise RuleError(f"a rule must have an operator between {before!r} and {self.ahead.text!r}.")

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise RuleError(f"a rule must be nested at most {MAX_DEPTH} deep, got more. Split it.")

    def side(self) -> Tree:
        if not self.take("if"):
            return self.choice()
        self.deeper()
        condition = self.logic()
        self.take(",")
        self.expect("then")
        then = self.choice()
        self.take(",")
        self.expect("else")
        tree = Choice(condition, then, self.side())
        self.depth -= 1
        return tree

    def choice(self) -> Tree:
        then = self.logic()
        if not self.take("if"):
            return then
        condition = self.logic()
        self.expect("else")
        self.deeper()
        tree = Choice(condition, then, self.choice())
        self.depth -= 1
        return tree

    def logic(self) -> Tree:
        tree = self.all_of()
        while self.take("or"):
            tree = Binary("or", tree, self.all_of())
        return tree

    def all_of(self) -> Tree:
        tree = self.negation()
        while self.take("and"):
            tree = Binary("and", tree, self.negation())
        return tree

    def negation(self) -> Tree:
        if not self.take("not"):
            return self.comparison()
        self.deeper()
        tree = Binary("==", self.negation(), Number(0.0))
        self.depth -= 1
        return tree

    def comparison(self) -> Tree:
        tree = self.sum()
        if token := self.take("<", "<=", ">", ">=", "==", "!="):
            return Binary(token.text, tree, self.sum())
        return tree

    def sum(self) -> Tree:
        tree = self.product()
        while token := self.take("+", "-"):
            tree = Binary(token.text, tree, self.product())
        return tree

    def product(self) -> Tree:
        tree = self.signed()
        while True:
            if token := self.take("*", "/", "%", "of"):
                tree = Binary("*" if token.text == "of" else token.text, tree, self.signed())
            elif self._multiplies():
                tree = Binary("*", tree, self.signed())
            else:
                return tree

    def _multiplies(self) -> bool:
        """2 x, 2(x), (a)(b): a number or a closed bracket in front of a name or an opened one."""
        before, ahead = self.tokens[self.at - 1], self.ahead
        if ahead.kind == "name" and ahead.text in _KEYWORDS:
            return False
        return before.kind in ("number", ")") and ahead.kind in ("name", "(")

    def signed(self) -> Tree:
        self.deeper()
        if self.take("-"):
            tree: Tree = Negative(self.signed())
        elif self.take("+"):
            tree = self.signed()
        else:
            tree = self.power()
        self.depth -= 1
        return tree

    def power(self) -> Tree:
        tree = self.atom()
        following = self.tokens[self.at + 1].kind if self.ahead.kind == "%" else ""
        following_text = self.tokens[self.at + 1].text if following == "name" else ""
        if self.ahead.kind == "%" and (following not in _OPENS or following_text in _KEYWORDS):
            self.at += 1
            tree = Number(tree.value / 100) if isinstance(tree, Number) else Binary("/", tree, Number(100.0))
        if self.take("^", "**"):
            exponent = self.signed()
            size = exponent.operand if isinstance(exponent, Negative) else exponent
            if isinstance(size, Number) and abs(size.value) > MAX_POWER:
                raise RuleError(f"an exponent must be at most {MAX_POWER:,}, got {size.value:g}. Use exp or a name.")
            return Binary("^", tree, exponent)
        return tree

    def atom(self) -> Tree:
        token = self.ahead
        self.at += 1
        if token.kind == "number":
            return _number(token.text)
        if token.kind == "(":
            tree = self.side()
            self.expect(")")
            return tree
        if token.kind == "|":
            tree = self.side()
            self.expect("|")
            return Call("abs", (tree,))
        if token.kind == "name" and token.text not in _KEYWORDS:
            return self._named(token.text)
        self.at -= 1
        raise RuleError(f"a rule must have a number or a name where {token.text or 'its end'!r} stands.")

    def _named(self, name: str) -> Tree:
        if "__" in name or name == "lambda":
            raise RuleError(f"a name in a rule must not be {name[:30]!r}. Use letters, digits and single underscores.")
        function = name.lower()
        if self.ahead.kind == "(":
            if function not in FUNCTIONS:
                advice = did_you_mean(function, FUNCTIONS) or f"Known: {', '.join(FUNCTIONS)}."
                raise RuleError(f"{name[:40]!r} is not a function of rules. {advice}")
            return self._call(function)
        if function == "sqrt":  # the root sign has no brackets
            self.deeper()
            tree = Call("sqrt", (self.atom(),))
            self.depth -= 1
            return tree
        return Name(name)

    def _call(self, function: str) -> Tree:
        self.expect("(")
        arguments = [self.side()]
        while self.take(","):
            arguments.append(self.side())
        self.expect(")")
        _, fewest, most = FUNCTIONS[function]
        if not fewest <= len(arguments) <= most:
            wanted = f"{fewest}" if fewest == most else f"{fewest} to {most}"
            raise RuleError(f"'{function}' must have {wanted} values in its brackets, got {len(arguments)}.")
        return Call(function, tuple(arguments))


def _number(text: str) -> Number:
    digits = text.replace(",", "")
    if sum(letter.isdigit() for letter in digits) > MAX_DIGITS:
        raise RuleError(f"a number must have at most {MAX_DIGITS} digits, got {len(digits):,}. Round it.")
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise RuleError(f"a number must be below 1e308, got {text}. Use another unit.")
    return Number(value)
