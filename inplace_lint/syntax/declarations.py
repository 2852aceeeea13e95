"""Reads declaration comments, `# inplace-lint: writes(x)` above a `def` or on its line, and finds their functions."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..project.declarations import against, begins_one, read
from .module import ClassSource, FunctionSource

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..project.declarations import Declaration
    from .module import Module

_OWN = "inplace-lint:"
_FORWARDS = ("forward", "__call__")


class Comment:
    """A comment that declares something: its row, its columns in characters (from 1), its words."""

    __slots__ = ("column", "end_column", "row", "words")

    def __init__(self, row: int, column: int, end_column: int, words: str) -> None:
        self.row, self.column, self.end_column, self.words = row, column, end_column, words


class Declarations:
    """The declarations of a file: functions with their declaration and comment, and the faulty comments."""

    __slots__ = ("faults", "functions")

    def __init__(self) -> None:
        self.functions: dict[FunctionSource, tuple[Declaration, Comment]] = {}
        self.faults: list[tuple[Comment, str]] = []


def of_file(module: Module) -> Declarations:
    """Reads all declarations in the comments of a file."""
    said = Declarations()
    if _OWN.encode() not in module.commented:
        return said
    spoken: dict[FunctionSource, list[Comment]] = {}
    definitions: list[tuple[int, int, FunctionSource | ClassSource]] = []
    for comment in comments(module.commented):
        if not definitions:
            definitions = sorted(_definitions(module), key=lambda one: one[:2])
        target = _target(module, comment, definitions)
        if isinstance(target, str):
            said.faults.append((comment, target))
        else:
            spoken.setdefault(target, []).append(comment)
    for function, several in spoken.items():
        try:
            declaration = read(
                ", ".join(comment.words for comment in several), (module.filename, several[0].row)
            )
            problem = against(declaration, function.name, parameters(function))
        except ValueError as error:
            problem = str(error)
        if problem is not None:
            said.faults.append((several[0], problem))
        else:
            said.functions[function] = (declaration, several[0])
    return said


def parameters(function: FunctionSource) -> tuple[str, ...]:
    """The names of all parameters of a function, `*args` and `**kwargs` included."""
    arguments = function.node.args
    taken = [*function.parameters, arguments.vararg, *arguments.kwonlyargs, arguments.kwarg]
    return tuple(one.arg for one in taken if one is not None)


def comments(text: bytes) -> Iterator[Comment]:
    """The comments of a text that begin a declaration."""
    from io import BytesIO
    from tokenize import COMMENT, TokenError, tokenize

    try:
        tokens = list(tokenize(BytesIO(text).readline))
    except (TokenError, SyntaxError, ValueError):
        return
    for token in tokens:
        if token.type != COMMENT or _OWN not in token.string:
            continue
        column = token.start[1] + 1
        for part in token.string.split("#")[1:]:
            words = part.strip()
            if words.startswith(_OWN) and begins_one(words.removeprefix(_OWN)):
                end = column + 1 + len(part.rstrip())
                yield Comment(token.start[0], column, end, words.removeprefix(_OWN).strip())
            column += 1 + len(part)


def _definitions(module: Module) -> Iterator[tuple[int, int, FunctionSource | ClassSource]]:
    """Every function and class: its first row, the row of its first statement, and its source."""
    owners: dict[ClassSource, None] = {}
    for function in module.functions_in_order():
        yield _first(function.node), _body(function.node), function
        if function.owner is not None:
            owners[function.owner] = None
    for cls in (*module.classes.values(), *owners):
        yield _first(cls.node), _body(cls.node), cls


def _first(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef) -> int:
    if isinstance(node, ast.Lambda):
        return node.lineno
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _body(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef) -> int:
    return node.lineno if isinstance(node, ast.Lambda) else node.body[0].lineno


def _target(
    module: Module, comment: Comment, definitions: list[tuple[int, int, FunctionSource | ClassSource]]
) -> FunctionSource | str:
    """The function that a comment describes, or a message about what is wrong."""
    found: FunctionSource | ClassSource | None = None
    for first, body, source in definitions:
        on_line = first <= comment.row < max(body, source.node.lineno + 1)
        above = comment.row < first and not any(
            line.strip() for line in map(_code, module.lines[comment.row - 1 : first - 1])
        )
        if on_line or above:
            found = source
            if above:
                break
    if found is None:
        return "what is declared stands at no function: it belongs above a `def` or `class`, or on its line"
    if isinstance(found, FunctionSource):
        return found
    for name in _FORWARDS:
        if name in found.methods:
            return found.methods[name]
    return f"`{found.name}` defines neither `forward` nor `__call__`: declare its method"


def _code(line: bytes) -> bytes:
    """A row, or nothing if it is only a comment."""
    return b"" if line.lstrip().startswith(b"#") else line
