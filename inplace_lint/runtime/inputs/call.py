"""Holds a class or function together with the arguments for its constructor and for its call."""

from __future__ import annotations

import copy
import inspect
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch.utils._pytree import tree_iter, tree_map

from ..problems import InputError
from .values import SIZES, Size, Spec, flat, realise, written

#: A function, its positional and its keyword arguments.
Ready = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class NoInputs:
    """The reason why no inputs are known."""

    reason: str


@dataclass(frozen=True, slots=True)
class Call:
    """A class or function with its arguments. Tensors are kept as Specs until the call is made.

    `constructor` (by name) and `positional` go to the constructor; `leading` (by position) and `arguments` (by name) to
    the call. `source` is where they come from: comment, factory, capture, annotations, synthesis, parent, program,
    given. `sizes` holds the named sizes such as S, `trials` the runs that the search took. `method`, if not empty, is
    called in place of the module, which runs in evaluation if `training` is False. A `factory` makes the function and
    the arguments of the call, in place of the others.
    """

    target: Any
    source: str
    constructor: Mapping[str, Any] = field(default_factory=dict)
    positional: tuple[Any, ...] = ()
    arguments: Mapping[str, Any] = field(default_factory=dict)
    leading: tuple[Any, ...] = ()
    sizes: Mapping[str, int] = field(default_factory=lambda: dict(SIZES))
    method: str = ""
    trials: int = 0
    factory: Callable[[Mapping[str, int]], Ready] | None = None
    training: bool = True

    def at(self, **sizes: int) -> Call:
        """Returns the call with other values for its named sizes."""
        return replace(self, sizes={**self.sizes, **sizes})

    def instead(self, target: Any) -> Call:
        """Returns the same call of another form of the target, such as the fixed one.

        Of a module that a factory makes, each submodule of the target's class gets the other class. Raises InputError,
        when it is called, if there is none.
        """
        if self.factory is None:
            return replace(self, target=target)
        make, before = self.factory, self.target

        def other(sizes: Mapping[str, int]) -> Ready:
            function, args, kwargs = make(sizes)
            return _exchanged(function, before, target), args, kwargs

        return replace(self, target=target, factory=other)

    @property
    def names(self) -> set[str]:
        """The named sizes, such as `S`, that occur in the arguments."""
        found: set[str] = set()
        leaves = tree_iter(
            (flat(self.constructor), self.positional, self.arguments, self.leading),
            is_leaf=lambda leaf: isinstance(leaf, (Spec, Size)),
        )
        for leaf in leaves:
            if isinstance(leaf, Size):
                found |= {name for name in SIZES if name in leaf.name}
            elif isinstance(leaf, Spec):
                found |= {name for dim in leaf.dims if isinstance(dim, str) for name in SIZES if name in dim}
        return found

    def function(self, seed: int = 0) -> Callable[..., Any]:
        """Returns the function, or a new instance of the class (or its method), with the same weights for one seed.

        Raises whatever the constructor raises.
        """
        if self.factory is not None:
            return self.factory(self.sizes)[0]
        if not inspect.isclass(self.target):
            function: Callable[..., Any] = self.target
            return function
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            # Modules among the arguments are copied: two instances must not share weights.
            positional, named = tree_map(_own, (self.positional, dict(self.constructor)))
            positional, named = realise((positional, named), self.sizes)
            instance: Any = self.target(*positional, **named)
        if not self.training and isinstance(instance, torch.nn.Module):
            instance.eval()
        found: Callable[..., Any] = getattr(instance, self.method) if self.method else instance
        return found

    def inputs(
        self, device: str = "cpu", dtype: torch.dtype | None = None, grad: bool = True, seed: int = 0
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Makes new arguments for the function. With `grad` the float tensors require grad without being leaves."""
        generator = torch.Generator(device).manual_seed(seed) if device == "cpu" else None
        if self.factory is not None:
            _, args, kwargs = self.factory(self.sizes)
            moved: tuple[tuple[Any, ...], dict[str, Any]]
            moved = tree_map(lambda leaf: _moved(leaf, device, dtype), (args, kwargs))
            return moved

        def one(leaf: Any) -> Any:
            if not isinstance(leaf, Spec):
                return realise(leaf, self.sizes)

            def make() -> torch.Tensor:
                return leaf.make(self.sizes, generator, device, dtype)

            return needing(make) if grad and leaf.floating else make()

        leaf_types = (Spec, Size)
        args, kwargs = tree_map(
            one, (self.leading, dict(self.arguments)), is_leaf=lambda leaf: isinstance(leaf, leaf_types)
        )
        return args, kwargs

    @property
    def description(self) -> dict[str, str]:
        """The arguments as text with numeric sizes: `{"x": "f32[2,64,768]"}`."""
        if self.factory is not None:
            function, args, kwargs = self.factory(self.sizes)
            return _described(function, args, kwargs)
        args, kwargs = tree_map(
            lambda leaf: (
                Spec(leaf.dtype, leaf.shape(self.sizes), leaf.high) if isinstance(leaf, Spec) else leaf
            ),
            (self.leading, dict(self.arguments)),
            is_leaf=lambda leaf: isinstance(leaf, (Spec, Size)),
        )
        return _described(self.signed(), args, kwargs)

    @property
    def template(self) -> dict[str, str]:
        """The arguments as text with named sizes: `{"x": "f32[B,S,768]"}`."""
        if self.factory is not None:
            return self.description
        return _described(self.signed(), self.leading, dict(self.arguments))

    def signed(self) -> Any:
        """Returns a callable whose signature is that of the call, without `self`."""
        if not inspect.isclass(self.target):
            return self.target
        function = getattr(self.target, self.method or "forward")
        return types.MethodType(function, self.target) if inspect.isfunction(function) else function


def _exchanged(function: Any, before: Any, after: Any) -> Any:
    if function is before:
        return after
    parts = [
        one
        for one in (function.modules() if isinstance(function, torch.nn.Module) else [function])
        if type(one) is before
    ]
    if not parts:
        raise InputError(f"the factory makes no {getattr(before, '__qualname__', before)}")
    for one in parts:
        one.__class__ = after
    return function


def _moved(value: Any, device: str, dtype: torch.dtype | None) -> Any:
    if not isinstance(value, torch.Tensor):
        return value
    return value.to(device, dtype if value.is_floating_point() else None)


def _own(value: Any) -> Any:
    return copy.deepcopy(value) if isinstance(value, torch.nn.Module) else value


def _described(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, str]:
    if isinstance(function, torch.nn.Module):
        function = function.forward
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        names = []
    shown = {
        (names[place] if place < len(names) else f"argument {place + 1}"): written(value)
        for place, value in enumerate(args)
    }
    return {**shown, **{name: written(value) for name, value in kwargs.items()}}


def needing(make: Callable[[], torch.Tensor]) -> torch.Tensor:
    """Makes a tensor that requires grad without being a leaf, as activations do, so that it may be written in place.

    No memory but the tensor's own is allocated.
    """
    # An empty leaf that requires grad: it makes the result require grad, and holds no bytes.
    entrance = torch.zeros(0, requires_grad=True)
    return _Entrance.apply(entrance, make)  # type: ignore[no-any-return,no-untyped-call]  # torch: untyped


class _Entrance(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, entrance: torch.Tensor, make: Callable[[], torch.Tensor]) -> torch.Tensor:
        return make()

    @staticmethod
    def backward(ctx: Any, *_: torch.Tensor) -> Any:
        return torch.zeros(0), None
