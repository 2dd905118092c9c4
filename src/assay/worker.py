"""A worker process: `python -m assay.worker FD`. It takes chunks from a pipe, reports each unit, and never writes.

It says "begin" when all is imported, then the outcome of each unit: from one message to the next the driver counts the
time limit. Beside its function, say `perform(common, unit)`, a module may have `prepare(common)`, called before the
first unit, and `perform_each(common, units)`, an iterator over the outcomes of units that share work.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import signal
import sys
import threading
import time
from multiprocessing.connection import Connection


def die_with_parent() -> None:
    """End when the driver ends, even by kill -9, even inside a loop that never returns to Python."""
    parent = os.getppid()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def main(descriptor: int) -> None:
    die_with_parent()
    pipe = Connection(descriptor)
    while True:
        try:
            path, common, units = pipe.recv()
        except EOFError:
            return
        module_name, name = path.split(":")
        module = importlib.import_module(module_name)
        function = getattr(module, name)
        if hasattr(module, "prepare"):
            module.prepare(common)  # imports and data are not on the clock of the first unit
        each = getattr(module, f"{name}_each", None)  # units that share work, still made one at a time
        outcomes = each(common, units) if each else (function(common, unit) for unit in units)
        pipe.send("begin")
        for _ in units:
            pipe.send(next(outcomes))


if __name__ == "__main__":
    try:
        main(int(sys.argv[1]))
    except (BrokenPipeError, ConnectionResetError):
        sys.exit(1)
