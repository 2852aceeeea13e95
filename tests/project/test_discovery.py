"""Which files a run reads."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from inplace_lint.project.configuration import Configuration
from inplace_lint.project.discovery import discover


@pytest.fixture(autouse=True)
def _in_empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def make(*paths: str, text: str = "") -> None:
    for path in paths:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text, encoding="utf-8")


def found(*paths: str, **overrides: object) -> list[str]:
    targets, errors = discover(paths or ["."], Configuration(dict(overrides)))
    assert not errors
    return [target.filename.replace(os.sep, "/") for target in targets]


def test_python_files_below_a_directory_in_order_of_names() -> None:
    make("b.py", "a/z.py", "a/y.py", "c.txt", "stub.pyi")
    assert found() == ["b.py", "a/y.py", "a/z.py"]


def test_notebooks_are_read_unless_they_are_excluded() -> None:
    make("b.ipynb", "a.py", "docs/c.ipynb", ".ipynb_checkpoints/b-checkpoint.ipynb")
    assert found() == ["a.py", "b.ipynb", "docs/c.ipynb"]
    assert found(extend_exclude=("*.ipynb",)) == ["a.py"]
    assert found("b.ipynb", extend_exclude=("*.ipynb",)) == ["b.ipynb"]
    assert found("b.ipynb", extend_exclude=("*.ipynb",), force_exclude=True) == []


def test_a_file_is_read_once_however_often_it_is_named() -> None:
    make("pkg/a.py")
    assert found("pkg/a.py", "pkg", "./pkg/../pkg/a.py", os.path.abspath("pkg")) == ["pkg/a.py"]


def test_usual_folders_of_others_are_passed_over() -> None:
    make("a.py", ".git/a.py", ".venv/a.py", "node_modules/a.py", "build/a.py", "x/site-packages/a.py")
    assert found() == ["a.py"]


def test_a_named_folder_is_read_whatever_it_is_called() -> None:
    make("lib/site-packages/timm/a.py")
    assert found("lib/site-packages/timm") == ["lib/site-packages/timm/a.py"]
    assert found("lib/site-packages") == ["lib/site-packages/timm/a.py"]
    make("build/a.py", "build/sub/b.py", "build/.venv/c.py", "gen/x/d.py", "x/e.py")
    assert found("build") == ["build/a.py", "build/sub/b.py"]
    assert found("build/sub", "x") == ["build/sub/b.py", "x/e.py"]
    assert found("gen/x", extend_exclude=("gen/x",)) == ["gen/x/d.py"]
    assert found("build", force_exclude=True) == []


def test_named_files_are_read_unless_exclusion_is_forced() -> None:
    make("build/a.py", "script")
    assert found("build/a.py", "script") == ["build/a.py", "script"]
    assert found("build/a.py", "script", force_exclude=True) == ["script"]


def test_patterns_are_names_or_paths_from_the_configuration() -> None:
    make("gen/a.py", "pkg/gen/b.py", "pkg/c_pb2.py", "pkg/d.py")
    assert found(extend_exclude=("gen",)) == ["pkg/c_pb2.py", "pkg/d.py"]
    assert found(extend_exclude=("pkg/gen",)) == ["gen/a.py", "pkg/c_pb2.py", "pkg/d.py"]
    assert found(extend_exclude=("*_pb2.py", "**/gen/*")) == ["pkg/d.py"]


def test_gitignore_is_respected_in_nested_folders() -> None:
    pytest.importorskip("pathspec")
    make("a.py", "out/b.py", "pkg/c.py", "pkg/keep.py", "pkg/deep/d.py")
    make(".gitignore", text="out/\n")
    make("pkg/.gitignore", text="*.py\n!keep.py\n")
    assert found() == ["a.py", "pkg/keep.py"]
    assert found(respect_gitignore=False) == ["a.py", "out/b.py", "pkg/c.py", "pkg/keep.py", "pkg/deep/d.py"]


def test_gitignore_above_the_named_folder_counts_within_its_repository() -> None:
    pytest.importorskip("pathspec")
    make("repo/pkg/a.py", "repo/pkg/b.py", "repo/.git/HEAD")
    make("repo/.gitignore", text="/pkg/b.py\n")
    make(".gitignore", text="a.py\n")
    assert found("repo/pkg") == ["repo/pkg/a.py"]


def test_a_loop_of_links_ends() -> None:
    make("pkg/a.py")
    os.symlink(os.path.abspath("pkg"), "pkg/self", target_is_directory=True)
    os.symlink(os.path.abspath("."), "pkg/up", target_is_directory=True)
    assert found() == ["pkg/a.py"]


def test_what_is_no_regular_file_is_passed_over() -> None:
    make("a.py", "dir.py/b.py")
    os.symlink("nowhere.py", ".#a.py")
    os.mkfifo("pipe.py")
    assert found() == ["a.py", "dir.py/b.py"]


def test_a_broken_configuration_leaves_its_own_files_out_and_no_others() -> None:
    make("a.py", "bad/b.py", "bad/worse/c.py", "good/d.py")
    make("bad/inplace-lint.toml", text="select = [")
    targets, errors = discover(["."], Configuration())
    assert [target.filename for target in targets] == ["a.py", os.path.join("good", "d.py")]
    assert [error.filename for error in errors] == [os.path.join("bad", "inplace-lint.toml")]


def test_each_file_has_the_settings_of_its_folder() -> None:
    make("a.py", "sub/b.py")
    make("sub/inplace-lint.toml", text="notes = true\n")
    targets, _ = discover(["."], Configuration())
    assert [target.settings.notes for target in targets] == [False, True]


def test_paths_outside_of_the_working_directory_are_absolute(tmp_path: Path) -> None:
    make("here/a.py", "there/b.py")
    os.chdir("here")
    assert found("a.py", "../there") == ["a.py", f"{tmp_path}/there/b.py"]


def test_a_path_that_does_not_exist_is_kept_to_be_reported() -> None:
    assert found("none.py") == ["none.py"]
