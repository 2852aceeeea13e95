"""The server goes by what earlier sessions and commands found, where that stands, and leaves what it finds."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

from inplace_lint.engine import cache, store

from .client import PATIENCE, address, session

GATE = """\
import torch

from .helpers import change


def gate(x):
    y = torch.sigmoid(x)
    change(y)
    y += 1
    return y
"""
#: What is found in it, and how the forged cache says it: so one sees who answered.
FOUND, FORGED = "is changed in place", "was changed by an earlier run"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package whose files were written long ago, with a cache of its own."""
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "kept"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    package = tmp_path / "project" / "pkg"
    package.mkdir(parents=True)
    for name, text in (("__init__", ""), ("gate", GATE), ("helpers", "def change(x):\n    return x + 1\n")):
        file = package / f"{name}.py"
        file.write_text(text)
        os.utime(file, (1_000_000_000, 1_000_000_000))
    return package


def run(what: Coroutine[Any, Any, None]) -> None:
    asyncio.run(what)


def messages(found: list[lsp.Diagnostic]) -> list[str]:
    return [one.message for one in found if one.code == "IPL101"]


async def first_session(folder: Path) -> None:
    """Opens a file, and waits until what was found in it is kept."""
    async with session(folder.parent) as client:
        uri = address(folder / "gate.py")
        client.open(uri, GATE)
        assert FOUND in "".join(messages(await client.diagnostics(uri)))
        for _ in range(int(PATIENCE * 10)):
            if [*(folder.parents[1] / "kept").glob(f"*{store.ENDING}")]:
                return
            await asyncio.sleep(0.1)
        raise AssertionError("nothing was kept")


def forge(folder: Path) -> None:
    """Changes what is kept, as nobody else could."""
    kept = folder.parents[1] / "kept"
    (file,) = kept.glob(f"*{store.ENDING}")
    name = file.name.removesuffix(store.ENDING)
    body = store.load(str(kept), name)
    assert body is not None
    assert FOUND.encode() in body
    assert store.save(str(kept), name, body.replace(FOUND.encode(), FORGED.encode()))


def test_a_file_that_did_not_change_is_answered_from_the_cache(folder: Path) -> None:
    async def talk() -> None:
        await first_session(folder)
        forge(folder)
        async with session(folder.parent) as client:
            uri = address(folder / "gate.py")
            client.open(uri, GATE)
            assert FORGED in "".join(messages(await client.diagnostics(uri)))
            client.set(uri, 2, GATE + "\n")
            assert FOUND in "".join(messages(await client.diagnostics(uri, 2)))
            client.set(uri, 3, GATE.replace("y += 1", "y = y + 1"))
            assert messages(await client.diagnostics(uri, 3)) == []

    run(talk())


def test_what_is_not_saved_in_another_file_counts(folder: Path) -> None:
    async def talk() -> None:
        await first_session(folder)
        forge(folder)
        async with session(folder.parent) as client:
            uri, other = address(folder / "gate.py"), address(folder / "helpers.py")
            client.open(other, "def change(x):\n    x.mul_(2)\n    return x\n")
            await client.diagnostics(other)
            client.open(uri, GATE)
            (one, *_) = messages(await client.diagnostics(uri))
            assert FORGED not in one
            client.set(other, 2, "def change(x):\n    return x + 1\n")  # as it is on disk
            await client.until(lambda: FORGED in "".join(messages(list(client.told[uri].diagnostics))))

    run(talk())


def test_what_was_edited_and_not_saved_is_not_kept(folder: Path) -> None:
    async def talk() -> None:
        async with session(folder.parent) as client:
            uri = address(folder / "gate.py")
            client.open(uri, GATE.replace("y += 1", "y = y + 1"))
            assert messages(await client.diagnostics(uri)) == []
            await asyncio.sleep(3)
        async with session(folder.parent) as client:
            client.open(uri, GATE)
            assert FOUND in "".join(messages(await client.diagnostics(uri)))

    run(talk())
