"""Defines the summary of a function: what it saves, writes, returns and keeps, joined over all paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .atoms import EARLY, EVERYWHERE, NONE, WRITABLE, Atom, Box, Cell, Object, Store, cells, fresh

if TYPE_CHECKING:
    from .atoms import Atoms


class Summary:
    """What callers need of a function: what it saves and writes of what it was given, and what it returns.

    `recorded` are the writes that it makes while gradients are recorded, unless its caller switched that off;
    `tensors` those of what the function itself shows to be a tensor. `kept` is what it left in attributes of what it
    was given: (what, the attribute, the value), and `fills` what it put into what it was given, in whichever way:
    (what, the value).
    `leaves_open` says that it writes an argument, or a part of one: a run of it tells whether its callers are to be
    asked what they have saved; `leaves_own` the same of an attribute of its object.
    `weak` says that only a caller can know whether what it does is worth a run; `steps` that it writes parameters,
    which matters to a caller that has run a forward before.
    """

    __slots__ = (
        "fills",
        "kept",
        "leaves_open",
        "leaves_own",
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
        self.kept: list[tuple[str, str, Atoms]] = []
        self.fills: list[tuple[str, Atoms]] = []
        self.returns: Atoms = ()
        self.suspicious = False
        self.leaves_open = False
        self.leaves_own = False
        self.weak = False
        self.steps = False

    def is_open(self) -> bool:
        """Whether the function may do something wrong, or leaves it to others what is made of what it writes."""
        return self.suspicious or self.leaves_open or self.leaves_own or self.weak or self.steps


#: How deep containers are told apart in what a function hands on.
_DEPTH = 2


class Handed:
    """What one function hands on, in the terms of its callers: what stands in several places stays one thing.

    Each place has one tensor for each that the function was given, one for all that it made, and one container.
    """

    def __init__(self) -> None:
        self._stores: dict[Store, Store] = {}
        self._objects: dict[Object, Object] = {}

    def value(self, value: Atoms, depth: int = _DEPTH) -> Atoms:
        """What stands in one place."""
        given: dict[str, Cell] = {}
        made: list[Cell] = []
        boxes: list[Box] = []
        others: list[Atom] = []
        for atom in value:
            if isinstance(atom, Cell):
                key = atom.store.given
                if not key:
                    made.append(atom)
                elif key not in given or given[key].fragile < atom.fragile:
                    given[key] = atom
            elif isinstance(atom, Box):
                boxes.append(atom)
            elif isinstance(atom, Object) and not atom.given and depth:
                others.append(self._object(atom, depth - 1))
            else:
                others.append(atom)
        found: list[Atom] = [*given.values(), *others]
        if made:
            one = self._merged(made)
            # What nothing saved, and what may be an argument as well, is no more than the argument.
            if not given or one.fragile or one.store.saved or one.store.parted or one.store.leaf:
                found.append(one)
        if boxes:
            found.append(self._one_of(boxes, depth))
        return tuple(found)

    def _object(self, obj: Object, depth: int) -> Object:
        known = self._objects.get(obj)
        if known is None:
            known = self._objects[obj] = Object(obj.source)
            known.hooks, known.after, known.scopes = obj.hooks, obj.after, obj.scopes
            known.slots = {name: self.value(held, depth) for name, held in obj.slots.items()}
            known.arguments = {
                name: self.value(held, depth) if isinstance(held, tuple) else held
                for name, held in obj.arguments.items()
            }
        return known

    def _merged(self, made: list[Cell]) -> Cell:
        """One tensor of which all is so that is so of any of these."""
        stores = [cell.store for cell in made]
        found = next((self._stores[store] for store in stores if store in self._stores), None)
        if found is None:
            found = Store(False, tensor=all(store.tensor for store in stores))
            found.sources = ()
        level = max(how_saved(cell) for cell in made)
        for store in stores:
            self._stores[store] = found
            found.grad = found.grad or store.grad
            found.leaf = found.leaf or store.leaf
            found.evident = found.evident or store.evident
            found.parted = found.parted or store.parted
            if found.sources is not None and store.sources is not None:
                found.sources = tuple(dict.fromkeys((*found.sources, *store.sources)))
            else:
                found.sources = None
        for _, known in found.saved:
            level = max(level, known)
        if level > NONE:
            found.saved = ((EVERYWHERE, level),)
        fragile = max(map(_fragile, made))
        if fragile == EARLY and not any(cell.fragile and cell.store.evident for cell in made):
            fragile = WRITABLE if found.evident else EARLY  # the view is not what requires grad
        return Cell(found, fragile)

    def _one_of(self, boxes: list[Box], depth: int) -> Box:
        """A container that may be any of these; where its order is not known, any element may be any of theirs."""
        first = boxes[0]
        if not all(box.ordered and len(box.items) == len(first.items) for box in boxes):
            within = self.value(tuple(cells(tuple(boxes))))
            return Box([(*within, *fresh())], ordered=False, role=first.role)
        items = [tuple([atom for box in boxes for atom in box.items[i]]) for i in range(len(first.items))]
        told = [self.value(item, depth - 1) if depth else self.value(tuple(cells(item))) for item in items]
        return Box(told, True, first.role, first.fields)


def _fragile(cell: Cell) -> int:
    """When a caller must not write it: a view requires grad with its storage where nothing wrote that since."""
    early = cell.fragile == EARLY and (cell.store.writes or not cell.store.grad)
    return cell.fragile if early or cell.fragile > EARLY else WRITABLE


def how_saved(cell: Cell) -> int:
    """How sure it is that gradients flow where an op saved it, on a path that leads here."""
    level = NONE
    store: Store | None = cell.store
    while store is not None:  # what shares its memory past its graph may be what was saved
        for arms, known in store.saved:
            if known > level and arms.isdisjoint(cell.without):
                level = known
        store = store.under
    return level
