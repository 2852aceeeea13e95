"""A worker that crashes, hangs, or answers for nobody."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from inplace_lint.server import process
from inplace_lint.server.analysis import Checked
from inplace_lint.server.process import NoAnswer, Worker

BAD = (
    b"import torch\na = torch.ones(3, requires_grad=True)\nb = torch.sigmoid(a)\nb += 1\nb.sum().backward()\n"
)


def run(what: Callable[[Worker], Coroutine[Any, Any, None]], limit: float = process.LIMIT) -> None:
    async def whole() -> None:
        worker = Worker(limit)
        try:
            await what(worker)
        finally:
            await worker.close()

    asyncio.run(whole())


async def found(worker: Worker, text: bytes = BAD) -> list[str]:
    checked = await worker.ask({"/nowhere/model.py": text}, "check", "/nowhere/model.py")
    assert isinstance(checked, Checked)
    return [one.code for one in checked.findings]


def test_what_takes_too_long_is_ended_and_the_next_is_answered() -> None:
    async def talk(worker: Worker) -> None:
        with pytest.raises(NoAnswer, match=r"took more than 0\.001 s"):
            await found(worker)
        worker._limit = process.LIMIT
        assert await found(worker) == ["IPL101"]

    run(talk, limit=0.001)


def test_a_process_that_is_gone_is_replaced() -> None:
    async def talk(worker: Worker) -> None:
        assert await found(worker) == ["IPL101"]
        assert worker._process is not None
        worker._process.kill()
        assert await found(worker, BAD + b"\n") == ["IPL101"]

    run(talk)


def test_a_process_that_ends_each_time_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process.sys, "executable", "/bin/false")

    async def talk(worker: Worker) -> None:
        with pytest.raises(NoAnswer, match="ended"):
            await found(worker)
        monkeypatch.setattr(process.sys, "executable", "/nowhere/python")
        worker.end()
        with pytest.raises(NoAnswer, match="cannot be started"):
            await found(worker)

    run(talk)


def test_who_waits_no_longer_ends_nothing() -> None:
    async def talk(worker: Worker) -> None:
        asked = asyncio.ensure_future(found(worker))
        while worker._process is None:
            await asyncio.sleep(0.01)
        first = worker._process
        asked.cancel()
        assert await found(worker, BAD + b"\n") == ["IPL101"]
        assert worker._process is first

    run(talk)


def test_a_fault_of_the_tool_is_told_and_the_process_goes_on() -> None:
    async def talk(worker: Worker) -> None:
        with pytest.raises(NoAnswer, match="AttributeError"):
            await worker.ask({}, "nothing")
        first = worker._process
        assert await found(worker) == ["IPL101"]
        assert worker._process is first

    run(talk)


def test_the_text_of_a_file_that_was_closed_is_forgotten() -> None:
    async def talk(worker: Worker) -> None:
        assert await found(worker) == ["IPL101"]
        with pytest.raises(NoAnswer, match="KeyError"):
            await worker.ask({}, "check", "/nowhere/model.py")

    run(talk)
