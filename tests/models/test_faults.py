"""Any Retry-After is a number of seconds or nothing: no header ends a run."""

import math
from types import SimpleNamespace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trueness import texts
from trueness.models.faults import as_fault

dates = st.builds(
    "{}{} {} {} {:02}:{:02}:{:02} {}".format,
    st.sampled_from(["Sun, ", "", "Sunday, "]),
    st.integers(-1, 99),
    st.sampled_from(["Nov", "Feb", "Foo", "11"]),
    st.integers(-1, 10**6),
    st.integers(-1, 99),
    st.integers(0, 99),
    st.integers(0, 99),
    st.sampled_from(["GMT", "-0000", "+0000", "+9999", "-9959", "+99999999999", "EST", ""]),
)


def busy(header):
    error = RuntimeError("busy")
    error.status_code = 429
    error.response = SimpleNamespace(headers={"retry-after": header})
    return error


@given(st.text() | dates | st.integers().map(str) | st.floats().map(str))
@example("Sun Nov  6 08:49:37 1994")
@example("Sun, 06 Nov 1994 08:49:37 -0000")
@example("Fri, 31 Dec 9999 23:59:59 GMT")
@example("Fri, 31 Dec 9999 23:59:59 -9959")
@example("Mon, 01 Jan 0001 00:00:00 +2359")
@example("99999999999999999999")
@example("9" * 400)
@example("-5")
@example("nan")
@example("inf")
@example("")
@example("5, 10")
@example("١٢")
def test_any_header_is_seconds_or_nothing(header):
    wait = as_fault(busy(header)).wait
    assert wait is None or (math.isfinite(wait) and wait >= 0)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        (" 1.5 ", 1.5),
        ("Sun Nov  6 08:49:37 1994", 0.0),  # asctime, RFC 9110 5.6.7
        ("Sun, 06 Nov 1994 08:49:37 -0000", 0.0),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 0.0),  # RFC 850
        ("99999999999999999999", 1e20),
        ("9" * 400, None),
        ("-5", None),
        ("nan", None),
        ("", None),
    ],
)
def test_what_is_told_is_heeded(header, seconds):
    assert as_fault(busy(header)).wait == seconds


def test_a_key_is_taken_out_before_a_message_is_cut(monkeypatch):
    monkeypatch.setattr(texts, "_secrets", {})
    texts.hide("sk-planted-7f3a9c51d2")
    error = RuntimeError("x" * 290 + " sk-planted-7f3a9c51d2")
    error.status_code = 401
    assert "sk-pl" not in as_fault(error).message
