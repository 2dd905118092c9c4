"""Counting discrete data and testing independence on the counts.

    X2(x, y | S) = sum_s sum_ab (o - e)^2 / e        o = N(a, b, s),  e = N(a, s) N(b, s) / N(s)
    G2(x, y | S) = 2 sum_s sum_ab o log(o / e)
    df = sum_s (rows that occur in s - 1)(columns that occur in s - 1)      "observed", as causal-learn
    df = (levels of x - 1)(levels of y - 1) prod_S levels                    "textbook"

columns: (d, rows) codes, weights: (rows,) how often each row occurs. Three ways to count, each where it is cheapest:
- equal rows are merged first: over the whole table where few rows differ, else over x and its neighbours;
- |S| <= 1 on unmerged rows: one bit a row and level; popcount of an AND gives a cell, and only (levels - 1)^3 cells
  are counted, because the others follow from the pairs' tables (the Burt matrix);
- in all tables only the strata that occur are read, so that the time goes with the rows, not with the cells.

Data made quick to count: codes, merged rows, bit planes, the tables of all pairs.

columns[j, r]            the level of row r in column j, a byte;   weights[r]: how often the row occurs
planes[first[j] + a]     one bit a row: does it have level a in column j?
burt[first[i] + a, first[j] + b]    rows with level a in column i and level b in column j (the Burt matrix)
"""

from __future__ import annotations

import math
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


def distinct_rows(rows, most=None):
    """Of rows (n, d) of 64 bits: where each distinct one stands first, in order, and how often it occurs; nothing when
    over `most` differ."""
    bits = rows.view(np.int64)
    bits.setflags(write=False)  # a view: one compiled form for all
    return _distinct(bits, len(rows) if most is None else most)


@kernel
def _distinct(rows, most):
    """A hash table over the bits: 0 and -0 differ, which only costs a row."""
    n, d = rows.shape
    size, shift = 16, 60
    while size < 2 * n:
        size, shift = 2 * size, shift - 1
    slots, place, counts, n_distinct = np.zeros(size, np.int32), np.empty(most, np.int64), np.empty(most, np.int64), 0
    for t in range(n):
        key = np.uint64(0)
        for j in range(d):  # mixed after each column: sums of codes alone would be the same for many rows
            bits = np.uint64(rows[t, j])  # of whole numbers only the upper half is set: fold it down
            key = (key ^ bits ^ (bits >> np.uint64(32))) * np.uint64(0xD1B54A32D192ED03)
            key ^= key >> np.uint64(29)
        slot = np.int64((key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(shift))
        while slots[slot] > 0 and not _equal(rows, place[slots[slot] - 1], t):
            slot = (slot + 1) & (size - 1)
        if slots[slot] == 0:
            if n_distinct == most:
                return place[:0], counts[:0]
            place[n_distinct], counts[n_distinct] = t, 0
            n_distinct += 1
            slots[slot] = n_distinct
        counts[slots[slot] - 1] += 1
    return place[:n_distinct], counts[:n_distinct]


@inner
def _equal(rows, s, t):
    for j in range(rows.shape[1]):  # noqa: SIM110
        if rows[s, j] != rows[t, j]:
            return False
    return True


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
def rows_of(columns, weights, levels, members, q, room):
    """The q member columns, in that order, with equal rows merged: columns, weights and levels."""
    rows, code = columns.shape[1], room.code
    n_groups = group_rows(columns, levels, members, q, code, room.table, room.strata)
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
        for k in range(3):
            local_levels[k, i] = levels[k, members[i]]
    return local, counts, local_levels


@kernel
def merge_drawn(numbers, distinct, draw, most):
    """Which of the `distinct` rows a draw has, in order of appearance, and how often; nothing when over `most`.

    numbers[i]: which distinct row the table's row i is; draw: (m,) rows of the table.
    """
    place = np.full(distinct, -1, np.int32)
    kept, counts = np.empty(most, np.int64), np.zeros(most, np.int32)
    n_kept = 0
    for i in range(draw.shape[0]):
        number = numbers[draw[i]]
        at = place[number]
        if at < 0:
            if n_kept == most:
                return kept[:0], counts[:0]
            at = place[number] = n_kept
            kept[n_kept] = number
            n_kept += 1
        counts[at] += 1
    return kept[:n_kept], counts[:n_kept]


CHI2, G2 = 1, 2
CELLS = 1 << 16  # most cells of a table that is indexed by levels; strata of larger ones are numbered


@bare
def _stratum(table, start, cx, cy, kind, xlogx, margins):
    """Statistic and degrees of freedom of the cx x cy table at `start`."""
    if cx == 2 and cy == 2 and kind == CHI2:
        return _fourfold(table[start], table[start + 1], table[start + 2], table[start + 3])
    total, n_rows, n_columns = 0.0, 0, 0
    for b in range(cy):
        margins[cx + b] = 0.0
    for a in range(cx):
        count = 0.0
        for b in range(cy):
            cell = table[start + a * cy + b]
            count += cell
            margins[cx + b] += cell
        margins[a] = count
        total += count
        n_rows += count > 0
    for b in range(cy):
        n_columns += margins[cx + b] > 0
    if n_rows < 2 or n_columns < 2:
        return 0.0, 0
    df = (n_rows - 1) * (n_columns - 1)
    if kind == CHI2:  # sum (o - e)^2 / e = N (sum o^2 / (row column) - 1)
        for b in range(cy):
            margins[cx + b] = 1.0 / margins[cx + b] if margins[cx + b] > 0 else 0.0
        shares = 0.0
        for a in range(cx):
            if margins[a] > 0:
                share = 0.0
                for b in range(cy):
                    cell = float(table[start + a * cy + b])
                    share += cell * cell * margins[cx + b]
                shares += share / margins[a]
        return total * (shares - 1.0), df
    entropy = xlogx[np.int64(total)]
    for a in range(cx):
        entropy -= xlogx[np.int64(margins[a])]
        for b in range(cy):
            entropy += xlogx[table[start + a * cy + b]]
    for b in range(cy):
        entropy -= xlogx[np.int64(margins[cx + b])]
    return 2.0 * entropy, df


@bare
def _fourfold(a, b, c, d):
    """X2 of a 2 x 2 table: N (ad - bc)^2 over the product of its margins."""
    product = float(a + b) * float(c + d) * float(a + c) * float(b + d)
    if product == 0.0:
        return 0.0, 0
    difference = float(a) * float(d) - float(b) * float(c)
    return float(a + b + c + d) * difference * difference / product, 1


@bare
def statistic_of_rows(columns, weights, levels, x, y, chosen, k, kind, xlogx, room):
    """X2 or G2 of columns x and y given the first k `chosen`, and its observed degrees of freedom.

    `room`: of testing.py; its table is all zero before and after.
    """
    code, table, strata = room.code, room.table, room.strata
    cx, cy = levels[0, x], levels[0, y]
    layer = cx * cy
    strata_of_set = 1.0
    for i in range(k):
        strata_of_set *= levels[0, chosen[i]]
    if strata_of_set * (layer + 1) <= table.shape[0]:
        for r in range(columns.shape[1]):
            code[r] = 0
        for i in range(k):
            append_level(code, columns, chosen[i], np.int32(levels[0, chosen[i]]))
    else:  # too many combinations to index the table by: number those that occur
        strata_of_set = float(group_rows(columns, levels, chosen, k, code, table, strata))
    if strata_of_set * layer <= columns.shape[1]:
        return _statistic_of_dense(columns, weights, x, y, cx, cy, int(strata_of_set), kind, xlogx, room)
    at_once = table.shape[0] // (layer + 1)  # strata that fit; nearly always all
    statistic, df, low = 0.0, 0, np.int64(0)
    while low < strata_of_set:
        more, free = _statistic_of_sparse(columns, weights, x, y, cx, cy, low, low + at_once, kind, xlogx, room)
        statistic += more
        df += free
        low += at_once
    return statistic, df


@bare
def _statistic_of_dense(columns, weights, x, y, cx, cy, n_strata, kind, xlogx, room):
    """Most cells are met: fill the whole table, read the whole table."""
    code, table = room.code, room.table
    append_level(code, columns, x, np.int32(cx))
    append_level(code, columns, y, np.int32(cy))
    for r in range(columns.shape[1]):
        table[np.uint32(code[r])] += weights[r]
    statistic, df = 0.0, 0
    for stratum in range(n_strata):
        more, free = _stratum(table, stratum * cx * cy, cx, cy, kind, xlogx, room.margins)
        statistic += more
        df += free
    for cell in range(n_strata * cx * cy):
        table[cell] = 0
    return statistic, df


@bare
def _statistic_of_sparse(columns, weights, x, y, cx, cy, low, high, kind, xlogx, room):
    """Few cells are met: read and clear only the strata from `low` to `high` that occur, listed in `strata`.

    Before a stratum's cells stand the levels of x (bits 0 to 14) and of y (bits 15 to 29) that it has. With one level
    of either it has no degree of freedom, and most strata of large sets are so.
    """
    code, table, strata = room.code, room.table, room.strata
    layer = cx * cy
    rows = columns.shape[1]
    few = cx <= 15 and cy <= 15
    step, width = np.int32(layer + 1), np.int32(cy)
    for r in range(rows):  # the row's cell after its stratum's start
        code[rows + r] = np.int32(np.int32(columns[x, r]) * width + np.int32(columns[y, r]) + np.int32(1))
    n_strata = 0
    for r in range(rows):
        if not low <= code[r] < high:
            continue
        start = np.uint32((code[r] - low) * step)
        has = table[start]
        if has == 0:
            strata[n_strata] = start
            n_strata += 1
        table[start] = has | (1 << columns[x, r]) | (1 << (15 + columns[y, r])) if few else 1
        table[start + np.uint32(code[rows + r])] += weights[r]
    statistic, df = 0.0, 0
    for i in range(n_strata):
        begin = strata[i]
        has_x, has_y = table[begin] & 0x7FFF, table[begin] >> 15
        if not few or ((has_x & (has_x - 1)) != 0 and (has_y & (has_y - 1)) != 0):
            more, free = _stratum(table, begin + 1, cx, cy, kind, xlogx, room.margins)
            statistic += more
            df += free
        for cell in range(begin, begin + layer + 1):
            table[cell] = 0
    return statistic, df


@bare
def statistic_of_planes(planes, burt, first, x, y, s, kind, xlogx, table, margins):
    """X2 or G2 of x and y (given s where s >= 0) from popcounts, and its observed degrees of freedom."""
    cx, cy = first[x + 1] - first[x], first[y + 1] - first[y]
    if s < 0:
        for a in range(cx):
            for b in range(cy):
                table[a * cy + b] = burt[first[x] + a, first[y] + b]
        statistic, df = _stratum(table, np.int64(0), cx, cy, kind, xlogx, margins)
        for cell in range(cx * cy):
            table[cell] = 0
        return statistic, df
    cs = first[s + 1] - first[s]
    words = planes.shape[1]
    layer = cx * cy
    last = (cs - 1) * layer
    for a in range(cx):  # the last stratum is what the others leave
        for b in range(cy):
            table[last + a * cy + b] = burt[first[x] + a, first[y] + b]
    for v in range(cs - 1):
        at_s = first[s] + v
        here = v * layer
        for b in range(cy):
            table[here + (cx - 1) * cy + b] = burt[first[y] + b, at_s]
        for a in range(cx - 1):
            at_x = first[x] + a
            left = burt[at_x, at_s]
            for b in range(cy - 1):
                at_y = first[y] + b
                count = np.uint64(0)
                for w in range(words):
                    count += popcount(planes[at_s, w] & planes[at_x, w] & planes[at_y, w])
                cell = np.int32(count)
                table[here + a * cy + b] = cell
                table[here + (cx - 1) * cy + b] -= cell
                left -= cell
            table[here + a * cy + cy - 1] = left
            table[here + (cx - 1) * cy + cy - 1] -= left
        for cell_at in range(layer):
            table[last + cell_at] -= table[here + cell_at]
    statistic, df = 0.0, 0
    for v in range(cs):
        more, free = _stratum(table, v * layer, cx, cy, kind, xlogx, margins)
        statistic += more
        df += free
    for cell_at in range(cs * layer):
        table[cell_at] = 0
    return statistic, df


@bare
def chi2_tail(statistic, df):
    """P(chi2 with df > statistic) = Q(df / 2, statistic / 2): its series or continued fraction (DLMF 8.7, 8.9)."""
    if df <= 0 or statistic <= 0.0:
        return 1.0
    a, t = 0.5 * df, 0.5 * statistic
    scale = math.exp(a * math.log(t) - t - math.lgamma(a))
    if t < a + 1.0:
        term = 1.0 / a
        total = term
        i = a
        while term > total * 1e-17:
            i += 1.0
            term *= t / i
            total += term
        return max(0.0, 1.0 - scale * total)
    b = t + 1.0 - a
    c = 1e300
    d = 1.0 / b
    fraction = d
    for i in range(1, 10000):  # modified Lentz
        step = -i * (i - a)
        b += 2.0
        d = 1.0 / (step * d + b)
        c = b + step / c
        fraction *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return scale * fraction
