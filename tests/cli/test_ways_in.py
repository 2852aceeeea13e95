"""A tree that is checked runs nothing, whatever its files are called and hold."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from inplace_lint.cli import main
from inplace_lint.fixes.files import diff
from inplace_lint.report import FORMATS

ROOT = Path(__file__).parents[2]
BAD = "import torch\ndef f(x, w):\n    y = torch.sigmoid(x @ w)\n    y += 1\n    return y.sum().backward()\n"
SAFE = "import torch\n\n\ndef f(x):\n    y = torch.exp(x.float())\n    y += 1\n    return y\n"
#: What Python and the tool import, early and late.
NAMES = (
    "ast re os json tokenize typing collections encodings warnings concurrent multiprocessing random signal gc io "
    "enum functools runpy secrets difflib fnmatch traceback torch libcst pathspec tomllib sitecustomize usercustomize"
)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory that holds a package of each name; who imports one leaves a file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "inplace-lint.toml").write_text("min-confidence = 'likely'\nexclude = ['shadow*']\n")
    for name in NAMES.split():
        for part in ("__init__.py", "__main__.py"):
            file = tmp_path / name / part
            file.parent.mkdir(exist_ok=True)
            file.write_text(f"open({str(tmp_path / 'IMPORTED')!r}, 'a').write({name!r} + ' ')\n")
    for name in ("a.py", "b.py", "c.py"):
        (tmp_path / name).write_text(BAD)
    return tmp_path


def imported(tree: Path) -> str:
    file = tree / "IMPORTED"
    return file.read_text() if file.exists() else ""


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 looks for `runpy` there before all else")
def test_python_m_imports_nothing_from_the_working_directory(tree: Path) -> None:
    for name in ("collections", "functools", "warnings"):  # these `-m` itself takes, before any module is run
        shutil.rmtree(tree / name)
    done = subprocess.run(
        [sys.executable, "-m", "inplace_lint", "check", "--output-format", "json", "a.py"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert b"IPL101" in done.stdout
    assert imported(tree) == ""


START = """
import multiprocessing, sys
if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    from inplace_lint.cli import main
    sys.exit(main(["check", "--jobs", "2", "a.py", "b.py", "c.py"]))
"""


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_workers_import_nothing_from_the_working_directory(
    tree: Path, method: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    script = tmp_path_factory.mktemp("bin") / "start.py"
    script.write_text(START)
    done = subprocess.run(
        [sys.executable, str(script), method],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert done.stderr.startswith("Found 3 errors in 3 files.")
    assert imported(tree) == ""


def test_the_action_runs_no_module_of_the_checked_tree() -> None:
    commands = re.findall(r"run: (.*)", (ROOT / "action.yml").read_text(encoding="utf-8"))
    assert commands
    for command in commands:
        assert not re.search(r"python\S* (?!-I )", command), command


# Names of files


@pytest.mark.parametrize(
    "name", ["--exit-zero", "--output-file=victim.py", "--fix", "--config", "-h", "--help", "--select=IPL2"]
)
def test_a_file_whose_name_is_an_option_is_a_file(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("m.py").write_text(BAD)
    Path("victim.py").write_text("IMPORTANT = 1\n")
    Path(name).write_text("#!/usr/bin/env python3\n")
    names = sorted(os.listdir())
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    entry = re.findall(r"entry: inplace-lint (.*)", hook)[0]  # that of the hook which fixes nothing
    (args,) = set(re.findall(r'args: \["(.*)"\]', hook))
    assert main([*entry.split(), *args.split(), *names]) == 1
    captured = capsys.readouterr()
    assert "m.py:4:5" in captured.out
    assert captured.err.startswith("Found 1 error in 3 files.")
    # Where nobody wrote `--`, what is meant cannot be told.
    if name not in ("-h", "--help"):
        assert main(["check", *names]) == 2
        assert "a file here has that name" in capsys.readouterr().err
        assert main(["check", "--notes", "--", *names]) == 1
    assert Path("victim.py").read_text() == "IMPORTANT = 1\n"
    assert Path("m.py").read_text() == BAD


def test_a_file_called_as_standard_input_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("-").write_text(BAD)
    assert main(["check", "--", "-"]) == 1
    assert "-:4:5" in capsys.readouterr().out


@pytest.fixture
def undecodable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file in a package, both named in Latin-1: Python runs and imports such files."""
    monkeypatch.chdir(tmp_path)
    name = os.fsdecode(b"p\xe9/caf\xe9.py")
    try:
        Path(name).parent.mkdir()
    except OSError:
        pytest.skip("this file system takes no such names")
    (Path(name).parent / "__init__.py").touch()
    Path(name).write_text(SAFE)
    return name


@pytest.mark.parametrize("form", FORMATS)
def test_a_file_whose_name_is_no_text_is_checked_in_all_formats(
    undecodable: str, form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):  # the second time from what is kept
        assert main(["check", "--output-format", form, "--output-file", "report"]) == 1
        assert capsys.readouterr().err.startswith("Found 1 error in 2 files.")
        report = Path("report").read_text(encoding="utf-8")  # raises if the name is in it as bytes
        assert "IPL101" in report
    assert main(["check", "--output-format", form, undecodable]) == 1
    Path(undecodable).write_text("def f(:\n")
    assert main(["check", "--output-format", form, undecodable]) == 1
    assert "IPL000" in capsys.readouterr().out


def test_a_file_whose_name_is_no_text_is_mended_and_listed(
    undecodable: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--diff"]) == 1
    assert '+++ "p\\351/caf\\351.py"' in capsys.readouterr().out
    assert main(["explain", f"{undecodable}:6"]) == 0
    assert main(["check", "--write-baseline", "known.json"]) == 0
    assert main(["check", "--baseline", "known.json"]) == 0
    assert main(["check", "--fix", undecodable]) == 0
    assert Path(undecodable).read_text() == SAFE.replace("y += 1", "y = y + 1")


# What is printed

OBEYED = {*map(chr, range(32)), "\x7f", *map(chr, range(0x80, 0xA0)), "\u2028", "\u202e", "\u2066"} - {"\n"}
ODD = [
    "a\x1b[31mred.py",
    "b\n::error::no.py",
    "c\r::add-mask::x.py",
    "d\u202eyp.py",
    "e\x9b31m.py",
    "f\x07.py",
]
SOURCE = BAD.replace("y += 1", "y += 1  # \x1b[2J \x9b31m \u202e\n    # ::stop-commands::x")


@pytest.fixture
def odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    try:
        for name in ODD:
            Path(name).write_text(SOURCE, encoding="utf-8")
    except OSError:
        pytest.skip("this file system takes no such names")
    return tmp_path


@pytest.mark.parametrize("form", ["full", "concise", "github"])
def test_reports_hold_nothing_that_is_obeyed(
    odd: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--output-format", form]) == 1
    captured = capsys.readouterr()
    assert not OBEYED & {*captured.out, *captured.err}
    for line in captured.out.splitlines():
        assert not line.lstrip().startswith("::") or line.startswith(
            "::error title=inplace-lint (IPL101),file="
        )


@pytest.mark.parametrize(
    ("folder", "text"),
    [
        ("a\n::error::x\x1b[31m", "bogus = 1"),
        ("a", '"k\\u001b[31m\\n::error::key" = 1'),
        ("a", 'select = ["\\n::stop-commands::x\\u001b[31m"]'),
        ("a", 'extend = "\\n::stop-commands::x\\u001b[31m"'),
        ("a", 'target-torch = "\\n::stop-commands::x\\u001b[31m"'),
        ("a", '[per-file-ignores]\n"*" = ["\\n::x::\\u009b"]'),
    ],
)
def test_errors_hold_nothing_that_is_obeyed(
    folder: str,
    text: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(folder).mkdir()
    (Path(folder) / "inplace-lint.toml").write_text(text, encoding="utf-8")
    (Path(folder) / "m.py").write_text(BAD)
    assert main(["check", folder]) == 2
    monkeypatch.chdir(folder)
    assert main(["config"]) == 2 or "::" not in text
    for line in capsys.readouterr().err.splitlines():
        assert line.startswith("inplace-lint: ")
        assert not OBEYED & {*line}


def test_configuration_in_force_is_printed_harmless(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = 'exclude = ["\\u001b[31m\\n::x::", "q\\"\\\\"]\n'
    Path("inplace-lint.toml").write_text(text)
    assert main(["config", "exclude"]) == 0
    out = capsys.readouterr().out
    assert not OBEYED & {*out}
    assert not any(line.startswith("::") for line in out.splitlines())
    Path("inplace-lint.toml").write_text(out)
    assert main(["config", "exclude"]) == 0
    assert capsys.readouterr().out == out


def test_what_is_explained_is_printed_harmless(odd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", f"{ODD[0]}:4"]) == 0
    assert not OBEYED & {*capsys.readouterr().out}


def test_a_patch_can_be_applied_whatever_the_name(odd: Path) -> None:
    for name in ODD:
        text = diff(name, b"a = 1\n", b"a = 2\n")
        assert not OBEYED & {*text}
        assert len(text.splitlines()) == 5
    assert diff("\x1b.py", b"a\n", b"b\n").startswith('--- "\\033.py"\n')


def test_a_diff_in_a_workflow_is_no_command(odd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--diff", "--unsafe-fixes", "--output-format", "github"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert any(line.strip() == "# ::stop-commands::x" for line in lines)
    assert not OBEYED & {*"".join(lines)}
    token = lines[0].removeprefix("::stop-commands::")
    assert len(token) == 32
    assert lines[-1] == f"::{token}::"
