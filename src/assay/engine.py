"""Where work runs: one Executor, local threads or a Dask cluster, each thread owning one worker process.

    driver -> Executor.submit(run_chunk, chunk) -> thread -> Lane (a process) -> results, in order -> driver

A lane's process works through a chunk and reports each result as it comes. A fit that passes the time limit is
ended with its process and gets `timed_out`; a process that dies is started anew and the fit tried once more, then
gets `failed`. Either way the rest of the chunk goes on. Workers never write: only the driver does.
"""

from __future__ import annotations

import logging
import math
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

from assay import registry, safe_path
from assay.errors import AssayError, SettingError
from assay.status import Status

START_LIMIT = 300.0  # seconds a new process may take to import what it needs


@dataclass(frozen=True)
class Chunk:
    """Some units of one cell: `function` ("module:name") is called as function(common, unit) for each."""

    function: str
    common: dict[str, Any]
    units: tuple[dict[str, Any], ...]
    time_limit: float


def run_chunk(chunk: Chunk) -> list[dict[str, Any]]:
    """The outcome of each unit, in order. Runs in a thread of the driver or of a Dask worker."""
    outcomes: list[dict[str, Any]] = []
    crashed = None  # the unit at which a process ended
    while len(outcomes) < len(chunk.units):
        lane = _lane()
        failure = lane.work(chunk, len(outcomes), outcomes)
        if failure is None:
            break
        lane.close()
        if failure["status"] == Status.FAILED and crashed != len(outcomes):
            crashed = len(outcomes)  # a kill from outside looks like a crash: each unit gets a second, last chance
            continue
        outcomes.append(failure)
    return outcomes


class Lane:
    """One worker process and the pipe to it."""

    def __init__(self) -> None:
        ours, theirs = Pipe()
        self._pipe: Connection = ours
        environment = safe_path.environment() | {name: "1" for name in _ONE_THREAD}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "assay.worker", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            start_new_session=True,  # Ctrl-C in the terminal is the driver's to handle
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        theirs.close()
        self._told = select.poll()
        self._told.register(ours.fileno(), select.POLLIN)

    def work(self, chunk: Chunk, start: int, outcomes: list[dict[str, Any]]) -> dict[str, Any] | None:
        """Append outcomes from unit `start` on; the outcome of the unit that ended the process, or None."""
        try:
            self._pipe.send((chunk.function, chunk.common, chunk.units[start:]))
            if not self._within(START_LIMIT):
                return _outcome(Status.FAILED, f"the worker did not start within {START_LIMIT:g} s")
            self._pipe.recv()  # the first unit has begun; each other begins when the one before it is told
            for _ in chunk.units[start:]:
                if not self._within(chunk.time_limit):
                    return _outcome(Status.TIMED_OUT, f"ended after {chunk.time_limit:g} s", chunk.time_limit)
                outcomes.append(self._pipe.recv())
        except (EOFError, OSError):
            return _outcome(Status.FAILED, f"the worker process died ({self._death()})")
        return None

    def _within(self, seconds: float) -> bool:
        """Whether the worker says something, or ends, in that time. Connection.poll does the same in 20 x the time."""
        return bool(self._told.poll(min(math.ceil(seconds * 1000), 2**31 - 1)))

    def _death(self) -> str:
        code = self._process.wait(timeout=10)
        if code < 0:
            return f"signal {signal.Signals(-code).name}"
        return f"exit code {code}"

    def alive(self) -> bool:
        return self._process.poll() is None

    def close(self) -> None:
        self._pipe.close()
        self._process.kill()
        self._process.wait()


_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "RAYON_NUM_THREADS")
_local = threading.local()
_lanes: list[Lane] = []


def _lane() -> Lane:
    """The lane of this thread, started where there is none or where it has ended."""
    lane: Lane | None = getattr(_local, "lane", None)
    if lane is None or not lane.alive():
        lane = Lane()
        _local.lane = lane
        _lanes[:] = [old for old in _lanes if old.alive()] + [lane]
    return lane


def _outcome(status: Status, message: str, seconds: float | None = None) -> dict[str, Any]:
    return {"status": str(status), "message": message, "seconds": seconds, "answer": None, "scores": {}}


@contextmanager
def local_executor(workers: int) -> Iterator[tuple[Executor, int]]:
    """`workers` processes on this machine."""
    if workers < 1:
        raise SettingError(f"'workers' must be at least 1, got {workers}.")
    executor = ThreadPoolExecutor(workers, thread_name_prefix="lane")
    try:
        yield executor, workers
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
        for lane in list(_lanes):
            lane.close()
        _lanes.clear()


class ClusterLost(AssayError):
    """The scheduler is gone: nothing that was handed out will come back."""


class ClusterExecutor(Executor):
    """A Dask client's executor that notices when its scheduler is gone; Dask's own futures would then wait for ever."""

    def __init__(self, client: Any, address: str):
        self._client, self._address = client, address
        self._executor = client.get_executor(retries=3)

    def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.check()
        future: Future[Any] = self._executor.submit(function, *args, **kwargs)
        return future

    def check(self) -> None:
        if self._client.status in ("closing", "closed"):
            raise ClusterLost(
                f"the Dask scheduler at {self._address} was lost. What has come back is stored: start it anew and give "
                "the same command again, or leave out --cluster to go on here."
            )


_DASK_LOGGERS = (
    *(f"distributed.{part}" for part in ("batched", "client", "comm", "comm.tcp", "core", "utils", "utils_comm")),
    "tornado.application",
    "asyncio",
)


@contextmanager
def dask_executor(address: str) -> Iterator[tuple[Executor, int]]:
    """The workers of a running Dask cluster, e.g. tcp://10.0.0.5:8786."""
    distributed = registry.need("distributed", "a Dask cluster")
    for logger in _DASK_LOGGERS:
        logging.getLogger(logger).setLevel(logging.CRITICAL)  # a lost cluster is told in one line of ours
    try:
        client = distributed.Client(address, timeout="10s", set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise SettingError(f"'--cluster' must be the address of a Dask scheduler, got {address!r}: {error}.") from None
    try:
        slots = sum(client.nthreads().values())
        if slots == 0:
            raise SettingError(f"the Dask cluster at {address} has no workers. Start one: dask worker {address}")
        yield ClusterExecutor(client, address), slots
    finally:
        client.close()


@contextmanager
def executor_for(workers: int | None, cluster: str | None) -> Iterator[tuple[Executor, int]]:
    """The executor a command line asks for, and how many units it runs at a time."""
    here = (os.cpu_count() or 1) if workers is None else workers
    with dask_executor(cluster) if cluster else local_executor(here) as made:
        yield made


def chunk_sizes(seconds: float | None, left: int, workers: int, target: float = 1.0, most: int = 256) -> int:
    """How many units to hand out at once: one while the time is unknown, then about `target` seconds' worth."""
    if seconds is None:
        return 1
    share = -(-left // workers)  # so that the end of a cell keeps every worker busy
    return max(1, min(int(target / max(seconds, 1e-6)), most, share))
