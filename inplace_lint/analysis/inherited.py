"""What an object has from a class of torch that its own derives from: `nn.Linear`'s weight, an optimizer's groups.

That part of it is a module of its own, built by `super().__init__(…)` and kept with the object's attributes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel import table
from .storage import DOES
from .values import Instance, Mapping_, Native, Sequence_, TorchModule, Value

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping, Sequence

    from .run import Run
    from .values import ClassValue

#: Among an object's attributes, where no name of Python's can be.
_PART = "super()"
_CONTAINERS = frozenset(f"torch.nn.{name}" for name in ("Sequential", "ModuleList", "ModuleDict"))
_OPTIMIZERS = ("torch.optim", "torch.optim.optimizer")


def base_of(cls: ClassValue) -> str:
    """The module or optimizer of torch that a class derives from; empty where it is none, or `nn.Module` itself."""
    for base in cls.external_bases():
        if base in _CONTAINERS or (base != "torch.nn.Module" and table.module(base) is not None):
            return base
        space, _, name = base.rpartition(".")
        if space in _OPTIMIZERS and name[:1].isupper():
            return base
    return ""


def begin(
    run: Run,
    obj: Instance,
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
    at: ast.AST,
    spread: Sequence_ | None = None,
) -> None:
    """Build the part that torch's class defines, from the arguments of its `__init__`; `spread`: given with a star."""
    from . import containers, symbols

    base = base_of(obj.cls)
    if spread is not None:
        if base in _CONTAINERS:
            run.put(obj, _PART, containers.of_unknown_length(run, base.rpartition(".")[2], spread))
    elif base:
        run.put(obj, _PART, symbols.call(run, base, args, kwargs, at))


def constructor(obj: Instance) -> Native:
    """`super().__init__` where that is torch's."""

    def play(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> None:
        begin(run, obj, args, kwargs, at, run.entering.spread)

    return Native(play, exact=True)


def part(run: Run, obj: Instance) -> Value | None:
    """The part of an object that is torch's, if it was built."""
    if obj.pending is not None:
        from . import objects

        objects.materialise(run, obj)
    own = run.state.get((obj, _PART))
    if isinstance(own, Sequence_) and not own.keys:
        return None  # what is put into it later, and how, was not seen
    return own


def register(run: Run, obj: Instance, value: Value) -> None:
    """A module that becomes an attribute of an `nn.Sequential` is the next one in it."""
    own = run.state.get((obj, _PART))
    if isinstance(own, Sequence_) and own.kind == "Sequential" and _is_module(value):
        from . import containers

        containers.append(run, own, value)


def _is_module(value: Value) -> bool:
    return isinstance(value, (Instance, TorchModule)) or (
        isinstance(value, (Sequence_, Mapping_)) and value.kind in ("Sequential", "ModuleList", "ModuleDict")
    )


def contents(run: Run, value: Value) -> Value:
    """What stands for an object that is indexed or iterated over: the modules in it, where it is a container."""
    if isinstance(value, Instance) and base_of(value.cls) in _CONTAINERS:
        return part(run, value) or value
    return value


def attribute(run: Run, obj: Instance, name: str) -> Value | None:
    """An attribute or method that the object has from torch's class."""
    from . import attributes, container_methods, methods

    own = part(run, obj)
    if isinstance(own, methods.Optimizer):
        return methods.of_optimizer(run, own, name) if name in ("param_groups", "step", "zero_grad") else None
    if isinstance(own, (Sequence_, Mapping_)) and container_methods.has(own, name):
        return container_methods.of(run, own, name)
    if not isinstance(own, TorchModule):
        return None
    if name == "bias" and own.weights is not None and name not in own.owns:
        own.owns[name] = run.new_tensor("parameter", DOES, None, leaf=True)
    known = attributes.has_argument(run, own, name) or name in own.owns
    known = known or name.startswith(("weight", "bias_", "running_"))
    return attributes.get(run, own, name, obj.cls.source.node) if known else None
