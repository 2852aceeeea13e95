"""What earlier runs found out about functions of files that stand as they did: it need not be found out again."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..project.modules import Project
    from ..syntax.module import FunctionSource

    #: a question that is answered with yes or no, and the function that it is about
    Question = tuple[str, FunctionSource]


class Earlier:
    """The answers of earlier runs, and the questions that they left open."""

    def __init__(self, project: Project) -> None:
        self._project = project
        #: what was asked, with None for what no earlier run has answered
        self.known: dict[Question, bool | None] = {}
        self._open: list[Question] = []

    def answer(self, question: str, source: FunctionSource, notes: bool) -> bool | None:
        """What an earlier run answered, which looked for notes or did not; None where there is nothing to go by."""
        key = (question, source)
        answers = self._project.answers
        if key in self.known or answers is None:
            return self.known.get(key)
        known = self.known[key] = answers.recall(source.module.filename, _asked(question, source, notes))
        if known is None:
            self._open.append(key)
        return known

    def open_questions(self) -> Iterator[Question]:
        """What was asked since and is to be answered now, and what is asked meanwhile."""
        while self._open:
            yield self._open.pop()

    def keep(self, question: str, source: FunctionSource, notes: bool, answer: bool) -> None:
        """Leave an answer to later runs."""
        if self._project.answers is not None:
            self._project.answers.keep(source.module.filename, _asked(question, source, notes), answer)


def _asked(question: str, source: FunctionSource, notes: bool) -> str:
    """A question about a function, as the text of its file tells it from others."""
    node = source.node
    return f"{question[0]}{node.lineno}.{node.col_offset}{'n' * notes}"
