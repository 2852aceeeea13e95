"""Statements of random programs that nest: branches, loops, grad modes."""

from __future__ import annotations

from .calls import Calls
from .expressions import join, size

STATEMENTS = {
    "fresh": 40.0, "write": 24.0, "view": 9.0, "same": 3.0, "detach": 2.0, "clone": 2.0, "expand": 1.0,
    "multi": 2.0, "pair": 1.5, "tuple": 2.0, "plain": 3.0, "leaf": 1.0, "derived": 3.0, "write_other": 3.0,
    "out": 1.5, "if": 6.0, "ternary": 2.0, "return": 1.2, "nograd": 4.0, "for": 4.0, "indexed": 6.0,
    "each": 1.5, "collect": 1.5, "container": 5.0, "call": 8.0, "module": 10.0, "comprehension": 1.0,
    "closure": 1.5, "backward": 1.0,
}  # fmt: skip
BLOCKS = frozenset({"if", "nograd", "for", "each", "collect", "return", "backward", "closure"})


class Blocks(Calls):
    """The whole grammar: what `Calls` and `Statements` write, and control flow around it."""

    weights = STATEMENTS
    blocks = BLOCKS

    # -- blocks --

    def st_if(self) -> bool:
        condition = self.condition()
        if self.indices and self.chance(0.4):
            condition = f"{self.indices[-1]} {self.rng.choice(['== 0', '> 0', '< 2', '== 2', '!= 1'])}"
        elif self.chance(0.08) and self.knows_grad:
            name = self.pick()
            condition = f"{name}.requires_grad" if name and name not in self.fixed else condition
        if condition is None:
            return False
        before = dict(self.env)
        self.emit(f"if {condition}:")
        self.block(self.rng.randint(1, 3))
        then = self.env
        self.env = dict(before)
        if self.chance(0.15) and self.flags:
            self.emit(f"elif {self.rng.choice(self.flags)}:")
            self.block(self.rng.randint(1, 2))
            then = join(then, self.env)
            self.env = dict(before)
        if self.chance(0.45):
            self.emit("else:")
            self.block(self.rng.randint(1, 2))
        self.env = join(then, self.env)
        return True

    def st_ternary(self) -> bool:
        condition = self.condition()
        if condition is None:
            return False
        left = self.expression()
        if left is None:
            return False
        if self.chance(0.5):
            name = self.pick(lambda val: val.shape == left[1].shape)
            if name is None:
                return False
            right = name, self.env[name]
        else:
            made = self.expression()
            if made is None or made[1].shape != left[1].shape:
                return False
            right = made
        merged = join({"x": left[1]}, {"x": right[1]})["x"]
        if self.chance(0.5):
            left, right = right, left
        self.assign(f"{left[0]} if {condition} else {right[0]}", merged.like(storage=right[1].storage))
        return True

    def st_return(self) -> bool:
        """An early exit on a flag."""
        condition = self.condition()
        name = self.pick(lambda val: val.grad)
        if (
            not self.can_return
            or condition is None
            or name is None
            or self.in_loop
            or self.depth > 1
            or not self.grad_mode
        ):
            return False
        self.emit(f"if {condition}:")
        self.depth += 1
        if self.returns_loss:
            self.emit(f"return {name}.sum()")
        else:
            self.emit(f"{name}.sum().backward()")
            self.emit("return")
        self.depth -= 1
        return True

    def st_nograd(self) -> bool:
        if not self.grad_mode:
            if self.chance(0.5):
                return False
            self.emit("with torch.enable_grad():")
            with self.mode(True):
                self.block(self.rng.randint(1, 2))
            return True
        self.emit(self.rng.choice(["with torch.no_grad():"] * 3 + ["with torch.set_grad_enabled(False):"]))
        with self.mode(False):
            self.block(self.rng.randint(1, 3))
        return True

    def st_for(self) -> bool:
        if self.in_loop > 1:
            return False
        index = f"k{self.in_loop}"
        before = dict(self.env)
        self.emit(f"for {index} in range({self.rng.choice([2, 3, 3])}):")
        self.indices.append(index)
        self.in_loop += 1
        leaves = False
        self.depth += 1
        start = len(self.lines)
        self.statements(self.rng.randint(1, 2))
        if self.flags and self.chance(0.15):
            self.emit(f"if {self.condition()}:")
            self.emit("    " + self.rng.choice(["break", "continue"]))
            leaves = True
        self.statements(self.rng.randint(0 if len(self.lines) > start else 1, 3))
        if len(self.lines) == start:
            self.emit("pass")
        self.depth -= 1
        self.in_loop -= 1
        self.indices.pop()
        after = join(before, self.env)
        if not leaves:
            after.update((name, val) for name, val in self.env.items() if name not in before)
        self.env = after
        return True

    def st_indexed(self) -> bool:
        """Something about the loop's index: a row read or written."""
        if not self.indices:
            return False
        may = self.writable()
        write = self.chance(0.5)
        name = self.pick(lambda val: len(val.shape) >= 2 and val.shape[0] >= 3 and (not write or may(val)))
        if name is None:
            return False
        val = self.env[name]
        row = f"{name}[{self.indices[-1]}]"
        if not write:
            self.assign(row, self.view_of(val, val.shape[1:], val.contiguous))
            return True
        other = self.operand(lambda y: y.shape == val.shape[1:] and y.storage != val.storage)
        if other is None:
            return False
        self.emit(f"{row} {self.rng.choice(['=', '=', '+=', '*='])} {other[0]}")
        self.written(name, [other[1]])
        return True

    def st_each(self) -> bool:
        """A loop over tensors in a tuple or a list."""
        first = self.pick()
        if first is None or self.in_loop > 1:
            return False
        shape = self.env[first].shape
        second = self.pick(lambda val: val.shape == shape)
        if second is None or second == first:
            return False
        name = self.new_name("t")
        before = dict(self.env)
        self.emit(f"for {name} in {self.rng.choice(['({}, {})', '[{}, {}]']).format(first, second)}:")
        one, two = self.env[first], self.env[second]
        self.in_loop += 1
        self.env[name] = join({"x": one}, {"x": two})["x"].like(storage=one.storage)
        self.block(self.rng.randint(1, 2))
        self.in_loop -= 1
        self.env = join(before, self.env)
        return True

    def st_collect(self) -> bool:
        """A loop that carries a state and appends it to a list."""
        state = self.pick(lambda val: val.shape in ((4, 4), (4,)))
        if state is None or state in self.fixed or self.in_loop or "[" in state:
            return False
        shape = self.env[state].shape
        name = self.new_name("outs")
        self.emit(f"{name} = []")
        self.emit(f"for step in range({self.rng.choice([2, 3])}):")
        self.depth += 1
        before = dict(self.env)
        self.in_loop += 1
        for _attempt in range(10):
            made = self.expression()
            if made is not None and made[1].shape == shape:
                self.emit(f"{state} = {made[0]}")
                self.bind(state, made[1])
                break
        if self.chance(0.4):
            self.st_write()
        self.emit(f"{name}.append({state})")
        kept = self.env.get(state)
        if self.chance(0.3):
            self.st_write()
        self.in_loop -= 1
        self.depth -= 1
        self.env = join(before, self.env)
        if kept is not None:
            self.env[f"{name}[{self.rng.choice([0, 1, -1])}]"] = kept.like(storage=self.new_storage())
            stacked = self.fresh((2, *shape), [kept]) if size(shape) <= 16 else None
            if stacked is not None and self.chance(0.5):
                self.assign(f"torch.stack({name}[:2])", stacked)
        return True

    def st_backward(self) -> bool:
        """A backward in the middle; afterwards what it went through is out of reach, and may be written."""
        name = self.pick(lambda val: val.grad and not val.leaf)
        if name is None or self.returns_loss or self.depth > 1 or self.in_loop or not self.grad_mode:
            return False
        if self.chance(0.4):
            self.emit(f"{name}.sum().backward(retain_graph=True)")
            return True
        self.emit(f"{name}.sum().backward()")
        gone = [each for each, val in self.env.items() if val.dtype == "f" and not val.leaf]
        for each in self.rng.sample(gone, min(2, len(gone))):
            if not (self.env[each].special or self.env[each].expanded):
                self.emit(f"{each}.{self.rng.choice(['mul_(0.5)', 'zero_()', 'sigmoid_()'])}")
        for each in gone:
            del self.env[each]
        return True
