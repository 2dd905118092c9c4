"""One file a chart: the frame it draws (one row a mark), how it is drawn, what its caption says."""

from assay.report.charts.calibration import calibration, calibration_chart, calibration_frame
from assay.report.charts.corruption import corruption, corruption_chart, corruption_frame
from assay.report.charts.degradation import degradation, degradation_chart, degradation_frame
from assay.report.charts.differences import differences, differences_chart, differences_frame
from assay.report.charts.distribution import distribution, distribution_chart, distribution_frame
from assay.report.charts.heatmap import heatmap, heatmap_chart, heatmap_frame
from assay.report.charts.intervals import intervals, intervals_chart, intervals_frame
from assay.report.charts.k_lambda import k_lambda, k_lambda_cells, k_lambda_chart
from assay.report.charts.probes import probes, probes_chart, probes_frame
from assay.report.charts.runs import runs, runs_chart, runs_frame
from assay.report.charts.sensitivity import sensitivity, sensitivity_chart, sensitivity_frame

__all__ = [
    "calibration",
    "calibration_chart",
    "calibration_frame",
    "corruption",
    "corruption_chart",
    "corruption_frame",
    "degradation",
    "degradation_chart",
    "degradation_frame",
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
    "k_lambda",
    "k_lambda_cells",
    "k_lambda_chart",
    "probes",
    "probes_chart",
    "probes_frame",
    "runs",
    "runs_chart",
    "runs_frame",
    "sensitivity",
    "sensitivity_chart",
    "sensitivity_frame",
]
