"""One text of a rule, read alone: a formula in it, words that compute, or both where they say one thing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache

from trueness.patterns import late
from trueness.reasoning.aliases import abbreviates, explained_symbols, letters_of
from trueness.reasoning.candidates import EQUALS, FRONT, candidates
from trueness.reasoning.clauses import gainsays, in_words, numerals, restatements
from trueness.reasoning.in_words import read_phrases, read_words
from trueness.reasoning.literals import without_units
from trueness.reasoning.logarithms import with_base
from trueness.reasoning.notation import symbols_in, take_constants
from trueness.reasoning.percents import says_percent
from trueness.reasoning.rule import Rule, Values
from trueness.reasoning.rule_symbols import bind_symbols, percents_as_shares, with_rounding
from trueness.reasoning.spelled_out import effect_called, spelled_out
from trueness.reasoning.syntax import Equation, RuleError, parse, symbol
from trueness.reasoning.trees import (
    CONSTANTS,
    FUNCTIONS,
    Binary,
    Number,
    Tree,
    agree,
    count_names,
    evaluate,
    rename,
    takes_angles,
)
from trueness.reasoning.word_names import tokens
from trueness.reasoning.word_numbers import computes

_FORMULA_SIGNS = late(r"[=*/^+√×÷·²³\\]|\w\(|\*\*|__|lambda")
TWO_WORDS = late(r"[^\W\d]{2,}[ ,]+[^\W\d]{2,}")
_TWICE = late(r"^(.*\w)\s*\(([^()=]*=(?:[^()=]|\([^()=]*\))*)\)\s*\.?$", re.DOTALL)
_COLON = late(r"^([^:=]*=[^:=]*):\s*([^:=]+)$|^([^:=]+):\s*([^:=]*=[^:=]*)$", re.DOTALL)
_COMMA = late(  # a sentence, s = r θ; or E - I r, i.e. words
    r"^(?P<words>[^=]+?)[,;]\s*(?:i\.\s?e\.,?|that is,?|so|or|in symbols,?)?\s*(?P<formula>[^\W\d][\w']*\s*=[^=,;]+)$"
    r"|^(?P<first>[^=]*=[^=,;]+)[,;]\s*(?:i\.\s?e\.,?|that is,?|in other words,?|in words,?)\s+(?P<then>[^=]+)$",
    re.DOTALL | re.IGNORECASE,
)
_REASON = late(
    r"^(?:using|since|from|given(?: that)?|because|as)\s+(?P<why>[^,=]*=[^,=]*),\s*(?P<rest>[^=]+)$", re.IGNORECASE
)
_OTHER_PART = late(r"\b(semi|demi|hemi|non)[- ]?(?=[a-z]{3})", re.IGNORECASE)  # a semi-perimeter is no perimeter
_OR = late(r"=[^=]*\bor\b[^=]*=(?!=)|=[^=<>]*\bor\b[^=<>]*[-+*/×÷^]")  # v = gt or v = sqrt(2gh)
_SEVERAL = late(r"=[^=]*(?:;|\bthen\b|\bstep\b)[^=]*=(?!=)|\bd[a-z]\s?/\s?d[a-z]\b", re.IGNORECASE)
_BOUND = late(r"^[^=<>]*(?:[<>]=?|[≤≥∝])(?!.*\b(?:if|else|then)\b)|=(?!.*\b(?:if|else)\b).*(?<![-=])[<>≤≥∝]")
_CALL_LEFT = late(r"\s*(?:sin|cos|tan|ln|log\w*|exp|sqrt)\s*\([^=]*=")
_AND = late(r"=[^=]*(?:\b(?:and|or|with|where|for|when|if|using|taking)\b|[,;])[^=]*=")  # more than a chain
_EVALUATED = late(r"(?:evaluate\s+(.*?)|(.*?),?\s+evaluated)\s+at (?:the )?(?:given )?(\w+)\.?$", re.IGNORECASE)
_OF_SOMETHING = late(r"[^=\d%]*[^\W\d]\s+of\s+[^=\d%]*=(?!=)", re.IGNORECASE)
_HUNDRED = late(r"[×x*·]\s*100\s*(%)\s*\)?\s*\.?\s*$")
_PYTHON = late(r"(?:^|[=(:,])\s*lambda(?:\s+\*{0,2}\w+(?:\s*,\s*\*{0,2}\w+)*\s*|(?=:\s*[\d(]))\s*:")
_PLAIN_NUMBER = late(r"\s*[-−]?\d[\d,]*(?:\.\d*)?\s*")
_SYMBOLS = late(r"[^\W\d_](?: [^\W\d_])+")  # m v is a product, and no way to say v
_FUNCTION = late(  # N(t) = N0 e^(-k t): N where t is on the right, too
    r"^([^\W\d]\w*)\s*\(\s*([^\W\d]\w*(?:\s*,\s*[^\W\d]\w*)*)\s*\)\s*(?==(?!=))"
)
_CHOOSES = late(r"^([a-z])([CP])([a-z])\s*(?==[^=]*!)")  # nCr = n! / (r! (n - r)!)
_OF_PERCENT = late(r"(?<=[^\W\d])\s*%\s*=(?!=)")  # Profit % = ...


@lru_cache(maxsize=8192)
def read_text(text: str, causes: tuple[str, ...], effect: str, nodes: tuple[str, ...], values: Values) -> Rule:
    at = _EVALUATED.match(text)
    if at and at[3] in causes and re.search(rf"(?<![A-Za-z]){at[3]}(?![A-Za-z])", at[1] or at[2]):
        text = at[1] or at[2]
    if _PYTHON.search(text):  # the words in front of a colon are no label here
        return Rule(text, "broken", message=f"rule of '{effect}' must be a formula, got a lambda.", is_open=True)
    formula, _, behind = text.rpartition(";")
    if formula and symbol(behind.strip(" .")) in {symbol(name) for name in (*causes, effect)}:
        message = f"rule of '{effect}' must be one formula, got {behind.strip()!r} behind it. Leave it out."
        return Rule(text, "broken", message=message, is_open=True)  # arrivals / service; service
    named_by = EQUALS.match(text)
    if (said_so := in_words(text)) and (rule := _in_words(said_so, causes, effect, values)) is not None:
        return rule if rule.uses == set(causes) else Rule(text, "words")
    if named_by is None and not _FORMULA_SIGNS.search(text) and TWO_WORDS.search(text):
        from_words = _in_words(text, causes, effect, values) or _by_its_name(text, causes, effect)
        return from_words or _in_parts(text, causes, effect, nodes, values) or Rule(text, "words")
    rules: list[Rule] = []
    first = ""
    names = (*causes, effect, *nodes)
    numbers = {name: value for name, value, _ in values}
    bare, constants, has_units, against = take_constants(text, names, numbers, [unit for _, _, unit in values], effect)
    bare = _OF_PERCENT.sub(" =", bare)
    effect_names = "|".join(map(re.escape, (effect, symbol(effect), *symbols_in([effect]))))
    if bare.count("=") > 1:
        last = re.search(
            rf"=[^=]*(?:[,;.:]|\b(?:so|then|hence|therefore|and)\b)\s*((?:{effect_names})\s*=[^=,;]+)$", bare
        )
        bare = last[1] if last is not None else bare  # Since F = ma, a = F/m
    if (_OR.search(text) and " or " not in "".join(names)) or _SEVERAL.search(bare) or _BOUND.search(bare):
        return Rule(
            text,
            "broken",
            message=f"rule of '{effect}' must be one equation. Write '{effect} = ...' alone.",
            is_open=not _SEVERAL.search(bare),
        )
    if against:
        message = (
            f"rule of '{effect}' states {against}, which does not go with its nodes and their units. Leave it out."
        )
        return Rule(text, "broken", message=message, is_open=True)
    explained = explained_symbols(text, (*causes, effect))
    called = {short: name for short, name in symbols_in(names).items() if short not in explained}
    if re.search(r"\be\s*(?:\^|\*\*)", bare):  # Euler's number, whatever is called e
        called.pop("e", None)
    letters = letters_of(text, causes, effect, (*explained, *constants))

    def parse_symbols(candidate: str) -> Equation:
        known = {short: symbol(name) for short, name in called.items()}
        if function := function_named(candidate, causes):
            alone, arguments, is_said = function
            left, right = parse_symbols(alone)
            if is_said or {known.get(one, symbol(one)) for one in arguments} <= set(count_names(right)):
                return Equation(left, right)
        left, right = parse(candidate, (*names, *called, *constants), letters)
        return Equation(None if left is None else rename(left, known), rename(right, known))

    if percent := _HUNDRED.search(bare):  # (a / b) x 100 %: 81 of an effect in per cent; else 81, or .81
        if not says_percent(effect) and "%" not in text.partition("=")[0]:
            message = f"rule of '{effect}' times 100 % may be a share or a percentage. Name it '{effect} (%)'."
            return Rule(text, "broken", message=message, is_open=True)
        bare = bare[: percent.start(1)] + bare[percent.end(1) :]

    def bind(equation: Equation) -> Rule:
        fixed = {short: Number(value) for short, value in constants.items()}
        if equation.left is not None and with_base(equation.left, text) != equation.left:
            return Rule(
                text,
                "formula",
                message=f"rule of '{effect}' has a log without a base. Write log10 or ln.",
                is_open=True,
            )
        rule = percents_as_shares(bind_symbols(text, equation, causes, effect, nodes, values, fixed), effect, values)
        if rule.tree is not None and (tree := with_base(rule.tree, " ".join((text, effect, *causes)))) != rule.tree:
            message = f"rule of '{effect}' takes a log that may be of base ten or e. Write log10 or ln."
            rule = replace(rule, tree=tree, message=rule.message if tree is not None else message, is_open=tree is None)
        used = {short: name for short, name in called.items() if name in rule.uses}
        shown = {short: f"{value:g}" for short, value in constants.items()}
        return replace(rule, aliases={**rule.aliases, **used, **shown}, units_inside=has_units)

    for candidate in candidates(bare, causes, effect):
        if _OF_SOMETHING.match(candidate):  # probability of red = ...: no product
            continue
        try:
            equation = parse_symbols(candidate)
        except RuleError as error:
            first = first or str(error)
            continue
        rules.append(bind(with_rounding(equation, text)))
        if (other := states_another_result(candidate, rules[-1].tree, values)) and not says_percent(effect):
            message = f"rule of '{effect}' gives another value than the {other} that it states. Leave one out."
            return Rule(text, "broken", message=message, is_open=True)
        if rules[-1].kind == "formula":  # or one whose meaning is open: it has a message, and no value
            return _unless_gainsaid(rules[-1], text, candidate, causes, effect, values)
    # E = K + U = m v^2 / 2 + m g h: the side that is over the causes, all of them
    for side in re.split(r"=(?!=)", bare)[2:] if not _AND.search(bare) else ():
        try:
            rule = bind(Equation(None, parse_symbols(side).right))
        except RuleError:
            continue
        if rule.executable and causes and rule.uses >= set(causes):
            return rule
    plain = without_units(text, [symbol(name) for name in names], [unit for _, _, unit in values])
    if plain is not None and (rule := read_text(plain, causes, effect, nodes, values)).executable and rule.uses:
        return replace(rule, text=text, units_inside=True, aliases={**rule.aliases, text: plain})
    if _CALL_LEFT.match(bare):  # sin(theta) = a / h says nothing of theta but by its inverse
        return rules[0] if rules else Rule(text, "broken", message=f"rule of '{effect}': {first}")
    from_words = _in_words(text, causes, effect, values) or _in_parts(text, causes, effect, nodes, values)
    if from_words is not None or rules:
        return from_words or rules[0]
    if "=" not in text and len(TWO_WORDS.findall(text)) > 1:
        return Rule(text, "words")
    return Rule(text, "broken", message=f"rule of '{effect}': {first}")


def function_named(text: str, causes: Sequence[str]) -> tuple[str, list[str], bool] | None:
    """v(t) = v0 + a t: `v = v0 + a t`, what v is a function of, and whether the right side says the same of a cause
    (K(r) = m v(r)^2 / 2). The name of a cause multiplies: m(v) = m v0 + F t."""
    left, equals, right = text.strip("$ ").partition("=")
    taken = {symbol(cause) for cause in causes}
    if match := _CHOOSES.match(f"{left}{equals}{right}"):
        return f"{match[2]} ={right}", [match[1], match[3]], False
    if not (match := _FUNCTION.match(f"{left}{equals}{right}")) or symbol(match[1]) in taken | FUNCTIONS.keys():
        return None
    arguments = re.split(r"\s*,\s*", match[2])
    of_same = re.compile(rf"([^\W\d]\w*)\s*\(\s*{re.escape(match[2])}\s*\)")
    bare = of_same.sub(lambda call: call[1] if symbol(call[1]) in taken else call[0], right)
    return f"{match[1]} ={bare}", arguments, bare != right


def states_another_result(text: str, tree: Tree | None, values: Values) -> str:
    """The number behind a second = where it is not what the tree gives: `y = a + b = 6` of 2 and 3. Rounding is none,
    and an angle says nothing before its unit is known."""
    known = {name: value for name, value, unit in values if unit != "°C"}
    if tree is None or not set(count_names(tree)) - set(CONSTANTS) <= set(known) or takes_angles(tree):
        return ""
    for stated in re.split(r"(?<![<>=!])=(?!=)", text)[2:]:
        if _PLAIN_NUMBER.fullmatch(stated):
            last = 10.0 ** -len(stated.partition(".")[2].strip())
            number = float(stated.replace(",", "").replace("−", "-"))
            with suppress(ArithmeticError, ValueError):
                computed = evaluate(tree, known)
                if abs(number - computed) > max(0.02 * abs(computed), 0.5 * last):
                    return stated.strip()
    return ""


def _unless_gainsaid(rule: Rule, text: str, formula: str, causes: tuple[str, ...], effect: str, values: Values) -> Rule:
    """The rule of a formula within a text, where the rest of the text says nothing else."""
    before, _, behind = text.partition(formula)
    if formula not in text or not (before + behind).strip() or not rule.executable:
        return rule
    if any(tokens(cause) <= tokens(before) for cause in set(causes) - rule.uses) or (causes and not rule.uses):
        return Rule(text, "words")  # a formula of some of the causes, in a text that speaks of the others
    beside = (part.strip(" :;,") for part in (before, behind) if "=" not in part)
    parts = (*restatements(text), *beside)
    if (
        rule.tree is not None
        and not differs(rule.tree, parts, text, causes, effect, values)
        and not gainsays(f"{before} {behind}", formula, (*causes, effect), [value for _, value, _ in values])
    ):
        return rule
    return Rule(
        text, "broken", message=f"rule of '{effect}' says two things that differ. Write one of them.", is_open=True
    )


def differs(tree: Tree, parts: Iterable[str], text: str, causes: tuple[str, ...], effect: str, values: Values) -> bool:
    """Whether a part of a rule, read alone, gives the effect from all of its causes otherwise."""
    known = {name: (value, unit) for name, value, unit in values}
    for part in parts:
        if not part or part == text:
            continue
        if re.search(r"[=+*/×÷^]|\s[-−–]\s", part):
            rule = read_text(part, causes, effect, (), values)
            other = rule.tree if rule.uses >= set(causes) else None
        else:
            reading = read_words(part, causes, effect, known)
            other = None if reading is None else reading.tree
        if other is not None and not agree(other, tree) and not _is_of_one(part, other, tree, text):
            return True
    return False


def _is_of_one(part: str, other: Tree, tree: Tree, text: str) -> bool:
    """`Each cow gives 14 liters per day, so the weekly milk is the cows times 14 times 7`: so many times that."""
    each = re.match(r"\s*(?:each|every)\b.*\b(?:per|a|an|each|every) [a-z]+\s*$", part, re.IGNORECASE)
    return each is not None and any(agree(tree, Binary("*", Number(number), other)) for number in numerals(text))


def _in_words(text: str, causes: tuple[str, ...], effect: str, values: Values) -> Rule | None:
    known = {name: (value, unit) for name, value, unit in values}
    if any(part.casefold() not in " ".join((*causes, effect)).casefold() for part in _OTHER_PART.findall(text)):
        return None
    reading = read_words(text, causes, effect, known) or read_phrases(text, causes, effect, known)
    if reading is None and (parts := restatements(text)):
        # each part alone, or one of them where the others compute nothing
        each = [(read_words(part, causes, effect, known), computes(part)) for part in parts]
        read = [one for one, _ in each if one is not None]
        reading = read[0] if read and not any(one is None and more for one, more in each) else None
    if reading is None and (called := spelled_out(text, causes)) is not None:
        owners = {words: cause for cause, words in called.items()}
        stated = {words: known[cause] for words, cause in owners.items() if cause in known}
        rule = _in_words(text, tuple(owners), effect_called(text, effect), tuple((w, *stated[w]) for w in stated))
        return None if rule is None else _over_symbols(rule, owners, effect)
    if reading is None or any(_SYMBOLS.fullmatch(phrase) and phrase not in causes for phrase in reading.phrases):
        return None
    parts = restatements(text)
    formulas = [part for part in parts if "=" in part]
    beside = " ".join(part for part in parts if "=" not in part)
    numbers = [value for _, value, _ in values]
    if any(gainsays(beside, formula, (*causes, effect), numbers) for formula in formulas):
        return None
    if differs(reading.tree, (*parts, *re.split(r":\s", text)), text, causes, effect, values):
        return None
    uses = frozenset(count_names(reading.tree)) & frozenset(causes)
    return Rule(text, "formula", reading.tree, uses, reading.phrases, read_as=f"{effect} = {reading.formula}")


def _over_symbols(rule: Rule, owners: Mapping[str, str], effect: str) -> Rule | None:
    """Of words in the place of symbols: the rule of the symbols, where it uses all of them."""
    if rule.tree is None or rule.uses != set(owners):
        return None
    aliases = {**rule.aliases, **owners}
    return replace(rule, tree=rename(rule.tree, owners), uses=frozenset(owners.values()), aliases=aliases,
                   read_as=f"{effect} = {rule.read_as.partition(' = ')[2]}")  # fmt: skip


def _in_parts(text: str, causes: tuple[str, ...], effect: str, nodes: tuple[str, ...], values: Values) -> Rule | None:
    """`Ohm's law: voltage divided by resistance (I = V / R)`: the words, where they compute the effect from all of its
    causes and the formula in brackets, or on the other side of a colon, agrees if it can be read. Alone it may define
    something else: (tax = 0.2 p)."""
    if (reason := _REASON.match(text)) is not None:
        return _behind_a_reason(text, reason["why"], reason["rest"], causes, effect, values)
    if (twice := _TWICE.match(text)) is not None:
        words, formula_text = FRONT.sub("", twice[1]), twice[2]
    elif (twice := _COLON.match(text)) is not None:
        words, formula_text = (twice[2], twice[1]) if twice[1] else (twice[3], twice[4])
    elif (twice := _COMMA.match(text)) is not None:
        words, formula_text = twice["words"] or twice["then"], twice["formula"] or twice["first"]
    else:
        return None
    from_words = _in_words(words, causes, effect, values)
    formula = read_text(formula_text, causes, effect, nodes, values)
    if from_words is None:  # a = (v - u) / t beside words that nobody can read: it says itself that it gives the effect
        called = symbol(formula_text.partition("=")[0].strip(" $"))
        gives = formula.uses >= set(causes) and (abbreviates(called, effect) or called in symbols_in([effect]))
        clear = gives and causes and not gainsays(words, formula_text, (*causes, effect))
        return replace(formula, text=text) if formula.executable and clear else None
    agrees = not formula.executable or (formula.tree and from_words.tree and agree(formula.tree, from_words.tree))
    return replace(from_words, text=text) if agrees and from_words.uses >= set(causes) else None


def _behind_a_reason(
    text: str, why: str, rest: str, causes: tuple[str, ...], effect: str, values: Values
) -> Rule | None:
    """`Using density = mass / volume, the mass is density times volume`: the rest, where the reason does not differ."""
    rule = _in_words(rest, causes, effect, values)
    if rule is None or rule.tree is None or not rule.uses >= set(causes):
        return None
    other = not numerals(why) <= numerals(rest) | {1.0} or differs(rule.tree, [why], text, causes, effect, values)
    return None if other else replace(rule, text=text)


def _by_its_name(text: str, causes: tuple[str, ...], effect: str) -> Rule | None:
    """An effect called `F2 / F1` or `f(0) + f(1)`, of just these causes: what it is stands in its name."""
    if not re.search(r"[*/^+×·÷]|\s-\s", effect) or re.search(r"\d\s*%|percent", text):
        return None
    try:
        tree = parse(effect, causes).right
    except RuleError:
        return None
    names = {symbol(cause): cause for cause in causes}
    if not isinstance(tree, Binary) or set(count_names(tree)) != set(names):
        return None
    return Rule(text, "formula", rename(tree, names), frozenset(causes), read_as=f"{effect}, by its name")
