"""Schedules checks of open files: the latest change first, outdated ones never, other open files after it."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from typing import TYPE_CHECKING

from .process import NoAnswer, Worker

if TYPE_CHECKING:
    from collections.abc import Callable

    from .analysis import Checked
    from .documents import Document, Documents

#: So many seconds the check of a text that has changed since may go on: then it ends sooner than another process
#: starts and reads the project.
PATIENCE = 1.0
#: While one types on, at most a part of a processor is taken: after a check, as long as it took, but not longer.
PAUSE = 0.25
#: So many seconds after the last change other open files are checked again, whose findings may change with it.
CALM = 0.5


class Checks:
    """The results of what is open, each for the text that was checked.

    `publish` is given each document with what was found in the text that it holds at that time, or with the reason why
    nothing is known.
    """

    def __init__(
        self, documents: Documents, worker: Worker, publish: Callable[[Document, Checked | str], None]
    ) -> None:
        self._documents = documents
        self._worker = worker
        self._publish = publish
        self._waiting: dict[Document, None] = {}  # those that were changed; the next last
        self._others: dict[Document, None] = {}
        self._news = asyncio.Event()
        self._change = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def want(self, document: Document) -> None:
        """A document is new or was changed: it is next. After it come those whose findings may rest on it."""
        self._waiting.pop(document, None)
        self._waiting[document] = None
        self._change.set()
        self.want_all(document.filename)

    def want_all(self, changed: str | None = None) -> None:
        """Something has changed that findings may rest on: this file, or any."""
        resting = (one for one in self._documents if changed is None or _may_rest(one, changed))
        self._others.update(dict.fromkeys(resting))
        if (self._waiting or self._others) and (self._task is None or self._task.done()):
            self._task = asyncio.ensure_future(self._work())

    def forget(self, document: Document) -> None:
        """A document was closed."""
        self._waiting.pop(document, None)
        self._others.pop(document, None)
        self._announce()

    async def result(self, document: Document) -> Checked | None:
        """What is found in the text that a document holds, waited for; None where nothing is known of it."""
        while document.checked is None or document.checked[0] != document.stamp:
            if document not in self._documents:
                return None
            await self._news.wait()
        result = document.checked[1]
        return None if isinstance(result, str) else result

    def _announce(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def _work(self) -> None:
        clock, calm = asyncio.get_running_loop().time, False
        while self._waiting or self._others:
            if not self._waiting and not calm:
                calm = await self._is_calm()
                continue
            calm = not self._waiting
            document, _ = (self._waiting or self._others).popitem()
            before = clock()
            await self._check(document)
            if document in self._waiting:
                await asyncio.sleep(min(clock() - before, PAUSE))

    async def _is_calm(self) -> bool:
        """Whether nothing changes for a while; waits for that, or for a change."""
        self._change.clear()
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._change.wait(), CALM)
            return False
        return True

    async def _check(self, document: Document) -> None:
        """Checks a document; gives up when it has been changed for a while."""
        self._others.pop(document, None)
        stamp = document.stamp
        texts = self._documents.texts()
        asked = asyncio.ensure_future(self._worker.ask(texts, "check", document.filename))
        while not asked.done():
            await asyncio.wait([asked], timeout=PATIENCE)
            if not asked.done() and document.stamp != stamp:
                asked.cancel()
                self._worker.end()
                return
        try:
            result: Checked | str = asked.result()
        except NoAnswer as reason:
            result = str(reason)
        if document.stamp == stamp:
            document.checked = (stamp, result)
            self._publish(document, result)
            self._announce()


def _may_rest(document: Document, filename: str) -> bool:
    """Whether the findings of a document may rest on a file."""
    result = document.checked[1] if document.checked else None
    if result is None or isinstance(result, str) or result.fault:
        return True
    path = os.path.abspath(filename)
    return any(path.startswith(os.path.join(folder, "")) for folder in result.folders)
