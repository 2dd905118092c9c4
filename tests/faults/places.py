"""A small study of every kind, its undisturbed result, and its driver as a process that can be killed."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests import forked

HERE = Path(__file__).resolve().parent
MODEL = f"{HERE / 'counted_model.py'}:Counted"
SLOW = f"{HERE.parent / 'studies' / 'outside_learners.py'}:Slow"
_DISCOVERY = f"""
[discovery]
datasets = ["survey", "synthetic-5"]
learners = ["random", "slow"]
runs = 30
rows = 300
[discovery.slow]
learner = "{SLOW}"
nap = 0.02
"""
PLANS = {
    "discovery": _DISCOVERY,
    "forecast": _DISCOVERY.replace("runs = 30", "runs = 4") + f'[forecast]\nmodels = ["{MODEL}"]\nrepeats = 3\n',
    "population": f"""
[population]
models = ["{MODEL}"]
tasks = ["yrbss_helmet_by_sex", "acs_citizen_by_race"]
modes = ["sample", "distribution"]
references = ["uniform"]
draws = 40
""",
    "learn": """
[learn]
data = "survey"
rows = 300
learners = ["pc", "ges"]
twins = 1
draws = 2
resamples = 6
""",
    "faithfulness": f"""
[faithfulness]
problems = ["physics"]
corrupt = true
judges = ["{MODEL}"]
judged = 3
repeats = 2
""",
    "robustness": """
[robustness]
datasets = ["series"]
corruptions = ["clean", "mcar_30"]
scorers = ["granger", "correlation"]
seeds = 10
rows = 200
subsamples = 4
k_seeds = 1
[datasets.series]
kind = "var"
graphs = 2
nodes = 5
lags = 1
""",
}


SLOWER = {"cluster": _DISCOVERY.replace("nap = 0.02", "nap = 0.1")}  # time for a blow


@dataclass(frozen=True)
class Place:
    """One study folder and the bill of its model."""

    kind: str
    root: Path
    environment: Mapping[str, str]

    @classmethod
    def make(cls, kind: str, root: Path, **environment: str) -> Place:
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir(parents=True)
        (root / "plan.toml").write_text(f'name = "{kind}"\nseed = 4\n{(PLANS | SLOWER)[kind]}')
        return cls(kind, root, {**os.environ, "TRUENESS_TEST_BILL": str(root / "bill.txt"), **environment})

    @property
    def folder(self) -> Path:
        return self.root / "out"

    def start(self, *options: str) -> forked.Started:
        run = ("run", self.root / "plan.toml", "--folder", self.folder, "--workers", "1", "--json", *options)
        return forked.Started(run, environment=self.environment, charts=False)

    def finish(self, *options: str, seconds: float = 300) -> tuple[int, str]:
        """The exit code and what was told, of a driver that nobody disturbs."""
        driver = self.start(*options)
        _, told = driver.communicate(timeout=seconds)
        return driver.returncode, told

    def bytes(self) -> bytes:
        return (self.folder / "scores.csv").read_bytes()

    def bill(self) -> Counter[str]:
        """How often each question was answered, and so paid for."""
        path = Path(self.environment["TRUENESS_TEST_BILL"])
        return Counter(path.read_text().split()) if path.exists() else Counter()

    def stored(self) -> int:
        """Replies in the store that were answered."""
        return self._count("SELECT count(*) FROM replies WHERE cost > 0")

    def units(self) -> int:
        return self._count("SELECT count(*) FROM runs")

    def twice(self) -> int:
        """Units that are counted more than once."""
        return self._count("SELECT count(*) FROM (SELECT 1 FROM runs GROUP BY task, item, variant, respondent, repeat "
                           "HAVING count(*) > 1)")  # fmt: skip

    def failed(self) -> int:
        return self._count("SELECT count(*) FROM runs WHERE status != 'ok'")

    def statuses(self) -> dict[str, set[str]]:
        """Respondent -> the statuses of its units."""
        found: dict[str, set[str]] = {}
        with sqlite3.connect(f"file:{self.folder / 'study.db'}?mode=ro", uri=True) as database:
            for respondent, status in database.execute("SELECT DISTINCT respondent, status FROM runs"):
                found.setdefault(respondent, set()).add(status)
        return found

    def _count(self, statement: str) -> int:
        path = self.folder / "study.db"
        if not path.exists():
            return 0
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
            try:
                return int(database.execute(statement).fetchone()[0])
            except sqlite3.OperationalError:  # killed before the first table was made
                return 0
