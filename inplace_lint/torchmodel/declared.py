"""Turns declarations such as `# inplace-lint: writes(x)` into summaries in the form of the op table.

Each becomes an `Op`, so whatever applies torch's own ops applies it too. docs/models.md lists the words.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from ..project.declarations import RESULT
from . import table
from .facts import DECLARED, DECLARED_METHOD
from .op import Op, Row
from .spelling import MODES, above, canonical

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..project.declarations import Declaration
    from ..project.modules import Project
    from ..syntax.custom_ops import CustomOp
    from ..syntax.declarations import Declarations
    from ..syntax.files import Files
    from ..syntax.module import ClassSource, FunctionSource, Module
    from .module import Module as Layer

_RETURNED = {"new": "new", "unknown": "unknown", "no_tensor": "other"}
_FORWARDS = ("forward", "__call__")
_OWN = b"inplace-lint:"
#: Prefixes of the module wrappers that `wrappers.py` models.
_WRAPPING = ("torch.nn.DataParallel", "torch.nn.parallel.")
#: The prefix of every operator's public name, and the parts of that name: `torch.ops.namespace.name`.
_OPERATORS = "torch.ops."
_PARTS = 4
#: Operator definitions are looked for at most this many imports away, and in at most so many files.
_AWAY = 2
_FILES = 64
_WRAPPERS = Path(__file__).with_name("wrappers.py")
#: Mentions of `torch.ops`. Many packages have an `ops` of their own, and looking for operators reads files.
_OPS = re.compile(rb"\btorch\.ops\b|\bfrom torch import\b[^\n]*\bops\b|\bimport torch as\b")


class Declared:
    """The declarations for functions of a project, and for external functions that it calls."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._wrappers: Module | None = None
        self._project: Project = files.project
        #: the configuration's declarations, by module and by name in it
        self._configured: dict[str, dict[str, Declaration]] = {}
        #: ... and the same by dotted name, for functions whose source is not read
        self._dotted: dict[str, Declaration] = {}
        self._methods: dict[str, list[str]] = {}
        for key, said in files.project.models:
            module, _, name = key.partition(":")
            self._configured.setdefault(module, {})[name] = said
            dotted = f"{module}.{name}"
            if name.endswith(".forward"):
                dotted = dotted.removesuffix(".forward")
            self._dotted[dotted] = said
            owner, _, method = name.rpartition(".")
            if owner:
                self._methods.setdefault(f"{module}.{owner}", []).append(method)
        self._functions: dict[str, Op] = {}
        self._layers: dict[str, Layer] = {}
        self._made: dict[Module, list[CustomOp]] = {}
        self._in_sight: dict[Module, dict[str, CustomOp]] = {}
        self._of_file: dict[Module, dict[FunctionSource, tuple[Declaration, Op]]] = {}
        self._said: dict[Module, Declarations] = {}

    def function(self, dotted: str, module: Module) -> Op | None:
        """The op declared for an external function or method that `module` calls by this dotted name, or None."""
        if dotted.startswith(_OPERATORS):
            dotted = _operator(dotted)
            if dotted not in self._dotted:
                return self._operation(dotted, module)
        if dotted not in self._dotted or self._is_layer(dotted):
            return None
        known = self._functions.get(dotted)
        if known is None:
            said = self._dotted[dotted]
            taken = None if said.takes is None else _as_taken(said.takes)
            known = self._functions[dotted] = operation(dotted, said, taken)
        return known

    def _operation(self, dotted: str, module: Module) -> Op | None:
        made = self.operators(module).get(dotted)
        if made is None:
            return None
        known = self._functions.get(made.said.text)
        if known is None:
            known = self._functions[made.said.text] = operation(dotted, made.said, _as_taken(made.taken))
        return known

    def operators(self, module: Module) -> dict[str, CustomOp]:
        """The custom operators defined in `module` or in files it imports, by the name that calls them."""
        known = self._in_sight.get(module)
        if known is None:
            known = self._in_sight[module] = {}
            seen = {module: None}
            latest = [module]
            for _ in range(_AWAY):
                latest = [one for file in latest for one in self._imported(file) if one not in seen]
                seen.update(dict.fromkeys(latest[: _FILES - len(seen)]))
            for file in reversed(seen):
                known.update({one.dotted: one for one in self._made_in(file)})
        return known

    def _imported(self, module: Module) -> list[Module]:
        names = [(one.module, one.member, one.level) for one in module.imports.values()]
        found = [self._files.imported(module, *name) for name in dict.fromkeys(names)]
        stars = [self._files.resolve(star, module.filename, level) for star, level in module.stars]
        return [one for one in (*(pair[0] for pair in found if pair), *stars) if one is not None]

    def _made_in(self, module: Module) -> list[CustomOp]:
        known = self._made.get(module)
        if known is None:
            known = []
            if b"library" in module.source or b"Library(" in module.source:
                from ..syntax.custom_ops import of_file

                known = of_file(module)
            self._made[module] = known
        return known

    def layer(self, dotted: str) -> Layer | None:
        """The layer declared for an external `nn.Module` class, or None."""
        if dotted not in self._dotted or not self._is_layer(dotted):
            return None
        known = self._layers.get(dotted)
        if known is None:
            said = self._dotted[dotted]
            taken = None if said.takes is None else _as_taken(said.takes)
            known = self._layers[dotted] = _layer(dotted, said, taken)
        return known

    def methods(self, dotted: str) -> list[str]:
        """The methods of an external class that have declarations."""
        return self._methods.get(dotted, [])

    def _is_layer(self, dotted: str) -> bool:
        said = self._dotted[dotted]
        module, _, name = dotted.rpartition(".")
        return said.module or f"{name}.forward" in self._configured.get(module, ())

    def said(self, source: FunctionSource) -> Declaration | None:
        """The declaration of a function of the project, or None."""
        found = self._in(source.module).get(source.origin or source)
        return None if found is None else found[0]

    def is_function(self, what: object, module: Module) -> bool:
        """Whether `what` is a declared function: of the project (it has a `source`) or external (a `dotted` name)."""
        source, dotted = getattr(what, "source", None), getattr(what, "dotted", None)
        if source is not None:
            return source in self._in(source.module)
        return dotted is not None and self.function(dotted, module) is not None

    # Names from outside the project: implements `resolve.names.Outside`

    def canonical(self, dotted: str) -> str:
        """The name under which the op table knows this one: public names have several spellings."""
        return canonical(dotted)

    def bases(self, dotted: str) -> Sequence[str]:
        """The bases of an external class, as far as they matter for attribute look-up."""
        return above(dotted)

    def stand_in(self, dotted: str) -> ClassSource | None:
        """The class in `wrappers.py` that models this external one, or None."""
        if not dotted.startswith(_WRAPPING):
            return None
        if self._wrappers is None:
            from ..syntax.module import Module  # only for programs that use wrappers

            self._wrappers = Module(str(_WRAPPERS), _WRAPPERS.read_bytes())
        return self._wrappers.classes.get(dotted.rpartition(".")[2])

    def is_stand_in(self, module: Module) -> bool:
        """Whether a file is `wrappers.py`, which no place that is shown may name."""
        return module is self._wrappers

    def knows(self, dotted: str, module: Module) -> bool:
        """Whether the name is torch's or has a declaration."""
        of_torch = canonical(dotted)
        return (
            table.exists_function(of_torch)
            or table.module(of_torch) is not None
            or of_torch in MODES
            or self.said_of(dotted, module) is not None
        )

    def said_of(self, dotted: str, module: Module) -> Declaration | None:
        """The declaration of an external function, method or module, or None."""
        if dotted.startswith(_OPERATORS):
            dotted = _operator(dotted)
            made = None if dotted in self._dotted else self.operators(module).get(dotted)
            if made is not None:
                return made.said
        return self._dotted.get(dotted)

    def of(self, source: FunctionSource) -> Op | None:
        """The op declared for a function of the project, or None."""
        found = self._in(source.module).get(source.origin or source)
        return None if found is None else found[1]

    def comments(self, module: Module) -> Declarations:
        """The declarations in a file's comments, and the faults in them."""
        known = self._said.get(module)
        if known is None:
            from ..syntax.declarations import of_file

            known = self._said[module] = of_file(module)
        return known

    def speaks_of(self, module: Module) -> bool:
        """Whether a file has declared functions, or comments with faulty declarations."""
        return bool(self._in(module)) or (_OWN in module.commented and bool(self.comments(module).faults))

    def functions(self, module: Module) -> list[FunctionSource]:
        """The functions of a file that have declarations."""
        return [*self._in(module)]

    def writers(self, module: Module) -> list[FunctionSource]:
        """The functions of a file that are declared to write a parameter."""
        return [source for source, (said, _) in self._in(module).items() if said.written()]

    def _in(self, module: Module) -> dict[FunctionSource, tuple[Declaration, Op]]:
        known = self._of_file.get(module)
        if known is None:
            known = self._of_file[module] = {}
            if self._configured or _OWN in module.commented or b"library" in module.source:
                self._fill(module, known)
        return known

    def _fill(self, module: Module, known: dict[FunctionSource, tuple[Declaration, Op]]) -> None:
        for made in self._made_in(module):
            if made.source is not None:
                known[made.source] = (made.said, _of_source(made.source, made.said))
        if _OWN in module.commented:
            for source, (said, _) in self.comments(module).functions.items():
                known[source] = (said, _of_source(source, said))
        configured = None
        if self._configured:
            configured = self._configured.get(self._project.module_name(module.filename))
        for name, said in (configured or {}).items():
            found = _named(module, name.split("."))
            if found is not None:
                known[found] = (said, _of_source(found, said))

    def writes(self, dotted: str, module: Module) -> bool:
        """Whether an external function or module is declared to write a parameter."""
        said = self.said_of(dotted, module)
        return said is not None and bool(said.written())

    def mark(self, module: Module) -> None:
        """Adds the names of writing operators that a file may call to its `writers`, for the prefilter."""
        if b"torch" not in module.source or module.memo.candidates is not None:
            return
        made = self._made_in(module)
        if _OPS.search(module.source):
            made = [*made, *self.operators(module).values()]
        names = [
            name for one in made if one.said.written() for name in (one.dotted.rpartition(".")[2], one.bound)
        ]
        launched = [source.name for source in self.writers(module)]
        module.writers = module.writers.union(launched, filter(None, names))


def _operator(dotted: str) -> str:
    """The operator's name without an overload: `torch.ops.ns.op` for `torch.ops.ns.op.default`."""
    return ".".join(dotted.split(".")[:_PARTS])


def _named(module: Module, path: list[str]) -> FunctionSource | None:
    """The function at this path in a file; for a class, its `forward` or `__call__`."""
    name, *rest = path
    if not rest and name in module.functions:
        return module.functions[name]
    cls = module.classes.get(name)
    if cls is None or len(rest) > 1:
        return None
    names = rest or _FORWARDS
    return next((cls.methods[one] for one in names if one in cls.methods), None)


def _of_source(source: FunctionSource, said: Declaration) -> Op:
    arguments = source.node.args
    taken = [("", one.arg) for one in source.parameters]
    if arguments.vararg is not None:
        taken.append(("*", arguments.vararg.arg))
    elif arguments.kwonlyargs:
        taken.append(("", "*"))
    taken += [("", one.arg) for one in arguments.kwonlyargs]
    if arguments.kwarg is not None:
        taken.append(("**", arguments.kwarg.arg))
    # `interp.calls` passes the object as the first argument of a method.
    return operation(source.name, said, taken, DECLARED_METHOD if source.receiver else DECLARED)


def _as_taken(names: tuple[str, ...]) -> list[tuple[str, str]]:
    found = []
    for name in names:
        plain = name.lstrip("*/")
        if plain:
            found.append((name[: len(name) - len(plain)], plain))
        elif name == "*":
            found.append(("", "*"))
    return found


def operation(name: str, said: Declaration, taken: list[tuple[str, str]] | None, key: str = DECLARED) -> Op:
    """Makes the op; `taken` are the parameters with their stars, None if any arguments may come."""
    signature, behaviour = _row(name, said, taken)
    # Overload choices are cached by the op's name, so the name contains everything that tells two ops apart.
    return Op(f"{key}|{signature}|{behaviour}|.{name}", [Row(key, signature, behaviour)])


def _layer(dotted: str, said: Declaration, taken: list[tuple[str, str]] | None) -> Layer:
    from .module import Module as Layer

    signature, behaviour = _row(dotted, said, taken)
    return Layer(DECLARED, ["rest:k", signature, "1" if said.parameters else "", behaviour])


def _row(name: str, said: Declaration, taken: list[tuple[str, str]] | None) -> tuple[str, str]:
    """The signature and behaviour texts of a table row, as `facts` parses them."""
    if taken is None:
        taken = [("*", "given")]
    named = said.named()
    words = []
    operands = []
    for stars, one in taken:
        if one == "*":
            words.append(one)
        elif stars == "**":
            words.append(f"{one}:k")
        else:
            code = "m" if one in named else "a"
            words.append(f"{one}:{code}v" if stars else f"{one}:{code}=N")
            operands.append(one)
    if not words or not words[-1].endswith(":k"):
        words.append("rest:k")
    return " ".join(words), _behaviour(name.rpartition(".")[2], said, operands)


def _behaviour(name: str, said: Declaration, operands: list[str]) -> str:
    words = []
    weights = "weight*" if said.parameters else ""
    needs = "+".join([*operands, *([weights] if weights else [])])
    kept = []
    for one in said.saves:
        result, numbered, number = one.partition("#")
        if result != RESULT:
            kept.append(f"{one}?{needs}")
        elif numbered:
            kept.append(f"result{number}=r{number}?{needs}")
        else:
            kept += [
                f"result=r{i}?{needs}" for i, (kind, _) in enumerate(said.returns) if kind != "no_tensor"
            ]
    if kept or weights:
        words.append(f"{name}({','.join(kept)})")
    if operands:
        words.append(f"d:{'+'.join(operands)}")
    if said.writes:
        words.append(f"w:{'+'.join(said.writes)}")
    if said.writes_unseen:
        words.append(f"w!:{'+'.join(said.writes_unseen)}")
    if said.no_grad:
        words.append("nograd")
    if said.detaches:
        words.append("detach")
    mark = "!" if said.detaches or said.no_grad else ""
    returned = [(f"{kind}({of})" if of else _RETURNED[kind]) + mark for kind, of in said.returns]
    return f"{' '.join(words)} -> {','.join(returned)}"
