"""Version counters: who shares one, what moves it, and when a tensor is saved."""

from __future__ import annotations

import inspect
import textwrap
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from inplace_lint.torchmodel.op import Op

torch = pytest.importorskip("torch")

from inplace_lint.torchmodel import Const, table  # noqa: E402

from .program import agree, unmet  # noqa: E402

CASES = pytest.mark.parametrize


# 2.1 Who shares a counter


def test_base_views_and_detached_tensors_share_one_counter() -> None:
    agree("""
        base = torch.zeros(4, 4)
        row, turned, flat, detached = base[0], base.t(), base.view(-1), base.detach()
        row.add_(1)
        turned.mul_(2)
        flat[3] = 5
        detached.zero_()
        assert {t._version for t in (base, row, turned, flat, detached)} == {4}
    """)


@CASES(
    "alias",
    [
        "y[0]",
        "y[1:3]",
        "y.t()",
        "y.view(-1)",
        "y.unsqueeze(0)",
        "y.diagonal()",
        "y.detach()",
        "y.detach()[0]",
    ],
)
def test_write_through_a_view_or_a_detached_tensor_reaches_the_base(alias: str) -> None:
    agree(f"""
        y = torch.sigmoid(a)
        other = {alias}
        other.add_(1)  # expect: IPL101
        y.sum().backward()
    """)


def test_write_to_the_base_reaches_a_saved_view() -> None:
    agree("""
        base = a * 1
        y = base[0] ** 2
        base.add_(1)  # expect: IPL102
        y.sum().backward()
    """)


def test_write_to_a_disjoint_slice_raises_too() -> None:
    agree("""
        base = a * 1
        y = base[:2] ** 2
        base[2:].add_(1)  # expect: IPL102
        y.sum().backward()
    """)


def test_data_has_a_counter_of_its_own() -> None:
    agree("""
        x = a * 1
        y = x ** 2
        x.data.add_(1)
        assert x._version == 0
        y.sum().backward()  # the gradient is wrong, without a word
        assert not torch.equal(a.grad, 2 * a)
    """)


# 2.2 What moves a counter

MOVERS = {
    "under no_grad": """
        with torch.no_grad():
            y.add_(1)  # expect: IPL101
    """,
    "under inference_mode": """
        with torch.inference_mode():
            y.add_(1)  # expect: IPL101
    """,
    "out=": """
        with torch.no_grad():
            torch.add(b, 1, out=y)  # expect: IPL101
    """,
    "nn.init.normal_": """
        nn.init.normal_(y)  # expect: IPL101
    """,
    "nn.init.zeros_": pytest.param(
        """
        nn.init.zeros_(y)  # expect: IPL101
        """,
        marks=unmet("`nn.init.zeros_` and `constant_` are not seen to write"),
    ),
    "_foreach": pytest.param(
        """
        torch._foreach_add_([y], 1.0)  # expect: IPL101
        """,
        marks=unmet("writes to the tensors of a list are not followed"),
    ),
    "t_": """
        y.t_()  # expect: IPL101
    """,
    "unsqueeze_": """
        y.unsqueeze_(0)  # expect: IPL101
    """,
    "squeeze_": """
        y.squeeze_()  # expect: IPL101
    """,
    "transpose_": """
        y.transpose_(0, 1)  # expect: IPL101
    """,
}


@CASES("write", MOVERS.values(), ids=MOVERS)
def test_counter_is_moved(write: str) -> None:
    agree("y = torch.sigmoid(a)\n" + textwrap.dedent(write) + "assert y._version > 0\ny.sum().backward()\n")


@unmet("`load_state_dict` is not modelled")
def test_loading_a_state_dict_moves_the_counters_of_the_weights() -> None:
    agree("""
        layer = nn.Linear(4, 4)
        other = nn.Linear(4, 4)
        y = layer(a)
        before = layer.weight._version
        layer.load_state_dict(other.state_dict())  # expect: IPL102
        assert layer.weight._version == before + 1
        y.sum().backward()
    """)


@unmet("`max_norm` of nn.Embedding is not modelled")
def test_embedding_with_max_norm_writes_its_weight() -> None:
    agree("""
        table = nn.Embedding(4, 4, max_norm=0.1)
        y = a @ table.weight
        rows = table(torch.tensor([0, 1]))  # expect: IPL102
        assert table.weight._version > 0
        (y.sum() + rows.sum()).backward()
    """)


# 2.3 What returns the tensor itself

SAME = [
    "y.cpu()",
    "y.to(y.dtype)",
    "y.to(torch.float32)",
    pytest.param("y.to(y.device)", marks=unmet("a tensor's own device is not known to be that")),
    "y.float()",
    "y.contiguous()",
    "+y",
    "nn.Identity()(y)",
    "F.dropout(y, 0.5, training=False)",
    "F.dropout(y, p=0.0)",
    pytest.param(
        "nn.Dropout(0.5).eval()(y)", marks=unmet("`eval()` of a module in an expression is not followed")
    ),
    "nn.Dropout(p=0.0)(y)",
]


@CASES("same", SAME)
def test_conversion_that_changes_nothing_returns_the_tensor_itself(same: str) -> None:
    agree(f"""
        y = torch.sigmoid(a)
        z = {same}
        assert z.data_ptr() == y.data_ptr()
        z.add_(1)  # expect: IPL101
        y.sum().backward()
    """)


@CASES(
    "copy",
    ["y.double()", "y.to(torch.float64)", "y.t().contiguous()", "y.clone()", "y.to(y.dtype, copy=True)"],
)
def test_conversion_that_changes_something_copies(copy: str) -> None:
    agree(f"""
        y = torch.sigmoid(a)
        z = {copy}
        assert z.data_ptr() != y.data_ptr()
        z.add_(1)
        y.sum().backward()
    """)


RESHAPES = ["reshape(-1)", "flatten()", "ravel()"]


@CASES("reshape", RESHAPES)
def test_reshape_of_contiguous_memory_is_a_view(reshape: str) -> None:
    agree(f"""
        y = torch.sigmoid(a)
        z = y.{reshape}
        assert z.data_ptr() == y.data_ptr()
        z.add_(1)  # expect: IPL101
        y.sum().backward()
    """)


@CASES("reshape", RESHAPES)
def test_reshape_of_transposed_memory_copies(reshape: str) -> None:
    agree(f"""
        y = torch.sigmoid(a)
        z = y.t().{reshape}
        assert z.data_ptr() != y.data_ptr()
        z.add_(1)
        y.sum().backward()
    """)


# 2.4 When a save happens


def test_nothing_is_saved_with_grad_mode_off() -> None:
    agree("""
        with torch.no_grad():
            y = torch.sigmoid(a)
        y.add_(1)
        (y * a).sum().backward()
    """)


def test_nothing_is_saved_where_no_input_requires_grad() -> None:
    agree("""
        y = torch.sigmoid(b)
        y.add_(1)
        (y * a).sum().backward()
    """)


def test_eval_changes_nothing_about_saves() -> None:
    agree("""
        net = nn.Sequential(nn.Linear(4, 4), nn.Sigmoid())
        net.eval()
        y = net(b)
        y.add_(1)  # expect: IPL101
        y.sum().backward()
    """)


OPERANDS = {
    "mask of where": ("torch.where(mask, a, b)", "mask.logical_not_()"),
    "mask of masked_fill": ("a.masked_fill(mask, 0.0)", "mask.logical_not_()"),
    "factor": ("a * b", "b.add_(1)"),
    "index": ("a[index]", "index.zero_()"),
    "index of gather": ("a.gather(0, rows)", "rows.zero_()"),
    "targets": ("F.cross_entropy(a, index)", "index.zero_()"),
}


@CASES("save, write", OPERANDS.values(), ids=OPERANDS)
def test_saved_operand_that_needs_no_grad_itself_raises(save: str, write: str) -> None:
    agree(f"""
        index = torch.tensor([3, 2, 1, 0])
        rows = torch.zeros(4, 4, dtype=torch.long)
        y = {save}
        {write}  # expect: IPL102
        y.sum().backward()
    """)


GUARDS = {
    "is_grad_enabled": """
        def norm(x):
            y = torch.sigmoid(x)
            if not torch.is_grad_enabled():
                y.add_(1)
            return y
        norm(a).sum().backward()
        with torch.no_grad():
            norm(a)
    """,
    "requires_grad": """
        def norm(x):
            y = torch.sigmoid(x)
            if x.requires_grad:
                return y + 1
            y.add_(1)
            return y
        norm(a).sum().backward()
        norm(b)
    """,
    "requires_grad of the result": pytest.param(
        """
        def norm(x):
            y = torch.sigmoid(x)
            if not y.requires_grad:
                y.add_(1)
            return y
        norm(a).sum().backward()
        norm(b)
        """,
        marks=unmet("a test of the saved result's own `requires_grad` is not understood"),
    ),
    "both": """
        def norm(x):
            y = torch.sigmoid(x)
            if torch.is_grad_enabled() and x.requires_grad:
                y = y + 1
            else:
                y += 1
            return y
        norm(a).sum().backward()
        norm(b)
    """,
}


@CASES("program", GUARDS.values(), ids=GUARDS)
def test_branch_without_gradients_has_no_saves(program: str) -> None:
    agree(program)


def test_write_before_the_save_is_fine() -> None:
    agree("""
        x = a * 1
        x.add_(1)
        y = x ** 2
        y.sum().backward()
    """)


def test_write_after_the_backward_is_fine() -> None:
    agree("""
        x = a * 1
        y = x ** 2
        y.sum().backward()
        x.add_(1)
    """)


# 2.5 Saves that depend on which argument needs grad

#: Which of x and w is saved: where both need grad, only x, only w. Z is written as `x op w`.
CONDITIONAL = {
    "x * w": ("xw", "w", "x"),
    "torch.mul(x, w)": ("xw", "w", "x"),
    "x @ w": ("xw", "w", "x"),
    "torch.matmul(x, w)": ("xw", "w", "x"),
    "F.linear(x, w)": ("xw", "w", "x"),
    "torch.bmm(x[None], w[None])": ("xw", "w", "x"),
    "torch.einsum('ij,jk->ik', x, w)": ("xw", "w", "x"),
    "x / w": ("xw", "w", "xw"),
    "torch.pow(x, w)": ("xw", "xw", "xw"),
    "torch.dist(x, w)": ("xw", "xw", "xw"),
}


@CASES("op", CONDITIONAL)
def test_save_depends_on_which_argument_needs_grad(op: str) -> None:
    for needing, saved in zip(("xw", "x", "w"), CONDITIONAL[op]):
        for written in "xw":
            mark = "  # expect: IPL102" if written in saved else ""
            agree(f"""
                x = {"a * 1" if "x" in needing else "b * 1"}
                w = {"a * 2" if "w" in needing else "b * 2"}
                z = {op}
                {written}.add_(1){mark}
                z.sum().backward()
            """)


def test_linear_module_saves_its_input_for_its_weight_and_its_weight_for_its_input() -> None:
    agree("""
        layer = nn.Linear(4, 4)
        x = b * 1
        y = layer(x)
        x.add_(1)  # expect: IPL102
        y.sum().backward()
    """)
    agree("""
        layer = nn.Linear(4, 4)
        layer.requires_grad_(False)
        x = a * 1
        y = layer(x)
        x.add_(1)
        y.sum().backward()
    """)


def test_number_divided_by_a_tensor_saves_only_a_temporary() -> None:
    agree("""
        y = 1.0 / a
        y.add_(1)
        y.sum().backward()
    """)


@CASES("op", ["torch.pow(x, w)", "x ** w", "torch.dist(x, w)"])
def test_power_and_distance_save_their_result(op: str) -> None:
    agree(f"""
        x, w = a * 1, b * 1
        z = {op}
        z.add_(1)  # expect: IPL101
        z.sum().backward()
    """)


@CASES("power", ["2", "3", "0.5", "1.0", "1"])
def test_power_of_a_number_always_saves_its_input(power: str) -> None:
    agree(f"""
        x = a * 1
        y = x ** {power}
        x.add_(1)  # expect: IPL102
        y.sum().backward()
    """)
    agree(f"""
        x = a * 1
        y = x ** {power}
        y.add_(1)
        y.sum().backward()
    """)


def test_where_saves_only_its_condition() -> None:
    agree("""
        x, w = a * 1, a * 2
        y = torch.where(mask, x, w)
        x.add_(1)
        w.add_(1)
        y.add_(1)
        y.sum().backward()
    """)


# 2.6 In place can save the opposite

OPPOSITE = ["leaky_relu", "elu", "selu", "celu", "rrelu"]


@CASES("op", OPPOSITE)
def test_form_out_of_place_saves_its_input(op: str) -> None:
    training = ", training=True" if op == "rrelu" else ""
    agree(f"""
        x = a * 1
        y = F.{op}(x{training})
        y.add_(1)
        y.sum().backward()
    """)
    agree(f"""
        x = a * 1
        y = F.{op}(x{training})
        x.add_(1)  # expect: IPL102
        y.sum().backward()
    """)


@CASES("op", OPPOSITE)
def test_form_in_place_saves_its_result(op: str) -> None:
    training = "training=True" if op == "rrelu" else ""
    agree(f"""
        x = a * 1
        F.{op}_(x{", " + training if training else ""})
        x.add_(1)  # expect: IPL101
        x.sum().backward()
    """)
    agree(f"""
        x = a * 1
        y = F.{op}(x, inplace=True{", " + training if training else ""})
        y.add_(1)  # expect: IPL101
        y.sum().backward()
    """)


# 2.7 After an op that cloned

CLONES = [
    "F.silu(x, inplace=True)",
    "x.clamp_(0.1, 0.9)",
    "x.mul_(a)",
    "x.abs_()",
    "x.sin_()",
    "x.log_()",
    "x.pow_(2)",
    "x.div_(a)",
    "F.hardswish(x, inplace=True)",
    "F.mish(x, inplace=True)",
    "nn.SiLU(inplace=True)(x)",
]


@CASES("op", CLONES)
def test_write_after_an_op_that_cloned_is_safe(op: str) -> None:
    agree(f"""
        x = a * 1
        {op}
        x.add_(1)
        x.sum().backward()
    """)


# 2.8 What assignments write


def test_augmented_index_assignment_moves_the_counter_twice() -> None:
    agree("""
        x = a * 1
        x[0] += b[0]
        assert x._version == 2
        x.sum().backward()
    """)


@unmet("the second of the two moves is not counted")
def test_augmented_index_assignment_is_reported_as_two_moves() -> None:
    agree("""
        x = a * 1
        y = x ** 2
        x[0] += b[0]  # expect: IPL102
        y.sum().backward()
    """)


def test_augmented_mask_assignment_reads_adds_and_puts() -> None:
    agree("""
        x = a * 1
        x[mask] += 1
        assert x._version == 1
        assert x.grad_fn.name() == "IndexPutBackward0"
        x.sum().backward()
    """)
    agree("""
        y = torch.sigmoid(a)
        y[mask] += 1  # expect: IPL101
        y.sum().backward()
    """)


def test_augmented_matrix_product_rebinds() -> None:
    agree("""
        assert not hasattr(torch.Tensor, "__imatmul__")
        y = torch.sigmoid(a)
        before = y
        y @= b
        assert y is not before and before._version == 0
        y.sum().backward()
    """)


# 2.9 The names

UNDERSCORED = [name for name in dir(torch.Tensor) if name.endswith("_") and not name.endswith("__")]
PUBLIC = [name for name in UNDERSCORED if not name.startswith("_")]
#: In-place methods that leave the counter alone.
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
    agree(f"""
        x = torch.rand(4, 4)
        y = a * x
        {call}
        assert x._version == 0
        y.sum().backward()
    """)


@CASES("call", ["x.apply_(lambda v: v + 1)", "x.map_(b, lambda v, w: w)"])
def test_method_that_leaves_the_counter_alone_may_change_the_data(call: str) -> None:
    agree(f"""
        x = torch.zeros(4, 4)
        y = a * x
        {call}
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
        return "inplace" in inspect.signature(callable_).parameters  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False


def test_functions_and_modules_with_an_inplace_argument_are_in_the_table() -> None:
    space = torch.nn.functional
    functions = [n for n in dir(space) if not n.startswith("_") and takes_inplace(getattr(space, n))]
    modules = [
        n
        for n in dir(torch.nn)
        if takes_inplace(getattr(torch.nn, n)) and isinstance(getattr(torch.nn, n), type)
    ]
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
