"""A learner that asks for more memory than there is."""

import resource

import numpy as np

from tests.studies.outside_learners import Outside


class Hungry(Outside):
    def fit(self, data, rng):
        before = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (2**32, before[1]))
        try:
            return np.ones(2**31).sum()
        finally:
            resource.setrlimit(resource.RLIMIT_AS, before)
