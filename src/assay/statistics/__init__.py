"""Arrays in, frozen results out. Imports nothing of ours but intervals and errors: it can be reviewed alone."""

from assay.statistics.bootstrap import bootstrap_means
from assay.statistics.comparison import Comparison, adjust, adjusted
from assay.statistics.convergence import Checkpoint, Convergence, convergence
from assay.statistics.correlation import rank_correlation
from assay.statistics.effects import cliffs_delta, magnitude, paired_superiority
from assay.statistics.estimates import hierarchical_mean, mean
from assay.statistics.paired import paired_difference, wilcoxon
from assay.statistics.proportions import clopper_pearson, jeffreys, proportion, rule_of_three, share, wilson
from assay.statistics.reach import (
    Reach,
    detectable_difference,
    smallest_adjusted_p,
    smallest_p,
    standard_error_of_mean,
    units_needed,
)
from assay.statistics.result import Effect, Estimate, Result, latex_table
from assay.statistics.runs import Bounds, RunSummary, quantile_bounds, summarise_columns, summarise_runs
from assay.statistics.unpaired import mann_whitney, unpaired_difference

__all__ = [
    "Bounds",
    "Checkpoint",
    "Comparison",
    "Convergence",
    "Effect",
    "Estimate",
    "Reach",
    "Result",
    "RunSummary",
    "adjust",
    "adjusted",
    "bootstrap_means",
    "cliffs_delta",
    "clopper_pearson",
    "convergence",
    "detectable_difference",
    "hierarchical_mean",
    "jeffreys",
    "latex_table",
    "magnitude",
    "mann_whitney",
    "mean",
    "paired_difference",
    "paired_superiority",
    "proportion",
    "quantile_bounds",
    "rank_correlation",
    "rule_of_three",
    "share",
    "smallest_adjusted_p",
    "smallest_p",
    "standard_error_of_mean",
    "summarise_columns",
    "summarise_runs",
    "units_needed",
    "unpaired_difference",
    "wilcoxon",
    "wilson",
]
