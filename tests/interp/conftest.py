"""Runs the tests of the interpreter in an empty folder: sources that they give by text belong to no project.

In that of the tool, each check would go through its thousands of files for what they say of the names in the source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def nowhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("nowhere")


@pytest.fixture(autouse=True)
def _in_an_empty_folder(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(nowhere)
