"""Values and answers as they are typeset; what is no one number has no value."""

import pytest

from trueness.reasoning.schema import quantity_of


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("10^5 W/m^2", 1e5, "W/m^2"),
        ("10^-7 Ohm m", 1e-7, "Ohm m"),
        (r"2\times 10^{5} Pa", 2e5, "Pa"),
        (r"\$70,000", 70_000, "USD"),
        ("{\n41050 \\, \\text{kg/m}^3\n}", 41_050, "kg/m^3"),
        (r"\[ 80\sqrt{5} \, \text{m} \]", 178.8854382, "m"),
        (r"\frac{\sqrt{2}}{2}", 0.70710678, None),
        (r"\(\frac{14}{3}\)", 14 / 3, None),
        (r"41051.4 \mathrm{kg} \mathrm{m}^{-3}", 41_051.4, "kg m^-3"),
        (r"\(\frac{8}{3} \, \text{m/s}\) or approximately \(2.67 \, \text{m/s}\)", 8 / 3, "m/s"),
        ("2π", 6.283185307, None),
        (r"30^\circ", 30, "°"),
        ("$0.50", 0.5, "USD"),
    ],
)
def test_a_typeset_number_is_a_number(text, value, unit):
    found = quantity_of(text)
    assert (found.value, found.unit) == (pytest.approx(value), unit)


@pytest.mark.parametrize(
    "text",
    [
        "p - q",
        "2-3",
        "10:30",
        "{2, 3}",
        r"(3, \frac{\pi}{2})",
        "10^N s",
        "$x$",
        "5 to 10 km",
        r"\frac{1}{0}",
        r"2 or 5 \text{m}",
    ],
)
def test_what_is_not_one_number_has_no_value(text):
    assert quantity_of(text).value is None
