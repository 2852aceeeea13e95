"""The op table leaves out no function and no layer of the spaces that hold nothing else."""

from __future__ import annotations

import inspect
import types

import pytest

from inplace_lint.torchmodel import table

torch = pytest.importorskip("torch")
nn = torch.nn

#: Classes of `torch.nn` that the analysis models as what holds others, or that only others derive from.
_CONTAINERS = set(
    "Container DataParallel Module ModuleDict ModuleList ParameterDict ParameterList Sequential".split()
)
_BASES = {"RNNBase", "RNNCellBase"}
#: Another name of `NLLLoss`, deprecated since torch 0.4.
_OLD = {"NLLLoss2d"}


@pytest.mark.parametrize("space", ["torch.linalg", "torch.fft", "torch.special"])
def test_every_function_of_a_space_is_an_op(space: str) -> None:
    module = getattr(torch, space.partition(".")[2])
    functions = [
        n for n in dir(module) if isinstance(getattr(module, n), types.BuiltinFunctionType) and n[0] != "_"
    ]
    assert functions
    assert [name for name in functions if table.function(f"{space}.{name}") is None] == []


def test_every_layer_of_torch_is_known() -> None:
    classes = {
        name for name, value in vars(nn).items() if inspect.isclass(value) and issubclass(value, nn.Module)
    }
    unknown = {name for name in classes if table.module(f"torch.nn.{name}") is None}
    assert unknown - _CONTAINERS - _BASES - _OLD == set()
