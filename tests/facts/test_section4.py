"""Writes that make backward raise: the classic shapes."""

from __future__ import annotations

import textwrap

import pytest

from .program import GIVEN, agree

CASES = pytest.mark.parametrize


# Activations, residuals, blocks


RESULT_SAVING = [
    "F.relu(x)",
    "torch.sigmoid(x)",
    "torch.tanh(x)",
    "F.relu(x, inplace=True)",
    "nn.ReLU()(x)",
    "nn.ReLU(inplace=True)(x)",
]


@CASES("activation", RESULT_SAVING)
def test_activation_that_saves_its_result(activation: str) -> None:
    agree(f"""
        x = a * 1
        y = {activation}
        y += x  # expect: IPL101
        y.sum().backward()
    """)


@CASES(
    "activation",
    [
        "F.gelu(x)",
        "F.silu(x)",
        "F.leaky_relu(x)",
        "F.elu(x)",
        "F.relu6(x)",
        "F.hardswish(x)",
        "F.dropout(x, 0.5)",
        "nn.GELU()(x)",
        "nn.SiLU()(x)",
        "nn.ReLU6()(x)",
        "nn.Dropout()(x)",
    ],
)
def test_activation_that_saves_no_result(activation: str) -> None:
    agree(f"""
        x = a * 1
        y = {activation}
        y += b
        y.sum().backward()
    """)


def test_shortcut_that_a_convolution_saved_raises() -> None:
    agree("""
        conv = nn.Conv2d(3, 3, 3, padding=1)
        x = torch.rand(1, 3, 8, 8)
        identity = x * 1
        y = conv(identity)
        identity += y  # expect: IPL102
        identity.sum().backward()
    """)


def test_residual_block_is_fine() -> None:
    agree("""
        class Block(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.conv1 = nn.Conv2d(width, width, 3, padding=1, bias=False)
                self.bn1 = nn.BatchNorm2d(width)
                self.relu = nn.ReLU(inplace=True)
                self.conv2 = nn.Conv2d(width, width, 3, padding=1, bias=False)
                self.bn2 = nn.BatchNorm2d(width)

            def forward(self, x):
                identity = x
                out = self.relu(self.bn1(self.conv1(x)))
                out = self.bn2(self.conv2(out))
                out += identity
                return self.relu(out)

        Block(3)(torch.rand(2, 3, 8, 8)).sum().backward()
    """)


BEFORE_RELU = {
    "relu": "F.relu(a)",
    "sigmoid": "torch.sigmoid(a)",
    "tanh": "torch.tanh(a)",
    "softmax": "F.softmax(a, dim=0)",
    "log_softmax": "F.log_softmax(a, dim=0)",
    "exp": "a.exp()",
    "sqrt": "a.sqrt()",
    "rsqrt": "a.rsqrt()",
    # Only in the fused kernels, which take four dimensions on the CPU. The composed one keeps no result.
    "attention": "F.scaled_dot_product_attention(a[None, None], b[None, None], b[None, None])",
    "std": "a.std(dim=0)",
    "logsumexp": "a.logsumexp(0)",
    "cumprod": "a.cumprod(0)",
    "prod": "a.prod()",
    "norm": "a.norm(dim=0)",
}


@CASES("op", BEFORE_RELU.values(), ids=BEFORE_RELU)
def test_in_place_relu_after_an_op_that_saves_its_result(op: str) -> None:
    agree(f"""
        y = {op}
        nn.ReLU(inplace=True)(y)  # expect: IPL101
        y.sum().backward()
    """)


FINE_BEFORE_RELU = {
    "conv": "nn.Conv1d(4, 4, 1)(a)",
    "batch_norm": "nn.BatchNorm1d(4)(a)",
    "layer_norm": "nn.LayerNorm(4)(a)",
    "linear": "nn.Linear(4, 4)(a)",
    "add": "a + b",
    "max_pool": "F.max_pool1d(a, 2)",
    "avg_pool": "F.avg_pool1d(a, 2)",
    "gelu": "F.gelu(a)",
    "silu": "F.silu(a)",
}


@CASES("op", FINE_BEFORE_RELU.values(), ids=FINE_BEFORE_RELU)
def test_in_place_relu_after_an_op_that_saves_no_result(op: str) -> None:
    agree(f"""
        y = {op}
        nn.ReLU(inplace=True)(y)
        y.sum().backward()
    """)


# Softmax


def test_relu_in_place_on_softmax_raises_once_gradients_are_needed() -> None:
    agree("""
        y = F.relu_(torch.softmax(a, dim=0))  # expect: IPL101
        y.sum().backward()
    """)
    agree("""
        y = F.relu_(torch.softmax(b, dim=0))
    """)


def test_exponential_in_place_of_scores_is_legal_and_their_division_is_not() -> None:
    agree("""
        scores = a @ b
        scores.exp_()
        scores.sum().backward()
    """)
    agree("""
        scores = a @ b
        scores.exp_()
        scores.div_(scores.sum(-1, keepdim=True))  # expect: IPL101
        scores.sum().backward()
    """)


AFTER_SOFTMAX = {
    "masked_fill_": "y.masked_fill_(mask, 0.0)",
    "index assignment": "y[mask] = 0",
    "slice assignment": "y[0] = 0",
    "dropout": "F.dropout(y, 0.5, training=True, inplace=True)",
    "nn.Dropout": "nn.Dropout(0.5, inplace=True)(y)",
    "mul_": "y.mul_(2)",
    "div_": "y.div_(2)",
    "add_": "y += 1",
    "clamp_": "y.clamp_(min=0.1)",
    "copy_": "y.copy_(b)",
    "zero_": "y.zero_()",
}


@CASES("write", AFTER_SOFTMAX.values(), ids=AFTER_SOFTMAX)
def test_write_after_softmax_raises(write: str) -> None:
    agree(f"""
        y = torch.softmax(a, dim=-1)
        {write}  # expect: IPL101
        y.sum().backward()
    """)


def test_dropout_in_place_after_softmax_is_fine_in_eval() -> None:
    agree("""
        y = torch.softmax(a, dim=-1)
        F.dropout(y, 0.5, training=False, inplace=True)
        y.sum().backward()
    """)


@CASES("write", AFTER_SOFTMAX.values(), ids=AFTER_SOFTMAX)
def test_write_before_softmax_is_fine(write: str) -> None:
    agree(f"""
        y = a @ b
        {write}
        torch.softmax(y, dim=-1).sum().backward()
    """)


# Loops


def test_state_that_is_added_to_but_not_read_by_a_saving_op_is_fine() -> None:
    agree("""
        h = torch.zeros(4, 4)
        for _ in range(3):
            h += torch.tanh(a @ b)
        h.sum().backward()
    """)


def test_state_that_is_fed_back_raises() -> None:
    agree("""
        h = torch.zeros(4, 4)
        for _ in range(3):
            h += torch.tanh(a @ h)  # expect: IPL102
        h.sum().backward()
    """)


def test_state_that_is_fed_back_raises_on_the_first_iteration_already() -> None:
    agree("""
        h = torch.zeros(4, 4)
        h += torch.tanh(a @ h)  # expect: IPL102
        h.sum().backward()
    """)


def test_output_filled_row_by_row_is_fine() -> None:
    agree("""
        out = torch.zeros(4, 4)
        for i in range(4):
            out[i] = torch.tanh(a[i])
        out.sum().backward()
    """)


def test_output_whose_rows_are_read_for_the_next_raises() -> None:
    agree("""
        out = torch.zeros(4, 4)
        for i in range(3):
            out[i + 1] = torch.tanh(a[i] * out[i])  # expect: IPL102
        out.sum().backward()
    """)


def test_key_cache_that_is_read_with_a_gradient_and_written_again_raises() -> None:
    agree("""
        cache = torch.zeros(4, 4)
        total = 0.0
        for i in range(4):
            cache[i] = a[i]  # expect: IPL102
            scores = a @ cache.t()
            total = total + scores.sum()
        total.backward()
    """)


# Optimizer steps


def test_step_between_two_backwards_through_the_same_weights_raises() -> None:
    agree("""
        net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        y = net(b)
        y.mean().backward(retain_graph=True)
        optimizer.step()  # expect: IPL106
        y.square().mean().backward()
    """)


GAN = """
    generator = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4))
    critic = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
    opt_g = torch.optim.SGD(generator.parameters(), lr=0.1)
    opt_d = torch.optim.SGD(critic.parameters(), lr=0.1)
    fake = generator(b)
"""


def test_generator_loss_computed_before_the_critic_steps_raises() -> None:
    agree(
        GAN
        + """
    loss_g = -critic(fake).mean()
    loss_d = critic(fake.detach()).mean() - critic(b).mean()
    loss_d.backward()
    opt_d.step()  # expect: IPL106
    loss_g.backward()
    opt_g.step()
    """
    )


def test_critic_loss_through_the_generator_after_it_stepped_raises() -> None:
    agree(
        GAN
        + """
    loss_d = critic(fake).mean() - critic(b).mean()
    loss_g = -critic(fake).mean()
    loss_g.backward(retain_graph=True)
    opt_g.step()  # expect: IPL106
    loss_d.backward()
    opt_d.step()
    """
    )


def test_each_step_after_its_own_forward_and_backward_is_fine() -> None:
    agree(
        GAN
        + """
    loss_d = critic(fake.detach()).mean() - critic(b).mean()
    loss_d.backward()
    opt_d.step()
    loss_g = -critic(fake).mean()
    loss_g.backward()
    opt_g.step()
    """
    )


def test_step_of_one_linear_whose_input_needs_no_gradient_is_fine() -> None:
    agree("""
        net = nn.Linear(4, 1)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        y = net(b)
        y.mean().backward(retain_graph=True)
        optimizer.step()
        y.mean().backward()
    """)


# Losses


def test_logits_may_be_written_after_cross_entropy() -> None:
    agree("""
        targets = torch.tensor([3, 2, 1, 0])
        logits = a * 1
        loss = F.cross_entropy(logits, targets)
        logits.zero_()
        loss.backward()
    """)


def test_targets_may_not_be_written_after_cross_entropy() -> None:
    agree("""
        targets = torch.tensor([3, 2, 1, 0])
        loss = F.cross_entropy(a, targets)
        targets[0] = 1  # expect: IPL102
        loss.backward()
    """)


def test_targets_may_not_be_written_after_the_module_either() -> None:
    agree("""
        targets = torch.tensor([3, 2, 1, 0])
        loss = nn.CrossEntropyLoss()(a, targets)
        targets[0] = 1  # expect: IPL102
        loss.backward()
    """)


# torch.compile

#: Traced and differentiated by torch; no compiler of machine code is needed.
COMPILED = """
    @torch.compile(backend="aot_eager")
    def gate(x):
        y = torch.sigmoid(x)
        y += 1  # expect: IPL101
        return y
    y = gate(a)
    y.sum().backward()
"""


def test_compiling_does_not_rescue_a_hazard() -> None:
    agree(COMPILED)


@pytest.mark.filterwarnings("ignore:Error detected in SigmoidBackward0")
def test_hazard_fails_when_it_is_compiled() -> None:
    scope: dict[str, object] = {}
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        exec(GIVEN + textwrap.dedent(COMPILED).replace("y.sum().backward()", ""), scope)
