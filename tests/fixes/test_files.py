"""A fixed file is written in one stroke: it keeps what it was, and nothing that another wrote is lost."""

from __future__ import annotations

import os
import stat
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
