"""Defines the abstract values: what the analysis believes that a register or a name holds.

A `Tensor` is one alias of a `Storage`; what a name may hold after a join is a `Phi` of guarded alternatives.
Values are compared by identity: two names that hold the same `Value` hold the same Python object. That is why a test
on one of them tells about the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..resolve.classes import of_modules
from ..resolve.hierarchy import linearised
from ..torchmodel.spelling import above
from .graph import Node
from .guards import ALWAYS
from .storage import DOES

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence
    from typing import TypeAlias

    from ..syntax.module import ClassSource, FunctionSource
    from ..torchmodel.op import Op
    from .frames import Place
    from .guards import Guard
    from .heap import Write
    from .iterators import Rising
    from .storage import Counter, Storage, Taken

    #: the size of each axis, None where that is not known
    Sizes: TypeAlias = "tuple[int | None, ...]"
    #: of each part of a key that is a tuple its type and value, None for one that is not known
    Pattern: TypeAlias = "tuple[tuple[type, object] | None, ...]"


class Value:
    """Something that is not modelled, or not known; the base of all values."""

    __slots__ = ()


class Tensor(Value):
    """One alias of a storage.

    `view`: it is a view, not the base. `multi`: where the op stands that returned it as one of several views.
    `no_grad_view`: made under no_grad from what is a tensor of grad mode. `expanded`: some elements share memory.
    `detached`: carries no graph. `counter`: the version counter that writes through it move, where that is not its
    storage's own (`.data`). `early`: a view of what required no grad then, not used since: a leaf to autograd.
    `contiguous`: True, or False when unknown. `strided`: its axes were moved, or its elements picked out.
    `part`: by an index that a list would take as well. `sizes` of its axes, as far as they are known. `taken`: how it
    was taken from a container of which it stands for any element.
    """

    __slots__ = (
        "contiguous",
        "counter",
        "dense",
        "detached",
        "early",
        "expanded",
        "graph",
        "made_at",
        "multi",
        "no_grad_view",
        "part",
        "sizes",
        "storage",
        "strided",
        "swapped",
        "taken",
        "view",
    )

    def __init__(self, storage: Storage, contiguous: bool = False) -> None:
        self.storage = storage
        #: no axes swapped: what is computed from it elementwise is contiguous
        self.dense = contiguous
        self.view = False
        self.multi: Place | None = None
        self.no_grad_view: Place | None = None
        self.expanded: Place | None = None
        self.detached = False
        self.counter: Counter | None = None
        self.part = False
        self.sizes: Sizes | None = None
        self.early = False
        self.strided = False
        self.contiguous = contiguous
        #: whose graph it hangs on: its storage's, or after a detach one of its own
        self.graph = storage
        #: the heap's time when a view with `multi` or `no_grad_view` was made
        self.made_at = 0
        #: a view of a contiguous tensor with its axes swapped
        self.swapped = False
        self.taken: Taken | None = None

    def alias(self) -> Tensor:
        """Another alias with the same marks, to be marked further."""
        other = Tensor(self.storage)
        for mark in Tensor.__slots__:
            setattr(other, mark, getattr(self, mark))
        return other


class Constant(Value):
    """A Python constant."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value


class Scalar(Value):
    """Known to be no tensor: a number, a string, a shape, a dtype, an array of another library.

    `last`, of a loop's index: this is the final round; `bound`: what the range ran to, `shift`: how much more than one
    less than that the final one is; `falls`: it runs down to 0, `rises`: up from there. `number`: an int or a float, by
    its annotation. `asked`: a test told its round from others. `default`: what it is if nobody gives one.
    """

    __slots__ = ("asked", "bound", "default", "falls", "last", "number", "rises", "shift")

    def __init__(self) -> None:
        self.bound: Value | None = None
        self.shift = 0
        self.asked = self.falls = self.last = self.number = False
        self.rises: Rising | None = None
        self.default: str | float | None = None


class Array(Scalar):
    """Something that is no tensor and may share the memory of one: `memory` is that, seen past its version counter."""

    __slots__ = ("memory",)

    def __init__(self) -> None:
        super().__init__()
        self.memory: Tensor | None = None


class Text(Scalar):
    """A string of which no more is known: what is indexed by one is a dict."""

    __slots__ = ()


class Test(Scalar):
    """A truth value with the literal that stands for it."""

    __slots__ = ("bit", "holds")

    def __init__(self, bit: int, holds: bool) -> None:
        super().__init__()
        self.bit = bit
        self.holds = holds


class Unknown(Value):
    """A value of unknown kind. Used as a tensor it is `tensor`, made on first use."""

    __slots__ = (
        "alone",
        "behind",
        "call",
        "late",
        "left_out",
        "nodes",
        "of_module",
        "option",
        "owner",
        "returned",
        "serial",
        "tensor",
    )

    def __init__(self, owner: Value | None = None) -> None:
        Node.made += 1
        #: tells what an instruction has made from what was there before it
        self.serial = Node.made
        #: what was made before this may be in its graph, if something unknown returned it
        self.behind = self.serial
        self.tensor: Tensor | None = None
        #: what it is an attribute or element of
        self.owner = owner
        #: returned by something unknown; by a module's forward, or a part of that
        self.returned = False
        self.of_module: bool = isinstance(owner, Unknown) and owner.of_module
        #: nothing that may require grad went into the calls that it comes from
        self.alone: bool = isinstance(owner, Unknown) and owner.alone
        #: what an object that somebody else built was built with
        self.option = False
        #: an argument that is None where nobody gives another
        self.left_out = False
        #: an attribute that is None when its object is built
        self.late = False
        #: the graph node that stands for the call that returned it, where that may keep tensors for backward
        self.call: Node | None = None
        #: what its graph would hang on, if it is a tensor: the tensors that went into the call that returned it
        self.nodes: Sequence[tuple[Guard, Tensor]] = ()

    def is_given(self) -> bool:
        """Whether it came from outside, or is part of what did, and is not what some call returned."""
        value: Value | None = self
        while isinstance(value, Unknown):
            if value.returned or value.of_module:
                return False
            value = value.owner
        return True

    def is_option(self) -> bool:
        """Whether it is something that an object was built with, or is given later, or a part of that."""
        value: Value | None = self
        while isinstance(value, Unknown) and not value.late and value.owner is not None:
            value = value.owner
        return isinstance(value, Unknown) and (value.option or value.late) and self.is_given()


class Sequence_(Value):
    """A list, tuple, set, nn.Sequential or nn.ModuleList: its elements stand in the state, under its identity.

    `kind` is "list", "tuple", "set", "slice", "Sequential", "ModuleList".
    """

    __slots__ = ("again", "keys", "kind", "put_at")

    def __init__(self, kind: str) -> None:
        self.kind = kind
        #: every key that was ever stored, on any path
        self.keys: dict[Hashable, None] = {}
        #: when each tensor was put at its end first, and those that were written before they were put there again
        self.put_at: dict[Tensor, int] = {}
        self.again: dict[Tensor, Write] = {}


class Mapping_(Value):
    """A dict or nn.ModuleDict; values stand in the state, by constant key, or under `ANY` when keys are not known.

    `popped` are keys that were taken out on some path; `patterns` those of all under `ANY`, None where one has none.
    """

    __slots__ = ("keys", "kind", "patterns", "popped")

    def __init__(self, kind: str = "dict") -> None:
        self.kind = kind
        self.popped: set[Hashable] = set()
        self.keys: dict[Hashable, None] = {}
        self.patterns: dict[Pattern, None] | None = {}


ANY = object()  #: the key of what may stand at any index or key


class Instance(Value):
    """An object of a class of the project; its attributes stand in the state, under its identity."""

    __slots__ = ("buffers", "cls", "keys", "pending", "shared")

    def __init__(self, cls: ClassValue, shared: bool = False) -> None:
        #: the names of those that it registered
        self.buffers: set[str] = set()
        self.cls = cls
        self.keys: dict[Hashable, None] = {}
        #: the arguments of an `__init__` that nobody has needed yet
        self.pending: tuple[Sequence[Value], Mapping[str, Value]] | None = None
        #: part of an object that all runs share
        self.shared = shared


class TorchModule(Value):
    """An `nn` module: its name in the table, its constructor's arguments, its parameters as one tensor."""

    __slots__ = ("assigned", "config", "name", "owns", "weights")

    def __init__(self, name: str, config: dict[str, Value], weights: Tensor | None) -> None:
        #: the arguments that some run changed later; what to stands in the state
        self.assigned: set[str] = set()
        self.name = name
        self.config = config
        self.weights = weights
        self.owns: dict[str, Tensor] = {}


class FunctionValue(Value):
    """A function of the project; `frame` is the frame in which it was defined, if it is nested."""

    __slots__ = ("cls", "decorated", "defaults", "frame", "source")

    def __init__(self, source: FunctionSource, frame: int | None = None) -> None:
        self.source = source
        self.frame = frame
        self.cls: ClassValue | None = None
        self.defaults: list[Value | None] | None = None
        self.decorated: list[Value] | None = None


class Bound(Value):
    """A callable with arguments already given: a method on its receiver, a `functools.partial`."""

    __slots__ = ("args", "func", "kwargs")

    def __init__(self, func: Value, args: Sequence[Value], kwargs: dict[str, Value]) -> None:
        self.func = func
        self.args = args
        self.kwargs = kwargs


class OpValue(Value):
    """A torch function, or a method still to be given its receiver."""

    __slots__ = ("op",)

    def __init__(self, op: Op) -> None:
        self.op = op


class Native(Value):
    """A callable that the analysis itself plays: `play(run, args, kwargs, at)` returns its value.

    `exact`: only where every argument is known to be one, and not some number of them.
    """

    __slots__ = ("exact", "play")

    def __init__(self, play: Callable[..., Value | None], exact: bool = False) -> None:
        self.play = play
        self.exact = exact


class Symbol(Value):
    """Something imported that is not of the project, by its dotted name: `torch.nn.functional`, `numpy.zeros`."""

    __slots__ = ("dotted",)

    def __init__(self, dotted: str) -> None:
        self.dotted = dotted


#: The modules whose classes records derive from.
_OF_RECORDS = frozenset(("abc", "builtins", "collections", "typing"))


class ClassValue(Value):
    """A class of the project with its bases resolved: `bases` are ClassValue, Symbol or Unknown."""

    __slots__ = ("_order", "bases", "held", "names_set", "source")

    def __init__(self, source: ClassSource) -> None:
        self.source = source
        self.bases: list[Value] = []
        self._order: list[ClassValue | str | Value] = []
        #: the attributes that its text sets, and all that its objects have, once somebody asked (`entry_arguments`)
        self.names_set: frozenset[str] | None = None
        self.held: frozenset[str] | None = None

    def is_complete(self) -> bool:
        """Whether its bases, and theirs, are known by now."""
        return bool(self._order)

    def _lookups(self) -> list[ClassValue | str | Value]:
        """Where an attribute is looked up, first to last; a class from outside by its dotted name."""
        if self._order:
            return self._order
        orders: dict[ClassValue | str | Value, list[ClassValue | str | Value]] = {}

        def bases(cls: ClassValue | str | Value) -> Sequence[ClassValue | str | Value]:
            direct = _bases(cls)
            orders.update((b, b._order) for b in direct if isinstance(b, ClassValue) and b._order)
            return direct

        orders[self] = found = linearised(self, bases, orders)
        for cls, order in orders.items():
            if isinstance(cls, ClassValue) and _is_complete(order):
                cls._order = order
        return found

    def order(self) -> list[ClassValue]:
        """The classes of the project in which an attribute is looked up, first to last."""
        return [cls for cls in self._lookups() if isinstance(cls, ClassValue)]

    def external_bases(self) -> list[str]:
        """Dotted names of the bases from outside of the project; "?" for one that is not known."""
        return [
            cls if isinstance(cls, str) else "?" for cls in self._lookups() if not isinstance(cls, ClassValue)
        ]

    def is_module(self) -> bool:
        """Whether its objects are modules, as far as its bases tell."""
        return of_modules([*(cls.source for cls in self.order()), *self.external_bases()])

    def holds_data(self) -> bool:
        """Whether its objects are records: no module, no tensor, nothing that is not in sight."""
        return all(base.partition(".")[0] in _OF_RECORDS for base in self.external_bases())


def _is_complete(order: Sequence[ClassValue | str | Value]) -> bool:
    """Whether the bases of all that a class derives from are known by now."""
    return all(cls.bases or not cls.source.bases for cls in order if isinstance(cls, ClassValue))


def _bases(cls: ClassValue | str | Value) -> Sequence[ClassValue | str | Value]:
    if isinstance(cls, str):
        return above(cls)
    direct = cls.bases if isinstance(cls, ClassValue) else ()
    return [base.dotted if isinstance(base, Symbol) else base for base in direct]


class Parameters(Value):
    """What `module.parameters()` and its kin return, and also any one of them: the parameters of these owners.

    `grad` is the evidence that they require grad; `tensor` stands for one of them, made on first use.
    """

    __slots__ = ("grad", "owners", "tensor")

    def __init__(self, owners: list[Value], grad: int = DOES) -> None:
        self.owners = owners
        self.grad = grad
        self.tensor: Tensor | None = None


class Optimizer(Value):
    """An optimizer over the parameters of `owners` (modules, tensors); `name` its class, `fused` its flag."""

    __slots__ = ("fused", "name", "owners")

    def __init__(self, name: str, owners: list[Value], fused: bool) -> None:
        self.name, self.owners, self.fused = name, owners, fused


class Phi(Value):
    """Guarded alternatives: what a name holds after paths have joined. Never nested."""

    __slots__ = ("alternatives",)

    def __init__(self, alternatives: tuple[tuple[Guard, Value], ...]) -> None:
        self.alternatives = alternatives


def alternatives(value: Value) -> tuple[tuple[Guard, Value], ...]:
    """The guarded atoms of a value; a plain value is its own, always."""
    return value.alternatives if isinstance(value, Phi) else ((ALWAYS, value),)


def flatten(value: Value) -> list[Value]:
    """The atoms of a value, guards left aside."""
    return [atom for _, atom in alternatives(value)]
