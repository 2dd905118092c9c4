"""The rule of an effect: a formula over its causes, or words.

    formula   `a = F/m`, `F/m`, `Newton: a = F/m (second law)`     a tree over nodes; is executed
    words     `friction slows the car`                                                counted and told, never guessed
    broken    `a = F /`, `a = f.__class__`                                            a message says why
    empty

The formula is the rule itself, or stands in it, or stands beside it, from whoever wrote the words. Each number and
operation of the words must be in it (passages.py).
A node that a formula names and the edge lacks is used, and told as a missing edge in `beyond`. Symbols stand for nodes
as names.py says, and what was taken for what is told in `aliases`; g, c, epsilon0 and their like are constants in SI
where every unit of the rule is one of SI. `F = m*a` for the effect a is solved for a where a occurs once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

from trueness.patterns import late
from trueness.reasoning.conversion import Converter, converted, with_base, with_shares
from trueness.reasoning.graph import ReasoningGraph, in_quotes
from trueness.reasoning.names import (
    STANDS_FOR,
    aliases_of,
    explained_symbols,
    letters_of,
    standing_of,
    symbols_in,
    tokens,
    unit_in,
)
from trueness.reasoning.passages import (
    LET,
    ROUNDED,
    equations,
    names_unit,
    passages,
    surplus,
    take_constants,
    with_indices_apart,
)
from trueness.reasoning.solving import isolate
from trueness.reasoning.syntax import MAX_LENGTH, Equation, RuleError, parse, symbol
from trueness.reasoning.trees import (
    CONSTANTS,
    FUNCTIONS,
    NATURE,
    Call,
    Name,
    Number,
    Tree,
    as_text,
    contradict,
    count_names,
    evaluate,
    rename,
    replace_names,
    takes_angles,
)  # fmt: skip

RuleKind = Literal["formula", "words", "broken", "empty"]
Values = tuple[tuple[str, float, str | None], ...]  # causes with a value, and their unit

_SIGNS = late(r"[=*/^+√×÷·²³\\]|\w\(|\*\*|__|lambda")
_SYMBOL = late(r"[^\W\d]\w{0,20}'?")
_EQUALS = late(r"\b(?:equals|is equal to|is given by)\s+[^\W\d_]{2,4}\s*\.?\s*$")  # energy equals mgh
_TWO_WORDS = late(r"[^\W\d]{2,30}[ ,]{1,9}[^\W\d]{2,30}")
_OR = late(r"=[^=]*\bor\b[^=]*=(?!=)|=[^=<>]*\bor\b[^=<>]*[-+*/×÷^]")  # v = gt or v = sqrt(2gh)
_SEVERAL = late(r"=[^=]*(?:;|\bthen\b|\bstep\b)[^=]*=(?!=)|\bd[a-z]\s?/\s?d[a-z]\b", re.IGNORECASE)
_STATEMENTS = late(  # two equations; R = 6 Ω is none
    r"=(?!\s*\d)[^=]*[-+*/×÷−][^=]*(?:[;,]|\b(?:and|so|then)\b)[^=]*=(?![=\s]*\d)[^=]*[-+*/×÷−]"
)
_COMPARED = late(r"(?<![-=])[<>≤≥∝]")
_DENIED = late(
    r"\b(?:(?:wrong|incorrect)(?:ly)? |might think|violation of|unlike |contrary to|twice the|half the law)", re.I
)
_AND = late(r"=[^=]*(?:\b(?:and|or|with|where|for|when|if|using|taking)\b|[,;])[^=]*=")  # more than a chain
_HUNDRED = late(r"[×x*·]\s*100\s*(%)\s*\)?\s*\.?\s*$")
_LAMBDA = late(r"(?:^|[=(:,])\s*lambda\b")
_PLAIN_NUMBER = late(r"\s*[-−]?\d[\d,]*(?:\.\d*)?\s*")
_FACTORIAL = late(r"(?:\d|\b[A-Za-z])!(?!=)")
_FUNCTION = late(r"^([^\W\d]\w*)\s*\(\s*([^\W\d]\w*(?:\s*,\s*[^\W\d]\w*)*)\s*\)\s*(?==(?!=))")  # N(t) = N0 e^(-k t)
_CHOOSES = late(r"^([a-z])([CP])([a-z])\s*(?==[^=]*!)")  # nCr = n! / (r! (n - r)!)
_OF_PERCENT = late(r"(?<=[^\W\d])\s*%\s*=(?!=)")  # Profit % = ...
_SI = frozenset("m s kg N J W Pa K C A V T Hz ohm Ω F H Wb mol rad deg degree degrees".split())
_FALLS = late(r"(?:/\s*\(|sqrt\s*\(|√\s*\(?|/|\\frac\{[^{}]*\}\{|\\sqrt\{)\s*\d\s*g\b")  # v^2 / (2 g), sqrt(2 g * h)


@dataclass(frozen=True)
class Rule:
    """How one effect follows from its causes. `tree` is over the names of nodes, and only where `kind` is formula."""

    text: str
    kind: RuleKind
    tree: Tree | None = None
    uses: frozenset[str] = frozenset()
    aliases: Mapping[str, str] = field(default_factory=dict)
    message: str = ""
    beyond: tuple[str, ...] = ()  # nodes that it uses and that have no edge to the effect
    units_inside: bool = False  # its numbers had units: what it gives has a unit that its names do not tell
    by_formula: bool = False  # the tree is that of the formula beside the text
    is_open: bool = False  # it says two things, or one that may mean two: no other way to read it is tried

    @property
    def executable(self) -> bool:
        return self.tree is not None


def rules_of(graph: ReasoningGraph) -> dict[str, tuple[Rule, ...]]:
    """Per effect its rules, each text once: an edge for each cause with the same rule is one rule."""
    rules: dict[str, tuple[Rule, ...]] = {}
    for effect, edges in graph.rules_of.items():
        texts = dict.fromkeys(edge.rule.strip() for edge in edges)
        if len(texts) > 1:
            texts.pop("", None)
        causes = graph.parents[effect]
        values = tuple(
            (name, known.value, known.unit)
            for name in causes
            if (known := graph.knowns.get(name)) is not None and known.value is not None
        )
        read = (read_rule(text, causes, effect, graph.nodes, values) for text in texts)
        rules[effect] = tuple(_with_formula(rule, graph, effect, values) for rule in read)
    trees = {effect: [rule.tree for rule in ways if rule.tree] for effect, ways in rules.items()}
    converter = converted(graph, trees)
    return {effect: tuple(_converted(converter, effect, rule) for rule in ways) for effect, ways in rules.items()}


def _with_formula(rule: Rule, graph: ReasoningGraph, effect: str, values: Values) -> Rule:
    """A rule with the formula that its writer put beside it. Of words that cannot be read it is what they mean where it
    uses every cause and has all that they say; beside a rule that is read it must say the same."""
    formulas = {edge.formula for edge in graph.rules_of[effect] if edge.rule.strip() == rule.text} - {""}
    if not formulas or rule.is_open:
        return rule
    causes, text = graph.parents[effect], min(formulas)
    formula = read_rule(text, causes, effect, graph.nodes, values)
    if formula.tree is None or len(formulas) > 1:
        message = f"the formula beside the rule of '{effect}' must be one that can be read, got {text[:80]!r}."
        return replace(rule, message=rule.message or message)
    if rule.tree is not None:
        message = f"rule of '{effect}' and the formula beside it ({text[:80]}) differ. Say one of them."
        differ = contradict(rule.tree, formula.tree)
        return Rule(rule.text, "broken", message=message, is_open=True) if differ else rule
    if unused := [cause for cause in causes if cause not in formula.uses]:
        return replace(rule, message=f"the formula beside the rule of '{effect}' does not use '{unused[0]}'.")
    names = (*causes, *formula.beyond, effect)
    if left := surplus(rule.text, formula.tree, names, [value for _, value, _ in values]):
        return replace(rule, message=f"the formula beside the rule of '{effect}' leaves out '{left}'.")
    return replace(formula, text=rule.text, by_formula=True)


def rules_without_formula(graph: ReasoningGraph) -> dict[str, str]:
    """Effect -> its rule, where that says something and nothing of it can be computed."""
    return {
        effect: rules[0].text
        for effect, rules in rules_of(graph).items()
        if len(rules) == 1
        and rules[0].kind in ("words", "broken")
        and not (rules[0].tree or rules[0].is_open)
        and not any(edge.formula for edge in graph.rules_of.get(effect, ()))
    }


def with_formulas(graph: ReasoningGraph, formulas: Mapping[str, str]) -> ReasoningGraph:
    """The graph with a formula beside each rule that can use one. formulas: effect -> formula."""
    new = {effect: formulas[effect] for effect in rules_without_formula(graph) if formulas.get(effect)}
    edges = tuple(replace(edge, formula=new.get(edge.effect, edge.formula)) for edge in graph.edges)
    return replace(graph, edges=edges)


def _converted(converter: Converter, effect: str, rule: Rule) -> Rule:
    if rule.tree is None:
        return rule
    tree, message = converter(effect, rule.tree)
    return replace(rule, tree=tree, message=message or rule.message)


# ---- one rule


def read_rule(
    text: str, causes: tuple[str, ...], effect: str, nodes: tuple[str, ...] = (), values: Values = ()
) -> Rule:
    """The rule of one effect. `nodes` are all names of the graph: a symbol that is another node is no alias."""
    if not text:
        return Rule(text, "empty", message=f"the edge to '{effect}' has no rule.")
    if len(text) > MAX_LENGTH:  # before the cache, which would keep the text
        message = (
            f"rule of '{effect}': a rule must have at most {MAX_LENGTH} characters, got {len(text):,}. Shorten it."
        )
        return Rule(text[:MAX_LENGTH], "broken", message=message)
    return _read_rule(text, causes, effect, nodes, values)


@lru_cache(maxsize=8192)
def _read_rule(text: str, causes: tuple[str, ...], effect: str, nodes: tuple[str, ...], values: Values) -> Rule:
    if _LAMBDA.search(text):
        return Rule(text, "broken", message=f"rule of '{effect}' must be a formula, got a lambda.", is_open=True)
    if "=" in text and _DENIED.search(text):
        return Rule(text, "words", is_open=True)
    if not _SIGNS.search(text) and _TWO_WORDS.search(text) and not _EQUALS.search(text):
        return Rule(text, "words")
    rule = _TextReader(text, causes, effect, nodes, values).read()
    names = (*causes, *rule.beyond, effect)
    if rule.tree is None:
        return rule
    left = "=" if _STATEMENTS.search(text) and not rule.uses >= set(causes) else ""  # one of two equations left out
    left = left or ("!" if _FACTORIAL.search(text) and "factorial" not in as_text(rule.tree) else "")
    if left := left or surplus(text, rule.tree, names, [value for _, value, _ in values]):
        message = f"rule of '{effect}' says '{left}', which is no part of what was read. Write it as one formula."
        return Rule(text, "broken", message=message)
    return rule


class _TextReader:
    """One text with a formula in it."""

    def __init__(self, text: str, causes: tuple[str, ...], effect: str, nodes: tuple[str, ...], values: Values):
        self.text, self.causes, self.effect, self.nodes, self.values = text, causes, effect, nodes, values
        self.names = (*causes, effect, *nodes)
        self.units = [unit for _, _, unit in values]
        self.called = [symbol(name) for name in (*causes, effect)]
        self.explained = explained_symbols(text, (*causes, effect))
        self.constants: Mapping[str, float] = {}
        self.symbols: dict[str, str] = {}
        self.letters: frozenset[str] = frozenset()

    def read(self) -> Rule:
        text, effect = self.text, self.effect
        text = with_indices_apart(text, self.names)
        numbers = {name: value for name, value, _ in self.values}
        bare, self.constants, has_units, against = take_constants(text, self.names, numbers, self.units, effect)
        bare = _OF_PERCENT.sub(" =", bare)
        if _COMPARED.search(bare):
            return self._broken("compares values: no case is executed. Write max, min, or the formula of this case.")
        if (_OR.search(text) and " or " not in "".join(self.names)) or _SEVERAL.search(bare):
            message = f"must be one equation. Write '{effect} = ...' alone."
            return self._broken(message, is_open=not _SEVERAL.search(bare))
        behind = symbol(text.rpartition(";")[2].strip(" ."))
        if ";" in text and behind in self.called:  # arrivals / service; service
            return self._broken(f"must be one formula, got {behind!r} behind it. Leave it out.")
        if against:
            return self._broken(f"states {against}, which does not go with its nodes and their units. Leave it out.")
        if percent := _HUNDRED.search(bare):  # (a / b) x 100 %: 81 of an effect in per cent; else 81, or .81
            if not says_percent(effect) and "%" not in text.partition("=")[0]:
                return self._broken(f"times 100 % may be a share or a percentage. Name it '{effect} (%)'.")
            bare = bare[: percent.start(1)] + bare[percent.end(1) :]
        self.symbols = {short: name for short, name in symbols_in(self.names).items() if short not in self.explained}
        if re.search(r"\be\s*(?:\^|\*\*)", bare):  # Euler's number, whatever is called e
            self.symbols.pop("e", None)
        self.letters = letters_of(text, self.causes, effect, (*self.explained, *self.constants))
        rule = self._of_several(text) or self._first(bare)
        return replace(rule, text=self.text, units_inside=rule.units_inside or has_units)

    def _first(self, bare: str) -> Rule:
        """The first passage that is a formula; else what the first of them lacks."""
        bound: Rule | None = None
        first = ""
        for passage in passages(bare, self.causes, self.effect):
            try:
                rule = self._bind(_with_rounding(self._parse(passage), self.text))
            except RuleError as error:
                first = first or str(error)
                continue
            if (other := self._another_result(passage, rule.tree)) and not says_percent(self.effect):
                return self._broken(f"gives another value than the {other} that it states. Leave one out.")
            if rule.kind == "formula":  # or one whose meaning is open: it has a message, and no value
                front, _, behind = bare.partition(passage)
                beside = f"{front} {behind}"
                if names_unit(behind if "=" in front else beside, self.effect) or (self.causes and not rule.uses):
                    return Rule(self.text, "words")
                if any(tokens(cause) <= tokens(beside) for cause in set(self.causes) - rule.uses):
                    return Rule(self.text, "words")  # a formula of some of the causes, beside words of the others
                if self.constants and (lost := [cause for cause in self.causes if cause not in rule.uses]):
                    return self._broken(f"states {', '.join(self.constants)}, which may be {lost[0]!r}. Leave it out.")
                return rule
            bound = bound or rule
        for side in re.split(r"=(?!=)", bare)[2:] if not _AND.search(bare) else ():  # E = K + U = m v^2 / 2 + m g h
            with suppress(RuleError):
                rule = self._bind(Equation(None, self._parse(side).right))
                if rule.executable and self.causes and rule.uses >= set(self.causes):
                    return rule
        if bound is not None:
            return bound
        if "=" not in self.text and len(_TWO_WORDS.findall(self.text)) > 1:
            return Rule(self.text, "words")
        return Rule(self.text, "broken", message=f"rule of '{self.effect}': {first}")

    def _of_several(self, text: str) -> Rule | None:
        """The equation of the effect, with what others define on its way put in: y = x + c, where c = 2 x."""
        pairs = equations(text)
        of_effect = {one.casefold() for one in (self.effect, symbol(self.effect), *symbols_in([self.effect]))}
        main = [pair for pair in pairs if pair[0].casefold() in of_effect]
        nodes = {symbol(name) for name in self.names} | set(self.symbols)
        if not main and pairs and _SYMBOL.fullmatch(pairs[0][0]) and pairs[0][0] not in nodes:
            main = pairs[:1]
        defined = {
            left: right for left, right in pairs
            if (left, right) not in main and _SYMBOL.fullmatch(left) and symbol(left) not in nodes
        }  # fmt: skip
        if len(main) != 1 or (len(defined) + 1 < len(pairs) and main[0] != pairs[-1]):
            return None
        try:
            tree = self._parse(main[0][1]).right
            steps = {symbol(left): self._parse(right).right for left, right in defined.items()}
        except RuleError:
            return None
        for _ in steps:
            tree = replace_names(tree, steps)
        if not defined and len(pairs) > 1 and set(count_names(tree)) != {symbol(name) for name in self.causes}:
            return None
        rule = self._bind(Equation(None, tree))
        return rule if rule.executable and rule.uses >= set(self.causes) else None

    def _broken(self, message: str, is_open: bool = True) -> Rule:
        return Rule(self.text, "broken", message=f"rule of '{self.effect}' {message}", is_open=is_open)

    def _parse(self, passage: str) -> Equation:
        known = {short: symbol(name) for short, name in self.symbols.items()}
        if function := _function_named(passage, self.causes):
            alone, arguments, is_said = function
            left, right = self._parse(alone)
            if is_said or {known.get(one, symbol(one)) for one in arguments} <= set(count_names(right)):
                return Equation(left, right)
        left, right = parse(passage, (*self.names, *self.symbols, *self.constants), self.letters)
        return Equation(None if left is None else rename(left, known), rename(right, known))

    def _bind(self, equation: Equation) -> Rule:
        """The symbols of an equation matched to the effect and its causes; then per cent and logarithms."""
        if equation.left is not None and with_base(equation.left, self.text) != equation.left:
            message = f"rule of '{self.effect}' has a log without a base. Write log10 or ln."
            return Rule(self.text, "formula", message=message, is_open=True)
        rule = with_shares_of(self._matched(equation), self.effect, self.values)
        context = " ".join((self.text, self.effect, *self.causes))
        if rule.tree is not None and (tree := with_base(rule.tree, context)) != rule.tree:
            message = f"rule of '{self.effect}' takes a log that may be of base ten or e. Write log10 or ln."
            rule = replace(rule, tree=tree, message=rule.message if tree is not None else message, is_open=tree is None)
        used = {short: name for short, name in self.symbols.items() if name in rule.uses}
        return replace(rule, aliases={**rule.aliases, **used, **{k: f"{v:g}" for k, v in self.constants.items()}})

    def _matched(self, equation: Equation) -> Rule:
        left, right = equation
        causes, effect, text = self.causes, self.effect, self.text
        right = replace_names(right, {short: Number(value) for short, value in self.constants.items()})
        symbols = (count_names(left) if left is not None else {}) | count_names(right)
        others = {symbol(node): node for node in self.nodes if node not in causes and node != effect}
        aliases = aliases_of(left, [name for name in symbols if name not in others], causes, effect, self.explained)
        unmatched = [name for name in symbols if name not in aliases]
        beyond = {  # `5 m * t` may be five metres: without an edge from m nothing says that it is the node
            short: node for short, node in others.items()
            if short in unmatched and standing_of(short, text, self.called, self.units) == "quantity"
        }  # fmt: skip
        strange = [name for name in unmatched if name not in beyond and name not in CONSTANTS]
        nature = {name: Number(NATURE[name]) for name in strange if self._is_constant(name)}
        strange = [name for name in strange if name not in nature]
        definitions = [*LET.findall(text), *STANDS_FOR.findall(text)]
        strange += [
            short for short, words in definitions if short in aliases and _is_other(words, short, aliases[short])
        ]
        if strange:
            verb = "is" if len(strange) == 1 else "are"
            message = f"uses {in_quotes(strange)}, which {verb} not among its causes ({in_quotes(causes)})."
            return self._broken(message, is_open=False)
        right = replace_names(rename(right, aliases | beyond), nature)
        left = None if left is None else replace_names(rename(left, aliases | beyond), nature)
        tree = right if left is None or left == Name(effect) else isolate(left, right, effect)
        if tree is None or effect in count_names(tree):
            message = f"rule of '{effect}' cannot be solved for it. Write '{effect} = ...'."
            return Rule(text, "broken", message=message)
        names = count_names(tree)
        missing = tuple(node for node in beyond.values() if node in names)
        shown = {short: name for short, name in aliases.items() if short != symbol(name)}
        shown |= {name: f"{number.value:g} in SI" for name, number in nature.items()}
        message = f"the rule of '{effect}' uses {in_quotes(missing)}, which has no edge to it." if missing else ""
        return Rule(text, "formula", tree, frozenset(names) & {*causes, *missing}, shown, message, beyond=missing)

    def _is_constant(self, name: str) -> bool:
        """Whether a name is a constant of nature, in SI: no unit of another system may be there."""
        if name not in NATURE or (name == "c" and not re.search(r"c\s*(?:\^|\*\*|²)|light", self.text)):
            return False
        # 500 g may be grams; 2 g h and v^2 / (2 g) are not
        if name == "g" and standing_of(name, _FALLS.sub("", self.text), self.called, self.units) != "quantity":
            return False
        return all(set(re.findall(r"[^\W\d_]+", unit or "")) <= _SI for unit in self.units)

    def _another_result(self, passage: str, tree: Tree | None) -> str:
        """The number behind a second = where it is not what the tree gives: `y = a + b = 6` of 2 and 3. Rounding is
        none, and an angle says nothing before its unit is known."""
        known = {name: value for name, value, unit in self.values if unit != "°C"}
        if tree is None or not set(count_names(tree)) - set(CONSTANTS) <= set(known) or takes_angles(tree):
            return ""
        for stated in re.split(r"(?<![<>=!])=(?!=)", passage)[2:]:
            if _PLAIN_NUMBER.fullmatch(stated):
                last = 10.0 ** -len(stated.partition(".")[2].strip())
                number = float(stated.replace(",", "").replace("−", "-"))
                with suppress(ArithmeticError, ValueError):
                    computed = evaluate(tree, known)
                    if abs(number - computed) > max(0.02 * abs(computed), 0.5 * last):
                        return stated.strip()
        return ""


def _is_other(words: str, short: str, name: str) -> bool:
    """Whether each says something that the other does not: the return time, for the outward time."""
    explained, known = tokens(words), tokens(name)
    return bool(explained - known) and bool(known - explained - {symbol(short).lower()})


def _function_named(text: str, causes: Sequence[str]) -> tuple[str, list[str], bool] | None:
    """v(t) = v0 + a t: `v = v0 + a t`, what v is a function of, and whether the right side says the same of a cause
    (K(r) = m v(r)^2 / 2). The name of a cause multiplies: m(v) = m v0 + F t."""
    left, equals, right = text.strip("$ ").partition("=")
    taken = {symbol(cause) for cause in causes}
    if match := _CHOOSES.match(f"{left}{equals}{right}"):
        return f"{match[2]} ={right}", [match[1], match[3]], False
    if not (match := _FUNCTION.match(f"{left}{equals}{right}")) or symbol(match[1]) in taken | FUNCTIONS.keys():
        return None
    of_same = re.compile(rf"([^\W\d]\w*)\s*\(\s*{re.escape(match[2])}\s*\)")
    bare = of_same.sub(lambda call: call[1] if symbol(call[1]) in taken else call[0], right)
    return f"{match[1]} ={bare}", re.split(r"\s*,\s*", match[2]), bare != right


def _with_rounding(equation: Equation, text: str) -> Equation:
    """`N = log10(t), rounded up`: the rounding stands behind the formula and belongs to it."""
    rounding = ROUNDED.search(text)
    if rounding is None:
        return equation
    function = {"up": "ceil", "down": "floor"}.get(rounding[1], "round")
    return Equation(equation.left, Call(function, (equation.right,)))


def says_percent(name: str) -> bool:
    """Whether a name says that it is in per cent."""
    return "%" in name or "percent" in name.lower() or unit_in(name) == "%"


def with_shares_of(rule: Rule, effect: str, values: Values) -> Rule:
    """pay * rate for a rate of 20 %: the factor is 0.2; 300 + 20 % may be 300.2 or 360, and has no value."""
    percents = frozenset(name for name, _, unit in values if unit == "%")
    if rule.tree is None or not (says_percent(effect) or percents & rule.uses):
        return rule
    tree = with_shares(rule.tree, percents, says_percent(effect))
    meant = in_quotes(sorted(percents & rule.uses) or [effect])
    message = f"rule of '{effect}' leaves open what {meant}, in %, means in it. Write shares as factors."
    return replace(rule, tree=tree, message=rule.message if tree is not None else message, is_open=tree is None)
