"""Defines the abstract values of the prefilter: a tuple of atoms, one per alternative; an empty tuple is no tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel import table

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping
    from typing import TypeAlias

    from ..syntax.module import ClassSource, FunctionSource, Module
    from ..torchmodel.facts import Const, Facts
    from ..torchmodel.module import Module as Model
    from .arguments import Later

    Atoms: TypeAlias = "tuple[Atom, ...]"

NOTHING: Atoms = ()

#: How sure it is that gradients flow where something was saved: only perhaps; perhaps, and it was the op's own result;
#: for certain, since a parameter is among the operands.
WEAK, RESULT, EVIDENT = 0, 1, 2
#: Gradients flow nowhere.
NONE = -1

#: When a view must not be written: never; while gradients are recorded, if its storage came to require them after the
#: view was taken, or in any case; always.
WRITABLE, EARLY, RECORDED, NEVER = 0, 1, 2, 3

#: No arms: a path that every other one shares.
EVERYWHERE: frozenset[int] = frozenset()


class Atom:
    """One thing that a value may be."""

    __slots__ = ()


class Store:
    """A storage: what autograd and the callers may know of it.

    `given` is the parameter (`x`) or attribute (`self.x`) that it came in by. `saved` are the
    saves, each as the arms of branches in which it stands and how sure its gradients are. `evident` says that it
    requires grad for certain; `sources`, where it may be no tensor at all, what it was made from by operators
    (`Flow.is_tensor`). `under` is the storage whose memory this is as well, past its
    graph. `writes` counts the writes so far, `direct` says that the function's own statements make them on every path;
    `born` is the statement that made it, `kept` that a loop put it into a list, and may do so again; `written_at` is
    the statement that wrote it last.
    """

    __slots__ = (
        "arms",
        "born",
        "direct",
        "entrusted",
        "evident",
        "found",
        "given",
        "grad",
        "kept",
        "leaf",
        "members",
        "outside",
        "part_of",
        "parted",
        "saved",
        "sources",
        "tensor",
        "under",
        "writes",
        "written_at",
    )

    def __init__(self, grad: bool = True, given: str = "", tensor: bool = False, leaf: bool = False) -> None:
        self.grad = grad
        self.given = given
        self.tensor = tensor
        self.leaf = leaf
        self.evident = leaf
        self.sources: tuple[Store, ...] | None = None
        self.saved: tuple[tuple[frozenset[int], int], ...] = ()
        #: every arm in which it was saved
        self.arms = EVERYWHERE
        self.parted = False
        self.members: dict[object, Atoms] | None = None
        #: it came in as a part of an argument; of which, where that is known
        self.outside = False
        self.part_of = ""
        self.under: Store | None = None
        self.writes = 0
        self.direct = False
        self.born = 0
        self.kept = False
        #: it was given to a function that is an argument: the caller knows what that saves
        self.entrusted = False
        #: it is among the `parameters()` of something
        self.found = False
        self.written_at: ast.AST | None = None

    def opened(self) -> dict[object, Atoms]:
        """Its members, to be added to."""
        members = self.members
        if members is None:
            members = self.members = {}
        return members

    def prove(self) -> None:
        """It was used as only a tensor can be: then so is what operators made it from."""
        pending = [self]
        while pending:
            store = pending.pop()
            if store.sources is not None:
                pending.extend(store.sources)
                store.sources = None


class Cell(Atom):
    """A tensor, or what may be one: a storage, seen through a view that must not be written where `fragile`.

    `without` are arms of branches that were not taken where this is what a name stands for; `seen` says how often the
    storage had been written when the view was taken.
    """

    __slots__ = ("fragile", "seen", "store", "without")

    def __init__(self, store: Store, fragile: int = WRITABLE, without: frozenset[int] = EVERYWHERE) -> None:
        self.store = store
        self.fragile = fragile
        self.seen = store.writes
        self.without = without

    def is_stale(self) -> bool:
        """Whether it is a view that no write knows of, and its storage was written."""
        return self.fragile >= RECORDED and self.store.writes > self.seen


class _Blank(Store):
    """The storage of what nothing is known of: it is one for all, and keeps nothing."""

    __slots__ = ()

    def __init__(self) -> None:
        for name in Store.__slots__:
            blank = {
                "grad": True,
                "evident": False,
                "given": "",
                "part_of": "",
                "saved": (),
                "arms": EVERYWHERE,
                "writes": 0,
                "born": 0,
            }
            object.__setattr__(self, name, blank.get(name))

    def __setattr__(self, name: str, value: object) -> None:
        pass


def shadow(cell: Cell) -> Cell:
    """What shares a tensor's memory and not its graph."""
    store = Store(grad=False, tensor=True)
    store.under = cell.store
    return Cell(store, NEVER if cell.fragile == NEVER else WRITABLE, cell.without)


#: What nothing is known of, where objects are built.
UNKNOWN: Atoms = (Cell(_Blank()),)


def fresh(grad: bool = True) -> Atoms:
    """Something new of which nothing is known."""
    store = Store(grad)
    store.sources = ()
    return (Cell(store),)


def member(cell: Cell, key: object) -> Atoms:
    """What is held under a key, or as an attribute, of something unknown: the same each time."""
    store = cell.store
    members = store.opened()
    known = members.get(key)
    if known is None and HELD in members:
        known = members[HELD]
    if known is None:
        part = Store(store.grad)
        part.evident = store.evident
        part.sources = ()
        part.outside = store.outside or bool(store.given)
        part.part_of = store.given or store.part_of
        known = members[key] = (Cell(part),)
    return known


#: Among the members of something unknown: what was put into it in a way that is not followed.
HELD = object()


class Box(Atom):
    """A list, tuple, dict or iterator: its elements, in order where `ordered`; `role` names a container of modules.

    `fields` are the elements' names, in the result of an op that names them, in a dict and what is made of one. `given`
    is the attribute (`self.x`) that it came in by.
    """

    __slots__ = ("fields", "given", "items", "ordered", "role")

    def __init__(
        self,
        items: list[Atoms],
        ordered: bool = True,
        role: str = "",
        fields: tuple[str, ...] = (),
    ) -> None:
        self.items = items
        self.ordered = ordered
        self.role = role
        self.fields = fields
        self.given = ""

    def element(self) -> Atoms:
        """Any of the elements."""
        if len(self.items) == 1:
            return self.items[0]
        return united(self.items)


class Text(Atom):
    """A constant string."""

    __slots__ = ("value",)

    def __init__(self, value: str) -> None:
        self.value = value


class Symbol(Atom):
    """An imported name that is not the project's: torch.nn.functional.relu."""

    __slots__ = ("dotted",)

    def __init__(self, dotted: str) -> None:
        self.dotted = dotted


class File(Atom):
    """A module of the project."""

    __slots__ = ("module",)

    def __init__(self, module: Module) -> None:
        self.module = module


class Function(Atom):
    """A function of the project; `receiver` is bound to its first parameter, `names` are those of an enclosing call."""

    __slots__ = ("names", "receiver", "source")

    def __init__(
        self,
        source: FunctionSource,
        receiver: Atoms | None = None,
        names: list[dict[str, Atoms]] | None = None,
    ) -> None:
        self.source = source
        self.receiver = receiver
        self.names = names


class Class(Atom):
    """A class of the project."""

    __slots__ = ("source",)

    def __init__(self, source: ClassSource) -> None:
        self.source = source


class Object(Atom):
    """An object of a class of the project, built with whatever arguments; `after` is set for `super()`.

    `given`: the name of the parameter that it is, where the function at hand is a method of it. `held`: what was put
    into it in a way that is not followed: any of its attributes may be that.
    """

    __slots__ = ("after", "arguments", "given", "held", "hooks", "scopes", "slots", "source")

    def __init__(self, source: ClassSource, given: str = "") -> None:
        self.source = source
        self.given = given
        self.slots: dict[str, Atoms] = {}
        self.after: ClassSource | None = None
        self.arguments: dict[str, Atoms | Later] = {}
        self.scopes: dict[str, object] = {}
        self.hooks: list[Atoms] = []
        self.held: Atoms = NOTHING


class Layer(Atom):
    """A module of torch.nn with its configuration; its parameters are one store."""

    __slots__ = ("_facts", "_model", "config", "hooks", "name", "weights")

    def __init__(self, name: str, config: Mapping[str, str | Const], model: Model | None = None) -> None:
        self.name = name
        #: None where the table has it
        self._model = model
        self.config = config
        self.weights = Store(tensor=True, leaf=True)
        self._facts: Facts | None = None
        self.hooks: list[Atoms] = []

    def facts(self) -> Facts:
        """What a call does, in training or in evaluation."""
        if self._facts is None:
            self._facts = self.model().facts(self.config, None)
        return self._facts

    def model(self) -> Model:
        """What is known of such modules."""
        model = self._model or table.module(self.name)
        assert model is not None
        return model


class Partial(Atom):
    """A callable with arguments bound to it."""

    __slots__ = ("args", "func", "kwargs")

    def __init__(self, func: Atoms, args: list[Atoms], kwargs: dict[str, Atoms]) -> None:
        self.func = func
        self.args = args
        self.kwargs = kwargs


class Method(Atom):
    """A method of what may be a tensor, looked up and not yet called."""

    __slots__ = ("name", "receiver")

    def __init__(self, receiver: Atom, name: str) -> None:
        self.receiver = receiver
        self.name = name


def cells(value: Atoms, depth: int = 3) -> list[Cell]:
    """The tensors that a value is or holds, in boxes so deep; each box is opened once."""
    found: list[Cell] = []
    boxes: list[Box] = []
    for atom in value:
        if isinstance(atom, Cell):
            found.append(atom)
        elif isinstance(atom, Box):
            boxes.append(atom)
    seen: set[Box] = set()
    while boxes and depth:
        inside: list[Box] = []
        for box in boxes:
            if box in seen:
                continue
            seen.add(box)
            for item in box.items:
                for atom in item:
                    if isinstance(atom, Cell):
                        found.append(atom)
                    elif isinstance(atom, Box):
                        inside.append(atom)
        boxes = inside
        depth -= 1
    return found


def prove(value: Atoms | list[Cell]) -> None:
    """Somebody asks whether it is a tensor: then it may be."""
    for atom in value:
        if isinstance(atom, Cell):
            atom.store.prove()


#: From this many alternatives on, objects of one class count as one, and so do modules of one kind.
_MANY = 8


def apart(value: Atoms, arms: frozenset[int], later: bool = False) -> Atoms:
    """The same value, on a path on which the arms were not taken: what they saved does not concern it.

    `later`: neither does what they are still to save.
    """
    if not arms:
        return value
    for atom in value:
        if isinstance(atom, Cell) and (later or not atom.store.arms.isdisjoint(arms)):
            break
    else:
        return value
    found: list[Atom] = []
    for atom in value:
        if isinstance(atom, Cell) and (later or not atom.store.arms.isdisjoint(arms)):
            seen = atom.seen
            atom = Cell(atom.store, atom.fragile, atom.without | arms)
            atom.seen = seen
        found.append(atom)
    return tuple(found)


def united(values: list[Atoms]) -> Atoms:
    """What may be any of the values."""
    found: dict[Atom, None] = {}
    for value in values:
        for atom in value:
            found[atom] = None
    return tuple(found) if len(found) <= _MANY else _thinned(list(found))


def _thinned(atoms: list[Atom]) -> Atoms:
    kept: dict[object, Atom] = {}
    for atom in atoms:
        key: object = atom
        if isinstance(atom, Cell):
            key = (atom.store, atom.fragile, atom.without)
        elif isinstance(atom, (Object, Class, Function)):
            key = (type(atom), atom.source)
        elif isinstance(atom, Layer):
            key = (Layer, atom.name, "inplace" in atom.config)
        elif isinstance(atom, Symbol):
            key = atom.dotted
        elif isinstance(atom, (Box, Text, Partial)):
            key = (type(atom), len(kept) % _MANY)
        kept.setdefault(key, atom)
    return tuple(kept.values())
