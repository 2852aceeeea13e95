"""Manages a worker process for the server: starts it on demand, ends it on a timeout, and starts it anew."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING, Any

from .frames import HEAD, Answer, Question, packed

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import Mapping

#: After so many seconds an answer is not waited for any longer.
LIMIT = 30.0


class NoAnswer(Exception):
    """A question that has no answer; the text says why, as a sentence."""


class Worker:
    """One process that is asked one thing at a time. What it knows of open files is told before each question."""

    def __init__(self, limit: float = LIMIT) -> None:
        self._limit = limit
        self._lock = asyncio.Lock()
        self._process: Process | None = None
        self._told: dict[str, bytes] = {}
        self._task: asyncio.Future[Any] | None = None

    async def ask(self, texts: Mapping[str, bytes], method: str, *arguments: object) -> Any:
        """The answer to a question, while the files that are open hold these texts. Raises NoAnswer.

        Who is cancelled waits no longer; the process ends what it does before it is asked again, unless it is ended.
        """
        async with self._lock:
            if self._task is not None:
                await asyncio.wait([self._task])
            self._task = asyncio.ensure_future(self._answered(texts, method, arguments))
            self._task.add_done_callback(lambda task: task.cancelled() or task.exception())
            return await asyncio.shield(self._task)

    def end(self) -> None:
        """Ends the process, whatever it does; the next question starts another."""
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            process.kill()

    async def close(self) -> None:
        """Ends the process, and waits for that."""
        process = self._process
        self.end()
        if process is not None:
            await process.wait()

    async def _answered(
        self, texts: Mapping[str, bytes], method: str, arguments: tuple[object, ...]
    ) -> object:
        """The answer; where the process is gone, another is asked once more."""
        for _ in range(2):
            process = self._process or await self._start()
            question = Question(method, arguments, self._news(texts))
            self._told = dict(texts)
            try:
                answer = await asyncio.wait_for(_exchange(process, question), self._limit)
            except asyncio.TimeoutError:
                self.end()
                raise NoAnswer(f"the analysis took more than {self._limit:g} s and was ended") from None
            except (asyncio.IncompleteReadError, OSError):
                if self._process is not process:
                    break  # it was ended
                self.end()
            else:
                if answer.fault:
                    raise NoAnswer(f"inplace-lint failed on this file: {answer.fault}")
                return answer.value
        raise NoAnswer("the process that analyses this file ended")

    async def _start(self) -> Process:
        main = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "__main__.py")
        words = (sys.executable, main, "server", "--worker")
        pipe = asyncio.subprocess.PIPE
        try:
            self._process = await asyncio.create_subprocess_exec(*words, stdin=pipe, stdout=pipe)
        except OSError as error:
            raise NoAnswer(f"the process that analyses cannot be started: {error.strerror}") from error
        self._told = {}
        return self._process

    def _news(self, texts: Mapping[str, bytes]) -> dict[str, bytes | None]:
        news: dict[str, bytes | None] = {
            name: text for name, text in texts.items() if self._told.get(name) != text
        }
        news.update((name, None) for name in self._told if name not in texts)
        return news


async def _exchange(process: Process, question: Question) -> Answer:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(packed(question))
    await process.stdin.drain()
    return await _received(process.stdout)


async def _received(stream: asyncio.StreamReader) -> Answer:
    import pickle

    body = await stream.readexactly(int.from_bytes(await stream.readexactly(HEAD), "big"))
    answer = pickle.loads(body)
    assert isinstance(answer, Answer)
    return answer
