"""Copies an abstract value for the function that reads it, so that its writes do not change what other readers see."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .atoms import Box, Cell, Store

if TYPE_CHECKING:
    from collections.abc import Collection

    from .atoms import Atom, Atoms


def own(value: Atoms, given: str = "", shared: Collection[Store] = (), depth: int = 2) -> Atoms:
    """The same value, with tensors that belong to whoever asks, but for some: what happens to them stays there."""
    found: list[Atom] = []
    for atom in value:
        if isinstance(atom, Cell) and atom.store not in shared:
            store = atom.store
            copy = Store(store.grad, given, bool(store.tensor), bool(store.leaf))
            copy.evident, copy.sources = store.evident, store.sources
            atom = Cell(copy, atom.fragile)
        elif isinstance(atom, Box) and depth:
            items = [own(item, given, shared, depth - 1) for item in atom.items]
            ordered = atom.ordered and bool(items)
            if given and not atom.role and not ordered:
                items.append(part_of(given))  # what other methods have put into it
            atom = Box(items, ordered, atom.role, atom.fields if len(items) == len(atom.items) else ())
            atom.given = given
        found.append(atom)
    return tuple(found)


def part_of(given: str) -> Atoms:
    """Something that comes out of what was given, in whichever way."""
    store = Store()
    store.sources = ()
    store.part_of = given
    return (Cell(store),)
