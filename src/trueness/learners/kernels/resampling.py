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
