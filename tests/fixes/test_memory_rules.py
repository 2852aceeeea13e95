"""IPL301 against what torch holds, and IPL302 against which methods it has."""

from __future__ import annotations

import pytest

from inplace_lint.engine.pipeline import everything
from inplace_lint.model import Diagnostic
from inplace_lint.project import Settings

torch = pytest.importorskip("torch")

FLAGS = [
    "relu",
    "leaky_relu",
    "elu",
    "selu",
    "celu",
    "silu",
    "mish",
    "hardswish",
    "hardsigmoid",
    "hardtanh",
    "relu6",
]
METHODS = [
    "abs_()",
    "sin_()",
    "exp_()",
    "sigmoid_()",
    "sqrt_()",
    "clamp_(0.1, 0.9)",
    "add_(1)",
    "mul_(2)",
    "pow_(2)",
]


def lint(body: str) -> list[Diagnostic]:
    text = f"import torch\nimport torch.nn.functional as F\na = torch.rand(1000, requires_grad=True)\n{body}"
    return everything("a.py", text.encode(), Settings())


def held(body: str) -> int:
    """Storages of this size that are alive behind the program: its result's, and what its graph keeps."""
    import gc

    scope: dict[str, object] = {}
    text = f"import torch\nimport torch.nn.functional as F\na = torch.rand(1000, requires_grad=True)\n{body}"
    exec(text, scope)
    storages: set[int] = set()
    pending = [scope["y"].grad_fn]
    storages.add(scope["y"].untyped_storage().data_ptr())
    while pending:
        node = pending.pop()
        if node is None:
            continue
        pending += [edge for edge, _ in node.next_functions]
        for name in dir(node):
            if name.startswith("_saved_"):
                value = getattr(node, name)
                if isinstance(value, torch.Tensor) and value.numel() == 1000:
                    storages.add(value.untyped_storage().data_ptr())
    storages.discard(scope["a"].untyped_storage().data_ptr())
    gc.collect()
    return len(storages)


@pytest.mark.parametrize("write", [f"y = F.{name}(y, inplace=True)" for name in FLAGS])
def test_flag_is_noted_where_it_holds_as_much(write: str) -> None:
    body = f"y = a * 2\n{write}\ny.sum().backward()\n"
    noted = any(one.code == "IPL301" for one in lint(body))
    inside = held(f"y = a * 2\n{write}\n")
    outside = held(f"y = a * 2\n{write.replace(', inplace=True', '')}\n")
    # `relu` saves its result alone: what it spares is the peak while it runs.
    assert noted == (inside >= outside and "relu(" not in write.replace("_relu(", "(")), (inside, outside)


@pytest.mark.parametrize("write", METHODS)
def test_method_is_noted_where_it_holds_as_much(write: str) -> None:
    body = f"y = a * 2\ny.{write}\ny.sum().backward()\n"
    noted = any(one.code == "IPL301" for one in lint(body))
    assert noted == (held(f"y = a * 2\ny.{write}\n") >= 2)


@pytest.mark.parametrize("name", ["softmax_", "gelu_", "matmul_", "mean_", "norm_"])
def test_method_that_does_not_exist(name: str) -> None:
    with pytest.raises(AttributeError):
        getattr(torch.ones(2), name)
    (one,) = lint(f"y = a * 2\ny.{name}(0)\n")
    assert (one.code, one.severity) == ("IPL302", "error")
    assert one.help == f"use `{name[:-1]}` and bind its result" or "did you mean" in one.help


def test_a_method_of_something_else_is_not_judged() -> None:
    assert not lint("class M:\n    def softmax_(self):\n        pass\nM().softmax_()\n")
    assert not lint("def f(x):\n    x.softmax_(0)\n    return x\n")
    assert not lint("def f(x: torch.Tensor):\n    x.transform_points_(0)\n    return x.mean()\n")
    assert not lint("def f(x: torch.Tensor):\n    x.softmax_(0)\n    return x.mean()\n")


@pytest.mark.parametrize("name", ["acosh_", "asinh_", "atanh_"])
def test_op_without_derivative(name: str) -> None:
    body = f"y = a * 0.5\ny.{name}()\ny.sum().backward()\n"
    assert [one.code for one in lint(body)] == ["IPL302"]
    with pytest.raises(NotImplementedError):
        held(body)
