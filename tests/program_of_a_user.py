"""What a user's type checker sees: no name of `import trueness` is Any. mypy reads this file with the package."""

from typing import assert_type

import trueness
from trueness.learners.base import Learner

assert_type(trueness.learner("pc"), Learner)
assert_type(trueness.load("asia"), trueness.Dataset)
assert_type(trueness.compare("results/paper", "pc", "ges"), trueness.Comparison)
assert_type(trueness.learn("data.csv"), trueness.Learned)
