"""A rule in words without what surrounds its arithmetic, and in the forms that word_forms.py reads.

reasons and purposes       since ..., ..., so ..., to get ..., in brackets: left out where they say no number that
                           the arithmetic lacks
other ways of saying it    take A away from B, 20 % off A, (a) x (b), A, converted to L by dividing by 1000
a bracket that spells out  everything spent (purchase plus repairs), gravity (9.8 m/s²): the bracket in its place
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trueness.patterns import late
from trueness.reasoning.word_anew import REWORDINGS
from trueness.reasoning.word_causes import Values
from trueness.reasoning.word_forms import BRACKET
from trueness.reasoning.word_names import tokens
from trueness.reasoning.word_numbers import LESS, MORE, NUMERAL, OPERATION_WORDS, SHARES, computes, number_of
from trueness.reasoning.word_patterns import Form, Table, reworded, table

_FOUND = "(?:obtained|found|calculated|computed|derived|determined)"
_PERCENT = r"\d[\d.]*\s*(?:%|percent)"
_SOMETHING = "(?:price|cost|value|rent|salary|wage|pay|level|amount|sales|income|fee|total|population|balance|weight)"
_CONVERTS = r"(?:convert|change|turn|express|account|adjust)\w*"
_PURPOSE = late(
    r",?\s*(?:in order )?\bto (?:get|obtain|find|give|determine|calculate|compute|yield|reach|arrive at|know|include|"
    r"account for|see|figure out|work out|convert|express)\b[^\d%]*$"
    r"|,\s*(?:and\s+)?(?:giving|yielding|which gives|resulting in|which is the|this gives|that gives)\b[^\d%]*$"
    r"|\s+(?:gives|yields|results in)\s+[^\d%]*$"
)
_AIM = late(
    r"^(?:in order )?to (?:get|obtain|find|determine|calculate|compute|know|convert|work out|undo|reverse)\b"
    r"[^,\d%]*,\s*"
    r"|^(?:working backwards|in total|overall|in this case|as a result|in other words|to begin with|from there),\s*"
)
_TITLE = late(r"^(?P<why>[^:]*):\s+(?P<rest>.*)$")
FRONT_REASON = late(
    r"^(?P<why>.*?)[,;.]\s*(?:and\s+)?(?:so|therefore|thus|hence|that is|which means|meaning)\s*,?\s+(?P<rest>.*)$"
)
_FRONT_SINCE = late(
    r"^(?:since|because|as|given that|knowing that|assuming that|considering that)\s+(?P<why>[^,]*),\s*(?P<rest>.*)$"
)
_FRONT_AFTER = late(r"^(?:after|at|with|for) (?P<why>[^,]*(?<!\w)\$?\d[^,]*),\s*(?P<rest>.*)$")
_FRONT_SENTENCE = late(r"^(?P<why>[^.]*[a-z])[.;]\s+(?P<rest>[^.;]*)$")
_BACK_REASON = late(
    r"^(?P<rest>.*?)(?:,?\s+(?:since|because|as there (?:are|is)|given that)|"
    r",\s+(?:as|where|with the|which is|so that|so))\b(?P<why>.*)$"
)
_ASIDE = late(r"[,;.:(]|\s(?:since|because|as there|given that)\b")
_REMARK = late(r"^(?P<rest>.*?)\s*\((?P<why>[^()]*)\)$")
LEAD = late(
    r"^(?:(?:then|next|first|finally|now|simply|just|we|you|here|also)\b[\s,]*|there (?:is|are) (?=.* (?:than|as) )|"
    r"(?:by|using|from|applying|according to|per|via) [^,\d]*"
    r"\b(?:law|theorem|principle|formula|equation|definition|rule)\b[^,\d]*,\s*|by definition,\s*|"
    r"(?:by|using|from) (?:[a-z'-]+ ){1,4}(?:law|theorem|principle|rule) (?=the ))"
)
_TO_INCLUDE = late(r"^(?P<rest>.*\d.*?),? to (?:include|account for|add|apply|reflect|allow for)(?P<why> .*\d.*)$")
_COMPUTES = late(r"\b(?:add|subtract|multiply|divide|deduct|minus|plus|times|for every|for each)\b")
_DOING = late(r"^(?:working|acting|moving|taken|combined|used|by) (?:(?!by|is|are)[a-z' -])+, (?=[a-z])")
_OF_SO_MANY = late(rf"^(?:for|with|of) (?:the |these )?({NUMERAL}) (?:[a-z]+ ){{0,3}}[a-z]+, ")
_IN_PERCENT = late(r"(?:in|as an?) percent(?:age)?$")
_MULTIPLES = {"twice": 2.0, "doubl": 2.0, "tripl": 3.0, "half": 0.5, "halv": 0.5}
_CHARGED = late(
    rf"^(?:apply |charge )?(?:an? |the )?(?P<share>\d[\d.]*\s*(?:%|percent)) (?P<kind>{LESS}|{MORE}) (?:on|of|from|to)"
    r"\s+(?P<whole>[a-z ]+)$"
)
_KINDS = (
    r"(?P<kind>(?:[a-z]+ )?(?:tax(?:es)?|tip|vat|fee|markup|surcharge|gratuity|commission|interest|discount|rebate))"
)
_SHARED = r"(?P<share>\d[\d.]*\s*(?:%|percent))"
_CHARGES = tuple(
    late(pattern)
    for pattern in (
        rf"^(?P<whole>[a-z ]+?) (?:is |are )?(?:(?P<more>increased|raised)|reduced|decreased|lowered) by "
        rf"(?:an? |the )?{_SHARED} {_KINDS}$",
        rf"^(?:(?P<more>increase|raise)|reduce|decrease|lower) (?P<whole>[a-z ]+?) by "
        rf"(?:an? |the )?{_SHARED} {_KINDS}$",
        rf"^(?:an? |the )?{_KINDS} of {_SHARED} (?:is|are) (?:(?P<more>added to|charged on|put on)|"
        r"(?:subtracted|deducted|taken) (?:from|off)) (?P<whole>(?:(?! and )[a-z ])+)$",
        rf"^(?:an? |the )?{_SHARED} {_KINDS} (?:is|are) (?:(?P<more>added to|charged on|put on)|"
        r"(?:subtracted|deducted|taken) (?:from|off)) (?P<whole>(?:(?! and )[a-z ])+)$",
        rf"^(?:(?P<more>add)|subtract|deduct) (?:an? |the )?{_KINDS} of {_SHARED} (?:to|from) "
        r"(?P<whole>(?:(?! and )[a-z ])+)$",
        rf"^(?:(?P<more>add)|subtract|deduct) (?:an? |the )?{_SHARED} (?:(?:for|in) )?{_KINDS} (?:to|from) "
        rf"(?P<whole>(?:(?! and )[a-z ])+)$",
    )
)
_OUTCOMES = frozenset("average mean sum total difference ratio percentage product complement percent".split())
_EXPLAINS_NOTHING = late(
    r"\b(?:appl\w+|adjust\w*|convert\w*|discount\w*|tax\w*|exclud\w*|except|lower|higher|different|after|before|without|losses)\b"
)


def _in_shares(match: re.Match[str]) -> str:
    """Three out of four students: 75 % of them."""
    part, whole = number_of(match[1]), number_of(match[2])
    return f"{100 * part / whole!r}% of " if part and whole and part < whole else match[0]


def _passive(match: re.Match[str]) -> str:
    """... and then the fee is deducted: ..., minus the fee."""
    what = re.sub(r"^[a-z ]+ of (?=\$?\d)", "", match[1])
    return f", {'plus' if match[2] == 'added' else 'minus'} {what}"


def _as_words(match: re.Match[str]) -> str:
    """3/4 as many: three quarters."""
    same = (word for word, share in SHARES.items() if abs(share - int(match[1]) / int(match[2])) < 1e-12)
    return next(same, match[0])


_SIGNS: Table[Form] = table(
    (r"\b((?:square root|square|half|twice|sum|product) of) \(([a-z ]+)\)$", r"\1 \2"),
    (r"(?:^|(?<=equals )|(?<= is ))minus (?=[a-z])", "negative of "),
    (r"\babsolute value of (?:the difference )?([a-z]\w*) [-−–] ([a-z]\w*)$",
     r"absolute value of the difference of \1 and \2"),
    (r"\b((?:integer|whole) part of [a-z ]+) / (?=[a-z ]+$)", r"\1 divided by "),
    (r"\b((?:common|decimal) log(?:arithm)? of [a-z0-9 ]+?) \((?:to )?base (?:10|ten)\)", r"\1"),
    (r"\s*(?<=[a-z)\] ])[×✕⋅·](?=[a-z(\[ ])\s*|(?<=[)\]])\s*[x*]\s*(?=[(\[])", " times "),
    (r"(?:^|(?<=times )|(?<=plus )|(?<=minus )|(?<=over )|(?<=by ))[(\[]([a-z][a-z' ]*)[)\]]"
     r"(?= (?:times|plus|minus|divided by|over|multiplied by)\b|$)", r"\1"),
    (r"(?<=times )[(\[]([a-z][a-z' ]*)[)\]]", r"\1"),
    (rf"^(multiply|divid)e? by ({NUMERAL}) to convert (?:the )?(?:from )?([a-z ]+?) (?:in)?to ([a-z]+)$",
     r"convert \3 to \4 by \1ing by \2"),
    (r"\bwhat (?:you|he|she|they|we|one|it|is|was) [a-z ]*?\(([a-z ]+)\)", r"\1"),
    (r" in the direction of (?:the )?[a-z]+(?= (?:times|multiplied)|,|$)", ""),
    (r"\b(\d+)/([1-9]\d*) of\b", lambda match: f"{100 * int(match[1]) / int(match[2])!r}% of"),
    (r"^(?:out )?of (?:the |all )?([a-z ]+), (\d[\d.]*\s*(?:%|percent)) ", r"\2 of \1 "),
    (rf"\bexceeds (.+?) by (\$?\d\S*(?: [a-z]+)?|{NUMERAL}(?: [a-z]+)?)$", r"is \2 more than \1"),
    (rf"\bis (?:greater|more|larger|bigger|higher) than (.+?) by ({NUMERAL}(?: [a-z]+)?)$", r"is \2 more than \1"),
    (rf"\bis (?:less|smaller|lower) than (.+?) by ({NUMERAL}(?: [a-z]+)?)$", r"is \2 less than \1"),
    (r"((?:divided by|over|ratio of|dividing) .*?),? (?:times|multiplied by) (100)(?= ?%?$| ?%? to | percent)",
     r"\1, times \2"),
)  # fmt: skip
_REWRITTEN: Table[Form] = table(
    (r"^(?:[a-z ]+ (?:is|are) )?(?:the )?product of (?:the two |the |both |these )[a-z]+ (?:divided by|over) "
     r"(?:their|the) sum$", "product over sum"),
    (rf"\b(?:is |are |was |were )?(reduced|decreased|increased|raised) by ({_PERCENT}) "
     r"(?:relative to|compared (?:to|with)) (.+)$", r"is \3 \1 by \2"),
    (rf"\b(?:rises|rose|grows|grew|increases|increased|goes up|went up|climbs) by ({_PERCENT}) "
     rf"(?:from|compared (?:to|with)|relative to|(?:over|on)(?= [a-z ]*\b{_SOMETHING}$)) (?:its |the |their )?"
     rf"(?!{NUMERAL}\b)([a-z][a-z0-9 ]*)$",
     r"is \2 increased by \1"),
    (rf"\b(?:falls|fell|drops|dropped|decreases|decreased|declines|shrinks|goes down|went down) by ({_PERCENT}) "
     r"(?:from|compared (?:to|with)|relative to|on) (?:its |the |their )?([a-z][a-z0-9 ]*)$",
     r"is \2 reduced by \1"),
    (r"^(?:(?:he|she|they|we|you|it) needs? to )?round(?:ing)? (up|down) (.+?) to (?:an?|the (?:next|nearest)) "
     r"whole (?:number(?: of [a-z]+)?|[a-z]+)$", r"\2, rounded \1"),
    (rf"\b(add|adding|subtract|subtracting) (?:an? |the )?(?:[a-z]+ )?(?:tax|tip|fee|discount|commission|interest|"
     rf"gratuity|vat) of ({_PERCENT})(?: (?:on|to|of|from) (?:(?:the|this|that) (?:result|sum|total|amount)|it|"
     rf"this|that))?$", r"\1 \2"),
    (rf"\b(beyond|above|over) (?:the )?first ({NUMERAL})\b", r"beyond \2"),
    (r" \(in (?:percent|%)\)", ""),
    (r"\b(?:is|are|costs?|equals?|of) (?:only|just|exactly|simply|precisely)\b", lambda match: match[0].split()[0]),
    (r"\bwhat ((?!he|she|they|it|we|you)[a-z' ]+?) (?:holds|has|had|contains|gets|got)\b", r"\1"),
    (r"\bwhat (?:he|she|they|it|we|you) (?:paid|spent|pays|spends) (?:for|on) ", "cost of "),
    (r"\bwhat (?:he|she|they|it|we|you) (?:sold|sells) ([a-z ]+?) for\b", r"sales of \1"),
    (r"^(all (?:of )?(?:the )?[a-z ]+?),? except(?: for)?(?: those| the ones)? ", r"\1 minus "),
    (rf"\b({NUMERAL}) (length|width|side|base|leg|height)s (?:and|plus) ({NUMERAL}) (length|width|side|base|"
     rf"leg|height)s$",
     r"\1 times the \2 plus \3 times the \4"),
    (r"\b(?:is|are|gets?) (?:paid|charged|billed|sold|priced) at ", "times "),
    (r"\b(?:one|1) (?:whole |complete |full |entire )?(?:job|task|tank|pool|room|house|fence|wall|unit|lawn|field)"
     r"(?= (?:is )?divided by| over)", "1"),
    (r"\b(?:for|to|in) (each|every) (?:one )?of (?:the|these|those|his|her|their) ", r"for \1 "),
    (r", added to ", " added to "),
    (r",? (?:and|then|and then) (?:the |an? )?([a-z0-9$. ]+?) (?:is|are) (?:then )?"
     r"(added|subtracted|deducted|taken away|taken off)(?: to (?:it|this|that))?$", _passive),
    (rf"\bloses ({_PERCENT})(?: (?:in|of its|of the) [a-z]+)?", r"is reduced by \1"),
    (rf"\bgains ({_PERCENT})(?: (?:in|of its|of the) [a-z]+)?", r"is increased by \1"),
    (rf"\bincludes? (?:an? )?({_PERCENT}) [a-z ]*?(?:tax|vat|tip|fee|markup|surcharge|gratuity) on top of (.+)$",
     r"is \2 increased by \1"),
    (r"\barea (?:taken up|occupied|covered) by (?:the )?", "area of the "),
    (r"\bprobability that there (?:is|are) ", "probability of "),
    (r"\bprobability that ", "probability of "),
    (r"\bwhat is (?:left|remaining)(?= (?:is|are|times|divided|shared))", "remainder"),
    (r"\bweighted by\b", "times"),
    (r"\barithmetic (mean|average)\b", r"\1"),
    (r"^(?:the |their )?product (?:over|divided by) (?:the |their )?sum$", "product over sum"),
    (r"^(their [a-z]+|both [a-z]+|the [a-z]+|[a-z]+s in series) (?:simply |just )?"
     r"(?:(?:are |get )?add(?:ed)?(?: up| together)?|sum)$", r"sum of \1"),
    (r"^(their [a-z]+|both [a-z]+|the [a-z]+) (?:simply |just )?"
     r"(?:are |get )?multipl(?:y|ied)(?: together)?$", r"product of \1"),
    (r"^([a-z ]+ and [a-z ]+?) (?:are )?multipl(?:y|ied)(?: together)?$", r"product of \1"),
    (r"\bits own ", ""),
    (r" counts? as [a-z ]+$", ""),
    (r",? (?:ignoring|discarding|dropping) (?:the|any) (?:remainder|fraction|leftovers?)$", ", rounded down"),
    (rf"\b(plus|minus|add) (?:an? |the )?({_PERCENT}) (?:commission|tax|interest|fee|tip|bonus) on "
     rf"(?=[a-z])", r"\1 \2 of "),
    (rf"\bby (?:an? |the )?({_PERCENT}) (?:[a-z]+ )?(?:tax|tip|fee|markup|surcharge|discount)(?=,| then| "
     rf"and then)", r"by \1"),
    (rf"\b((?:split|shar|divid|distribut)[a-z]*\b.*\b(?:among|between)) (?:the |all |all the )?({NUMERAL}) "
     rf"[a-z]+$", r"\1 \2"),
    (r" between (?:them|the two)(?= (?:is|are|divided|times|minus|plus|over)|$)", ""),
    (r"^each ([a-z]+) (?:receives|gets|pays|has) an equal share of ([a-z ]+)$", r"\2 divided by number of \1"),
    (r"^([a-z ]+ and [a-z ]+?|both [a-z]+|the (?:two|three) [a-z]+) (?:are|is) (averag|add|sum)"
     r"(?:m?ed)(?: together| up)?$",
     lambda match: f"{'average' if match[2] == 'averag' else 'sum'} of {match[1]}"),
    (rf"\b(?!{NUMERAL}\b)([a-z]+) (minus|plus|take away|subtract|divided by|times) (the )?([a-z]+) "
     rf"one$", r"\1 \2 \4 \1"),
    (r"\bremainder (?:when|of) ([a-z0-9 ]+?) (?:is |are )?divided by ([a-z0-9 ]+)$", r"\1 modulo \2"),
    (rf"\b(add|adding|plus|minus|subtract) ({NUMERAL}) (?:extra|additional|more|spare) [a-z]+"
     rf"(?: for [a-z]+)?$", r"\1 \2"),
    (r"\btak(e|ing) (?:away|off|out) (?=(?:the |an? )?\$?\d[^,]*$)", "subtract "),
    (rf"\b(subtract|deduct|add) (?:the |an? )?({_PERCENT})(?: [a-z]+)? (?:for|in|as) [a-z ]+$", r"\1 \2"),
    (r"\bhow many ([a-z ]+?) (?:are|were) ([a-z]+ed|bought|sold|eaten|made|given)\b", r"number of \1 \2"),
    (r"^(?:sum up|add(?: up)?|total) (?:all |the |all the )?[a-z ]+: (?=[a-z])", "add "),
    (r"\b(\d+)/([1-9]\d*)(?= as (?:many|much)\b)", _as_words),
    (r"\bhow many ([a-z ]+?) (?:there (?:are|were)|(?:he|she|they|it|we) (?:has|have|had))\b", r"number of \1"),
    (r" (?:over|during|in|for|at|through) which (?:it|he|she|they|the [a-z]+) [a-z]+\b", ""),
    (r"\b(?:is|are|gets?)(?: then)? (?=(?:multiplied|divided) by\b)", ""),
    (r"^(.+) are added(?: together| up)?,? and the (?:sum|result|total) (?=(?:multiplied|divided) by)",
     r"sum of \1, "),
    (r"\b(?:is |are )?split (two|three|four|five|six|\d+) ways\b", r"divided by \1"),
    (r"\bth(?:at|ose) of (?=the |[a-z])", ""),
    (r",? with (?:the )?([a-z ]+?) (?:then )?added(?: on)?$", r", plus \1"),
    (r",? with (?:the )?([a-z ]+?) (?:then )?(?:subtracted|deducted|removed|taken off|taken away)$", r", minus \1"),
    (r"^from (.+?),? (?:take away|subtract|deduct|remove) (.+)$", r"subtract \2 from \1"),
    (r"\b(?:is |are )?(?:scaled|stretched|enlarged|magnified) by (?:a factor of )?", "multiplied by "),
    (r"\b(?:is |are )?multiplied by a factor of ", "multiplied by "),
    (r"^scal(?:e|ing) (.+?) by (?:a factor of )?", r"multiply \1 by "),
    (r"^(.+? and .+?),? (?:together|combined),? (?:make up|make|form|give|equal|are|is) [a-z ]+$", r"sum of \1"),
    (r"^(?:pool|tally(?: up)?|total up|count up|sum up|put together)(?:ing)? (?=the |all |both |[a-z])", "add "),
    (rf"^(?:an? )?({_PERCENT}) (?:increase|rise|growth|gain|raise|markup) (?:over|from|on|above) (.+)$",
     r"\2 increased by \1"),
    (rf"^(?:an? )?({_PERCENT}) (?:decrease|drop|decline|fall) (?:over|from|on|below|compared to) (.+)$",
     r"\2 reduced by \1"),
    (rf"\b(?:is|are|was|were) (reduced|decreased|increased|raised) by ({_PERCENT}) (?:from|compared to|over) (.+)$",
     r"is \3 \1 by \2"),
    (rf"\b(?:is|are|was|were) ({NUMERAL}(?: [a-z]+)?) (?:below|under) ", r"is \1 less than "),
    (rf"\b(?:is|are|was|were) ({NUMERAL}(?: [a-z]+)?) above ", r"is \1 more than "),
    (rf"^(?:divide|split|dividing|splitting) ([a-z ]+?) into (?:groups|teams|packs|sets|boxes) of ({NUMERAL})\b",
     r"divide \1 by \2"),
    (rf"({_PERCENT}) on (?=the |[a-z])", r"\1 of "),
    (r"\b(?:rate|price|cost|fee|wage|speed|charge) of (\$?\d[\d.,]*)"
     r"(?: [a-z]+)??(?: (?:per|an?|each) [a-z]+| each)?"
     r"(?= times| multiplied)", r"\1"),
    (r"\b(sum|total|product|average|mean) of the (?:other|given|known|various) (?=[a-z]+s\b)", r"\1 of all the "),
    (rf"^({NUMERAL}) (?:out of|in)(?: every)? ({NUMERAL}) (?=[a-z]+s\b)", _in_shares),
    (r"\b(?:already|simply|exactly|directly|together again)\s+", ""),
    (r"\btak(e|ing) (?!away|off|out)([^,]+?) away from\b", r"subtracting \2 from"),
    (r"\btak(?:e|ing) (?:away|off|out) ([^,]+?) from\b", r"subtracting \1 from"),
    (r"\b(?:tak(?:e|ing)|knock(?:ing)?|cut(?:ting)?|shav(?:e|ing)) ([^,]+?) off(?: of)?\b", r"subtracting \1 from"),
    (rf",? (?:and )?(?:is |are )?{_CONVERTS} (?:from [a-z]+ )?(?:in)?to [a-z ]+ by (multiply|divid)ing by\b",
     lambda match: ", multiplied by" if match[1] == "multiply" else ", divided by"),
    (r"(?:\braised )?\bto the power(?: of)?\b|\braised to the\b", "raised to"),
    (r"\b(among|amongst|between) all(?: of)?(?: the)?\b", r"\1 the"),
    (r"\bone[- ]half times\b", "half of"),
    (r"\bthe (?:other|given|known) (?=two|three|four)", "the "),
    (r"\bminus the (?:other|given|known|various) (?=[a-z]+s\b)", "minus all the "),
    (rf"\b{_FOUND} from (.+?) by (divid|multiply)ing(?: it)? by ",
     lambda match: f"{match[1]} {'divided' if match[2] == 'divid' else 'multiplied'} by "),
    (r"\bcombin(?:e|ing) ([a-z ]+) with\b", r"adding \1 and"),
    (rf"\b{_FOUND} from (.+?) by (subtract|add)ing (?!.* (?:from|to) )",
     lambda match: f"{match[1]} {'minus' if match[2] == 'subtract' else 'plus'} "),
)  # fmt: skip
_WHERE = late(
    r"^(?P<main>.*?),? (?:where|and|with) (?:the |this |that )?(?P<phrase>[a-z]+(?: [a-z]+)?) "
    r"(?:is|are|being|equals?|is equal to|is calculated as) (?P<inside>.+)$"
)
_FIRST_THEN = late(
    r"^(?:the )?(?P<phrase>[a-z]+(?: [a-z]+){0,3}) (?:is|equals) (?P<inside>[^,;]+)[,;] (?:and |so |then )*"
    r"(?P<left>(?:the )?[a-z]+(?: [a-z]+){0,3}) (?:is|equals) (?P<main>[^,;]+)$"
)
_SPELT = late(r"^(?P<front>.*?)\s*\((?P<inside>[^()]+)\)(?P<back>.*)$")
_OF = "(?:(?<=sum )|(?<=half )|(?<=product )|(?<=% ))of"  # the cost of labor is one phrase, half of it is not
_LAST_PHRASE = late(
    rf"^(?P<before>(?:.*\b(?:plus|minus|times|by|over|from|{_OF}|and|is|are|equals|(?<!due )to|with|add|multiply|"
    r"subtract|divide|multiplying|adding|dividing|subtracting)\s+)?)(?P<phrase>[a-z' -]*)$"
)
_CONSTANT = late(rf"(?:[a-zα-ω]\s*[=≈]\s*|about )?({NUMERAL})(?:\s*[a-zµ°%]+[0-9²³]*(?:[/·*^][a-z0-9²³^-]+)*)?")


def plain(sentence: str, values: Values) -> str:
    """Without the reasons and remarks around the arithmetic, where they say no number that it lacks."""
    sentence = _AIM.sub("", LEAD.sub("", reworded(sentence, _SIGNS)))
    if _IN_PERCENT.search(sentence):
        sentence = re.sub(r"\b(?:relative to|compared (?:with|to))\b", "divided by", sentence)
    if (front := _DOING.match(sentence)) is not None and not computes(front[0]):
        sentence = sentence[front.end() :]
    counted = _OF_SO_MANY.match(sentence)
    if counted and number_of(counted[1]) == len(values):
        sentence = sentence[counted.end() :]
    stated = {value for value, _ in values.values()} | {1.0}
    asides = (FRONT_REASON, _FRONT_SINCE, _FRONT_AFTER, _FRONT_SENTENCE, _TITLE, _BACK_REASON, _REMARK)
    for pattern in asides if _ASIDE.search(sentence) else ():
        match = pattern.match(sentence)
        if match and _says_nothing(match["why"], match["rest"], stated, pattern, len(values)):
            sentence = match["rest"]
    sentence = _PURPOSE.sub(_unless_it_computes, LEAD.sub("", _AIM.sub("", LEAD.sub("", sentence)))).strip()
    if (aim := _TO_INCLUDE.match(sentence)) is not None and _says_nothing(aim["why"], aim["rest"], stated, _REMARK, 0):
        sentence = aim["rest"]
    return " ".join(reworded(reworded(sentence, REWORDINGS), _REWRITTEN).split())


def _unless_it_computes(match: re.Match[str]) -> str:
    """A purpose is left out; `gives the revenue; subtract the costs` is none."""
    return match[0] if _COMPUTES.search(match[0]) else ""


def with_charges(sentence: str, effect: str) -> str:
    """`a 15% tip on the meal`: for the tip, a share of the meal; `the meal is increased by a 15% tip`, or a tip of 15%
    is added to it: for anything else the meal with it."""
    if "%" not in sentence and "percent" not in sentence:
        return sentence
    named = effect.lower().replace("_", " ")
    together = re.search(r"\b(?:total|final|with|after|including|new|price|cost|bill|sale|discounted|net)\b", named)
    if (match := _CHARGED.match(sentence)) is not None:
        is_it = match["kind"].split()[-1] in named and not together
        if together and sentence.startswith("apply"):
            is_less = re.fullmatch(LESS, match["kind"]) is not None
            return _apply_charge(match["share"], match["whole"], is_less, named)
        return f"{match['share']} of {match['whole']}" if is_it else sentence
    for pattern in _CHARGES:
        if (match := pattern.search(sentence)) is not None:
            of_it = any(word.rstrip("es") in named for word in match["kind"].split()) and not together
            adds = match.groupdict().get("more") is not None
            whole = match["whole"].strip()
            return (
                f"{match['share']} of {whole}"
                if of_it
                else f"{whole} {'increased' if adds else 'reduced'} by {match['share']}"
            )
    return sentence


def _apply_charge(share: str, whole: str, is_less: bool, named: str) -> str:
    """The charge itself (total tax, fee on sale), or what it is put on with it; nothing for a net salary, which a tax
    makes less."""
    charge = re.search(rf"\b(?:{LESS}|{MORE})s?\b(?P<behind>.*)", named)
    if charge and not re.search(r"\b(?:with|after|including)\b", named):
        return f"{share} of {whole}" if re.match(r"$| (?:on|for|of|in|amount|cost)\b", charge["behind"]) else ""
    paid = re.search(r"\b(?:price|cost|bill|meal|total|subtotal|purchase|order)\b", whole)
    if not is_less and (paid is None or re.search(r"\bnet\b", named)):
        return ""
    return f"{whole} {'reduced' if is_less else 'increased'} by {share}"


def _says_nothing(why: str, rest: str, stated: set[float], pattern: re.Pattern[str], count: int) -> bool:
    """Whether a reason can be left out: its numbers stand in the rest, or say how often; a title, a sentence before or
    a clause behind computes nothing at all."""
    has = numbers(rest) | {share for word, share in _MULTIPLES.items() if re.search(rf"\b{word}", rest)}
    has |= {round(100 * share, 9) for number in has for share in (number, abs(number - 1))}  # 15 % more is 1.15 times
    why = _without_ratio(why, rest)
    claimed = numbers(re.sub(rf"\bevery {NUMERAL} [a-z]+", "", why))
    if (both := re.search(rf"\b(?:the|these) ({NUMERAL}) [a-z]+s\b", why)) and number_of(both[1]) == count:
        claimed -= {number_of(both[1])}  # the two events, of two causes
    claimed |= {share for word, share in _MULTIPLES.items() if re.search(rf"\b{word}", why)}
    if not claimed <= has | stated:
        return False
    if pattern in (FRONT_REASON, _FRONT_SINCE, _FRONT_AFTER, _REMARK) or (
        pattern is _BACK_REASON and "because" in rest + why
    ):
        return True
    why = re.sub(rf"\b(?:sum|add)s?(?: up)? to {NUMERAL}", "", why)  # the angles of a triangle
    computed = set(re.findall(r"[a-z]+", why)) & OPERATION_WORDS
    if pattern is _TITLE:  # average speed: distance over time
        return not computed - _OUTCOMES
    return not computed and not _EXPLAINS_NOTHING.search(why)


def _without_ratio(why: str, rest: str) -> str:
    """A ratio of 3:5 says no more than five eighths, where that is what the rest takes."""
    match = _RATIO.search(why)
    if match is None:
        return why
    one, other = (number_of(match[k]) or 0.0 for k in (1, 2))
    spaced = rest.replace("-", " ")
    shares = {share for word, share in SHARES.items() if word in spaced and re.search(rf"\b{word}\b", spaced)}
    shares |= {int(a) / int(b) for a, b in re.findall(r"\b(\d+)/([1-9]\d*)", rest)}
    shares |= {float(a) / 100 for a in re.findall(r"(\d+(?:\.\d+)?)\s?%", rest)}
    meant = _shares_meant(why, rest, one, other)
    agrees = any(abs(share - it) < 1e-9 for share in shares for it in meant)
    return re.sub(r"\bratio\b", "", why[: match.start()] + why[match.end() :]) if agrees else why


def _shares_meant(why: str, rest: str, one: float, other: float) -> set[float]:
    """Of the two shares of a ratio that of whom the rest speaks."""
    if not one or not other:
        return set()
    sides = re.search(r"ratio of (?:the )?([a-z ]+?) to (?:the )?([a-z ]+?) is ", why)
    sides = sides or re.search(r"([a-z]+) and ([a-z]+)(?: [a-z]+)? are in (?:the|a) ratio ", why)
    subject = re.split(r"\b(?:is|are|equals)\b", rest)[0]
    if sides is not None:
        named = [bool(tokens(side) & tokens(subject)) for side in sides.groups()]
        if named.count(True) != 1:
            return set()
        mine, its = (one, other) if named[0] else (other, one)
        of_it = tokens(sides[2] if named[0] else sides[1]) & tokens(rest[len(subject) :])  # the sugar, of the butter
        return {mine / its} if of_it else {mine / (one + other)}
    if re.search(r"\b(?:larger|bigger|greater|largest)\b", subject):
        return {max(one, other) / (one + other)}
    return {min(one, other) / (one + other)} if re.search(r"\bsmall(?:er|est)\b", subject) else set()


_NUMERAL = late(rf"(?<![\w.]){NUMERAL}(?!\w)")
_RATIO = late(rf"\b({NUMERAL})\s?(?::| to )\s?({NUMERAL})\b")


def spelt_out(sentence: str) -> Iterator[tuple[str, str]]:
    """The sentence with one word, BRACKET, in place of a bracket that computes and of the phrase it spells out, or of
    what it defines behind (where the commission is 10 % of sales), and what that is."""
    defined = _WHERE.match(sentence)
    if defined and len(re.findall(rf"\b{defined['phrase']}\b", defined["main"])) == 1:
        yield re.sub(rf"\b{defined['phrase']}\b", BRACKET, defined["main"]), defined["inside"]
    first = _FIRST_THEN.match(sentence)  # net force is A minus B, and acceleration is the net force divided by the mass
    if first is not None:
        pattern = re.compile(rf"\b(?:{first['phrase']}|(?<!of )that|this|it)\b")
        if len(pattern.findall(first["main"])) == 1 and not pattern.search(first["inside"]):
            yield f"{first['left']} is {pattern.sub(BRACKET, first['main'])}", first["inside"]
    match = _SPELT.match(sentence)
    phrase = _LAST_PHRASE.match(match["front"] + " ") if match else None
    if match is None or phrase is None:
        return
    constant = _CONSTANT.fullmatch(match["inside"].strip())
    inside = constant[1] if constant else match["inside"]
    for sign, word in ((" + ", " plus "), (" * ", " times "), (" - ", " minus "), (" / ", " divided by ")):
        inside = inside.replace(sign, word)
    if (constant and phrase["phrase"].strip()) or re.search(r"\b(?:plus|minus|times|divided by|and)\b", inside):
        yield f"{phrase['before']}{BRACKET} {match['back']}", inside


def numbers(text: str) -> set[float]:
    """The numbers a text says."""
    return {value for one in _NUMERAL.findall(text) if (value := number_of(one)) is not None}
