"""A domain taken apart: each condition by itself, each rule, each model, each pair of families of models.

condition  n, mean, sd; `ci` over what was drawn independently (tasks, all models of a task together): t with C - 1
           degrees of freedom, within the bounds of the measure; of passes Wilson's at the effective number of runs (t
           falls short where the share is high: 50 tasks of 2 runs that pass .95: it covers .84 to .90, Wilson's .98).
           `ci_runs`: bootstrap over runs, 10,000 resamples: what is usually reported; too short when runs nest
rule       pass % under the treatment - pass % under the reference, over runs; flagged where |gain| > 10 points; beside
           it the paired difference over cells, q (Benjamini-Hochberg over all rules of a domain) and its interval
model      gain of the treatment, and the paired difference over the model's own cells
family     exploratory, two-sided whatever was declared: the domain with families as its conditions and conditions as
           its models, tested over tasks; q: BH over the pairs

A family is declared: "claude=haiku+opus". What makes a difference mean something else than it seems to is a flag:

missing scores       one side has more runs without a score: Fisher's exact test, Holm over the pairs, p <= .05
averaged over        a further column has one value under each condition, or under some beyond chance (hypergeometric
                     over cells): the two cannot be told apart
correlated rules     two rules with Pearson r > .95 over the runs, and r above 0 beyond chance (t over cells, Holm)
ceiling              both sides above 95 % pass, which two sides that pass 90 % would show in at most .05 of tables
extraction           more than 5 % of runs could not be read, as the guide says, and whether that is beyond chance of
                     5 % (binomial)
direction            a model in which the difference points the other way beyond chance (paired over its tasks, Holm);
                     Simpson's paradox where pooled runs and paired cells are told apart in opposite directions
complexity           a rule that gets worse with the treatment beyond chance (paired, Benjamini-Hochberg over the rules)

Each is raised, clear, or could not be checked. Each but `extraction`, which is the guide's bound, is raised in at most
5 % of tables in which nothing is the matter (benchmarks/analyse_null.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Literal

import numpy as np
import pandas as pd

from trueness.analyse.analysis_settings import AnalysisSettings, nearest
from trueness.analyse.contrasts import Contrast, Pair, Roles, contrast, of_part, screened
from trueness.analyse.domain import Domain, Labels
from trueness.analyse.measure_names import is_pass_share
from trueness.analyse.run_scores import Array
from trueness.errors import SettingError, listed
from trueness.intervals import Interval
from trueness.statistics.estimates import mean
from trueness.statistics.multiplicity import adjust
from trueness.statistics.proportions import share
from trueness.statistics.result import Cell, Estimate, interval_cells
from trueness.statistics.runs import bootstrap_means

RESAMPLED = 5_000  # runs of a condition up to which they are resampled
BCA_SEED = 42  # as the protocol draws
MOST_TESTED = 200  # models x pairs up to which each is tested
CORRELATED, CEILING, BELOW_CEILING, EXTRACTION, CHANCE = 0.95, 95.0, 0.90, 0.05, 0.05
_SHOWN = 3  # cases named in the evidence; the rest is counted
Checked = tuple[Literal["raised", "clear", "not checked"], str]


@dataclass(frozen=True)
class ConditionSummary:
    """Values in the unit they are shown in (per cent for shares)."""

    domain: str
    condition: str
    n: int
    n_missing: int
    n_cells: int
    n_clusters: int
    mean: float | None
    sd: float | None  # ddof 1
    ci: Interval | None
    ci_runs: Interval | None

    def row(self) -> dict[str, Cell]:
        plain = {key: value for key, value in vars(self).items() if key not in ("ci", "ci_runs")}
        return {**plain, **interval_cells(self.ci), **interval_cells(self.ci_runs, "runs")}


def summarise(domain: Domain, conditions: Sequence[str], settings: AnalysisSettings) -> list[ConditionSummary]:
    """One a condition; a condition that the domain does not have is there with n = 0."""
    rows = [domain.under([name]) for name in conditions]
    runs = _intervals_over_runs([domain.value[mask] for mask in rows], domain, settings)
    summaries = []
    for name, mask, interval in zip(conditions, rows, runs, strict=True):
        values = domain.value[mask]
        there = values[~np.isnan(values)]
        clusters = domain.runs["cluster"].to_numpy(dtype=object)[mask] if domain.unit else None
        known = _mean_of(values, clusters, domain, settings.level)
        cells = len(np.unique(domain.units.codes[mask & ~np.isnan(domain.value)])) if domain.unit else len(there)
        average = None if known.value is None else known.value * domain.scale
        sd = float(there.std(ddof=1)) * domain.scale if len(there) > 1 else None
        ends = [one and one.scaled(domain.scale) for one in (known.interval, interval)]
        counts = known.n, known.n_missing, cells, known.n_clusters
        summaries.append(ConditionSummary(domain.name, name, *counts, average, sd, *ends))
    return summaries


def _mean_of(values: Array, clusters: Labels | None, domain: Domain, level: float) -> Estimate:
    """The mean with its interval, in the unit of the values; that of passes, and of a constant share, Wilson's."""
    least, most = (None if end is None else end / domain.scale for end in domain.bounds)
    if domain.percent and np.isin(values[~np.isnan(values)], (0.0, 1.0)).all():
        return share(values, clusters, level, method="wilson")
    known = mean(values, clusters, None, level, bounds=(least, most))
    return share(values, clusters, level) if domain.percent and known.constant else known


def _intervals_over_runs(samples: Sequence[Array], domain: Domain, settings: AnalysisSettings) -> list[Interval | None]:
    """As if each run were independent; beyond some thousand runs t, which the bootstrap then equals."""
    if max(map(len, samples)) > RESAMPLED:
        return [_mean_of(sample, None, domain, settings.level).interval for sample in samples]
    if settings.interval == "bca":
        return [_bca(sample[~np.isnan(sample)], settings) for sample in samples]
    table = pd.DataFrame(dict(enumerate(map(pd.Series, samples)))).to_numpy()
    return bootstrap_means(table, settings.level, settings.resamples, rng=np.random.default_rng(settings.seed))


def _bca(sample: Array, settings: AnalysisSettings) -> Interval | None:
    """None where all runs are the same: scipy has NaN there."""
    if len(sample) < 2 or np.ptp(sample) == 0:
        return None
    from scipy.stats import bootstrap

    rng = np.random.default_rng(BCA_SEED)
    ends = bootstrap(
        (sample,), np.mean, n_resamples=settings.resamples, confidence_level=settings.level, random_state=rng
    ).confidence_interval
    return Interval(ends.low, ends.high, settings.level, "mean")


def by_rule(domain: Domain, roles: Roles, settings: AnalysisSettings) -> list[Contrast]:
    """Each rule in each pair, in per cent of the runs in which it was not absent; tests adjusted within a pair."""
    passes = replace(domain, percent=True, lower_is_better=False, outcome="pass rate")
    columns = {str(rule): domain.rules[rule].to_numpy(dtype=np.float64) for rule in domain.rules}
    return [
        one
        for pair in roles.pairs
        for one in screened(
            [of_part(passes, pair, roles.conditions, settings, *item) for item in columns.items()], settings
        )
    ]


def by_model(domain: Domain, roles: Roles, settings: AnalysisSettings) -> list[Contrast]:
    """Each model in each pair, in the last one where that were too many; none where the table names no models."""
    if domain.schema.model is None:
        return []
    names = domain.runs["model"].to_numpy()
    models = sorted(set(map(str, names)))
    pairs = roles.pairs if len(models) * len(roles.pairs) <= MOST_TESTED else roles.pairs[-1:]
    return [
        of_part(domain, pair, roles.conditions, settings, model, domain.value, names == model)
        for pair in pairs
        for model in models
    ]


def families_of(domains: Sequence[Domain], settings: AnalysisSettings) -> dict[str, str]:
    """Model -> family, as declared; a name that no table has would be ignored in silence."""
    known = {str(name) for domain in domains if domain.schema.model for name in domain.runs["model"].unique()}
    families: dict[str, str] = {}
    for entry in settings.families:
        name, equals, members = (part.strip() for part in entry.partition("="))
        if not (name and equals and members):
            raise SettingError(f"'families' must be NAME=MODEL+MODEL, got {entry!r}. Try claude=haiku+opus.")
        for model in (member.strip() for member in members.split("+")):
            if model not in known:
                raise SettingError(
                    f"'families' must name models of the tables, got {model!r} in {name}.{nearest(model, known)} "
                    f"There are: {listed(sorted(known), most=12) or 'none'}."
                )
            if families.setdefault(model, name) != name:
                raise SettingError(f"'families' must put a model into one family, got {model!r} in two. Take one out.")
    if len(set(families.values())) == 1:
        raise SettingError(f"'families' must name two families at least, got {listed(settings.families)}. Add another.")
    return families


def by_family(domain: Domain, families: Mapping[str, str], settings: AnalysisSettings) -> list[Contrast]:
    """All pairs of families, each over the tasks that both answered."""
    family = domain.runs["model"].map(families)
    if family.nunique() < 2:
        return []
    inside = domain.part(family.notna().to_numpy())
    runs = inside.runs
    turned = replace(
        inside,
        runs=runs.assign(
            condition=family.dropna().to_numpy(),
            model="",  # families are of these models: nothing is said beyond them
            unit=runs["condition"] + " / " + runs["task"],
            cluster=runs["task"],
        ),
        unit="condition x task",
        cluster="task",
        over_clusters=True,
    )
    two_sided, names = replace(settings, one_sided=False), list(dict.fromkeys(families.values()))
    pairs = [Pair("families", (other,), (one,)) for one, other in combinations(names, 2)]
    return screened([contrast(turned, pair, names, two_sided) for pair in pairs], settings)


# ---- flags


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

    failed, n = int((read < 1).sum()), int(read.notna().sum())
    words = f"{failed} of {len(read)} runs ({100 * failed / n:.1f} %) could not be read"
    if failed:
        worst = (read.dropna() < 1).groupby(domain.runs["model" if domain.schema.model else "condition"]).mean()
        words += f"; most in {worst.idxmax()}: {100 * worst.max():.1f} %"
    if failed <= EXTRACTION * n:
        return "clear", words
    than = "more than" if binom.sf(failed - 1, n, EXTRACTION) <= CHANCE else "no more than"
    return "raised", f"{words}, where {100 * EXTRACTION:g} % is the bound; {than} chance gives"


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
