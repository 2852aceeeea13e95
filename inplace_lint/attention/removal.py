"""Decides which statements a rewrite removes: those that compute scores and weights, and those that only served them.

The decision is made on the syntax tree, by name: a statement goes only if every reader of the name it binds goes too.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..model import Refused
from ..syntax.nodes import inner_bodies
from .terms import Term
from .tree import (
    bound_by,
    contains,
    has_call,
    is_print,
    is_pure,
    loads,
    nodes_of,
    own_loads,
    own_nodes_of,
    surely_bound,
    words_of,
)

if TYPE_CHECKING:
    from ..syntax.module import FunctionSource
    from .plan import Plan


_MANAGERS = (ast.With, ast.AsyncWith, ast.Try)
_INNER = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


@dataclass(slots=True, eq=False)
class Removal:
    """The statements to remove; `said` are those among them whose output a user may miss (prints and asserts).

    `loop` is the outermost loop around the product with V.
    """

    statements: list[ast.stmt]
    said: list[ast.stmt]
    loop: ast.stmt | None


class Statements:
    """Index of a function's statements: parent, bound name and reads of each. Built once for all its attentions."""

    def __init__(self, function: FunctionSource) -> None:
        #: for each statement its parent statement (None at the top) and the block that contains it
        self.parents: dict[int, tuple[ast.stmt | None, list[ast.stmt]]] = {}
        self.all: list[ast.stmt] = []
        body = function.node.body if isinstance(function.node.body, list) else []
        self._collect(body, None)
        self._bound = {id(one): bound_by(one) for one in self.all}
        #: the reads of each statement, without those of nested statements; and all reads of each name
        self.loads = {id(one): own_loads(one) for one in self.all}
        self.reads: dict[str, list[ast.expr]] = {}
        for loaded in self.loads.values():
            for load, name in loaded:
                self.reads.setdefault(name, []).append(load)
        self.inner = [
            node
            for statement in body
            for node in nodes_of(statement)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef))
        ]

    def _collect(self, body: list[ast.stmt], parent: ast.stmt | None) -> None:
        for statement in body:
            self.parents[id(statement)] = (parent, body)
            self.all.append(statement)
            for inner in inner_bodies(statement):
                self._collect(inner, statement)

    def bound(self, statement: ast.stmt) -> tuple[str, ...] | None:
        """The one name that a removable statement binds or changes; None for any other statement."""
        return self._bound[id(statement)]


def removal(plan: Plan, statements: Statements) -> Removal:
    """The statements that the rewrite removes. Raises Refused if a remaining statement reads what one of them binds."""
    return _Removing(plan, statements).run()


def root_scope(plan: Plan) -> set[str]:
    """Names that the function declares global or nonlocal."""
    return plan.graph.root.declared


def _arms(statement: ast.stmt) -> tuple[list[ast.stmt], list[ast.stmt]]:
    return getattr(statement, "body", []), getattr(statement, "orelse", [])


def _holds(body: list[ast.stmt], node: ast.AST) -> bool:
    return any(contains(one, node) for one in body)


class _Removing:
    def __init__(self, plan: Plan, within: Statements) -> None:
        self.plan, self.within = plan, within
        root = plan.graph.root
        self.root = root.node
        self.module = root.module
        self.parents, self.statements = within.parents, within.all

    def run(self) -> Removal:
        plan, site = self.plan, self.plan.site
        assert plan.anchor is not None
        if isinstance(self.root, ast.Lambda):
            raise Refused("the attention stands in a lambda")
        self.anchor = self._statement_of(plan.anchor)
        if self.anchor is None:
            raise Refused("the product with the values stands in no statement of its own")
        if any(isinstance(one, _INNER) and contains(one, plan.anchor) for one in nodes_of(self.anchor)):
            raise Refused("the product with the values stands in a comprehension or lambda")
        steps: set[Term] = {*site.scores.steps, *site.weights.steps, site.softmax}
        if site.softmax.op != "softmax":
            steps |= {site.softmax.args[0], site.softmax.args[1], site.softmax.args[0].args[0]}
            steps |= {t for t in (*site.softmax.args[0].args[0].operands,) if t.op in ("amax", "detach")}
            steps |= {t.args[0] for t in list(steps) if t.op == "detach"}
        steps.discard(site.result)
        self._only_computes(steps)
        going: list[ast.stmt] = []
        for node in self._nodes(steps):
            statement = self._statement_of(node)
            if statement is None or statement is self.anchor or statement in going:
                continue
            going.append(statement)
        shared = root_scope(self.plan)
        for statement in going:
            if shared.intersection(self.within.bound(statement) or ()):
                raise Refused("the scores or weights are bound to a name of an outer scope")
            if self.within.bound(statement) is None:
                raise Refused(
                    f"the scores are computed in a statement that does more (line {statement.lineno})"
                )
            if self._around(statement, _MANAGERS) != self._around(self.anchor, _MANAGERS):
                raise Refused("a `with` statement holds a part of the attention only")
            if self._around(statement, _LOOPS) != self._around(self.anchor, _LOOPS):
                raise Refused("a loop holds a part of the attention only")
        going, said = self._closed(going)
        loops = self._around(self.anchor, _LOOPS)
        return Removal(going, said, loops[-1] if loops else None)

    def _around(self, statement: ast.stmt, kinds: tuple[type[ast.stmt], ...]) -> list[ast.stmt]:
        """The enclosing statements of some kinds, the innermost first."""
        found: list[ast.stmt] = []
        parent = self.parents[id(statement)][0]
        while parent is not None:
            if isinstance(parent, kinds):
                found.append(parent)
            parent = self.parents[id(parent)][0]
        return found

    def _only_computes(self, steps: set[Term]) -> None:
        """Raises Refused if a helper on the way from scores to result contains a `with` or `try` statement."""
        root = self.plan.graph.root
        result = self.plan.site.result
        for helper in {one.function for one in (*steps, result) if one.function not in (None, root)}:
            assert helper is not None
            if any(isinstance(one, (ast.With, ast.AsyncWith, ast.Try)) for one in nodes_of(helper.node)):
                raise Refused("a helper that computes the attention holds a `with` or `try` statement")

    def _nodes(self, steps: set[Term]) -> list[ast.AST]:
        graph = self.plan.graph
        nodes = [one.at for one in steps if one.at is not None and one.function is graph.root]
        nodes += [m.at for m in graph.moments if m.depth == 0 and m.term in steps]
        inside = (self.root.lineno, self.root.end_lineno or 0)
        nodes = [n for n in nodes if inside[0] <= getattr(n, "lineno", 0) <= inside[1]]
        return sorted(nodes, key=lambda n: (n.lineno, n.col_offset))  # type: ignore[attr-defined]

    def _statement_of(self, node: ast.AST) -> ast.stmt | None:
        """The innermost statement around an expression."""
        best = None
        for statement in self.statements:
            if contains(statement, node) and (best is None or contains(best, statement)):
                best = statement
        return best

    def _closed(self, going: list[ast.stmt]) -> tuple[list[ast.stmt], list[ast.stmt]]:
        """Extends the removal to a fixpoint: prints of shapes, emptied ifs, masks and sizes that only served it."""
        said: list[ast.stmt] = []
        gone = list(going)
        for _ in range(20):
            before = len(gone)
            self._prints(gone, said)
            self._ifs(gone)
            self._unused(gone)
            if len(gone) == before:
                break
        self._check(gone)
        for node in self.plan.moved:
            inside = self._statement_of(node)
            anchor = self.plan.anchor
            if inside not in gone and not (anchor is not None and contains(anchor, node)):
                raise Refused(
                    "a value that the call needs has no name at the place where the product is computed"
                )
        return gone, said

    def _prints(self, gone: list[ast.stmt], said: list[ast.stmt]) -> None:
        names = self._names(gone)
        for statement in self.statements:
            if statement in gone or statement is self.anchor:
                continue
            if not isinstance(statement, ast.Assert) and not is_print(statement):
                continue
            if any(name in names and self._may_see(load, name, gone) for load, name in loads(statement)):
                gone.append(statement)
                said.append(statement)

    def _ifs(self, gone: list[ast.stmt]) -> None:
        for statement in self.statements:
            if isinstance(statement, ast.If) and statement not in gone and statement is not self.anchor:
                inner = [*statement.body, *statement.orelse]
                if all(one in gone or isinstance(one, ast.Pass) for one in inner) and any(
                    one in gone for one in inner
                ):
                    gone.append(statement)

    def _unused(self, gone: list[ast.stmt]) -> None:
        """Adds plain assignments whose readers are all removed."""
        anchor = self.plan.anchor
        kept_text = " ".join([*self.plan.arguments, self.plan.after])
        kept_names = words_of(kept_text)
        for statement in self.statements:
            bound = self.within.bound(statement)
            if (
                statement in gone
                or statement is self.anchor
                or not bound
                or not isinstance(statement, ast.Assign)
            ):
                continue
            if has_call(statement.value) and not is_pure(statement.value):
                continue
            (name,) = bound
            reads = self.within.reads.get(name)
            if not reads or name in kept_names:
                continue
            goes = all(
                any(contains(one, load) for one in gone) or (anchor is not None and contains(anchor, load))
                for load in reads
            )
            if goes and self._stores(name) == 1:
                gone.append(statement)

    def _stores(self, name: str) -> int:
        count = 0
        for statement in self.statements:
            bound = self.within.bound(statement)
            count += bool(bound and name in bound)
            if bound is None:
                count += sum(
                    isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)
                    for n in own_nodes_of(statement)
                )
        return count

    def _names(self, gone: list[ast.stmt]) -> set[str]:
        return {name for one in gone for name in (self.within.bound(one) or ())}

    def _check(self, gone: list[ast.stmt]) -> None:
        names = self._names(gone)
        anchor = self.plan.anchor
        for statement in self.statements:
            if statement in gone:
                continue
            for load, name in self.within.loads[id(statement)]:
                if name not in names or (anchor is not None and contains(anchor, load)):
                    continue
                if self._may_see(load, name, gone):
                    raise Refused(f"`{name}` is also read on line {load.lineno}")
        kept = words_of(" ".join([*self.plan.arguments, self.plan.after]))
        for name in kept & names:
            if not self._rebound(name, gone):
                raise Refused(f"`{name}` holds the scores as well as a value that the call needs")
        for statement in gone:
            parent, body = self.parents[id(statement)]
            if parent is not None and parent not in gone and all(one in gone for one in body):
                raise Refused(f"nothing would be left under line {parent.lineno}")
            if self._shares_line(statement):
                raise Refused(f"line {statement.lineno} holds several statements")

    def _rebound(self, name: str, gone: list[ast.stmt]) -> bool:
        """Whether the last assignment of a name before the anchor stays."""
        assert self.anchor is not None
        last = [
            s
            for s in self.statements
            if name in (self.within.bound(s) or ())
            and s.lineno < self.anchor.lineno
            and self._level(s) == self._level(self.anchor)
        ]
        return bool(last) and last[-1] not in gone

    def _level(self, statement: ast.stmt) -> int:
        return id(self.parents[id(statement)][1])

    def _is_in(self, block: list[ast.stmt], statement: ast.stmt) -> bool:
        """Whether a statement stands in a block, directly or nested."""
        around: ast.stmt | None = statement
        while around is not None:
            around, held = self.parents[id(around)]
            if held is block:
                return True
        return False

    def _may_see(self, load: ast.expr, name: str, gone: list[ast.stmt]) -> bool:
        """Whether a read of a name may see the value of a removed statement."""
        writers = [
            one for one in gone if name in (self.within.bound(one) or ()) and not self._are_apart(one, load)
        ]
        if not writers:
            return False
        first = min(one.lineno for one in writers)
        if any(contains(one, load) for one in self.within.inner):
            return True  # in an inner function, which may be called at any time
        if load.lineno < first and not any(self._around(one, _LOOPS) for one in writers):
            return False
        assert self.anchor is not None
        # Not if the anchor's statement, or a later one in its block, always rebinds the name before the read.
        block = self.parents[id(self.anchor)][1]
        for statement in block[block.index(self.anchor) :]:
            if statement in gone:
                continue
            if (
                statement.end_lineno is not None
                and statement.end_lineno < load.lineno
                and name in surely_bound(statement)
            ):
                return not all(self._is_in(block, one) for one in writers)
        return True

    def _are_apart(self, statement: ast.stmt, load: ast.expr) -> bool:
        """Whether a statement and a read lie on different arms of an `if`, outside of any loop."""
        if self._around(statement, _LOOPS):
            return False
        for around in self._around(statement, (ast.If,)):
            arms = [{one for one in (statement, load) if _holds(arm, one)} for arm in _arms(around)]
            if all(len(arm) == 1 for arm in arms):
                return True
        return False

    def _shares_line(self, statement: ast.stmt) -> bool:
        first = self.module.lines[statement.lineno - 1][: statement.col_offset]
        end = statement.end_lineno or statement.lineno
        rest = self.module.lines[end - 1][statement.end_col_offset or 0 :].strip()
        return bool(first.strip()) or (bool(rest) and not rest.startswith(b"#"))
