"""`check --fix` and its kin: what is written, what is printed, and the exit codes."""

from __future__ import annotations

import io
import json
import os
import re
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from inplace_lint.cli import main

SAFE = "import torch\n\n\ndef f(x):\n    y = torch.exp(x.float())\n    y += 1\n    return y\n"
FIXED = SAFE.replace("y += 1", "y = y + 1")
UNSAFE = SAFE.replace("f(x)", "f(x, b)").replace("y += 1", "y += b")
BOTH = SAFE + UNSAFE.replace("import torch\n", "").replace("def f", "def g")
Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)

    def call(*argv: str) -> tuple[int, str, str]:
        code = main(["check", "--isolated", *argv])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def test_fix_writes_the_file_and_leaves_nothing(call: Call, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SAFE)
    code, out, err = call("--fix", "a.py")
    assert (code, out) == (0, "")
    assert err == "Found 1 finding (1 fixed, 0 remaining) in 1 file.\n"
    assert (tmp_path / "a.py").read_text() == FIXED
    assert call("--fix", "a.py") == (0, "", "All checks passed in 1 file.\n")


def test_unsafe_fix_waits_for_its_option(call: Call, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(BOTH)
    code, out, err = call("a.py")
    assert code == 1
    assert "(safe fix)" in out
    assert "(unsafe fix: the result's dtype may differ" in out
    assert err.splitlines() == [
        "Found 2 errors in 1 file.",
        "[*] 1 fixable with the `--fix` option "
        "(1 hidden fix can be enabled with the `--unsafe-fixes` option).",
    ]
    code, out, err = call("--fix", "a.py")
    assert code == 1
    assert err.splitlines() == [
        "Found 2 findings (1 fixed, 1 remaining) in 1 file.",
        "No fixes available (1 hidden fix can be enabled with the `--unsafe-fixes` option).",
    ]
    assert "y += b" in (tmp_path / "a.py").read_text()
    assert call("--fix", "--unsafe-fixes", "a.py")[0] == 0
    assert "y = y + b" in (tmp_path / "a.py").read_text()


def test_exit_non_zero_on_fix(call: Call, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SAFE)
    assert call("--fix", "--exit-non-zero-on-fix", "a.py")[0] == 1
    assert call("--fix", "--exit-non-zero-on-fix", "a.py")[0] == 0
    code, _, err = call("--exit-non-zero-on-fix", "a.py")
    assert code == 2
    assert "is for --fix" in err


def test_diff_shows_and_changes_nothing(call: Call, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SAFE)
    code, out, err = call("--diff", "a.py")
    assert (code, err) == (1, "Would fix 1 finding.\n")
    assert out.splitlines()[-7:] == [
        "@@ -3,5 +3,5 @@",
        " ",
        " def f(x):",
        "     y = torch.exp(x.float())",
        "-    y += 1",
        "+    y = y + 1",
        "     return y",
    ]
    assert (tmp_path / "a.py").read_text() == SAFE
    (tmp_path / "a.py").write_text(FIXED)
    assert call("--diff", "a.py") == (0, "", "No finding would be fixed.\n")


def test_standard_input_is_fixed_to_standard_output(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    source = b"\xef\xbb\xbf" + BOTH.replace("\n", "\r\n").encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(source)))
    assert main(["check", "--isolated", "--fix", "-"]) == 1
    captured = capfdbinary.readouterr()
    assert captured.out == source.replace(b"y += 1", b"y = y + 1")
    assert b"unsafe fix" in captured.err


def test_json_holds_the_edits_and_the_reason_why_there_are_none(call: Call, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SAFE)
    (tmp_path / "b.py").write_text(
        SAFE.replace("    y += 1\n    return y", "    z = y\n    y += 1\n    return z, y")
    )
    code, out, _ = call("--output-format", "json", "a.py", "b.py")
    assert code == 1
    one, two = json.loads(out)
    assert one["fix"] == {
        "applicability": "safe",
        "message": "use `y = y + 1`",
        "edits": [
            {
                "content": "y = y + 1",
                "location": {"row": 6, "column": 5},
                "end_location": {"row": 6, "column": 11},
            }
        ],
    }
    assert one["fix_refused"] is None
    assert two["fix"] is None
    assert two["fix_refused"] == "`z` shares this memory and is read later"


def test_what_is_not_selected_or_silenced_is_not_fixed(call: Call, tmp_path: Path) -> None:
    silenced = SAFE.replace("y += 1", "y += 1  # noqa: IPL101")
    (tmp_path / "a.py").write_text(silenced)
    assert call("--fix", "a.py")[0] == 0
    assert (tmp_path / "a.py").read_text() == silenced
    (tmp_path / "a.py").write_text(SAFE)
    assert call("--fix", "--ignore", "IPL101", "a.py")[0] == 0
    assert (tmp_path / "a.py").read_text() == SAFE


@pytest.mark.skipif(os.name == "nt", reason="mode bits and links of POSIX")
def test_mode_bits_are_kept_and_a_link_is_followed(call: Call, tmp_path: Path) -> None:
    (tmp_path / "real.py").write_text(SAFE)
    (tmp_path / "real.py").chmod(0o751)
    (tmp_path / "link.py").symlink_to("real.py")
    assert call("--fix", "link.py")[0] == 0
    assert (tmp_path / "link.py").is_symlink()
    assert (tmp_path / "real.py").read_text() == FIXED
    assert stat.S_IMODE((tmp_path / "real.py").stat().st_mode) == 0o751
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.py", "real.py"]


def test_a_file_that_cannot_be_written_is_told_and_the_finding_stays(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.py").write_text(SAFE)

    def refuse(*args: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refuse)
    code, out, err = call("--fix", "a.py")
    assert code == 2
    assert "IPL101" in out
    assert "a.py cannot be written: Permission denied" in err
    assert (tmp_path / "a.py").read_text() == SAFE
    assert [path.name for path in tmp_path.iterdir()] == ["a.py"]


def test_comments_that_silence_nothing_are_removed(call: Call, tmp_path: Path) -> None:
    commented = FIXED.replace("y = y + 1", "y = y + 1  # inplace-lint: ignore[IPL101, IPL102]")
    (tmp_path / "a.py").write_text(commented)
    code, out, err = call("--fix", "--output-format", "concise", "a.py")
    assert (code, out, err) == (0, "", "Found 2 findings (2 fixed, 0 remaining) in 1 file.\n")
    assert (tmp_path / "a.py").read_text() == FIXED
    (tmp_path / "a.py").write_text(commented)
    assert call("--fix", "--ignore", "IPL001", "a.py")[0] == 0
    assert (tmp_path / "a.py").read_text() == commented


def test_fix_only_fixes_and_says_nothing_of_the_rest(call: Call, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(BOTH)
    assert call("--fix-only", "a.py") == (0, "", "Fixed 1 finding.\n")
    assert (tmp_path / "a.py").read_text() == BOTH.replace("y += 1", "y = y + 1")
    assert call("--fix-only", "a.py") == (0, "", "")
    (tmp_path / "broken.py").write_text("def f(:\n")
    assert call("--fix-only") == (0, "", "")
    (tmp_path / "a.py").write_text(SAFE)
    assert call("--fix-only", "--exit-non-zero-on-fix", "--quiet", "a.py") == (1, "", "")
    code, _, err = call("--fix-only", "--statistics", "a.py")
    assert code == 2
    assert "it reports nothing" in err


def test_fix_only_of_standard_input_prints_the_source_alone(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BOTH.encode())))
    assert main(["check", "--isolated", "--fix-only", "--quiet", "-"]) == 0
    captured = capfdbinary.readouterr()
    assert captured.out == BOTH.replace("y += 1", "y = y + 1").encode()
    assert captured.err == b""


def test_of_the_two_hooks_one_fixes_and_the_other_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    hooks = (Path(__file__).parents[2] / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    report, fix = (line.split() for line in re.findall(r"entry: inplace-lint (.*)", hooks))
    (tmp_path / "warned.py").write_text("x = 1  # inplace-lint: ignore[IPL999]\n")
    assert main([*fix, "--", "warned.py"]) == 0
    assert capsys.readouterr() == ("", "")
    assert main([*report, "--fail-on=error", "--", "warned.py"]) == 0
    assert "warning[IPL001]" in capsys.readouterr().out
    (tmp_path / "wrong.py").write_text(BOTH)
    assert main([*fix, "--", "wrong.py"]) == 0  # who called it sees that a file has changed
    assert capsys.readouterr() == ("", "Fixed 1 finding.\n")
    assert main([*report, "--fail-on=error", "--", "wrong.py"]) == 1
    assert capsys.readouterr().out.count("error[IPL101]") == 1
