"""Objects and dicts among the inputs: made by their class, or by what is read of them."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, NamedTuple, Optional

import pytest
import torch
from torch import nn

from inplace_lint.runtime.inputs import Call, build
from inplace_lint.runtime.inputs.values import Built, flat, put


class Kind(enum.Enum):
    PLAIN = "plain"
    DEEP = "deep"


@dataclass
class Heads:
    count: int
    rate: float = 0.0


@dataclass
class Config:
    width: int
    heads: Heads
    kind: Kind
    norms: list[str] = field(default_factory=list)


class Shape(NamedTuple):
    width: int
    depth: int = 1


class Plain:
    def __init__(self, width: int = 12) -> None:
        self.width = width


class Layer(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.layer = nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x)


class OfDataclass(Layer):
    def __init__(self, options: Config) -> None:
        super().__init__(options.width)
        assert options.width % options.heads.count == 0
        assert isinstance(options.kind, Kind)


class OfOptional(Layer):
    def __init__(self, options: Optional[Config] = None) -> None:  # noqa: UP045  # this spelling too
        super().__init__(options.width)  # type: ignore[union-attr]  # as people write it


class OfEither(Layer):
    def __init__(self, options: Shape | None) -> None:
        assert options is not None
        super().__init__(options.width)


class OfPlainClass(Layer):
    def __init__(self, options: Plain) -> None:
        super().__init__(options.width)


class OfModule(Layer):
    def __init__(self, inner: OfPlainClass) -> None:
        super().__init__(inner.layer.in_features)


class Reading(Layer):
    def __init__(self, given) -> None:  # type: ignore[no-untyped-def]
        super().__init__(given.sizes.width)
        self.kept = given

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x) * self.kept.scale


class ReadingElsewhere(Layer):
    def __init__(self, given) -> None:  # type: ignore[no-untyped-def]
        super().__init__(given.width)
        self.inner = Reading(given)


class OfKeys(Layer):
    def __init__(self, given) -> None:  # type: ignore[no-untyped-def]
        super().__init__(given["model"]["width"])


@pytest.mark.parametrize(
    "target", [OfDataclass, OfOptional, OfEither, OfPlainClass, OfModule, Reading, ReadingElsewhere, OfKeys]
)
def test_an_object_is_made_for_the_constructor(target: Any) -> None:
    call = build(target)
    assert isinstance(call, Call), call
    args, kwargs = call.inputs()
    call.function()(*args, **kwargs).sum().backward()


def test_two_calls_share_no_object() -> None:
    class Keeping(Layer):
        def __init__(self, options: Config) -> None:
            super().__init__(options.width)
            self.options = options

    call = build(Keeping)
    assert isinstance(call, Call)
    assert call.function().options is not call.function().options  # type: ignore[attr-defined]


class Recursive:
    def __init__(self, other: Recursive) -> None:
        self.width = 4


class OfRecursive(Layer):
    def __init__(self, options: Recursive) -> None:
        super().__init__(options.width)


def test_a_class_that_needs_itself_is_built_only_so_deep() -> None:
    assert isinstance(build(OfRecursive, trials=20), Call)


class Batches(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(20, 6)

    def forward(self, batch) -> torch.Tensor:  # type: ignore[no-untyped-def]
        rows = self.table(batch["token_ids"]) * batch["mask"][..., None]
        if "weights" in batch:
            raise ValueError(batch["weights"])
        return rows


def test_a_batch_is_a_dict_of_the_keys_that_are_read() -> None:
    call = build(Batches)
    assert isinstance(call, Call), call
    (batch,), _ = call.inputs()
    assert set(batch) == {"token_ids", "mask"}
    assert call.names == {"B", "S"}


def pair(batch):  # type: ignore[no-untyped-def]
    return (batch["left"] * batch["right"]).sum(-1) + batch["left"].new_zeros(2)


def test_tensors_in_a_dict_are_repaired_like_others() -> None:
    assert isinstance(build(pair), Call)


def test_values_in_objects_and_dicts_have_names() -> None:
    values = {"options": Built(SimpleNamespace, {"sizes": {"width": 3}}), "depth": 1}
    assert flat(values)["options.sizes.width"] == 3
    changed = put(values, "options.sizes.width", 5)
    assert flat(changed)["options.sizes.width"] == 5
    assert flat(values)["options.sizes.width"] == 3
    assert str(changed["options"]) == "SimpleNamespace(sizes={'width': 5})"
