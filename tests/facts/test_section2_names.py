"""The names that write in place: how many there are, and what the table knows of them."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import pytest
import torch

if TYPE_CHECKING:
    from inplace_lint.torchmodel.op import Op

from inplace_lint.torchmodel import Const, table

from .program import agree

CASES = pytest.mark.parametrize


UNDERSCORED = [name for name in dir(torch.Tensor) if name.endswith("_") and not name.endswith("__")]
PUBLIC = [name for name in UNDERSCORED if not name.startswith("_")]
#: In-place methods that leave the counter alone. `detach_` does too, though its schema says that it changes metadata.
UNCOUNTED = {
    "apply_": "x.apply_(lambda v: v + 1)",
    "map_": "x.map_(b, lambda v, w: v + w)",
    "map2_": "x.map2_(b, b, lambda v, w, z: v)",
    "detach_": "x.detach_()",
    "requires_grad_": "x.requires_grad_()",
    "share_memory_": "x.share_memory_()",
}


def overloads(name: str) -> list[torch._ops.OpOverload]:
    """The overloads of an ATen op that write an argument."""
    packet = getattr(torch.ops.aten, name, None)
    found = [] if packet is None else [getattr(packet, each) for each in packet.overloads()]
    return [each for each in found if each._schema.is_mutable]


def writes(op: Op | None) -> bool:
    """Whether the table says that the op writes an argument and that the counter moves."""
    assert op is not None
    return any(facts.writes and facts.counted for facts in (row.facts(row.params, False) for row in op.rows))


def test_in_place_methods_by_what_they_change() -> None:
    metadata = [name for name in PUBLIC if any(torch.Tag.inplace_view in o.tags for o in overloads(name))]
    without_schema = [name for name in PUBLIC if not overloads(name)]
    assert (len(UNDERSCORED), len(PUBLIC), len(metadata), len(without_schema)) == (165, 162, 11, 4)
    assert without_schema == ["apply_", "map2_", "map_", "share_memory_"]


@CASES("name", PUBLIC)
def test_table_knows_of_each_in_place_method_whether_it_moves_the_counter(name: str) -> None:
    assert writes(table.method(name)) == (name not in UNCOUNTED)


@CASES("call", UNCOUNTED.values(), ids=UNCOUNTED)
def test_method_that_leaves_the_counter_alone(call: str) -> None:
    mark = "  # silent: IPL201" if "lambda" in call else ""  # the others change no data
    agree(f"""
        x = torch.rand(4, 4)
        y = a * x
        {call}{mark}
        assert x._version == 0
        y.sum().backward()
    """)


@CASES("call", ["x.apply_(lambda v: v + 1)", "x.map_(b, lambda v, w: w)"])
def test_method_that_leaves_the_counter_alone_may_change_the_data(call: str) -> None:
    agree(f"""
        x = torch.zeros(4, 4)
        y = a * x
        {call}  # silent: IPL201
        assert x.any()
        y.sum().backward()  # the gradient is wrong, without a word
        assert a.grad.any()
    """)


def test_operators_in_place() -> None:
    names = "add and div floordiv lshift mod mul or pow rshift sub truediv xor".split()
    assert [n for n in names if not hasattr(torch.Tensor, f"__i{n}__")] == []
    others = {"__index__", "__init__", "__init_subclass__", "__int__", "__invert__", "__iter__"}
    found = {n for n in dir(torch.Tensor) if n.startswith("__i") and n.endswith("__")} - others
    assert found == {f"__i{n}__" for n in names}
    for sign in "+= &= /= //= <<= %= *= |= **= >>= -= ^=".split():
        assert writes(table.operator(sign))
    assert not writes(table.operator("@="))


@CASES("space, count", [("torch", 74), ("torch.nn.functional", 8)])
def test_functions_in_place_are_in_the_table(space: str, count: int) -> None:
    names = [n for n in dir(eval(space)) if n.endswith("_") and not n.startswith("_")]
    assert len(names) == count
    assert [n for n in names if not writes(table.function(f"{space}.{n}"))] == [
        n for n in names if n == "detach_"
    ]


@CASES("prefix, count", [("_foreach_", 44), ("_fused_", 4)])
def test_functions_over_lists_are_in_the_table(prefix: str, count: int) -> None:
    names = [n for n in dir(torch) if n.startswith(prefix) and n.endswith("_")]
    assert len(names) == count
    # The fused optimizers leave the counters alone.
    assert [n for n in names if writes(table.function(f"torch.{n}"))] == [
        n for n in names if prefix == "_foreach_"
    ]


def takes_inplace(callable_: object) -> bool:
    try:
        return "inplace" in inspect.signature(callable_).parameters
    except (TypeError, ValueError):
        return False


def test_functions_and_modules_with_an_inplace_argument_are_in_the_table() -> None:
    space = torch.nn.functional
    functions = [n for n in dir(space) if not n.startswith("_") and takes_inplace(getattr(space, n))]
    classes = [n for n in dir(torch.nn) if isinstance(getattr(torch.nn, n), type)]
    modules = [n for n in classes if takes_inplace(getattr(torch.nn, n))]
    assert (len(functions), len(modules)) == (19, 19)
    for name in functions:
        op = table.function(f"torch.nn.functional.{name}")
        given = {"inplace": Const(True)}
        if "training" in inspect.signature(getattr(space, name)).parameters:
            given["training"] = Const(True)
        assert op is not None
        more = (Const(0.1), Const(20.0)) if name == "threshold" else ()
        known = op.facts(("T", *more), given)
        assert known is not None
        assert known[0].writes == (0,), name
    for name in modules:
        assert table.module(f"torch.nn.{name}") is not None
