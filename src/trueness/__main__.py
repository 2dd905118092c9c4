"""The command: `trueness`, and `python -m trueness`."""

import gc
import os
import sys

from trueness.safe_path import leave_current_folder

leave_current_folder()
# BLAS's threads wait for one another in a loop: beside other work they take several times as long, and round otherwise.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
gc.set_threshold(50_000, 20, 100)  # a command keeps most of what it makes: a search after each 700 objects finds little

from trueness import cli  # noqa: E402  what it imports must not be the current folder's


def main() -> int:
    code = cli.main()
    gc.freeze()  # the end of Python looks through everything for rings, twice
    if "trueness.running.calling" in sys.modules:  # models were asked
        sys.modules["trueness.running.calling"].end_process(code)
    return code


if __name__ == "__main__":
    sys.exit(main())
