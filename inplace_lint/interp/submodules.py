"""Finds the modules inside a module, for `apply`, `modules`, `children`, `get_submodule` and `state_dict`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..prefilter.hooks import changes_modules, makes_in_place
from ..syntax.module import FunctionSource
from ..torchmodel import table
from . import containers, iterators, mappings, module_parts, ops
from .frames import State
from .joins import join
from .layers import EachLayer
from .values import (
    Constant,
    FunctionValue,
    Instance,
    Mapping_,
    Native,
    Parameters,
    Scalar,
    Sequence_,
    Tensor,
    TorchModule,
    Unknown,
    alternatives,
    flatten,
)
from .weights import parameters_of, weights_of

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable, Mapping, Sequence

    from .run import Run
    from .values import Value

#: Largest number of modules that are treated one by one, to bound the cost of large models; and kind by kind, by code
#: that makes layers work in place: an error may depend on each.
_FOLLOWED, _GROUPED = 32, 2_000

LISTED = frozenset({"modules", "named_modules", "children", "named_children"})


def apply(run: Run, obj: Value, functions: Sequence[Value], at: ast.AST) -> Value:
    """`module.apply(fn)`: call the function with each module inside, the innermost first."""

    found: dict[Value, None] = {}
    functions = [one for one in functions[:1] if not _only_initialises(run, one)]
    for function in functions:
        _add(run, obj, found, _limit(function))
        for module in found if len(found) <= _FOLLOWED else _by_kind(found):
            kind = _kind(function, module)
            if kind in run.made.initialised and not _is_saved(run, module):
                continue
            if not _changes(run, function, module, at) and kind:
                run.made.initialised.add(kind)
    return obj


def _kind(function: Value, module: Value) -> tuple[FunctionSource, str] | None:
    """The function and the kind of a torch layer: the function does the same to all layers of a kind."""
    if isinstance(function, FunctionValue) and isinstance(module, (Sequence_, TorchModule)):
        return function.source, module.kind if isinstance(module, Sequence_) else module.name
    return None


def _is_saved(run: Run, module: Value) -> bool:
    """Whether a forward has saved a parameter of the module, so that a write of it matters."""
    return any(run.heap.record(tensor.storage).saves for tensor in weights_of(run, module))


def _changes(run: Run, function: Value, module: Value, at: ast.AST) -> bool:
    """Call a function with a module; return whether it changed more than the values of the parameters."""
    weights = [tensor.storage for tensor in weights_of(run, module)]
    before = [(s.leaf, [*run.heap.record(s).grads]) for s in weights]
    outer, run.state = run.state, State(run.state)
    run.call(function, [module], {}, at)
    changed = run.state.changes(outer)
    run.state = outer
    outer.slots.update(changed)
    of_others = any(type(key) is not tuple or type(key[0]) is not int for key in changed)
    return of_others or before != [(s.leaf, [*run.heap.record(s).grads]) for s in weights]


def listed(run: Run, obj: Value, name: str) -> Value:
    """The iterator of `modules` and its kin: each module, or one unknown value for all if they are too many."""
    named = name.startswith("named_")
    limit = _limit(run.frame.function)
    found: dict[Value, None] = {}
    _add(run, obj, found, limit + 1)
    if name.endswith("children"):
        return _children(run, obj, named)
    if _only_initialises(run, run.frame.function) or not 0 < len(found) <= limit:
        return any_of(run, obj, named)
    each: list[Value] = [*found] if len(found) <= _FOLLOWED else _by_kind(found)
    if named:
        names: dict[Value, Value] = {obj: Constant("")}
        _name_parts(run, obj, "", names)
        each = [containers.make(run, "tuple", [names.get(module, Scalar()), module]) for module in each]
    return iterators.of(True, each)


def _only_initialises(run: Run, function: Value | FunctionSource | None) -> bool:
    """Whether code that goes over modules is a constructor's, for their first values: it changes nothing they do."""
    source = _source(function)
    return run.builds and not (source is not None and changes_modules(source))


def _limit(function: Value | FunctionSource | None) -> int:
    """The largest number of modules of which what code does to each is followed."""
    source = _source(function)
    return _GROUPED if source is not None and makes_in_place(source) else _FOLLOWED


def _by_kind(modules: Iterable[Value]) -> list[Value]:
    """One stand-in for all torch layers of a kind: what is set on it is set on each."""
    kinds: dict[str, EachLayer] = {}
    for module in modules:
        if isinstance(module, TorchModule):
            kinds.setdefault(module.name, EachLayer(module.name)).layers.append(module)
    return [*kinds.values()]


def _source(function: Value | FunctionSource | None) -> FunctionSource | None:
    source = function.source if isinstance(function, FunctionValue) else function
    return source if isinstance(source, FunctionSource) else None


def _children(run: Run, obj: Value, named: bool) -> Value:
    """The iterator of `children`, in order; on paths on which one was not set, an `nn.Identity` stands in its place."""
    each: list[Value] = []
    for name, value in module_parts.held(run, obj):
        live = run.live(value)
        if not any(_is_module(atom) for _, atom in live):
            continue
        nothing = TorchModule("torch.nn.Identity", {}, None, None)
        child = join([(guard, atom if _is_module(atom) else nothing) for guard, atom in live])
        each.append(containers.make(run, "tuple", [name, child]) if named else child)
    if _only_initialises(run, run.frame.function) or not 0 < len(each) <= _FOLLOWED:
        return any_of(run, obj, named)
    return iterators.of(True, each)


def _is_module(value: Value) -> bool:
    if isinstance(value, Instance):
        return value.cls.is_module()
    return isinstance(value, TorchModule) or module_parts.is_container(value)


def _name_parts(run: Run, obj: Value, prefix: str, names: dict[Value, Value]) -> None:
    """Add the names of all modules inside one (`layers.0`) that are known and have none yet: some hold each other."""
    for name, value in module_parts.held(run, obj):
        if not isinstance(name, Constant):
            continue
        for atom in flatten(value):
            if atom not in names and len(names) <= _FOLLOWED:
                names[atom] = Constant(f"{prefix}{name.value}")
                _name_parts(run, atom, f"{prefix}{name.value}.", names)


def any_of(run: Run, owner: Value, named: bool) -> Value:
    """The iterator of `modules` and its kin with one unknown module, whose weight is any of the parameters."""
    each = Unknown(owner)
    parameters = parameters_of(run, owner)
    for name in ("weight", "bias"):
        run.bottom().slots[(each, "member", name)] = parameters
    slots = run.bottom().slots
    slots[(each, "member", "parameters")] = Native(lambda *_: parameters)
    slots[(each, "member", "named_parameters")] = Native(lambda *_: _pairs(run, parameters))
    return _pairs(run, each) if named else iterators.of(False, [each, each])


def _pairs(run: Run, each: Value) -> Value:
    """The iterator of pairs of a name and a value, which stands for any one of several."""
    return iterators.of(False, [containers.make(run, "tuple", [Scalar(), each]) for _ in range(2)])


def named(run: Run, obj: Value, args: Sequence[Value], at: ast.AST) -> Value:
    """`module.get_submodule(path)`; if the path is not known, any module inside."""
    path = args[0] if args else None
    if isinstance(path, Constant) and isinstance(path.value, str):
        found = module_parts.at_path(run, obj, path.value, at)
        if not isinstance(found, Unknown):
            return found
    by_name = Mapping_()
    inside: dict[Value, None] = {}
    _add(run, obj, inside, _FOLLOWED)
    for module in inside:
        mappings.put_key(run, by_name, Scalar(), module)
    return mappings.get_key(run, by_name, Scalar()) if inside else Unknown()


def tensor_at(run: Run, obj: Value, args: Sequence[Value], at: ast.AST) -> Value:
    """`module.get_parameter(path)`; if the path is not known, any parameter inside."""
    path = args[0].value if args and isinstance(args[0], Constant) else None
    return module_parts.at_path(run, obj, path, at) if isinstance(path, str) else parameters_of(run, obj)


def state_dict(run: Run, obj: Value, kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """`module.state_dict()`: detached aliases of the parameters, or the parameters with `keep_vars=True`."""
    keeps = kwargs.get("keep_vars")
    detach = table.method("detach")
    assert detach is not None

    def find(key: Value | None) -> Value:
        found: Value = parameters_of(run, obj)
        if isinstance(key, Constant):
            found = module_parts.at_path(run, obj, str(key.value), at)
        if not isinstance(found, (Tensor, Parameters)):
            return Unknown()
        plain = keeps is None or (isinstance(keeps, Constant) and not keeps.value)
        return ops.apply(run, detach, [found], {}, at) if plain else found

    return mappings.Lazy("dict", find)


def _inside(run: Run, atom: Value) -> list[Value]:
    """The values in a module, on any path."""
    if not isinstance(atom, (Instance, Sequence_, Mapping_)):
        return []
    return [inner for _, value in module_parts.held(run, atom) for _, inner in alternatives(value)]


def _add(run: Run, value: Value, found: dict[Value, None], limit: int) -> None:
    """Add a module, then the modules inside it, up to a number of all."""
    for _, atom in alternatives(value):
        if atom in found or len(found) >= limit:
            continue
        if isinstance(atom, Instance) and atom.cls.is_module():
            if atom.pending is not None:
                run.materialise(atom)
        elif not (isinstance(atom, TorchModule) or module_parts.is_container(atom)):
            continue
        found[atom] = None
        for inner in _inside(run, atom):
            _add(run, inner, found, limit)
