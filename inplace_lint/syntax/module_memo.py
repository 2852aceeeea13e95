"""Caches facts about one file that later passes compute."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .module import ClassSource


class ModuleMemo:
    """What the layers below have asked of one file; None, or empty, where nobody has."""

    __slots__ = (
        "builders",
        "called",
        "calling",
        "calls",
        "candidates",
        "declaring",
        "differentiates_twice",
        "generators",
        "initialisers",
        "orders",
    )

    def __init__(self) -> None:
        #: rows that a screening marked (`prefilter.text_screen`)
        self.candidates: list[int] | None = None
        #: those of them on which a call may write
        self.calling: frozenset[int] = frozenset()
        #: those of them on which what somebody declared to write stands
        self.declaring: frozenset[int] = frozenset()
        #: rows on which a name is called, where many are looked for
        self.calls: dict[bytes, list[int]] | None = None
        #: what is called in it, by name (`prefilter.source_words`)
        self.called: set[str] | None = None
        #: the order of look-ups of classes among those of the file (`prefilter.inherited`)
        self.orders: dict[ClassSource, list[ClassSource]] = {}
        #: names to which the top level binds what builds modules that work in place (`prefilter.selection`)
        self.builders: frozenset[str] | None = None
        #: names of functions that fill what they are given and record nothing (`prefilter.initializers`)
        self.initialisers: frozenset[str] | None = None
        #: by where a function begins, the names of its generator expressions and of what these go over (`surroundings`)
        self.generators: dict[tuple[int, int], list[tuple[list[str], set[str]]]] = {}
        #: whether a backward in it is asked to record what it computes (`interp.unmodeled`)
        self.differentiates_twice: bool | None = None
