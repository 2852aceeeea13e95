"""Finds writes to a tensor argument of the function, which change the caller's tensor, and decides if that is meant."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from ..interp import stale_reads
from ..interp.guards import ALWAYS, implies, whatever
from ..prefilter.mentioning_files import mentioning
from ..prefilter.source_words import mentions
from ..project.package_files import project_folder
from ..syntax.nodes import bound, children, walk
from ..syntax.surroundings import Surroundings, binds
from .finding import LIKELY, POSSIBLE, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..interp.heap import Write
    from ..interp.run import Run
    from ..interp.storage import Storage
    from ..syntax.module import FunctionSource, Module


def overwritten(run: Run, root: FunctionSource, given: Mapping[Storage, str]) -> Iterator[Finding]:
    """Yields a finding for the first write to each argument by a statement of the function itself.

    `given` maps the storages of the arguments to the arguments' names.
    """
    if _called_by_autograd(run, root):
        return
    returned = {tensor.storage for _, tensor in run.root.returned}
    told: set[Storage] = set()
    for write in run.found.writes:
        storage = write.storage
        if storage not in given or storage in told or not write.is_of_a_tensor() or storage.parts_only:
            continue
        if write.place.frame.function is not root or not _is_statement(write.place.at):
            continue
        told.add(storage)
        finding = Finding("argument", write.place.at, write.op, _confidence(run, write))
        if not isinstance(write.place.at, ast.Call) and (
            _works_on_arrays(root.module) or _is_given_to_numpy(run, root, given[storage])
        ):
            finding.confidence = POSSIBLE  # the argument is more likely an array
        finding.passed = run.declared.passed.get((write.place.at, write.storage))
        finding.meant = (
            _is_meant(root, given[storage])
            or _is_handed_on(root)
            or storage not in returned
            or write.looped
            or not implies(ALWAYS, write.guard)
        )
        if not finding.meant:
            finding.meant = not _is_read_by_a_caller(run, root, given[storage])
        yield finding


def _called_by_autograd(run: Run, root: FunctionSource) -> bool:
    """Whether it is a method of an autograd.Function, which itself tells autograd what it writes (`mark_dirty`)."""
    cls = None if root.owner is None else run.program.class_value(root.owner)
    return cls is not None and any(base.endswith("autograd.Function") for base in cls.external_bases())


def _is_meant(root: FunctionSource, argument: str) -> bool:
    """Whether the names say that the argument is written, as PyTorch's do: a trailing underscore, `out`."""
    return (root.name.endswith("_") and not root.name.endswith("__")) or argument == "out"


def _is_handed_on(root: FunctionSource) -> bool:
    """Whether it is a nested function that is passed on, such as a hook: its caller uses the result.

    `__call__` counts too if nothing in the file keeps an object of its class, such as a transform of images.
    """
    if root.owner is not None and root.name == "__call__":
        return not _objects(root.module, root.owner.name)
    return _is_nested(root) and is_passed_on(root.module, root)


def _is_nested(root: FunctionSource) -> bool:
    return root.owner is None and root.module.functions.get(root.name) is not root


def is_passed_on(module: Module, root: FunctionSource) -> bool:
    """Whether the file mentions the function other than to call it, so that other code may call it."""
    mentioning = _mentioning(module, {root.name})
    called = {node.func for node in mentioning if isinstance(node, ast.Call)}
    return any(
        node not in called and _name(node) == root.name and _may_be(module, root, node)
        for node in mentioning
        if isinstance(node, (ast.Name, ast.Attribute))
    )


def _may_be(module: Module, root: FunctionSource, node: ast.Name | ast.Attribute) -> bool:
    """Whether a name or attribute may be this function: none is a nested one, no name in a function a method."""
    if isinstance(node, ast.Attribute):
        return not _is_nested(root)
    return root.owner is None or not module.functions_at(node.lineno)


def _is_registered(root: FunctionSource) -> bool:
    """Whether a decorator that its file defines is applied to it."""
    decorators = getattr(root.node, "decorator_list", ())
    names = {_name(d.func if isinstance(d, ast.Call) else d) for d in decorators}
    return not names.isdisjoint(root.module.functions)


def _name(node: ast.AST | None) -> str:
    """The last name of `a`, `self.a`, `self.a[i]`."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return str(getattr(node, "attr", getattr(node, "id", "")))


def _objects(module: Module, cls: str) -> set[str]:
    """The names that are assigned objects of a class, alone or in a container, and the loop variables over these."""
    found: set[str] = set()
    for node in _mentioning(module, {cls}):
        if isinstance(node, ast.Assign):
            pairs = [pair for target in node.targets for pair in bound(target, node.value)]
            found.update(
                _name(target)
                for target, value in pairs
                if any(isinstance(inner, ast.Call) and _name(inner.func) == cls for inner in _inside([value]))
            )
    found.discard("")
    return found | _elements(module, found)


def _elements(module: Module, of: set[str] | None = None) -> set[str]:
    """The variables of loops over one of these names, or of all loops if `of` is None."""
    elements: set[str] = set()
    for node in _inside([module.tree]) if of is None else _mentioning(module, of):
        if isinstance(node, (ast.For, ast.comprehension)) and (
            of is None or any(_name(inner) in of for inner in _inside([node.iter]))
        ):
            elements.update(inner.id for inner in _inside([node.target]) if isinstance(inner, ast.Name))
    return elements


def _mentioning(module: Module, words: set[str]) -> list[ast.AST]:
    """The nodes of all statements whose text contains one of the words."""
    rows = mentions(module, words)
    return _inside([module.tree], rows) if rows else []


def _inside(found: list[ast.AST], rows: list[int] | None = None) -> list[ast.AST]:
    """The nodes and all nodes below them, without statements that touch none of the rows; extends `found` itself."""
    for at in found:
        for node in children(at):
            if rows is not None and isinstance(node, ast.stmt):
                first = bisect_left(rows, node.lineno)
                if first == len(rows) or rows[first] > (node.end_lineno or node.lineno):
                    continue
            found.append(node)
    return found


def _calls(
    root: FunctionSource, module: Module
) -> tuple[list[ast.Call], dict[ast.expr, ast.expr], set[ast.expr]]:
    """The function's calls in a file, the targets that they are assigned to, and the values of expression statements.

    A forward is called through its object. If the file names no object, or passes the function itself on (as to a
    decorator that registers it), calls of loop variables count as well.
    """
    targets: dict[ast.expr, ast.expr] = {}
    calls: list[ast.Call] = []
    dropped: set[ast.expr] = set()
    names = {root.name}
    if root.owner is not None and root.name in ("forward", "__call__"):
        names = _objects(module, root.owner.name) or _elements(module)
    elif root.owner is None and (is_passed_on(module, root) or _is_registered(root)):
        names |= _elements(module)
    for node in _mentioning(module, names):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            targets.update(
                (inner, node.targets[0]) for inner in walk(node.value) if isinstance(inner, ast.expr)
            )
        elif isinstance(node, ast.Expr):
            dropped.update(_chain(node.value))
        if isinstance(node, ast.Call) and _name(node.func) in names:
            calls.append(node)
    return calls, targets, dropped


def _chain(node: ast.expr) -> Iterator[ast.expr]:
    """An expression, and what its methods are called on: `f(x)` of `f(x).round()`."""
    yield node
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        node = node.func.value
        yield node


def _is_read_by_a_caller(run: Run, root: FunctionSource, argument: str) -> bool:
    """Whether a caller in sight, in its file or another, reads the argument afterwards.

    A caller expects the change if it rebinds the argument to the result, `tile = blend(row, tile)`, or drops the
    result.
    """
    names = [parameter.arg for parameter in root.parameters]
    position = names.index(argument) if argument in names else len(names)
    bases = () if root.owner is None else run.program.class_value(root.owner).order()
    near = {root.module: None} | dict.fromkeys(cls.source.module for cls in bases)
    for module in near | dict.fromkeys(_others(run, root)):
        calls, targets, dropped = _calls(root, module)
        for call in calls:
            if module not in near and not _may_be_of(run, root, module, call):
                continue
            by_object = isinstance(call.func, ast.Attribute) or root.name in ("forward", "__call__")
            given = position - (bool(root.receiver) and by_object)
            passed = call.args[given] if 0 <= given < len(call.args) else _keyword(call, argument)
            kept = targets.get(call)
            if call in dropped or any(
                stale_reads.same(passed, place) for place in (kept, *getattr(kept, "elts", ()))
            ):
                continue
            around = Surroundings(module, call)
            if isinstance(passed, ast.Subscript) and _is_of_a_round(around, passed):
                continue
            while isinstance(passed, ast.Subscript):
                passed = passed.value
            if isinstance(passed, ast.Attribute):
                return True
            if isinstance(passed, ast.Name) and around.read_later(passed.id):
                return True
    return False


def _is_of_a_round(around: Surroundings, part: ast.Subscript) -> bool:
    """Whether a part of a tensor is another in each round of a loop, as `x[:, i]` is: the next one reads another."""
    names = {node.id for node in walk(part.slice) if isinstance(node, ast.Name)}
    loops = [loop for loop in around.loops() if isinstance(loop, (ast.For, ast.AsyncFor))]
    return any(binds(loop.target, name) for loop in loops for name in names)


#: Limit of the files in which calls of one function are looked for.
_FILES = 40


def _others(run: Run, root: FunctionSource) -> list[Module]:
    """The files of the project that may call a function: they name it, or for a forward its class, before a bracket."""
    files = run.program.files
    folder = project_folder(root.module.filename, files.project.root)
    name = root.owner.name if root.owner is not None and root.name in ("forward", "__call__") else root.name
    if folder is None or name.startswith("__"):
        return []
    used = rb"(?<!def )\b%s\(" % re.escape(name.encode())
    found = mentioning(files, root.module, [name], folder, _FILES, used) or []
    if name == root.name and root.owner is not None:
        return found
    what = root if name == root.name else root.owner  # other files may give the name to something else
    names = run.program.prefilter.names
    bound = {module: names.definition(module, name) for module in found}
    return [module for module, one in bound.items() if one is not None and one.what is what]


def _may_be_of(run: Run, root: FunctionSource, module: Module, call: ast.Call) -> bool:
    """Whether a call in another file may be of this function: what bears its name there may be something else."""
    found = run.program.prefilter.names.resolve(module, call.func)
    return found is None if root.owner is not None else found is not None and found.what is root


def _keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((k.value for k in call.keywords if k.arg == name), None)


def _confidence(run: Run, write: Write) -> int:
    return LIKELY if whatever(write.guard, run.doubtful) else POSSIBLE


def _works_on_arrays(module: Module) -> bool:
    """Whether a file imports numpy but not torch."""
    known = {binding.module.partition(".")[0] for binding in module.imports.values() if not binding.level}
    known.update(name.partition(".")[0] for name, level in module.stars if not level)
    return "numpy" in known and "torch" not in known


def _is_given_to_numpy(run: Run, root: FunctionSource, name: str) -> bool:
    """Whether the function computes with the argument, or a part of it, by a function of numpy: `np.round(x[:, 0])`."""
    for node in walk(root.node):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            known = run.program.names.resolve(root.module, node.func)
            if known is None or not isinstance(known.what, str) or not known.what.startswith("numpy."):
                continue
            if any(
                isinstance(inner, ast.Name) and inner.id == name for arg in node.args for inner in walk(arg)
            ):
                return True
    return False


def _is_statement(node: ast.AST) -> bool:
    """Whether the source spells out the write (`x.add_(1)`, `x += 1`, `x[i] = 1`) itself, without a flag or module."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr.endswith("_")
    return isinstance(node, (ast.AugAssign, ast.Subscript))
