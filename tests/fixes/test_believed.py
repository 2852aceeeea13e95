"""No fix is safe because of a value that the file may set anew: flags, layers, functions, tables, defaults.

Each program keeps or changes what is written by a way that the first value of something hides. Torch shows that the
program with the fix would compute something else.
"""

from __future__ import annotations

import ast

import pytest

from .test_holders import HEAD, TAIL, lint, values

torch = pytest.importorskip("torch")

NET = """class Net(torch.nn.Module):
    {attributes}

    def __init__(self):
        super().__init__()
        {init}

    {method}

    def forward(self, x):
        h = torch.sigmoid(x)
        {middle}
        h *= 2
        return h


rows = []
net = Net()
{after}
out = [net(x), *rows]
"""


def net(
    middle: str, attributes: str = "n = 0", init: str = "pass", method: str = "n = 0", after: str = "pass"
) -> str:
    return NET.format(middle=middle, attributes=attributes, init=init, method=method, after=after)


FUNCTION = """rows = []
{above}


def f(x, mode="a"):
    h = torch.sigmoid(x)
    {middle}
    h *= 2
    return h


{after}
out = [f(x), *rows]
"""


def function(middle: str, above: str = "n = 0", after: str = "pass") -> str:
    return FUNCTION.format(middle=middle, above=above, after=after)


#: Programs that keep the tensor where the first values say that nothing does.
KEPT = {
    "a flag of an object": net(
        "if self.debug:\n            rows.append(h)", init="self.debug = False", after="net.debug = True"
    ),
    "a flag in an expression": net(
        "self.debug and rows.append(h)", init="self.debug = False", after="net.debug = True"
    ),
    "a number of rounds": net(
        "for _ in range(self.n):\n            rows.append(h)", init="self.n = 0", after="net.n = 1"
    ),
    "a flag of the class": net(
        "if self.debug:\n            rows.append(h)", attributes="debug = False", after="Net.debug = True"
    ),
    "a list that is none at first": net(
        "if self.tap is not None:\n            self.tap.append(h)",
        attributes="tap = None",
        after="Net.tap = rows",
    ),
    "a flag of the file": function(
        "if DEBUG:\n        rows.append(h)",
        "DEBUG = False\n\n\ndef debug():\n    global DEBUG\n    DEBUG = True",
        "debug()",
    ),
    "a flag in a table": function(
        "if OPTIONS['debug']:\n        rows.append(h)",
        "OPTIONS = {'debug': False}",
        "OPTIONS.update(debug=True)",
    ),
    "a layer that is exchanged": net(
        "rows.append(self.post(h))",
        init="self.post = torch.nn.Softmax(0)",
        after="net.post = torch.nn.Identity()",
    ),
    "an attribute that is exchanged by its name": net(
        "rows.append(self.post(h))",
        init="self.post = torch.exp",
        after="setattr(net, 'post', lambda t: t)",
    ),
    "a method of a class that derives from it": net(
        "rows.append(self.post(h))",
        method="def post(self, t):\n        return t.exp()",
        after="class Other(Net):\n    def post(self, t):\n        return t\n\n\nnet = Other()",
    ),
    "what an activation of another kind keeps": (
        "rows = []\n\n\ndef kept(x):\n    y = torch.sigmoid(x)\n    rows.append(y)\n    return y\n\n\n"
        "class Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.act = torch.sigmoid\n\n    def forward(self, x):\n        h = self.act(x)\n"
        "        h *= 2\n        return h\n\n\nnet = Net()\nnet.act = kept\nout = [net(x), *rows]\n"
    ),
    "one of two": function("rows.append([h, x][int(len(mode) > 1)])"),
    "one of a table": function("rows.append({'a': h, 'b': x}[mode])"),
    "a get of a table": function("rows.append({'a': h, 'b': x}.get(mode))"),
    "the default of getattr": function("rows.append(getattr(mode, 'nothing', h))"),
    "a list that is a default": function(
        "keep(h)",
        "def keep(t, kept=[]):\n    kept.append(t)\n    return kept",
        "out = [f(x)]\nrows += keep(x)[:1]",
    ),
    "a table of functions that is filled later": function(
        "for one in HOOKS:\n        one(h)", "HOOKS = []\nHOOKS.append(rows.append)"
    ),
    "an equation with its operands in a list": function("rows.append(torch.einsum('i->i', [h]))"),
    "a coroutine": function(
        "coroutine = total(h)",
        "async def total(t):\n    rows.append(t)",
    ).replace(
        "    return h",
        "    try:\n        coroutine.send(None)\n    except StopIteration:\n        pass\n    return h",
    ),
    "a generator that is sent to": function(
        "keeper.send(h)",
        "def keeping():\n    while True:\n        rows.append((yield))\n\n\nkeeper = keeping()\nnext(keeper)",
    ),
    "one function for each type": function(
        "keep(h)",
        "@functools.singledispatch\ndef keep(t):\n    pass\n\n\n"
        "@keep.register\ndef _(t: torch.Tensor):\n    rows.append(t)",
    ),
    "the key of an order": function("sorted([h], key=lambda t: rows.append(t) or 0)"),
    "a part of a slice": function("rows.append(slice(h).stop)"),
    "a class that is made": function("rows.append(type('T', (), {'t': h}).t)"),
}

#: Programs in which the same constructs keep nothing.
NOT_KEPT = {
    "a flag that nothing sets": net(
        "if not self.debug:\n            rows.append(h.sum())", init="self.debug = False"
    ),
    "a layer that nothing exchanges": net(
        "rows.append(self.post(h))", init="self.post = torch.nn.Softmax(0)"
    ),
    "an error behind a test": function(
        "if h.dim() > 1:\n        raise ValueError(f'{h} has more than one axis')"
    ),
    "one of two numbers": function("rows.append([1.0, 2.0][int(len(mode) > 1)])"),
    "an equation that sums": function("rows.append(torch.einsum('i,i->', [h, x]))"),
}


@pytest.mark.parametrize("what", KEPT)
def test_no_fix_is_safe_if_something_else_may_be_the_value(what: str) -> None:
    program = f"{HEAD}\n\n{KEPT[what]}{TAIL}"
    assert "h *= 2" in program
    fixed = program.replace("h *= 2", "h = h * 2")
    ast.parse(fixed)
    assert values(fixed) != values(program)
    found = [one for one in lint(program.encode()) if one.code.startswith("IPL1")]
    assert found
    assert not any(one.plan is not None and one.plan.applicability == "safe" for one in found)


@pytest.mark.parametrize("what", NOT_KEPT)
def test_a_fix_is_safe_where_nothing_does(what: str) -> None:
    program = f"{HEAD}\n\n{NOT_KEPT[what]}{TAIL}"
    found = [one for one in lint(program.encode()) if one.code.startswith("IPL1")]
    assert any(one.plan is not None and one.plan.applicability == "safe" for one in found)
    assert values(program.replace("h *= 2", "h = h * 2")) == values(program)
