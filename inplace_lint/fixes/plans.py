"""Describes fixes as plain data: which node is rewritten, and how. `rewrite` and `statements` make the edits."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ..model import Edit, FixPlan, Location

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeAlias

    #: (row, column) in characters: the row from 1, the column from 0; in a function, rows count from its first.
    Point: TypeAlias = tuple[int, int]
    #: An expression's start and end, and the plain data from which `statements.change` makes its change.
    Changed: TypeAlias = tuple[Point, Point, str | dict[str, Any]]


class OutOfPlace(FixPlan):
    """Rewrites the node at `place` to its out-of-place form.

    `kind` is augmented (`y += b`), method (`y.mul_(2)`; `links` is the number of calls in the chain), function
    (`F.relu_(y)`), flag (`F.relu(y, inplace=True)`; `position` if the flag is passed by position), or out
    (`torch.exp(x, out=y)`). `before` and `after` are put around it, to bind the result to the name.
    """

    __slots__ = ("after", "before", "kind", "links", "place", "position")

    def __init__(
        self,
        applicability: str,
        message: str,
        differences: tuple[str, ...],
        place: Location,
        kind: str,
        before: str = "",
        after: str = "",
        links: int = 1,
        position: int | None = None,
    ) -> None:
        super().__init__(applicability, message, differences)
        self.place = place
        self.kind = kind
        self.before = before
        self.after = after
        self.links = links
        self.position = position

    def edits(self, source: str) -> tuple[Edit, ...]:
        from . import rewrite
        from .text import line_starts, span

        start, end = span(line_starts(source), self.place)
        piece = source[start:end]
        if self.kind == "augmented":
            content = rewrite.augmented(piece)
        elif self.kind == "method":
            content = rewrite.method(piece, self.links)
        elif self.kind == "function":
            content = rewrite.function(piece)
        elif self.kind == "out":
            content = rewrite.without_argument(piece, "out", None)
        else:
            content = rewrite.without_argument(piece, "inplace", self.position)
        return (Edit(self.before + content + self.after, self.place),)


class IndexedFill(FixPlan):
    """Rewrites `y[m] = v` at `place` to `form`: masked_fill, index_put or where."""

    __slots__ = ("form", "place")

    def __init__(
        self, applicability: str, message: str, differences: tuple[str, ...], place: Location, form: str
    ) -> None:
        super().__init__(applicability, message, differences)
        self.place = place
        self.form = form

    def edits(self, source: str) -> tuple[Edit, ...]:
        from . import rewrite
        from .text import line_starts, span

        start, end = span(line_starts(source), self.place)
        return (Edit(rewrite.indexed(source[start:end], self.form), self.place),)


class CloneFirst(FixPlan):
    """Puts `y = y.clone()` before the statement at `place`; `alone` tells whether that begins its line.

    `scope` is the row of the function that owns the name: one clone may serve all writes there.
    """

    __slots__ = ("alone", "name", "place", "scope")

    def __init__(
        self,
        applicability: str,
        message: str,
        differences: tuple[str, ...],
        place: Location,
        name: str,
        alone: bool,
        scope: int,
    ) -> None:
        super().__init__(applicability, message, differences)
        self.place = place
        self.name = name
        self.alone = alone
        self.scope = scope

    def serves(self) -> object:
        return self.scope, self.name

    def edits(self, source: str) -> tuple[Edit, ...]:
        from .text import indent_of, line_end

        indent = indent_of(source, self.place)
        between = line_end(source) + indent if self.alone else "; "
        return (Edit(f"{self.name} = {self.name}.clone(){between}", _point(self.place)),)


class UnderNoGrad(FixPlan):
    """Puts the statement at `place`, alone on its lines, into a block of `no_grad`; `manager` is how to spell that."""

    __slots__ = ("manager", "place", "step")

    def __init__(
        self,
        applicability: str,
        message: str,
        differences: tuple[str, ...],
        place: Location,
        manager: str,
        step: str,
    ) -> None:
        super().__init__(applicability, message, differences)
        self.place = place
        self.manager = manager
        self.step = step

    def edits(self, source: str) -> tuple[Edit, ...]:
        from .text import indent_of, line_end

        indent = indent_of(source, self.place)
        head = f"with {self.manager}():{line_end(source)}{indent}{self.step}"
        return (Edit(head, _point(self.place)),)


class CountedUnderNoGrad(UnderNoGrad):
    """As `UnderNoGrad`, and writes the tensor itself where the statement writes through `.data`.

    `manager` is empty if the statement already is in such a block.
    """

    __slots__ = ()

    def edits(self, source: str) -> tuple[Edit, ...]:
        from . import rewrite
        from .text import line_starts, span

        head = super().edits(source)[0].content if self.manager else ""
        start, end = span(line_starts(source), self.place)
        return (Edit(head + rewrite.without_data(source[start:end]), self.place),)


class FunctionChange(FixPlan):
    """Removes statements from a function and changes expressions in it; imports follow.

    `rows`: the function's first and last row. `gone`: where the removed statements begin. `imported`: an import to add,
    and its row. `unread`: rows of import statements, with the names in them that become unused.
    """

    __slots__ = ("changed", "filename", "gone", "imported", "rows", "unread")

    def __init__(
        self,
        applicability: str,
        message: str,
        differences: tuple[str, ...],
        filename: str,
        rows: tuple[int, int],
        gone: tuple[Point, ...],
        changed: tuple[Changed, ...],
        imported: tuple[str, int] | None = None,
        unread: tuple[tuple[int, int, tuple[str, ...]], ...] = (),
    ) -> None:
        super().__init__(applicability, message, differences)
        self.filename = filename
        self.rows = rows
        self.gone = gone
        self.changed = changed
        self.imported = imported
        self.unread = unread

    def edits(self, source: str) -> tuple[Edit, ...]:
        from . import imports, statements

        first, last = self.rows
        piece = statements.rows_of(source, first, last)
        changes = {(start, end): statements.change(how) for start, end, how in self.changed}
        made = statements.differences(
            self.filename, first, piece, statements.edited(piece, self.gone, changes)
        )
        if self.imported is not None:
            made.append(imports.added(source, self.filename, *self.imported))
        for rows in self.unread:
            made += imports.without(source, self.filename, *rows)
        return tuple(sorted(made, key=lambda edit: edit.location.key()))


def _point(place: Location) -> Location:
    return Location(place.filename, place.row, place.column, place.row, place.column)


def disjoint(edits: Sequence[Edit]) -> bool:
    """Whether no two edits of a fix share a character."""
    ordered = sorted(edits, key=lambda edit: edit.location.key())
    return all(
        (a.location.end_row, a.location.end_column) <= (b.location.row, b.location.column)
        for a, b in pairwise(ordered)
    )
