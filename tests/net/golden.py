"""What is compared with what is kept: texts with their numbers at six digits, files by the hash of that.

    NET_RENEW=1 python -m pytest tests/net      keeps what comes out now; the commit says which change was meant

Six digits, and what is below 1e-9 is 0, because linear algebra differs in its last ones between processors. A search
may still take another way there, so where `fingerprint` is not the kept one nothing is compared, and the tests say so.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path

import numpy as np

GOLDEN = Path(__file__).parent / "golden"
UNEVEN = ("study.db", "study.lock", "provenance.json", "report.html", "draft.tex")  # moments and seconds are in them
_MOMENTS = re.compile(r"\d{4}-\d\d-\d\dT[\d:+]+|(?<=\] )\d+\.\d{3}(?=\s)")  # and the seconds of a fit, in the terminal
_NUMBER = re.compile(r"(?<![\w.])-?\d+\.\d{4,}(?:e[+-]?\d+)?|(?<![\w.])-?\d+(?:\.\d+)?e[+-]?\d+")


def fingerprint() -> str:
    """Of how this processor computes: bits of products, eigenvalues and exponentials."""
    values = np.random.default_rng(0).normal(size=(120, 120))
    parts = (values @ values.T, np.linalg.eigvalsh(values @ values.T), np.linalg.inv(values), np.exp(values))
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()[:16]


def is_checked() -> bool:
    """Whether what is kept was made on a processor that computes like this one."""
    return _kept("processor.txt", fingerprint()) == fingerprint()


def steady(text: str) -> str:
    """Numbers of many digits at six of them; no moments."""
    return _NUMBER.sub(lambda number: format(round(float(number[0]), 9) + 0.0, ".6g"), _MOMENTS.sub("then", text))


def hashes(folder: Path) -> dict[str, str]:
    """Name -> hash of each file of a finished study that is the same in every run of the same plan."""
    kept = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.relative_to(folder).as_posix()
        if path.name not in UNEVEN and path.stem != "runtime" and path.suffix not in (".pdf", ".png"):
            kept[name] = hashlib.sha256(steady(path.read_text(encoding="utf-8")).encode()).hexdigest()[:16]
        else:
            kept[name] = "there"
    return kept


def differences(name: str, text: str) -> str:
    """What differs from the kept text, as the first lines that do; empty where nothing does."""
    before, now = _kept(name, steady(text)).splitlines(), steady(text).splitlines()
    if before == now:
        return ""
    lines = [f"- {a}\n+ {b}" for a, b in zip(before, now, strict=False) if a != b][:4]
    return "\n".join([f"{name}: {len(before)} lines were kept, {len(now)} came", *lines])


def file_differences(name: str, folder: Path) -> str:
    """The files whose hashes differ, came or went."""
    now = hashes(folder)
    before = json.loads(_kept(name, json.dumps(now, indent=0)))
    changed = [file for file in sorted(before | now) if before.get(file) != now.get(file)]
    return "\n".join(f"{file}: {before.get(file, 'new')} -> {now.get(file, 'gone')}" for file in changed)


def _kept(name: str, now: str) -> str:
    path = GOLDEN / name
    if os.environ.get("NET_RENEW"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(now, encoding="utf-8")
    return path.read_text(encoding="utf-8")
