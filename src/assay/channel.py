"""The way back from a worker to its driver: frames of JSON, read within a time, whatever arrives.

    frame = mark (16 bytes, drawn for this worker) | length (8 bytes) | CRC-32 of the rest (4 bytes) | JSON

A learner runs in the worker's process and may close the connection or write into it. So the mark stands before every
result, nothing is unpickled, and `Reader.read` counts its time until the last byte: what is cut off, garbled or never
comes is the end of one fit, not of the driver.
"""

from __future__ import annotations

import json
import os
import select
import time
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable
from struct import Struct
from typing import Any

MARK = 16  # bytes
HUNG_UP = 81  # exit code of a worker whose connection was closed on its own side, by a fit
LONGEST = 2**30  # bytes of a frame
LOOK = 1.0  # seconds between two looks whether the other end is still there
_HEAD = Struct(f">{MARK}sQI")
_BYTES = "bytes in base64"
_AT_ONCE = 2**16
_NOISE = "what came from the worker is no result: a fit wrote into its connection"


class NoResult(Exception):
    """What came is no frame of ours, or no outcome."""


class TooLate(Exception):
    """The frame was not complete in time."""


def framed(mark: bytes, value: Any) -> bytes:
    """One frame; TypeError for what JSON and `bytes` cannot tell."""
    content = _ENCODER.encode(value).encode()
    return _HEAD.pack(mark, len(content), zlib.crc32(content)) + content


def send(descriptor: int, frame: bytes) -> None:
    left = memoryview(frame)
    while left:
        left = left[os.write(descriptor, left) :]


class Reader:
    """Frames from a descriptor; `there` tells whether the process at the other end lives."""

    def __init__(self, descriptor: int, mark: bytes, there: Callable[[], bool]):
        self._descriptor, self._mark, self._there = descriptor, mark, there
        self._held = bytearray()
        self._told = select.poll()
        self._told.register(descriptor, select.POLLIN)

    def read(self, seconds: float) -> Any:
        """The next value; TooLate, NoResult, or EOFError when the other end is closed or gone."""
        end = time.monotonic() + seconds
        self._fill(_HEAD.size, end)
        mark, length, check = _HEAD.unpack_from(self._held)
        if mark != self._mark or length > LONGEST:
            raise NoResult(_NOISE)
        self._fill(_HEAD.size + length, end)
        content = bytes(self._held[_HEAD.size : _HEAD.size + length])
        del self._held[: _HEAD.size + length]
        if zlib.crc32(content) != check:
            raise NoResult(_NOISE)
        hook = _unpacked if _BYTES.encode() in content else None  # a hook is called for every table
        try:
            return json.loads(content.decode(), object_hook=hook)
        except ValueError:
            raise NoResult(_NOISE) from None

    def _fill(self, size: int, end: float) -> None:
        """Read on until that many bytes are held."""
        while len(self._held) < size:
            left = end - time.monotonic()
            if left <= 0:
                raise TooLate
            if self._told.poll(1000 * min(left, LOOK)):
                got = os.read(self._descriptor, max(_AT_ONCE, size - len(self._held)))
                if not got:
                    raise EOFError
                self._held += got
            elif not self._there():
                raise EOFError


def _packed(value: Any) -> Any:
    if isinstance(value, bytes):
        return {_BYTES: b64encode(value).decode()}
    if hasattr(value, "dtype") and hasattr(value, "item"):  # a number of numpy's
        return value.item()
    raise TypeError(f"an outcome must hold numbers, texts, lists and tables, got {type(value).__name__}")


def _unpacked(table: dict[str, Any]) -> Any:
    return b64decode(table[_BYTES]) if list(table) == [_BYTES] else table


_ENCODER = json.JSONEncoder(default=_packed, separators=(",", ":"))
