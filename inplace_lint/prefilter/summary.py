"""Defines the summary of a function: what it saves, writes, returns and keeps, joined over all paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .atoms import EARLY, EVERYWHERE, NONE, WRITABLE, Atom, Box, Cell, Object, Store, cells, fresh

if TYPE_CHECKING:
    from .atoms import Atoms


class Summary:
    """What callers need to know of a function: its saves and writes of arguments, and its result.

    `recorded` are the writes made while gradients are recorded, unless the caller turned that off. `tensors` are the
    arguments that the function's code shows to be tensors. `kept` are assignments to attributes of arguments (argument,
    attribute, value); `fills` are stores into arguments that are not followed (argument, value). `leaves_open`: it
    writes an argument or a part of one, so that an exact run decides whether to check what its callers saved;
    `leaves_own`: the same for an attribute of its object. `weak`: only a caller can tell whether a finding is possible.
    `steps`: it writes parameters, which matters to a caller that ran a forward before.
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
        """Whether the function may be wrong, or may be wrong depending on its callers."""
        return self.suspicious or self.leaves_open or self.leaves_own or self.weak or self.steps


#: Nesting of containers that is kept in a summary.
_DEPTH = 2


class Handed:
    """Translates a function's values into its summary, so that a tensor held in several places stays one tensor.

    Each place keeps one tensor per argument, one for all tensors that the function created, and one container.
    """

    def __init__(self) -> None:
        self._stores: dict[Store, Store] = {}
        self._objects: dict[Object, Object] = {}

    def value(self, value: Atoms, depth: int = _DEPTH) -> Atoms:
        """Translates the value in one place."""
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
            # An unsaved tensor that may also be the argument adds nothing to the argument.
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
        """One tensor with the joined properties of all these."""
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
        """One container for all these; if their order is unknown, its element is the join of all elements."""
        first = boxes[0]
        if not all(box.ordered and len(box.items) == len(first.items) for box in boxes):
            within = self.value(tuple(cells(tuple(boxes))))
            return Box([(*within, *fresh())], ordered=False, role=first.role)
        items = [tuple([atom for box in boxes for atom in box.items[i]]) for i in range(len(first.items))]
        told = [self.value(item, depth - 1) if depth else self.value(tuple(cells(item))) for item in items]
        return Box(told, True, first.role, first.fields)


def _fragile(cell: Cell) -> int:
    """When a caller's write of it is an error; a view taken early is harmless if nothing wrote its storage since."""
    early = cell.fragile == EARLY and (cell.store.writes or not cell.store.grad)
    return cell.fragile if early or cell.fragile > EARLY else WRITABLE


def how_saved(cell: Cell) -> int:
    """How sure the gradients are of a save on a path that leads here."""
    level = NONE
    store: Store | None = cell.store
    while store is not None:  # a detached alias shares the memory that was saved
        for arms, known in store.saved:
            if known > level and arms.isdisjoint(cell.without):
                level = known
        store = store.under
    return level
