"""Every compiled function says how it computes: what it leaves open it would take from whoever calls it first."""

import subprocess
import sys
from importlib import import_module

from numba.core.dispatcher import Dispatcher

from trueness.learners import kernels


def test_every_kernel_says_how_it_divides_and_sums(root):
    folder = root / "src" / "trueness" / "learners" / "kernels"
    silent, seen = [], 0
    for path in sorted(folder.glob("[a-z]*.py")):
        for name, value in vars(import_module(f"{kernels.__name__}.{path.stem}")).items():
            if isinstance(value, Dispatcher):
                seen += 1
                silent += [(path.stem, name)] * (not {"fastmath", "error_model"} <= set(value.targetoptions))
    assert seen > 200 and silent == []


OTHERS = """
import numpy as np
import trueness
from numba import njit, prange

table = trueness.load("asia").draw(100, np.random.default_rng(0))
trueness.learner("pc").fit(table, np.random.default_rng(0))

@njit(parallel=True)
def sums(n):
    out = np.empty(n)
    for i in prange(n):
        out[i] = np.ones(i).sum()
    return (out + np.zeros(n)).sum()

print(sums(4))
"""


def test_code_of_others_that_makes_arrays_in_parallel_compiles_after_a_fit():
    done = subprocess.run([sys.executable, "-c", OTHERS], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("6.0\n", 0), done.stderr[-500:]
