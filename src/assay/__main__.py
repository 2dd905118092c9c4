"""The command: `assay`, and `python -m assay`."""

import sys

from assay.safe_path import leave_current_folder

leave_current_folder()

from assay.cli import main  # noqa: E402  what it imports must not be the current folder's

if __name__ == "__main__":
    sys.exit(main())
