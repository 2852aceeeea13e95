"""Judges whether a gradient is likely to flow where only the function's callers could tell.

Most inputs of code are data. What speaks against that is the code itself: it runs a backward, returns what it computed
from a result that it spoils, or returns one number, as a loss does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..interp.grad_evidence import grounds
from ..interp.graph import reach
from ..interp.storage import DOES
from ..interp.values import Instance, Sequence_, Tensor, Unknown, flatten
from ..torchmodel.spelling import are_of_data, are_optimizers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..interp.event import Event
    from ..interp.frames import Place
    from ..interp.graph import Node
    from ..interp.guards import Guard
    from ..interp.heap import Saved, Write
    from ..interp.run import Run
    from ..interp.storage import Storage
    from ..interp.values import Value
    from ..syntax.module import FunctionSource


class Evidence:
    """What a finished run of a function shows of whether gradients flow through its arguments."""

    def __init__(self, run: Run, root: FunctionSource | None) -> None:
        self.run = run
        self.root = root
        #: an argument is a module of the project, whose weights are there to be trained
        self.of_module = root is not None and _works_on_a_module(run)
        self._behind: dict[bool, dict[Node, Guard]] = {}
        #: what parts of unknown class returned, of the modules among the arguments
        self._of_parts: set[Unknown | None] = {*_returned_by_parts(run)} if self.of_module else set()

    def is_likely(self, saved: Saved, write: Write) -> bool:
        """Whether a gradient is likely to flow to a save's inputs: if nothing says otherwise, most inputs are data.

        It is likely if the run takes a backward, and the save depends on more than data; if the function spoils the
        result of an op and returns what was computed from it; if that is one number, as a loss or an energy is; or if
        the save depends on what a part of a module returned, of which only the class is not known.
        """
        if self.run.steps.trains:
            return not self.is_fed(saved)
        of_weights = saved.storage.origin == "parameter"  # what is set anew for each call of a layer
        if (
            not (of_weights or _are_in_one_call(saved.place, write.place))
            or _rests_on_options(saved)
            or self.is_of_data(write.place)
        ):
            return False
        if saved.node in self._behind_returned(numbers=True):
            return True
        told = saved.result or not self._of_parts.isdisjoint(s.value for s in grounds([*saved.sources]))
        return told and saved.node in self._behind_returned(numbers=False)

    def is_fed(self, saved: Saved) -> bool:
        """Whether the run trains a module, and the save depends on the function's arguments alone, that is, on data."""
        return self.are_data(saved.sources)

    def are_data(self, sources: Iterable[Storage]) -> bool:
        """Whether the run trains a module, and all that could make these require grad was given from outside."""
        run = self.run
        of_module = (
            self.of_module or run.supposes or run.steps.of_parameters or any(run.handed.forwards.values())
        )
        if not (run.steps.trains and of_module):
            return False
        return _are_given(sources) and not any(
            ground.wanted or ground in run.several.stand_ins for ground in grounds([*sources])
        )

    def is_data_of_a_loss(self, saved: Saved) -> bool:
        """Whether the save depends on arguments alone and goes into a model's loss: a number with weights behind it."""
        heap = self.run.heap
        losses = [
            (guard, tensor)
            for guard, tensor in self.run.root.returned
            if tensor.sizes == () and any(sure == DOES for _, sure in heap.gradients(tensor, guard))
        ]
        return _are_given(saved.sources) and saved.node in reach(
            [node for guard, tensor in losses for node in heap.nodes(tensor, guard)]
        )

    def is_for_a_number(self, event: Event) -> bool:
        """Whether what was written goes into a single number that the function returns, as a loss is."""
        behind = self._behind_returned(numbers=True)
        return any(node in behind for _, node in self.run.heap.record(event.storage).nodes)

    def _behind_returned(self, numbers: bool) -> dict[Node, Guard]:
        """The graph nodes behind the tensors that the function returns; with `numbers`, behind those of one number.

        A number with weights behind it is left out: then the arguments are as likely the data of a model.
        """
        if numbers not in self._behind:
            returned = self.run.root.returned
            if numbers:
                returned = [(guard, tensor) for guard, tensor in returned if self._is_a_number(tensor, guard)]
            elif self.root is not None and self.root.owner is None:  # a method's unknown callees are layers
                returned = [(guard, tensor) for guard, tensor in returned if not _may_be_an_object(tensor)]
            self._behind[numbers] = reach([n for g, t in returned for n in self.run.heap.nodes(t, g)])
        return self._behind[numbers]

    def is_of_data(self, place: Place) -> bool:
        """Whether a place is in a method of a data set or in an optimizer's `step`, or in what these call.

        What they are given was not computed to be trained by.
        """
        for one in place.stack():
            method = one.frame.function
            if method is not None and method.owner is not None:
                bases = self.run.program.class_value(method.owner).external_bases()
                if are_of_data(bases) or (method.name == "step" and are_optimizers(bases)):
                    return True
        return False

    def _is_a_number(self, tensor: Tensor, guard: Guard) -> bool:
        """Whether it is one number that requires grad only if an argument does."""
        sure = any(evidence == DOES for _, evidence in self.run.heap.gradients(tensor, guard))
        return tensor.sizes == () and not sure


def _are_given(sources: Iterable[Storage]) -> bool:
    """Whether all that could make these require grad was given from outside."""
    found = grounds([*sources])
    return bool(found) and all(isinstance(one.value, Unknown) and one.value.is_given() for one in found)


def _are_in_one_call(one: Place, other: Place) -> bool:
    """Whether one place is in the frame of the other, or in a call made from that frame, directly or not."""
    return any(place.frame is one.frame for place in other.stack()) or any(
        place.frame is other.frame for place in one.stack()
    )


def _may_be_an_object(tensor: Tensor) -> bool:
    """Whether it is the result of unknown code, and nothing shows that it is a tensor."""
    value = tensor.storage.value
    return value is not None and value.returned and not value.of_module and not tensor.storage.is_tensor()


def _rests_on_options(saved: Saved) -> bool:
    """Whether only constructor arguments may require grad: these are usually numbers and names."""
    values = [ground.value for ground in grounds([*saved.sources])]
    return bool(values) and all(isinstance(value, Unknown) and value.is_option() for value in values)


def _returned_by_parts(run: Run) -> Iterator[Unknown]:
    """What the calls of those attributes of modules returned, and of elements of these, whose class is not known."""
    parts: set[Value] = set()
    for obj in run.root.args.values():
        held = run.elements(obj) if isinstance(obj, Instance) and obj.cls.is_module() else []
        inside = [one for value in held if isinstance(value, Sequence_) for one in run.elements(value)]
        parts.update(atom for value in (*held, *inside) for atom in flatten(value))
    for func, forwards in run.handed.forwards.items():
        if func in parts or func.owner in parts:
            yield from (forward.result for forward in forwards)


def _works_on_a_module(run: Run) -> bool:
    """Whether an argument (or `self`) of the root is a project module, whose weights are there to be trained."""
    return any(isinstance(value, Instance) and value.cls.is_module() for value in run.root.args.values())
