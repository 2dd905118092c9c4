"""Pass columns: what a value means, whatever it is written as."""

import numpy as np
import pandas as pd
import pytest

from trueness.analyse.run_scores import as_shares
from trueness.errors import DataError


@pytest.mark.parametrize(
    ("values", "shares", "kind"),
    [
        ([True, False], [1, 0], "true/false"),
        (["True", "False"], [1, 0], "true/false"),
        ([0, 1], [0, 1], "0/1"),
        (["0", "1", ""], [0, 1, np.nan], "verdict"),
        ([0.25, 1.0], [0.25, 1], "rate"),
        (["pass", "FAIL", "absent"], [1, 0, np.nan], "verdict"),
        (["yes", "no", None], [1, 0, np.nan], "verdict"),
        ([None, None], [np.nan, np.nan], "verdict"),
    ],
)
def test_a_pass_is_understood_however_it_is_written(values, shares, kind):
    found, how = as_shares(pd.Series(values), "rule_pass")
    assert np.array_equal(found, shares, equal_nan=True)
    assert how == kind or not np.isfinite(shares).any()


def test_per_cent_needs_its_name():
    assert as_shares(pd.Series([40.0, 100.0]), "coverage_pct")[0].tolist() == [0.4, 1.0]
    with pytest.raises(DataError, match="shares of passes in .0, 1., got 100"):
        as_shares(pd.Series([40.0, 100.0]), "coverage_rate")
