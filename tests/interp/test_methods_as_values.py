"""In-place methods and operators that are passed on before they are called write like any others, as torch says."""

from __future__ import annotations

import operator
from itertools import product

import pytest

from inplace_lint.syntax.operators import IN_PLACE

from .in_torch import told

torch = pytest.importorskip("torch")

HEAD = """\
import operator
from functools import partial, reduce
from operator import imul as times
import torch
from torch import relu_ as positive

x = torch.ones(3, 4, requires_grad=True)
saved, other = torch.sigmoid(x), torch.zeros(3, 4)
h = {target}


def change():
"""
TAIL = """

change()
saved.sum().backward()
"""
#: Ways to write `h` without a call of one of its methods in the text.
FORMS = (
    "m = h.mul_\nm(2)",
    "getattr(h, 'mul_')(2)",
    "operator.methodcaller('mul_', 2)(h)",
    "mul = torch.Tensor.mul_\nmul(h, 2)",
    "partial(torch.Tensor.mul_, h)(2)",
    "partial(h.mul_, 2)()",
    "list(map(torch.Tensor.neg_, [h]))",
    "reduce(torch.Tensor.mul_, [2, 3], h)",
    "ops = {'mul': torch.Tensor.mul_}\nops['mul'](h, 2)",
    "ops = {'mul': h.mul_}\nops['mul'](2)",
    "for op in (h.mul_, h.add_):\n    op(2)",
    "times(h, 2)",
    "positive(h)",
    "f = torch.nn.functional.relu_\nf(h)",
    "operator.setitem(h, 0, 1.0)",
    "h.__setitem__(0, 1.0)",
    "h.__iadd__(1)",
    *(f"{name}(h, 1)" for name in ("operator.iadd", "operator.isub", "operator.imul", "operator.itruediv")),
    *(f"{name}(h, 1)" for name in ("operator.ifloordiv", "operator.imod", "operator.ipow")),
)


@pytest.mark.parametrize(("form", "target"), list(product(FORMS, ("saved", "other"))))
def test_a_write_counts_however_it_is_called(form: str, target: str) -> None:
    body = "\n".join(f"    {line}" for line in form.split("\n"))
    program = f"{HEAD.format(target=target)}{body}\n{TAIL}"
    refused = None
    try:
        exec(compile(program, "program.py", "exec"), {})
    except RuntimeError as error:
        refused = str(error)
    assert (refused is not None) == (target == "saved"), refused
    assert ("IPL101" in told(program)) == (refused is not None)


def test_the_in_place_functions_of_operator_are_those_of_python() -> None:
    known = {name.removeprefix("operator.") for name in IN_PLACE}
    assert known == {
        name for name in dir(operator) if f"__{name}__" in dir(operator) and name.startswith("i")
    } - {"index", "inv", "invert"}
