"""Recalls answers of earlier runs about functions of unchanged files, and stores new answers for later runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..syntax.files import Files
    from ..syntax.module import FunctionSource

    #: a yes/no question, and the function that it is about
    Question = tuple[str, FunctionSource]


class CachedAnswers:
    """The answers of earlier runs, and the questions that they left open."""

    def __init__(self, files: Files) -> None:
        self._files = files
        #: question -> answer, or None where no earlier run answered it
        self.known: dict[Question, bool | None] = {}
        self._open: list[Question] = []
        #: files with at least one recalled answer
        self._recalled: set[str] = set()

    def answer(self, question: str, source: FunctionSource, notes: bool) -> bool | None:
        """The answer of an earlier run with the same setting of `notes`; None if there is none."""
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
        """Yields the questions without an answer so far, also those that are asked during the iteration."""
        if self._files.project.contents.unsaved:  # answers about unsaved text are not kept
            self._open.clear()
        while self._open:
            yield self._open.pop()

    def keep(self, question: str, source: FunctionSource, notes: bool, answer: bool) -> None:
        """Store an answer for later runs."""
        answers = self._files.project.answers
        if answers is not None:
            answers.keep(source.module.filename, _asked(question, source, notes), answer)


def _asked(question: str, source: FunctionSource, notes: bool) -> str:
    """The key of a question: its first letter and the function's position in its file."""
    node = source.node
    return f"{question[0]}{node.lineno}.{node.col_offset}{'n' * notes}"
