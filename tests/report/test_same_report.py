"""Two checks of the same files give the same report: nothing in it follows the order of a set of objects."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path

#: Each helper reads `x` behind a `return` that is taken with its default: what the fix says of them has an order.
TEXT = """
    import torch
    from torch import nn


    def drop(x, p: float = 0.0):
        if p == 0.0:
            return x
        return x * torch.rand_like(x)


    def shift(x, by: float = 0.0):
        if by == 0.0:
            return x
        return x + by


    def scale(x, by: float = 1.0):
        if by == 1.0:
            return x
        return x * by


    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 3, 1)
            self.norm = nn.BatchNorm2d(3)

        def forward(self, x):
            shortcut = x
            x = torch.sigmoid(self.norm(self.conv(x)))
            x = drop(x)
            x = shift(x)
            x = scale(x)
            x += shortcut
            return x
"""


def test_reads_that_a_fix_speaks_of_come_in_one_order(tmp_path: Path) -> None:
    path = tmp_path / "block.py"
    path.write_text(textwrap.dedent(TEXT), encoding="utf-8")
    command = [sys.executable, "-m", "inplace_lint", "check", "--isolated", "--no-cache"]
    reports = [
        subprocess.run(
            [*command, "--output-format", "json", path.name],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        ).stdout
        for _ in range(6)  # the addresses of objects differ, and so does the order of a set of them
    ]
    (finding,) = json.loads(reports[0])
    message = finding["fix"]["message"]
    rows = [message.index(f"`x` on line {row} is read") for row in (9, 15, 21)]
    assert rows == sorted(rows), message
    assert len(set(reports)) == 1, "\n".join(sorted(set(reports)))
