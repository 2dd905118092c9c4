"""Ctrl-C and SIGTERM while models are asked: an answer at once, what was paid is stored, and the process ends."""

import os
import signal
import subprocess
import sys
import time

import pytest

from tests import forked
from tests.studies.odd_models import ODD
from trueness.running.store import Store

PLAN = """
name = "stop"
[discovery]
datasets = ["survey", "cancer"]
learners = ["correlation", "random"]
runs = 2
rows = 300
[forecast]
models = ["{model}"]
repeats = 3
timeout = 120
"""
pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")


@pytest.fixture()
def start(tmp_path):
    """Start `trueness run` on a plan; what it says on stderr is in a file while it runs."""
    running = []

    def begin(model, *options):
        (tmp_path / "stop.toml").write_text(PLAN.format(model=ODD + model))
        places = {"TRUENESS_TEST_CALLS": str(tmp_path / "calls.txt"), "TRUENESS_TEST_GO": str(tmp_path / "go")}
        run = ("run", "stop.toml", "--folder", "out", "--workers", "1", *options)
        driver = forked.Started(run, tmp_path, os.environ | places, charts=False)
        running.append(driver)
        return driver, driver.said

    yield begin
    for driver in running:
        driver.kill()
        driver.wait()


def calls(folder):
    file = folder / "calls.txt"
    return len(file.read_text().split()) if file.exists() else 0


def until(condition, driver, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        assert driver.poll() is None and time.monotonic() < end
        time.sleep(0.02)


def test_ctrl_c_says_at_once_what_is_waited_for_and_keeps_what_was_paid(tmp_path, start):
    driver, said = start("Waits")
    until(lambda: calls(tmp_path) == 3, driver)
    driver.send_signal(signal.SIGINT)
    until(lambda: "stopping" in said.read_text(), driver)  # while all three calls are still under way
    assert "stopping; 3 calls in flight are paid and waited for, at most " in said.read_text()
    assert "Ctrl-C again leaves them" in said.read_text()
    (tmp_path / "go").touch()
    assert driver.wait(120) == 130
    assert calls(tmp_path) == 3  # nothing was asked after Ctrl-C
    with Store.reading(tmp_path / "out") as store:
        assert len(store.replies()) == 3
    assert "Go on with: trueness run stop.toml --folder out" in said.read_text()
    assert "Traceback" not in said.read_text()


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_sigterm_ends_a_run_whose_model_never_comes_back_and_names_it(tmp_path, start, options):
    driver, said = start("NeverComesBack", *options)
    until(lambda: calls(tmp_path) == 2, driver)
    driver.send_signal(signal.SIGTERM)
    assert driver.wait(60) == 130  # its time limit is 120 s
    told = said.read_text()
    assert "stopping; 2 calls in flight are paid and waited for, at most 0:05 (2 calls to " in told
    assert "left: 2 calls to " in told and "NeverComesBack" in told
    assert "Traceback" not in told


def test_a_process_with_calls_that_were_left_ends_with_its_own_code():
    """Without this, native code in such a thread aborts the process when Python is taken down (exit code 134)."""
    code = (
        "import threading\nfrom trueness.running import calling\nfrom trueness.models import Settings\n"
        "class Hangs:\n    def ask(self, messages, settings):\n        threading.Event().wait()\n"
        "calling.end_process(1)\n"  # nothing is left: nothing happens
        "calling.GRACE = 0.0\n"
        "print(calling.WatchedCall(Hangs(), 'hangs', [], Settings(timeout=0.05)).reply().status)\n"
        "calling.end_process(7)\nprint('not reached')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (7, "timed_out\n", "")
