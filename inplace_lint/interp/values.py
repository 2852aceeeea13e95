"""Defines the abstract values: what the analysis believes that a register or a name holds.

A `Tensor` is one alias of a `Storage`; what a name may hold after a join is a `Phi` of guarded alternatives.
Values are compared by identity: two names that hold the same `Value` hold the same Python object. That is why a test
on one of them tells about the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .graph import Node
from .guards import ALWAYS
from .storage import DOES

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence
    from typing import TypeAlias

    from ..syntax.module import FunctionSource, Module
    from ..torchmodel.op import Op
    from .class_value import ClassValue
    from .frames import Loop, Place
    from .guards import Guard
    from .heap import Write
    from .iterators import Rising
    from .storage import Counter, Storage, Taken

    #: the size of each axis, None if it is not known
    Sizes: TypeAlias = "tuple[int | None, ...]"
    #: for a tuple as key: (type, value) of each part, None for an unknown part
    Pattern: TypeAlias = "tuple[tuple[type, object] | None, ...]"


class Value:
    """The base of all abstract values."""

    __slots__ = ()


class Expansion(NamedTuple):
    """A call of `expand`; `surely`: one of the sizes is more than 1, so that elements do share memory."""

    place: Place
    surely: bool


class Tensor(Value):
    """One alias of a storage.

    `view`: a view, not the base. `multi`: the place of the op that returned it as one of several views (`split`).
    `no_grad_view`: the place where the view was made under no_grad. `expanded`: the `expand` by which elements share
    memory. `detached`: has no graph. `counter`: the version counter that writes through it move, if not
    that of the storage (`.data`). `early`: a view of a base that required no grad then, unused since: a leaf to
    autograd. `contiguous`: True, or False if not known. `strided`: its axes were moved, or elements picked out. `part`:
    taken by an index that a list would accept too. `sizes`: those of its axes, if known. `taken`: how it was taken from
    a container whose elements are one value. `cut`: the axis along which it was cut out of a whole tensor (`cuts`).
    """

    __slots__ = (
        "batch_cut",
        "contiguous",
        "counter",
        "cut",
        "dense",
        "detached",
        "early",
        "expanded",
        "graph",
        "made_at",
        "matrices_turned",
        "multi",
        "no_grad_view",
        "part",
        "rows_apart",
        "sizes",
        "storage",
        "strided",
        "swapped",
        "taken",
        "view",
    )

    def __init__(self, storage: Storage, contiguous: bool = False) -> None:
        self.storage = storage
        #: its axes are in memory order: an elementwise result is contiguous
        self.dense = contiguous
        self.view = False
        self.multi: Place | None = None
        self.no_grad_view: Place | None = None
        self.expanded: Expansion | None = None
        self.detached = False
        self.counter: Counter | None = None
        self.part = False
        self.sizes: Sizes | None = None
        self.early = False
        self.strided = False
        self.contiguous = contiguous
        #: the storage whose graph is its graph: its own, or a new one after a detach
        self.graph = storage
        #: the heap's time when a view with `multi` or `no_grad_view` was made
        self.made_at = 0
        #: a view of a contiguous tensor with its axes swapped
        self.swapped = False
        #: a part of an inner batch axis was taken; of its axes the last two alone were moved (`batches`)
        self.batch_cut = self.matrices_turned = False
        #: merging all its axes but the last may take a copy, as a part of an inner axis was taken (`cuts`)
        self.rows_apart = False
        self.taken: Taken | None = None
        self.cut: int | None = None

    def alias(self) -> Tensor:
        """Another alias of the storage with the same marks."""
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
    """A value that is no tensor: a number, a string, a shape, a dtype, an array of another library.

    For the index of a loop: `last`, this is the final round; `bound`, the end of the range; `shift`, the last index
    minus `bound - 1`; `falls`, it counts down to 0; `rises`, it counts up from 0; `asked`, a test told the last round
    from others. For an argument: `default`. `number`: known to be an int or a float.
    """

    __slots__ = ("asked", "bound", "default", "falls", "last", "number", "rises", "shift")

    def __init__(self) -> None:
        self.bound: Value | None = None
        self.shift = 0
        self.asked = self.falls = self.last = self.number = False
        self.rises: Rising | None = None
        self.default: str | float | None = None


class Option(Scalar):
    """A string that the user of a program may give, with its default."""


class Array(Scalar):
    """An array (NumPy); `memory` is the tensor that shares its memory, with a version counter of its own, if any."""

    __slots__ = ("memory",)

    def __init__(self) -> None:
        super().__init__()
        self.memory: Tensor | None = None


class Text(Scalar):
    """An unknown string. A value that is indexed by one is a dict."""

    __slots__ = ()


class Test(Scalar):
    """A truth value, as a literal of the path: the bit, and whether the test is true if the bit holds."""

    __slots__ = ("bit", "holds")

    def __init__(self, bit: int, holds: bool) -> None:
        super().__init__()
        self.bit = bit
        self.holds = holds


class Unknown(Value):
    """A value of unknown kind; `tensor`, made on first use, stands for it where it is used as one."""

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
        #: the order of creation: tells the values that an instruction made from older ones
        self.serial = Node.made
        #: values made before this serial may be hidden in its graph, if an unknown call returned it
        self.behind = self.serial
        self.tensor: Tensor | None = None
        #: the value that it is an attribute or element of
        self.owner = owner
        #: returned by an unknown call; and by the forward of a module, or a part of such a result
        self.returned = False
        self.of_module: bool = isinstance(owner, Unknown) and owner.of_module
        #: it comes from calls without any argument that may require grad
        self.alone: bool = isinstance(owner, Unknown) and owner.alone
        #: a constructor argument of an object that a caller built
        self.option = False
        #: an argument whose default is None
        self.left_out = False
        #: an attribute that is None when its object is built
        self.late = False
        #: the graph node of the unknown call that returned it, if that may save tensors
        self.call: Node | None = None
        #: the tensors that its graph depends on if it is a tensor: those that went into the call
        self.nodes: Sequence[tuple[Guard, Tensor]] = ()

    def is_given(self) -> bool:
        """Whether it, or its outermost owner, came from outside the run and not from a call."""
        value: Value | None = self
        while isinstance(value, Unknown):
            if value.returned or value.of_module:
                return False
            value = value.owner
        return True

    def is_option(self) -> bool:
        """Whether it, or an owner, is an option: a constructor argument, or an attribute that is None at first."""
        value: Value | None = self
        while isinstance(value, Unknown) and not value.late and value.owner is not None:
            value = value.owner
        return isinstance(value, Unknown) and (value.option or value.late) and self.is_given()


class Sequence_(Value):
    """A list, tuple, set, nn.Sequential or nn.ModuleList; the state holds its elements by (sequence, key).

    `kind` is "list", "tuple", "set", "deque", "iterator", "Sequential", "ModuleList".
    """

    __slots__ = ("again", "appended", "keys", "kind", "longest", "names", "put_at")

    def __init__(self, kind: str) -> None:
        self.kind = kind
        #: what was appended one by one, in this order, while the length was not known; None if it was changed otherwise
        self.appended: list[tuple[Guard, Value]] | None = []
        #: the names that an `nn.Sequential` was given with its modules
        self.names: list[object] = []
        #: the `maxlen` of a deque
        self.longest: int | None = None
        #: every key that was stored on some path
        self.keys: dict[Hashable, None] = {}
        #: when each tensor was appended, and on which paths; on which paths twice, and the write in between
        self.put_at: dict[Tensor, list[tuple[int, Guard]]] = {}
        self.again: dict[Tensor, tuple[Guard, Write]] = {}


class Mapping_(Value):
    """A dict or nn.ModuleDict; the state holds its values, by constant key, or by `ANY` for unknown keys.

    Under a key that was removed on a path it holds `ABSENT`. `patterns`: those of all keys under `ANY`, None if one has
    none. `factory`: that of a `defaultdict`.
    """

    __slots__ = ("factory", "keys", "kind", "of", "patterns")

    def __init__(self, kind: str = "dict") -> None:
        self.kind = kind
        self.factory: Value | None = None
        #: the object whose `__dict__` it is
        self.of: Instance | Sequence_ | Mapping_ | None = None
        self.keys: dict[Hashable, None] = {}
        self.patterns: dict[Pattern, None] | None = {}


ANY = object()  #: the key of the value that stands for any element


class _Absent(Value):
    """The class of `ABSENT`."""

    __slots__ = ()


ABSENT = _Absent()  #: what a container holds under a key that was removed


class Instance(Value):
    """An object of a class of the project; the state holds its attributes by (object, name)."""

    __slots__ = ("bound_to", "buffers", "cls", "keys", "many", "pending", "shared")

    def __init__(self, cls: ClassValue, shared: bool = False) -> None:
        #: the names of the buffers that it registered
        self.buffers: set[str] = set()
        self.cls = cls
        self.keys: dict[Hashable, None] = {}
        #: it stands for any of several objects
        self.many = False
        #: the arguments of an `__init__` that was put off until the object is used
        self.pending: tuple[Sequence[Value], Mapping[str, Value]] | None = None
        #: built for all runs, or part of such an object
        self.shared = shared
        #: the name, with its file, that a top level bound it to first: each run builds such an object anew
        self.bound_to: tuple[Module, str] | None = None


class TorchModule(Value):
    """A layer of torch: its name in the table, its constructor arguments, and one tensor for all its parameters."""

    __slots__ = ("assigned", "built", "config", "loop", "many", "name", "owns", "weights")

    def __init__(
        self, name: str, config: dict[str, Value], weights: Tensor | None, built: Place | None
    ) -> None:
        #: attributes that were assigned later on some path; the state holds their values
        self.assigned: set[str] = set()
        #: it stands for any of several layers
        self.many = False
        self.name = name
        self.config = config
        self.weights = weights
        #: the call that built it, and the innermost loop around that
        self.built = built
        self.loop: Loop | None = None
        self.owns: dict[str, Tensor] = {}


class FunctionValue(Value):
    """A function of the project; `frame` is the uid of the frame that defined it, if it is nested."""

    __slots__ = ("cls", "decorated", "defaults", "frame", "renamed", "source", "wraps")

    def __init__(self, source: FunctionSource, frame: int | None = None) -> None:
        self.source = source
        self.frame = frame
        self.cls: ClassValue | None = None
        self.defaults: list[Value | None] | None = None
        #: the names of comprehensions that it reads, as they are stored (`x@3`)
        self.renamed: Mapping[str, str] = {}
        self.decorated: list[Value] | None = None
        #: the function whose name `functools.wraps` gave it
        self.wraps: Value | None = None


class Bound(Value):
    """A callable with some arguments bound: a method with its receiver, a `functools.partial`."""

    __slots__ = ("args", "func", "kwargs")

    def __init__(self, func: Value, args: Sequence[Value], kwargs: dict[str, Value]) -> None:
        self.func = func
        self.args = args
        self.kwargs = kwargs


class OpValue(Value):
    """An op of the table as a value: a torch function or an unbound method."""

    __slots__ = ("op",)

    def __init__(self, op: Op) -> None:
        self.op = op


class Native(Value):
    """A callable with a model in the analysis: `play(run, args, kwargs, at)` returns its result.

    `exact`: not played if the arguments contain an unknown `*args`, unless that is the only one. `follows`: what it
    does with its arguments is all followed, so that nothing else may hold their memory afterwards (`holding`).
    """

    __slots__ = ("exact", "follows", "play")

    def __init__(self, play: Callable[..., Value | None], exact: bool = False, follows: bool = False) -> None:
        self.play = play
        self.exact = exact
        self.follows = follows


class Symbol(Value):
    """A name from outside the project, with its dotted path: `torch.nn.functional`, `numpy.zeros`."""

    __slots__ = ("dotted",)

    def __init__(self, dotted: str) -> None:
        self.dotted = dotted


class Parameters(Value):
    """The parameters of `owners`, as `module.parameters()` returns them; it also stands for any one of them.

    `tensor` stands for one of them, made on first use.
    """

    __slots__ = ("_grad", "owners", "tensor")

    def __init__(self, owners: list[Value], grad: int | Callable[[], int] = DOES) -> None:
        self.owners = owners
        self._grad = grad
        self.tensor: Tensor | None = None

    @property
    def grad(self) -> int:
        """The evidence that they require grad, found on first use: most code asks for a device alone."""
        if not isinstance(self._grad, int):
            self._grad = self._grad()
        return self._grad


class Optimizer(Value):
    """An optimizer over the parameters of `owners` (modules, tensors); `name`: its class; `fused`: its flag."""

    __slots__ = ("fused", "name", "owners")

    def __init__(self, name: str, owners: list[Value], fused: bool) -> None:
        self.name, self.owners, self.fused = name, owners, fused


class Phi(Value):
    """Guarded alternatives, the value of a name after paths joined; never nested."""

    __slots__ = ("alternatives",)

    def __init__(self, alternatives: tuple[tuple[Guard, Value], ...]) -> None:
        self.alternatives = alternatives


def alternatives(value: Value) -> tuple[tuple[Guard, Value], ...]:
    """The guarded alternatives of a value; of a plain value itself, under the guard that always holds."""
    return value.alternatives if isinstance(value, Phi) else ((ALWAYS, value),)


def flatten(value: Value) -> list[Value]:
    """The alternatives of a value, without guards."""
    return [atom for _, atom in alternatives(value)]


def present(value: Value | None) -> Value | None:
    """What a container holds under a key, without the paths on which it holds nothing; None if there are no others."""
    if value is ABSENT:
        return None
    if isinstance(value, Phi) and any(atom is ABSENT for _, atom in value.alternatives):
        kept = tuple(one for one in value.alternatives if one[1] is not ABSENT)
        return kept[0][1] if len(kept) == 1 else Phi(kept)
    return value
