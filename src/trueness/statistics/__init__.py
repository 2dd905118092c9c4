"""Arrays in, frozen results out. Imports nothing of ours but intervals and errors: it can be reviewed alone."""

from trueness.statistics.agreement import gwet_ac1, krippendorff_alpha, weighted_kappa
from trueness.statistics.auc import auc
from trueness.statistics.bootstrap import bootstrap_means
from trueness.statistics.comparison import Comparison
from trueness.statistics.convergence import Checkpoint, Convergence, convergence
from trueness.statistics.effect_sizes import cliffs_delta, magnitude, paired_superiority
from trueness.statistics.equivalence_tests import Equivalence, paired_equivalence, unpaired_equivalence
from trueness.statistics.estimates import hierarchical_mean, mean
from trueness.statistics.icc import icc
from trueness.statistics.mixed_model import MixedFit, mixed_difference
from trueness.statistics.multiplicity import adjust, adjusted, verdict_levels
from trueness.statistics.paired import paired_difference, wilcoxon
from trueness.statistics.power import PairedDesign, simulated_power, units_for_power
from trueness.statistics.ppi import prediction_powered_mean
from trueness.statistics.proportions import clopper_pearson, jeffreys, proportion, rule_of_three, share, wilson
from trueness.statistics.rank_correlations import rank_correlation
from trueness.statistics.ranks import Ranking, critical_difference, rank
from trueness.statistics.reach import (
    Reach,
    detectable_difference,
    smallest_adjusted_p,
    smallest_p,
    standard_error_of_mean,
    units_needed,
)
from trueness.statistics.result import Effect, Estimate, Result, latex_table
from trueness.statistics.runs import QuantileBounds, RunSummary, quantile_bounds, summarise_columns, summarise_runs
from trueness.statistics.unpaired import mann_whitney, unpaired_difference
from trueness.statistics.variances import levene, pitman_morgan, variance_ratio

__all__ = [
    "Checkpoint",
    "Comparison",
    "Convergence",
    "Effect",
    "Equivalence",
    "Estimate",
    "MixedFit",
    "PairedDesign",
    "QuantileBounds",
    "Ranking",
    "Reach",
    "Result",
    "RunSummary",
    "adjust",
    "adjusted",
    "auc",
    "bootstrap_means",
    "cliffs_delta",
    "clopper_pearson",
    "convergence",
    "critical_difference",
    "detectable_difference",
    "gwet_ac1",
    "hierarchical_mean",
    "icc",
    "jeffreys",
    "krippendorff_alpha",
    "latex_table",
    "levene",
    "magnitude",
    "mann_whitney",
    "mean",
    "mixed_difference",
    "paired_difference",
    "paired_equivalence",
    "paired_superiority",
    "pitman_morgan",
    "prediction_powered_mean",
    "proportion",
    "quantile_bounds",
    "rank",
    "rank_correlation",
    "rule_of_three",
    "share",
    "simulated_power",
    "smallest_adjusted_p",
    "smallest_p",
    "standard_error_of_mean",
    "summarise_columns",
    "summarise_runs",
    "units_for_power",
    "units_needed",
    "unpaired_difference",
    "unpaired_equivalence",
    "variance_ratio",
    "verdict_levels",
    "weighted_kappa",
    "wilcoxon",
    "wilson",
]
