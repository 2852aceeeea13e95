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

#: How likely a saved tensor is part of a graph: unknown; unknown, but it is the op's own result (which `tanh` saves);
#: certain, since a parameter is among the operands.
WEAK, RESULT, EVIDENT = 0, 1, 2
#: No operand requires grad.
NONE = -1

#: When writing a view is an error: never; while gradients are recorded, if its storage came to require grad after the
#: view was taken, or in any case; always.
WRITABLE, EARLY, RECORDED, NEVER = 0, 1, 2, 3

#: No branch arms: a path that all others share.
EVERYWHERE: frozenset[int] = frozenset()


class Atom:
    """One alternative of an abstract value."""

    __slots__ = ()


class Store:
    """A storage, with what autograd and callers may know of it.

    `given` is the parameter (`x`) or attribute (`self.x`) that it came in by. `saved` lists the saves: the branch arms
    around each, and how sure its gradients are. `evident`: it requires grad for certain. `sources`: the operands that
    operators computed it from, where it may be a plain number instead of a tensor; None once it is known to be a tensor
    (`Flow.is_tensor`). `under` is the storage that it shares memory with but not the graph, as `x` for `x.detach()`.
    `writes` counts the writes so far; `written_at` is the last writing statement; `direct`: the function's own
    statements write it on every path. `born` is the number of the statement that created it; `kept`: a loop put it into
    a list, and may put it there again.
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
        #: all arms in which it was saved
        self.arms = EVERYWHERE
        self.parted = False
        self.members: dict[object, Atoms] | None = None
        #: it is part of an argument; `part_of` names that argument, if known
        self.outside = False
        self.part_of = ""
        self.under: Store | None = None
        self.writes = 0
        self.direct = False
        self.born = 0
        self.kept = False
        #: it was passed to a callable that is itself an argument: only the caller knows what that callable saves
        self.entrusted = False
        #: it came from `parameters()` of some module
        self.found = False
        self.written_at: ast.AST | None = None

    def opened(self) -> dict[object, Atoms]:
        """Its attributes and items, as a dict to add to."""
        members = self.members
        if members is None:
            members = self.members = {}
        return members

    def prove(self) -> None:
        """Note a use that only a tensor allows: then the operands that it was computed from are tensors too."""
        pending = [self]
        while pending:
            store = pending.pop()
            if store.sources is not None:
                pending.extend(store.sources)
                store.sources = None


class Cell(Atom):
    """A tensor, or a value that may be one: a storage, seen through a view; `fragile` says when writing it is wrong.

    `without` are branch arms that were not taken on the paths where a name holds this value; `seen` is the number of
    writes to the storage when the view was taken.
    """

    __slots__ = ("fragile", "seen", "store", "without")

    def __init__(self, store: Store, fragile: int = WRITABLE, without: frozenset[int] = EVERYWHERE) -> None:
        self.store = store
        self.fragile = fragile
        self.seen = store.writes
        self.without = without

    def is_stale(self) -> bool:
        """Whether it is a view that autograd does not keep up to date, and its storage was written since."""
        return self.fragile >= RECORDED and self.store.writes > self.seen


class _Blank(Store):
    """The storage of an unknown value: a single instance for all, which ignores every change."""

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
    """A tensor that shares memory with another but not its graph, like `x.data` or `x.detach()`."""
    store = Store(grad=False, tensor=True)
    store.under = cell.store
    return Cell(store, NEVER if cell.fragile == NEVER else WRITABLE, cell.without)


#: The unknown value, while attributes of objects are evaluated.
UNKNOWN: Atoms = (Cell(_Blank()),)


def fresh(grad: bool = True) -> Atoms:
    """A new unknown value, which may be a tensor."""
    store = Store(grad)
    store.sources = ()
    return (Cell(store),)


def member(cell: Cell, key: object) -> Atoms:
    """An attribute or item of something unknown: the same value each time it is asked for."""
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


#: Key for values put into something unknown in a way that is not followed, as by a method call.
HELD = object()


class Box(Atom):
    """A list, tuple, dict or iterator. `ordered`: `items` stand in order; `role` names a container of modules.

    `fields` are the names of the elements: those of a named result (`values`, `indices`), or the keys of a dict.
    `given` is the attribute (`self.x`) that it came in by.
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
        """The join of all elements."""
        if len(self.items) == 1:
            return self.items[0]
        return united(self.items)


class Text(Atom):
    """A constant string."""

    __slots__ = ("value",)

    def __init__(self, value: str) -> None:
        self.value = value


class Symbol(Atom):
    """A name from outside the project: `torch.nn.functional.relu`."""

    __slots__ = ("dotted",)

    def __init__(self, dotted: str) -> None:
        self.dotted = dotted


class File(Atom):
    """A module of the project."""

    __slots__ = ("module",)

    def __init__(self, module: Module) -> None:
        self.module = module


class Function(Atom):
    """A function of the project. `receiver`: a bound method's object; `names`: the enclosing scopes of a closure."""

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
    """An object of a project class. `after` is set for `super()`: look-ups begin after that class in the MRO.

    `given`: its parameter name (`self`), if the current function is a method of it. `held`: values put into it in a way
    that is not followed, so that any of its attributes may be one of them.
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
    """A module of torch.nn with its configuration; all its parameters share one storage."""

    __slots__ = ("_facts", "_model", "config", "hooks", "name", "weights")

    def __init__(self, name: str, config: Mapping[str, str | Const], model: Model | None = None) -> None:
        self.name = name
        #: None if the op table has the module
        self._model = model
        self.config = config
        self.weights = Store(tensor=True, leaf=True)
        self._facts: Facts | None = None
        self.hooks: list[Atoms] = []

    def facts(self) -> Facts:
        """What a call of the module does, whether in training or in evaluation mode."""
        if self._facts is None:
            self._facts = self.model().facts(self.config, None)
        return self._facts

    def model(self) -> Model:
        """The entry of the op table, or the declaration, for this kind of module."""
        model = self._model or table.module(self.name)
        assert model is not None
        return model


class Partial(Atom):
    """A callable with arguments bound to it, like `functools.partial`."""

    __slots__ = ("args", "func", "kwargs")

    def __init__(self, func: Atoms, args: list[Atoms], kwargs: dict[str, Atoms]) -> None:
        self.func = func
        self.args = args
        self.kwargs = kwargs


class Method(Atom):
    """A method of a value that may be a tensor, looked up and not yet called."""

    __slots__ = ("name", "receiver")

    def __init__(self, receiver: Atom, name: str) -> None:
        self.receiver = receiver
        self.name = name


def cells(value: Atoms, depth: int = 3) -> list[Cell]:
    """The tensors in a value: itself, and in containers nested up to `depth`; each container is opened once."""
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
    """Note that the code tests whether the values are tensors, so they may be."""
    for atom in value:
        if isinstance(atom, Cell):
            atom.store.prove()


#: Above this many alternatives, objects of one class count as one, and so do modules of one kind.
_MANY = 8


def apart(value: Atoms, arms: frozenset[int], later: bool = False) -> Atoms:
    """The value on a path where these branch arms were not taken, so that the saves made in them do not apply.

    `later`: also exclude the saves that these arms make after this point.
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
    """The join of the values."""
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
