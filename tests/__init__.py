"""The tests. One thread of BLAS a process: two workers on two cores leave none over, and threads that wait for a core
spin (a Cholesky factor of 2,000 rows took 2.8 s beside other work for .1). Set before numpy is imported."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
