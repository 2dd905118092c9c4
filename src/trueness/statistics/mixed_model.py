"""A mixed model: the difference between two conditions with random intercepts for models, tasks and what else nests.

    y_i = b0 + b1 [condition_i is the treatment] + sum_g u_g(i) + e_i,   u_g ~ N(0, sd_g^2),  e ~ N(0, sd^2)

fitted by statsmodels (REML, random factors crossed). Interval: b1 -+ t_{C-1} SE with C the levels of the random factor
that has fewest. A random intercept lets tasks differ in level, not in how they take to the treatment: where they may,
pass the cells too, random={"task": task, "task x condition": cells}, or the test finds what is not there (Barr et al.
2013).
A fit that does not converge has no difference: the result says so. Laird & Ware (1982).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from trueness.errors import DataError, listed
from trueness.intervals import Interval, short, value_text
from trueness.statistics.clusters import Array, Clusters, Labels, as_sample, clusters_of, labels_at
from trueness.statistics.paired import t_p
from trueness.statistics.result import (
    Cell,
    Result,
    checked_level,
    interval_cells,
    latex_p,
    latex_value,
    p_text,
    with_notes,
)
from trueness.status import Status


@dataclass(frozen=True)
class MixedFit(Result):
    """The treatment's difference from the baseline. random_sds: name of a random factor -> sd of its intercepts."""

    names: tuple[str, str]
    difference: float | None
    interval: Interval | None
    p: float | None
    random_sds: Mapping[str, float]
    residual_sd: float | None
    n: int
    levels: Mapping[str, int]
    status: Status
    level: float = 0.95
    n_missing: int = 0
    notes: tuple[str, ...] = ()

    @property
    def converged(self) -> bool:
        return self.status is Status.OK

    def row(self) -> dict[str, Cell]:
        return {
            "a": self.names[0],
            "b": self.names[1],
            "difference": self.difference,
            **interval_cells(self.interval),
            "level": self.level,
            "test": "mixed model, t",
            "p": self.p,
            "n": self.n,
            "n_missing": self.n_missing,
            **{f"levels of {name}": count for name, count in self.levels.items()},
            **{f"sd of {name}": sd for name, sd in self.random_sds.items()},
            "residual_sd": self.residual_sd,
            "status": str(self.status),
            "notes": " ".join(self.notes),
        }

    def sentence(self) -> str:
        one, other = self.names
        counted = ", ".join(f"{count} levels of {name}" for name, count in self.levels.items())
        if self.difference is None:
            return with_notes(
                f"The mixed model of {one} - {other} has no result ({self.n} rows, {counted})", self.notes
            )
        spread = ", ".join(f"sd of {name} {short(sd)}" for name, sd in self.random_sds.items())
        return with_notes(
            f"{one} - {other} = {value_text(self.difference, self.interval)} ({100 * self.level:g} % CI; "
            f"mixed model, {self.n} rows, {counted}; {spread}; t {p_text(self.p)})",
            self.notes,
        )

    def to_latex(self) -> str:
        return f"{latex_value(self.difference, self.interval)} (mixed model, {latex_p(self.p)}; $n = {self.n}$)"


class _Fit(Protocol):
    """What is taken of the statsmodels result."""

    converged: bool
    fe_params: Array
    bse_fe: Array
    vcomp: Array
    scale: float


def mixed_difference(
    values: ArrayLike,
    condition: Labels,
    random: Mapping[str, Labels],
    baseline: str,
    level: float = 0.95,
) -> MixedFit:
    """values, condition and each of `random`: one entry a row. Two conditions; difference = the other - baseline."""
    checked_level(level)
    if not random:
        raise DataError("'random' must name at least one random factor, got none. Use paired_difference.")
    sample = as_sample(values)
    there = ~np.isnan(sample)
    y = sample[there]
    conditions = clusters_of(labels_at(condition, there, "condition"), len(y), "condition")
    if conditions.count != 2 or baseline not in conditions.labels:
        raise DataError(
            f"'condition' must have two values of which {baseline!r} is one, got {listed(conditions.labels)}."
        )
    factors = {name: clusters_of(labels_at(labels, there, name), len(y), name) for name, labels in random.items()}
    treatment = next(str(label) for label in conditions.labels if label != baseline)
    treated = (conditions.codes != conditions.labels.index(baseline)).astype(np.float64)
    levels = {name: inside.count for name, inside in factors.items()}
    missing = MixedFit(
        (treatment, baseline), None, None, None, {}, None, len(y), levels, Status.FAILED, level, int((~there).sum())
    )
    if np.ptp(y) == 0:
        return _failure(missing, "All values are the same.", Status.DEGENERATE)
    if min(levels.values()) < 2:
        return _failure(missing, "A random factor has one level.", Status.DEGENERATE)
    fit, why = _fit(y, treated, factors)
    if fit is None or not fit.converged:
        return _failure(missing, f"The fit did not converge{f': {why}' if why else ''}.", Status.FAILED)
    difference, se = float(fit.fe_params[1]), float(fit.bse_fe[1])
    if not math.isfinite(se):
        return _failure(missing, "The fit gave no standard error.", Status.FAILED)
    df = min(levels.values()) - 1
    half = float(stdtrit(df, (1 + level) / 2)) * se
    sds = {name: math.sqrt(max(0.0, float(v))) for name, v in zip(sorted(factors), fit.vcomp, strict=True)}
    zero = [name for name, sd in sds.items() if sd < 1e-6 * float(y.std())]
    return MixedFit(
        (treatment, baseline), difference, Interval(difference - half, difference + half, level, "mean"),
        t_p(difference / se, df, "two-sided"), {name: sds[name] for name in factors}, math.sqrt(float(fit.scale)),
        len(y), levels, Status.OK, level, missing.n_missing,
        tuple(f"The intercepts of {name} were found not to vary." for name in zero),
    )  # fmt: skip


def _fit(y: Array, treated: Array, factors: Mapping[str, Clusters]) -> tuple[_Fit | None, str]:
    """The statsmodels result, or None and why. Its warnings go into the reason, not to the terminal."""
    from statsmodels.regression.mixed_linear_model import MixedLM, VCSpec

    names = sorted(factors)
    columns = [[[f"{name}[{k}]" for k in range(factors[name].count)]] for name in names]
    matrices = [[np.eye(factors[name].count)[factors[name].codes]] for name in names]
    design = np.column_stack([np.ones(len(y)), treated])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = MixedLM(y, design, np.zeros(len(y)), exog_vc=VCSpec(names, columns, matrices))
        try:
            fit = model.fit(reml=True)
        except (np.linalg.LinAlgError, ValueError) as error:
            return None, str(error).rstrip(".")
    return cast(_Fit, fit), "; ".join(sorted({str(warning.message).rstrip(".") for warning in caught}))


def _failure(missing: MixedFit, why: str, status: Status) -> MixedFit:
    return replace(missing, status=status, notes=(why,))
