"""The grammar of rules: tokens of a formula, grouped as it is written, become a tree.

    a = F / m      a = F/m = 10/2 takes the first two sides
    + -   * / % of   ^ **   |x|   √x   5 %   2 x and 2(x) multiply; net force does not
    numbers, names, and the functions of trees.FUNCTIONS

Nothing is ever compiled or executed. Limits, each named in the message when it is met: length 500, 200 tokens, nesting
40, 40 digits in a number, exponents up to 1,000. Everything else (attributes, indexing, strings, lambda, names with two
underscores) is refused.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, reduce
from typing import NamedTuple

from trueness.errors import TruenessError, did_you_mean
from trueness.patterns import late
from trueness.reasoning.trees import (
    BINDS,
    CONSTANTS,
    FUNCTIONS,
    NATURE,
    Binary,
    Call,
    Name,
    Negative,
    Number,
    Tree,
)
from trueness.reasoning.typeset import as_characters, latin, with_brackets

MAX_LENGTH = 500
MAX_TOKENS = 200
MAX_DEPTH = 40
MAX_DIGITS = 40
MAX_POWER = 1_000

_TOKEN = late(
    r"""\s*(?:
      (?P<number>(?:\d{1,3}(?:,\d{3})+(?!\d|,\d)(?:\.\d+)?|\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+(?![\w.]))?)
    | (?P<name>[^\W\d]\w*'*)
    | (?P<operator>\*\*|[-+*/^%()=|,])
    | (?P<stray>\S)
    )""",
    re.VERBOSE,
)
_BRACKETS = late(r"\s*[(\[][^()\[\]]{0,30}(?:\([^()\[\]]{0,30}\))?[)\]]\s*$")
_SIGNED = late(r"[\[\]|+!{}\\\u00bc-\u00be]|\w\(")
_TIMES = late(r"(?<=[\w)\]|%])\s+[xX]\s+(?=[\d(]|[^\W\d]{3,})")
_INDEXED = late(r"[\w)]\s*\[")
_LETTER = late(r"[^\W\d_](?:_?\d|_\w{1,3})?'*")  # m v and m_1 v_1 multiply, whatever they stand for
_LAMBDA = late(r"(?<![^\W_])lambda(?![^\W_])")
_KEYWORDS = frozenset(("if", "then", "else", "and", "or", "not", "of"))
_TOO_DEEP = f"a rule must be nested at most {MAX_DEPTH} deep, got more. Split it."


class RuleError(TruenessError):
    """A rule that is no formula of the grammar."""


class Equation(NamedTuple):
    """`left = right`; left is None where the rule has no equals sign."""

    left: Tree | None
    right: Tree


class _Token(NamedTuple):
    kind: str  # number, name, word (a keyword), or the operator itself
    text: str
    near: bool = True  # no blank stands before it


_NONE, _OPEN, _CLOSE = _Token("", ""), _Token("(", "("), _Token(")", ")")


def parse(text: str, names: tuple[str, ...] = (), letters: frozenset[str] = frozenset()) -> Equation:
    """A formula as trees; RuleError in one line where it is none. `names` may hold names of several words; two of them
    side by side multiply, as in m g h and L (1 + x), and so do those written as one, as in V = IR, and `letters` in
    words that are no name: mv^2 is m v^2."""
    if len(text) > MAX_LENGTH:
        raise RuleError(f"a rule must have at most {MAX_LENGTH} characters, got {len(text):,}. Shorten it.")
    sides: list[list[_Token]] = [[]]
    for token in _tokens(plain(_with_symbols(text, names)), names):
        if token.kind == "=":
            sides.append([])
        else:
            sides[-1].append(token)
    left, right, *_ = (sides[0], sides[1]) if len(sides) > 1 else ([], sides[0])  # behind a second = is the computation
    known = frozenset((*(symbol(name) for name in names), *CONSTANTS, *NATURE)) if names else frozenset[str]()
    return Equation(_parse_side(left, known, letters) if len(sides) > 1 else None, _parse_side(right, known, letters))


def _with_symbols(text: str, names: Sequence[str]) -> str:
    """[H+], P(A|B), N(t) and ΔH are names, where nodes are called so; elsewhere their signs compute. 3 x price is a
    product where nothing is called x."""
    if "x" not in {symbol(name).lower() for name in names}:
        text = _TIMES.sub(" * ", text)
    signs = {name: symbol(name) for name in names if _SIGNED.search(name) and name in text}
    for name in sorted(signs, key=len, reverse=True):
        if Counter(signs.values())[signs[name]] == 1:
            ahead = r"(?<!\w)" if name[0].isalnum() else ""
            text = re.sub(rf"{ahead}{re.escape(name)}(?!\w)", f" {signs[name]} ", text)
            text = re.sub(rf"\b(ln|log10|log2|log)\s+{re.escape(signs[name])}\b", rf"\1({signs[name]})", text)
    return text


def plain(text: str) -> str:
    """Signs of mathematics and LaTeX as the grammar's own characters."""
    text = with_brackets(text)
    if _INDEXED.search(text):
        raise RuleError("a rule must not index (x[...]). Give each value a name of its own.")
    return as_characters(text.replace("\\_", "_"))


@lru_cache(maxsize=8192)
def symbol(name: str) -> str:
    """A node's name as it stands in a formula: `net force` is net_force, v₀ is v0."""
    name = (
        name.replace("∪", "_union_")
        .replace("∩", "_intersection_")
        .replace("|", "_given_")
        .replace("+)", "_plus)")
        .replace("(+", "(plus_")
    )
    joined = re.sub(r"[^\w']+", "_", as_characters(name) if "\\" in name else latin(name))
    plain_name = re.sub("__+", "_", joined).strip("_")
    return _LAMBDA.sub("lamda", plain_name)  # as Unicode spells it: Python's own word is refused


def _spellings(names: Iterable[str]) -> list[tuple[str, str]]:
    """How names of several words may stand in a rule, the longest first: `net force` for net_force or Net Force (N)."""
    symbols_of: dict[str, set[str]] = {}
    for name in names:
        for spelling in (name.strip(), name.strip().replace("_", " "), _BRACKETS.sub("", name.strip())):
            if spelling and spelling != symbol(name) and not spelling.isdigit():
                symbols_of.setdefault(spelling, set()).add(symbol(name))
    clear = [(spelling, min(owners)) for spelling, owners in symbols_of.items() if len(owners) == 1]
    return sorted(clear, key=lambda pair: -len(pair[0]))


def _tokens(text: str, names: Iterable[str]) -> list[_Token]:
    for spelling, short in _spellings(names):
        if spelling.lower() in text.lower():
            case = re.IGNORECASE if len(spelling) > 2 else 0  # M and m, T and t are two
            text = re.sub(rf"(?<!\w){re.escape(spelling)}(?!\w)", short, text, flags=case)
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
        if opened > MAX_DEPTH:
            raise RuleError(_TOO_DEEP)
        kind = written if kind == "operator" else "word" if written in _KEYWORDS else kind
        tokens.append(_Token(kind, written, match.start(match.lastgroup or "") == at))
        at = match_end
        if len(tokens) > MAX_TOKENS:
            raise RuleError(f"a rule must have at most {MAX_TOKENS} numbers, names and signs, got more. Split it.")
    return tokens


def _split(token: _Token, known: frozenset[str], letters: frozenset[str]) -> list[_Token]:
    """`kqQ` as k q Q where these are names, or letters of names, and it is none, and there is one way to do so."""
    name = token.text
    whole = token.kind != "name" or name in known or name in letters or name.lower() in FUNCTIONS
    if whole or not known or len(name) > 12:
        return [token]
    short = name.isalpha() and len(name) <= (3 if name.islower() else 4)  # rate is a word
    for parts in (known, known | letters) if short else (known,):
        ways: list[list[list[str]]] = [[] for _ in (*name, "")]  # by end: how the letters before it can be split
        ways[0].append([])
        for end in range(1, len(name) + 1):
            for start in range(end):
                if name[start:end] in parts:
                    ways[end] += [[*way, name[start:end]] for way in ways[start]][:2]
        if len(ways[-1]) == 1:
            first, *rest = ways[-1][0]
            return [_Token("name", first, token.near), *(_Token("name", part) for part in rest)]
    return [token]


def _split_words(tokens: list[_Token], known: frozenset[str], letters: frozenset[str]) -> list[_Token]:
    """Each word as what is written together in it; in the exponent of e or of brackets all of it: e^-kt, (1 + r)^nt."""
    out: list[_Token] = []
    for token in tokens:
        split = _split(token, known, letters)
        raised = [one.kind for one in out[-2:]]
        sign = 1 if raised[-1:] in (["^"], ["**"]) else 2 if raised in (["^", "-"], ["**", "-"]) else 0
        if len(split) > 1 and sign:
            base = out[-sign - 1].text if len(out) > sign else ""
            if base not in ("e", ")"):
                raise RuleError("a rule must say how far an exponent goes. Write x^(a * b), or x^a * b.")
            split = [_OPEN, *split, _CLOSE]
        out += split
    return out


class _Parser:
    """By precedence, from the weakest operator inwards."""

    def __init__(self, tokens: list[_Token], known: frozenset[str]):
        self.tokens, self.known, self.at, self.depth = [*tokens, _NONE, _NONE], known, 0, 0

    def whole(self) -> Tree:
        tree = self.binary()
        if self.next.kind:
            raise self.misplaced()
        return tree

    @property
    def next(self) -> _Token:
        return self.tokens[self.at]

    @property
    def before(self) -> _Token:
        return self.tokens[self.at - 1] if self.at else _NONE

    def take(self, text: str) -> bool:
        """Whether the next token is this; it is then behind us."""
        matches = bool(self.next.kind) and self.next.text == text
        self.at += matches
        return matches

    def expect(self, text: str) -> None:
        if not self.take(text):
            raise self.misplaced()

    def misplaced(self) -> RuleError:
        if self.next.kind in (")", "|") or any(token.kind == "(" for token in self.tokens[: self.at]):
            closing = self.next.text or "("
            return RuleError(f"a rule must have what {closing!r} closes. Check its parentheses and words.")
        shown = " ".join(token.text for token in self.tokens).strip()[:40]
        return RuleError(f"a rule must have a number or a name at every place, got {shown!r}. Check its signs.")

    def deeper(self, read: Callable[[], Tree]) -> Tree:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise RuleError(_TOO_DEEP)
        tree = read()
        self.depth -= 1
        return tree

    def binary(self, least: int = 1) -> Tree:
        left = self.unary()
        while True:
            sign, width = self.operator()
            binds = BINDS.get(sign, 0)
            if not sign or binds < least or sign == "^":
                return left
            self.at += width
            left = Binary(sign, left, self.divisor() if sign == "/" else self.binary(binds + 1))

    def divisor(self) -> Tree:
        """`PV/RT` and `b/2a` divide by the product that is written together; `1/2 m v` is a half of m v; what blanks
        leave open (`a / b c`), or custom does (`1/2πRC`), is refused."""
        start, factors = self.at, [self.unary()]
        ends = [self.at]
        while self.next.kind in ("number", "name", "("):
            self.check_product(self.next)
            factors.append(self.unary())
            ends.append(self.at)
        if len(factors) == 1:
            return factors[0]
        before = [token.kind for token in (_NONE, _NONE, *self.tokens[: start - 1])[-3:]]
        opening, second = self.tokens[start], self.tokens[ends[0]]
        raised = before[1] in ("^", "**") or (before[1] == "-" and before[0] in ("^", "**"))  # v^2/2a is over 2 a
        half = before[2] == opening.kind == "number" and not raised
        if not half and opening.kind == "number" and second.kind == "(":  # n/2(a + b)
            raise RuleError("a rule must say what it divides by. Write a / (2 * (b + c)), or (a / 2) * (b + c).")
        closed = before[1] == "(" and self.next.kind == ")" and ends[-1] == ends[0] + 1  # (1/2L) beside others
        beside = (self.tokens[start - 4].kind if start > 3 else "", self.tokens[self.at + 1].kind)
        if half and closed and any(kind in ("*", "number", "name", "(", ")") for kind in beside):
            raise RuleError("a rule must say what it divides by. Write 1 / (2 * L), or L / 2.")
        of_half = half and (second.text != "pi" or opening.text not in ("2", "4"))  # 1/3 π r², but 1/2π
        if of_half or (opening.kind == "(" and second.text == "sqrt"):  # 1/(2L)√(T/μ)
            self.at = ends[0]
            return factors[0]
        if half or not all(self.tokens[end].near for end in ends[:-1]):
            raise RuleError("a rule must say what it divides by. Write a / (b * c), or (a / b) * c.")
        return reduce(lambda left, right: Binary("*", left, right), factors)

    def operator(self) -> tuple[str, int]:
        """The operator in front of us and its tokens: none, where two factors stand side by side."""
        token = self.next
        if token.kind in ("number", "name", "("):
            self.check_product(token)
            return "*", 0
        sign = {"of": "*", "**": "^"}.get(token.text, token.text)
        return (sign, 1) if token.kind and sign in BINDS else ("", 0)

    def check_product(self, token: _Token) -> None:
        before, ahead, known = self.before, self.tokens[self.at + 1], self.known
        called = token.text == "sqrt" or (token.text.lower() in FUNCTIONS and ahead.kind == "(")
        letter = bool(known and _LETTER.fullmatch(before.text))
        both = (before.text in known and (token.kind == "(" or token.text in known or called)) or (letter and called)
        both = both or ((letter or (before.text in CONSTANTS and bool(known))) and bool(_LETTER.fullmatch(token.text)))
        counted = token.kind == "(" and len(before.text) > 2 and ahead.kind == "number"  # price (5)
        counted = counted and self.tokens[self.at + 2].kind == ")"
        if token.kind == "number" or (before.kind == "name" and (not both or counted)):
            raise RuleError(f"a rule must have an operator between {before.text!r} and {token.text!r}.")

    def unary(self) -> Tree:
        if self.take("-"):
            return Negative(self.deeper(self.unary))
        if self.take("+"):
            return self.deeper(self.unary)
        base = self.shared(self.primary())
        if not (self.take("^") or self.take("**")):
            return base
        exponent = self.deeper(self.unary)
        if self.before.text == "1" and self.next.kind == "/":
            raise RuleError("an exponent that is a fraction must stand in brackets. Write x^(1/2).")
        size = exponent.operand if isinstance(exponent, Negative) else exponent
        if isinstance(size, Number) and abs(size.value) > MAX_POWER:
            raise RuleError(f"an exponent must be at most {MAX_POWER:,}, got {size.value:g}. Use exp or a name.")
        return Binary("^", base, exponent)

    def shared(self, tree: Tree) -> Tree:
        """With the per cent sign behind it; one before a number or a name is the remainder."""
        while self.next.kind == "%":
            before, ahead = self.before, self.tokens[self.at + 1]
            if before.kind == "number" and ahead.kind in ("name", "("):
                share = f"{before.text} % is a share or a remainder"
                raise RuleError(f"a rule must not leave open whether {share}. Add 'of'.")
            if ahead.kind in ("number", "name", "("):
                break
            joined = [token.text for token in self.tokens[max(0, self.at - 3) : self.at - 1]]
            added = joined[-1:] in (["+"], ["-"]) and joined[:-1] != ["1"]
            if before.kind == "number" and added and ahead.kind not in ("*", "word"):
                raise RuleError(f"a rule must say of what {before.text} % is added. Write x * (1 + {before.text} %).")
            self.at += 1
            tree = Number(tree.value / 100) if isinstance(tree, Number) else Binary("/", tree, Number(100.0))
        return tree

    def primary(self) -> Tree:
        token = self.next
        self.at += 1
        if token.kind == "number":
            return _number(token.text)
        if token.kind == "name":
            return self.named(token.text)
        if token.kind in ("(", "|"):
            tree = self.deeper(self.binary)
            self.expect(")" if token.kind == "(" else "|")
            return tree if token.kind == "(" else Call("abs", (tree,))
        self.at -= 1
        raise self.misplaced()

    def named(self, name: str) -> Tree:
        if "__" in name or name == "lambda":
            raise RuleError(f"a name in a rule must not be {name[:30]!r}. Use letters, digits and single underscores.")
        function, called = name.lower(), self.next.kind == "(" and name not in self.known
        if called and function in FUNCTIONS:
            return self.call(function)
        if function == "sqrt":  # the root sign has no brackets
            tree = self.deeper(self.primary)
            if self.next.near and self.next.kind in ("number", "name", "("):
                raise RuleError("a root must say how far it goes. Write sqrt(2 * g * h).")
            return Call("sqrt", (tree,))
        if called:
            advice = did_you_mean(function, FUNCTIONS) or f"Known: {', '.join(FUNCTIONS)}."
            raise RuleError(f"{name[:40]!r} is not a function of rules. {advice}")
        return Name(name)

    def call(self, function: str) -> Tree:
        self.at += 1
        arguments = [self.deeper(self.binary)]
        while self.take(","):
            arguments.append(self.deeper(self.binary))
        self.expect(")")
        _, fewest, most = FUNCTIONS[function]
        if not fewest <= len(arguments) <= most:
            wanted = f"{fewest}" if fewest == most else f"{fewest} to {most}"
            raise RuleError(f"'{function}' must have {wanted} values in its brackets, got {len(arguments)}.")
        return Call(function, tuple(arguments))


def _parse_side(tokens: list[_Token], known: frozenset[str], letters: frozenset[str]) -> Tree:
    changes = {name.replace("_", "").lower(): name for name in known if name.lower().startswith("delta_")}  # ΔT
    tokens = [
        token if token.text in known else token._replace(text=changes.get(token.text.lower(), token.text))
        for token in tokens
    ]
    return _Parser(_split_words(tokens, known, letters), known | letters).whole()


def _number(text: str) -> Number:
    digits = text.replace(",", "")
    if sum(letter.isdigit() for letter in digits) > MAX_DIGITS:
        raise RuleError(f"a number must have at most {MAX_DIGITS} digits, got {len(digits):,}. Round it.")
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise RuleError(f"a number must be below 1e308, got {text}. Use another unit.")
    return Number(value)
