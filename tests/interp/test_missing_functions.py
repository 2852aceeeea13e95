"""In-place functions that are called and do not exist are reported, and no others: torch says which there are."""

from __future__ import annotations

import pytest

from inplace_lint.engine.pipeline import examine
from inplace_lint.project import Settings

NAMES = "dropout_ gelu_ hardtanh_ layer_norm_ leaky_relu_ mish_ relu_ silu_ softmax_ threshold_".split()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("space", ["torch", "torch.nn.functional"])
def test_function_that_torch_lacks_is_reported(space: str, name: str) -> None:
    torch = pytest.importorskip("torch")
    found = examine(
        "program.py", f"import torch\n\n\ndef f(x):\n    return {space}.{name}(x)\n".encode(), Settings()
    )
    exists = hasattr(torch if space == "torch" else torch.nn.functional, name)
    told = [one.message for one in found if one.code == "IPL302"]
    plain = hasattr(torch if space == "torch" else torch.nn.functional, name.rstrip("_"))
    assert told == ([] if exists or not plain else [f"{space} has no function `{name}`"])
