"""A small study with a hostile model, servers of it, and a browser where there is one."""

import json
import os
import shutil
import threading
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.lanes import same_lanes
from trueness.page.library import Library
from trueness.page.server import server_for
from trueness.page.standalone import write_page
from trueness.running.study import Plan, Study
from trueness.running.study_folder import StudyFolder
from trueness.studies import charts
from trueness.studies.forecast.answers import read_forecasts

CHROMIUM = next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync",
]  # fmt: skip
MEGABYTE = "lorem ipsum " * 87_500
RANGES = "Precision: [0.5, 0.7]\nRecall: [0.4, 0.6]\nF1: [0.45, 0.65]\nSHD: [2, 5]"
HOSTILE = (
    "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'></style></textarea></script>"
    "<svg onload='window.hacked = 3'>\u202eright to left\u202c \u2028\u2029 <!-- ${7*7} {{constructor}}\n"
)
PLAN = """
name = "small"
seed = 3
[discovery]
datasets = ["asia", "cancer", "synthetic-8"]
learners = ["pc", "random"]
runs = 8
rows = 300
[forecast]
models = ["mock/hostile", "mock/overconfident", "mock/refuses"]
formulations = ["direct", "interval"]
[models."mock/hostile"]
script = "hostile.jsonl"
"""


@pytest.fixture(scope="session")
def small(once) -> Path:
    """A finished forecast study with its page and one of its charts: to be read only."""
    return once("hostile model", _make) / "study"


def _make(place: Path) -> None:
    place.mkdir()
    script = [
        {"match": ["Cancer", "Name: "], "reply": RANGES + MEGABYTE},
        {"match": [], "reply": HOSTILE + RANGES},
    ]
    (place / "hostile.jsonl").write_text("".join(json.dumps(line) + "\n" for line in script), encoding="utf-8")
    folder = place / "study"
    study = Study(Plan.parse(PLAN, "small.toml", place, folder))
    with same_lanes(1) as (executor, slots):
        study.run(executor, slots)
    forecasts = read_forecasts(folder)
    charts.intervals(forecasts, "f1").save(folder / "plots", ("svg", "pdf"))
    with StudyFolder.reading(folder) as opened:
        write_page(opened)


@pytest.fixture()
def copy(small, tmp_path) -> Path:
    """The study, to be written to."""
    return Path(shutil.copytree(small, tmp_path / "copy"))


@contextmanager
def serving(*folders: Path):
    """The server of a page of them, as long as it is needed."""
    library = Library([folder.resolve() for folder in folders])
    server = server_for(library, 0)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()
    library.close()


@pytest.fixture()
def serve():
    """serve(folder, ...) -> the server of a page of them; stopped at the end of the test."""
    with ExitStack() as started:
        yield lambda *folders: started.enter_context(serving(*folders))


@pytest.fixture(scope="session")
def browser():
    """Chromium through playwright; tests that need it are skipped where either is missing."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (make browser)")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine (make browser)")
    with playwright.sync_playwright() as started:
        fonts = {name: value for name, value in os.environ.items() if name != "FONTCONFIG_FILE"}  # the machine's
        found = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS, env=fonts)
        yield found
        found.close()


class Watched:
    """A page that remembers what went wrong and whom it asked."""

    def __init__(self, page):
        self.page = page
        self.errors: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))

    def strangers(self) -> list[str]:
        """Requests beyond this machine and this file."""
        ours = ("file://", "http://127.0.0.1:", "data:", "blob:")
        return [url for url in self.requests if not url.startswith(ours)]


@pytest.fixture()
def page(browser):
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    context.set_default_timeout(90_000)  # nothing waits for it where all is well: a busy machine is slow
    watched = Watched(context.new_page())
    yield watched
    context.close()
