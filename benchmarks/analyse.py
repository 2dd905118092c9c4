"""`trueness analyse` on the three published files of a skill experiment: CPU seconds after start.

The files are not part of the project: they are looked for in $TRUENESS_GOLDEN, or beside the repository; without them
the invented example is analysed three times over instead, and the line says so.
"""

import harness  # first: it sets the number of threads
import os
import time
from pathlib import Path

import numpy as np
import pandas as pd

from trueness.analyse import AnalysisSettings, analyse, read_tables
from trueness.analyse.reading import AnalysisReading
from trueness.page.standalone import analysis_html

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = AnalysisSettings(
    baseline="none",
    treatment="pseudocode",
    one_sided=True,
    exclude=("model=glm-4.7-flash",),
    strip_prefix="zai-coding-plan/",
)
INVENTED = AnalysisSettings(baseline="none", treatment="examples", strip_prefix="north/")


def files():
    folder = Path(os.environ.get("TRUENESS_GOLDEN", ROOT.parent / "shared" / "golden")) / "skills"
    found = [folder / f"{name}.csv" for name in ("chart", "dockerfile", "sql")]
    if all(path.is_file() for path in found):
        return [str(path) for path in found], SETTINGS, "the three published files"
    example = ROOT / "examples" / "scores.csv"
    return [f"{name}={example}" for name in "abc"], INVENTED, "the invented example, three times"


def whole(paths, settings):
    found = analyse(read_tables(paths), settings)
    reading = AnalysisReading(found)
    tex = [table.to_latex() for table in reading.tables()]
    return reading.as_json(), reading.as_csv(), tex, analysis_html(reading)


def million():
    rng = np.random.default_rng(0)
    n = 1_000_000
    return pd.DataFrame(
        {
            "model": np.array(["a", "b", "c", "d"])[rng.integers(4, size=n)],
            "condition": np.array(["none", "new"])[rng.integers(2, size=n)],
            "task": rng.integers(200, size=n),
            "correct": rng.random(n) < 0.7,
        }
    )


def cpu_seconds(call):
    began = time.process_time()
    call()
    return time.process_time() - began


def main():
    options = harness.options(__doc__, quick=True)
    paths, settings, what = files()
    first = cpu_seconds(lambda: whole(paths, settings))  # with scipy.stats being imported: what a user waits for
    again = sorted(cpu_seconds(lambda: whole(paths, settings)) for _ in range(options.repeats))[options.repeats // 2]
    lines = [
        harness.Line(f"{what}, first call", first, 2.0, limit=True),
        harness.Line(f"{what}, once warm", again, None),
    ]
    if not options.quick:
        table = million()
        lines.append(harness.Line("1,000,000 runs", cpu_seconds(lambda: analyse({"large": table})), None))
    harness.finish("analyse", lines, ("CPU seconds of this process after the imports of the module",), options.json)


if __name__ == "__main__":
    main()
