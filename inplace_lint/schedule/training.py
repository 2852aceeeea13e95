"""Decides from the training in a file which of its functions are given data, which needs no gradient.

Gradients flow to weights, not to batches. If a file trains a module that is passed in from outside, and only one class
of the file can be that module (no other module of the file contains it), then the `forward` of that class gets batches.
"""

from __future__ import annotations

import ast
from functools import cached_property
from typing import TYPE_CHECKING

from ..interp.grad_evidence import grounds, is_item
from ..interp.values import Constant, Scalar, Tensor, Unknown, flatten
from ..prefilter.source_words import runs_backward, takes_backward
from ..syntax.nodes import walk
from ..torchmodel import table
from .second_look import is_argument

if TYPE_CHECKING:
    from ..interp.external_modules import Forward
    from ..interp.run import Run
    from ..interp.values import Value
    from ..syntax.module import ClassSource, FunctionSource
    from .second_look import SecondLooks


class Training:
    """The training of a file: the functions that run a backward, and what they pass to unknown values."""

    def __init__(self, looks: SecondLooks) -> None:
        self._looks = looks

    def takes_data(self, function: FunctionSource) -> bool:
        """Whether the training gives a function, which nothing in the file calls by name, only data."""
        if not self.trainers or function in self.trainers:
            return False
        handed = [plain for count, plain in self._handed if _takes(function, count)]
        if function.owner is None:
            # A backward without an optimizer step is a demonstration: it says nothing of other functions.
            return all(handed) and any(
                self._looks.at(trainer).steps.of_parameters for trainer in self.trainers
            )
        if function.name != "forward" or function.owner not in self._outermost:
            return False
        alike = [
            cls
            for cls in self._outermost
            if any(_takes(cls.methods["forward"], count) for count, _ in self._handed)
        ]
        return bool(handed) and all(handed) and alike == [function.owner]

    @cached_property
    def trainers(self) -> list[FunctionSource | None]:
        """The functions whose text calls `backward`; None among them for the top level of the file."""
        module = self._looks.module
        if not runs_backward(module):
            return []
        found: list[FunctionSource | None] = [
            f for f in module.functions_in_order() if takes_backward(f.text)
        ]
        return [*found, None] if _runs_one(module.tree.body) else found

    @cached_property
    def entering(self) -> dict[FunctionSource, list[FunctionSource]]:
        """By function: the trainers whose runs enter it."""
        found: dict[FunctionSource, list[FunctionSource]] = {}
        for trainer in self.trainers:
            if trainer is not None:
                for source in self._looks.at(trainer).entering.entered:
                    found.setdefault(source, []).append(trainer)
        return found

    @cached_property
    def _handed(self) -> list[tuple[int, bool]]:
        """For each call of an unknown value by a trainer: the number of arguments, and whether all of them are data."""
        found = []
        for trainer in self.trainers:
            run = self._looks.at(trainer)
            for func, forwards in run.handed.forwards.items():
                found += [
                    (len(forward.values), all(_is_data(run, value) for value in forward.values))
                    for forward in forwards
                    if (func.is_given() or func.alone) and not _is_of_torch(forward)
                ]
        return found

    @cached_property
    def _outermost(self) -> list[ClassSource]:
        """The modules with a forward that no other module of the file contains or derives from."""
        module, program = self._looks.module, self._looks.program
        modules = [cls for cls in module.classes.values() if program.class_value(cls).is_module()]
        parts: set[str] = set()
        for cls in modules:
            parts |= self._built_of(cls)
        return [cls for cls in modules if cls.name not in parts and "forward" in cls.methods]

    def _built_of(self, cls: ClassSource) -> set[str]:
        """The names that a class mentions, directly or through functions, classes and assignments of the file."""
        found: set[str] = set()
        pending: list[ast.AST] = [cls.node]
        while pending:
            for node in walk(pending.pop()):
                if isinstance(node, ast.Name) and node.id not in found and node.id != cls.name:
                    found.add(node.id)
                    pending += self._defined(node.id)
        return found

    def _defined(self, name: str) -> list[ast.AST]:
        """The definitions of a name at the top level of the file."""
        module = self._looks.module
        sources = (module.functions.get(name), module.classes.get(name))
        found: list[ast.AST] = [source.node for source in sources if source is not None]
        value = module.assignments.get(name)
        return found if value is None else [*found, value]


def _runs_one(statements: list[ast.stmt]) -> bool:
    """Whether statements call `backward` outside of the functions and classes that they define."""
    return any(
        isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "backward"
        for statement in statements
        if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        for node in walk(statement)
    )


def _takes(function: FunctionSource, count: int) -> bool:
    """Whether a function can be called with `count` arguments, without its receiver."""
    rest = function.parameters[1:] if function.owner is not None else function.parameters
    needed = sum(function.default_of(parameter) is None for parameter in rest)
    return needed <= count and (count <= len(rest) or function.node.args.vararg is not None)


def _is_of_torch(forward: Forward) -> bool:
    """Whether a call is of a method that every module or optimizer has, such as `train`."""
    name = getattr(getattr(forward.place.at, "func", None), "attr", "")
    return table.has_module(name) or table.has_optimizer(name)


def _is_data(run: Run, given: Value) -> bool:
    """Whether a value is data: a number, or a tensor that depends only on arguments and items of data."""
    for atom in flatten(given):
        if isinstance(atom, Unknown) and atom.tensor is None:
            if not atom.is_given():
                return False
        elif isinstance(atom, (Unknown, Tensor)):
            tensor = atom if isinstance(atom, Tensor) else atom.tensor
            if tensor is not None and any(
                run.heap.record(ground).grads
                and not (ground.no_evidence or is_argument(run, ground) or is_item(ground.value))
                for ground in grounds([tensor.storage])
            ):
                return False
        elif not isinstance(atom, (Constant, Scalar)):
            return False
    return True
