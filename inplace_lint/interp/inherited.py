"""Models what an object inherits from a class of torch: the weight of an `nn.Linear`, the parameters of an optimizer.

The inherited part is a value of its own, built by `super().__init__(…)` and kept among the object's attributes. That of
a class of another package is unknown, as a network that this package makes would be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..resolve.classes import is_elsewhere
from ..torchmodel import table
from ..torchmodel.spelling import are_of_data
from . import containers, external_modules
from .external_modules import INHERITED
from .values import Instance, Mapping_, Native, Phi, Sequence_, Symbol, TorchModule, Unknown, Value

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping, Sequence

    from .class_value import ClassValue
    from .run import Run

_CONTAINERS = frozenset(f"torch.nn.{name}" for name in ("Sequential", "ModuleList", "ModuleDict"))
#: Containers of Python that a class may derive from.
_COLLECTIONS = frozenset(
    "builtins.dict builtins.list builtins.tuple builtins.set collections.OrderedDict collections.defaultdict "
    "collections.deque".split()
)
#: Classes that wrap a container in an attribute `data`.
_WRAPPERS = {"collections.UserDict": "builtins.dict", "collections.UserList": "builtins.list"}
_OPTIMIZERS = ("torch.optim", "torch.optim.optimizer")


def base_of(cls: ClassValue) -> str:
    """The module or optimizer of torch that a class derives from; empty if there is none but `nn.Module` itself."""
    for base in cls.external_bases():
        if base in _COLLECTIONS or base in _WRAPPERS:
            return _WRAPPERS.get(base, base)
        if base in _CONTAINERS or (base != "torch.nn.Module" and table.module(base) is not None):
            return base
        space, _, name = base.rpartition(".")
        if space in _OPTIMIZERS and name[:1].isupper():
            return base
    return ""


def is_of_another_package(cls: ClassValue) -> bool:
    """Whether a class derives from one that is not read, and may be a module or anything else."""
    return bool(_elsewhere(cls))


def _elsewhere(cls: ClassValue) -> str:
    """The dotted name of a base that is not read; "?" if not even the name is known, empty if there is none."""
    bases = cls.external_bases()
    return "" if are_of_data(bases) else next(filter(is_elsewhere, bases), "")


def is_collection(cls: ClassValue) -> bool:
    """Whether a class derives from a dict, a list or the like."""
    return base_of(cls) in _COLLECTIONS


def begin(
    run: Run,
    obj: Instance,
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
    at: ast.AST,
    spread: Sequence_ | None = None,
) -> None:
    """Build the inherited part from the arguments of `super().__init__`; `spread` is the sequence of a lone `*args`."""
    base = base_of(obj.cls)
    if spread is not None:
        if base in _CONTAINERS:
            run.put(obj, INHERITED, containers.of_unknown_length(run, base.rpartition(".")[2], spread))
    elif base:
        run.put(obj, INHERITED, run.call(Symbol(base), args, kwargs, at))
    elif base := _elsewhere(obj.cls):
        unnamed = base == "?"
        made = (
            external_modules.result_of(run, args, kwargs)
            if unnamed
            else run.call(Symbol(base), args, kwargs, at)
        )
        run.put(obj, INHERITED, made)


def constructor(obj: Instance) -> Native:
    """`super().__init__` of a class of torch."""

    def play(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> None:
        begin(run, obj, args, kwargs, at, run.entering.spread)

    return Native(play, exact=True, follows=True)


def part(run: Run, obj: Instance) -> Value | None:
    """The inherited part of an object, if it was built and, as a container, has elements."""
    if obj.pending is not None:
        run.materialise(obj)
    own = run.state.get((obj, INHERITED))
    if isinstance(own, Sequence_) and not own.keys and base_of(obj.cls) in _CONTAINERS:
        return None  # its elements are added later, in a way that was not seen
    return own


def register(run: Run, obj: Instance, name: str, value: Value, surely: bool = False) -> None:
    """Give a module that is set as an attribute to the `nn.Sequential` that the object derives from, before it is set.

    `surely`: the value is a module, or None, even where it is unknown.
    """
    own = run.state.get((obj, INHERITED))
    if not isinstance(own, Sequence_) or own.kind != "Sequential":
        return
    modules = [is_module(atom) or (surely and isinstance(atom, Unknown)) for atom in run.possible(value)]
    if modules and all(modules):
        set_element(run, own, name, value)
    elif any(modules) and isinstance(value, Phi):
        run.each(value, lambda atom: register(run, obj, name, atom, surely))


def set_element(run: Run, chain: Sequence_, name: str, value: Value) -> None:
    """Models `setattr(chain, name, module)` and `chain.add_module(name, module)` of an `nn.Sequential` or list."""
    index, count = place(run, chain, name), containers.length(run, chain)
    if index is not None and count is not None and index < count:
        run.put(chain, index, value)
        return
    if count is not None:  # on another path the container may have another module there, under another name
        chain.names[:] = [*chain.names[:count], *map(str, range(len(chain.names), count)), name]
    containers.append(run, chain, value)


def place(run: Run, chain: Sequence_, name: str) -> int | None:
    """The index of the module that a container holds under a name; None if there is none, or it is not known."""
    if name in chain.names:
        return chain.names.index(name)
    return int(name) if name.isdecimal() and not chain.names else None


def is_module(value: Value) -> bool:
    """Whether it is a module, of torch or of the project, or a container of modules."""
    return isinstance(value, (Instance, TorchModule)) or (
        isinstance(value, (Sequence_, Mapping_)) and value.kind in ("Sequential", "ModuleList", "ModuleDict")
    )


def contents(run: Run, value: Value) -> Value:
    """The container part of an object that derives from `nn.ModuleList` or its kin, to be indexed or iterated over."""
    if isinstance(value, Instance) and base_of(value.cls) in (_CONTAINERS | _COLLECTIONS):
        return part(run, value) or value
    return value
