"""Findings in sentences: estimate, interval, n, test, adjustment, for whom it holds; and what would be said if the
record were read otherwise. A p-value never stands alone, and a claim never reaches further than what was sampled.
"""

from __future__ import annotations

from dataclasses import replace

from trueness.analyse.breakdown import FLAGGED, FamilyPair
from trueness.analyse.conditions import ConditionSummary
from trueness.analyse.contrasts import Contrast, is_too_few
from trueness.analyse.domain import GROUP, Domain
from trueness.analyse.flags import missing_words
from trueness.analyse.scores_analysis import DomainAnalysis, Line, ScoresAnalysis
from trueness.errors import listed
from trueness.intervals import Interval, fixed, short, value_text
from trueness.statistics.comparison import ADJUSTED, Comparison
from trueness.texts import counted


def understood(part: DomainAnalysis, roles_of_columns: bool = True) -> list[str]:
    """What the table was taken for: columns, rows, the formula, the kinds of the rules, what was left out."""
    domain, schema = part.domain, part.domain.schema
    shape = [counted(domain.runs[role].nunique(), role) for role in ("model", "task", "repeat") if schema.roles[role]]
    lines = [f"columns {schema.words}"] if roles_of_columns else []
    lines.append(
        f"{counted(len(domain.runs), 'run')}: {counted(len(domain.conditions), 'condition')} x "
        f"{' x '.join(shape) or 'no other column'}"
    )
    better = "lower is better" if domain.lower_is_better else "higher is better"
    better += " (assumed)" if domain.assumed else ""
    formula = "" if domain.formula == domain.outcome else f" = {domain.formula}"
    kinds = {kind: sum(k == kind for k in domain.kinds.values()) for kind in dict.fromkeys(domain.kinds.values())}
    rules = ", ".join(f"{count} as {kind}" for kind, count in kinds.items())
    lines.append(f"{domain.outcome}{formula}, {better}" + (f"; {len(domain.kinds)} rules ({rules})" if rules else ""))
    unscored = int(domain.unscored.sum())
    if unscored:
        lines.append(
            f"{counted(unscored, 'run')} with nothing to score: counted as "
            f"{_counted_as(domain, 'unscored')} (--unscored)"
        )
    if domain.blank.any():
        lines.append(f"{missing_words(domain)}: {_counted_as(domain, 'blank')} (--unscored)")
    if domain.factors:
        lines.append(f"averaged over: {listed((f'{f.name} ({f.levels})' for f in domain.factors), most=6)} (--unit)")
    if domain.groupings:
        many = [f"{c} ({domain.runs[f'{GROUP}{c}'].nunique()} groups)" for c in domain.groupings]
        lines.append(f"possible clusters, since each {domain.cluster} lies in one group: {listed(many)} (--cluster)")
    if part.n_excluded:
        lines.append(f"{counted(part.n_excluded, 'run')} excluded")
    return [*lines, *domain.lost, *domain.notes]


def findings(analysis: ScoresAnalysis) -> list[str]:
    """Means, every contrast, then what depends on a choice, what is missing, rules, families and red flags."""
    sentences = []
    for part in analysis.domains:
        sentences += [mean_sentence(summary, part.domain) for summary in part.summaries]
        sentences += [contrast_sentence(one, part.domain) for one in part.contrasts]
        sentences += [otherwise_sentence(line, part) for line in part.otherwise]
        sentences += missing_sentences(part)
        sentences += rule_sentences(part)
        sentences += [family_sentence(pair, part.domain) for pair in part.families]
        sentences += [f"{part.name}: red flag, {flag.name}: {flag.evidence}." for flag in part.flags if flag.raised]
    return sentences


def mean_sentence(summary: ConditionSummary, domain: Domain) -> str:
    if summary.mean is None:
        return f"{summary.domain}, {summary.condition}: no run has a value."
    clusters = counted(summary.n_clusters, domain.cluster if domain.unit else "run")
    level = f"{100 * summary.ci.level:g} % CI over {clusters}" if summary.ci else "no interval"
    runs = f"; over runs {_ends(summary.ci_runs, domain.digits)}" if summary.ci_runs else ""
    missing = f", {summary.n_missing} missing" if summary.n_missing else ""
    every = summary.pass_all
    repeats = (
        f" All {summary.k} of {summary.k} repeats pass (pass^{summary.k}): "
        f"{interval_text(100 * every.value, every.interval and every.interval.scaled(100))} %."
        if every is not None and every.value is not None
        else " No pass^k: not every cell has two runs that were scored."
        if summary.k == 1
        else ""
    )
    value = interval_text(summary.mean, summary.ci, domain.digits)
    return (
        f"{summary.domain}, {summary.condition}: {domain.outcome} {value}{domain.per_cent}"
        f" ({level}{runs}; n = {summary.n} runs{missing}).{repeats}"
    )


def contrast_sentence(one: Contrast, domain: Domain) -> str:
    """All of it."""
    treatment, reference = one.pair.names
    subject = f"{one.domain}, {one.pair.question}" if domain.schema.outcome.of_protocol else one.domain
    if one.means[0] is None or one.means[1] is None:
        return f"{subject}: {treatment} and {reference} cannot be compared. {' '.join(one.notes)}"
    means = [number_cell(mean * domain.scale) for mean in one.means if mean is not None]
    claim = (
        f"{treatment} {means[1]}{domain.per_cent} against {reference} {means[0]}{domain.per_cent} ({domain.outcome})"
    )
    parts = [f"{subject}: {claim}"]
    if one.result is not None and one.result.difference is not None:
        parts[0] += f": {_verdict(one, domain)}"
    parts += [_beyond(one).replace("over", "Over", 1), _usual(one), _spread(one)]
    return ". ".join(part for part in parts if part) + "." + "".join(f" {note}" for note in (*_reach(one), *one.notes))


def short_sentence(one: Contrast, domain: Domain) -> str:
    """The verdict in one line; the grounds are in contrast_sentence."""
    treatment, reference = one.pair.names
    result = one.result
    if result is None or result.difference is None:
        return f"{one.domain}: {treatment} and {reference} cannot be compared. {' '.join(one.notes)}".strip()
    word = _way(result.difference)
    ends = f"{_ends(_towards(result), domain.digits)}{_alone(result, domain.digits)}"
    by = f"by {number_cell(abs(result.difference), domain.digits)}{domain.points} "
    size = "equal means " if word == "equal" else f"{treatment} {word} {by}"
    over = _over_groups(one, domain)
    if result.distinguishable:
        verdict = f"{treatment} is {word} than {reference} {by}{ends}, {_adjusted_p(result)}"
    else:
        verdict = f"{treatment} and {reference} are not told apart ({size}{ends}, {_adjusted_p(result)})"
    parts = [f"{one.domain}: {verdict}{over}; for {one.scope}", _lost(one), _assumed(domain), _beyond(one)]
    notes = "".join(f" {note}" for note in (*_reach(one), *one.notes))
    return "; ".join(part for part in parts if part) + f".{notes}"


def otherwise_sentence(line: Line, part: DomainAnalysis) -> str:
    """The headline of the domain under another reading, beside its own."""
    unit = " %" if line.percent else ""
    means = ", ".join(f"{name} {number_cell(value)}{unit}" for name, value in line.means.items() if value is not None)
    moved = "another verdict" if changes_verdict(line, part) else "the same verdict"
    result = line.contrast.result
    paired = f", paired {interval_text(result.difference, result.interval)} {exact_p(result.p)}" if result else ""
    if result and line.adjusted and result.n_comparisons > 1:
        paired += f", {ADJUSTED[result.adjustment or 'holm']} {exact_p(result.p_adjusted)}"
    return (
        f"{part.name}, {line.reading}, {' and '.join(line.contrast.pair.names)}: {means}; "
        f"delta {number_cell(line.contrast.delta.value, 3)}, "
        f"{exact_p(line.contrast.p)}{paired}: {moved}."
    )


def changes_verdict(line: Line, part: DomainAnalysis) -> bool:
    """Whether a reader of this line would conclude something else than a reader of the domain's own."""
    ours = next((mine for mine in part.lines if mine.contrast.pair == line.contrast.pair), None)
    return ours is not None and _told_apart(ours, line.adjusted) != _told_apart(line, line.adjusted)


def missing_sentences(part: DomainAnalysis) -> list[str]:
    """What is not there, and what that leaves open."""
    lost = [f"{part.name}: {words}." for words in part.domain.lost]
    if part.domain.factors:
        names = [f"{factor.name} ({factor.levels} values)" for factor in part.domain.factors]
        lost.append(f"{part.name}: averaged over {listed(names, most=6)}; what differs between them is in no interval.")
    return lost + _blank_sentences(part)


def _blank_sentences(part: DomainAnalysis) -> list[str]:
    words = missing_words(part.domain)
    if not words:
        return []
    if _counted_as(part.domain, "blank") == "failed":
        return [f"{part.name}: {words}; they count as failed."]
    failed = [line for line in part.otherwise if line.reading == "blank runs failed"]
    if not failed:
        return [f"{part.name}: {words}; the comparison is of what was scored, and what the others would score is open."]
    each = [
        f"{line.contrast.pair.names[0]} against {line.contrast.pair.names[1]} "
        f"{interval_text(line.contrast.result.difference, line.contrast.result.interval)}{part.domain.points}"
        f"{' (another verdict)' if changes_verdict(line, part) else ''}"
        for line in failed
        if line.contrast.result is not None
    ]
    return [f"{part.name}: {words}; the comparison is of what was scored. If they failed: {listed(each, most=3)}."]


def rule_sentences(part: DomainAnalysis) -> list[str]:
    sentences = []
    for one in part.contrasts:
        flagged = [rule for rule in part.rules if rule.is_flagged(one.pair)]
        if not flagged:
            continue
        flagged.sort(key=lambda rule: -abs(rule.gains[one.pair] or 0.0))
        named = [f"{rule.name} {rule.gains[one.pair]:+.1f}{_q(rule.tests.get(one.pair))}" for rule in flagged]
        sentences.append(
            f"{part.name}, {one.pair.names[0]} against {one.pair.names[1]}: {len(flagged)} of {len(part.rules)} rules "
            f"differ by more than {FLAGGED:g} points of pass rate: {listed(named, most=5)}."
        )
    absent = {rule.name: sum(rule.absent.values()) for rule in part.rules if sum(rule.absent.values())}
    if absent and part.domain.percent:
        worst = sorted(absent, key=lambda rule: -absent[rule])
        sentences.append(
            f"{part.name}: {sum(absent.values())} verdicts are absent and in no denominator, most for "
            f"{listed((f'{rule} ({absent[rule]})' for rule in worst), most=3)}."
        )
    return sentences


def family_sentence(pair: FamilyPair, domain: Domain) -> str:
    one, other = pair.names
    ends = interval_text(pair.paired.difference, pair.paired.interval, domain.digits)
    return (
        f"{pair.domain}, families: {one} - {other} = {ends}{domain.points} (above 0 {one} is better; paired over "
        f"{pair.paired.n_units} condition x task cells in {pair.paired.n_clusters} tasks, "
        f"{exact_p(pair.paired.p_adjusted, 'q')}; over runs U = {pair.statistic:g}, two-sided {exact_p(pair.p)}, "
        f"delta {number_cell(pair.delta.value, 3)}). Exploratory."
    )


def exact_p(p: float | None, name: str = "p") -> str:
    return f"{name} missing" if p is None else f"{name} = {p:.2g}"


def _verdict(one: Contrast, domain: Domain) -> str:
    result = one.result
    assert result is not None
    interval = _towards(result)
    ends = "" if interval is None else f" [{short(interval.low)}, {short(interval.high)}]"
    apart = "" if result.p is not None and result.distinguishable else "not told apart, "
    way = _way(result.difference)
    size = ends if way == "equal" else f" by {short(abs(result.difference or 0.0))}{domain.points}{ends}"
    parts = (_grounds(result, domain), f"for {one.scope}", _lost(one), _assumed(domain))
    return f"{apart}{way}{size} ({'; '.join(filter(None, parts))}){_over_groups(one, domain)}"


def _way(difference: float | None) -> str:
    """Equal means differ by rounding of the last bits at most."""
    difference = difference or 0.0
    return "equal" if abs(difference) < 1e-12 else "better" if difference > 0 else "worse"


def _over_groups(one: Contrast, domain: Domain) -> str:
    """The verdict over the groups of tasks, beside that over the tasks."""
    words = []
    for column, result in one.grouped:
        groups = f"{result.n_clusters} {column} groups (--cluster {column})"
        if is_too_few(result):
            words.append(f"too few for a test over {groups}")
            continue
        apart = "told apart" if result.distinguishable else "not told apart"
        but = "but " if one.result and one.result.distinguishable and not result.distinguishable else ""
        ends = _ends(_towards(result), domain.digits)
        words.append(f"{but}{apart} over {groups}: {ends}, {_adjusted_p(replace(result, n_units=result.n_clusters))}")
    return "".join(f"; {word}" for word in words)


def _lost(one: Contrast) -> str:
    """How many runs of each side are in no mean: many on one side can turn the verdict."""
    if not any(one.missing):
        return ""
    sides = zip(reversed(one.pair.names), one.n, one.missing, strict=True)
    return "without a score " + " and ".join(f"{lost} of {n + lost} runs of {name}" for name, n, lost in sides)


def _assumed(domain: Domain) -> str:
    """Which way was taken as better where nothing says it."""
    if not domain.assumed:
        return ""
    if domain.lower_is_better:
        return f"lower {domain.outcome} is taken as better, as for the one who is attacked"
    return f"higher {domain.outcome} is taken as better, no name says it (--lower-is-better turns it)"


def _alone(result: Comparison, digits: int) -> str:
    """Where so few units bound nothing at the level of the verdict: the interval without the other comparisons."""
    if result.interval is not None or result.alone is None:
        return ""
    ends = _towards(replace(result, interval=result.alone))
    return f" after the adjustment, {100 * result.alone.level:g} % CI {_ends(ends, digits)} without it"


def _towards(result: Comparison) -> Interval | None:
    """The interval of the size: turned where the treatment is worse."""
    ends = result.interval
    return ends if ends is None or (result.difference or 0.0) >= 0 else ends.scaled(-1)


def _grounds(result: Comparison, domain: Domain) -> str:
    level = f"{100 * result.interval.level:.3g} % CI" if result.interval else None
    level = level or f"no interval{_alone(result, domain.digits)}"
    if result.design == "paired":
        what = f"{domain.unit} cells" if " x " in domain.unit else f"{domain.unit}s"
        over = f"paired over {result.n_units} {what}{_inside(result)}"
    else:
        over = f"{result.n_each[0]} against {result.n_each[1]} runs, unpaired"
    if result.p is None:
        return f"{level}; {over}; no test"
    sided = "" if result.alternative == "two-sided" else "one-sided "
    test = f"{sided}{'exact ' if result.exact else ''}{result.test} {exact_p(result.p)}"
    if result.p_adjusted is not None and result.adjustment:
        test += f", {ADJUSTED[result.adjustment]} over {result.n_comparisons} comparisons {result.p_adjusted:.2g}"
    return f"{level}; {over}; {test}"


def _usual(one: Contrast) -> str:
    """The published form, and what it takes for granted."""
    if one.p is None or one.delta.value is None:
        return ""
    interval = one.delta.interval
    ends = f" [{interval.low:.2f}, {interval.high:.2f}]" if interval else ""
    ratio = f"ratio of means {short(one.ratio)}, " if one.ratio is not None else ""
    return (
        f"Over runs: {ratio}Cliff's delta {one.delta.value:.3f}{ends} {one.delta.magnitude}, "
        f"Mann-Whitney U = {one.statistic:g}, {one.sided} {exact_p(one.p)}, n = {one.n[0]} + {one.n[1]} "
        "(takes repeats for independent)"
    )


def _beyond(one: Contrast) -> str:
    """What can be said beyond the models and tasks that were run."""
    wide = one.beyond
    if wide is None or wide.p is None:
        return ""
    p = exact_p(wide.p) if one.result is None or one.result.n_comparisons < 2 else f"q = {one.q_beyond:.2g}"
    return f"over models and tasks like them {p} {_ends(wide.interval, 1)}"


def _reach(one: Contrast) -> tuple[str, ...]:
    if one.least is None or one.result is None:
        return ()
    result = one.result
    units = f"{result.n_clusters} {result.clusters}" if result.n_clusters < result.n_units else (
        f"{result.n_units} {result.units}"
    )  # fmt: skip
    family = f" and {result.n_comparisons} comparisons" if result.n_comparisons > 1 else ""
    return (f"With {units}{family} no effect alone can go below {one.least:.2g}.",)


def _spread(one: Contrast) -> str:
    spread = one.spread
    if spread.p is None:
        return ""
    ratio = f"variance ratio {short(spread.ratio)}, " if spread.ratio is not None else ""
    return f"Spread: {ratio}Levene {exact_p(spread.p)} (bounded scores: the spread follows the mean)"


def _ends(interval: Interval | None, digits: int) -> str:
    if interval is None:
        return "with no interval"
    return f"[{number_cell(interval.low, digits)}, {number_cell(interval.high, digits)}]"


def _adjusted_p(result: Comparison) -> str:
    if result.p is None:
        return "no test"
    test = f"exact {result.test}" if result.test == "McNemar" else result.test
    if result.p_adjusted is None or result.n_comparisons < 2:
        name, p = "p", result.p
    else:
        name, p = ("q" if result.adjustment == "bh" else "Holm p"), result.p_adjusted
    return f"{test} {name} = {p:.2g}, {result.n_units} {result.units}{_inside(result)}"


def _inside(result: Comparison) -> str:
    return f" in {result.n_clusters} {result.clusters}" if result.n_clusters < result.n_units else ""


def _told_apart(line: Line, adjusted: bool) -> tuple[bool, bool]:
    """By the p before adjustment where the readings have no family of their own."""
    result = line.contrast.result
    p = None if result is None else result.p_final if adjusted else result.p
    apart = result is not None and p is not None and p <= 1 - result.level + 1e-12
    return apart, bool(apart and result and (result.difference or 0.0) > 0)


def _counted_as(domain: Domain, kind: str) -> str:
    return "missing" if f"{kind} runs failed" in domain.readings or not domain.percent else "failed"


def _q(result: Comparison | None) -> str:
    return "" if result is None or result.p_adjusted is None else f" (q = {result.p_adjusted:.2g})"


def number_cell(value: float | None, digits: int = 1) -> str:
    if value is None:
        return "-"
    small = digits > 1 and 1e-12 < abs(value) < 10**-digits  # of a cost of 0.0004 nothing is cut
    return f"{value:.2g}" if small else f"{value:z.{digits}f}"


def interval_text(value: float | None, interval: Interval | None, digits: int = 1) -> str:
    """`2.9 [-0.9, 6.7]`."""
    if value is None:
        return "-"
    return value_text(value, interval, fixed(digits))
