"""`check --profile` says how often the analysis went through which functions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TEXT = """import torch
from torch import nn


def scaled(y):
    y.mul_(2)
    z = y + 1
    z = z * 2
    return z


class Gate(nn.Module):
    def activate(self, x):
        y = torch.sigmoid(x)
        a = scaled(y)
        b = scaled(y)
        return a + b


class Wide(Gate):
    pass


def use(x):
    return Gate().activate(x) + Wide().activate(x)
"""


def test_each_interpretation_of_a_body_is_counted_by_the_class_of_its_object(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(TEXT)
    command = [
        sys.executable,
        "-m",
        "inplace_lint",
        "check",
        "--isolated",
        "--profile",
        "--jobs",
        "2",
        "a.py",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    first, *rows = done.stderr.splitlines()
    words = first.split()
    counted = {tuple(row.split()[1:]): int(row.split()[0]) for row in rows if "a.py:" in row}
    assert counted["Gate.activate", "a.py:13"] > 0
    assert counted["scaled", "a.py:5"] >= 2 * counted["Gate.activate", "a.py:13"]
    times = int(words[words.index("times,") - 1])
    assert sum(counted.values()) == times
    assert len(counted) == int(words[words.index("interpreted") + 1])


def test_nothing_is_said_of_it_otherwise(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(TEXT)
    command = [sys.executable, "-m", "inplace_lint", "check", "--isolated", "a.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "interpreted" not in done.stderr
