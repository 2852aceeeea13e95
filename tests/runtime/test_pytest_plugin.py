"""`pytest --inplace-trace` in a project of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
TESTS = """\
import pytest
import torch

def hazard():
    a = torch.rand(3, requires_grad=True)
    y = torch.sigmoid(a)
    y += 1
    y.sum().backward()

def silent():
    a, b = torch.rand(3, requires_grad=True), torch.rand(3)
    y = a * b
    b.data.add_(1)
    y.sum().backward()

@pytest.fixture
def saved():
    return torch.sigmoid(torch.rand(3, requires_grad=True))

def test_right():
    torch.rand(3, requires_grad=True).exp().sum().backward()

def test_raises():
    hazard()

def test_swallows():
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        hazard()

@pytest.mark.inplace_hazards_expected
def test_expects():
    with pytest.raises(RuntimeError):
        hazard()

def test_silent():
    silent()

def test_fixture(saved):
    saved.data.zero_()
    saved.sum().backward()
"""


def run(path: Path, *options: str) -> tuple[int, str]:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "inplace_lint.runtime.pytest_plugin",
            "-rA",
            *options,
            str(path),
        ],
        cwd=path.parent,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        timeout=300,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_a_test_with_a_hazard_fails(tmp_path: Path) -> None:
    path = tmp_path / "test_it.py"
    path.write_text(TESTS)
    status, text = run(path, "--inplace-trace")
    assert status == 1, text
    for name in ("raises", "swallows", "silent", "fixture"):
        assert f"FAILED test_it.py::test_{name}" in text, text
    for name in ("right", "expects"):
        assert f"PASSED test_it.py::test_{name}" in text, text
    assert "SigmoidBackward0 saves this result" in text
    assert "IPL201" in text
    assert "1 hazard in this test, though it passed" in text


def test_without_the_option_nothing_is_traced_or_imported(tmp_path: Path) -> None:
    path = tmp_path / "test_it.py"
    path.write_text(
        "import sys\ndef test_light():\n"
        "    assert 'torch' not in sys.modules\n"
        "    assert not {name for name in sys.modules if name.startswith('inplace_lint.')} - "
        "{'inplace_lint.runtime', 'inplace_lint.runtime.pytest_plugin'}\n"
    )
    status, text = run(path)
    assert status == 0, text
