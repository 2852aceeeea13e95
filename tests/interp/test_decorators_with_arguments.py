"""A function is analysed under a decorator that is a call or an object: of another package, of torch, of the project.

Each program is run, and torch says whether its backward raises.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import inplace_lint  # noqa: E402

#: What the decorator is, and what the file imports and defines for it.
DECORATORS = {
    "call": ("somewhere.main(config='x')", "import somewhere\n"),
    "call of an imported name": ("main(config='x')", "from somewhere import main\n"),
    "call of a call": (
        "somewhere.main(config='x')",
        "import somewhere as other\nsomewhere = other.itself(1)\n",
    ),
    "method of an object": ("registry.main('x')", "from somewhere import Registry\nregistry = Registry()\n"),
    "attribute of an object": ("registry.plain", "from somewhere import Registry\nregistry = Registry()\n"),
    "element": ("somewhere.table['plain']", "import somewhere\n"),
    "of pytest": ("pytest.mark.parametrize('n', [1])", "import pytest\n"),
    "of unittest": ("unittest.skipIf(False, 'never')", "import unittest\n"),
    "of torch's profiler": ("torch.profiler.record_function('x')", ""),
    "that compiles nothing": ("torch.compiler.disable()", ""),
    "partial": ("partial(somewhere.timed, name='x')", "from functools import partial\nimport somewhere\n"),
    "context manager": (
        "context()",
        """from contextlib import contextmanager


@contextmanager
def context():
    yield
""",
    ),
    "context manager that records nothing": (
        "context()",
        """from contextlib import contextmanager


@contextmanager
def context():
    with torch.no_grad():
        yield
""",
    ),
    "object that is called": (
        "Timed('x')",
        """class Timed:
    def __init__(self, name):
        self.name = name

    def __call__(self, function):
        def called(*args, **kwargs):
            return function(*args, **kwargs)

        return called
""",
    ),
    "object that is called and records nothing": (
        "Quiet('x')",
        """class Quiet:
    def __init__(self, name):
        self.name = name

    def __call__(self, function):
        def called(*args, **kwargs):
            with torch.no_grad():
                return function(*args, **kwargs)

        return called
""",
    ),
    "class that calls it and records nothing": (
        "Quiet",
        """class Quiet:
    def __init__(self, function):
        self.function = function

    def __call__(self, *args):
        with torch.no_grad():
            return self.function(*args)

    def __get__(self, owner, kind=None):
        return lambda *args: self(owner, *args)
""",
    ),
    "object that is entered": (
        "Timed()",
        """from contextlib import ContextDecorator


class Timed(ContextDecorator):
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False
""",
    ),
    "object that is entered and records nothing": (
        "Quiet()",
        """from contextlib import ContextDecorator


class Quiet(ContextDecorator):
    def __enter__(self):
        self.before = torch.is_grad_enabled()
        torch.set_grad_enabled(False)

    def __exit__(self, *error):
        torch.set_grad_enabled(self.before)
""",
    ),
    "mode of torch under another name": ("Quiet()", "class Quiet(torch.no_grad):\n    pass\n"),
    "name that a star may bring": ("no_grad()", "from somewhere import *\n"),
    "mode that a function looks up": (
        "mode('off')",
        """from somewhere import table

table["off"] = torch.no_grad


def mode(name):
    return table.get(name, torch.enable_grad)()
""",
    ),
    "mode of torch in a table": ("modes['off']()", "modes = {'off': torch.no_grad}\n"),
}

FUNCTION = """

@{}
def f(x):
    y = torch.exp(x)
    y.mul_(2)
    return y.sum()


f(torch.ones(2, requires_grad=True)).backward()
"""

METHOD = """

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(2, 2)

    @{}
    def hidden(self, x):
        y = torch.exp(self.linear(x))
        y.mul_(2)
        return y

    def forward(self, x):
        return self.hidden(x)


loss = Net()(torch.ones(1, 2)).sum()
loss.backward()
"""


class Registry:
    def main(self, name: str) -> Callable[[Any], Any]:
        return lambda function: function

    def plain(self, function: Any) -> Any:
        return function


@pytest.fixture(autouse=True)
def _somewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = ModuleType("somewhere")
    module.main = lambda config: lambda function: function
    module.itself = lambda number: module
    module.Registry = Registry
    module.table = {"plain": Registry().plain}
    module.timed = lambda function, name: function
    module.no_grad = torch.no_grad
    monkeypatch.setitem(sys.modules, "somewhere", module)


def raises(text: str) -> bool:
    """Whether backward refuses a write; that it finds no graph means that nothing was recorded."""
    try:
        exec(compile(text, "program.py", "exec"), {"__name__": "program"})
    except RuntimeError as error:
        if "modified by an inplace operation" in str(error):
            return True
        assert "does not require grad" in str(error), error
    return False


@pytest.mark.parametrize("form", [FUNCTION, METHOD], ids=["function", "method"])
@pytest.mark.parametrize("name", DECORATORS)
def test_a_function_is_followed_as_its_decorator_leaves_it(name: str, form: str) -> None:
    decorator, before = DECORATORS[name]
    text = "import torch\n" + before + form.format(decorator)
    if form is FUNCTION and "parametrize" in decorator:
        text = text.replace("def f(x)", "def f(x, n=1)")
    found = [one for one in inplace_lint.check(text).diagnostics if one.code == "IPL101"]
    assert bool(found) == raises(text)


def test_a_main_function_needs_no_arguments_if_its_decorator_gives_them() -> None:
    text = """import torch
import somewhere


@somewhere.main(config="x")
def main(config):
    y = torch.exp(torch.ones(2, requires_grad=True) * config.scale)
    y.mul_(2)
    y.sum().backward()


main()
"""
    assert [one.code for one in inplace_lint.check(text).diagnostics] == ["IPL101"]


KERNELS = {
    "register_fake": "torch.library.register_fake('decorators::{}')",
    "register_kernel": "torch.library.register_kernel('decorators::{}', 'cpu')",
    "fake of the operator": "f.register_fake",
    "kernel of the operator": "f.register_kernel('cpu')",
}


@pytest.mark.parametrize("number", range(len(KERNELS)), ids=KERNELS)
def test_the_implementation_of_an_operator_records_nothing(number: int) -> None:
    operator = f"f{number}"
    text = f"""import torch


@torch.library.custom_op("decorators::{operator}", mutates_args=(), device_types="cuda")
def f(x: torch.Tensor) -> torch.Tensor:
    return x + 1


@{[*KERNELS.values()][number].format(operator)}
def _(x):
    y = torch.exp(x)
    y.mul_(2)
    return y


def _(x):
    return x
"""
    assert not inplace_lint.check(text).diagnostics
    recorded: list[bool] = []
    code = text.replace("exp(x)\n", "exp(x)\n    recorded.append(y.requires_grad)\n")
    exec(compile(code, "program.py", "exec"), {"__name__": "program", "recorded": recorded})
    given = torch.ones(2, requires_grad=True, device="meta" if "fake" in [*KERNELS][number] else "cpu")
    getattr(torch.ops.decorators, operator)(given)
    assert recorded == [False]


def test_functions_of_one_name_have_their_decorators() -> None:
    text = """import torch


@torch.no_grad()
def _(x):
    y = torch.exp(x)
    y.mul_(2)
    return y


@torch.enable_grad()
def _(x):
    y = torch.exp(x)
    y.mul_(2)  # the only one
    return y


if torch.cuda.is_available():

    @torch.no_grad()
    def g(x):
        y = torch.exp(x)
        y.mul_(2)
        return y

else:

    @torch.inference_mode()
    def g(x):
        y = torch.exp(x)
        y.mul_(2)
        return y
"""
    rows = [one.location.row for one in inplace_lint.check(text).diagnostics]
    assert rows == [text[: text.index("# the only one")].count("\n") + 1]


def test_a_private_function_is_called_by_whom_its_decorator_hands_it_to() -> None:
    text = """import somewhere
import torch


@somewhere.main(config="x")
def _registered(x):
    y = torch.exp(x.requires_grad_())
    y.mul_(2)
    return y


def _unused(x):
    y = torch.exp(x.requires_grad_())
    y.mul_(2)
    return y


@somewhere.main(config="x")
def _called(x):
    y = torch.exp(x)
    y.mul_(2)
    return y


def evaluated(x):
    with torch.no_grad():
        return _called(x)
"""
    rows = [one.location.row for one in inplace_lint.check(text).diagnostics]
    assert rows == [text[: text.index("y.mul_")].count("\n") + 1]
