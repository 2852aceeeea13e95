"""Version counters: who shares one and what moves it."""

from __future__ import annotations

import textwrap

import pytest

from .program import agree

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


ALIASES = "y[0] y[1:3] y.t() y.view(-1) y.unsqueeze(0) y.diagonal() y.detach() y.detach()[0]"


@CASES("alias", ALIASES.split())
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
        x.data.add_(1)  # silent: IPL201
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
    "nn.init.zeros_": """
        nn.init.zeros_(y)  # expect: IPL101
    """,
    "nn.init.constant_": """
        nn.init.constant_(y, 0.5)  # expect: IPL101
    """,
    "_foreach": """
        torch._foreach_add_([y], 1.0)  # expect: IPL101
    """,
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


def test_loading_a_state_dict_moves_the_counters_of_the_weights() -> None:
    agree("""
        layer = nn.Linear(4, 4)
        other = nn.Linear(4, 4)
        y = layer(a)
        before = layer.weight._version
        layer.load_state_dict(other.state_dict())  # expect: IPL106
        assert layer.weight._version == before + 1
        y.sum().backward()
    """)


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
    "y.to(y.device)",
    "y.float()",
    "y.contiguous()",
    "+y",
    "nn.Identity()(y)",
    "F.dropout(y, 0.5, training=False)",
    "F.dropout(y, p=0.0)",
    "nn.Dropout(0.5).eval()(y)",
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


# 2.8 What assignments write


def test_augmented_index_assignment_moves_the_counter_twice() -> None:
    agree("""
        x = a * 1
        x[0] += b[0]
        assert x._version == 2
        x.sum().backward()
    """)


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
