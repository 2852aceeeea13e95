"""What all runs share: the parsed files, the classes, the objects that a class's `__init__` builds."""

from __future__ import annotations

from ..syntax.module import Module, UnreadableFile
from .frames import State
from .values import ClassValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast

    from ..project.modules import Project
    from ..syntax.module import ClassSource, FunctionSource
    from .execute import Handlers
    from .run import Run
    from .values import Instance


#: How many literals are set aside for what objects are built from.
BASE_BITS = 256

#: Parsed files are kept while a project is checked, so that a module that many import is parsed once.
_KEPT = 150
_latest: tuple[Project, Program] | None = None


def of_project(project: Project) -> Program:
    """The program of a project, made anew when it has grown large."""
    global _latest
    if _latest is None or _latest[0] is not project or _latest[1].size() > _KEPT:
        if _latest is not None:
            import gc

            _latest = None
            gc.collect()  # files, runs and frames refer to each other: only a full collection lets go of them
        _latest = (project, Program(project))
    return _latest[1]


class Program:
    """A file under check and the files of its project that it imports, parsed when first asked for."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.last_uid = 0
        #: used by every run in place of `execute`'s own table: how `watch` sees what happens
        self.handlers: Handlers | None = None
        #: the nodes whose writes a run is to observe (`sharing`)
        self.observed: frozenset[ast.AST] = frozenset()
        self._modules: dict[str, Module | None] = {}
        self._classes: dict[int, ClassValue] = {}
        self._candidates: dict[str, frozenset[FunctionSource]] = {}
        #: functions without a candidate of their own that turned out to call one that writes
        self.writers: set[FunctionSource] = set()
        #: one object of each class; what their `__init__` left stands in `base`, under every run
        self.built: dict[ClassValue, Instance] = {}
        self.base = State()
        #: literals below this bit belong to `base`, those above to the run that made them
        self.base_bits = 0
        self.doubtful = 0
        self.evaluation = 0

    def size(self) -> int:
        """How many files are held."""
        return len(self._modules)

    def building_run(self, module: Module) -> Run:
        """A run in which objects are built that every run shares."""
        from .frames import Frame
        from .run import Run

        run = Run(self, builds=True)
        run.frame = Frame(run.uid(), module, None, None, None, None)
        run.frames[run.frame.uid] = run.frame
        return run

    def enters(self, source: FunctionSource) -> bool:
        """Whether a call of the function is followed in every run: something in it, or under it, may write."""
        if source in self.writers:
            return True
        from .screen import sets_state, with_candidates

        chosen = self._candidates.get(source.module.filename)
        if chosen is None:
            chosen = self._candidates[source.module.filename] = frozenset(with_candidates(source.module))
        if source in chosen:
            return True
        if sets_state(source):
            self.writers.add(source)
            return True
        return False

    def forget_objects(self) -> None:
        """Start anew with what is built, when the literals set aside for it run out."""
        self.built = {}
        self.base = State()
        self.base_bits = self.doubtful = self.evaluation = 0

    def add(self, module: Module) -> None:
        if self._modules.get(module.filename) is not module:
            self._candidates.pop(module.filename, None)  # its text may have changed
        self._modules[module.filename] = module

    def module(self, filename: str) -> Module | None:
        """The parsed file; None if it cannot be read (its own check says so)."""
        if filename not in self._modules:
            try:
                with open(filename, "rb") as file:
                    self._modules[filename] = Module(filename, file.read())
            except (OSError, UnreadableFile, RecursionError):
                self._modules[filename] = None
        return self._modules[filename]

    def resolve(self, module: str, importer: str, level: int) -> Module | None:
        """The project's file that an import means, or None."""
        filename = self.project.resolve(module, importer, level)
        return None if filename is None else self.module(filename)

    def class_value(self, source: ClassSource) -> ClassValue:
        """The one value of a class. Its bases are filled in by whoever first evaluates them."""
        known = self._classes.get(id(source))
        if known is None:
            known = self._classes[id(source)] = ClassValue(source)
        return known
