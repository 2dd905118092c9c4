"""A Dask cluster gives the same bytes as a local run, also when one of its workers is killed."""

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.faults.places import DRIVER

distributed = pytest.importorskip("distributed")

PLAN = """
name = "spread"
[discovery]
datasets = ["survey", "synthetic-6"]
learners = ["random", "slow", "correlation"]
runs = 30
rows = 400
[discovery.slow]
learner = "{slow}"
"""


@pytest.fixture()
def cluster():
    """A scheduler and two workers as processes of their own, as a user starts them."""
    scheduler = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "distributed.cli.dask_scheduler",
            "--host",
            "127.0.0.1",
            "--port",
            "0",
            "--no-dashboard",
        ],
        stderr=subprocess.PIPE,
        text=True,
    )
    address = next(line.split()[-1] for line in scheduler.stderr if "Scheduler at:" in line)
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard"]
    workers = [subprocess.Popen(command, stderr=subprocess.DEVNULL) for _ in range(2)]
    with distributed.Client(address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
    yield address, workers
    for process in (*workers, scheduler):
        process.kill()
        process.wait()


def assay(*arguments):
    return subprocess.Popen(
        [sys.executable, str(DRIVER), *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


@pytest.mark.slow
def test_a_cluster_gives_the_same_bytes_also_when_a_worker_dies(tmp_path, outside, cluster):
    address, workers = cluster
    plan = tmp_path / "spread.toml"
    plan.write_text(PLAN.format(slow=outside + "Slow"))
    local = assay("run", str(plan), "--folder", str(tmp_path / "local"))
    assert local.wait(timeout=300) == 0, local.stderr.read()
    spread = assay("run", str(plan), "--folder", str(tmp_path / "spread"), "--cluster", address)
    assert spread.wait(timeout=300) == 0, spread.stderr.read()
    wounded = assay("run", str(plan), "--folder", str(tmp_path / "wounded"), "--cluster", address)
    time.sleep(4.0)
    os.kill(workers[0].pid, signal.SIGKILL)
    assert wounded.wait(timeout=300) == 0, wounded.stderr.read()
    calm = (tmp_path / "local" / "scores.csv").read_bytes()
    assert (tmp_path / "spread" / "scores.csv").read_bytes() == calm
    assert (tmp_path / "wounded" / "scores.csv").read_bytes() == calm
