"""How the kernels of constraint-based search are compiled: on first use, kept on disk, division as in numpy.

kernel    what Python calls
inner     what only kernels call: without wrappers it takes a third less to compile
bare      what only kernels call and allocates nothing: without reference counts, whose atomic operations would cost
          ten times as much as a test on a correlation matrix
reordered bare, and sums may be taken in any order, which lets LLVM use the vector unit: they differ by some 1e-16

UNWRAPPED are the options of `inner` alone, for kernels that divide as Python does.
"""

from __future__ import annotations

from typing import Any

from numba import njit

_OPTIONS: dict[str, Any] = {"cache": True, "error_model": "numpy"}
UNWRAPPED: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}

kernel = njit(**_OPTIONS)
inner = njit(**_OPTIONS, **UNWRAPPED)
bare = njit(**_OPTIONS, **UNWRAPPED, _nrt=False)
reordered = njit(**_OPTIONS, **UNWRAPPED, _nrt=False, fastmath={"reassoc", "contract"})
