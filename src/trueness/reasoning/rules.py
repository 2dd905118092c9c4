"""The rule of an effect: a formula over its causes, words, or something that is neither.

    formula   `a = F/m`, `F/m`, `Newton: a = F/m (second law)`    a tree over the causes; can be executed
              `divide F by m`                                     arithmetic in words, told in `read_as` (in_words.py)
    words     `friction slows the car`                            no error; left to the judge
    broken    `a = F /`, `a = f.__class__`                        a message says why; cannot be executed
    empty

rule_text.py reads one text, rule_symbols.py binds the symbols of its equation.
A node that a formula names and the edge lacks is used, and told as a missing edge in `beyond`. A formula may call the
effect and its causes by their names, in other case, or by short names: the left side stands for the effect, and a
symbol left over stands for the one cause left over or the one that begins with its letter; g, c, epsilon0 and their
like are constants in SI where no node has the name and every unit of the rule is one of SI. What was taken for what is
told in `aliases`. `F = m*a` for the effect a is solved for a where a occurs once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache

from trueness.patterns import late
from trueness.reasoning.accounted import in_unused_unit, last_clause, surplus
from trueness.reasoning.around import converts_so, cores, of_all, with_own_names
from trueness.reasoning.bare_steps import is_what_it_is_called, names_for_numbers, step_of_causes
from trueness.reasoning.clauses import in_another_unit, numerals, plainly, restatements, states_otherwise, unit_note
from trueness.reasoning.conclusions import conclusion, is_doubted, without_law
from trueness.reasoning.definitions import with_definitions
from trueness.reasoning.graph import ReasoningGraph, in_quotes
from trueness.reasoning.islands import formulas_within
from trueness.reasoning.notation import with_indices_apart
from trueness.reasoning.rule import Rule, Values, with_angles, with_temperatures
from trueness.reasoning.rule_text import TWO_WORDS, differs, read_text
from trueness.reasoning.syntax import MAX_LENGTH
from trueness.reasoning.trees import (
    Binary,
    Call,
    Name,
    Number,
    Tree,
    agree,
    as_text,
    contradict,
    count_names,
    evaluate,
    replace_names,
    walk,
)
from trueness.reasoning.word_forms import TooManyReadings
from trueness.reasoning.word_names import tokens
from trueness.reasoning.word_numbers import CONDITION, computes
from trueness.reasoning.word_shares import is_of_another

_COMMENT = late(r"(?<=\S)\s+#\s.*$")  # total = a + b  # in euros
_STATEMENTS = late(  # two equations; R = 6 Ω is none
    r"=(?!\s*\d)[^=]*[-+*/×÷−][^=]*(?:[;,]|\b(?:and|so|then)\b)[^=]*=(?![=\s]*\d)[^=]*[-+*/×÷−]"
)
_MOST_PARTS = 250  # parts of one rule that are read: strangers' sentences end, whatever they hold
_FACTORIAL = late(r"(?:\d|\b[A-Za-z])!(?!=)")
_DOES = late(
    r"\b(?:add|sum|subtract|deduct|multipl|divid|tak|squar|doubl|tripl|halv|averag)\w*|\b(?:times|plus|minus|product|"
    r"difference|ratio)\b|[-+*/×÷^=!√]|sqrt",
    re.IGNORECASE,
)
_ALTERS = late(  # what a rule says besides, and a step of the plan may leave out
    r"\b(?:tax\w*|discount\w*|invers\w*|rais\w+|lower\w*|else|per unit|only|"
    r"exclud\w+|quarters?|thirds|there and back|less|fewer|square of)\b|%",
    re.IGNORECASE,
)
_SUM = late(r"\d+(?:!|\s*[-+*/×÷^])[-+*/×÷^!\d\s]*")
_GOAL = late(
    r"\bto (?:get|find|obtain|calculate|determine|compute|give) (?P<to>[^,.;:]+)"
    r"|^(?:calculate|compute|find|determine|get) (?P<goal>[^,.;:=]+?)(?::| as | by | using | from )",
    re.IGNORECASE,
)
_ANY_GOAL = tokens("total result answer final value sum it amount")
_CHOOSE = late(r"(?<!\w)n?C\(\s*([^(),]+?)\s*,\s*([^(),]+?)\s*\)")
_FACTOR = r"((?:(?! by | and |,|divided|\bthen\b).)+)"
_BY_BY = late(rf"^(multiply(?:ing)?) {_FACTOR} by {_FACTOR} by {_FACTOR}$", re.IGNORECASE)


def rules_of(graph: ReasoningGraph) -> dict[str, tuple[Rule, ...]]:
    """Per effect its rules, each text once: an edge for each cause with the same rule is one rule."""
    rules: dict[str, tuple[Rule, ...]] = {}
    for effect, edges in graph.rules_of.items():
        texts = dict.fromkeys(edge.rule.strip() for edge in edges)
        if len(texts) > 1:
            texts.pop("", None)
        causes = graph.parents[effect]
        values = _values_of(graph, causes)
        rules[effect] = tuple(read_rule(text, causes, effect, graph.nodes, values) for text in texts)
        rules[effect] = tuple(_with_named_node(rule, graph, effect) for rule in rules[effect])
        rules[effect] = tuple(_with_formula(rule, graph, effect, values) for rule in rules[effect])
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
    return with_temperatures(graph, with_angles(graph, _by_values(graph, rules)))


def _values_of(graph: ReasoningGraph, names: Iterable[str]) -> Values:
    return tuple(
        (name, known.value, known.unit)
        for name in names
        if (known := graph.knowns.get(name)) is not None and known.value is not None
    )


def _with_named_node(rule: Rule, graph: ReasoningGraph, effect: str) -> Rule:
    """A rule in words that calls a node without an edge by its full name, and by no more than that: with the node, and
    told as a missing edge."""
    if rule.kind != "words" or rule.is_open or rule.equation is not None:
        return rule
    causes, text = graph.parents[effect], f" {rule.text.lower().replace('_', ' ')} "
    above = [node for node in graph.nodes if node not in {*causes, effect, *graph.descendants(effect)}]
    named = tuple(
        node
        for node in above
        if len(node) > 2 and re.search(rf"(?<!\w){re.escape(node.lower().replace('_', ' '))}(?!\w)", text)
    )
    if not named or len(named) > 2:
        return rule
    every = (*causes, *named)
    read = read_rule(rule.text, every, effect, graph.nodes, _values_of(graph, every))
    called = {node: phrase for phrase, node in read.aliases.items()}
    if read.tree is None or read.uses != set(every) or read.beyond:
        return rule
    if any(tokens(called.get(node, "")) != tokens(node) for node in named):
        return rule
    message = f"the rule of '{effect}' uses {in_quotes(named)}, which has no edge to it."
    return replace(read, message=message, beyond=named)


def _with_formula(rule: Rule, graph: ReasoningGraph, effect: str, values: Values) -> Rule:
    """A rule with the formula that its writer put beside it. Of words that cannot be read it is what they mean where it
    uses every cause and has all that they say; beside a rule that is read it must say the same."""
    formulas = {edge.formula for edge in graph.rules_of[effect] if edge.rule.strip() == rule.text} - {""}
    if not formulas or rule.equation is not None or rule.is_open or is_doubted(rule.text):
        return rule
    causes, text = graph.parents[effect], min(formulas)
    formula = read_rule(text, causes, effect, graph.nodes, values)
    if formula.tree is None or formula.read_as or len(formulas) > 1:
        message = f"the formula beside the rule of '{effect}' must be one that can be read, got {text[:80]!r}."
        return replace(rule, message=rule.message or message)
    if rule.tree is not None:
        message = f"rule of '{effect}' and the formula beside it ({text[:80]}) differ. Say one of them."
        differ = contradict(rule.tree, formula.tree)
        return Rule(rule.text, "broken", message=message, is_open=True) if differ else rule
    if unused := [cause for cause in causes if cause not in formula.uses]:
        return replace(rule, message=f"the formula beside the rule of '{effect}' does not use '{unused[0]}'.")
    names, numbers = (*causes, *formula.beyond, effect), {name: value for name, value, _ in values}
    if left := surplus(rule.text, formula.tree, names, numbers.values()):
        return replace(rule, message=f"the formula beside the rule of '{effect}' leaves out '{left}'.")
    reading = f"{effect} = {as_text(formula.tree)}"
    return replace(formula, text=rule.text, read_as=reading, by_formula=True)


def _of_the_plan(graph: ReasoningGraph, effect: str, values: Values) -> tuple[Rule, ...]:
    """What the plan's step for an effect says of the same causes: `Subtract the cost`, where the rule only says that
    the profit depends on it."""
    causes, description = graph.parents[effect], _step_text(graph, effect)
    if not _DOES.search(description):  # minutes over two hours: what it is, and nothing that is done
        return ()
    rule = read_rule(description, causes, effect, graph.nodes, values)
    if rule.tree is None or not rule.uses >= set(causes) or not _fits(graph, effect, rule.tree):
        return ()
    return (replace(rule, by_plan=True),)


def _step_text(graph: ReasoningGraph, effect: str) -> str:
    """The plan's one step for an effect whose rule has words, from the causes that its edges have."""
    texts = [edge.rule for edge in graph.rules_of[effect]]
    if not all(TWO_WORDS.search(text) for text in texts):  # a formula that is broken is broken
        return ""
    steps = [step for step in graph.plan if step.target == effect and step.description]
    alike = len(steps) == 1 and set(steps[0].inputs) == set(graph.parents[effect])
    return steps[0].description.strip() if alike and not _is_for_another(steps[0].description, effect) else ""


def _is_for_another(description: str, effect: str) -> bool:
    """Whether a step says that it gives something else: `to get the turnover`, for the profit."""
    goals = [tokens(match["to"] or match["goal"]) - _ANY_GOAL for match in _GOAL.finditer(description)]
    return any(goal and not goal & tokens(effect) for goal in goals)


def _fits(graph: ReasoningGraph, effect: str, tree: Tree) -> bool:
    """Whether a step of the plan does what the effect is called and its rule says: half of what remains is no rest."""
    step, rule_text = _step_text(graph, effect), " ".join(edge.rule for edge in graph.rules_of[effect])
    names = " ".join((step, effect, *graph.parents[effect]))
    values = {known.value for name in graph.parents[effect] if (known := graph.knowns.get(name)) is not None}
    counted = re.sub(r"\b[A-Za-z]\w*\d\w*", "", rule_text)
    if not numerals(counted) <= numerals(names) | values or not is_what_it_is_called(effect, tree):
        return False
    sums = [part.strip() for part in _SUM.findall(step)]
    if "=" in rule_text or any(part in rule_text for part in sums):
        return True
    return (
        not CONDITION.search(rule_text.lower())
        and not _ALTERS.search(rule_text)
        and is_what_it_is_called(rule_text, tree)
    )


def _by_values(graph: ReasoningGraph, rules: dict[str, tuple[Rule, ...]]) -> dict[str, tuple[Rule, ...]]:
    """Rules that only have numbers, `144 - 48 = 96`: names for those that causes have, also for computed ones."""
    silent = [
        node for node, of_node in rules.items() if of_node and not any(one.tree or one.is_open for one in of_node)
    ]
    if graph.order is None or not silent:
        return rules
    values = {name: known.value for name, known in graph.knowns.items() if known.value is not None}
    for node in graph.order:
        if node in silent and rules[node][0].kind != "empty":
            for text, by_plan in [*((rule.text, False) for rule in rules[node]), (_step_text(graph, node), True)]:
                tree = names_for_numbers(text, graph.parents[node], values)
                if tree is not None and is_what_it_is_called(node, tree) and (not by_plan or _fits(graph, node, tree)):
                    rules[node] = (replace(_of_tree(text, tree, graph.parents[node], node), by_plan=by_plan),)
                    break
        tree = next((rule.tree for rule in rules.get(node, ()) if rule.tree is not None), None)
        if node not in values and tree is not None and set(count_names(tree)) <= set(values):
            with suppress(ArithmeticError, ValueError):
                values[node] = evaluate(tree, values)
    return rules


def _of_tree(text: str, tree: Tree, causes: Sequence[str], effect: str) -> Rule:
    has_units = any(isinstance(part, Number) and part.value > 2 for part in walk(tree))  # 24.6 * 3600
    reading = f"{effect} = {as_text(tree)}"
    return Rule(text, "formula", tree, frozenset(causes), read_as=reading, units_inside=has_units)


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
    if is_doubted(text):
        return Rule(text, "words")
    rule = _read_whole(text, causes, effect, nodes, values)
    if rule.tree is not None or rule.equation is not None or rule.is_open:
        return rule
    formula, spoken = conclusion(text, causes, effect)
    for shorter, apart in ((without_law(text), frozenset[str]()), (formula, spoken)):
        core = _read_whole(shorter, causes, effect, nodes, values) if shorter not in ("", text) else rule
        if core.equation is not None or (core.tree is not None and core.uses | apart >= set(causes)):
            return replace(core, text=text)
    return rule


@lru_cache(maxsize=8192)
def _read_whole(text: str, causes: tuple[str, ...], effect: str, nodes: tuple[str, ...], values: Values) -> Rule:
    numbers = {name: value for name, value, _ in values}
    if other := states_otherwise(text, numbers):
        message = f"rule of '{effect}' states another value of '{other}' than it has. Leave it out."
        return Rule(text, "broken", message=message, is_open=True)
    if not any(name == "C" or "C(" in name for name in (*causes, effect, *nodes)):
        text = _CHOOSE.sub(r"comb(\1, \2)", text)
    sentence = with_indices_apart(_COMMENT.sub("", text), (*causes, effect, *nodes))
    sentence = with_own_names(_BY_BY.sub(r"\1 \2, \3 and \4", sentence), (*causes, effect), numbers)
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
        rule = read_text(sentence, causes, effect, nodes, values)
        tree = None if rule.tree is None else replace_names(rule.tree, scaled)
        rule = replace(rule, tree=tree, units_inside=True, read_as="" if tree is None else as_text(tree))
    else:
        rule = read_text(sentence, causes, effect, nodes, values)
    if rule.tree is None and not scaled and not rule.is_open:
        rule = _otherwise(sentence, causes, effect, nodes, values) or rule
    if (rule.tree is None or not count_names(rule.tree) or _FACTORIAL.search(text)) and not scaled and not rule.is_open:
        tree = names_for_numbers(text, causes, numbers) or (
            step_of_causes(text, causes, effect) if rule.tree is None else None
        )
        if tree is not None and is_what_it_is_called(effect, tree):
            return _of_tree(text, tree, causes, effect)
    rule = _if_all_is_used(rule if rule.text == text else replace(rule, text=text), units, effect, numbers)
    shorter = None if rule.tree is None else last_clause(sentence, (*causes, effect))
    if rule.tree is None or shorter is None:
        return rule
    head = read_text(shorter[0], causes, effect, nodes, values)
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
    if not left and rule.read_as and is_of_another(text, rule.tree, units, effect):
        return Rule(rule.text, "words")
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
        rule = read_text(passage, of, what, (), known)
        if rule.tree is None and depth and not rule.is_open:
            return within(passage, of, what, known, depth - 1)
        return rule.tree

    def within(passage: str, of: tuple[str, ...], what: str, known: Values, depth: int) -> Tree | None:
        beside: list[str] = []  # what is said in front, or as another equation: it must not differ
        for front, formula in formulas_within(passage, of, what):
            beside.append(front)
            rule = read_text(formula, of, what, (), known)
            if formula and rule.tree is not None and rule.uses >= set(of):
                return None if differs(rule.tree, beside, passage, of, what, known) else rule.tree
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
        tree = read_text(core, causes, effect, nodes, values).tree or of_all(core, causes, effect, text)
        tree = tree or step_of_causes(core, causes, effect)
        if tree is None or isinstance(tree, Name) or not set(count_names(tree)) >= set(causes):
            continue
        if not converts_so(out, tree, causes) or not all(agree(tree, other) for other in trees):
            return None
        if differs(tree, out, text, causes, effect, values):
            return None
        trees.append(tree)
    return trees[0] if trees else None


def _alike(text: str, causes: tuple[str, ...], effect: str, nodes: tuple[str, ...], values: Values) -> Tree | None:
    """What the parts of a rule say, where each that computes can be read and all are one: 120 % of a, i.e. a * 1.2."""
    trees = [
        read_text(part, causes, effect, nodes, values).tree
        for part in restatements(text)
        if computes(part) or "=" in part
    ]
    if len(trees) < 2 or trees[0] is None:
        return None
    return trees[0] if all(tree is not None and agree(tree, trees[0]) for tree in trees) else None
