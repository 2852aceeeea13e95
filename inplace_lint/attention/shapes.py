"""Infers symbolic shapes: for each axis of a value its size as a term, and its role.

The role is `channel` if the size comes from a layer's configuration (features, heads), `outer` if it comes from the
data (batch, sequence, space), `mixed` for a product of both, and "" if unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import calls
from .axes import REARRANGED, Axis, factors
from .notation import equation
from .scalars import is_scalar
from .terms import Term, integer, is_const, items

if TYPE_CHECKING:
    from collections.abc import Callable

    from .axes import Shape
    from .graph import Graph


_ELEMENTWISE = frozenset(
    "mul div add sub pow neg invert exp sqrt rsqrt tanh sigmoid relu clamp softmax dropout masked_fill where cast "
    "contiguous clone detach normalize tril triu eq ne lt gt le ge and or ones_like zeros_like".split()
)


class Shapes:
    """Computes and memoises the shapes of one value graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._known: dict[Term, Shape | None] = {}
        self._built: dict[Term, Term | None] = {}
        self._roles: dict[Term, str] = {}

    def of(self, term: Term) -> Shape | None:
        """The axes of a value; None if not even their number is known."""
        if term in self._known:
            return self._known[term]
        self._known[term] = None  # breaks cycles
        found = self._find(term)
        self._known[term] = found
        return found

    def rank(self, term: Term) -> int | None:
        shape = self.of(term)
        return None if shape is None else len(shape)

    def settled(self, size: Term) -> Term:
        """Follows a size to the first value that has the axis: elementwise operations and layers keep sizes."""
        seen = set()
        while size.op == "size" and size not in seen:
            seen.add(size)
            shape, index = self.of(size.first), integer(size.args[1])
            if shape is None or index is None or not -len(shape) <= index < len(shape):
                break
            size = shape[index].size or size
        return size

    def role(self, size: Term | None) -> str:
        """The role of an axis with this size."""
        if size is None:
            return ""
        if size not in self._roles:
            self._roles[size] = ""
            self._roles[size] = self._role(size)
        return self._roles[size]

    def _role(self, size: Term) -> str:
        if size.op == "const" or size.op in ("attr", "builtins.int", "math.sqrt"):
            return "channel"
        if size.op == "size":
            whole, index = size.args[0], integer(size.args[1])
            channel = self.channel(whole)
            rank = self.graph.ranks.get(whole)
            if index is None:
                return ""
            if channel is not None:
                if rank is not None:
                    return "channel" if index % rank == channel % rank else "outer"
                if (index < 0) == (channel < 0):
                    return "channel" if index == channel else "outer"
                return ""
            shape = self.of(whole)
            if shape is not None and -len(shape) <= index < len(shape):
                return shape[index].role
            return ""
        if size.op in ("floordiv", "div", "add", "sub", "max", "min"):
            return self.role(size.args[0])
        if size.op == "mul":
            roles = {self.role(one) for one in size.operands}
            return roles.pop() if len(roles) == 1 else "mixed" if "" not in roles else ""
        return ""

    def built(self, size: Term) -> Term | None:
        """A size as an expression of parameters and constants; None if it depends on anything else."""
        if size not in self._built:
            self._built[size] = None
            self._built[size] = self._build(size)
        return self._built[size]

    def _build(self, size: Term) -> Term | None:
        if size.op == "attr":
            made = self.graph.classes.definition(size)
            return None if made is None else self.built(made)
        if size.op == "size":
            made = calls.module_of(self.graph, size.args[0].args[0]) if size.args[0].op == "call" else None
            rank, index = self.rank(size.args[0]), integer(size.args[1])
            if made is None or made.args[0] != "torch.nn.Linear" or index not in (-1, (rank or 0) - 1):
                return None
            width = calls.argument_of(made, 1, "out_features")
            return None if width is None else self.built(width)
        if size.op in ("floordiv", "mul", "add", "sub", "div"):
            parts = [self.built(one) for one in size.operands]
            return None if None in parts else self.graph.terms(size.op, *parts)
        return size if size.op in ("const", "param") else None

    def channel(self, term: Term) -> int | None:
        """The axis that a layer treats as the channels of a value; None if no layer does."""
        known = self.graph.channels
        while term not in known and term.args and isinstance(term.args[0], Term):
            if term.op == "item" and term.args[0].op in ("chunk", "split"):
                term = term.args[0].args[0]
            elif term.op in _ELEMENTWISE and term.op != "where":
                term = term.args[0]
            else:
                break
        return known.get(term)

    def axis(self, size: Term, merged: int = 1) -> Axis:
        if integer(size) == -1:
            return Axis(None, "", merged)
        return Axis(size, self.role(size), max(merged, len(factors(size))))

    def _find(self, term: Term) -> Shape | None:
        op = term.op
        if op == "where":
            return self._broadcast([*term.args[1:], term.args[0]])
        if op in _ELEMENTWISE:
            return self._broadcast([t for t in term.operands if t.op not in ("attr", "symbol", "finfo")])
        if op in _SHAPES:
            found = _SHAPES[op](self, term)
            if found is not None:
                return found
        rank = self.graph.ranks.get(term)
        if rank is None:
            return None
        sizes = [self.graph.terms("size", term, self.graph.terms.const(i)) for i in range(rank)]
        channel = self.channel(term)
        return tuple(
            Axis(size, "" if channel is None else "channel" if i == channel % rank else "outer")
            for i, size in enumerate(sizes)
        )

    def _broadcast(self, operands: list[Term]) -> Shape | None:
        best: Shape | None = None
        unknown = False
        for one in operands:
            if is_scalar(one):
                continue
            shape = self.of(one)
            unknown = unknown or shape is None
            if shape is not None and (best is None or len(shape) > len(best)):
                best = shape
        # An operand of unknown rank is assumed not to add axes to a shape of three or more.
        return None if unknown and (best is None or len(best) < 3) else best

    def _phi(self, term: Term) -> Shape | None:
        arms = [self.of(arm) for arm in term.args[1:] if not is_const(arm, None)]
        if not arms or any(a is None or len(a) != len(arms[0] or ()) for a in arms):
            return None
        return arms[0]

    def _matmul(self, term: Term) -> Shape | None:
        a, b = self.of(term.args[0]), self.of(term.args[1])
        if a is None or b is None or len(a) < 2 or len(b) < 2:
            return None
        lead = a[:-2] if len(a) >= len(b) else b[:-2]
        return (*lead, a[-2], b[-1])

    def _bmm(self, term: Term) -> Shape:
        a, b = self.of(term.args[0]), self.of(term.args[1])
        return (
            a[0] if a and len(a) == 3 else Axis(None),
            a[-2] if a and len(a) == 3 else Axis(None),
            b[-1] if b and len(b) == 3 else Axis(None),
        )

    def _einsum(self, term: Term) -> Shape | None:
        parsed = equation(term)
        if parsed is None:
            return None
        inputs, output = parsed
        sizes: dict[str, Axis] = {}
        for labels, operand in zip(inputs, term.args[1:]):
            shape = self.of(operand)
            for number, label in enumerate(labels):
                sizes.setdefault(label, shape[number] if shape and len(shape) == len(labels) else Axis(None))
        return None if "..." in output else tuple(sizes.get(label, Axis(None)) for label in output)

    def _buffer(self, term: Term) -> Shape | None:
        return self.of(term.args[0])

    def _attr(self, term: Term) -> Shape | None:
        made = self.graph.classes.definition(term)
        if (
            made is not None
            and made.op == "new"
            and made.args[0] == "torch.nn.Parameter"
            and len(made.args) > 3
        ):
            shape = self.of(made.args[3])  # the sizes of a parameter do not depend on the data
            return None if shape is None else tuple(Axis(axis.size, "channel") for axis in shape)
        return None if made is None or made.op in ("attr", "new") else self.of(made)

    def _ones(self, term: Term) -> Shape | None:
        sizes = items(term.args[0])
        return None if sizes is None else tuple(self.axis(size) for size in sizes)

    def _linear(self, term: Term) -> Shape | None:
        shape = self.of(term.args[0])
        return None if shape is None else (*shape[:-1], Axis(None, "channel"))

    def _call(self, term: Term) -> Shape | None:
        """The shape after the forward of a torch.nn layer."""
        made = calls.module_of(self.graph, term.args[0])
        operands = term.args[3:] if len(term.args) > 3 else ()
        if made is None or not operands:
            return None
        kind = made.args[0].rpartition(".")[2]
        shape = self.of(operands[0])
        if kind == "Linear":
            width = calls.argument_of(made, 1, "out_features")
            rank = self.graph.ranks.get(term)
            if shape is None and rank is not None:
                sizes = [self.graph.terms("size", term, self.graph.terms.const(i)) for i in range(rank)]
                return (*(Axis(size, "outer") for size in sizes[:-1]), Axis(sizes[-1], "channel"))
            return (
                None
                if shape is None
                else (*(Axis(a.size, "outer") for a in shape[:-1]), Axis(width, "channel"))
            )
        if kind in (
            "LayerNorm",
            "RMSNorm",
            "Dropout",
            "GELU",
            "ReLU",
            "BatchNorm2d",
            "BatchNorm1d",
            "GroupNorm",
        ):
            return shape
        if kind == "Embedding":
            width = calls.argument_of(made, 1, "embedding_dim")
            return None if shape is None else (*shape, Axis(width, "channel"))
        if kind in ("Conv1d", "Conv2d", "Conv3d"):
            width = calls.argument_of(made, 1, "out_channels")
            batch, spatial = self._convolved(operands[0], made, int(kind[4]))
            return (batch, Axis(width, "channel"), *spatial)
        return None

    def _convolved(self, given: Term, made: Term, space: int) -> tuple[Axis, list[Axis]]:
        """The batch and spatial axes after a convolution; the sizes are kept if the kernel size is 1."""
        shape = self.of(given)
        if shape is None or len(shape) != space + 2:
            return Axis(None, "outer"), [Axis(None, "outer") for _ in range(space)]
        kernel = calls.argument_of(made, 2, "kernel_size")
        keeps = is_const(kernel, 1) and len(made.args) <= 6 + ("bias" in made.args[1])
        return Axis(shape[0].size, "outer"), [Axis(one.size if keeps else None, "outer") for one in shape[2:]]


#: Shape inference per operation.
_SHAPES: dict[str, Callable[[Shapes, Term], Shape | None]] = {
    **REARRANGED,
    "phi": Shapes._phi,
    "matmul": Shapes._matmul,
    "bmm": Shapes._bmm,
    "einsum": Shapes._einsum,
    "buffer": Shapes._buffer,
    "attr": Shapes._attr,
    "linear": Shapes._linear,
    "call": Shapes._call,
    **dict.fromkeys("ones zeros full rand randn empty".split(), Shapes._ones),
}
