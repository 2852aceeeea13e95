"""Runs of the command in one process that are like those of many, with a cache between them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from inplace_lint.cli import main
from inplace_lint.engine import cache, pipeline
from inplace_lint.interp import program
from inplace_lint.project import contents, torch_version
from inplace_lint.project.contents import Contents

from .changing import Lint


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    monkeypatch.delenv(cache.VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    # Files that a test has just written count as read long ago: how young ones are told apart has tests of its own.
    monkeypatch.setattr(contents, "TICK", -(10**18))
    return project


def forget() -> None:
    """As if this process had just been started."""
    program._latest = None
    pipeline._projects.clear()
    pipeline._contents = Contents()
    torch_version.forget()


@pytest.fixture
def lint(here: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Lint]:
    """What the command prints, as a process of its own would."""

    def lint(*argv: str) -> str:
        forget()
        code = main(["check", *argv])
        done = capsys.readouterr()
        return f"{code}\n{done.out}{done.err}"

    yield lint
    forget()


@pytest.fixture
def examined(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are really looked at, in the order in which they are."""
    seen: list[str] = []
    gathered = pipeline._gathered

    def noting(filename, source, settings):  # type: ignore[no-untyped-def]
        seen.append(filename.replace(os.sep, "/"))
        return gathered(filename, source, settings)

    monkeypatch.setattr(pipeline, "_gathered", noting)
    return seen
