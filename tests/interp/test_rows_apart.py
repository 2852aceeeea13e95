"""Whether a linear layer saves a part of a tensor itself, or a copy which no write can change: asked of torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("torch")

from .in_torch import refuses, told

if TYPE_CHECKING:
    from pathlib import Path

#: The shape of a tensor, and a part of it.
PARTS = [
    ("2, 4, 8", "base[1:]"),
    ("2, 4, 8", "base[:, 1:]"),
    ("2, 4, 8", "base[:, :2]"),
    ("2, 4, 8", "base[:, 0:]"),
    ("2, 4, 8", "base[:, 1]"),
    ("2, 4, 8", "base[..., 1:, :]"),
    ("2, 4, 8", "base[..., :4]"),
    ("2, 4, 8", "base[[slice(None), slice(1, 3)]]"),
    ("2, 4, 8", "base[:, None, 1:]"),
    ("4, 4, 8", "base[::2]"),
    ("4, 4, 8", "base[1:][:, 1:]"),
    ("4, 4, 8", "base[:, 1:].unsqueeze(0)"),
    ("4, 8", "base[::2]"),
    ("4, 8", "base[:, :4]"),
    ("2, 3, 4, 8", "base[:, 0]"),
    ("2, 3, 4, 8", "base[:, :, 0]"),
    ("2, 3, 4, 8", "base[:, :, 1:]"),
    ("2, 3, 4, 8", "base[0, :, 1:]"),
    ("2, 4, 8", "base.chunk(2, 1)[0]"),
    ("2, 4, 8", "base.chunk(2, dim=-2)[1]"),
    ("2, 4, 8", "base.chunk(2, -1)[0]"),
    ("2, 4, 8", "base.split(2, dim=1)[0]"),
    ("4, 4, 8", "base.split(2)[0]"),
    ("2, 4, 8", "base.narrow(1, 1, 2)"),
    ("2, 4, 8", "base.narrow(2, 0, 4)"),
    ("2, 4, 8", "base.select(1, 0)"),
    ("2, 3, 4, 8", "base.select(1, 0)"),
    ("2, 3, 4, 8", "base.unbind(1)[0]"),
    ("2, 3, 4, 8", "base.unbind(2)[0]"),
]

#: What is done with a part.
LAYERS = [
    "torch.nn.functional.linear(part, weight)",
    "torch.nn.functional.linear(part, weight, bias)",
    "part @ weight.t()",
]


@pytest.mark.parametrize("layer", LAYERS, ids=["linear", "bias", "matmul"])
@pytest.mark.parametrize(("shape", "part"), PARTS)
def test_a_tensor_that_is_written_after_a_layer_took_a_part(
    shape: str, part: str, layer: str, tmp_path: Path
) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        f"import torch\n\nbase = torch.zeros({shape})\npart = {part}\n"
        f"weight, bias = torch.ones(5, part.shape[-1], requires_grad=True), torch.ones(5)\n"
        f"out = {layer}\nbase.add_(1)\nout.sum().backward()\n"
    )
    assert told(program.read_text()) == (["IPL102"] if refuses(program, tmp_path) else [])


def test_a_part_of_unknown_rank_whose_rows_may_not_merge() -> None:
    """Of batches of rows the layer saves a copy, of a matrix the part itself; so nothing is said."""
    source = """
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Linear(3, 8)
        self.layer = torch.nn.Linear(8, 8)

    def forward(self, x):
        x = self.embed(x)
        y = self.layer(x{part})
        x += 1
        return x.sum() + y.sum()
"""
    given = source.replace("        x = self.embed(x)\n", "").replace("x += 1", "x.mul_(2)")
    several = source.replace(
        "x = self.embed(x)\n", "x = self.embed(x) if x.ndim > 3 else self.embed(x) * 2\n"
    )
    for part in ("[:, 1:]", "[:, 1:, 1:, :]", "[..., 1:, :]"):
        assert told(given.replace("{part}", part)) == []
        assert told(several.replace("{part}", part)) == []
        assert told(source.replace("{part}", part)) == []
    for part in ("", "[1:]", "[..., 1:]", "[:, 0]"):
        assert told(given.replace("{part}", part)) == ["IPL102"]
        assert told(several.replace("{part}", part)) == ["IPL102"]
        assert told(source.replace("{part}", part)) == ["IPL102"]


@pytest.mark.parametrize(
    ("shape", "part", "product"),
    [
        ("2, 4, 8", "base[:, 1:]", "torch.einsum('bnd,bd->bn', part, torch.ones(2, 8, requires_grad=True))"),
        ("2, 4, 8", "base[:, 1:]", "torch.einsum('bnd,kd->bnk', part, torch.ones(5, 8, requires_grad=True))"),
        (
            "2, 4, 3, 8",
            "base[:, 1:]",
            "torch.einsum('bijd,kd->bijk', part, torch.ones(5, 8, requires_grad=True))",
        ),
        (
            "2, 4, 8",
            "base[:, 1:]",
            "torch.bilinear(part, torch.ones(2, 3, 8), torch.ones(2, 8, 8, requires_grad=True))",
        ),
        ("2, 4, 8", "base[:, 1:]", "torch.tensordot(part, torch.ones(8, 2, requires_grad=True), 1)"),
        ("2, 4, 8", "base[:, 1:]", "part @ torch.ones(2, 8, 3, requires_grad=True)"),
        ("2, 4, 8", "base[:, 1:]", "torch.bmm(part, torch.ones(2, 8, 3, requires_grad=True))"),
        ("2, 6, 5", "base[:, :4]", "nn.functional.group_norm(part, 2, torch.ones(4, requires_grad=True))"),
        ("2, 6, 5", "base[:, :4]", "nn.functional.conv1d(part, torch.ones(3, 4, 1, requires_grad=True))"),
        ("2, 6, 5", "base[:, :4]", "nn.functional.layer_norm(part, (5,), torch.ones(5, requires_grad=True))"),
    ],
)
def test_products_of_a_part_of_an_inner_axis(shape: str, part: str, product: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        f"import torch\nfrom torch import nn\n\nbase = torch.rand({shape})\npart = {part}\n"
        f"out = {product}\nbase.add_(1)\nout.sum().backward()\n"
    )
    assert told(program.read_text()) == (["IPL102"] if refuses(program, tmp_path) else [])


@pytest.mark.parametrize("place", range(3), ids=["query", "key", "value"])
@pytest.mark.parametrize("part", ["base[:, 1:]", "base[:, :, 1:]", "base[1:]", "base[..., :4]"])
def test_attention_saves_a_part_itself(part: str, place: int, tmp_path: Path) -> None:
    given = ["1 * torch.rand(part.shape, requires_grad=True)"] * 3
    given[place] = "part"
    program = tmp_path / "program.py"
    program.write_text(
        f"import torch\n\nbase = torch.rand(2, 3, 4, 8)\npart = {part}\n"
        f"out = torch.nn.functional.scaled_dot_product_attention({', '.join(given)})\n"
        f"base.add_(1)\nout.sum().backward()\n"
    )
    assert refuses(program, tmp_path)
    assert told(program.read_text()) == ["IPL102"]
