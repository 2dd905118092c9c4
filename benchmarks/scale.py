"""A million fits through the runner: rate, memory over time, size of the database, time to resume, to read, to report.

The plan has 10 data sets x 10 learners, all trivial (three columns, 30 rows, a random graph), so that what is measured
is the runner: keys, chunks, pipes, SQLite, and the files at the end. Each step is a process of its own:

    parts       what a fit costs in the driver, part by part, and a task in a Dask scheduler
    first       until half of the fits are stored, then its driver is killed (kill -9)
    second      the same command: finds what is left, does it, writes the files
    again       the same command with nothing left, until it knows so
    read        the table and the summaries, as Python reads them
    report      `trueness report`: all files, tables, charts, page
    show        `trueness show --json`: a line a cell and measure
    once        with --once: the same study without a kill, whose scores.csv must have the same bytes

CPU seconds are what the steps cost; wall-clock seconds hang on what else the machine does. Memory is what a process
holds (VmRSS), looked at 60 times a run. `python benchmarks/scale.py --fits 20000` is a smaller one.
"""

import harness  # first: it sets the number of threads

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

SIDES = 10  # data sets, and learners
LOOKS = 60  # at memory, over a run
MEGABYTE = 1e6
READY_PER_FIT = 50e-6  # CPU seconds a fit that a resumed driver may take until it works
DRIVER_PER_FIT = 1e-3  # CPU seconds a fit, files at the end included


def write_plan(folder: Path, fits: int) -> Path:
    """Ten tables of three columns, ten learners that draw a graph at random."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(1)
    sets = [f"data-{k}" for k in range(SIDES)]
    learners = [f"random-{k}" for k in range(SIDES)]
    text = f'name = "scale"\n[discovery]\ndatasets = {json.dumps(sets)}\nlearners = {json.dumps(learners)}\n'
    text += f"runs = {fits // SIDES**2}\n"
    for k, name in enumerate(learners):
        text += f'[discovery.{name}]\nlearner = "random"\nedges_per_node = {0.2 + 0.1 * k:.1f}\n'
    for name in sets:
        text += f'[datasets.{name}]\ndata = "{name}.csv"\ngraph = "chain.dot"\n'
        rows = rng.standard_normal((30, 3)).round(3).tolist()
        (folder / f"{name}.csv").write_text("\n".join(["a,b,c", *(",".join(map(str, row)) for row in rows)]) + "\n")
    (folder / "chain.dot").write_text("digraph { a -> b -> c }\n")
    plan = folder / "scale.toml"
    plan.write_text(text)
    return plan


def held(pid: int) -> float:
    """MB that a process holds; 0 when it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:")), 0.0)


def children() -> list[int]:
    return [int(pid) for path in Path("/proc/self/task").iterdir() for pid in (path / "children").read_text().split()]


def cpu_of(pid: int) -> float:
    """CPU seconds of a process that still runs."""
    ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


@dataclass
class Watch:
    """A progress report that looks at memory; at `stop` stored fits it writes what it saw and kills this process."""

    out: Path
    stop: int | None
    began: float = field(default_factory=time.perf_counter)
    ready_s: float = 0.0  # until the first report: wall, then CPU
    ready_cpu_s: float = 0.0
    left_at_first: int = 0
    last_s: float = 0.0
    last_cpu_s: float = 0.0  # of the driver
    stored: int = 0
    looks: list[tuple[int, float, float]] = field(default_factory=list)  # stored, MB of the driver, of a worker

    def __call__(self, progress) -> None:
        self.stored = progress.before + progress.done
        self.last_s, self.last_cpu_s = time.perf_counter() - self.began, time.process_time()
        if not self.ready_s:
            self.ready_s, self.ready_cpu_s, self.left_at_first = (
                self.last_s,
                self.last_cpu_s,
                progress.total - self.stored,
            )
        if progress.done >= len(self.looks) * progress.total / LOOKS or self.stored == progress.total:
            self.looks.append((self.stored, held(os.getpid()), max(map(held, children()), default=0.0)))
        if self.stop is not None and self.stored >= self.stop:
            self.write({"workers_cpu_s": sum(map(cpu_of, children()))})
            os.kill(os.getpid(), signal.SIGKILL)

    def write(self, more: dict) -> None:
        seen = {name: value for name, value in asdict(self).items() if name not in ("out", "stop", "began")}
        self.out.write_text(json.dumps(seen | more))


def run(plan: Path, folder: Path, workers: int, out: Path, stop: int | None) -> None:
    """One step, in this process."""
    watch = Watch(out, stop)
    from trueness.running.engine import local_executor
    from trueness.running.study import Plan, Study

    study = Study(Plan.read(plan, folder))
    with local_executor(workers) as (executor, slots):
        study.run(executor, slots, watch)
    own, theirs = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    more = {"writing_s": time.perf_counter() - watch.began - watch.last_s}
    more |= {"writing_cpu_s": time.process_time() - watch.last_cpu_s, "driver_most_mb": own.ru_maxrss / 1024}
    watch.write(more | {"workers_cpu_s": theirs.ru_utime + theirs.ru_stime})


def read(folder: Path, out: Path) -> None:
    """The results as Python reads them: the table cell by cell, and a summary of every cell."""
    from trueness.running.results import Results

    times = [(time.perf_counter(), time.process_time())]
    results = Results.read(folder)
    rows = sum(1 for _ in results.rows())
    times.append((time.perf_counter(), time.process_time()))
    summaries = sum(1 for _ in results.each_summary())
    times.append((time.perf_counter(), time.process_time()))
    (rows_s, rows_cpu_s), (summaries_s, summaries_cpu_s) = np.diff(times, axis=0).tolist()
    found = {"rows": rows, "rows_s": rows_s, "rows_cpu_s": rows_cpu_s, "summaries": summaries}
    found |= {"summaries_s": summaries_s, "summaries_cpu_s": summaries_cpu_s}
    out.write_text(json.dumps(found | {"most_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))


def command(name: str, folder: Path, out: Path) -> None:
    """As a user gives it, with the processes that draw its charts."""
    began = time.perf_counter()
    program = [sys.executable, "-m", "trueness", name, str(folder), "--json"]
    code = subprocess.run(program, stdout=subprocess.DEVNULL).returncode
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = {"code": code, "wall_s": time.perf_counter() - began, "cpu_s": spent.ru_utime + spent.ru_stime}
    out.write_text(json.dumps(found | {"most_mb": spent.ru_maxrss / 1024}))


def parts(out: Path) -> None:
    """What a fit costs in the driver, part by part, in CPU seconds: its key, its row and scores in SQLite, and what a
    Dask scheduler, a process of its own, takes for a chunk that does nothing."""
    from trueness.running.store import Run, Store
    from trueness.running.cells import Cell

    chunks, size, measures = 40, 256, 20
    began = time.process_time()
    keys = Cell("item", "clean", "learner", chunks * size, {}, {"settings": {"alpha": 0.05}}).keys
    found = {"key_s": (time.process_time() - began) / len(keys)}
    scores = {f"measure {k}": (k / 7, "ok") for k in range(measures)}
    graph = '{"edges":[]}' * 12
    runs = [Run(key, "item", "clean", "learner", r, "ok", "", 0.1, graph, scores) for r, key in enumerate(keys)]
    with tempfile.TemporaryDirectory() as folder, Store.writing(Path(folder)) as store:
        began = time.process_time()
        for start in range(0, len(runs), size):
            store.add("discovery", runs[start : start + size])
        found["store_s"] = (time.process_time() - began) / len(runs)
    found["rows_a_second"] = (1 + measures) / found["store_s"]
    out.write_text(json.dumps(found | dask_parts(chunks * 50)))


def dask_parts(tasks: int) -> dict:
    """CPU seconds a task of the scheduler and of the client that hands it out, and tasks a second of wall-clock."""
    from distributed import Client

    program = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"]
    scheduler = subprocess.Popen([*program, "--no-dashboard"], stderr=subprocess.PIPE, text=True)
    address = next(line.split()[-1] for line in scheduler.stderr if "Scheduler at:" in line)
    program = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard"]
    worker = subprocess.Popen(program, stderr=subprocess.DEVNULL)
    try:
        with Client(address, set_as_default=False) as client:
            client.wait_for_workers(1, timeout=60)
            executor = client.get_executor()
            [future.result() for future in [executor.submit(abs, -k) for k in range(100)]]
            wall, own, theirs = time.perf_counter(), time.process_time(), cpu_of(scheduler.pid)
            [future.result() for future in [executor.submit(abs, k) for k in range(1000, 1000 + tasks)]]
            wall, own = time.perf_counter() - wall, time.process_time() - own
            theirs = cpu_of(scheduler.pid) - theirs
    finally:
        for process in (worker, scheduler):
            process.kill()
            process.wait()
    return {"dask_client_s": own / tasks, "dask_scheduler_s": theirs / tasks, "dask_tasks_a_second": tasks / wall}


def perform(step: str, root: Path, fits: int, workers: int, out: Path) -> None:
    plan, folder = root / "scale.toml", root / "study"
    if step in ("first", "second", "again", "once"):
        stop = {"first": fits // 2, "again": fits}.get(step)
        run(plan, root / "once" if step == "once" else folder, workers, out, stop)
    elif step in ("report", "show"):
        command(step, folder, out)
    else:
        {"read": read, "parts": lambda _, out: parts(out)}[step](folder, out)


def measure(root: Path, asked: argparse.Namespace) -> dict:
    """Every step in a process of its own, in order."""
    write_plan(root, asked.fits)
    steps = [
        "parts",
        "first",
        "second",
        "again",
        "read",
        *["report", "show"] * (not asked.no_report),
        *["once"] * asked.once,
    ]
    found = {"fits": asked.fits, "workers": asked.workers}
    for step in steps:
        out = root / f"{step}.json"
        command = [sys.executable, __file__, "--root", str(root), "--step", step, "--out", str(out)]
        command += ["--fits", str(asked.fits), "--workers", str(asked.workers)]
        ended = subprocess.run(command, stdout=subprocess.DEVNULL).returncode
        if ended not in (0, -signal.SIGKILL) or not out.exists():
            sys.exit(f"step {step} ended with code {ended}")
        found[step] = json.loads(out.read_text())
        shown = {name: value for name, value in found[step].items() if name != "looks"}
        print(f"{step}: {json.dumps(shown)}", file=sys.stderr, flush=True)
    folder = root / "study"
    found["database_bytes"] = sum(path.stat().st_size for path in folder.glob("study.db*"))
    found["scores_bytes"] = (folder / "scores.csv").stat().st_size
    if asked.once:
        found["same_bytes"] = (folder / "scores.csv").read_bytes() == (root / "once" / "scores.csv").read_bytes()
    return found


def tell(found: dict, as_json: bool) -> None:
    """A table of what was measured; nothing in it is extrapolated."""
    fits, first, second, again = found["fits"], found["first"], found["second"], found["again"]
    working = [(step["last_s"] - step["ready_s"], step["last_cpu_s"] - step["ready_cpu_s"]) for step in (first, second)]
    wall, cpu = map(sum, zip(*working, strict=True))
    workers_cpu = first["workers_cpu_s"] + second["workers_cpu_s"]
    soon = READY_PER_FIT * fits + 5.0
    lines = [
        harness.Line(f"driver's CPU a fit, of {fits:,}", cpu / fits, None),
        harness.Line("files at the end, CPU a fit", second["writing_cpu_s"] / fits, None),
        harness.Line("driver's CPU a fit in all", (cpu + second["writing_cpu_s"]) / fits, DRIVER_PER_FIT, limit=True),
        harness.Line("workers' CPU a fit", workers_cpu / fits, None),
        harness.Line("resumed, half done: CPU until it works", second["ready_cpu_s"], soon, limit=True),
        harness.Line("resumed, all done: CPU until it knows", again["ready_cpu_s"], soon, limit=True),
        harness.Line("reading all rows, CPU", found["read"]["rows_cpu_s"], None),
        harness.Line("summaries of all cells, CPU", found["read"]["summaries_cpu_s"], None),
    ]
    seconds = {"ready with half done": second["ready_s"], "ready with all done": again["ready_s"]}
    seconds |= {
        "files": second["writing_s"],
        "rows": found["read"]["rows_s"],
        "summaries": found["read"]["summaries_s"],
    }
    most = {"driver with its files": second["driver_most_mb"], "reading": found["read"]["most_mb"]}
    for name in ("report", "show"):
        if name in found:
            lines.append(harness.Line(f"trueness {name}, CPU", found[name]["cpu_s"], None))
            seconds[name], most[name] = found[name]["wall_s"], found[name]["most_mb"]
    looks, part = first["looks"] + second["looks"], found["parts"]
    lines += [
        harness.Line("a key, CPU", part["key_s"], None),
        harness.Line("a fit into SQLite, CPU", part["store_s"], None),
        harness.Line("a task in the Dask scheduler, CPU", part["dask_scheduler_s"], None),
        harness.Line("a task in the Dask client, CPU", part["dask_client_s"], None),
    ]
    notes = [
        f"SQLite {part['rows_a_second']:,.0f} rows a second of CPU; Dask {part['dask_tasks_a_second']:,.0f} tasks a "
        "second of wall-clock, one worker",
        f"{fits / wall:,.0f} fits a second of wall-clock, {found['workers']} workers: {wall:,.0f} s in which driver "
        f"and workers had {(cpu + workers_cpu) / wall:.2f} cores",
        "wall-clock: " + ", ".join(f"{what} {value:.1f} s" for what, value in seconds.items()),
        f"memory of the driver while it works: {_course(looks, 1)}",
        f"memory of a worker: {_course(looks, 2)}",
        "memory at most: " + ", ".join(f"{what} {value:.0f} MB" for what, value in most.items()),
        f"study.db {found['database_bytes'] / MEGABYTE:,.0f} MB, {found['database_bytes'] / fits:,.0f} bytes a fit; "
        f"scores.csv {found['scores_bytes'] / MEGABYTE:,.0f} MB",
    ]
    if "same_bytes" in found:
        lines.append(
            harness.Line("differing scores.csv, killed or not", float(not found["same_bytes"]), 0.0, limit=True)
        )
    harness.finish("scale", lines, tuple(notes), as_json)


def _course(looks: list, which: int) -> str:
    """MB at 5, 25, 50, 75 and 100 % of the fits."""
    most = looks[-1][0]
    at = [min(looks, key=lambda look: abs(look[0] - share * most)) for share in (0.05, 0.25, 0.5, 0.75, 1.0)]
    return ", ".join(f"{look[which]:.0f} MB at {look[0]:,}" for look in at)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fits", type=int, default=1_000_000, help="a multiple of 200")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--once", action="store_true", help="also without a kill, and compare the bytes")
    parser.add_argument("--no-report", action="store_true")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--keep", help="where the study is to lie (default: a folder that is removed)")
    for hidden in ("--step", "--root", "--out"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.step:
        perform(asked.step, Path(asked.root), asked.fits, asked.workers, Path(asked.out))
    elif asked.keep:
        tell(measure(Path(asked.keep), asked), asked.json)
    else:
        with tempfile.TemporaryDirectory(prefix="trueness-scale-") as where:
            found = measure(Path(where), asked)
        tell(found, asked.json)


if __name__ == "__main__":
    main()
