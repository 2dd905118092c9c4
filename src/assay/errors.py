"""What can go wrong by a user's hand, as one tree.

    AssayError                 one line, no traceback, exit code 2
    |-- UnknownName            a name that is not in the registry, with the nearest one
    |-- MissingExtra           a package that is not installed, with the install command
    |-- SettingError           a parameter out of its range or of the wrong type
    |-- GraphError             a graph that is not what it says: a cycle, a matrix without direction
    |-- DataError              a table that cannot be used: missing values, constant column, text
    |-- PlanError              a study.toml that cannot be carried out
    `-- StoreError             a study folder that is locked, damaged or made from another plan

A learner that crashes, hangs or answers nonsense is no error of this tree: it is a result with a status.
Messages have one form: which, must be, got, what to do.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class AssayError(Exception):
    """A mistake that the user can mend; its text is one line."""


class UnknownName(AssayError):
    """A name that nobody registered."""

    def __init__(self, kind: str, name: str, known: Iterable[str], hint: str = ""):
        nearest = did_you_mean(name, known)
        advice = nearest or (f"See 'assay list {kind}s'." if " " not in kind else "")
        super().__init__(" ".join(part for part in (f"{name!r} is not a {kind}.", advice, hint) if part))


class MissingExtra(AssayError):
    """Something needs a package of an extra that is not installed."""

    def __init__(self, what: str, package: str, extra: str):
        super().__init__(f"{what} needs {package}, which is not installed.  pip install 'causal-assay[{extra}]'")


class SettingError(AssayError):
    """A parameter is out of its range, of the wrong type, or not a parameter at all."""


class GraphError(AssayError):
    """A graph breaks the rules of its kind."""


class DataError(AssayError):
    """A table cannot be used as it is."""


class PlanError(AssayError):
    """A study plan cannot be carried out."""


class StoreError(AssayError):
    """A study folder or its database cannot be used."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The sentence that offers the nearest known name, or nothing."""
    near = get_close_matches(name.lower(), [str(k) for k in known], n=1, cutoff=0.55)
    return f"Did you mean {near[0]!r}?" if near else ""


def listed(names: Iterable[object], most: int = 6) -> str:
    """Names for a message: all of a few, the first of many."""
    items = [str(name) for name in names]
    return ", ".join(items[:most]) + (f", ... ({len(items)} in all)" if len(items) > most else "")
