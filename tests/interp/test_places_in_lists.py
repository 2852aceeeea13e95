"""An element of a list of unknown length is told from others by its place: counted from an end, also after slices."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest

import inplace_lint

from .in_torch import spoils, told

if TYPE_CHECKING:
    from collections.abc import Callable

torch = pytest.importorskip("torch")

PROGRAM = """\
import torch
from collections import deque
from torch import nn

layer = nn.Linear(3, 3)


def f(xs):
    {build}
    one = {one}
    result = one.pow(2)
    other = {other}
    other.mul_(2)
    return result.sum()
"""
#: How a list of as many elements as `xs` comes to be.
BUILT = (
    "c = [layer(x) for x in xs]",
    "c = []\n    for x in xs:\n        c.append(layer(x))",
    "c = [None] * len(xs)\n    for i, x in enumerate(xs):\n        c[i] = layer(x)",
    "c = [x for x in xs]",
    "c = list(xs)",
    "c = tuple(xs)\n    c = [*c]",
)
#: How one of its elements is read.
READ = (
    *("c[0]", "c[1]", "c[-1]", "c[-2]", "c[1:][0]", "c[:2][0]", "c[:-1][-1]", "c[::-1][1]", "c[1:][::-1][0]"),
    *(
        "c.pop()",
        "c.pop(0)",
        "c.pop(1)",
        "c.copy()[0]",
        "tuple(c)[1]",
        "deque(c).popleft()",
        "deque(c).pop()",
    ),
)


@pytest.mark.parametrize("build", BUILT)
@pytest.mark.parametrize("one", READ)
def test_another_element_is_not_told(build: str, one: str) -> None:
    for other in READ:
        source = PROGRAM.format(build=build, one=one, other=other)
        answers = _answers(source)
        assert answers == {True} or not told(source), (other, answers)


#: Ways of reading one element of the same list.
SAME = (
    ("c[0]", "c[:2][0]", "c.copy()[0]", "deque(c).popleft()", "list(c)[0]", "c[:-1][0]", "c.pop(0)"),
    ("c[1]", "c[1:][0]", "tuple(c)[1]", "c[:3][1]", "c[1:][:1][0]"),
    ("c[-1]", "c[1:][-1]", "c[::-1][0]", "deque(c).pop()", "c[-1:][-1]", "c.pop()"),
    ("c[-2]", "c[:-1][-1]", "c[::-1][1]", "list(c)[-2]"),
)


@pytest.mark.parametrize("build", BUILT[:2])
@pytest.mark.parametrize(("one", "other"), [pair for same in SAME for pair in product(same[:-1], same)])
def test_the_same_element_is_told(build: str, one: str, other: str) -> None:
    source = PROGRAM.format(build=build, one=one, other=other)
    assert told(source)
    assert _answers(source) == {True}


def _answers(source: str) -> set[bool]:
    """What torch says, refused or not, for lists of several lengths; without those on which Python raises."""
    names: dict[str, Callable[..., torch.Tensor]] = {}
    exec(compile(source, "a.py", "exec"), names)
    found = set()
    for count in range(1, 6):
        given = [torch.rand(2, 3, requires_grad=True).clone() for _ in range(count)]
        try:
            result = names["f"](given)
        except (LookupError, AttributeError):
            continue
        found.add(spoils(result))
    return found


def test_the_rows_of_what_is_taken_for_a_tensor_are_its_views() -> None:
    source = "def f(x):\n    y = x.pow(2)\n    rows = list(x)\n    rows[0].mul_(2)\n    return y\n"
    found = inplace_lint.check(source, "a.py", {"min-confidence": "possible"}).diagnostics
    assert "IPL102" in {one.code for one in found}


OF_A_DICT = PROGRAM.replace("{build}", "c = {{i: layer(x) for i, x in enumerate(xs)}}")


@pytest.mark.parametrize("one", ["c[0]", "c.get(1)", "c.pop(0)", "c.popitem()[1]"])
def test_what_is_taken_out_of_a_dict_is_none_of_the_rest(one: str) -> None:
    source = OF_A_DICT.format(one=one, other="c.popitem()[1]")
    assert not told(source)
    assert _answers(source) != {True}


#: What is read, how the list then changes, and what is read after that.
CHANGED = (
    *(("c[0]", "c.insert(0, layer(xs[0]))", other) for other in ("c[0]", "c[1]", "c[-1]")),
    *(("c[-1]", "c.append(layer(xs[0]))", other) for other in ("c[-1]", "c[-2]", "c[0]")),
    *((one, "c.extend([layer(x) for x in xs])", one) for one in ("c[0]", "c[-1]")),
    *((one, "c += [layer(xs[0])]", one) for one in ("c[0]", "c[-1]")),
    *((one, "c = [layer(xs[0])] + c", one) for one in ("c[0]", "c[-1]")),
    *(("c[1]", "c.pop(0)", other) for other in ("c[0]", "c[1]")),
    *(("c[-2]", "c.pop()", other) for other in ("c[-1]", "c[-2]")),
    *(("c[0]", change, "c[0]") for change in ("c.reverse()", "del c[0]", "c[0] = layer(xs[0])")),
    *(("c[0]", f"if len(xs) > 2:\n        {change}", "c[0]") for change in ("c.pop(0)", "c.append(xs[0])")),
    ("c[1]", "if len(xs) > 2:\n        c.pop(0)", "c[0]"),
    ("c[0]", "d = sorted(c, key=lambda t, n=iter(range(0, -9, -1)): next(n))", "d[0]"),
    ("c[0]", "d = c.copy()\n    d.pop(0)", "c[0]"),
    ("c[0]", "d = list(c)\n    c.pop(0)", "d[0]"),
)


@pytest.mark.parametrize("build", BUILT[:2])
@pytest.mark.parametrize(("one", "change", "other"), CHANGED)
def test_an_element_keeps_its_place_while_the_list_changes(
    build: str, one: str, change: str, other: str
) -> None:
    source = PROGRAM.format(build=build, one=one, other=other)
    source = source.replace("    other = ", f"    {change}\n    other = ")
    assert bool(told(source)) is (_answers(source) == {True}), _answers(source)
