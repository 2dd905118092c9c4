"""What a reply says of its own numbers: that it takes them back, or that they are of something else.

    "On reflection, please disregard the numbers above."       "All values above are for the skeleton only."

Such a sentence ends what stands before it; what the reply claims behind it counts. One that names measures ("ignore the
SHD") ends those only. The words before it, and between its parts, must be known here, as everywhere in this reader: "I
would not disregard ...", "if the rows are dependent, ignore these", "these should not be used for other data", "you
asked me to ignore the numbers of the paper" and "not for the skeleton only" take nothing back.

Replies that take their numbers back, or say what they are of, in other languages than English.

German, French, Spanish, Portuguese, Italian, Chinese, Japanese, Korean, Russian: "bitte ignorieren Sie die obigen
Zahlen", "以上数字作废". With a denial ("nicht ignorieren", "nicht nur für das Skelett") nothing is taken back.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from trueness.patterns import late
from trueness.reading.labels import labels_in
from trueness.reading.ranges import Claim
from trueness.reading.words import Sentences, words_of

FOREIGN_WORDS = frozenset(  # as far as they are written without accents
    "ignorieren ignoriere vergessen vergiss verwerfen verwirf verwenden ziehe nehme falsch ignorez ignorer oubliez "
    "oublier compte retire annule ignore ignora ignoren olvide olvida descarte desestime cuenta retiro desconsidere "
    "desconsiderem ignorare ignori ignorate dimenticate dimentica ritiro skelett skeletts ungerichteten squelette "
    "esqueleto scheletro".split()
)
_FOREIGN_NUMBERS = (
    r"\b(?:zahlen|werte|angaben|schätzung(?:en)?|bereiche|intervalle|antwort|tabelle|ergebnisse|prognosen?|vorhersagen?"
    r"|chiffres|valeurs|estimations?|réponse|tableau|nombres|prévisions?|fourchettes"
    r"|valores|números|cifras|estimaci(?:ón|ones)|rangos|intervalos|respuesta|tabla|predicci(?:ón|ones)"
    r"|estimativas?|resposta|tabela|previs(?:ão|ões)|valori|numeri|stime|stima|intervalli|risposta|tabella)\b"
)
_NEAR_NUMBERS = rf"[^.\n]{{0,30}}{_FOREIGN_NUMBERS}"
_RUSSIAN = r"[^.\n]{0,30}(?:числ|значени|оценк|диапазон|ответ|цифр)"
_FOREIGN_BACK = late(
    rf"\b(?:ignorieren|ignoriere|vergessen|vergiss|verwerfen|verwirf)\b(?: sie)?{_NEAR_NUMBERS}(?![^.\n]*\bnicht\b)"
    rf"|verwenden sie{_NEAR_NUMBERS}[^.\n]{{0,10}} nicht\b|ich (?:ziehe|nehme)[^.\n]{{0,40}} zurück"
    rf"|{_FOREIGN_NUMBERS}[^.\n]{{0,20}} (?:sind|ist) (?:ungültig|hinfällig|falsch)\b"
    rf"|(?<!pas )\b(?:ignorez|oubliez|ignorer|oublier)\b(?! pas){_NEAR_NUMBERS}"
    rf"|(?:ne pas tenir|ne tenez pas|ne pas prendre en) compte{_NEAR_NUMBERS}|je (?:retire|annule)\b"
    rf"|(?<!no )\b(?:ignore|ignora|ignoren|olvide|olvida|descarte|desestime)\b{_NEAR_NUMBERS}"
    rf"|\bno (?:tenga|tengan|tome) en cuenta{_NEAR_NUMBERS}|\bretiro (?:est|l[ao]s|mi|ess|a )"
    rf"|(?<!não )\b(?:desconsiderem?|esqueça)\b{_NEAR_NUMBERS}"
    rf"|(?<!non )\b(?:ignorare|ignori|ignorate|dimenticate|dimentica)\b{_NEAR_NUMBERS}|\britiro (?:quest|l[ae]|i )"
    r"|(?<!不要)(?<!不能)(?<!不应)(?<!不会)(?<!不)(?:忽略|无视|撤回|收回|作废|忘掉)[^。\n]{0,8}(?:以上|上面|上述|前面|这些|我的)"
    r"|(?:以上|上面|上述|前面|这些)[^。\n不]{0,12}(?:作废|无效|撤回|收回|不算数|请忽略|请无视|不要使用|不要采用)"
    r"|(?:上記|以上|前述|これら)[^。\n]{0,14}(?:無視して(?!い)|取り消|撤回|無効)"
    r"|(?:위의?|앞의|이) [^.\n]{0,14}(?:무시해|무시하(?!지)|철회|취소|무효)"
    rf"|(?<!не )(?:игнорируйте|забудьте|отзываю){_RUSSIAN}|не (?:учитывайте|используйте){_RUSSIAN}"
)
_FOREIGN_SCOPE = late(
    rf"{_FOREIGN_NUMBERS}(?P<latin>[^.\n]{{0,60}}?)\b(?:skelett\w{{0,3}}|ungerichtete[nr]?|squelette|esqueleto|scheletro)\b"
    r"|(?:以上|上述|上面|这些|所有)(?P<signs>[^。\n]{0,14}?)(?:骨架|无向图)"
)
_FOREIGN_NOT = late(r"nicht|pas\b|sondern|\bno solo|non solo|não só|不|orient|richtung|direcci|dirig")
_SIGNS = late(
    "忽略|无视|撤回|收回|作废|忘掉|无效|不算数|不要|骨架|无向|無視|取り消|無効"
    "|무시|철회|취소|무효|игнор|забудьте|отзываю|учитыв|использ"
)


def may_end_in_signs(view: str) -> bool:
    """A cheap look at replies in other scripts before the careful one."""
    return _SIGNS.search(view) is not None


def foreign_ending(text: str) -> tuple[int, bool] | None:
    """Where a sentence takes numbers back or (True) says that they are of the skeleton; None where it does neither."""
    match = _FOREIGN_BACK.search(text)
    if match is not None:
        return match.start(), False
    scoped = _FOREIGN_SCOPE.search(text)
    if scoped is None or _FOREIGN_NOT.search(scoped.group("latin") or scoped.group("signs") or ""):
        return None
    return scoped.start(), True


# ---- in English


WITHDRAWN, SCOPE = "withdrawn", "scope"
_SHORTEST, _LONGEST = 12, 400  # characters of a sentence that are looked at
_HEADED = 60  # characters behind a line in which a claim makes a heading of it

# ---- the reply's own numbers
_NOUN = (
    "(?:numbers?|figures?|values?|ranges?|estimat(?:es?|ions?)|intervals?|forecasts?|predictions?|tables?|json|objects?"
    "|lists?|answers?|lines?|drafts?|guess(?:es)?|bounds?|scores?|metrics?|measures?|results?|repl(?:y|ies)|responses?"
    "|blocks?|outputs?|percentages?)"
)
_NAME = "(?:precision|recall|f1(?:[- ]score)?|shd|structural hamming distance)"
_WHICH = (
    "(?:(?:the|these|those|this|that|my|our|all|any|of|each|both|every|two|three|four|above|previous|earlier|first"
    "|initial|preceding|old|original|whole|entire|draft|last|given|stated|numerical) )*"
)
_THESE = (
    rf"(?P<these>{_WHICH}(?:{_NOUN}(?: {_NOUN})?|{_NAME}(?:(?:,|,? and) (?:the )?{_NAME})*(?: {_NOUN})?)"
    r"|(?:all|any|each|everything|most)(?: of (?:it|this|that|these|those|them|the above))?|the above|them|they|it"
    r"|these|those|this|that|(?:what|everything|all) (?:i|you) (?:said|say|wrote|write|gave|give|answered|see))\b"
    r"(?:,? (?:given|stated|listed|reported|i (?:gave|give|provided|listed|stated|made)|so far|above|below|before|here"
    rf"|in (?:the|my|this|that) {_NOUN}))*(?!(?: (?:above|below))? ?[\d.]+\d)"
)
_THESE_TOO = _THESE.replace("?P<these>", "?P<those>")
_EARLIER = late(r"\b(?:first|initial|earlier|previous|preceding|old|original|draft)\b")

# ---- how they are taken back
_LEAD = frozenset(  # words before it: the reply's own voice, or an order to the reader
    "a about actually admit afraid again all also am an and apologies ask back be because been best better but "
    "carefully correct correction d edit everything fact fear had has have having hence here hereby hindsight hmm "
    "honestly however i in is it just kindly know let like ll looking m me mention mind mistake more must my myself nb "
    "need no note notice noticed now of ok okay on once oops or over please point ps realise realised realize realized "
    "reflection regard regret remark remember respect s said say second see should simply since so sorry still that "
    "the then therefore these they think thinking this those thought thoughts thus to unfortunately update us wait "
    "want warning we well which will with would you your".split()
)
_VOID = (
    "(?:void|invalid|withdrawn|retracted|revoked|cancelled|wrong|mistaken|incorrect|erroneous|nonsense|meaningless"
    "|obsolete|outdated|null|moot|unfounded|baseless|bogus|fabricated|invented|made up|unusable|worthless|off|not valid"
    "|no longer valid|empty|blank|useless|careless|not given|not usable|not applicable|not mine"
    "|to be (?:ignored|disregarded|discarded))"
)
_DROPPED = (
    "(?:disregarded|ignored|discarded|dismissed|forgotten|dropped|deleted|retracted|withdrawn|revoked|rescinded"
    "|cancelled|struck(?: out)?|set aside|thrown (?:away|out)|taken back)"
)
_NOT = "(?:do not|don t|cannot|can t|can not|should not|shouldn t|must not|mustn t|would not|wouldn t|no longer|never)"
_KEPT = (  # what a reader is asked not to do with numbers that stand
    "(?:ignore|disregard|overlook|forget|dismiss|discard|skip|drop|confuse|compare|mistake|take|expect|read|treat|count"
    "|regard|consider|see|know|think|have|mean|need|want|change|cover|include|assume|ask)\\b"
)
_IS = (  # words between numbers and what is wrong with them
    "(?:(?:is|are|was|were|be|been|have|has|all|both|now|hereby|therefore|simply|just|only|merely|mere|nothing|but|a|an"
    "|actually|clearly|plainly|completely|entirely|totally|utterly|quite|way|far|also|thus|in|fact) )"
)
_ABOUT = "(?:algorithm|method|learner|data ?set|network|graph|question|task|problem|setting|sample size|measure|model)"
_WRONG = "wrong other different another".split()


class _Act(NamedTuple):
    """A way to take numbers back: one of the words must be there, one of those beside it, then the pattern."""

    words: frozenset[str]
    beside: frozenset[str]  # none: any
    pattern: re.Pattern[str]
    cautious: bool = False  # "..., too literally", "... for other data" make a caution of it
    mended: bool = False  # "at first", "already" make it a mistake that was mended
    voiced: bool = True  # the words before must be the reply's own voice; else there must be no denial among them


def _act(words: str | Sequence[str], pattern: str, beside: str = "", **how: bool) -> _Act:
    words = words.split() if isinstance(words, str) else words
    return _Act(frozenset(words), frozenset(beside.split()), late(rf"\b(?:{pattern})"), **how)


_ACTS = (
    _act(
        "disregard ignore overlook forget discard dismiss scrap scratch ditch strike drop delete erase remove retract "
        "recant renounce withdraw revoke rescind cancel void undo nullify invalidate abandon aside cross throw take "
        "walk attention",
        "(?:disregard|ignore|overlook|forget(?: about)?|discard|dismiss|scrap|scratch|ditch|strike(?: out)?|drop|delete"
        "|erase|remove|retract|recant|renounce|withdraw|revoke|rescind|cancel|void|undo|nullify|invalidate|abandon"
        f"|set aside|cross out|throw (?:away|out)|take back|walk back|(?:pay no|not pay) attention to) {_THESE}",
        cautious=True,
    ),
    _act("disregard ignore discard forget", r"(?:disregard|ignore|discard|forget)(?P<these>)\W*$"),
    _act("disown disowned recant disavow", rf"(?:disown|disowned|recant|disavow) {_THESE}"),
    _act(
        "take taking throw throwing put set strike cross toss walk",
        rf"(?:take|taking|throw|throwing|put|set|strike|cross|toss|walk) {_THESE} (?:back|away|out|aside|off)\b",
    ),
    _act(
        "withdrawing retracting revoking discarding cancelling",
        rf"(?:withdrawing|retracting|revoking|discarding|cancelling) {_THESE}",
    ),
    _act(
        "do don",
        rf"(?:do not|don t) (?!{_KEPT})[a-z]+(?: (?:on|by|behind|in|for))? {_THESE}",
        cautious=True,
    ),
    _act(
        "use trust rely stand believe endorse support vouch defend justify",
        rf"{_NOT} (?:use|trust|rely on|stand (?:by|behind)|believe(?: in)?|endorse|support|vouch for|defend|justify) "
        f"{_THESE}",
        cautious=True,
    ),
    _act(
        "take count treat regard consider use see",
        rf"{_NOT} (?:take|count|treat|regard|consider|use|see) {_THESE} (?:as|for) (?:my|an|the|a) "
        "(?:final |real |actual |valid )?(?:answer|estimate|forecast|prediction|reply)",
    ),
    _act(
        "treat consider regard view count declare",
        rf"(?:treat|consider|regard|view|count|declare) (?:{_THESE}|the question) (?:as )?(?:being )?"
        rf"(?:{_VOID}|no (?:answer|forecast)|unanswered|not answered|open)\b",
    ),
    _act(
        "answer basis",
        r"i (?:will not|won t|do not|don t|shall not) answer\b(?P<these>)|i have no (?:answer|basis)\b",
    ),
    _act(
        "mistake error bad blindly",
        r"i (?:have )?made an? (?:[a-z]+ )?(?:mistake|error)\b(?P<these>)|my (?:mistake|error|bad)\b|i guessed blindly",
        mended=True,
    ),
    _act(
        "none",
        rf"none of {_THESE} (?:holds?|apply|applies|(?:can|should|may|must) be (?:used|trusted|relied on|counted)"
        "|(?:is|are|was|were) (?:valid|right|correct|reliable|meant|usable|mine))",
    ),
    _act(
        "should must can ought need have are is",
        rf"{_THESE}(?P<between>(?: [a-z]+){{0,7}}?) (?:should|must|can|ought to|need to|have to|are to|is to) (?:all )?"
        rf"be (?:{_DROPPED}|(?:treated|considered|regarded) (?:as )?{_VOID})",
        "be",
        cautious=True,
    ),
    _act(
        "used trusted relied counted believed",
        rf"{_THESE} (?:should|must|can|may) ?not be (?:used|trusted|relied (?:up)?on|counted|believed)",
        "be",
        cautious=True,
    ),
    _act(
        "taken used meant intended read counted",
        rf"(?:none of {_THESE_TOO} (?:should|must|can|may|is to|are to) be"
        rf"|{_THESE} (?:should|must|can|may|is|are|was|were) ?not(?: to)?(?: be)?) "
        "(?:taken|used|meant|intended|read|counted)(?: to be)?(?: as| for)? (?:my|an?|the) (?:final |real |valid )?"
        "(?:answer|estimate|forecast|prediction|reply)",
    ),
    _act(
        "given said written listed hallucinated invented fabricated made",
        "i (?:should not have (?:given|said|written|listed)"
        rf"|(?:have |simply |just )?(?:hallucinated|invented|fabricated|made up)) {_THESE}",
    ),
    _act(
        "hold holds apply stand count",
        rf"{_THESE} (?:no longer|do not|does not|don t|doesn t) (?:holds?|apply|stand|count)\b",
        "no not t",
        cautious=True,
    ),
    _act(
        "void invalid withdrawn retracted revoked cancelled wrong mistaken incorrect erroneous nonsense meaningless "
        "obsolete outdated baseless bogus fabricated invented unusable worthless off usable applicable mine null moot "
        "unfounded made valid given ignored disregarded discarded dismissed forgotten dropped deleted placeholder "
        "placeholders dummy dummies mistake mistakes misunderstanding aloud loud empty blank useless careless",
        rf"(?:{_THESE} {_IS}+|(?:makes?|renders?|leaves?) {_THESE_TOO} )(?:{_VOID}|{_DROPPED}"
        r"|placeholders?|dumm(?:y|ies)|mistakes?|misunderstandings?|thinking (?:aloud|out loud))\b",
        cautious=True,
        voiced=False,
    ),
    _act("right correct true", rf"{_THESE} (?:cannot|can t|can not|could not) be (?:right|correct|true)\b", "be"),
    _act(
        "was were",
        rf"{_THESE} (?:was|were) (?:(?:{_NOUN}|meant|intended|made|computed) )?(?:for|about) "
        "(?!the|this|these|each|all|every|single|you|directed)",
        "for about",
    ),
    _act(
        _WRONG,
        rf"{_THESE}(?P<between>(?: [a-z]+){{0,5}}?) (?:for|of|about|on|with|to) (?:the|a|an|some)(?: ?)"
        rf"(?:wrong|other|different) {_ABOUT}",
    ),
    _act(
        _WRONG,
        "i (?:[a-z]+ ){0,2}(?:said|wrote|gave|listed|computed|estimated|calculated|reported|answered|replied|used"
        r"|assumed|took) (?P<these>[^.,]{0,30}?)(?:for |on |about )?(?:(?:the|a) wrong|another|a different) [a-z]",
    ),
    _act(_WRONG, rf"(?:different|other) {_ABOUT} (?:from|than) (?:yours|the one|what)(?P<these>)", voiced=False),
    _act(("wrong",), rf"wrong {_ABOUT}(?P<these>)\W*$"),
    _act(("wrong",), rf"i (?:was|am|have been|had been) (?:[a-z]+ ){{1,3}}the wrong {_ABOUT}(?P<these>)"),
    _act(
        "not",
        rf"{_THESE}(?P<between>(?: [a-z]+){{0,9}}?),? (?:and )?(?:(?:is|are|was|were) )?not (?:at all )?"
        "my (?:own |actual |real |final )?(?:estimates?|forecasts?|predictions?|answers?)\\b",
        "my",
    ),
    _act(
        "asked ask asks wanted requested",
        rf"not (?:(?:for|to|of|about|on) )?(?:what|(?:the|your) (?:{_ABOUT}|one)(?: that| which)?) "
        "(?:you|was|were|i was|the question) (?:[a-z]+ )?(?:ask|want|request)(?P<these>)",
    ),
    _act(
        "confused mixed mistook misread misunderstood",
        r"i (?:must have |have |had |just |only )?(?:confused|mixed up|mistook|misread|misunderstood) (?P<these>)",
        mended=True,
    ),
    _act(
        "answered thinking",
        r"i (?:[a-z]+ ){0,3}(?:answered for|was thinking of) (?P<these>)(?!you|the |this|each|every|all|a )",
        mended=True,
    ),
)  # fmt: skip
_ACTING = frozenset().union(*(act.words for act in _ACTS))
_BY_WORD = {word: [k for k, act in enumerate(_ACTS) if word in act.words] for word in _ACTING}
_CAUTION = late(
    r"(?:,? |-)(?:too|as|for|to|in|on|by|from|of|at|with|without|beyond|outside|alone|blindly|literally|fully|entirely"
    r"|completely|solely|only|when|if|unless|whenever|that|which|whose|twice)\b"
    r"(?! now| good| the record| consideration| my (?:side|part)| of (?:them|these|this)|(?<=as|or) (?:i|they|it)\b)"
)
_IFS = frozenset("if unless whether suppose supposing".split())
_MAY_BE_IFS = frozenset("should were case".split())
_CONDITIONAL = late(r"\W*(?:should|were)\b|.*\bin case\b")
_MENDED = late(r"\b(?:at first|initially|first|earlier|previously|corrected|accounted|already|not)\b")
_NO_NEED = late(r"\bno (?:need|reason|point|cause|intention)\b")
_DAMNING = frozenset(  # beside the reply's own numbers, and with no denial in the sentence, these need no grammar
    "useless worthless meaningless nonsense bogus void invalid invalidated nullified unfounded unusable moot retract "
    "retracted retraction withdraw withdrawn withdrawal rescind rescinded revoke revoked recant disown disavow "
    "disregard disregarded discard discarded hallucinated fabricated".split()
)
_DOUBTED = frozenset("not never no t nor nothing nobody none may might could can would hardly neither say says".split())
_NOTS = frozenset("not never no t nor".split())

# ---- what they are said to be of
_PARTS = frozenset("skeleton skeletons adjacency adjacencies undirected skeletal".split())
_PART = rf"(?:{'|'.join(sorted(_PARTS, reverse=True))})"
_OF = frozenset(  # words between the numbers and what they are of
    "a about accuracy all alone also an and applies apply are arise as at based be being belong belongs "
    "calculated came come comes computed concern concerned concerns count counts cover covers describe describes "
    "edge edges estimated estimates evaluated evaluation exclusively figures for from given graph here hold holds "
    "how in intended is just level made mean meant measured merely metrics numbers of on only per performance "
    "pertain pertains purely quality ranges recovered refer referring refers regard relate relates relating "
    "respect results scores simply solely stated structure taken the these they those to treat treats true "
    "underlying valid values was well were what with would".split()
)
_SCOPED = late(rf"\b{_THESE}(?P<between>(?:[ ,:-]+[a-z]+){{0,10}}?)[ ,:-]+{_PART}\b")
_ANOTHER = late(
    rf"\b{_THESE}(?P<between>(?:[ ,]+[a-z]+){{0,6}}?) (?:another|an? (?:different|previous|earlier)|some other"
    "|the (?:wrong|previous)) [a-z]+"
)
_SCOPES = ((_PARTS, _SCOPED), (frozenset("another different previous earlier other wrong".split()), _ANOTHER))
_GOES_ON = late(  # the skeleton phase; skeleton and orientations
    r"[ -]?(?:phase|step|search|stage|is|are|being|errors?|itself|and|plus"
    r"|as well|but also|first|with)\b(?! (?:only|alone|not)\b)"
)
_ARROWS = "(?:directions?|orientations?|arrowheads?|arrows)"
_UNDIRECTED_WORDS = _PARTS | frozenset(
    "direction directions orientation orientations arrowhead arrowheads arrows reversed reversal reversals".split()
)
_UNDIRECTED = late(
    r"\b(?:ignor(?:e|es|ed|ing)|disregard(?:s|ed|ing)?|regardless of|irrespective of|without regard to|not counting"
    r"|leaving out|without(?: considering| counting| scoring)?) (?:the |any )?(?:edge |arc |causal )?"
    rf"{_ARROWS}\b(?! of| errors?| mistakes?)"
    r"|\b(?:do|does|did) not (?:take|consider|count|include|reflect|penali[sz]e|account for) (?:the )?(?:edge |arc )?"
    rf"{_ARROWS}\b"
    rf"|\b(?:whatever|in either|in any) (?:its |the |their )?{_ARROWS}\b"
    rf"|\b{_ARROWS} (?:plays? no role|(?:do|does) not (?:matter|count)"
    r"|(?:is|are) irrelevant)\b"
    rf"|\bi (?:scored|counted|measured|evaluated|compared|judged) (?:only |the )?{_PART}\b"
    rf"|\b(?:edge |arc )?{_ARROWS}(?: errors)? (?:is|are|was|were) (?:not (?:counted|considered|scored|included"
    r"|evaluated|taken into account)|ignored|disregarded|left out)\b(?! (?:by|in the|during|at|twice))"
    r"|\brevers(?:ed|al)s?\b[^.]{0,20} (?:count(?:s|ed)? as (?:correct|right|true)|(?:is|are) not (?:an )?errors?)"
    rf"|\bi (?:am |m )?(?:report|give|list|mean|show|comput|us)(?:e|ed|ing|s)? (?:the |only )?{_PART}(?:[ -]level)? "
    rf"{_NOUN}\b"
)
_OWN_NUMBERS = late(rf"\b{_THESE}|\bi (?:measured|computed|counted|evaluated|scored)\b")
_LIMITED = frozenset("only alone level all just above purely solely exclusively merely".split())
_ELLIPSIS = _OF | _LIMITED | frozenset("note nb values numbers below figures ranges metrics scores estimates".split())
_ONLY = late(
    rf"\W*{_THESE} (?:is|are|holds?|apply|applies)[^\n]{{0,60}}? only\b[^\n]{{0,120}}?"
    r"\b(?:i|we) (?:have no|give no|make no|cannot|can t|am unable|do not have|don t have|do not know|don t know)\b"
)
_SCOPE_WORDS = _UNDIRECTED_WORDS | {"another", "different", "other", "only", "previous", "earlier"}
_TELLING = frozenset("struck thrown taken longer".split()).union(
    FOREIGN_WORDS, _SCOPE_WORDS, _DAMNING, *(a.words for a in _ACTS)
)
_TELLING -= frozenset(
    "should must can ought need have are is given made hold holds apply other put set see read".split()
)
_COMMON = frozenset(  # of these words nothing is looked at where the reply ends with its only answer
    "answer true only do don right correct was were consider use used count said thinking requested asked taking take "
    "believe support view error reversed orientation skeleton".split()
)
_RARE = _TELLING - _COMMON
_AHEAD = frozenset("below follow follows following".split())


class Ending(NamedTuple):
    """A sentence that ends claims: where, of which measures (none: all), and why."""

    at: int
    measures: frozenset[str]
    problem: str
    earlier: bool = False  # it speaks of the first of several answers


def standing_claims(claims: list[Claim], sentences: Sentences) -> tuple[list[Claim], dict[str, str]]:
    """The claims that the reply does not take back, and for each measure that lost one, why."""
    if not claims or not _may_end(claims, sentences):
        return claims, {}
    ended: dict[tuple[str, bool], Ending] = {}  # by measure, and whether the first of several answers is meant
    last = {claim.measure: claim for claim in claims}
    for ending in _endings(sentences, claims):
        for measure in ending.measures or last:
            ended[measure, ending.earlier] = ending  # the last one ends what the others end
    if not ended:
        return claims, {}
    several = {claim.measure for claim in claims if claim is not last[claim.measure]}
    kept, lost = [], {}
    for claim in claims:
        measure = claim.measure
        end = ended.get((measure, False))
        if end is None or claim.start >= end.at:
            end = ended.get((measure, True))
            if end is None or claim.start >= end.at or (measure in several and claim[2:4] == last[measure][2:4]):
                kept.append(claim)
                continue
        lost[measure] = end.problem
    return kept, lost


def _may_end(claims: Sequence[Claim], sentences: Sentences) -> bool:
    """A cheap look before the careful one."""
    if not _TELLING.isdisjoint(sentences.words):
        last, measures = max([claim.end for claim in claims]), {claim.measure for claim in claims}
        if len(sentences.view) - last > _SHORTEST or len(measures) < len(claims):
            return True
        if not _RARE.isdisjoint(sentences.words):
            return True
    return sentences.foreign and may_end_in_signs(sentences.view)


def _endings(sentences: Sentences, claims: Sequence[Claim]) -> Iterator[Ending]:
    starts, view = sorted([claim.start for claim in claims]), sentences.view
    first = starts[0]
    start = 0 if not _AHEAD.isdisjoint(sentences.words) else first
    spans = sentences.spans() if sentences.foreign else sentences.holding(_TELLING & sentences.words, start)
    for start, stop in spans:
        text = view[start : min(stop, start + _LONGEST)]
        ahead = stop <= first
        if ahead and "below" not in text and "follow" not in text:
            continue
        words = set(words_of(text))
        if (sentences.foreign or not FOREIGN_WORDS.isdisjoint(words)) and (ended := foreign_ending(text)) is not None:
            yield Ending(start + ended[0], frozenset(), SCOPE if ended[1] else WITHDRAWN)
        if _TELLING.isdisjoint(words):
            continue
        ending = _taken_back(text, words) or _of_something_else(text, words)
        if ending is not None:
            these, at, problem = ending
            measures = frozenset(label.measure for label in labels_in(these or text))
            yield Ending(len(view) if ahead else start + at, measures, problem, _EARLIER.search(these) is not None)
        elif "only" in words and _ONLY.match(view, start, start + _LONGEST) is not None:
            yield Ending(start, frozenset(), SCOPE)
        elif _is_ellipsis(text, words) and bisect_left(starts, stop) == bisect_left(starts, stop + _HEADED):
            yield Ending(start, frozenset(), SCOPE)  # and no heading of what follows


def _taken_back(text: str, words: set[str]) -> tuple[str, int, str] | None:
    """The numbers that a sentence takes back, and where it says so."""
    if not _IFS.isdisjoint(words) or (not _MAY_BE_IFS.isdisjoint(words) and _CONDITIONAL.match(text)):
        return None
    for act in [_ACTS[k] for k in sorted({k for word in words & _ACTING for k in _BY_WORD[word]})]:
        if act.beside and act.beside.isdisjoint(words):
            continue
        for match in act.pattern.finditer(text):
            lead = text[: match.start()]
            if act.cautious and _CAUTION.match(text, match.end()) or act.mended and _MENDED.search(text):
                continue
            if not _NOTS.isdisjoint(words_of(match.groupdict().get("between") or "")):
                continue
            if not act.voiced and not _DOUBTED.isdisjoint(words_of(lead)):
                continue
            if (not act.voiced or _is_own(lead)) and not _NO_NEED.search(lead):
                return match.group("these") or "", match.start(), WITHDRAWN
    if _DAMNING.isdisjoint(words) or not _DOUBTED.isdisjoint(words):
        return None
    numbers = _OWN_NUMBERS.search(text)
    return None if numbers is None else (numbers.group("these") or "", numbers.end(), WITHDRAWN)


def _of_something_else(text: str, words: set[str]) -> tuple[str, int, str] | None:
    """The numbers that a sentence says to be of the skeleton or of another algorithm, and where."""
    if _SCOPE_WORDS.isdisjoint(words):
        return None
    for beside, pattern in _SCOPES:
        for match in () if beside.isdisjoint(words) else pattern.finditer(text):
            between = words_of(match.group("between"))
            if between and _OF.issuperset(between) and _is_own(text[: match.start()]):
                if _GOES_ON.match(text, match.end()) is None:
                    return match.group("these"), match.start(), SCOPE
    undirected = None if _UNDIRECTED_WORDS.isdisjoint(words) else _UNDIRECTED.search(text)
    if undirected is None:
        return None
    lead = text[: undirected.start()]
    numbers = _OWN_NUMBERS.search(text)
    if (numbers is None and not _is_own(lead)) or not _NOTS.isdisjoint(words_of(lead)):
        return None
    return (numbers.group("these") or "") if numbers else "", undirected.start(), SCOPE


def _is_own(lead: str) -> bool:
    """Whether what stands before within the clause is the reply's own voice, or an order to the reader."""
    return _LEAD.issuperset(words_of(re.split("[:,(]", lead)[-1]))


def _is_ellipsis(text: str, words: set[str]) -> bool:
    """(skeleton only)"""
    if _PARTS.isdisjoint(words) or _LIMITED.isdisjoint(words):
        return False
    return words - _PARTS <= _ELLIPSIS and ":" not in text[-3:]
