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
    from .exceptions import Catch
    from .external_modules import Forward
    from .external_optimizers import Passed
    from .frames import Frame, Loop, Place
    from .generators import Generator
    from .guards import Guard
    from .heap import Hazard, Write
    from .run import Run
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
        #: objects that a caller built and may use after the run
        self.outside: set[Value] = set()
        #: how deep objects are being built as arguments of other objects
        self.supposing = 0
        #: an in-place method of a comparison of unknown values was called: it is a mask, of what a caller may know
        self.takes_test_for_mask = False


class Repeated:
    """Loops that run again in a later round of an outer loop (`blocks`)."""

    __slots__ = ("alike", "depth", "made", "thirds")

    def __init__(self) -> None:
        #: how many loops around this point are past their first round
        self.depth = 0
        #: loops over data or numbers that build nothing and in which no test told the first or last round: one round
        #: is enough
        self.alike: set[object] = set()
        #: how many objects and layers were built: those of two rounds are two
        self.made = 0
        #: how many loops got an extra round, because they train or test for their first round
        self.thirds = 0


class Entering:
    """Which functions calls enter (`calls`)."""

    __slots__ = (
        "active",
        "body_of",
        "callbacks",
        "cut_off",
        "decorates",
        "deep",
        "entered",
        "generators",
        "outfitted",
        "shallow",
        "shown",
        "skipped",
        "spread",
        "supposed",
    )

    def __init__(self) -> None:
        #: the call stack, the innermost last
        self.active: list[FunctionSource] = []
        #: all functions that were entered
        self.entered: set[FunctionSource] = set()
        #: the function that the run starts with: its body is run even if something is declared of it
        self.body_of: FunctionSource | None = None
        #: what others may call: functions that functions define, and what is passed to unknown code; each with its path
        self.callbacks: list[tuple[Guard, Value]] = []
        #: functions to enter although nothing in them writes; and the calls that were not entered
        self.deep: frozenset[FunctionSource] = frozenset()
        self.skipped: list[Skipped] = []
        #: what calls of the project's functions returned that were not entered for want of steps
        self.cut_off: set[Value] = set()
        #: methods of unknown objects, which were told by their names alone (`sole_methods`)
        self.supposed: set[FunctionSource] = set()
        #: unknown objects that showed their class by such a method, each with the object that is taken for it
        self.shown: dict[Value, Instance] = {}
        #: a decorator is being applied: only its result matters
        self.decorates = False
        #: the sequence of unknown length in a call `f(*args)` that has no other argument
        self.spread: Sequence_ | None = None
        #: by the value that a call of a generator function returned
        self.generators: dict[Value, Generator] = {}
        #: modules of the project that were built with an argument that works in place (`nn.ReLU(inplace=True)`)
        self.outfitted: list[Instance] = []
        #: an earlier run of the same root, which entered less and so came further
        self.shallow: Run | None = None


class TopLevels:
    """The top-level names of files, evaluated on demand (`names`)."""

    __slots__ = ("frames", "globals")

    def __init__(self, known: dict[tuple[Module, str], Value]) -> None:
        #: by file name
        self.frames: dict[str, Frame] = {}
        self.globals = known


class Trying:
    """The `try` statements around the point where the run stands (`exceptions`)."""

    __slots__ = ("catching", "handled")

    def __init__(self) -> None:
        #: each `try` whose body is being run, the innermost last
        self.catching: list[Catch] = []
        #: what each `except` that is being run handles
        self.handled: list[Value] = []


class Keeping:
    """What happens to saves at this point (`decorators`, `version_checks`)."""

    __slots__ = ("autocast", "layer", "mode", "preserved", "region", "unchecked", "unsaved")

    def __init__(self) -> None:
        #: ops run in the dtypes of autocast
        self.autocast = False
        #: where the layer was built that is being called
        self.layer: Place | None = None
        #: the mode (training or not) that was set for the module being called
        self.mode: Value | None = None
        #: the place of saved-tensor hooks, under which backward does not compare versions
        self.unchecked: Place | None = None
        #: saves are copies: no write can change them
        self.unsaved = False
        #: storages of which no write moves the version counter now
        self.preserved: frozenset[Storage] = frozenset()
        #: the checkpoint around this point
        self.region: Region | None = None


class Declared:
    """Calls of functions that something is declared of (`writing`)."""

    __slots__ = ("passed", "told", "unrecorded")

    def __init__(self) -> None:
        #: by call: the declaration, and the file of the call
        self.told: dict[ast.AST, tuple[Declaration | None, Module]] = {}
        #: by call and storage that it writes: which argument that is
        self.passed: dict[tuple[ast.AST, Storage], tuple[int, str]] = {}
        #: the calls whose writes autograd does not record or count
        self.unrecorded: set[ast.AST] = set()


class Handed:
    """What was passed to unknown code, and what that may have done with it (`external_modules`)."""

    __slots__ = (
        "exchanged",
        "expects_modules",
        "fields",
        "filled",
        "forwards",
        "given",
        "kept",
        "lasting",
        "lends",
        "returned",
        "stored",
        "unresolved",
    )

    def __init__(self) -> None:
        #: storages that were passed to it, which it may have kept
        self.given: set[Storage] = set()
        #: where writes are observed: storages that something else may have kept, and what that is, in words (`holding`)
        self.kept: dict[Storage, str] = {}
        #: ... and containers that are defaults of parameters, which later calls get too
        self.lasting: set[Value] = set()
        #: ... and layers in whose place an object may have something else
        self.exchanged: set[Value] = set()
        #: whether it got an object of the project or a tensor with gradients
        self.lends = False
        #: what was read as an attribute of an unknown value: its owner and name
        self.fields: dict[Value, tuple[Unknown, str]] = {}
        #: unknown values that may have kept a value with a graph
        self.filled: set[Value] = set()
        #: by result of such code: the modules and optimizers that it got (`wrapped_results`)
        self.returned: dict[Unknown, set[Value]] = {}
        #: what was stored in an unknown value: the value, and the attribute or key
        self.stored: list[tuple[Unknown, Hashable]] = []
        #: by unknown value that was called: the calls, which may be those of a module
        self.forwards: dict[Unknown, list[Forward]] = {}
        #: the names by which unknown values were called
        self.unresolved: set[str] = set()
        #: unknown values that are called count as modules, even if nothing asks for their parameters
        self.expects_modules = False


class Several:
    """Values that stand for any of several (`elements`, `containers`)."""

    __slots__ = (
        "asked_for",
        "drawn_from",
        "many",
        "parts",
        "repeated",
        "stand_ins",
        "taken",
        "taken_for",
        "taken_unknown",
    )

    def __init__(self) -> None:
        self.repeated = Repeated()
        #: by storage of a tensor that stands for any parameter of some modules: their `Parameters`
        self.stand_ins: dict[Storage, Parameters] = {}
        #: the values that an unknown value was unpacked into
        self.parts: set[Unknown] = set()
        #: by a value that stands for any element of a container, or a list of its elements: the container
        self.drawn_from: dict[Value, Value] = {}
        #: tensors that each stand for any of several
        self.many: set[Tensor] = set()
        #: tensors taken by a key from elements that are one value, and the reverse: the value they were taken from
        self.taken: dict[tuple[Tensor, object, Loop | None], Tensor] = {}
        self.taken_for: dict[Value, Tensor | Unknown] = {}
        self.taken_unknown: dict[tuple[Unknown, object, Loop | None], Unknown] = {}
        #: the keys by which objects were taken from a container, in the order of access
        self.asked_for: dict[tuple[Value, Pattern | None, Loop | None], list[object]] = {}


class Asked:
    """Questions of the source about gradients."""

    __slots__ = ("enabled", "requires", "times")

    def __init__(self) -> None:
        #: by bit of a `requires_grad` test: the storage; and the mask of `torch.is_grad_enabled()` tests
        self.requires: dict[int, Storage] = {}
        self.enabled = 0
        #: how many such questions were asked
        self.times = 0


class Steps:
    """Backwards and optimizer steps of the run (`intrinsics`, `methods`)."""

    __slots__ = (
        "clipped",
        "differentiates",
        "held",
        "last",
        "of_parameters",
        "of_unknown",
        "owned",
        "stepped",
        "trains",
    )

    def __init__(self) -> None:
        #: a backward was run, or a known optimizer stepped
        self.trains = False
        #: a backward was run while gradients are recorded, which its caller has not turned off then
        self.differentiates = False
        #: an optimizer, or load_state_dict, wrote parameters
        self.of_parameters = False
        #: an unknown value was stepped: a caller may know the optimizer
        self.of_unknown = False
        #: parameters whose gradients were clipped since the last step of an unknown optimizer
        self.clipped: set[Storage] = set()
        #: the parameters that known optimizers step, and so no other one
        self.owned: set[Storage] = set()
        #: the heap's time of the last step of an unknown optimizer
        self.last = -1
        #: the heap's time of the last `step` of each unknown value that no `zero_grad` has told to be an optimizer yet
        self.stepped: dict[Value, int] = {}
        #: by unknown optimizer: the hazards of its steps with graphs that a later backward may use, each with what
        #: the backwards before the step went through (`external_optimizers`)
        self.held: dict[Value, list[tuple[Hazard, Passed]]] = {}


class Found:
    """What happened that a finding may be based on."""

    __slots__ = (
        "bound",
        "came_to",
        "copies",
        "cut",
        "events",
        "filled",
        "findings",
        "may_lack_writes",
        "observations",
        "observed",
        "picked",
        "wholes",
        "writes",
        "written",
    )

    def __init__(self, observed: frozenset[ast.AST]) -> None:
        self.events: list[Event] = []
        self.writes: list[Write] = []
        #: the tensors whose values were changed
        self.written: set[Tensor] = set()
        #: of which storage a clone holds the values, and since when
        self.copies: dict[Storage, tuple[Storage, int]] = {}
        #: views of all of another tensor: what `detach()` and `.data` give
        self.wholes: set[Tensor] = set()
        #: views made by an index, with its node and the heap's time
        self.picked: dict[Tensor, tuple[ast.AST, int]] = {}
        #: in a second look: the storages of which an element was set, with the storage of the value
        self.filled: list[tuple[Storage, Storage]] = []
        #: nodes whose writes are observed, and what was seen there (`sharing`)
        self.observed = observed
        #: where writes are observed: the nodes of names that a run read, and by storage the names that held it, with
        #: the function or file that they are names of (`observing`)
        self.came_to: set[ast.AST] = set()
        self.bound: dict[Storage, dict[tuple[ast.AST, str], None]] = {}
        self.observations: list[Sharing] = []
        #: the findings of the finished run (`hazards.finding`), computed on demand
        self.findings: list[Any] | None = None
        #: why the run is incomplete; empty if it is complete
        self.cut = ""
        #: what it did not look at may write something that callers may know of
        self.may_lack_writes = False


class Made:
    """The parameters, buffers and other tensors that the run made itself."""

    __slots__ = ("buffers", "frozen", "initialised", "stood_for", "unconverted")

    def __init__(self) -> None:
        self.buffers: set[Storage] = set()
        #: the leaves that the constructors that run now have frozen
        self.frozen: list[Storage] = []
        #: (function, kind of layer) for calls by `apply` that only set the values of parameters
        self.initialised: set[tuple[FunctionSource, str]] = set()
        #: the unknown values that a tensor stands for
        self.stood_for: list[Unknown] = []
        #: float storages while no module may have been converted; None from then on
        self.unconverted: list[Storage] | None = []
