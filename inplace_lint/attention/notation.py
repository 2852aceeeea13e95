"""Parses axis notation: einsum equations and einops patterns."""

from __future__ import annotations

from ..torchmodel import recipes
from .terms import Term, is_const


def equation(term: Term) -> tuple[list[list[str]], list[str]] | None:
    """The axis labels of an einsum's operands and result, in torch's or einops' notation; None if it has no `->`."""
    text = str(term.args[0].args[0])
    left, arrow, right = text.partition("->")
    sides = (*left.split(","), right)
    words = [word for side in sides for word in side.split()]
    # Names separated by spaces: einops' notation; torch accepts it, too, if every name is one letter.
    spaced = any(" " in side.strip() for side in sides) and all(w == "..." or w.isidentifier() for w in words)
    spaced = spaced and (
        any(len(w) > 1 and w != "..." for w in words) or all(" " in side.strip() for side in sides)
    )

    def labels(side: str) -> list[str]:
        if spaced:
            return side.split()
        side = side.replace(" ", "").replace("...", "~")
        return ["..." if letter == "~" else letter for letter in side]

    inputs = [labels(side) for side in left.split(",")]
    if not arrow or len(inputs) != len(term.args) - 1:
        return None
    return inputs, labels(right)


def pattern(term: Term) -> tuple[list[list[str]], list[list[str]]] | None:
    """The groups of axis names on both sides of an einops pattern; None if it is not a constant."""
    if not is_const(term.args[1]) or not isinstance(term.args[1].args[0], str):
        return None
    return recipes.sides(term.args[1].args[0])
