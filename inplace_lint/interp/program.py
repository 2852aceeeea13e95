"""Holds what all runs on a file share: parsed files, class values, and the objects that an `__init__` builds."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, ClassVar

from ..prefilter.selection import suspects
from ..prefilter.summaries import Prefilter
from ..prefilter.text_screen import sets_state
from ..syntax.files import Files
from . import guards
from .guards import WEAKENED

if TYPE_CHECKING:
    import ast
    from collections.abc import Hashable

    from ..project.modules import Project
    from ..syntax.module import ClassSource, FunctionSource, Module
    from .execute import Handlers
    from .frames import State
    from .profile_counts import ProfileCounts
    from .run import Run
    from .values import ClassValue, Instance, Value


#: With more literals than this for what objects are built from, all is built anew: guards are masks of these bits.
BASE_BITS = 4096
#: Parsed files are kept while a project is checked, so that a module that many import is parsed once. When so many
#: have come together, those that nobody imported are let go.
_KEPT = 600
#: Of so many files, parsed since the last time, it is worth the time to look for what only refers to itself.
_COLLECTED = 10 * _KEPT
_latest: tuple[Project, Program] | None = None
_parsed = 0


def of_project(project: Project) -> Program:
    """The program of a project, made anew when it has grown large."""
    global _latest, _parsed
    if _latest is not None and _latest[0] is project and _latest[1].files.grown() <= _KEPT:
        return _latest[1]
    prefilter = None
    if _latest is not None:
        _parsed += _latest[1].files.grown()
        files = _latest[1].files.renew()
        if files.project is project:
            prefilter = _latest[1].prefilter.renewed(files)
        _latest = None
        if _parsed >= _COLLECTED:
            import gc

            _parsed = 0
            gc.collect()  # what runs leave behind refers to itself
    _latest = (project, Program(project, prefilter))
    return _latest[1]


def forget(everything: bool) -> None:
    """Let go what rests on files that no longer hold what was read of them; or everything."""
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
    """What classes' `__init__` build, for all runs; and the literals on which it depends what these objects hold."""

    def __init__(self) -> None:
        #: one object of each class; what their `__init__` left stands in `base`, under every run
        self.objects: dict[ClassValue, Instance] = {}
        self._base: State | None = None
        #: what the top level of files binds to names, for the runs that build objects
        self.names: dict[tuple[Module, str], Value] = {}
        #: how many literals there are: even bits belong to these, odd ones to the run that made them
        self.count = 1  # the first is that of weakened guards
        #: ... and for which tests they stand
        self.bits: dict[Hashable, int] = {}
        #: those of paths that are only guessed at, and of evaluation mode
        self.doubtful = WEAKENED
        self.evaluation = 0
        #: the methods that were run on objects to set what their `__init__` leaves out (`late_attributes`)
        self.set_up: set[tuple[Instance, FunctionSource]] = set()
        #: pairs of literals that do not both hold
        self.exclusive: list[int] = []
        #: those that hold only where an object is built with a flag that is off by default
        self.asked_for_in_building = 0
        #: those that hold only where an object is built with a word that is not the default
        self.other_words = 0

    @property
    def base(self) -> State:
        """The state under every run."""
        if self._base is None:
            from .frames import State

            self._base = State()
        return self._base


class Program:
    """A file under check and the files of its project that it imports, and what is known of them."""

    #: what counts the runs, where somebody asked for it
    tally: ClassVar[ProfileCounts | None] = None

    def __init__(self, project: Project, prefilter: Prefilter | None = None) -> None:
        self.last_uid = 0
        #: used by every run in place of `execute`'s own table: how `explain.tracing` sees what happens
        self.handlers: Handlers | None = None
        #: the nodes whose writes a run is to observe (`sharing`)
        self.observed: frozenset[ast.AST] = frozenset()
        #: arguments that a run found to be tensors, by function
        self.tensors: dict[FunctionSource, set[str]] = {}
        #: how many instructions a run may grow to before it enters no more calls; 0 is the usual number
        self.soft_limit = 0
        #: functions of the file at hand (None: its top level) that were not analysed to their end, and why
        self.cut_short: dict[FunctionSource | None, str] = {}
        #: a run is a second look (`schedule.refine`)
        self.second_look = False
        self.prefilter = prefilter or Prefilter(Files(project))
        self.files = self.prefilter.files
        #: what somebody has said of functions, in comments and in the configuration
        self.declared = self.prefilter.declared
        self.names = self.prefilter.names
        #: those made for the other wish (`want_notes`), if there were any
        self._other_prefilter: Prefilter | None = None
        self._classes: dict[ClassSource, ClassValue] = {}
        #: callers, in the file at hand, of functions that write: entered all the same
        self.writers: set[FunctionSource] = set()
        self._entered: dict[FunctionSource, bool] = {}
        self._gives: dict[FunctionSource, bool] = {}
        self._returned: dict[FunctionSource, frozenset[ast.AST]] = {}
        self._hands_back: dict[FunctionSource, bool] = {}
        self._asks: dict[tuple[FunctionSource, ClassSource], bool] = {}
        self._set_later: dict[tuple[ClassValue, str, Module], bool] = {}
        self._filled_later: dict[Module, frozenset[str]] = {}
        self.built = Built()
        #: what the top level of files binds to names, where it is the same in each run
        self.known_names: dict[tuple[Module, str], Value] = {}

    def roots(self, module: Module) -> list[FunctionSource | None]:
        """What of a file is worth a run; the engine itself is only imported where there is something."""
        self.files.add(module)
        self._begin()
        return suspects(self.prefilter, module)

    def _begin(self) -> None:
        """Forget what runs of other files left: how tests are numbered, and all that follows, is each file's own."""
        self.forget_objects()
        self.last_uid = 0
        of_runs = (self.tensors, self.cut_short, self.known_names, self._classes, self._set_later)
        # what writes for the sake of one file may not for that of another
        of_sketches = (self._entered, self._gives, self._asks)
        for known in (*of_runs, *of_sketches):
            known.clear()

    def want_notes(self, wanted: bool) -> None:
        """Whether findings are looked for that change nothing about the outcome."""
        if self.prefilter.notes != wanted:
            others = self._other_prefilter or Prefilter(self.files)
            others.notes = wanted
            self.prefilter, self._other_prefilter = others, self.prefilter

    def building_run(self, module: Module) -> Run:
        """A run in which objects are built that every run shares."""
        from .frames import Frame
        from .interpreter import Interpreter

        run = Interpreter(self, builds=True)
        run.frame = Frame(run.uid(), module, None, None, None, None)
        run.frames[run.frame.uid] = run.frame
        return run

    def enters(self, source: FunctionSource) -> bool:
        """Whether a call of the function is followed in every run: it, or what it calls or hooks on, may write."""
        known = self._entered.get(source)
        if known is None:
            prefilter = self.prefilter
            known = prefilter.may_write(source) or sets_state(source) or prefilter.is_suspicious(source)
            known = known or source.mentions(b".register_forward_")
            self._entered[source] = known
        return known or source in self.writers

    def gives_writer(self, source: FunctionSource) -> bool:
        """Whether a function returns an object that has a method of the project's own which writes."""
        known = self._gives.get(source)
        if known is None:
            from ..prefilter import receiver_types

            known = self._gives[source] = receiver_types.gives_writer(self.prefilter, source)
        return known

    def may_return(self, source: FunctionSource | None, call: ast.AST) -> bool:
        """Whether what a call gives may be what the function around it returns."""
        if source is None:
            return True
        known = self._returned.get(source)
        if known is None:
            from ..syntax import return_values

            known = self._returned[source] = return_values.returned_calls(source)
        return call in known

    def hands_back(self, source: FunctionSource) -> bool:
        """Whether a function returns what it was given first: as a decorator, it leaves a function as it is."""
        known = self._hands_back.get(source)
        if known is None:
            from ..syntax import return_values

            known = self._hands_back[source] = return_values.returns_its_first(source)
        return known

    def asks_to_write(self, source: FunctionSource, cls: ClassSource) -> bool:
        """Whether a function that is given an object of the class may call a method of it that writes."""
        known = self._asks.get((source, cls))
        if known is None:
            from ..prefilter import receiver_types

            known = self._asks[source, cls] = receiver_types.may_ask(self.prefilter, source, cls)
        return known

    def forget_objects(self) -> None:
        """Start anew with what is built, when the literals set aside for it run out."""
        self.built = Built()
        guards.forget()

    def is_set_later(self, cls: ClassValue, name: str, module: Module) -> bool:
        """Whether anything but an `__init__` may set an attribute: in the files of the class, or in the one at hand."""
        key = (cls, name, module)
        known = self._set_later.get(key)
        if known is None:
            known = self._set_later[key] = any(_sets_outside_of_init(f, name) for f in _files(cls, module))
        return known

    def is_filled_later(self, cls: ClassValue, name: str, module: Module) -> bool:
        """Whether anything but an `__init__` may put something into a container that an attribute holds."""
        for file in _files(cls, module):
            if file not in self._filled_later:
                self._filled_later[file] = _filled_outside_of_init(file)
            if name in self._filled_later[file]:
                return True
        return False

    def class_value(self, source: ClassSource) -> ClassValue:
        """The one value of a class. Its bases are filled in by whoever first evaluates them."""
        known = self._classes.get(source)
        if known is None:
            from .values import ClassValue

            known = self._classes[source] = ClassValue(source)
        return known


#: Methods that put something into a list, a set or a dict.
_FILLS = frozenset("append appendleft extend insert add update setdefault".split())


def _files(cls: ClassValue, module: Module) -> dict[Module, None]:
    """The file at hand, and those of the class and its bases."""
    return {module: None} | dict.fromkeys(c.source.module for c in cls.order())


def _filled_outside_of_init(module: Module) -> frozenset[str]:
    """The attributes that are set, or whose elements are, by anything in a file that does not run in an `__init__`."""
    found = set()
    pending: list[ast.AST] = [module.tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            inner = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
            pending += [one for one in ast.walk(node) if one is not node and isinstance(one, inner)]
            continue
        place: ast.AST | None = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _FILLS:
            place = node.func.value
        elif isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store):
            place = node
        while isinstance(place, ast.Subscript):
            place = place.value
        if isinstance(place, ast.Attribute):
            found.add(place.attr)
        pending += ast.iter_child_nodes(node)
    return frozenset(found)


def _sets_outside_of_init(module: Module, name: str) -> bool:
    pattern = rb"\.%s\b[^=\n(]*=(?!=)|\bsetattr\(" % re.escape(name.encode())
    functions = module.functions_in_order()
    row, before = 1, 0
    for match in re.finditer(pattern, module.source):
        row += module.source.count(b"\n", before, match.start())
        before = match.start()
        around = [f for f in functions if f.node.lineno <= row <= (f.node.end_lineno or 0)]
        if not around or max(around, key=lambda f: f.node.lineno).name != "__init__":
            return True
    return False
