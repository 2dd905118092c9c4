"""One file a chart: the frame it draws (one row a mark), how it is drawn, what its caption says."""

from trueness.showing.chart_critical_difference import ranks, ranks_chart, ranks_frame
from trueness.showing.chart_measured import measured, measured_chart, measured_frame
from trueness.studies.discovery.charts import (
    dag,
    dag_chart,
    dag_frame,
    majority,
    ranks_of_learners,
    runtime,
    runtime_chart,
    runtime_frame,
)  # fmt: skip
from trueness.studies.faithfulness.chart_probes import probes, probes_chart, probes_frame
from trueness.studies.forecast.chart_calibration import calibration, calibration_chart, calibration_frame
from trueness.studies.forecast.chart_consistency import consistency, consistency_chart, consistency_frame
from trueness.studies.forecast.chart_differences import differences, differences_chart, differences_frame
from trueness.studies.forecast.chart_heatmap import heatmap, heatmap_chart, heatmap_frame
from trueness.studies.forecast.chart_intervals import intervals, intervals_chart, intervals_frame
from trueness.studies.forecast.chart_ranks import ranks_of_respondents
from trueness.studies.forecast.chart_runs import runs, runs_chart, runs_frame
from trueness.studies.population.chart_distribution import distribution, distribution_chart, distribution_frame
from trueness.studies.robustness.charts import (
    degradation,
    degradation_chart,
    degradation_frame,
    k_lambda,
    k_lambda_cells,
    k_lambda_chart,
    sensitivity,
    sensitivity_chart,
    sensitivity_frame,
)

__all__ = [
    "calibration",
    "calibration_chart",
    "calibration_frame",
    "consistency",
    "consistency_chart",
    "consistency_frame",
    "dag",
    "dag_chart",
    "dag_frame",
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
    "majority",
    "measured",
    "measured_chart",
    "measured_frame",
    "probes",
    "probes_chart",
    "probes_frame",
    "ranks",
    "ranks_chart",
    "ranks_frame",
    "ranks_of_learners",
    "ranks_of_respondents",
    "runs",
    "runs_chart",
    "runs_frame",
    "runtime",
    "runtime_chart",
    "runtime_frame",
    "sensitivity",
    "sensitivity_chart",
    "sensitivity_frame",
]
