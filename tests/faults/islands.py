"""Machines of a small network: a network namespace each, joined by a bridge; none sees this machine's own network.

    island 0   10.77.0.1   the scheduler and the driver
    island k   10.77.0.(k + 1)   one worker

Made inside a namespace of users, so that no rights are needed where the kernel allows it, and nothing of this machine's
network is touched. A namespace ends with the last process in it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class Island:
    """`enter` is put before a command to run it there."""

    host: str
    enter: tuple[str, ...] = ()


THIS_MACHINE = Island("127.0.0.1")


@contextmanager
def islands(workers: int) -> Iterator[list[Island]]:
    """Island 0 and one for each worker."""
    with ExitStack() as stack:
        middle = stack.enter_context(_island(("unshare", "--map-root-user", "--net"), 0))
        _run(middle, "ip link set lo up")
        _run(middle, "ip link add bridge type bridge")
        _run(middle, f"ip addr add {middle.host}/24 dev bridge")
        _run(middle, "ip link set bridge up")
        found = [middle]
        for k in range(1, workers + 1):
            outer = stack.enter_context(_island((*middle.enter, "unshare", "--net"), k))
            pid = outer.enter[2]
            _run(middle, f"ip link add port{k} type veth peer name eth0 netns {pid}")
            _run(middle, f"ip link set port{k} master bridge up")
            for command in (f"ip addr add {outer.host}/24 dev eth0", "ip link set eth0 up", "ip link set lo up"):
                _run(outer, command)
            found.append(outer)
        yield found


@contextmanager
def _island(start: tuple[str, ...], number: int) -> Iterator[Island]:
    """A process that does nothing holds the namespace."""
    holder = subprocess.Popen([*start, "sleep", "600"], stderr=subprocess.DEVNULL)
    try:
        _until_apart(holder)
        enter = ("nsenter", "--target", str(holder.pid), "--user", "--net", "--preserve-credentials")
        yield Island(f"10.77.0.{number + 1}", enter)
    finally:
        holder.kill()
        holder.wait()


def _until_apart(holder: subprocess.Popen[bytes], seconds: float = 5.0) -> None:
    program = Path(f"/proc/{holder.pid}/comm")  # unshare and nsenter become sleep when all is done
    end = time.monotonic() + seconds
    while holder.poll() is None and time.monotonic() < end:
        if program.read_text().strip() == "sleep":
            return
        time.sleep(0.01)
    raise OSError("this machine does not let a process have a network of its own")


def _run(island: Island, command: str) -> None:
    subprocess.run([*island.enter, *command.split()], check=True, capture_output=True)


@cache
def may_part() -> bool:
    """Whether this machine allows namespaces and has what makes them."""
    if os.name != "posix" or not all(map(shutil.which, ("unshare", "nsenter", "ip"))):
        return False
    try:
        with islands(1):
            return True
    except (OSError, subprocess.CalledProcessError):
        return False
