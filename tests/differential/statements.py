"""Straight-line statements of random programs: bindings, views, writes."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from . import ops
from .expressions import (
    LEAF_WRITE,
    MULTI_VIEW_WRITE,
    SPECIAL_WRITE,
    VIEW_FITS,
    Expressions,
    Shape,
    Val,
    broadcast,
    size,
)


class Statements(Expressions):
    """Each `st_*` method writes one statement and says whether it could."""

    weights: Mapping[str, float]  # the kinds of statements
    blocks: frozenset[str]  # those that nest

    def __init__(self, rng: random.Random, flags: list[str]) -> None:
        super().__init__(rng)
        self.flags = flags
        self.lines: list[str] = []
        self.depth = 0
        self.fixed: set[str] = set()  # names that may not be rebound
        self.lists: dict[str, int] = {}  # list name -> length
        self.list_depth: dict[str, int] = {}
        self.indices: list[str] = []
        self.modules: list[tuple[str, str]] = []  # expression of a submodule, its kind
        self.boxes: list[str] = []
        self.budget = 0
        self.can_return = True
        self.in_loop = 0
        self.returns_loss = True

    # -- text --

    def emit(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)
        self.budget -= 1

    def target(self, val: Val) -> str:
        """A name to bind: an old one of the same shape, or a new one."""
        if self.chance(0.3):

            def fits(name: str, old: Val) -> bool:
                loose = self.depth <= 1 and not self.in_loop
                return name not in self.fixed and old.dtype == val.dtype and (loose or old.shape == val.shape)

            names = [name for name, old in self.env.items() if fits(name, old) and "[" not in name]
            if names:
                return self.rng.choice(names[-6:])
        return self.new_name({"f": "v", "i": "i", "b": "m"}[val.dtype])

    def bind(self, name: str, val: Val) -> None:
        self.env.pop(name, None)
        self.env[name] = val

    def assign(self, text: str, val: Val) -> None:
        name = self.target(val)
        self.emit(f"{name} = {text}")
        self.bind(name, val)

    def block(self, count: int) -> None:
        """`count` statements one level deeper, at least one line."""
        self.depth += 1
        before = len(self.lines)
        self.statements(count)
        if len(self.lines) == before:
            self.emit("pass")
        self.depth -= 1

    def statements(self, count: int) -> None:
        kinds = [kind for kind in self.weights if self.depth < 4 or kind not in self.blocks]
        weights = [self.weights[kind] for kind in kinds]
        for _ in range(count):
            for _attempt in range(8):
                kind = self.rng.choices(kinds, weights)[0]
                if getattr(self, f"st_{kind}")():
                    self.uses[f"<{kind}>"] += 1
                    break

    # -- plain statements --

    def st_fresh(self) -> bool:
        made = self.expression()
        if made is None:
            return False
        self.assign(*made)
        return True

    def st_plain(self) -> bool:
        """A tensor without a history: constants, integers, masks."""
        shape = self.rng.choice([(4, 4), (4, 4), (4,), (2, 4, 4)])
        args = ", ".join(map(str, shape))
        text, dtype = self.rng.choice(PLAIN)
        text = text.format(args)
        self.assign(text, Val(shape, dtype, storage=self.new_storage()))
        return True

    def st_leaf(self) -> bool:
        if not self.grad_mode:
            return False
        shape = self.rng.choice([(4, 4), (4,), (2, 4, 4)])
        args = ", ".join(map(str, shape))
        text = self.rng.choice(
            [f"torch.rand({args}, requires_grad=True)", f"torch.ones({args}).requires_grad_()"]
        )
        val = Val(shape, grad=True, storage=self.new_storage())
        val.leaf = True
        self.assign(text, val)
        return True

    def st_derived(self) -> bool:
        name = self.pick()
        if name is None:
            return False
        val = self.env[name]
        if val.shape[-1:] == (4,) and self.chance(0.5):
            self.assign(f"{name}.argmax(-1)", self.fresh(val.shape[:-1], [val], "i"))
        else:
            self.assign(f"{name} > 0.3", self.fresh(val.shape, [val], "b"))
        return True

    def st_view(self) -> bool:
        group = self.rng.choice(list(ops.VIEWS))
        template = self.rng.choice(ops.VIEWS[group])
        name = self.pick(VIEW_FITS[group])
        if name is None:
            return False
        val = self.env[name]
        s = val.shape
        ones = 1 in s
        contiguous: bool | None = val.contiguous
        shape: Shape
        if group == "any":
            front, back = "unsqueeze(0)" in template or "None" in template, "unsqueeze(-1)" in template
            shape = (1, *s) if front else (*s, 1) if back else s
        elif group == "first":
            shape = s[1:]
        elif group == "slice":
            shape = (s[0] - 1, *s[1:])
        elif group == "last":
            shape, contiguous = (*s[:-1], s[-1] - 1), contiguous if len(s) == 1 else False
        elif group == "transpose":
            back = "-1" in template or "mT" in template
            shape = (*s[:-2], s[-1], s[-2]) if back else (s[1], s[0], *s[2:])
            contiguous = False if contiguous and not ones else None
        elif group == "matrix":
            shape, contiguous = (s[1], s[0]), False if contiguous and not ones else None
        elif group == "diagonal":
            shape, contiguous = (s[0],), False
        else:
            shape = (size(s),)
        self.assign(
            self.use(template).format(x=name, n=s[0] - 1 if s else 0), self.view_of(val, shape, contiguous)
        )
        return True

    def st_expand(self) -> bool:
        name = self.pick(lambda val: bool(val.shape) and size(val.shape) <= 16)
        if name is None:
            return False
        val = self.env[name].like(shape=(2, *self.env[name].shape), expanded=True, contiguous=None)
        self.assign(f"{name}.expand({', '.join(map(str, val.shape))})", self.view_of(val, val.shape, None))
        return True

    def st_same(self) -> bool:
        name = self.pick()
        if name is None:
            return False
        val = self.env[name]
        if val.contiguous is not None and self.chance(0.25):
            self.assign(
                f"{name}.contiguous()",
                val if val.contiguous else self.fresh(val.shape, [val]).like(contiguous=True),
            )
        elif self.chance(0.3):
            self.assign(name, val)
        else:
            self.assign(self.use(self.rng.choice(ops.SAME)).format(x=name), val)
        return True

    def st_detach(self) -> bool:
        name = self.pick()
        if name is None:
            return False
        val = self.env[name].like(grad=False, leaf=False, multi=False, nograd_view=False, detached=True)
        self.assign(f"{name}.detach()", val)
        return True

    def st_clone(self) -> bool:
        name = self.pick()
        if name is None:
            return False
        val = self.env[name]
        text = self.rng.choice([f"{name}.clone()", f"{name}.detach().clone()", f"torch.clone({name})"])
        self.assign(
            text, self.fresh(val.shape, [] if "detach" in text else [val]).like(contiguous=val.contiguous)
        )
        return True

    def st_multi(self) -> bool:
        safe = self.chance(0.25)
        template, count = self.rng.choice(ops.SAFE_SPLITS if safe else ops.MULTI_VIEWS)
        last = "-1" in template
        axis = 1 if "hsplit" in template else 0
        length = 4 if count == 4 or "split" in template else 2

        def fits(val: Val) -> bool:
            s = val.shape
            return (
                len(s) > axis and (s[-1] if last else s[axis]) % length == 0 and (length == 2 or s[axis] == 4)
            )

        name = self.pick(fits)
        if name is None:
            return False
        val = self.env[name]
        s = list(val.shape)
        where = len(s) - 1 if last else axis
        if count == 4:
            shape: Shape = tuple(s[1:])
        else:
            s[where] //= 2
            shape = tuple(s)
        names = [self.new_name("p") for _ in range(count)]
        self.emit(f"{', '.join(names)} = {self.use(template).format(x=name)}")
        piece = self.view_of(val, shape, val.contiguous if where == 0 else None).like(multi=not safe)
        for each in names:
            self.bind(each, piece)
        return True

    def st_pair(self) -> bool:
        name = self.pick(lambda val: val.shape[-1:] == (4,))
        if name is None:
            return False
        val = self.env[name]
        template = self.use(self.rng.choice(ops.PAIRS))
        shape = (
            val.shape
            if "sort" in template
            else (*val.shape[:-1], 2)
            if "topk" in template
            else val.shape[:-1]
        )
        values, indices = self.new_name("v"), self.new_name("i")
        self.emit(f"{values}, {indices} = {template.format(x=name)}")
        self.bind(values, self.fresh(shape, [val]))
        self.bind(indices, self.fresh(shape, [val], "i"))
        return True

    # -- writes --

    def writable(self) -> Callable[[Val], bool]:
        """Which values may be written here; now and then those that raise too."""
        leaf = not self.grad_mode or self.chance(LEAF_WRITE)
        multi = self.chance(MULTI_VIEW_WRITE)
        special = self.chance(SPECIAL_WRITE)

        def fits(val: Val) -> bool:
            if val.leaf and not leaf:
                return False
            if val.multi:
                return multi or not self.grad_mode
            return not (val.expanded or val.nograd_view) or special

        return fits

    def written(self, name: str, sources: list[Val]) -> None:
        """After a write: views that may no longer be used are gone, and the target may have got a history."""
        val = self.env[name]
        for other, theirs in list(self.env.items()):
            if theirs.storage == val.storage and theirs.special and not self.chance(SPECIAL_WRITE):
                del self.env[other]
        if name in self.env and self.grad_mode and any(source.grad for source in sources):
            self.env[name] = val.like(grad=True)

    def st_write(self) -> bool:
        may = self.writable()
        calls = self.chance(0.62)
        table = ops.WRITE_CALLS if calls else ops.WRITE_ASSIGNS
        groups = list(table)
        group = self.rng.choices(
            groups, [{"unary": 5.0, "binary": 5.0, "along": 2.0}.get(each, 1.0) for each in groups]
        )[0]
        template = self.rng.choice(table[group])
        four = group in ("square", "gather", "rows")
        name = self.pick(
            lambda val: (
                may(val)
                and (not four or val.shape == (4, 4))
                and (group not in ("along", "rest") or val.shape[:1] > (1,))
            )
        )
        if name is None:
            return False
        val = self.env[name]
        texts, sources = {"x": name}, []
        if "{y}" in template:
            if group == "rest":

                def fits(y: Val) -> bool:
                    return y.shape == val.shape[1:] and y.storage != val.storage
            elif group == "binary":

                def fits(y: Val) -> bool:
                    return broadcast(val.shape, y.shape) == val.shape and y.storage != val.storage
            else:

                def fits(y: Val) -> bool:
                    return y.shape == val.shape and y.storage != val.storage

            other = self.operand(fits)
            if other is None:
                return False
            texts["y"] = other[0]
            sources.append(other[1])
        if "{i}" in template:
            length = (4, 4) if group == "gather" else (4,)
            index = self.pick(lambda i: i.shape == length, "i")
            if index is None:
                return False
            texts["i"] = index
        if "{m}" in template:
            mask = self.pick(lambda m: m.shape == val.shape, "b")
            if mask is None:
                return False
            texts["m"] = mask
        if "t_()" in template or "transpose_" in template:
            if val.contiguous is None:
                return False
            self.env[name] = val.like(contiguous=False)
        text = self.use(template).format(**texts)
        if calls and group in ("unary", "binary") and self.chance(0.3):
            result = name if self.chance(0.5) and name not in self.fixed else self.new_name()
            self.emit(f"{result} = {text}")
            if result != name:
                self.bind(result, val)
        else:
            self.emit(text)
        self.written(name, sources)
        return True

    def st_out(self) -> bool:
        may = self.writable()
        allowed = not self.grad_mode or self.chance(0.1)
        name = self.pick(
            lambda val: may(val) and (allowed or not val.grad) and bool(val.shape) and val.contiguous is True
        )
        if name is None:
            return False
        val = self.env[name]
        other = self.pick(
            lambda y: y.shape == val.shape and (allowed or not y.grad) and y.storage != val.storage
        )
        if other is None:
            return False
        self.emit(self.use(self.rng.choice(ops.WRITE_OUT)).format(x=name, y=other))
        self.written(name, [self.env[other]])
        return True

    def st_write_other(self) -> bool:
        """Integers and masks that an operation may have saved."""
        dtype = self.rng.choice("ib")
        name = self.pick(lambda val: bool(val.shape), dtype)
        if name is None:
            return False
        template = self.use(self.rng.choice(ops.WRITE_INTS if dtype == "i" else ops.WRITE_MASKS))
        self.emit(template.format(i=name, m=name))
        return True


#: Factories of tensors without a history, with the kind of their elements.
PLAIN = (
    ("torch.zeros({})", "f"),
    ("torch.ones({})", "f"),
    ("torch.rand({})", "f"),
    ("torch.full(({},), 0.5)", "f"),
    ("torch.randint(0, 4, ({},))", "i"),
    ("torch.rand({}) > 0.5", "b"),
)
