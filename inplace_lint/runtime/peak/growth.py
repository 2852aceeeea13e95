"""Fits how bytes grow with a size: an exponent over the last two sizes, and an exact polynomial where one fits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def exponent(sizes: Sequence[int], values: Sequence[float]) -> float | None:
    """Returns the slope on logarithmic axes over the last two sizes with values above 0; None if there are not two."""
    points = sorted({size: value for size, value in zip(sizes, values) if value > 0}.items())
    if len(points) < 2:
        return None
    (first, low), (last, high) = points[-2:]
    return math.log(high / low) / math.log(last / first)


def polynomial(sizes: Sequence[int], values: Sequence[int], degree: int = 3) -> tuple[Fraction, ...] | None:
    """Fits the polynomial of lowest degree that gives all values exactly; returns its coefficients, constant first.

    None unless at least two points more than the fit needs agree with it.
    """
    points = sorted(set(zip(sizes, values)))
    for order in range(degree + 1):
        if len(points) < order + 3:
            return None
        coefficients = _through(points[-order - 1 :])
        if all(_at(coefficients, size) == value for size, value in points):
            return coefficients
    return None


def formula(coefficients: Sequence[Fraction], name: str = "S") -> str:
    """Writes a polynomial as `96·S² + 2560·S + 4`."""
    text = ""
    for power in range(len(coefficients) - 1, -1, -1):
        factor = coefficients[power]
        if not factor:
            continue
        size = abs(factor)
        number = str(size.numerator) if size.denominator == 1 else f"{size.numerator}/{size.denominator}"
        symbol = name + (str(power).translate(_SUPERSCRIPT) if power > 1 else "")
        term = number if not power else symbol if size == 1 else f"{number}·{symbol}"
        sign = "-" if factor < 0 else "+"
        text += (f" {sign} " if text else "-" if factor < 0 else "") + term
    return text or "0"


def _through(points: Sequence[tuple[int, int]]) -> tuple[Fraction, ...]:
    """Interpolates the points by Newton's divided differences; returns the coefficients, constant first."""
    xs = [Fraction(x) for x, _ in points]
    table = [Fraction(y) for _, y in points]
    for level in range(1, len(points)):
        for place in range(len(points) - 1, level - 1, -1):
            table[place] = (table[place] - table[place - 1]) / (xs[place] - xs[place - level])
    result = [Fraction(0)] * len(points)
    for place in range(len(points) - 1, -1, -1):
        shifted = [Fraction(0), *result[:-1]]
        result = [high - xs[place] * low for high, low in zip(shifted, result)]
        result[0] += table[place]
    return tuple(result)


def _at(coefficients: Sequence[Fraction], size: int) -> Fraction:
    return sum((factor * size**power for power, factor in enumerate(coefficients)), Fraction(0))
