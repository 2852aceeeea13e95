"""Defines terms, the nodes of the value graph: immutable, one object per equal term (except operations in `UNIQUE`).

A term is an operation and its operands; `const` holds a Python value. Operation names are canonical: `torch.add(a, b)`,
`a.add(b)`, `a + b` and `a.add_(b)` give the same term.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ast
    from collections.abc import Container, Iterable, Iterator
    from typing import Any

    from ..syntax.module import FunctionSource


class Term:
    """A node of the value graph: `at` is the first expression that computes it, `function` the function around that."""

    __slots__ = ("args", "at", "function", "op")

    def __init__(
        self, op: str, args: tuple[Any, ...], at: ast.AST | None, function: FunctionSource | None
    ) -> None:
        self.op = op
        self.args = args
        self.at = at
        self.function = function

    @property
    def operands(self) -> list[Term]:
        return [arg for arg in self.args if isinstance(arg, Term)]

    @property
    def first(self) -> Term:
        """The first operand."""
        first: Term = self.args[0]
        return first

    def __repr__(self) -> str:
        return f"{self.op}({', '.join(map(repr, self.args))})"


#: Not shared between places: two equal calls are two values (random numbers, unknown effects, reported calls).
UNIQUE = frozenset(
    "call opaque matmul bmm baddbmm einsum softmax dropout sdpa new mha rand randn empty".split()
)
#: Of these, what a function computes anew each time that it is called.
_FRESH = frozenset("call opaque dropout new rand randn empty".split())


class Terms:
    """Creates terms, and returns the known object for an equal one."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], Term] = {}
        self.function: FunctionSource | None = None
        #: the number of the activation of that function, and which copy of a call is made in it
        self.activation = self.copy = 0

    def __call__(self, op: str, *args: Any, at: ast.AST | None = None, repeats: bool = False) -> Term:
        """The term of an operation at a place; `repeats`: a call of it would give the same each time."""
        key: tuple[Any, ...] = (op, *args)
        if op == "const":
            key = (op, type(args[0]), repr(args[0]))
        elif op in UNIQUE:
            if at is None and op == "opaque":  # unknown values are never equal to each other
                return Term(op, args, at, self.function)
            when = (self.activation, self.copy) if op in _FRESH and not repeats else None
            key = (id(at), when, *key)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = Term(op, args, at, self.function)
        return known

    def all(self) -> list[Term]:
        return list(self._known.values())

    def const(self, value: object, at: ast.AST | None = None) -> Term:
        return self("const", value, at=at)

    def opaque(self, at: ast.AST | None, *operands: Term) -> Term:
        return self("opaque", *operands, at=at)


def is_const(term: Any, *values: object) -> bool:
    """Whether a term is a constant; if values are given, whether it is one of them (of the same type)."""
    if not isinstance(term, Term) or term.op != "const":
        return False
    return not values or any(type(term.args[0]) is type(v) and term.args[0] == v for v in values)


def integer(term: Any) -> int | None:
    """The value of a constant int, else None."""
    if isinstance(term, Term) and term.op == "const" and type(term.args[0]) is int:
        return int(term.args[0])
    return None


def items(term: Any) -> tuple[Term, ...] | None:
    """The elements of a tuple or list term, else None."""
    if isinstance(term, Term) and term.op in ("tuple", "list"):
        return term.args
    return None


def is_tensor(term: Term) -> bool:
    """Whether a value is certainly a tensor: the result of a tensor operation, or of arithmetic or indexing on one."""
    stack, seen = [term], set()
    while stack:
        one = stack.pop()
        if one.op in _TENSORS:
            return True
        if one.op in ("mul", "div", "add", "sub", "pow", "neg") and one not in seen:
            seen.add(one)
            stack.extend(one.operands)
        elif one.op in ("getitem", "item") and one not in seen:  # indexing a tensor gives a tensor
            seen.add(one)
            stack.append(one.first)
    return False


_TENSORS = frozenset(
    "matmul bmm baddbmm einsum softmax dropout sdpa masked_fill where permute transpose mT t reshape expand expand_as "
    "unsqueeze squeeze flatten unflatten contiguous clone exp sqrt tanh sigmoid relu sum amax tril triu chunk split "
    "unbind cat stack linear ones zeros full rand randn ones_like zeros_like tensor arange rearrange cast repeat "
    "repeat_interleave einops_repeat".split()
)


def is_metadata(term: Term) -> bool:
    """Whether a term is metadata of a tensor (dtype, device, rank) and says nothing of its values."""
    return term.op in ("dim", "numel") or (term.op == "member" and term.args[1] in _METADATA)


_METADATA = frozenset("dtype device ndim layout is_cuda requires_grad itemsize".split())


def ends(value: Term) -> Iterator[Term]:
    """The values between which nested `phi`s choose, each once; the value itself if it is no `phi`."""
    stack, seen = [value], set()
    while stack:
        term = stack.pop()
        if term not in seen:
            seen.add(term)
            if term.op == "phi":
                stack += term.args[:0:-1]
            else:
                yield term


def parts(root: Term, *leaves: str, stops: Container[Term] = ()) -> Iterator[Term]:
    """A term and all terms that it is computed from, each once; does not descend into `leaves`, leaves out `stops`."""
    stack, seen = [root], set()
    while stack:
        term = stack.pop()
        if term in seen or term in stops:
            continue
        seen.add(term)
        yield term
        if term.op not in leaves:
            stack += term.operands


def sources(
    roots: Iterable[Term], stops: Container[Term] = (), through_shapes: bool = False
) -> Iterator[Term]:
    """The roots and what they are computed from, each once; leaves out `stops` and whatever only gives a shape."""
    stack, seen = [*roots], set()
    while stack:
        term = stack.pop()
        if term in seen or term in stops:
            continue
        seen.add(term)
        yield term
        if through_shapes or not (term.op in ("size", "shape") or is_metadata(term)):
            stack += term.operands


def within(root: Term, sought: set[Term], stops: Container[Term] = (), through_shapes: bool = False) -> bool:
    """Whether `root` is computed from one of the sought terms, without passing `stops` or shapes."""
    return any(term in sought for term in sources((root,), stops, through_shapes))
