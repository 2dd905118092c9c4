"""What a fuzzer does to a study.db: bytes and pages, values of every column, entries of meta, JSON, schema, logs."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import random
import sqlite3
import zlib
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

SIGNS = ["", "x", "\x1b[2J", "\u202e", "../../x", "/etc/passwd", "a" * 100_000, "\ud800", "NaN", "null", "[", "{}"]
NUMBERS = [0, -1, 1, 2**31, 2**63 - 1, -(2**63), 10**7, 1e308, -1e308, float("inf"), float("-inf"), 1e-308]
SCRAPS: list[Any] = [
    None, True, False, 0, -1, 1.5, 10**7, 10**30, 10**400, float("inf"), float("nan"), "", "x", "../x", "\x1b[2J",
    "a" * 9000, "\ud800", [], {}, [[]], [None], [1], ["x"], {"a": 1}, {"": {}}, [[[[[[]]]]]], "9" * 400,
]  # fmt: skip
BESIDE = (
    "study.db-wal",
    "study.db-shm",
    "study.db-journal",
    "study.lock",
    "study.toml",
    "provenance.json",
    "scores.csv",
)


LONGEST = 2_000_000  # characters that a damaged text may have


def damage(study: Path, chance: random.Random) -> str:
    """Change the store of a study, or what lies beside it; what was done."""
    how = chance.choice(
        [_bytes, _pages, _values, _values, _entries, _entries, _entries, _lists, _inner, _inner, _schema, _beside]
    )
    what = how(study, chance)
    if chance.random() < 0.15:
        what = f"{what}; {chance.choice([_bytes, _values, _entries, _inner])(study, chance)}"
    return what


def _bytes(study: Path, chance: random.Random) -> str:
    path = study / "study.db"
    content = bytearray(path.read_bytes())
    how = chance.choice(("flip", "cut", "cut out", "insert", "header"))
    if how == "flip":
        for _ in range(chance.choice((1, 1, 3, 20, 200))):
            content[chance.randrange(len(content))] = chance.randrange(256)
    elif how == "cut":
        del content[chance.randrange(len(content)) :]
    elif how == "cut out":
        at = chance.randrange(len(content))
        del content[at : at + chance.choice((1, 100, 4096))]
    elif how == "insert":
        at = chance.randrange(len(content))
        content[at:at] = chance.randbytes(chance.choice((1, 100, 4096)))
    else:
        for _ in range(chance.choice((1, 2, 5))):
            content[chance.randrange(100)] = chance.choice((0, 1, 2, 3, 4, 127, 255, chance.randrange(256)))
    path.write_bytes(content)
    return f"bytes: {how}"


def _pages(study: Path, chance: random.Random) -> str:
    path = study / "study.db"
    content = bytearray(path.read_bytes())
    n = max(1, len(content) // 4096)
    one, other = (chance.randrange(n) * 4096 for _ in range(2))
    how = chance.choice(("zeroed", "swapped", "repeated", "random", "flipped in its head"))
    page, second = content[one : one + 4096], content[other : other + 4096]
    if how == "zeroed":
        content[one : one + 4096] = bytes(len(page))
    elif how == "swapped":
        content[one : one + 4096], content[other : other + 4096] = second, page
    elif how == "repeated":
        content[one : one + 4096] = second
    elif how == "random":
        content[one : one + 4096] = chance.randbytes(len(page))
    else:
        for _ in range(4):
            content[one + chance.randrange(min(12, len(page)))] = chance.randrange(256)
    path.write_bytes(content)
    return f"page {one // 4096} {how}"


@contextlib.contextmanager
def _opened(study: Path) -> Iterator[sqlite3.Connection]:
    """The store, to be changed; a change that SQLite refuses is none."""
    connection = sqlite3.connect(study / "study.db", isolation_level=None)
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    with contextlib.closing(connection), contextlib.suppress(sqlite3.Error, OverflowError, UnicodeError):
        connection.execute("PRAGMA foreign_keys=OFF")
        connection.execute("PRAGMA ignore_check_constraints=ON")
        yield connection


COLUMNS = {
    "meta": ("key", "value"),
    "runs": ("id", "key", "task", "item", "variant", "respondent", "repeat", "status", "message", "seconds", "answer"),
    "scores": ("run", "measure", "value", "status"),
    "prompts": ("hash", "messages"),
    "replies": ("key", "respondent", "prompt", "asked", "at", "status", "cost", "reply"),
}


def _values(study: Path, chance: random.Random) -> str:
    table = chance.choice([*COLUMNS, "runs", "scores"])
    column = chance.choice(COLUMNS[table])
    how = chance.choice(("NULL", "text", "number", "blob", "no UTF-8", "of another row", "deleted"))
    value: Any = {"NULL": None, "text": chance.choice(SIGNS), "number": chance.choice(NUMBERS)}.get(how)
    where = chance.choice(("", f" WHERE {column} = (SELECT {column} FROM {table} ORDER BY RANDOM() LIMIT 1)"))
    with _opened(study) as db:
        if how == "deleted":
            db.execute(f"DELETE FROM {table}{where}")
        elif how == "of another row":
            db.execute(f"UPDATE OR REPLACE {table} SET {column} = (SELECT {column} FROM {table} LIMIT 1){where}")
        elif how == "blob":
            db.execute(f"UPDATE OR REPLACE {table} SET {column} = ?{where}", (chance.randbytes(20),))
        elif how == "no UTF-8":
            db.execute(
                f"UPDATE OR REPLACE {table} SET {column} = CAST(x'ff41ed a080' AS TEXT){where}".replace(" a0", "a0")
            )
        else:
            db.execute(f"UPDATE OR REPLACE {table} SET {column} = ?{where}", (value,))
    return f"{table}.{column}: {how}"


def _entries(study: Path, chance: random.Random) -> str:
    """An entry of meta, mostly what the store says of the study: parts replaced, taken out, made large."""
    key = chance.choice(("study", "study", "study", "study", "plan", "sessions", "environments", "sources", "schema"))
    with _opened(study) as db:
        row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        text = row[0] if row else "{}"
        if chance.random() < 0.1:
            text = chance.choice([*SIGNS, "[" * 3000, "9" * 5000, '{"tasks": []}', '{"tasks": [{}]}'])
        else:
            text = _misshapen(text, chance)
        db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, text.encode("utf-8", "replace").decode()))
    return f"meta {key}"


def _lists(study: Path, chance: random.Random) -> str:
    """Lists and tables in what the study says it is about, made thousands long: one alone, or several that are
    multiplied; with the same entries again, or with new names."""
    told = []
    with _opened(study) as db:
        row = db.execute("SELECT value FROM meta WHERE key = 'study'").fetchone()
        value = json.loads(row[0])
        about = chance.choice(value["tasks"])["about"]
        holders = [holder for holder in _holders(about) if len(holder)]
        holders += 4 * [holder for holder in about.values() if isinstance(holder, dict | list) and len(holder)]
        for _ in range(chance.choice((1, 2, 3)) if holders else 0):
            holder, how = chance.choice(holders), chance.choice(("again", "new names"))
            _lengthen(holder, _size(about), chance.choice((50, 1500, 5000)), how)
            told.append(f"{how} {len(holder)}")
        db.execute("UPDATE meta SET value = ? WHERE key = 'study'", (json.dumps(value),))
    return f"lists in about: {', '.join(told)}"


def _lengthen(holder: Any, size: int, count: int, how: str) -> None:
    if len(holder) >= count or size * count // len(holder) > LONGEST:  # it may stand at many places
        return
    parts = list(holder.values()) if isinstance(holder, dict) else list(holder)
    if isinstance(holder, dict):
        holder.update({f"x{k}": parts[k % len(parts)] for k in range(count)})
    elif how == "again" or not isinstance(parts[0], str):
        holder[:] = (parts * count)[:count]
    else:
        holder += [f"{parts[0]}{k}" for k in range(count)]


def _inner(study: Path, chance: random.Random) -> str:
    """The JSON within a column."""
    table, column, key = chance.choice(
        (
            ("runs", "answer", "id"),
            ("replies", "reply", "key"),
            ("replies", "asked", "key"),
            ("prompts", "messages", "hash"),
        )
    )
    with _opened(study) as db:
        rows = db.execute(f"SELECT {key}, {column} FROM {table} WHERE {column} IS NOT NULL").fetchall()
        for name, text in rows if chance.random() < 0.3 else chance.sample(rows, min(len(rows), 3)):
            text = _misshapen(text, chance) if chance.random() < 0.9 else chance.choice(SIGNS)
            db.execute(
                f"UPDATE {table} SET {column} = ? WHERE {key} = ?", (text.encode("utf-8", "replace").decode(), name)
            )
    return f"JSON in {table}.{column}"


def _misshapen(text: str, chance: random.Random) -> str:
    try:
        value = json.loads(text if len(text) <= LONGEST else "")
    except ValueError:
        return text + "x"
    for _ in range(chance.choice((1, 1, 2, 4))):
        holders = [holder for holder in _holders(value) if len(holder)]
        if not holders:
            break
        holder = chance.choice(holders)
        name = chance.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
        how = chance.random()
        if how < 0.2:
            del holder[name]
        elif how < 0.35 and isinstance(holder, list):
            times = chance.choice((2, 50, 2000))
            holder[:] = holder * (times if _size(value) * times < LONGEST else 2)
        elif how < 0.5 and isinstance(holder[name], int | float):
            holder[name] = chance.choice(NUMBERS)
        elif how < 0.6 and isinstance(holder[name], str):
            holder[name] = _packed(chance) if len(holder[name]) > 200 else chance.choice(SIGNS)
        else:
            holder[name] = deepcopy(chance.choice(SCRAPS))  # which the next round may change
    with contextlib.suppress(ValueError, RecursionError):
        return json.dumps(value)
    return text


def _size(value: Any) -> int:
    """Characters of it as JSON; without end where it is nested too deep."""
    with contextlib.suppress(RecursionError):
        return len(json.dumps(value))
    return LONGEST


def _packed(chance: random.Random) -> str:
    """What unpacks to more than it is."""
    return base64.b64encode(zlib.compress(bytes(chance.choice((8, 1000, 10**8))))).decode()


def _holders(value: Any) -> Iterator[Any]:
    left = [value]
    while left:  # damage upon damage may be nested deeper than Python calls
        value = left.pop()
        if isinstance(value, dict | list):
            yield value
            left += value.values() if isinstance(value, dict) else value


ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT 'a' AS key, x AS value FROM n"
MADE = "GENERATED ALWAYS AS (hex(zeroblob(100000000))) VIRTUAL"
SCHEMAS = (
    "DROP TABLE {table}",
    "ALTER TABLE {table} RENAME TO other",
    "ALTER TABLE {table} ADD COLUMN more TEXT",
    "ALTER TABLE {table} RENAME COLUMN {column} TO renamed",
    "CREATE TABLE more AS SELECT * FROM {table}",
    "CREATE INDEX i ON {table} ({column})",
    "CREATE VIEW v AS SELECT * FROM {table}",
    f"CREATE VIEW v AS {ENDLESS}",
    f"DROP TABLE {{table}}; CREATE VIEW {{table}} AS {ENDLESS}",
    "CREATE TRIGGER t AFTER INSERT ON {table} BEGIN DELETE FROM {table}; END",
    "CREATE VIRTUAL TABLE f USING fts5(x)",
    "CREATE/**/VIRTUAL TABLE f USING fts5(x)",
    "CREATE\nVIRTUAL TABLE f USING rtree(a, b, c)",
    f"ALTER TABLE {{table}} ADD COLUMN big TEXT {MADE}",
    f"DROP TABLE meta; CREATE TABLE meta (key TEXT, value TEXT {MADE}); INSERT INTO meta (key) VALUES ('study')",
    "DROP TABLE {table}; CREATE TABLE {table} ({column} TEXT)",
    "ANALYZE",
    "PRAGMA user_version = 7",
    "PRAGMA auto_vacuum = 2; VACUUM",
    "PRAGMA page_size = 512; VACUUM",
    "PRAGMA page_size = 65536; VACUUM",
    "PRAGMA journal_mode = WAL",
    "PRAGMA journal_mode = PERSIST; DELETE FROM {table}",
    "PRAGMA writable_schema = 1; UPDATE sqlite_master SET rootpage = 2 WHERE name = '{table}'",
    "PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql = 'CREATE TABLE {table} (x)' WHERE name = '{table}'",
    "PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql = sql || ' ' WHERE name = '{table}'",
    "PRAGMA writable_schema = 1; UPDATE sqlite_master SET type = 'index' WHERE name = '{table}'",
    "PRAGMA writable_schema = 1; INSERT INTO sqlite_master SELECT * FROM sqlite_master",
)


def _schema(study: Path, chance: random.Random) -> str:
    table = chance.choice(list(COLUMNS))
    statement = chance.choice(SCHEMAS).format(table=table, column=chance.choice(COLUMNS[table]))
    with _opened(study) as db:
        for part in statement.split("; "):
            db.execute(part)
    return statement[:60].replace("\n", " ")


def _beside(study: Path, chance: random.Random) -> str:
    path = study / chance.choice(BESIDE)
    how = chance.choice(("garbage", "cut", "empty", "link", "pipe", "folder", "gone", "log"))
    content = path.read_bytes() if path.is_file() else b""
    path.unlink(missing_ok=True)
    if how == "garbage":
        path.write_bytes(content[: len(content) // 2] + chance.randbytes(chance.choice((8, 512, 5000))))
    elif how == "cut":
        path.write_bytes(content[: len(content) // 2])
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "link":
        path.symlink_to(study.parent / "canary.txt")
    elif how == "pipe":
        os.mkfifo(path)
    elif how == "folder":
        path.mkdir()
    elif how == "log":  # a WAL with a commit that was not brought into the file
        path.write_bytes(content)
        with _opened(study) as db:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("UPDATE runs SET message = 'in the log'")
            log = (study / "study.db-wal").read_bytes()
            main = (study / "study.db").read_bytes()
        damaged = bytearray(log)
        for _ in range(chance.choice((0, 1, 10))):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        (study / "study.db").write_bytes(main)
        (study / "study.db-wal").write_bytes(damaged)
    return f"{path.name}: {how}"
