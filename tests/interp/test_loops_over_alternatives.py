"""A loop over one list or another takes the elements of each, round by round."""

from __future__ import annotations

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

TEXT = """import torch


def mixed(w, z, wide):
    c = (w * z).exp()
    d = w + z
{loop}
    {write}.add_(1)
    return total, c


for wide in (True, False):
    w = torch.rand(3, requires_grad=True)
    mixed(w, torch.rand(3), wide)[0].sum().backward()
"""
#: By name: a loop in which the sum depends on `c`, whose result was saved, and not on what `d` was made of.
LOOPS = {
    "lists": """    rows = [c, d] if wide else [c, z]
    total = 0
    for row in rows:
        total = total + row""",
    "comprehensions": """    rows = [one * 1 for one in (c, d)] if wide else [one + 0 for one in (c, d)]
    total, _ = [row + 1 for row in rows]""",
    "a list and a tuple": """    rows = (c, d)
    if wide:
        rows = [d, c]
    total = sum(row + 1 for row in rows)""",
    "one is longer": """    rows = [c, d] if wide else [c]
    total = torch.stack([row * 2 for row in rows])""",
    "tensors": """    total = 0
    for row in c if wide else c.view(3):
        total = total + row""",
    "none": """    rows = None
    if c is not None:
        rows = [c, d]
    total = torch.stack([row * 2 for row in rows])""",
}


@pytest.mark.parametrize("write", ["c", "d"])
@pytest.mark.parametrize("loop", LOOPS)
def test_each_element_of_each_list_counts(loop: str, write: str) -> None:
    text = TEXT.format(loop=LOOPS[loop], write=write)
    raised = False
    try:
        exec(compile(text, "mixed.py", "exec"), {})
    except RuntimeError as error:
        raised = "modified by an inplace operation" in str(error)
        assert raised, error
    assert raised is (write == "c")
    found = list(check_source("mixed.py", text.encode(), Settings(), Project()))
    assert [one.code for one in found] == ["IPL101"] * raised
