"""Whether a claim depends on how the question is put."""

import numpy as np
import pytest

from tests.forecast.handmade import claim, spread, study, truth
from trueness.studies.forecast.comparisons import robustness

TRUTH = [truth(spread(0.5))]


def framed(*ranges, repeat=0):
    names = ("direct", "steps", "interval", "quantiles")
    pairs = zip(names, ranges, strict=False)
    return [claim(low=low, high=high, formulation=name, repeat=repeat) for name, (low, high) in pairs]


def cell(claims):
    return robustness(study(claims, TRUTH)).more["cells"].iloc[0]


@pytest.mark.parametrize(
    ("widths", "kind"),
    [
        ((0.20, 0.20, 0.20), "robust"),
        ((0.20, 0.22, 0.20), "robust"),  # V = .0094, a twentieth of the mean
        ((0.20, 0.26, 0.20), "between"),  # V = .0283 of .22: .129
        ((0.20, 0.40, 0.20), "unstable"),  # V = .0943 of .267
    ],
)
def test_the_original_classes_go_by_the_spread_of_the_widths(widths, kind):
    found = cell(framed(*((0.1, 0.1 + width) for width in widths)))
    assert found["class"] == kind
    assert found["v"] == pytest.approx(np.std(widths))


def test_equal_widths_at_opposite_ends_are_robust_by_v_and_share_nothing():
    found = cell(framed((0.0, 0.2), (0.8, 1.0)))
    assert found["v"] == pytest.approx(0) and found["class"] == "robust"
    assert found["iou"] == 0


def test_repeats_that_agree_share_all():
    claims = framed((0.0, 0.2), (0.4, 0.6)) + framed((0.0, 0.2), (0.4, 0.6), repeat=1)
    analysis = robustness(study(claims, TRUTH))
    assert analysis.table.loc[0, "iou_repeats"] == 1
