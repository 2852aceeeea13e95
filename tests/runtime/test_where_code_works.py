"""Code that a verdict needs to be run overwrites no file of the user by a relative name, and finds what it imports."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

WRITES = "torch.save({}, 'checkpoint.pt')\nopen('log.txt', 'w').write('new')\n"
HAZARD = "    y = torch.sigmoid(x)\n    y += 1\n    return y\n"
PROGRAMS = {
    "a script": f"""import torch
{WRITES}
x = torch.ones(3, requires_grad=True)
y = torch.sigmoid(x)
y += 1
y.sum().backward()
""",
    "a main function": f"""import torch

from helpers import scaled


def main():
    x = torch.ones(3, requires_grad=True)
    y = torch.sigmoid(scaled(x))
    y += 1
    {WRITES.splitlines()[0]}
    {WRITES.splitlines()[1]}
    y.sum().backward()


if __name__ == "__main__":
    main()
""",
    "a module that writes when it is imported": f"""import torch
{WRITES}

def f(x: torch.Tensor):
{HAZARD}""",
    "a function that writes when it is called": f"""import torch


def f(x: torch.Tensor):
    {WRITES.splitlines()[0]}
    {WRITES.splitlines()[1]}
{HAZARD}""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_confirm_leaves_the_files_beside_it_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / "program.py").write_text(PROGRAMS[name])
    (tmp_path / "helpers.py").write_text("def scaled(x):\n    return x * 2\n")
    kept = {"checkpoint.pt": "precious", "log.txt": "old"}
    for file, text in kept.items():
        (tmp_path / file).write_text(text)
    before = sorted(os.listdir(tmp_path))
    done = subprocess.run(
        [sys.executable, "-m", "inplace_lint", "confirm", "--isolated", "--no-cache", "program.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert "confirmed" in done.stdout, done.stdout + done.stderr
    assert "saved at program.py:" in done.stdout  # as a path of the user, though the code worked elsewhere
    assert {file: (tmp_path / file).read_text() for file in kept} == kept
    assert sorted(os.listdir(tmp_path)) == before
