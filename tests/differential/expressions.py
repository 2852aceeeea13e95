"""What the generator knows of a program's tensors, and the expressions that it draws over them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from . import ops

Shape = tuple[int, ...]

#: How often, given the chance, a program does what raises at once.
LEAF_WRITE = 0.02
MULTI_VIEW_WRITE = 0.12
SPECIAL_WRITE = 0.015
MAX_ELEMENTS = 96


class Val:
    """What the writer knows of a tensor that an expression names."""

    __slots__ = (
        "contiguous",
        "detached",
        "dtype",
        "expanded",
        "grad",
        "leaf",
        "multi",
        "nograd_view",
        "shape",
        "storage",
    )

    def __init__(self, shape: Shape, dtype: str = "f", *, grad: bool = False, storage: int = 0) -> None:
        self.shape = shape
        self.dtype = dtype  # f, i (values 0 to 3) or b
        self.grad = grad  # certainly requires grad
        self.storage = storage
        self.leaf = False  # perhaps a leaf that requires grad, or a view of one
        self.multi = False
        self.expanded = False
        self.nograd_view = False
        self.detached = False
        self.contiguous: bool | None = True  # None: not known

    def like(self, **changes: object) -> Val:
        other = Val.__new__(Val)
        for name in Val.__slots__:
            setattr(other, name, changes.get(name, getattr(self, name)))
        return other

    @property
    def special(self) -> bool:
        """Views that may not be used after their base was written."""
        return self.multi or self.nograd_view


Env = dict[str, Val]


def broadcast(left: Shape, right: Shape) -> Shape | None:
    """The shape that two shapes broadcast to, None if they do not."""
    result: list[int] = []
    for index in range(1, max(len(left), len(right)) + 1):
        a = left[-index] if index <= len(left) else 1
        b = right[-index] if index <= len(right) else 1
        if a != b and 1 not in (a, b):
            return None
        result.append(max(a, b))
    return tuple(reversed(result))


def size(shape: Shape) -> int:
    """The number of elements."""
    product = 1
    for length in shape:
        product *= length
    return product


def join(left: Env, right: Env) -> Env:
    """What holds after either of two paths; a name that one of them lacks, or shapes otherwise, is gone."""
    result: Env = {}
    for name, a in left.items():
        b = right.get(name)
        if b is None or a.shape != b.shape or a.dtype != b.dtype:
            continue
        if a is b:
            result[name] = a
            continue
        merged = a.like(
            grad=a.grad and b.grad, contiguous=a.contiguous if a.contiguous is b.contiguous else None
        )
        for flag in ("leaf", "multi", "expanded", "nograd_view", "detached"):
            setattr(merged, flag, getattr(a, flag) or getattr(b, flag))
        result[name] = merged
    return result


class Expressions:
    """Draws operands and expressions; the base of the statement writer."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.env: Env = {}
        self.grad_mode = True
        self.uses: Counter[str] = Counter()
        self._storages = 0
        self._names = 0

    def new_storage(self) -> int:
        self._storages += 1
        return self._storages

    def new_name(self, stem: str = "v") -> str:
        self._names += 1
        return f"{stem}{self._names}"

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def pick(self, fits: Callable[[Val], bool] = lambda val: True, dtype: str = "f") -> str | None:
        """The expression of a value that fits, later ones more often than earlier ones."""
        names = [name for name, val in self.env.items() if val.dtype == dtype and fits(val)]
        if not names:
            return None
        weights = [
            1.0 + 2.0 * index / len(names) + (2.0 if index >= len(names) - 3 else 0.0)
            for index in range(len(names))
        ]
        return self.rng.choices(names, weights)[0]

    def operand(self, fits: Callable[[Val], bool] = lambda val: True) -> tuple[str, Val] | None:
        """A value that fits, now and then inside another operation of the same shape."""
        name = self.pick(fits)
        if name is None:
            return None
        val = self.env[name]
        if self.chance(0.1):
            text = self.use(self.rng.choice(ops.FRESH["unary"])).format(x=name)
            return f"({text})" if text[0] in "-123" or " " in text else text, self.fresh(val.shape, [val])
        return name, val

    def use(self, template: str) -> str:
        self.uses[template] += 1
        return template

    def fresh(self, shape: Shape, sources: list[Val], dtype: str = "f") -> Val:
        """The result of an operation on `sources`, in memory of its own."""
        grad = self.grad_mode and dtype == "f" and any(source.grad for source in sources)
        val = Val(shape, dtype, grad=grad, storage=self.new_storage())
        if not all(source.contiguous for source in sources):
            val.contiguous = None
        return val

    def view_of(self, val: Val, shape: Shape, contiguous: bool | None) -> Val:
        return val.like(shape=shape, contiguous=contiguous, nograd_view=val.nograd_view or not self.grad_mode)

    def plain(self, val: Val) -> bool:
        return val.dtype == "f"

    def expression(self) -> tuple[str, Val] | None:
        """A new tensor from an operation out of place."""
        groups = list(ops.FRESH)
        weights = [GROUP_WEIGHTS.get(group, 1.0) for group in groups]
        group = self.rng.choices(groups, weights)[0]
        template = self.rng.choice(ops.FRESH[group])
        made = self._operands(group)
        if made is None:
            return None
        texts, sources, shape = made
        if size(shape) > MAX_ELEMENTS:
            return None
        result = self.fresh(shape, sources)
        if "einsum" in template:
            result.contiguous = None
        return self.use(template).format(**texts), result

    def _operands(self, group: str) -> tuple[dict[str, str], list[Val], Shape] | None:
        """Operands that suit a group of templates, and the shape of the result."""
        first = self.operand(FIRST_FITS.get(group, lambda val: True))
        if first is None:
            return None
        (_, xv), texts, sources = first, {"x": first[0]}, [first[1]]
        shape = xv.shape
        if group in SECOND_FITS:
            fits = SECOND_FITS[group]
            second = self.operand(lambda val: fits(xv.shape, val.shape))
            if second is None:
                return None
            texts["y"] = second[0]
            sources.append(second[1])
            if group in ("binary", "ternary"):
                shape = broadcast(shape, second[1].shape) or ()
        if group == "ternary":
            third = self.operand(lambda val: broadcast(shape, val.shape) is not None)
            if third is None:
                return None
            texts["z"] = third[0]
            sources.append(third[1])
            shape = broadcast(shape, third[1].shape) or ()
        if group in ("gather", "rows", "targets"):
            length = (4, 4) if group == "gather" else (4,)
            index = self.pick(lambda val: val.shape == length, "i")
            if index is None:
                return None
            texts["i"] = index
        if group == "masked":
            mask = self.pick(lambda val: val.shape == xv.shape, "b")
            if mask is None:
                return None
            texts["m"] = mask
        return texts, sources, RESULT_SHAPES.get(group, lambda s: s)(shape)

    @contextmanager
    def mode(self, grad: bool) -> Iterator[None]:
        before, self.grad_mode = self.grad_mode, grad
        yield
        self.grad_mode = before


GROUP_WEIGHTS = {
    "unary": 9.0,
    "binary": 7.0,
    "along": 2.5,
    "ternary": 1.5,
    "reduce": 1.0,
    "matmul": 3.0,
    "square": 2.0,
    "last4": 0.7,
}
FIRST_FITS: dict[str, Callable[[Val], bool]] = {
    "along": lambda val: bool(val.shape),
    "last4": lambda val: val.shape[-1:] == (4,),
    "reduce": lambda val: bool(val.shape),
    "reduce_last": lambda val: val.shape[-1:] == (4,),
    "reduce_keep": lambda val: val.shape[-1:] == (4,),
    "matmul": lambda val: val.shape[-1:] == (4,) and len(val.shape) > 1,
    "square": lambda val: val.shape == (4, 4),
    "batched": lambda val: val.shape == (2, 4, 4),
    "pooled": lambda val: val.shape == (2, 4, 4),
    "outer": lambda val: val.shape == (4,),
    "dot": lambda val: val.shape == (4,),
    "stack": lambda val: bool(val.shape),
    "cat": lambda val: bool(val.shape),
    "gather": lambda val: val.shape == (4, 4),
    "rows": lambda val: val.shape == (4, 4),
    "targets": lambda val: val.shape == (4, 4),
}
#: Group of templates with a second operand -> which shapes it may have beside that of the first.
SECOND_FITS: dict[str, Callable[[Shape, Shape], bool]] = {
    **dict.fromkeys(("binary", "ternary"), lambda first, shape: broadcast(first, shape) is not None),
    **dict.fromkeys(("matmul", "square"), lambda first, shape: shape == (4, 4)),
    **dict.fromkeys(
        ("loss", "batched", "pooled", "outer", "dot", "stack", "cat", "masked"),
        lambda first, shape: first == shape,
    ),
}
RESULT_SHAPES: dict[str, Callable[[Shape], Shape]] = {
    "loss": lambda s: (),
    "reduce": lambda s: (),
    "targets": lambda s: (),
    "dot": lambda s: (),
    "reduce_last": lambda s: s[:-1],
    "reduce_keep": lambda s: (*s[:-1], 1),
    "pooled": lambda s: (2, 2, 1),
    "outer": lambda s: (4, 4),
    "stack": lambda s: (2, *s),
    "cat": lambda s: (2 * s[0], *s[1:]),
}
#: Group of views -> what it may be taken of.
VIEW_FITS: dict[str, Callable[[Val], bool]] = {
    "any": lambda val: len(val.shape) < 4,
    "first": lambda val: val.shape[:1] > (1,),
    "slice": lambda val: val.shape[:1] > (2,),
    "last": lambda val: val.shape[-1:] > (2,),
    "transpose": lambda val: len(val.shape) >= 2,
    "matrix": lambda val: len(val.shape) == 2,
    "flat": lambda val: val.contiguous is True,
    "diagonal": lambda val: len(val.shape) == 2 and val.shape[0] == val.shape[1],
}
