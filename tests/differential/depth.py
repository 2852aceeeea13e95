"""Random programs as projects have them: classes that call classes, state that lives on, training steps."""

from __future__ import annotations

import random
from typing import NamedTuple

from . import ops
from .expressions import Val, join
from .generator import MODULES, Program, Writer

SQUARE = (4, 4)
OPTIMIZERS = (
    "torch.optim.SGD({}.parameters(), lr=0.1)",
    "torch.optim.SGD({}.parameters(), lr=0.1, momentum=0.9)",
    "torch.optim.Adam({}.parameters())",
    "torch.optim.AdamW({}.parameters(), lr=1e-2)",
)


class Part(NamedTuple):
    """A class of the program: its name, and how many tensors its forward takes."""

    name: str
    arity: int


def generate(seed: object) -> Program:
    """The program of this seed: equal seeds give equal texts."""
    rng = random.Random(repr(("depth", seed)))
    flags = [f"flag{index}" for index in range(rng.choice([0, 0, 1, 1, 2]))]
    return DeepWriter(rng, flags).project()


class DeepWriter(Writer):
    """Classes with forward methods and methods of their own, a model made of them, and a program that trains it."""

    def project(self) -> Program:
        self.knows_grad = self.can_return = False
        lines = self._preamble()
        parts: list[Part] = []
        flags, self.flags = self.flags, []
        for index in range(self.rng.choice([1, 1, 2])):
            body, part = self._part(f"Block{index}")
            lines += [*body, "", ""]
            parts.append(part)
        self.flags = flags
        lines += [*self._model(parts), "", ""]
        lines += [f"def main({', '.join(self.flags)}):", *self._training()]
        call = f"main({', '.join(self.flags)})"
        return self._finish(lines, "project", "main", call, self.flags)

    # -- classes --

    def _start(self, arguments: list[str]) -> None:
        """A method's body begins: what it sees is what it is given and what its object holds."""
        self.env, self.lines, self.depth, self.modules, self.boxes = {}, [], 2, [], []
        self.fixed = set()
        self.lists.clear()
        for name in arguments:
            self.env[name] = Val(SQUARE, grad=True, storage=self.new_storage())

    def _holds(self, name: str, val: Val) -> None:
        self.env[name] = val
        self.fixed.add(name)

    def _part(self, name: str) -> tuple[list[str], Part]:
        """A module with a parameter, perhaps a buffer, submodules and a method that others call."""
        arity = self.rng.choice([1, 1, 2])
        arguments = ["x", "y"][:arity]
        init = [f"class {name}(nn.Module):", "    def __init__(self):", "        super().__init__()"]
        init.append("        self.weight = nn.Parameter(torch.rand(4, 4))")
        method: list[str] = []
        calls: list[str] = []
        if self.chance(0.5):
            what = self.rng.choice(["pure", "write", "self"])
            text = self.use(self.rng.choice(ops.FRESH["unary"])).format(x="t")
            write = self.use(self.rng.choice(ops.WRITE_CALLS["unary"])).format(x="t")
            inner = {"pure": [f"return {text}"], "write": [write, "return t"]}.get(
                what, [f"return {text} * self.weight"]
            )
            method = ["", "    def step(self, t):", *("        " + line for line in inner)]
            calls.append(what)
        self._start(arguments)
        weight = Val(SQUARE, grad=True, storage=self.new_storage())
        weight.leaf = True
        self._holds("self.weight", weight)
        if self.chance(0.3):
            init.append('        self.register_buffer("kept", torch.zeros(4, 4))')
            self._holds("self.kept", Val(SQUARE, storage=self.new_storage()))
        for index in range(self.rng.choice([0, 1, 1, 2])):
            text, kind = self.rng.choice([each for each in MODULES if "Dropout" not in each[0]])
            init.append(f"        self.sub{index} = {text}")
            self.modules.append((f"self.sub{index}", kind))
        self.statements(1)
        for what in calls:
            self._call_method(what)
        self.statements(self.rng.randint(1, 4))
        self.emit(f"return {self._result()}")
        head = ["", f"    def forward(self, {', '.join(arguments)}):"]
        return [*init, *method, *head, *self.lines], Part(name, arity)

    def _call_method(self, what: str) -> None:
        may = self.writable()
        name = self.pick(lambda val: val.shape == SQUARE and (what != "write" or may(val)))
        if name is None:
            return
        val = self.env[name]
        if what == "write":
            self.assign(f"self.step({name})", val)
            self.written(name, [])
        else:
            self.assign(f"self.step({name})", self.fresh(SQUARE, [val]))

    def _result(self) -> str:
        """A square tensor that requires grad: the argument or a parameter has a part in it, if need be."""
        names = [
            name
            for name, val in self.env.items()
            if val.grad and val.shape == SQUARE and val.dtype == "f" and not val.leaf and not val.special
        ]
        if names and self.chance(0.9):
            return self.rng.choice(names[-3:])
        return f"{names[-1] if names else 'x'} @ self.weight"

    def _model(self, parts: list[Part]) -> list[str]:
        init = ["class Model(nn.Module):", "    def __init__(self):", "        super().__init__()"]
        init.append("        self.weight = nn.Parameter(torch.rand(4, 4))")
        self._start(["x", "h"])
        weight = Val(SQUARE, grad=True, storage=self.new_storage())
        weight.leaf = True
        self._holds("self.weight", weight)
        single: list[str] = []
        for index, part in enumerate(parts):
            init.append(f"        self.block{index} = {part.name}()")
        chained = [part.name for part in parts if part.arity == 1]
        if chained and self.chance(0.6):
            chosen = [f"{self.rng.choice(chained)}()" for _ in range(2)]
            init.append(f"        self.layers = nn.ModuleList([{', '.join(chosen)}])")
            single.append("layers")
        if chained and self.chance(0.4):
            text = self.rng.choice(["nn.Linear(4, 4)", "nn.Sigmoid()", "nn.ReLU(inplace=True)"])
            init.append(f"        self.net = nn.Sequential({text}, {self.rng.choice(chained)}())")
            single.append("net")
        keeps = self.chance(0.25)
        if keeps:
            init.append("        self.last = None")
        self.statements(self.rng.randint(0, 2))
        for index, part in enumerate(parts):
            given = [self._square() for _ in range(part.arity)]
            self.assign(f"self.block{index}({', '.join(given)})", self._made())
            self.statements(self.rng.randint(0, 2))
        if "layers" in single:
            self._through_layers()
        if "net" in single:
            self.assign(f"self.net({self._square()})", self._made())
        if keeps:
            self.emit(f"self.last = {self._square()}")
        self.statements(self.rng.randint(0, 3))
        self.emit(f"return {self._result()}")
        head = f"    def forward({', '.join(['self', 'x', 'h', *self.flags])}):"
        return [*init, "", head, *self.lines]

    def _made(self) -> Val:
        val = Val(SQUARE, grad=self.grad_mode, storage=self.new_storage())
        val.contiguous = None
        return val

    def _square(self) -> str:
        name = self.pick(
            lambda val: val.shape == SQUARE and not val.leaf and not val.special and not val.expanded
        )
        return name or "x * 1.0"

    def _through_layers(self) -> None:
        """A loop over blocks that carries a state, with a residual, a list of what was seen, or neither."""
        state = self._square()
        carried = self.new_name("z")
        self.emit(f"{carried} = {state}")
        before = dict(self.env)
        way = self.rng.choice(["plain", "residual", "inplace", "list"])
        if way == "list":
            self.emit(f"seen = [{carried}]")
        self.emit("for layer in self.layers:")
        self.depth += 1
        if way == "residual":
            self.emit(f"{carried} = {carried} + layer({carried})")
        elif way == "inplace":
            self.emit(f"{carried} = layer({carried})")
            write = self.use(self.rng.choice(ops.WRITE_CALLS["unary"]))
            self.emit(write.format(x=carried))
        else:
            self.emit(f"{carried} = layer({carried})")
            if way == "list":
                self.emit(f"seen.append({carried})")
        self.depth -= 1
        self.env = join(before, self.env)
        self.env[carried] = self._made()
        if way == "list":
            index = self.rng.choice([0, 1, -1])
            self.env[f"seen[{index}]"] = self._made()

    # -- training --

    def _training(self) -> list[str]:
        self._start([])
        self.depth = 1
        self.emit("model = Model()")
        self.emit("optimizer = " + self.rng.choice(OPTIMIZERS).format("model"))
        self.emit("x = torch.rand(4, 4, requires_grad=True)")
        self.emit(self.rng.choice(["h = torch.rand(4, 4)", "h = torch.rand(4, 4, requires_grad=True) * 1.0"]))
        ways = [self._one, self._steps, self._two, self._accumulate, self._carried, self._averaged]
        self.rng.choices(ways, [3.0, 2.0, 1.5, 1.0, 1.5, 1.0])[0]()
        return self.lines

    def _forward(self, given: str | None = None, state: str = "h") -> str:
        given = given or self.rng.choice(["x * 1.0", "x + 0.5", "x.exp()", "torch.sigmoid(x)"])
        return f"model({', '.join([given, state, *self.flags])})"

    def _loss(self, form: str = "loss = {}", out: str = "out") -> None:
        self.emit(form.format(self.rng.choice([f"{out}.sum()", f"({out} ** 2).mean()", f"{out}.norm()"])))

    def _one(self) -> None:
        self.emit(f"out = {self._forward()}")
        self._loss()
        self.emit("loss.backward()")
        if self.chance(0.3):
            self.emit("optimizer.step()")

    def _steps(self) -> None:
        """Steps as they should be, or with the loss of the step before still in use."""
        self.emit("for epoch in range(2):")
        self.depth += 1
        self.emit("optimizer.zero_grad()")
        self.emit(f"out = {self._forward()}")
        self._loss()
        self.emit("loss.backward()")
        self.emit("optimizer.step()")
        self.depth -= 1

    def _two(self) -> None:
        """Two forwards, and a step that comes after both backwards or between them."""
        self.emit(f"first = {self._forward()}")
        self.emit(f"second = {self._forward()}")
        self._loss("one = {}", "first")
        self._loss("two = {}", "second")
        self.emit("optimizer.zero_grad()")
        self.emit("one.backward()")
        if self.chance(0.5):
            self.emit("optimizer.step()")
        self.emit("two.backward()")
        self.emit("optimizer.step()")

    def _accumulate(self) -> None:
        """The losses of two batches, summed for one backward, or each with its own."""
        summed = self.chance(0.5)
        self.emit("total = 0.0")
        self.emit(f"for batch in (x * 1.0, {self.rng.choice(['x.exp()', 'x + 1'])}):")
        self.depth += 1
        self.emit(f"out = {self._forward('batch')}")
        if summed:
            self._loss("total = total + {}")
        else:
            self._loss()
            self.emit("(loss / 2).backward()")
        if self.chance(0.25):
            self.emit("optimizer.step()")
        self.depth -= 1
        if summed:
            self.emit("total.backward()")
        self.emit("optimizer.step()")

    def _carried(self) -> None:
        """A hidden state that the next step starts from, cut off from this one's graph, or with the graph retained."""
        cut = self.chance(0.6)
        self.emit("for epoch in range(2):")
        self.depth += 1
        self.emit(f"h = {self._forward(state='h')}")
        self._loss(out="h")
        self.emit("optimizer.zero_grad()")
        self.emit("loss.backward()" if cut else "loss.backward(retain_graph=True)")
        if cut or self.chance(0.7):
            self.emit("optimizer.step()")
        if cut:
            self.emit("h = h.detach()")
            if self.chance(0.3):
                self.emit("h.mul_(0.5)")
        self.depth -= 1

    def _averaged(self) -> None:
        """Weights that are changed by hand under no_grad, before the backward that needs them or after it."""
        self.emit(f"out = {self._forward()}")
        self._loss()
        late = self.chance(0.5)
        if late:
            self.emit("loss.backward()")
        self.emit("with torch.no_grad():")
        self.emit("    for p in model.parameters():")
        self.emit(
            "        " + self.rng.choice(["p.mul_(0.99)", "p.clamp_(-1, 1)", "p -= 0.1", "p.add_(0.1)"])
        )
        if not late:
            self.emit("loss.backward()")
