"""Arrays in, frozen results out. Imports nothing of ours but intervals and errors: it can be reviewed alone."""

from trueness.intervals import Interval
from trueness.statistics.agreement import gwet_ac1, krippendorff_alpha, weighted_kappa
from trueness.statistics.comparison import Comparison
from trueness.statistics.effect_sizes import cliffs_delta
from trueness.statistics.estimates import mean
from trueness.statistics.multiplicity import adjusted
from trueness.statistics.paired import paired_difference
from trueness.statistics.ppi import prediction_powered_mean
from trueness.statistics.proportions import share
from trueness.statistics.rank_correlations import rank_correlation
from trueness.statistics.ranks import rank
from trueness.statistics.reach import PairedDesign, Reach, units_for_power
from trueness.statistics.result import Estimate
from trueness.statistics.unpaired import auc, unpaired_difference
from trueness.statistics.variances import levene, variance_ratio

__all__ = [
    "Comparison",
    "Estimate",
    "Interval",
    "PairedDesign",
    "Reach",
    "adjusted",
    "auc",
    "cliffs_delta",
    "gwet_ac1",
    "krippendorff_alpha",
    "levene",
    "mean",
    "paired_difference",
    "prediction_powered_mean",
    "rank",
    "rank_correlation",
    "share",
    "units_for_power",
    "unpaired_difference",
    "variance_ratio",
    "weighted_kappa",
]
