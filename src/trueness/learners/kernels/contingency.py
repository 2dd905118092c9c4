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
"""

from __future__ import annotations

import math

import numpy as np

from trueness.learners.kernels.compiling import bare
from trueness.learners.kernels.counting import append_level, group_rows, popcount

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
def statistic_of_rows(columns, weights, levels, x, y, chosen, k, kind, xlogx, code, table, strata, margins):
    """X2 or G2 of columns x and y given the first k `chosen`, and its observed degrees of freedom.

    `table` is all zero before and after.
    """
    cx, cy = levels[0, x], levels[0, y]
    layer = cx * cy
    room = 1.0
    for i in range(k):
        room *= levels[0, chosen[i]]
    if room * (layer + 1) <= table.shape[0]:
        for r in range(columns.shape[1]):
            code[r] = 0
        for i in range(k):
            append_level(code, columns, chosen[i], np.int32(levels[0, chosen[i]]))
    else:  # too many combinations to index the table by: number those that occur
        room = float(group_rows(columns, levels, chosen, k, code, table, strata))
    if room * layer <= columns.shape[1]:
        return _statistic_of_dense(columns, weights, x, y, cx, cy, int(room), kind, xlogx, code, table, margins)
    at_once = table.shape[0] // (layer + 1)  # strata that fit; nearly always all
    statistic, df, low = 0.0, 0, np.int64(0)
    while low < room:
        more, free = _statistic_of_sparse(
            columns, weights, x, y, cx, cy, low, low + at_once, kind, xlogx, code, table, strata, margins
        )
        statistic += more
        df += free
        low += at_once
    return statistic, df


@bare
def _statistic_of_dense(columns, weights, x, y, cx, cy, room, kind, xlogx, code, table, margins):
    """Most cells are met: fill the whole table, read the whole table."""
    append_level(code, columns, x, np.int32(cx))
    append_level(code, columns, y, np.int32(cy))
    for r in range(columns.shape[1]):
        table[np.uint32(code[r])] += weights[r]
    statistic, df = 0.0, 0
    for stratum in range(room):
        more, free = _stratum(table, stratum * cx * cy, cx, cy, kind, xlogx, margins)
        statistic += more
        df += free
    for cell in range(room * cx * cy):
        table[cell] = 0
    return statistic, df


@bare
def _statistic_of_sparse(columns, weights, x, y, cx, cy, low, high, kind, xlogx, code, table, strata, margins):
    """Few cells are met: read and clear only the strata from `low` to `high` that occur, listed in `strata`.

    Before a stratum's cells stand the levels of x (bits 0 to 14) and of y (bits 15 to 29) that it has. With one level
    of either it has no degree of freedom, and most strata of large sets are so.
    """
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
            more, free = _stratum(table, begin + 1, cx, cy, kind, xlogx, margins)
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
