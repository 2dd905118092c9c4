"""The charts of a forecast study."""

from trueness.studies.forecast.chart_calibration import calibration
from trueness.studies.forecast.chart_consistency import consistency
from trueness.studies.forecast.chart_differences import differences
from trueness.studies.forecast.chart_heatmap import heatmap
from trueness.studies.forecast.chart_intervals import intervals
from trueness.studies.forecast.chart_ranks import ranks_of_respondents
from trueness.studies.forecast.chart_runs import runs

__all__ = ["calibration", "consistency", "differences", "heatmap", "intervals", "ranks_of_respondents", "runs"]
