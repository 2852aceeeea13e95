"""Removes statements of a function and changes expressions in it, on LibCST's tree of the function.

Nodes are identified by their start and end in the text, as in Python's own `ast`. Untouched code stays as it is, and
the comments of a removed statement stay in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from typing import Any, cast

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from ..model import Edit, Location, Refused
from .text import line_end, line_starts

#: (row from 1, column from 0) in the text; a node's start and end.
Point = tuple[int, int]
Span = tuple[Point, Point]
#: The change of an expression: its new text, or a function of its node.
Change = str | Callable[[cst.BaseExpression], cst.BaseExpression]


def edited(piece: str, gone: Collection[Point], changed: Mapping[Span, Change]) -> str:
    """Returns a function's text without the statements that begin at `gone`, and with its expressions changed."""
    head = f"if True:{line_end(piece)}" if piece[:1].isspace() else ""
    offset = 1 if head else 0

    def moved(point: Point) -> Point:
        return point[0] + offset, point[1]

    try:
        wrapper = MetadataWrapper(cst.parse_module(head + piece), unsafe_skip_copy=True)
        config = wrapper.module.config_for_parsing
        changes = _Changes(
            {moved(point) for point in gone},
            {
                (moved(start), moved(end)): (
                    _instead(_parsed(change, config), piece, (start, end))
                    if isinstance(change, str)
                    else change
                )
                for (start, end), change in changed.items()
            },
        )
    except cst.ParserSyntaxError as error:
        raise Refused("LibCST cannot read this piece of source") from error
    for node, place in wrapper.resolve(PositionProvider).items():
        changes.name(node, place)
    if not changes.is_complete():
        raise Refused("the statements are not where Python's own tree has them")
    return wrapper.module.visit(changes).code.removeprefix(head)


def _parsed(text: str, config: cst.PartialParserConfig) -> cst.BaseExpression:
    """Parses an expression, with the line ends of the file that will hold it."""
    return cst.parse_expression(text.replace("\n", str(config.default_newline)), config=config)


def rows_of(text: str, first: int, last: int) -> str:
    """The text of these rows. Raises Refused if there are fewer."""
    starts = line_starts(text)
    if last > len(starts):
        raise Refused("the text is not the one that was checked")
    return text[starts[first - 1] : starts[last] if last < len(starts) else len(text)]


def _instead(
    new: cst.BaseExpression, piece: str, place: Span
) -> Callable[[cst.BaseExpression], cst.BaseExpression]:
    def change(old: cst.BaseExpression) -> cst.BaseExpression:
        if _touches_a_word(piece, place, len(old.lpar)):
            return new.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        return new

    return change


def _touches_a_word(piece: str, place: Span, parentheses: int) -> bool:
    """Whether only its own parentheses separate an expression from a word: `return(x)`, `(x)if y`."""
    starts = line_starts(piece)
    start, end = (starts[row - 1] + column for row, column in place)
    before, after = piece[:start], piece[end:]
    for _ in range(parentheses):
        before, after = before.rstrip()[:-1], after.lstrip()[1:]
    return parentheses > 0 and (
        ((before[-1:] + "_").isidentifier() and before != "") or after[:1].isidentifier()
    )


def change(how: str | Mapping[str, Any]) -> Change:
    """Makes a change from plain data: a new text, new names for a method (`renamed`), or `arguments`' parameters."""
    if isinstance(how, str):
        return how
    return called(how["renamed"]) if "renamed" in how else arguments(**how)


def arguments(
    values: Mapping[int | str, str] | None = None,
    dropped: Collection[int | str] = (),
    added: Mapping[str, str] | None = None,
    after: str = "",
) -> Callable[[cst.BaseExpression], cst.BaseExpression]:
    """Makes a change of a call's arguments, keyed by position or keyword: new values, some dropped, some added.

    `after` is an expression around the call. `{}` in it, or in a value, stands for the current text.
    """

    def change(node: cst.BaseExpression) -> cst.BaseExpression:
        call = cst.ensure_type(node, cst.Call)
        made: list[cst.Arg] = []
        for number, one in enumerate(call.args):
            name: int | str = number if one.keyword is None else one.keyword.value
            if name in dropped:
                continue
            text = (values or {}).get(name)
            if text is not None:
                one = one.with_changes(value=_around(text, one.value))
            made.append(one)
        for name, text in (added or {}).items():
            equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
            made.append(cst.Arg(cst.parse_expression(text), cst.Name(name), equal))
        old = call.args[-1]
        first = call.whitespace_before_args
        between = first if isinstance(first, cst.ParenthesizedWhitespace) else cst.SimpleWhitespace(" ")
        for number, one in enumerate(made[:-1]):
            if isinstance(one.comma, cst.MaybeSentinel):
                made[number] = one.with_changes(
                    comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" ")),
                    whitespace_after_arg=cst.SimpleWhitespace(""),
                )
            elif one.comma is old.comma:
                made[number] = one.with_changes(comma=one.comma.with_changes(whitespace_after=between))
        made[-1] = made[-1].with_changes(comma=old.comma, whitespace_after_arg=old.whitespace_after_arg)
        changed = call.with_changes(args=made)
        return _around(after, changed) if after else changed

    return change


def called(names: Mapping[str, str]) -> Callable[[cst.BaseExpression], cst.BaseExpression]:
    """Makes a change that renames the method of a call; `names` maps old names to new ones."""

    def change(node: cst.BaseExpression) -> cst.BaseExpression:
        call = cst.ensure_type(node, cst.Call)
        func = cst.ensure_type(call.func, cst.Attribute)
        new = func.attr.with_changes(value=names.get(func.attr.value, func.attr.value))
        return call.with_changes(func=func.with_changes(attr=new))

    return change


def _around(text: str, inner: cst.BaseExpression) -> cst.BaseExpression:
    """Parses a text in which `{}` stands for `inner`, put in parentheses unless it binds tightly."""
    if "{}" not in text:
        return cst.parse_expression(text)
    atom = isinstance(inner, (cst.Name, cst.Attribute, cst.Call, cst.Subscript)) or inner.lpar
    if not atom:
        inner = inner.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    outer = cst.parse_expression(text.replace("{}", "_inner_"))

    class Put(cst.CSTTransformer):
        def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
            return inner if original_node.value == "_inner_" else updated_node

    return cast(cst.BaseExpression, outer.visit(Put()))


class _Changes(cst.CSTTransformer):
    def __init__(
        self, gone: set[Point], changed: Mapping[Span, Callable[[cst.BaseExpression], cst.BaseExpression]]
    ) -> None:
        super().__init__()
        self._wanted = gone
        self._changed = changed
        self._gone: dict[Point, cst.CSTNode] = {}
        self._targets: dict[Span, cst.BaseExpression] = {}
        self._by_node: dict[cst.CSTNode, Span] = {}

    def name(self, node: cst.CSTNode, place: CodeRange) -> None:
        start, end = (place.start.line, place.start.column), (place.end.line, place.end.column)
        if isinstance(node, (cst.SimpleStatementLine, cst.BaseCompoundStatement)) and start in self._wanted:
            self._gone.setdefault(start, node)
        wanted = (start, end) in self._changed and (start, end) not in self._targets
        if wanted and isinstance(node, cst.BaseExpression):
            self._targets[start, end] = node
            self._by_node[node] = start, end

    def is_complete(self) -> bool:
        return self._targets.keys() == self._changed.keys() and self._gone.keys() == self._wanted

    def on_leave(
        self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT
    ) -> cst.CSTNodeT | cst.RemovalSentinel | cst.FlattenSentinel[cst.CSTNodeT]:
        span = self._by_node.get(original_node)
        if span is not None:
            return self._changed[span](updated_node)  # type: ignore[arg-type, return-value]  # of the same kind
        return super().on_leave(original_node, updated_node)

    def leave_If(self, original_node: cst.If, updated_node: cst.If) -> cst.If:
        if any(original_node.orelse is one for one in self._gone.values()):
            return updated_node.with_changes(orelse=None)
        return updated_node

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        going = {id(one) for one in self._gone.values()}
        kept: list[cst.BaseStatement] = []
        waiting: list[cst.EmptyLine] = []
        for before, after in zip(original_node.body, updated_node.body):
            lines = list(after.leading_lines)  # type: ignore[attr-defined]  # both kinds have them
            if id(before) in going:
                waiting += [*lines, *_comments(after)]
            elif waiting:
                kept.append(after.with_changes(leading_lines=_closed([*waiting, *lines], not kept)))
                waiting = []
            else:
                kept.append(after)
        footer = [*waiting, *updated_node.footer]
        return updated_node.with_changes(body=kept, footer=footer)


def _comments(node: cst.CSTNode) -> Iterator[cst.EmptyLine]:
    """The comments inside and behind a statement, one line each; those above it are its `leading_lines`."""
    for child in node.children:
        if child in getattr(node, "leading_lines", ()):
            continue
        if isinstance(child, cst.Comment):
            yield cst.EmptyLine(comment=child)
        else:
            yield from _comments(child)


def _closed(lines: Iterable[cst.EmptyLine], first: bool) -> list[cst.EmptyLine]:
    """Drops blank lines that would end up adjacent, or first in their block."""
    closed: list[cst.EmptyLine] = []
    for line in lines:
        blank = line.comment is None
        if blank and (closed[-1].comment is None if closed else first):
            continue
        closed.append(line)
    return closed


def differences(filename: str, row: int, before: str, after: str) -> list[Edit]:
    """The edits, of whole lines, that turn one text, which begins on `row`, into another."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    edits = []
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        content = "".join(new[j1:j2])
        end = (row + i2, 1)
        if i2 == len(old) and not before.endswith(("\n", "\r")):
            end = (row + i2 - 1, len(old[-1]) + 1)
        edits.append(Edit(content, Location(filename, row + i1, 1, *end)))
    return edits


def without_import(piece: str, name: str) -> str | None:
    """The import statement without its binding of `name`; None if nothing is left."""
    try:
        module = cst.parse_module(piece)
    except cst.ParserSyntaxError as error:
        raise Refused("LibCST cannot read this import") from error
    line = module.body[0] if len(module.body) == 1 else None
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
        raise Refused("this is not one import")
    statement = line.body[0]
    if not isinstance(statement, (cst.Import, cst.ImportFrom)) or isinstance(statement.names, cst.ImportStar):
        raise Refused("this is not an import of names")
    names = list(statement.names)
    found = [i for i, one in enumerate(names) if _bound(one) == name]
    if len(found) != 1:
        raise Refused(f"the import does not bind `{name}` once")
    if len(names) == 1:
        return None
    removed = names.pop(found[0])
    if found[0] == len(names):
        names[-1] = names[-1].with_changes(comma=removed.comma)
    return module.code_for_node(statement.with_changes(names=names))


def _bound(alias: cst.ImportAlias) -> str:
    if alias.asname is not None:
        return cst.ensure_type(alias.asname.name, cst.Name).value
    return alias.evaluated_name.partition(".")[0]
