"""The statistics on any scores table: `trueness analyse`.

loading, logs     files and logs of other harnesses -> frames
schema, shares    which column is what, and what its values mean
values, domain    what a run scored -> tidy runs
roles, cells      who is compared with whom -> paired cells
contrasts, rules, conditions, flags -> analysis -> lines, sentences, documents, charts
"""

from trueness.analyse.analysis_settings import AnalysisSettings
from trueness.analyse.loading import read_tables
from trueness.analyse.scores_analysis import DomainAnalysis, ScoresAnalysis, analyse

__all__ = ["AnalysisSettings", "DomainAnalysis", "ScoresAnalysis", "analyse", "read_tables"]
