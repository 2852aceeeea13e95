"""Counts how often each function starts a run and how often its body is interpreted, to profile the analysis."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from .program import Program
from .values import Instance

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeAlias

    from ..syntax.module import FunctionSource
    from .values import Value

    #: A function as file, row and name, with the class of its receiver.
    Body: TypeAlias = "tuple[str, int, str, str]"


class ProfileCounts:
    """The counts of this process while profiling is on (`Program.tally`)."""

    def __init__(self) -> None:
        #: how often a run started with each
        self.roots: Counter[Body] = Counter()
        #: how often each was interpreted, as a root or called
        self.bodies: Counter[Body] = Counter()

    def begun(self, source: FunctionSource) -> None:
        """Count a run that starts with the function."""
        owner = "" if source.owner is None else source.owner.name
        self.roots[source.module.filename, source.node.lineno, source.name, owner] += 1

    def entered(self, source: FunctionSource, given: Mapping[str, Value]) -> None:
        """Count an interpretation of the body of a function with these arguments."""
        receiver = given.get(source.receiver)
        owner = receiver.cls.source if isinstance(receiver, Instance) else source.owner
        name = "" if owner is None else owner.name
        self.bodies[source.module.filename, source.node.lineno, source.name, name] += 1


def begin() -> ProfileCounts:
    """Turn profiling on in this process, and return its counts."""
    Program.tally = tally = ProfileCounts()
    return tally
