"""What an attacker does to a file: bytes flipped, cut, repeated, numbers without end, and a limit on the CPU time."""

import re
import signal
import tracemalloc
from contextlib import contextmanager

from hypothesis import strategies as st

from trueness.errors import MAX_MESSAGE, TruenessError

TOKENS = [
    b"\x00", b"\xff", b"\xef\xbb\xbf", b"\r", b"\n", b",", b";", b"\t", b'"', b"'", b"\\", b"{", b"}", b"[", b"]", b"<",
    b"&x;", b"/*", b"#", b"=", b"->", b"|", b"nan", b"-inf", b"1e400", b"9" * 400, b"9" * 5000, b"-1", b"null", b"true",
    b"../../x", b"a" * 300, b"\xed\xa0\x80", b"\\ud800", b"9**9**9", b"10^999", b"1/0", b"[" * 60, b'{"a":' * 60,
    "10\u207b\u207b".encode(), "\u202e".encode(),
]  # fmt: skip


class TooSlow(Exception):
    """The CPU time is spent: something grows faster than its input."""


@contextmanager
def within(seconds=20.0):
    """CPU seconds of this process, far above what is needed, so that only a quadratic reader or a loop is stopped."""

    def stop(*_):
        raise TooSlow(f"more than {seconds} s of CPU time")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@contextmanager
def at_most(megabytes):
    """Of memory that Python and numpy take meanwhile."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < megabytes * 2**20
    finally:
        tracemalloc.stop()


def survives(read, given):
    """Read, or tell in one line why not; anything else is a failure of the reader."""
    try:
        with within():
            return read(given)
    except TruenessError as error:
        assert "\n" not in str(error) and 0 < len(str(error)) <= MAX_MESSAGE
        return None


@st.composite
def damaged(draw, seeds):
    """A valid file with one to four changes."""
    content = draw(st.sampled_from(seeds))
    for _ in range(draw(st.integers(1, 4))):
        content = draw(st.sampled_from(_CHANGES))(content, draw)
    return content


def _place(content, draw):
    return draw(st.integers(0, max(0, len(content) - 1)))


def _flipped(content, draw):
    at = _place(content, draw)
    return content[:at] + bytes([draw(st.integers(0, 255))]) + content[at + 1 :]


def _cut(content, draw):
    return content[: _place(content, draw)]


def _without(content, draw):
    at = _place(content, draw)
    return content[:at] + content[at + draw(st.integers(1, 40)) :]


def _doubled(content, draw):
    at = _place(content, draw)
    return content[:at] + content[at : at + draw(st.integers(1, 80))] * 3 + content[at:]


def _inserted(content, draw):
    at = _place(content, draw)
    return content[:at] + draw(st.sampled_from(TOKENS)) + content[at:]


def _replaced(content, draw):
    words = list(re.finditer(rb"[\w.+-]+", content))
    if not words:
        return content
    word = words[draw(st.integers(0, len(words) - 1))]
    return content[: word.start()] + draw(st.sampled_from(TOKENS)) + content[word.end() :]


_CHANGES = (_flipped, _cut, _without, _doubled, _inserted, _replaced, _replaced)

SCRAPS = st.sampled_from(
    [None, True, 0, -1, 1.5, float("inf"), float("nan"), 10**400, "", "x", "../x", "/x", "a" * 300, "\x00", [], {},
     [[]], [1], ["x"], {"a": 1}, {"a": {"b": []}}, "9" * 400, "10^999", "3 x 10\u207b\u207b"]
)  # fmt: skip


@st.composite
def misshapen(draw, seeds):
    """A valid JSON value in which one to three parts were replaced, taken out or repeated."""
    value = _copied(draw(st.sampled_from(seeds)))
    for _ in range(draw(st.integers(1, 3))):
        holders = [holder for holder in _holders(value) if len(holder)]
        if not holders:
            return value
        holder = draw(st.sampled_from(holders))
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        key = draw(st.sampled_from(keys))
        if draw(st.integers(0, 3)):
            holder[key] = _copied(draw(SCRAPS))
        else:
            del holder[key]
    return value


def _holders(value):
    if isinstance(value, dict | list):
        yield value
        for part in value.values() if isinstance(value, dict) else value:
            yield from _holders(part)


def _copied(value):
    if isinstance(value, dict):
        return {key: _copied(part) for key, part in value.items()}
    return [_copied(part) for part in value] if isinstance(value, list | tuple) else value
