"""The hand-kept facts about memory layout, each asked of torch."""

from __future__ import annotations

import pytest

from inplace_lint.torchmodel import layout

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("name", sorted(layout.IF_CONTIGUOUS))
def test_aliases_its_input_exactly_where_that_is_contiguous(name):
    args = {"reshape": (-1,), "reshape_as": (torch.ones(12),)}.get(name, ())
    dense = torch.ones(3, 4)
    assert getattr(dense, name)(*args).data_ptr() == dense.data_ptr()
    swapped = torch.ones(4, 3).t()
    assert getattr(swapped, name)(*args).data_ptr() != swapped.data_ptr()


def test_contiguous_gives_the_same_tensor_and_no_view_of_it():
    dense = torch.ones(3)
    assert all(getattr(dense, name)() is dense for name in layout.SAME_IF_CONTIGUOUS)


@pytest.mark.parametrize("name", sorted(layout.DEFAULT_DTYPE))
def test_factory_makes_the_default_dtype(name):
    args = {"linspace": (0, 1, 3), "logspace": (0, 1, 3)}.get(name, (3,))
    assert getattr(torch, name)(*args).dtype == torch.get_default_dtype()


@pytest.mark.parametrize("name", sorted(layout.OWN_COUNTER))
def test_results_share_memory_but_no_version_counter(name):
    x = torch.ones(4)
    part = getattr(x, name)([2, 2] if name.endswith("sizes") else 2)[0]
    part.add_(1)
    assert x[0] == 2
    assert x._version == 0


def test_a_number_has_no_matmul_operator():
    with pytest.raises(TypeError):
        2 @ 3  # noqa: B018
    assert layout.takes_only_tensors("aten::matmul")


@pytest.mark.parametrize("name", sorted(layout.REFUSES_GRAD))
def test_raises_for_a_tensor_that_requires_grad(name):
    getattr(torch.ones(2), name)()
    with pytest.raises(RuntimeError, match="requires grad"):
        getattr(torch.ones(2, requires_grad=True), name)()


@pytest.mark.parametrize("name", sorted(layout.MOVES_ELEMENTS - {"fill", "zero"}))
def test_elements_are_moved_and_not_computed_with(name):
    x = torch.tensor([[11, 12], [13, 14]])
    where, mask = torch.tensor([[1, 0], [0, 1]]), torch.tensor([[True, False], [True, True]])
    arguments = {
        "getitem": None,
        "setitem": None,
        "copy": (x + 10,),
        "gather": (1, where),
        "index_select": (0, where[0]),
        "masked_select": (mask,),
        "masked_fill": (mask, 21),
        "where": (mask, x + 10),
        "take": (where,),
        "take_along_dim": (where, 1),
        "repeat": (2, 1),
        "repeat_interleave": (2,),
        "roll": (1,),
        "flip": (0,),
        "to": (torch.int32,),
        "index_put": ((where[0],), x[0] + 10),
        "scatter": (1, where, x + 10),
        "masked_scatter": (mask, x + 10),
        "index_copy": (0, where[0], x + 10),
    }.get(name, ())
    if name in ("cat", "stack"):
        result = getattr(torch, name)([x, x + 10])
    elif name == "copy":
        result = x.clone().copy_(*arguments)
    elif arguments is None:
        result = x[where]
    else:
        result = getattr(x, name)(*arguments)
    assert set(result.flatten().tolist()) <= {11, 12, 13, 14, 21, 22, 23, 24}


@pytest.mark.parametrize("name", sorted(layout.SWAPS))
def test_flattening_what_has_its_axes_swapped_copies(name):
    args = (0, 1) if name in ("transpose", "swapaxes", "swapdims") else ()
    method = {"numpy_T": "T", "matrix_H": "H"}.get(name, name)
    swapped = getattr(torch.ones(3, 4), method)
    swapped = swapped(*args) if callable(swapped) else swapped
    for flat in (swapped.reshape(-1), swapped.flatten(), swapped.ravel(), swapped.contiguous()):
        assert flat.data_ptr() != swapped.data_ptr()


REPLACED = {
    "aten::mul.Tensor MulBackward0": (lambda x, w: x * w, (4, 4), (4, 4)),
    "aten::linear AddmmBackward0": (torch.nn.functional.linear, (2, 4), (3, 4)),
    "aten::conv2d ConvolutionBackward0": (torch.nn.functional.conv2d, (1, 2, 5, 5), (2, 2, 3, 3)),
    "torch.nn.functional.layer_norm NativeLayerNormBackward0": (
        lambda x, w: torch.nn.functional.layer_norm(x, (4,), w), (3, 4), (4,),
    ),
    "torch.nn.functional.group_norm NativeGroupNormBackward0": (
        lambda x, w: torch.nn.functional.group_norm(x, 2, w), (3, 4, 2), (4,),
    ),
    "torch.nn.functional.batch_norm NativeBatchNormBackward0": (
        lambda x, w: torch.nn.functional.batch_norm(x, None, None, w, training=True), (3, 4), (4,),
    ),
    "aten::prelu PreluKernelBackward0": (torch.nn.functional.prelu, (3, 4), (4,)),
}  # fmt: skip


@pytest.mark.parametrize("names", REPLACED)
def test_what_is_kept_itself_has_the_memory_that_its_data_is_given(names):
    call, shape, weights = REPLACED[names]
    gradients = []
    for replaced in (False, True):
        torch.manual_seed(0)
        x, w = torch.randn(shape, requires_grad=True), torch.rand(weights, requires_grad=True)
        result = (call(x, w) ** 2).sum()
        if replaced:
            w.data = w.data * -3
        result.backward()
        gradients.append(x.grad)
    key, node = names.split()
    assert layout.keeps_itself(key, node) == (not torch.allclose(*gradients))


@pytest.mark.parametrize("name", sorted(layout.HAS_AXES))
def test_result_has_an_axis_even_of_a_number(name):
    number = torch.tensor(1)
    call = getattr(torch, name)
    result = (
        call(0, 1, 2) if name == "linspace" else call(1) if name in ("arange", "randperm") else call(number)
    )
    assert layout.has_axes(f"aten::{name}")
    assert result.dim() >= 1


def test_index_by_a_number_as_a_tensor_makes_a_view_and_one_with_an_axis_copies():
    x = torch.zeros(3)
    x[torch.tensor(0)].add_(1)
    x[torch.tensor([1])].add_(1)
    x[torch.tensor(True)].add_(1)
    assert x.tolist() == [1, 0, 0]
