"""Selects the functions of a file that deserve a value graph: a textual prefilter, before anything is lowered.

An attention needs a softmax (called or written out) and a product with V; or it is a call of the kernel or of
`nn.MultiheadAttention`. Each may stand in the function itself, in a function of the file that it calls, or in a layer
that `__init__` builds; the softmax may also stand in a function imported from the project.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from ..prefilter.source_words import called_in
from ..syntax.module import FunctionSource
from . import PRODUCTS, SOFTMAX, at_signs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..resolve.names import Names
    from ..syntax.module import Module


def functions(module: Module, names: Names) -> list[FunctionSource]:
    """The functions that may compute an attention, themselves or in what they call, in source order."""
    return _Screen(module, names).chosen()


class _Screen:
    """Maps positions of words in a file's text to the functions whose source spans contain them."""

    def __init__(self, module: Module, names: Names) -> None:
        self.module = module
        self.names = names
        self.source = module.source
        starts = module.row_starts
        self.spans = {}
        for function in module.functions_in_order():
            self.spans[function] = starts[function.node.lineno - 1], starts[function.node.end_lineno or 0] - 1

    def chosen(self) -> list[FunctionSource]:
        weighing = self._having(self._positions(SOFTMAX))
        written_out = self._having(self._positions((b"exp(",)))
        if written_out:
            weighing |= written_out & self._having(self._positions((b"sum(", b"sumexp(")))
        multiplying = self._having(self._positions(PRODUCTS, at_signs(self.source)))
        weighing |= {f for f in multiplying - weighing if self._imports_softmax(f)}
        return [f for f in self.spans if f in weighing and f in multiplying and f.name != "__init__"]

    def _imports_softmax(self, function: FunctionSource) -> bool:
        """Whether a function calls a function that is imported from the project and contains a softmax."""
        if not (self.module.imports or self.module.stars):
            return False
        for name in called_in(function.text):
            if name in self.module.functions:
                continue
            found = self.names.definition(self.module, name)
            source = None if found is None else found.what
            if isinstance(source, FunctionSource) and any(word in source.text for word in SOFTMAX):
                return True
        return False

    def _positions(self, words: Iterable[bytes], more: Iterable[int] = ()) -> list[int]:
        """The sorted positions of some words in the file's text."""
        found = [*more]
        for word in words:
            position = self.source.find(word)
            while position >= 0:
                found.append(position)
                position = self.source.find(word, position + 1)
        return sorted(found)

    def _having(self, positions: list[int]) -> set[FunctionSource]:
        """Functions with a position in their own text, in a layer that `__init__` builds for them, or in a callee."""
        found = self._around(positions)
        built = self._built(positions, found)
        if built:
            found |= {f for f in self.spans if self._uses(f, built)}
        called = {
            f.name.encode() + b"("
            for f in found
            if f.name not in _NEVER_BY_NAME
            and (f.owner is not None or self.module.functions.get(f.name) is f)
        }
        return found | self._around([p for p in self._positions(called) if self._is_call(p)])

    def _around(self, positions: list[int]) -> set[FunctionSource]:
        if not positions:
            return set()
        return {
            function
            for function, (first, last) in self.spans.items()
            if bisect_left(positions, first) < bisect_right(positions, last)
        }

    def _is_call(self, position: int) -> bool:
        before = self.source[position - 4 : position]
        return before != b"def " and not (before[-1:].isalnum() or before[-1:] == b"_")

    def _uses(self, function: FunctionSource, built: dict[str, set[bytes]]) -> bool:
        """Whether a method reads an attribute that `__init__` builds on a line with one of the positions."""
        names = built.get(function.owner.name) if function.owner is not None else None
        if not names:
            return False
        first, last = self.spans[function]
        receiver = function.receiver.encode() + b"."
        return any(self.source.find(receiver + name, first, last) >= 0 for name in names)

    def _built(self, positions: list[int], found: set[FunctionSource]) -> dict[str, set[bytes]]:
        """class -> attributes that its `__init__`, or that of a base in the file, assigns on a line with a position."""
        built: dict[str, set[bytes]] = {}
        for function in found:
            if function.owner is None or function.name != "__init__":
                continue
            first, last = self.spans[function]
            for position in positions[bisect_left(positions, first) : bisect_right(positions, last)]:
                line = self.module.lines[bisect_right(self.module.row_starts, position) - 1]
                assigned = _attribute(line, function.receiver.encode() + b".")
                if assigned is not None:
                    built.setdefault(function.owner.name, set()).add(assigned)
        for _ in range(2 if built else 0):
            for name, cls in self.module.classes.items():
                for base in cls.bases:
                    inherited = built.get(getattr(base, "id", ""))
                    if inherited:
                        built.setdefault(name, set()).update(inherited)
        return built


def _attribute(line: bytes, receiver: bytes) -> bytes | None:
    """The attribute of the receiver that a line assigns, with or without an annotation; None for other lines."""
    target, equal, _ = line.partition(b"=")
    name = target.partition(b":")[0].strip()
    if not equal or not name.startswith(receiver):
        return None
    name = name[len(receiver) :]
    return name if name.replace(b"_", b"a").isalnum() else None


#: Methods that are not called by their own name.
_NEVER_BY_NAME = frozenset({"forward", "__call__", "__init__"})
