"""The page: how long a report takes, how large it is, and how fast a study of a million scores opens.

quickstart     a study of the quickstart's shape (6 data sets x 4 learners x 100 runs, 72 questions); its graphs are the
               true ones with a few edges changed, its model is scripted. `trueness report` in a process of its own.
large          50 data sets x 10 learners x 100 runs x 20 measures = 1,000,000 scores, written straight into a store;
               `trueness view` in a process of its own, opened by Chromium where there is one, else by plain requests.
Wall-clock seconds; memory is the most that the server's process ever held.
"""

import harness

import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from importlib import resources
from pathlib import Path

import numpy as np

from trueness.running.engine import local_executor
from trueness.measures.graphs import MEASURES, Reference
from trueness.status import Status
from trueness.running.store import Run, Store
from trueness.running.study import Plan, Study
from trueness.running.study_db import entry_of
from trueness.running.study_folder import StudyFolder

CHROMIUM = next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
MEGABYTE = 1e6


def changed(graph, rng):
    """The graph without one or two of its edges."""
    edges = [str(edge) for edge in graph.edges]
    kept = [edge for edge in edges if rng.random() > 0.15]
    return type(graph).from_edges(kept, graph.nodes, graph.kind)


def quickstart_study(folder: Path) -> None:
    text = (resources.files("trueness.running") / "quickstart.toml").read_text(encoding="utf-8")
    text = text.replace("embedded/smollm2", "mock/overconfident")
    study = Study(Plan.parse(text, "quickstart.toml", folder, folder))
    rng = np.random.default_rng(1)
    task, cells = study.stages[0].study, study.stages[0].cells
    with Store.writing(folder) as store:
        study._claim(store, replan=False)
        for cell in cells:
            truth = task.datasets[cell.item].truth
            reference = Reference(truth)
            kind = task.learners[cell.respondent].card.returns
            own = truth.to_cpdag() if kind == "cpdag" else truth.to_pag(()) if kind == "pag" else truth
            runs = []
            for repeat, key in enumerate(cell.keys):
                graph = changed(own, rng)
                scores = {name: (s.value, str(s.status)) for name, s in reference.score(graph).items()}
                runs.append(_run(cell, repeat, key, graph.to_json(), scores))
            store.add("discovery", runs)
    with local_executor(1) as (executor, slots):
        study.run(executor, slots)


def large_study(folder: Path) -> int:
    """A million scores; how many there are."""
    names = [f"set-{k:02d}" for k in range(50)]
    learners = [f"learner-{k}" for k in range(10)]
    sets = "\n".join(f'[datasets.{name}]\nkind = "synthetic"\nnodes = 10\nrows = 200' for name in names)
    versions = "\n".join(
        f'[discovery.{name}]\nlearner = "random"\nedges_per_node = {1 + k / 10}' for k, name in enumerate(learners)
    )
    head = (
        f'name = "large"\n[discovery]\ndatasets = {json.dumps(names)}\nlearners = {json.dumps(learners)}\nruns = 100\n'
    )
    text = head + f"{versions}\n{sets}\n"
    study = Study(Plan.parse(text, "large.toml", folder, folder))
    rng = np.random.default_rng(2)
    task, cells = study.stages[0].study, study.stages[0].cells
    measures = list(MEASURES)[:20]
    with Store.writing(folder) as store:
        store.set_meta("plan", "{}")
        store.set_meta("study", entry_of("large", 1, study.stages))
        for cell in cells:
            answer = json.dumps(json.loads(task.datasets[cell.item].truth.to_json()))
            values = rng.random((cell.repeats, len(measures))).tolist()
            store.add(
                "discovery",
                [
                    _run(cell, r, key, answer, {m: (values[r][k], "ok") for k, m in enumerate(measures)})
                    for r, key in enumerate(cell.keys)
                ],
            )
    (folder / "study.toml").write_text(text, encoding="utf-8")
    return len(cells) * 100 * len(measures)


def _run(cell, repeat, key, answer, scores):
    return Run(key, cell.item, cell.variant, cell.respondent, repeat, str(Status.OK), "", 0.01, answer, scores)


class Server:
    """`trueness view` in a process of its own."""

    def __init__(self, folder: Path):
        command = [sys.executable, "-m", "trueness", "view", str(folder), "--no-browser", "--port", "0"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().split()[0].replace("/?", f"/{folder.name}/?")
        with urllib.request.urlopen(self.address, timeout=120) as answer:  # it lets us in, and says where to go on
            self.cookie = answer.headers["Set-Cookie"].partition(";")[0]
            place = re.search('data-to="([^"]*)"', answer.read().decode())[1]
        self.base = urllib.parse.urljoin(self.address, place)

    def get(self, path: str) -> bytes:
        request = urllib.request.Request(self.base + path, headers={"Cookie": self.cookie})
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.read()

    def peak_megabytes(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1000

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


def opened_by_requests(server: Server) -> tuple[float, float]:
    """Seconds until all that the first page and the matrix need has come."""
    began = time.perf_counter()
    for path in ("", "data/overview", "data/figures", "data/progress"):
        server.get(path)
    first = time.perf_counter() - began
    began = time.perf_counter()
    server.get("data/grid/discovery")
    return first, time.perf_counter() - began


def opened_by_chromium(server: Server) -> tuple[float, float]:
    """Seconds until the findings stand, and from the click until the matrix does."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page()
        page.goto("about:blank")
        began = time.perf_counter()
        page.goto(server.address)
        page.wait_for_selector(".checks li", timeout=120_000)
        first = time.perf_counter() - began
        began = time.perf_counter()
        page.click("nav a[data-tab=matrix]")
        page.wait_for_selector(".matrix td a", timeout=120_000)
        second = time.perf_counter() - began
        browser.close()
    return first, second


def main() -> None:
    options = harness.options(__doc__, quick=True)
    lines, notes = [], []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "quickstart"
        folder.mkdir()
        quickstart_study(folder)
        began = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "trueness", "report", str(folder), "--json"], check=True, stdout=subprocess.DEVNULL
        )
        lines.append(harness.Line("trueness report, quickstart", time.perf_counter() - began, 10.0, limit=True))
        size = (folder / "report.html").stat().st_size
        notes.append(f"report.html of the quickstart: {size / MEGABYTE:.2f} MB (at most 8)")
        fails = size > 8 * MEGABYTE
        if not options.quick:
            folder = Path(place) / "large"
            folder.mkdir()
            scores = large_study(folder)
            server = Server(folder)
            by = opened_by_chromium if CHROMIUM else opened_by_requests
            first, second = by(server)
            how = "Chromium" if CHROMIUM else "requests"
            lines.append(harness.Line(f"{scores:,} scores: first page ({how})", first, 2.0, limit=True))
            lines.append(harness.Line(f"{scores:,} scores: matrix ({how})", second, 2.0, limit=True))
            began = time.perf_counter()
            server.get("data/cell/discovery/set-25/clean/learner-5")
            lines.append(harness.Line(f"{scores:,} scores: a cell", time.perf_counter() - began, 2.0, limit=True))
            peak = server.peak_megabytes()
            server.stop()
            notes.append(f"memory of the server at most {peak:.0f} MB (at most 500)")
            fails = fails or peak > 500
            began = time.perf_counter()
            from trueness.page.standalone import write_page

            with StudyFolder.reading(folder) as opened:
                page = write_page(opened)
            notes.append(
                f"report.html of {scores:,} scores: {page.stat().st_size / MEGABYTE:.2f} MB in "
                f"{time.perf_counter() - began:.1f} s"
            )
    if fails:
        lines.append(harness.Line("size and memory (see notes)", 1.0, 0.0, limit=True))
    harness.finish("report", lines, tuple(notes), options.json)


if __name__ == "__main__":
    main()
