"""No code of the current folder: a `copy.py`, `numpy.py` or `json.py` that lies there is never imported.

    the command        `trueness` does not look there; `python -m trueness` would, and takes it off (__init__.py)
    what it starts     runs with -P and with the environment made here

An entry of PYTHONPATH that means the current folder (`:/lib` has an empty one, by accident) is left out, unless it is
written out in full. numba would take settings from a `.numba_config.yaml` in the current folder, among them a folder
of caches, which are pickles: it is told of none.
"""

import os
import sys

_NUMBA = ("NUMBA_CACHE_DIR", "NUMBA_CACHE_LOCATOR_CLASSES")  # an empty one counts as unset, and outdoes the file
_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120  pathlib comes later


def environment() -> dict[str, str]:
    """The environment for a Python process that we start."""
    no_cache_named_here()
    safe = os.environ | {"PYTHONSAFEPATH": "1"}
    if "PYTHONPATH" in safe:
        entries = safe["PYTHONPATH"].split(os.pathsep)
        safe["PYTHONPATH"] = os.pathsep.join(entry for entry in entries if not _is_here(entry))
    return safe


def leave_current_folder() -> None:
    """For the command itself, before it imports anything else."""
    no_cache_named_here()
    entries = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if any(map(_is_here, entries)):
        here = os.path.abspath("")  # noqa: PTH100
        sys.path[:] = [path for path in sys.path if path != here or path == _OURS or path in entries]


def no_cache_named_here() -> None:
    """numba reads its file whenever it compiles."""
    for name in _NUMBA:
        os.environ.setdefault(name, "")


def _is_here(entry: str) -> bool:
    return os.path.normpath(entry) == "."
