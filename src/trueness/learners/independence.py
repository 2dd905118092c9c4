"""Conditional independence tests, one face for all searches.

    chi2, g2              discrete columns; formulas in kernels/counting.py; p = P(chi2_df > statistic)
    fisher-z              numbers;  z = sqrt(n - |S| - 3) atanh r(x, y | S),  p = 2 P(N(0, 1) > |z|)
    degenerate-gaussian   any columns; categories as columns of 0 and 1 (kernels/mixed.py)
    regressions           any columns; linear and logit regressions (kernels/mixed.py)
    rcot                  any columns, smooth curves (CURVED_LIMITS, kernels/curved.py), by random waves, which the
                          seed decides
    Oracle                Fisher's z on exact correlations of a known DAG, for checking a search against theory

`auto` is chi2 for discrete tables, fisher-z for continuous ones, degenerate-gaussian for mixed ones; what was chosen is
`Independence.test`. A row with a gap is left out of the tests that need what it lacks (test-wise deletion); `corrected`
Fisher's z also allows for gaps that hang on other columns (kernels/mixed.py).
Searches compare statistics with critical values; a p-value is computed where one is asked for.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Annotated, Any, Literal
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from trueness.datasets.table import Table
from trueness.errors import DataError, SettingError, did_you_mean, listed
from trueness.graphs import Graph
from trueness.learners.gaps import DummyCoded
from trueness.learners.kernels import counting, curved, mixed, testing
from trueness.settings import Between, Hint

Test = Literal["auto", "chi2", "g2", "fisher-z", "degenerate-gaussian", "regressions", "rcot"]
Freedom = Literal["observed", "textbook"]
Ridge = Annotated[float, Between(0, closed=True), Hint("Try 1e-6.")]
Depth = Annotated[int, Between(-1, closed=True), Hint("It is a set's greatest size, -1 for no limit.")]
_ANY_COLUMNS = ("degenerate-gaussian", "regressions", "rcot")
_AUTO = {"discrete": "chi2", "continuous": "fisher-z", "mixed": "degenerate-gaussian"}
CURVED_LIMITS = (
    "test = 'rcot' is for smooth curves: at 1,500 rows and level .05 it rejects with no effect .23, .37 and .45 given "
    "1, 2 and 3 columns that act in steps, .11 and .15 given products of columns",
)
_MERGE = 16  # rows are merged once for all tests where at most one in so many differs
_PLANES = 2048  # most levels in all for which a table of all pairs is kept
SINGULAR = 1e-12  # a variance left after regression below this share counts as none
_COEFFICIENTS = 1000  # most of a logit: its Hessian has the square of it
_CRITICAL = 1024  # degrees of freedom up to which critical values are listed


@dataclass(frozen=True)
class TestResult:
    """One test: `statistic` is compared with chi2 of df; Fisher's z without gaps gives r(x, y | S) squared and |S|."""

    x: str
    y: str
    conditioning: tuple[str, ...]
    test: str
    statistic: float
    df: int
    p_value: float
    independent: bool
    n: int

    def __str__(self) -> str:
        condition = f" given {', '.join(self.conditioning)}" if self.conditioning else ""
        verdict = "independent" if self.independent else "dependent"
        return f"{self.x} and {self.y}{condition}: {verdict} ({self.test} p = {self.p_value:.3g}, n = {self.n})"


class Independence:
    """Tests on the columns of a table at level alpha. `ridge` is added to the diagonal of the correlations.

    With gaps each test leaves out the rows that lack one of its columns, and says how many are left (TestResult.n).
    """

    present: NDArray[np.bool_] | None = None  # (n, d) where the table has gaps
    causes: NDArray[np.bool_] | None = None  # (d, d) of a corrected test: gaps of the second hang on the first

    def __init__(
        self,
        table: Table,
        test: Test = "auto",
        alpha: float = 0.05,
        df: Freedom = "observed",
        ridge: float = 0.0,
        seed: int = 0,
        corrected: bool = False,
    ):
        table = table.read_ordered("discrete" if test in ("chi2", "g2") else "continuous")
        self.names = table.names
        self.n = table.n
        self.test = chosen_test(table, test)
        if table.has_gaps:
            self.present = ~table.gaps
        if corrected and table.has_gaps:
            self.causes = _causes_of_gaps(table, self.test, alpha)
            numbers, limits, matrix = DummyCoded(table).standardise(), _critical_values(alpha), np.zeros((0, 0))
            self.kernel = testing.Tests(testing.CORRECTED, table.n, alpha, limits, numbers, self.causes, xlogx=matrix)
            self.most = max(min(table.d - 2, table.n - 4), 0)
        elif self.test in ("chi2", "g2"):
            self.kernel, self.most = _discrete(table, self.test, alpha, df), table.d
        elif self.test == "rcot":
            self.kernel, self.most = _curved_tests(table, alpha, seed), max(table.d - 2, 0)
        elif self.test == "fisher-z" and self.present is None:
            self.kernel, self.most = _gaussian(table, alpha, ridge)
        else:
            self.kernel, self.most = _mixed_tests(table, self.test, alpha, ridge)

    def rows(self, *places: int) -> int:
        """Rows that have all of these columns, and those on which their gaps hang where that is corrected for."""
        if self.causes is not None:
            places = (*places, *np.flatnonzero(self.causes[:, list(places)].any(axis=1)).tolist())
        return self.n if self.present is None else int(self.present[:, list(places)].all(axis=1).sum())

    def result(self, x: str, y: str, conditioning: Iterable[str] = ()) -> TestResult:
        """The test of x and y given a set of other columns."""
        names = tuple(conditioning)
        i, j, *members = (self._index(name) for name in (x, y, *names))
        if len({i, j, *members}) < len(names) + 2:
            raise SettingError(f"a test must be of different columns, got {listed((x, y, *names))}.")
        if len(members) > self.most:
            raise DataError(
                f"a set given must have at most {self.most} columns with {self.n} rows, got {len(members)}."
            )
        statistic, df, p, independent = testing.single(self.kernel, i, j, np.array(members, dtype=np.int64))
        rows = self.rows(i, j, *members)
        return TestResult(x, y, names, self.test, statistic, df, p, bool(independent), rows)

    def p_value(self, x: str, y: str, conditioning: Iterable[str] = ()) -> float:
        return self.result(x, y, conditioning).p_value

    def independent(self, x: str, y: str, conditioning: Iterable[str] = ()) -> bool:
        return self.result(x, y, conditioning).independent

    def _index(self, name: str) -> int:
        if name not in self.names:
            raise SettingError(f"{name!r} is not a column. {did_you_mean(name, self.names)}".rstrip())
        return self.names.index(name)


class Oracle(Independence):
    """Tests on the exact correlations of a linear system: a search that asks it must return the truth's class."""

    def __init__(self, truth: Graph, latent: Iterable[str] = ()):
        hidden, rng = set(latent), np.random.default_rng(0)
        self.names = tuple(node for node in truth.nodes if node not in hidden)
        weights = truth.directed * rng.uniform(0.5, 1.0, truth.directed.shape)
        effects = np.linalg.inv(np.eye(len(truth)) - weights)
        some = [truth.index(node) for node in self.names]
        covariance = (effects.T @ effects)[np.ix_(some, some)]
        scale = np.sqrt(covariance.diagonal())
        self.n, self.test = 10**15, "exact correlations"
        self.kernel, self.most = gaussian_tests(covariance / np.outer(scale, scale), self.n, 0.05)


def chosen_test(table: Table, test: Test) -> str:
    """The test by name, checked against the table: no Fisher's z on categories, no counts of numbers."""
    if test == "auto":
        return _AUTO[table.kind]
    if test in _ANY_COLUMNS or table.kind == ("continuous" if test == "fisher-z" else "discrete"):
        return test
    got = {"discrete": "categories", "continuous": "continuous columns", "mixed": "both kinds of columns"}[table.kind]
    must = "hold numbers" if test == "fisher-z" else "be discrete"
    raise DataError(
        f"{table.source} must {must} for {test}, got {got}. Use test = 'auto' ({_AUTO[table.kind]} here), or "
        "Table.as_numbers() to treat codes as numbers."
    )


# ---- what the kernels need


def _gaussian(table: Table, alpha: float, ridge: float) -> tuple[testing.Tests, int]:
    centred = table.values - np.add.reduce(table.values, 0) / table.n
    gram = centred.T @ centred
    scale = gram.diagonal()
    correlation = gram / np.sqrt(np.outer(scale, scale)) / (1.0 + ridge)
    np.fill_diagonal(correlation, 1.0)
    _refuse_dependent(table, correlation, np.arange(table.d + 1))
    return gaussian_tests(correlation, table.n, alpha)


def gaussian_tests(correlation: NDArray[np.float64], n: int, alpha: float) -> tuple[testing.Tests, int]:
    """What the kernels need of correlations (d, d) of n rows, and the greatest set that can be given."""
    most = max(min(len(correlation) - 2, n - 4), 0)
    limits = _largest_squares(alpha, n, most)
    return testing.Tests(testing.FISHER_Z, n=n, alpha=alpha, limits=limits, correlation=correlation), most


@lru_cache(maxsize=64)
def _largest_squares(alpha: float, n: int, most: int) -> NDArray[np.float64]:
    """By |S|: the square of the partial correlation from which on Fisher's z rejects independence."""
    from scipy import special

    z = special.ndtri(1 - alpha / 2)
    return np.asarray(np.tanh(z / np.sqrt(np.maximum(n - 3 - np.arange(most + 1), 1))) ** 2)


def _mixed_tests(table: Table, test: str, alpha: float, ridge: float) -> tuple[testing.Tests, int]:
    """Tests of mixed.py: on correlations where no value is missing, else (and for logits) on rows."""
    embedded = DummyCoded(table)
    z, first, gaps = embedded.standardise(), embedded.first, table.has_gaps
    levels = np.zeros((3, table.d), np.int64)
    levels[0] = check_levels(table, test)
    wide = np.sort(np.diff(first))[::-1]
    most = max(int(np.searchsorted(np.cumsum(wide), table.n - 6, side="right")) - 2, 0)
    kind, numbers = mixed.GAPS if test == "fisher-z" else testing.KINDS[test], z
    if not gaps:
        correlation = z @ z.T / table.n
        off = ~np.eye(len(correlation), dtype=bool)
        correlation[off] /= 1.0 + ridge
        _refuse_dependent(table, correlation, first)
        numbers = correlation if kind == mixed.DEGENERATE else z
    elif kind == mixed.DEGENERATE:
        kind = mixed.DEGENERATE_ROWS
    if kind == mixed.REGRESSIONS and levels[0].max() * (len(z) + 1) > _COEFFICIENTS:
        raise DataError(
            f"{table.source} must have at most {_COEFFICIENTS:,} coefficients in a logit for regressions, got "
            f"{levels[0].max() * (len(z) + 1):,}. Group its levels, or use 'degenerate-gaussian'."
        )
    kernel = testing.Tests(
        kind, table.n, alpha, _critical_values(alpha), numbers, first=first, levels=levels, xlogx=np.zeros((0, 0, 0))
    )
    return kernel, min(most, max(table.d - 2, 0))


def _curved_tests(table: Table, alpha: float, seed: int) -> testing.Tests:
    """Values for RCoT, with the waves of each column by its name, so that its place does not matter."""
    embedded, wide = DummyCoded(table), curved.SIDE + curved.GIVEN
    waves = [np.random.default_rng([seed]).uniform(0, 2 * np.pi, (1, wide))]
    for name, count in zip(table.names[::-1], np.diff(embedded.first)[::-1], strict=True):
        waves.insert(0, np.random.default_rng([seed, crc32(name.encode())]).standard_normal((count, wide)))
    numbers, limits = embedded.standardise(), _critical_values(alpha)
    return testing.Tests(
        testing.RCOT, table.n, alpha, limits, numbers, first=embedded.first,
        weights=np.ones(table.n, np.int32), xlogx=np.vstack(waves),
    )  # fmt: skip


def _causes_of_gaps(table: Table, test: str, alpha: float) -> NDArray[np.bool_]:
    """[w, v]: whether v is missing hangs on w, given any two others on which it seems to (test-wise deletion)."""
    if test != "fisher-z":
        raise DataError(
            f"{table.source} must hold numbers, tested by fisher-z, for missing = 'corrected', got {test}. "
            "Use 'testwise'."
        )
    causes = np.zeros((table.d, table.d), np.bool_)
    for v in np.flatnonzero(table.gaps.any(axis=0)).tolist():
        values = table.values.copy()
        values[:, v] = table.gaps[:, v]
        levels = tuple(("there", "missing") if j == v else None for j in range(table.d))
        kernel, most = _mixed_tests(Table(table.names, values, levels), "degenerate-gaussian", alpha, 0.0)
        seem: list[int] = []
        for size in range(min(3, most + 1)):
            others = [w for w in range(table.d) if w != v] if size == 0 else seem
            seem = [
                w
                for w in others
                if not any(
                    testing.single(kernel, v, w, np.array(subset, dtype=np.int64))[3]
                    for subset in combinations([u for u in others if u != w] if size else [], size)
                )
            ]
        causes[seem, v] = True
    return causes


def _refuse_dependent(table: Table, correlation: NDArray[np.float64], first: NDArray[np.int64]) -> None:
    """Refuse a column that follows from others by more than the lack of rows: k rows determine k - 1 columns' rank.

    first: (d + 1,) where the correlations of each variable begin, of a category those of its levels.
    """
    some = np.flatnonzero(correlation.diagonal() > 0)[: table.n - 1]
    r = correlation[np.ix_(some, some)]
    if _is_regular(r):
        return
    j = bisect_left(range(len(r)), True, key=lambda last: not _is_regular(r[: last + 1, : last + 1]))
    coefficients = np.linalg.lstsq(r[:j, :j], r[:j, j], rcond=None)[0]
    name, *others = (
        table.names[int(np.searchsorted(first, some[i], side="right")) - 1]
        for i in (j, *np.flatnonzero(np.abs(coefficients) > 1e-6).tolist())
    )
    raise DataError(
        f"column {name!r} of {table.source} must not follow from the others, got a linear combination of "
        f"{listed(tuple(dict.fromkeys(others)))}: the correlation matrix is singular. Drop it, or set ridge = 1e-6."
    )


def _is_regular(correlation: NDArray[np.float64]) -> bool:
    try:
        smallest = np.linalg.cholesky(correlation).diagonal().min(initial=1.0)
    except np.linalg.LinAlgError:
        return False
    return bool(smallest**2 >= SINGULAR)


def _discrete(table: Table, test: str, alpha: float, df: Freedom) -> testing.Tests:
    levels = check_levels(table, test)
    values, gap_codes = table.values, None
    if table.has_gaps:
        values, levels, gap_codes = _with_gap_levels(table, levels)
    place, counts = counting.distinct_rows(values, most_merged(table.n))
    columns = counting.encode(values[place] if len(place) else values, table.d)
    weights = counts.astype(np.int32) if len(place) else None
    return discrete_tests(columns, weights, levels, table.n, test, alpha, df, gap_codes)


def _with_gap_levels(
    table: Table, levels: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Codes in which a gap is one level more, the numbers of levels, and the gaps' codes (-1: none)."""
    gaps = table.gaps
    wide = levels + gaps.any(axis=0)
    if wide.max() > counting.MOST_LEVELS:
        name = table.names[int(wide.argmax())]
        raise DataError(
            f"column {name!r} of {table.source} must have at most {counting.MOST_LEVELS - 1} levels beside its gaps, "
            f"got {levels.max()}. Group its levels, or set missing = 'complete'."
        )
    return np.where(gaps, levels, table.values), wide, np.where(gaps.any(axis=0), levels, -1)


def check_levels(table: Table, test: str) -> NDArray[np.int64]:
    """The number of levels of each column, which must not be too great to count."""
    levels = table.n_levels
    if levels.max() > counting.MOST_LEVELS:
        name = table.names[int(levels.argmax())]
        raise DataError(
            f"column {name!r} of {table.source} must have at most {counting.MOST_LEVELS} levels for {test}, "
            f"got {levels.max()}. Group its levels, or drop it."
        )
    return levels


def most_merged(n: int) -> int:
    """Distinct rows up to which n rows are merged once for all tests."""
    return max(n // _MERGE, 1)


def discrete_tests(
    columns: NDArray[np.uint8],
    weights: NDArray[np.int32] | None,
    levels: NDArray[np.int64],
    n: int,
    test: str,
    alpha: float,
    df: Freedom,
    gap_codes: NDArray[np.int64] | None = None,
) -> testing.Tests:
    """What the kernels need of codes (d, rows): merged rows with their weights, or all n rows and no weights."""
    fields: dict[str, Any] = {}
    if weights is None:
        weights = np.ones(n, np.int32)
        first = np.concatenate([[0], np.cumsum(levels)])
        if first[-1] <= _PLANES and gap_codes is None:
            planes = counting.bit_planes(columns, first)
            fields |= {"planes": planes, "burt": counting.burt_matrix(planes, first), "first": first}
    shape = np.zeros((3, len(levels)), np.int64)
    shape[0], shape[2] = levels, -1 if gap_codes is None else gap_codes
    if df == "textbook":
        shape[1] = [np.count_nonzero(np.bincount(column)) for column in columns] - (shape[2] >= 0)
    if test == "g2":
        fields["xlogx"] = _xlogx(n)
    return testing.Tests(
        testing.KINDS[test],
        n=n,
        alpha=alpha,
        limits=_critical_values(alpha),
        columns=columns,
        weights=weights,
        levels=shape,
        **fields,
    )


@lru_cache(maxsize=16)
def _critical_values(alpha: float) -> NDArray[np.float64]:
    """By degrees of freedom: the value that chi2 exceeds with probability alpha."""
    from scipy import special

    return np.asarray(np.concatenate([[np.inf], special.chdtri(np.arange(1.0, _CRITICAL + 1), alpha)]))


@lru_cache(maxsize=4)
def _xlogx(n: int) -> NDArray[np.float64]:
    from scipy import special

    return np.asarray(special.xlogy(np.arange(n + 1.0), np.arange(n + 1.0)))
