"""Recalls answers of earlier runs about functions of unchanged files, and stores new answers for later runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..syntax.files import Files
    from ..syntax.module import FunctionSource

    #: a question that is answered with yes or no, and the function that it is about
    Question = tuple[str, FunctionSource]


class CachedAnswers:
    """The answers of earlier runs, and the questions that they left open."""

    def __init__(self, files: Files) -> None:
        self._files = files
        #: what was asked, with None for what no earlier run has answered
        self.known: dict[Question, bool | None] = {}
        self._open: list[Question] = []
        #: the files of which something was recalled
        self._recalled: set[str] = set()

    def answer(self, question: str, source: FunctionSource, notes: bool) -> bool | None:
        """What an earlier run answered, which looked for notes or did not; None where there is nothing to go by."""
        key, filename = (question, source), source.module.filename
        answers = self._files.project.answers
        if key in self.known or answers is None:
            return self.known.get(key)
        known = self.known[key] = answers.recall(filename, _asked(question, source, notes))
        if known is None:
            self._open.append(key)
        elif filename not in self._recalled:
            self._recalled.add(filename)
            self._files.rest_on(filename, answers.rests_on(filename))
        return known

    def open_questions(self) -> Iterator[Question]:
        """What was asked since and is to be answered now, and what is asked meanwhile."""
        if self._files.project.contents.unsaved:  # it would be forgotten
            self._open.clear()
        while self._open:
            yield self._open.pop()

    def keep(self, question: str, source: FunctionSource, notes: bool, answer: bool) -> None:
        """Leave an answer to later runs."""
        answers = self._files.project.answers
        if answers is not None:
            answers.keep(source.module.filename, _asked(question, source, notes), answer)


def _asked(question: str, source: FunctionSource, notes: bool) -> str:
    """A question about a function, as the text of its file tells it from others."""
    node = source.node
    return f"{question[0]}{node.lineno}.{node.col_offset}{'n' * notes}"
