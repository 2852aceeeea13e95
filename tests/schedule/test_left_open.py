"""What a function leaves for its callers to know, and that they are looked at for it: in this file and across files."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.interp.program import Program
from inplace_lint.prefilter.prefilter import Prefilter
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings
from inplace_lint.schedule.callers import NO_NEED
from inplace_lint.schedule.left_open import solve
from inplace_lint.syntax.files import Files
from inplace_lint.syntax.module import FunctionSource, Module

COUNTER = """class Counter:
    def __init__(self):
        self.count = 0

    def note(self, what):
        self.last = what
        if what:
            self.count = self.count + 1
        else:
            self.count = 0
        return self


"""

#: A table that more statements of the top level fill than are followed.
FILLED = "".join(f"\n\n@enter\ndef g{i}(x):\n    return x\n" for i in range(301))
TABLE = "TABLE = {}\n\n\ndef enter(g):\n    TABLE[g.__name__] = g\n    return g\n" + FILLED

#: The last function, and whether it leaves something to its callers.
FUNCTIONS = {
    "an argument": ("def f(x):\n    x.mul_(2)\n", True),
    "an element of an argument": ("def f(batch):\n    batch['x'].mul_(2)\n", True),
    "what a method of an argument gives": ("def f(batch):\n    batch.get('x').mul_(2)\n", True),
    "what a callable gives without a tensor": ("def f(get):\n    get().mul_(2)\n", True),
    "any of many arguments": ("def f(*xs):\n    for x in xs:\n        x.mul_(2)\n", True),
    "any of many options": ("def f(**xs):\n    for name, x in xs.items():\n        x.mul_(2)\n", True),
    "through a helper": ("def g(x):\n    x.mul_(2)\n\n\ndef f(x):\n    g(x)\n", True),
    "a view of an argument": ("def f(x):\n    x.view(-1)[0] = 1\n", True),
    "what its object keeps": (
        "class A:\n    def __init__(self):\n        self.kept = torch.zeros(3)\n\n"
        "    def f(self):\n        self.kept.mul_(2)\n",
        True,
    ),
    "an object that it may be given": (
        "class A:\n    def __init__(self, x):\n        self.kept = torch.zeros(3)\n\n"
        "    def halve_it(self):\n        self.kept.mul_(2)\n\n\n"
        "def f(a: A = None):\n    if a is not None:\n        a.halve_it()\n",
        True,
    ),
    "what it made": ("def f(x):\n    y = x * 2\n    y.mul_(3)\n    return y\n", False),
    "what a helper made": (
        "def g(x):\n    return x * 2\n\n\ndef f(x):\n    y = g(x)\n    y.mul_(3)\n    return y\n",
        False,
    ),
    "what it made, in more steps than are followed into calls of what only sets state": (
        f"{COUNTER}def f(x):\n    counter = Counter()\n    y = x * 2\n"
        + "    y = y * 2 + x\n" * 600
        + "    y.mul_(3)\n    counter.note(3)\n    return y\n",
        False,
    ),
    "in more steps than are followed into calls of what writes": (
        "def g(x):\n    y = x + 1\n    y = y * 2\n    y = y * 3\n    x.mul_(y)\n    return y\n\n\n"
        "def f(x):\n    y = x * 2\n" + "    y = y * 2 + x\n" * 600 + "    g(x)\n    return y\n",
        True,
    ),
    "nothing": (
        "def g(x):\n    y = x * 2\n    y.mul_(3)\n    return y\n\n\ndef f(x):\n    return g(x)\n",
        False,
    ),
    "itself, of what it made": (
        "def f(x, n):\n    y = x * 2\n    y.mul_(3)\n    return f(y, n - 1) if n else y\n",
        False,
    ),
    "a tensor of the file": ("kept = torch.zeros(3)\n\n\ndef f():\n    kept.mul_(2)\n", True),
    "a tensor in a table of the file": (
        "kept = {'a': torch.zeros(3)}\n\n\ndef f():\n    kept['a'].mul_(2)\n",
        True,
    ),
    "a weight of a network of the file": (
        "net = torch.nn.Sequential(torch.nn.Linear(3, 3))\n\n\ndef f():\n    net[0].weight.data.mul_(2)\n",
        True,
    ),
    "a number of the file": ("count = 0\n\n\ndef f():\n    global count\n    count += 1\n", False),
    "a table that many statements fill": (f"{TABLE}\n\ndef f(g):\n    TABLE[g.__name__] = g\n", False),
    "what is in a table that many statements fill": (f"{TABLE}\n\ndef f(x):\n    TABLE[x].mul_(2)\n", True),
    "each other": (
        "def g(x, n):\n    return f(x, n - 1) if n else x\n\n\ndef f(x, n):\n    x.mul_(2)\n    return g(x, n)\n",
        True,
    ),
}


@pytest.mark.parametrize("what", FUNCTIONS)
def test_what_a_function_writes_is_left_open_unless_it_made_it(what: str) -> None:
    text, leaves = FUNCTIONS[what]
    files = Files(Project())
    module = Module("program.py", f"import torch\n\n\n{text}".encode())
    files.add(module)
    program = Program(files.project, Prefilter(files))
    last = [function for function in module.functions_in_order() if function.name == "f"][-1]
    solve(program, [last])
    assert (program.prefilter.left_open[last] != NO_NEED) is leaves


HELPERS = """
import torch


def halve(x):
    x.mul_(0.5)


def passed_on(x):
    halve(x)


class Halve(torch.nn.Module):
    def forward(self, x):
        return x.mul_(0.5)


def made():
    return Halve()
"""
#: How another file comes to write `y`.
WAYS = {
    "from helpers import halve": "halve(y)",
    "from helpers import halve as smaller": "smaller(y)",
    "from helpers import passed_on": "passed_on(y)",
    "from helpers import *": "passed_on(y)",
    "import helpers": "helpers.passed_on(y)",
    "import helpers as h": "h.halve(y)",
    "from helpers import Halve": "Halve()(y)",
    "from helpers import Halve as Smaller": "part = Smaller()\n    part(y)",
    "from helpers import made": "part = made()\n    part(y)",
    "from functools import partial\nfrom helpers import halve": "partial(halve, y)()",
    "from helpers import halve as one": "list(map(one, [y]))",
}


@pytest.mark.parametrize("how", WAYS)
def test_whoever_has_a_function_of_another_file_write_what_it_saved_is_looked_at(
    how: str, tmp_path: Path
) -> None:
    text = f"import torch\n{how}\n\n\ndef act(x):\n    y = x.exp()\n    {WAYS[how]}\n    return y\n"
    assert codes(tmp_path, text) == {"IPL101"}
    assert codes(tmp_path, text.replace("x.exp()", "x + 1")) == set()


def test_a_top_level_that_writes_nothing_itself_is_looked_at(tmp_path: Path) -> None:
    text = (
        "import torch\nfrom helpers import halve\n\na = torch.ones(3, requires_grad=True)\n"
        "b = torch.sigmoid(a)\nhalve(b)\nb.sum().backward()\n"
    )
    assert codes(tmp_path, text) == {"IPL101"}
    assert codes(tmp_path, text.replace("sigmoid(a)", "neg(a)")) == set()


def test_who_only_passes_on_what_it_is_given_leads_to_its_own_callers(tmp_path: Path) -> None:
    text = (
        "import torch\nfrom helpers import halve\n\n\ndef one(x):\n    halve(x)\n\n\ndef two(x):\n    one(x)\n\n\n"
        "def act(x):\n    y = x.exp()\n    two(y)\n    return y\n"
    )
    assert codes(tmp_path, text) == {"IPL101"}


def test_files_that_import_each_other_find_each_others_writers(tmp_path: Path) -> None:
    """What is found of one must not hang on which of them is read first."""
    one = "import torch\nimport two\n\n\ndef start(x):\n    two.middle(x)\n\n\ndef end(x):\n    x.mul_(2)\n"
    two = (
        "import torch\nimport one\n\n\ndef middle(x):\n    one.end(x)\n\n\n"
        "def act(x):\n    y = x.exp()\n    one.start(y)\n    return y\n"
    )
    (tmp_path / "one.py").write_text(one)
    (tmp_path / "two.py").write_text(two)
    for names in (("one", "two"), ("two", "one")):
        files = Files(Project(str(tmp_path)))
        prefilter = Prefilter(files)
        found: dict[str, list[FunctionSource]] = {}
        for name in names:
            module = files.module(str(tmp_path / f"{name}.py"))
            assert module is not None
            found[name] = [f for f in module.functions_in_order() if f in prefilter.writers.of(module)]
        assert [f.name for f in found["one"]] == ["start", "end"]
        assert [f.name for f in found["two"]] == ["middle", "act"]


def test_a_constructor_that_writes_its_argument_is_run(tmp_path: Path) -> None:
    text = (
        "import torch\n\n\nclass Score:\n    def __init__(self, x: torch.Tensor):\n"
        "        x.masked_fill_(x > 1, 0.0)\n        self.x = x\n"
    )
    assert codes(tmp_path, text) == {"IPL205"}


def codes(folder: Path, text: str) -> set[str]:
    (folder / "helpers.py").write_text(HELPERS)
    path = folder / "program.py"
    path.write_text(text)
    found = check_source(str(path), text.encode(), Settings(), Project(root=str(folder)))
    return {one.code for one in found if one.confidence != "possible" and one.code != "IPL301"}
