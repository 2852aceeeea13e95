"""Groups the facts that a run collects beside its current state; each class names the modules that use it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ast
    from collections.abc import Hashable
    from typing import Any

    from ..project.declarations import Declaration
    from ..syntax.module import FunctionSource, Module
    from .event import Event, Skipped
    from .external_modules import Forward
    from .frames import Frame, Loop, Place
    from .generators import Generator
    from .guards import Guard
    from .heap import Hazard, Write
    from .sharing import Sharing
    from .storage import Storage
    from .values import Instance, Parameters, Pattern, Sequence_, Tensor, Unknown, Value
    from .version_checks import Region


class Root:
    """The call that a run starts with, whose caller is not known (`starts`, `entry_arguments`)."""

    __slots__ = ("args", "outside", "returned", "supposing", "takes_test_for_mask")

    def __init__(self) -> None:
        self.args: dict[str, Value] = {}
        self.returned: list[tuple[Guard, Tensor]] = []
        #: objects that somebody else built, and may use later
        self.outside: set[Value] = set()
        #: how many objects deep arguments are supposed to be of some class
        self.supposing = 0
        #: a comparison of what is not known was written: it is a mask, and a caller may know of what
        self.takes_test_for_mask = False


class Repeated:
    """Loops that are gone through again, in a later round of a loop around them (`blocks`)."""

    __slots__ = ("alike", "depth", "thirds")

    def __init__(self) -> None:
        #: how many loops around this point are in a later round
        self.depth = 0
        #: loops over data whose rounds are all alike: no test has told the first or the last from the others
        self.alike: set[object] = set()
        #: how many loops had a round more because they train
        self.thirds = 0


class Entering:
    """Which functions are entered (`calls`)."""

    __slots__ = (
        "active",
        "body_of",
        "decorates",
        "deep",
        "entered",
        "generators",
        "outfitted",
        "skipped",
        "spread",
    )

    def __init__(self) -> None:
        #: those that are being run, the innermost last
        self.active: list[FunctionSource] = []
        #: all that were
        self.entered: set[FunctionSource] = set()
        #: the function whose body is run whatever is declared of it: its callers are told what it is said to do
        self.body_of: FunctionSource | None = None
        #: functions to enter although nothing in them writes, and the calls that were not entered
        self.deep: frozenset[FunctionSource] = frozenset()
        self.skipped: list[Skipped] = []
        #: it is in a decorator, of which only matters what it returns
        self.decorates = False
        #: what the call at hand was given with a star, and nothing else: of unknown length
        self.spread: Sequence_ | None = None
        #: what calls of generators returned
        self.generators: dict[Value, Generator] = {}
        #: modules of the project that were given a part that works in place
        self.outfitted: list[Instance] = []


class TopLevels:
    """The top levels of files, as far as something asked what a name of theirs holds (`names`)."""

    __slots__ = ("frames", "globals")

    def __init__(self, known: dict[tuple[Module, str], Value]) -> None:
        #: by file name
        self.frames: dict[str, Frame] = {}
        self.globals = known


class Keeping:
    """What becomes of what is saved here (`decorators`, `version_checks`)."""

    __slots__ = ("mode", "preserved", "region", "unchecked", "unsaved")

    def __init__(self) -> None:
        #: the mode, training or evaluation, that was set for the module at hand
        self.mode: Value | None = None
        #: where something stands that keeps backward from comparing versions (hooks on saved tensors)
        self.unchecked: Place | None = None
        #: what is saved is copied: no write can change it
        self.unsaved = False
        #: storages whose writes move no version for now
        self.preserved: frozenset[Storage] = frozenset()
        #: the checkpoint that this is in
        self.region: Region | None = None


class Declared:
    """Calls of what somebody declared something of (`writing`)."""

    __slots__ = ("passed", "told", "unrecorded")

    def __init__(self) -> None:
        #: in which words, and the files that the calls stand in
        self.told: dict[ast.AST, tuple[Declaration | None, Module]] = {}
        #: what such a call writes: which argument that is
        self.passed: dict[tuple[ast.AST, Storage], tuple[int, str]] = {}
        #: ... and which of them autograd takes no notice of
        self.unrecorded: set[ast.AST] = set()


class Handed:
    """What went to code that is not known, and what that may have made of it (`external_modules`)."""

    __slots__ = (
        "expects_modules",
        "filled",
        "forwards",
        "given",
        "lends",
        "returned",
        "stored",
        "unresolved",
    )

    def __init__(self) -> None:
        #: storages that were handed to it, which it may have kept
        self.given: set[Storage] = set()
        #: whether it was given a module of the project, or what hangs on one
        self.lends = False
        #: what is of unknown kind and may have kept some of that, of which a gradient may come
        self.filled: set[Value] = set()
        #: of what such code returned: the modules and optimizers that it was given (`wrapped_results`)
        self.returned: dict[Unknown, set[Value]] = {}
        #: what was stored in something unknown: the object, and the attribute or key
        self.stored: list[tuple[Unknown, Hashable]] = []
        #: what was called and is of unknown kind, with what may have been its forwards
        self.forwards: dict[Unknown, list[Forward]] = {}
        #: ... and the names that it was called by
        self.unresolved: set[str] = set()
        #: what is called may be a module that nobody here asks for its parameters
        self.expects_modules = False


class Several:
    """What stands for any of several (`elements`, `containers`)."""

    __slots__ = ("asked_for", "many", "parts", "repeated", "stand_ins", "taken", "taken_for")

    def __init__(self) -> None:
        self.repeated = Repeated()
        #: of a tensor that stands for any parameter of some modules: which these are
        self.stand_ins: dict[Storage, Parameters] = {}
        #: what something of unknown kind was taken apart into
        self.parts: set[Unknown] = set()
        #: tensors that each stand for any of several
        self.many: set[Tensor] = set()
        #: those of them that were taken under a key, by it; and what they were taken for
        self.taken: dict[tuple[Tensor, object, Loop | None], Tensor] = {}
        self.taken_for: dict[Value, Tensor] = {}
        #: the keys under which objects were taken from a container, in the order in which a loop asked for them
        self.asked_for: dict[tuple[Value, Pattern | None, Loop | None], list[object]] = {}


class Asked:
    """What the source asked about gradients."""

    __slots__ = ("enabled", "requires", "times")

    def __init__(self) -> None:
        #: literals of `requires_grad` tests, by bit; and of `torch.is_grad_enabled()`
        self.requires: dict[int, Storage] = {}
        self.enabled = 0
        #: how often it asked whether there are any
        self.times = 0


class Steps:
    """How parameters are trained: backwards, and steps of optimizers (`intrinsics`, `methods`)."""

    __slots__ = ("held", "last", "of_parameters", "of_unknown", "trains")

    def __init__(self) -> None:
        #: a backward was run
        self.trains = False
        #: an optimizer, or load_state_dict, wrote parameters
        self.of_parameters = False
        #: something unknown was stepped: a caller may know which optimizer that is
        self.of_unknown = False
        #: the heap's time when an optimizer of which nothing else is known made its last step
        self.last = -1
        #: by optimizer, what it may have overwritten of a forward whose graph was kept
        self.held: dict[Value, list[Hazard]] = {}


class Found:
    """What happened that a finding may speak of."""

    __slots__ = (
        "cut",
        "events",
        "filled",
        "findings",
        "observations",
        "observed",
        "perhaps_expanded",
        "picked",
        "writes",
        "written",
    )

    def __init__(self, observed: frozenset[ast.AST]) -> None:
        self.events: list[Event] = []
        self.writes: list[Write] = []
        #: the tensors whose values were changed
        self.written: set[Tensor] = set()
        #: views that an index took, with its node and the heap's time
        self.picked: dict[Tensor, tuple[ast.AST, int]] = {}
        #: expansions to sizes that are not known, which may be one
        self.perhaps_expanded: set[Place] = set()
        #: of a second look: of which storage an element was set, and to what
        self.filled: list[tuple[Storage, Storage]] = []
        #: nodes whose writes are looked at closely, and what was seen there (`sharing`)
        self.observed = observed
        self.observations: list[Sharing] = []
        #: its findings (`hazards.finding`), once it is done and somebody asked
        self.findings: list[Any] | None = None
        #: why it ended before its end, or what it left out; empty where all was looked at
        self.cut = ""


class Made:
    """The parameters and buffers that the run itself made."""

    __slots__ = ("buffers", "initialised", "unconverted")

    def __init__(self) -> None:
        self.buffers: set[Storage] = set()
        #: functions that `apply` has called with a layer of a kind, and that only set the values of its parameters
        self.initialised: set[tuple[FunctionSource, str]] = set()
        #: those of which none was converted yet; None once one may have been
        self.unconverted: list[Storage] | None = []
