"""Writes whose error the code catches, and writes in compiled functions, are seen at their lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from inplace_lint.runtime import blocks

from .command import about, inplace_lint

pytestmark = pytest.mark.usefixtures("no_traces")
HEAD = "import contextlib\nimport pytest\nimport torch\n\n"


def judged(folder: Path, source: str, code: str, write: str, *names: str) -> dict[str, Any]:
    file = folder / "to_be_refused.py"
    file.write_text(HEAD + source)
    (verdict,) = blocks.examine(about(file, code, write, *names), lambda *stage: None)
    return verdict


CATCHING = {
    "w.add_(1)": "    with pytest.raises(RuntimeError):\n        w.add_(1)\n",
    "w += 1": "    try:\n        w += 1\n    except RuntimeError:\n        return None\n",
    "w[0] = 1.0": "    with contextlib.suppress(RuntimeError):\n        w[0] = 1.0\n",
}


@pytest.mark.parametrize("write", CATCHING)
def test_a_refusal_that_is_caught_is_confirmed(tmp_path: Path, write: str) -> None:
    source = f"def test_leaf():\n    w = torch.ones(3, requires_grad=True)\n{CATCHING[write]}"
    verdict = judged(tmp_path, source, "IPL103", write, "test_leaf")
    assert verdict["status"] == "confirmed", verdict
    assert "and the code catches it: " in verdict["reason"]


def test_a_refusal_elsewhere_confirms_nothing(tmp_path: Path) -> None:
    source = """\
def step():
    w = torch.ones(3, requires_grad=True)
    with contextlib.suppress(RuntimeError):
        w.add_(1)
    y = w * 2
    y.mul_(3)
    return y
"""
    assert judged(tmp_path, source, "IPL103", "y.mul_", "step")["status"] != "confirmed"


COMPILED = """\
@torch.compile(backend="{backend}")
def gate(x: torch.Tensor):
    y = torch.sigmoid(x)
    {write}
    return y * 2
"""


def raises(write: str, backend: str) -> bool:
    def gate(x: torch.Tensor) -> torch.Tensor:
        values = {"x": x, "y": torch.sigmoid(x)}
        exec(write, {}, values)
        return values["y"] * 2

    try:
        torch.compile(gate, backend=backend)(torch.rand(3, requires_grad=True)).sum().backward()
    except RuntimeError:
        return True
    return False


@pytest.mark.parametrize("write", ["y += 1", "y = y + 1"])
def test_a_compiled_function_is_judged_by_what_it_does_compiled(tmp_path: Path, write: str) -> None:
    found = judged(tmp_path, COMPILED.format(backend="eager", write=write), "IPL101", write, "gate")
    assert (found["status"] == "confirmed") == raises(write, "eager"), found
    if found["status"] == "confirmed":
        assert found["conflicts"][0]["written_at"]["location"]["row"] == 8


def test_a_trace_names_a_line_of_the_user_in_compiled_code(tmp_path: Path) -> None:
    source = "import torch\n\n" + COMPILED.format(backend="eager", write="y += 1")
    source += "\ngate(torch.rand(3, requires_grad=True)).sum().backward()\n"
    (tmp_path / "train.py").write_text(source)
    done = inplace_lint(tmp_path, "trace", "train.py")
    assert "was written at train.py:" in done.stderr
    assert "was written at <eval" not in done.stderr
