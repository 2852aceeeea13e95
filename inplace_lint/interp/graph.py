"""Models autograd's graph, and computes which nodes a backward reaches, under which path conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .guards import ALWAYS, NEVER, apart_from, both, compatible, either, implies, minus, tests

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .guards import Guard


class Node:
    """A node of autograd's graph; `edges` lead to the nodes whose gradients it feeds."""

    __slots__ = ("edges", "freed", "opaque", "serial")

    #: how many nodes, and values of unknown kind, there are so far
    made = 0

    def __init__(self, edges: list[tuple[Guard, Node]], opaque: int = 0) -> None:
        Node.made += 1
        #: tells what was made before it from what came later
        self.serial = Node.made
        self.edges = edges
        self.freed: list[Guard] = []
        #: of a value that something unknown returned: it may hang on all that was made before this
        self.opaque = opaque

    def is_freed(self, guard: Guard, made: Guard) -> bool:
        """Whether a backward has run through it, on every path that leads here from where it was made."""
        if len(self.freed) < 2:
            return any(implies(guard, freed) for freed in self.freed)
        together = NEVER
        for freed in self.freed:
            together = either(together, freed)
        return implies(guard, together) or implies(both(made, guard), together)

    def left(self, guard: Guard) -> Guard:
        """Where no backward has run through it yet, of these paths."""
        for freed in self.freed:
            guard = minus(guard, freed)
        return guard


def reach(
    nodes: Sequence[tuple[Guard, Node]], guard: Guard = ALWAYS, wanted: int | None = None
) -> dict[Node, Guard]:
    """Every node that a backward from `nodes` runs, with the paths on which it does.

    With `wanted`, a mask of tests, the paths are told apart by these alone: each of the others is forgotten behind the
    last node where it decides.
    """
    reached: dict[Node, Guard] = {}
    for g, node in nodes:
        _widen(reached, node, both(guard, g))
    order, circular = _in_order([node for _, node in nodes])
    asked = {} if wanted is None or circular else _asked_later(order, wanted)
    changed = True
    while changed:
        changed = False
        for node in order:
            path = reached.get(node)
            if path and asked:
                path = reached[node] = apart_from(path, ~asked[node])
            if path:
                for g, source in node.edges:
                    if compatible(path, g):
                        changed |= _widen(reached, source, both(path, g))
        changed &= circular  # else each was looked at after all that lead to it
    return reached


def _asked_later(order: Sequence[Node], wanted: int) -> dict[Node, int]:
    """The tests that are wanted, and those by which it is decided what a node or one behind it leads to."""
    asked: dict[Node, int] = {}
    for node in reversed(order):
        for guard, _ in node.edges:
            wanted |= tests(guard)
        asked[node] = wanted
    return asked


def _widen(reached: dict[Node, Guard], node: Node, path: Guard) -> bool:
    """A node is reached along these paths as well; whether that is news."""
    known = reached.get(node)
    if known is not None:
        if not path or implies(path, known):
            return False
        path = either(known, path)
    if not path or path is known:
        return False
    reached[node] = path
    return True


def _in_order(nodes: list[Node]) -> tuple[list[Node], bool]:
    """All that the nodes lead to, each before what it leads to itself; and whether some lead back to themselves."""
    order: list[Node] = []
    #: False while what it leads to is looked at
    done: dict[Node, bool] = {}
    circular = False
    stack = nodes
    while stack:
        node = stack.pop()
        if node not in done:
            done[node] = False
            stack.append(node)
            for _, source in node.edges:
                if source not in done:
                    stack.append(source)
                elif not done[source]:
                    circular = True
        elif not done[node]:
            done[node] = True
            order.append(node)
    order.reverse()
    return order, circular


def leaves(nodes: Sequence[tuple[Guard, Node]], guard: Guard) -> dict[Node, Guard]:
    """What a backward from `nodes` ends in, with the paths on which it does."""
    return {node: path for node, path in reach(nodes, guard).items() if not node.edges}
