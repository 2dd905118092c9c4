"""Arithmetic in words: `Subtract the eggs eaten from the eggs laid` is laid - eaten; anything uncertain is nothing.

    a sentence     word_normal.py, word_plain.py, word_anew.py: without reasons, in plain forms
    what is left   word_rest.py
    its subject    word_subject.py: the words before the arithmetic are about the effect
    its steps      word_steps.py: add X and Y, then divide by Z; multiply A by B, multiply C by D, and add the two
    per one        word_each.py: 3 eggs for every cake, grows by 3 % a year for two years, convert hours to minutes
    arithmetic     word_forms.py, and what each form makes of its phrases: word_makers.py, word_shapes.py
    phrases        word_causes.py: each cause once; word_names.py: how alike a phrase and a name are

A sentence that says more than its arithmetic (if, unless, proportional, about), a phrase with a number or an operation
that is not read, two readings that differ: not read, and left to the judge as words. `Average Speed = Total Distance /
Total Time` is read the same way: signs between phrases.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from trueness.patterns import late
from trueness.reasoning.clauses import cause_called
from trueness.reasoning.isolation import isolate
from trueness.reasoning.literals import conversion
from trueness.reasoning.percents import says_percent
from trueness.reasoning.syntax import RuleError, parse
from trueness.reasoning.trees import Binary, Call, Name, Number, as_text, count_names, parts, rename
from trueness.reasoning.word_causes import InWords, Values, bind, signature
from trueness.reasoning.word_each import CONVERT, DENIED, converted_by, for_each, step_by_step
from trueness.reasoning.word_forms import SHARE, Reader, TooManyReadings
from trueness.reasoning.word_names import (
    GENERAL,
    is_another,
    is_no_money,
    is_symbol,
    share_meaning,
    stem,
    tokens,
    without_unit,
    words,
)
from trueness.reasoning.word_normal import normal_form, with_constant, without_signs
from trueness.reasoning.word_numbers import MORE, NUMERAL, ROUNDING
from trueness.reasoning.word_plain import FRONT_REASON, numbers, plain, spelt_out, with_charges
from trueness.reasoning.word_pronouns import filled_in, with_conversion
from trueness.reasoning.word_rest import what_is_left
from trueness.reasoning.word_shapes import Shape
from trueness.reasoning.word_steps import in_steps
from trueness.reasoning.word_subject import COMMAND, SAYS_MORE, is_about, says_more

MOST_CAUSES = 6
_LONGEST = 300
_IN_PERCENT = late(r",?\s*(?:(?:expressed|given|stated|written)\s+)?(?:as an? percent(?:age)?|in percent)$")
_ROUNDED = late(rf",?\s*(?:and\s+)?(?:then\s+)?{ROUNDING}$")
_DOES = r"\b(?!plus|minus|times|less|as|is)[a-z]+s"  # a verb, as in covers half of, weighs twice the
_COPULA = late(
    r"\b(?:is|are|was|were|includes?|comprises?|equals?|will be|costs|cost(?= \$?\d| only| half| twice)|has|have|=|"
    r"as(?! (?:many|much)\b)|"
    r"makes? up|accounts? for|represents?|constitutes?|amounts? to|comes? to|totals)\s+"
    r"(?:then |simply |just |equal to )?(?:(?:calculated|computed|obtained|found|determined|derived|given|equal)\s+)?"
    r"(?:(?:by|as|from|to|at)\s+)?(?:taking\s+)?"
    rf"|\b(?!plus|minus|times|less)[a-z]+s?\s+(?=(?:{NUMERAL}|twice|half)\b.*\b(?:than|as)\b)"
    rf"|{_DOES}\s+(?=(?:a |an |the )?(?:remaining |other )?{SHARE} of\b)|\bof\s+(?=\d[\d.]*\s?% of\b)"
    rf"|{_DOES}\s+(?:at\s+)?(?=(?:{NUMERAL} times|twice|half|double|triple|{SHARE}) (?:what|the|as)\b)"
    r"|(?=\b(?:in|de)creases by\b)"
)
_BY = late(r"\bby\s+(?=(?:multiply|divid|add|sum|subtract|deduct|averag|tak|doubl|tripl|halv|squar|combin)\w*ing\b)")
_COMPUTED_LEFT = late(r"\b(?:sin|cos|tan|ln|log|exp|sqrt)\s*\(|[\^²³]")  # sin(theta) = a / h gives no theta
_SIGN = late(r"[-−–+*/^×·÷]")
_VERB = late(r"\b(?:is|are|was|were|equals?|gives?|must|will|so)\b")  # a sentence, and no name of a quantity
_OPERATES = frozenset("sum difference product average mean ratio square root squared minimum maximum".split())
_ADDED = late(rf"^(?:an? |the )?(\d[\d.]*\s?%) (?:{MORE}) (?:is|gets) (?:added|included)$")
_EACH_ONE = late(r"\bfor (?:each|every)\b")  # the fee for each day, for the fee: of a day, or of all?
_SAME = late(r"(?:the )?([a-z0-9 ]+?) (?:equals|is equal to|is the same as|are the same as) (?:the )?([a-z0-9 ]+)")
_AS_MANY = late(
    r"(?P<front>.*[,;.] (?:and |while |but )?)?(?P<who>[^,;.]+?) (?:has|have|had|is|are|was|were|got|sold|made|took) "
    rf"(?P<times>{NUMERAL} times|twice|thrice|half) as (?:many|much|long|far)"
)
_PREDICATE = late(
    rf"(?P<share>(?:the |an? )?(?:remaining |other )?{SHARE} of (?!what\b).+?) (?:is|are|was|were|goes to|go to|"
    r"(?:will|have|has|had|can|must)(?: be| been)?) (?P<what>[a-z ]+)"
)
_DID = late(rf"(?:[a-z]+\s+){{1,3}}?(?P<verb>[a-z]+)\s+(?P<share>(?:an? )?{SHARE} of .+)")  # she sold a third of
_UNDONE = late(
    r"(?:the )?(?P<what>reciprocal of|inverse of|square of|half(?: of)?|twice|double) (?:the )?"
    r"(?P<front>(?:(?!\b(?:is|are|equals?)\b)[a-z ])+?) (?P<rest>(?:is|are|equals?) .+)"
)
_RATE_NAME = late(r"\b(?:per|each|every|rate|price|unit)\b")


def read_words(text: str, causes: Sequence[str], effect: str, values: Values | None = None) -> InWords | None:
    """The formula of a rule in words, or None. values: known causes with value and unit."""
    known = values or {}
    if not 0 < len(causes) <= MOST_CAUSES or len(text) > _LONGEST:
        return None
    whole = {cause: _as_it_stands(cause) for cause in causes}
    whole = {cause: form for cause, form in whole.items() if form and re.search(form, text, re.IGNORECASE)}
    if whole:
        return _read_with_names(text, whole, causes, effect, known)
    for cause in causes:  # the base fare (base_fare)
        if f"({cause})".lower() in text.lower():
            text = re.sub(rf"(?i)(\b{re.escape(cause.replace('_', ' '))}) \({re.escape(cause)}\)", r"\1", text)
    sentence = normal_form(text)
    if len(causes) == 1:
        sentence = _as_many(sentence, causes[0], effect, known)
        only = causes[0].lower().replace("_", " ")
        if not is_no_money(causes[0]):
            sentence = _ADDED.sub(lambda match: f"{only} increased by {match[1]}", sentence)
        if (same := _SAME.fullmatch(sentence)) and cause_called(same[2], causes) and cause_called(same[1], (effect,)):
            tree = Name(causes[0])
            return InWords(tree, as_text(tree), {same[2]: causes[0]})
    if says_percent(effect):  # 81 of an effect in per cent; else 81, or .81
        sentence = re.sub(r"\b(times|multipl(?:y|ied) by) 100 ?(?:%|percent)(?=$|,)", r"\1 100", sentence)
        sentence = re.sub(r"^([a-z ]+) \(%\) (?=is |equals )", r"\1 ", sentence)
    sentence = filled_in(with_conversion(sentence), causes, effect)
    if len(causes) == 1:
        sentence = _without_own_units(sentence, causes[0], effect)
    if (undone := _UNDONE.fullmatch(sentence)) is not None and cause_called(undone["front"], (effect,)):
        return _undo(undone, causes, effect, known)
    sentence = with_constant(without_signs(sentence, (*causes, effect)))
    left, equals, right = sentence.rpartition("=")
    if equals and ("=" in left or not is_about(left, effect) or _SIGN.search(re.sub(r"\(.*?\)", "", right))):
        return None
    sentence = right.strip() if equals else sentence
    made: dict[tuple[float, ...], InWords] = {}
    try:
        for wording, inside in ((sentence, ""), *spelt_out(sentence)):
            for reading in _read(with_charges(plain(wording, known), effect), inside, causes, effect, known):
                if _are_said(reading, causes, sentence):
                    made.setdefault(signature(reading.tree, causes), reading)
        for shape in () if "node q" in sentence else what_is_left(sentence, causes, effect, known):
            if (bound := bind(shape, causes, known, effect)) is not None:
                made.setdefault(signature(bound.tree, causes), bound)
    except TooManyReadings:
        return None
    return next(iter(made.values())) if len(made) == 1 else None


def _without_own_units(sentence: str, cause: str, effect: str) -> str:
    """`Its speed in km/h is its speed in m/s times 3.6`, where the names say so: units that tell one from the other."""
    front, is_, behind = (
        re.split(r"(\s(?:is|=|equals)\s)", sentence, maxsplit=1) if " is " in sentence else ("", "", "")
    )
    units = [re.findall(r"(?<= in )[a-z]+(?:/[a-z]+)?\b", part) for part in (front, behind)]
    if [*map(len, units)] != [1, 1] or not _is_in(units[0][0], effect) or not _is_in(units[1][0], cause):
        return sentence
    return f"{front.replace(f' in {units[0][0]}', '')}{is_}{behind.replace(f' in {units[1][0]}', '')}"


def _is_in(unit: str, name: str) -> bool:
    """km/h of speed_kmh, pounds of weight_lb."""
    squashed = re.sub(r"[^a-z]", "", name.lower())
    short = {"pounds": "lb", "kilograms": "kg", "grams": "g", "feet": "ft", "inches": "in", "hours": "h"}.get(unit, "-")
    last = re.split(r"[\s_(]", name.lower().rstrip(")"))[-1]
    return unit == last or short == last or ("/" in unit and squashed.endswith(unit.replace("/", "")))


def _undo(match: re.Match[str], causes: Sequence[str], effect: str, values: Values) -> InWords | None:
    """`The reciprocal of the resistance is the sum of ...`: one over it."""
    reading = read_words(f"{match['front']} {match['rest']}", causes, effect, values)
    if reading is None:
        return None
    one, two = Number(1.0), Number(2.0)
    undone: dict[str, Shape] = {
        "r": Binary("/", one, reading.tree), "i": Binary("/", one, reading.tree), "t": Binary("/", reading.tree, two),
        "d": Binary("/", reading.tree, two), "s": Call("sqrt", (reading.tree,)), "h": Binary("*", two, reading.tree),
    }  # fmt: skip
    tree = undone[match["what"][0]]
    return InWords(tree, as_text(tree), reading.phrases)


def _are_said(reading: InWords, causes: Sequence[str], sentence: str) -> bool:
    """Whether `their product` is of causes that the sentence names, or that have a word in common."""
    if not {"their", "both their"} & set(reading.phrases):
        return True
    shared = frozenset[str].intersection(*map(tokens, causes)) - GENERAL
    letters = {without_unit(cause)[:1] for cause in causes if is_symbol(without_unit(cause))}
    return bool(shared) or len(letters) == 1 or all(share_meaning(sentence, cause) for cause in causes)


def _as_it_stands(name: str) -> str:
    """How a name stands in a text whose brackets or operations are its own: P(A), Sum of Known Numbers."""
    if re.search(r"\w\(", name):
        return re.escape(name)
    bare = without_unit(name).replace("_", " ").lower().split()
    return r"\s+(?:the\s+)?".join(map(re.escape, bare)) if len(bare) > 2 and set(bare) & _OPERATES else ""


def _read_with_names(
    text: str, whole: Mapping[str, str], causes: Sequence[str], effect: str, values: Values
) -> InWords | None:
    """P(A) times P(B): names as they stand, whose brackets are their own."""
    short = {name: f"node q{chr(97 + k)}q" for k, name in enumerate(whole)}
    for name in sorted(whole, key=len, reverse=True):
        text = re.sub(whole[name], short[name], text, flags=re.IGNORECASE)
    known = {short.get(name, name): of for name, of in values.items()}
    reading = read_words(text, [short.get(cause, cause) for cause in causes], effect, known)
    return None if reading is None else _with_names(reading, {new: old for old, new in short.items()})


def _as_many(sentence: str, cause: str, effect: str, values: Values) -> str:
    """`Ann has 20 sheep, Ben has twice as many`: as the one cause, whose number the front may say."""
    match = _AS_MANY.fullmatch(sentence)
    stated = {value for value, _ in values.values()}
    if match is None or not numbers(match["front"] or "") <= stated or not is_about(match["who"], effect):
        return sentence
    if not tokens(cause) & (tokens(match["front"] or "") | tokens(effect)):
        return sentence
    return f"{match['times']} as many as {cause.lower().replace('_', ' ')}"


def _with_names(reading: InWords, names: Mapping[str, str]) -> InWords:
    tree = rename(reading.tree, {name: names.get(name, name) for name in count_names(reading.tree)})
    return InWords(tree, as_text(tree), {phrase: names.get(cause, cause) for phrase, cause in reading.phrases.items()})


def _read(sentence: str, inside: str, causes: Sequence[str], effect: str, values: Values) -> list[InWords]:
    """What one sentence may mean; inside: what its bracket says."""
    rounds = "round" in sentence
    if says_more(f"{_ROUNDED.sub('', sentence) if rounds else sentence} {inside}".strip(), causes, effect):
        return []
    in_percent = _IN_PERCENT.search(sentence) if "percent" in sentence else None
    sentence = sentence[: in_percent.start()] if in_percent else sentence
    rounded = _ROUNDED.search(sentence) if rounds else None
    rates = any(_RATE_NAME.search(cause.lower().replace("_", " ")) for cause in causes) or "total" in effect.lower()
    reader, exact = Reader(not rates, inside), sentence[: rounded.start()] if rounded else sentence
    named = re.sub(r"\(%\)|(?<![a-z])percent(?:age)?\b", "", effect, flags=re.IGNORECASE) if in_percent else effect
    made = [
        bound
        for shape in dict.fromkeys(_readings(reader, exact, causes, effect, values))
        if (bound := bind(shape, causes, values, named)) is not None
        and not any(_is_effect(*pair, effect) for pair in bound.phrases.items())
        and not (
            _EACH_ONE.search(exact)
            and all(isinstance(part, Name) for part in parts(bound.tree))
            and any(tokens(effect) <= tokens(phrase) for phrase in bound.phrases)
        )
        and not (_adds(bound.tree) and _in_another_unit(exact, values))
    ]
    if in_percent:  # of a quotient, and of nothing else
        made = [
            InWords(tree := Binary("*", Number(100.0), one.tree), as_text(tree), one.phrases)
            for one in made
            if isinstance(one.tree, Binary) and one.tree.operator == "/"
        ]
    if not made and not rounded and not in_percent:
        solved = _solve(reader, exact, causes, effect, values)
        return [] if solved is None else [solved]
    if rounded is None:
        return made
    function = {"up": "ceil", "down": "floor"}.get(rounded[1], "round")
    return [one._replace(tree=Call(function, (one.tree,)), formula=f"{function}({one.formula})") for one in made]


def _is_effect(phrase: str, cause: str, effect: str) -> bool:
    """Whether a phrase names the effect rather than its cause: `Bob's share is twice Al's share`, for Al's."""
    return tokens(phrase) <= tokens(effect) and not tokens(phrase) <= tokens(cause)


def _adds(tree: Shape) -> bool:
    return (isinstance(tree, Binary) and tree.operator in "+-") or any(map(_adds, parts(tree)))


def _in_another_unit(sentence: str, values: Values) -> bool:
    """`30 minutes more` than a time in hours: a number whose unit is not that of the cause of its kind."""
    nouns = re.findall(rf"{NUMERAL}\s*([a-z]+)", sentence)
    factors = (conversion(word, unit) for word in nouns for _, unit in values.values() if unit)
    return any(factor is not None and factor != 1 for factor in factors)


def _solve(reader: Reader, sentence: str, causes: Sequence[str], effect: str, values: Values) -> InWords | None:
    """`Force equals mass times acceleration`, for the acceleration."""
    sides = re.split(r"\s+(?:equals|is equal to|must equal)\s+", sentence)
    if len(sides) != 2 or len(causes) == MOST_CAUSES:
        return None
    made: dict[tuple[float, ...], InWords] = {}
    try:
        shapes = [reader.shapes(side) for side in sides]
    except TooManyReadings:
        return None
    for left, right in product(*shapes):
        bound = bind(Binary("-", left, right), (*causes, effect), values)
        if bound is not None and isinstance(bound.tree, Binary):
            tree = isolate(bound.tree.left, bound.tree.right, effect)
            if tree is not None and not isinstance(tree, Name):
                made.setdefault(signature(tree, causes), InWords(tree, as_text(tree), bound.phrases))
    return next(iter(made.values())) if len(made) == 1 else None


def read_phrases(text: str, causes: Sequence[str], effect: str, values: Values | None = None) -> InWords | None:
    """A formula between phrases that are no names: `Speed = Total Distance / Total Time`."""
    text = text if "=" in text else re.sub(r"^[^:\d]*:\s+", "", text)
    left, _, right = text.replace("_", " ").lower().rpartition("=")
    left, right = left.strip(), right.strip()
    if len(text) > _LONGEST or not 0 < len(causes) <= MOST_CAUSES or not _SIGN.search(right):
        return None
    for word, sign in ((" times ", " * "), (" plus ", " + "), (" minus ", " - "), (" divided by ", " / ")):
        right = right.replace(word, sign)
    if "=" in left:  # 1 foot = 12 inches, so height = ...
        stripped = FRONT_REASON.match(left)
        if stripped is None or not numbers(stripped["why"]) <= numbers(right) | {1.0}:
            return None
        left = stripped["rest"]
    if not is_about(left, effect) or SAYS_MORE.search(right) or _COMPUTED_LEFT.search(left):
        return None
    right = re.sub(r"\$(?=\d)", "", right)
    right = re.sub(r"%\s*of\s", "% * ", re.sub(r"(?<=[a-z])-(?=[a-z])", " ", right))  # of an x-axis nothing is taken
    phrases: list[str] = []

    def take_phrase(match: re.Match[str]) -> str:
        phrases.append(match[0].strip())
        return f" phrase{len(phrases)} "

    try:
        tree = parse(re.sub(r"[a-z][a-z0-9']*(?:\s+[a-z][a-z0-9']*)*", take_phrase, right)).right
    except RuleError:
        return None
    if any(_VERB.search(phrase) for phrase in phrases):
        return None
    if isinstance(tree, Name):  # the a-axis: nothing is computed
        return None
    return bind(rename(tree, {f"phrase{k}": phrase for k, phrase in enumerate(phrases, 1)}), causes, values or {})


def _readings(reader: Reader, sentence: str, causes: Sequence[str], effect: str, values: Values) -> Iterator[Shape]:
    """Every way to read the sentence as arithmetic over phrases."""
    conversion_match = CONVERT.fullmatch(COMMAND.sub("", sentence))
    if conversion_match and len(causes) == 1:
        yield from converted_by(conversion_match, causes[0], values)
        return
    starts = {sentence, COMMAND.sub("", sentence)}
    for pattern in (_BY, _COPULA):
        starts |= {
            sentence[match.end() :]
            for match in pattern.finditer(sentence)
            if is_about(_without_same_numbers(sentence[: match.start()], sentence[match.end() :]), effect)
            and (
                ";" in sentence or not is_another(sentence[: match.start()], effect)
            )  # the weekly pay, for the monthly
        }
    starts |= {
        sentence[: match.start()]
        for match in re.finditer(r"\s+(?:is|are|equals|gives|is equal to)\s+(?:the )?", sentence)
        if cause_called(sentence[match.end() :], (effect,))
    }  # the total minus 10 % is the net weight
    did = _DID.fullmatch(sentence) if " of " in sentence else None
    if did and stem(did["verb"]) in tokens(effect) and not DENIED.search(effect.lower().replace("_", " ")):
        starts.add(did["share"])
    for start in sorted(starts):
        predicate = _PREDICATE.fullmatch(start) if " of " in start else None
        if predicate:  # half of the students are girls: says something of the girls, and nothing of the boys
            what = predicate["what"]
            if not words(what) & words(effect) - {"to", "the", "of"} and not tokens(what) & tokens(effect):
                continue
            if DENIED.search(effect.lower().replace("_", " ")):
                continue
            start = predicate["share"]
        yield from in_steps(reader, start, causes, effect)
        yield from for_each(start, causes, effect)
        yield from step_by_step(start, causes)
        if "." not in re.sub(r"\d\.\d", "", start) and ";" not in start:
            yield from (shape for shape in reader.shapes(start) if not isinstance(shape, Name))


def _without_same_numbers(before: str, behind: str) -> str:
    """`A box of 24 costs the unit price times 24`: a number that the arithmetic has says nothing more."""
    return re.sub(r"\d[\d.,]*", "", before) if numbers(before) <= numbers(behind) else before
