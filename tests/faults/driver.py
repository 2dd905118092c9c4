"""`assay run` without the charts and tables at its end: they take longer than the small studies of these tests."""

import sys

import assay.reporting
import assay.viewer.standalone
from assay.__main__ import main

if __name__ == "__main__":
    assay.reporting.write_report = assay.reporting.Report
    assay.viewer.standalone.with_page = lambda report: report
    sys.exit(main())
