"""exp(A) in plain numpy, for references that need it thousands of times: scipy's takes a millisecond for a small A."""

import numpy as np


def expm(a):
    """exp(A) = exp(A / 2^s)^(2^s), the inner one by its series: with |A / 2^s| <= 1/2 the 16th term is below 1e-18."""
    squarings = max(0, int(np.ceil(np.log2(max(np.abs(a).sum(axis=0).max(), 1e-300)))) + 1)
    a = a / 2.0**squarings
    term = whole = np.eye(len(a))
    for k in range(1, 16):
        term = term @ a / k
        whole = whole + term
    for _ in range(squarings):
        whole = whole @ whole
    return whole
