"""The statistics on any scores table: `trueness analyse`.

loading          files and logs of other harnesses -> frames
scores_schema    which column is what
run_scores       what a run scored; domain: tidy runs
contrasts        who is compared with whom, and how; breakdown: conditions, rules, models, families, flags
scores_analysis  the whole of it -> reading: findings, tables

`trueness.analyse(...)` is the command from Python: the name is that of this package, so the package can be called.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from trueness.analyse.analysis_settings import AnalysisSettings
from trueness.analyse.breakdown import DomainAnalysis
from trueness.analyse.loading import read_tables
from trueness.analyse.scores_analysis import ScoresAnalysis, analyse

if TYPE_CHECKING:
    import pandas as pd

    from trueness.analyse.reading import AnalysisReading

__all__ = ["AnalysisSettings", "DomainAnalysis", "ScoresAnalysis", "analyse", "read_tables"]


def analyse_data(data: str | Path | Sequence[str | Path] | pd.DataFrame, **settings: object) -> AnalysisReading:
    """Analyse scores: a file, several files, or a DataFrame with one row per run.

    settings: those of `trueness analyse` (baseline, treatment, unit, cluster, adjust, ...). The answer has
    `as_json()` (all numbers, unrounded), `as_csv()`, `as_text()`, `tables()` and `summary()`.
    """
    from trueness.analyse.reading import AnalysisReading

    files = [data] if isinstance(data, str | Path) else data
    tables = read_tables(files) if isinstance(files, Sequence) else {"scores": files}
    return AnalysisReading(analyse(tables, AnalysisSettings().with_values(settings, "trueness.analyse")))


class _Called(ModuleType):
    __call__ = staticmethod(analyse_data)


sys.modules[__name__].__class__ = _Called
