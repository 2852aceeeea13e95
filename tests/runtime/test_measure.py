"""`inplace-lint measure` and `capture`, as a person calls them, and the page in a browser."""

from __future__ import annotations

import json
import pickle
import re
import shutil
import struct
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from inplace_lint.cli import main
from inplace_lint.cli.options import UsageError
from inplace_lint.runtime.inputs import given
from inplace_lint.runtime.measure import Request, in_child, measure
from inplace_lint.runtime.measure.peaks import held_by, peaks
from inplace_lint.runtime.subject import said as shown
from inplace_lint.runtime.subject import subject

from . import models

MODELS = Path(__file__).with_name("models.py")

GATE = """\
import torch
from torch import nn


class Gate(nn.Module):
    # inplace-lint: inputs dim=8, x=f32[B,S,8]
    def __init__(self, dim):
        super().__init__()
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        y = torch.sigmoid(self.proj(x))
        y += 1
        return y * x
"""


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gate.py").write_text(GATE)
    return tmp_path / "gate.py"


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the child process does is done here, which spares its start; what goes there and back is JSON."""

    def run(arguments: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
        result: dict[str, Any] = in_child(json.loads(json.dumps(arguments)), lambda stage: None)
        if result["wrong"]:
            raise UsageError(result["wrong"])
        return dict(json.loads(json.dumps(result)))

    monkeypatch.setattr("inplace_lint.cli.measure._run", run)


def said(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = main(list(argv))
    output = capsys.readouterr()
    return code, output.out, output.err


@pytest.mark.usefixtures("in_process")
def test_a_table_shows_sizes_lines_and_the_comparison(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(
        capsys,
        "measure",
        f"{MODELS}::Naive",
        "--against",
        f"{MODELS}::Fused",
        "--sizes",
        "128,256",
        "--batch",
        "2",
    )
    assert code == 0
    assert "one training step: forward and backward" in out
    # 2 batches of 4 heads of S by S floats: three of them at the peak.
    assert re.search(r"grows as S\^1\.\d\d, exactly 96·S² \+ \d+·S \+ \d+ bytes", out)
    assert re.search(r"grows as S\^\S+, exactly \d+·S \+ \d+ bytes", out)
    assert re.search(r"models\.py:\d+ .* S\^2\.00 .*64·S²  weights = self\.dropout", out)
    assert re.search(r"256 .* times less", out)


def test_both_targets_are_run_on_the_same_inputs(gate: Path) -> None:
    gate.write_text(
        "def first(x):\n    # inplace-lint: inputs x=f32[S,7]\n    return x * 2\n"
        "def second(x):\n    # inplace-lint: inputs x=f32[S,9]\n    return x + 2\n"
        "def other(x, y):\n    # inplace-lint: inputs x=f32[S,9], y=f32[9]\n    return x + y\n"
    )
    request = Request("gate.py::first", against="gate.py::second", sizes=(4,))
    assert [one.inputs["x"] for one in measure(request).series] == ["f32[S,7]", "f32[S,7]"]
    request = Request("gate.py::first", against="gate.py::other", sizes=(4,))
    assert [one.inputs["x"] for one in measure(request).series] == ["f32[S,7]", "f32[S,9]"]


@pytest.mark.usefixtures("in_process")
def test_json_holds_the_same_and_is_valid(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(
        capsys, "measure", f"{MODELS}::attend", "--sizes", "16,32,64", "--output-format", "json"
    )
    record = json.loads(out)
    assert code == 0
    assert [point["size"] for point in record["targets"][0]["points"]] == [16, 32, 64]
    for point in record["targets"][0]["points"]:
        assert sum(point["kinds"].values()) == point["peak"]
        assert point["seconds"] > 0


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "needs one target"),
        (["gate.py"], "write it as model.py::Attention"),
        (["none.py::A"], "there is no file none.py"),
        (["gate.py::Gat"], "it has Gate"),
        (["gate.py::Gate", "--sizes", "8,x"], "not `x`"),
        (["gate.py::Gate", "--device", "abacus"], "no device is called `abacus`: t4"),
        (["gate.py::Gate", "--device", "t4", "--method", "cpu"], "--device names a GPU to predict for"),
        (["gate.py::Gate", "--inputs", "z=f32[2]"], "`z` is no parameter"),
        (["gate.py::Gate", "--capture", "none.json"], "none.json cannot be read"),
        (["gate.py::Gate", "--launcher", "'open"], "--launcher: No closing quotation"),
        (["gate.py::Gate", "--inputs", "dim=8, x=f32[N,8]"], "the size `N` has no value"),
    ],
)
def test_what_cannot_be_measured_is_said(
    gate: Path, capsys: pytest.CaptureFixture[str], argv: list[str], message: str
) -> None:
    code, out, err = said(capsys, "measure", *argv)
    assert code == 2
    assert message in err + out


@pytest.mark.usefixtures("in_process")
def test_a_target_that_fails_at_each_size_says_so_and_ends_with_2(
    gate: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = said(capsys, "measure", "gate.py::Gate", "--sizes", "4")
    assert code == 2
    assert "at S = 4: RuntimeError: one of the variables needed for gradient computation" in out


@pytest.mark.usefixtures("in_process")
def test_without_gradients_the_same_target_runs(gate: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "measure", "gate.py::Gate", "--sizes", "4,8", "--forward-only")
    assert code == 0
    assert "one forward without gradients" in out


@pytest.mark.usefixtures("in_process")
def test_a_gpu_that_is_not_there_is_not_measured(gate: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU here")
    code, _, err = said(capsys, "measure", "gate.py::Gate", "--method", "gpu")
    assert code == 2
    assert "not measured: " in err
    assert "--method predict" in err


@pytest.mark.parametrize("argv", [["measure", "gate.py::Gate"], ["capture", "gate.py"]])
def test_without_torch_it_says_what_to_install(
    gate: Path, capsys: pytest.CaptureFixture[str], argv: list[str]
) -> None:
    with mock.patch("importlib.util.find_spec", return_value=None):
        code, _, err = said(capsys, *argv)
    assert code == 2
    assert "pip install 'inplace-lint[runtime]'" in err


def test_findings_are_those_of_the_target_alone(gate: Path) -> None:
    gate.write_text(GATE + "\n\ndef other(x: torch.Tensor):\n    y = x.exp()\n    y += 1\n    return y\n")
    found = subject("gate.py::Gate").findings
    assert [(one.code, one.location.row) for one in found] == [("IPL101", 13)]
    assert subject("gate.py::Made").findings == ()


def test_the_fixes_of_the_target_alone_are_made(gate: Path) -> None:
    more = "\n\ndef other(x: torch.Tensor):\n    y = x.exp()\n    y += 1\n    return y\n"
    gate.write_text(GATE + more)
    assert subject("gate.py::Gate").fixed == GATE.replace("y += 1", "y = y + 1") + more
    gate.write_text(GATE.replace("y += 1", "y = y + 1"))
    assert subject("gate.py::Gate").fixed is None


def test_a_fix_is_measured_beside_what_it_repairs(gate: Path) -> None:
    fixed = subject("gate.py::Gate").fixed
    before, after = measure(Request("gate.py::Gate", sizes=(4,), fixed=fixed)).series
    assert before.points[0].failure
    assert after.label == "gate.py::Gate, fixed"
    assert after.points[0].peak is not None
    assert "y = y + 1" in {row.text for row in after.rows}


def test_what_a_factory_makes_is_measured_in_both_forms(gate: Path) -> None:
    gate.write_text(
        GATE + "\n\ndef make(S):\n    return Gate(8), (torch.zeros(2, S, 8, requires_grad=True) * 1,)\n"
    )
    request = Request(
        "gate.py::Gate",
        sizes=(4,),
        fixed=subject("gate.py::Gate").fixed,
        factories={"gate:Gate": "gate:make"},
    )
    before, after = measure(request).series
    assert before.points[0].failure
    assert after.points[0].peak is not None


def test_peaks_of_a_verdict_are_those_of_the_largest_size() -> None:
    inputs = "dim=32, x=f32[B,S,32]"
    before, after = given(models.Naive, inputs), given(models.Fused, inputs)
    found, _ = peaks(before, after, models.__file__)
    assert found is not None
    assert (found["size"], found["method"], found["dtype"]) == (1024, "predict", "bf16")
    assert found["before"] > 4 * found["after"] > 0
    assert found["kept"][0] > 4 * found["kept"][1] > 0
    alone, _ = peaks(before, None, models.__file__)
    assert alone is not None
    assert alone["after"] is None


def test_what_lines_hold_grows_as_they_do() -> None:
    call = given(models.Naive, "dim=32, x=f32[B,S,32]")
    file = models.__file__
    rows = [row for row, line in enumerate(Path(file).read_text().splitlines(), 1) if "softmax" in line]
    peak, held, _ = held_by(call, file, file, rows)
    assert peak is not None
    assert held[1024] == 4 * held[512] > 0


def test_a_measurement_travels_between_processes(gate: Path) -> None:
    found = measure(Request("gate.py::Gate", sizes=(4, 8), train=False))
    again = pickle.loads(pickle.dumps(found))
    assert again.record() == found.record()
    assert again.page() == found.page()


def test_what_kills_the_child_is_named(gate: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gate.write_text(GATE.replace("y += 1", "import os; print('last words'); os._exit(0)"))
    code, out, err = said(capsys, "measure", "gate.py::Gate", "--sizes", "4", "--method", "predict")
    assert code == 2
    assert not out
    assert "nothing was measured: it ended with status 0 and without a result" in err
    assert "last words" in err


def test_the_page_holds_verdicts_and_the_fixed_form(gate: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = said(capsys, "measure", "gate.py::Gate", "--sizes", "4,8", "--report", "gate.html")
    assert code == 2, err  # the target itself fails at each size
    assert "gate.py::Gate, fixed" in out
    text = (gate.parent / "gate.html").read_text(encoding="utf-8")
    assert "<b class='confirmed'>confirmed</b>: PyTorch raises in backward" in text


# --- capture


def test_capture_runs_a_program_unchanged(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "import sys, torch\nfrom torch import nn\n"
        "class Net(nn.Module):\n"
        "    def __init__(self, width):\n"
        "        super().__init__()\n"
        "        self.layer = nn.Linear(width, 2)\n"
        "    def forward(self, x):\n"
        "        return self.layer(x)\n"
        "if __name__ == '__main__':\n"
        "    print(sys.argv[1:])\n"
        "    Net(6)(torch.zeros(3, 9, 6))\n"
        "    sys.exit(7)\n"
    )
    command = [sys.executable, "-m", "inplace_lint"]
    environment = {"PYTHONPATH": str(Path(__file__).parents[2]), "PATH": "", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [*command, "capture", "--output", "uses.json", "train.py", "--output", "its", "own"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=environment,
        timeout=100,
        check=False,
    )
    assert done.returncode == 7
    assert done.stdout == "['--output', 'its', 'own']\n"
    assert "uses.json holds inputs of 1 class\n" in done.stderr
    done = subprocess.run(
        [*command, "measure", "train.py::Net", "--capture", "uses.json", "--sizes", "4,8"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=environment,
        timeout=100,
        check=False,
    )
    assert "inputs from a capture: width = 6, x = f32[3,S,6]" in done.stdout, done.stderr


def test_what_a_program_used_until_it_died_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dies.py").write_text(
        "import ctypes, torch\nfrom torch import nn\n"
        "class Net(nn.Module):\n"
        "    def forward(self, x):\n"
        "        return x\n"
        "Net()(torch.zeros(3, 9))\n"
        "ctypes.string_at(0)\n"
    )
    code, _, err = said(capsys, "capture", "dies.py")
    assert code == 128 + 11
    assert "the program died of SIGSEGV" in err
    classes = json.loads((tmp_path / "inplace-lint-capture.json").read_text())["classes"]
    assert classes["dies:Net"][0]["leading"] == [{"tensor": "f32[3,9]"}]


@pytest.mark.parametrize(
    ("argv", "message"),
    [([], "needs a program"), (["none.py"], "no file none.py"), (["--ouput"], "--output")],
)
def test_capture_says_what_is_wrong(
    capsys: pytest.CaptureFixture[str], argv: list[str], message: str
) -> None:
    code, _, err = said(capsys, "capture", *argv)
    assert code == 2
    assert message in err


# --- the page


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = f"{MODELS}::Naive"
    found = measure(Request(target, against=f"{MODELS}::Fused", sizes=(64, 128, 256), optimizer="adamw"))
    filename = tmp_path_factory.mktemp("report") / "report.html"
    findings = [shown(one, "confirmed: <backward> raises") for one in subject(target).findings]
    filename.write_text(found.page(findings), encoding="utf-8")
    return filename


def test_page_needs_nothing_from_outside(report: Path) -> None:
    text = report.read_text(encoding="utf-8")
    assert not re.search(r"(src|href)=|url\(|@import|<script|https?://", text)
    assert "<b class='confirmed'>confirmed</b>: &lt;backward&gt; raises" in text
    assert text.count("<svg") == text.count("</svg>")


BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed to look at the page with")
@pytest.mark.parametrize("width", [390, 1200], ids=["phone", "desk"])
def test_page_in_a_browser_is_drawn_within_its_width(report: Path, tmp_path: Path, width: int) -> None:
    assert BROWSER is not None
    shot = tmp_path / "shot.png"
    common = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    common += [f"--user-data-dir={tmp_path / 'profile'}", f"--window-size={width},1600"]
    subprocess.run(
        [*common, f"--screenshot={shot}", report.as_uri()], capture_output=True, timeout=120, check=True
    )
    rows = pixels(shot)
    assert len(rows[0]) == width
    page_colour = rows[0][0]
    # Nothing reaches the right edge, and the two curves are there in their colours.
    assert {row[-1] for row in rows} == {page_colour}
    drawn = {pixel for row in rows[:700] for pixel in row}
    assert {(0xC2, 0x41, 0x0C), (0x0F, 0x76, 0x6E)} <= drawn


def pixels(filename: Path) -> list[list[tuple[int, ...]]]:
    """The pixels of a PNG as a browser writes it: eight bits, no interlace."""
    data = filename.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    place, body, header = 8, b"", b""
    while place < len(data):
        (length,) = struct.unpack(">I", data[place : place + 4])
        kind, chunk = data[place + 4 : place + 8], data[place + 8 : place + 8 + length]
        header, body = (
            (chunk, body) if kind == b"IHDR" else (header, body + chunk if kind == b"IDAT" else body)
        )
        place += 12 + length
    width, height, depth, colour = struct.unpack(">IIBB", header[:10])
    assert depth == 8
    size = {2: 3, 6: 4}[colour]
    raw, stride = zlib.decompress(body), width * size
    rows, above = [], bytearray(stride)
    for row in range(height):
        start = row * (stride + 1)
        line = bytearray(raw[start + 1 : start + 1 + stride])
        _unfilter(raw[start], line, above, size)
        rows.append([tuple(line[x * size : x * size + 3]) for x in range(width)])
        above = line
    return rows


def _unfilter(kind: int, line: bytearray, above: bytearray, size: int) -> None:
    for x in range(len(line)):
        left = line[x - size] if x >= size else 0
        corner = above[x - size] if x >= size else 0
        if kind == 1:
            guess = left
        elif kind == 2:
            guess = above[x]
        elif kind == 3:
            guess = (left + above[x]) // 2
        elif kind == 4:
            estimate = left + above[x] - corner
            guess = min((left, above[x], corner), key=lambda one: abs(estimate - one))
        else:
            return
        line[x] = (line[x] + guess) & 255
