"""Finds the parameters that belong to a value: a module, a list of modules, or what `parameters()` returned."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..prefilter.parts_used import parts_used
from . import external_modules, inherited, names
from .iterators import Iteration
from .storage import DOES, MAY, NEVER
from .values import (
    Instance,
    Mapping_,
    Parameters,
    Phi,
    Sequence_,
    Symbol,
    Tensor,
    TorchModule,
    Unknown,
    Value,
    alternatives,
    flatten,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from ..syntax.module import FunctionSource
    from .class_value import ClassValue
    from .run import Run
    from .storage import Storage


def weights_of(
    run: Run, owner: Value, depth: int = 6, builds: bool = True, first: bool = False
) -> list[Tensor]:
    """The parameters of a module, container or `Parameters`, or the owner itself if it is a tensor with gradients.

    With `builds` False, objects that are not built yet are left out: code that used their parameters has built them.
    With `first`, no more is built than it takes to find one.
    """
    found: list[Tensor] = []
    if depth == 0:
        return found
    for _, atom in alternatives(owner):
        if first and found:
            return found
        network = external_modules.taken_for_a_tensor(atom) or atom
        weights = external_modules.known_weights(run, network) if isinstance(network, Unknown) else None
        if weights is not None:
            found.append(weights)
        elif isinstance(atom, TorchModule):
            if atom.weights is not None:
                found.append(atom.weights)
            found.extend(t for t in atom.owns.values() if t.storage.leaf)
        elif isinstance(atom, Tensor):
            if atom.storage.leaf or atom.storage.grad:
                found.append(atom)
        else:
            for value in _members(run, atom, builds):
                found.extend(weights_of(run, value, depth - 1, builds, first))
                if first and found:
                    return found
    return found


def _members(run: Run, owner: Value, builds: bool) -> Sequence[Value]:
    """What a module, a container or `Parameters` holds that may be, or hold, a parameter."""
    if isinstance(owner, Instance):
        if owner.pending is not None:
            if not builds:
                return ()
            run.materialise(owner)
        held = (one for value in run.elements(owner) for _, one in alternatives(value))
        return [value for value in held if _is_member(run, value)]
    if isinstance(owner, (Sequence_, Mapping_)):
        return run.elements(owner)
    return owner.owners if isinstance(owner, Parameters) else ()


def used_by(run: Run, obj: Instance, method: FunctionSource) -> list[Tensor]:
    """The parameters of an object that one of its methods may use: those of the attributes that it names."""
    names = parts_used(method, run.program.prefilter.methods(obj.cls.source))
    if names is None:
        return weights_of(run, obj)
    found: list[Tensor] = []
    for name in sorted(names):
        value = run.state.get((obj, name)) or run.state.get((obj, external_modules.INHERITED))
        if value is not None:
            found.extend(one for one in weights_of(run, value) if one not in found)
    return found


def standing_for(run: Run, written: Collection[Storage]) -> list[Storage]:
    """What stands for any parameter of modules that one of the written parameters is of, and was saved as such.

    `for p in net.parameters(): penalty += p.pow(2).sum()` saves each of them.
    """
    return [
        storage
        for storage, parameters in run.several.stand_ins.items()
        if storage not in written
        and run.heap.record(storage).saves
        and any(one.storage in written for one in weights_of(run, parameters, builds=False))
    ]


def first_of(run: Run, owner: Value) -> Tensor | None:
    """The first of the parameters, in the order of `parameters()`: a module's own, then those of its parts."""
    return next(_in_order(run, owner), None)


def _in_order(run: Run, owner: Value) -> Iterator[Tensor | None]:
    """The parameters in their order; None stands for what is not known, as for how many there are."""
    if isinstance(owner, Parameters):
        for one in owner.owners:
            yield from _in_order(run, one)
    elif isinstance(owner, TorchModule):
        if owner.weights is not None:
            yield owner.weights
    elif isinstance(owner, (Unknown, Phi)):
        yield None
    elif isinstance(owner, (Instance, Sequence_, Mapping_)):
        if isinstance(owner, Instance) and owner.pending is not None:
            run.materialise(owner)
        held = run.elements(owner)
        yield from (one for one in held if isinstance(one, Tensor) and one.storage.origin == "parameter")
        for one in held:
            yield from _in_order(run, one)


def _is_member(run: Run, value: Value) -> bool:
    """Whether an attribute of a module is a parameter or holds some, as a network does that was moved to a device.

    A plain tensor attribute does neither.
    """
    if not isinstance(value, Tensor) or value.storage.origin == "parameter":
        return True
    network = external_modules.taken_for_a_tensor(value)
    return network is not None and external_modules.known_weights(run, network) is not None


def parameters_of(run: Run, owner: Value) -> Parameters:
    """The result of `module.parameters()`.

    Of a module of unknown class they require grad; of what a function returned that was not entered, perhaps.
    """
    for network in [owner] if isinstance(owner, Unknown) else _inherited(run, owner):
        external_modules.expected_weights(run, network)
    if owner in run.entering.cut_off:
        return Parameters([owner], MAY)
    if weights_of(run, owner, first=True):
        if run.builds:  # what a constructor keeps holds on its own paths
            return Parameters([owner], _evidence(run, weights_of(run, owner)))
        return Parameters([owner], lambda: _evidence(run, weights_of(run, owner)))
    made = [external_modules.expected_weights(run, part) for part in _made_elsewhere(run, owner)]
    if not made and all(isinstance(atom, TorchModule) for _, atom in alternatives(owner)):
        return Parameters([owner], NEVER)  # a layer such as `nn.ReLU` has none
    return Parameters([owner], _evidence(run, made) if made else DOES)


def _evidence(run: Run, weights: Collection[Tensor]) -> int:
    """The evidence that one of some parameters requires grad on the current path."""
    return max((e for one in weights for _, e in run.heap.gradients(one, run.path)), default=NEVER)


def owners_in(run: Run, value: Value, owners: list[Value], depth: int = 3) -> None:
    """Add the owners of the parameters in an argument, such as that of an optimizer, to `owners`."""
    if isinstance(value, Parameters):
        owners.extend(value.owners)
    elif isinstance(value, (Sequence_, Mapping_)) and depth:
        for element in run.elements(value):
            owners_in(run, element, owners, depth - 1)
    elif isinstance(value, Iteration) and depth:
        for element in value.all()[1]:
            owners_in(run, element, owners, depth - 1)
    elif isinstance(value, Phi):
        for _, atom in value.alternatives:
            owners_in(run, atom, owners, depth - 1)
    elif isinstance(value, (Tensor, TorchModule, Instance)):
        owners.append(value)


def _inherited(run: Run, owner: Value, depth: int = 3) -> list[Unknown]:
    """What a module and its parts inherit from classes of other packages, which may have parameters too."""
    found: list[Unknown] = []
    for _, atom in alternatives(owner):
        if isinstance(atom, Instance) and depth and _may_have_parts(atom.cls):
            part = inherited.part(run, atom)
            found += [part] if isinstance(part, Unknown) else []
            for value in run.elements(atom):
                found += _inherited(run, value, depth - 1)
    return found


def _made_elsewhere(run: Run, owner: Value, depth: int = 3) -> list[Unknown]:
    """The unknown results of calls among the parts of a module, which may hold its parameters."""
    found: list[Unknown] = []
    for _, atom in alternatives(owner):
        if isinstance(atom, Instance) and depth and _may_have_parts(atom.cls):
            for _, part in (one for value in run.elements(atom) for one in alternatives(value)):
                made = part if isinstance(part, Unknown) else external_modules.taken_for_a_tensor(part)
                if made is not None and made.returned:
                    found.append(made)
                else:
                    found += _made_elsewhere(run, part, depth - 1)
    return found


def _may_have_parts(cls: ClassValue) -> bool:
    """Whether the objects of a class are modules, or may be, as those of another package's class."""
    return cls.is_module() or inherited.is_of_another_package(cls)


def may_own_some(run: Run, value: Value) -> bool:
    """Whether a value is, or holds, an object or module that may have parameters."""
    owners: list[Value] = []
    owners_in(run, value, owners)
    return any(not isinstance(owner, Tensor) for owner in owners) or any(
        isinstance(atom, Unknown) and external_modules.known_weights(run, atom) for atom in flatten(value)
    )


def is_replaced(run: Run, at: ast.AST) -> bool:
    """Whether the same function assigns an `nn.Parameter` to the attribute that is read at `at`.

    Then it is a parameter already: a module refuses any other tensor there, so the code makes it one again.
    """
    source = run.frame.function
    if source is None or not isinstance(at, ast.Attribute):
        return False
    for target, call in run.program.prefilter.assigned(source).parameters:
        if target.attr == at.attr and ast.dump(target.value) == ast.dump(at.value):
            made = names.evaluate_in(run, source.module, call.func)
            trains = not any(keyword.arg == "requires_grad" for keyword in call.keywords)
            trains = trains or any(getattr(k.value, "value", None) is True for k in call.keywords)
            return trains and isinstance(made, Symbol) and made.dotted == "torch.nn.Parameter"
    return False
