"""Exponents and closed forms."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inplace_lint.runtime.peak.growth import exponent, formula, polynomial

SIZES = (64, 128, 192, 256, 320, 384, 448)


@given(st.lists(st.integers(-5000, 5000), min_size=1, max_size=4))
def test_a_polynomial_is_found_again(coefficients: list[int]) -> None:
    while len(coefficients) > 1 and not coefficients[-1]:
        coefficients.pop()
    values = [sum(factor * size**power for power, factor in enumerate(coefficients)) for size in SIZES]
    assert polynomial(SIZES, values) == tuple(map(Fraction, coefficients))


def test_what_is_no_polynomial_has_no_form() -> None:
    assert polynomial(SIZES, [2 ** (size // 64) for size in SIZES]) is None
    # Rounded up in steps: it agrees at some sizes, not at all.
    assert polynomial(SIZES, [-(-size // 100) * 100 for size in SIZES]) is None


def test_a_form_needs_two_points_more_than_its_degree() -> None:
    assert polynomial((1, 2, 3), (1, 4, 9)) is None
    assert polynomial((1, 2), (5, 5)) is None


@pytest.mark.parametrize(
    ("coefficients", "text"),
    [
        ((0, 2560, 96), "96·S² + 2560·S"),
        ((-7, 1), "S - 7"),
        ((0, 0, 0, Fraction(1, 2)), "1/2·S³"),
        ((0, -3), "-3·S"),
        ((0,), "0"),
        ((12,), "12"),
    ],
)
def test_form_reads_like_algebra(coefficients: tuple[int, ...], text: str) -> None:
    assert formula([Fraction(one) for one in coefficients]) == text


def test_exponent_is_the_slope_over_the_last_two_sizes() -> None:
    assert exponent((1, 2, 4), (7, 1, 4)) == 2
    assert exponent((8,), (1,)) is None
    assert exponent((4, 8), (0, 0)) is None
