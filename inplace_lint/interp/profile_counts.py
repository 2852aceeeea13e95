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

    #: A function, by its file and row, and the class of the object that it was called on.
    Body: TypeAlias = "tuple[str, int, str, str]"


class ProfileCounts:
    """What `Program` counts while there is one: bodies by function and class of the receiver."""

    def __init__(self) -> None:
        #: how often a run began with each
        self.roots: Counter[Body] = Counter()
        #: how often each was interpreted, as a root or called
        self.bodies: Counter[Body] = Counter()

    def begun(self, source: FunctionSource) -> None:
        """A run begins with the function."""
        owner = "" if source.owner is None else source.owner.name
        self.roots[source.module.filename, source.node.lineno, source.name, owner] += 1

    def entered(self, source: FunctionSource, given: Mapping[str, Value]) -> None:
        """The body of a function is interpreted with these arguments."""
        receiver = given.get(source.receiver)
        owner = receiver.cls.source if isinstance(receiver, Instance) else source.owner
        name = "" if owner is None else owner.name
        self.bodies[source.module.filename, source.node.lineno, source.name, name] += 1


def begin() -> ProfileCounts:
    """Count from here on, in this process."""
    Program.tally = tally = ProfileCounts()
    return tally
