"""Every chart of the gallery: its numbers and its drawing as SVG, under a second each.

Below each, without a target, the same with PNG, PDF and CSV beside it, as `trueness report` saves it. CPU seconds of
this process, the median after one call that is not counted (the renderer starts with the first chart).
"""

import harness

import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

from gallery import makers

LIMIT = 1.0


def cpu_seconds(call, repeats):
    call()
    times = []
    for _ in range(repeats):
        began = time.process_time()
        call()
        times.append(time.process_time() - began)
    return statistics.median(times)


def main():
    options = harness.options(__doc__)
    lines = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for name, make in makers(folder):
            drawn = cpu_seconds(lambda make=make: make().save(folder, ("svg",)), options.repeats)
            saved = cpu_seconds(lambda make=make: make().save(folder), options.repeats)
            lines.append(harness.Line(f"{name}, CPU", drawn, LIMIT, limit=True))
            lines.append(harness.Line(f"{name}, all formats, CPU", saved, None))
    harness.finish("charts", lines, (), options.json)


if __name__ == "__main__":
    main()
