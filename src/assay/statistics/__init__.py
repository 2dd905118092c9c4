"""Arrays in, frozen results out. Imports nothing of ours but intervals and errors: it can be reviewed alone."""

from assay.statistics.bootstrap import bootstrap_means
from assay.statistics.convergence import Checkpoint, Convergence, convergence
from assay.statistics.proportions import wilson
from assay.statistics.reach import (
    Reach,
    detectable_difference,
    smallest_adjusted_p,
    smallest_p,
    standard_error_of_mean,
    units_needed,
)
from assay.statistics.runs import Bounds, RunSummary, quantile_bounds, summarise_columns, summarise_runs

__all__ = [
    "Bounds",
    "Checkpoint",
    "Convergence",
    "Reach",
    "RunSummary",
    "bootstrap_means",
    "convergence",
    "detectable_difference",
    "quantile_bounds",
    "smallest_adjusted_p",
    "smallest_p",
    "standard_error_of_mean",
    "summarise_columns",
    "summarise_runs",
    "units_needed",
    "wilson",
]
