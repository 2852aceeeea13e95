"""Holds what all runs on a file share: parsed files, class values, and the objects that an `__init__` builds."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from ..prefilter.prefilter import Prefilter
from ..prefilter.registrations import FILLS
from ..prefilter.set_anew import sets_outside_of_init
from ..prefilter.text_screen import sets_state
from ..syntax.files import Files
from . import guards
from .guards import WEAKENED

if TYPE_CHECKING:
    import ast
    from collections.abc import Hashable

    from ..prefilter.driver_synthesis import Driver
    from ..project.modules import Project
    from ..syntax.module import ClassSource, FunctionSource, Module
    from ..torchmodel.declared import Declared
    from .class_value import ClassValue
    from .execute import Handlers
    from .frames import Frame, State
    from .profile_counts import ProfileCounts
    from .run import Run
    from .values import Instance, Value


#: Limit of literals for building objects; beyond it they are built anew, since guards are bit masks of literals.
BASE_BITS = 4096
#: Limit of parsed files that are kept, so that a module which many files import is parsed once. Beyond it, files that
#: no other file imported are dropped.
_KEPT = 600
#: Limit of their texts together, in bytes: with what is known of it, a parsed file takes 300 times its size.
_KEPT_BYTES = 10_000_000
#: After so many objects that were made and not freed by themselves, garbage is collected. Runs leave few reference
#: cycles, and the files that are kept are about four million objects, through which a collection has to go.
_UNFREED = 12_000_000
_latest: tuple[Project, Program] | None = None


def of_project(project: Project) -> Program:
    """The program of a project; a new one once it holds too many files."""
    import gc

    global _latest
    if gc.get_count()[0] > _UNFREED:
        gc.collect()
    if _latest is not None and _latest[0] is project:
        files = _latest[1].files
        if files.grown() <= _KEPT and files.size() <= _KEPT_BYTES:
            return _latest[1]
    prefilter = None
    if _latest is not None:
        files = _latest[1].files.renew()
        if files.project is project:
            prefilter = _latest[1].prefilter.renewed(files)
        _latest = None
    _latest = (project, Program(project, prefilter))
    return _latest[1]


def forget(everything: bool) -> None:
    """Drop what was computed from files that have changed since; or everything."""
    global _latest
    if _latest is None:
        return
    project, program = _latest
    if everything:
        _latest = None
        return
    changed = program.files.changed()
    if changed:
        files = program.files.without(changed)
        _latest = (project, Program(project, program.prefilter.renewed(files)))


class Built:
    """The objects that an `__init__` builds for all runs, and the literals that their attributes depend on."""

    def __init__(self) -> None:
        #: one object of each class; its attributes stand in `base`, the state below that of every run
        self.objects: dict[ClassValue, Instance] = {}
        self._base: State | None = None
        #: the frames whose names functions read that these objects hold: `self.act = lambda x: f(x, slope)`
        self.frames: dict[int, Frame] = {}
        #: what the top level of files binds to names, for the runs that build objects
        self.names: dict[tuple[Module, str], Value] = {}
        #: of these, the objects that the top level of files fills (`registries`); None: that needs too many steps
        self.filled: dict[tuple[Module, str], Value | None] = {}
        #: the number of literals; these have even bits, those of a single run odd ones
        self.count = 1  # the first is that of weakened guards
        #: the bit of each test
        self.bits: dict[Hashable, int] = {}
        #: masks of the literals of guesses, and of evaluation mode
        self.doubtful = WEAKENED
        self.evaluation = 0
        #: mask of the literals of guesses that hold with the usual layout, dtype and device
        self.usual = 0
        #: the methods that were run to set attributes which `__init__` leaves out (`late_attributes`)
        self.set_up: set[tuple[Instance, FunctionSource]] = set()
        #: masks of pairs of literals that exclude each other
        self.exclusive: list[int] = []
        #: mask of literals that are true only if an object is built with a flag that is off by default
        self.asked_for_in_building = 0
        #: mask of literals that are true only if an object is built with a string that is not the default
        self.other_words = 0

    @property
    def base(self) -> State:
        """The state below that of every run."""
        if self._base is None:
            from .frames import State

            self._base = State()
        return self._base


@dataclass
class Learnt:
    """What runs of a file found out for later runs of it."""

    #: arguments that a run found to be tensors, by function
    tensors: dict[FunctionSource, set[str]] = field(default_factory=dict)
    #: functions whose calls have to be entered: a run that passed one over wrote memory which the call was given
    wanted: set[FunctionSource] = field(default_factory=set)


class Program:
    """The file under check, the files of the project that it imports, and what all runs know of them."""

    #: counts the runs, if profiling is on
    tally: ClassVar[ProfileCounts | None] = None

    def __init__(self, project: Project, prefilter: Prefilter | None = None) -> None:
        self.last_uid = 0
        #: replaces the table of handlers of `execute` in every run; `explain.tracing` sets it
        self.handlers: Handlers | None = None
        #: the nodes whose writes a run is to observe (`sharing`)
        self.observed: frozenset[ast.AST] = frozenset()
        #: what runs of the file at hand found out for those after them
        self.learnt = Learnt()
        #: the number of instructions after which a run enters no more calls; 0: the default
        self.soft_limit = 0
        #: the instructions of all runs of the file at hand
        self.steps = 0
        #: functions of the file at hand (None: its top level) that were not analysed to their end, and why
        self.cut_short: dict[FunctionSource | None, str] = {}
        #: what functions that were asked for leave open (`schedule.left_open`): not what other files asked for
        self.left_open: dict[FunctionSource, int] = {}
        #: how the file is used from outside, if it does not show that itself: its top level is run with them
        self.drivers: list[Driver] = []
        #: a run is a second look (`schedule.refine`)
        self.second_look = False
        self.prefilter = prefilter or Prefilter(Files(project))
        self.names = self.prefilter.names
        #: the prefilter for the other setting of `want_notes`, if there was one
        self._other_prefilter: Prefilter | None = None
        self._classes: dict[ClassSource, ClassValue] = {}
        #: functions that lead to one that writes, or from the top level of the file under check to a backward: calls of
        #: them are entered
        self.writers: set[FunctionSource] = set()
        self._entered: dict[FunctionSource, bool] = {}
        self._gives: dict[FunctionSource, bool] = {}
        self._returned: dict[FunctionSource, frozenset[ast.AST]] = {}
        self._hands_back: dict[FunctionSource, bool] = {}
        self._asks: dict[tuple[FunctionSource, ClassSource], bool] = {}
        self._set_later: dict[tuple[ClassValue, str, Module], bool] = {}
        self._filled_later: dict[Module, frozenset[str]] = {}
        self.built = Built()
        #: the runs of the file at hand
        self.runs: list[Run] = []
        #: values of top-level names that do not depend on the run
        self.known_names: dict[tuple[Module, str], Value] = {}

    @property
    def files(self) -> Files:
        """The parsed files of the project."""
        return self.prefilter.files

    @property
    def declared(self) -> Declared:
        """The declarations of functions, in comments and in the configuration."""
        return self.prefilter.declared

    def begin(self) -> None:
        """Forget what runs of other files left: the findings of a file must not depend on the order of files."""
        self.forget_objects()
        self.close()
        self.last_uid = self.steps = 0
        self.drivers = []
        self.learnt = Learnt()
        of_runs = (
            self.cut_short,
            self.left_open,
            self.known_names,
            self._classes,
            self._set_later,
        )
        # answers that depend on the file under check
        of_text = (self._entered, self._gives, self._asks)
        for known in (*of_runs, *of_text):
            known.clear()

    def close(self) -> None:
        """Drop what the runs of the file at hand hold, once nobody asks them anything."""
        for run in self.runs:
            run.close()
        self.runs.clear()

    def want_notes(self, wanted: bool) -> None:
        """Set whether findings are wanted that do not affect results, such as writes without gain."""
        if self.prefilter.notes != wanted:
            others = self._other_prefilter or Prefilter(self.files)
            others.notes = wanted
            self.prefilter, self._other_prefilter = others, self.prefilter

    def building_run(self, module: Module) -> Run:
        """A run that builds objects for all runs."""
        from .frames import Frame
        from .interpreter import Interpreter

        run = Interpreter(self, builds=True)
        run.frame = Frame(run.uid(), module, None, None, None, None)
        run.frames[run.frame.uid] = run.frame
        return run

    def enters(self, source: FunctionSource) -> bool:
        """Whether every run enters calls of the function.

        It may set state or register forward hooks, or it writes something that its caller may know of (`left_open`).
        """
        known = self._entered.get(source)
        if known is None:
            known = self.prefilter.keeps(source) or sets_state(source)
            known = self._entered[source] = known or any(map(source.mentions, _CHANGES_LATER))
        return known or source in self.writers or self.leaves_something(source)

    def leaves_something(self, source: FunctionSource) -> bool:
        """Whether a function may write something that its callers may know of."""
        source = source.origin or source
        leaves = self.left_open.get(source)
        return source in self.prefilter.writers.of(source.module) if leaves is None else leaves > 0

    def gives_writer(self, source: FunctionSource) -> bool:
        """Whether a function returns an object with a method in the project that writes."""
        known = self._gives.get(source)
        if known is None:
            from ..prefilter import receiver_types

            known = self._gives[source] = receiver_types.gives_writer(self.prefilter, source)
        return known

    def may_return(self, source: FunctionSource | None, call: ast.AST) -> bool:
        """Whether a function (None: the top level) may return the result of a call in it."""
        if source is None:
            return True
        known = self._returned.get(source)
        if known is None:
            from ..syntax import return_values

            known = self._returned[source] = return_values.returned_calls(source)
        return call in known

    def may_come_by_a_star(self, module: Module, name: str) -> bool:
        """Whether only an `import *` from outside the project may bind a name at the top level of a file."""
        return (
            not module.binds(name)
            and name not in module.multiple
            and any(
                star.partition(".")[0] != "torch" and self.files.resolve(star, module.filename, level) is None
                for star, level in module.stars
            )
        )

    def hands_back(self, source: FunctionSource) -> bool:
        """Whether a function returns its first argument, as a decorator that only registers does."""
        known = self._hands_back.get(source)
        if known is None:
            from ..syntax import return_values

            known = self._hands_back[source] = return_values.returns_its_first(source)
        return known

    def asks_to_write(self, source: FunctionSource, cls: ClassSource) -> bool:
        """Whether a function may call a writing method of an object of the class that it is given."""
        known = self._asks.get((source, cls))
        if known is None:
            from ..prefilter import receiver_types

            known = self._asks[source, cls] = receiver_types.may_ask(self.prefilter, source, cls)
        return known

    def forget_objects(self) -> None:
        """Drop the objects that were built and their literals."""
        self.built = Built()
        guards.forget()

    def is_set_later(self, cls: ClassValue, name: str, module: Module) -> bool:
        """Whether code outside of `__init__` may set an attribute, in the files of the class or in `module`."""
        key = (cls, name, module)
        known = self._set_later.get(key)
        if known is None:
            known = self._set_later[key] = any(sets_outside_of_init(f, name) for f in _files(cls, module))
        return known

    def is_filled_later(self, cls: ClassValue, name: str, module: Module) -> bool:
        """Whether code outside of `__init__` may add elements to a container in an attribute."""
        for file in _files(cls, module):
            if file not in self._filled_later:
                self._filled_later[file] = _filled_outside_of_init(file)
            if name in self._filled_later[file]:
                return True
        return False

    def is_counted(self, cls: ClassValue, name: str) -> bool:
        """Whether a method of the class, other than `__init__`, counts an attribute up or down."""
        return any(
            how == "+"
            for owner in cls.order()
            for method in owner.source.methods.values()
            if method.name != "__init__"
            for how, _, _ in self.prefilter.assigned(method).names.get(f".{name}", ())
        )

    def replaces(self, cls: ClassValue, name: str) -> bool:
        """Whether an `__init__` of the class assigns an attribute of that name, which hides the class's method."""
        inits = [owner.source.methods.get("__init__") for owner in cls.order()]
        return any(init and f".{name}" in self.prefilter.assigned(init).names for init in inits)

    def class_value(self, source: ClassSource) -> ClassValue:
        """The one value of a class; its bases are filled in when they are first evaluated."""
        known = self._classes.get(source)
        if known is None:
            from .class_value import ClassValue

            known = self._classes[source] = ClassValue(source)
        return known


#: What a function mentions that may change how later code acts: hooks of modules, names outside of it.
_CHANGES_LATER = (b".register_forward_", b"nonlocal ", b"global ")


def _files(cls: ClassValue, module: Module) -> dict[Module, None]:
    """The given file, and those of the class and its bases."""
    return {module: None} | dict.fromkeys(c.source.module for c in cls.order())


def _filled_outside_of_init(module: Module) -> frozenset[str]:
    """The attributes that code outside of `__init__` sets, or to which it adds elements, in a file."""
    found = set()
    pending: list[ast.AST] = [module.tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            inner = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
            pending += [one for one in ast.walk(node) if one is not node and isinstance(one, inner)]
            continue
        place: ast.AST | None = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in FILLS:
            place = node.func.value
        elif isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store):
            place = node
        while isinstance(place, ast.Subscript):
            place = place.value
        if isinstance(place, ast.Attribute):
            found.add(place.attr)
        pending += ast.iter_child_nodes(node)
    return frozenset(found)
