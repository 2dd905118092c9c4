"""kill -9 at random moments, of the driver and of a worker: after resuming, the same bytes as an undisturbed run."""

import os
import signal
import sqlite3
import time
from pathlib import Path

import pytest

from tests import forked
from trueness.cli import main

PLAN = """
name = "killed"
[discovery]
datasets = ["survey", "synthetic-5", "titanic"]
learners = ["random", "slow"]
runs = 60
rows = 400
[discovery.slow]
learner = "{slow}"
nap = 0.03
"""


def start(plan, folder, workers=2):
    return forked.Started(("run", plan, "--folder", folder, "--workers", workers), charts=False)


def alive(pids):
    """Those still running; a zombie is dead and only waits to be counted."""
    return [pid for pid in pids if Path(f"/proc/{pid}/stat").exists() and not _is_zombie(pid)]


def _is_zombie(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def fits_of(folder):
    """How many are stored."""
    try:
        with sqlite3.connect(f"file:{folder / 'study.db'}?mode=ro", uri=True) as database:
            return database.execute("SELECT count(*) FROM runs").fetchone()[0]
    except sqlite3.OperationalError:  # no file yet, or no table
        return 0


def test_ctrl_c_finishes_what_is_in_flight_and_tells_how_to_go_on(tmp_path, outside):
    plan = tmp_path / "killed.toml"
    plan.write_text(PLAN.format(slow=outside + "Slow").replace("nap = 0.03", "nap = 0.06"))  # 5 s of naps a worker
    driver = start(plan, tmp_path / "out")
    while driver.poll() is None and not fits_of(tmp_path / "out"):
        time.sleep(0.1)
    driver.send_signal(signal.SIGINT)
    _, told = driver.communicate(timeout=120)
    assert driver.returncode == 130
    assert f"Go on with: trueness run {plan}" in told
    assert "Traceback" not in told
    assert start(plan, tmp_path / "out").wait(timeout=300) == 0


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_files_of_before_are_said_to_be_outdated_until_they_are_written_anew(tmp_path, outside, how, capfd):
    plan, folder = tmp_path / "killed.toml", tmp_path / "out"
    text = PLAN.format(slow=outside + "Slow").replace('"survey", "synthetic-5", "titanic"', '"survey"')
    plan.write_text(text.replace("runs = 60", "runs = 2"))
    assert forked.Started(("run", plan, "--folder", folder, "--workers", 1)).wait(timeout=300) == 0
    assert (folder / "report.html").exists() and not (folder / "OUTDATED.txt").exists()
    plan.write_text(text.replace("runs = 60", "runs = 2000"))
    driver = forked.Started(("run", plan, "--folder", folder, "--workers", 1, "--replan"), charts=False)
    while driver.poll() is None and fits_of(folder) < 6:
        time.sleep(0.1)
    os.kill(driver.pid, how)
    _, told = driver.communicate(timeout=120)
    earlier = (
        f"tables, charts and report in {folder} are of an earlier state. Write them anew: trueness report {folder}"
    )
    assert (f"Until then, {earlier}" in told) == (how == signal.SIGINT)
    capfd.readouterr()
    for command, is_said in (("show", True), ("report", False), ("show", False)):
        assert main([command, str(folder), "--json"]) == 0
        assert (f"trueness: {earlier}" in capfd.readouterr().err) == is_said, command
    assert not (folder / "OUTDATED.txt").exists()
