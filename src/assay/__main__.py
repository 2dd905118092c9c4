"""The command: `assay`, and `python -m assay`."""

import sys

from assay.safe_path import leave_current_folder

leave_current_folder()

from assay import cli  # noqa: E402  what it imports must not be the current folder's


def main() -> int:
    code = cli.main()
    if "assay.running.calling" in sys.modules:  # models were asked
        sys.modules["assay.running.calling"].end_process(code)
    return code


if __name__ == "__main__":
    sys.exit(main())
