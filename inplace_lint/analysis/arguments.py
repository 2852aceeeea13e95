"""Functions that change a tensor of their caller: which writes hit an argument, and whether they are meant to."""

from __future__ import annotations

from .findings import LIKELY, POSSIBLE, Finding
from .guards import ALWAYS, implies
from .values import Tensor, Unknown, alternatives

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator

    from ..syntax.module import FunctionSource
    from .guards import Guard
    from .heap import Write
    from .run import Run
    from .values import Storage
else:
    import _ast as ast


def overwritten(run: Run, root: FunctionSource) -> Iterator[Finding]:
    """A finding for the first write of each argument, by a statement of the function itself."""
    given = _given(run)
    if not given or _called_by_autograd(run, root):
        return
    returned = {tensor.storage for _, tensor in run.returned}
    told: set[Storage] = set()
    for write in run.writes:
        storage = write.storage
        if storage not in given or storage in told or not write.is_of_a_tensor():
            continue
        if write.place.frame.function is not root or not _is_statement(write.place.at):
            continue
        told.add(storage)
        finding = Finding("argument", write.place.at, write.op, _confidence(run, write))
        finding.meant = (
            _is_meant(root, given[storage])
            or storage not in returned
            or write.looped
            or not implies(ALWAYS, write.guard)
        )
        if not finding.meant:
            finding.meant = _is_expected(root, given[storage])
        yield finding


def _called_by_autograd(run: Run, root: FunctionSource) -> bool:
    """A method of an autograd.Function, which tells autograd itself what it writes (`mark_dirty`)."""
    cls = None if root.owner is None else run.program.class_value(root.owner)
    return cls is not None and any(base.endswith("autograd.Function") for base in cls.external_bases())


def _given(run: Run) -> dict[Storage, str]:
    """The storages of the arguments, by the argument's name."""
    found: dict[Storage, str] = {}
    for name, value in run.root_args.items():
        for _, atom in alternatives(value):
            tensor = atom.tensor if isinstance(atom, Unknown) else atom
            if isinstance(tensor, Tensor):
                found[tensor.storage] = name
    return found


def _is_meant(root: FunctionSource, argument: str) -> bool:
    """PyTorch's own ways to say that an argument will be written: a trailing underscore, `out`."""
    return (root.name.endswith("_") and not root.name.endswith("__")) or argument == "out"


def _calls(root: FunctionSource) -> tuple[list[ast.Call], dict[ast.expr, ast.expr]]:
    """The calls in the file by the function's name, and what values are assigned to."""
    targets: dict[ast.expr, ast.expr] = {}
    calls: list[ast.Call] = []
    pending: list[ast.AST] = [root.module.tree]
    while pending:
        node = pending.pop()
        for field in node._fields:
            value = getattr(node, field, None)
            pending += [v for v in value if isinstance(v, ast.AST)] if isinstance(value, list) else ()
            if isinstance(value, ast.AST):
                pending.append(value)
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            targets[node.value] = node.targets[0]
        if isinstance(node, ast.Call) and root.name == getattr(
            node.func, "attr", getattr(node.func, "id", "")
        ):
            calls.append(node)
    return calls, targets


def _is_expected(root: FunctionSource, argument: str) -> bool:
    """Whether there are calls in the file, and none reads afterwards what it has given.

    A result that takes the place of the argument, `tile = blend(row, tile)`, says that the change is expected.
    """
    from ..syntax.surroundings import Surroundings

    names = [parameter.arg for parameter in root.parameters]
    position = names.index(argument) if argument in names else len(names)
    calls, targets = _calls(root)
    for call in calls:
        given = position - (root.owner is not None and isinstance(call.func, ast.Attribute))
        passed = call.args[given] if given < len(call.args) else _keyword(call, argument)
        kept = targets.get(call)
        if any(_same(passed, place) for place in (kept, *getattr(kept, "elts", ()))):
            continue
        while isinstance(passed, ast.Subscript):
            passed = passed.value
        if isinstance(passed, ast.Attribute):
            return False
        if isinstance(passed, ast.Name) and Surroundings(root.module, call).read_later(passed.id):
            return False
    return bool(calls)


def _same(one: object, other: object) -> bool:
    """Whether two expressions are written alike."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if not isinstance(one, ast.AST) or type(one) is not type(other):
        return one == other
    return all(_same(getattr(one, f, None), getattr(other, f, None)) for f in one._fields if f != "ctx")


def _keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((k.value for k in call.keywords if k.arg == name), None)


def _confidence(run: Run, write: Write) -> int:
    plain: Guard = tuple(c for c in write.guard if not (c[0] | c[1]) & run.doubtful)
    return LIKELY if plain else POSSIBLE


def _is_statement(node: ast.AST) -> bool:
    """Whether the source says itself that this is changed, and not a flag or a module that was built to."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr.endswith("_")
    return isinstance(node, (ast.AugAssign, ast.Subscript))
