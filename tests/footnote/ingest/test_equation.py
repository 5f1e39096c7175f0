"""Equations as a line of text."""

import pytest

from footnote.ingest.parse.equation import binomial, fenced, fraction, grouped, matrix, radical, row, script, stacked, text, tokens

SQUARE = script("b", sup="2")


@pytest.mark.parametrize(
    ("written", "line"),
    [
        (row(["E", "=", "m", script("c", sup="2")]), "E = mc²"),
        (fraction(row(["−", "b", "±", radical(row([SQUARE, "−", "4", "a", "c"]))]), row(["2", "a"])), "(−b ± √(b² − 4ac))/(2a)"),
        (row([script("∑", "i = 1", "n"), script("x", "i")]), "∑_(i=1)^n x_i"),
        (row([stacked("lim", "x → 0"), fraction("1", "x")]), "lim_(x→0) 1/x"),
        (row([fraction("1", "2"), "m", script("v", sup="2")]), "1/2 mv²"),
        (fraction(fraction("a", "b"), "c"), "(a/b)/c"),
        (fraction("distance", "time"), "distance/time"),
        (script(row(["a", "+", "b"]), sup="2"), "(a + b)²"),
        (script("x", "1", "2"), "x₁²"),
        (script("x", sup="n+1"), "x^(n+1)"),
        (script("∑", "n = 1", "∞"), "∑_(n=1)^∞"),
        (stacked("∑", "n = 1", "∞"), "∑_(n=1)^∞"),
        (stacked("a + b", "⏟"), "a + b"),
        (script("v", "at the end"), "v_(at the end)"),
        (script("f", sup="′"), "f′"),
        (radical("x", "3"), "∛(x)"),
        (radical("x", "n"), "n√(x)"),
        (row(["f", fenced(["x", "y"])]), "f(x, y)"),
        (fenced([matrix([["a", "b"], ["c", "d"]])], "[", "]"), "[a, b; c, d]"),
        (binomial("n", "k"), "(n over k)"),
        (stacked("v", over="→"), "v⃗"),
        (row(tokens("a=b+c−4.5sin x")), "a = b + c − 4.5 sin x"),
        (row(["sin", text("\u2061"), "x"]), "sin x"),
        (row(["1", "2"]), "1 2"),
        (row(["(", "−", "3", ")"]), "(−3)"),
    ],
)
def test_each_construct_becomes_a_readable_line(written, line):
    assert written == line


def test_only_what_is_not_one_operand_gets_brackets():
    assert [grouped(part) for part in ("12.5", "x₁²", "(a + b)", "(a)(b)", "a b")] == ["12.5", "x₁²", "(a + b)", "((a)(b))", "(a b)"]
