"""Thousands of damaged study.db files, each given to the commands that read a study.

    python -m tests.hostile.fuzz_store --count 5000 [--seed 1] [--kinds discovery forecast ...]

A file is damaged in its bytes (flips, cuts, pages), in its values by SQL (every column, every entry of meta, parts of
the JSON in them), in its schema, or by what lies beside it. A child process with a limit on memory and an alarm reads
it: `show` in one of its forms, and one of: the page, `report` without pictures, `compare`. It may end well or in one
line; a traceback, a signal, the alarm, running out of memory, and anything written outside of the study are failures.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.faults.places import PLANS, Place
from tests.hostile.store_damage import damage

KINDS = tuple(PLANS)
SECONDS, WAITING = 90, 1800  # of a child: of CPU time, and in all (a pipe that nobody writes to), however busy it is
ROOM = 3 << 30  # bytes that a child may have beyond what it begins with


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="fuzz_store")
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", nargs="*", default=KINDS, choices=KINDS)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="trueness-fuzz-") as place:
        found = fuzz(Path(place), options.count, options.seed, options.kinds, told=print)
    print(found)
    return 1 if found.failures else 0


@dataclass
class Tally:
    files: int = 0
    ended: Counter[str] = field(default_factory=Counter)  # well, one line
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0
    slowest: tuple[float, str] = (0.0, "")
    largest: int = 0  # bytes in use by a child at most

    def __str__(self) -> str:
        kinds = Counter(failure.split(":")[0] for failure in self.failures)
        counted = {kind: kinds[kind] for kind in ("crash", "hang", "memory", "written outside")}
        return (
            f"{self.files:,} files, {sum(self.ended.values()):,} commands: {self.ended['well']:,} well, "
            f"{self.ended['one line']:,} in one line; failures: {counted}; {self.seconds:,.0f} s of CPU time; "
            f"slowest {self.slowest[0]:.1f} s ({self.slowest[1]}); at most {self.largest / 2**20:,.0f} MB"
        )


def fuzz(
    place: Path, count: int, seed: int, kinds: Sequence[str], told: Callable[[str], object] = lambda _: None
) -> Tally:
    seeds = {kind: _finished(kind, place / "seeds") for kind in kinds}
    _warm_up(list(seeds.values()))
    tally = Tally()
    for number in range(count):
        chance = random.Random(f"{seed} {number}")
        kind = kinds[number % len(kinds)]
        known = len(tally.failures)
        _one(place / "work", kind, seeds[kind], chance, number, tally)
        for failure in tally.failures[known:]:
            told(failure)
        if number % 250 == 249:
            told(f"{tally}")
    return tally


def _finished(kind: str, where: Path) -> Path:
    study = Place.make(kind, where / kind)
    plan = study.root / "plan.toml"
    small = {
        "runs = 30": "runs = 6",
        "repeats = 3": "repeats = 1",
        "draws = 40": "draws = 8",
        "seeds = 10": "seeds = 4",
    }
    for large, less in small.items():
        plan.write_text(plan.read_text().replace(large, less))
    code, said = study.finish()
    assert code == 0, said
    return study.folder


# ---- one file


def _one(work: Path, kind: str, seed: Path, chance: random.Random, number: int, tally: Tally) -> None:
    shutil.rmtree(work, ignore_errors=True)
    (work / "home").mkdir(parents=True)
    (work / "canary.txt").write_text("nobody writes here")
    study = work / "study"
    shutil.copytree(seed, study)
    what = damage(study, chance)
    commands = _commands(study, seed, chance)
    before = _outside(work)
    code, said, seconds, size = _in_child(work, commands)
    tally.files += 1
    tally.largest, tally.seconds = max(tally.largest, size), tally.seconds + seconds
    tally.slowest = max(tally.slowest, (seconds, f"{kind}, {what}"))
    where = f"file {number} ({kind}, {what}; {' | '.join(name for name, _ in commands)})"
    if code != 0:
        how = (
            "hang"
            if -code in (signal.SIGALRM, signal.SIGXCPU, signal.SIGKILL)
            else "memory"
            if "MemoryError" in said
            else "crash"
        )
        tally.failures.append(f"{how}: {where}: {code}: {said[-1200:]}")
    else:
        tally.ended.update(json.loads(said))
    if _outside(work) != before:
        tally.failures.append(f"written outside: {where}")


def _outside(work: Path) -> dict[str, bytes]:
    found = {}
    for path in sorted(work.rglob("*")):
        if not path.is_relative_to(work / "study"):
            found[str(path)] = path.read_bytes() if path.is_file() else b""
    return found


def _in_child(work: Path, commands: list[tuple[str, Callable[[], None]]]) -> tuple[int, str, float, int]:
    """Exit code (negative: a signal), what it said, its seconds and memory."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        os.chdir(work)
        os.environ["HOME"] = str(work / "home")
        code, said = 1, "{}"
        try:
            signal.alarm(WAITING)
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            with Path("/proc/self/statm").open() as file:
                used = int(file.read().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, used + ROOM))
            said, code = json.dumps(_all(commands)), 0
        except BaseException:
            said = traceback.format_exc()
        with contextlib.suppress(BaseException):
            os.write(writer, said.encode("utf-8", "replace")[-60_000:])
        os._exit(code)
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        said = file.read().decode("utf-8", "replace")
    _, status, usage = os.wait4(child, 0)
    return os.waitstatus_to_exitcode(status), said, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def _all(commands: list[tuple[str, Callable[[], None]]]) -> dict[str, int]:
    ended: Counter[str] = Counter()
    for name, command in commands:
        out, error = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
            code = command()
        lines = error.getvalue().strip().splitlines()
        assert code in (0, 1, 2), (name, code)
        assert code != 2 or len(lines) == 1, (name, lines)
        assert "Traceback" not in error.getvalue(), (name, lines)
        if "MemoryError" in error.getvalue():
            raise MemoryError(name, lines)
        ended["one line" if code == 2 else "well"] += 1
    return dict(ended)


def _warm_up(studies: list[Path]) -> None:
    """Everything is imported and compiled before the first child is made; pictures are not drawn."""
    from trueness.showing import drawers

    def begin(self: Any, source: Any, formats: Any) -> None:
        return None

    def take(self: Any, coming: Any) -> None:
        raise drawers.NotDrawn("pictures are left out here")

    drawers.Drawers.begin, drawers.Drawers.take = begin, take  # type: ignore[method-assign, assignment]
    for study in studies:
        copy = study.with_name("warm")
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(study, copy)
        for _, command in [*_forms(copy), *_others(copy, copy)]:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as error:
                assert command() in (0, 2), error.getvalue()


def _commands(study: Path, seed: Path, chance: random.Random) -> list[tuple[str, Callable[[], int]]]:
    (other,) = chance.choices(_others(study, seed), (3, 1, 2))  # a report takes as long as the others together
    return [chance.choice(_forms(study)), other]


def _forms(study: Path) -> list[tuple[str, Callable[[], int]]]:
    from trueness.cli import main as trueness

    forms = ([], ["--json"], ["--csv"], ["--md"], ["--tex"])
    return [(" ".join(["show", *form]), lambda form=form: trueness(["show", str(study), *form])) for form in forms]


def _others(study: Path, seed: Path) -> list[tuple[str, Callable[[], int]]]:
    from trueness.cli import main as trueness

    names = _respondents(seed)  # what lies in the damaged one may be a pipe that nobody writes to
    return [
        ("view", lambda: _viewed(study)),
        ("report", lambda: trueness(["report", str(study)])),
        ("compare", lambda: trueness(["compare", *names, str(study), "--json"])),
    ]


def _respondents(study: Path) -> list[str]:
    with contextlib.suppress(OSError, ValueError, IndexError):
        lines = (study / "scores.csv").read_text(errors="replace").splitlines()[1:]
        found = list(dict.fromkeys(line.split(",")[4] for line in lines))
        if len(found) > 1 and not any(name.startswith("-") for name in found[:2]):
            return found[:2]
    return ["a", "b"]


def _viewed(study: Path) -> int:
    """The reader of the page: what a browser asks first, and a few cells."""
    from trueness.errors import TruenessError
    from trueness.page.library import Library

    library = Library([study])
    (opened,) = library.studies.values()
    try:
        if problem := opened.problem():
            print(problem, file=sys.stderr)
            return 2
        for path in ("overview", "analysis", "progress", "figures"):
            opened.answer(path)
        for task in opened.head()["tasks"]:
            opened.answer(f"grid/{task['task']}")
        for path in list(opened._page.cell_paths())[:3]:
            opened.answer(path)
    except TruenessError as error:
        print(error, file=sys.stderr)
        return 2
    finally:
        library.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
