"""What the runner adds to a fit: 2,400 trivial fits, time of the whole study less the fits' own, per fit.

The work of a unit is drawing its rows, the fit, and scoring all measures; the runner is everything else: processes,
pipes, hashing, SQLite, and the files that are written at the end. Measured with one worker, so that nothing overlaps.
"""

import tempfile
import time
from pathlib import Path

import harness  # first: it sets the number of threads

from trueness.running.engine import local_executor
from trueness.running.study import Plan, Study
from trueness.studies.discovery.work import perform, perform_each

FITS = 2400
PLAN = f"""
name = "trivial"
[discovery]
datasets = ["cancer", "asia", "synthetic-5"]
learners = ["random", "again"]
runs = {FITS // 6}
rows = 100
[discovery.again]
learner = "random"
edges_per_node = 1
"""
RESAMPLES = """
[discovery]
datasets = ["sachs"]
learners = ["pc"]
runs = 500
"""


def seconds_of_the_work(study):
    """The same units in this process, one after another, without the runner."""
    for cell in study.cells:
        perform(cell.common, cell.unit(0))
    began = time.perf_counter()
    for cell in study.cells:
        for repeat in range(cell.repeats):
            perform(cell.common, cell.unit(repeat))
    return time.perf_counter() - began


def cpu_of_units():
    """CPU seconds a unit of PC on resamples of sachs, as one chunk and one by one; its graphs were scored before."""
    (cell,) = Plan.parse(RESAMPLES, "resamples.toml").task.cells()
    units = [cell.unit(repeat) for repeat in range(cell.repeats)]
    list(perform_each(cell.common, units))
    times = [time.process_time()]
    list(perform_each(cell.common, units))
    times.append(time.process_time())
    for unit in units:
        perform(cell.common, unit)
    times.append(time.process_time())
    return (times[1] - times[0]) / len(units), (times[2] - times[1]) / len(units)


def seconds_of_the_study(study):
    with local_executor(1) as (executor, slots):
        began = time.perf_counter()
        study.run(executor, slots)
        return time.perf_counter() - began


def main():
    options = harness.options(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        study = Study(Plan.parse(PLAN, "trivial.toml", folder=Path(folder) / "study"))
        work = seconds_of_the_work(study)
        whole = seconds_of_the_study(study)
        began = time.perf_counter()
        with local_executor(1) as (executor, slots):
            study.run(executor, slots)
        again = time.perf_counter() - began
    added = (whole - work) / FITS
    together, alone = cpu_of_units()
    lines = [
        harness.Line(f"added to each of {FITS:,} fits", added, 0.002, limit=True),
        harness.Line("PC on sachs: draw and fit, runs of a chunk", together, 1, "one by one", alone),
    ]
    notes = (
        f"study {whole:.2f} s, of which drawing, fitting and scoring {work:.2f} s ({work / FITS * 1e3:.2f} ms a fit)",
        f"the same command again, nothing to do: {again:.2f} s",
    )
    harness.finish("runner", lines, notes, options.json)


if __name__ == "__main__":
    main()
