"""A fix that is called safe keeps what relies on the very tensor object; judged by running the program in torch.

What a program means is asked of torch with copies of all saved tensors, so that its backward does not raise.
"""

from __future__ import annotations

import warnings

import pytest

from inplace_lint.engine.pipeline import everything
from inplace_lint.fixes.apply import fix_source
from inplace_lint.model import Diagnostic
from inplace_lint.project import Settings

torch = pytest.importorskip("torch")

HEAD = """import contextlib
import functools

import torch

x = torch.linspace(-1, 2, 4, dtype=torch.float64, requires_grad=True)
b = torch.ones(4, dtype=torch.float64)
"""

#: Asks for gradients; `out` may also hold what is no tensor.
TAIL = """

def train():
    loss = sum(one.double().sum() for one in out if isinstance(one, torch.Tensor))
    if isinstance(loss, torch.Tensor):
        loss.backward()


train()
"""

#: Programs that compute `out`, a list, and whether their write has a safe fix.
PROGRAMS = {
    "a chain of numbers": (
        "def f(x):\n    h = torch.sigmoid(x)\n    return h.mul_(2).add_(1).neg_()\n\n\nout = [f(x)]\n",
        True,
    ),
    "a later link of a chain has another dtype": (
        "def f(x, b):\n    h = torch.sigmoid(x.float())\n    return h.mul_(2).add_(b)\n\n\nout = [f(x, b)]\n",
        False,
    ),
    "a first link of a chain has another dtype": (
        "def f(x, b):\n    h = torch.sigmoid(x.float())\n    return h.add_(b).mul_(2)\n\n\nout = [f(x, b)]\n",
        False,
    ),
    "a default that later calls get": (
        "def f(x, total=torch.zeros(4, dtype=torch.float64)):\n    y = total * x\n    total += 1.0\n"
        "    return y\n\n\nout = [f(x), f(x), f(x)]\n",
        False,
    ),
    "a default of a method, by an index": (
        "class A:\n    def f(self, x, *, total=torch.zeros(4, dtype=torch.float64)):\n        y = total * x\n"
        "        total[0] = total[0] + 1\n        return y\n\n\nout = [A().f(x), A().f(x)]\n",
        False,
    ),
    "a name that another default stands behind": (
        "def f(x, kept=torch.zeros(4, dtype=torch.float64)):\n    total = kept\n    y = total * x\n"
        "    total += 1.0\n    return y\n\n\nout = [f(x), f(x)]\n",
        False,
    ),
    "no default": (
        "def f(x, n=2):\n    h = torch.sigmoid(x)\n    h += 1\n    return h * n\n\n\nout = [f(x)]\n",
        True,
    ),
    "written behind a return": (
        "def f(x):\n    h = torch.sigmoid(x)\n    try:\n        return h\n    finally:\n        h += 1\n\n\n"
        "out = [f(x)]\n",
        False,
    ),
    "written behind one of two returns": (
        "def f(x, n):\n    h = torch.sigmoid(x)\n    try:\n        for _ in range(n):\n            return h\n"
        "    finally:\n        h.mul_(2)\n    return h\n\n\nout = [f(x, 1), f(x, 0)]\n",
        False,
    ),
    "kept by a cache": (
        "@functools.lru_cache(maxsize=None)\ndef table(x):\n    return torch.sigmoid(x)\n\n\n"
        "def f(x):\n    h = table(x)\n    h += 1\n    return h\n\n\nout = [f(x) * 1, f(x) * 1]\n",
        False,
    ),
    "kept by a cache that has an option": (
        "@functools.cache\ndef table(x, n=1):\n    return torch.sigmoid(x) * n, torch.tanh(x)\n\n\n"
        "def f(x):\n    _, h = table(x, n=3)\n    h += 1\n    return h\n\n\nout = [f(x) * 1, f(x) * 1]\n",
        False,
    ),
    "asked for its gradient": (
        "def f(x):\n    h = torch.sigmoid(x)\n    h.retain_grad()\n    h += 1\n    h.sum().backward()\n"
        "    return h.grad is None\n\n\nout = [f(x)]\n",
        False,
    ),
    "asked for its gradient by the caller": (
        "def g(h):\n    h += 1\n    return h\n\n\ndef f(x):\n    h = torch.sigmoid(x)\n    h.retain_grad()\n"
        "    y = g(h)\n    y.sum().backward()\n    return h.grad is None\n\n\nout = [f(x)]\n",
        False,
    ),
    "an attribute of its own": (
        "def f(x):\n    h = torch.sigmoid(x)\n    h.scale = 3.0\n    h += 1\n    return h * getattr(h, 'scale', 1.0)\n"
        "\n\nout = [f(x)]\n",
        False,
    ),
    "an attribute of its own that setattr sets": (
        "def f(x):\n    h = torch.sigmoid(x)\n    setattr(h, 'scale', 3.0)\n    h += 1\n"
        "    return h * getattr(h, 'scale', 1.0)\n\n\nout = [f(x)]\n",
        False,
    ),
    "known by its identity": (
        "def f(x):\n    h = torch.sigmoid(x)\n    known = {id(h): 3.0}\n    h += 1\n"
        "    return h * known.get(id(h), 1.0)\n\n\nout = [f(x)]\n",
        False,
    ),
    "asked for its gradient by a helper": (
        "def watch(*tensors):\n    for one in tensors:\n        one.retain_grad()\n\n\n"
        "def f(x):\n    h = torch.sigmoid(x)\n    watch(h)\n    h += 1\n    h.sum().backward()\n"
        "    return h.grad is None\n\n\nout = [f(x)]\n",
        False,
    ),
    "an attribute that a helper sets": (
        "def named(t, scale):\n    t.scale = scale\n\n\ndef f(x):\n    h = torch.sigmoid(x)\n    named(h, 3.0)\n"
        "    h += 1\n    return h * getattr(h, 'scale', 1.0)\n\n\nout = [f(x)]\n",
        False,
    ),
    "an attribute that one of two methods of a name sets": (
        "class Marks:\n    def put(self, t):\n        t.scale = 3.0\n\n    def get(self, t):\n"
        "        return getattr(t, 'scale', 1.0)\n\n\nclass Other:\n    def put(self, t):\n        return t\n\n"
        "    def get(self, t):\n        return t\n\n\ndef f(x):\n    h = torch.sigmoid(x)\n    Marks().put(h)\n"
        "    h += 1\n    return h * Marks().get(h)\n\n\nout = [f(x)]\n",
        False,
    ),
    "the key of a dict": (
        "def f(x):\n    h = torch.sigmoid(x)\n    scales = {h: 3.0}\n    h += 1\n"
        "    return h * scales.get(h, 1.0)\n\n\nout = [f(x)]\n",
        False,
    ),
    "kept by all names of its function": (
        "def f(x):\n    h = torch.sigmoid(x)\n    names = dict(locals())\n    h += 1\n    return h * names['h']\n\n\n"
        "out = [f(x)]\n",
        False,
    ),
    "the memory of a parameter": (
        "def f(x):\n    h = torch.sigmoid(x)\n    kept = torch.nn.Parameter(h.detach())\n    h += 1\n"
        "    return h * kept.detach()\n\n\nout = [f(x)]\n",
        False,
    ),
    "the memory of a layer's weight": (
        "def f(x):\n    h = torch.sigmoid(x)\n    layer = torch.nn.Linear(1, 1).double()\n"
        "    layer.weight.data = h.detach()\n    h += 1\n    return h * layer.weight.detach()\n\n\nout = [f(x)]\n",
        False,
    ),
    "a buffer of its module": (
        "class Kept(torch.nn.Module):\n    def forward(self, x):\n        h = torch.sigmoid(x)\n"
        "        self.register_buffer('last', h.detach())\n        h += 1\n        return h * self.last\n\n\n"
        "out = [Kept()(x)]\n",
        False,
    ),
    "a class with an operator of its own": (
        "class Bounded(torch.Tensor):\n    def __iadd__(self, other):\n"
        "        return self.copy_(torch.clamp(self.detach() + other, max=1.2))\n\n\n"
        "def f(x):\n    h = torch.sigmoid(x).as_subclass(Bounded)\n    h += 1\n    return h.as_subclass(torch.Tensor)\n"
        "\n\nout = [f(x)]\n",
        False,
    ),
    "a view whose base is read by its strides": (
        "def f(x):\n    h = torch.sigmoid(x)[:2]\n    h += 1\n"
        "    return h * h.as_strided((2,), (2,))\n\n\nout = [f(x)]\n",
        False,
    ),
    "a chain that stops at an error": (
        "def f(x):\n    h = torch.sigmoid(x)\n    try:\n        h.sqrt_().add_(1 / 0)\n"
        "    except ZeroDivisionError:\n        pass\n    return h\n\n\nout = [f(x)]\n",
        False,
    ),
    "gradients off by a stack of contexts": (
        "def f(x):\n    h = torch.sigmoid(x)\n    with contextlib.ExitStack() as stack:\n"
        "        stack.enter_context(torch.no_grad())\n        h += 1\n    return h\n\n\nout = [f(x)]\n",
        False,
    ),
    "gradients on again behind a stack of contexts": (
        "def f(x):\n    with contextlib.ExitStack() as stack:\n        stack.enter_context(torch.no_grad())\n"
        "        y = x * 2\n    h = torch.sigmoid(x)\n    h += 1\n    return h * y\n\n\nout = [f(x)]\n",
        True,
    ),
    "gradients on again when a stack is closed": (
        "def f(x):\n    stack = contextlib.ExitStack()\n    stack.enter_context(torch.no_grad())\n"
        "    stack.close()\n    h = torch.sigmoid(x)\n    h += 1\n    return h\n\n\nout = [f(x)]\n",
        True,
    ),
}


def lint(text: bytes) -> list[Diagnostic]:
    return everything("program.py", text, Settings())


def values(program: str) -> list[object]:
    """What the program computes, and the gradient of `x` where that can be asked."""
    names: dict[str, object] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
            exec(program, names)  # the saves of a program are copies here, so its writes spoil none
    out, x = names["out"], names["x"]
    assert isinstance(out, list) and isinstance(x, torch.Tensor) and x.grad is not None
    plain = [(one.dtype, one.detach().tolist()) if isinstance(one, torch.Tensor) else one for one in out]
    return [*plain, x.grad.tolist()]


@pytest.mark.parametrize("what", PROGRAMS)
def test_a_safe_fix_keeps_what_relies_on_the_object(what: str) -> None:
    body, safe = PROGRAMS[what]
    program = f"{HEAD}\n\n{body}{TAIL}"
    found = [one for one in lint(program.encode()) if one.code.startswith("IPL1")]
    assert found
    fixes = [one.plan for one in found if one.plan is not None and one.plan.applicability == "safe"]
    assert bool(fixes) is safe
    if safe:
        fixed = fix_source(program.encode(), lambda _, found: found, lint, unsafe=False).source.decode()
        assert fixed != program
        assert values(fixed) == values(program)
