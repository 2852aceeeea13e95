"""The hand-kept facts about memory layout, each asked of torch."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from inplace_lint.torchmodel import layout

torch = pytest.importorskip("torch")

from torch.nn import functional as F  # noqa: E402


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
    assert layout.layout_of("aten::matmul").takes_only_tensors


@pytest.mark.parametrize("order", [(0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
@pytest.mark.parametrize("other", [(0, 1, 2), (0, 2, 1), (2, 1, 0)])
def test_product_of_two_rows_of_matrices_saves_what_it_is_given(order, other):
    x = torch.rand(3, 3, 3).permute(order)
    y = torch.rand(3, 3, 3, requires_grad=True).permute(other)
    z = torch.matmul(x, y)
    x.zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace"):
        z.sum().backward()


@pytest.mark.parametrize("name", sorted(layout.REFUSES_GRAD))
def test_raises_for_a_tensor_that_requires_grad(name):
    getattr(torch.ones(2), name)()
    with pytest.raises(RuntimeError, match="requires grad"):
        getattr(torch.ones(2, requires_grad=True), name)()


@pytest.mark.parametrize("name", sorted(layout.COUNTS))
def test_truth_values_become_numbers(name):
    args = {
        "sum": (),
        "nansum": (),
        "prod": (),
        "square": (),
        "cumsum": (0,),
        "cumprod": (0,),
        "sub": (2,),
    }
    truths = torch.tensor([True, False])
    assert getattr(torch, name)(truths, *args.get(name, (2,))).dtype == torch.int64


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
    assert layout.layout_of(key).keeps_itself(node) == (not torch.allclose(*gradients))


@pytest.mark.parametrize("name", sorted(layout.HAS_AXES))
def test_result_has_an_axis_even_of_a_number(name):
    number = torch.tensor(1)
    call = getattr(torch, name)
    result = (
        call(0, 1, 2) if name == "linspace" else call(1) if name in ("arange", "randperm") else call(number)
    )
    assert layout.layout_of(f"aten::{name}").axes.has_axes
    assert result.dim() >= 1


@pytest.mark.parametrize("name", sorted(layout.ONE_AXIS))
def test_result_has_one_axis_however_many_its_input_has(name):
    call = getattr(torch, name)
    several = torch.ones(2, 3, 4, dtype=torch.int64)
    if name == "masked_select":
        result = call(several, several > 0)
    elif name == "bincount":
        result = call(several[0, 0])
    elif name in ("arange", "randperm"):
        result = call(3)
    else:
        result = call(0, 1, 2) if name == "linspace" else call(several)
    assert layout.layout_of(f"aten::{name}").axes.has_one_axis
    assert result.dim() == 1
    assert all(row.dim() == 0 for row in result)


def test_index_by_a_number_as_a_tensor_makes_a_view_and_one_with_an_axis_copies():
    x = torch.zeros(3)
    x[torch.tensor(0)].add_(1)
    x[torch.tensor([1])].add_(1)
    x[torch.tensor(True)].add_(1)
    assert x.tolist() == [1, 0, 0]


COPIED = {
    "linear": lambda x: F.linear(x, torch.rand(4, 4, requires_grad=True)),
    "Linear": lambda x: torch.nn.Linear(4, 4)(x),
    "bilinear": lambda x: F.bilinear(x, torch.rand(4, 4, 4), torch.rand(4, 4, 4, requires_grad=True)),
    "matmul": lambda x: x @ torch.rand(4, 4, requires_grad=True),
    "tensordot": lambda x: torch.tensordot(x, torch.rand(4, 4, requires_grad=True), 1),
    "einsum": lambda x: torch.einsum("abi,ij->abj", x, torch.rand(4, 4, requires_grad=True)),
    "group_norm": lambda x: F.group_norm(x, 2),
    "instance_norm": lambda x: F.instance_norm(x),
}
SAVED = {
    "exp of": lambda x: x.square(),
    "div": lambda x: torch.rand(4, 4, requires_grad=True) / x,
    "conv1d": lambda x: F.conv1d(x, torch.rand(4, 4, 1, requires_grad=True)),
    "layer_norm": lambda x: F.layer_norm(x, (4,)),
    "batch_norm": lambda x: F.batch_norm(x, None, None, training=True),
}


def saves_its_input(call, view):
    """Whether backward of call(view(base)) refuses once the base was written."""
    base = torch.rand(4, 4, 4, requires_grad=True) * 1
    y = call(view(base))
    with torch.no_grad():
        base.add_(1)
    try:
        y.sum().backward()
    except RuntimeError:
        return True
    return False


@pytest.mark.parametrize("name", sorted(COPIED))
def test_saves_a_copy_of_an_input_whose_axes_were_moved(name):
    assert name in layout.COPIES_STRIDED
    assert saves_its_input(COPIED[name], lambda x: x)
    assert not saves_its_input(COPIED[name], lambda x: x.transpose(1, 2))


@pytest.mark.parametrize("name", sorted(SAVED))
@pytest.mark.parametrize("view", [lambda x: x.transpose(1, 2), lambda x: x[:1].expand(4, 4, 4)])
def test_other_ops_save_what_they_are_given_as_it_is(name, view):
    assert saves_its_input(SAVED[name], view)


@pytest.mark.parametrize("name", sorted(COPIED))
def test_which_ops_copy_a_matrix_too(name):
    if name in ("bilinear", "einsum", "instance_norm"):
        pytest.skip("takes more or fewer axes here")
    base = torch.rand(4, 4, requires_grad=True) * 1
    y = COPIED[name](base.t())
    base.detach().add_(1)
    raised = False
    try:
        y.sum().backward()
    except RuntimeError:
        raised = True
    assert raised is (name not in layout.COPIES_MATRICES)


def test_a_matrix_turned_round_is_saved_as_it_is():
    assert not {"t", "T"} & layout.SCATTERS
    base = torch.rand(4, 4, requires_grad=True) * 1
    y = F.linear(base.t(), torch.rand(4, 4, requires_grad=True))
    base.detach().add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


X, W = torch.rand(4, 4), torch.rand(4, 4)
RESULTS = {
    "instance_norm": [lambda: F.instance_norm(torch.rand(2, 4, 4))],
    "tensordot": [lambda: torch.tensordot(X, W, 1)],
    "cov": [lambda: torch.cov(X)],
    "avg_pool1d": [lambda: F.avg_pool1d(X, 2), lambda: F.avg_pool1d(torch.rand(2, 4, 4), 2)],
    "adaptive_avg_pool1d": [lambda: F.adaptive_avg_pool1d(X, 2)],
    "max_unpool1d": [lambda: F.max_unpool1d(*F.max_pool1d(X, 2, return_indices=True), 2)],
}


@pytest.mark.parametrize("name", sorted(layout.ENDS_IN_VIEW))
def test_result_counts_as_a_view_although_it_is_new(name):
    with torch.no_grad():
        assert all(call()._is_view() for call in RESULTS[name])


@pytest.mark.parametrize(
    "equation", ["ij,jk->ik", "...i,ij->...j", "ij,ij->ij", "ij,ij->i", "i,j->ij", "i,i->", "ij,ij->ji"]
)
def test_einsum_that_sums_over_what_both_have_gives_a_view(equation):
    shapes = [(4,) * len(part.replace("...", "ab")) for part in equation.split("->")[0].split(",")]
    with torch.no_grad():
        views = torch.einsum(equation, *map(torch.rand, shapes))._is_view()
    assert layout.layout_of("torch.einsum").ends_in_view([equation, X, W]) <= views


@pytest.mark.parametrize("bias", [None, torch.rand(4)])
def test_bilinear_without_a_bias_gives_a_view(bias):
    with torch.no_grad():
        views = F.bilinear(X, X, torch.rand(4, 4, 4), bias)._is_view()
    assert layout.layout_of("aten::bilinear").ends_in_view([X, X, X, bias]) == views


def test_what_is_computed_element_by_element_is_tagged_so_by_torch():
    for name in layout.POINTWISE:
        packet = getattr(torch.ops.aten, name)
        assert any(torch.Tag.pointwise in getattr(packet, o).tags for o in packet.overloads()), name


@pytest.mark.parametrize("name", sorted(layout.MAKES_CONTIGUOUS - {"Linear"}))
def test_result_is_contiguous_however_the_operands_lie(name):
    one = torch.rand(4, 4) if name in ("mm", "addmm", "linear") else torch.rand(4, 4, 4)
    for left in (one, one.mT, one.transpose(0, 1)):
        for right in (one, one.mT):
            operands = {
                "addmm": (right, left, right),
                "baddbmm": (right, left, right),
                "stack": ([left, right],),
            }
            call = torch.nn.functional.linear if name == "linear" else getattr(torch, name)
            assert call(*operands.get(name, (left, right))).is_contiguous()


def _raises_when_written(x, y):
    z = torch.cdist(x, y)
    with torch.no_grad():
        x += 1
    try:
        z.sum().backward()
    except RuntimeError as error:
        return "inplace operation" in str(error)
    return False


@pytest.mark.parametrize("rows", [1, layout.FEW_ROWS, layout.FEW_ROWS + 1, 300])
def test_distances_save_what_they_are_of_and_a_copy_of_what_is_repeated_for_each_batch(rows):
    x = torch.rand(rows, 3, requires_grad=True) * 1.0
    batches = torch.rand(2, rows, 3, requires_grad=True) * 1.0
    assert _raises_when_written(x * 1.0, torch.rand(rows, 3))
    for same in (x * 1.0, batches * 1.0):
        assert _raises_when_written(same, same)
    assert _raises_when_written(x * 1.0, torch.rand(2, rows, 3)) == (rows <= layout.FEW_ROWS)


def test_first_operand_says_how_the_result_is_laid_out():
    dense, turned = torch.rand(3, 4, 4), torch.rand(4, 3, 4).transpose(0, 1)
    assert (dense + turned).is_contiguous() and not (turned + dense).is_contiguous()
    assert (dense[:1].expand(3, 4, 4) * 2).is_contiguous()
    assert not (dense[:1].expand(3, 4, 4) * turned).is_contiguous()


@pytest.mark.parametrize("name", sorted(layout.ASKS_FOR_FORM))
def test_gives_the_same_whatever_the_values_are_of_the_tensor_that_it_is_made_like(name):
    def made(like):
        torch.manual_seed(0)
        if name.endswith("_as"):
            return getattr(torch.ones(2, 3) if name != "expand_as" else torch.ones(3), name)(like)
        if name.startswith("new_"):
            given = {"new_full": ((2,), 5), "new_tensor": ([1, 2],)}.get(name, ((2,),))
            return getattr(like, name)(*given)
        given = {"full_like": (5,), "randint_like": (9,)}.get(name, ())
        return getattr(torch, name)(like, *given)

    one, other = made(torch.zeros(2, 3)), made(torch.full((2, 3), 7.0))
    assert (one.shape, one.dtype) == (other.shape, other.dtype)
    assert "empty" in name or torch.equal(one, other)


BUILT = {
    "Bilinear": ((4, 4, 4), (2, 4), 2),
    "GroupNorm": ((2, 4), (2, 4, 4), 1),
    "LayerNorm": ((4,), (2, 4), 1),
    "Linear": ((4, 4), (2, 4), 1),
    **{
        f"{kind}{n}d": ((4, 4, 1), (2, 4, *[3] * n), 1)
        for kind in ("Conv", "ConvTranspose")
        for n in (1, 2, 3)
    },
    **{
        f"{kind}{n}d": ((4,), (2, 4, *[3] * n), 1)
        for kind in ("BatchNorm", "InstanceNorm")
        for n in (1, 2, 3)
    },
}


@pytest.mark.parametrize("name", BUILT)
def test_bias_may_be_written_before_the_backward_of_what_only_adds_it(name):
    args, size, count = BUILT[name]
    module = getattr(torch.nn, name)(*args, **({"affine": True} if name.startswith("Instance") else {}))
    loss = module(*[torch.rand(size, requires_grad=True) for _ in range(count)]).square().sum()
    with torch.no_grad():
        module.bias.mul_(2)
    raises = pytest.raises(RuntimeError, match="modified by an inplace operation")
    with raises if name == "LayerNorm" else nullcontext():
        loss.backward()
    assert layout.saves_bias(f"torch.nn.{name}") == (name == "LayerNorm")
