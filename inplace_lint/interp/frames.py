"""Defines where execution stands: frames of inlined calls, source places, and the state of names and attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .guards import NEVER
from .joins import Unread

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Hashable, Mapping

    from ..syntax.module import FunctionSource, Module
    from .class_value import ClassValue
    from .guards import Guard
    from .values import Value


#: The key under which the state holds the length of a container.
LENGTH = "#"
#: ... its first and last element, if these are known and the length is not.
FIRST = "[0]"
LAST = "[-1]"
#: ... the mode that `train()` or `eval()` set for a module. No key is a name, which an attribute could have as well.
MODE = "train()"
#: ... the places of its first and last element (`places`).
FIRST_PLACE = "<first>"
LAST_PLACE = "<last>"
#: ... the parts that it was built of (`containers.Parts`).
PARTS = "<parts>"
#: ... that an iterator was gone through
OVER = "<over>"
#: ... a value that stands for the keys of a mapping that are no constants.
KEYS = "<keys>"
#: ... and what was stored last under such a key (`mappings.Latest`).
LATEST = "<latest>"
#: ... what an option is that a caller may have given to a constructor as `**options`.
OPTIONS = "<options>"


class Binding(NamedTuple):
    """What a name was bound to, at which time of the heap; for the value of another name (`y = x`), that name."""

    value: Value
    time: int
    source: str | None


class Frame:
    """One activation of a function (or of a file's top level): its registers, its returns, the call that made it."""

    __slots__ = (
        "base",
        "bindings",
        "captured",
        "cls",
        "depth",
        "enclosing",
        "function",
        "given",
        "loaded",
        "module",
        "on_yield",
        "registers",
        "renamed",
        "returns",
        "scope",
        "uid",
        "via",
    )

    def __init__(
        self,
        uid: int,
        module: Module,
        function: FunctionSource | None,
        via: Place | None,
        enclosing: Frame | None,
        cls: ClassValue | None,
    ) -> None:
        self.uid = uid
        self.module = module
        self.function = function
        self.via = via
        self.enclosing = enclosing
        self.cls = cls
        self.depth: int = 0 if via is None else via.frame.depth + 1
        self.base: State = _NOWHERE
        #: a function defined inside may outlive this activation and read its names
        self.captured = False
        self.registers: dict[int, Value] = {}
        #: the arguments by the names of the parameters
        self.given: dict[str, Value] = {}
        #: the last few bindings of each name, on whichever paths; the name that each register was loaded from
        self.bindings: dict[str, list[Binding]] = {}
        self.loaded: dict[int, str] = {}
        #: the names of comprehensions around the function, as they are stored (`x@3`)
        self.renamed: Mapping[str, str] = {}
        self.returns: list[tuple[Guard, Value, dict[Hashable, Value]]] = []
        #: for a generator, what consumes the values it yields, if that is known
        self.on_yield: Callable[[Value], None] | None = None
        self.scope = None if function is None else function.scope

    def forget(self) -> None:
        """Drop what the frame holds, once nobody asks for its values: they hold places, and so the frame."""
        self.base = _NOWHERE
        self.registers, self.given, self.bindings, self.returns = {}, {}, {}, []
        self.enclosing = self.on_yield = None


class Place:
    """A node of the source, in the frame that executed it; `layer`: where the layer that ran there was built."""

    __slots__ = ("at", "frame", "layer")

    def __init__(self, frame: Frame, at: ast.AST, layer: Place | None = None) -> None:
        self.frame = frame
        self.at = at
        self.layer = layer

    def stack(self) -> list[Place]:
        """The places from the outermost call to this one."""
        chain: list[Place] = []
        place: Place | None = self
        while place is not None:
            chain.append(place)
            place = place.frame.via
        chain.reverse()
        return chain


class State:
    """Names and attributes along the current path: a layer of changes over the state before the branch."""

    __slots__ = ("moves", "parent", "slots")

    def __init__(self, parent: State | None = None) -> None:
        self.parent = parent
        #: the registers that the arms of a conditional expression assign
        self.moves: dict[int, Value] = {}
        self.slots: dict[Hashable, Value] = {}

    def get(self, key: Hashable) -> Value | None:
        """The value under a key on the current path."""
        value = self.stored(key)
        return value.read() if type(value) is Unread else value

    def __getitem__(self, key: Hashable) -> Value:
        """The value under a key that has one."""
        value = self.get(key)
        if value is None:
            raise KeyError(key)
        return value

    def stored(self, key: Hashable) -> Value | None:
        """What stands under a key, for another join: perhaps a join that nothing has read yet."""
        state: State | None = self
        while state is not None:
            value = state.slots.get(key)
            if value is not None:
                return value
            state = state.parent
        return None

    def all_keys(self) -> dict[Hashable, None]:
        """All keys with a value on the current path, those that were set last first."""
        found: dict[Hashable, None] = {}
        state: State | None = self
        while state is not None:
            found.update(dict.fromkeys(state.slots))
            state = state.parent
        return found

    def changes(self, base: State) -> dict[Hashable, Value]:
        """The slots set in the layers above `base`; the newest layer wins."""
        layers: list[State] = []
        state: State | None = self
        while state is not None and state is not base:
            layers.append(state)
            state = state.parent
        if len(layers) == 1:
            return layers[0].slots
        merged: dict[Hashable, Value] = {}
        for layer in reversed(layers):
            merged.update(layer.slots)
        return merged


class Loop:
    """A loop being run, with the states that left its body by `break`, `continue` or a failed test (`exits`).

    `exact`: each round that is run stands for itself, and not for several.
    """

    __slots__ = ("base", "breaks", "continues", "exact", "exits", "outer")

    def __init__(self, base: State, outer: State, exact: bool = False) -> None:
        self.base = base
        self.outer = outer
        self.exact = exact
        self.exits: list[tuple[Guard, dict[Hashable, Value]]] = []
        self.breaks: list[tuple[Guard, dict[Hashable, Value]]] = []
        self.continues: list[tuple[Guard, dict[Hashable, Value]]] = []

    def forget(self) -> None:
        """Drops the states, once the loop is left: tensors that were taken in it go on to refer to it."""
        self.base = self.outer = _NOWHERE
        self.exits, self.breaks, self.continues = [], [], []


_NOWHERE = State()

#: The path of code that is not reached.
DEAD = NEVER
