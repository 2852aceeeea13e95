"""What torch says draws random numbers is named as such."""

from __future__ import annotations

import inspect

import pytest

from inplace_lint.torchmodel import randomness

torch = pytest.importorskip("torch")


def test_every_function_that_torch_tags_as_random_is_named() -> None:
    missing = []
    for name in dir(torch.ops.aten):
        overloads = getattr(getattr(torch.ops.aten, name), "overloads", None)
        if overloads is None or name.startswith("_") or name.endswith("_"):
            continue
        tagged = any(
            torch.Tag.nondeterministic_seeded in getattr(getattr(torch.ops.aten, name), one).tags
            for one in overloads()
        )
        if tagged and (hasattr(torch, name) or hasattr(torch.nn.functional, name)):
            missing += [name] if name not in randomness.FUNCTIONS else []
    assert missing == []


def test_every_layer_that_drops_numbers_or_may_be_built_to_is_named() -> None:
    """A layer with a rate of dropout among its arguments, and those of the module for dropout."""
    missing = []
    for name, layer in vars(torch.nn).items():
        if isinstance(layer, type) and issubclass(layer, torch.nn.Module) and not name.startswith("_"):
            drops = (
                layer.__module__ == "torch.nn.modules.dropout"
                or "dropout" in inspect.signature(layer).parameters
            )
            missing += [name] if drops and name not in randomness.LAYERS else []
    assert missing == []


@pytest.mark.parametrize("name", sorted(randomness.LAYERS))
def test_a_named_layer_is_one_of_torch(name: str) -> None:
    assert issubclass(getattr(torch.nn, name), torch.nn.Module)


@pytest.mark.parametrize(
    "layer",
    [
        torch.nn.Linear(4, 4),
        torch.nn.LayerNorm(4),
        torch.nn.BatchNorm1d(4),
        torch.nn.GELU(),
        torch.nn.Softmax(-1),
        torch.nn.PReLU(),
    ],
    ids=lambda layer: type(layer).__name__,
)
def test_a_layer_that_is_not_named_gives_the_same_twice(layer: torch.nn.Module) -> None:
    assert type(layer).__name__ not in randomness.LAYERS
    x = torch.randn(3, 4)
    assert torch.equal(layer(x), layer(x))
