"""Symbolic shapes: the axes of a value, each with its size as a term and its role.

The role of an axis is `channel` where its size comes from what a layer was built with (features, heads), `outer`
where it comes from the data (batch, sequence, space), `mixed` for a product of both, else unknown ("").
"""

from __future__ import annotations

from . import calls
from .notation import equation, pattern
from .scalars import is_scalar
from .terms import Term, integer, is_const, items

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from .evaluate import Evaluation

    Shape: TypeAlias = "tuple[Axis, ...]"


class Axis:
    """One axis: `size` is None where it is not known; `merged` counts the axes that were folded into it."""

    __slots__ = ("merged", "role", "size")

    def __init__(self, size: Term | None, role: str = "", merged: int = 1) -> None:
        self.size, self.role, self.merged = size, role, merged


_ELEMENTWISE = frozenset(
    "mul div add sub pow neg invert exp sqrt rsqrt tanh sigmoid relu clamp softmax dropout masked_fill where cast "
    "contiguous clone detach normalize tril triu eq ne lt gt le ge and or ones_like zeros_like".split()
)


class Shapes:
    """The shapes of one evaluation's terms."""

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation
        self._known: dict[Term, Shape | None] = {}

    def of(self, term: Term) -> Shape | None:
        """The axes of a value; None if not even their number is known."""
        if term in self._known:
            return self._known[term]
        self._known[term] = None  # ends cycles
        found = self._find(term)
        self._known[term] = found
        return found

    def rank(self, term: Term) -> int | None:
        shape = self.of(term)
        return None if shape is None else len(shape)

    def role(self, size: Term | None) -> str:
        """The role of an axis of this size."""
        if size is None:
            return ""
        if size.op == "const" or size.op in ("attr", "builtins.int", "math.sqrt"):
            return "channel"
        if size.op == "size":
            whole, index = size.args[0], integer(size.args[1])
            channel = self._channel(whole)
            rank = self.evaluation.ranks.get(whole)
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

    def _channel(self, term: Term) -> int | None:
        return self.evaluation.channels.get(term)

    def axis(self, size: Term, merged: int = 1) -> Axis:
        if integer(size) == -1:
            return Axis(None, "", merged)
        return Axis(size, self.role(size), max(merged, _factors(size)))

    def _find(self, term: Term) -> Shape | None:
        op = term.op
        if op == "where":
            return self._broadcast([*term.args[1:], term.args[0]])
        if op in _ELEMENTWISE:
            return self._broadcast([t for t in term.operands if t.op not in ("attr", "symbol", "finfo")])
        method = getattr(self, f"_{op}", None)
        if method is not None:
            found: Shape | None = method(term)
            if found is not None:
                return found
        rank = self.evaluation.ranks.get(term)
        if rank is None:
            return None
        sizes = [self.evaluation.terms("size", term, self.evaluation.terms.const(i)) for i in range(rank)]
        channel = self._channel(term)
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
        # A value of unknown rank is taken to be no wider than scores or operands of three axes and more.
        return None if unknown and (best is None or len(best) < 3) else best

    def _phi(self, term: Term) -> Shape | None:
        arms = [self.of(arm) for arm in term.args[1:] if not is_const(arm, None)]
        if not arms or any(a is None or len(a) != len(arms[0] or ()) for a in arms):
            return None
        return arms[0]

    def _transpose(self, term: Term) -> Shape | None:
        shape, a, b = self.of(term.args[0]), integer(term.args[1]), integer(term.args[2])
        if shape is None or a is None or b is None:
            return None
        if not all(-len(shape) <= one < len(shape) for one in (a, b)):
            return None
        axes = list(shape)
        axes[a], axes[b] = axes[b], axes[a]
        return tuple(axes)

    def _mT(self, term: Term) -> Shape | None:
        shape = self.of(term.args[0])
        return None if shape is None or len(shape) < 2 else (*shape[:-2], shape[-1], shape[-2])

    def _t(self, term: Term) -> Shape | None:
        shape = self.of(term.args[0])
        return None if shape is None else shape[::-1]

    def _permute(self, term: Term) -> Shape | None:
        order = permutation(term)
        if order is None:
            return None
        shape = self.of(term.args[0])
        if shape is None or len(shape) != len(order):
            shape = tuple(Axis(None) for _ in order)
        return tuple(shape[i] for i in order)

    def _reshape(self, term: Term) -> Shape | None:
        sizes = items(term.args[1])
        if sizes is None:
            return self.of(term.args[1].args[0]) if term.args[1].op == "shape" else None
        if any(size.op == "star" for size in sizes):
            return self._starred(sizes)
        axes = [self.axis(size) for size in sizes]
        source = self.of(term.args[0])
        for number, axis in enumerate(axes):
            if axis.size is None:
                axes[number] = self._inferred(source, axes, number)
        return tuple(axes)

    def _starred(self, sizes: tuple[Term, ...]) -> Shape | None:
        axes: list[Axis] = []
        for size in sizes:
            if size.op != "star":
                axes.append(self.axis(size))
                continue
            inner = size.args[0]
            if inner.op != "getitem" or inner.args[0].op != "shape" or inner.args[1].op != "slice":
                return None
            shape = self.of(inner.args[0].args[0])
            low, high, step = inner.args[1].args
            if shape is None or not is_const(step, None):
                return None
            axes += shape[integer(low) : integer(high)]
        return tuple(axes)

    def _inferred(self, source: Shape | None, axes: list[Axis], number: int) -> Axis:
        """The axis that is written -1: what is left of the source's axes when the others are taken away."""
        if source is not None:
            left = list(source)
            for other in axes:
                for axis in left:
                    if other.size is not None and axis.size is other.size:
                        left.remove(axis)
                        break
            spare = [
                a for i, a in enumerate(axes) if i != number and not any(a.size is s.size for s in source)
            ]
            if left and not spare:
                roles = {axis.role for axis in left}
                return Axis(
                    left[0].size if len(left) == 1 else None,
                    roles.pop() if len(roles) == 1 else "",
                    len(left),
                )
            if left and all(axis.role == "channel" for axis in left):
                return Axis(None, "channel")
            outer = [axis for axis in left if axis.role == "outer"]
            if outer and all(a.role == "channel" for a in spare):
                return Axis(outer[0].size if len(outer) == 1 else None, "outer", len(outer))
        return Axis(None)

    _view = _reshape

    def _flatten(self, term: Term) -> Shape | None:
        shape = self.of(term.args[0])
        if shape is None:
            return None
        start = 0 if term.args[1] is None else integer(term.args[1])
        end = -1 if term.args[2] is None else integer(term.args[2])
        if start is None or end is None:
            return None
        start, end = start % len(shape), end % len(shape)
        roles = {axis.role for axis in shape[start : end + 1]}
        merged = Axis(None, roles.pop() if len(roles) == 1 else "mixed", end - start + 1)
        return (*shape[:start], merged, *shape[end + 1 :])

    def _unflatten(self, term: Term) -> Shape | None:
        shape, dim, sizes = self.of(term.args[0]), integer(term.args[1]), items(term.args[2])
        if shape is None or dim is None or sizes is None:
            return None
        dim %= len(shape)
        axes = [Axis(a.size, shape[dim].role) for a in map(self.axis, sizes)]
        return (*shape[:dim], *axes, *shape[dim + 1 :])

    def _unsqueeze(self, term: Term) -> Shape | None:
        shape, dim = self.of(term.args[0]), integer(term.args[1])
        if shape is None or dim is None:
            return None
        dim %= len(shape) + 1
        return (*shape[:dim], Axis(self.evaluation.terms.const(1)), *shape[dim:])

    def _squeeze(self, term: Term) -> Shape | None:
        shape, dim = self.of(term.args[0]), integer(term.args[1])
        if shape is None or dim is None or integer(shape[dim].size) != 1:
            return None
        dim %= len(shape)
        return (*shape[:dim], *shape[dim + 1 :])

    def _expand(self, term: Term) -> Shape | None:
        sizes = items(term.args[1])
        if sizes is None or any(size.op == "star" for size in sizes):
            return None
        shape = self.of(term.args[0])
        axes = []
        for number, size in enumerate(sizes):
            own = None if shape is None or number < len(sizes) - len(shape) else shape[number - len(sizes)]
            axes.append(own if integer(size) == -1 and own is not None else self.axis(size))
        return tuple(axes)

    def _repeat(self, term: Term) -> Shape | None:
        sizes = items(term.args[1])
        return None if sizes is None else tuple(Axis(None) for _ in sizes)

    def _expand_as(self, term: Term) -> Shape | None:
        return self.of(term.args[1])

    def _repeat_interleave(self, term: Term) -> Shape | None:
        shape, dim = self.of(term.args[0]), integer(term.args[2])
        if shape is None or dim is None:
            return None
        dim %= len(shape)
        return (*shape[:dim], Axis(None, shape[dim].role), *shape[dim + 1 :])

    def _chunk(self, term: Term) -> Shape | None:
        return None

    def _item(self, term: Term) -> Shape | None:
        """An element of something that was taken apart."""
        whole = term.args[0]
        if whole.op in ("chunk", "split"):
            shape = self.of(whole.args[0])
            dim = 0 if whole.args[2] is None else integer(whole.args[2])
            if shape is None or dim is None:
                return None
            dim %= len(shape)
            return (*shape[:dim], Axis(None, shape[dim].role), *shape[dim + 1 :])
        if whole.op == "unbind":
            shape = self.of(whole.args[0])
            dim = 0 if len(whole.args) < 2 or whole.args[1] is None else integer(whole.args[1])
            if shape is None or dim is None:
                return None
            dim %= len(shape)
            return (*shape[:dim], *shape[dim + 1 :])
        if whole.op == "comprehension":
            return self.of(whole.args[0])
        if whole.op == "mapped":
            return None
        shape = self.of(whole)  # a tensor, unpacked over its first axis
        return shape[1:] if shape else None

    def _getitem(self, term: Term) -> Shape | None:
        shape = self.of(term.args[0])
        index = term.args[1]
        if shape is None:
            entries = items(index)
            if (
                entries
                and all(is_const(e, None) or e.op == "slice" for e in entries)
                and not any(is_const(e, ...) for e in entries)
            ):
                known = self._partial_rank(term.args[0])
                shape = None if known is None else tuple(Axis(None) for _ in range(known))
                if shape is None:
                    return None
            else:
                return None
        entries = items(index) if index.op == "tuple" else (index,)
        if entries is None:
            return None
        used = sum(1 for e in entries if not is_const(e, None, ...) and not is_const(e, None))
        used -= sum(1 for e in entries if is_const(e) and e.args[0] is ...)
        axes: list[Axis] = []
        position = 0
        for entry in entries:
            if is_const(entry) and entry.args[0] is None:
                axes.append(Axis(self.evaluation.terms.const(1)))
            elif is_const(entry) and entry.args[0] is ...:
                skip = len(shape) - sum(
                    1 for e in entries if not (is_const(e) and (e.args[0] is None or e.args[0] is ...))
                )
                axes += shape[position : position + skip]
                position += skip
            elif entry.op == "slice":
                if position >= len(shape):
                    return None
                axes.append(self._sliced(shape[position], entry))
                position += 1
            elif integer(entry) is not None or entry.op in ("size",):
                position += 1
            else:
                return None
        return (*axes, *shape[position:])

    def _sliced(self, axis: Axis, entry: Term) -> Axis:
        low, high, step = entry.args
        if all(is_const(part, None) for part in (low, high, step)):
            return axis
        if (
            is_const(step, None)
            and (is_const(low, None) or is_const(low, 0))
            and not (integer(high) or 0) < 0
        ):
            return Axis(high if not is_const(high, None) else None, axis.role)
        if integer(low) is not None and integer(high) is not None and is_const(step, None):
            width = (integer(high) or 0) - (integer(low) or 0)
            return Axis(self.evaluation.terms.const(width) if width > 0 else None, axis.role)
        if integer(low) == -1 and is_const(high, None):
            return Axis(self.evaluation.terms.const(1), axis.role)
        return Axis(None, axis.role)

    def _partial_rank(self, term: Term) -> int | None:
        return self.evaluation.ranks.get(term)

    def _stack(self, term: Term) -> Shape | None:
        parts = items(term.args[0])
        shape = self.of(parts[0]) if parts else None
        dim = 0 if term.args[1] is None else integer(term.args[1])
        if shape is None or dim is None or parts is None:
            return None
        dim %= len(shape) + 1
        return (*shape[:dim], Axis(self.evaluation.terms.const(len(parts))), *shape[dim:])

    def _cat(self, term: Term) -> Shape | None:
        parts = items(term.args[0])
        dim = 0 if term.args[1] is None else integer(term.args[1])
        if not parts or dim is None:
            return None
        shape = next((s for s in map(self.of, parts) if s is not None), None)
        if shape is None:
            return None
        dim %= len(shape)
        return (*shape[:dim], Axis(None, shape[dim].role), *shape[dim + 1 :])

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

    def _rearrange(self, term: Term) -> Shape | None:
        parsed = pattern(term)
        if parsed is None:
            return None
        left, right = parsed
        source = self.of(term.args[0])
        channel = self._channel(term.args[0])
        given = dict(zip(term.args[2], term.args[3:]))
        axes: dict[str, Axis] = {}
        for number, group in enumerate(left):
            role, size = "", None
            if source is not None and len(source) == len(left):
                role, size = source[number].role, source[number].size
            elif channel is not None:
                role = "channel" if number == channel % len(left) else "outer"
            for name in group:
                own = given.get(name)
                axes[name] = Axis(own if own is not None else size if len(group) == 1 else None, role)
        made: list[Axis] = []
        for group in right:
            if group == ["..."]:
                return None
            parts = [axes.get(name, Axis(given.get(name))) for name in group]
            if len(parts) == 1:
                made.append(parts[0])
            elif not parts:
                made.append(Axis(self.evaluation.terms.const(1)))
            else:
                roles = {part.role for part in parts}
                made.append(Axis(None, roles.pop() if len(roles) == 1 else "mixed", len(parts)))
        return tuple(made)

    _einops_repeat = _rearrange

    def _buffer(self, term: Term) -> Shape | None:
        return self.of(term.args[0])

    def _attr(self, term: Term) -> Shape | None:
        made = self.evaluation.classes.definition(term)
        if (
            made is not None
            and made.op == "new"
            and made.args[0] == "torch.nn.Parameter"
            and len(made.args) > 3
        ):
            return self.of(made.args[3])
        return None if made is None or made.op in ("attr", "new") else self.of(made)

    def _ones(self, term: Term) -> Shape | None:
        sizes = items(term.args[0])
        return None if sizes is None else tuple(self.axis(size) for size in sizes)

    _zeros = _full = _rand = _randn = _empty = _ones

    def _linear(self, term: Term) -> Shape | None:
        shape = self.of(term.args[0])
        return None if shape is None else (*shape[:-1], Axis(None, "channel"))

    def _call(self, term: Term) -> Shape | None:
        """A layer's forward."""
        made = calls.module_of(self.evaluation, term.args[0])
        operands = term.args[3:] if len(term.args) > 3 else ()
        if made is None or not operands:
            return None
        kind = made.args[0].rpartition(".")[2]
        shape = self.of(operands[0])
        if kind == "Linear":
            width = calls.argument_of(made, 1, "out_features")
            rank = self.evaluation.ranks.get(term)
            if shape is None and rank is not None:
                sizes = [
                    self.evaluation.terms("size", term, self.evaluation.terms.const(i)) for i in range(rank)
                ]
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
        if kind in ("Conv1d", "Conv2d", "Conv3d"):
            space = int(kind[4])
            width = calls.argument_of(made, 1, "out_channels")
            spatial = [Axis(None, "outer") for _ in range(space)]
            return (Axis(None, "outer"), Axis(width, "channel"), *spatial)
        return None

    def _mha(self, term: Term) -> Shape | None:
        return None


def _factors(size: Term) -> int:
    return sum(map(_factors, size.operands)) if size.op == "mul" else 1


def permutation(term: Term) -> list[int] | None:
    """The order of `permute`, as indices from 0."""
    order = items(term.args[1])
    numbers = [integer(one) for one in order or ()]
    if not numbers or None in numbers:
        return None
    return [number % len(numbers) for number in numbers if number is not None]
