"""Decides who relies on a written tensor if a rewrite puts a new one in its place, and what then differs for them.

A rewrite is refused where a name that shares the storage is read later; anything else that is not proved is named.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..interp.storage import DOES
from ..model import Refused
from ..syntax.nodes import walk
from ..syntax.surroundings import Surroundings
from . import holders, places

if TYPE_CHECKING:
    from ..hazards.finding import Finding
    from ..interp.sharing import Sharing
    from ..model import Location
    from ..syntax.module import Module

#: Methods that may fail, or answer differently, on a tensor with another memory layout.
_LAYOUT = frozenset("view view_as as_strided stride is_contiguous".split())
#: How a name holds a tensor that it is not itself (`interp.sharing`).
WITHIN = frozenset({"inside", "element"})
DTYPE = "the result's dtype may differ: in place keeps that of {}"


class Conditions:
    """What stands around the write of a finding, and the differences that its rewrite would make."""

    def __init__(self, module: Module, finding: Finding) -> None:
        self.module = module
        self.finding = finding
        self.around = Surroundings(module, finding.at)
        self.differences: dict[str, None] = {}

    def _leave(self, name: str | None, keeps_dtype: bool = False, element: bool = False) -> None:
        """Checks who relies on the write if `name` is bound to a new tensor instead; refuses, or adds differences.

        `element`: an element of the list or dict `name` is bound anew, so that whoever holds that sees the new tensor.
        """
        if name is not None and self.around.iterated(name):
            raise Refused(f"a loop goes over `{name}` while it is written")
        if name is not None and self._is_for_others(name):
            raise Refused(f"nobody reads `{name}` here afterwards: the change is for whoever else holds it")
        waiting = self.around.waiting(self._names(inside=True))
        if waiting is not None:
            raise Refused(f"`{waiting}` goes over this tensor, and is asked later")
        if not self.finding.sharing:
            self.differences["what else holds this tensor is not known"] = None
        for seen in self.finding.sharing:
            if seen.leaf:
                raise Refused("a leaf, such as a parameter, must stay the tensor that it is")
            if seen.cut == DOES:
                raise Refused(
                    "gradients are off here: a new tensor would have none, and this one keeps its own"
                )
            if seen.cut:
                self.differences["gradients are off here: what is bound anew has none"] = None
            if element and len(seen.elements) > 1:
                self.differences[f"other elements of `{name}` that are this tensor no longer change"] = None
            if seen.passes:
                self.differences["the other elements that share this memory no longer change"] = None
            self._ask_names(seen, name, element)
            for words in sorted(seen.others):
                self.differences[f"{words} no longer changes with it"] = None
            if seen.outside:
                self.differences[
                    "whoever else holds this tensor, such as the caller, no longer sees the change"
                ] = None
            if not keeps_dtype and not seen.same_dtype:
                self.differences[DTYPE.format(f"`{name}`" if name else "the tensor")] = None
        for words in holders.check(self.module, self.around, self.finding.sharing):
            self.differences[words] = None

    def _ask_names(self, seen: Sharing, name: str | None, element: bool) -> None:
        """Checks the names that hold the tensor, other than `name`."""
        stack = seen.place.stack()
        at = next((i for i, p in enumerate(stack) if p.at is self.finding.at), len(stack) - 1)
        site, callees = stack[at].frame, {p.frame for p in stack[at + 1 :]}
        for frame, other, how in sorted(seen.names, key=lambda held: held[1]):
            if frame in callees or (frame is site and other == name and how not in WITHIN):
                continue
            if element and how == "element":
                continue
            if frame is not site:
                held = f"a caller's `{other}`" if other else "what a caller holds"
                self.differences[f"{held} no longer changes"] = None
            elif self.around.read_later(other) or self.around.reads_again(other):
                if how != "part":
                    raise Refused(f"`{other}` shares this memory and is read later")
                self.differences[f"`{other}` no longer changes, if it is the same part"] = None

    def _is_for_others(self, name: str) -> bool:
        """Whether the statement only makes the write, and only other holders see it: a new tensor would be lost."""
        node, statement = self.finding.at, self.around.statement
        bare = (
            self.around.is_statement()
            or isinstance(node, ast.AugAssign)
            or (isinstance(statement, ast.Assign) and node in statement.targets)
        )
        if not bare or self.around.function is None or self.around.read_later(name):
            return False
        return any(seen.outside or seen.others for seen in self.finding.sharing)

    def _names(self, inside: bool = False) -> set[str]:
        """Every local or caller's name that holds the written tensor; with `inside`, also names of containers of it."""
        return {
            name
            for seen in self.finding.sharing
            for _, name, how in seen.names
            if inside or how not in WITHIN
        }

    def _binds(self, name: str) -> None:
        if not self.around.binds(name):
            raise Refused(
                f"`{name}` is not a name of this function: binding it anew would not reach its owner"
            )

    def _layout_matters(self) -> bool:
        """Whether a new tensor may have another memory layout and the function calls something that depends on it."""
        return not all(seen.ordered for seen in self.finding.sharing) and any(
            isinstance(n, ast.Attribute) and n.attr in _LAYOUT
            for n in walk(self.around.function or self.module.tree)
        )

    def _location(self, node: ast.AST) -> Location:
        return places.location(self.module, node)

    def _text(self, node: ast.AST) -> str:
        return places.text(self.module, node, 60)

    def _say(self, message: str) -> tuple[str, str, tuple[str, ...]]:
        return ("unsafe" if self.differences else "safe"), message, tuple(self.differences)
