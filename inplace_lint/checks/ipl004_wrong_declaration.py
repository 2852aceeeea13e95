"""IPL004: a declaration of a function that cannot be parsed, or that its body contradicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..model import Diagnostic, Label, Location
from ..schedule import contradictions
from . import places

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..interp.program import Program
    from ..project.declarations import Declaration
    from ..schedule.contradictions import Contradiction
    from ..syntax.declarations import Comment
    from ..syntax.module import FunctionSource, Module

CODE = "IPL004"


def check(module: Module, program: Program) -> Iterator[Diagnostic]:
    """All problems of the declarations in a file, and of those that the configuration makes for its functions."""
    declared = program.declared
    comments = declared.comments(module)
    for comment, words in comments.faults:
        yield _diagnostic(
            _of_comment(module, comment), words, (), "write what the function does, or remove it"
        )
    for source in declared.functions(module):
        said = declared.said(source)
        if said is None:
            continue
        own = comments.functions.get(source)
        place = _of_comment(module, own[1]) if own and own[0] is said else _of_function(module, source)
        for found in contradictions.of(program, source, said):
            labels = (places.label("write", found.caption, found.place),) if found.place is not None else ()
            message, advice = _told(module, source, said, found)
            yield _diagnostic(place, message, labels, advice)


def _told(module: Module, source: FunctionSource, said: Declaration, found: Contradiction) -> tuple[str, str]:
    """The message and the advice for an effect of the body that the declaration omits."""
    begin = f"`{source.name}` {found.deed}, "
    if not said.operator:
        advice = f"add `{found.words}`, or change the function"
        return f"{begin}and its declaration{_where(module, said)} does not say so", advice
    if found.words.startswith("writes"):
        advice = "name it in `mutates_args`, or change a copy"
        return f"{begin}and `mutates_args` does not name it: compiled code may lose the change", advice
    return f"{begin}which PyTorch refuses of an operator", "return a copy (`.clone()`)"


def _where(module: Module, said: Declaration) -> str:
    filename, row = said.place
    return "" if filename == module.filename else f" ({filename}{f':{row}' if row else ''})"


def _of_comment(module: Module, comment: Comment) -> Location:
    return Location(module.filename, comment.row, comment.column, comment.row, comment.end_column)


def _of_function(module: Module, source: FunctionSource) -> Location:
    row = source.node.lineno
    first = places.column(module, row, source.node.col_offset)
    return Location(module.filename, row, first, row, first + len("def ") + len(source.name))


def _diagnostic(place: Location, message: str, labels: tuple[Label, ...], advice: str) -> Diagnostic:
    return Diagnostic(CODE, places.rule_name(CODE), "warning", "certain", message, place, labels, help=advice)
