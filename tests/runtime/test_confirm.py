"""`inplace-lint confirm`: what each finding becomes when its block is run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from .command import ROOT, inplace_lint

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="child processes need fork")

BLOCKS = """\
import torch
from torch import nn


def no_arguments():
    a = torch.rand(3, requires_grad=True)
    y = torch.sigmoid(a)
    y += 1  # confirmed
    return y


def annotated(x: torch.Tensor):
    y = torch.tanh(x)
    y *= 2  # confirmed
    return y


# inplace-lint: inputs x=f32[2,5], times=3
def commented(x, times):
    y = torch.exp(x)
    for _ in range(times):
        y.mul_(2)  # confirmed
    return y


# inplace-lint: inputs width=6, x=f32[2,6]
class Gate(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.proj = nn.Linear(width, width)

    def forward(self, x):
        y = torch.sigmoid(self.proj(x))
        y += 1  # confirmed
        return y


def unknown(batch):
    y = torch.sigmoid(batch.decode("rows").logits)
    y += 1  # inconclusive
    return y


def nothing_changes():
    a = torch.rand(3, requires_grad=True)
    y = torch.softmax(a, 0)
    y.relu_()  # confirmed
    return y


def disjoint():
    a = torch.rand(3, requires_grad=True)
    base = torch.zeros(2, 3)
    y = a * base[0]
    base[1].fill_(1)  # spurious
    return y


def depends(x: torch.Tensor, deep: bool = False):
    y = torch.sigmoid(x)
    if deep:
        y += 1  # inconclusive
    return y


# inplace-lint: inputs x=i64[3]
def of_integers(x):
    y = torch.sigmoid(x)
    y += 1  # inconclusive
    return y


def leaf():
    w = torch.zeros(3, requires_grad=True)
    w.add_(1)  # confirmed
    return w


def fails():
    a = torch.rand(3, requires_grad=True)
    y = torch.sigmoid(a)
    y += 1  # inconclusive
    return y @ torch.rand(5, 5)


def reads_too_late(x: torch.Tensor):
    y = x * 2
    return y.add_(1) * y  # confirmed


def hidden_from_the_check(x: torch.Tensor):
    y = torch.tanh(x)
    y.data.mul_(0.3)  # confirmed
    return y


def dies():
    a = torch.rand(3, requires_grad=True)
    y = torch.sigmoid(a)
    y += 1  # inconclusive
    import os
    os._exit(0)
    return y
"""


def confirm(*argv: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return inplace_lint(cwd, "confirm", *argv)


def verdicts(source: str, folder: Path, *argv: str) -> dict[int, dict[str, Any]]:
    (folder / "model.py").write_text(source)
    done = confirm("--output-format", "json", *argv, "model.py", cwd=folder)
    assert done.returncode in (0, 1), done.stderr
    return {one["location"]["row"]: one["verdict"] for one in json.loads(done.stdout)}


def test_each_block_gets_its_verdict(tmp_path: Path) -> None:
    found = verdicts(BLOCKS, tmp_path)
    marked = {
        row: line.rpartition("# ")[2]
        for row, line in enumerate(BLOCKS.splitlines(), 1)
        if line.endswith(("confirmed", "inconclusive", "spurious", "refuted"))
    }
    reasons = "\n".join(f"{row}: {one['status']}: {one['reason']}" for row, one in sorted(found.items()))
    # What the static side leaves out as no error is no business of this test.
    assert {row: one["status"] for row, one in found.items()} == {row: marked[row] for row in found}, reasons
    assert len(found) >= 11, reasons
    by_text = {BLOCKS.splitlines()[row - 1].strip(): one for row, one in found.items()}
    confirmed = by_text["y *= 2  # confirmed"]
    assert confirmed["inputs"].keys() == {"x"}
    (conflict,) = confirmed["conflicts"]
    assert (conflict["node"], conflict["attribute"], conflict["versions"]) == (
        "TanhBackward0",
        "result",
        [0, 1],
    )
    assert conflict["saved_at"] == {"filename": "model.py", "location": {"row": 13, "column": 9}}
    assert conflict["written_at"]["location"]["row"] == 14
    assert conflict["gradient_error"] > 0.1
    assert "trials found none" in reasons
    assert "it ended with status 0 and without a result" in reasons
    assert "another error" in reasons
    assert "PyTorch raises nothing" in by_text["y.data.mul_(0.3)  # confirmed"]["reason"]


APART = """\
import torch


def f(x: torch.Tensor, often: bool = True):
    y = torch.sigmoid(x)
    z = y * 2
    z += 1
    return y, z


def g(x):
    return f(x)


def make():
    return (torch.rand(2, 2, requires_grad=True) * 1.0,)
"""


def judged(
    folder: Path, name: str, write: int, save: int, code: str = "IPL101", **more: Any
) -> dict[str, Any]:
    """The verdict on a finding that we make up: the analysis would not report it."""
    from inplace_lint.runtime.blocks import examine

    file = folder / "apart.py"
    file.write_text(APART)
    path = os.path.realpath(file)
    finding = {
        "code": code,
        "writes": [[path, write, write]],
        "saves": [[path, save, save]],
        "only": None,
        **more,
    }
    arguments = {
        "file": path,
        "module": "apart",
        "top": str(folder),
        "names": [name],
        "factories": {"apart:g": "apart:make"},
        "captured": {},
        "findings": [finding],
        "device": None,
        "seconds": 60.0,
    }
    (verdict,) = examine(arguments, lambda *stage: None)
    return verdict


@pytest.mark.parametrize(
    ("name", "write", "save", "more", "status", "reason"),
    [
        (
            "f",
            7,
            5,
            {},
            "refuted",
            "on these inputs save and write ran, and backward read what had been saved",
        ),
        ("g", 7, 5, {}, "refuted", "on these inputs"),
        ("f", 7, 5, {"only": "cuda"}, "inconclusive", "the save happens on cuda, and this ran on cpu"),
        ("f", 12, 5, {}, "inconclusive", "the write at"),
        ("f", 7, 6, {}, "inconclusive", "nothing was saved at"),
        ("f", 7, 5, {"code": "IPL103"}, "inconclusive", "whether an argument is a leaf is up to the caller"),
    ],
)
def test_refuted_takes_a_save_and_a_write_that_ran(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    write: int,
    save: int,
    more: dict[str, Any],
    status: str,
    reason: str,
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "apart", raising=False)
    verdict = judged(tmp_path, name, write, save, **more)
    assert verdict["status"] == status, verdict
    assert verdict["reason"].startswith(reason) or reason in verdict["reason"]


ODD = """\
import torch
from torch import nn


class Odd(nn.Module):
    def __init__(self, table):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(table["width"]))

    def forward(self, x):
        return x

    def other(self, x):
        y = torch.sigmoid(x * self.weight)
        y += 1
        return y
"""


def test_captured_inputs_reach_a_method_beside_the_forward(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inplace_lint.runtime.blocks import examine

    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "odd", raising=False)
    file = tmp_path / "odd.py"
    file.write_text(ODD)
    path = os.path.realpath(file)
    use = {
        "constructor": {"table": {"dict": {"width": 5}}},
        "positional": [],
        "leading": [{"tensor": "f32[2,5]"}],
        "arguments": {},
    }
    arguments = {
        "file": path,
        "module": "odd",
        "top": str(tmp_path),
        "names": ["Odd", "other"],
        "factories": {},
        "captured": {"odd:Odd": [use]},
        "findings": [{"code": "IPL101", "writes": [[path, 15, 15]], "saves": [[path, 14, 14]], "only": None}],
        "device": None,
        "seconds": 60.0,
    }
    (verdict,) = examine(arguments, lambda *stage: None)
    assert verdict["status"] == "confirmed", verdict
    assert verdict["inputs"] == {"x": "f32[2,5]"}


def test_module_level_finding_runs_the_file(tmp_path: Path) -> None:
    source = """\
import torch

a = torch.rand(3, requires_grad=True)
y = torch.sigmoid(a)
y += 1
try:
    y.sum().backward()
except RuntimeError:
    print("as expected")
"""
    (verdict,) = verdicts(source, tmp_path).values()
    assert verdict["status"] == "confirmed"
    assert verdict["device"] == "cpu"


def test_file_that_raises_when_imported_is_evidence(tmp_path: Path) -> None:
    source = """\
import torch


def normalise(scores):
    weights = torch.exp(scores)
    weights /= weights.sum()
    return weights


normalise(torch.rand(3, requires_grad=True)).square().sum().backward()
"""
    (verdict,) = verdicts(source, tmp_path).values()
    assert verdict["status"] == "confirmed"


@pytest.mark.parametrize(
    ("first", "text"),
    [
        ("import a_module_that_is_not_there", "No module named"),
        ("import sys; sys.exit(3)", "sys.exit(3)"),
        ("import time; time.sleep(100)", "it ran for more than 1 s"),
        ("import ctypes; ctypes.string_at(0)", "it died of SIGSEGV (in import)"),
    ],
)
def test_import_that_goes_wrong_is_no_refutation(tmp_path: Path, first: str, text: str) -> None:
    block = "def f():\n    y = torch.rand(3, requires_grad=True).exp()\n    y += 1\n    return y\n"
    source = f"{first}\nimport torch\n\n{block}"
    (verdict,) = verdicts(source, tmp_path, "--timeout", "1").values()
    assert verdict["status"] == "inconclusive"
    assert text in verdict["reason"]


def test_exit_code_and_text(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(BLOCKS.partition("\n\ndef annotated")[0])
    done = confirm("model.py", cwd=tmp_path)
    assert done.returncode == 1
    assert "error[IPL101] saved-result-overwritten" in done.stdout
    assert (
        "= verdict: confirmed: PyTorch raises in backward: sigmoid's result, saved at model.py:7"
        in done.stdout
    )
    assert "1 finding in 1 file: 1 confirmed." in done.stderr
    (tmp_path / "model.py").write_text(BLOCKS[BLOCKS.index("def disjoint") : BLOCKS.index("def depends")])
    text = "import torch\n\n" + (tmp_path / "model.py").read_text()
    (tmp_path / "model.py").write_text(text)
    # What is spurious raises all the same: the code does not train.
    assert confirm("model.py", cwd=tmp_path).returncode == 1
    (tmp_path / "model.py").write_text(REFUTED)
    done = confirm("model.py", cwd=tmp_path)
    assert (done.returncode, "1 refuted." in done.stderr) == (0, True)
    (tmp_path / "model.py").write_text("x = 1\n")
    done = confirm("model.py", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert "nothing was run" in done.stderr


REFUTED = """\
import torch


def halves(x: torch.Tensor):
    y = torch.sigmoid(x.to(torch.bfloat16))
    z = y.float()
    z.mul_(2)
    return y.float() + z
"""
QUICK = BLOCKS.partition("\n\ndef annotated")[0]
SLOW = """\
import os
import time
import torch


def waits():
    y = torch.sigmoid(torch.rand(3, requires_grad=True))
    y += 1
    open(os.path.join(os.path.dirname(__file__), "started"), "w").close()
    time.sleep(300)
    return y
"""


@pytest.mark.parametrize(
    ("form", "number", "name"),
    [
        ("full", signal.SIGINT, "SIGINT"),
        ("json", signal.SIGTERM, "SIGTERM"),
        ("json-lines", signal.SIGINT, "SIGINT"),
    ],
)
def test_a_run_that_is_cut_short_says_what_is_known(
    tmp_path: Path, form: str, number: signal.Signals, name: str
) -> None:
    (tmp_path / "a_quick.py").write_text(QUICK)
    (tmp_path / "b_slow.py").write_text(SLOW)
    command = [
        sys.executable,
        "-m",
        "inplace_lint",
        "confirm",
        "--output-format",
        form,
        "--timeout",
        "500",
        ".",
    ]
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=(tmp_path / "errors").open("w"),
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "OMP_NUM_THREADS": "1"},
        # Tests that run in the background are told to ignore it, and hand that on.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        while not (tmp_path / "started").exists():
            assert process.poll() is None
            time.sleep(0.05)
        assert process.stdout is not None
        # What streams is there before the end.
        first = process.stdout.readline() if form != "json" else ""
        assert "IPL101" in first or form == "json"
        process.send_signal(number)
        out = first + process.stdout.read()
        process.wait(300)
    finally:
        process.kill()
    assert process.returncode == 128 + number
    assert (
        f"2 findings in 2 files; cut short by {name} after 1: 1 confirmed."
        in (tmp_path / "errors").read_text()
    )
    if form == "full":
        assert out.count("verdict: confirmed") == 1 and out.count("verdict:") == 1
        return
    rows = json.loads(out) if form == "json" else [json.loads(line) for line in out.splitlines()]
    assert [one["verdict"] and one["verdict"]["status"] for one in rows] == ["confirmed", None]


def test_what_was_decided_before_a_block_took_too_long_stands(tmp_path: Path) -> None:
    source = """\
import time
import torch


def gate(x: torch.Tensor, slow=False):
    while slow:
        try:
            time.sleep(500)
        except BaseException:
            pass
    y = torch.sigmoid(x)
    y += 1
    z = torch.sigmoid(x)
    if slow:
        z += 1
    return y, z


def demo():
    return gate(torch.rand(2, requires_grad=True))


def other():
    return gate(torch.rand(2, requires_grad=True), True)
"""
    found = verdicts(source, tmp_path, "--timeout", "10")
    assert found[12]["status"] == "confirmed"
    # Calls in another process came after the program that was ended.
    assert found[15]["status"] == "inconclusive"
    assert "did not run on these inputs" in found[15]["reason"]


def test_other_forms_carry_the_verdict(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(QUICK)
    found = confirm("--output-format", "sarif", "model.py", cwd=tmp_path).stdout
    (result,) = json.loads(found)["runs"][0]["results"]
    assert result["properties"]["verdict"]["status"] == "confirmed"
    assert "[confirmed: PyTorch raises in backward" in result["message"]["text"]
    line = confirm("--output-format", "github", "model.py", cwd=tmp_path).stdout
    assert line.startswith("::error ") and "[confirmed: PyTorch raises in backward" in line
    (tmp_path / "model.py").write_text(REFUTED)
    found = confirm("--output-format", "sarif", "--output-file", "log", "model.py", cwd=tmp_path).stdout
    (result,) = json.loads((tmp_path / "log").read_text())["runs"][0]["results"]
    assert (found, result["kind"], result["level"]) == ("", "pass", "none")
    assert confirm("--output-format", "github", "model.py", cwd=tmp_path).stdout.startswith("::notice ")


def test_blocks_run_on_the_device_that_is_named(tmp_path: Path) -> None:
    (verdict,) = verdicts(QUICK, tmp_path, "--device", "cpu").values()
    assert (verdict["status"], verdict["device"]) == ("confirmed", "cpu")
    (verdict,) = verdicts(QUICK, tmp_path, "--device", "cuda:99").values()
    assert verdict["status"] == "inconclusive"
    assert verdict["reason"] == "there is no device cuda:99 here"


def test_launcher_runs_each_child(tmp_path: Path) -> None:
    launcher = tmp_path / "launch"
    launcher.write_text(f'#!/bin/sh\necho "$1" >> {tmp_path}/log\nshift\nexec "$@"\n')
    launcher.chmod(0o755)
    source = BLOCKS.partition("\n\ndef annotated")[0]
    (verdict,) = verdicts(
        source, tmp_path, "--launcher", f"{launcher} '--gres=gpu: 1'", "--jobs", "2"
    ).values()
    assert verdict["status"] == "confirmed"
    assert (tmp_path / "log").read_text() == "--gres=gpu: 1\n"


@pytest.mark.parametrize(
    ("argv", "text"),
    [
        (["-"], "standard input cannot be run"),
        (["--launcher", "'open", "."], "--launcher: No closing quotation"),
        (["--device", "gpu", "."], "--device is cpu, cuda or cuda:1, not `gpu`"),
        (["--device", "cpu:1", "."], "--device is cpu, cuda or cuda:1, not `cpu:1`"),
        (["--timeout", "0", "."], "--timeout needs a number from 1 upwards"),
    ],
)
def test_wrong_call_is_explained(tmp_path: Path, argv: list[str], text: str) -> None:
    done = confirm(*argv, cwd=tmp_path)
    assert done.returncode == 2
    assert text in done.stderr
