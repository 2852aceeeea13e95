"""`inplace-lint trace` and `inplace_lint.trace()`: the program stays what it is, and its hazards are told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import inplace_lint

ROOT = Path(__file__).parents[2]
PROGRAM = """\
import sys
import torch


def gate(x):
    y = torch.sigmoid(x)
    y += 1
    return y


print(__name__, sys.argv[1:], sys.path[0])
try:
    gate(torch.rand(3, requires_grad=True)).sum().backward()
except RuntimeError as error:
    print("modified by an inplace operation" in str(error))
sys.exit(int(sys.argv[1]))
"""
FRAME = """\
error[IPL101] saved-result-overwritten: sigmoid's result, saved at train.py:6 (version 0), was written at train.py:7 \
by add_ (version 1)
  --> train.py:7:5
   |
 6 |     y = torch.sigmoid(x)
   |         ---------------- SigmoidBackward0 saves this result
 7 |     y += 1
   |     ^^^^^^ add_ moves its version from 0 to 1
   |
   = help: use the out-of-place form, or write to a `.clone()`

"""


def lint(*argv: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "inplace_lint", *argv],
        cwd=cwd,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
        timeout=300,
        check=False,
    )


def test_program_keeps_its_arguments_output_and_status(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    done = lint("trace", "train.py", "3", "--help", "-m", cwd=tmp_path)
    assert done.returncode == 3
    assert done.stdout == f"__main__ ['3', '--help', '-m'] {tmp_path}\nTrue\n"
    if sys.version_info >= (3, 11):  # before, Python does not tell columns
        assert done.stderr == FRAME + "inplace-lint: 1 hazard in train.py.\n"
    assert "IPL101" in done.stderr


def test_module_is_run_by_name(tmp_path: Path) -> None:
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack/__main__.py").write_text("from . import word\nprint(word, __name__)\n")
    (tmp_path / "pack/__init__.py").write_text("word = 'yes'\n")
    done = lint("trace", "-m", "pack", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "yes __main__\n")
    assert done.stderr == "inplace-lint: no hazards in pack: no backward ran in its process.\n"


def test_uncaught_error_looks_as_ever_and_its_write_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "leaf.py").write_text("import torch\nw = torch.ones(2, requires_grad=True)\nw.add_(1)\n")
    done = lint("trace", "--output-format", "json", "--output-file", "found.json", "leaf.py", cwd=tmp_path)
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[1].strip() == f'File "{tmp_path / "leaf.py"}", line 3, in <module>' or "leaf.py" in lines[1]
    assert "inplace_lint/runtime" not in done.stderr
    (found,) = json.loads((tmp_path / "found.json").read_text())
    assert (found["code"], found["location"]["row"]) == ("IPL103", 3)


@pytest.mark.parametrize(
    ("argv", "text"),
    [
        ([], "trace needs a program"),
        (["gone.py"], "there is no file gone.py"),
        (["--no-cheksums", "gone.py"], "did you mean --no-checksums?"),
        (["-m"], "trace needs a program"),
    ],
)
def test_wrong_call_is_explained(tmp_path: Path, argv: list[str], text: str) -> None:
    done = lint("trace", *argv, cwd=tmp_path)
    assert done.returncode == 2
    assert text in done.stderr


@pytest.mark.parametrize("verb", [["trace", "a.py"], ["confirm", "a.py"]], ids=lambda verb: verb[0])
def test_without_torch_it_is_said_what_to_install(tmp_path: Path, verb: list[str]) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    code = "import sys; sys.modules['torch'] = None; from inplace_lint.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", code, *verb],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "pip install 'inplace-lint[runtime]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_importing_the_package_does_not_import_torch() -> None:
    code = "import inplace_lint, sys; sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})


def test_context_manager_tells_before_backward_runs() -> None:
    order = []
    a = torch.rand(3, requires_grad=True)
    with inplace_lint.trace(on_hazard=lambda hazard: order.append(hazard.node), raises=False) as trace:
        y = torch.sigmoid(a)
        y += 1
        y.register_hook(lambda grad: order.append("backward"))
        y.sum().backward()
    assert order == ["SigmoidBackward0", "backward"]
    (hazard,) = trace.hazards
    assert hazard.versions == (0, 1)
    assert [one.code for one in trace.diagnostics] == ["IPL101"]


def test_one_hazard_in_a_loop_is_told_once() -> None:
    told = []
    w = torch.rand(3, requires_grad=True)
    with inplace_lint.trace(on_hazard=told.append, raises=False):
        for _ in range(5):
            y = torch.exp(w)
            y.mul_(2)
            y.sum().backward()
    assert len(told) == 1


def test_torch_is_left_as_it_was() -> None:
    import threading

    hooks = torch._C._autograd
    before = {
        **{name: getattr(hooks, name) for name in dir(hooks) if "saved_tensors" in name},
        "engine": torch.autograd._engine_run_backward,
        "start": threading.Thread.start,
        "numpy": vars(torch.Tensor).get("numpy"),
    }
    with inplace_lint.trace(on_hazard=None), inplace_lint.trace(on_hazard=None):
        torch.rand(3, requires_grad=True).exp().sum().backward()
    after = {
        **{name: getattr(hooks, name) for name in dir(hooks) if "saved_tensors" in name},
        "engine": torch.autograd._engine_run_backward,
        "start": threading.Thread.start,
        "numpy": vars(torch.Tensor).get("numpy"),
    }
    assert before == after
    y = torch.sigmoid(torch.rand(3, requires_grad=True))
    y += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_saved_memory_is_freed_with_its_graph() -> None:
    with inplace_lint.trace(on_hazard=None):
        y = torch.sigmoid(torch.rand(3, requires_grad=True))
        kept = y.grad_fn._raw_saved_result.data
        import weakref

        alive = weakref.ref(kept)
        del kept
        y.sum().backward()
        del y
        assert alive() is None


def test_tracing_without_checksums_sees_versions_and_writes_alone() -> None:
    a, b = torch.rand(3, requires_grad=True), torch.rand(3)
    with inplace_lint.trace(on_hazard=None, checksums=False) as trace:
        y = a * b
        b.data.add_(1)
        y.sum().backward()
        array, y = b.numpy(), a * b
        array += 1
        y.sum().backward()
    assert [one.code for one in trace.diagnostics] == ["IPL201"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="counts child processes by their time")
def test_what_no_run_could_see_is_told(tmp_path: Path) -> None:
    work = "import torch\nw = torch.rand(3, requires_grad=True)\n(w * w).sum().backward()\n"
    (tmp_path / "train.py").write_text(work)
    assert lint("trace", "train.py", cwd=tmp_path).stderr == "inplace-lint: no hazards in train.py.\n"
    spin = "sum(range(10**6))"
    (tmp_path / "train.py").write_text(
        f"{work}import subprocess, sys\nsubprocess.run([sys.executable, '-c', '{spin}'])\n"
    )
    done = lint("trace", "train.py", cwd=tmp_path)
    assert done.stderr.endswith("in train.py: the processes that it started were not watched.\n")
