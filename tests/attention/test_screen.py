"""Which functions are evaluated at all."""

from __future__ import annotations

import textwrap

import pytest

from inplace_lint.attention.screen import functions
from inplace_lint.project import Project
from inplace_lint.syntax.files import Files
from inplace_lint.syntax.module import Module


def chosen(text: str) -> list[str]:
    module = Module("one.py", textwrap.dedent(text).encode())
    return [one.name for one in functions(module, Files(Project()))]


def test_a_softmax_in_a_docstring_is_none():
    text = '''
        def similar(a, b, scale):
            """Logits of pairs.

                probabilities = similar(a, b, s).softmax(-1)
            """
            return scale * a @ b.mT

        def attend(q, k, v):
            """softmax(qk)v"""
            return (q @ k.mT).softmax(-1) @ v
    '''
    assert chosen(text) == ["attend"]


@pytest.mark.parametrize(
    ("weights", "is_chosen"),
    [
        ("s.exp()", False),
        ("s.exp() / s.exp().sum(-1, keepdim=True)", True),
        ("(s - s.logsumexp(-1, keepdim=True)).exp()", True),
        ("normal(s.exp())", True),
    ],
)
def test_a_softmax_written_out_has_a_sum(weights: str, is_chosen: bool):
    text = f"""
        def normal(e):
            return e / e.sum(-1, keepdim=True)

        def attend(q, k, v):
            s = q @ k.mT
            w = {weights}
            return w @ v
    """
    assert ("attend" in chosen(text)) == is_chosen
