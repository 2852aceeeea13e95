"""Runs a file together with a synthesised driver that calls its training code, since the real caller is not in sight.

The calls come from `prefilter.driver_synthesis`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..prefilter import driver_synthesis
from ..prefilter.source_words import steps_something
from ..syntax.lower import lower_body
from .budget import OutOfBudget
from .guards import ALWAYS
from .interpreter import Interpreter
from .values import Symbol, Unknown

if TYPE_CHECKING:
    import ast

    from ..syntax.module import Module
    from .frames import Place
    from .program import Program
    from .run import Run
    from .values import Tensor, Value


class DriverRun(Interpreter):
    """A run of a file's top level that then executes synthesised calls of its training."""

    supposes = True

    def __init__(self, program: Program, module: Module) -> None:
        super().__init__(program)
        #: whether data is on the CPU, as the models are: the file mentions no other device
        self._stays = b"device" not in module.source and b"cuda" not in module.source
        #: synthesised calls whose arguments could also be objects of other classes
        self.unsure: set[ast.AST] = set()

    def as_tensor(self, value: Value) -> Tensor | None:
        tensor = super().as_tensor(value)
        if self._stays and tensor is not None and isinstance(value, Unknown) and value.alone:
            tensor.storage.device = "cpu"
        return tensor

    def train(self, ways: list[driver_synthesis.Driver]) -> None:
        """Executes each of these drivers."""
        self.state.slots[(self.frame.uid, driver_synthesis.OPTIMIZER)] = Symbol("torch.optim.SGD")
        self.budget.looks_aside = True
        for way in ways:
            self.path = ALWAYS
            self.entering.deep = self.entering.deep.union(way.functions)
            self.handed.expects_modules = any(map(steps_something, way.functions))
            for name in way.unknown:
                given = self.state.slots[(self.frame.uid, name)] = Unknown()
                given.alone = True
            block = lower_body(way.statements)
            if way.unsure:
                self.unsure.update(instruction.at for instruction in block)
            try:
                self.block(block)
                result = self.state.get((self.frame.uid, driver_synthesis.RESULT))
                if result is not None:
                    self.heap.escape(self.tensors_within(result), ALWAYS)
            except (OutOfBudget, RecursionError):
                break
        self.found.cut = ""  # a cut is not reported: each function is analysed by itself as well


def is_guessed(run: Run, one: Place, other: Place) -> bool:
    """Whether two places meet only because a driver guessed an argument's class; never in methods of one class."""
    if not isinstance(run, DriverRun) or one.stack()[0].at not in run.unsure:
        return False
    source, another = one.frame.function, other.frame.function
    return source is None or another is None or source.owner is None or source.owner is not another.owner
