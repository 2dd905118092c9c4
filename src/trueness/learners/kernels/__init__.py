"""The compiled loops of the learners: numba, one thread, kept on disk after their first use.

numba looks at the file of a function to tell whether its compiled form is still good, and not at the kernels that it
calls from other files. So the kept forms are dropped here as soon as any kernel file has changed.

`from trueness.learners.kernels import skeleton` imports that file, and numba with it, when one of its names is first
used: who only reads the cards of learners does without the second that this takes.
"""

import contextlib
import os
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from trueness.safe_path import no_cache_named_here


def _drop_stale_forms() -> None:
    folder = Path(__file__).parent
    files = sorted(folder.glob("*.py"))
    state = " ".join(f"{file.name} {(stat := file.stat()).st_mtime_ns} {stat.st_size}" for file in files)
    stamp = folder / "__pycache__" / "kernels.state"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == state:
        return
    for kept in (folder / "__pycache__").glob("*.nb[ic]"):
        kept.unlink(missing_ok=True)
    stamp.parent.mkdir(exist_ok=True)
    stamp.write_text(state, encoding="utf-8")


def are_kept() -> bool:
    """Whether any kernel was compiled before, here or where NUMBA_CACHE_DIR says; all of them take a minute or two."""
    if any((Path(__file__).parent / "__pycache__").glob("*.nbi")) and not os.environ.get("NUMBA_CACHE_DIR"):
        return True  # said without numba, which takes most of a second to import
    from trueness.learners.kernels.counting import merge_drawn

    return any(Path(merge_drawn.stats.cache_path).glob("*.nbi"))


class _Late(ModuleType):
    """A kernel file that is imported when one of its names is used."""

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self.__name__), name)


def __getattr__(name: str) -> ModuleType:
    if not (Path(__file__).parent / f"{name}.py").is_file():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _Late(f"{__name__}.{name}")


no_cache_named_here()
with contextlib.suppress(OSError):  # a read-only installation has nothing kept beside it
    _drop_stale_forms()
