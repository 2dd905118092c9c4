"""Whose claim it is: the reply's own forecast, or something it only mentions.

    "In the literature PC reaches a precision of 0.8-0.9."     "If n were larger, recall would be 0.8-0.9."
    "I would not say precision of 0.8-0.9."                    "Random baseline:\n Precision: 0.2-0.3"

A claim in running text is judged by its sentence, a label with its value by the heading above it. In running text a
claim is the reply's own where the sentence says so ("based on the literature I expect ...") or holds no word that is
not known here; otherwise it may be of something else ("the chi-square tests have a recall of 0.9") and is not read.
What is only mentioned is left out, as if it had not been said; what may be of something else, and stands behind the
answer, puts the answer in doubt.
"""

from __future__ import annotations

from collections.abc import Sequence

from trueness.patterns import late
from trueness.reading.labels import labels_in
from trueness.reading.ranges import PROBLEM, Claim
from trueness.reading.words import DATASETS, LEARNERS, REACH, Sentences, are_neutral, heading_of, words_of

OWN, MENTIONED, DOUBTFUL = "own", "mentioned", "doubtful"
_HYPOTHETICAL = frozenset("sanity if suppose supposing unless otherwise hypothetically wenn falls".split())
_AS_IT_IS = late(
    r"\ball things considered\b|\bif (?:i (?:had|have|were|must)|forced|pressed|you (?:need|want|insist))\b"
)
_REPORTED = frozenset(
    "literature reported reports published authors paper papers study studies claim claims claimed elsewhere "
    "historically benchmark benchmarks baseline baselines random guessing chance typical typically usually normally "
    "across others other previous previously was were achieved obtained observed "
    "literatur literatura littérature letteratura".split()
)
_WISHED = frozenset(
    "desired goal ideal ideally oracle aim want require requires required need needs needed considered".split()
)
_OTHERS = frozenset("expert experts practitioners researchers people colleague colleagues reviewers".split())
_SAID_ONCE = late(
    r"\b(?:i|you|we|they|he|she) (?:had |have |once |first |initially )?(?:said|thought|suggested|wrote)\b"
)
_SAID = frozenset("said thought suggested wrote".split())
_PARTIAL = frozenset("skeleton adjacency undirected among amongst".split())  # of a part of the edges
_SKELETAL = frozenset("skeleton skeletons adjacency adjacencies undirected skeletal".split())
_LIMITED = frozenset("only alone just level".split())
_OF_SKELETON = (
    _SKELETAL
    | _LIMITED
    | frozenset(  # of a heading that says what its numbers are of
        "results result for the estimates estimate metrics metric scores values measures ranges performance numbers of "
        "graph edges my forecast forecasts predictions in on as a terms".split()
    )
)
_SPREAD = frozenset("deviation variance wide width std sd".split())
_DEFINED = frozenset("means meaning denotes corresponds implies".split())
_ENDS = frozenset("bound bounds maximum minimum max min limit ceiling confidence".split())  # of one number: not a point
_KIND = late(  # a parenthesis behind the value that makes it another's, or another measure
    r" {0,2}\((?:in the )?(?:literature|published|reported|baseline|random|macro|micro|weighted|skeleton|adjacency"
    r"|undirected|normali[sz]ed)\b[^)\d]*\)"
)
_COMPARED = late(  # recall will be 0.1 to 0.2 lower
    r" {1,2}(?:points? )?(?:lower|higher|less|more|better|worse|wider?|smaller|larger|greater|fewer|narrower|apart)\b"
)
_RUNS_ON = late(r"[ ,)\]]{1,3}(?:is|are|was|were|would|has|have|seems?|looks?|holds?|applies|applied)\b")
_COSTS = frozenset("costs cost adds loses lowers raises reduces takes".split())
_SURE_OF = frozenset(  # what a single number in running text needs beside it to be a forecast
    "expect expected predict predicted forecast guess likely should will would about around approximately roughly near "
    "estimated anticipate say fails".split()
)
_FIRST_SIGHT = late(
    r"\b(?:at first|first (?:sight|glance|look)|naively|one (?:might|could|would) (?:think|say)"
    r"|no (?:reason|evidence|way|basis|grounds|sign))\b"
)
_AT_FIRST = frozenset("first naively one no".split())  # one of them stands in whatever _FIRST_SIGHT finds
_CONDITION = frozenset(
    "case cases scenario when denser sparser larger smaller bigger fewer more less small large".split()
)
_DENIED = frozenset("not never t unlikely hardly neither nor cannot disagree doubt nicht kein keine pas нет не".split())
_REJECTED = late(
    r"\W*(?:which|that|but|this|it|and|is|are|would|seems?)\b[^,.;]{0,30}"
    r"\b(?:optimistic|pessimistic|unrealistic|implausible|wrong|incorrect|unlikely|improbable|surprise"
    r"|too (?:high|low))\b"
)
_OWN = frozenset(
    "i my we our expect expected estimate estimated estimates forecast predict predicted prediction predictions "
    "anticipate anticipated likely probably should will so therefore here conclusion final answer "
    "actually reflection correction corrected revised updated adjusted scratch wait edit rather consensus summary "
    "plausible realistic implies "
    "ich erwarte erwartet schätze geschätzt geschätzte voraussichtlich dürfte sollte meine "
    "je j mes ma estime prévois attends devrait estimée estimé "
    "espero estimo debería mi mis estimada estimado minha minhas deve stimo prevedo mie stimata stimato "
    "ожидаю ожидается оцениваю мои я ik verwacht schat spodziewam przewiduję".split()
)
_OWN_WORD = _OWN - frozenset("my our we mes ma mi mis minha minhas mie meine мои".split())  # our last study had ...
_OWN_CJK = late("我|预计|估计|预期|大约|约|预测|予想|推定|見込|思い|考え|예상|추정")
_REPORTED_CJK = late("文献|报道|论文|研究|基准|如果|假设|假如|報告|もし|仮に|문헌|논문|만약")
_REPORTED_ABROAD = late(f"{_REPORTED_CJK.pattern}|littérature")
_NEVER_ABOVE = _HYPOTHETICAL | _WISHED
_NEVER_BESIDE = _NEVER_ABOVE | _OTHERS | _SPREAD | _PARTIAL
_ABOVE = _HYPOTHETICAL | _REPORTED | _WISHED  # words of a heading that make what stands below it no forecast
_FIRST_PERSON = frozenset(("i", "my", "we", "our"))
_GOES_ON = late(  # precision is 0.7-0.8; at alpha = 0.05 it is 0.6-0.7
    r"[^\n]{0,70}?\bit (?:[a-z]+ ){0,3}?(?:is|be|becomes|to)\b[^.\n]{0,15}\d"
)
_FORECAST_OF = late(rf"\b({'|'.join(sorted(LEARNERS))})\b (?:should|will|is (?:likely|expected)|to)\b")
_GOING_ON = frozenset(" (),]")
_MAY_GO_ON = frozenset(  # one of them stands in whatever _KIND, _COMPARED and _RUNS_ON find
    "literature published reported baseline random macro micro weighted skeleton adjacency undirected normalized "
    "normalised lower higher less more better worse wide wider smaller larger greater fewer narrower apart is are was "
    "were would has have seem seems look looks hold holds applies applied".split()
)
_SCALES = frozenset("ranges can lies varies goes runs".split())
_ALL_PAIRS = frozenset(d * (d - 1) // 2 for d in range(5, 101)) | frozenset(d * (d - 1) for d in range(5, 101))
_TELLING = _ABOVE | _NEVER_BESIDE | _COSTS | _DENIED | _DEFINED | _SCALES  # words for which a sentence is looked at
_TELLING |= frozenset(
    "it et first naively one no said thought suggested wrote lower higher less more better worse wide wider smaller "
    "larger greater fewer narrower apart optimistic pessimistic unrealistic implausible wrong incorrect unlikely "
    "improbable surprise too".split()
)
_NEAR = 7  # words before a value in which a denial belongs to it
_FOLLOWING = 4  # words behind a value that may give it another subject: 0.8-0.9 for strong edges
_BRACKETS = late(r"\([^()]*\)|\[[^\[\]]*\]")
_REASON = late(r" {0,2}(?:[,;:(\[\])-]|because|since|as |given|due|and\b|und\b|et\b|y\b)")


def own_claims(claims: list[Claim], sentences: Sentences) -> list[Claim]:
    """The claims that are the reply's own."""
    if not claims:
        return claims
    reply = _Reply(sentences)
    if not _SKELETAL.isdisjoint(sentences.words):
        claims = _without_skeleton(claims, reply.view)
    if _stand_alone(claims, reply):
        return claims
    claims = _without_lone_points(claims, sentences)
    kept: list[Claim] = []
    doubtful: list[Claim] = []
    for claim in claims:
        stance = OWN if claim.parser == "json" else _stance(claim, reply)
        if stance == OWN:
            kept.append(claim)
        elif stance == DOUBTFUL:
            doubtful.append(claim)
    return kept + _in_doubt(kept, doubtful) if doubtful else kept


class _Reply:
    """What all claims of a reply share: most replies hold no telling word, and their claims need no careful look."""

    def __init__(self, sentences: Sentences):
        self.sentences, self.view = sentences, (view := sentences.view)
        self.runs_on = not _MAY_GO_ON.isdisjoint(sentences.words)  # words that give a value behind them another sense
        places = [view.find(word) for word in _ABOVE & sentences.words]
        if sentences.foreign and (abroad := _REPORTED_ABROAD.search(view)) is not None:
            places.append(abroad.start())
        self.reports = min(places) if places else len(view)  # before this place nothing is a report
        self._topics: tuple[bool, list[tuple[frozenset[str], str]]] | None = None

    @property
    def topics(self) -> tuple[bool, list[tuple[frozenset[str], str]]]:
        """Whether a word tells of something else, and the one subject of several algorithms or data sets."""
        if self._topics is None:
            words = self.sentences.words
            tells = self.sentences.foreign or "?" in self.view or not _TELLING.isdisjoint(words)
            several = [names for names in (LEARNERS, DATASETS) if len(names & words) > 1]
            self._topics = tells, [(names, _subject(self.sentences, names)) for names in several]
        return self._topics


def _without_skeleton(claims: list[Claim], view: str) -> list[Claim]:
    """Without what stands below 'Skeleton-level estimates'.

    Where 'for the skeleton' and 'for the directed graph' are told apart, neither is the measure as such, and both stay.
    """
    headings = [words_of(heading_of(view, claim.start)) for claim in claims]
    skeletal = [not _SKELETAL.isdisjoint(words) and _OF_SKELETON.issuperset(words) for words in headings]
    if not any(skeletal):
        return claims
    apart = {claim.measure for claim, of_it in zip(claims, skeletal, strict=True) if not of_it}
    return [
        claim
        for claim, words, of_it in zip(claims, headings, skeletal, strict=True)
        if not of_it or (claim.measure in apart and _LIMITED.isdisjoint(words))
    ]


def _stand_alone(claims: list[Claim], reply: _Reply) -> bool:
    """Nearly all answers: JSON, or labels with their ranges and nothing telling before or behind them."""
    view, runs_on, reports = reply.view, reply.runs_on, reply.reports
    for _, _, _, _, start, end, parser, strong, _, flags, _ in claims:
        if parser != "json" and (
            not strong or flags or start > reports or (runs_on and view[end : end + 1] in _GOING_ON)
        ):
            return False
    return True


def _in_doubt(kept: Sequence[Claim], doubtful: Sequence[Claim]) -> list[Claim]:
    """Problems where the last word on a measure is a doubtful one that says something else."""
    last = {claim.measure: claim for claim in kept}
    problems = []
    for claim in doubtful:
        latest = last.get(claim.measure)
        if latest is None or (claim.start > latest.start and (claim.low, claim.high) != (latest.low, latest.high)):
            problems.append(claim._replace(kind=PROBLEM, problem="subject", strong=True))
    return problems


def _without_lone_points(claims: list[Claim], sentences: Sentences) -> list[Claim]:
    """One number in running text ('with a precision of 0.05') counts only where its sentence forecasts something."""
    measures = {claim.measure for claim in claims if not claim.strong and "point" in claim.flags}
    if len(measures) != 1:
        return claims
    return [claim for claim in claims if claim.strong or "point" not in claim.flags or _is_forecast(sentences, claim)]


def _is_forecast(sentences: Sentences, point: Claim) -> bool:
    view = sentences.view
    if view[max(0, point.start - 4) : point.start].endswith((" is ", " be ", "~", "~ ")):
        return True
    return not _SURE_OF.isdisjoint(words_of(sentences.before(point.start) + sentences.behind(point.end)))


def _is_an_end(claim: Claim, sentences: Sentences) -> bool:
    """Upper bound on precision: 0.9."""
    if "point" not in claim.flags or claim.parser != "label" or _ENDS.isdisjoint(sentences.words):
        return False
    line = sentences.view[max(0, claim.start - REACH) : claim.start].rpartition("\n")[2]
    return not _ENDS.isdisjoint(words_of(line))


def _stance(claim: Claim, reply: _Reply) -> str:
    view, sentences = reply.view, reply.sentences
    if claim.strong:
        runs_on = reply.runs_on and view[claim.end : claim.end + 1] in _GOING_ON
        if runs_on and (_KIND.match(view, claim.end) or _COMPARED.match(view, claim.end)):
            return MENTIONED  # precision: 0.75 (literature); recall: 0.1 lower
        if (claim.start > reply.reports and _is_reported(claim, sentences)) or _is_an_end(claim, sentences):
            return MENTIONED
        if not runs_on or not _RUNS_ON.match(view, claim.end):
            return OWN
    tells, subjects = reply.topics
    if sentences.neutral and not tells and not subjects:
        return OWN
    before, after = sentences.before(claim.start), sentences.behind(claim.end)
    words, following = _words(before), _words(after)
    if tells and _is_only_mentioned(claim, sentences, before, after, words, following):
        return MENTIONED
    if not all(_is_about(names, subject, words, following) for names, subject in subjects):
        return MENTIONED
    if not _OWN.isdisjoint(words) or not _OWN.isdisjoint(following) or "based on" in before:
        return OWN
    if not before.isascii() and _OWN_CJK.search(before + after):
        return OWN
    return OWN if _says_nothing_else(before, words, after, following) else DOUBTFUL


def _is_reported(claim: Claim, sentences: Sentences) -> bool:
    """Below 'Results of the literature:', or in such a sentence."""
    lead = f"{heading_of(sentences.view, claim.start)} {sentences.before(claim.start)}"
    return _is_mentioned(_words(lead), lead, _NEVER_ABOVE)


def _says_nothing_else(before: str, words: list[str], after: str, following: list[str]) -> bool:
    """Whether the sentence holds no word, outside brackets, that may give the value another subject."""
    if "[" in before or "(" in before:
        before = _BRACKETS.sub(" ", before)
        words = _words(before)
    head, colon, rest = before.partition(":")
    if colon and not labels_in(head):  # for a single run: precision 0.55-0.70
        if not _CONDITION.isdisjoint(_words(head)):
            return False
        words = _words(rest)
    return are_neutral(words) and (_REASON.match(after) is not None or are_neutral(following[:_FOLLOWING]))


def _is_only_mentioned(
    claim: Claim, sentences: Sentences, before: str, after: str, words: list[str], following: list[str]
) -> bool:
    """Asked, compared, rejected, denied, taken back, reported, or what the measure can be."""
    if _is_mentioned(words + following, before + after, _NEVER_BESIDE) or not _DEFINED.isdisjoint(following):
        return True
    if claim.parser == "label behind" and not _COSTS.isdisjoint(words):
        return True
    if sentences.asks(claim.end) or _COMPARED.match(after) or _REJECTED.match(after):
        return True
    more = _GOES_ON.match(sentences.view, claim.end)
    if more is not None and not labels_in(more.group()):
        return True
    if _is_denied(_before_the_name(before, words, claim)[-_NEAR:]):
        return True
    if "et al" in before and _FIRST_PERSON.isdisjoint(words):
        return True
    if not _AT_FIRST.isdisjoint(words + following) and (_FIRST_SIGHT.search(before) or _FIRST_SIGHT.search(after)):
        return True
    if not _SAID.isdisjoint(words) and _SAID_ONCE.search(before):
        return True
    return claim.measure == "shd" and _is_scale(claim, words)


def _words(text: str) -> list[str]:
    """The words of a text; 'if I had to guess' is no condition."""
    if "if " in text or "considered" in text:
        text = _AS_IT_IS.sub(" ", text)
    return words_of(text)


def _is_mentioned(words: Sequence[str], text: str, never_own: frozenset[str]) -> bool:
    if not never_own.isdisjoint(words):
        return True
    if not _REPORTED.isdisjoint(words) and _OWN_WORD.isdisjoint(words):
        return True
    return not text.isascii() and _REPORTED_CJK.search(text) is not None


def _is_scale(claim: Claim, before: Sequence[str]) -> bool:
    """SHD ranges from 0 to 28: all pairs of 8 nodes, what the measure can be."""
    if claim.low != 0 or claim.high not in _ALL_PAIRS:
        return False
    return not _SCALES.isdisjoint(before) and _OWN.isdisjoint(before)


def _is_denied(words: Sequence[str]) -> bool:
    """Not this; in 'not that, but this' the denial ends at the 'but'."""
    for word in reversed(words):
        if word in _DENIED:
            return True
        if word == "but":
            return False
    return False


def _before_the_name(before: str, words: list[str], claim: Claim) -> list[str]:
    """'Precision will not exceed 0.8' is a bound: there a denial counts only before the name."""
    if "one_sided" not in claim.flags:
        return words
    labels = labels_in(before)
    return words_of(before[: labels[-1].start]) if labels else []


def _is_about(names: frozenset[str], subject: str, before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether a sentence that names an algorithm (or a data set) names the one that is forecast."""
    named = [word for word in before if word in names] or [word for word in after if word in names]
    return not named or named[-1] == subject


def _subject(sentences: Sentences, names: frozenset[str]) -> str:
    """The one algorithm or data set of which the reply says what it will do, or that 'I expect' it; if there is one."""
    subjects = {name for name in _FORECAST_OF.findall(sentences.view) if name in names}
    for sentence in sentences:
        words = set(_words(sentence))
        if words & _FIRST_PERSON and words.isdisjoint(_HYPOTHETICAL):
            subjects |= words & names
    return subjects.pop() if len(subjects) == 1 else ""
