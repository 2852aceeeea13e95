"""What it costs to check a program grows with its size, at most with its square: counted in calls, not in seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import pytest

from inplace_lint.checks import check_source
from inplace_lint.model import Diagnostic
from inplace_lint.project import Project, Settings

HEAD = "import torch\nfrom torch import nn\n"
HAZARD = "    last = torch.sigmoid(x @ w)\n    last += 1\n    return last.sum().backward()\n"
FAMILIES: dict[str, Callable[[int], str]] = {}


def family(make: Callable[[int], str]) -> Callable[[int], str]:
    FAMILIES[make.__name__] = make
    return make


def function(lines: list[str], arguments: str = "x, w, c") -> str:
    return f"def main({arguments}):\n" + "".join(f"    {line}\n" for line in lines) + HAZARD


@family
def tries_one_after_the_other(n: int) -> str:
    return function(["try:", "    x = torch.exp(x)", "except ValueError:", "    x = x + 1"] * n)


@family
def branches(n: int) -> str:
    lines = ["y = torch.exp(x)"]
    for i in range(n):
        lines += [f"if c[{i}]:", "    y = torch.sigmoid(y)", "else:", "    y += 1"]
    return function(lines)


@family
def diamonds_of_classes(n: int) -> str:
    text = "class A0:\n    pass\nclass B0(A0):\n    pass\n"
    for i in range(1, n + 1):
        text += f"class A{i}(A{i - 1}, B{i - 1}):\n    def f(self, x):\n        x.add_(1)\n"
        text += "        return super().f(x)\n"
        text += f"class B{i}(A{i - 1}, B{i - 1}):\n    def f(self, x):\n        return super().f(x)\n"
    return text + function([f"x = A{n}().f(x)"])


@family
def diamonds_in_order(n: int) -> str:
    text = "class A0(nn.Module):\n    def f(self, x):\n        return x.exp_()\n"
    for i in range(1, n + 1):
        text += f"class B{i}(A{i - 1}):\n    pass\nclass C{i}(A{i - 1}):\n    pass\nclass A{i}(B{i}, C{i}):\n    pass\n"
    return text + function([f"x = A{n}().f(x)"])


@family
def tensors_of_a_dict(n: int) -> str:
    held = ", ".join(f'"k{i}": torch.exp(x)' for i in range(n))
    return function([f"d = {{{held}}}", *(f'd["k{i}"] += 1' for i in range(n))])


@family
def parts_of_one_tensor(n: int) -> str:
    taken = [f"v{i} = v[{i}]" for i in range(n)]
    return function(["v = torch.exp(x)", *taken, *(f"v{i}.add_(1)" for i in range(n))])


@family
def writes_of_one_tensor(n: int) -> str:
    return function(["y = torch.exp(x)", *["y += 1"] * n])


@family
def entries_made_of_all_entries(n: int) -> str:
    lines = ["d = {'a': torch.exp(x), 'b': torch.exp(w)}"]
    for i in range(n):
        lines += [f"d['k{i}'] = d[c[{i}]]", f"d['a'] = d[c.a{i}]"]
    return function([*lines, "x = x + d['a']"])


@family
def closures(n: int) -> str:
    lines = []
    for i in range(n):
        lines += [f"def g{i}(t):", "    y = torch.exp(t)", "    y += x", "    return y", f"x = g{i}(x)"]
    return function(lines)


@family
def layers_of_a_list_that_branches_fill(n: int) -> str:
    calls = "".join(f"        x = self.f[{i}](x)\n" for i in range(n))
    return f"""class Block(nn.Module):
    def __init__(self, i, o, e):
        super().__init__()
        self.res = i == o
        if e == 1:
            self.conv = nn.Sequential(nn.Conv2d(i, o, 1), nn.ReLU6(inplace=True), nn.Conv2d(o, o, 1))
        else:
            self.conv = nn.Sequential(nn.Conv2d(i, e, 1), nn.ReLU6(inplace=True), nn.Conv2d(e, o, 1))
    def forward(self, x):
        if self.res:
            return x + self.conv(x)
        return self.conv(x)
class Net(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.f = [nn.Sequential(nn.Conv2d(3, 8, 1), nn.ReLU6(inplace=True))]
        for t, c, n in cfg:
            for i in range(n):
                if i == 0:
                    self.f.append(Block(8, c, t))
                else:
                    self.f.append(Block(c, c, t))
        self.f = nn.Sequential(*self.f)
    def forward(self, x):
{calls}        return x
""" + function([])


class TooMany(BaseException):
    """More calls than the program may cost: whoever waits for the end may wait for ever."""


#: What is counted: calls of Python functions; and those of built-in ones, too.
PYTHON = frozenset(["call"])
ALL = PYTHON | {"c_call"}


def cost(text: str, most: int, counted: frozenset[str] = PYTHON) -> tuple[int, list[Diagnostic]]:
    """How many calls the check of a program takes, and what it finds."""
    calls = 0

    def count(frame: FrameType, event: str, arg: object) -> None:
        nonlocal calls
        calls += event in counted
        if calls > most:
            raise TooMany

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        found = check_source("a.py", (HEAD + text).encode(), Settings(), Project("."))
    finally:
        sys.setprofile(before)
    return calls, found


MOST = 2_000_000


@pytest.mark.parametrize("name", FAMILIES)
def test_cost_grows_no_faster_than_the_square_of_the_size(name: str) -> None:
    make = FAMILIES[name]
    cost(make(2), MOST)  # what is imported and read for the first time
    small, _ = cost(make(4), MOST)
    middle, _ = cost(make(8), MOST)
    large, found = cost(make(16), MOST)
    # Twice the size, at most four times the growth; where a budget ends it, less.
    assert large - middle <= 4.5 * max(middle - small, small)
    assert "IPL101" in {one.code for one in found}
    assert not {"IPL000", "IPL002"} & {one.code for one in found}


def loops(n: int) -> str:
    return function(["for i in range(3):", "    x = torch.exp(x) + i"] * n)


def product(n: int) -> str:
    return function(["y = x" + " * x" * n, "y += 1"])


def writes_in_one_text(n: int) -> str:
    return function(["s = f'" + "{x.mul_(2)}" * n + "'"])


LONG_PROGRAMS = [(diamonds_of_classes, 40), (loops, 1500), (product, 450), (writes_in_one_text, 600)]


@pytest.mark.parametrize("make, size", LONG_PROGRAMS)
def test_cost_of_a_long_program_grows_little_faster_than_its_size(
    make: Callable[[int], str], size: int
) -> None:
    cost(make(2), MOST)
    small, _ = cost(make(size), 40 * MOST, ALL)
    large, _ = cost(make(2 * size), 40 * MOST, ALL)
    # The orders of look-ups, at least, are as long together as the square of how deep classes derive.
    assert large <= 2.9 * small


LONG = {
    "calls": ["x = g(x)"] * 320,
    "with": ["with torch.no_grad():", "    z = torch.exp(x)"] * 640,
    "sum": ["y = " + " + ".join(["torch.exp(x)"] * 1280)],
    "chain": ["y = x" + ".exp()" * 320],
    "elif": [
        "if c == 0:",
        "    pass",
        *(line for i in range(600) for line in (f"elif c == {i}:", "    x = x + 1")),
    ],
    "and": ["if " + " and ".join(f"c[{i}]" for i in range(640)) + ":", "    x = x + 1"],
    "decorated": [f"x = torch.softmax(x * {i}, -1)" for i in range(400)],
}


@pytest.mark.parametrize("name", LONG)
def test_code_in_a_row_is_not_nested_too_deeply(name: str) -> None:
    text = "def g(t):\n    return torch.exp(t) * 2\n" + function(LONG[name])
    codes = [one.code for one in check_source("a.py", (HEAD + text).encode(), Settings(), Project("."))]
    assert "IPL101" in codes
    assert not {"IPL000", "IPL002"} & {*codes}
