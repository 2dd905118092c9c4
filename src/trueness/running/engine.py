"""Where work runs: one Executor, local threads or a Dask cluster, each thread owning one worker process.

    driver -> Executor.submit(run_chunk, chunk) -> thread -> Lane (a process) -> results, in order -> driver

A lane's process works through a chunk and reports each result as it comes. A fit that passes the time limit is
ended with its process and gets `timed_out`; a process that dies is started anew and the fit tried once more, then
gets `failed`. Either way the rest of the chunk goes on. Workers never write: only the driver does.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, Executor, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing import Pipe
from queue import SimpleQueue
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from trueness import registry, safe_path
from trueness.errors import SettingError, TruenessError
from trueness.outside import Json
from trueness.running.outcomes import without_answer
from trueness.running.worker import HUNG_UP, MARK, FrameReader, NoResult, TooLate
from trueness.status import Status

if TYPE_CHECKING:
    from distributed import Client

P = ParamSpec("P")
T = TypeVar("T")
RawOutcome = Mapping[str, Json]  # a table with a status; what else it holds is for who asked to check
START_LIMIT = 300.0  # seconds a new process may take to import what it needs
END_LIMIT = 15.0  # seconds a guard may take to end what a fit has started
ANSWER_LIMIT = 10.0  # seconds a Dask scheduler may take to answer


@dataclass(frozen=True)
class Chunk:
    """Some units of one cell: `function` ("module:name") is called as function(common, unit) for each."""

    function: str
    common: dict[str, Json]
    units: tuple[dict[str, Json], ...]
    time_limit: float


def run_chunk(chunk: Chunk) -> list[RawOutcome]:
    """The outcome of each unit, in order. Runs in a thread of the driver or of a Dask worker."""
    outcomes: list[RawOutcome] = []
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
    """One worker, its guard (worker.py) and the connection to them."""

    def __init__(self) -> None:
        self._pipe, theirs = Pipe()
        with self._socket() as ours:  # a worker that takes nothing in is not waited for without end
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", int(START_LIMIT), 0))
        self._guard = subprocess.Popen(
            [sys.executable, "-P", "-m", "trueness.running.worker", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            start_new_session=True,  # Ctrl-C in the terminal is the driver's to handle
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=safe_path.environment() | {name: "1" for name in _ONE_THREAD},
        )
        theirs.close()
        mark = os.urandom(MARK)
        self._results = FrameReader(self._pipe.fileno(), mark, self.alive, partial(_used, self._guard.pid))
        with suppress(OSError):  # it has ended already: the first chunk will tell
            self._pipe.send_bytes(mark)

    def work(self, chunk: Chunk, start: int, outcomes: list[RawOutcome]) -> RawOutcome | None:
        """Append outcomes from unit `start` on; the outcome of the unit that ended the worker, or None."""
        begun = False
        try:
            self._pipe.send((chunk.function, chunk.common, chunk.units[start:]))
            self._results.read(START_LIMIT)  # the first unit has begun; each other begins when the one before is told
            begun = True
            for _ in chunk.units[start:]:
                outcome = self._results.read(chunk.time_limit)
                if not isinstance(outcome, dict) or outcome.get("status") not in _STATUSES:
                    raise NoResult(f"an outcome must be a table with a status, got {outcome!r:.60}")
                outcomes.append(outcome)
        except TooLate:
            if begun:
                return without_answer(Status.TIMED_OUT, f"ended after {chunk.time_limit:g} s", chunk.time_limit)
            return without_answer(Status.FAILED, f"the worker did not start within {START_LIMIT:g} s")
        except NoResult as noise:
            return without_answer(Status.FAILED, str(noise))
        except (EOFError, OSError):
            return without_answer(Status.FAILED, f"the worker process died ({self._death()})")
        return None

    def _death(self) -> str:
        self.close()
        code = self._guard.returncode
        number = -code if code < 0 else code - 128
        if code == HUNG_UP:
            return "it had closed its connection to the driver"
        return f"signal {signal.Signals(number).name}" if number in set(signal.Signals) else f"exit code {code}"

    def alive(self) -> bool:
        return self._guard.poll() is None

    def hang_up(self) -> None:
        """The guard notices, and ends the worker, what it started, and itself; so does a thread that is in `work`."""
        with suppress(OSError), self._socket() as same:
            same.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self.hang_up()
        try:
            self._guard.wait(END_LIMIT)
        except subprocess.TimeoutExpired:
            self._guard.kill()  # and with it the worker
            self._guard.wait()

    def _socket(self) -> socket.socket:
        return socket.socket(fileno=os.dup(self._pipe.fileno()))


def _used(guard: int) -> tuple[float, bool] | None:
    """CPU seconds of all processes below the guard, ended ones included, and whether none of them runs or wants to.

    None where there is no /proc.
    """
    processes: dict[int, list[bytes]] = {}
    with suppress(OSError):
        for name in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208
            with suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123
                processes[int(name)] = file.read().rpartition(b")")[2].split()
    if guard not in processes:
        return None
    below, more = {guard}, {guard}
    while more:
        more = {process for process, fields in processes.items() if int(fields[1]) in more} - below
        below |= more
    ticks = sum(int(ticks) for process in below for ticks in processes[process][11:15])
    return ticks / os.sysconf("SC_CLK_TCK"), all(processes[process][0] not in b"RD" for process in below)


_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "RAYON_NUM_THREADS")
_STATUSES = frozenset(Status)
_local = threading.local()  # of a thread: its lane, and the executor it belongs to


def _lane() -> Lane:
    """The lane of this thread, started where there is none or where it has ended."""
    lane: Lane | None = getattr(_local, "lane", None)
    if lane is None or not lane.alive():
        lane = _local.lane = Lane()
        owner: LaneExecutor | None = getattr(_local, "owner", None)  # None in a Dask worker
        if owner is not None:
            owner.adopt(lane)
    return lane


class LaneExecutor(Executor):
    """A thread for each lane. The program's end does not wait for them, as it does for a ThreadPoolExecutor's: one
    that was left in a fit would keep a driver that is to end."""

    def __init__(self, workers: int):
        self._work: SimpleQueue[tuple[Future[Json], Callable[[], Json]] | None] = SimpleQueue()
        self._workers, self._started, self._closed = workers, 0, False
        self._lanes: list[Lane] = []
        self._lock = threading.Lock()

    def submit(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        self._work.put((future, partial(function, *args, **kwargs)))
        if self._started < self._workers:
            self._started += 1
            threading.Thread(target=self._run, name=f"lane {self._started}", daemon=True).start()
        return future

    def adopt(self, lane: Lane) -> None:
        """Close it with the others, or now where they are closed: a thread whose worker was ended starts another."""
        with self._lock:
            self._lanes = [old for old in self._lanes if old.alive()] + [lane]
        if self._closed:
            lane.close()
            raise CancelledError

    def _run(self) -> None:
        _local.owner = self
        while (task := self._work.get()) is not None:
            future, function = task
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(function())
            except BaseException as error:  # for whoever asks for the result
                future.set_exception(error)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = True) -> None:
        """What runs is ended, what waits is not begun."""
        self._closed = True
        for lane in self._lanes:
            lane.hang_up()
        for lane in self._lanes:
            lane.close()
        while not self._work.empty():
            task = self._work.get()
            if task is not None:
                task[0].cancel()
        for _ in range(self._started):
            self._work.put(None)


@contextmanager
def local_executor(workers: int) -> Iterator[tuple[Executor, int]]:
    """`workers` processes on this machine."""
    if workers < 1:
        raise SettingError(f"'workers' must be at least 1, got {workers}.")
    executor = LaneExecutor(workers)
    try:
        yield executor, workers
    finally:
        executor.shutdown()


class ClusterLost(TruenessError):
    """The scheduler is gone: nothing that was handed out will come back."""


class ClusterExecutor(Executor):
    """A Dask client's executor that notices when its scheduler is gone; Dask's own futures would then wait for ever."""

    def __init__(self, client: Client, address: str):
        self._client, self._address = client, address
        self._executor = client.get_executor(retries=3)  # type: ignore[no-untyped-call]

    def submit(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        self.check()
        future: Future[T] = self._executor.submit(function, *args, **kwargs)
        return future

    def check(self) -> None:
        if self._client.status in ("closing", "closed"):
            raise ClusterLost(
                f"the Dask scheduler at {self._address} was lost. What has come back is stored: start it anew and give "
                "the same command again, or leave out --cluster to go on here."
            )


_DASK_LOGGERS = ("distributed", "distributed.client", "tornado.application", "asyncio")  # with levels of their own


@contextmanager
def dask_executor(address: str) -> Iterator[tuple[Executor, int]]:
    """The workers of a running Dask cluster, e.g. tcp://10.0.0.5:8786."""
    distributed = registry.need("distributed", "a Dask cluster")
    for logger in _DASK_LOGGERS:
        logging.getLogger(logger).setLevel(logging.CRITICAL)  # a lost cluster is told in one line of ours
    try:
        client = distributed.Client(address, timeout=ANSWER_LIMIT, set_as_default=False)
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
