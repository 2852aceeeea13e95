"""Describes where an expression stands: the statement, function and loops around it, and which names are read later."""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from .nodes import children, end_of, start_of, walk

if TYPE_CHECKING:
    from .module import Module

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_BODIES = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


class Surroundings:
    """The path from a file's tree to a node, outermost first, and questions about it."""

    def __init__(self, module: Module, node: ast.AST) -> None:
        self.node = node
        self.path = _path(module.tree, node)
        self._module = module

    @property
    def statement(self) -> ast.stmt | None:
        """The innermost statement around the node, itself included."""
        return next((n for n in reversed([*self.path, self.node]) if isinstance(n, ast.stmt)), None)

    @property
    def function(self) -> ast.AST | None:
        """The innermost function around the node; None at the top level."""
        return next((n for n in reversed(self.path) if isinstance(n, _FUNCTIONS)), None)

    def delayed(self) -> bool:
        """Whether the node runs later, repeatedly or not at all in its statement (lambda, comprehension, `and`)."""
        statement = self.statement
        inside = self.path[self.path.index(statement) + 1 :] if statement in self.path else []
        return any(isinstance(n, (ast.Lambda, ast.IfExp, ast.BoolOp, *_COMPREHENSIONS)) for n in inside)

    def is_statement(self) -> bool:
        """Whether the node is an expression statement, whose value is discarded."""
        statement = self.statement
        return isinstance(statement, ast.Expr) and _same_span(statement, self.node)

    def is_value(self) -> bool:
        """Whether the node is the whole right side of an assignment, without parentheses."""
        statement = self.statement
        if not isinstance(statement, ast.Assign) or statement.value is not self.node:
            return False
        return end_of(statement) == end_of(self.node)

    def assigned(self) -> set[str]:
        """The targets that get the node's own value: `y` and `self.h` in `y = self.h = …`."""
        statement = self.statement
        if not isinstance(statement, ast.Assign) or statement.value is not self.node:
            return set()
        return {path for target in statement.targets if (path := _spelled(target))}

    def may_precede(self) -> bool:
        """Whether a statement inserted before this one would run before each run of the node."""
        statement = self.statement
        if isinstance(statement, (ast.While, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return False
        above = self.path[self.path.index(statement) - 1] if statement in self.path else self.path[-1]
        # An `if` alone in the `else` of another may be spelled `elif`.
        return not (
            isinstance(statement, ast.If) and isinstance(above, ast.If) and above.orelse[:1] == [statement]
        )

    def binds(self, name: str) -> bool:
        """Whether the name is local to the function around the node, so that an assignment here rebinds it."""
        scope: ast.AST = self.function or self.path[0]
        if any(isinstance(n, ast.ClassDef) for n in self.path[self.path.index(scope) + 1 :]):
            return False
        pending = children(scope)
        found = False
        while pending:
            node = pending.pop()
            if isinstance(node, (ast.Global, ast.Nonlocal)) and name in node.names:
                return False
            if isinstance(node, ast.arg) and node.arg == name:
                found = True
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store):
                found = True
            if not isinstance(node, (*_FUNCTIONS, ast.ClassDef, *_COMPREHENSIONS)):
                pending.extend(children(node))
        return found

    def loops(self) -> list[ast.stmt]:
        """The loops around the node within its function, outermost first."""
        first = self.path.index(self.function) if self.function in self.path else 0
        return [n for n in self.path[first:] if isinstance(n, _LOOPS)]

    def owns(self, name: str) -> bool:
        """Whether the name is private to the function: no inner function or class mentions it, and it is not global."""
        scope = self.function
        if scope is None:
            scope = self.path[0]
        for inner in walk(scope):
            if isinstance(inner, (ast.Global, ast.Nonlocal)) and name in inner.names:
                return False
            if (
                inner is not scope
                and isinstance(inner, (*_FUNCTIONS, ast.ClassDef))
                and any(isinstance(n, ast.Name) and n.id == name for n in walk(inner))
            ):
                return False
        return True

    def iterated(self, name: str) -> bool:
        """Whether a loop around the node iterates over the name, which it then still holds: `for a, b in zip(x, y)`."""
        pending = [n.iter for n in self.path if isinstance(n, (ast.For, ast.AsyncFor))]
        while pending:
            node = pending.pop()
            if isinstance(node, ast.Name) and node.id == name:
                return True
            length = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "len"
            if not isinstance(node, ast.Attribute) and not length:
                pending.extend(n for n in children(node) if isinstance(n, ast.expr))
        return False

    def waiting(self, names: set[str]) -> str | None:
        """The name of a generator expression over one of `names` that may be advanced after the node runs, or None."""
        for bound, over in self._generators():
            found = next((name for name in bound if self.read_later(name)), None) if over & names else None
            if found is not None:
                return found
        return None

    def _generators(self) -> list[tuple[list[str], set[str]]]:
        """For each generator expression of the function: the names that it is bound to, and those that it iterates."""
        scope = self.function
        known = self._module.memo.generators
        place = (0, 0) if scope is None else start_of(scope)
        if place not in known:
            known[place] = []
            for node in walk(scope or self.path[0]):
                if isinstance(node, (ast.Assign, ast.NamedExpr)) and isinstance(node.value, ast.GeneratorExp):
                    over = {n.id for n in walk(node.value.generators[0].iter) if isinstance(n, ast.Name)}
                    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                    bound = [n.id for target in targets for n in walk(target) if isinstance(n, ast.Name)]
                    known[place].append((bound, over))
        return known[place]

    def read_beside(self, names: set[str]) -> bool:
        """Whether the node's statement reads one of the names before the node, and may still hold the value.

        If the node is the whole value of an assignment: whether a target reads one, as Python does after the value.
        """
        statement = self.statement
        if isinstance(statement, ast.Assign) and self.is_value():
            return any(
                isinstance(n, ast.Name) and n.id in names and isinstance(n.ctx, ast.Load)
                for target in statement.targets
                for n in walk(target)
            )
        return statement is not None and any(
            isinstance(n, ast.Name)
            and n.id in names
            and isinstance(n.ctx, ast.Load)
            and start_of(n) < start_of(self.node)
            for n in walk(statement)
        )

    def _is_bound_anew(self, name: str) -> bool:
        """Whether the node's statement rebinds the name after the node has run."""
        statement = self.statement
        if not isinstance(statement, ast.Assign) or not _within(self.node, statement.value) or self.delayed():
            return False
        if any(isinstance(n, ast.Try) or type(n).__name__ == "TryStar" for n in self.path):
            return False  # an exception may skip the rebinding
        return any(_spelled(one) == name for t in statement.targets for one in getattr(t, "elts", (t,)))

    def reads_again(self, name: str) -> bool:
        """Whether the node reads the name once more, in a loop or comprehension, before that is bound anew."""
        path = [*self.path, self.node]
        if not any(isinstance(n, ast.Name) and n.id == name for n in walk(self.node)):
            return False
        for at in reversed(range(len(path))):
            outer = path[at]
            if isinstance(outer, _FUNCTIONS):
                return False
            if isinstance(outer, _COMPREHENSIONS):
                return not any(binds(one.target, name) for one in outer.generators)
            if isinstance(outer, _LOOPS) and path[at + 1] not in outer.orelse:
                ahead = [one for one in outer.body if end_of(one) <= start_of(path[at + 1])]
                bound: list[ast.AST] = [one for one in ahead if isinstance(one, (ast.Assign, ast.AnnAssign))]
                bound += [] if isinstance(outer, ast.While) else [outer.target]
                return not any(binds(one, name) for one in bound)
        return False

    def read_later(self, name: str) -> bool:
        """Whether the name may be read after the node has run; False is certain."""
        scope: ast.AST = self.function or self.path[0]
        if not self.owns(name):
            return True
        end = end_of(self.node)
        for outer in reversed(self.path[self.path.index(scope) :]):
            element, rest = _with_its_own(outer, name)
            if any(_within(self.node, part) for part in (*element, *rest)):
                # It is the variable of a comprehension, bound anew in each round, of which the element comes last.
                comes_last = any(_within(self.node, part) for part in element)
                ahead = {n for part in (() if comes_last else element) for n in walk(part)}
                return any(
                    _reads(n, name) and (start_of(n) >= end or n in ahead)
                    for part in (*element, *rest)
                    for n in walk(part, {self.node})
                )
        statement = self.statement
        if isinstance(statement, ast.Assign) and any(
            _reads(n, name) and not _within(n, self.node)
            for target in statement.targets
            for n in walk(target)
        ):
            return True  # an assignment evaluates its target after its value
        if isinstance(statement, ast.Assign) and self._is_bound_anew(name):
            return any(
                isinstance(n, ast.Name) and n.id == name and start_of(n) >= end for n in walk(statement.value)
            )
        again = [
            n for n in self.path if isinstance(n, _LOOPS) and _inside(scope, n) and not _binds_first(n, name)
        ]
        protected = any(isinstance(n, ast.Try) or type(n).__name__ == "TryStar" for n in self.path)
        first = (again[0].lineno, again[0].col_offset) if again else end
        if protected:
            first = (0, 0)
        exclusive = _other_branches(self.path, self.node) if not again and not protected else set()
        exclusive.update(part for n in walk(scope) for parts in _with_its_own(n, name) for part in parts)
        for other in walk(scope, exclusive):
            target = other.target if isinstance(other, ast.AugAssign) else None
            if target is not None and other is not self.node:
                other = target  # an augmented assignment also reads its target
            elif not isinstance(getattr(other, "ctx", None), (ast.Load, ast.Del)):
                continue
            if (
                isinstance(other, ast.Name)
                and other.id == name
                and (other.lineno, other.col_offset) >= first
                and not _within(other, self.node)
            ):
                return True
        return False


def _with_its_own(node: ast.AST, name: str) -> tuple[list[ast.AST], list[ast.AST]]:
    """The parts of a comprehension in which `name` is a variable of its own: its element, and what comes before it."""
    if not isinstance(node, _COMPREHENSIONS) or not any(binds(one.target, name) for one in node.generators):
        return [], []
    first, *others = node.generators
    element: list[ast.AST] = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    return element, [first.target, *first.ifs, *others]


def _reads(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)


def binds(node: ast.AST, name: str) -> bool:
    """Whether a node rebinds the name."""
    return any(
        isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load) for n in walk(node)
    )


def _binds_first(loop: ast.AST, name: str) -> bool:
    """Whether each round of a loop gives the name another value before it reads it."""
    if isinstance(loop, (ast.For, ast.AsyncFor)) and binds(loop.target, name):
        return True
    if isinstance(loop, ast.While) and _mentions(loop.test, name):
        return False
    body: list[ast.stmt] = getattr(loop, "body", [])
    for place, statement in enumerate(body):
        if isinstance(statement, (ast.For, ast.AsyncFor)) and binds(statement.target, name):
            # After a loop without a round the name still holds what it held before.
            others = (statement.iter, *statement.orelse, *body[place + 1 :])
            return not any(_mentions(other, name) for other in others)
        if isinstance(statement, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == name for target in statement.targets
        ):
            return not _mentions(statement.value, name)
        if _mentions(statement, name):
            return False
    return False


def _mentions(node: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in walk(node))


def _same_span(one: ast.AST, other: ast.AST) -> bool:
    return start_of(one) == start_of(other) and end_of(one) == end_of(other)


def _spelled(node: ast.AST) -> str:
    """The dotted path of an expression, `self.a.b`; empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    owner = _spelled(node.value) if isinstance(node, ast.Attribute) else ""
    return f"{owner}.{node.attr}" if owner and isinstance(node, ast.Attribute) else ""


def _path(tree: ast.AST, node: ast.AST) -> list[ast.AST]:
    path: list[ast.AST] = []

    def search(at: ast.AST) -> bool:
        for child in _toward(at, node):
            if child is node or (_holds(child, node) and search(child)):
                path.append(at)
                return True
        return False

    search(tree)
    path.reverse()
    return path


#: Statement lists longer than this are searched by bisection.
_LONG = 40


def _toward(at: ast.AST, node: ast.AST) -> list[ast.AST]:
    """The children of `at` that may contain `node`."""
    body: list[ast.stmt] = at.body if isinstance(at, _BODIES) else []
    row = start_of(node)[0]
    if len(body) <= _LONG or row <= body[0].lineno:  # decorators stand before the body
        return children(at)
    first, after = (bisect(body, row, key=lambda one: one.lineno) for bisect in (bisect_left, bisect_right))
    return list(body[max(0, first - 1) : after + 1])  # decorators precede a statement's first line


def _holds(outer: ast.AST, inner: ast.AST) -> bool:
    first: int | None = getattr(outer, "lineno", None)
    if first is None:
        return True
    if isinstance(outer, (*_FUNCTIONS, ast.ClassDef)):
        first = 0  # decorators stand before the first line
    return first <= start_of(inner)[0] <= (end_of(outer)[0] or first)


def _inside(scope: ast.AST, node: ast.AST) -> bool:
    return node in walk(scope)


def _within(node: ast.AST, outer: ast.AST) -> bool:
    return node in walk(outer)


def _other_branches(path: list[ast.AST], node: ast.AST) -> set[ast.AST]:
    """What is in the other arms of the `if`s and conditional expressions around the node: it does not run after it."""
    found: set[ast.AST] = set()
    for at, below in zip(path, [*path[1:], node]):
        if isinstance(at, ast.IfExp) and below in (at.body, at.orelse):
            found.add(at.orelse if below is at.body else at.body)
        if isinstance(at, ast.If):
            if below in at.body:
                found.update(at.orelse)
            elif below in at.orelse:
                found.update(at.body)
    return found
