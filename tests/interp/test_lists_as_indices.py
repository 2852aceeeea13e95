"""Whether a write to `x[[…]]` reaches `x` or is lost: a list of numbers copies, one with a slice is a view."""

from __future__ import annotations

import pytest

import inplace_lint

torch = pytest.importorskip("torch")

INDICES = [
    "[0, 1]",
    "[slice(2)]",
    "[slice(2), slice(1)]",
    "[slice(1, 3), 1]",
    "[slice(n) for n in (1, 2)]",
    "[True, False, True]",
    "[[0, 1], [1, 2]]",
    "(slice(2), 1)",
    "[slice(2), [0, 1]]",
]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("index", INDICES)
def test_a_write_by_a_list(index: str) -> None:
    source = f"import torch\n\nx = torch.zeros(3, 4)\nx[{index}].fill_(1)\nprint(x)\n"
    names: dict[str, torch.Tensor] = {}
    exec(source, names)
    codes = [one.code for one in inplace_lint.check(source, filename="a.py").diagnostics]
    assert codes == ([] if names["x"].any() else ["IPL206"])
