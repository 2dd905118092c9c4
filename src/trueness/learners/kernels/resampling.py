"""Equal rows of a resample, merged by their numbers: no row is copied, none is compared with another."""

from __future__ import annotations

import numpy as np

from trueness.learners.kernels.compiling import kernel


@kernel
def merge_drawn(numbers, distinct, draw, most):
    """Which of the `distinct` rows a draw has, in order of appearance, and how often; nothing when over `most`.

    numbers[i]: which distinct row the table's row i is; draw: (m,) rows of the table.
    """
    place = np.full(distinct, -1, np.int32)
    kept, counts = np.empty(most, np.int64), np.zeros(most, np.int32)
    found = 0
    for i in range(draw.shape[0]):
        number = numbers[draw[i]]
        at = place[number]
        if at < 0:
            if found == most:
                return kept[:0], counts[:0]
            at = place[number] = found
            kept[found] = number
            found += 1
        counts[at] += 1
    return kept[:found], counts[:found]
