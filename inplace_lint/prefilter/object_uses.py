"""Finds what may call the objects of a class, in all files: the methods that use the attributes which hold them.

`self.net = Detector()` is followed to the uses of `net`. What builds an object for anything else (a local variable, an
argument, a return value) leaves the answer open, unless it records nothing; so does what treats the class as a value.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from ..project.package_files import folders_around
from ..syntax.module import ClassSource
from ..syntax.nodes import parents_at, walk_at
from .grad_mode import records_nothing
from .mentioning_files import mentioning
from .registrations import FILLS
from .source_words import mentions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..syntax.module import FunctionSource, Module
    from .prefilter import Prefilter


class Use(NamedTuple):
    """A use of a function or object by a name: in a function (None: a file's top level), as a call or a value."""

    module: Module
    user: FunctionSource | None
    name: str
    calls: bool


#: The largest number of files that are parsed for one class or attribute, and of classes that hold one another.
_FILES = 60
_CLASSES = 12

#: Methods of a module that compute nothing with it.
_SET_UP = frozenset(
    "apply cpu cuda double eval float half load_state_dict requires_grad_ state_dict to train".split()
)
#: Methods that put an object into a list, dict or module.
_ADDS = FILLS | {"add_module", "register_module"}
#: Functions that ask for a class, and build no object of it.
_ASK = ("isinstance", "issubclass", "super")


def of_class(prefilter: Prefilter, cls: ClassSource, asking: Module) -> list[Use]:
    """The uses of all objects of a class and its subclasses; empty if they cannot all be told."""
    return _Search(prefilter, asking).of_class(cls) or []


class _Search:
    """One search, which a file asks for; its methods give None where something cannot be told."""

    def __init__(self, prefilter: Prefilter, asking: Module) -> None:
        self.prefilter = prefilter
        self.asking = asking
        self.seen: set[ClassSource] = set()

    def of_class(self, cls: ClassSource) -> list[Use] | None:
        """The uses of the objects of a class."""
        self.seen.add(cls)
        if cls.node.decorator_list or len(self.seen) > _CLASSES:
            return None  # a decorator may hand the class on
        files = self.prefilter.files
        # A file that only defines a class of this name has another one.
        used = rb"(?<!class )\b" + cls.name.encode() + rb"\b"
        for folder in folders_around(cls.module.filename, files.project.root):
            modules = mentioning(files, self.asking, [cls.name], folder, _FILES, used)
            if modules is None:
                return None
            found: list[Use] = []
            for module in modules:
                uses = self._in_file(cls, module)
                if uses is None:
                    return None
                found += uses
            if found:
                return found
        return None

    def _in_file(self, cls: ClassSource, module: Module) -> list[Use] | None:
        """The uses of objects that a file builds."""
        found: list[Use] = []
        above = parents_at(module.tree, mentions(module, {cls.name, *_local_names(module, cls.name)}))
        for node in above:
            if not self._is(cls, module, node) or _only_asks(node, above):
                continue
            parent = above[node]
            uses: list[Use] | None = None
            if isinstance(parent, ast.Call) and parent.func is node:
                uses = self._of_object(module, parent, above)
            elif isinstance(parent, ast.ClassDef) and node in parent.bases:
                heir = module.classes.get(parent.name)
                uses = [] if heir in self.seen else self.of_class(heir) if heir is not None else None
            if uses is None:
                return None
            found += uses
        return found

    def _is(self, cls: ClassSource, module: Module, node: ast.AST) -> bool:
        """Whether an expression is the class, in a file that defines or imports it."""
        if not isinstance(node, (ast.Name, ast.Attribute)) or not isinstance(node.ctx, ast.Load):
            return False
        found = self.prefilter.names.resolve(module, node)
        return found is not None and found.what is cls

    def _of_object(
        self, module: Module, built: ast.Call, above: Mapping[ast.AST, ast.AST]
    ) -> list[Use] | None:
        """The uses of an object that a call builds."""
        user = next(iter(module.functions_at(built.lineno)), None)
        if user is None:
            return None
        if records_nothing(self.prefilter, user):
            return [Use(module, user, user.name, True)]
        name = _held_as(user, built, above)
        return None if name is None or user.owner is None else self._of_attribute(user.owner, name)

    def _of_attribute(self, owner: ClassSource, name: str) -> list[Use] | None:
        """The uses of an attribute of the objects of a class: in its methods, and of other objects anywhere."""
        files = self.prefilter.files
        root = folders_around(owner.module.filename, files.project.root)
        if not root:
            return None
        modules = mentioning(files, self.asking, [name], root[-1], _FILES, rb"\." + name.encode() + rb"\b")
        if modules is None:
            return None
        return [use for module in modules for use in self._by_attribute(owner, name, module)]

    def _by_attribute(self, owner: ClassSource, name: str, module: Module) -> Iterator[Use]:
        above = parents_at(module.tree, mentions(module, {name}))
        for node in above:
            if not isinstance(node, ast.Attribute) or node.attr != name or isinstance(node.ctx, ast.Store):
                continue
            parent = above[node]
            if isinstance(parent, ast.Attribute) and parent.attr in _SET_UP:
                continue
            user = next(iter(module.functions_at(node.lineno)), None)
            if user is not None and user.owner is not None and getattr(node.value, "id", "") == user.receiver:
                classes = self.prefilter.classes
                if owner not in classes.order(user.owner) and user.owner not in classes.order(owner):
                    continue  # an attribute of another object
                if _adds_to(parent, above):
                    continue
            elif not has_class(self.prefilter, module, owner):
                continue
            yield Use(module, user, name, True)


def _local_names(module: Module, name: str) -> list[str]:
    """The names under which a file imports another: `from net import Net as Backbone`."""
    rows = mentions(module, {name})
    nodes = [node for node in walk_at(module.tree, rows) if isinstance(node, ast.ImportFrom)]
    return [one.asname for node in nodes for one in node.names if one.name == name and one.asname]


def _held_as(user: FunctionSource, built: ast.Call, above: Mapping[ast.AST, ast.AST]) -> str | None:
    """The attribute of its own object in which a method keeps what a call builds, or in whose list."""
    node: ast.AST = built
    while isinstance(node, (ast.expr, ast.keyword, ast.comprehension)):
        parent = above[node]
        if (
            _adds_to(parent, above)
            and isinstance(parent, ast.Call)
            and isinstance(parent.func, ast.Attribute)
        ):
            return _own_attribute(user, parent.func.value)
        if isinstance(parent, ast.Lambda):
            return None
        node = parent
    if isinstance(node, ast.AnnAssign):
        return _own_attribute(user, node.target)
    return (
        _own_attribute(user, node.targets[0])
        if isinstance(node, ast.Assign) and len(node.targets) == 1
        else None
    )


def _own_attribute(user: FunctionSource, node: ast.expr) -> str | None:
    if isinstance(node, ast.Subscript):
        node = node.value
    own = isinstance(node, ast.Attribute) and getattr(node.value, "id", None) == user.receiver
    return node.attr if own and isinstance(node, ast.Attribute) else None


def _adds_to(node: ast.AST, above: Mapping[ast.AST, ast.AST]) -> bool:
    """Whether an expression is a call that adds to a list or module, or the method of such a call."""
    call = above[node] if isinstance(node, ast.Attribute) else node
    adds = isinstance(call, ast.Call) and getattr(call.func, "attr", "") in _ADDS
    return adds and isinstance(above[call], ast.Expr)


def _only_asks(node: ast.AST, above: Mapping[ast.AST, ast.AST]) -> bool:
    """Whether a class is named in an annotation, or to ask whether an object is of it."""
    parent = above[node]
    while isinstance(parent, (ast.expr, ast.keyword)):
        if isinstance(parent, ast.Call):
            return getattr(parent.func, "id", "") in _ASK and node is not parent.func
        node, parent = parent, above[parent]
    if isinstance(parent, ast.AnnAssign):
        return node is parent.annotation
    return isinstance(parent, ast.arg) or (
        isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)) and node is parent.returns
    )


def has_class(prefilter: Prefilter, module: Module, owner: ClassSource) -> bool:
    """Whether a file has a class from the file that defines it, or one that derives from it."""
    for name in (*module.classes, *module.imports):
        found = prefilter.names.definition(module, name)
        if found is None:
            continue
        if isinstance(found.what, ClassSource):
            if owner in prefilter.classes.order(found.what):
                return True
        elif found.what is owner.module or found.module is owner.module:
            return True
    return False
