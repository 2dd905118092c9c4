"""What became of a question: the statuses that every row of every table carries.

Missing is missing: a row whose status is not `ok` has no value. It is never 0, never 0.5, never left out.
"""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    OK = "ok"
    REFUSED = "refused"  # the respondent would not answer
    TRUNCATED = "truncated"  # the answer was cut off
    UNREADABLE = "unreadable"  # an answer came and could not be read, or is not what was asked for
    FAILED = "failed"  # the respondent raised an error or its process died
    TIMED_OUT = "timed_out"  # the time limit ended it
    DEGENERATE = "degenerate"  # an answer came, and this measure has no value on it (0/0, zero width)
