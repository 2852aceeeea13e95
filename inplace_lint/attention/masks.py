"""Classifies masks (fill value, causal triangle) and writes them as the kernel's `attn_mask`/`is_causal` argument."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..model import Refused
from .scalars import is_number
from .shapes import Shapes
from .spell import COMPARISON, SUM, UNARY, Speller, Unspellable, tight
from .terms import Term, integer, is_const, items, parts

if TYPE_CHECKING:
    from .graph import Graph
    from .site import Mask, Operand, Site

#: A mask under more conditions than this is not written as one conditional expression.
_CONDITIONS = 3
_INFINITE = frozenset({"math.inf", "torch.inf", "numpy.inf"})


def fill(value: Term | None) -> str | None:
    """How masked scores are filled: "inf" (-inf), "min" (the dtype's minimum), "finite" (a large negative number)."""
    if value is None:
        return None
    if value.op in ("tensor", "full"):
        return fill(value.args[1] if value.op == "full" else value.args[0])
    if value.op == "cast":
        return fill(value.args[0])
    number = _number(value)
    if number is not None:
        return "inf" if number == float("-inf") else "finite" if number <= -1e3 else None
    if value.op == "member" and value.args[0].op == "finfo" and value.args[1] == "min":
        return "min"
    if value.op == "neg":
        inner = value.args[0]
        if inner.op == "member" and inner.args[0].op == "finfo" and inner.args[1] == "max":
            return "min"
    return None


def _stays_large(mask: Mask) -> bool:
    """Whether a finite fill value is still so low after the factors behind it that its weight is zero."""
    value = mask.value
    while value is not None and value.op in ("tensor", "full", "cast"):
        value = value.args[1] if value.op == "full" else value.args[0]
    number = None if value is None else _number(value)
    for sign, factor in mask.before:
        by = _number(factor)
        if number is not None and by:
            number = number * by if sign == "*" else number / by
    return number is None or number <= _WEIGHTLESS


#: exp of it is zero in float32.
_WEIGHTLESS = -110.0


def _number(value: Term) -> float | None:
    if (
        value.op == "const"
        and isinstance(value.args[0], (int, float))
        and not isinstance(value.args[0], bool)
    ):
        return float(value.args[0])
    if value.op == "builtins.float" and value.args and is_const(value.args[0]):
        try:
            return float(value.args[0].args[0])
        except (TypeError, ValueError):
            return None
    if value.op == "symbol" and value.args[0] in _INFINITE:
        return float("inf")
    if value.op == "neg":
        inner = _number(value.args[0])
        return None if inner is None else -inner
    return None


def causal(graph: Graph, shapes: Shapes, query: Operand, key: Operand, mask: Mask) -> bool:
    """Whether a mask is provably a square lower triangle of the lengths of q and k: query i sees the keys up to i."""
    corner = triangle(graph, mask.term)
    if corner is None:
        return False
    keeps, sizes = corner
    if mask.kind == "add":
        if keeps != "add" or mask.negative or mask.before:
            return False
    elif keeps != mask.kind:
        return False
    lengths = []
    for operand, label in ((query, "l"), (key, "s")):
        shape = shapes.of(operand.term)
        if shape is None or len(shape) != len(operand.labels):
            return False
        lengths.append(shape[operand.labels.index(label)].size)
    same = {None if one is None else shapes.settled(one) for one in (*lengths, *sizes)}
    return len(same) == 1 and None not in same


#: The meaning of a triangular mask, "keep", "drop" or "add" (prefix "ones-": numbers, 1 for true), and its two sizes.
Triangle = tuple[str, tuple["Term | None", "Term | None"]]


def triangle(graph: Graph, term: Term) -> Triangle | None:
    """The meaning and the two sizes of a triangular mask; None if it is not known to be one."""
    op, args = term.op, term.args
    if op == "attr":
        made = graph.classes.definition(term)
        return None if made is None else triangle(graph, made)
    if op in ("tril", "triu"):
        return _corner(graph, term)
    if op not in _KEEPS_TRIANGLE:
        return None
    inner = triangle(graph, args[0])
    if inner is None:
        return None
    says, sizes = inner
    if op in ("reshape", "expand"):
        return inner if _keeps_sizes(term, sizes) else None
    if op == "cast":
        return (says[5:], sizes) if says.startswith("ones-") and _is_bool(args[1]) else inner
    if op in ("eq", "ne"):
        if says == "add" or not is_const(args[1], 0, False, 0.0):
            return None
        holds = says.replace("ones-", "")
        return (holds if op == "ne" else _OPPOSITE[holds]), sizes
    if op == "invert":
        return (_OPPOSITE[says], sizes) if says in _OPPOSITE else None
    if op == "getitem":
        return _cut(inner, items(args[1]) or (args[1],))
    return inner


#: Operations after which a triangle may still be a triangle.
_KEEPS_TRIANGLE = frozenset(
    "buffer contiguous clone unsqueeze reshape expand cast eq ne invert getitem".split()
)
_OPPOSITE = {"keep": "drop", "drop": "keep"}


def _keeps_sizes(term: Term, before: tuple[Term | None, Term | None]) -> bool:
    """Whether a reshape or expand of a triangle only prepends axes of size 1."""
    sizes = items(term.args[1])
    if sizes is None or len(sizes) < 2 or not all(integer(s) == 1 for s in sizes[:-2]):
        return False
    return term.op == "expand" or (sizes[-2], sizes[-1]) == before


def _cut(whole: Triangle, entries: tuple[Term, ...]) -> Triangle | None:
    """The top-left corner that slices cut out of a triangle: `mask[:, :, :length, :length]`."""
    if not all(e.op == "slice" or is_const(e, None) for e in entries) and not is_const(entries[0], ...):
        return None
    slices = [e for e in entries if e.op == "slice"]
    if len(slices) < 2:
        return None if slices else whole
    for one in slices[:-2]:
        if not all(is_const(part, None) for part in one.args):
            return None
    ends: list[Term | None] = []
    for one, size in zip(slices[-2:], whole[1]):
        low, high, step = one.args
        if not is_const(step, None) or not (is_const(low, None) or is_const(low, 0)):
            return None
        ends.append(size if is_const(high, None) else high)
    return whole[0], (ends[0], ends[1])


def _corner(graph: Graph, term: Term) -> Triangle | None:
    """The triangle that `tril` or `triu` makes of a constant matrix."""
    inner, diagonal = term.args[0], 0 if term.args[1] is None else integer(term.args[1])
    boolean = False
    while inner.op == "cast":
        boolean = boolean or _is_bool(inner.args[1])
        inner = inner.args[0]
    if inner.op in ("ones", "full"):
        boolean = boolean or any(_is_bool(a) for a in inner.args[1:])
        sizes = items(inner.args[0])
        if sizes is not None and len(sizes) > 2 and all(integer(s) == 1 for s in sizes[:-2]):
            sizes = sizes[-2:]
        if sizes is None or len(sizes) != 2:
            return None
        both = (sizes[0], sizes[1])
        if inner.op == "full" and is_const(inner.args[1], True):
            boolean = True
        elif inner.op == "full":
            return (
                ("add", both)
                if term.op == "triu" and diagonal == 1 and fill(inner.args[1]) == "inf"
                else None
            )
        prefix = "" if boolean else "ones-"
        if term.op == "tril" and diagonal == 0:
            return f"{prefix}keep", both
        if term.op == "triu" and diagonal == 1:
            return f"{prefix}drop", both
    return None


def _is_bool(term: object) -> bool:
    return isinstance(term, Term) and term.op == "symbol" and term.args[0] in ("torch.bool", "builtins.bool")


@dataclass(slots=True, eq=False)
class Written:
    """The mask argument of the kernel call: `text` for `attn_mask` or `causal` for `is_causal`, and what changes."""

    text: str = ""
    causal: bool = False
    differences: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def write(graph: Graph, shapes: Shapes, site: Site, speller: Speller, query: str) -> Written:
    """Combines all masks of the site into one argument. Raises Refused or Unspellable."""
    made = Written()
    masks = [replace(mask, term=_laid(mask.term, site)) for mask in site.scores.masks]
    if not masks:
        return made
    for mask in masks:
        if mask.labels != (*site.batch, "l", "s"):
            raise Refused("the mask is laid over scores whose axes stand in another order")
        if mask.kind != "add":
            kind = fill(mask.value)
            if kind is None:
                raise Refused(
                    "masked scores are filled with a value that is not known to be large and negative"
                )
            if any(sign_of(graph, factor) <= 0 for _, factor in mask.before):
                raise Refused("the scores are masked before they are scaled, by a factor of unknown sign")
            if kind == "finite" and not _stays_large(mask):
                raise Refused(
                    "masked scores are scaled afterwards, and are not sure to stay large and negative"
                )
    if len(masks) == 1 and not masks[0].tests and causal(graph, shapes, site.query, site.key, masks[0]):
        kind = "inf" if masks[0].kind == "add" else fill(masks[0].value)
        made.causal = True
        if kind == "finite":
            made.differences.append("masked scores were a finite number, and now have no weight at all")
        return made
    parts = []
    for mask in masks:
        with speller.under(mask.tests):
            parts.append(_part(graph, shapes, site, mask, speller, query, made))
    made.text = _combined(parts, masks, speller)
    return made


def _laid(term: Term, site: Site) -> Term:
    """A mask without `expand_as` and `contiguous`: broadcasting expands it to the scores anyway."""
    while term.op in ("expand_as", "contiguous") and (
        term.op != "expand_as" or term.args[1] in site.scores.steps
    ):
        term = term.args[0]
    return term


def _part(
    graph: Graph,
    shapes: Shapes,
    site: Site,
    mask: Mask,
    speller: Speller,
    query: str,
    made: Written,
) -> str:
    term = mask.term
    rank = shapes.rank(term)
    if mask.kind == "add" and _may_be_number(graph, term):
        raise Refused("a number is added to the scores, at least on one path")
    wanted = len(site.batch)
    if rank is None and wanted > 2 and any(one.op == "param" for one in parts(term, "size", "shape")):
        raise Refused("the mask may have more axes than the kernel takes")
    if rank is None:
        made.differences.append("the mask is taken to have at least two axes, and no more than the scores")
    elif rank < 2 and mask.kind == "add" and rank == 0:
        raise Refused("a number is added to the scores")
    elif (rank > max(2, wanted + 2) and "..." not in site.batch) or rank > (
        3 if wanted > 2 or site.is_single(graph) else 4
    ):
        raise Refused("the mask has more axes than the kernel takes")
    if mask.kind == "add":
        text = _additive(graph, mask, speller, query, made)
    else:
        if fill(mask.value) == "inf":
            made.notes.append("a row with every key masked gives 0, where it gave NaN")
        else:
            made.differences.append(
                "a row with every key masked gives 0, where it gave the mean of the values"
            )
        text = _keep(mask, speller)
    if rank != 2 and rank != 1 and site.is_single(graph):
        return f"{tight(text)}.unsqueeze(-3)"
    if rank in (1, 3) or (rank is None and wanted == 1 and "..." not in site.batch):
        text = f"{tight(text)}.unsqueeze(0)"
    return text


def _may_be_number(graph: Graph, term: Term, depth: int = 0) -> bool:
    """Whether what is added to the scores is a Python number on some path."""
    if is_number(graph, term):
        return True
    if depth > 8:
        return False
    if term.op == "attr":
        made = graph.classes.definition(term)
        return made is not None and _may_be_number(graph, made, depth + 1)
    if term.op == "phi":
        return any(_may_be_number(graph, one, depth + 1) for one in term.args[1:])
    if term.op in ("mul", "div", "add", "sub", "neg"):
        operands = [one for one in term.args if isinstance(one, Term)]
        return all(_may_be_number(graph, one, depth + 1) for one in operands)
    return False


def _keep(mask: Mask, speller: Speller) -> str:
    """The source of the condition under which a key is kept (True in a boolean `attn_mask`)."""
    term = mask.term
    if mask.kind == "keep":
        return speller.text(term, SUM)
    if term.op == "invert":
        return speller.text(term.args[0], SUM)
    if term.op in ("eq", "ne"):
        sign = "!=" if term.op == "eq" else "=="
        try:
            return f"({speller.text(term.args[0], SUM)} {sign} {speller.text(term.args[1], SUM)})"
        except Unspellable:
            pass
    return f"~{speller.text(term, UNARY)}"


def _additive(graph: Graph, mask: Mask, speller: Speller, query: str, made: Written) -> str:
    text = speller.text(mask.term, UNARY if mask.negative or mask.before else COMPARISON)
    if mask.negative:
        text = f"-{text}"
    for sign, factor in mask.before:
        text = f"{text} {sign} {speller.text(factor, UNARY)}"
    if not is_learned(graph, mask.term):
        made.differences += [
            "where every key of a row is masked by a large finite number, the kernel's gradients differ",
            "the mask is rounded to the dtype of q, where that is a half precision",
        ]
        text = f"{tight(text)}.to({query}.dtype)"
    return text


def is_learned(graph: Graph, term: Term) -> bool:
    """Whether a value is computed from parameters and layers alone, such as a position bias."""
    found = False
    for one in parts(term, "attr", "call"):
        if one.op == "attr":
            made = graph.classes.definition(one)
            if made is not None and made.op == "new" and made.args[0] == "torch.nn.Parameter":
                found = True
        elif one.op == "call":
            made = graph.classes.definition(one.args[0]) if one.args[0].op == "attr" else None
            if made is None or made.op != "new":
                return False
            found = True
        elif one.op in ("param", "opaque", "masked_fill", "where", "global", "full"):
            return False
    return found


def needs_gradient(graph: Graph, term: Term) -> bool:
    """Whether an additive mask is computed from parameters or layers, so that the kernel must return its gradient."""
    for one in parts(term, "attr", "size", "shape"):
        holder = one.args[0] if one.op == "call" and isinstance(one.args[0], Term) else one
        made = graph.classes.definition(holder) if holder.op == "attr" else None
        if made is not None and made.op == "new" and isinstance(made.args[0], str):
            return True
    return False


def _combined(parts: list[str], masks: list[Mask], speller: Speller) -> str:
    """Joins the masks: boolean ones with `&`, additive ones with `+`, conditional ones as `a if test else b`."""
    if len({mask.kind == "add" for mask in masks}) > 1:
        # Together they would form a float tensor as large as the scores, which the fix is meant to avoid.
        raise Refused("a boolean mask and a bias together need an L×S mask of the kernel")
    sign = "+" if masks[0].kind == "add" else "&"
    groups: dict[tuple[tuple[Term, bool], ...], list[str]] = {(): []}
    for part, mask in zip(parts, masks):
        groups.setdefault(mask.tests, []).append(part)
    text = _joined(groups.pop(()), sign)
    if not text and len(groups) > 1:
        raise Refused("masks lie under different conditions, and there may be none of them")
    if len(groups) > _CONDITIONS:
        raise Refused(
            "masks lie under many conditions: written out it would be one case for each combination"
        )
    for tests, some in groups.items():
        whole, other = _joined([text, *some] if text else some, sign), text or "None"
        if len(tests) == 1 and not tests[0][1] and tests[0][0].op != "not":
            try:
                condition, whole, other = speller.text(tests[0][0], COMPARISON), other, whole
            except Unspellable:
                condition = speller.condition(*tests[0])
        else:
            condition = " and ".join(speller.condition(*test) for test in tests)
        if condition == f"{whole} is not None" and other == "None":
            text = whole
            continue
        text = f"{whole} if {condition} else {other}"
        text = f"({text})" if len(groups) > 1 else text
    return text


def _joined(parts: list[str], sign: str) -> str:
    if len(parts) == 1:
        return parts[0]
    return f" {sign} ".join(map(tight, parts))


def sign_of(graph: Graph, term: Term, depth: int = 0) -> int:
    """1 for a factor that is known to be positive, -1 for a constant that is not, 0 if unknown."""
    if depth > 6:
        return 0
    number = _number(term)
    if number is not None:
        return 1 if number > 0 else -1
    if term.op in ("math.sqrt", "size", "math.exp", "sqrt", "rsqrt"):
        return 1
    if term.op == "pow" and is_const(term.args[1]) and isinstance(term.args[1].args[0], float):
        return int(not term.args[1].args[0].is_integer())  # a negative number has no such power
    if term.op in ("pow", "mul", "div", "floordiv"):
        base = term.args[:1] if term.op == "pow" else term.args[:2]
        return 1 if all(sign_of(graph, one, depth + 1) > 0 for one in base) else 0
    if term.op == "attr":
        made = graph.classes.definition(term)
        return 0 if made is None else sign_of(graph, made, depth + 1)
    return 0
