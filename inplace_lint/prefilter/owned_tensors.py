"""Copies an abstract value for the function that reads it, so that its writes do not change what other readers see."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .atoms import Box, Cell, Store

if TYPE_CHECKING:
    from collections.abc import Collection

    from .atoms import Atom, Atoms


def own(value: Atoms, given: str = "", shared: Collection[Store] = (), depth: int = 2) -> Atoms:
    """A copy of the value whose tensors, except those with a storage in `shared`, belong to the reader."""
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
                items.append(part_of(given))  # other methods may have put more into it
            atom = Box(items, ordered, atom.role, atom.fields if len(items) == len(atom.items) else ())
            atom.given = given
        found.append(atom)
    return tuple(found)


def part_of(given: str) -> Atoms:
    """An unknown part of the parameter or attribute `given`."""
    store = Store()
    store.sources = ()
    store.part_of = given
    return (Cell(store),)
