"""Decides which tensors an unknown value may depend on, and which of them an unknown call may save for backward.

Nothing is assumed about the kind of an unknown value, but reachability is: whatever an unknown call was given may be
in the graph of its result, so a backward through that result may reach it. Nothing here proves that a value is a
tensor, and looking at a value does not turn it into one. Saves recorded here are uncertain: findings that rest on
them are `possible`.
"""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING

from ..syntax.nodes import walk
from .graph import Node
from .guards import ALWAYS, both, either
from .heap import Saved
from .storage import MAY, strongest
from .values import Bound, Mapping_, Native, Sequence_, Tensor, Unknown, alternatives

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..syntax.module import Module
    from .guards import Guard
    from .run import Run
    from .storage import Storage
    from .values import Value

#: How deep nested containers are searched, and how many owners of an attribute chain `a.b.c` are followed.
_DEPTH = 3
_CHAIN = 16
#: So many graph edges of an unknown value count as one step of the budget.
_EDGES = 16
#: A key among the members of an unknown value, no attribute of Python: a call under no_grad returned the value.
UNRECORDED = "no_grad()"


def hang(run: Run, result: Value, since: int, sources: Sequence[Value], computed: bool = False) -> None:
    """Make the unknown values that an instruction created depend on its operands; `since`: serial before it.

    `computed`: they depend on nothing else, as the result of an operator.
    """
    fresh = [atom for _, atom in alternatives(result) if isinstance(atom, Unknown) and atom.serial > since]
    fresh = [atom for atom in fresh if not atom.returned and atom.owner is None and atom.tensor is None]
    if not fresh:
        return
    given = _each_once([found for value in sources for found in tensors_behind(run, value)])
    hidden = max((behind(run, value) for value in sources), default=0) if computed and given else 0
    for atom in fresh if given else ():
        atom.nodes, atom.returned = given, True
        if computed:
            atom.behind = hidden


def behind(run: Run, value: Value, depth: int = _DEPTH) -> int:
    """The serial up to which values may be hidden in the graph of a value, beside its known dependencies; 0: none."""
    found = 0
    for _, atom in alternatives(value):
        if isinstance(atom, Unknown):
            found = max(found, _behind_unknown(run, atom))
        elif depth and isinstance(atom, (Sequence_, Mapping_, Bound)):
            parts = [*atom.args, *atom.kwargs.values()] if isinstance(atom, Bound) else run.elements(atom)
            found = max([found, *(behind(run, part, depth - 1) for part in parts)])
    return found


def _behind_unknown(run: Run, value: Unknown) -> int:
    """`behind` for an unknown value; an attribute of another may even be set later (`maxsize`)."""
    whole: Value | None = value
    later = False
    for _ in range(_CHAIN):
        if not isinstance(whole, Unknown):
            return 0
        if whole.returned:
            if whole not in run.handed.filled:
                return 0 if whole.alone else whole.behind
            return sys.maxsize if later else whole.behind
        if whole.is_given():
            return 0
        later = later or whole not in run.several.parts
        whole = whole.owner
    return sys.maxsize


def tensors_behind(run: Run, value: Value, depth: int = _DEPTH) -> list[tuple[Guard, Tensor]]:
    """The tensors in a value, and for an unknown value those that went into it: each once, with all its paths."""
    found: list[tuple[Guard, Tensor]] = []
    for guard, atom in run.live(value):
        if isinstance(atom, Tensor):
            found.append((guard, atom))
        elif isinstance(atom, Unknown):
            found += [(both(guard, g), tensor) for g, tensor in _of_unknown(atom)]
        elif depth and isinstance(atom, (Sequence_, Mapping_, Bound)):
            parts = [*atom.args, *atom.kwargs.values()] if isinstance(atom, Bound) else run.elements(atom)
            for part in parts:
                found += [(both(guard, g), tensor) for g, tensor in tensors_behind(run, part, depth - 1)]
    return _each_once(found)


def computed_from(run: Run, elements: list[Unknown], value: Value) -> list[Value]:
    """The new elements of an iterable that is not known: they depend on what that was computed from."""
    given = tensors_behind(run, value)
    for one in elements if given else ():
        one.nodes, one.returned, one.behind = given, True, behind(run, value)
    return [*elements]


def _each_once(found: Sequence[tuple[Guard, Tensor]]) -> list[tuple[Guard, Tensor]]:
    """The tensors that are on some path, each once: what goes into a value in several ways would grow with each op."""
    paths: dict[Tensor, Guard] = {}
    for guard, tensor in found:
        if guard:
            known = paths.get(tensor)
            paths[tensor] = guard if known is None else either(known, guard)
    return [(guard, tensor) for tensor, guard in paths.items()]


def _of_unknown(value: Unknown) -> list[tuple[Guard, Tensor]]:
    """The tensors that an unknown value, or the nearest owner with any, stands for or was computed from."""
    whole: Value | None = value
    for _ in range(_CHAIN):
        if not isinstance(whole, Unknown):
            break
        if whole.tensor is not None:
            return [(ALWAYS, whole.tensor)]
        if whole.returned:
            return list(whole.nodes)
        whole = whole.owner
    return []


def begin_graph(run: Run, value: Unknown, storage: Storage) -> None:
    """Give the storage of an unknown value, which is used as a tensor for the first time, its graph."""
    owner = value.owner
    if owner is not None and run.state.get((owner, "member", "grad")) is value:
        # `x.grad` has no graph, unless a backward with create_graph made it.
        storage.no_evidence = not _differentiates_twice(run.frame.module)
    if run.program.second_look and _came_unrecorded(run, value):
        storage.no_evidence = True
    nodes = _graph_of(run, value)
    if nodes is not None:
        run.heap.record(storage).nodes = nodes


def _came_unrecorded(run: Run, value: Unknown) -> bool:
    """Whether a call under no_grad returned the value or an owner of it."""
    whole: Value | None = value
    for _ in range(_CHAIN):
        if not isinstance(whole, Unknown):
            return False
        if run.state.get((whole, "member", UNRECORDED)) is not None:
            return True
        whole = whole.owner
    return False


def _differentiates_twice(module: Module) -> bool:
    """Whether some call in a file passes `create_graph`, other than False."""
    if module.memo.differentiates_twice is None:
        module.memo.differentiates_twice = b"create_graph" in module.source and any(
            keyword.arg == "create_graph" and getattr(keyword.value, "value", None) is not False
            for node in walk(module.tree)
            if isinstance(node, ast.Call)
            for keyword in node.keywords
        )
    return module.memo.differentiates_twice


def _graph_of(run: Run, value: Unknown) -> list[tuple[Guard, Node]] | None:
    """The graph nodes of an unknown value as a tensor; None if it is an input, a leaf of the graph."""
    heap = run.heap
    if value.call is not None:
        return [(ALWAYS, value.call)]
    if value.returned:
        edges = [edge for guard, source in value.nodes for edge in heap.nodes(source, guard)]
        run.budget.steps += len(edges) // _EDGES
        return [(ALWAYS, _node_of(value, edges, _behind_unknown(run, value)))]
    if not isinstance(value.owner, Unknown) or value.is_given():
        return None
    owner = value.owner.tensor
    nodes = [] if owner is None else heap.record(owner.storage).nodes
    if value.owner.returned and nodes and not nodes[0][1].opaque:
        return list(nodes)  # one of several tensors that a forward returned
    calls = [(ALWAYS, node) for node in [_call_behind(value.owner)] if node is not None]
    edges = [edge for guard, source in _of_unknown(value.owner) for edge in heap.nodes(source, guard)]
    run.budget.steps += len(edges) // _EDGES
    behind = _behind_unknown(run, value)
    return [(ALWAYS, _node_of(value, [*calls, *edges], behind))] if calls or edges else None


def _node_of(value: Unknown, edges: list[tuple[Guard, Node]], behind: int) -> Node:
    """A node for a value that is used as a tensor only now, dated back to its creation."""
    node = Node(edges, behind)
    node.serial = value.serial
    return node


def _call_behind(value: Unknown) -> Node | None:
    """The node of the call that returned the value, or an owner of it."""
    whole: Value | None = value
    for _ in range(_CHAIN):
        if not isinstance(whole, Unknown) or whole.call is not None:
            break
        whole = whole.owner
    return whole.call if isinstance(whole, Unknown) else None


def may_save(run: Run, result: Unknown, op: str, at: ast.AST) -> None:
    """Record that an unknown module or function may save each tensor that it got."""
    edges = [edge for guard, source in result.nodes for edge in run.heap.nodes(source, guard)]
    node = result.call = Node(edges, result.behind)
    place = run.place(at)
    for guard, tensor in result.nodes:
        # The gradients of parameters of the module may need its input, even if that requires no grad.
        for need, evidence in strongest(run.heap.gradients(tensor, guard)) or [(guard, MAY)]:
            saved = Saved(tensor.storage, both(guard, need), node, place)
            saved.op, saved.grad, saved.certain = op, evidence, False
            run.save(saved)


def is_context(run: Run, holder: Value) -> bool:
    """Whether it is the `ctx` of a custom Function: nobody runs a backward from what is kept there."""
    return isinstance(run.state.get((holder, "member", "save_for_backward")), Native)


def is_counted_on(tensor: Tensor, holder: Value) -> bool:
    """Whether a value is computed from entries of the same holder and numbers alone: `d["steps"] = d["steps"] + 1`."""
    storage = tensor.storage
    values = [one.value for one in storage.sources] or [storage.value]
    return not storage.is_tensor() and all(isinstance(one, Unknown) and one.owner is holder for one in values)
