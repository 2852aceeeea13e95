"""Walks the autograd graph: which nodes a backward will run, and which tensors those nodes have saved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import torch

from ..torchmodel import table

#: Arguments that batch normalisation writes in training although its schema does not mark them as written.
STATISTICS = frozenset({"running_mean", "running_var"})

Node = Any  # torch.autograd.graph.Node; the classes of built-in nodes do not derive from it


def asked_for(roots: Iterable[Any], inputs: Iterable[Any]) -> list[Node]:
    """Returns the nodes that a backward from `roots` runs; with `inputs`, only those on a path to one of them.

    Both are tensors or gradient edges. Empty if an input's node is unknown.
    """
    nodes = _reachable([node for root in roots if (node := _node(root)) is not None])
    targets = {_end(one) for one in inputs}
    if None in targets:  # something of torch's own, such as a tensor of a transform that is under way
        return []
    if not targets:
        return list(nodes)
    needed: dict[Node, bool] = {}
    # `nodes` is in postorder: children come before their parents.
    for node in nodes:
        following = [child for child, _ in node.next_functions if child is not None]
        needed[node] = any(child in targets or needed.get(child, False) for child in following)
    return [node for node in nodes if needed[node]]


def kept(node: Node) -> Iterator[tuple[str, Any]]:
    """Yields each saved tensor of a node: the attribute's name and the value that the pack hook returned."""
    for attribute in _raw_attributes(type(node)):
        try:
            raw = getattr(node, attribute)
        except RuntimeError:  # freed by an earlier backward
            continue
        for one in raw if isinstance(raw, (list, tuple)) else (raw,):
            try:
                data = one.data if one is not None else None
            except RuntimeError:  # freed, or saved without hooks
                continue
            if data is not None:
                yield attribute.removeprefix("_raw_saved_"), data


def is_written_in_python(node: Node) -> bool:
    """Whether a node belongs to a custom Function, which may or may not read its saves: known only when it has run."""
    return isinstance(node, torch.autograd.function.BackwardCFunction)


def leaves_unread(node: Node, attribute: str) -> bool:
    """Whether a node saves a tensor that its backward does not read.

    Some read its shape alone. Batch normalisation always saves its running statistics, but reads them only in
    evaluation mode.
    """
    if not table.reads(node.name(), attribute):
        return True
    return attribute in STATISTICS and bool(getattr(node, "_saved_training", False))


_RAW: dict[type, tuple[str, ...]] = {}


def _raw_attributes(node: type) -> tuple[str, ...]:
    names = _RAW.get(node)
    if names is None:
        names = tuple(name for name in dir(node) if name.startswith("_raw_saved_"))
        if len(_RAW) > 4096:  # every custom Function defined in a loop has a class of its own
            _RAW.clear()
        _RAW[node] = names
    return names


def _node(root: Any) -> Node | None:
    if isinstance(root, torch.Tensor):
        return root.grad_fn
    return getattr(root, "node", None)


def _end(target: Any) -> Node | None:
    """Returns the node that receives an input's gradient; for a leaf its AccumulateGrad node."""
    if not isinstance(target, torch.Tensor):
        return getattr(target, "node", None)
    if target.grad_fn is not None:
        return target.grad_fn
    try:
        return torch.autograd.graph.get_gradient_edge(target).node
    except (RuntimeError, AttributeError):
        return None


def _reachable(roots: list[Node]) -> dict[Node, None]:
    """Returns all nodes reachable from the roots in postorder: children before their parents."""
    ended: dict[Node, None] = {}
    seen: set[Node] = set()
    todo: list[tuple[Node, bool]] = [(root, False) for root in roots]
    while todo:
        node, end = todo.pop()
        if end:
            ended[node] = None
            continue
        if node in seen:
            continue
        seen.add(node)
        todo.append((node, True))
        todo.extend((child, False) for child, _ in node.next_functions if child is not None)
    return ended
