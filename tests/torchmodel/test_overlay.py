"""Every entry of the overlay, and the few lines of torch that prove it."""

from __future__ import annotations

import operator
import warnings

import pytest

torch = pytest.importorskip("torch")

from inplace_lint.torchmodel import Const, overlay, table  # noqa: E402

RAISES = "modified by an inplace operation"


def address(tensor):
    return tensor.untyped_storage().data_ptr()


def leaf(*shape):
    return (torch.rand(*shape) + 0.1).requires_grad_()


def bump(tensor):
    with torch.no_grad():
        tensor.copy_(tensor + 1)


def after_write(result, written):
    """Whether backward raises once `written` has been written after the forward."""
    bump(written)
    try:
        result.sum().backward()
    except RuntimeError as error:
        assert RAISES in str(error)
        return True
    return False


def facts(op, *args, **kwargs):
    found = op.facts(args, kwargs)
    assert found is not None
    return found[0]


NO_TENSOR = {
    "stride": (), "is_same_size": (torch.zeros(3),), "__contains__": (1.0,), "pym:register_hook": (lambda g: None,),
    "pym:register_post_accumulate_grad_hook": (lambda p: None,),
}  # fmt: skip
SCALAR = (
    "item",
    "__bool__",
    "__complex__",
    "__float__",
    "__index__",
    "__int__",
    "__long__",
    "__nonzero__",
    "is_nonzero",
)


@pytest.mark.parametrize("group", overlay._NO_TENSOR)
def test_methods_that_give_no_tensor_and_write_nothing(group):
    name = group.removeprefix("pym:")
    x = torch.tensor(1) if name in SCALAR else torch.rand(3)
    if name in (
        "pym:backward",
        "backward",
        "register_hook",
        "register_post_accumulate_grad_hook",
        "retain_grad",
    ):
        x = leaf(1)
    version = x._version
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = getattr(x, name)(*NO_TENSOR.get(group, NO_TENSOR.get(name, ())))
    assert not isinstance(result, torch.Tensor)
    assert x._version == version
    assert table.returns_nontensor(name)


@pytest.mark.parametrize(
    "name",
    [
        "numel",
        "is_complex",
        "is_floating_point",
        "is_nonzero",
        "is_conj",
        "is_neg",
        "is_signed",
        "is_inference",
    ],
)
def test_functions_and_methods_that_give_no_tensor(name):
    for result in (getattr(torch, name)(torch.ones(1)), getattr(torch.ones(1), name)()):
        assert not isinstance(result, torch.Tensor)
    assert table.returns_nontensor(name)
    assert table.returns_nontensor(f"torch.{name}")


@pytest.mark.parametrize("group", overlay._NO_TENSOR_FUNCTIONS)
def test_functions_that_give_no_tensor(group):
    name = group.removeprefix("py:torch.")
    assert facts(table.function(f"torch.{name}"), "?").returns[0].kind == "other"
    x = torch.ones(1)
    calls = {
        "is_tensor": lambda: torch.is_tensor(x),
        "is_storage": lambda: torch.is_storage(x),
        "is_grad_enabled": torch.is_grad_enabled,
        "can_cast": lambda: torch.can_cast(torch.int32, torch.float32),
        "promote_types": lambda: torch.promote_types(torch.int32, torch.float32),
        "result_type": lambda: torch.result_type(x, 1),
        "cudnn_is_acceptable": lambda: torch.cudnn_is_acceptable(x),
        "nn.init.calculate_gain": lambda: torch.nn.init.calculate_gain("relu"),
    }
    assert not isinstance(calls[name](), torch.Tensor)


DTYPES = {
    "float": torch.float32,
    "double": torch.float64,
    "half": torch.float16,
    "bfloat16": torch.bfloat16,
    "int": torch.int32,
    "long": torch.int64,
    "short": torch.int16,
    "byte": torch.uint8,
    "char": torch.int8,
    "bool": torch.bool,
    "cfloat": torch.complex64,
    "cdouble": torch.complex128,
}


@pytest.mark.parametrize("name", [*overlay._FLOATS, *overlay._INTS, "bool", "cfloat", "cdouble"])
def test_a_conversion_returns_the_tensor_itself_where_it_is_of_that_type_already(name):
    same = torch.ones(3, dtype=DTYPES[name])
    assert getattr(same, name)() is same
    other = torch.ones(3, dtype=torch.float64 if name != "double" else torch.float32)
    assert address(getattr(other, name)()) != address(other)
    result = facts(table.method(name), "T").returns[0]
    assert result.kind == "maybe"
    assert result.differentiable == (DTYPES[name].is_floating_point or DTYPES[name].is_complex)


def test_moving_to_the_device_where_it_is_returns_the_tensor_itself():
    x = torch.rand(3)
    assert x.cpu() is x
    for name in overlay._DEVICES:
        assert facts(table.method(name), "T").returns[0].kind == "maybe"


def test_pin_memory_may_return_the_tensor_itself():
    assert facts(table.method("pin_memory"), "T").returns[0].kind == "maybe"


def test_to_copies_only_when_it_has_to_or_is_told_to():
    x = torch.rand(3)
    assert x.to(torch.float32) is x
    assert x.to("cpu") is x
    assert x.to(x) is x
    assert x.to(torch.float32, copy=True) is not x
    assert facts(table.method("to"), "T", "N").returns[0].kind == "maybe"
    assert facts(table.method("to"), "T", "T").returns[0].kind == "maybe"
    assert facts(table.method("to"), "T", "N", copy=Const(True)).returns[0].kind == "fresh"


def test_type_may_return_the_tensor_itself():
    x = torch.rand(3)
    assert address(x.type(torch.float32)) == address(x)
    assert facts(table.method("type"), "T", "N").returns[0].kind == "maybe"


def test_copy_replaces_all_of_self_and_gradients_flow_to_the_source():
    a, b = leaf(3), leaf(3)
    y = a * 1
    y.copy_(b)
    y.sum().backward()
    assert torch.equal(a.grad, torch.zeros(3))
    assert torch.equal(b.grad, torch.ones(3))
    result = facts(table.method("copy_"), "T", "T")
    assert result.overwrites
    assert result.gradients == (1,)


def test_detach_shares_the_counter_and_data_does_not():
    x = torch.rand(3)
    version = x._version
    x.detach().add_(1)
    assert x._version == version + 1
    x.data.add_(1)
    assert x._version == version + 1
    assert facts(table.method("detach"), "T").shares_version
    assert facts(table.function("torch.detach"), "T").detaches
    assert not facts(table.property_("data"), "T").shares_version


def test_detach_in_place_cuts_the_history():
    y = leaf(3) * 1
    version = y._version
    assert y.detach_() is y
    assert not y.requires_grad
    assert y._version == version
    assert facts(table.method("detach_"), "T").detaches
    assert not facts(table.method("detach_"), "T").writes


@pytest.mark.parametrize("name", ["requires_grad_", "share_memory_"])
def test_methods_named_as_writes_that_write_nothing(name):
    x = torch.rand(3)
    assert getattr(x, name)() is x
    assert x._version == 0
    result = facts(table.method(name), "T")
    assert result.returns[0].kind == "same"
    assert not result.writes


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("apply_", lambda x: x.apply_(lambda v: v + 1)),
        ("map_", lambda x: x.map_(torch.ones(3), lambda a, b: a + b)),
        ("map2_", lambda x: x.map2_(torch.ones(3), torch.ones(3), lambda a, b, c: a + b)),
    ],
)
def test_writes_that_do_not_move_the_counter(name, call):
    x = torch.zeros(3)
    call(x)
    assert x.sum() == 3
    assert x._version == 0
    result = facts(table.method(name), "T", *["T"] * {"apply_": 0, "map_": 1, "map2_": 2}[name], "N")
    assert result.writes == (0,)
    assert not result.counted


def test_set_moves_the_counter():
    x = torch.rand(3)
    x.set_(torch.rand(3))
    assert x._version > 0
    assert facts(table.method("set_"), "T", "T").counted


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("T", lambda x: x.T), ("mT", lambda x: x.mT), ("H", lambda x: x.H), ("mH", lambda x: x.mH),
        ("real", lambda x: x.real),
    ],
)  # fmt: skip
def test_properties_that_are_views(name, call):
    x = torch.rand(3, 4)
    assert address(call(x)) == address(x)
    assert facts(table.property_(name), "T").returns[0].kind in ("view", "maybe")


def test_the_imaginary_part_is_a_view():
    x = torch.zeros(3, dtype=torch.complex64)
    assert address(x.imag) == address(x)
    assert facts(table.property_("imag"), "T").returns[0].kind == "view"


def test_grad_is_another_tensor():
    x = leaf(3)
    x.sum().backward()
    assert address(x.grad) != address(x)
    assert facts(table.property_("grad"), "T").returns[0].kind == "fresh"


def test_a_subclass_view_shares_memory():
    class Mine(torch.Tensor):
        pass

    x = torch.rand(3)
    assert address(x.as_subclass(Mine)) == address(x)
    assert facts(table.method("as_subclass"), "T", "N").returns[0].kind == "view"


def test_nonzero_gives_integers_and_a_tuple_of_them_when_asked():
    x = torch.rand(3, 4)
    assert x.nonzero().dtype == torch.int64
    assert len(torch.nonzero(x, as_tuple=True)) == 2
    assert facts(table.method("nonzero"), "T").returns[0].dtype == "int"
    assert facts(table.function("torch.nonzero"), "T", as_tuple=Const(True)).returns[0].kind == "list"


@pytest.mark.parametrize("multiply", [torch.matmul, torch.linalg.matmul, operator.matmul])
@pytest.mark.parametrize(
    "shapes", [((3, 4), (4, 5)), ((2, 3, 4), (2, 4, 5)), ((3, 4), (4,)), ((4,), (4,)), ((2, 3, 4), (4, 5))]
)
def test_a_matrix_product_saves_each_operand_for_the_other(multiply, shapes):
    for needing, written, raises in ((0, 1, True), (1, 0, True), (0, 0, False), (1, 1, False)):
        operands = [torch.rand(shape) for shape in shapes]
        operands[needing].requires_grad_()
        used = [x.clone() for x in operands]
        assert after_write(multiply(*used), used[written]) == raises
    for name in ("matmul", "linalg.matmul"):
        result = facts(table.function(f"torch.{name}"), "T", "T")
        assert {(s.target, s.needs) for s in result.saves} == {(0, (1,)), (1, (0,))}


def test_a_broadcast_matrix_product_saves_a_copy_of_one_operand():
    a, b = leaf(5, 10).clone(), torch.rand(3, 10, 5)
    assert not after_write(torch.matmul(a, b), b)


@pytest.mark.parametrize("equation", ["ij,jk->ik", "bij,bjk->bik", "i,j->ij", "bi,bi->b"])
def test_einsum_saves_each_operand_for_the_others(equation):
    left, right = equation.split("->")[0].split(",")
    for needing, written, raises in ((0, 1, True), (1, 0, True), (0, 0, False), (1, 1, False)):
        operands = [torch.rand([3] * len(left)), torch.rand([3] * len(right))]
        operands[needing].requires_grad_()
        used = [x.clone() for x in operands]
        assert after_write(torch.einsum(equation, *used), used[written]) == raises
    result = facts(table.function("torch.einsum"), Const(equation), "T", "T")
    assert {(s.target, s.needs) for s in result.saves} == {(1, (2,)), (2, (1,))}


def test_einsum_of_one_operand_saves_nothing_and_may_be_a_view():
    x = torch.rand(3, 4)
    assert address(torch.einsum("ij->ji", x)) == address(x)
    result = facts(table.function("torch.einsum"), Const("ij->ji"), "T")
    assert not result.saves
    assert result.returns[0].kind == "maybe"


def test_attention_saves_its_result_only_in_the_fused_kernels():
    from torch.nn.attention import SDPBackend, sdpa_kernel

    def run(kernel):
        q, k, v = (leaf(1, 2, 8, 16).clone() for _ in range(3))
        with sdpa_kernel(kernel):
            result = torch.nn.functional.scaled_dot_product_attention(q, k, v)
        return result, v

    result, _ = run(SDPBackend.FLASH_ATTENTION)
    assert after_write(result, result)
    result, _ = run(SDPBackend.MATH)
    assert not after_write(result, result)
    for kernel in (SDPBackend.FLASH_ATTENTION, SDPBackend.MATH):
        result, value = run(kernel)
        assert after_write(result, value)
    said = facts(table.function("torch.nn.functional.scaled_dot_product_attention"), "T", "T", "T")
    assert {s.only for s in said.saves if s.target == -1} == {"fused kernel"}
    assert "" in {s.only for s in said.saves if s.target == 2}


def test_basic_indexing_views_and_advanced_indexing_copies_and_saves_its_indices():
    x = torch.rand(4, 4)
    assert address(x[1]) == address(x[1:, None]) == address(x)
    assert address(x[torch.tensor([0, 1])]) != address(x)
    index = torch.tensor([0, 1])
    assert after_write(leaf(4)[index], index)
    assert facts(table.operator("[]"), "T", "S").returns[0].kind == "view"
    assert facts(table.operator("[]"), "T", "N").returns[0].kind == "maybe"
    assert facts(table.operator("[]"), "T", "T").saves[0].target == 1


def test_index_assignment_saves_an_index_tensor_and_nothing_else():
    index, y, v = torch.tensor([0, 1]), leaf(4).clone(), leaf(2).clone()
    y[index] = v
    assert after_write(y * 1, index)
    y, v = leaf(4).clone(), leaf(2).clone()
    y[:2] = v
    assert not after_write(y * 1, v)
    assert facts(table.operator("[]="), "T", "T", "T").saves[0].target == 1
    assert not facts(table.operator("[]="), "T", "S", "T").saves
    assert facts(table.operator("[]="), "T", "S", "T").writes == (0,)


def test_plus_x_is_x():
    x = torch.rand(3)
    assert address(+x) == address(x)
    assert facts(table.operator("pos"), "T").returns[0].kind == "same"


def test_division_of_a_number_saves_only_a_temporary():
    w = leaf(3)
    x = w.clone()
    y = 1.0 / x
    assert not after_write(y * 1, y)
    a, b = torch.rand(3), leaf(3).clone()
    assert after_write(a / b, a)
    assert not facts(table.operator("/"), Const(1.0), "T").saves
    assert facts(table.operator("/"), "T", "T").saves


FACTORIES = {
    "tensor": lambda x: torch.tensor(x.tolist()),
    "new_tensor": lambda x: x.new_tensor(x.tolist()),
    "new": lambda x: x.new(3),
    "range": lambda x: torch.arange(3),
}


@pytest.mark.parametrize("name", overlay._FACTORIES)
def test_factories_make_new_memory(name):
    op = table.function(f"torch.{name}") or table.method(name)
    row = op.rows[0]
    assert row.facts(row.params, False).factory
    if name in FACTORIES:
        x = torch.rand(3)
        assert address(FACTORIES[name](x)) != address(x)


def test_as_tensor_and_its_kin_share_memory():
    import numpy

    array = numpy.zeros(3, dtype=numpy.float32)
    for make in (torch.as_tensor, torch.asarray, torch.from_numpy, torch.from_dlpack):
        make(array).add_(1)
    assert array.sum() == 12
    x = torch.rand(3)
    assert torch.as_tensor(x) is x
    for group in overlay._SHARING:
        name = group.removeprefix("py:torch.")
        assert facts(table.function(f"torch.{name}"), "T").returns[0].kind == "maybe"


def test_every_entry_has_its_repro():
    named = {
        *overlay._NO_TENSOR, *overlay._NO_TENSOR_FUNCTIONS, *overlay._FLOATS, *overlay._INTS, *overlay._DEVICES,
        *overlay._FACTORIES, *overlay._SHARING, "numel", "is_complex", "is_floating_point", "is_nonzero", "is_conj",
        "is_neg", "is_signed", "is_inference", "bool", "cfloat", "cdouble", "pin_memory", "to", "type", "copy_",
        "detach",
        "detach_", "requires_grad_", "pym:share_memory_", "apply_", "map_", "map2_", "set_", "as_subclass", "prop:data",
        "prop:grad", "prop:T", "prop:mT", "prop:H", "prop:mH", "prop:real", "prop:imag", "op:getitem", "op:setitem",
        "nonzero", "matmul", "linalg_matmul", "py:torch.einsum", "scaled_dot_product_attention", "op:pos", "op:div",
        "py:torch.nn.functional.smooth_l1_loss", "_coalesced_", "py:torch.nn.functional.batch_norm",
    }  # fmt: skip
    assert set(overlay.GROUPS) == named


def test_coalesced_changes_no_values():
    x = torch.eye(3).to_sparse()
    before = x.to_dense()
    x._coalesced_(False)
    assert x._version == 1
    assert torch.equal(x.to_dense(), before)
    assert facts(table.method("_coalesced_"), "T", "?").metadata_only


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_batch_norm_writes_its_statistics_uncounted(training, weighted):
    x = torch.randn(4, 3, requires_grad=True)
    mean, variance = torch.zeros(3), torch.ones(3)
    weight = torch.ones(3) if weighted else None
    result = torch.nn.functional.batch_norm(x, mean, variance, weight, training=training)
    assert mean._version == variance._version == 0
    assert bool(mean.any()) == training
    mean.add_(1)
    with pytest.raises(RuntimeError, match=RAISES):
        result.sum().backward()
    kinds = ["T", "T", "T", *(["T"] if weighted else [])]
    found = table.function("torch.nn.functional.batch_norm").facts(kinds, {"training": Const(training)})[0]
    assert found.writes == ((1, 2) if training else ())
    assert not training or not found.counted
    assert {"running_mean", "running_var"} <= {found.params[save.target].name for save in found.saves}


def test_smooth_l1_loss_saves_both_of_its_operands():
    for written in ("x", "target"):
        x, target = torch.rand(3, requires_grad=True) * 1, torch.rand(3, requires_grad=True) * 1
        loss = torch.nn.functional.smooth_l1_loss(x, target)
        {"x": x, "target": target}[written].add_(1)
        with pytest.raises(RuntimeError, match=RAISES):
            loss.backward()
    saves = facts(table.function("torch.nn.functional.smooth_l1_loss"), "T", "T").saves
    assert {(save.target, save.certainty) for save in saves} == {(0, "always"), (1, "always")}


@pytest.mark.parametrize("training", [True, False])
def test_batch_norm_saves_its_weight_also_without_a_bias(training):
    mean, var = torch.zeros(4), torch.ones(4)
    for written in ("x", "weight"):
        x, weight = torch.rand(4, 4, requires_grad=True) * 1, torch.rand(4)
        y = torch.nn.functional.batch_norm(x, mean, var, weight, training=training)
        assert after_write(y, {"x": x, "weight": weight}[written])
    op = table.function("torch.nn.functional.batch_norm")
    found = facts(op, "T", "T", "T", "T", training=Const(training))
    assert {(save.target, save.certainty) for save in found.saves} == {(i, "always") for i in range(4)}
    assert (found.writes, found.counted) == (((1, 2), False) if training else ((), True))


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize(
    "targets", [lambda: torch.tensor([0, 1, 2]), lambda: torch.softmax(torch.rand(3, 4), 1)]
)
@pytest.mark.parametrize("weight", [None, torch.rand(4)])
def test_cross_entropy_loss_saves_its_targets_if_they_are_not_smoothed(weight, targets, smoothing):
    loss = torch.nn.CrossEntropyLoss(weight, label_smoothing=smoothing)
    target = targets()
    saved = after_write(loss(leaf(3, 4), target), target)
    module = table.module("torch.nn.CrossEntropyLoss")
    (save,) = module.facts(module.config((), {"label_smoothing": Const(smoothing)}), True).saves
    assert (save.target, save.certainty) == (1, "may" if smoothing else "always")
    assert saved or smoothing


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("kdim", [None, 8, 6])
@pytest.mark.parametrize("batch_first", [True, False])
@pytest.mark.parametrize(("written", "length"), [(0, 3), (0, 1), (1, 3), (2, 3)])
def test_attention_saves_a_copy_of_what_it_has_to_turn_round(
    written, length, batch_first, kdim, need_weights
):
    attention = torch.nn.MultiheadAttention(8, 2, kdim=kdim, vdim=kdim, batch_first=batch_first)
    given = [torch.rand(4, 4, width) for width in (8, kdim or 8, kdim or 8)]
    given[0] = given[0][:, :length] if batch_first else given[0][:length]
    y, _ = attention(*given, need_weights=need_weights)
    module = table.module("torch.nn.MultiheadAttention")
    found = module.facts(module.config((), {"batch_first": Const(batch_first)}), True).saves
    certainty = {save.target: save.certainty for save in found}.get(written)
    assert certainty == (None if batch_first and written else "may" if batch_first else "always")
    assert after_write(y, given[written]) == (certainty == "always" or length == 1)


def test_every_module_has_its_repro():
    assert set(overlay.MODULES) == {"CrossEntropyLoss", "MultiheadAttention"}
