"""Formulas as textbooks and models write them: letters that are no units, typeset signs, and what must have no value.

Each case is (rule, causes, value, other knowns of the graph); None: it must have no value. All failures of a class are
told at once."""

import math
from math import exp, pi, sin, sqrt

import pytest

from trueness.reading.reasoning_graph import read_reasoning
from trueness.reasoning import execute
from trueness.reasoning.rules import read_rule

G = 9.81


def executed(rule, causes, others=None, effect=None):
    effect = effect or rule.partition("=")[0].strip()
    edges = [{"cause": list(causes), "effect": effect, "rule": rule}]
    edges += [{"cause": [name], "effect": f"{name}_again", "rule": f"{name}_again = {name}"} for name in others or {}]
    written = {"target_variable": effect, "knowns": causes | (others or {}), "causal_graph": edges}
    return execute(read_reasoning(written).graph)


def failures(cases):
    """What has another value than it should; six digits."""
    for rule, causes, expected, *others in cases:
        done = executed(rule, causes, *others)
        alike = done.target is not None and expected is not None and math.isclose(done.target, expected, rel_tol=1e-6)
        if not alike and not (done.target is None and expected is None):
            yield f"{rule}  {causes}: {done.target}, not {expected}. {done.message[:120]}"


CLASSES = {
    "a name with what it is a function of is that name": [
        (rule, causes, value, {}, effect)
        for rule, effect, causes, value in (
            ("f(t) = 3t", "f", {"t": 2}, 6),
            ("h(t) = h0 - 5t^2", "h", {"h0": 100, "t": 2}, 80),
            ("v(t) = v0 + a*t", "speed", {"v0": 3, "a": 2, "t": 5}, 13),
            ("V(t) = V0 (1 - e^(-t/RC))", "V", {"V0": 10, "t": 2, "R": 2, "C": 1}, 10 * (1 - exp(-1))),
            ("P(t) = P0 e^{rt}", "population", {"P0": 100, "r": 0.1, "t": 5}, 100 * exp(0.5)),
            (r"$N(t) = N_0 e^{-\lambda t}$", "N", {"N_0": 1000, "lambda": 0.1, "t": 5}, 1000 * exp(-0.5)),
            ("f(x, y) = x^2 + y", "f", {"x": 2, "y": 1}, 5),
            ("K(r) = 1/2 m v(r)^2", "K", {"m": 2, "v": 3, "r": 1.5}, 9),
            ("nCr = n! / (r!(n−r)!)", "combinations", {"n": 6, "r": 2}, 15),
            ("nPr = n!/(n-r)!", "permutations", {"n": 6, "r": 2}, 30),
            ("m(v) = m v0 + F t", "v", {"m": 2, "v0": 3, "F": 4, "t": 1}, 5),  # momentum: m is a cause
            ("ROI (%) = (gain - cost)/cost * 100%", "ROI", {"gain": 150, "cost": 100}, 50),
        )
    ],
    "a letter behind a number is g, or a quantity that lacks its edge": [
        ("h = v^2/(2g)", {"v": "20 m/s"}, 400 / (2 * G)),
        ("h = v^2/2g", {"v": "20 m/s"}, 400 / (2 * G)),
        ("h = v^2/(2 g)", {"v": "20 m/s"}, 400 / (2 * G)),
        ("h = v²/2g", {"v": "20 m/s"}, 400 / (2 * G)),
        (r"h = \frac{v^2}{2g}", {"v": "20 m/s"}, 400 / (2 * G)),
        (r"h = \frac{v^2}{2 g}", {"v": 20}, 400 / (2 * G)),
        ("h = v^2/(2g)", {"v": "20 m/s", "g": "10 m/s^2"}, 20),
        ("h = v^2/(2g)", {"v": "20 m/s"}, 20, {"g": "10 m/s^2"}),
        ("v = sqrt(2 g h)", {"h": "2 m"}, sqrt(4 * G)),
        ("v = sqrt(2 g * h)", {"h": "2 m"}, sqrt(4 * G)),
        ("omega = sqrt(2g/L)", {"L": 2}, sqrt(G)),
        ("a = 2g - b", {"b": "1 m/s^2"}, 2 * G - 1),
        ("F = 3g m", {"m": "2 kg"}, 6 * G),
        ("F = 2 m a", {"a": 3}, 24, {"m": 4}),
        ("P = 2L + 2W", {"L": 5}, 16, {"W": 3}),
        ("P = 2 L + 2 W", {"L": 5}, 16, {"W": 3}),
        ("E = K + 2T", {"K": 1}, 7, {"T": 3}),
        ("F = 2m*a", {"a": 3}, 24, {"m": 4}),
        ("v = 2 m * t", {"t": 3}, None, {"m": 4}),  # two metres?
        ("v = 5 m * t", {"t": 3}, None, {"m": 4}),
        ("h = v^2/(2g)", {"v": "20 ft/s"}, None),  # 9.81 is of SI
        ("v = sqrt(2 g h)", {"h": "2 km"}, None),
        ("KE = 0.5 m v^2", {"v": "10 m/s"}, None),
        ("KE = 0.5 m * v^2", {"v": "10 m/s"}, None),
        ("KE = 0.5m*v^2", {"v": "10 m/s"}, None),
        ("P = 2L + 2W", {"L": 5}, None),
        ("P = 2(L) + 2 W", {"L": "5 m"}, None),
        ("y = 3 s + 2 m", {"s": 2}, None),
        ("E = K + 2 T", {"K": 1}, None),
        ("A = 2 s + 4 h", {"s": 3}, None),
        ("F = 2 m * a", {"a": "3 m/s^2"}, None),
        ("E = 3 V I", {"I": "2 A"}, None),
        ("v = 2 L/T * n", {"T": 2, "n": 3}, None),
        ("V = 4 A h", {"h": "2 m"}, None),
        ("y = 2 g * rate", {"rate": 3}, None),  # grams, or 9.81
        # and where nothing else can be meant it is one
        ("V = 12 V - I R", {"I": "1 A", "R": "2 Ω"}, None),  # no equation for V
        ("V = 12 V - I * R", {"I": 1, "R": 2}, None),
        ("y = 500 g * rate", {"rate": 3}, 1500),
        ("E = 5 V * I", {"I": "2 A"}, 10),
        ("I = 12 V / R", {"R": "4 Ω"}, 3),
        ("d = d_0 + 5 m", {"d_0": "2 m"}, 7),
        ("t = 2 km / v", {"v": "4 km/h"}, 0.5),
        ("F = m * 9.8 m/s^2", {"m": "2 kg"}, 19.6),
        ("d = 5 m/s * t", {"t": "3 s"}, 15),
        ("m_tot = m_0 + 250 g", {"m_0": "50 g"}, 300),
    ],
    "what stands before 2 is no half": [
        ("y = v^2/2a", {"v": 20, "a": 4}, 50),
        ("y = v²/2a", {"v": 20, "a": 4}, 50),
        ("y = v^2/2ab", {"v": 20, "a": 4, "b": 5}, 10),
        ("y = v**2/2ab", {"v": 20, "a": 4, "b": 5}, 10),
        ("d = v^2/2μg", {"v": 20, "μ": 0.5}, 400 / G),
        ("y = x^-2/2a", {"x": 2, "a": 4}, 1 / 32),
        ("y = 1/2ab", {"a": 4, "b": 5}, 10),
        ("y = x^2 * 1/2ab", {"x": 2, "a": 4, "b": 5}, 40),
        ("S = n/2(2a + (n-1)d)", {"n": 4, "a": 1, "d": 2}, None),
        ("S = (n/2)(2a + (n-1)d)", {"n": 4, "a": 1, "d": 2}, 16),
        ("A = 1/2(a+b)h", {"a": 2, "b": 4, "h": 3}, 9),
        ("y = x^1/2", {"x": 9}, None),
        ("y = x^(1/2)", {"x": 9}, 3),
        ("E = (1/2mv^2)", {"m": 2, "v": 3}, 9),
        ("E = (1/2mv^2) + k", {"m": 2, "v": 3, "k": 1}, 10),
        ("f = (1/2L)√(T/μ)", {"L": 4, "T": 16, "μ": 4}, None),  # L/2, or 1/(2 L): it must say so
        ("f = (1/2L)*sqrt(T/mu)", {"L": 4, "T": 16, "mu": 4}, None),
        ("f = 1/(2L)√(T/μ)", {"L": 4, "T": 16, "μ": 4}, 0.25),
    ],
    "letters behind an index": [
        ("y = v_0t + 1/2at^2", {"v_0": 2, "a": 2, "t": 5}, 35),
        ("d = v_it", {"v_i": 1, "t": 5}, 5),
        ("d = v_0t", {"v_0": 3, "t": 5}, 15),
        ("d = v_{0}t", {"v_0": 3, "t": 5}, 15),
        ("d = v_0t", {"initial_velocity": 3, "time": 5}, 15),
        ("p = m_1v_1 + m_2v_2", {"m_1": 1, "v_1": 2, "m_2": 3, "v_2": 4}, 14),
        ("d = v_0t", {"v_0": 3}, None),
        ("d = v_0t", {"v_0": 3}, 15, {"t": 5}),
        ("d = v_ft", {"v_i": 3, "t": 5}, None),
        ("y = x_0t", {"x_0t": 4}, 4),
    ],
    "superscripts": [
        ("A = P(1+r)ⁿ", {"P": 100, "r": 0.1, "n": 2}, 121),
        ("A = P(1+r)⁻ⁿ", {"P": 121, "r": 0.1, "n": 2}, 100),
        ("A = P(1+r/n)ⁿᵗ", {"P": 100, "r": 0.2, "n": 2, "t": 2}, 146.41),
        ("y = 100 × 1.05ⁿ", {"n": 2}, 110.25),
        ("y = eˣ", {"x": 2}, exp(2)),
        ("y = e⁻ˣ", {"x": 2}, exp(-2)),
        ("y = aⁿ⁻¹", {"a": 3, "n": 3}, 9),
        ("y = a⁽ⁿ⁺¹⁾", {"a": 3, "n": 1}, 9),
        ("A = Pe^rt", {"P": 100, "r": 0.1, "t": 2}, 100 * exp(0.2)),
        ("N = N_0 e^-λt", {"N_0": 100, "λ": 0.1, "t": 2}, 100 * exp(-0.2)),
        ("A = P(1+r/n)^nt", {"P": 100, "r": 0.2, "n": 2, "t": 2}, 146.41),
        ("y = x^ab", {"x": 3, "a": 1, "b": 2}, None),  # x^a b?
        ("y = x^2a", {"x": 3, "a": 1}, 9),
        ("y = ⅔ a", {"a": 9}, 6),
        ("y = x²", {"x": 3}, 9),
        ("y = 2ᵏ", {"k": 3}, 8),
    ],
    "and, or, and what is an angle": [
        ("total = apples and pears", {"apples": 3, "pears": 4}, None),
        ("total = a or b", {"a": 3, "b": 4}, None),
        ("p = F and m", {"F": 3, "m": 4}, None),
        ("y = 10 if a > 1 and b > 1 else 20", {"a": 3, "b": 4}, 10),
        ("y = 10 if a > 1 or not b else 20", {"a": 0, "b": 4}, 20),
        ("y = 10 if a and b else 20", {"a": 1, "b": 0}, 20),
        ("y = x * sin(45)", {"x": 1}, None),
        ("y = x * cos(60)", {"x": 1}, None),
        ("y = x * sin(0.5)", {"x": 1}, sin(0.5)),
        ("y = x * sin(45 * pi / 180)", {"x": 1}, sin(pi / 4)),
        ("y = x * sin(radians(45))", {"x": 1}, sin(pi / 4)),
        ("y = x * sin(45°)", {"x": 1}, sin(pi / 4)),
    ],
    "LaTeX as models write it": [
        (r"v = f \lambda_1", {"f": 2, "lambda_1": 3}, 6),
        (r"y = \lambda_1 / \lambda_2", {"\\lambda_1": 6, "\\lambda_2": 3}, 2),
        (r"N = N_0 e^{-\lambda t}", {"N_0": 100, "\\lambda": 0.1, "t": 5}, 100 * exp(-0.5)),
        (r"F = \frac{q^2}{4\pi\varepsilon_0 r^2}", {"q": 1, "r": 1}, 1 / (4 * pi * 8.8541878128e-12)),
        (r"x = \vartheta r", {"\\theta": 2, "r": 3}, 6),
        (r"I = I_0 \cos^2\theta", {"I_0": 8, "theta": "60°"}, 2),
        (r"I = I_0 \cos^{2}(\theta)", {"I_0": 8, "theta": "60°"}, 2),
        ("I = I_0 * cos^2(theta)", {"I_0": 8, "theta": "60°"}, 2),
        ("h = v² sin²θ / 2g", {"v": 20, "θ": "30°"}, 100 / (2 * G)),
        (r"h = \frac{v^2 \sin^2 \theta}{2g}", {"v": "20 m/s", "theta": "30 deg"}, 100 / (2 * G)),
        (r"h = \frac{v^2\sin^2(\theta + \phi)}{k}", {"v": 2, "theta": "20°", "phi": "10°", "k": 1}, 1),
        (r"R = \frac{v^2 \sin 2\theta}{g}", {"v": "20 m/s", "theta": "15°"}, 200 / G),
        (r"R = v^2 \sin(2\theta)/g", {"v": "20 m/s", "theta": "15 deg"}, 200 / G),
        ("R = v^2 sin(2*theta)/g", {"v": "20 m/s", "theta": "45 deg"}, 400 / G),
        ("R = v^2 sin(2*theta)/g", {"v": "20 m/s", "theta": "45 degrees"}, 400 / G),
        (r"W = F d \cos 60^\circ", {"F": 10, "d": 3}, 15),
        (r"W = F d \cos(60^{\circ})", {"F": 10, "d": 3}, 15),
        ("W = F d cos(60°)", {"F": 10, "d": 3}, 15),
        ("W = F * d * cos 60°", {"F": 10, "d": 3}, 15),
        ("W = F * d * cos(60 degrees)", {"F": 10, "d": 3}, 15),
        (r"E = \frac12 k x^2", {"k": 2, "x": 3}, 9),
        (r"E = \tfrac12 kx^2", {"k": 2, "x": 3}, 9),
        (r"E = \frac 1 2 k x^2", {"k": 2, "x": 3}, 9),
        (r"y = \frac{a}2 + \frac1{a}", {"a": 4}, 2.25),
        (r"y = \frac\pi2 a", {"a": 4}, 2 * pi),
        (r"y = \frac a b", {"a": 4, "b": 2}, 2),
        (r"y = \sqrt[3]{a}", {"a": 8}, 2),
        (r"r = \sqrt[3]{\frac{3V}{4\pi}}", {"V": 4 * pi / 3}, 1),
        (r"y = \sqrt2 a", {"a": 3}, 3 * sqrt(2)),
        (r"y = \log_{10} a", {"a": 100}, 2),
        (r"y = \log_{10}\frac{a}{b}", {"a": 100, "b": 10}, 1),
        (r"y = \log_2 a", {"a": 8}, 3),
        ("y = log_10(a)", {"a": 100}, 2),
        ("y = P[r(1+r)^n]/[(1+r)^n - 1]", {"P": 10, "r": 1, "n": 1}, 20),
        (r"y = \ln\left(\frac{a}{b}\right)", {"a": 100, "b": 10}, math.log(10)),
        (r"y = \lvert a - b \rvert", {"a": 2, "b": 5}, 3),
        (r"y = \left| a - b \right|", {"a": 2, "b": 5}, 3),
        (r"y = \left[ a + b \right] \cdot c", {"a": 2, "b": 5, "c": 2}, 14),
        (r"y = P\left[\frac{1-(1+r)^{-n}}{r}\right]", {"P": 10, "r": 0.5, "n": 1}, 20 / 3),
        (r"y = \alpha \Delta T L", {"alpha": 2, "Delta T": 3, "L": 4}, 24),
        (r"Q = m c \Delta T", {"m": 2, "c": 3, "delta_T": 4}, 24),
        ("Q = m c ΔT", {"m": 2, "c": 3, "Delta T": 4}, 24),
        (r"y = \dfrac{a}{b}\,c", {"a": 4, "b": 2, "c": 3}, 6),
        ("P = 10^5 W/m^2 * a", {"a": "2 m^2"}, 2e5),
        ("P = 2 × 10^5 W/m^2 * a", {"a": "2 m^2"}, 4e5),
        (r"y = \cos 2 a b", {"a": 1, "b": 2}, None),  # of how much?
        (r"y = \frac{a}{b} c_{", {"a": 4, "b": 2, "c": 3}, None),
        ("y = a[0] * b", {"a": 4, "b": 2}, None),
        ("y = lambda x: 2 * x", {"x": 2}, None),
        ("y = lambda a, b: a * b", {"a": 2, "b": 3}, None),
        ("lambda a, b: a*b", {"a": 2, "b": 3}, None, {}, "y"),
        ("N = N_0 * exp(-lambda * t)", {"N_0": 100, "lambda": 0.1, "t": 5}, 100 * exp(-0.5)),
    ],
    "two statements that differ": [
        ("y = a + b = 6", {"a": 2, "b": 3}, None),
        ("y = a + b = 2 + 3 = 6", {"a": 2, "b": 3}, None),
        ("y = a + b = 2 + 3 = 5", {"a": 2, "b": 3}, 5),
        ("y = a + b = 4 + 1", {"a": 2, "b": 3}, 5),  # the computation of other values, which a do() may have left
        ("y = a / b = 0.67", {"a": 2, "b": 3}, 2 / 3),  # rounded
        ("y = a / b = 0.6", {"a": 2, "b": 3}, None),
        ("y = a * b = 6 J", {"a": 2, "b": 3}, 6),
        ("y = a * b = 25", {"a": 2, "b": 3}, None),
        ("y = m * g = 19.6", {"m": "2 kg"}, 2 * G),
        ("y = a / b; b", {"a": 6, "b": 3}, None),
        ("y = a / b; a is the load", {"a": 6, "b": 3}, 2),
        ("arrivals/service; service", {"arrivals": 6, "service": 3}, None, {}, "load"),
        ("arrivals/service;", {"arrivals": 6, "service": 3}, 2, {}, "load"),
    ],
    "per cent that a rule says": [
        ("I = P * r * t, r in percent", {"P": 1000, "r": 5, "t": 2}, None),  # nothing converts it
        ("I = P * r / 100 * t", {"P": 1000, "r": 5, "t": 2}, 100),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", CLASSES)
def test_each_class_has_its_values(name):
    assert "\n".join(failures(CLASSES[name])) == ""


def test_symbols_are_told_in_an_order_that_no_run_changes():
    """Sets of text have another order in every process: what a rule says of its symbols must not hang on it."""
    for rule, causes, effect, symbols in (
        ("d = (v^2 - u^2)/(2a)", ("Final speed", "Initial speed", "Acceleration"), "Distance", "v u d a"),
        ("s = ut + 1/2 a t^2", ("initial velocity (u)", "acceleration (a)", "time (t)"), "displacement (s)",
         "u s a t time"),
        ("v^2 = u^2 + 2as", ("initial velocity u", "acceleration a", "displacement s"), "final velocity v", "v u a s"),
        ("ΔT = T_f - T_i", ("Final temperature", "Initial temperature"), "Temperature change", "T_f T_i DeltaT"),
        ("R = ρ*L/A", ("Resistivity (ρ)", "Length (L)", "Area (A)"), "Resistance (Ω)", "R rho L A Area"),
        ("V = π r² h", ("tank_radius", "tank_height"), "tank volume", "r h V"),
        ("U_i + K_i = U_f + K_f", ("Initial potential energy U_i", "Initial kinetic energy K_i",
         "Final potential energy U_f"), "Final kinetic energy", "U_i K_i U_f K_f"),
    ):  # fmt: skip
        assert list(read_rule(rule, causes, effect, (*causes, effect), ()).aliases) == symbols.split(), rule
