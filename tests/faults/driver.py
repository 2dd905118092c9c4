"""`trueness run` without the charts and tables at its end: they take longer than the small studies of these tests."""

import sys

import trueness.page.standalone
import trueness.studies.reporting
from trueness.__main__ import main


def without_charts() -> None:
    trueness.studies.reporting.write_report = trueness.studies.reporting.Report
    trueness.page.standalone.with_page = lambda report: report


if __name__ == "__main__":
    without_charts()
    sys.exit(main())
