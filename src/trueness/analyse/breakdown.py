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

A family is declared: "claude=haiku+opus".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd

from trueness.analyse.analysis_settings import AnalysisSettings, nearest
from trueness.analyse.contrasts import Contrast, contrast, of_part, screened
from trueness.analyse.domain import Domain, Labels
from trueness.analyse.roles import Pair, Roles
from trueness.analyse.run_scores import Array
from trueness.errors import SettingError, listed
from trueness.intervals import Interval
from trueness.statistics.estimates import mean
from trueness.statistics.proportions import share
from trueness.statistics.result import Cell, Estimate, interval_cells
from trueness.statistics.runs import bootstrap_means

RESAMPLED = 5_000  # runs of a condition up to which they are resampled
BCA_SEED = 42  # as the protocol draws
MOST_TESTED = 200  # models x pairs up to which each is tested


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
