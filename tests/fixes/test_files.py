"""A fixed file is written in one stroke: it keeps what it was, and nothing that another wrote is lost."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import tempfile
from io import FileIO
from pathlib import Path

import pytest

from inplace_lint.cli import fixing, main
from inplace_lint.fixes import files
from inplace_lint.project.discovery import Target

BAD = "import torch\n\n\ndef f(x):\n    y = torch.exp(x.float())\n    y += 1\n    return y\n"
GOOD = BAD.replace("y += 1", "y = y + 1")


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    tree = tmp_path / "tree"
    (tree / ".git").mkdir(parents=True)
    monkeypatch.chdir(tree)
    return tree


def fix(*paths: str) -> int:
    return main(["check", "--isolated", "--fix", *paths])


def test_what_another_wrote_meanwhile_stays(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tree / "a.py").write_text(BAD)
    (tree / "b.py").write_text(BAD)
    write = fixing._write

    def late(target: Target, before: bytes, source: bytes) -> bool:
        if target.filename == "a.py":
            (tree / "a.py").write_text(BAD + "# mine\n")
        return write(target, before, source)

    monkeypatch.setattr(fixing, "_write", late)
    assert fix("a.py", "b.py") == 2
    assert (tree / "a.py").read_text() == BAD + "# mine\n"
    assert (tree / "b.py").read_text() == GOOD
    captured = capsys.readouterr()
    assert "a.py cannot be written: it has been changed meanwhile" in captured.err
    assert "IPL101" in captured.out
    assert sorted(os.listdir(tree)) == [".git", "a.py", "b.py"]


def test_all_names_of_a_file_see_its_fix(tree: Path) -> None:
    (tree / "a.py").write_text(BAD)
    os.chmod("a.py", 0o640)
    os.link("a.py", "same")
    assert fix("a.py") == 0
    assert (tree / "same").read_text() == GOOD
    assert os.path.samefile("a.py", "same")
    assert stat.S_IMODE(os.stat("a.py").st_mode) == 0o640
    assert sorted(os.listdir(tree)) == [".git", "a.py", "same"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
def test_a_file_stays_its_owners(tree: Path) -> None:
    (tree / "a.py").write_text(BAD)
    os.chown("a.py", 1234, 1234)
    assert fix("a.py") == 0
    found = os.stat("a.py")
    assert (found.st_uid, found.st_gid) == (1234, 1234)


def test_a_file_that_cannot_be_given_to_its_owner_is_written_where_it_is(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / "a.py").write_text(BAD)
    number = os.stat("a.py").st_ino
    monkeypatch.setattr(files, "_given", lambda name, found: False)
    assert fix("a.py") == 0
    assert (tree / "a.py").read_text() == GOOD
    assert os.stat("a.py").st_ino == number
    assert sorted(os.listdir(tree)) == [".git", "a.py"]


@pytest.mark.parametrize("through", ["file", "folder"])
def test_no_link_is_followed_out_of_the_tree(
    tree: Path, through: str, capsys: pytest.CaptureFixture[str]
) -> None:
    outside = tree.parent / "outside"
    outside.mkdir()
    (outside / "a.py").write_text(BAD)
    if through == "file":
        (tree / "a.py").symlink_to(outside / "a.py")
        name = "a.py"
    else:
        (tree / "lib").symlink_to(outside)
        name = "lib/a.py"
    assert fix(name) == 2
    assert (outside / "a.py").read_text() == BAD
    assert "a link out of the project" in capsys.readouterr().err


def test_a_link_within_the_tree_stays_a_link(tree: Path) -> None:
    (tree / "real.py").write_text(BAD)
    (tree / "a.py").symlink_to("real.py")
    assert fix("a.py") == 0
    assert (tree / "a.py").is_symlink()
    assert (tree / "real.py").read_text() == GOOD


# Runs as a user who is not root, to whom permissions mean something; all that it needs is imported before.
AS_SOMEBODY = """
import os, sys
from inplace_lint.fixes.files import write
os.chdir(sys.argv[1])
if os.geteuid() == 0:
    os.setgroups([]), os.setgid(54321), os.setuid(54321)
try:
    write("sub/a.py", b"old", b"new and longer", ".")
except OSError as error:
    print(error.strerror)
"""


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions of POSIX")
@pytest.mark.parametrize(
    ("mode", "folder", "said", "text"),
    [
        (0o644, 0o755, "", "new and longer"),
        (0o444, 0o755, "Permission denied\n", "old"),
        (0o644, 0o555, "", "new and longer"),
        (0o444, 0o555, "Permission denied\n", "old"),
    ],
)
def test_whether_a_file_may_be_written_is_asked_of_the_file(
    mode: int, folder: int, said: str, text: str
) -> None:
    with tempfile.TemporaryDirectory() as name:  # not pytest's, which is closed to others
        tree = Path(name)
        file = tree / "sub/a.py"
        file.parent.mkdir()
        file.write_text("old")
        if os.geteuid() == 0:
            for path in (tree, file.parent, file):
                os.chown(path, 54321, 54321)
        file.chmod(mode)
        file.parent.chmod(folder)
        done = subprocess.run(
            [sys.executable, "-c", AS_SOMEBODY, name], capture_output=True, text=True, timeout=60, check=True
        )
        assert (done.stdout, done.stderr) == (said, "")
        assert file.read_text() == text
        assert stat.S_IMODE(file.stat().st_mode) == mode
        file.parent.chmod(0o755)
        assert sorted(os.listdir(file.parent)) == ["a.py"]


@pytest.mark.parametrize("is_full", [False, True])
def test_what_is_cut_short_in_the_file_itself_is_put_back(
    tree: Path, is_full: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / "a.py").write_text("old")
    os.link("a.py", "same")
    put, calls = files._put, []

    def full(file: FileIO, text: bytes) -> None:
        calls.append(text)
        if len(calls) == 2 or (len(calls) == 3 and is_full):
            file.write(text[:2])
            raise OSError(errno.ENOSPC, "No space left on device")
        put(file, text)

    monkeypatch.setattr(files, "_put", full)
    with pytest.raises(OSError, match="No space left on device") as caught:
        files.write("a.py", b"old", b"new and longer", ".")
    assert calls == [b"new and longer", b"new and longer", b"old"]
    if not is_full:
        assert (tree / "a.py").read_text() == "old"
        assert sorted(os.listdir(tree)) == [".git", "a.py", "same"]
        return
    (kept,) = tree.glob(".inplace-lint-*")
    assert kept.read_bytes() == b"new and longer"
    assert str(kept) in str(caught.value)
