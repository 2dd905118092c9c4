"""Discrete data made quick to count: codes, merged rows, bit planes, the tables of all pairs.

columns[j, r]            the level of row r in column j, a byte;   weights[r]: how often the row occurs
planes[first[j] + a]     one bit a row: does it have level a in column j?
burt[first[i] + a, first[j] + b]    rows with level a in column i and level b in column j (the Burt matrix)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from trueness.learners.kernels.compiling import bare, inner, kernel

MOST_LEVELS = 256  # codes are bytes


@intrinsic  # type: ignore[misc]
def popcount(typing_context: Any, word: Any) -> Any:
    """Number of ones in a 64-bit word: one instruction, which numpy has only for whole arrays."""

    def code(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), code


# ---- from a table of floats to codes


@kernel
def encode(values, d):
    """(n, d) floats that hold codes -> (d, n) bytes."""
    n = values.shape[0]
    columns = np.empty((d, n), np.uint8)
    for start in range(0, n, 256):  # block by block: the rows read and the columns written both stay in cache
        stop = min(n, start + 256)
        for j in range(d):
            for r in range(start, stop):
                columns[j, r] = np.uint8(values[r, j])
    return columns


@kernel
def merge_equal_rows(values, levels, most):
    """Distinct rows of (n, d) floats that hold codes, and how often each occurs; nothing when over `most` differ."""
    n, d = values.shape
    nothing = np.empty((d, 0), np.uint8), np.empty(0, np.int32)
    stride = np.empty(d, np.int64)
    room = 1.0
    for j in range(d):
        if room * levels[j] > 2.0**62:
            return nothing
        stride[j] = np.int64(room)
        room *= levels[j]
    direct = room <= 4096.0  # then a row's number is its place; else places are shared and keys compared
    size = 4096
    while size < 4 * most and not direct:
        size *= 2
    keys, rows = np.empty(most, np.int64), np.empty(most, np.int64)
    weights = np.zeros(most, np.int32)
    slots = np.full(size, -1, np.int32)
    n_distinct = 0
    for r in range(n):
        key = np.int64(0)
        for j in range(d):
            key += np.int64(values[r, j]) * stride[j]
        slot = key
        if not direct:
            slot = np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(33)) & (size - 1)
            while slots[slot] >= 0 and keys[slots[slot]] != key:
                slot = (slot + 1) & (size - 1)
        at = slots[slot]
        if at < 0:
            if n_distinct == most:
                return nothing
            at = slots[slot] = n_distinct
            keys[n_distinct] = key
            rows[n_distinct] = r
            n_distinct += 1
        weights[at] += 1
    columns = np.empty((d, n_distinct), np.uint8)
    for i in range(n_distinct):
        for j in range(d):
            columns[j, i] = np.uint8(values[rows[i], j])
    return columns, weights[:n_distinct].copy()


@kernel
def levels_that_occur(columns, levels):
    """How many levels of each column have a row."""
    occur = np.zeros(levels.shape[0], np.int64)
    for j in range(levels.shape[0]):
        seen = np.zeros(levels[j], np.bool_)
        for r in range(columns.shape[1]):
            seen[columns[j, r]] = True
        occur[j] = seen.sum()
    return occur


@kernel
def bit_planes(columns, first):
    """planes[first[j] + a]: bit r says whether row r has level a in column j."""
    d, n = columns.shape
    planes = np.zeros((first[d], (n + 63) // 64), np.uint64)
    for j in range(d):
        for r in range(n):
            planes[first[j] + columns[j, r], r >> 6] |= np.uint64(1) << np.uint64(r & 63)
    return planes


@kernel
def burt_matrix(planes, first):
    """burt[first[i] + a, first[j] + b]: rows with level a in column i and level b in column j."""
    total, words = planes.shape
    d = first.shape[0] - 1
    burt = np.zeros((total, total), np.int32)
    for i in range(d):
        for a in range(first[i], first[i + 1]):
            for w in range(words):
                burt[a, a] += np.int32(popcount(planes[a, w]))
        for j in range(i):
            last = first[j + 1] - 1
            for a in range(first[i], first[i + 1] - 1):
                left = burt[a, a]
                for b in range(first[j], last):
                    count = np.uint64(0)
                    for w in range(words):
                        count += popcount(planes[a, w] & planes[b, w])
                    burt[a, b] = burt[b, a] = np.int32(count)
                    left -= np.int32(count)
                burt[a, last] = burt[last, a] = left
            a = first[i + 1] - 1  # what the other levels of column i leave
            for b in range(first[j], last + 1):
                left = burt[b, b]
                for other in range(first[i], a):
                    left -= burt[other, b]
                burt[a, b] = burt[b, a] = left
    return burt


# ---- merging and grouping rows


@bare
def append_level(code, columns, j, base):
    """Give each row's code one more digit, its level in column j.

    The casts keep numba from widening to 64 bits, which the vector unit cannot multiply: seven times as fast.
    """
    for r in range(columns.shape[1]):
        code[r] = np.int32(np.int32(code[r] * base) + np.int32(columns[j, r]))


@bare
def _renumber(code, rows, table, strata):
    """Give the codes that occur the numbers 0, 1, ... in order of appearance; how many there are."""
    n_strata = 0
    for r in range(rows):
        if table[code[r]] == 0:
            strata[n_strata] = code[r]
            n_strata += 1
            table[code[r]] = n_strata
        code[r] = table[code[r]] - 1
    for i in range(n_strata):
        table[strata[i]] = 0
    return n_strata


@bare
def group_rows(columns, levels, chosen, k, code, table, strata):
    """code[r]: the number of row r's combination of levels in the first k `chosen` columns; how many there are."""
    rows = columns.shape[1]
    room = np.int64(1)
    for r in range(rows):
        code[r] = 0
    for i in range(k):
        j = chosen[i]
        if room * levels[0, j] > table.shape[0]:
            room = _renumber(code, rows, table, strata)
        append_level(code, columns, j, np.int32(levels[0, j]))
        room *= levels[0, j]
    return _renumber(code, rows, table, strata)


@inner
def rows_of(columns, weights, levels, members, q, code, table, strata):
    """The q member columns, in that order, with equal rows merged: columns, weights and levels."""
    rows = columns.shape[1]
    n_groups = group_rows(columns, levels, members, q, code, table, strata)
    local, local_levels = np.empty((q, n_groups), np.uint8), np.empty((3, q), np.int64)
    counts = np.empty(n_groups, np.int32)
    last = -1
    for r in range(rows):
        at = code[r]
        if at > last:  # its first row: numbers were given in order of appearance
            last = at
            counts[at] = 0
            for i in range(q):
                local[i, at] = columns[members[i], r]
        counts[at] += weights[r]
    for i in range(q):
        local_levels[0, i] = levels[0, members[i]]
        local_levels[1, i] = levels[1, members[i]]
        local_levels[2, i] = levels[2, members[i]]
    return local, counts, local_levels
