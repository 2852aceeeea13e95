"""Detects uses anywhere in a project that a fix would break: second or forward-mode derivatives, hooks on modules.

Files are parsed only if their text contains one of a few words; the parsed calls decide, not the words.
"""

from __future__ import annotations

import ast
import json
import os
from collections import Counter
from typing import TYPE_CHECKING

from ..project.package_files import project_folder, python_files, topmost_package
from ..syntax.module import Module
from ..syntax.nodes import walk
from ..syntax.unreadable import UnreadableFile
from ..torchmodel.spelling import canonical
from .stored_names import imports_in, names_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ..project.contents import Contents
    from ..project.modules import Project

#: A file without any of these words cannot call the functions below.
_WORDS = (
    b"create_graph",
    b"autograd.functional",
    b"autograd import",
    b"torch.func.",
    b"torch.func import",
    b"torch import func",
    b"forward_ad",
    b"gradgradcheck",
    b"forward_hook",
    b"forward_pre_hook",
    b"backward_hook",
    b"backward_pre_hook",
)
#: Functions that compute second or forward-mode derivatives.
_SECOND = frozenset(
    {
        *(f"torch.autograd.functional.{name}" for name in ("hessian", "hvp", "vhp", "jvp")),
        *(f"torch.func.{name}" for name in ("hessian", "jvp", "jacfwd", "linearize")),
        *(f"torch.autograd.{name}" for name in ("gradgradcheck", "gradcheck.gradgradcheck")),
        "torch.autograd.forward_ad.make_dual",
        "torch.autograd.forward_ad.dual_level",
    }
)
_HOOKS = frozenset(
    {
        "register_forward_hook",
        "register_forward_pre_hook",
        "register_full_backward_hook",
        "register_full_backward_pre_hook",
        "register_backward_hook",
        "register_module_forward_hook",
        "register_module_forward_pre_hook",
        "register_module_full_backward_hook",
        "register_module_full_backward_pre_hook",
        "register_module_backward_hook",
    }
)


class _Deeds:
    """What a project does: `second` is True if it takes second derivatives; `hooks` are its hook registrations.

    `sets` counts the files that set an attribute of each name; with `unread`, there are too many files to look at.
    `imports`, of one file: the names in each of its import statements, an empty one first if that is relative.
    """

    __slots__ = ("hooks", "imports", "second", "sets", "unread")

    def __init__(self) -> None:
        self.second = self.unread = False
        self.sets: Counter[str] = Counter()
        self.imports: list[list[str]] = []
        #: (attribute that holds the module, "" for any; torch.nn classes that it may have, empty for any)
        self.hooks: set[tuple[str, frozenset[str]]] = set()

    def said(self) -> str:
        """The record, without what is set, as text for the files that rest on it; "" if it is empty."""
        if not self.second and not self.hooks:
            return ""
        return json.dumps([self.second, sorted([held, sorted(kinds)] for held, kinds in self.hooks)])

    def kept(self) -> str:
        """The whole record of one file as text for the cache."""
        hooks = sorted([held, sorted(kinds)] for held, kinds in self.hooks)
        return json.dumps([self.second, hooks, sorted(self.sets), self.imports])

    @classmethod
    def of(cls, text: str) -> _Deeds:
        """The record from its text."""
        found = cls()
        if text:
            found.second, hooks, names, found.imports = json.loads(text)
            found.sets.update(names)
            found.hooks = {(held, frozenset(kinds)) for held, kinds in hooks}
        return found

    def add(self, other: _Deeds) -> None:
        self.second = self.second or other.second
        self.hooks |= other.hooks
        self.sets.update(other.sets)


class _Folder:
    """The records of all files below a folder, and who imports whom, as far as the last names of their paths tell."""

    def __init__(self, top: str, paths: Sequence[str], contents: Contents) -> None:
        self.deeds = {path: _recorded(path, contents) for path in paths}
        self._named: dict[str, list[str]] = {}
        for path in paths:
            self._named.setdefault(_stem(path), []).append(path)
        own = {part for path in paths for part in os.path.relpath(path, top).split(os.sep)} | {*self._named}
        self._imported = {
            path: {
                word
                for names in deeds.imports
                if names and (not names[0] or names[0] in own)
                for word in names
                if word in self._named
            }
            for path, deeds in self.deeds.items()
        }
        self._importers: dict[str, list[str]] = {}
        for path, words in self._imported.items():
            for word in sorted(words):
                self._importers.setdefault(word, []).append(path)

    def around(self, path: str) -> _Deeds:
        """The merged record of the files that may have to do with one.

        Those are the files of its package, and those that lead to its import, with all that these import in turn.
        """
        found = _closed([path], lambda one: self._importers.get(_stem(one), ()))
        found = _closed(
            found, lambda one: [p for word in self._imported.get(one, ()) for p in self._named[word]]
        )
        package = topmost_package(os.path.dirname(path))
        within = [] if package is None else [p for p in self.deeds if p.startswith(os.path.join(package, ""))]
        merged = _Deeds()
        for one in dict.fromkeys([*found, *within]):
            if one in self.deeds:
                merged.add(self.deeds[one])
        return merged


def _stem(path: str) -> str:
    """The name by which a file is imported: its own, or for `__init__.py` that of its folder."""
    stem = os.path.basename(path).removesuffix(".py")
    return os.path.basename(os.path.dirname(path)) if stem == "__init__" else stem


def _closed(found: Iterable[str], more: Callable[[str], Iterable[str]]) -> list[str]:
    """These and all that `more` leads to from them."""
    seen = dict.fromkeys(found)
    pending = [*seen]
    while pending:
        new = [one for one in more(pending.pop()) if one not in seen]
        seen.update(dict.fromkeys(new))
        pending += new
    return [*seen]


def takes_second_derivatives(module: Module, project: Project) -> bool:
    """Whether a file of the project that has to do with this one takes second or forward-mode derivatives."""
    return _deeds(module, project).second


def hooks_modules(module: Module, project: Project, attribute: str, kind: str) -> bool:
    """Whether the project may register a hook on a module of class `kind` that is held in `attribute`; "": on any."""
    return any(
        (not attribute or held in ("", attribute)) and (not kinds or not kind or kind in kinds)
        for held, kinds in _deeds(module, project).hooks
    )


def hooks_by_name(module: Module, attribute: str) -> bool:
    """Whether the file registers a hook on what some object holds in this attribute: `net.softmax.register_…(…)`."""
    return any(held == attribute for held, _ in _of(module).hooks)


def is_set_elsewhere(module: Module, project: Project, name: str) -> bool:
    """Whether another file of the project sets an attribute of this name, of whichever object it holds."""
    path = os.path.abspath(module.filename)
    top = project_folder(path, project.root)
    if top is None:
        return False
    contents = project.contents
    around = _around(path, top, contents)
    contents.packages.setdefault(path, {})[top, f".{name}"] = state_of(name, path, top, contents)
    own = _recorded(path, contents).sets[name]
    return around.unread or around.sets[name] > own


def state_of(name: str, path: str, top: str, contents: Contents) -> str:
    """A text that changes when what is asked on behalf of a file has another answer: of "", or of ".attribute"."""
    around = _around(path, top, contents)
    return str(around.sets[name[1:]]) if name else around.said()


def _deeds(module: Module, project: Project) -> _Deeds:
    found = _of(module)
    path = os.path.abspath(module.filename)
    top = project_folder(path, project.root)
    if top is not None:
        around = _around(path, top, project.contents)
        found.add(around)
        project.contents.packages.setdefault(path, {})[top, ""] = around.said()
    return found


def _around(path: str, top: str, contents: Contents) -> _Deeds:
    """The merged record of the files below a folder that have to do with a file, cached in `contents`."""
    key = f"{top}\0{path}"
    if key not in contents.folders:
        folder = look_through(top, contents)
        contents.folders[key] = _unread() if folder is None else folder.around(path)
    found: _Deeds = contents.folders[key]
    return found


def _unread() -> _Deeds:
    """The record where there are too many files to look at: any of them may do anything."""
    found = _Deeds()
    found.second = found.unread = True
    found.hooks.add(("", frozenset()))
    return found


def look_through(top: str, contents: Contents) -> _Folder | None:
    """The records of all files below a folder, cached in `contents`; None if there are too many."""
    if top not in contents.folders:
        paths = python_files(top)
        contents.folders[top] = None if paths is None else _Folder(top, paths, contents)
    found: _Folder | None = contents.folders[top]
    return found


#: The records of texts by their digests, of all projects of this process: most files stay what they are.
_records: dict[str | None, tuple[_Deeds, str]] = {}
_RECORDS = 20_000


def _recorded(path: str, contents: Contents) -> _Deeds:
    held = contents.digest(path)
    known = contents.deeds.get(path)
    if known is None or known[0] != held:
        if held not in _records:
            _remember(held, _in_file(path, contents).kept())
        known = contents.deeds[path] = (held, _records[held][1])
    elif held not in _records:
        _remember(held, known[1])
    return _records[held][0]


def _remember(held: str | None, text: str) -> None:
    if len(_records) >= _RECORDS:
        _records.clear()
    _records[held] = (_Deeds.of(text), text)


def _in_file(path: str, contents: Contents) -> _Deeds:
    found = _Deeds()
    try:
        source = contents.read(path)
        found.sets.update({*names_in(source)})
        found.imports = [*imports_in(source)]
        if any(word in source for word in _WORDS):
            found.add(_of(Module(path, source)))
    except (OSError, UnreadableFile, RecursionError):
        pass  # reported when the file itself is checked
    return found


def _of(module: Module) -> _Deeds:
    found = _Deeds()
    if not any(word in module.source for word in _WORDS):
        return found
    names = _imported(module)
    for kinds, call in _calls(module.tree, names, frozenset()):
        for keyword in call.keywords:
            if keyword.arg == "create_graph" and getattr(keyword.value, "value", None) is True:
                found.second = True
        dotted = _dotted(call.func, names)
        if dotted is not None and canonical(dotted) in _SECOND:
            found.second = True
        name = getattr(call.func, "attr", "") or (dotted or "").rpartition(".")[2]
        if name in _HOOKS and not _is_itself(module, call):
            on_all = name.startswith("register_module_")
            found.hooks.add(("" if on_all else _held(call.func), kinds))
    return found


def _imported(module: Module) -> dict[str, str]:
    """Local name -> full name of every import in a file, at any level."""
    found: dict[str, str] = {}
    for node in walk(module.tree):
        if isinstance(node, ast.ImportFrom) and not node.level:
            found.update({a.asname or a.name: f"{node.module}.{a.name}" for a in node.names})
        elif isinstance(node, ast.Import):
            found.update(
                {
                    a.asname or a.name.partition(".")[0]: a.name if a.asname else a.name.partition(".")[0]
                    for a in node.names
                }
            )
    return found


def _calls(
    node: ast.AST, names: dict[str, str], kinds: frozenset[str]
) -> Iterator[tuple[frozenset[str], ast.Call]]:
    """Every call, with the torch.nn classes that an enclosing `if isinstance(m, nn.Linear)` requires."""
    stack = [(node, kinds)]
    while stack:
        one, held = stack.pop()
        if isinstance(one, ast.Call):
            yield held, one
        if isinstance(one, ast.If):
            asked = _asked(one.test, names)
            stack += [(inner, asked or held) for inner in one.body]
            stack += [(inner, held) for inner in (one.test, *one.orelse)]
            continue
        for field in one._fields:
            child = getattr(one, field, None)
            stack += [
                (inner, held)
                for inner in (child if isinstance(child, list) else [child])
                if isinstance(inner, ast.AST)
            ]


def _asked(test: ast.expr, names: dict[str, str]) -> frozenset[str]:
    """The classes of an `isinstance(m, …)` test if all of them are torch.nn's, else an empty set."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return next((found for found in (_asked(one, names) for one in test.values) if found), frozenset())
    if not isinstance(test, ast.Call) or getattr(test.func, "id", "") != "isinstance" or len(test.args) != 2:
        return frozenset()
    classes = getattr(test.args[1], "elts", None) or [test.args[1]]
    dotted = [_dotted(one, names) for one in classes]
    if any(one is None or not one.startswith("torch.nn.") for one in dotted):
        return frozenset()
    asked = frozenset(canonical(one) for one in dotted if one is not None)
    return frozenset() if "torch.nn.Module" in asked else asked


def _is_itself(module: Module, call: ast.Call) -> bool:
    """Whether the hook is registered on the receiver of the enclosing method."""
    receiver = getattr(getattr(call.func, "value", None), "id", "")
    return any(
        f.owner is not None and f.parameters[:1] and f.parameters[0].arg == receiver
        for f in module.functions_at(call.lineno)
    )


def _held(func: ast.expr) -> str:
    """The attribute whose module gets the hook: `drop` for `self.drop.register_forward_hook`; "" for any."""
    value = getattr(func, "value", None)
    return value.attr if isinstance(value, ast.Attribute) else ""


def _dotted(node: ast.AST, names: dict[str, str]) -> str | None:
    """The full name of `a.b.c` if `a` is imported, else None."""
    rest: list[str] = []
    while isinstance(node, ast.Attribute):
        rest.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in names:
        return None
    return ".".join((names[node.id], *reversed(rest)))
