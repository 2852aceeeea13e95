"""What is checked when: the latest change first and at once, older ones never, other open files after it."""

from __future__ import annotations

import asyncio
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
        self._waiting: dict[Document, None] = {}  # the next last
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def want(self, document: Document, others: bool = True) -> None:
        """A document is new or was changed: it is next. After it come `others`, whose findings may change with it."""
        if others:
            for other in self._documents:
                self._waiting.setdefault(other)
        self._waiting.pop(document, None)
        self._waiting[document] = None
        if self._task is None or self._task.done():
            self._task = asyncio.ensure_future(self._work())

    def want_all(self) -> None:
        """Something that is not open has changed."""
        for document in list(self._documents):
            self.want(document, others=False)

    def forget(self, document: Document) -> None:
        """A document was closed."""
        self._waiting.pop(document, None)
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
        while self._waiting:
            document, _ = self._waiting.popitem()
            before = asyncio.get_running_loop().time()
            await self._check(document)
            took = asyncio.get_running_loop().time() - before
            if document in self._waiting:
                await asyncio.sleep(min(took, PAUSE))

    async def _check(self, document: Document) -> None:
        """Checks a document; gives up when it has been changed for a while."""
        stamp = document.stamp
        texts = self._documents.texts()
        asked = asyncio.ensure_future(self._worker.ask(texts, "check", document.filename))
        while not asked.done():
            await asyncio.wait([asked], timeout=PATIENCE)
            if not asked.done() and document.stamp != stamp:
                asked.cancel()
                await asyncio.wait([asked])
                return
        try:
            result: Checked | str = asked.result()
        except NoAnswer as reason:
            result = str(reason)
        if document.stamp == stamp:
            document.checked = (stamp, result)
            self._publish(document, result)
            self._announce()
