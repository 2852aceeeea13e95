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
    """The operands of one op call and what is derived from them; its writes, saves and results are computed from it."""

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
        #: the op's name in messages
        self.name = name
        self.facts = facts
        #: the value bound to each parameter
        self.values = values
        #: ... and the tensors in that value, each with its guard
        self.operands: list[Operands] = [[] for _ in values]
        self.place = place
        #: a module's own parameters, as one tensor
        self.weights = weights
        #: whether autograd may record it
        self.records = records
        #: operands that may be tensors or numbers, each with its guard
        self.unproved: list[tuple[Guard, Storage]] = []
        #: parameters whose save is certain even if an operand of unknown kind turns out to be a number
        self.settled: frozenset[int] = frozenset()
        #: under which guards the results require grad, each with its grad evidence
        self.grads: list[tuple[Guard, int]] = []
        #: its node in autograd's graph
        self.node = Node([])
        self.node.elementwise = facts.layout.is_pointwise

    def gradients_of(self, run: Run, i: int, flows: bool = False) -> list[tuple[Guard, int]]:
        """Under which guards operand `i` requires grad; with `flows`, under which autograd computes its gradient."""
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
        """Whether all operands that may require grad come from outside and were only moved, never computed with."""
        return all(storage.moved for storage in self.with_gradients(run, self.facts.gradients))

    def contributors(self, run: Run) -> tuple[Storage, ...]:
        """The operands' storages that may require grad: the evidence that the result does.

        In a first look one witness is enough: a storage known to be a tensor, preferably one whose gradient is taken.
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
