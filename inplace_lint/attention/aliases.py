"""Decides which terms may share storage, so that an in-place write to one of them invalidates the others."""

from __future__ import annotations

from .ops import VIEWS
from .terms import Term, integer

#: Operations whose result may be their operand, a view of it, or a container of it.
_MAY_ALIAS = VIEWS | {
    "member",
    "dropout",
    "element",
    "star",
    "comprehension",
    "mapped",
    "zip",
    "tuple",
    "list",
}
#: Layers whose result never shares storage with their input (prefixes of class names).
_FRESH = ("Linear", "Bilinear", "Conv", "LayerNorm", "RMSNorm", "BatchNorm", "GroupNorm", "Embedding")


def is_fresh_layer(kind: str) -> bool:
    """Whether a torch.nn layer of this class always allocates its result."""
    return kind.startswith(_FRESH)


def base_of(term: Term) -> Term:
    """The tensor that a chain of views starts from."""
    while term.op in VIEWS and isinstance(term.args[0], Term):
        term = term.args[0]
    return term


def bases(term: Term, fresh: set[Term]) -> set[Term]:
    """All values whose storage a value may share. A call that is not in `fresh` may return any of its arguments."""
    found: set[Term] = set()
    seen: set[Term] = set()
    stack = [term]
    while stack:
        one = stack.pop()
        if one in seen:
            continue
        seen.add(one)
        if one.op in _MAY_ALIAS and one.args and isinstance(one.args[0], Term):
            stack.extend(one.operands if one.op in ("tuple", "list", "zip", "mapped") else (one.args[0],))
        elif one.op == "phi":
            stack.extend(one.args[1:])
        elif one.op in ("call", "opaque") and one not in fresh:
            found.add(one)
            stack.extend(
                t for t in one.operands if t.op not in ("attr", "symbol", "function", "class", "instance")
            )
        else:
            found.add(one)
    return found


#: Views whose elements may share memory with each other.
_OVERLAPPING = frozenset("expand expand_as unfold as_strided broadcast_to".split())


def are_disjoint(one: Term, other: Term) -> bool:
    """Whether two terms are views of different constant elements of the same base, such as `x[0]` and `x[1]`.

    `x[0]` and `x[-1]` may be the same element, and all elements of an `expand` are.
    """
    ancestors: dict[Term, Term] = {}
    term = one
    while term.op in VIEWS and isinstance(term.args[0], Term):
        ancestors[term.args[0]] = term
        term = term.args[0]
    term = other
    while term.op in VIEWS and isinstance(term.args[0], Term):
        mine = ancestors.get(term.args[0])
        if mine is not None:
            if mine.op != term.op or mine.op not in ("item", "getitem") or _overlaps(term.args[0]):
                return False
            first, second = integer(mine.args[1]), integer(term.args[1])
            return (
                first is not None and second is not None and first != second and (first < 0) == (second < 0)
            )
        term = term.args[0]
    return False


def _overlaps(term: Term) -> bool:
    """Whether a chain of views ends in one whose elements may share memory."""
    while term.op in VIEWS and isinstance(term.args[0], Term):
        if term.op in _OVERLAPPING:
            return True
        term = term.args[0]
    return False
