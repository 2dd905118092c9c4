"""CPU time of commands that only look, and of a run of one fit with its tables, charts, page and PDF."""

import os
import resource
import statistics
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import harness

PLAN = """name = "one"
folder = "{folder}"
[discovery]
datasets = ["{datasets}"]
learners = ["{learners}"]
runs = {runs}
"""


def cpu_seconds(*arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "trueness", *arguments]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main():
    options = harness.options(__doc__)

    def line(what, target, *arguments):
        cpu_seconds(*arguments)
        times = [cpu_seconds(*arguments) for _ in range(options.repeats)]
        return harness.Line(what, statistics.median(times), target, limit=True)

    def run_anew(plan, folder):
        shutil.rmtree(folder, ignore_errors=True)
        return cpu_seconds("run", str(plan))

    place = Path(tempfile.mkdtemp())
    os.chdir(place)  # a plan writes below the folder that it is run in
    some, one = Path("some.toml"), Path("one.toml")
    some.write_text(PLAN.format(folder="some", datasets="asia", learners='pc", "ges', runs=8))
    one.write_text(PLAN.format(folder="one", datasets="asia", learners="pc", runs=1))
    cpu_seconds("run", str(some))
    run_anew(one, "one")
    runs = statistics.median([run_anew(one, "one") for _ in range(options.repeats)])
    lines = [
        line("trueness --help, CPU", 0.3, "--help"),
        line("trueness list learners, CPU", 0.4, "list", "learners"),
        line("trueness list datasets, CPU", 0.4, "list", "datasets"),
        line("trueness show of 16 fits, CPU", 1.5, "show", "some"),
        harness.Line("trueness run of one fit, CPU", runs, 2.0, limit=True),
    ]
    shutil.rmtree(place)
    harness.finish("startup", lines, (), options.json)


if __name__ == "__main__":
    main()
