"""What a fit does to its own process ends that fit, never the driver; what it has started ends with it."""

import os
import pickle
import signal
import socket
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path

import pytest

from tests.studies.test_kill import alive
from trueness.running.engine import Chunk, local_executor, run_chunk
from trueness.running.worker import FrameReader, NoResult

OK = {"status": "ok", "message": "", "seconds": 0.0, "answer": "done", "scores": {"f1": (0.5, "ok")}}
NAP = [sys.executable, "-S", "-c", "import time; time.sleep(3600)"]


def perform(common, unit):
    """Runs in the worker: the act that the unit names."""
    return globals()[unit["act"]](unit) if "act" in unit else OK


def close_descriptors(unit):
    os.closerange(3, 65536)
    return OK


def write_everywhere(unit):
    """Into every descriptor there is, whatever its number."""
    for name in os.listdir("/proc/self/fd"):
        try:
            os.write(int(name), unit["what"])
        except OSError:
            continue
    return OK


def fork_and_return(unit):
    os.fork()
    return OK


def return_nonsense(unit):
    return unit["what"]


def raise_error(unit):
    raise FileNotFoundError("no such thing")


def raise_exit(unit):
    raise SystemExit(3)


def start_others(unit):
    """A child, and one that has lost its parent; all write down who they are."""
    folder = Path(unit["folder"])
    child = subprocess.Popen(NAP)
    code = f"import subprocess; print(subprocess.Popen({NAP!r}, stdout=subprocess.DEVNULL).pid)"
    orphan = subprocess.run([sys.executable, "-S", "-c", code], stdout=subprocess.PIPE, text=True).stdout
    (folder / "new").write_text(f"{child.pid} {orphan} {os.getpid()}")
    (folder / "new").rename(folder / "started")
    if unit.get("then") == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if unit.get("then") == "sleep":
        time.sleep(3600)
    return OK


@pytest.fixture(autouse=True)
def importable(monkeypatch, root):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")]))


def run(*units, limit=60.0):
    """Their outcomes; a driver that waits for ever fails by the time limit of the future."""
    chunk = Chunk("tests.studies.test_hostile_fits:perform", {}, units, limit)
    with local_executor(1) as (executor, _):
        return executor.submit(run_chunk, chunk).result(timeout=120)


def statuses(outcomes):
    return [outcome["status"] for outcome in outcomes]


def started(folder):
    """The processes that a fit has started, and its own."""
    end = time.monotonic() + 120
    while not (folder / "started").exists() and time.monotonic() < end:
        time.sleep(0.05)
    return [int(pid) for pid in (folder / "started").read_text().split()]


def gone(pids, seconds=30):
    end = time.monotonic() + seconds
    while alive(pids) and time.monotonic() < end:
        time.sleep(0.05)
    return alive(pids) == []


@pytest.mark.parametrize("act", ["close_descriptors", "raise_exit"])
def test_a_fit_that_ends_its_connection_or_its_process_is_one_failed_fit(act):
    found = run({}, {"act": act}, {})
    assert statuses(found) == ["ok", "failed", "ok"]
    assert "closed its connection" in found[1]["message"] or "exit code 3" in found[1]["message"]


@pytest.mark.skipif(sys.platform != "linux", reason="finds descriptors in /proc")
@pytest.mark.parametrize(
    "what",
    [b"x", struct.pack("!i", 2**30) + b"half a message", struct.pack("!iQ", -1, 2**60)],
    ids=["one byte", "a long message", "a longer message"],
)
def test_noise_in_the_connection_is_one_failed_fit(what):
    found = run({}, {"act": "write_everywhere", "what": what}, {}, limit=10.0)
    assert statuses(found) == ["ok", "failed", "ok"]
    assert "a fit wrote into its connection" in found[1]["message"]


def test_a_fit_that_forks_and_comes_back_twice_counts_once():
    found = run({"act": "fork_and_return"}, {"act": "return_nonsense", "what": OK | {"answer": "second"}}, {})
    assert [outcome["answer"] for outcome in found] == ["done", "second", "done"]


def test_an_outcome_that_is_none_is_one_failed_fit():
    bad = [None, 5, {"status": "excellent"}, OK | {"answer": len}]
    found = run({}, *({"act": "return_nonsense", "what": what} for what in bad), {"act": "raise_error"}, {})
    assert statuses(found) == ["ok", *["failed"] * 5, "ok"]
    assert "an outcome must be a table with a status, got None" in found[1]["message"]
    assert (
        "an outcome must hold numbers, texts, lists and tables, got builtin_function_or_method" in found[4]["message"]
    )
    assert "FileNotFoundError: no such thing" in found[5]["message"]


class Trap:
    """A pickle that leaves a file behind when it is opened."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (Path.touch, (self.path,))


def test_a_frame_that_names_a_function_is_no_result(tmp_path):
    """Whoever forges one, mark and all, runs nothing in the driver."""
    content = pickle.dumps(Trap(tmp_path / "opened"))
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(struct.pack(">16sQI", b"m" * 16, len(content), zlib.crc32(content)) + content)
        with pytest.raises(NoResult):
            FrameReader(ours.fileno(), b"m" * 16, lambda: True).read(10.0)
    assert not (tmp_path / "opened").exists()


@pytest.mark.parametrize("then", ["sleep", "die", "return"])
def test_what_a_fit_has_started_ends_with_it(then, tmp_path):
    """Timed out, crashed, or the executor closed: no child and no orphan is left."""
    run({"act": "start_others", "folder": str(tmp_path), "then": then}, limit=10.0)
    assert gone(started(tmp_path))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_after_any_end_of_the_driver_nothing_is_left(number, tmp_path, root):
    code = (
        "from tests.studies.test_hostile_fits import run\n"
        f"run({{'act': 'start_others', 'folder': {str(tmp_path)!r}, 'then': 'sleep'}}, limit=600.0)\n"
    )
    driver = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=root,
        stderr=subprocess.DEVNULL,
    )
    pids = started(tmp_path)
    guard = int(Path(f"/proc/{pids[-1]}/stat").read_text().rpartition(")")[2].split()[1])
    driver.send_signal(number)
    driver.wait(timeout=60)
    assert gone([*pids, guard])
