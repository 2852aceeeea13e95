"""Writes that raise at once."""

from __future__ import annotations

import pytest
import torch

from .program import agree

CASES = pytest.mark.parametrize


# Leaves

LEAF_WRITES = [
    "a.add_(1)",
    "a += 1",
    "a[0] = 0",
    "a.zero_()",
    "a[0].mul_(2)",
    "a.view(-1).add_(1)",
    "F.relu_(a)",
]


@CASES("write", LEAF_WRITES)
def test_leaf_that_requires_grad_or_a_view_of_it_raises(write: str) -> None:
    agree(f"""
        {write}  # expect: IPL103
    """)


@CASES("write", LEAF_WRITES)
def test_leaf_may_be_written_under_no_grad(write: str) -> None:
    agree(f"""
        with torch.no_grad():
            {write}
    """)


@CASES("write", ["a.data.add_(1)", "a.data[0] = 0", "a.detach().add_(1)"])
def test_leaf_may_be_written_through_data(write: str) -> None:
    agree(write)


# Multi-view outputs

MULTI = [
    "a.clone().split(2)",
    "a.clone().chunk(2)",
    "a.clone().chunk(1)",
    "a.clone().unbind()",
    "torch.split(a * 1, 2)",
    "torch.chunk(a * 1, 2)",
    "torch.unbind(a * 1)",
]


@CASES("views", MULTI)
def test_output_of_several_views_raises_when_written(views: str) -> None:
    agree(f"""
        part = {views}[0]
        part.add_(1)  # expect: IPL104
    """)


def test_rows_of_an_iteration_raise_when_written() -> None:
    agree("""
        x = a * 1
        for row in x:
            row.add_(1)  # expect: IPL104
    """)


def test_unpacked_rows_raise_when_written() -> None:
    agree("""
        first, second = (a * 1)[:2]
        second.mul_(2)  # expect: IPL104
    """)


def test_output_of_several_views_raises_when_used_after_its_base_was_written() -> None:
    agree("""
        x = a * 1
        left, right = x.chunk(2)
        x.add_(1)
        y = left * 2  # expect: IPL104
    """)


ORDINARY = [
    "x.tensor_split(2)[0]",
    "x.hsplit(2)[0]",
    "x.vsplit(2)[0]",
    "x.narrow(0, 0, 2)",
    "x[0]",
    "x[:2]",
    "x.select(0, 1)",
    "x.unsafe_chunk(2)[0]",
    "x.unsafe_split(2)[0]",
]


@CASES("view", ORDINARY)
def test_other_views_may_be_written(view: str) -> None:
    agree(f"""
        x = a * 1
        part = {view}
        part.add_(1)
        x.sum().backward()
    """)


def test_row_of_a_plain_buffer_raises_when_given_what_needs_grad() -> None:
    agree("""
        buffer = torch.zeros(4, 4)
        for row in buffer:
            row.copy_(a[0])  # expect: IPL104
    """)
    agree("""
        buffer = torch.zeros(4, 4)
        for row in buffer:
            row.copy_(b[0])
    """)


def test_message_for_rows_of_a_buffer_is_that_of_a_view_made_under_no_grad() -> None:
    buffer = torch.zeros(4, 4)
    row = next(iter(buffer))
    with pytest.raises(RuntimeError) as caught:
        row.copy_(torch.rand(4, requires_grad=True))
    assert "created in no_grad mode" in str(caught.value) or "multiple views" in str(caught.value)


# Views made without gradients, custom functions, inference tensors

MODES = ["torch.no_grad()", "torch.set_grad_enabled(False)"]


@CASES("mode", MODES)
def test_view_made_without_gradients_raises_when_written_with_gradients(mode: str) -> None:
    agree(f"""
        x = a * 1
        with {mode}:
            view = x[0]
        view.add_(1)  # expect: IPL108
    """)


def test_view_made_in_inference_mode_raises_when_written_with_gradients() -> None:
    agree("""
        x = a * 1
        with torch.inference_mode():
            view = x[0]
        view.add_(1)  # expect: IPL108
    """)


@CASES("mode", [*MODES, "torch.inference_mode()"])
def test_view_made_without_gradients_may_be_written_without(mode: str) -> None:
    agree(f"""
        x = a * 1
        with {mode}:
            view = x[0]
            view.add_(1)
    """)


@CASES(
    "returned",
    ["x.view(-1)", "x"],
    ids=["a view", "its input"],
)
def test_output_of_a_custom_function_that_shares_its_inputs_memory_raises(returned: str) -> None:
    # The message has words of its own; the cause is that of IPL108: `forward` runs with gradients off.
    agree(f"""
        class Same(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return {returned}

            @staticmethod
            def backward(ctx, grad):
                return grad.view(4, 4)

        x = a * 1
        y = Same.apply(x)
        y.add_(1)  # expect: IPL108
    """)


def test_inference_tensor_cannot_be_saved_for_backward() -> None:
    agree("""
        with torch.inference_mode():
            x = b * 1
        y = a * x  # raises: Inference tensors cannot be saved for backward
    """)


def test_inference_tensor_cannot_be_written_outside_inference_mode() -> None:
    agree("""
        with torch.inference_mode():
            x = b * 1
        x.add_(1)  # raises: Inplace update to inference tensor outside InferenceMode
    """)


# Expanded tensors

EXPANDED = {
    "expand": "torch.zeros(1, 4).expand(4, 4)",
    "expand_as": "torch.zeros(1, 4).expand_as(b)",
    "broadcast_to": "torch.broadcast_to(torch.zeros(4), (4, 4))",
}
REFUSED = {
    "add_": "x.add_(b)",
    "mul_": "x.mul_(2)",
    "copy_": "x.copy_(b)",
    "scatter_": "x.scatter_(0, torch.zeros(4, 4, dtype=torch.long), b)",
    "+=": "x += 1",
}


@CASES("expand", EXPANDED.values(), ids=EXPANDED)
@CASES("write", REFUSED.values(), ids=REFUSED)
def test_expanded_tensor_raises_when_written(expand: str, write: str) -> None:
    agree(f"""
        x = {expand}
        {write}  # expect: IPL105
    """)


THROUGH = {
    "masked_fill_": "x.masked_fill_(torch.eye(4) > 0, 1.0)",
    "index_put_": "x.index_put_((torch.tensor([0]),), torch.tensor(1.0))",
    "index assignment": "x[0] = 1",
}


@CASES("write", THROUGH.values(), ids=THROUGH)
def test_expanded_tensor_is_silently_written_through(write: str) -> None:
    agree(f"""
        small = torch.full((1, 4), 2.0)
        x = small.expand(4, 4)
        {write}  # silent: IPL105
        assert not torch.equal(small, torch.full((1, 4), 2.0))
    """)


@CASES("write", ["x.fill_(1)", "x.zero_()"])
def test_one_value_for_all_elements_is_the_same_in_shared_memory(write: str) -> None:
    agree(f"""
        x = torch.full((1, 4), 2.0).expand(4, 4)
        {write}
        apart, x = x, torch.full((4, 4), 2.0)
        {write}
        assert torch.equal(apart, x)
    """)


# Dtypes, shapes, out=, overlap


@CASES(
    "program",
    [
        "torch.ones(4, dtype=torch.int) .add_(0.5)",
        "torch.ones(4, dtype=torch.bool).add_(2)",
        "torch.ones(4).add_(1j)",
    ],
    ids=["int += float", "bool += int", "float += complex"],
)
def test_write_that_would_promote_the_dtype_raises(program: str) -> None:
    agree(f"""
        {program}  # raises: can't be cast to the desired output type
    """)


def test_index_assignment_truncates_silently() -> None:
    agree("""
        x = torch.zeros(3, dtype=torch.int)
        x[0] = 1.7
        assert x[0] == 1
    """)


def test_write_that_would_broadcast_the_target_raises() -> None:
    agree("""
        x = torch.zeros(1, 4)
        x.add_(b)  # raises: doesn't match the broadcast shape
    """)


@CASES(
    "call",
    ["torch.exp(a, out=b)", "torch.exp(a, out=a)", "torch.add(a, b, out=b)", "torch.exp(a * 1, out=b)"],
)
def test_out_argument_raises_where_an_input_requires_grad(call: str) -> None:
    agree(f"""
        {call}  # expect: IPL107
    """)


def test_out_argument_raises_where_it_requires_grad_itself() -> None:
    agree("""
        torch.exp(b, out=a)  # expect: IPL107
    """)


@CASES("call", ["torch.exp(b, out=b)", "torch.add(b, 1, out=b)"])
def test_out_argument_is_fine_without_gradients(call: str) -> None:
    agree(call)


def test_write_that_overlaps_what_it_reads_raises() -> None:
    agree("""
        x = torch.zeros(4)
        x[1:] += x[:-1]  # raises: the input tensor and the written-to tensor refer to a single memory location
    """)


# Forward runs, backward fails


@CASES("op", ["acosh_", "asinh_", "atanh_"])
def test_op_without_a_derivative_in_place_fails_in_backward(op: str) -> None:
    agree(f"""
        x = a * {"2 + 1" if op == "acosh_" else "0.5"}
        x.{op}()  # silent: IPL302
        x.sum().backward()  # raises: is not implemented
    """)
    agree(f"""
        x = a * {"2 + 1" if op == "acosh_" else "0.5"}
        torch.{op[:-1]}(x).sum().backward()
    """)


@CASES("call", ["F.leaky_relu_(x, -0.1)", "F.elu_(x, -1.0)"])
def test_activation_in_place_with_a_negative_slope_fails_in_backward(call: str) -> None:
    agree(f"""
        x = a - 0.5
        {call}
        x.sum().backward()  # raises: In-place
    """)


# vmap


def test_vmap_cannot_write_batched_data_into_an_unbatched_tensor() -> None:
    agree("""
        def add_to(x):
            return b.add_(x)  # raises: doesn't match the broadcast shape
        torch.vmap(add_to)(torch.rand(3, 4, 4))
    """)
    agree("""
        def fill(x):
            buffer = torch.zeros(4, 4)
            return buffer.copy_(x)  # raises: vmap: inplace arithmetic(self, *extra_args) is not possible
        torch.vmap(fill)(torch.rand(3, 4, 4))
    """)
    agree("""
        def fill(x):
            buffer = torch.zeros_like(x)
            return buffer.copy_(x)
        torch.vmap(fill)(torch.rand(3, 4, 4))
    """)
