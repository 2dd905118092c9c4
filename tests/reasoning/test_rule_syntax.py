"""The grammar of rules: what is read, what is refused, and that nothing crashes or is executed."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueness.reasoning.syntax import MAX_DEPTH, MAX_DIGITS, MAX_LENGTH, MAX_POWER, MAX_TOKENS, RuleError, parse, symbol
from trueness.reasoning.trees import FUNCTIONS, Binary, Call, Name, Negative, Number, as_text, evaluate

VALUES = {"a": 3.0, "b": 4.0, "c": 0.5, "x": 2.0}


def value(text, **more):
    return evaluate(parse(text).right, VALUES | more)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b * c", 5.0),
        ("(a + b) * c", 3.5),
        ("a - b - c", -1.5),
        ("a / b / c", 1.5),
        ("2^a^x", 512.0),
        ("-a^2", -9.0),
        ("a**2", 9.0),
        ("a²", 9.0),
        ("a⁻¹", 1 / 3),
        ("2 a", 6.0),
        ("2(a + b)", 14.0),
        ("(a)(b)", 12.0),
        ("½ × a · b ÷ c", 12.0),
        ("a − b", -1.0),
        ("√(a + 6)", 3.0),
        ("√b", 2.0),
        ("|a - b|", 1.0),
        ("50% * b", 2.0),
        ("50 % of b", 2.0),
        ("b % a", 1.0),
        ("(a + b)%", 0.07),
        ("1,200 + a", 1203.0),
        ("max(1,200)", 200.0),
        ("1.5e3 - 1", 1499.0),
        ("2 * pi * c", math.pi),
        (r"\frac{a}{b} \times 2", 1.5),
        (r"\sqrt{b} \cdot a", 6.0),
        ("$a/b$", 0.75),
    ],
)
def test_formulas_have_the_value_of_mathematics(text, expected):
    assert value(text) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sqrt(b)", 2.0),
        ("exp(0)", 1.0),
        ("ln(exp(a))", 3.0),
        ("log(8, 2)", 3.0),
        ("log10(1000)", 3.0),
        ("sin(pi/2)", 1.0),
        ("cos(0)", 1.0),
        ("tan(0)", 0.0),
        ("abs(-a)", 3.0),
        ("min(a, b, c)", 0.5),
        ("max(a, b)", 4.0),
        ("round(2.6)", 3.0),
        ("floor(2.6)", 2.0),
        ("ceil(2.2)", 3.0),
        ("sum(a, b, c)", 7.5),
        ("mean(a, b)", 3.5),
    ],
)
def test_every_function_of_the_grammar(text, expected):
    assert value(text) == pytest.approx(expected)


def test_an_equation_has_two_sides_and_the_computation_behind_is_left_out():
    equation = parse("a = F/m = 10/2 = 5")
    assert equation.left == Name("a")
    assert equation.right == Binary("/", Name("F"), Name("m"))


@pytest.mark.parametrize("name", ["net force", "net_force", "Net Force", "net force (N)"])
def test_names_of_several_words_are_one_name(name):
    assert parse("a = net force / mass", (name,)).right == Binary("/", Name(symbol(name)), Name("mass"))


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("x + " * 200 + "x", MAX_LENGTH),
        ("x+" * 120 + "x", MAX_TOKENS),
        ("(" * 41 + "x" + ")" * 41, MAX_DEPTH),
        ("-" * 41 + "x", MAX_DEPTH),
        ("x^1001", MAX_POWER),
        ("1" * 41, MAX_DIGITS),
    ],
)
def test_each_limit_is_named_when_it_is_met(text, limit):
    with pytest.raises(RuleError, match=f"{limit:,}|{limit}"):
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "().__class__",
        "x.real",
        "__import__('os')",
        "x__y",
        "lambda: 1",
        "lambda",
        "x[0]",
        "f(x)",
        "eval(x)",
        "[x for x in y]",
        "'a' * 9",
        "x := 2",
        "x; y",
        "x\x00",
        "{x}",
        "1e999",
        "a b",
        "a +",
        "(a",
        "",
        "=",
        "sqrt()",
        "sqrt(a, b)",
        "a == b",
        "a if a > b else c",
    ],
)
def test_what_is_no_formula_is_refused_in_one_line(text):
    with pytest.raises(RuleError) as refused:
        parse(text)
    assert "\n" not in str(refused.value)


def test_a_huge_power_leaves_the_range_and_makes_no_integer():
    with pytest.raises(OverflowError):
        value("9^9^9^9")


@settings(max_examples=300)
@given(st.text(max_size=80) | st.text(alphabet="abx019.+-*/^%()|,=<>! ifthenelse²√½", max_size=80))
def test_any_text_is_parsed_or_refused(text):
    try:
        equation = parse(text)
    except RuleError:
        return
    assert isinstance(equation.right, Number | Name | Negative | Binary | Call)


LEAVES = st.sampled_from([Name("a"), Name("b"), Name("c"), Number(2.0), Number(0.5), Number(7.0)])
SIGNS = st.sampled_from(["+", "-", "*", "/", "^", "%"])
ONE = st.sampled_from([name for name, (_, fewest, _) in FUNCTIONS.items() if fewest == 1])
TREES = st.recursive(
    LEAVES,
    lambda below: st.one_of(
        st.builds(Binary, SIGNS, below, below),
        st.builds(Negative, below),
        st.builds(Call, ONE, st.tuples(below)),
    ),
    max_leaves=8,
)


@settings(max_examples=200)
@given(TREES)
def test_a_tree_that_is_written_is_read_back(tree):
    assert parse(as_text(tree)).right == tree


@pytest.mark.parametrize(
    "text", ["a + b*c", "sqrt(a^2 + b^2)", "a*exp(-c)", "mean(a, b, c)", "max(a, b) - ln(b)", "log10(a)"]
)
def test_sympy_agrees_with_our_own_evaluation(text):
    sympy = pytest.importorskip("sympy")
    names = {"ln": sympy.log, "log10": lambda x: sympy.log(x, 10), "max": sympy.Max, "mean": lambda *x: sum(x) / len(x)}
    expression = sympy.sympify(as_text(parse(text).right).replace("^", "**"), names)
    assert float(expression.subs(VALUES)) == pytest.approx(value(text))


@pytest.mark.parametrize("rule", ["then ()", "where m is \\text{x[1]}", "y = x*c, c = 5 is" + " " * 400 + "!"])
def test_odd_rules_are_refused_and_raise_nothing(rule):
    from trueness.reasoning.rules import read_rule

    assert read_rule(rule, ("x", "\\Delta x["), "y").tree is None
