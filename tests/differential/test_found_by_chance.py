"""Short forms of random programs on which analysis and torch once disagreed; torch is asked for the truth."""

from __future__ import annotations

import textwrap

import pytest

from .compare import compare
from .generator import Program

HEADER = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
MODEL = """\
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(4, 4))
        self.register_buffer("kept", torch.zeros(4, 4))
    def forward(self, x, h):
        {}
def main():
    model = Model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.rand(4, 4, requires_grad=True)
    h = torch.rand(4, 4, requires_grad=True) * 1.0
    {}
"""
ONCE = "out = model(x * 1.0, h)\n    out.sum().backward()"


def model(body: str, training: str = ONCE) -> str:
    return MODEL.format(body, training)


def program(body: str) -> str:
    return "def main():\n    a = torch.rand(4, 4, requires_grad=True)\n" + textwrap.indent(body, "    ")


SAME = "def same(t):\n    return t\n"
BOX = "class Box:\n    pass\ndef keep(box, t):\n    box.kept = t\n"

HAZARDS = {
    "saved under the name that a call gave it": SAME
    + model("y = same(x)\n        z = y.pow(3)\n        x.cos_()\n        return z"),
    "written under the name that a call gave it": SAME
    + "def soft(t):\n    return F.softplus(t)\n"
    + model("z = soft(h)\n        y = same(h)\n        y[:, 1:] += 1\n        return z + h"),
    "saved by what a call hands it on to": "def power(t, s):\n    return torch.pow(t, s)\n"
    "def write(t, s):\n    z = power(s, s)\n    t.mul_(2)\n    return z\n" + model("return write(h, h)"),
    "kept in an attribute by a function": BOX
    + program(
        "box = Box()\nb = a * 1.0\nkeep(box, b)\nF.leaky_relu_(b)\nbox.kept[-1] = 0.5\nb.sum().backward()\n"
    ),
    "an index": program("i = torch.randint(0, 4, (4,))\nb = a[:, i]\ni[0] = 1\nb.sum().backward()\n"),
    "written in the statement that stores it": model(
        "items = [x, h]\n        y = h * x\n        items[1] = items[1].mul_(x)\n        return y"
    ),
    "an argument that is taken apart": model("p, q, r, s = x\n        p /= 2.0\n        return q"),
    "a view made and written under no_grad, and then used": program(
        "b = a * 1.0\nwith torch.no_grad():\n    v = b[1:]\n    w = v.view_as(v)\n    w /= 2\n"
        "(v * 2).sum().backward()\n"
    ),
    "a name that a break leaves as it was": (
        "def main(flag0):\n    a = torch.rand(4, 4, requires_grad=True)\n    for k in range(3):\n"
        "        if flag0:\n            break\n        a = a * 2\n    a.sigmoid_()\n    a.sum().backward()\n"
    ),
    "what the caller goes on to use": "def write(t):\n    torch.sigmoid_(t)\n"
    "def twice(t):\n    for k in range(2):\n        write(t)\n    return 1.0\n"
    + program("b = a * 1.0\nloss = twice(b) + b.sum()\nloss.backward()\n"),
    "a matrix turned round": model(
        "y = x.permute(1, 0)\n        z = y @ self.weight\n        x += 1\n        return z"
    ),
    "few rows": program("b = torch.ones(4, 4)\nz = torch.cdist(b, a)\nb.add_(1)\nz.norm().backward()\n"),
    "a conversion to what it is": model(
        "y = self.weight * 1.0\n        z = (y.type_as(y) * x).exp()\n        w = z.type_as(z)\n"
        "        w += 1\n        return z"
    ),
    "written far down": "def one(t):\n    t.pow_(2)\n    return t\n"
    "def two(t):\n    return one(t)\ndef three(t):\n    return two(t)\ndef four(t):\n    return three(t)\n"
    + program("b = a.exp()\nfour(b)\nb.sum().backward()\n"),
    "parameters changed by hand": model(
        "y = x + self.weight\n        z = y * self.weight\n        w = z + y\n        v = w + x\n        return v + z",
        "out = model(x * 1.0, h)\n    with torch.no_grad():\n        for p in model.parameters():\n"
        "            p.mul_(0.99)\n    out.sum().backward()",
    ),
    "weights that are saved whatever is asked for": (
        "def main():\n    layer = nn.Conv2d(1, 2, 1)\n    y = layer(torch.rand(1, 1, 2, 2))\n"
        "    with torch.no_grad():\n"
        "        for p in layer.parameters():\n            p.mul_(0.9)\n    y.sum().backward()\n"
    ),
    "a step between two long forwards and the second backward": model(
        "for k in range(3):\n" + "            x = x * self.weight\n" * 60 + "        return x",
        "first = model(x * 1.0, h)\n    second = model(x + 1, h)\n    first.sum().backward()\n"
        "    optimizer.step()\n    second.sum().backward()",
    ),
    "a conversion to a dtype that hangs on the path": (
        "class Box:\n    pass\ndef main(flag0):\n    box = Box()\n    w = nn.Parameter(torch.rand(4))\n"
        "    x = torch.rand(4, 4, requires_grad=True) * 1.0\n    if flag0:\n        x = F.celu(x)\n"
        "    for k in range(2):\n        box.state = x\n        v = box.state.to(box.state.dtype)\n"
        "        box.state[k] *= w\n        box.state = F.leaky_relu(v, 0.1, inplace=True)\n    v.sum().backward()\n"
    ),
    "the rows of one of several views, one after the other": program(
        "p, q = torch.split(a, 2)\nv = p.reshape(-1)\nv *= 2\n"
    ),
    "a view of what was detached, and then came to require grad": program(
        "b = a.detach()\nv = b.t()\nb.add_(a)\nv.sub_(a)\n"
    ),
    "one write in each branch, of which one may be of a copy": (
        "class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.drop = nn.Dropout(0.5)\n"
        "    def forward(self, x, flag0):\n        if flag0:\n            v = self.drop(x)\n            v.exp_()\n"
        "        else:\n            x.mul_(2)\n        return x\ndef main(flag0):\n    model = Model()\n"
        "    x = torch.rand(4, 4, requires_grad=True)\n    out = model(x.exp(), flag0)\n    out.sum().backward()\n"
    ),
    "a matrix that a layer normalises and that is turned round": model(
        "y = F.layer_norm(x / 2, [4]).transpose(-1, -2)\n        z = torch.matmul(y, x)\n        y[-1] = y[0]\n"
        "        return z"
    ),
    "matrices of one batch turned round": program(
        "b = torch.rand(2, 4, 4) * a\nz = torch.matmul(b, b.transpose(1, 2))\nb[-1].zero_()\nz.sum().backward()\n"
    ),
    "few rows, computed": program(
        "b = F.softsign(a @ a)\nz = torch.cdist(b, b)\nb.add_(1)\nz.sum().backward()\n"
    ),
    "a matrix turned round in place": program(
        "b = F.batch_norm(a, None, None, a[0], None, training=True)\nb.transpose_(0, 1)\n"
        "z = F.linear(a, b, b[0])\nb.add_(1)\nz.sum().backward()\n"
    ),
    "a part of what turns out to be a tensor": model(
        "y = x[0]\n        z = torch.xlogy(y, 2.0)\n        x.mul_(self.weight)\n        return z"
    ),
    "a parameter that has its dtype": model(
        "y = self.weight.float()\n        z = y.exp() + torch.xlogy(y, 2.0)\n        return z",
        "out = model(x, h)\n    with torch.no_grad():\n        for p in model.parameters():\n            p.add_(0.1)\n"
        "    out.sum().backward()",
    ),
    "a copy of what may have been converted": model(
        "y = h.float().clone()\n        y.sigmoid_()\n        y[:, 1:] += self.weight[:, 1:]\n        return y"
    ),
}
CLEAN = {
    "a copy of a parameter that was converted": (
        "class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.weight = nn.Parameter(torch.rand(4, 4))\n    def forward(self):\n"
        "        y = self.weight.float()\n"
        "        y.mul_(2)\n        return y\n"
        "def main():\n    model = Model().double()\n    model().sum().backward()\n"
    ),
    "a copy of what was turned round in place": program(
        "b = torch.rand(4, 4) + 1\nb.t_()\nz = b.contiguous()\ny = a * b\nz.add_(1)\ny.sum().backward()\n"
    ),
    "matrices of which a batch axis is moved before a product": program(
        "b = torch.rand(2, 4, 4).transpose(0, 1)\nz = torch.matmul(b, a)\nb[-1].zero_()\nz.sum().backward()\n"
    ),
    "matrices of several batches, moved before a product": program(
        "b = torch.rand(2, 3, 4, 4).transpose(0, 1)\nc = torch.rand(3, 2, 4, 4) * a\nz = torch.matmul(b, c)\n"
        "b[-1].zero_()\nz.sum().backward()\n"
    ),
    "a shape that is given as a whole": program(
        "n = (2, 4, 4)\nsize = torch.Size(n)\nb = torch.ones(size).transpose(1, 2)\nc = F.linear(b, a)\n"
        "b.add_(1)\nc.sum().backward()\n"
    ),
    "a matrix turned round that group_norm copies": program(
        "b = torch.mm(a, a)\nc = F.group_norm(b.transpose(0, 1), 2)\nd = F.group_norm(b.t(), 2)\n"
        "b.mul_(2)\n(c + d).mean().backward()\n"
    ),
    "weights that are copied for each example": (
        "def main():\n    layer = nn.InstanceNorm2d(4, affine=True)\n"
        "    y = layer(torch.rand(1, 4, 2, 2, requires_grad=True))\n    with torch.no_grad():\n"
        "        for p in layer.parameters():\n            p.mul_(0.9)\n    y.sum().backward()\n"
    ),
    "steps before any backward": model(
        "return x @ self.weight",
        "total = 0.0\n    for batch in (x * 1.0, x + 1):\n        total = total + model(batch, h).sum()\n"
        "        optimizer.step()\n    total.backward()\n    optimizer.step()",
    ),
    "a graph that ends in a buffer of a model that nobody else has": model(
        "self.kept.addcdiv_(self.weight, self.weight)\n        return x",
        "out = model(x * 1.0, h)\n    out.sum().backward()\n    optimizer.step()",
    ),
    "what is called a long way on and hangs on nothing written": SAME
    + model(
        "for k in range(3):\n"
        + "            y = torch.exp(h)\n            y.add_(1)\n" * 40
        + "        return same(x)"
    ),
}


@pytest.mark.parametrize("name", HAZARDS)
def test_hazard_is_found(name: str) -> None:
    comparison = compare(Program(HEADER + HAZARDS[name], "driver", "main", HAZARDS[name].count("(flag0)")))
    assert comparison.truth.hazardous, "torch sees nothing here"
    assert not comparison.missed and not comparison.false, str(comparison)


@pytest.mark.parametrize("name", CLEAN)
def test_nothing_is_said_of_what_torch_accepts(name: str) -> None:
    comparison = compare(Program(HEADER + CLEAN[name], "driver", "main", 0))
    assert not comparison.truth.hazardous, str(comparison)
    assert not comparison.false, str(comparison)
