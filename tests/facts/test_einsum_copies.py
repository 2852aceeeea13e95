"""Which operands of `einsum` are saved as they are, and which as a copy: torch says it of random equations."""

from __future__ import annotations

import random

import pytest

from inplace_lint.torchmodel.layout import layout_of

torch = pytest.importorskip("torch")

WRITTEN = [
    "bid,bjd->bij",
    "bhid,bhjd->bhij",
    "bhij,bhjd->bhid",
    "nlhd,nshd->nlsh",
    "nlsh,nshd->nlhd",
    "nshd,nshv->nhdv",
    "id,jd->ij",
]
LENGTHS = dict(zip("abcdhijlnsv", (3, 2, 4, 5, 2, 3, 4, 2, 3, 5, 2), strict=True))


def equations(count: int, seed: int) -> list[str]:
    """Products of two operands with something to sum over."""
    rng = random.Random(seed)
    found: list[str] = []
    while len(found) < count:
        names = rng.sample("abcdhi", rng.randint(3, 5))
        first, second = (rng.sample(names, rng.randint(1, len(names))) for _ in range(2))
        shared = [name for name in first if name in second]
        if shared:
            summed = rng.sample(shared, rng.randint(1, len(shared)))
            result = [name for name in names if name in {*first, *second} and name not in summed]
            rng.shuffle(result)
            found.append(f"{''.join(first)},{''.join(second)}->{''.join(result)}")
    return found


def is_saved(equation: str, operand: int) -> bool:
    """Whether backward fails once the operand, which is contiguous, was written after the product."""
    shapes = [[LENGTHS[name] for name in part] for part in equation.partition("->")[0].split(",")]
    operands = [torch.rand(shape, requires_grad=True) * 1 for shape in shapes]
    result = torch.einsum(equation, *operands)
    operands[operand].mul_(2)
    try:
        result.sum().backward()
    except RuntimeError:
        return True
    return False


@pytest.mark.parametrize("equation", [*WRITTEN, *equations(60, seed=5)])
@pytest.mark.parametrize("operand", [0, 1])
def test_a_contiguous_operand_is_saved_itself_or_copied(equation: str, operand: int) -> None:
    copied = layout_of("einsum").copies_contiguous([equation], operand)
    assert copied is not is_saved(equation, operand)
