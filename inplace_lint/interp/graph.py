"""Models autograd's graph, and computes which nodes a backward reaches, under which path conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .guards import ALWAYS, NEVER, apart_from, both, compatible, either, implies, minus, tests

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .guards import Guard


class Node:
    """A node of autograd's graph; `edges` lead to the nodes that it passes gradients to."""

    __slots__ = ("asked", "edges", "elementwise", "freed", "opaque", "serial")

    #: the number of nodes and values of unknown kind made so far
    made = 0

    def __init__(self, edges: list[tuple[Guard, Node]], opaque: int = 0, asked: bool = False) -> None:
        Node.made += 1
        #: of a leaf that the code made with `requires_grad=True`, to differentiate by it
        self.asked = asked
        #: orders nodes and values of unknown kind by the time at which they were made
        self.serial = Node.made
        self.edges = edges
        #: of an op whose result is one number only if its operands are
        self.elementwise = False
        self.freed: list[Guard] = []
        #: for a value that unknown code returned: it may depend on every node with a serial below this
        self.opaque = opaque

    def is_freed(self, guard: Guard, made: Guard) -> bool:
        """Whether a backward has run through it on all paths of `guard`, or of those that also made it (`made`)."""
        if len(self.freed) < 2:
            return any(implies(guard, freed) for freed in self.freed)
        together = NEVER
        for freed in self.freed:
            together = either(together, freed)
        return implies(guard, together) or implies(both(made, guard), together)

    def left(self, guard: Guard) -> Guard:
        """The paths of `guard` on which no backward has run through it yet."""
        for freed in self.freed:
            guard = minus(guard, freed)
        return guard


class Root(NamedTuple):
    """Where backwards begin: one at `time`, or with None any later one; on paths of `guard`, from `nodes`."""

    time: int | None
    guard: Guard
    nodes: list[tuple[Guard, Node]]
    #: the nodes that it may run, if it is told its `inputs`
    only: set[Node] | None = None
    #: it comes in no order with what was written before this time
    since: int = 0

    def reach(self, wanted: int | None = None) -> dict[Node, Guard]:
        """Every node that it runs, with its guard; `wanted` as in `reach`."""
        found = reach(self.nodes, self.guard, wanted)
        return (
            found if self.only is None else {node: path for node, path in found.items() if node in self.only}
        )


def parts_of_losses(roots: Sequence[Root]) -> set[Node]:
    """The nodes of the losses that backwards begin at, and of the numbers that these are computed from."""
    found: set[Node] = set()
    pending = [node for root in roots for _, node in root.nodes]
    while pending:
        node = pending.pop()
        if node not in found:
            found.add(node)
            if node.elementwise:
                pending += [source for _, source in node.edges]
    return found


def leading_to(ends: set[Node], nodes: Sequence[tuple[Guard, Node]], returns: bool = False) -> set[Node]:
    """The nodes behind `nodes` that pass a gradient on to one of `ends`, with these.

    `returns`: the gradients are returned, as by `autograd.grad`. Then an end that is no leaf is not run itself.
    """
    found = {end for end in ends if not (returns and end.edges)}
    pending = _in_order([node for _, node in nodes])[0][::-1]
    changed = True
    while changed:
        before = len(found)
        found.update(
            node for node in pending if any(source in found or source in ends for _, source in node.edges)
        )
        changed = len(found) > before
    return found


def reach(
    nodes: Sequence[tuple[Guard, Node]], guard: Guard = ALWAYS, wanted: int | None = None
) -> dict[Node, Guard]:
    """Every node that a backward from `nodes` runs, with its guard.

    With `wanted`, a mask of tests, other tests are dropped from the guards: each of them behind the last node that has
    it on an edge.
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
        changed &= circular  # without a cycle, one pass in topological order is enough
    return reached


def _asked_later(order: Sequence[Node], wanted: int) -> dict[Node, int]:
    """For each node, a mask: the wanted tests, and those on the edges of this node and of the nodes behind it."""
    asked: dict[Node, int] = {}
    for node in reversed(order):
        for guard, _ in node.edges:
            wanted |= tests(guard)
        asked[node] = wanted
    return asked


def _widen(reached: dict[Node, Guard], node: Node, path: Guard) -> bool:
    """Adds paths on which a node is reached; False if they were known already."""
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
    """All nodes reachable from these, in topological order; and whether there is a cycle among them."""
    order: list[Node] = []
    #: False while the successors of the node are visited
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
    """The leaves that a backward from `nodes` reaches, each with its guard."""
    return {node: path for node, path in reach(nodes, guard).items() if not node.edges}
