"""From the original's JSON to a ReasoningGraph: what can be kept is kept, what is wrong is told in one line each.

    causes     ["F", "m"]  "F"  "F, m"  "F and m"
    knowns     {"F": 10}  {"F": "10 N"}  {"F": {"value": 10, "unit": "N"}}  [{"name": "F", "value": 10, "unit": "N"}]
    edges      {"cause", "effect", "rule"}  {"cause", "effect", "rule", "formula"}  ["F", "a"]  "F, m -> a"
    units      {"units": {"F": "N", "a": "m/s^2"}}

`graph_from` never raises for what it is given; a problems file, which must be right, is read by the same function.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from trueness.errors import TruenessError
from trueness.patterns import late
from trueness.reasoning.graph import Finding, PlanStep, Quantity, ReasoningGraph, RuleEdge, close
from trueness.reasoning.names import may_be_in, read_unit, unit_in
from trueness.reasoning.passages import share_of
from trueness.reasoning.syntax import parse, plain, symbol
from trueness.reasoning.trees import Binary, Tree, evaluate, parts
from trueness.status import Status

TARGET_KEYS = ("target_variable", "target", "goal", "target_name", "output_variable")
KNOWN_KEYS = ("knowns", "known", "givens", "given", "known_values", "known_variables")
EDGE_KEYS = ("causal_graph", "edges", "causal_edges", "relations", "graph")
PLAN_KEYS = ("computation_plan", "plan", "steps")
WRAPPERS = ("dag", "reasoning_dag", "enhanced_dag", "causal_dag", "graph", "result", "answer", "output")
MOST = 300  # knowns, edges or steps; a reasoning graph has ten
LONGEST_NAME = 200

_CAUSES = ("cause", "causes", "from", "source", "parents", "parent", "inputs")
_EFFECT = ("effect", "to", "target", "child", "output")
_RULE = ("rule", "formula", "equation", "relation", "relationship", "mechanism", "description")
_FORMULA = ("formula", "equation")
_QUANTITY = late(
    r"""^\s*(?:=\s*)?(?:(?P<sign>[-+−])\s*)?(?:(?P<currency>[$€£¥])\s*)?
    (?:10\s*(?:\^|\*\*)\s*\(?(?P<ten>[-−+]?\d{1,3})\)?(?!\.?\d)
      |(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d*)?(?:[eE][-+]?\d{1,3})?|\.\d+))
    (?:\s*(?:/\s*(?P<under>\d+)(?![.\d])|(?:[x×*·]\s*10\s*(?:\^|\*\*)?\s*\(?(?P<power>[-−+]?\d{1,3}|⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})\)?)))?
    \s*(?P<unit>(?:%|°|[^\W\d_]|/|1/)[^,;=]{0,40})?\s*$""",
    re.VERBOSE,
)
_SUPERSCRIPT = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")
_TYPESET = late(r"\\[()\[\],;:! ]|\\q?quad|\$(?!\s*\d)|\n")
_CALLED = late(  # K_{min} ≈ 280
    r"^\s*(?:(?:\\[(\[]|\$)\s*)?(?:(?!(?:log|ln|exp|sqrt|sin|cos|tan|not)(?![^\W_]))\\?[^\W\d][\w{}\\]{0,12}\s*(?:=|≈|\\approx)"
    r"|(?:approximately|about|around)(?!\s*\d+(?:[ap]m|s)\b))\s*(?=[-−$]?[\d\\])"
)
Item = TypeVar("Item")
_UPRIGHT = late(r"\\(?:text|mathrm|textrm|operatorname|rm)\b\s*")
_NO_BRACES = str.maketrans("", "", "{}")
_OR = late(r"\bor\b(?: approximately| about)?|≈|\\approx\b")
# 5 to 10 km is no 5, and 1 / (2 * L) is a formula: a number in a unit is an exponent, or the 1 of 1/s
_NO_UNIT = late(
    r"^(?:π|[xX](?![^\W\d_])|k(?![^\W_])|(?:to|or|and|dozen|hundred|thousand|[mb]illion|trillion|percent off|% off)\b)|"
    r"(?<![\w^*−.⁻-])(?!1\s*/)\d|(?<!\*)\*\s*\d|√|pi$|\b(?:pi|sqrt|exp|ln|log|sin|cos|tan)\b"
)
_MIXED = late("(?:(?<![\\w.])(\\d+) ?|(?<![\\w.]))([\u00bc-\u00be\u2150-\u215e])")  # 1½ cups
_MONEY = late(r"^(\s*(?:[-+−]\s*)?[$€£¥]\s*[\d.,]*\d)\s*(k|K|thousand|M|mn|million|B|bn|billion)\s*$")
_THOUSANDS = {"k": "e3", "t": "e3", "m": "e6", "b": "e9"}
_OF_CONSTANTS = late(
    r"(?P<number>.*(?<![A-Za-z])(?:pi|sqrt)\b.*?|.*[√π].*?)(?:\s+(?P<unit>[A-Za-zΩ°%][A-Za-z0-9Ω°%/^·²³]*))?\s*"
)
_MULTIPLES = frozenset((0.25, 0.5, 0.75, 1.5, 2.0, 3.0, 4.0))
_CURRENCY = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY"}
_OPEN = frozenset(("", "?", "??", "unknown", "tbd", "to be determined", "to be calculated", "none", "null", "n/a"))
_AND = late(r"\s{0,9}(?:,|;|&|\band\b)\s*")
_ARROW = late(r"\s{0,9}(?:->|=>|→|⇒|-->)\s*")


def quantity_of(value: object, unit: str | None = None) -> Quantity:
    """A number, `10 N`, `$1,200`, `3 x 10^8 m/s`, `5 %`, or {"value": 10, "unit": "N"}; else text without a value."""
    if isinstance(value, Mapping):
        inner = value.get("value", value.get("amount"))
        stated = value.get("unit", value.get("units"))
        return quantity_of(inner, str(stated) if stated else unit)
    if isinstance(value, bool) or value is None:
        return Quantity(None, unit, "" if value is None else str(value).lower())
    if isinstance(value, int | float):
        # float() of an integer with a million digits would raise
        number = float(value) if isinstance(value, float) or abs(value) < 10**300 else math.inf
        return Quantity(number, unit) if math.isfinite(number) else Quantity(None, unit, "a number out of range")
    text = str(value) if len(str(value)) > 120 else _CALLED.sub("", str(value))
    if len(text) <= 120:
        text = _MIXED.sub(lambda match: repr(int(match[1] or 0) + unicodedata.numeric(match[2])), text)
        text = _MONEY.sub(lambda match: f"{match[1].replace(',', '')}{_THOUSANDS[match[2][0].lower()]}", text)
    match = _QUANTITY.match(text) if len(text) <= 120 else None
    if match is None and (share := share_of(text.lower())) is not None and text.lower() not in ("third", "quarter"):
        return Quantity(share, unit, text)  # one-fifth; a third may be one of three
    if match is not None and match["currency"] and re.fullmatch(r"[A-Za-z]{1,2}", match["unit"] or ""):
        return Quantity(None, unit, text)  # $2m: millions?
    if match is None or _NO_UNIT.search(match["unit"] or ""):
        return _from_latex(text, unit) or Quantity(None, unit, text[:LONGEST_NAME])
    number = float(f"1e{match['ten'].translate(_SUPERSCRIPT)}" if match["ten"] else match["number"].replace(",", ""))
    if match["under"]:
        number = number / float(match["under"]) if float(match["under"]) else math.nan
    if match["power"]:
        number *= float(f"1e{match['power'].translate(_SUPERSCRIPT)}")  # math.pow would raise at 10^999
    if not math.isfinite(number):
        return Quantity(None, unit, text)
    suffix = (match["unit"] or "").strip() or _CURRENCY.get(match["currency"], "") or None
    return Quantity(-number if match["sign"] in ("-", "−") else number, unit or suffix)


def _from_latex(text: str, unit: str | None) -> Quantity | None:
    """`\\frac{8}{3} \\, \\text{m/s}`, `{ 200 }`, `\\$70,000`, `2\\pi`: numbers as they are typeset; None for all else.

    Of `8/3 or about 2.67` the first is read where the second says the same.
    """
    if len(text) > 120 or not (set("\\{$√π") & set(text) or _OF_CONSTANTS.fullmatch(text)):
        return None
    one, *others = (part for part in _OR.split(text) if part.strip())
    if others:
        quantities = [quantity_of(part) for part in (one, *others)]
        known = [each.value for each in quantities if each.value is not None]
        alike = len(known) == len(quantities) and all(close(each, known[0], 0.01) for each in known)
        return quantities[0] if alike else None
    bare = _TYPESET.sub(" ", text.replace("\\$", "$").replace("\\%", "%").replace("^\\circ", "°")).strip(" .")
    bare = bare[1:-1].strip(" .") if bare[:1] == "{" and bare[-1:] == "}" else bare
    number = _UPRIGHT.split(bare, maxsplit=1)[0]
    of_unit = _UPRIGHT.sub("", bare[len(number) :]).translate(_NO_BRACES).replace("~", " ").strip()
    apart = _OF_CONSTANTS.fullmatch(number)
    if apart is not None and (apart["unit"] in ("rad", "radians") or (apart["unit"] and read_unit(apart["unit"]))):
        number, of_unit = apart.group("number", "unit")  # pi/6 rad
    try:
        currency, number = number[:1] == "$", re.sub(r"\^\(([-−]?\d+)\)", r"^\1", plain(number)).strip()
        if not re.search(r"sqrt|pi\b", number) and (match := _QUANTITY.match(f"{number} {of_unit}")):
            if _NO_UNIT.search(match["unit"] or ""):
                return None
            return quantity_of(f"{'$' if currency else ''}{number} {of_unit}", unit)
        tree = parse(number).right
        value = evaluate(tree, {}) if _is_product(tree) else math.nan
    except (TruenessError, ArithmeticError, ValueError, KeyError):
        return None
    return Quantity(value, unit or of_unit or None) if math.isfinite(value) else None


def _is_product(tree: Tree) -> bool:
    """Numbers, pi, products, quotients, powers and roots: 2 - 3 may be a range, and is no number."""
    if isinstance(tree, Binary) and tree.operator not in "*/^":
        return False
    return all(_is_product(part) for part in parts(tree))


def graph_from(value: object) -> tuple[ReasoningGraph | None, tuple[Finding, ...]]:
    """The graph of a JSON value and what is wrong with it; None where nothing of a graph is there."""
    record = _unwrap(value)
    if record is None:
        got = (
            "a reasoning graph must be an object with 'target_variable', 'knowns' and 'causal_graph'; got none of them."
        )
        return None, (Finding(Status.UNREADABLE, got),)
    findings: list[Finding] = []
    target = _name(_first(record, TARGET_KEYS))
    units = _units(record, target)
    knowns = dict(_knowns(_first(record, KNOWN_KEYS), units, findings))
    edges = tuple(_edges(_first(record, EDGE_KEYS), findings, frozenset((target, *knowns))))
    target, knowns, edges = _one_spelling(target, knowns, edges)
    named = {*knowns, *(name for edge in edges for name in (*edge.causes, edge.effect))}
    knowns = {name: _of_node(name, known, named - {name}, knowns) for name, known in knowns.items()}
    computed = {target, *(edge.effect for edge in edges)}
    knowns = {name: known for name, known in knowns.items() if not (name in computed and _open(known))}
    findings += [
        Finding(Status.UNREADABLE, f"known '{name}' has no value. Give a number.", name)
        for name, known in knowns.items()
        if _open(known)
    ]
    plan = tuple(_plan(_first(record, PLAN_KEYS), findings))
    nodes = {*knowns, *(name for edge in edges for name in (*edge.causes, edge.effect))}
    if not target:
        findings.append(Finding(Status.UNREADABLE, "'target_variable' is missing. Name the node that is asked for."))
    elif edges and target not in nodes:
        message = f"the target '{target}' is not in the causal graph. Add an edge to it."
        findings.append(Finding(Status.DEGENERATE, message, target))
    if not edges:
        findings.append(Finding(Status.UNREADABLE, "'causal_graph' has no edge that can be read."))
    units = {name: unit for name in nodes if (unit := unit_in(name)) is not None} | units
    extra = {name: unit for name, unit in units.items() if name not in knowns}
    graph = ReasoningGraph(target, knowns, edges, plan, extra, tuple(findings))
    if graph.cycle:
        message = f"the graph has a cycle: {' -> '.join(graph.cycle)}. Take one of its edges out."
        findings.append(Finding(Status.DEGENERATE, message, graph.cycle[0]))
        graph = replace(graph, findings=tuple(findings))
    return graph, tuple(findings)


def _one_spelling(
    target: str, knowns: dict[str, Quantity], edges: tuple[RuleEdge, ...]
) -> tuple[str, dict[str, Quantity], tuple[RuleEdge, ...]]:
    """`final distance` and `final_distance` are one node; v and V are two."""
    names = dict.fromkeys((*(name for edge in edges for name in (*edge.causes, edge.effect)), *knowns, target))
    spellings: dict[str, str] = {}
    same = {name: spellings.setdefault(_spelling(name), name) for name in names}
    one = tuple(
        replace(edge, causes=tuple(dict.fromkeys(same[cause] for cause in edge.causes)), effect=same[edge.effect])
        for edge in edges
    )
    return same[target], {same[name]: known for name, known in knowns.items()}, one


def _spelling(name: str) -> str:
    """Without case where all words are words: C_core and c_core are two."""
    words = symbol(name).split("_")
    if len(words) == 1:
        return name
    return (
        symbol(name).casefold() if any(len(word) > 2 for word in words) and min(map(len, words)) > 1 else symbol(name)
    )


def status_of(graph: ReasoningGraph | None) -> Status:
    """ok where target and edges are there and no cycle; else what stops the checks."""
    if graph is None or not graph.target or not graph.edges:
        return Status.UNREADABLE
    return Status.DEGENERATE if graph.cycle else Status.OK


def looks_like_graph(value: object) -> int:
    """How many of the four parts are there, also one level below."""
    inner = _unwrap(value)
    return 0 if inner is None else sum(_first(inner, keys) is not None for keys in (TARGET_KEYS, KNOWN_KEYS, EDGE_KEYS))


def _unwrap(value: object, depth: int = 3) -> Mapping[str, object] | None:
    if isinstance(value, list) and any(isinstance(item, Mapping) and _first(item, _EFFECT) for item in value[:MOST]):
        return {"causal_graph": value}
    if not isinstance(value, Mapping) or not depth:
        return None
    if any(_first(value, keys) is not None for keys in (TARGET_KEYS, EDGE_KEYS[:-1])):
        return value
    for key in WRAPPERS:
        inner = _unwrap(value.get(key), depth - 1)
        if inner is not None:
            return inner
    return value if _first(value, KNOWN_KEYS) is not None else None


def _first(record: Mapping[str, object], keys: Sequence[str]) -> object:
    return next((record[key] for key in keys if record.get(key) is not None), None)


def _name(value: object) -> str:
    if isinstance(value, Mapping):
        value = _first(value, ("name", "variable", "id", "symbol"))
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15
    if isinstance(value, str) or is_number:
        return str(value).strip()[:LONGEST_NAME]
    return ""


def _units(record: Mapping[str, object], target: str) -> dict[str, str]:
    stated = record.get("units")
    units = {_name(name): str(unit) for name, unit in stated.items() if unit} if isinstance(stated, Mapping) else {}
    of_target = record.get("target_unit", record.get("unit"))
    if target and isinstance(of_target, str):
        units.setdefault(target, of_target)
    return units


def _knowns(stated: object, units: Mapping[str, str], findings: list[Finding]) -> Iterator[tuple[str, Quantity]]:
    if isinstance(stated, Mapping):
        pairs: list[tuple[object, object]] = list(stated.items())
    elif isinstance(stated, list):
        pairs = [tuple(item) if isinstance(item, list) and len(item) == 2 else (item, item) for item in stated]  # type: ignore[misc]
        pairs = [(name, value if name is not value or isinstance(value, Mapping) else None) for name, value in pairs]
    else:
        got = "'knowns' is missing. Give the values that the problem states."
        got = got if stated is None else f"'knowns' must be an object of names and values, got {_kind(stated)}."
        findings.append(Finding(Status.UNREADABLE, got))
        return
    for name, value in ((_name(name), value) for name, value in _at_most(pairs, "knowns", findings)):
        if not name:
            findings.append(Finding(Status.UNREADABLE, "a known without a name is left out."))
            continue
        quantity = quantity_of(value, units.get(name))
        yield name, quantity if quantity.unit else replace(quantity, unit=unit_in(name))


def _at_most(items: Sequence[Item], what: str, findings: list[Finding]) -> Sequence[Item]:
    if len(items) > MOST:
        findings.append(Finding(Status.TRUNCATED, f"at most {MOST:,} {what} are read, got {len(items):,}."))
    return items[:MOST]


def _of_node(name: str, known: Quantity, nodes: set[str], knowns: Mapping[str, Quantity]) -> Quantity:
    """`0.5 r0` is half of r0 where r0 is a node and no unit; `0.6 c` is 0.6 times the c that the graph gives. `0.5 L`
    beside an L has no value: litres, or half of L? What is a volume, or stands beside others in L, is in litres."""
    if known.unit not in nodes or known.value is None:
        return known
    if re.search(r"[\d_]|^c$", known.unit):
        other = knowns.get(known.unit)
        return Quantity(None, None if other is None else other.unit, f"{known.value!r} * {known.unit}")
    beside = any(other.unit == known.unit for of, other in knowns.items() if of != name)
    clear = len(known.unit) > 1 or known.value not in _MULTIPLES or beside or may_be_in(name, known.unit)
    return known if clear else Quantity(None, None, f"{known.value:g} {known.unit}")


def _open(known: Quantity) -> bool:
    """{"a": null} and {"a": "?"}: named among the knowns, but asked for."""
    return known.value is None and known.text.strip().lower() in _OPEN


def _edges(items: object, findings: list[Finding], known: frozenset[str]) -> Iterator[RuleEdge]:
    """known: names that the graph has elsewhere, and that are one name whatever stands in them."""
    if isinstance(items, Mapping):
        inner = _first(items, EDGE_KEYS)
        items = inner if inner is not None else [items]
    if not isinstance(items, list | tuple | None):
        findings.append(Finding(Status.UNREADABLE, f"'causal_graph' must be a list of edges, got {_kind(items)}."))
    for number, item in enumerate(
        _at_most(items, "edges", findings) if isinstance(items, list | tuple) else (), start=1
    ):
        causes, effects, rule = _edge_parts(item, known)
        if not causes or not effects:
            lacks = "a cause" if not causes else "an effect"
            message = f"edge {number} must have {lacks}, got {_kind(item)}; it is left out."
            findings.append(Finding(Status.UNREADABLE, message))
            continue
        if not isinstance(rule, str | None):
            message = f"the rule of edge {number} must be text, got {_kind(rule)}; the edge is kept without it."
            findings.append(Finding(Status.UNREADABLE, message, effects[0]))
        text = rule.strip() if isinstance(rule, str) else ""
        beside = _first(item, _FORMULA) if isinstance(item, Mapping) else None
        formula = beside.strip() if isinstance(beside, str) and beside != rule else ""
        for effect in effects:
            if effect in causes:
                message = f"'{effect}' must not be its own cause (edge {number})."
                findings.append(Finding(Status.DEGENERATE, message, effect))
            yield RuleEdge(causes, effect, text, formula)


def _edge_parts(item: object, known: frozenset[str]) -> tuple[tuple[str, ...], tuple[str, ...], object]:
    if isinstance(item, Mapping):
        return _names(_first(item, _CAUSES), known), _names(_first(item, _EFFECT), known), _first(item, _RULE)
    if isinstance(item, str):
        ends = _ARROW.split(item[:LONGEST_NAME])
        return (_names(ends[0], known), _names(ends[1], known), None) if len(ends) == 2 else ((), (), None)
    if isinstance(item, list | tuple) and len(item) in (2, 3):
        return _names(item[0], known), _names(item[1], known), item[2] if len(item) == 3 else None
    return (), (), None


def _names(value: object, known: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Names of a list, or of a text with several of them; each once. `Power dissipated, P` is one where it is known."""
    if isinstance(value, str) and _name(value) in known:
        return (_name(value),)
    if isinstance(value, list | tuple):
        names = [_name(part) for part in value]
    else:
        names = [part.strip() for part in _AND.split(_name(value))]
        names = names if all(part.count("(") == part.count(")") for part in names) else [_name(value)]  # B(x, y)
    return tuple(dict.fromkeys(name for name in names if name))


def _plan(steps: object, findings: list[Finding]) -> Iterator[PlanStep]:
    if not isinstance(steps, list | None):
        findings.append(Finding(Status.UNREADABLE, f"'computation_plan' must be a list of steps, got {_kind(steps)}."))
    for number, item in enumerate(steps[:MOST] if isinstance(steps, list) else (), start=1):
        if isinstance(item, str):
            yield PlanStep(f"step{number}", "", (), item)
        elif isinstance(item, Mapping):
            description = str(item.get("description", item.get("operation", "")) or "")
            inputs = _names(item.get("inputs"))
            yield PlanStep(_name(item.get("id")) or f"step{number}", _name(item.get("target")), inputs, description)
        else:
            message = f"step {number} of the plan must be an object, got {_kind(item)}."
            findings.append(Finding(Status.UNREADABLE, message))


def _kind(value: object) -> str:
    if isinstance(value, Mapping):
        return f"an object with {', '.join(map(repr, list(value)[:4]))}" if value else "an empty object"
    if isinstance(value, str):
        return f"text, {value[:40]!r}"
    return {bool: "true or false", int: "a number", float: "a number", list: "a list"}.get(
        type(value), type(value).__name__
    )
