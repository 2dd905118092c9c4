"""Commands as a reader types them, run in this process where they are `trueness ...`; anything else goes to the shell.

Fits run in the driver's threads: what a worker process adds is tested with the engine, and to start one takes longer
than the fits of a page. `make` and `pip install` are not run: that their targets and extras exist is checked instead.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.docs.pages import ROOT
from trueness.cli import main

LOOSE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def run(line: str) -> str:
    """What the line prints; an AssertionError where it fails, or where it does not and says `# exit code 1`."""
    words = shlex.split(line, comments=True)
    wanted = int(line.endswith("# exit code 1"))
    if words[0] in ("make", "pip"):
        check_only(words)
        return ""
    if words[0] != "trueness" or {"|", "&&", ">", ";"} & set(words):
        return _shell(line)
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        code = main(words[1:])
    assert code == wanted, f"{line}: exit code {code}\n{errors.getvalue()}{out.getvalue()}"
    return out.getvalue()


def _shell(line: str) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, env=os.environ | {"PATH": path})
    assert done.returncode == 0, f"{line}: exit code {done.returncode}\n{done.stderr}{done.stdout}"
    return done.stdout


def check_only(words: list[str]) -> None:
    """`make TARGET`, `pip install PACKAGE[EXTRA]`: what they name is there."""
    if words[0] == "make":
        targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
        assert set(words[1:]) <= set(targets), f"{words}: not a target of the Makefile"
        return
    known = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for extra in re.findall(r"trueness\[([\w,-]+)\]", " ".join(words)):
        assert set(extra.split(",")) <= set(known), f"{words}: not an extra of pyproject.toml"


def in_this_process(chunk):
    """run_chunk without a worker process."""
    module, name = chunk.function.split(":")
    perform = getattr(importlib.import_module(module), name)
    return [perform(chunk.common, unit) for unit in chunk.units]


def agrees(shown: str, printed: str) -> bool:
    """Whether what the page shows is what was printed; `...` stands for anything, white space counts as one blank."""
    return doctest.OutputChecker().check_output(shown.strip() + "\n", printed.strip() + "\n", LOOSE)
