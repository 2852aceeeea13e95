"""Statements of random programs that keep tensors in containers or hand them to functions."""

from __future__ import annotations

import random
from typing import NamedTuple

from . import ops
from .expressions import broadcast, join
from .statements import Statements


class Helper(NamedTuple):
    """A function of the program: its name, how many tensors it takes, and what it does with the first."""

    name: str
    arity: int
    kind: str  # pure, write, nograd-write, alias, view, choose, keep


class Calls(Statements):
    """Lists, dictionaries, attributes; the program's own functions, its submodules, closures."""

    def __init__(self, rng: random.Random, flags: list[str]) -> None:
        super().__init__(rng, flags)
        self.helpers: list[Helper] = []
        #: whether what the function is given requires grad is the same for every caller
        self.knows_grad = True

    def condition(self) -> str | None:
        if not self.flags:
            return None
        flag = self.rng.choice(self.flags)
        if len(self.flags) > 1 and self.chance(0.15):
            operator, negation = self.rng.choice(["and", "or"]), self.rng.choice(["", "not "])
            return f"{self.flags[0]} {operator} {negation}{self.flags[1]}"
        return f"not {flag}" if self.chance(0.25) else flag

    def st_tuple(self) -> bool:
        first = self.pick(lambda val: True)
        if first is None or first in self.fixed:
            return False
        val = self.env[first]
        second = self.pick(lambda other: other.shape == val.shape)
        if second is None or second in self.fixed or second == first:
            return False
        if self.chance(0.5):
            other = self.env[second]
            self.emit(f"{first}, {second} = {second}, {first}")
            self.env[first], self.env[second] = other, val
            return True
        left, right = self.expression(), self.expression()
        if left is None or right is None:
            return False
        names = [self.new_name(), self.new_name()]
        self.emit(f"{names[0]}, {names[1]} = {left[0]}, {right[0]}")
        self.bind(names[0], left[1])
        self.bind(names[1], right[1])
        return True

    def st_container(self) -> bool:
        name = self.pick()
        if name is None:
            return False
        val = self.env[name]
        kind = self.rng.choice(["list", "append", "dict", "box", "box"])
        if kind == "append":
            lists = [each for each in self.lists if self.list_depth[each] == self.depth and not self.in_loop]
            if not lists:
                return False
            which = self.rng.choice(lists)
            self.emit(f"{which}.append({name})")
            self.env[f"{which}[{self.lists[which]}]"] = val
            self.lists[which] += 1
            return True
        if kind == "list":
            other = self.pick() or name
            which = self.new_name("items")
            self.emit(f"{which} = [{name}, {other}]")
            self.env[f"{which}[0]"], self.env[f"{which}[1]"] = val, self.env[other]
            self.lists[which], self.list_depth[which] = 2, self.depth
            return True
        if kind == "dict":
            which = self.new_name("table")
            self.emit(f'{which} = {{"k": {name}}}')
            self.env[f'{which}["k"]'] = val
            return True
        if not self.boxes:
            return False
        attribute = f"{self.rng.choice(self.boxes)}.{self.rng.choice(['state', 'cache'])}"
        old = self.env.get(attribute)
        if old is not None and (old.shape != val.shape or old.dtype != val.dtype) and self.depth > 1:
            return False
        self.emit(f"{attribute} = {name}")
        self.bind(attribute, val)
        return True

    def st_call(self) -> bool:
        """A call of one of the program's own functions."""
        if not self.helpers:
            return False
        helper = self.rng.choice(self.helpers)
        may = self.writable()
        writes = "write" in helper.kind
        name = self.pick(
            lambda val: (
                bool(val.shape)
                and (not writes or may(val) or (helper.kind == "nograd-write" and not val.special))
            )
        )
        if name is None:
            return False
        val = self.env[name]
        arguments, sources = [name], [val]
        if helper.arity == 2:
            other = self.pick(
                lambda y: (
                    broadcast(val.shape, y.shape) == val.shape and (not writes or y.storage != val.storage)
                )
            )
            if other is None:
                return False
            arguments.append(other)
            sources.append(self.env[other])
        if helper.kind == "choose":
            arguments.append(self.condition() or "True")
        if helper.kind == "keep":
            if not self.boxes:
                return False
            self.emit(f"{helper.name}({self.boxes[0]}, {name})")
            self.bind(f"{self.boxes[0]}.kept", val)
            return True
        text = f"{helper.name}({', '.join(arguments)})"
        if helper.kind == "pure":
            self.assign(text, self.fresh(val.shape, sources))
        elif helper.kind == "alias":
            self.assign(text, val)
        elif helper.kind == "view":
            self.assign(text, self.view_of(val, val.shape[1:], val.contiguous))
        elif helper.kind == "choose":
            self.assign(
                text, join({"x": val}, {"x": self.fresh(val.shape, [val])})["x"].like(storage=val.storage)
            )
        else:
            if self.chance(0.4) and helper.kind == "write":
                result = self.new_name()
                self.emit(f"{result} = {text}")
                self.bind(result, val)
            else:
                self.emit(text)
            self.written(name, sources[1:])
        return True

    def st_module(self) -> bool:
        """A call of one of the model's submodules."""
        if not self.modules:
            return False
        expression, kind = self.rng.choice(self.modules)
        may = self.writable()
        name = self.pick(lambda val: val.shape[-1:] == (4,) and (kind != "inplace" or may(val)))
        if name is None:
            return False
        val = self.env[name]
        if kind == "fresh":
            self.assign(
                f"{expression}({name})",
                self.fresh(val.shape, [val, val.like(grad=True)] if self.grad_mode else [val]),
            )
        elif kind == "same":
            self.assign(f"{expression}({name})", val)
        else:
            self.assign(f"{expression}({name})", val)
            self.written(name, []) if name in self.env else None
        return True

    def st_comprehension(self) -> bool:
        first = self.pick()
        if first is None:
            return False
        val = self.env[first]
        second = self.pick(lambda other: other.shape == val.shape)
        if second is None:
            return False
        which = self.new_name("items")
        template = self.use(self.rng.choice(ops.FRESH["unary"]))
        self.emit(f"{which} = [{template.format(x='t')} for t in ({first}, {second})]")
        for index, source in enumerate((val, self.env[second])):
            self.env[f"{which}[{index}]"] = self.fresh(val.shape, [source])
        self.lists[which], self.list_depth[which] = 2, self.depth
        return True

    def st_closure(self) -> bool:
        """A function of one line defined in place and called: it reads or writes what it closes over."""
        may = self.writable()
        name = self.pick(lambda val: may(val) and bool(val.shape))
        if name is None or "." in name or "[" in name or self.depth > 2:
            return False
        val = self.env[name]
        inner = self.new_name("inner")
        if self.chance(0.4):
            template = self.use(self.rng.choice(ops.FRESH["unary"]))
            self.emit(f"{inner} = lambda t: {template.format(x='t')}")
            self.assign(f"{inner}({name})", self.fresh(val.shape, [val]))
            return True
        self.emit(f"def {inner}():")
        self.emit("    " + self.use(self.rng.choice(ops.WRITE_CALLS["unary"])).format(x=name))
        self.emit(f"{inner}()")
        self.written(name, [])
        return True
