"""The rule of an effect: a formula over its causes, words, or something that is neither.

    formula   `a = F/m`, `F/m`, `Newton: a = F/m (second law)`    a tree over the causes; can be executed
              `divide F by m`                                     arithmetic in words, told in `read_as` (in_words.py)
    words     `friction slows the car`                            no error; left to the judge
    broken    `a = F /`, `a = f.__class__`                        a message says why; cannot be executed
    empty

A node that a formula names and the edge lacks is used, and told as a missing edge in `beyond`. A formula may call the
effect and its causes by their names, in other case, or by short names: the left side stands for the effect, and a
symbol left over stands for the one cause left over or the one that begins with its letter; g, c, epsilon0 and their
like are constants in SI where no node has the name and every unit of the rule is one of SI. What was taken for what is
told in `aliases`. `F = m*a` for the effect a is solved for a where a occurs once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from trueness.reasoning.accounted import in_unused_unit, last_clause, surplus
from trueness.reasoning.aliases import abbreviates, aliases_of, letters_of, said_of
from trueness.reasoning.around import converts_so, cores, of_all, with_own_names
from trueness.reasoning.bare_steps import inner_parts, names_for_numbers, step_of_causes
from trueness.reasoning.candidates import EQUALS, FRONT, LET, ROUNDED, STANDS_FOR, candidates
from trueness.reasoning.clauses import (
    gainsays,
    in_another_unit,
    in_words,
    numerals,
    plainly,
    restatements,
    states_otherwise,
    unit_note,
)
from trueness.reasoning.definitions import with_definitions
from trueness.reasoning.graph import ReasoningGraph, in_quotes
from trueness.reasoning.in_words import read_phrases, read_words
from trueness.reasoning.islands import formulas_within
from trueness.reasoning.isolation import isolate
from trueness.reasoning.literals import without_units
from trueness.reasoning.logarithms import with_base
from trueness.reasoning.notation import symbols_in, take_constants
from trueness.reasoning.percents import in_shares, says_percent
from trueness.reasoning.rule import Rule, with_angles, with_temperatures
from trueness.reasoning.spelled_out import effect_called, spelled_out
from trueness.reasoning.syntax import MAX_LENGTH, Equation, RuleError, parse, symbol
from trueness.reasoning.trees import (
    CONSTANTS,
    NATURE,
    Binary,
    Call,
    Name,
    Number,
    Tree,
    agree,
    as_text,
    count_names,
    rename,
    replace_names,
)
from trueness.reasoning.word_forms import TooManyReadings
from trueness.reasoning.word_names import is_other, share_meaning, tokens
from trueness.reasoning.word_numbers import computes

_FORMULA_SIGNS = re.compile(r"[=*/^+√×÷·²³\\]|\w\(|\*\*|__|lambda")
_TWO_WORDS = re.compile(r"[^\W\d]{2,}[ ,]+[^\W\d]{2,}")
_TWICE = re.compile(r"^(.*\w)\s*\(([^()=]*=(?:[^()=]|\([^()=]*\))*)\)\s*\.?$", re.DOTALL)
_COLON = re.compile(r"^([^:=]*=[^:=]*):\s*([^:=]+)$|^([^:=]+):\s*([^:=]*=[^:=]*)$", re.DOTALL)
_COMMA = re.compile(  # a sentence, s = r θ; or E - I r, i.e. words
    r"^(?P<words>[^=]+?)[,;]\s*(?:i\.\s?e\.,?|that is,?|so|or|in symbols,?)?\s*(?P<formula>[^\W\d][\w']*\s*=[^=,;]+)$"
    r"|^(?P<first>[^=]*=[^=,;]+)[,;]\s*(?:i\.\s?e\.,?|that is,?|in other words,?|in words,?)\s+(?P<then>[^=]+)$",
    re.DOTALL | re.IGNORECASE,
)
_REASON = re.compile(
    r"^(?:using|since|from|given(?: that)?|because|as)\s+(?P<why>[^,=]*=[^,=]*),\s*(?P<rest>[^=]+)$", re.IGNORECASE
)
_COMMENT = re.compile(r"(?<=\S)\s+#\s.*$")  # total = a + b  # in euros
_OTHER_PART = re.compile(r"\b(semi|demi|hemi|non)[- ]?(?=[a-z]{3})", re.IGNORECASE)  # a semi-perimeter is no perimeter
_OR = re.compile(r"=[^=]*\bor\b[^=]*=(?!=)|=[^=<>]*\bor\b[^=<>]*[-+*/×÷^]")  # v = gt or v = sqrt(2gh)
_STATEMENTS = re.compile(  # two equations; R = 6 Ω is none
    r"=(?!\s*\d)[^=]*[-+*/×÷−][^=]*(?:[;,]|\b(?:and|so|then)\b)[^=]*=(?![=\s]*\d)[^=]*[-+*/×÷−]"
)
_SEVERAL = re.compile(r"=[^=]*(?:;|\bthen\b|\bstep\b)[^=]*=(?!=)|\bd[a-z]\s?/\s?d[a-z]\b", re.IGNORECASE)
_BOUND = re.compile(r"^[^=<>]*(?:[<>]=?|[≤≥∝])(?!.*\b(?:if|else|then)\b)|=(?!.*\b(?:if|else)\b).*(?<![-=])[<>≤≥∝]")
_CALL_LEFT = re.compile(r"\s*(?:sin|cos|tan|ln|log\w*|exp|sqrt)\s*\([^=]*=")
_AND = re.compile(r"=[^=]*(?:\b(?:and|or|with|where|for|when|if|using|taking)\b|[,;])[^=]*=")  # more than a chain
_EVALUATED = re.compile(r"(?:evaluate\s+(.*?)|(.*?),?\s+evaluated)\s+at (?:the )?(?:given )?(\w+)\.?$", re.IGNORECASE)
_OF_SOMETHING = re.compile(r"[^=\d%]*[^\W\d]\s+of\s+[^=\d%]*=(?!=)", re.IGNORECASE)
_MOST_PARTS = 250  # parts of one rule that are read: strangers' sentences end, whatever they hold
_HUNDRED = re.compile(r"[×x*·]\s*100\s*(%)\s*\)?\s*\.?\s*$")
_PERCENT = re.compile(r"percent|%", re.IGNORECASE)
_OF_PERCENT = re.compile(r"(?<=[^\W\d])\s*%\s*=(?!=)")  # Profit % = ...
_FACTORIAL = re.compile(r"(?:\d|\b[A-Za-z])!(?!=)")
_FACTOR = r"((?:(?! by | and |,|divided|\bthen\b).)+)"
_BY_BY = re.compile(rf"^(multiply(?:ing)?) {_FACTOR} by {_FACTOR} by {_FACTOR}$", re.IGNORECASE)
_SI = frozenset("m s kg N J W Pa K C A V T Hz ohm Ω F H Wb mol rad".split())


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
        rules[effect] = tuple(read_rule(text, causes, effect, graph.nodes, values) for text in texts)
        if not any(rule.tree or rule.equation or rule.is_open or rule.kind == "empty" for rule in rules[effect]):
            rules[effect] = _of_the_plan(graph, effect, values) or rules[effect]
        if graph.children[effect]:  # profit as a percentage of revenue, used further on: 25, or 0.25?
            rules[effect] = tuple(
                Rule(rule.text, "words")
                if rule.read_as.startswith(f"{effect} = 100 * ") and "percent" in rule.text.lower()
                else rule
                for rule in rules[effect]
            )
    for name, known in graph.knowns.items():  # sqrt(2) * L1: a known that is given by other nodes
        formula = read_rule(known.text, (), name, graph.nodes) if known.value is None and known.text else None
        constant = bool(known.text and re.search(r"\w\s*[*/^]|[*/^]\s*\w", known.text))  # 1 / (4 pi epsilon0); not `g`
        if formula is not None and formula.executable and (formula.uses or (formula.aliases and constant)):
            rules[name] = (*rules.get(name, ()), replace(formula, message="", beyond=()))
    return with_temperatures(graph, with_angles(graph, rules))


def _of_the_plan(graph: ReasoningGraph, effect: str, values: Values) -> tuple[Rule, ...]:
    """What the plan's step for an effect says of the same causes: `Subtract the cost`, where the rule only says that
    the profit depends on it."""
    causes = graph.parents[effect]
    steps = [step for step in graph.plan if step.target == effect and step.description]
    if len(steps) != 1 or set(steps[0].inputs) != set(causes):
        return ()
    rule = read_rule(steps[0].description.strip(), causes, effect, graph.nodes, values)
    return (replace(rule, by_plan=True),) if rule.tree is not None and rule.uses >= set(causes) else ()


def without_mirrors(graph: ReasoningGraph) -> ReasoningGraph:
    """I = V / R beside V = I R: one relation written both ways. The one that gives a known is left out."""
    rules = rules_of(graph)
    trees = {node: ways[0].tree for node, ways in rules.items() if len(ways) == 1 and ways[0].tree is not None}
    held = [node for node, known in graph.knowns.items() if known.value is not None and node in trees]
    mirrors = {
        known
        for known in held
        for other in graph.parents[known]
        if other != known
        and other in trees
        and known in graph.parents[other]
        and _is_mirror(trees[known], known, trees[other], other)
    }
    return replace(graph, edges=tuple(edge for edge in graph.edges if edge.effect not in mirrors))


def _is_mirror(tree: Tree, effect: str, back: Tree, other: str) -> bool:
    """Whether the one rule, put into the other, gives its effect back."""
    return agree(replace_names(tree, {other: back}), Name(effect))


Values = tuple[tuple[str, float, str | None], ...]  # causes with a value, and their unit


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
    numbers = {name: value for name, value, _ in values}
    if other := states_otherwise(text, numbers):
        message = f"rule of '{effect}' states another value of '{other}' than it has. Leave it out."
        return Rule(text, "broken", message=message, is_open=True)
    sentence = with_own_names(_BY_BY.sub(r"\1 \2, \3 and \4", _COMMENT.sub("", text)), (*causes, effect), numbers)
    sentence = plainly(sentence, causes, effect, numbers)
    units = {cause: None for cause in causes} | {name: unit for name, _, unit in values}
    if (note := unit_note(sentence, units)) is not None and any(name == note[1] for name, _, _ in values):
        sentence, cause, unit = note
        declared = tuple((name, value, unit if name == cause else other_unit) for name, value, other_unit in values)
        rule = read_rule(sentence, causes, effect, nodes, declared)
        return (
            _in_degrees(replace(rule, text=text), cause)
            if unit != "%" and units[cause] is None
            else replace(rule, text=text)
        )
    scaled: dict[str, Tree] = {}
    while len(scaled) < len(causes) and (taken := in_another_unit(sentence, units)) is not None:
        sentence = taken.text
        if taken.cause in scaled:
            return Rule(text, "words")
        scaled[taken.cause] = Binary("*", Name(taken.cause), Number(taken.factor))
    if scaled:
        rule = _read(sentence, causes, effect, nodes, values)
        tree = None if rule.tree is None else replace_names(rule.tree, scaled)
        rule = replace(rule, tree=tree, units_inside=True, read_as="" if tree is None else as_text(tree))
    else:
        rule = _read(sentence, causes, effect, nodes, values)
    if rule.tree is None and not scaled and not rule.is_open:
        rule = _otherwise(sentence, causes, effect, nodes, values) or rule
    if (rule.tree is None or not count_names(rule.tree) or _FACTORIAL.search(text)) and not scaled and not rule.is_open:
        tree = names_for_numbers(text, causes, numbers) or (
            step_of_causes(text, causes, effect) if rule.tree is None else None
        )
        if tree is not None:
            has_units = any(isinstance(part, Number) and part.value > 2 for part in inner_parts(tree))  # 24.6 * 3600
            reading = f"{effect} = {as_text(tree)}"
            return Rule(text, "formula", tree, frozenset(causes), read_as=reading, units_inside=has_units)
    rule = _if_all_is_used(rule if rule.text == text else replace(rule, text=text), units, effect, numbers)
    shorter = None if rule.tree is None else last_clause(sentence, (*causes, effect))
    if rule.tree is None or shorter is None:
        return rule
    head = _read(shorter[0], causes, effect, nodes, values)
    if head.tree is None or scaled or not agree(head.tree, rule.tree):
        return rule
    return _leaves_out(rule, shorter[1], effect)


def _in_degrees(rule: Rule, cause: str) -> Rule:
    """A rule that says that an angle is in degrees."""
    turned = Call("radians", (Name(cause),))
    if rule.tree is None:
        return rule
    if re.search(rf"(?<!sin\()(?<!cos\()(?<!tan\(){re.escape(cause)}\b", as_text(rule.tree)):  # v * theta: in which?
        return _leaves_out(rule, "degrees", cause)
    return replace(rule, tree=replace_names(rule.tree, {cause: turned}))


def _if_all_is_used(rule: Rule, units: Mapping[str, str | None], effect: str, values: Mapping[str, float]) -> Rule:
    """The rule, where its tree has all that its text says; elsewhere words, and of a formula what it leaves out."""
    if rule.tree is None:
        return rule
    text, names = _COMMENT.sub("", rule.text), (*units, *rule.beyond, effect)
    left = "=" if _STATEMENTS.search(text) and not rule.uses >= set(units) else ""  # one of two equations left out
    left = left or ("!" if _FACTORIAL.search(text) and "factorial" not in as_text(rule.tree) else "")
    left = left or surplus(text, rule.tree, names, values.values()) or in_unused_unit(text, rule.tree, units, effect)
    if not left:
        return rule
    return _leaves_out(rule, left, effect)


def _leaves_out(rule: Rule, left: str, effect: str) -> Rule:
    message = f"rule of '{effect}' says '{left}', which is no part of what was read. Write it as one formula."
    return Rule(rule.text, "words") if rule.read_as else Rule(rule.text, "broken", message=message)


def _otherwise(text: str, causes: tuple[str, ...], effect: str, nodes: tuple[str, ...], values: Values) -> Rule | None:
    """The rule of a formula within a sentence, or of one that defines a quantity on its way, over all of its causes."""

    def read(passage: str, of: tuple[str, ...], what: str, depth: int = 1) -> Tree | None:
        known = tuple(one for one in values if one[0] in of)
        tried.append(passage)
        if len(tried) > _MOST_PARTS:
            raise TooManyReadings
        rule = _read(passage, of, what, (), known)
        if rule.tree is None and depth and not rule.is_open:
            return within(passage, of, what, known, depth - 1)
        return rule.tree

    def within(passage: str, of: tuple[str, ...], what: str, known: Values, depth: int) -> Tree | None:
        beside: list[str] = []  # what is said in front, or as another equation: it must not differ
        for front, formula in formulas_within(passage, of, what):
            beside.append(front)
            rule = _read(formula, of, what, (), known)
            if formula and rule.tree is not None and rule.uses >= set(of):
                return None if _differs(rule.tree, beside, passage, of, what, known) else rule.tree
        return with_definitions(passage, of, what, lambda part, over, name: read(part, over, name, depth))

    tried: list[str] = []
    try:
        tree = _alike(text, causes, effect, nodes, values) or within(text, causes, effect, values, 1)
        tree = tree or _within_its_words(text, causes, effect, nodes, values)
    except TooManyReadings:
        return None
    if tree is None or isinstance(tree, Name) or set(count_names(tree)) & set(causes) != set(causes):
        return None
    return Rule(text, "formula", tree, frozenset(causes), read_as=f"{effect} = {as_text(tree)}")


def _within_its_words(
    text: str, causes: tuple[str, ...], effect: str, nodes: tuple[str, ...], values: Values
) -> Tree | None:
    """What a rule says without what stands around it, where all that can be read so is one formula of all causes."""
    trees: list[Tree] = []
    for core, out in ((text, list[str]()), *cores(text, causes, effect, [value for _, value, _ in values])):
        tree = _read(core, causes, effect, nodes, values).tree or of_all(core, causes, effect, text)
        if tree is None or isinstance(tree, Name) or not set(count_names(tree)) >= set(causes):
            continue
        if not converts_so(out, tree, causes) or not all(agree(tree, other) for other in trees):
            return None
        if _differs(tree, out, text, causes, effect, values):
            return None
        trees.append(tree)
    return trees[0] if trees else None


def _alike(text: str, causes: tuple[str, ...], effect: str, nodes: tuple[str, ...], values: Values) -> Tree | None:
    """What the parts of a rule say, where each that computes can be read and all are one: 120 % of a, i.e. a * 1.2."""
    trees = [
        _read(part, causes, effect, nodes, values).tree for part in restatements(text) if computes(part) or "=" in part
    ]
    if len(trees) < 2 or trees[0] is None:
        return None
    return trees[0] if all(tree is not None and agree(tree, trees[0]) for tree in trees) else None


@lru_cache(maxsize=8192)
def _read(text: str, causes: tuple[str, ...], effect: str, nodes: tuple[str, ...], values: Values) -> Rule:
    at = _EVALUATED.match(text)
    if at and at[3] in causes and re.search(rf"(?<![A-Za-z]){at[3]}(?![A-Za-z])", at[1] or at[2]):
        text = at[1] or at[2]
    named_by = EQUALS.match(text)
    if (said_so := in_words(text)) and (rule := _in_words(said_so, causes, effect, values)) is not None:
        return rule if rule.uses == set(causes) else Rule(text, "words")
    if named_by is None and not _FORMULA_SIGNS.search(text) and _TWO_WORDS.search(text):
        from_words = _in_words(text, causes, effect, values) or _by_its_name(text, causes, effect)
        return from_words or _in_parts(text, causes, effect, nodes, values) or Rule(text, "words")
    rules: list[Rule] = []
    first = ""
    names = (*causes, effect, *nodes)
    numbers = {name: value for name, value, _ in values}
    bare, constants, has_units, against = take_constants(text, names, numbers, [unit for _, _, unit in values], effect)
    bare = _OF_PERCENT.sub(" =", bare)
    effect_names = "|".join(map(re.escape, (effect, symbol(effect), *symbols_in([effect]))))
    last = re.search(rf"=[^=]*(?:[,;.:]|\b(?:so|then|hence|therefore|and)\b)\s*((?:{effect_names})\s*=[^=,;]+)$", bare)
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
    explained = said_of(text, (*causes, effect))
    called = {short: name for short, name in symbols_in(names).items() if short not in explained}
    if re.search(r"\be\s*(?:\^|\*\*)", bare):  # Euler's number, whatever is called e
        called.pop("e", None)
    letters = letters_of(text, causes, effect, (*explained, *constants))

    def parse_symbols(candidate: str) -> Equation:
        left, right = parse(candidate, (*names, *called, *constants), letters)
        known = {short: symbol(name) for short, name in called.items()}
        return Equation(None if left is None else rename(left, known), rename(right, known))

    if percent := _HUNDRED.search(bare):  # (a / b) x 100 %: 81 of an effect in per cent; else 81, or .81
        if not says_percent(effect):
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
        rule = _in_shares(_bind_symbols(text, equation, causes, effect, nodes, values, fixed), effect, values)
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
        rules.append(bind(_with_rounding(equation, text)))
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
    if plain is not None and (rule := _read(plain, causes, effect, nodes, values)).executable and rule.uses:
        return replace(rule, text=text, units_inside=True, aliases={**rule.aliases, text: plain})
    if _CALL_LEFT.match(bare):  # sin(theta) = a / h says nothing of theta but by its inverse
        return rules[0] if rules else Rule(text, "broken", message=f"rule of '{effect}': {first}")
    from_words = _in_words(text, causes, effect, values) or _in_parts(text, causes, effect, nodes, values)
    if from_words is not None or rules:
        return from_words or rules[0]
    if "=" not in text and len(_TWO_WORDS.findall(text)) > 1:
        return Rule(text, "words")
    return Rule(text, "broken", message=f"rule of '{effect}': {first}")


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
        and not _differs(rule.tree, parts, text, causes, effect, values)
        and not gainsays(f"{before} {behind}", formula, (*causes, effect), [value for _, value, _ in values])
    ):
        return rule
    return Rule(
        text, "broken", message=f"rule of '{effect}' says two things that differ. Write one of them.", is_open=True
    )


def _differs(tree: Tree, parts: Iterable[str], text: str, causes: tuple[str, ...], effect: str, values: Values) -> bool:
    """Whether a part of a rule, read alone, gives the effect from all of its causes otherwise."""
    known = {name: (value, unit) for name, value, unit in values}
    for part in parts:
        if not part or part == text:
            continue
        if re.search(r"[=+*/×÷^]|\s[-−–]\s", part):
            rule = _read(part, causes, effect, (), values)
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
    if reading is None:
        return None
    parts = restatements(text)
    formulas = [part for part in parts if "=" in part]
    beside = " ".join(part for part in parts if "=" not in part)
    numbers = [value for _, value, _ in values]
    if any(gainsays(beside, formula, (*causes, effect), numbers) for formula in formulas):
        return None
    if _differs(reading.tree, (*parts, *re.split(r":\s", text)), text, causes, effect, values):
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
    formula = _read(formula_text, causes, effect, nodes, values)
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
    differs = not numerals(why) <= numerals(rest) | {1.0} or _differs(rule.tree, [why], text, causes, effect, values)
    return None if differs else replace(rule, text=text)


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


def _in_shares(rule: Rule, effect: str, values: Values) -> Rule:
    """pay * rate for a rate of 20 %: the factor is 0.2; 300 + 20 % may be 300.2 or 360, and has no value."""
    percents = frozenset(name for name, _, unit in values if unit == "%")
    gives_percent = says_percent(effect)
    if rule.tree is None or not (gives_percent or percents & rule.uses):
        return rule
    tree = in_shares(rule.tree, percents, gives_percent)
    message = (
        f"rule of '{effect}' leaves open what {in_quotes(sorted(percents & rule.uses) or [effect])}, in %, means in it."
    )
    return replace(
        rule,
        tree=tree,
        message=rule.message if tree is not None else f"{message} Write shares as factors.",
        is_open=tree is None,
    )


def _with_rounding(equation: Equation, text: str) -> Equation:
    """`N = log10(t), rounded up`: the rounding stands behind the formula and belongs to it."""
    rounding = ROUNDED.search(text)
    if rounding is None:
        return equation
    function = {"up": "ceil", "down": "floor"}.get(rounding[1], "round")
    return Equation(equation.left, Call(function, (equation.right,)))


def _bind_symbols(
    text: str,
    equation: Equation,
    causes: Sequence[str],
    effect: str,
    nodes: Sequence[str],
    values: Values,
    constants: Mapping[str, Tree],
) -> Rule:
    """The symbols of an equation matched to the effect and its causes. `constants`: what the rule itself gives."""
    left, right = equation
    explained = said_of(text, (*causes, effect))
    right = replace_names(right, constants)
    symbols = (count_names(left) if left is not None else {}) | count_names(right)
    others = {symbol(node) for node in nodes if node not in causes and node != effect}
    aliases = aliases_of(left, [name for name in symbols if name not in others], causes, effect, explained)
    unmatched = [name for name in symbols if name not in aliases]
    beyond = {
        symbol(node): node
        for node in nodes
        if symbol(node) in unmatched
        and symbol(node) in others
        # `5 m` may be five metres: without an edge from m nothing says that it is the node
        and not re.search(rf"\d\s*{re.escape(symbol(node))}\b", text)
    }
    strange = [name for name in unmatched if name not in beyond and name not in CONSTANTS]
    nature = {name: Number(NATURE[name]) for name in strange if _is_constant(name, text, values)}
    strange = [name for name in strange if name not in nature]
    let = [(short, words) for short, words in LET.findall(text) if short in aliases]
    strange += [short for short, words in let if not share_meaning(words, aliases[short])]
    strange += [short for short, words in STANDS_FOR.findall(text) if is_other(words, aliases.get(short, ""))]
    if strange:
        verb = "is" if len(strange) == 1 else "are"
        message = (
            f"rule of '{effect}' uses {in_quotes(strange)}, which {verb} not among its causes ({in_quotes(causes)})."
        )
        return Rule(text, "broken", message=message)
    right = replace_names(rename(right, aliases | beyond), nature)
    left = None if left is None else replace_names(rename(left, aliases | beyond), nature)
    tree = right if left is None or left == Name(effect) else isolate(left, right, effect)
    if tree is None or effect in count_names(tree):
        message = f"rule of '{effect}' cannot be solved for it. Write '{effect} = ...'."
        return Rule(text, "broken", message=message, equation=None if left is None else Equation(left, right))
    names = count_names(tree)
    missing = tuple(node for node in beyond.values() if node in names)
    shown = {short: name for short, name in aliases.items() if short != symbol(name)}
    shown |= {name: f"{number.value:g} in SI" for name, number in nature.items()}
    message = f"the rule of '{effect}' uses {in_quotes(missing)}, which has no edge to it." if missing else ""
    uses = frozenset(names) & {*causes, *missing}
    return Rule(text, "formula", tree, uses, shown, message, beyond=missing)


def _is_constant(name: str, text: str, values: Values) -> bool:
    """Whether a name is a constant of nature: its value is that of SI, so no unit of another system may be there."""
    if name == "g" and re.search(r"\d\s*g\b(?!\s*[\w(])", text):  # 500 g may be grams; 2 g h is not
        return False
    if name not in NATURE or (name == "c" and not re.search(r"c\s*(?:\^|\*\*|²)|light", text)):
        return False
    return all(set(re.findall(r"[^\W\d_]+", unit or "")) <= _SI for _, _, unit in values)
