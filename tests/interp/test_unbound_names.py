"""A name that some paths do not bind ends them where it is read, as Python does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import inplace_lint

from .in_torch import spoils, told

if TYPE_CHECKING:
    from collections.abc import Callable

torch = pytest.importorskip("torch")

PROGRAM = """\
import torch
from torch import nn

layer = nn.Linear(3, 3)


def f(x, flag, other, items):
    y = layer(x).sigmoid()
    {bind}
    if {condition}:
        y.mul_(n)
    return y
"""
#: How `n` is bound, on what condition it is read, and whether the write spoils what is saved on a path that goes on.
WAYS = (
    ("if flag:\n        n, y = 3, y.clone()", "other", False),
    ("if flag:\n        n, y = 3, y.clone()", "True", False),
    ("if flag:\n        n = 3", "other", True),
    ("if flag:\n        n = 3\n    else:\n        y = y.clone()", "other", True),
    ("if flag:\n        n, y = 3, y.clone()\n    else:\n        n = 2", "other", True),
    ("if flag:\n        n, y = 3, y.clone()\n    if not flag:\n        n = 2", "other", True),
    ("n = 2\n    if flag:\n        n, y = 3, y.clone()", "other", True),
    ("for n in items:\n        pass", "other", True),
    ("try:\n        n = items[0]\n    except IndexError:\n        pass", "other", True),
    # bound by no path that comes there
    ("for n in ():\n        pass", "other", False),
    ("n = 2\n    del n", "other", False),
    ("y.add_(n)\n    n = 2", "other", False),
    # what reads it handles the error
    ("try:\n        n\n    except NameError:\n        n = 2", "other", True),
    ("try:\n        n\n        y.exp_()\n    except NameError:\n        n, y = 2, y.clone()", "other", False),
    (
        "if flag:\n        n, y = 3, y.clone()\n    try:\n        n += 1\n    except UnboundLocalError:\n        n = 2",
        "other",
        True,
    ),
    (
        "if flag:\n        n = 3\n    try:\n        n += 1\n    except Exception:\n        n, y = 2, y.clone()",
        "not flag",
        False,
    ),
)


@pytest.mark.parametrize(("bind", "condition", "refused"), WAYS)
def test_a_path_that_does_not_bind_a_name_ends_where_it_is_read(
    bind: str, condition: str, refused: bool
) -> None:
    source = PROGRAM.format(bind=bind, condition=condition)
    assert bool(told(source)) == refused
    assert _is_refused(source) == refused


def _is_refused(source: str) -> bool:
    """Whether torch refuses the backward for some arguments with which the function returns."""
    names: dict[str, Callable[..., torch.Tensor]] = {}
    exec(compile(source, "a.py", "exec"), names)
    return any(_raises(names["f"], flag, items) for flag in (True, False) for items in ([2], []))


def _raises(f: Callable[..., torch.Tensor], flag: bool, items: list[int]) -> bool:
    try:
        result = f(torch.ones(2, 3), flag, True, items)
    except UnboundLocalError:
        return False
    return spoils(result)


def test_a_name_of_the_module_is_no_local_one() -> None:
    source = (
        "import torch\n\nn = 2\n\n\ndef f(x):\n    y = torch.sigmoid(x)\n    y.mul_(n)\n    return y.sum()\n"
    )
    assert [one.code for one in inplace_lint.check(source, "a.py").diagnostics] == ["IPL101"]
