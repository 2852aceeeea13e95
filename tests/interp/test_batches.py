"""Whether `matmul` saves a batch of matrices itself, or a copy which no write can change: asked of torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("torch")

from .in_torch import refuses, told

if TYPE_CHECKING:
    from pathlib import Path

#: The shape of a tensor, a view of it, and the shape of what it is multiplied by (which requires grad).
PRODUCTS = [
    ("2, 3, 4, 5", "base", "2, 3, 5, 4"),
    ("2, 3, 4, 5", "base.transpose(-2, -1)", "2, 3, 6, 5"),
    ("2, 3, 4, 5", "base.mT", "2, 3, 6, 5"),
    ("2, 3, 4, 5", "base.transpose(2, 3)", "2, 3, 6, 5"),
    ("2, 3, 4, 5", "base.transpose(0, 1)", "3, 2, 6, 4"),
    ("2, 3, 4, 5", "base.transpose(1, 2)", "2, 4, 6, 3"),
    ("2, 3, 4, 5", "base.permute(1, 0, 2, 3)", "3, 2, 6, 4"),
    ("2, 3, 4, 5", "base[:, :2]", "2, 2, 6, 4"),
    ("2, 3, 4, 5", "base[:, :, :3]", "2, 3, 6, 3"),
    ("2, 3, 4, 5", "base[:, :, :3].transpose(-2, -1)", "2, 3, 6, 5"),
    ("2, 3, 4, 5", "base[:, :2].transpose(-2, -1)", "2, 2, 6, 5"),
    ("2, 3, 4, 5", "base[..., :2]", "2, 3, 6, 4"),
    ("4, 3, 4, 5", "base[:2]", "2, 3, 6, 4"),
    ("4, 3, 4, 5", "base[:1]", "2, 3, 6, 4"),
    ("2, 3, 4, 5", "base.narrow(1, 0, 2)", "2, 2, 6, 4"),
    ("2, 3, 4, 5", "base.narrow(2, 0, 2)", "2, 3, 6, 2"),
    ("2, 1, 4, 5", "base", "2, 3, 6, 4"),
    ("2, 3, 4, 5", "base.transpose(-2, -1).transpose(-2, -1)", "2, 3, 6, 4"),
    ("2, 2, 3, 4, 5", "base.mT", "2, 2, 3, 6, 5"),
    ("2, 2, 3, 4, 5", "base[:, :1]", "2, 1, 3, 6, 4"),
    ("2, 2, 3, 4, 5", "base[:, :, :2].mT", "2, 2, 2, 6, 5"),
    ("3, 4, 5", "base.mT", "3, 6, 5"),
    ("3, 4, 5", "base[:2]", "2, 6, 4"),
]


@pytest.mark.parametrize("turned", [False, True], ids=["right", "left"])
@pytest.mark.parametrize(("shape", "view", "other"), PRODUCTS)
def test_a_batch_that_is_written_behind_a_product(
    shape: str, view: str, other: str, turned: bool, tmp_path: Path
) -> None:
    product = f"({view}).mT @ weight.mT" if turned else f"weight @ {view}"
    program = tmp_path / "program.py"
    program.write_text(
        f"import torch\n\nweight = torch.ones({other}, requires_grad=True)\nbase = torch.zeros({shape})\n"
        f"out = {product}\nbase.add_(1)\nout.sum().backward()\n"
    )
    found = told(program.read_text())
    if refuses(program, tmp_path):
        assert found == ["IPL102"]
    else:
        assert found == []
