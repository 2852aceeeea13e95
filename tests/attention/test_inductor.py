"""The patterns of torch's own compiler: each is recognised, and each fix that is offered computes the same."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest
import torch
from torch._inductor.fx_passes import fuse_attention

from . import compare

PATTERNS = sorted(
    (name for name in vars(fuse_attention) if re.fullmatch(r"_sfdp_pattern_\d+", name)),
    key=lambda name: int(name.rpartition("_")[2]),
)


def program(name: str) -> str:
    """The pattern alone in a file (28 calls 4), in float64 where it names a dtype of its own."""
    text = inspect.getsource(getattr(fuse_attention, name))
    if "_sfdp_pattern_4(" in text and name != "_sfdp_pattern_4":
        text += "\n\n" + inspect.getsource(fuse_attention._sfdp_pattern_4)
    return "import torch\n\n\n" + text.replace(".float()", ".double()").replace(
        "torch.float32", "torch.float64"
    )


def arguments(name: str, seed: int) -> dict[str, Any]:
    """Random arguments by the names of the parameters."""
    generator = torch.Generator().manual_seed(seed)
    function = getattr(fuse_attention, name)
    permuted = "permute([0, 2, 1, 3])" in inspect.getsource(
        function
    ) or "permute(0, 2, 1, 3)" in inspect.getsource(function)
    batch, heads, length, width = 2, 3, 5 + seed % 3, 8
    shape = (batch, length, heads, width) if permuted else (batch, heads, length, width)
    if name == "_sfdp_pattern_13":
        shape = (batch * heads, length, width)

    def normal(*sizes: int) -> Any:
        return torch.randn(sizes, generator=generator, dtype=torch.float64, requires_grad=True)

    causal = torch.ones(length, length, dtype=torch.bool).tril()[None, None]
    given = {
        "query": normal(*shape),
        "key": normal(*shape),
        "value": normal(*shape),
        "attn_mask": normal(batch, 1, length, length),
        "attention_mask": normal(batch, 1, length, length),
        "causal_mask": causal,
        "inv_scale": 2.5,
        "inv_scale_factor": 2.5,
        "scale_factor": 0.4,
        "dropout_p": 0.25,
    }
    return {one: given[one] for one in inspect.signature(function).parameters}


def outcome(text: str, name: str, seed: int) -> list[Any]:
    """Outputs and gradients."""
    space: dict[str, Any] = {}
    exec(text, space)
    given = arguments(name, seed)
    torch.manual_seed(seed)
    out = space[name](**given)
    outputs = list(out) if isinstance(out, tuple) else [out]
    torch.manual_seed(seed)
    sum((one * torch.linspace(-1, 1, one.numel()).view(one.shape)).sum() for one in outputs).backward()
    return [
        *outputs,
        *(one.grad for one in given.values() if isinstance(one, torch.Tensor) and one.grad is not None),
    ]


def test_torch_has_thirty_patterns() -> None:
    assert len(PATTERNS) == 30


@pytest.mark.parametrize("name", PATTERNS)
def test_pattern_is_recognised(name: str) -> None:
    assert len(compare.plans(program(name))) == 1


#: The patterns whose fix is refused, and words of the reason.
REFUSED = {
    **dict.fromkeys((7, 8, 9, 10), "cast to a dtype that need not be that of q, k and v"),
    **dict.fromkeys((15, 17, 20), "has no name at the place where the product is computed"),
    18: "`attn_weights` is also read",
    19: "a boolean mask and a bias together",
    24: "the scores are reshaped between the products",
}


def number(name: str) -> int:
    return int(name.rpartition("_")[2])


@pytest.mark.parametrize("name", [name for name in PATTERNS if number(name) in REFUSED])
def test_fix_is_refused_with_the_reason(name: str) -> None:
    (plan,) = compare.plans(program(name))
    assert REFUSED[number(name)] in str(plan.refused)


@pytest.mark.parametrize("name", [name for name in PATTERNS if number(name) not in REFUSED])
def test_offered_fix_computes_the_pattern(name: str) -> None:
    (plan,) = compare.plans(program(name))
    assert plan.refused is None
    text = compare.rewritten(program(name), plan)
    assert "scaled_dot_product_attention" in text
    for seed in range(6):
        for one, other in zip(outcome(program(name), name, seed), outcome(text, name, seed), strict=True):
            torch.testing.assert_close(one, other, rtol=1e-10, atol=1e-10)
