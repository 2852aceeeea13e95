"""Caches facts about one file that later passes compute."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ast

    from .module import ClassSource


class ModuleMemo:
    """Facts about one file; None or empty until a pass computes them."""

    __slots__ = (
        "binding",
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
        "set_anew",
    )

    def __init__(self) -> None:
        #: candidate rows of `prefilter.text_screen`
        self.candidates: list[int] | None = None
        #: candidate rows with a call that may write
        self.calling: frozenset[int] = frozenset()
        #: candidate rows with something that is declared to write
        self.declaring: frozenset[int] = frozenset()
        #: name -> rows that call it, computed when many are searched for
        self.calls: dict[bytes, list[int]] | None = None
        #: names that are called (`prefilter.source_words`)
        self.called: set[str] | None = None
        #: what may be bound anew, by the question and the name (`prefilter.set_anew`)
        self.set_anew: dict[tuple[str, str], bool] = {}
        #: MROs restricted to the file (`prefilter.inherited`)
        self.orders: dict[ClassSource, list[ClassSource]] = {}
        #: name -> the statements of the top level that bind it (`interp.names`)
        self.binding: dict[str, list[ast.stmt]] | None = None
        #: globals that build in-place modules (`prefilter.selection`)
        self.builders: frozenset[str] | None = None
        #: imported functions that fill an argument and record nothing (`prefilter.initializers`)
        self.initialisers: frozenset[str] | None = None
        #: function position -> names bound to its generator expressions, and names that these iterate (`surroundings`)
        self.generators: dict[tuple[int, int], list[tuple[list[str], set[str]]]] = {}
        #: whether some call passes `create_graph`, other than False (`interp.unmodeled`)
        self.differentiates_twice: bool | None = None
