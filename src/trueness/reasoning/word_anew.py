"""Ways of saying a step that go back to a plain one, as pairs of a pattern and what it becomes.

reduce A by B, then by C                       A minus B minus C
grows by 5 %, and then by another 10 %         is increased by 5 %, increased by 10 %
how many jars fit in each crate                jars per crate
each hour it sells 18 loaves; multiply this by the hours open
"""

from __future__ import annotations

import re

from trueness.reasoning.word_names import tokens
from trueness.reasoning.word_numbers import NUMERAL
from trueness.reasoning.word_patterns import Form, Table, table

_PERCENT = r"\d[\d.]*\s*(?:%|percent)"
_THEN = r"(?: in [a-z ]+?)?,? (?:and )?then (?:by )?(?:another |a further )?"


def _twice_changed(match: re.Match[str]) -> str:
    sign = "plus" if match[1] in ("increase", "raise") else "minus"
    return f"{match[2]} {sign} {match[3]} {sign} {match[4]}"


def _of_each(match: re.Match[str]) -> str:
    return f"multiply {match[2]} by {match[3]}" if tokens(match[1]) & tokens(match[3]) else match[0]


def _if_so(match: re.Match[str]) -> str:
    """If 40% are taken, the free ones are 60%: a reason that says no more than the rest."""
    one = float(re.findall(r"[\d.]+", match[1])[0])
    rest = [float(number) for number in re.findall(r"(?<![\w.])(\d[\d.]*)\s*(?:%|percent)", match[2])]
    return match[2] if len(rest) == 1 and rest[0] in (one, 100 - one) else match[0]


REWORDINGS: Table[Form] = table(
    (r"\bhow many ([a-z]+) (?:fit|go|are packed|are|come|there are) (?:in|into|per|on|to) (?:each|every|an?|one) "
     r"([a-z]+)\b", r"\1 per \2"),
    (rf"\b(reduce|decrease|increase|raise|lower) (.+?) by (?:the )?([a-z ]+?),? (?:and )?then by (?:another )?"
     rf"(?:the )?({NUMERAL}|[a-z ]+?)(?: (?:reserved|kept|needed|set aside|for) [a-z ]+)?$", _twice_changed),
    (rf"\b(?:grows|rises|increases|goes up) by ({_PERCENT}){_THEN}({_PERCENT})(?: in [a-z ]+)?$",
     r"is increased by \1, increased by \2"),
    (rf"\b(?:falls|drops|decreases|shrinks|goes down) by ({_PERCENT}){_THEN}({_PERCENT})(?: in [a-z ]+)?$",
     r"is reduced by \1, reduced by \2"),
    (rf"\b(plus|minus|less) ({NUMERAL}) (?:more|extra|additional)$", r"\1 \2"),
    (rf"^(?:each|every) ([a-z]+)(?: [a-z]+)*? ({NUMERAL}) [a-z]+(?: (?:per|an?|each) [a-z]+)?[;,.] (?:so )?"
     r"multiply (?:(?:this|that|it) )?by (?:the )?([a-z ]+)$", _of_each),
    (rf"^to convert (?:from )?([a-z]+) (?:in)?to ([a-z]+),? (multiply|divid)e?(?: (?:it|them))? by ({NUMERAL})$",
     r"convert \1 to \2 by \3ing by \4"),
    (r"^((?:half|twice|an? [a-z]+|[a-z0-9]+ times) as (?:much|many) [a-z ]+ as [a-z ]+?) (?:is|are) "
     r"(?:needed|required|used)$", r"\1"),
    (r"\b(times|multiplied by|divided by) (?:an? |the )?(?:[a-z]+ ){0,2}(?:acceleration|constant|factor|gravity|"
     r"rate|speed|density|coefficient) of (\d[\d.]*)(?: [a-z]+/[a-z]+[²2^]*\d?)?(?=$|,)", r"\1 \2"),
    (r"\b(length|width|side|base) by (width|height|length|depth) by (height|depth|width|length)$",
     r"\1 times \2 times \3"),
    (r"\b(length|width) by (width|height|length|depth)$", r"\1 times \2"),
    (r"\badd(ing)? (?:the )?(?:remaining|extra|additional) (?=[a-z]+s$)", r"add\1 the "),
    (r", (?:and |then )*(?:is |are )?(?:spread|split|shared|divided|distributed)(?: (?:out|equally|evenly))* "
     r"(?:over|across|among|between) (?=(?:the (?:number of )?)?[a-z ]+$)", ", divided by "),
    (rf"\b(?:two|both) (?:successive|consecutive) (?:markdowns|discounts|reductions|cuts) of ({_PERCENT})"
     rf",? (?:and(?: then)?|then) ({_PERCENT}) (?:are |is )?(?:applied to|on|off) (.+)$",
     r"\3 reduced by \1, reduced by \2"),
    (rf"\b(?:two|both) (?:successive|consecutive) (?:increases|raises|markups|rises) of ({_PERCENT})"
     rf",? (?:and(?: then)?|then) ({_PERCENT}) (?:are |is )?(?:applied to|on) (.+)$",
     r"\3 increased by \1, increased by \2"),
    (rf"^for (?:each|every) ([a-z]+)(?: (?:he|she|it|they|you) [a-z]+)?,? (?:he|she|it|they|you|the [a-z]+) [a-z]+ "
     rf"({NUMERAL}) ([a-z]+)$", r"\2 \3 for every \1"),
    (r"^their ([a-z]+s) (?:together|combined|added up)$", r"sum of their \1"),
    (r"\bwhat (?:remains|is left) (?:when|after|once) (.+?) (?:is|are) (?:taken away|taken|subtracted|removed|"
     r"deducted) (?:away )?from (.+)$", r"\2 minus \1"),
    (r"\b(?:one|1) (more|less) than (?:the )?([a-z ]+ divided by [a-z ]+)$",
     lambda match: f"{match[2]}, {'plus' if match[1] == 'more' else 'minus'} 1"),
    (r"(?<=, then )take away (?!.* from )(?=[a-z])", "subtract "),
    (rf"\b(?:an? |the )?(?:flat|fixed|base|basic) (?:fee|charge|rate|sum|amount|price) of (?={NUMERAL} plus )", ""),
    (rf"\b(?:cost|price) of ({NUMERAL}) ([a-z]+)s and ({NUMERAL}) ([a-z]+)s$",
     r"\1 times the price of a \2 and \3 times the price of a \4"),
    (r"^(?:group|pack|put|arrange|place|divide|split|sort)(?:ing)? (.+?) (?:in|into) (?:groups|teams|packs|sets|"
     rf"boxes|bags|crates|cartons|rows|bundles|stacks|jars|trays) of ({NUMERAL})(?: each)?$", r"divide \1 by \2"),
    (rf"^if (?!.*\b(?:above|below|over|under|than|least|most|exceeds?)\b)[a-z ]*?({_PERCENT})[a-z ]*, (?:then )?"
     r"(.+)$", _if_so),
)  # fmt: skip
