"""Arithmetic in steps: each goes on from the one before, or stands for itself until they are added.

add X and Y, then divide by Z                            (X + Y) / Z
multiply A by B, multiply C by D, and add the two        A B + C D
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from trueness.patterns import late
from trueness.reasoning.trees import Binary, Call, Name, Number
from trueness.reasoning.word_forms import Reader
from trueness.reasoning.word_names import share_meaning
from trueness.reasoning.word_numbers import NUMERAL
from trueness.reasoning.word_plain import LEAD
from trueness.reasoning.word_shapes import Shape, combine, is_percent, join
from trueness.reasoning.word_subject import COMMAND

_DO = (
    r"(?:split|(?:multiply|divid|shar|distribut|add|subtract|deduct|squar|doubl|tripl|halv)(?:ing|e)?|"
    r"(?:tak(?:e|ing) )?the square root)"
)
_STEP = late(rf"(?:\.\s+|;\s*|,\s*|\s+)(?:and\s+then\s+|and\s+|then\s+)(?={_DO}\b)|(?:\.\s+|;\s*|,\s*)(?={_DO}\b)")
_IT = (
    r"(?:it|this|that|result|what (?:is left|remains)|(?:the|this|that) (?:result|sum|total|product|"
    r"difference|quotient|amount|remainder|rest))"
)
_GOING_ON = (  # a step that takes what came before: pattern, operation, whether what came before stands second
    (late(rf"multiply(?:ing)?(?: {_IT})? (?:by|with) (.+)"), "*", False),
    (late(rf"divid(?:e|ing)(?: {_IT})? by (.+)"), "/", False),
    (late(rf"divid(?:e|ing) (.+) by {_IT}"), "/", True),
    (
        late(
            rf"(?:split|divid|shar|distribut)(?:e|ing|ting)?(?: {_IT})? (?:equally |evenly )?(?:among|"
            rf"amongst|between) (.+)"
        ),
        "/",
        False,
    ),
    (late(rf"add(?:ing)? (?!{_IT} )(.+?)(?: to {_IT})?"), "+", False),
    (late(rf"add(?:ing)? {_IT} to (.+)"), "+", False),
    (late(rf"(?:subtract|deduct)(?:ing)? {_IT} from (.+)"), "-", True),
    (late(rf"(?:subtract|deduct)(?:ing)? (?!{_IT} )((?:(?! from ).)+)(?: from {_IT})?"), "-", False),
)
_GAPPED = late(  # multiplying the cows by 4 and the chickens by 2
    r"\b(multiply(?:ing)?|divid(?:e|ing)) (?!it\b|this\b|that\b)(?:(?! by | and |,).)+ by "
    rf"(?:{NUMERAL}|[a-z ]+?),? and "
    rf"(?=(?:(?! by |,| and ).)+ by )(?!then |{_DO})"
)
_BARE = late(rf"(?:multiply|divid)(?:e|ing)? by |(?:add|subtract)(?:ing)? {NUMERAL}(?=$| and then|, then|,? then)")
_ADD_THEM = late(
    r"add(?:ing)?(?: up)? (?:them|both|the (?:two|three|results|products|amounts)|the two \w+)(?: together| up)?"
)


def in_steps(reader: Reader, sentence: str, causes: Sequence[str], effect: str) -> Iterator[Shape]:
    """The shapes of a sentence that has several steps, or goes on from its one cause: `divide by 12`."""
    sentence = _GAPPED.sub(r"\g<0>\1 ", sentence) if " by " in sentence else sentence
    steps = [step for step in _STEP.split(sentence) if step.strip()]
    if len(steps) < 2 and not _BARE.match(sentence):
        return
    steps = [LEAD.sub("", step) for step in steps]
    waiting: list[list[Shape]] = [reader.shapes(COMMAND.sub("", steps[0]))]
    bare = _BARE.match(steps[0])
    if bare and len(causes) == 1 and share_meaning(causes[0], effect):
        waiting = [list(_going_on(reader, Name(causes[0]), steps[0]))]
    for step in steps[1:]:
        if _ADD_THEM.fullmatch(step):
            if len(waiting) < 2 or not all(waiting):
                return
            waiting = [[join("sum", [shapes[0] for shapes in waiting])]]
            continue
        onward = [shape for before in waiting[-1][:8] for shape in _going_on(reader, before, step)]
        if onward:
            waiting[-1] = onward
        else:
            waiting.append([shape for shape in reader.shapes(step) if not isinstance(shape, Name)])
    if len(waiting) == 1:
        yield from waiting[0]


def _going_on(reader: Reader, before: Shape, step: str) -> Iterator[Shape]:
    if re.fullmatch(rf"(?:squar|doubl|tripl|halv)(?:e|ing)(?: {_IT})?", step):
        factor = {"d": 2.0, "t": 3.0, "h": 0.5}.get(step[0])
        yield Binary("^", before, Number(2.0)) if factor is None else Binary("*", Number(factor), before)
        return
    if re.fullmatch(rf"(?:tak(?:e|ing) )?the square root(?: of {_IT})?", step):
        yield Call("sqrt", (before,))
        return
    for pattern, operator, second in _GOING_ON:
        match = pattern.fullmatch(step)
        if match:
            inner = [
                *reader.shapes(match[1]),
                *(reader.over_list("sum", match[1], 1, alone=False) if operator in "+-" else ()),
            ]
            for shape in inner:
                if is_percent(shape) and operator in "+-" and not second:  # then take away 20 %: of what there is
                    yield Binary(operator, before, Binary("*", shape, before))
                else:
                    yield from combine(operator, shape, before) if second else combine(operator, before, shape)
            return
