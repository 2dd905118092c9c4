"""The way back from a worker to its driver: frames of plain values, read within a time, whatever arrives.

    frame = mark (16 bytes, drawn for this worker) | length (8 bytes) | CRC-32 of the rest (4 bytes) | values

A learner runs in the worker's process and may close the connection or write into it. So the mark stands before every
result, and `FrameReader.read` counts its time until the last byte: what is cut off, garbled or never comes is the end
of one fit, not of the driver. Values are numbers, texts, bytes, lists and tables, as MessagePack: nothing can be run
by what arrives.
"""

from __future__ import annotations

import os
import select
import time
import zlib
from collections.abc import Callable
from struct import Struct

from msgspec import msgpack

from trueness.running.outcomes import plain

MARK = 16  # bytes
HUNG_UP = 81  # exit code of a worker whose connection was closed on its own side, by a fit
LONGEST = 2**30  # bytes of a frame
FAR = 10.0  # times a limit that may pass by the clock where others have the machine
LOOK = 1.0  # seconds between two looks whether the other end is still there
Used = Callable[[], tuple[float, bool] | None]
_HEAD = Struct(f">{MARK}sQI")
_AT_ONCE = 2**16
_NOISE = "what came from the worker is no result: a fit wrote into its connection"


class NoResult(Exception):
    """What came is no frame of ours, or no outcome."""


class TooLate(Exception):
    """The frame was not complete in time."""


def frame_of(mark: bytes, value: object) -> bytes:
    """One frame; TypeError for what is no plain value."""
    content = msgpack.encode(value, enc_hook=plain)
    return _HEAD.pack(mark, len(content), zlib.crc32(content)) + content


def send(descriptor: int, frame: bytes) -> None:
    left = memoryview(frame)
    while left:
        left = left[os.write(descriptor, left) :]


class FrameReader:
    """Frames from a descriptor; `there` tells whether the process at the other end lives, `used` its CPU seconds and
    whether it is asleep, None where that cannot be known: then limits count by the clock."""

    def __init__(self, descriptor: int, mark: bytes, there: Callable[[], bool], used: Used = lambda: None):
        self._descriptor, self._mark, self._there, self._used = descriptor, mark, there, used
        self._held = bytearray()
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLIN)

    def read(self, seconds: float) -> object:
        """The next value; TooLate, NoResult, or EOFError when the other end is closed or gone."""
        end = _End(seconds, self._used)
        self._fill(_HEAD.size, end)
        mark, length, check = _HEAD.unpack_from(self._held)
        if mark != self._mark or length > LONGEST:
            raise NoResult(_NOISE)
        self._fill(_HEAD.size + length, end)
        content = bytes(self._held[_HEAD.size : _HEAD.size + length])
        del self._held[: _HEAD.size + length]
        if zlib.crc32(content) != check:
            raise NoResult(_NOISE)
        try:
            return msgpack.decode(content)
        except Exception:  # of a frame that somebody has forged
            raise NoResult(_NOISE) from None

    def _fill(self, size: int, end: _End) -> None:
        """Read on until that many bytes are held."""
        while len(self._held) < size:
            left = end.seconds_left()
            if left <= 0:
                raise TooLate
            if self._poll.poll(1000 * min(left, LOOK)):
                got = os.read(self._descriptor, max(_AT_ONCE, size - len(self._held)))
                if not got:
                    raise EOFError
                self._held += got
            elif not self._there():
                raise EOFError


class _End:
    """When a limit is used up: by CPU seconds, or seconds asleep, and FAR times as many by the clock.

    What others do on the machine does not count. Up to the first look the clock does: most results come before that,
    and cost no look.
    """

    def __init__(self, seconds: float, used: Used):
        self._began, self._seconds, self._used, self._spent = time.monotonic(), seconds, used, 0.0
        self._last: tuple[float, float] | None = None  # the last look: seconds by the clock, and of the CPU
        self._next = min(LOOK, seconds) / 2  # look, by the clock

    def seconds_left(self) -> float:
        """Seconds to wait at most before asking again; 0 or less at the end."""
        clock = time.monotonic() - self._began
        if (early := self._next - clock) > 0:
            return early
        look = self._used()
        if look is None:
            return self._seconds - clock
        cpu, asleep = look
        before = self._last or (0.0, cpu)
        self._spent += max(cpu - before[1], clock - before[0] if asleep or self._last is None else 0.0)
        self._last = clock, cpu
        left = min(self._seconds - self._spent, FAR * self._seconds - clock)
        self._next = clock + min(left, LOOK / 2)
        return left
