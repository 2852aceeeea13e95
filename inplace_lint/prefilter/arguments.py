"""Evaluates the arguments of one call; models calls of unknown functions and of a module's hooks."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .atoms import NOTHING, UNKNOWN, Box, Cell, Object, cells, fresh, united
from .expressions import elements

if TYPE_CHECKING:
    from .atoms import Atoms, Layer
    from .expressions import Scope


#: Key in `kwargs` for the values of `**mapping`: any parameter that has no other argument may get one of them.
SPREAD = "**"


class Call:
    """One call: its arguments as abstract values, and their nodes in the text; `exact`: their number is known."""

    __slots__ = ("args", "exact", "kwargs", "named", "nodes", "scope")

    def __init__(
        self,
        scope: Scope,
        args: list[Atoms],
        kwargs: dict[str, Atoms],
        nodes: list[ast.expr | None],
        named: dict[str, ast.expr],
        exact: bool,
    ) -> None:
        self.scope = scope
        self.args = args
        self.kwargs = kwargs
        self.nodes = nodes
        self.named = named
        self.exact = exact

    def given(self) -> list[Cell]:
        """The tensors among the arguments, and in their containers."""
        return [cell for value in (*self.args, *self.kwargs.values()) for cell in cells(value)]

    def after(self, receiver: list[Atoms], more: dict[str, Atoms] | None = None) -> Call:
        """The same call with more arguments in front (a receiver), and `more` keyword arguments, as of a partial."""
        return Call(
            self.scope,
            [*receiver, *self.args],
            {**more, **self.kwargs} if more else self.kwargs,
            [*[None] * len(receiver), *self.nodes],
            self.named,
            self.exact,
        )

    def calls(self, func: Atoms, args: list[Atoms]) -> Atoms:
        """Call `func` on behalf of this call: `map(f, xs)` calls `f`."""
        return self.scope.prefilter.call(func, Call(self.scope, args, {}, [None] * len(args), {}, True))


class Later:
    """An argument of a constructor, evaluated only when an attribute of the object is asked for."""

    __slots__ = ("node", "scope")

    def __init__(self, scope: Scope, node: ast.expr) -> None:
        self.scope = scope
        self.node = node

    def value(self) -> Atoms:
        return self.scope.value(self.node)


def evaluated(scope: Scope, node: ast.Call) -> Call:
    """Evaluates the arguments of a call expression."""
    if not node.args and not node.keywords:
        return Call(scope, [], {}, [], {}, True)
    exact = True
    if ast.Starred in map(type, node.args):
        args, nodes, exact = _starred(scope, node)
    else:
        args, nodes = [scope.value(arg) for arg in node.args], [*node.args]
    kwargs: dict[str, Atoms] = {}
    named: dict[str, ast.expr] = {}
    for keyword in node.keywords:
        value = scope.value(keyword.value)
        if keyword.arg is None:
            exact = exact and not value
            for atom in value:
                if isinstance(atom, Box) and len(atom.fields) == len(atom.items):
                    kwargs.update(zip(atom.fields, atom.items))
                else:
                    kwargs[SPREAD] = elements(scope, value)
        else:
            kwargs[keyword.arg] = value
            named[keyword.arg] = keyword.value
    return Call(scope, args, kwargs, nodes, named, exact)


def _starred(scope: Scope, node: ast.Call) -> tuple[list[Atoms], list[ast.expr | None], bool]:
    """Positional arguments with `*args` among them, their nodes, and whether their number is known."""
    args: list[Atoms] = []
    nodes: list[ast.expr | None] = []
    exact = True
    for arg in node.args:
        if isinstance(arg, ast.Starred):
            inner = scope.value(arg.value)
            if len(inner) == 1 and isinstance(inner[0], Box) and inner[0].ordered:
                args.extend(inner[0].items)
                nodes.extend([None] * len(inner[0].items))
            else:
                exact = False
                args.append(elements(scope, inner))
                nodes.append(None)
        else:
            args.append(scope.value(arg))
            nodes.append(arg)
    return args, nodes, exact


def given_again(made: Call) -> Atoms:
    """What a call gives that is not followed: any tensor or object that it was given, or that is in a container."""
    if made.scope.dry:
        return NOTHING
    values = [*made.args, *made.kwargs.values()]
    inner = [elements(made.scope, value) for value in values if any(isinstance(atom, Box) for atom in value)]
    direct = [tuple(atom for atom in value if isinstance(atom, (Cell, Object))) for value in values]
    found = united([*direct, *inner])
    return (*found, Box([found], ordered=False)) if found else NOTHING


def unknown(made: Call) -> Atoms:
    """Calls something unknown: it may save its arguments (noted if `notes` are wanted) and return anything."""
    scope = made.scope
    if scope.dry:
        return UNKNOWN
    if scope.prefilter.notes and scope.recording:
        for cell in made.given():
            scope.save(cell.store)
    return fresh()


def hooked(atom: Layer | Object, made: Call, result: Atoms) -> Atoms:
    """Calls a module's forward hooks on its arguments and result; the result is also what they return."""
    for hook in atom.hooks:
        result = united([result, made.calls(hook, [(atom,), (Box(list(made.args)),), result])])
    return result
