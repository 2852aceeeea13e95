"""Builds the terms of torch operations, with the arguments in signature order however the call passed them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import ops
from .terms import Term, is_const, items

if TYPE_CHECKING:
    import ast

    from .graph import Graph

#: Functions that create a tensor from sizes or Python values; tensors have no such methods.
MAKERS = frozenset({"ones", "zeros", "full", "tensor", "arange", "rand", "randn", "empty"})


def operation(
    graph: Graph,
    op: str,
    args: list[Term],
    kwargs: dict[str, Term],
    in_place: bool,
    at: ast.AST | None,
) -> Term | None:
    """The term of a torch operation, with None for omitted arguments; None if the call cannot be modelled.

    An in-place call also records the write; products, softmaxes and kernel calls are recorded as moments.
    """
    values, spare, taken = _bound(graph, op, args, kwargs)
    extra = len(args) > taken
    inplace_flag = spare.pop("inplace", None)
    dtype = spare.pop("dtype", None)
    unknown = [name for name in spare if name not in ops.IGNORED]
    if op == "softmax" and extra and len(args) == 4:  # F.softmax(input, dim, _stacklevel, dtype)
        values[2], extra = args[3], False
    if op == "dropout" and extra and len(args) == 4:
        inplace_flag, extra = args[3], False
    if unknown or extra or None in values[: _NEEDED.get(op, 1)] or "out" in spare:
        return None
    if op == "max" and values[1] is not None and values[1].op not in ("const",):
        return None
    if dtype is not None and (op in MAKERS or op in ("ones_like", "zeros_like")):
        values.append(dtype)
    elif dtype is not None and op not in ("softmax", "log_softmax", "cast", "sum"):
        return None
    if op == "reshape" and values[1] is not None and _is_dtype(items(values[1])):
        op, values = "cast", [values[0], (items(values[1]) or ())[0]]
    op, values = _spelled_alike(graph, op, values)
    term = graph.terms(op, *values, at=at)
    if in_place or (inplace_flag is not None and not is_const(inplace_flag, False)):
        first = values[1] if op == "where" else values[0]
        if first is not None and at is not None:
            graph.replace(first, term, at)
    if op in ("matmul", "bmm", "baddbmm", "softmax", "sdpa") and at is not None:
        graph.moment(at, term)
    return term


def _bound(
    graph: Graph, op: str, args: list[Term], kwargs: dict[str, Term]
) -> tuple[list[Term | None], dict[str, Term], int]:
    """Binds arguments: (one value per parameter, unmatched keywords, number of positional arguments consumed)."""
    values: list[Term | None] = []
    position = 0
    spare = dict(kwargs)
    for parameter in ops.SIGNATURES[op]:
        if parameter.startswith("*"):
            rest = args[position:]
            position = len(args)
            name = parameter[1:]
            if not rest and name in spare:
                rest = [spare.pop(name)]
            elif not rest and name == "shape" and "size" in spare:
                rest = [spare.pop("size")]
            if len(rest) == 1 and rest[0].op in ("tuple", "list", "shape"):
                values.append(rest[0])
            else:
                values.append(graph.terms("tuple", *rest))
        elif position < len(args):
            values.append(args[position])
            position += 1
        else:
            given = spare.pop(parameter, None)
            if given is None:
                for other in _OTHER_NAMES.get(parameter, ()):
                    given = given or spare.pop(other, None)
            values.append(given)
    return values, spare, position


def _spelled_alike(graph: Graph, op: str, values: list[Term | None]) -> tuple[str, list[Term | None]]:
    """Canonicalises equal operations (`exp(log_softmax(x))` is a softmax), and records the ranks of operands."""
    rank = _RANKS.get(op)
    for one in values[:2] if rank is not None else ():
        if one is not None and rank is not None:
            graph.ranks.setdefault(one, rank)
    first = values[0] if values else None
    if op == "mm":
        return "matmul", values
    if op == "exp" and first is not None and first.op == "log_softmax":
        return "softmax", list(first.args)
    if op == "exp" and first is not None and first.op == "sub":  # exp(x - logsumexp(x)) is a softmax
        whole, shift = first.args[0], first.args[1]
        if shift.op == "logsumexp" and shift.args[0] is whole and is_const(shift.args[2], True):
            return "softmax", [whole, shift.args[1], None]
    return op, values


#: Operations whose operands must have exactly this rank.
_RANKS = {"mm": 2, "bmm": 3}
_OTHER_NAMES = {
    "input": ("x", "self"),
    "other": ("mat2", "tensor2", "vec2"),
    "mat2": ("other",),
    "min": ("low",),
    "dims": ("dim",),
    "dim": ("axis",),
    "training": ("train",),
    "keepdim": ("keepdims",),
}


#: The number of required arguments; 1 for operations not listed.
_NEEDED = dict.fromkeys(
    "matmul mm bmm mul div add sub pow eq ne lt gt le ge and or expand_as split".split(), 2
) | (dict.fromkeys("baddbmm masked_fill where transpose movedim sdpa".split(), 3))


def _is_dtype(elements: tuple[Term, ...] | None) -> bool:
    return elements is not None and len(elements) == 1 and elements[0].op == "symbol"


def method(
    graph: Graph,
    obj: Term,
    name: str,
    args: list[Term],
    kwargs: dict[str, Term],
    at: ast.AST | None,
) -> Term | None:
    terms = graph.terms
    if name in ("view", "view_as") and at is not None:
        graph.viewed.append((at, obj, graph.frame.depth))
    if name == "size":
        if not args and not kwargs:
            return terms("shape", obj, at=at)
        which = args[0] if args else kwargs.get("dim")
        return None if which is None else terms("size", obj, which, at=at)
    if name in ops.CASTS and not args and not kwargs:
        return terms("cast", obj, terms("symbol", ops.CASTS[name]), at=at)
    if name in ("to", "type"):
        return _to(graph, obj, args, kwargs, at)
    if name == "type_as" and len(args) == 1:
        return terms("cast", obj, terms("member", args[0], "dtype"), at=at)
    if name in ("cuda", "cpu", "requires_grad_") and not kwargs:
        return obj
    if name in ("dim", "numel", "item", "ndimension") and not args:
        return terms(name, obj, at=at)
    if name.startswith("new_") and name[4:] in MAKERS:
        return operation(graph, name[4:], args, kwargs, False, at)
    op, in_place = ops.of_method(name)
    if not op or op in ("sdpa", "normalize", "linear", "stack", "cat") or op in MAKERS:
        return None
    if op == "where":
        return terms("where", args[0], obj, args[1], at=at) if len(args) == 2 and not kwargs else None
    return operation(graph, op, [obj, *args], kwargs, in_place, at)


def _to(
    graph: Graph, obj: Term, args: list[Term], kwargs: dict[str, Term], at: ast.AST | None
) -> Term | None:
    """`x.to(…)`: a cast if a dtype is among the arguments; a move to a device leaves the term unchanged."""
    dtype = kwargs.get("dtype")
    for term in args:
        if (term.op == "symbol" and term.args[0].startswith("torch.")) or (
            term.op == "member" and term.args[1] == "dtype"
        ):
            dtype = term
        elif (term.op == "member" and term.args[1] == "device") or is_const(term):
            continue
        elif len(args) == 1 and not kwargs:  # another tensor, or a device or dtype held in a variable
            return graph.terms("cast", obj, graph.terms("member", term, "dtype"), at=at) if term.op in (
                "matmul", "cast", "add", "param", "item", "softmax", "permute", "transpose", "reshape", "call"
            ) else None  # fmt: skip
    return obj if dtype is None else graph.terms("cast", obj, dtype, at=at)


def _is_string(term: Term) -> bool:
    return is_const(term) and isinstance(term.args[0], str)


def einsum(graph: Graph, args: list[Term], at: ast.AST | None) -> Term | None:
    """The term of an einsum, equation first (torch) or last (einops); a `phi` if a condition chooses the equation."""
    chosen = next((a for a in args if a.op == "phi" and all(map(_is_string, a.args[1:]))), None)
    if chosen is not None:
        arms = [[arm if a is chosen else a for a in args] for arm in chosen.args[1:]]
        then, orelse = (einsum(graph, arm, at) for arm in arms)
        return None if then is None or orelse is None else graph.phi(chosen.args[0], then, orelse, at)
    equation = [a for a in args if _is_string(a)]
    tensors = [a for a in args if a not in equation]
    if len(tensors) == 1 and items(tensors[0]) is not None:
        tensors = list(items(tensors[0]) or ())
    if len(equation) != 1 or not tensors:
        return None
    term = graph.terms("einsum", equation[0], *tensors, at=at)
    if at is not None:
        graph.moment(at, term)
    return term
