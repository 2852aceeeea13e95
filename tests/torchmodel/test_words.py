"""What `inplace-lint op NAME` says, read as a stranger would."""

from __future__ import annotations

import pytest

from inplace_lint.torchmodel.words import describe, missing

WRITTEN = (
    *(
        "add_",
        "sub_",
        "mul_",
        "div_",
        "pow_",
        "log_",
        "neg_",
        "exp_",
        "sqrt_",
        "clamp_",
        "clamp_min_",
        "fill_",
    ),
    *(
        "zero_",
        "copy_",
        "transpose_",
        "t_",
        "resize_",
        "relu_",
        "torch.dropout_",
        "index assignment",
        "[]=",
        "+=",
    ),
)


@pytest.mark.parametrize("name", WRITTEN)
def test_the_in_place_ops_that_people_write_say_what_they_write(name):
    text = describe(name, False)
    assert text is not None
    assert "Writes    " in text
    assert "Saves" in text


@pytest.mark.parametrize(
    ("name", "real"),
    [
        ("reshape_", "`torch.Tensor.reshape`"),
        ("silu_", "`torch.nn.functional.silu`"),
        ("F.dropout_", "`torch.nn.functional.dropout`"),
        ("torch.sigmod", "`torch.sigmoid`"),
    ],
)
def test_a_name_that_does_not_exist_gives_the_nearest_that_does(name, real):
    assert describe(name, False) is None
    text = missing(name)
    assert f"`{name}` does not exist" in text
    assert real in text


def test_nonsense_has_nothing_near():
    assert describe("qqqqqqqqqqqqqqqq", False) is missing("qqqqqqqqqqqqqqqq") is None


def test_exp_in_place_in_full():
    assert describe("exp_", False) == (
        "torch.Tensor.exp_\n"
        "\n"
        "  self.exp_()\n"
        "\n"
        "    Saves     its result, when `self` needs grad (ExpBackward0 keeps it as `result`).\n"
        "    Writes    `self`, in place: the version counter moves, and a backward that needs the old values raises.\n"
        "    Returns   `self` itself, the same tensor.\n"
        "\n"
        "The same name also exists as torch.exp_.\n"
    )


@pytest.mark.parametrize("name", ["F.silu", "nn.SiLU", "nn.Hardswish", "F.relu6"])
def test_silu_in_place_says_that_it_clones_its_input(name):
    text = describe(name, True)
    assert "inplace=True" in text
    assert "Clones    its old `input` first" in text
    assert "in place saves no memory then" in text


def test_a_conditional_save_names_its_condition():
    assert "`self`, when `other` needs grad" in describe("mul", False)
    assert "`operands[0]`, when `operands[1]` needs grad" in describe("einsum", False)


def test_a_kernel_dependent_save_says_so():
    text = describe("scaled_dot_product_attention", False)
    assert "its result, when a fused kernel runs" in text
    assert "on CUDA (cuDNN)" in describe("nn.GRU", False)


def test_no_derivative_is_said():
    assert "it has no derivative" in describe("acosh_", False)


def test_writes_that_the_counter_does_not_see_say_so():
    assert "the version counter does not move" in describe("apply_", False)
    assert "a version counter of its own" in describe("data", False)


def test_dropout_names_the_flags_that_decide():
    text = describe("F.dropout", False)
    assert "where training is False" in text
    assert "where training is True and p is not 0" in text


@pytest.mark.parametrize("name", ["nn.BatchNorm1d", "nn.BatchNorm2d", "nn.BatchNorm3d"])
def test_a_module_with_running_statistics_says_that_it_writes_and_saves_them(name):
    training, evaluation = describe(name, False).split("  in evaluation:")
    assert (
        "Writes    its own `running_mean` and `running_var`, and the version counter does not move"
        in training
    )
    assert "its own `num_batches_tracked`" in training
    assert "nothing." not in training
    assert "its own `running_mean` and `running_var`, when any argument needs grad." in evaluation
    assert "Writes    nothing." in evaluation


def test_what_is_said_of_running_statistics_is_true():
    torch = pytest.importorskip("torch")
    norm, x = torch.nn.BatchNorm1d(2), torch.randn(4, 2, requires_grad=True)
    before = {name: (buffer.clone(), buffer._version) for name, buffer in norm.named_buffers()}
    norm(x)
    assert all(not torch.equal(buffer, before[name][0]) for name, buffer in norm.named_buffers())
    moved = {name for name, buffer in norm.named_buffers() if buffer._version != before[name][1]}
    assert moved == {"num_batches_tracked"}
    y = norm.eval()(x)
    norm.running_mean.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_of_several_results_each_says_which_it_is():
    lstm = describe("nn.LSTM", False)
    assert "Returns   number 1: a new tensor.\n              number 2: a list of new tensors.\n" in lstm
    assert "its result number 1" in lstm
    assert "Returns   a new tensor.\n" in describe("nn.Linear", False)
    assert "Returns   `U`: a new tensor.\n" in describe("torch.svd", False)
