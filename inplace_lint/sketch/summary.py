"""What a sketch of a function comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .atoms import Cell

if TYPE_CHECKING:
    from ..syntax.module import FunctionSource
    from .atoms import Sketched


class Summary:
    """What callers need of a function: what it saves and writes of what it was given, and what it returns.

    `recorded` are the writes that it makes while gradients are recorded, unless its caller switched that off;
    `tensors` those of what the function itself shows to be a tensor. `handed` is what it gave to calls that were put
    off: (what it was given, the function, its parameter). `kept` is what it left in attributes of what it was given:
    (what, the attribute, the value). `put_off` are the functions that it was taken for granted write nothing.
    `asks` are the methods that it calls of what it was given, and may be of any class.
    `leaves_open` says that it writes an argument, or a part of one: a run of it tells whether its callers are to be
    asked what they have saved; `leaves_own` the same of an attribute of its object.
    `weak` says that only a caller can know whether what it does is worth a run; `steps` that it writes parameters,
    which matters to a caller that has run a forward before.
    """

    __slots__ = (
        "_evident",
        "asks",
        "handed",
        "kept",
        "leaves_open",
        "leaves_own",
        "put_off",
        "recorded",
        "returns",
        "saves",
        "steps",
        "suspicious",
        "tensors",
        "weak",
        "writes",
    )

    def __init__(self) -> None:
        self.saves: set[str] = set()
        self.writes: set[str] = set()
        self.recorded: set[str] = set()
        self.tensors: set[str] = set()
        self.handed: dict[tuple[str, FunctionSource, str], None] = {}
        self.kept: list[tuple[str, str, Sketched]] = []
        self.put_off: set[FunctionSource] = set()
        self.asks: set[str] = set()
        self.returns: Sketched = ()
        self.suspicious = False
        self.leaves_open = False
        self.leaves_own = False
        self.weak = False
        self.steps = False
        self._evident: tuple[bool, frozenset[str]] | None = None

    def evident(self) -> tuple[bool, frozenset[str]]:
        """Whether what it returns requires grad for certain; else the parameters on which that hangs."""
        if self._evident is None:
            stores = [atom.store for atom in self.returns if isinstance(atom, Cell)]
            given = frozenset(store.given.partition(".")[0] for store in stores if store.given)
            self._evident = (any(store.evident for store in stores), given)
        return self._evident
