"""Models `torch.func.functional_call`: a module is called with other tensors in the place of its parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import containers, external_modules, mappings, module_parts
from .values import (
    Constant,
    Instance,
    Mapping_,
    Parameters,
    Phi,
    Sequence_,
    Tensor,
    TorchModule,
    Value,
    flatten,
)
from .weights import weights_of

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from .run import Run


def call(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """functional_call(module, parameters, args, kwargs): `module(*args, **kwargs)` with these parameters."""
    if len(args) < 3:
        return external_modules.result_of(run, args, kwargs)
    module, given, inputs = args[:3]
    tables = list(_tables(run, given))
    positional = _positional(run, inputs, at)
    named = mappings.string_items(run, args[3]) if len(args) > 3 else {}
    if not tables or positional is None or named is None:
        return external_modules.result_of(run, args, kwargs)
    options = named

    def called(module: Value) -> Value:
        put_back: list[Callable[[], None]] = []
        try:
            for table in tables:
                _replace(run, module, table, "", put_back, set())
            return run.call(module, positional, options, at)
        finally:
            for undo in reversed(put_back):
                undo()

    return run.each(module, called) if isinstance(module, Phi) else called(module)


def _tables(run: Run, given: Value) -> Iterator[Mapping_]:
    """The dicts of parameters: one, or several in a tuple."""
    for atom in flatten(given):
        held = run.elements(atom) if isinstance(atom, Sequence_) else [atom]
        yield from (one for value in held for one in flatten(value) if isinstance(one, Mapping_))


def _positional(run: Run, inputs: Value, at: ast.AST) -> list[Value] | None:
    """The positional arguments: those of a tuple, or one alone; None if they are not known."""
    if isinstance(inputs, Constant) and inputs.value is None:
        return []
    if isinstance(inputs, Sequence_) and inputs.kind == "tuple":
        count = containers.length(run, inputs)
        return None if count is None else [run.item(inputs, Constant(i), at) for i in range(count)]
    return [inputs]


def _replace(
    run: Run,
    module: Value,
    table: Mapping_,
    path: str,
    put_back: list[Callable[[], None]],
    seen: set[Value],
) -> None:
    """Puts the tensors of a dict into the place of the parameters of the same names, and notes how to undo it.

    Modules may hold each other: each is gone through once, under the name that comes first.
    """
    if module in seen:
        return
    seen.add(module)
    if isinstance(module, TorchModule):
        weights = module.weights
        given = None if weights is None else _given(run, table, f"{path}weight", weights)
        if given is not None:
            module.weights = given
            put_back.append(lambda: setattr(module, "weights", weights))
        return
    if isinstance(module, Instance) and module.pending is not None:
        run.materialise(module)
    for name, value in module_parts.held(run, module):
        inner = f"{path}{name.value}" if isinstance(name, Constant) else path
        for atom in flatten(value):
            if not isinstance(atom, Tensor):
                _replace(run, atom, table, f"{inner}.", put_back, seen)
            elif isinstance(module, Instance) and atom.storage.origin in ("parameter", "buffer"):
                given = _given(run, table, inner, atom)
                _replace_own(run, module, inner.rpartition(".")[2], value, given, put_back)


def _replace_own(
    run: Run,
    module: Instance,
    name: str,
    value: Value,
    given: Tensor | None,
    put_back: list[Callable[[], None]],
) -> None:
    if given is not None:
        run.put(module, name, given)
        put_back.append(lambda: run.put(module, name, value))


def _given(run: Run, table: Mapping_, name: str, own: Tensor) -> Tensor | None:
    """The tensor that a dict has under the name of a parameter; None if it has none, or the module's own."""
    held = mappings.holds(run, table, name)
    if isinstance(held, Constant) and held.value is False:
        return None
    for atom in flatten(mappings.get_key(run, table, Constant(name))):
        if isinstance(atom, Parameters):
            given = weights_of(run, atom)
        else:
            given = [tensor for _, tensor in run.tensors_within(atom)]
        if any(one.storage is own.storage for one in given):
            return None
        if given:
            return given[0]
    return None
