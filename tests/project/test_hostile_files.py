"""Configurations and trees that mean harm, or that nobody would write: told or passed over, never a traceback."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from inplace_lint.cli import main

BAD = "import torch\ndef f(x, w):\n    y = torch.sigmoid(x @ w)\n    y += 1\n    return y.sum().backward()\n"
ATTENTION = """\
import torch
def f(q, k, v):
    w = torch.softmax(q @ k.transpose(-2, -1), -1)
    return w @ v
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"src = {'[' * 5000}{']' * 5000}", "is nested too deeply"),
        (f"a{'.a' * 3000} = 1", "unknown key" if sys.version_info >= (3, 11) else "is nested too deeply"),
        ('target-torch = "²"', "must be a version"),
        (f'target-torch = "{"9" * 5000}"', "must be a version"),
        ('target-torch = "٣.٢"', "must be a version"),
        (f"a = {'9' * 5000}", "is not valid TOML"),
        ('extend = "a\\u0000b"', "names a file that cannot exist"),
        ('src = ["\\u0000"]', "must not hold a null character"),
        ('exclude = ["a\\u0000"]', "must not hold a null character"),
        (f"attention-sizes = {{length = {'9' * 400}}}", "must give a whole number above 0, and at most"),
    ],
)
def test_configuration_is_told(text: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("inplace-lint.toml").write_text(text + "\n", encoding="utf-8")
    Path("a.py").write_text(ATTENTION)
    assert main(["check", "a.py"]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("pattern", "path"), [("*a" * 30 + "b", "a" * 200 + ".py"), ("**/a/" * 25 + "b", "a/" * 40 + "x.py")]
)
def test_a_pattern_that_takes_for_ever_is_left_out(
    pattern: str, path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(".git").mkdir()
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(BAD)
    Path("kept.py").write_text(BAD)
    Path(".gitignore").write_text(f"{pattern}\nkept.py\n")
    assert main(["check", "--output-format", "concise"]) == 1
    assert capsys.readouterr().out.startswith(f"{path}:4:5")


def test_a_long_chain_of_configurations_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    for i in range(1200):
        Path(f"c{i}.toml").write_text(f'extend = "c{i + 1}.toml"\n')
    Path("inplace-lint.toml").write_text('extend = "c0.toml"\n')
    Path("a.py").write_text("x = 1\n")
    assert main(["check", "a.py"]) == 2
    assert "`extend` goes through more than" in capsys.readouterr().err


def test_a_requirement_of_thousands_of_digits_stops_nothing() -> None:
    Path(".git").mkdir()
    Path("requirements.txt").write_text(f"torch>={'9' * 5000}.1\n")
    Path("a.py").write_text(ATTENTION)
    assert main(["check", "a.py", "--output-format", "json", "--output-file", "out.json"]) in (0, 1)
    assert "IPL002" not in Path("out.json").read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="no devices in the file system")
@pytest.mark.parametrize("name", [".gitignore", "setup.py", "lib.py", "pyproject.toml", "inplace-lint.toml"])
@pytest.mark.parametrize("kind", ["device", "pipe"])
def test_a_device_in_the_tree_is_not_read(name: str, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(".git").mkdir()
    if kind == "device":
        os.symlink("/dev/zero", name)
    else:
        os.mkfifo(name)
    Path("a.py").write_text("from lib import g\n" + BAD + ATTENTION.removeprefix("import torch\n"))
    assert main(["check", "--output-format", "concise"]) == 1
    captured = capsys.readouterr()
    assert "a.py:5:5: error[IPL101]" in captured.out
    assert "in 1 file." in captured.err


@pytest.mark.skipif(sys.platform == "win32", reason="no devices in the file system")
def test_a_device_that_is_named_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "/dev/zero"]) == 1
    assert "cannot be read: it is a device" in capsys.readouterr().out


def test_folders_of_any_depth_are_walked(capsys: pytest.CaptureFixture[str]) -> None:
    start = os.getcwd()
    depth = 1100
    try:
        for _ in range(depth):
            os.mkdir("d")
            os.chdir("d")
        Path("a.py").write_text(BAD)
        os.chdir(start)
        assert main(["check", ".", "--jobs", "1"]) == 1
        assert "a.py:4:5" in capsys.readouterr().out
    finally:
        # One by one: what the test framework removes folders with goes only so deep.
        os.chdir("/".join("d" * depth))
        Path("a.py").unlink(missing_ok=True)
        for _ in range(depth):
            os.chdir("..")
            os.rmdir("d")


@pytest.mark.parametrize(
    "argv", [["explain", "a.py:²"], ["check", "--jobs", "²"], ["check", "--jobs", "9" * 5000]]
)
def test_a_number_that_is_none_is_told(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.py").write_text("x = 1\n")
    assert main(argv) == 2
    assert "Traceback" not in capsys.readouterr().err
