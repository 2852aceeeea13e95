"""Applies fixes to one file's source, as many as work together, and verifies them by analysing the result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from ..model import Diagnostic, Edit, Fix, Location, Refused
from .plans import disjoint
from .text import SourceText, apply, clash, line_starts, location, span, united

#: Every finding of a source, whatever is selected or silenced. Raises Refused for what cannot become of the file.
Lint = Callable[[bytes], list[Diagnostic]]
#: Why a fix that holds together is not to be made all the same, or nothing: of a finding, the source, the fixed source,
#: and the edits between them.
Accept = Callable[[Diagnostic, bytes, bytes, Sequence[Edit]], "str | None"]
#: A fix with its edits.
_Made = tuple[Diagnostic, tuple[Edit, ...]]
#: A fixed source, the findings whose fixes were made, and those that the source has.
_Result = tuple[bytes, list[Diagnostic], list[Diagnostic]]
_Refuse = Callable[[Diagnostic, Refused], None]
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


def resolve(diagnostics: Sequence[Diagnostic], source: bytes, lint: Lint) -> None:
    """Make the edits of each diagnostic's plan: fills in `fix`, or `fix_refused` where they cannot be made.

    A fix must take its finding away and bring no other. All are tried at once; only where they do not hold together is
    it asked which of them does not.
    """
    planned = [
        one for one in diagnostics if one.plan is not None and one.fix is None and one.fix_refused is None
    ]
    if not planned:
        return
    try:
        text = SourceText(source)
    except Refused as refusal:
        for one in planned:
            one.fix_refused = str(refusal)
        return
    found = lint(source)
    pending: list[_Made] = []
    for one in planned:
        _make(one, text, pending, _say)
    while pending:
        chosen = _apart(pending)
        _try(text, chosen, lint, found)
        pending = [made for made in pending if made not in chosen]
    for one in planned:
        if one.fix_refused is None:
            assert one.plan is not None
            one.fix = Fix(one.plan.applicability, one.plan.told(), _edits(one, text))


def _say(one: Diagnostic, why: Refused) -> None:
    one.fix_refused = str(why)


def _make(one: Diagnostic, text: SourceText, made: list[_Made], refuse: _Refuse) -> None:
    """Add a fix with its edits to those that are `made`."""
    try:
        made.append((one, _edits(one, text)))
    except Refused as refusal:
        refuse(one, refusal)


def _try(text: SourceText, chosen: Sequence[_Made], lint: Lint, found: list[Diagnostic]) -> None:
    """Refuse those of some fixes, which do not overlap, that do not hold."""
    try:
        _checked(text, chosen, lint, found)
    except Refused as refusal:
        if len(chosen) == 1:
            _say(chosen[0][0], refusal)
        else:
            middle = len(chosen) // 2
            _try(text, chosen[:middle], lint, found)
            _try(text, chosen[middle:], lint, found)


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
    found = lint(source)
    for _ in range(_ROUNDS if accept is None else _ROUNDS_OF_ONE):
        try:
            text = SourceText(done.source)
        except Refused as refusal:
            for one in shown(done.source, found):
                _refuse(done, one, str(refusal))
            return done

        def refuse(one: Diagnostic, why: Refused, text: SourceText = text) -> None:
            refused.add(_identity(one, text.text))
            _refuse(done, one, str(why))

        wanted: list[_Made] = []
        for one in shown(done.source, found):
            if _allowed(one, unsafe) and _identity(one, text.text) not in refused:
                _make(one, text, wanted, refuse)
        if not wanted:
            break
        chosen = _apart(_needed(wanted))
        if accept is None:
            result = _holding(text, chosen, lint, found, refuse)
        else:
            result = _accepted(text, chosen, lint, found, refuse, accept)
        if result is not None:
            done.source, fixed, found = result
            for one in fixed:
                done.counts[one.code] = done.counts.get(one.code, 0) + 1
    return done


def _holding(
    text: SourceText, chosen: Sequence[_Made], lint: Lint, found: list[Diagnostic], refuse: _Refuse
) -> _Result | None:
    """As many of some fixes as hold together, made; what holds not even alone is refused."""
    try:
        return _checked(text, chosen, lint, found)
    except Refused as refusal:
        if len(chosen) == 1:
            refuse(chosen[0][0], refusal)
            return None
    middle = len(chosen) // 2
    halves = [_holding(text, half, lint, found, refuse) for half in (chosen[:middle], chosen[middle:])]
    held = [half for half in halves if half is not None]
    if len(held) == 2:
        kept = [*held[0][1], *held[1][1]]
        try:
            return _checked(text, [made for made in chosen if made[0] in kept], lint, found)
        except Refused:
            pass  # the others are tried again when these are made
    return held[0] if held else None


def _accepted(
    text: SourceText,
    chosen: Sequence[_Made],
    lint: Lint,
    found: list[Diagnostic],
    refuse: _Refuse,
    accept: Accept,
) -> _Result | None:
    """The first of some fixes that holds and is accepted, made; those before it are refused."""
    for made in chosen:
        one, edits = made
        try:
            result = _checked(text, [made], lint, found)
            why = accept(one, text.encoded(text.text), result[0], edits)
            if why is not None:
                raise Refused(why)
        except Refused as refusal:
            refuse(one, refusal)
        else:
            return result
    return None


def _allowed(diagnostic: Diagnostic, unsafe: bool) -> bool:
    """Whether the diagnostic has a fix that may be applied."""
    plan = diagnostic.plan
    return plan is not None and diagnostic.fix_refused is None and (unsafe or plan.applicability == "safe")


def _apart(wanted: Sequence[_Made]) -> list[_Made]:
    """Those fixes that do not overlap with one before them. What several do in the same way is done once."""
    chosen: list[_Made] = []
    for one, edits in wanted:
        if not any(clash(edits, other) for _, other in chosen):
            chosen.append((one, edits))
    return chosen


def _needed(wanted: Sequence[_Made]) -> list[_Made]:
    """Without those fixes that one before them may make needless."""
    served: set[object] = set()
    needed: list[_Made] = []
    for one, edits in wanted:
        what = None if one.plan is None else one.plan.serves()
        if what is None or what not in served:
            needed.append((one, edits))
            served.add(what)
    return needed


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


def _checked(text: SourceText, chosen: Sequence[_Made], lint: Lint, before: list[Diagnostic]) -> _Result:
    """The source with all of these fixes, and its findings.

    Raises Refused unless it parses, the findings are gone and no new one came.
    """
    diagnostics = [one for one, _ in chosen]
    edits = united(edit for _, own in chosen for edit in own)
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
    after = lint(source)
    for one in after:
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
    return source, diagnostics, after


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
