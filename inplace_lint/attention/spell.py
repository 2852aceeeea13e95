"""Writes a term as Python source that evaluates to it at a given place of a function, or raises Unspellable."""

from __future__ import annotations

import ast
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..syntax.module import ClassSource
from ..syntax.nodes import walk
from .axes import permutation
from .terms import Term, integer, is_const, is_tensor, items, parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from .frames import Moment
    from .graph import Graph
    from .origins import Origins

_SIGNS = {"mul": "*", "div": "/", "add": "+", "sub": "-", "floordiv": "//", "pow": "**", "matmul": "@"}
_COMPARED = {
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "is": "is",
    "is not": "is not",
}
#: Operator precedence levels, from a ternary (loosest) to a name.
TERNARY, COMPARISON, SUM, PRODUCT, UNARY, POWER, ATOM = range(7)
#: Longest source text of one term, in characters; a longer one is Unspellable, because nobody would write it.
_LONGEST = 400
_BINDING = {"mul": PRODUCT, "div": PRODUCT, "floordiv": PRODUCT, "matmul": PRODUCT, "add": SUM, "sub": SUM}


class Unspellable(Exception):
    """A value has neither a name nor an expression at the place where it is needed."""


class Speller:
    """Writes terms as source for the place of one moment, where the local names have known terms."""

    def __init__(self, graph: Graph, moment: Moment) -> None:
        self.graph = graph
        self.names = moment.names
        self.moment = moment
        self.module = graph.root.module
        self._by_term: dict[Term, str] = {}
        self._spelled: dict[Term, tuple[str, int] | None] = {}
        for name, term in moment.names.items():
            if "@" not in name:
                self._by_term.setdefault(term, name)
        #: source expressions that are reused and must not run twice: the plan must remove the originals
        self.moved: list[ast.AST] = []
        #: attributes that the written source reads again
        self.attributes: set[str] = set()
        #: what the operand at hand is computed from in the text; None: it cannot be told, or it is no operand
        self._origins: Origins | None = None

    @contextmanager
    def under(self, tests: Sequence[tuple[Term, bool]]) -> Iterator[None]:
        """Within the context, the conditions `tests` hold: a name whose `phi` they decide stands for that arm."""
        outer, chosen = (self._by_term, self._spelled), dict(tests)
        self._by_term, self._spelled = dict(self._by_term), {}
        for name, term in self.names.items():
            while term.op == "phi" and term.first in chosen:
                term = term.args[1] if chosen[term.first] else term.args[2]
            if "@" not in name:
                self._by_term.setdefault(term, name)
        try:
            yield
        finally:
            self._by_term, self._spelled = outer

    @contextmanager
    def computed_from(self, origins: Origins | None) -> Iterator[None]:
        """Within the context, an operand is written by what the text computes it from, not by another equal term."""
        if origins is None:
            yield
            return
        outer = (self._by_term, self._spelled, self._origins)
        self._by_term, self._spelled, self._origins = {}, {}, origins
        for name in (*origins.names, *self.names):
            if (
                name in self.names
                and "@" not in name
                and (name in origins.names or _is_given(self.names[name]))
            ):
                self._by_term.setdefault(self.names[name], name)
        try:
            yield
        finally:
            self._by_term, self._spelled, self._origins = outer

    def condition(self, test: Term, holds: bool) -> str:
        """The source of a test; if it has none, `name is not None` for a name that is a tensor just when it holds."""
        while test.op == "not":
            test, holds = test.first, not holds
        try:
            return self.text(test, COMPARISON) if holds else f"not {self.text(test, UNARY)}"
        except Unspellable:
            for name, term in self.names.items():
                if term.op != "phi" or term.first is not test or "@" in name:
                    continue
                met, unmet = term.args[1:] if holds else term.args[:0:-1]
                if is_tensor(met) and is_const(unmet, None):
                    return f"{name} is not None"
            raise

    def text(self, term: Term, binding: int = TERNARY) -> str:
        """The source of a term, in parentheses if it binds more loosely than `binding`."""
        if term not in self._spelled:
            self._spelled[term] = None  # stays if `_spell` raises: the term is Unspellable next time, too
            self._spelled[term] = self._spell(term)
        known = self._spelled[term]
        if known is None or len(known[0]) > _LONGEST:
            raise Unspellable
        source, own = known
        return f"({source})" if own < binding else source

    def _spell(self, term: Term) -> tuple[str, int]:
        name = self._by_term.get(term)
        if name is not None:
            return name, ATOM
        if term.op == "const":
            return (repr(term.args[0]), ATOM if not str(term.args[0]).startswith("-") else UNARY)
        read = _attributes_in(term, self._by_term)
        if not read.isdisjoint(self.graph.classes.written):
            raise Unspellable  # the attribute may have another value by then
        if any(one.op == "attr" and self._may_act(one) for one in parts(term, stops=self._by_term)):
            raise Unspellable
        self.attributes |= read
        written = self._as_written(term)
        if written is not None:
            return written
        return self._structure(term)

    def _may_act(self, read: Term) -> bool:
        """Whether reading an attribute runs a property that may do more than compute, such as count its calls."""
        obj, name = read.args
        cls = obj.args[0] if obj.op == "instance" else None
        getter = self.graph.classes.method(cls, name) if isinstance(cls, ClassSource) else None
        return getter is not None and any(map(_acts, walk(getter.node)))

    def _as_written(self, term: Term) -> tuple[str, int] | None:
        """The source that computes the term in the file, if it evaluates to the same term at this place."""
        nodes = [term.at] if term.function is self.graph.root else []
        # A helper's result is spelled as the call of the helper, the latest one first.
        before = [one for one in self.graph.moments if one.depth == 0 and one.order < self.moment.order]
        nodes += [one.at for one in reversed(before) if one.term is term]
        for node in dict.fromkeys(nodes):
            if not isinstance(node, ast.expr) or not (self._origins is None or node in self._origins.nodes):
                continue
            value, acts = self.graph.runner.evaluated(node, self.moment)
            if value is term:
                text = source_of(self.module.lines, node)
                if "\n" in text:
                    text = " ".join(line.strip() for line in text.split("\n"))
                    if "#" in text:
                        continue
                if acts or node is not term.at or _calls(term):
                    self.moved.append(node)
                return text, _binding_of(node)
        return None

    def _structure(self, term: Term) -> tuple[str, int]:
        op, args = term.op, term.args
        if (
            op in _SIGNS
            and len(args) >= 2
            and all(isinstance(a, Term) for a in args[:2])
            and not any(args[2:])
        ):
            level = POWER if op == "pow" else _BINDING[op]
            right = level + 1 if op != "pow" else UNARY
            left = level if op != "pow" else ATOM
            return f"{self.text(args[0], left)} {_SIGNS[op]} {self.text(args[1], right)}", level
        if op in _COMPARED:
            return f"{self.text(args[0], SUM)} {_COMPARED[op]} {self.text(args[1], SUM)}", COMPARISON
        if op == "not":
            return f"not {self.text(args[0], COMPARISON)}", COMPARISON
        if op == "neg":
            return f"-{self.text(args[0], UNARY)}", UNARY
        if op == "invert":
            return f"~{self.text(args[0], UNARY)}", UNARY
        if op == "getitem" and integer(args[1]) is not None:
            return f"{self.text(args[0], ATOM)}[{integer(args[1])}]", ATOM
        if op in ("attr", "member"):
            return f"{self.text(args[0], ATOM)}.{args[1]}", ATOM
        if op == "shape":
            return f"{self.text(args[0], ATOM)}.shape", ATOM
        if op == "size":
            return f"{self.text(args[0], ATOM)}.size({self.text(args[1])})", ATOM
        if op == "transpose" and args[1] is not None and args[2] is not None:
            return f"{self.text(args[0], ATOM)}.transpose({self.text(args[1])}, {self.text(args[2])})", ATOM
        if op == "mT":
            return f"{self.text(args[0], ATOM)}.transpose(-2, -1)", ATOM
        if op in ("permute", "reshape", "expand"):
            sizes = items(args[1])
            order = permutation(term) if op == "permute" else None
            if order is not None:
                return f"{self.text(args[0], ATOM)}.permute({', '.join(map(str, order))})", ATOM
            if sizes is not None and not any(size.op == "star" for size in sizes):
                return f"{self.text(args[0], ATOM)}.{op}({', '.join(self.text(s) for s in sizes)})", ATOM
        if op == "unsqueeze" and integer(args[1]) is not None:
            return f"{self.text(args[0], ATOM)}.unsqueeze({integer(args[1])})", ATOM
        if op in ("contiguous", "clone", "detach"):
            return f"{self.text(args[0], ATOM)}.{op}()", ATOM
        if op == "phi":
            return (
                f"{self.text(args[1], COMPARISON)} if {self.text(args[0], COMPARISON)} else {self.text(args[2])}",
                TERNARY,
            )
        raise Unspellable


#: Functions and methods whose calls compute a number and do nothing else.
_PLAIN = frozenset("int float len max min abs round sum bool sqrt pow log exp size dim item numel".split())


def _acts(node: ast.AST) -> bool:
    """Whether a node of a property's body stores into an object, or calls what is not known to compute only."""
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.Call):
        return (getattr(node.func, "id", None) or getattr(node.func, "attr", "")) not in _PLAIN
    return isinstance(node, (ast.Global, ast.Nonlocal, ast.Yield))


def _is_given(term: Term) -> bool:
    """Whether a term is an argument, which two names of one function have only if one was assigned to the other."""
    return term.op in ("param", "const", "symbol")


def _attributes_in(term: Term, named: dict[Term, str]) -> set[str]:
    """The attributes that a term reads, except inside values that have a name."""
    return {one.args[1] for one in parts(term, stops=named) if one.op == "attr"}


def _calls(term: Term) -> bool:
    """Whether evaluating the term again would repeat an unknown call, or draw other random numbers."""
    return any(one.op in ("call", "opaque", "dropout", "new") for one in parts(term))


def tight(text: str) -> str:
    """The text, in parentheses unless it is a single operand such as `a.b(c)[0]`."""
    depth = 0
    for letter in text:
        if letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif letter == " " and not depth:
            return f"({text})"
    return f"({text})" if text.startswith(("-", "~")) else text


def source_of(lines: list[bytes], node: Any) -> str:
    """The source text of a node."""
    row, end = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    start, stop = node.col_offset, node.end_col_offset or 0
    if row == end:
        return str(lines[row][start:stop], "utf-8")
    middle = lines[row + 1 : end]
    return b"\n".join([lines[row][start:], *middle, lines[end][:stop]]).decode("utf-8")


def _binding_of(node: ast.expr) -> int:
    if isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.Pow):
            return POWER
        if isinstance(node.op, (ast.Mult, ast.Div, ast.FloorDiv, ast.MatMult, ast.Mod)):
            return PRODUCT
        return SUM if isinstance(node.op, (ast.Add, ast.Sub)) else COMPARISON
    if isinstance(node, ast.UnaryOp):
        return COMPARISON if isinstance(node.op, ast.Not) else UNARY
    if isinstance(node, (ast.Compare, ast.BoolOp)):
        return COMPARISON
    if isinstance(node, (ast.IfExp, ast.Lambda, ast.NamedExpr)):
        return TERNARY
    return ATOM
