"""Holds one application of an op: its bound operands, its graph node, and which operands may require grad."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel.facts import WEIGHT
from .graph import Node

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..torchmodel.facts import Facts
    from .frames import Place
    from .guards import Guard
    from .run import Run
    from .storage import Storage
    from .values import Tensor, Value

    Operands = list[tuple[Guard, Tensor]]


class Application:
    """What an op is applied to, and what is found out of that: its writes, saves and results rest on it."""

    __slots__ = (
        "facts",
        "grads",
        "name",
        "node",
        "operands",
        "place",
        "records",
        "settled",
        "unproved",
        "values",
        "weights",
    )

    def __init__(
        self,
        name: str,
        facts: Facts,
        values: Sequence[Value | None],
        place: Place,
        weights: Tensor | None,
        records: bool,
    ) -> None:
        #: what to call the op in a message
        self.name = name
        self.facts = facts
        #: what is bound to each parameter
        self.values = values
        #: ... and the tensors in it, with the paths on which they are
        self.operands: list[Operands] = [[] for _ in values]
        self.place = place
        #: a module's own parameters
        self.weights = weights
        #: whether autograd may take notice of it
        self.records = records
        #: operands that may be tensors, or numbers
        self.unproved: list[Storage] = []
        #: the saves of these parameters are certain even where an operand of unknown kind is a number
        self.settled: frozenset[int] = frozenset()
        #: when the results require grad, and how sure that is
        self.grads: list[tuple[Guard, int]] = []
        #: its node in autograd's graph
        self.node = Node([])

    def gradients_of(self, run: Run, i: int, flows: bool = False) -> list[tuple[Guard, int]]:
        """When an operand requires grad; with `flows`, when autograd would compute its gradient."""
        if i == WEIGHT:
            return [] if self.weights is None else run.heap.gradients(self.weights, run.path)
        found: list[tuple[Guard, int]] = []
        for guard, tensor in self.operands[i]:
            if not flows or tensor.no_grad_view is None:
                found.extend(run.heap.gradients(tensor, guard))
        return found

    def with_gradients(self, run: Run, which: Sequence[int]) -> tuple[Storage, ...]:
        """The storages among these operands that may require grad."""
        chosen = [found for i in which if i < len(self.operands) for found in self.operands[i]]
        return tuple(tensor.graph for guard, tensor in chosen if run.heap.gradients(tensor, guard))

    def all_moved(self, run: Run) -> bool:
        """Whether what may require grad among the operands came as it is from outside."""
        return all(storage.moved for storage in self.with_gradients(run, self.facts.gradients))

    def contributors(self, run: Run) -> tuple[Storage, ...]:
        """The operands' storages that may require grad.

        In a first look, one that is sure to be a tensor speaks for all, and before it one that is known to need one.
        """
        found: list[Storage] = []
        speaks: Storage | None = None
        for i in self.facts.gradients:
            if i < len(self.operands):
                for guard, tensor in self.operands[i]:
                    if run.heap.gradients(tensor, guard):
                        if not run.program.second_look:
                            witness = tensor.graph.witness()
                            if witness is not None and (speaks is None or witness.wanted):
                                speaks = witness
                        found.append(tensor.graph)
        return tuple(found) if speaks is None else (speaks,)
