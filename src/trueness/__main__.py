"""The command: `trueness`, and `python -m trueness`."""

import os
import sys

from trueness.safe_path import leave_current_folder

leave_current_folder()
# BLAS's threads wait for one another in a loop: beside other work they take several times as long, and round otherwise.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from trueness import cli  # noqa: E402  what it imports must not be the current folder's


def main() -> int:
    code = cli.main()
    if "trueness.running.calling" in sys.modules:  # models were asked
        sys.modules["trueness.running.calling"].end_process(code)
    return code


if __name__ == "__main__":
    sys.exit(main())
