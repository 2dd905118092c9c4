"""One domain analysed, and what makes a difference in it mean something else than it seems to.

missing scores       one side has more runs without a score: Fisher's exact test, Holm over the pairs, p <= .05
averaged over        a further column has one value under each condition, or under some beyond chance (hypergeometric
                     over cells): the two cannot be told apart
correlated rules     two rules with Pearson r > .95 over the runs, and r above 0 beyond chance (t over cells, Holm)
ceiling              both sides above 95 % pass, which two sides that pass 90 % would show in at most .05 of tables
extraction           more than 5 % of runs could not be read, as the guide says, and whether that is beyond chance of
                     5 % (binomial, Holm); or more than 5 % of one model's, where it is beyond chance
direction            a model in which the difference points the other way beyond chance (paired over its tasks, Holm);
                     Simpson's paradox where pooled runs and paired cells are told apart in opposite directions
complexity           a rule that gets worse with the treatment beyond chance (paired, Benjamini-Hochberg over the rules)

Each is raised, clear, or could not be checked. Each but `extraction`, which is the guide's bound, is raised in at most
5 % of tables in which nothing is the matter (benchmarks/analyse_null.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from trueness.analyse.breakdown import ConditionSummary
from trueness.analyse.contrasts import Contrast
from trueness.analyse.domain import Domain
from trueness.analyse.measure_names import is_pass_share
from trueness.errors import listed
from trueness.statistics.multiplicity import adjust

CORRELATED, CEILING, BELOW_CEILING, EXTRACTION, CHANCE = 0.95, 95.0, 0.90, 0.05, 0.05
_SHOWN = 3  # cases named in the evidence; the rest is counted
Checked = tuple[Literal["raised", "clear", "not checked"], str]


@dataclass(frozen=True)
class Flag:
    """`evidence` says what was seen, also when nothing was."""

    domain: str
    name: str
    state: Literal["raised", "clear", "not checked"]
    evidence: str

    @property
    def raised(self) -> bool:
        return self.state == "raised"


@dataclass(frozen=True, eq=False)
class DomainAnalysis:
    """One domain. `contrasts`: the reported pairs; `otherwise`: the same under other readings of the record."""

    domain: Domain
    n_excluded: int
    summaries: Sequence[ConditionSummary]
    contrasts: Sequence[Contrast]
    otherwise: Sequence[Contrast]
    rules: Sequence[Contrast]
    models: Sequence[Contrast]
    families: Sequence[Contrast]

    @property
    def name(self) -> str:
        return self.domain.name

    def changes_verdict(self, other: Contrast) -> bool:
        """Whether a reader of this reading would conclude something else than a reader of the domain's own."""
        return any(mine.pair == other.pair and mine.verdict != other.verdict for mine in self.contrasts)

    @cached_property
    def flags(self) -> list[Flag]:
        checks = {
            "missing scores": _missing(self),
            "averaged over": _averaged_over(self.domain),
            "correlated rules": _correlated(self.domain),
            "ceiling": _ceiling(self),
            "extraction": _extraction(self.domain),
            "direction within models": _direction(self),
            "rules that get worse": _complexity(self),
        }
        return [Flag(self.name, name, *checked) for name, checked in checks.items()]


def missing_words(domain: Domain) -> str:
    """How many runs have no score, and where; empty where every run has one."""
    if not domain.blank.any():
        return ""
    counts = domain.runs.assign(blank=domain.blank).groupby("condition")["blank"].agg(["sum", "count"])
    where = [f"{n} of {of} in {name}" for name, n, of in counts[counts["sum"] > 0].itertuples()]
    return f"{domain.blank.sum()} of {len(domain.blank)} runs have no score ({listed(where, most=6)})"


def _missing(part: DomainAnalysis) -> Checked:
    domain, words = part.domain, missing_words(part.domain)
    if not words:
        return "clear", f"all {len(domain.runs)} runs have a score"
    from scipy.stats import fisher_exact

    blank = [
        [domain.blank[domain.under(side)] for side in (c.pair.reference, c.pair.treatment)] for c in part.contrasts
    ]
    tables = [[[int(side.sum()), int((~side).sum())] for side in sides] for sides in blank]
    least = min(adjust([float(fisher_exact(table).pvalue) for table in tables], "holm"), default=1.0)
    if least <= CHANCE:
        return "raised", f"{words}: more on one side than chance gives (Fisher p = {least:.2g}, Holm)"
    return "clear", f"{words}: not more on one side than chance gives"


def _averaged_over(domain: Domain) -> Checked:
    free = [f"{factor.name} ({factor.levels} values)" for factor in domain.factors if not factor.bound]
    also = f"; averaged over {listed(free, most=_SHOWN)}" if free else ""
    bound = [factor.bound for factor in domain.factors if factor.bound]
    if bound:
        return "raised", f"{_some(bound)}: which of them acts is open{also}"
    return "clear", f"no further column changes with {domain.schema.condition}{also}"


def _correlated(domain: Domain) -> Checked:
    rules = domain.rules[~domain.unscored]  # a run that failed at everything ties all rules together
    moving = rules.loc[:, rules.nunique() > 1]
    still = f"; {rules.shape[1] - moving.shape[1]} never change" if moving.shape[1] < rules.shape[1] else ""
    cells = len(np.unique(domain.units.codes[~domain.unscored])) if domain.unit else len(rules)
    if moving.shape[1] < 2 or cells < 4:
        few = f"{cells} cells are too few" if moving.shape[1] > 1 else "fewer than two rules change"
        return "not checked", f"{few}{still}"
    from scipy.special import stdtr

    places = np.triu_indices(moving.shape[1], 1)
    r = moving.corr(min_periods=3).to_numpy()[places]
    bounded = np.clip(r, -1 + 1e-12, 1 - 1e-12)
    chance = adjust(stdtr(cells - 2, -bounded * np.sqrt((cells - 2) / (1 - bounded**2))), "holm")
    pairs = [(moving.columns[i], moving.columns[j]) for i, j in zip(*places, strict=True)]
    seen = np.flatnonzero((r > CORRELATED) & (chance <= CHANCE))
    if not len(seen):
        return "clear", f"no two of {moving.shape[1]} rules have r > {CORRELATED} beyond chance{still}"
    shown = [f"{pairs[k][0]} and {pairs[k][1]} r = {r[k]:.3f}" for k in seen[np.argsort(-r[seen])]]
    return "raised", f"{_some(shown)} (n = {len(rules)} runs){still}"


def _ceiling(part: DomainAnalysis) -> Checked:
    domain = part.domain
    if not (domain.percent and is_pass_share(domain.outcome)):
        return "not checked", "the score is no share of passes: no ceiling is known"
    from scipy.stats import binom

    seen: dict[str, bool] = {}
    for one in [one for one in part.contrasts if one.pair.question == "RQ2"] or part.contrasts:
        sides = [(100 - s.mean if domain.lower_is_better else s.mean, s.n) for s in one.sides if s.mean is not None]
        if len(sides) == 2:
            words = f"{one.pair.names[1]} {sides[0][0]:.1f} %, {one.pair.names[0]} {sides[1][0]:.1f} % pass"
            chance = np.prod([binom.sf(np.floor(s / 100 * n + 1e-9) - 1, n, BELOW_CEILING) for s, n in sides])
            seen[words] = min(sides)[0] > CEILING and float(chance) <= CHANCE
    if not seen:
        return "not checked", "no pair has two means"
    raised = [words for words, above in seen.items() if above]
    return "raised" if raised else "clear", _some(raised or list(seen))


def _extraction(domain: Domain) -> Checked:
    read = domain.runs["extracted"]
    if read.isna().all():
        return "not checked", "no column says whether a run could be read"
    from scipy.stats import binom

    failed = read < 1
    groups = failed.groupby(domain.runs["model" if domain.schema.model else "condition"]).agg(["sum", "count"])
    counts = [(int(failed.sum()), int(read.notna().sum())), *map(tuple, groups.to_numpy().tolist())]
    chance = adjust([float(binom.sf(k - 1, n, EXTRACTION)) for k, n in counts], "holm")
    beyond = any(k > EXTRACTION * n and p <= CHANCE for (k, n), p in zip(counts, chance, strict=True))
    share = counts[0][0] / counts[0][1]
    words = f"{counts[0][0]} of {len(read)} runs ({100 * share:.1f} %) could not be read"
    if share > EXTRACTION or beyond:
        than = "more than" if beyond else "no more than"
        words += f", where {100 * EXTRACTION:g} % is the bound; {than} chance gives"
    if failed.any():
        worst = groups["sum"] / groups["count"]
        words += f"; most in {worst.idxmax()}: {100 * worst.max():.1f} %"
    return "raised" if share > EXTRACTION or beyond else "clear", words


def _direction(part: DomainAnalysis) -> Checked:
    models = {one.name for one in part.models}
    if len(models) < 2:
        return "not checked", "fewer than two models"
    if not any(one.paired for one in part.models):
        return "not checked", "no model has two tasks under both conditions"
    words = []
    for one in part.contrasts:
        whole, gain = one.paired.difference if one.paired else None, one.gain
        if one.paired is None or whole is None or gain is None:
            continue
        title = f"{one.pair.names[0]} against {one.pair.names[1]}"
        over_runs = one.usual.p if one.usual else None
        if whole * gain < 0 and max(over_runs or 0.0, one.paired.p or 0.0) <= CHANCE:
            words.append(f"Simpson's paradox, {title}: pooled runs {gain:+.1f}, paired cells {whole:+.1f}")
        tests = [(m.name, m.paired) for m in part.models if m.pair == one.pair and m.paired and m.paired.p is not None]
        against = [
            f"{model} {test.difference:+.1f} (p = {p:.2g}, Holm)"
            for (model, test), p in zip(tests, adjust([test.p for _, test in tests], "holm"), strict=True)  # type: ignore[arg-type]
            if p <= CHANCE and (test.difference or 0.0) * whole < 0
        ]
        if against:
            words.append(f"{title}: {whole:+.1f} on average, but {_some(against)}")
    if words:
        return "raised", "; ".join(words)
    return "clear", f"none of {len(models)} models points the other way beyond chance"


def _complexity(part: DomainAnalysis) -> Checked:
    """Against the baseline where there is one."""
    against = [one.pair for one in part.contrasts if one.pair.question == "RQ1"]
    rules = [one for one in part.rules if one.paired and (not against or one.pair in against)]
    if not rules:
        return "not checked", "no rule can be paired" if part.rules else "no rules"
    worse = [
        (one.gain or 0.0, f"{one.name} {one.gain:+.1f} with {one.pair.names[0]} (q = {one.paired.p_adjusted:.2g})")
        for one in rules
        if one.paired and one.verdict < 0 and (one.gain or 0.0) < 0
    ]
    if worse:
        return "raised", f"points of pass rate: {_some([words for _, words in sorted(worse)])}"
    return "clear", f"none of {len({one.name for one in rules})} rules gets worse beyond chance"


def _some(cases: Sequence[str]) -> str:
    more = f"; and {len(cases) - _SHOWN} more" if len(cases) > _SHOWN else ""
    return "; ".join(cases[:_SHOWN]) + more
