"""Plans the rewrite of one attention as one kernel call: safe, unsafe with its differences named, or refused."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..model import Refused
from . import masks, origins
from .layout import NO_AXIS, dense_axis, is_laid_as, may_be_narrow, reorder, untransposed
from .ops import VIEWS
from .scalars import is_number, is_zero_dimensional
from .spell import ATOM, COMPARISON, PRODUCT, SUM, TERNARY, UNARY, Speller, Unspellable, tight
from .terms import Term, integer, is_const, parts, within

if TYPE_CHECKING:
    import ast
    from contextlib import AbstractContextManager

    from .frames import Moment
    from .graph import Graph
    from .removal import Removal
    from .shapes import Shapes
    from .site import Operand, Site
    from .target import Target

_REST = "..."


@dataclass(slots=True, eq=False)
class Plan:
    """The rewrite of one attention: the call's arguments and `after`, the method calls on its result, replace `anchor`.

    `refused` says why there is no fix; `differences` make the fix unsafe; `notes` are told with a safe fix.
    """

    graph: Graph
    site: Site
    refused: str | None = None
    #: whether the call passes `scale`
    scaled: bool = False
    differences: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    after: str = ""
    #: whether the file already chooses between this function and a fused kernel
    dispatched: bool = False
    #: whether no caller in the file reads the weights, although the function returns them
    unread: bool = False
    anchor: ast.AST | None = None
    moment: Moment | None = None
    #: the statements that the rewrite removes
    gone: Removal | None = None
    #: object attributes that the arguments read
    attributes: set[str] = field(default_factory=set)
    moved: list[ast.AST] = field(default_factory=list)
    #: calls of `view` that must become `reshape`, because the kernel's result has another memory layout
    reshaped: list[ast.AST] = field(default_factory=list)
    #: reasons why the kernel may materialise the scores after all
    falling_back: list[str] = field(default_factory=list)

    @property
    def needed(self) -> bool:
        """Whether code in the file also reads the weights or scores during training."""
        return self.site.needed and not self.unread

    @property
    def applicability(self) -> str:
        return "unsafe" if self.differences else "safe"


def plan(graph: Graph, shapes: Shapes, site: Site, target: Target) -> Plan:
    """The plan for one attention; `refused` is set if no rewrite is possible."""
    made = Plan(graph, site)
    try:
        _Planner(graph, shapes, site, made).run()
        for feature in ("scaled_dot_product_attention", *(["scale"] if made.scaled else [])):
            lack = target.lacks(feature)
            if lack is not None:
                raise Refused(lack)
    except Refused as reason:
        made.refused = str(reason)
    except Unspellable:
        made.refused = "a value that the call needs has no name at the place where the product is computed"
    for why in made.falling_back:
        made.differences.append(
            f"{why}: the CPU's kernel and CUDA's flash kernel make the scores all the same"
        )
    made.differences = list(dict.fromkeys(made.differences))
    made.notes = list(dict.fromkeys(made.notes))
    return made


def anchor_of(graph: Graph, site: Site) -> Moment | None:
    """The moment in the root function itself whose value is the attention's result."""
    for moment in graph.moments:
        if moment.depth == 0 and moment.term is site.result:
            return moment
    return None


class _Planner:
    def __init__(self, graph: Graph, shapes: Shapes, site: Site, made: Plan) -> None:
        self.graph, self.shapes, self.site, self.made = graph, shapes, site, made

    def run(self) -> None:
        site, made = self.site, self.made
        if site.problems:
            raise Refused(site.problems[0])
        for reader in site.readers:
            raise Refused(_READ.get(reader.kind, "the weights are also used elsewhere"))
        anchor = anchor_of(self.graph, site)
        if anchor is None:
            raise Refused("the attention is spread over functions that are called from elsewhere")
        made.anchor, made.moment = anchor.at, anchor
        self.speller = Speller(self.graph, anchor)
        self._types()
        query = self._operand(site.query, site.product, "l", "e")
        key = self._operand(site.key, site.product, "s", "e")
        value = self._operand(site.value, site.result, "s", "c")
        self._spread_positions()
        mask = masks.write(self.graph, self.shapes, site, self.speller, tight(query))
        scale, query = self._scale(query, mask.causal)
        dropout = self._dropout()
        made.arguments = [*self._ranked(query, key, value)]
        made.after += self._output()
        if mask.causal:
            made.arguments.append("is_causal=True")
        elif mask.text:
            made.arguments.append(f"attn_mask={mask.text}")
        if dropout:
            made.arguments.append(f"dropout_p={dropout}")
        made.scaled = bool(scale)
        if scale:
            made.arguments.append(f"scale={scale}")
        made.differences += mask.differences
        made.notes += mask.notes
        if any(one.kind == "add" and masks.needs_gradient(self.graph, one.term) for one in site.scores.masks):
            made.falling_back.append("the bias needs a gradient")
        made.moved, made.attributes = self.speller.moved, self.speller.attributes
        self._widths()
        self._views()

    # Layout

    def _operand(self, operand: Operand, product: Term, row: str, column: str) -> str:
        """The operand's source with its axes in the order batch, row, column."""
        site = self.site
        term, labels = self._stripped(operand.term), operand.labels
        missing = [b for b in site.batch if b not in labels]
        wanted = (*(b for b in site.batch if b in labels), row, column)
        if sorted(labels) != sorted(wanted):
            raise Refused("the axes of an operand cannot be told")
        with self._computed_from(operand, product):
            text = self._reordered(term, labels, wanted)
        if missing:
            if len(site.batch) != 2 or _REST in site.batch:
                raise Refused("an operand is shared by heads in a way that the kernel cannot be told")
            with self._computed_from(site.query, site.product):
                query = self._reordered(site.query.term, site.query.labels, (*site.batch, "l", "e"))
            for label in missing:
                position = site.batch.index(label)
                sizes = ["-1"] * 4
                sizes[position] = f"{tight(query)}.size({position})"
                if row == "l":
                    raise Refused("the queries are shared by heads")
                text = f"{tight(text)}.unsqueeze({position}).expand({', '.join(sizes)})"
        return text

    def _computed_from(self, operand: Operand, product: Term) -> AbstractContextManager[None]:
        """The context in which an operand is written by what the text of the root function computes it from."""
        at, root = product.at, self.graph.root
        if at is None or product.function is not root:
            return self.speller.computed_from(None)
        return self.speller.computed_from(origins.of_operand(root, at, operand.number))

    def _reordered(self, term: Term, labels: tuple[str, ...], wanted: tuple[str, ...]) -> str:
        """The source of a value with its axes in the order `wanted` and the last of them contiguous in memory."""
        if not set(wanted) <= set(labels):
            raise Refused("the axes of an operand cannot be told")
        text = self._in_order(term, labels, wanted)
        dense = dense_axis(self.shapes, term)
        if dense is None or -dense > len(labels):
            return text
        laid = dense != NO_AXIS and labels[dense] in (wanted[-1], _REST)
        return text if laid else f"{tight(text)}.contiguous()"

    def _in_order(self, term: Term, labels: tuple[str, ...], wanted: tuple[str, ...]) -> str:
        if labels == wanted:
            return self.speller.text(term, SUM)
        if labels[:-2] == wanted[:-2]:  # the last two are swapped
            inner = untransposed(term, len(labels) if _REST not in labels else None)
            if inner is not None:
                try:
                    return self.speller.text(self._stripped(inner), SUM)
                except Unspellable:
                    pass
            return f"{self.speller.text(term, ATOM)}.transpose(-2, -1)"
        if _REST in labels:
            raise Refused("the axes of an operand cannot be told")
        return f"{self.speller.text(term, ATOM)}{reorder(labels, wanted)}"

    def _ranked(self, *texts: str) -> list[str]:
        """The operands' sources, brought to the four axes of the kernel; sets `after` to undo that on the result."""
        batch = self.site.batch
        if self.site.is_single(self.graph):
            self.made.differences.append(
                "q, k and v are taken to have three axes (batch, sequence, channels)"
            )
            self.made.after = ".squeeze(-3)"
            return [f"{tight(text)}.unsqueeze(-3)" for text in texts]
        if _REST in batch:
            dim = integer(self.site.softmax.args[1])
            meant = (
                "four axes (batch, heads, sequence, channels)"
                if dim is None or dim < 0 or dim == 3
                else f"{dim + 1} axes, of which the softmax runs over the last"
            )
            self.made.differences.append(f"q, k and v are taken to have {meant}")
            return list(texts)
        if len(batch) == 2:
            return list(texts)
        if len(batch) == 1:
            self.made.after = ".squeeze(0)"
            return [f"{tight(text)}.unsqueeze(0)" for text in texts]
        if not batch:
            self.made.after = "[0, 0]"
            return [f"{tight(text)}[None, None]" for text in texts]
        fold = len(batch) - 2
        self.made.after = f".unflatten(0, {tight(texts[0])}.shape[:{fold + 1}])"
        return [f"{tight(text)}.flatten(0, {fold})" for text in texts]

    def _widths(self) -> None:
        """Notes that the kernel may fall back if the channel counts of q and v are known and differ as terms."""
        site, sizes = self.site, []
        for operand, label in ((site.query, "e"), (site.value, "c")):
            shape = self.shapes.of(operand.term)
            known = shape is not None and len(shape) == len(operand.labels)
            size = shape[operand.labels.index(label)].size if shape is not None and known else None
            sizes.append(None if size is None else self.shapes.built(size))
        if None not in sizes and sizes[0] is not sizes[1]:
            self.made.falling_back.append("v need not be as wide as q and k")

    def _views(self) -> None:
        """Makes uses of the result independent of its layout: `view` becomes `reshape`, or `.contiguous()` is added."""
        laid = self.site.result
        for at, term, depth in self.graph.viewed:
            if not is_laid_as(term, laid, self.graph.fresh):
                continue
            if depth == 0:
                self.made.reshaped.append(at)
            elif not self.made.after.endswith(".contiguous()"):
                self.made.after += ".contiguous()"
        for effect in self.graph.effects:
            operands = effect.term.operands if effect.kind == "call" else []
            if any(is_laid_as(one, laid, self.graph.fresh) for one in operands) and effect.term.args[
                0
            ].op not in (
                "attr",
                "member",
            ):
                row = getattr(effect.at, "lineno", 0)
                self.made.differences.append(
                    f"what is called on line {row} must not call `view` on the result"
                )

    def _output(self) -> str:
        site = self.site
        natural = (*site.batch, "l", "c")
        if site.output == natural:
            return ""
        if sorted(site.output) != sorted(natural):
            raise Refused("the result sums over heads or batch")
        if site.output[:-2] == natural[:-2]:
            return ".transpose(-2, -1)"
        if _REST in site.output:
            raise Refused("the axes of the result cannot be told")
        return reorder(natural, site.output)

    def _spread_positions(self) -> None:
        """Names a difference: einsum broadcasts an axis of size 1 against the other operand's, the kernel does not."""
        for product, operand in ((self.site.product, self.site.key), (self.site.result, self.site.value)):
            if product.op == "einsum" and may_be_narrow(operand.term):
                self.made.differences.append("k and v are taken to have as many positions as the scores")

    # Types

    def _types(self) -> None:
        """Checks that the result keeps its dtype. Raises Refused if the weights are cast to an unrelated dtype."""
        site = self.site
        softmax = site.softmax
        dtype = softmax.args[2] if softmax.op == "softmax" else None
        casts = [*site.scores.casts, *([dtype] if dtype is not None else []), *site.weights.casts]
        self.upcast = False
        if not casts or is_const(casts[-1], None):
            return
        last = casts[-1]
        if last.op == "member" and last.args[1] == "dtype":
            known = {site.query.term, site.key.term, site.product, *site.scores.steps}
            if not within(last.args[0], known, through_shapes=True):
                self.made.differences.append("q, k and v are taken to have one dtype")
            self.upcast = True
            for one in (site.query, site.key):
                inner = untransposed(one.term, None) or one.term
                if _cast_to(self._stripped(inner)) is not None:
                    raise Refused("q or k is cast on its way to the scores, and the values are not")
            return
        wide = _SHORT.get(last.args[0], last.args[0]) if last.op == "symbol" else ""
        if wide in ("torch.float32", "torch.float64"):
            if {_cast_to(one.term) for one in (site.query, site.key, site.value)} - {None, wide} or (
                _cast_to(site.value.term) and not _cast_to(site.query.term)
            ):
                raise Refused("q, k and v have different dtypes, which the kernel refuses")
            self.made.differences.append("q, k and v are taken to have one dtype")
            return
        raise Refused("the weights are cast to a dtype that need not be that of q, k and v")

    def _stripped(self, term: Term) -> Term:
        """An operand without a cast to float32 that the weights' cast undoes; the kernel accumulates in float32."""
        wide = term.op == "cast" and _cast_to(term) in ("torch.float32", "torch.float64")
        return term.first if self.upcast and wide else term

    # Scale

    def _scale(self, query: str, causal: bool) -> tuple[str, str]:
        """(the `scale` argument, "" for the default; the query's source, multiplied by factors that are tensors).

        With `is_causal` the CPU kernel returns NaN for a scale that is not positive (torch 2.13).
        """
        factors = self.site.scores.factors
        if not factors:
            return "1.0", query
        numbers = [one for one in factors if is_number(self.graph, one[1])]
        if causal and not all(masks.sign_of(self.graph, factor) > 0 for _, factor in numbers):
            numbers = []
        tensors = [one for one in factors if one not in numbers]
        masks_ = {one for mask in self.site.scores.masks for one in parts(mask.term) if one.op != "const"}
        for sign, factor in tensors:
            if any(one in masks_ for one in parts(factor) if one.op in ("param", "attr", "opaque")):
                raise Refused("the scores are multiplied by what they are masked with")
            shape = self.shapes.of(factor)
            if shape is None and not is_zero_dimensional(self.graph, factor):
                if _is_activation(factor):
                    raise Refused("the scores are multiplied by what a layer makes of the input")
                self.made.differences.append("the scale is taken to be one number, or one for each head")
            elif shape is not None and any(integer(axis.size) != 1 for axis in shape[-2:]):
                raise Refused("the scores are multiplied by a tensor that differs between queries or keys")
            elif shape is not None and len(shape) > len(self.site.batch) + 2:
                raise Refused("the scores are multiplied by a tensor with more axes")
            text = self.speller.text(factor, UNARY if sign == "/" else PRODUCT)
            query = f"{query if _binds_product(query) else tight(query)} {sign} {text}"
        if not numbers:
            return "1.0", query
        if len(factors) == 1 and self._is_default(*numbers[0]):
            return "", query
        if numbers[0][0] == "/":
            text = f"1.0 / {self.speller.text(numbers[0][1], UNARY)}"
        else:
            text = self.speller.text(numbers[0][1], PRODUCT if len(numbers) > 1 else TERNARY)
        for sign, factor in numbers[1:]:
            text += f" {sign} {self.speller.text(factor, UNARY)}"
        return text, query

    def _is_default(self, sign: str, factor: Term) -> bool:
        """Whether a factor is 1/sqrt(number of channels of q), the kernel's default scale."""
        shape = self.shapes.of(self.site.query.term)
        labels = self.site.query.labels
        size = None
        if shape is not None and len(shape) == len(labels):
            size = shape[labels.index("e")].size
        inner = None
        power = factor.args[1] if factor.op == "pow" else None
        divides = factor.op == "math.sqrt" or is_const(power, 0.5)
        if (sign == "/" and divides) or (sign == "*" and is_const(power, -0.5)):
            inner = factor.args[0]
        if inner is None:
            return False
        if size is not None and inner is size:
            return True
        whole = inner.args[0] if inner.op == "size" and is_const(inner.args[1], -1) else None
        return whole is self.site.query.term and labels[-1] == "e"

    # Dropout

    def _dropout(self) -> str:
        drops = self.site.weights.dropouts
        if not drops:
            return ""
        if len(drops) > 1:
            raise Refused("dropout is called twice")
        drop = drops[0]
        if len(drop.args) > 3:
            module = drop.args[3]
            if drop.args[1] is None and len(drop.args) > 4:
                name = module.args[1] if module.op == "attr" else "the dropout module"
                raise Refused(f"`{name}` need not be an nn.Dropout: it may have no `p`")
            text = self.speller.text(module, ATOM)
            self.made.notes.append("dropout is drawn by the kernel")
            return f"{text}.p if {text}.training else 0.0"
        p, training = drop.args[1], drop.args[2]
        if p is None:
            probability = "0.5"
        elif is_const(p, 0, 0.0):
            return ""
        else:
            probability = self.speller.text(p, COMPARISON)
        if training is None or is_const(training, True):
            return probability
        if is_const(training, False):
            return ""
        self.made.notes.append("dropout is drawn by the kernel")
        return f"{probability} if {self.speller.text(training, COMPARISON)} else 0.0"


_SHORT = {"torch.float": "torch.float32", "torch.double": "torch.float64", "torch.half": "torch.float16"}


def _cast_to(term: Term) -> str | None:
    """The dtype that the source casts an operand to; None if it casts it to none, or by that of another tensor."""
    while term.op in VIEWS - {"cast"} or term.op in ("mul", "div", "normalize"):
        term = term.args[0]
    if term.op != "cast" or term.args[1].op != "symbol":
        return None
    name = str(term.args[1].args[0])
    return _SHORT.get(name, name)


_READ = {
    "return": "the weights are returned",
    "store": "the weights are stored",
    "call": "the weights are handed to another function",
    "print": "the values of the scores or weights are printed",
    "assert": "the values of the scores or weights are asserted",
    "test": "a condition reads the values of the scores or weights",
    "item": "the weights are written into another tensor",
}


def _is_activation(term: Term) -> bool:
    """Whether a value comes from a layer that got an argument of the function: then it may differ between keys."""
    made = list(parts(term, "size", "shape"))
    return any(one.op == "param" for one in made) and any(one.op in ("call", "linear") for one in made)


def _binds_product(text: str) -> bool:
    return tight(text) == text
