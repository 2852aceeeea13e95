"""When a tensor is saved, and which: by grad mode, by who needs grad, by the form in place or out of place."""

from __future__ import annotations

import pytest

from .program import agree

CASES = pytest.mark.parametrize


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
    "requires_grad of the result": """
        def norm(x):
            y = torch.sigmoid(x)
            if not y.requires_grad:
                y.add_(1)
            return y
        norm(a).sum().backward()
        norm(b)
    """,
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


@CASES("power", ["2", "3", "0.5", "-1", "1", "0"])
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
