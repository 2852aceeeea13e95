"""A warning wherever the scores are real; a note where code in sight chooses a kernel, or reads the weights."""

from __future__ import annotations

import os
import textwrap

import pytest

from inplace_lint.checks import check_source
from inplace_lint.model import Diagnostic
from inplace_lint.project import Project, Settings

HEAD = """
import torch
import torch.nn.functional as F
from torch import nn


def eager(q, k, v):
    w = (q @ k.transpose(-2, -1) / 8).softmax(-1)
    return w @ v


def fused(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, scale=1 / 8)


def other(q, k, v):
    return q + k + v
"""

#: what stands beside them -> whether the finding in `eager` is a note
CASES = {
    "alone": ("", False),
    "named-in-prose": (
        """
        class Layer(nn.Module):
            '''Attention as in `eager`, which :func:`eager` explains; see scaled_dot_product_attention.'''

            def forward(self, q, k, v):
                # eager, not fused
                return eager(q, k, v)
        """,
        False,
    ),
    "listed": ('__all__ = ["eager", "fused"]\nPAIRS = [(eager, fused)]', False),
    "handed-to-a-layer": ("layer = nn.Module()\nlayer.attend = eager", False),
    "table": ('TABLE = {"eager": eager, "sdpa": fused}', True),
    "table-without-kernel": ('TABLE = {"eager": eager, "other": other}', False),
    "table-filled-later": ('TABLE = {}\nTABLE["a"] = eager\nTABLE["b"] = fused', True),
    "attributes-of-two-classes": (
        """
        class Kept:
            kept = {"attention": other, "scores": eager}

        class Fused:
            kept = {"attention": fused, "scores": other}
        """,
        False,
    ),
    "expression": ("def attend(fast):\n    return fused if fast else eager", True),
    "expression-without-kernel": ("def attend(fast):\n    return other if fast else eager", False),
    "variable": (
        """
        TABLE = {"sdpa": fused}

        def attend(q, k, v, kind):
            chosen = eager
            if kind != "eager":
                chosen = TABLE[kind]
            return chosen(q, k, v)
        """,
        True,
    ),
    "results-compared": (
        """
        def compare(q, k, v):
            out = eager(q, k, v)
            print(out)
            out = fused(q, k, v)
            print(out)
        """,
        False,
    ),
    "default-of-a-lookup": (
        """
        class Table:
            held = {"sdpa": fused}

            def get(self, name, default):
                return self.held.get(name, default)

        TABLE = Table()

        def attend(q, k, v, kind):
            return TABLE.get(kind, eager)(q, k, v)
        """,
        True,
    ),
    "branch": (
        """
        def attend(q, k, v, fast):
            if fast:
                return fused(q, k, v)
            return eager(q, k, v)
        """,
        True,
    ),
    "kernel-imported-where-it-is-called": (
        """
        @torch.compiler.disable
        def by_pairs(q, k, v, bias):
            from cuequivariance_torch.primitives.triangle import triangle_attention

            return triangle_attention(q, k, v, bias)

        def attend(q, k, v, bias, fast):
            if fast:
                return by_pairs(q, k, v, bias)
            else:
                return eager(q, k, v)
        """,
        True,
    ),
    "library-kernel": (
        """
        from flash_attn import flash_attn_func

        def attend(q, k, v, fast):
            if fast:
                return flash_attn_func(q, k, v)
            return eager(q, k, v)
        """,
        True,
    ),
}


def found(text: str, filename: str = "layer.py", root: str = "") -> Diagnostic:
    """The one IPL401 of a program."""
    project = Project(root) if root else Project()
    some = check_source(filename, text.encode(), Settings(), project)
    (one,) = [one for one in some if one.code == "IPL401"]
    return one


@pytest.mark.parametrize("name", CASES)
def test_note_only_where_a_kernel_is_chosen_in_sight(name: str) -> None:
    beside, is_note = CASES[name]
    one = found(HEAD + "\n\n" + textwrap.dedent(beside))
    assert one.severity == ("note" if is_note else "warning")


def test_table_in_another_file_is_looked_at(tmp_path: os.PathLike[str]) -> None:
    folder = os.path.join(tmp_path, "package")
    os.mkdir(folder)
    for name, text in (
        ("__init__.py", ""),
        (
            "kernels.py",
            'from torch.nn.functional import scaled_dot_product_attention as kernel\nTABLE = {"a": kernel}\n',
        ),
        ("plain.py", 'TABLE = {"a": print}\n'),
    ):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    for source, severity in (("kernels", "note"), ("plain", "warning")):
        text = (
            HEAD
            + f"\n\nfrom .{source} import TABLE\n\n\ndef attend(q, k, v, a):\n    return TABLE.get(a, eager)(q, k, v)\n"
        )
        assert found(text, os.path.join(folder, "layer.py"), str(tmp_path)).severity == severity


@pytest.mark.parametrize(
    ("method", "is_note"),
    [
        ("def attend(self, q, k, v):\n        return F.scaled_dot_product_attention(q, k, v)", True),
        ('def attend(self, q, k, v):\n        raise RuntimeError("scaled_dot_product_attention")', False),
        ("def other(self, q, k, v):\n        return F.scaled_dot_product_attention(q, k, v)", False),
    ],
)
def test_subclass_that_has_the_kernel_do_it(method: str, is_note: bool) -> None:
    text = f"""
import torch.nn.functional as F
from torch import nn


class Plain(nn.Module):
    def attend(self, q, k, v):
        return (q @ k.transpose(-2, -1)).softmax(-1) @ v


class Fast(Plain):
    {method}
"""
    assert found(text).severity == ("note" if is_note else "warning")


@pytest.mark.parametrize(
    ("caller", "is_note"),
    [
        ("", True),
        ("def use(q, k, v):\n    return attend(q, k, v)[0]", False),
        ("def use(q, k, v):\n    out, w = attend(q, k, v)\n    return out", False),
        ("def use(q, k, v):\n    out, w = attend(q, k, v)\n    return out, w", True),
    ],
)
def test_returned_weights_are_needed_unless_no_caller_reads_them(caller: str, is_note: bool) -> None:
    text = f"def attend(q, k, v):\n    w = (q @ k.mT).softmax(-1)\n    return w @ v, w\n\n\n{caller}\n"
    assert found(text).severity == ("note" if is_note else "warning")


@pytest.mark.parametrize("change", ["w = w * 0.9", "w = unknown(w)", "w = w.masked_fill(mask, 0.0)"])
def test_changed_weights_are_no_less_real(change: str) -> None:
    text = f"def attend(q, k, v, mask, unknown):\n    w = (q @ k.mT).softmax(-1)\n    {change}\n    return w @ v\n"
    one = found(text)
    assert one.severity == "warning"
    assert "changed after the softmax" in str(one.fix_refused)


def test_what_changes_the_weights_has_a_name_or_none() -> None:
    change = 'w = self.nets["drop"](w)'
    body = f"w = (q @ k.mT).softmax(-1)\n        {change}\n        return w @ v\n"
    text = f"class Block(nn.Module):\n    def forward(self, q, k, v):\n        {body}"
    refused = str(found(text).fix_refused)
    assert refused == "the weights are changed after the softmax, by a function that is not known by name"
