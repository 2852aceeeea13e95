"""Elements of an argument that a loop goes over and an index takes again: `xs[0]` is the first; torch is the judge."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

LOOPS = {
    "by element": "for h in xs: c = c + self.fh(h)",
    "numbered": "for _, h in enumerate(xs): c = c + self.fh(h)",
    "by index": "for i in range(len(xs)): c = c + self.fh(xs[i])",
    "comprehension": "c = sum([self.fh(h) for h in xs])",
    "map": "c = sum(map(self.fh, xs))",
    "with another": "for h, k in zip(xs, [1, 2, 3]): c = c + self.fh(h) * k",
    "of copies": "for h in xs: c = c + self.fh(h.clone())",
    "none": "pass",
}
ENDS = {
    "first": "s = xs[0]",
    "last": "s = xs[-1]",
    "unpacked": "s, *rest = xs",
    "copied": "s = xs[0].clone()",
    "new": "s = torch.zeros_like(xs[0])",
}
WRITES = {
    "others added": "for h in xs[1:]: s += h",
    "one added": "s.add_(xs[1])",
    "scaled": "s *= 2",
    "out of place": "s = s * 2",
}
ORDERS = {
    "saved first": "{loop}\n        {end}\n        {write}",
    "written first": "{end}\n        {write}\n        {loop}",
    "taken first": "{end}\n        {loop}\n        {write}",
}
SOURCE = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fh = nn.Linear(4, 4)

    def forward(self, xs):
        c = 0.0
        {body}
        return s + c + self.fh(torch.ones(2, 4))
"""
USE = "\n\nNet()([torch.randn(2, 4) for _ in range(3)]).sum().backward()\n"


#: Not among them: `xs[i]` in a loop, if an end was read before; that it may be that end is not known.
WAYS = [(loop, order) for loop in LOOPS for order in ORDERS if (loop, order) != ("by index", "taken first")]


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize(("loop", "order"), WAYS)
def test_an_end_that_is_written_was_saved_in_the_loop(
    loop: str, end: str, write: str, order: str, tmp_path: Path
) -> None:
    """A write of an end is told just where the loop saved it, whoever gives the list."""
    body = ORDERS[order].format(loop=LOOPS[loop], end=ENDS[end], write=WRITES[write])
    source = SOURCE.format(body=body)
    try:
        exec(compile(source + USE, "case", "exec"), {})
    except RuntimeError as error:
        assert "modified by an inplace" in str(error)
        raises = True
    else:
        raises = False
    findings = check_source(
        str(tmp_path / "case.py"), source.encode(), Settings(), Project(root=str(tmp_path))
    )
    assert any(one.severity == "error" for one in findings) == raises, (source, findings)


def test_a_loader_gives_other_batches_each_time(tmp_path: Path) -> None:
    """What a second loop over an argument takes was not saved in the first, as long as no index says so."""
    source = (
        "from torch import nn\n\n\ndef train(loader, net: nn.Linear):\n    loss = 0\n"
        "    for batch in loader:\n        loss = loss + net(batch).sum()\n"
        "    for batch in loader:\n        batch.mul_(2)\n    loss.backward()\n"
    )
    found = check_source(str(tmp_path / "case.py"), source.encode(), Settings(), Project(root=str(tmp_path)))
    assert not [one for one in found if one.severity == "error"]


def test_a_copy_of_an_argument_has_its_first_element(tmp_path: Path) -> None:
    """`list(xs)[0]` is the first element that a loop over the copy goes through."""
    source = SOURCE.format(
        body="xs = list(xs)\n        for h in xs: c = c + self.fh(h)\n        s = xs[0]; s += xs[1]"
    )
    found = check_source(str(tmp_path / "case.py"), source.encode(), Settings(), Project(root=str(tmp_path)))
    assert any(one.severity == "error" for one in found)
