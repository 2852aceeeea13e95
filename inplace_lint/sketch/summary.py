"""What a sketch of a function comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .atoms import EARLY, EVERYWHERE, NONE, WRITABLE, Atom, Box, Cell, Store, cells, fresh

if TYPE_CHECKING:
    from .atoms import Sketched


class Summary:
    """What callers need of a function: what it saves and writes of what it was given, and what it returns.

    `recorded` are the writes that it makes while gradients are recorded, unless its caller switched that off;
    `tensors` those of what the function itself shows to be a tensor. `kept` is what it left in attributes of what it
    was given: (what, the attribute, the value).
    `leaves_open` says that it writes an argument, or a part of one: a run of it tells whether its callers are to be
    asked what they have saved; `leaves_own` the same of an attribute of its object.
    `weak` says that only a caller can know whether what it does is worth a run; `steps` that it writes parameters,
    which matters to a caller that has run a forward before.
    """

    __slots__ = (
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
        self.kept: list[tuple[str, str, Sketched]] = []
        self.returns: Sketched = ()
        self.suspicious = False
        self.leaves_open = False
        self.leaves_own = False
        self.weak = False
        self.steps = False

    def is_open(self) -> bool:
        """Whether the function may do something wrong, or leaves it to others what is made of what it writes."""
        return self.suspicious or self.leaves_open or self.leaves_own or self.weak or self.steps


#: How deep containers are told apart in what a function returns.
_DEPTH = 2


def for_callers(value: Sketched, depth: int = _DEPTH) -> Sketched:
    """What a function returns, with one tensor for each that it was given, one for all it made, and one container."""
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
        else:
            others.append(atom)
    found: list[Atom] = [*given.values(), *others]
    if made:
        one = _merged(made)
        # What nothing saved, and what may be an argument as well, is no more than the argument.
        if not given or one.fragile or one.store.saved or one.store.parted or one.store.leaf:
            found.append(one)
    if boxes:
        found.append(_one_of(boxes, depth))
    return tuple(found)


def _merged(made: list[Cell]) -> Cell:
    """One tensor of which all is so that is so of any of these."""
    stores = [cell.store for cell in made]
    found = Store(any(store.grad for store in stores), tensor=all(store.tensor for store in stores))
    found.leaf = any(store.leaf for store in stores)
    found.evident = any(store.evident for store in stores)
    found.parted = any(store.parted for store in stores)
    level = max(how_saved(cell) for cell in made)
    if level > NONE:
        found.saved = ((EVERYWHERE, level),)
    if not any(store.sources is None for store in stores):
        found.sources = tuple({source: None for store in stores for source in store.sources or ()})
    fragile = max(map(_fragile, made))
    if fragile == EARLY and not any(cell.fragile and cell.store.evident for cell in made):
        fragile = WRITABLE if found.evident else EARLY  # the view is not what requires grad
    return Cell(found, fragile)


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


def _one_of(boxes: list[Box], depth: int) -> Box:
    """A container that may be any of these; where it is not told what stands where, new things are not known."""
    first = boxes[0]
    if not all(box.ordered and len(box.items) == len(first.items) for box in boxes):
        return Box([(*for_callers(tuple(cells(tuple(boxes)))), *fresh())], ordered=False, role=first.role)
    items = [tuple([atom for box in boxes for atom in box.items[i]]) for i in range(len(first.items))]
    told = [for_callers(item, depth - 1) if depth else fresh() for item in items]
    return Box(told, True, first.role, first.fields)
