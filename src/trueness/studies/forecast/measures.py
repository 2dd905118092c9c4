"""What is measured of a claimed range: coverage, width, overlap, and a proper score."""

from __future__ import annotations

from trueness.measure import Measure

_LARGEST = "divided by the largest value the measure can take"
_VERSUS = {"mean_ci": "the CI of the mean", "runs": "the range of runs"}
SHOWN = (  # in the matrix of the page, in its order
    Measure("covers_mean", "covers the mean", headline=True,
            description="share of claims that hold the mean of the runs"),
    Measure("coverage_runs", "runs covered", headline=True,
            description="share of the runs that lie in the claimed range"),
    Measure("interval_score_scaled", "interval score", "lower", headline=True, maximum=None,
            description=f"width plus a penalty for every run outside, {_LARGEST}"),
    Measure("width_scaled", "width", "neither", description="width of the claim, divided by the largest value"),
    Measure("bias_scaled", "bias", "neither", minimum=-1.0,
            description="claimed middle minus measured mean; above 0: optimistic"),
    Measure("iou_runs", "IoU with the runs", description="overlap with the range of runs / either"),
    Measure("iou_mean_ci", "IoU with the CI", description="overlap with the CI of the mean / either"),
)  # fmt: skip
MEASURES = (
    *SHOWN,
    Measure("calibrated_coverage"),
    Measure("hit"),
    Measure("width_error", better="lower", maximum=None),
    *(Measure(f"{name}_{truth}") for name in ("overlaps", "covers", "fraction") for truth in _VERSUS),
    Measure("interval_score", better="lower", maximum=None),
    *(Measure(name, better="neither", minimum=None, maximum=None) for name in ("width", "bias")),
    *(
        Measure(f"{name}_{truth}", better="neither", minimum=None, maximum=None)
        for name in ("inside", "calibration", "log_width_ratio")
        for truth in _VERSUS
    ),
)
