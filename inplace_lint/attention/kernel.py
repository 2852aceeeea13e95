"""Classifies the arguments of an existing kernel call: mask polarity, causal mask, layout, repeated heads, dropout."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import masks
from .site import Mask, Operand
from .terms import Term, integer, is_const, items, parts, within

if TYPE_CHECKING:
    from .frames import Moment
    from .graph import Graph
    from .shapes import Shapes

_LABELS = ("b0", "b1")


def is_causal_mask(graph: Graph, shapes: Shapes, call: Term) -> bool:
    """Whether the call's mask is provably the same as `is_causal=True`: lower triangular, as long as q and k."""
    mask = call.args[3]
    rank = shapes.rank(call.args[0])
    if rank is None or not 2 <= rank <= 4 or shapes.rank(call.args[1]) != rank:
        return False
    lead = _LABELS[: rank - 2]
    query, key = Operand(call.args[0], (*lead, "l", "e")), Operand(call.args[1], (*lead, "s", "e"))
    return any(
        masks.causal(graph, shapes, query, key, Mask(kind, mask, None, (*lead, "l", "s")))
        for kind in ("keep", "add")
    )


def drops_future(graph: Graph, mask: Term) -> bool:
    """Whether a boolean mask is True exactly above the diagonal: at the positions that a causal model must not see."""
    triangle = masks.triangle(graph, mask)
    return triangle is not None and triangle[0] == "drop"


def keeps_past(graph: Graph, mask: Term) -> bool:
    """Whether a boolean mask is True exactly on and below the diagonal."""
    triangle = masks.triangle(graph, mask)
    return triangle is not None and triangle[0] == "keep"


def is_dropped_elsewhere(graph: Graph, mask: Term) -> Term | None:
    """A `masked_fill` by this very mask with -inf (or the dtype's minimum): there, True means "masked out"."""
    for term in graph.terms.all():
        if term.op == "masked_fill" and term.args[1] is mask and masks.fill(term.args[2]) in ("inf", "min"):
            return term
    return None


def misplaced_axis(shapes: Shapes, query: Term, key: Term) -> str | None:
    """Where q and k have their sequence axis: "last" or "second"; None if it is at -2, where it belongs, or unknown."""
    found = []
    for operand in (query, key):
        shape = shapes.of(operand)
        if shape is None or len(shape) != 4:
            return None
        if shape[-2].role != "channel" or shape[-2].size is None:
            return None
        if shape[-1].role == "outer" and shape[-3].role == "channel":
            found.append("last")
        elif shape[-3].role == "outer" and shape[-1].role == "channel" and shape[0].role == "outer":
            found.append("second")
        else:
            return None
    return found[0] if len(set(found)) == 1 else None


def repeated(shapes: Shapes, term: Term) -> Term | None:
    """The k or v before its heads were repeated as `enable_gqa` does (copies side by side); None if they were not."""
    while term.op in ("contiguous",):
        term = term.args[0]
    if term.op == "repeat_interleave" and term.args[2] is not None:
        dim, rank = integer(term.args[2]), shapes.rank(term.args[0])
        if dim == -3 or (dim == 1 and rank == 4):
            return term.first
        return None
    if term.op == "reshape":  # x[:, :, None].expand(B, H, n, S, D).reshape(B, H * n, S, D)
        spread = term.args[0]
        sizes, target = items(spread.args[1]) if spread.op == "expand" else None, items(term.args[1])
        if sizes is None or target is None or len(sizes) != 5 or len(target) != 4:
            return None
        inner = spread.args[0]
        narrow = _narrow(inner)
        same = (target[0] is sizes[0], target[2] is sizes[3], target[3] is sizes[4])
        product = target[1].op == "mul" and {*target[1].args[:2]} == {sizes[1], sizes[2]}
        return narrow if narrow is not None and all(same) and product else None
    return None


def _narrow(term: Term) -> Term | None:
    """The `x` of `x[:, :, None]` or `x.unsqueeze(2)`."""
    if term.op == "unsqueeze" and integer(term.args[1]) == 2:
        return term.first
    if term.op == "getitem":
        entries = items(term.args[1]) or ()
        full = [e.op == "slice" and all(is_const(p, None) for p in e.args) for e in entries]
        if len(entries) >= 3 and full[0] and full[1] and is_const(entries[2], None) and all(full[3:]):
            return term.first
    return None


def is_under_training(moment: Moment) -> bool:
    """Whether the path condition of a call reads `training`."""
    return any(reads_training(test) for test, _ in moment.conditions)


def reads_training(term: Term) -> bool:
    return any(one.op in ("attr", "member") and one.args[1] == "training" for one in parts(term))


def is_constant_dropout(graph: Graph, p: Term, depth: int = 0) -> bool:
    """Whether a dropout probability is the same in training and evaluation, and not the constant 0."""
    if p.op == "const":
        return isinstance(p.args[0], (int, float)) and not isinstance(p.args[0], bool) and p.args[0] > 0
    if p.op == "member" and p.args[1] == "p":
        return True  # `self.drop.p` keeps its value in eval mode
    if p.op == "attr" and depth < 2:
        made = graph.classes.definition(p)
        if made is None or made.op == "param":
            return made is not None
        return is_constant_dropout(graph, made, depth + 1)
    return False


def grown(key: Term, query: Term) -> bool:
    """Whether the keys are a cache concatenated with new keys while the queries are new positions only."""
    return (
        key.op == "cat"
        and query.op != "cat"
        and len(items(key.args[0]) or ()) > 1
        and not within(query, {key})
    )
