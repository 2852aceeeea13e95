"""Out-of-place forms: what the table pairs computes the same in torch."""

from __future__ import annotations

import pytest

from inplace_lint.torchmodel import outofplace, table

torch = pytest.importorskip("torch")

METHODS = sorted(name for name in table.get().names("Tensor") if outofplace.method(name))


@pytest.mark.parametrize("name", METHODS)
def test_out_of_place_method_gives_what_the_in_place_one_leaves(name: str) -> None:
    methods = pytest.importorskip("torch.testing._internal.common_methods_invocations")
    wanted = name.removesuffix("_")
    infos = [
        info
        for info in methods.op_db
        if not info.variant_test_name and wanted in (info.name, *(alias.name for alias in info.aliases))
    ]
    tried = 0
    for info in infos:
        for dtype in (torch.float64, torch.int64):
            if dtype not in info.dtypes:
                continue
            torch.manual_seed(0)
            for sample in info.sample_inputs("cpu", dtype):
                if not isinstance(sample.input, torch.Tensor):
                    continue
                changed = sample.input.clone()
                try:
                    getattr(changed, name)(*sample.args, **sample.kwargs)
                except (RuntimeError, TypeError, AttributeError):
                    continue
                result = getattr(sample.input, wanted)(*sample.args, **sample.kwargs)
                if result.dtype == changed.dtype:  # else the fix says that the dtype may differ
                    torch.testing.assert_close(changed, result, equal_nan=True)
                    tried += 1
    assert tried or not infos


@pytest.mark.parametrize("name", METHODS)
def test_out_of_place_method_keeps_strides_unless_it_is_said_to_reorder(name: str) -> None:
    methods = pytest.importorskip("torch.testing._internal.common_methods_invocations")
    wanted = name.removesuffix("_")
    kept = True
    for info in methods.op_db:
        if info.variant_test_name or wanted not in (info.name, *(alias.name for alias in info.aliases)):
            continue
        dtype = torch.float64 if torch.float64 in info.dtypes else torch.int64
        for sample in info.sample_inputs("cpu", dtype) if dtype in info.dtypes else ():
            given = sample.input
            if not isinstance(given, torch.Tensor) or given.ndim < 2 or min(given.shape[:2]) < 2:
                continue
            turned = given.transpose(0, 1).contiguous().transpose(0, 1)
            result = getattr(turned, wanted)(*sample.args, **sample.kwargs)
            kept = kept and (result.shape != turned.shape or result.stride() == turned.stride())
    assert kept or outofplace.reorders(name)


@pytest.mark.parametrize(
    "name", ["bernoulli_", "gt_", "fill_", "copy_", "squeeze_", "zero_", "mul", "nonsense_"]
)
def test_what_has_no_form_of_the_same_meaning_has_none(name: str) -> None:
    assert outofplace.method(name) is None


@pytest.mark.filterwarnings("ignore:Use of")
@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("zero_", ()),
        ("fill_", (1.0,)),
        ("fill_diagonal_", (1.0,)),
        ("tril_", ()),
        ("triu_", ()),
        ("masked_fill_", (torch.eye(3) > 0, 1.0)),
        ("index_fill_", (0, torch.tensor([1]), 1.0)),
        ("index_put_", ((torch.tensor([1]),), torch.tensor(1.0))),
        ("add_", (torch.eye(3),)),
        ("mul_", (2.0,)),
        ("pow_", (2.0,)),
        ("copy_", (torch.eye(3),)),
        ("exp_", ()),
        ("clamp_", (0.0, 1.0)),
        ("relu_", ()),
        ("normal_", ()),
        ("cumsum_", (0,)),
        ("index_add_", (0, torch.tensor([1]), torch.ones(1, 3))),
        ("index_copy_", (0, torch.tensor([1]), torch.ones(1, 3))),
        ("scatter_", (1, torch.zeros(3, 1, dtype=torch.long), 1.5)),
        ("masked_scatter_", (torch.eye(3) > 0, torch.ones(3))),
        ("lerp_", (torch.eye(3), 0.5)),
        ("addcmul_", (torch.eye(3), torch.eye(3))),
    ],
)
def test_which_ops_write_elements_that_share_memory_without_an_error(
    name: str, args: tuple[object, ...]
) -> None:
    expanded = torch.full((1, 3), 0.5).expand(3, 3)
    apart = expanded.clone()
    op = table.get().method(name)
    assert op is not None
    keys = [row.facts(row.params, False).key for row in op.rows]
    said = any(map(outofplace.passes_overlap, keys))
    try:
        getattr(expanded, name)(*args)
    except RuntimeError:
        assert not said
    else:
        assert said
        getattr(apart, name)(*args)
        assert any(map(outofplace.fills, keys)) == torch.equal(expanded, apart)
