"""One file a chart: the frame it draws (one row a mark), how it is drawn, what its caption says."""

from assay.report.charts.calibration import calibration, calibration_chart, calibration_frame
from assay.report.charts.differences import differences, differences_chart, differences_frame
from assay.report.charts.distribution import distribution, distribution_chart, distribution_frame
from assay.report.charts.heatmap import heatmap, heatmap_chart, heatmap_frame
from assay.report.charts.intervals import intervals, intervals_chart, intervals_frame
from assay.report.charts.runs import runs, runs_chart, runs_frame

__all__ = [
    "calibration",
    "calibration_chart",
    "calibration_frame",
    "differences",
    "differences_chart",
    "differences_frame",
    "distribution",
    "distribution_chart",
    "distribution_frame",
    "heatmap",
    "heatmap_chart",
    "heatmap_frame",
    "intervals",
    "intervals_chart",
    "intervals_frame",
    "runs",
    "runs_chart",
    "runs_frame",
]
