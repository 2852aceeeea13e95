"""Random torch programs, drawn from a seed: the raw material of the comparison with torch.

`generate(seed)` gives a self-contained source text. The writer keeps track of what it needs to stay within
what torch accepts (shapes, leaves, multi-view outputs, grad mode), and of nothing else: whether a program is
hazardous is the oracle's to say. A few programs write a leaf or a multi-view output on purpose.
"""

from __future__ import annotations

import random
from collections import Counter

from . import ops
from .blocks import Blocks
from .calls import Helper
from .expressions import Shape, Val


class Program:
    """A program's text, its form, the name of its entry point and the number of flags that it takes.

    Forms: `local` (leaves made and backward called in one function), `driver` (arguments made by `main`),
    `module` (an nn.Module), `script` (module level, flags from sys.argv: no entry). `uses` counts the
    templates that it is made of.
    """

    def __init__(
        self, source: str, form: str, entry: str, flags: int, uses: Counter[str] | None = None
    ) -> None:
        self.source = source
        self.form = form
        self.entry = entry
        self.flags = flags
        self.uses = uses if uses is not None else Counter()


def generate(seed: object) -> Program:
    """The program of this seed: equal seeds give equal texts."""
    rng = random.Random(repr(seed))
    form = rng.choices(["local", "driver", "module", "script"], [4.0, 3.0, 2.5, 1.5])[0]
    flags = [f"flag{index}" for index in range(rng.choice([0, 1, 1, 2, 2, 2]))]
    return getattr(Writer(rng, flags), form)()


HEADER = ["import torch", "import torch.nn.functional as F", "from torch import nn", "", ""]
SHAPES: list[Shape] = [(4, 4), (4, 4), (4, 4), (4,), (2, 4, 4)]
LOSSES = (
    "{x}.sum()",
    "{x}.mean()",
    "({x} ** 2).sum()",
    "{x}.norm()",
    "({x} * 2.0).mean()",
    "{x}.exp().sum()",
)
#: How a caller makes an argument that is no leaf.
DERIVED = (
    "{x} * 1.0",
    "{x} + 0.5",
    "{x} * 2.0",
    "{x}.exp()",
    "torch.sigmoid({x})",
    "{x} ** 2",
    "{x}.clone()",
)


def _arguments(shape: Shape) -> str:
    return ", ".join(map(str, shape))


class Writer(Blocks):
    """Puts statements together to whole programs, one method a form."""

    def local(self) -> Program:
        self.returns_loss = False
        top = self._preamble()
        self.lines = []
        self.depth = 1
        self._inputs(leaves=self.rng.randint(1, 3), plain=self.rng.randint(0, 2))
        outer = self.lines
        ending = self.rng.choices(
            [self._one_backward, self._training_loop, self._two_losses], [8.0, 1.2, 0.8]
        )[0]
        ending()
        body = [f"def program({', '.join(self.flags)}):", *outer]
        call = f"program({', '.join(self.flags)})"
        return self._finish(top + body, "local", "program", call, self.flags)

    def script(self) -> Program:
        self.returns_loss = False
        top = self._preamble()
        self.can_return = False
        self.lines = []
        self._inputs(leaves=self.rng.randint(1, 3), plain=self.rng.randint(0, 2))
        self._body()
        self._loss("loss = {}")
        self.emit("loss.backward()")
        flags = [f'{flag} = "{flag}" in sys.argv' for flag in self.flags]
        source = "\n".join(["import sys", "", *top, *flags, *self.lines]) + "\n"
        return Program(source, "script", "", len(self.flags), self.uses)

    def driver(self) -> Program:
        """`main` makes the arguments, the function under test gives a loss back.

        A function whose name has no underscore may be called from elsewhere, so all its floating arguments
        require grad; a private one gets arguments of every grad state.
        """
        private = self.knows_grad = self.chance(0.5)
        name = "_program" if private else "program"
        top = self._preamble()
        names, setup, values = [], [], []
        for index in range(self.rng.randint(2, 3)):
            parameter = "abc"[index]
            shape = self.rng.choice(SHAPES)
            state = self.rng.choice(
                ["leaf", "derived", "derived", "plain"]
                if private and index
                else ["leaf", "derived", "derived"]
            )
            val = Val(shape, grad=state != "plain", storage=self.new_storage())
            val.leaf = state == "leaf"
            made = f"torch.rand({_arguments(shape)}{', requires_grad=True' if state != 'plain' else ''})"
            setup.append(f"    {parameter} = {made}")
            if state == "derived" and self.chance(0.5):
                values.append(self.rng.choice(DERIVED).format(x=parameter))
            elif state == "derived":
                setup.append(f"    {parameter}1 = {self.rng.choice(DERIVED).format(x=parameter)}")
                values.append(f"{parameter}1")
            else:
                values.append(parameter)
            names.append(parameter)
            self.env[parameter] = val
        self.lines = []
        self.depth = 1
        self._inputs(leaves=0, plain=self.rng.randint(0, 2))
        self._body()
        self._loss("return {}")
        flags = ", ".join(self.flags)
        again = f" + {values[0]}.sum()" if self.chance(0.2) and values[0].isidentifier() else ""
        main = [
            f"def main({flags}):",
            *setup,
            f"    loss = {name}({', '.join([*values, *self.flags])}){again}",
            "    loss.backward()",
        ]
        head = f"def {name}({', '.join([*names, *self.flags])}):"
        return self._finish(
            [*top, head, *self.lines, "", "", *main], "driver", "main", f"main({flags})", self.flags
        )

    def module(self) -> Program:
        """An nn.Module's forward, trained and evaluated where it holds a dropout."""
        self.knows_grad = False
        top = self._preamble()
        init = ["class Model(nn.Module):", "    def __init__(self):", "        super().__init__()"]
        for index in range(self.rng.randint(1, 2)):
            shape = self.rng.choice([(4, 4), (4, 4), (4,)])
            init.append(f"        self.w{index} = nn.Parameter(torch.rand({_arguments(shape)}))")
            val = Val(shape, grad=True, storage=self.new_storage())
            val.leaf = True
            self.env[f"self.w{index}"] = val
            self.fixed.add(f"self.w{index}")
        if self.chance(0.3):
            init.append('        self.register_buffer("scale", torch.ones(4))')
            self.env["self.scale"] = Val((4,), storage=self.new_storage())
            self.fixed.add("self.scale")
        for index in range(self.rng.randint(1, 3)):
            text, kind = self.rng.choice(MODULES)
            init.append(f"        self.sub{index} = {text}")
            self.modules.append((f"self.sub{index}", kind))
        modes = ["training"] if any("Dropout" in line for line in init) else []
        names, values, setup = ["x", "y"][: self.rng.randint(1, 2)], [], []
        for name in names:
            shape = self.rng.choice(SHAPES)
            self.env[name] = Val(shape, grad=True, storage=self.new_storage())
            setup.append(f"    {name} = torch.rand({_arguments(shape)}, requires_grad=True)")
            values.append(self.rng.choice(DERIVED).format(x=name))
        self.lines = []
        self.depth = 2
        self._inputs(leaves=0, plain=self.rng.randint(0, 1))
        self._body()
        self._loss("return {}")
        entry = [*self.flags, *modes]
        main = [f"def main({', '.join(entry)}):", "    model = Model()"]
        main += ["    model.train(training)"] if modes else []
        main += [*setup, f"    loss = model({', '.join([*values, *self.flags])})", "    loss.backward()"]
        forward = ["", f"    def forward({', '.join(['self', *names, *self.flags])}):", *self.lines, "", ""]
        return self._finish(
            [*top, *init, *forward, *main], "module", "main", f"main({', '.join(entry)})", entry
        )

    # -- parts --

    def _preamble(self) -> list[str]:
        """Imports, a plain class and the helper functions."""
        lines = list(HEADER)
        if self.chance(0.3):
            lines += ["class Box:", "    pass", "", ""]
            self.boxes = ["box"]
        for index in range(self.rng.choice([0, 0, 1, 1, 2, 3])):
            lines += [*self._helper(index), "", ""]
        return lines

    def _helper(self, index: int) -> list[str]:
        def unary(name: str) -> str:
            return self.use(self.rng.choice(ops.FRESH["unary"])).format(x=name)

        def write(name: str) -> str:
            return self.use(self.rng.choice(ops.WRITE_CALLS["unary"] + ops.WRITE_ASSIGNS["unary"])).format(
                x=name
            )

        kind = self.rng.choice(
            ["pure", "pure", "pure", "write", "write", "nograd-write", "alias", "view", "choose", "keep"]
        )
        private = self.rng.choice(["_", ""])
        name, arity, decorators = f"{private}{kind.split('-')[-1]}{index}", 1, []
        writers = [helper for helper in self.helpers if helper.kind == "write" and helper.arity == 1]
        if kind == "pure":
            arity = self.rng.choice([1, 2])
            first = f"u = {unary('t')}"
            if arity == 2:
                first = f"u = {self.use(self.rng.choice(ops.FRESH['binary'])).format(x='t', y='s')}"
            body = [first]
            if self.chance(0.5):
                body.append(write("u"))
            if writers and self.chance(0.3):
                body.append(f"{self.rng.choice(writers).name}(u)")
            body.append(f"return {unary('u') if self.chance(0.5) else 'u'}")
        elif kind in ("write", "nograd-write"):
            arity = self.rng.choice([1, 1, 2])
            text = write("t")
            if arity == 2:
                text = self.use(self.rng.choice(ops.WRITE_CALLS["binary"])).format(x="t", y="s")
            body = [text, "return t"]
            if writers and self.chance(0.4):
                body, arity = [f"return {self.rng.choice(writers).name}(t)"], 1
            if kind == "nograd-write":
                decorators, body = ["@torch.no_grad()"], body[:1]
        elif kind == "alias":
            body = [f"return {self.rng.choice(['t', 't.view_as(t)', 't[...]', 't.float()'])}"]
        elif kind == "view":
            body = [f"return {self.rng.choice(['t[0]', 't.select(0, 0)', 't[-1]'])}"]
        elif kind == "choose":
            body = ["if flag:", "    return t", f"return {unary('t')}"]
        else:
            body = ["box.kept = t"]
        parameters = {"choose": ["t", "flag"], "keep": ["box", "t"]}.get(kind, ["t", "s"][:arity])
        self.helpers.append(Helper(name, arity, kind))
        return [*decorators, f"def {name}({', '.join(parameters)}):", *("    " + line for line in body)]

    def _inputs(self, leaves: int, plain: int) -> None:
        for index in range(leaves):
            shape = self.rng.choice(SHAPES)
            name = "abc"[index]
            made = self.rng.choice(
                ["torch.rand({}, requires_grad=True)"] * 3 + ["torch.ones({}).requires_grad_()"]
            )
            self.emit(f"{name} = {made.format(_arguments(shape))}")
            val = Val(shape, grad=True, storage=self.new_storage())
            val.leaf = True
            self.env[name] = val
        for index in range(plain):
            kind, shape = self.rng.choice("fib"), self.rng.choice([(4, 4), (4,)])
            made = {"f": "torch.rand({})", "i": "torch.randint(0, 4, ({},))", "b": "torch.rand({}) > 0.5"}[
                kind
            ]
            name = f"{'pim'['fib'.index(kind)]}{index}"
            self.emit(f"{name} = {made.format(_arguments(shape))}")
            self.env[name] = Val(shape, kind, storage=self.new_storage())
        for box in self.boxes:
            self.emit(f"{box} = Box()")

    def _body(self) -> None:
        self.statements(2)
        limit = len(self.lines) + self.rng.randint(3, 18)
        while len(self.lines) < limit:
            self.statements(1)

    def _loss(self, form: str) -> None:
        """A scalar of one to three values that require grad: not all that a program computes is used."""
        certain = [name for name, val in self.env.items() if val.dtype == "f" and val.grad]
        perhaps = [name for name, val in self.env.items() if val.dtype == "f" and not val.grad]
        recent = certain[-6:]
        chosen = self.rng.sample(recent, min(len(recent), self.rng.randint(1, 3)))
        if perhaps and self.chance(0.3):
            chosen.append(self.rng.choice(perhaps))
        terms = [self.rng.choice(LOSSES).format(x=name) for name in chosen]
        self.emit(form.format(" + ".join(terms) or "torch.ones(1, requires_grad=True).sum()"))

    def _one_backward(self) -> None:
        self._body()
        self._loss("loss = {}")
        self.emit("loss.backward()")
        if self.chance(0.15):
            self.statements(2)

    def _two_losses(self) -> None:
        """Two backwards through one graph, with the optimizer's step after both, or wrongly between them."""
        self.can_return = False
        leaves = [name for name, val in self.env.items() if val.leaf]
        self.emit(f"optimizer = torch.optim.SGD([{', '.join(leaves)}], lr=0.1)")
        self._body()
        self._loss("first = {}")
        self._loss("second = {}")
        self.emit("optimizer.zero_grad()")
        self.emit("first.backward(retain_graph=True)")
        if self.chance(0.5):
            self.emit("optimizer.step()")
        self.emit("second.backward()")
        self.emit("optimizer.step()")

    def _training_loop(self) -> None:
        """Two steps by hand: forward, backward, and a change of the leaves that backward no longer needs."""
        leaves = [name for name, val in self.env.items() if val.leaf]
        self.emit("for epoch in range(2):")
        self.depth += 1
        self.in_loop += 1
        self.can_return = False
        self.env = {name: val for name, val in self.env.items() if val.leaf or val.dtype != "f"}
        self.fixed.update(leaves)
        self._body()
        self._loss("loss = {}")
        self.emit("loss.backward()")
        self.emit("with torch.no_grad():")
        for name in leaves:
            self.emit(f"    {name} -= {self.rng.choice(['0.1', f'0.1 * {name}.detach()'])}")
        self.depth -= 1
        self.in_loop -= 1

    def _finish(self, lines: list[str], form: str, entry: str, call: str, flags: list[str]) -> Program:
        tail = ["", "", 'if __name__ == "__main__":']
        depth = 1
        for flag in flags:
            tail.append("    " * depth + f"for {flag} in (False, True):")
            depth += 1
        tail.append("    " * depth + call)
        return Program("\n".join([*lines, *tail]) + "\n", form, entry, len(flags), self.uses)


MODULES = [
    ("nn.Linear(4, 4)", "fresh"),
    ("nn.Linear(4, 4, bias=False)", "fresh"),
    ("nn.LayerNorm(4)", "fresh"),
    ("nn.ReLU()", "fresh"),
    ("nn.ReLU(inplace=True)", "inplace"),
    ("nn.ReLU(inplace=True)", "inplace"),
    ("nn.Sigmoid()", "fresh"),
    ("nn.Tanh()", "fresh"),
    ("nn.GELU()", "fresh"),
    ("nn.SiLU(inplace=True)", "inplace"),
    ("nn.LeakyReLU(0.1, inplace=True)", "inplace"),
    ("nn.ELU(inplace=True)", "inplace"),
    ("nn.Hardtanh(inplace=True)", "inplace"),
    ("nn.Softmax(dim=-1)", "fresh"),
    ("nn.Softplus()", "fresh"),
    ("nn.Dropout(0.5)", "same"),
    ("nn.Dropout(0.5, inplace=True)", "inplace"),
    ("nn.Identity()", "same"),
    ("nn.Sequential(nn.Linear(4, 4), nn.Sigmoid())", "fresh"),
    ("nn.Sequential(nn.Linear(4, 4), nn.ReLU(inplace=True))", "fresh"),
    ("nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.ReLU(inplace=True))", "fresh"),
    ("nn.Sequential(nn.LayerNorm(4), nn.Linear(4, 4), nn.GELU(), nn.Linear(4, 4))", "fresh"),
    ("nn.Sequential(nn.Sigmoid(), nn.Dropout(0.5, inplace=True))", "fresh"),
]
