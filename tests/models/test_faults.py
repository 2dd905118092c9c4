"""Any Retry-After is a number of seconds or nothing: no header ends a run."""

import math
from types import SimpleNamespace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trueness import texts
from trueness.models.faults import as_fault


def busy(header):
    error = RuntimeError("busy")
    error.status_code = 429
    error.response = SimpleNamespace(headers={"retry-after": header})
    return error


@given(st.text() | st.integers().map(str) | st.floats().map(str))
@example("99999999999999999999")
@example("9" * 400)
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
        ("Sun, 06 Nov 1994 08:49:37 GMT", None),
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
