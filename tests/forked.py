"""`trueness` as a process of its own, forked from one that has imported everything: its imports take seconds.

It can be killed, stopped and waited for like any other. What a start itself does (-P, PYTHONPATH, the current folder)
is tested with real ones: tests/hostile/test_current_folder.py, tests/test_cli.py.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import trueness

_SOURCE = Path(trueness.__file__).parent
_ROOMS = ["datasets", "measures", "models", "page", "running", "showing", "statistics", "studies", "terminal"]
_PRELOADED = [
    *("altair", "anthropic", "google.genai", "inspect_ai.model", "numba", "openai", "scipy.stats", "trueness.cli"),
    *(
        ".".join(("trueness", *path.relative_to(_SOURCE).with_suffix("").parts))
        for room in _ROOMS
        for path in sorted((_SOURCE / room).rglob("*.py"))
    ),
]
_forks = multiprocessing.get_context("forkserver")
_forks.set_forkserver_preload(_PRELOADED)


class Started:
    """Like subprocess.Popen; what it says on stderr is in the file `said` while it runs."""

    def __init__(self, arguments, folder=".", environment=None, charts=True):
        self.args = ["trueness", *map(str, arguments)]
        self._kept = tempfile.TemporaryDirectory(prefix="trueness-")
        self.printed, self.said = (Path(self._kept.name) / name for name in ("stdout", "stderr"))
        self.printed.touch()
        self.said.touch()
        names = [str(self.printed), str(self.said)]
        environment = dict(os.environ if environment is None else environment)
        self._process = _forks.Process(target=_main, args=(self.args, str(folder), environment, names, charts))
        self._process.start()
        self.pid = self._process.pid

    @property
    def returncode(self):
        return self._process.exitcode

    def poll(self):
        self._process.join(0)
        return self.returncode

    def wait(self, timeout=None):
        self._process.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired(self.args, timeout)
        return self.returncode

    def communicate(self, timeout=None):
        self.wait(timeout)
        return self.printed.read_text(encoding="utf-8"), self.said.read_text(encoding="utf-8")

    def send_signal(self, number):
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self):
        self.send_signal(signal.SIGKILL)


def run(arguments, folder=".", environment=None, charts=True, timeout=300):
    """As subprocess.run with its output captured."""
    process = Started(arguments, folder, environment, charts)
    out, errors = process.communicate(timeout)
    return subprocess.CompletedProcess(process.args, process.returncode, out, errors)


def _main(arguments, folder, environment, names, charts):
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for descriptor, name in enumerate(names, start=1):
        os.dup2(os.open(name, os.O_WRONLY), descriptor)
    sys.argv = arguments
    from tests.faults.driver import main, without_charts

    if not charts:
        without_charts()
    sys.exit(main())
