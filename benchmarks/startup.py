"""CPU time of `trueness --help`, and of the other commands that only look."""

import resource
import statistics
import subprocess
import sys

import harness


def cpu_seconds(*arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "trueness", *arguments], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main():
    options = harness.options(__doc__)

    def line(what, target, *arguments):
        cpu_seconds(*arguments)
        times = [cpu_seconds(*arguments) for _ in range(options.repeats)]
        return harness.Line(what, statistics.median(times), target, limit=True)

    lines = [
        line("trueness --help, CPU", 0.3, "--help"),
        line("trueness list learners, CPU", None, "list", "learners"),
        line("trueness list datasets, CPU", None, "list", "datasets"),
    ]
    harness.finish("startup", lines, (), options.json)


if __name__ == "__main__":
    main()
