"""What the text of a program's files says of their functions, computed on demand and cached."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..resolve.classes import Classes
from ..resolve.names import Names
from ..syntax.module import Module
from ..torchmodel.declared import Declared
from . import assignments, constructor_arguments, grad_mode, init_attributes, initializers, made_elsewhere
from .constructor_arguments import ConstructorArguments
from .may_write import MayWrite
from .other_files import OtherFiles
from .registrations import Registrations
from .sole_methods import SoleMethods
from .text_screen import with_candidates

if TYPE_CHECKING:
    from ..syntax.argument_uses import ArgumentUses
    from ..syntax.files import Files
    from ..syntax.module import ClassSource, FunctionSource
    from .assignments import Assignments


class Prefilter:
    """What is known of a program's functions without running them, and what they were found to leave open."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.declared = Declared(files)
        self.names = Names(files, self.declared)
        self.classes = Classes(self.names)
        #: whether notes on in-place ops that save no memory are wanted
        self.notes = False
        self.writers = MayWrite(self)
        self.registrations = Registrations(self)
        self.sole_methods = SoleMethods(files)
        self.others = OtherFiles(files, self.classes)
        #: what functions leave open for their callers, as far as that was found out (`schedule.left_open`)
        self.left_open: dict[FunctionSource, int] = {}
        self._assigned: dict[FunctionSource, Assignments] = {}
        self._methods: dict[ClassSource, dict[str, FunctionSource]] = {}
        self._candidates: dict[Module, dict[FunctionSource, None]] = {}
        self._asked: dict[FunctionSource, ArgumentUses] = {}
        self._keepers: dict[FunctionSource, bool] = {}
        self._known_elsewhere: dict[FunctionSource, bool] = {}
        self._given: dict[Module, ConstructorArguments] = {}
        self._choices: dict[tuple[FunctionSource, str], list[tuple[Module, ast.expr]]] = {}

    def renewed(self, files: Files) -> Prefilter:
        """A prefilter for the next files, with all that is known of the files in `files.lasting`."""
        found = Prefilter(files)
        found.notes = self.notes

        def lasts(of: Module | ClassSource | FunctionSource) -> bool:
            module = of if isinstance(of, Module) else of.module
            return module.filename in files.lasting and files.holds(module)

        found.writers.known = {key: value for key, value in self.writers.known.items() if lasts(key)}
        found.left_open = {key: value for key, value in self.left_open.items() if lasts(key)}
        found._candidates = {key: value for key, value in self._candidates.items() if lasts(key)}
        found._assigned = {key: value for key, value in self._assigned.items() if lasts(key)}
        found._asked = {key: value for key, value in self._asked.items() if lasts(key)}
        found._keepers = {key: value for key, value in self._keepers.items() if lasts(key)}
        found.classes.orders = {key: value for key, value in self.classes.orders.items() if lasts(key)}
        found._methods = {key: value for key, value in self._methods.items() if lasts(key)}
        return found

    def candidates(self, module: Module) -> dict[FunctionSource, None]:
        """The functions of a file whose text shows a possible write."""
        known = self._candidates.get(module)
        if known is None:
            if b"_(" in module.source:
                initializers.of_project(self, module)
            self.declared.mark(module)
            known = self._candidates[module] = with_candidates(module)
            known.update(dict.fromkeys(self.declared.writers(module)))
            known.update(dict.fromkeys(made_elsewhere.writing(self, module)))
        return known

    def may_write(self, source: FunctionSource) -> bool:
        """Whether a call of the function may lead to a write of an argument, or of the object of a method."""
        source = source.origin or source
        return self.keeps(source) or source in self.writers.of(source.module)

    def keeps(self, source: FunctionSource) -> bool:
        """Whether the function may assign to an attribute of an argument."""
        known = self._keepers.get(source)
        if known is None:
            known = False
            if source.name != "__init__":
                given = {p.arg for p in (*source.parameters, *source.node.args.kwonlyargs)}
                known = not given.isdisjoint(source.module.kept_in(source))
            self._keepers[source] = known
        return known

    def is_known_elsewhere(self, init: FunctionSource) -> bool:
        """Whether an `__init__` puts its object into a list or table that others look through."""
        known = self._known_elsewhere.get(init)
        if known is None:
            known = self._known_elsewhere[init] = init_attributes.puts_object_elsewhere(init)
        return known

    def passes_over(self, source: FunctionSource) -> bool:
        """Whether the function is run only on demand, since no error can be in it alone."""
        return not self.notes and grad_mode.concerns_nobody(self, source)

    def methods(self, cls: ClassSource) -> dict[str, FunctionSource]:
        """The methods of a class and its bases by name, without `__init__`."""
        found = self._methods.get(cls)
        if found is None:
            found = self._methods[cls] = {}
            for owner in self.classes.order(cls):
                if not isinstance(owner, str):
                    for name, method in owner.methods.items():
                        found.setdefault(name, method)
            found.pop("__init__", None)
        return found

    def given(self, init: FunctionSource, name: str) -> list[tuple[Module, ast.expr]]:
        """What its own file passes to a constructor for a parameter; else others, if the class calls it: `block(…)`."""
        module, owner = init.module, init.owner
        if init.name != "__init__" or owner is None:
            return []
        key = (init, name)
        if key not in self._choices:
            found = [(module, one) for one in self.passed_in(module).choices(init, name)]
            if not found and name.encode() + b"(" in owner.text:
                found = constructor_arguments.from_other_files(self, init, name)
            self._choices[key] = found
        return self._choices[key]

    def passed_in(self, module: Module) -> ConstructorArguments:
        """What a file passes to constructors."""
        if module not in self._given:
            self._given[module] = ConstructorArguments(module, self.names)
        return self._given[module]

    def assigned(self, source: FunctionSource) -> Assignments:
        """The index of a function's assignments."""
        known = self._assigned.get(source)
        if known is None:
            node = source.node
            receiver = source.parameters[0].arg if source.owner is not None and source.parameters else ""
            body: list[ast.stmt] = [] if isinstance(node, ast.Lambda) else node.body
            known = self._assigned[source] = assignments.Assignments(body, receiver)
        return known

    def asked(self, source: FunctionSource) -> ArgumentUses:
        """The uses of a function's arguments."""
        known = self._asked.get(source)
        if known is None:
            from ..syntax.argument_uses import ArgumentUses

            known = self._asked[source] = ArgumentUses(source)
        return known
