"""Shared places: the repository, and the learners that misbehave on purpose."""

import fcntl
import gc
import os
import signal
import ssl
import sys
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

from tests.lanes import same_lanes
from tests.net.studies import finish
from trueness import cli, texts
from trueness.running import engine
from trueness.showing import drawers

settings.register_profile("no clock", deadline=None)  # a busy machine must not fail a test
settings.register_profile("quick", deadline=None, max_examples=25)
settings.load_profile("no clock")

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def outside() -> str:
    """The file of outside learners, as a prefix: outside + "Crashes" is a learner's name."""
    return str(ROOT / "tests" / "studies" / "outside_learners.py") + ":"


@pytest.fixture(scope="session")
def once(tmp_path_factory):
    """once(name, make) -> the folder that make(folder) fills, one time for all processes of a test run: to be read."""
    base = tmp_path_factory.getbasetemp()
    place = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "once"

    def folder(name, make):
        place.mkdir(exist_ok=True)
        with (place / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (place / f"{name}.made").exists():
                make(place / name)
                (place / f"{name}.made").touch()
        return place / name

    return folder


@pytest.fixture(scope="session")
def small_study(once):
    """kind -> the folder of a small finished study."""
    return lambda kind: once(kind, lambda place: finish(kind, place)) / "results" / f"net-{kind}"


@pytest.fixture(autouse=True)
def no_secret_of_another_test():
    """A key that a test makes known is looked for in every text from then on: each one makes all later tests slower."""
    before = dict(texts._secrets)
    yield
    texts._secrets.clear()
    texts._secrets.update(before)


@pytest.fixture(autouse=True, scope="session")
def same_drawers():
    """All tests' pictures are drawn by the same two processes: to start one takes as long as eight pictures."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawers, "local_executor", lambda processes: same_lanes(2))
        yield


@pytest.fixture(autouse=True, scope="session")
def same_certificates():
    """Clients of models share the list of trusted certificates: each would load it anew, 40 ms, and no test's server
    has one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", cache(ssl.create_default_context))
        yield


@pytest.fixture(autouse=True, scope="session")
def same_command_line():
    """Every command would describe all commands and their options anew, 6 ms."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cli, "command_line", cache(cli.command_line))
        yield


@pytest.fixture()
def kept_lanes(monkeypatch):
    """Commands fit in the worker processes of other tests."""
    refuses = engine.local_executor  # fewer than one
    monkeypatch.setattr(engine, "local_executor", lambda n: same_lanes(n) if n > 0 else refuses(n))


@pytest.fixture()
def new_drawers(monkeypatch):
    """For tests of the drawing processes themselves."""
    monkeypatch.setattr(drawers, "local_executor", engine.local_executor)
    drawers._alone.cache_clear()
    yield
    drawers._alone().close()
    drawers._alone.cache_clear()


@pytest.fixture()
def in_tmp(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def pytest_configure(config):
    """A shell's background job ignores Ctrl-C, nohup a hang-up, and so would every program that a test starts.

    Bytecode is kept, whatever the environment says: a run starts hundreds of programs, and each would compile anew.
    Charts are measured with the renderer's own fonts alone: a Liberation Sans of the machine goes before them, and is
    wider by a hair, so that the net would see other files.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    gc.disable()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["FONTCONFIG_FILE"] = str(ROOT / "tests" / "no_fonts.conf")
    sys.dont_write_bytecode = False
    if config.getoption("--quick"):
        settings.load_profile("quick")


def pytest_collection_finish():
    """What is imported by now stays: the collector of garbage need not look through it again and again."""
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)  # a twelfth of the processor's time was looking for garbage


# what starts processes or browsers, simulates, analyses whole studies, or runs documents; below tests/
LONG = set(
    """
    docs faults hostile learn learners models net page reasoning/lists showing statistics studies tasks
    test_cli.py test_examples.py test_mcp.py
    analyse/test_corpus.py analyse/test_golden_skills.py analyse/test_null.py analyse/test_outputs.py
    faithfulness/test_behaviour.py faithfulness/test_documented_examples.py faithfulness/test_judge_reliability.py
    faithfulness/test_known_groups.py
    forecast/test_ablation.py forecast/test_comparisons.py forecast/test_failures.py forecast/test_findings.py
    forecast/test_hypotheses.py forecast/test_robustness.py forecast/test_stored_study.py forecast/test_validation.py
    population/test_high_dimensional.py population/test_numbers.py
    population/test_original_results.py robustness/test_stored_matrices.py
    """.split()
)


def pytest_addoption(parser):
    parser.addoption(
        "--quick", action="store_true", help="leave out what takes long: LONG, slow tests, most drawn examples"
    )


def pytest_ignore_collect(collection_path, config):
    place = collection_path.as_posix().removeprefix(f"{ROOT.as_posix()}/tests/")
    return True if config.getoption("--quick") and place in LONG else None


def pytest_collection_modifyitems(config, items):
    """What takes long goes first, so that no worker is left alone with it at the end; or not at all."""
    if config.getoption("--quick"):
        items[:] = [item for item in items if "slow" not in item.keywords]
    items.sort(key=lambda item: "slow" not in item.keywords)
