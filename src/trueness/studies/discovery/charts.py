"""The charts of a discovery study."""

from trueness.showing.chart_measured import measured
from trueness.studies.discovery.chart_dag import dag
from trueness.studies.discovery.chart_ranks import ranks_of_learners
from trueness.studies.discovery.chart_runtime import runtime

__all__ = ["dag", "measured", "ranks_of_learners", "runtime"]
