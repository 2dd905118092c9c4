"""Findings in sentences: estimate, interval, n, test, adjustment; and what would be said if the record were read
otherwise. A p-value never stands alone, and a claim never reaches further than what was sampled.
"""

from __future__ import annotations

from trueness.analyse.analysis import Analysis, DomainAnalysis
from trueness.analyse.contrasts import Contrast
from trueness.analyse.domain import Domain
from trueness.analyse.lines import Line, interval_text, p_cell
from trueness.analyse.rules import FLAGGED
from trueness.errors import listed
from trueness.intervals import short
from trueness.statistics.comparison import Comparison

_ADJUSTED = {"bh": "BH", "holm": "Holm"}


def understood(part: DomainAnalysis, roles_of_columns: bool = True) -> list[str]:
    """What the table was taken for: rows, columns, the formula, the kinds of the rules, what was left out."""
    domain, schema = part.domain, part.domain.schema
    shape = [f"{domain.runs[role].nunique()} {role}s" for role in ("model", "task", "repeat") if schema.roles[role]]
    lines = [
        f"{len(domain.runs):,} runs: {len(domain.conditions)} conditions x {' x '.join(shape) or 'no other column'}"
    ]
    outcome = f"{domain.outcome} = {domain.formula}" if domain.percent else f"{domain.outcome} as it is"
    kinds = {kind: sum(k == kind for k in domain.kinds.values()) for kind in dict.fromkeys(domain.kinds.values())}
    rules = ", ".join(f"{count} as {kind}" for kind, count in kinds.items())
    lines.append(outcome + (f"; {len(domain.kinds)} rules ({rules})" if rules else ""))
    if roles_of_columns:
        lines.append("columns " + ", ".join(f"{role} = {column}" for role, column in schema.roles.items() if column))
    unscored = int(domain.unscored.sum())
    if unscored:
        lines.append(
            f"{unscored} run{'s' if unscored != 1 else ''} with nothing to score: counted as {_counted_as(domain)}"
        )
    if part.n_excluded:
        lines.append(f"{part.n_excluded} runs excluded")
    return [*lines, *domain.notes]


def findings(analysis: Analysis) -> list[str]:
    """Every contrast, then what depends on a choice, then rules and red flags."""
    told = []
    for part in analysis.domains:
        told += [contrast_sentence(found, part.domain) for found in part.contrasts]
        told += [otherwise_sentence(line, part) for line in part.otherwise]
        told += rule_sentences(part)
        told += [f"{part.name}: red flag, {flag.name}: {flag.evidence}." for flag in part.flags if flag.raised]
    return told


def contrast_sentence(found: Contrast, domain: Domain) -> str:
    treatment, reference = found.pair.names
    subject = f"{found.domain}, {found.pair.question}"
    if found.means[0] is None or found.means[1] is None:
        return f"{subject}: {treatment} and {reference} cannot be compared. {' '.join(found.notes)}"
    unit = " %" if domain.percent else ""
    means = [short_value(mean * domain.scale) for mean in found.means if mean is not None]
    claim = f"{treatment} {means[1]}{unit} against {reference} {means[0]}{unit} ({domain.outcome})"
    parts = [f"{subject}: {claim}"]
    if found.result is not None and found.result.difference is not None:
        parts[0] += f": {_verdict(found.result, domain)}"
    parts.append(_usual(found))
    parts += [_beyond(found, domain)] if found.primary == "paired" and found.clustered is not found.paired else []
    parts.append(_spread(found))
    return ". ".join(part for part in parts if part) + "." + "".join(f" {note}" for note in found.notes)


def short_sentence(found: Contrast, domain: Domain) -> str:
    """The verdict in one line; the grounds are in contrast_sentence."""
    treatment, reference = found.pair.names
    result = found.result
    if result is None or result.difference is None:
        return f"{found.domain}: {treatment} and {reference} cannot be compared. {' '.join(found.notes)}".strip()
    points = " points" if domain.percent else ""
    word = "better" if result.difference >= 0 else "worse"
    digits = 1 if domain.percent else 3
    size = f"{short_value(abs(result.difference), digits)}{points} {_ends(result, digits)}"
    if result.distinguishable:
        told = f"{found.domain}: {treatment} is {word} than {reference} by {size}, {_adjusted_p(result)}"
    else:
        told = (
            f"{found.domain}: {treatment} and {reference} are not told apart ({word} by {size}, {_adjusted_p(result)})"
        )
    wide = found.clustered
    if found.primary == "paired" and wide is not None and wide is not found.paired and wide.p is not None:
        told += f"; beyond these {wide.n_clusters} {domain.cluster}s p = {wide.p:.2g}"
        told += " at best" if wide.smallest_p and wide.p <= wide.smallest_p * (1 + 1e-9) else ""
    return f"{told}.{''.join(f' {note}' for note in found.notes)}"


def otherwise_sentence(line: Line, part: DomainAnalysis) -> str:
    """The headline of the domain under another reading, beside its own."""
    unit = " %" if line.percent else ""
    means = ", ".join(f"{name} {short_value(value)}{unit}" for name, value in line.means.items() if value is not None)
    moved = "another verdict" if changes_verdict(line, part) else "the same verdict"
    found = line.contrast.result
    paired = f", paired {interval_text(found.difference, found.interval)} p = {p_cell(found.p)}" if found else ""
    return (
        f"{part.name}, {line.reading}: {means}; delta {short_value(line.contrast.delta.value, 3)}, "
        f"p = {p_cell(line.contrast.p)}{paired}: {moved}."
    )


def changes_verdict(line: Line, part: DomainAnalysis) -> bool:
    """Whether a reader of this line would conclude something else than a reader of the domain's own."""
    own = next(mine for mine in part.lines if mine.contrast.pair == line.contrast.pair)
    return _told_apart(own) != _told_apart(line)


def rule_sentences(part: DomainAnalysis) -> list[str]:
    told = []
    for found in part.contrasts:
        flagged = [rule for rule in part.rules if rule.flagged(found.pair)]
        if not flagged:
            continue
        flagged.sort(key=lambda rule: -abs(rule.deltas[found.pair] or 0.0))
        named = [f"{rule.rule} {rule.deltas[found.pair]:+.1f}{_q(rule.paired.get(found.pair))}" for rule in flagged]
        told.append(
            f"{part.name}, {found.pair.question}: {len(flagged)} of {len(part.rules)} rules differ by more than "
            f"{FLAGGED:g} points of pass rate with {found.pair.names[0]}: {listed(named, most=5)}."
        )
    absent = {rule.rule: sum(rule.absent.values()) for rule in part.rules if sum(rule.absent.values())}
    if absent and part.domain.percent:
        worst = sorted(absent, key=lambda rule: -absent[rule])
        told.append(
            f"{part.name}: {sum(absent.values())} verdicts are absent and in no denominator, most for "
            f"{listed((f'{rule} ({absent[rule]})' for rule in worst), most=3)}."
        )
    return told


def short_value(value: float | None, digits: int = 1) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def exact_p(p: float | None) -> str:
    return "p missing" if p is None else f"p = {p:.2g}"


def _verdict(found: Comparison, domain: Domain) -> str:
    points = " points" if domain.percent else ""
    size = abs(found.difference or 0.0)
    better = (found.difference or 0.0) >= 0
    interval = ""
    if found.interval is not None:
        ends = sorted(
            (found.interval.low, found.interval.high) if better else (-found.interval.low, -found.interval.high)
        )
        interval = f" [{short(ends[0])}, {short(ends[1])}]"
    if found.p is not None and found.distinguishable:
        claim = f"{'better' if better else 'worse'} by {short(size)}{points}{interval}"
    else:
        claim = f"not told apart, {'better' if better else 'worse'} by {short(size)}{points}{interval}"
    return f"{claim} ({_grounds(found, domain)})"


def _grounds(found: Comparison, domain: Domain) -> str:
    level = f"{100 * found.level:g} % CI" if found.interval is not None else "no interval"
    if found.design == "paired":
        what = f"{domain.unit} cells" if " x " in domain.unit else f"{domain.unit}s"
        inside = f" in {found.n_clusters} {found.clusters}" if found.n_clusters < found.n_units else ""
        over = f"paired over {found.n_units} {what}{inside}"
    else:
        over = f"{found.n_each[0]} against {found.n_each[1]} runs, unpaired"
    if found.p is None:
        return f"{level}; {over}; no test"
    sided = "" if found.alternative == "two-sided" else "one-sided "
    exact = "exact " if found.exact else ""
    test = f"{sided}{exact}{found.test} {exact_p(found.p)}"
    if found.p_adjusted is not None and found.adjustment:
        test += f", {_ADJUSTED[found.adjustment]} over {found.n_comparisons} comparisons {found.p_adjusted:.2g}"
    return f"{level}; {over}; {test}"


def _usual(found: Contrast) -> str:
    """The published form, and what it takes for granted."""
    if found.p is None or found.delta.value is None:
        return ""
    interval = found.delta.interval
    ends = f" [{interval.low:.2f}, {interval.high:.2f}]" if interval else ""
    ratio = f"ratio of means {short(found.ratio)}, " if found.ratio is not None else ""
    return (
        f"Over runs: {ratio}Cliff's delta {found.delta.value:.3f}{ends} {found.delta.magnitude}, "
        f"Mann-Whitney U = {found.statistic:g}, {found.sided} {exact_p(found.p)}, n = {found.n[0]} + {found.n[1]} "
        "(takes repeats for independent)"
    )


def _beyond(found: Contrast, domain: Domain) -> str:
    """What can be said beyond the tasks that were run."""
    wide = found.clustered
    if wide is None or wide.p is None:
        return ""
    least = f"; {exact_p(wide.smallest_p)} is the least that {wide.n_clusters} allow" if wide.smallest_p else ""
    return f"For {domain.cluster}s beyond these {wide.n_clusters}: {exact_p(wide.p)}{least}"


def _spread(found: Contrast) -> str:
    spread = found.spread
    if spread.p is None:
        return ""
    ratio = f"variance ratio {short(spread.ratio)}, " if spread.ratio is not None else ""
    return f"Spread: {ratio}Levene {exact_p(spread.p)} (bounded scores: the spread follows the mean)"


def _ends(result: Comparison, digits: int) -> str:
    if result.interval is None:
        return "with no interval"
    low, high = result.interval.low, result.interval.high
    if (result.difference or 0.0) < 0:
        low, high = -high, -low
    return f"[{low:.{digits}f}, {high:.{digits}f}]"


def _adjusted_p(result: Comparison) -> str:
    if result.p is None:
        return "no test"
    if result.p_adjusted is None:
        return exact_p(result.p)
    name = "q" if result.adjustment == "bh" else "Holm p"
    inside = f" in {result.n_clusters} {result.clusters}" if result.n_clusters < result.n_units else ""
    return f"{result.test} {name} = {result.p_adjusted:.2g}, {result.n_units} {result.units}{inside}"


def _told_apart(line: Line) -> tuple[bool, bool]:
    """By the p before adjustment: the readings have no family of their own."""
    found = line.contrast.result
    apart = found is not None and found.p is not None and found.p <= 1 - found.level
    return apart, bool(apart and found and (found.difference or 0.0) > 0)


def _counted_as(domain: Domain) -> str:
    return "failed" if not any(name == "unscored runs failed" for name in domain.readings) else "missing"


def _q(found: Comparison | None) -> str:
    return "" if found is None or found.p_adjusted is None else f" (q = {found.p_adjusted:.2g})"
