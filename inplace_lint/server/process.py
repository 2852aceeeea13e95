"""A worker as the server sees it: started when something is asked, ended when it takes too long, started anew."""

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

    async def ask(self, texts: Mapping[str, bytes], method: str, *arguments: object) -> Any:
        """The answer to a question, while the files that are open hold these texts. Raises NoAnswer.

        Who is cancelled while waiting ends the process: what it does would be for nobody.
        """
        async with self._lock:
            if self._process is None or self._process.returncode is not None:
                await self._start()
            news = self._news(texts)
            try:
                answer = await asyncio.wait_for(
                    self._exchange(Question(method, arguments, news)), self._limit
                )
            except asyncio.TimeoutError:
                self.end()
                raise NoAnswer(f"the analysis took more than {self._limit:g} s and was ended") from None
            except (asyncio.IncompleteReadError, OSError):
                self.end()
                raise NoAnswer("the process that analyses ended; it is started anew") from None
            except asyncio.CancelledError:
                self.end()
                raise
            self._told = dict(texts)
        if answer.fault:
            raise NoAnswer(f"inplace-lint failed: {answer.fault.strip().splitlines()[-1]}")
        return answer.value

    def end(self) -> None:
        """Ends the process, whatever it does; the next question starts another."""
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            process.kill()

    async def _start(self) -> None:
        main = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "__main__.py")
        self._told = {}
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            main,
            "server",
            "--worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )

    def _news(self, texts: Mapping[str, bytes]) -> dict[str, bytes | None]:
        news: dict[str, bytes | None] = {
            name: text for name, text in texts.items() if self._told.get(name) != text
        }
        news.update((name, None) for name in self._told if name not in texts)
        return news

    async def _exchange(self, question: Question) -> Answer:
        process = self._process
        assert process is not None
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
