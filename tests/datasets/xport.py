"""A writer of SAS transport files, version 5, for the tests: what NHANES, BRFSS and MEPS publish.

Records of 80 bytes; numbers in IBM's format (base 16, exponent + 64, 56 bits of fraction). The layout is that of
"Record layout of a SAS version 5 or 6 data set in SAS transport format" (SAS TS-140).
"""

import struct
from pathlib import Path

STAMP = b"01JAN20:00:00:00"


def write_xport(path, columns):
    """columns: name -> list of numbers (None is missing) or of texts."""
    kinds = {name: _width(values) for name, values in columns.items()}
    parts = [
        _header("LIBRARY"),
        _padded(b"SAS     SAS     SASLIB  6.06    bsd4.2  " + b" " * 24 + STAMP),
        _padded(STAMP),
        b"HEADER RECORD*******MEMBER  HEADER RECORD!!!!!!!000000000000000001600000000140  ",
        _header("DSCRPTR"),
        _padded(b"SAS     DATA    SASDATA 6.06    bsd4.2  " + b" " * 24 + STAMP),
        _padded(STAMP),
        b"HEADER RECORD*******NAMESTR HEADER RECORD!!!!!!!000000" + b"%04d" % len(columns) + b"0" * 20 + b"  ",
    ]
    names, position = b"", 0
    for number, (name, (kind, width)) in enumerate(kinds.items(), start=1):
        label = name.encode()
        names += struct.pack(
            ">hhhh8s40s8shhh2s8shhl52s", kind, 0, width, number, label.ljust(8), label.ljust(40), b" " * 8,
            0, 0, 0, b"\0\0", b" " * 8, 0, 0, position, b"\0" * 52,
        )  # fmt: skip
        position += width
    rows = b"".join(
        _number(value) if kinds[name][0] == 1 else value.encode().ljust(kinds[name][1])
        for row in zip(*columns.values(), strict=True)
        for name, value in zip(columns, row, strict=True)
    )
    parts += [_padded(names), _header("OBS"), _padded(rows)]
    Path(path).write_bytes(b"".join(parts))


def _width(values):
    return (2, max(8, *(len(value) for value in values))) if isinstance(values[0], str) else (1, 8)


def _header(kind):
    return b"HEADER RECORD*******" + kind.ljust(8).encode() + b"HEADER RECORD!!!!!!!" + b"0" * 30 + b"  "


def _padded(record):
    return record + b" " * (-len(record) % 80)


def _number(value):
    if value is None:
        return b"." + b"\0" * 7
    if value == 0:
        return b"\0" * 8
    sign, value, exponent = (0x80 if value < 0 else 0), abs(float(value)), 64
    while value >= 1:
        value, exponent = value / 16, exponent + 1
    while value < 1 / 16:
        value, exponent = value * 16, exponent - 1
    return bytes([sign | exponent]) + int(value * 2**56).to_bytes(7, "big")
