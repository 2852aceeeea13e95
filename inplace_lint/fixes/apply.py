"""Applies fixes to one file's source, as many as hold together, and checks each by analysing the result."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from ..model import Diagnostic, Edit, Fix, Location, Refused
from .plans import disjoint
from .text import SourceText, apply, line_starts, location, overlap, span

#: Every finding of a source, whatever is selected or silenced.
Lint = Callable[[bytes], list[Diagnostic]]
#: Why a fix that holds together is not to be made all the same, or nothing: of a finding, the source, the fixed source,
#: and the edits between them.
Accept = Callable[[Diagnostic, bytes, bytes, Sequence[Edit]], "str | None"]
#: A file whose findings do not end is left after so many rounds, of which each makes one fix where each is judged.
_ROUNDS, _ROUNDS_OF_ONE = 25, 500


class Fixed:
    """What became of a file: its new source, how many findings each rule lost, and which plans were refused."""

    __slots__ = ("counts", "refused", "source")

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.counts: dict[str, int] = {}
        #: (code, row at that time): why the fix was not made
        self.refused: dict[tuple[str, int, int], str] = {}


def resolve(diagnostic: Diagnostic, source: bytes, lint: Lint | None = None) -> None:
    """Make the edits of a diagnostic's plan: fills in `fix`, or `fix_refused` where they cannot be made.

    With `lint` the fix is tried as well: it must take its finding away and bring no other.
    """
    plan = diagnostic.plan
    if plan is None or diagnostic.fix is not None or diagnostic.fix_refused is not None:
        return
    try:
        text = SourceText(source)
        edits = _edits(diagnostic, text)
        if lint is not None:
            _checked(text, [diagnostic], edits, lint, lint(source))
    except Refused as refusal:
        diagnostic.fix_refused = str(refusal)
    else:
        diagnostic.fix = Fix(plan.applicability, "; ".join((plan.told(), *_imports_gone(text, edits))), edits)


def _imports_gone(text: SourceText, edits: Sequence[Edit]) -> list[str]:
    """What is said of the imports that a fix takes out."""
    before, after = (_imported(one) for one in (text.text, apply(text.text, edits)))
    gone = [statement for name, statement in before.items() if name not in after]
    return [f"`{statement}` goes, which nothing reads any more" for statement in dict.fromkeys(gone)]


def _imported(source: str) -> dict[str, str]:
    """The names that imports at the top level bind, and how each is imported."""
    found: dict[str, str] = {}
    for node in ast.parse(source).body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            start = (
                "import"
                if isinstance(node, ast.Import)
                else f"from {'.' * node.level}{node.module or ''} import"
            )
            for alias in node.names:
                renamed = f" as {alias.asname}" if alias.asname else ""
                found[alias.asname or alias.name.partition(".")[0]] = f"{start} {alias.name}{renamed}"
    return found


def fix_source(
    source: bytes,
    shown: Callable[[bytes, list[Diagnostic]], list[Diagnostic]],
    lint: Lint,
    unsafe: bool,
    accept: Accept | None = None,
) -> Fixed:
    """Apply every fix that is allowed, round after round, until none is left.

    `shown` gives those of a source's findings that are selected; only these are fixed. With `accept` fixes are made
    one by one, so that it judges each by itself.
    """
    done = Fixed(source)
    refused: set[tuple[object, ...]] = set()
    for _ in range(_ROUNDS if accept is None else _ROUNDS_OF_ONE):
        found = lint(done.source)
        try:
            text = SourceText(done.source)
        except Refused as refusal:
            for one in shown(done.source, found):
                _refuse(done, one, str(refusal))
            return done
        wanted: list[tuple[Diagnostic, tuple[Edit, ...]]] = []
        for one in shown(done.source, found):
            if not _allowed(one, unsafe) or _identity(one, text.text) in refused:
                continue
            try:
                wanted.append((one, _edits(one, text)))
            except Refused as refusal:
                refused.add(_identity(one, text.text))
                _refuse(done, one, str(refusal))
        chosen: list[tuple[Diagnostic, tuple[Edit, ...]]] = []
        for one, edits in wanted:
            if not any(overlap(edits, other) for _, other in chosen):
                chosen.append((one, edits))
        if not chosen:
            break
        result = _together(text, chosen, lint, found) if accept is None else None
        if result is None:
            # They do not hold together: the first that holds alone is taken, and those before it never.
            for one, edits in chosen:
                try:
                    fixed = _checked(text, [one], edits, lint, found)
                    why = accept(one, done.source, fixed, edits) if accept is not None else None
                    if why is not None:
                        raise Refused(why)
                    result = fixed, [one]
                    break
                except Refused as refusal:
                    refused.add(_identity(one, text.text))
                    _refuse(done, one, str(refusal))
            else:
                continue
        done.source = result[0]
        for one in result[1]:
            done.counts[one.code] = done.counts.get(one.code, 0) + 1
    return done


def _allowed(diagnostic: Diagnostic, unsafe: bool) -> bool:
    """Whether the diagnostic has a fix that may be applied."""
    plan = diagnostic.plan
    return plan is not None and diagnostic.fix_refused is None and (unsafe or plan.applicability == "safe")


def _together(
    text: SourceText,
    chosen: Sequence[tuple[Diagnostic, tuple[Edit, ...]]],
    lint: Lint,
    found: list[Diagnostic],
) -> tuple[bytes, list[Diagnostic]] | None:
    if len(chosen) < 2:
        return None
    diagnostics = [one for one, _ in chosen]
    try:
        edits = [edit for _, own in chosen for edit in own]
        return _checked(text, diagnostics, edits, lint, found), diagnostics
    except Refused:
        return None


def _refuse(done: Fixed, one: Diagnostic, why: str) -> None:
    done.refused[one.code, one.location.row, one.location.column] = why


def _identity(one: Diagnostic, text: str) -> tuple[object, ...]:
    """What a finding is known by from one round to the next, while rows move: its code and its own text."""
    start, end = span(line_starts(text), one.location)
    plan = one.plan
    return (
        one.code,
        text[start:end],
        None if plan is None else plan.message,
        text[:start].count(text[start:end]),
    )


def _edits(one: Diagnostic, text: SourceText) -> tuple[Edit, ...]:
    assert one.plan is not None
    edits = tuple(sorted(one.plan.edits(text.text), key=lambda edit: edit.location.key()))
    if not disjoint(edits):
        raise Refused("two edits of the fix overlap")
    return edits


def _checked(
    text: SourceText,
    diagnostics: Sequence[Diagnostic],
    edits: Iterable[Edit],
    lint: Lint,
    before: list[Diagnostic],
) -> bytes:
    """The edited source. Raises Refused unless it parses, the findings are gone and no new one came."""
    edits = list(edits)
    fixed = apply(text.text, edits)
    source = text.encoded(fixed)
    try:
        compile(source, "<fixed>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise Refused("the result would not be Python") from error
    move = _Moves(text.text, fixed, edits)
    codes = {one.code for one in diagnostics}
    gone = {_start(one.location) for one in diagnostics}
    expected = {move(_start(one.location)) for one in before if _start(one.location) not in gone}
    # On the lines that change, what stays is known by its words: two findings may lie in one call.
    staying = Counter(
        _words(one)
        for one in before
        if _start(one.location) not in gone and move.changes(_start(one.location))
    )
    for one in lint(source):
        place = _start(one.location)
        if one.code in ("IPL000", "IPL002"):
            raise Refused("the result could not be analysed")
        if place in expected or (
            one.severity == "note" and one.confidence != "possible" and one.code not in codes
        ):
            continue  # what was there before, or a remark that raises nothing
        if staying[_words(one)] > 0 and move.made(place):
            staying[_words(one)] -= 1
            continue
        what = (
            "the finding would stay" if place in {move(g) for g in gone} else "it would bring another finding"
        )
        raise Refused(f"{what}: {one.code} at line {one.location.row}, {one.message}")
    return source


def _words(one: Diagnostic) -> tuple[str, str]:
    return one.code, one.message


def _start(place: Location) -> tuple[int, int]:
    return place.row, place.column


class _Moves:
    """Where a place of the old text stands in the new one."""

    def __init__(self, old: str, new: str, edits: Sequence[Edit]) -> None:
        self._old, self._new = line_starts(old), line_starts(new)
        self._shifts = []
        for edit in edits:
            start, end = span(self._old, edit.location)
            self._shifts.append((start, end, len(edit.content)))
        self._shifts.sort()

    def changes(self, place: tuple[int, int]) -> bool:
        """Whether a place of the old text lies in what is replaced."""
        offset = self._old[place[0] - 1] + place[1] - 1
        return any(start <= offset < end for start, end, _ in self._shifts)

    def made(self, place: tuple[int, int]) -> bool:
        """Whether a place of the new text lies in what replaces."""
        offset, moved = self._new[place[0] - 1] + place[1] - 1, 0
        for start, end, length in self._shifts:
            if start + moved <= offset < start + moved + length:
                return True
            moved += length - (end - start)
        return False

    def __call__(self, place: tuple[int, int]) -> tuple[int, int]:
        offset = self._old[place[0] - 1] + place[1] - 1
        moved = offset
        for start, end, length in self._shifts:
            if end <= offset:
                moved += length - (end - start)
            elif start < offset:
                moved -= offset - start  # inside of what is replaced: its beginning
        found = location("", self._new, moved, moved)
        return found.row, found.column
