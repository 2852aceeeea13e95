"""Records who shares the memory of a tensor when it is written, for a fix that replaces the write.

Only done for writes that a finding speaks of: they are observed in another run (`Program.observed`), so that a file
without findings pays nothing.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..prefilter.set_anew import may_set_attribute, may_set_global
from ..syntax.module import Module
from ..syntax.nodes import children, walk
from ..torchmodel import outofplace, table
from .guards import both, compatible
from .iterators import Iteration
from .storage import DOES, NEVER
from .values import (
    Array,
    Bound,
    Constant,
    FunctionValue,
    Instance,
    Mapping_,
    Parameters,
    Sequence_,
    Tensor,
    Unknown,
    alternatives,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..torchmodel.facts import Facts
    from .frames import Frame, Place
    from .guards import Guard
    from .run import Run
    from .values import Value


class Sharing:
    """One write of one tensor, and who shares its memory: `names` as (frame, name, how), `others` in words.

    `how` a name holds the memory: "tensor"; "element" of a container; "inside" a callable or iterator, as an argument;
    "part", if it holds another of the views that one op returned together (`split`), which do not overlap.
    `elements`: the containers that hold it, each once for each of its elements that do.

    `outside`: the memory came from a caller or from unknown code, or was passed to some. `view`: the written tensor is
    a view. `proved`: it is a tensor, and no container of tensors. `same_dtype`: the out-of-place form of the op keeps
    the dtype. `bound`: the names that held it at some time, each with the function or file that it is a name of.
    """

    __slots__ = (
        "bound",
        "came_to",
        "cut",
        "dtype",
        "elements",
        "leaf",
        "names",
        "ordered",
        "others",
        "outside",
        "passes",
        "place",
        "proved",
        "puts",
        "same_dtype",
        "several",
        "view",
    )

    def __init__(self, place: Place, tensor: Tensor) -> None:
        self.place = place
        #: in the order in which they were found, as `bound` is: reports do not differ between two checks
        self.names: dict[tuple[Frame, str, str], None] = {}
        self.elements: list[Value] = []
        self.others: set[str] = set()
        self.outside = False
        self.view = tensor.view
        #: one of several views that one op returned together
        self.several = tensor.multi is not None
        #: it is known to be contiguous
        self.ordered = tensor.contiguous
        self.leaf = tensor.storage.leaf
        self.proved = tensor.storage.is_tensor() and not tensor.storage.parts_only
        self.dtype = tensor.storage.dtype
        self.same_dtype = False
        #: `x[index] = value` with tensors, which `index_put` could replace
        self.puts = False
        #: evidence that a new tensor would have no gradient here (no_grad), where the written one keeps its own
        self.cut = NEVER
        self.bound: dict[tuple[ast.AST, str], None] = {}
        #: the reads of names that the run came to
        self.came_to: set[ast.AST] = set()
        #: the tensor is expanded, and the op writes it without an error: every element that shares memory changes
        self.passes = False

    def unread(self) -> Iterator[ast.Name]:
        """The reads of its names that the run did not come to, as it believes in a flag, a table or a default.

        Whatever stands in a `raise` or behind an `assert` ends the run of the program.
        """
        for scope, name in sorted(self.bound, key=lambda one: one[1]):
            for node in _own_reads(scope):
                if node.id == name and node not in self.came_to:
                    yield node


def _own_reads(scope: ast.AST) -> Iterator[ast.Name]:
    pending = [*children(scope)]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node
        elif isinstance(node, ast.Assert):
            pending.append(node.test)
        elif not isinstance(node, ast.Raise):
            pending += children(node)


def held(atom: Value) -> Value | None:
    """The tensor of a value, or the one whose memory an array shares."""
    if isinstance(atom, Array):
        return atom.memory
    return atom.tensor if isinstance(atom, (Unknown, Parameters)) else atom


def atoms(value: Value, depth: int = 3) -> Iterator[tuple[Guard, Value, bool]]:
    """The guarded atoms of a value, and those in the arguments of its callables and iterators, marked True."""
    for guard, atom in alternatives(value):
        yield guard, atom, False
        given: Sequence[Value | None] = ()
        if isinstance(atom, Bound):
            given = (atom.func, *atom.args, *atom.kwargs.values())
        elif isinstance(atom, FunctionValue):
            given = atom.defaults or ()
        elif isinstance(atom, Iteration):
            given = atom.over
        for one in given if depth else ():
            for g, inner, _ in atoms(one, depth - 1) if one is not None else ():
                if met := both(guard, g):
                    yield met, inner, True


def _how(value: Value, tensor: Tensor, guard: Guard) -> str:
    """How a value holds the memory of a tensor, in the words of `Sharing`; empty if it does not."""
    found = [
        (alias, inside)
        for g, atom, inside in atoms(value)
        for alias in (held(atom),)
        if isinstance(alias, Tensor) and alias.storage is tensor.storage and compatible(g, guard)
    ]
    if not found:
        return ""
    if all(inside for _, inside in found):
        return "inside"
    part = tensor.multi is not None and all(
        alias.multi is not None and alias.multi.at is tensor.multi.at for alias, _ in found
    )
    return "part" if part else "tensor"


def observe(
    run: Run, facts: Facts, place: Place, tensor: Tensor, guard: Guard, values: Sequence[Value | None]
) -> None:
    """Record who shares the tensor that the op at `place` is about to write."""
    seen = Sharing(place, tensor)
    storage = tensor.storage
    seen.outside = storage.origin not in ("result", "factory") or storage in run.handed.given
    seen.came_to = run.found.came_to
    seen.bound = dict(run.found.bound.get(storage, {}))
    seen.bound.update(
        ((frame.function.node, name), None)
        for frame in run.frames.values()
        for name, value in frame.given.items()
        if frame.function is not None and _how(value, tensor, guard)
    )
    seen.same_dtype = _keeps_dtype(run, facts, place, tensor, values)
    seen.puts = _puts(run, facts, storage.dtype, values)
    seen.passes = tensor.expanded is not None and outofplace.passes_overlap(facts.key)
    if run.grad != "on":
        seen.cut = max((found for _, found in run.heap.gradients(tensor, guard)), default=NEVER)
        if run.grad == "inference" and seen.cut:
            seen.cut = DOES  # a new inference tensor can neither be written nor saved outside of the mode
    if storage in run.handed.kept:
        seen.others.add(run.handed.kept[storage])
    slots = _slots(run)
    seen.others.update(
        f"the global `{name}`"
        for (_, name), value in run.top_levels.globals.items()
        if _how(value, tensor, guard)
    )
    holders = [(*key, how) for key, value in slots.items() if (how := _how(value, tensor, guard))]
    frames = {frame.uid: frame for frame in run.frames.values()}
    passed: set[object] = set()
    while holders:
        owner, name, how = holders.pop()
        if isinstance(owner, int):
            if owner in frames:
                seen.names[frames[owner], str(name).partition("@")[0], how] = None
        elif isinstance(owner, (Sequence_, Mapping_)):
            # Its holders hold the element too; a container without holders is garbage.
            if how != "element":
                seen.elements.append(owner)
            if owner in run.handed.lasting:
                seen.others.add("what a default holds")
            elif owner not in run.born and owner.kind not in ("tuple", "fresh", "unknown"):
                seen.others.add(f"a {owner.kind} that was there before")
            if owner not in passed:
                passed.add(owner)
                for (outer, outer_name), value in slots.items():
                    if any(atom is owner for _, atom, _ in atoms(value)):
                        holders.append((outer, outer_name, "element"))
                for (_, bound), value in run.top_levels.globals.items():
                    if any(atom is owner for _, atom, _ in atoms(value)):
                        seen.others.add(f"the global `{bound}`")
        elif isinstance(owner, (Instance, Module)) and isinstance(name, str):
            kind = "attribute" if isinstance(owner, Instance) else "global"
            seen.others.add(f"the {kind} `{name}`")
        else:
            seen.others.add("an attribute or element")
    run.found.observations.append(seen)


def _puts(run: Run, facts: Facts, dtype: str, values: Sequence[Value | None]) -> bool:
    """Whether the op is `x[index] = value` with a tensor as index and a value of the same dtype."""
    if not facts.key.endswith("setitem") or len(values) != 3 or dtype == "?":
        return False
    if dtype != "float64" and run.frame.function is not None:
        return False  # under autocast of a caller the dtypes may differ
    index, value = values[1], values[2]
    return (
        isinstance(index, Tensor)
        and index.storage.dtype in ("bool", "int")
        and isinstance(value, Tensor)
        and value.storage.dtype == dtype
    )


def _slots(run: Run) -> dict[tuple[object, object], Value]:
    """The values of all names, attributes and elements on the current path, by (owner, name)."""
    found: dict[tuple[object, object], Value] = {}
    for key in run.state.all_keys():
        if type(key) is tuple:
            found.setdefault((key[0], key[-1]), run.state[key])
    return found


def _keeps_dtype(
    run: Run, facts: Facts, place: Place, tensor: Tensor, values: Sequence[Value | None]
) -> bool:
    """Whether the out-of-place form of the op is sure to keep the dtype of the tensor."""
    own = tensor.storage.dtype
    autocast = run.keeping.autocast or run.frame.function is not None  # perhaps that of a caller
    if _is_believed(run, place.at) or (autocast and own not in ("float64", "bool") and _is_cast(facts)):
        return False
    for param, value in zip(facts.params, values):
        if value is None or param.kind not in ("tensor", "number") or _is(run, value, tensor):
            continue
        if param.name in ("mask", "index"):
            continue
        for atom in run.possible(value):
            if isinstance(atom, Constant):
                # A number that would make another dtype of the result is an error in place.
                if type(atom.value) in (bool, int, float):
                    continue
                return False
            if not isinstance(atom, Tensor) or atom.storage.dtype != own or own in ("?", "float", "int"):
                return False
            # Under autocast, a result of float32 operands may be float16.
            if own not in ("float64", "bool") and autocast:
                return False
    return True


def _is_cast(facts: Facts) -> bool:
    """Whether autocast runs the out-of-place form of an in-place op in a dtype of its own: `pow`, `exp`."""
    name = facts.layout.name.rstrip("_")
    op = table.method(name) or table.function(f"torch.{name}")
    return op is not None and any(row.autocast for row in op.rows)


def _is_believed(run: Run, at: ast.AST) -> bool:
    """Whether the write takes an attribute or a global that the file sets anew: it may have another dtype then."""
    given = [*getattr(at, "args", ()), *(one.value for one in getattr(at, "keywords", ()))]
    if isinstance(at, (ast.AugAssign, ast.Assign)):
        given = [at.value]
    for node in (inner for one in given for inner in walk(one)):
        if isinstance(node, ast.Attribute) and is_attribute_set_anew(run, node.attr):
            return True
        if isinstance(node, ast.Name) and is_set_anew(run, node.id):
            return True
    return False


def is_set_anew(run: Run, name: str) -> bool:
    """Whether a name of the top level may be bound to something else than what the run believes."""
    if is_local(run, name):
        return False
    module = run.frame.module
    return may_set_global(module, name) or run.program.prefilter.others.may_replace(module, name)


def is_attribute_set_anew(run: Run, name: str) -> bool:
    """Whether an attribute of this name may hold something else than `__init__` gave it."""
    module = run.frame.module
    return may_set_attribute(module, name) or run.program.prefilter.others.may_replace(module, name)


def is_local(run: Run, name: str) -> bool:
    """Whether a name is bound by the function that runs."""
    return run.frame.function is not None and run.state.get((run.frame.uid, name)) is not None


def _is(run: Run, value: Value, tensor: Tensor) -> bool:
    """Whether a value is this tensor on every path."""
    return all(run.as_tensor(atom) is tensor for atom in run.possible(value))
