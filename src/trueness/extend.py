"""What a learner, a data set, a model or a study of one's own is made of: docs/adding.md has one of each."""

from trueness.datasets.dataset import About, Anonymous
from trueness.datasets.synthetic import Synthetic
from trueness.errors import PlanError
from trueness.learners.base import checked
from trueness.learners.contract import check_learner
from trueness.measure import Measure
from trueness.models.base import Message, Reply, Settings, read_options
from trueness.running.cells import Cell, reply_key
from trueness.settings import Hint, NotEmpty, Whole
from trueness.status import Status

__all__ = ["About", "Anonymous", "Cell", "Hint", "Measure", "Message", "NotEmpty", "PlanError", "Reply", "Settings",
           "Status", "Synthetic", "Whole", "check_learner", "checked", "read_options", "reply_key"]  # fmt: skip
