"""Decides what else relies on a written tensor being this very object, so that a new tensor in its place would not do.

Names, attributes and containers that share its memory are seen by a run (`interp.sharing`). Here is what only the text
tells: defaults that later calls are given, results that a `return` has handed out, what was set on the object itself.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..interp.own_operators import BINARY
from ..model import Refused
from ..prefilter.source_words import mentions
from ..syntax.nodes import start_of, walk, walk_at
from ..torchmodel.spelling import MODES
from . import places, syntaxes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..interp.frames import Frame
    from ..interp.sharing import Sharing
    from ..syntax.module import Module
    from ..syntax.surroundings import Surroundings

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
#: What belongs to a tensor object, and not to its values: its memory and how it lies there, its gradient, its version.
OF_THE_OBJECT = frozenset(
    "retain_grad retains_grad data_ptr untyped_storage storage as_strided _base _is_view storage_offset "
    "to_dense".split()
)
#: What takes all names of a function, and so holds each tensor there: builtins, and functions that give its frame.
_TAKE_ALL_NAMES = frozenset({"locals", "vars", "eval", "exec"})
_FRAMES = frozenset({"currentframe", "_getframe"})


def check(module: Module, around: Surroundings, sharing: Sequence[Sharing]) -> Iterator[str]:
    """The differences that a new tensor makes to such holders. Raises Refused where the object itself is relied on."""
    if _handed_out(around.path, around.node):
        raise Refused("a `return` has handed this tensor out before the `finally` that writes it")
    if (method := _own_method(module, around.node)) is not None:
        raise Refused(f"a class of this file has its own `{method}`, which may be meant here")
    for frame, spelled in _spellings(around, sharing).items():
        scope = frame.function.node if frame.function is not None else frame.module.tree
        use = _set_on_object(scope, spelled)
        if use is not None:
            raise Refused(f"`{use}` belongs to this tensor, and a new one would not have it")
    for node in _unread(around, sharing):
        yield f"`{node.id}` on line {node.lineno} is read where the analysis does not come to"
    if _grad_mode_is_chosen(module, around.path):
        yield "gradients may be off here: what is bound anew has none"
    if _is_tried(around.path, around.node):
        yield "an error that is caught here may come at another time, or not at all"
    for name in sorted(_defaults(sharing)):
        yield f"the default of `{name}`, which later calls get, no longer changes"
    if b".register_forward_" in module.source and any(
        isinstance(one, ast.Attribute) and one.attr.startswith("register_forward_")
        for one in walk(module.tree)
    ):
        yield "what a forward hook has kept no longer changes"


def _unread(around: Surroundings, sharing: Sequence[Sharing]) -> list[ast.Name]:
    """Reads of the tensor that no run came to, of those that may run before the write."""
    loops = [loop.lineno for loop in around.loops()]
    scope = around.function or around.path[0]
    own = {id(node) for node in walk(scope)}
    end = start_of(around.node)
    found = {node: None for seen in sharing for node in seen.unread()}
    unread = [
        node
        for node in found
        if id(node) not in own or start_of(node) < end or any(node.lineno >= row for row in loops[:1])
    ]
    return sorted(unread, key=lambda node: (node.id, start_of(node)))


def _spellings(around: Surroundings, sharing: Sequence[Sharing]) -> dict[Frame, set[str]]:
    """For each activation, the expressions that name the tensor in its text."""
    found: dict[Frame, set[str]] = {}
    for seen in sharing:
        for frame, name, how in seen.names:
            if how == "tensor":
                found.setdefault(frame, set()).add(name)
        written = getattr(around.node, "target", getattr(getattr(around.node, "func", None), "value", None))
        if isinstance(written, ast.Attribute):
            found.setdefault(seen.place.frame, set()).add(ast.unparse(written))
    return found


def _defaults(sharing: Iterable[Sharing]) -> set[str]:
    """The parameters that hold the tensor and whose default is an object that all calls share: `acc=torch.zeros(3)`."""
    return {name for seen in sharing for frame, name, _ in seen.names if _default_names(frame).get(name)}


def _default_names(frame: Frame) -> dict[str, bool]:
    """For each parameter with a default, whether that may be or hold a tensor."""
    given = getattr(frame.function and frame.function.node, "args", None)
    if not isinstance(given, ast.arguments):
        return {}
    positional = [*given.posonlyargs, *given.args]
    pairs = [
        *zip(reversed(positional), reversed(given.defaults)),
        *zip(given.kwonlyargs, given.kw_defaults),
    ]
    return {
        parameter.arg: not isinstance(default, (ast.Constant, ast.UnaryOp))
        for parameter, default in pairs
        if default is not None
    }


def _handed_out(path: Sequence[ast.AST], node: ast.AST) -> bool:
    """Whether the node stands in a `finally` that runs after a `return` of what the function computed."""
    for outer, inner in zip(path, [*path[1:], node]):
        if isinstance(outer, ast.Try) and inner in outer.finalbody:
            earlier = [
                *outer.body,
                *outer.orelse,
                *(one for handler in outer.handlers for one in handler.body),
            ]
            if any(isinstance(one, ast.Return) and one.value is not None for one in _statements(earlier)):
                return True
    return False


def _statements(block: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """The nodes of a block that its own function runs."""
    pending = [*block]
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            pending.extend(ast.iter_child_nodes(node))


def _set_on_object(scope: ast.AST, spelled: set[str]) -> str | None:
    """What the text sets on, or asks of, the object under one of its names; None if nothing: `h.retain_grad()`."""
    for node in _nodes(scope):
        if isinstance(node, ast.Attribute) and _is_of_the_object(node):
            if ast.unparse(node.value) in spelled:
                return ast.unparse(node)
        elif isinstance(node, ast.Call):
            if _takes_all_names(node):
                return ast.unparse(node)
        elif isinstance(node, ast.ClassDef) and any(
            _names(one.value) & spelled for one in node.body if isinstance(one, ast.Assign)
        ):
            return f"class {node.name}"
    return None


def _nodes(scope: ast.AST) -> Iterable[ast.AST]:
    """The nodes of a function with those of functions inside it; of a file those of its top level alone."""
    return _statements(scope.body) if isinstance(scope, ast.Module) else walk(scope)


def _takes_all_names(node: ast.Call) -> bool:
    """Whether a call gives all names of its function to somebody: `locals()`, `eval(text)`."""
    if isinstance(node.func, ast.Name) and node.func.id in ("locals", "vars") and node.args:
        return False
    return _name_of(node.func) in _FRAMES or (
        isinstance(node.func, ast.Name) and node.func.id in _TAKE_ALL_NAMES
    )


def _is_of_the_object(node: ast.Attribute) -> bool:
    stored = isinstance(node.ctx, ast.Store) and node.attr not in ("data", "grad", "requires_grad")
    return node.attr in OF_THE_OBJECT or stored


def _name_of(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in walk(node) if isinstance(one, ast.Name)}


def _classes(module: Module) -> list[ast.ClassDef]:
    """All class statements of a file, inner ones too."""
    return [one for one in walk_at(module.tree, mentions(module, {"class"})) if isinstance(one, ast.ClassDef)]


def _own_method(module: Module, node: ast.AST) -> str | None:
    """The method by which a class of the file may make this write itself; None if none has one: `__iadd__`."""
    if isinstance(node, ast.AugAssign):
        name = f"__i{BINARY[places.augmented_operator(node) or '+']}__"
    elif isinstance(node, ast.Call):
        called = _name_of(node.func)
        name = called if called.endswith("_") else ""
    else:
        name = "__setitem__"
    for cls in _classes(module):
        for one in cls.body:
            if isinstance(one, _FUNCTIONS[:2]) and one.name in (name, "__torch_function__"):
                return one.name
    return None


def _grad_mode_is_chosen(module: Module, path: Sequence[ast.AST]) -> bool:
    """Whether a block around a statement sets the grad mode by what is no constant: `set_grad_enabled(self.train)`."""
    for node in path:
        for item in node.items if isinstance(node, (ast.With, ast.AsyncWith)) else ():
            call = item.context_expr
            if not isinstance(call, ast.Call) or all(isinstance(one, ast.Constant) for one in call.args):
                continue
            if MODES.get(syntaxes.dotted(module, call.func) or "") == "flag":
                return True
    return False


def _is_tried(path: Sequence[ast.AST], node: ast.AST) -> bool:
    """Whether an error at the node is caught in its function: a chain stops at another place then."""
    for outer, inner in zip(path, [*path[1:], node]):
        if isinstance(outer, ast.Try) and outer.handlers and inner in outer.body:
            return True
    return False


def may_be_set(module: Module, node: ast.expr) -> None:
    """Raises Refused if an attribute may be one that cannot be assigned, or whose assignment does more."""
    if isinstance(node, ast.Attribute) and _cannot_be_set(module, node.attr):
        raise Refused(f"`{node.attr}` is computed, or cannot be set, in a class of this file")


def _cannot_be_set(module: Module, attribute: str) -> bool:
    """Whether a class of the file computes the attribute by a method, or lets none of its attributes be set."""
    for cls in _classes(module):
        body = cls.body
        if any(isinstance(one, _FUNCTIONS[:2]) and one.name in (attribute, "__setattr__") for one in body):
            return True
        fixed = any(
            isinstance(one, ast.Call)
            and any(k.arg == "frozen" and getattr(k.value, "value", None) is True for k in one.keywords)
            for one in cls.decorator_list
        ) or any(_name_of(base) == "NamedTuple" for base in cls.bases)
        fields = (one.target for one in body if isinstance(one, ast.AnnAssign))
        if fixed and any(isinstance(one, ast.Name) and one.id == attribute for one in fields):
            return True
    return False


def keeps_dtype(top: ast.expr, links: int, node: ast.AST) -> bool:
    """Whether the calls of an in-place chain, other than `node`, are given numbers only: these never promote.

    In place, a number that would make another dtype of the result is an error.
    """
    for _ in range(links):
        if not isinstance(top, ast.Call) or not isinstance(top.func, ast.Attribute):
            break
        given = [*top.args, *(keyword.value for keyword in top.keywords)]
        if top is not node and not all(_is_plain(one) for one in given):
            return False
        top = top.func.value
    return True


def _is_plain(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant)
