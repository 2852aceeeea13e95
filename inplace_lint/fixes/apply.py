"""Applies fixes to one file's source, as many as work together, and verifies them by analysing the result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from ..model import Diagnostic, Edit, Fix, Location, Refused
from .plans import disjoint
from .text import SourceText, apply, clash, line_starts, location, span, united

#: Returns every finding of a source, selected or not, silenced or not. Raises Refused if that source cannot be written
#: back into the file.
Lint = Callable[[bytes], list[Diagnostic]]
#: Returns why a fix that passes the checks must not be made all the same, or None. Arguments: the finding, the source,
#: the fixed source, and the edits between them.
Accept = Callable[[Diagnostic, bytes, bytes, Sequence[Edit]], "str | None"]
#: A fix with its edits.
_Made = tuple[Diagnostic, tuple[Edit, ...]]
#: A fixed source, the findings whose fixes it has, and the findings that are left.
_Result = tuple[bytes, list[Diagnostic], list[Diagnostic]]
_Refuse = Callable[[Diagnostic, Refused], None]
#: Limits on rounds per file, in case fixes keep bringing new findings. With `accept` each round makes only one fix.
_ROUNDS, _ROUNDS_OF_ONE = 25, 500


class Fixed:
    """The outcome for a file: its new source, the number of fixes made per rule, and the refused plans."""

    __slots__ = ("counts", "refused", "source")

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.counts: dict[str, int] = {}
        #: (code, row and column when it was refused): why the fix was not made
        self.refused: dict[tuple[str, int, int], str] = {}


def resolve(
    diagnostics: Sequence[Diagnostic], source: bytes, lint: Lint, known: Sequence[Diagnostic]
) -> None:
    """Fills in `fix` of each diagnostic with a plan, or `fix_refused` if the fix does not work.

    A fix must remove its finding and bring no other, but for lesser ones that its plan leads to. All are tried
    together; only if that fails are they tried in ever smaller groups, to find those that do not work. `known` are
    findings of the unchanged source; the others are asked for only if the changed one has more than these.
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

    @cache
    def everything() -> list[Diagnostic]:
        return lint(source)

    pending: list[_Made] = []
    for one in planned:
        _make(one, text, pending, _say)
    while pending:
        chosen = _apart(pending)
        _try(text, chosen, lint, known, everything)
        pending = [made for made in pending if made not in chosen]
    for one in planned:
        if one.fix_refused is None:
            assert one.plan is not None
            one.fix = Fix(one.plan.applicability, one.plan.told(), _edits(one, text))


def _say(one: Diagnostic, why: Refused) -> None:
    one.fix_refused = str(why)


def _make(one: Diagnostic, text: SourceText, made: list[_Made], refuse: _Refuse) -> None:
    """Appends the finding and its edits to `made`, or refuses it."""
    try:
        made.append((one, _edits(one, text)))
    except Refused as refusal:
        refuse(one, refusal)


def _try(
    text: SourceText,
    chosen: Sequence[_Made],
    lint: Lint,
    known: Sequence[Diagnostic],
    everything: Callable[[], list[Diagnostic]],
) -> None:
    """Checks some fixes, which do not overlap, and refuses those that do not work.

    `known` are some findings of the unchanged source, `everything` returns all of them.
    """
    try:
        changed = _changed(text, chosen, lint)
        if _fault(text, chosen, changed, known) and (why := _fault(text, chosen, changed, everything())):
            raise Refused(why)
    except Refused as refusal:
        if len(chosen) == 1:
            _say(chosen[0][0], refusal)
        else:
            middle = len(chosen) // 2
            _try(text, chosen[:middle], lint, known, everything)
            _try(text, chosen[middle:], lint, known, everything)


def fix_source(
    source: bytes,
    shown: Callable[[bytes, list[Diagnostic]], list[Diagnostic]],
    lint: Lint,
    unsafe: bool,
    accept: Accept | None = None,
) -> Fixed:
    """Applies every allowed fix, round after round, until none is left.

    `shown` selects those of a source's findings that may be fixed. With `accept`, fixes are made one by one, so that it
    judges each by itself.
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
    """Applies as many of the fixes as work together; a fix that fails even alone is refused."""
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
            pass  # the next round tries the others again, on top of these
    return held[0] if held else None


def _accepted(
    text: SourceText,
    chosen: Sequence[_Made],
    lint: Lint,
    found: list[Diagnostic],
    refuse: _Refuse,
    accept: Accept,
) -> _Result | None:
    """Applies the first fix that works and is accepted; refuses those before it."""
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
    """Whether the diagnostic has a fix that may be applied; an unsafe one only if `unsafe`."""
    plan = diagnostic.plan
    return plan is not None and diagnostic.fix_refused is None and (unsafe or plan.applicability == "safe")


def _apart(wanted: Sequence[_Made]) -> list[_Made]:
    """The fixes that do not overlap with an earlier one. An edit that several fixes share is made once."""
    chosen: list[_Made] = []
    for one, edits in wanted:
        if not any(clash(edits, other) for _, other in chosen):
            chosen.append((one, edits))
    return chosen


def _needed(wanted: Sequence[_Made]) -> list[_Made]:
    """Drops fixes that an earlier one may make needless: they `serve` the same purpose."""
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
    """Identifies a finding across rounds, in which rows move: by code, text and how often that text came before."""
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

    Raises Refused if it does not parse, if one of the findings stays, or if a new one appears that no plan leads to.
    """
    changed = _changed(text, chosen, lint)
    why = _fault(text, chosen, changed, before)
    if why is not None:
        raise Refused(why)
    return changed.source, [one for one, _ in chosen], changed.found


@dataclass
class _Changed:
    """A source with some fixes made: its findings, and where the places of the old one are in it."""

    source: bytes
    found: list[Diagnostic]
    move: _Moves


def _changed(text: SourceText, chosen: Sequence[_Made], lint: Lint) -> _Changed:
    """Makes all of these fixes. Raises Refused if the result does not parse."""
    edits = united(edit for _, own in chosen for edit in own)
    fixed = apply(text.text, edits)
    source = text.encoded(fixed)
    try:
        compile(source, "<fixed>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise Refused("the result would not be Python") from error
    return _Changed(source, lint(source), _Moves(text.text, fixed, edits))


def _fault(
    text: SourceText, chosen: Sequence[_Made], changed: _Changed, before: Sequence[Diagnostic]
) -> str | None:
    """Why the fixes do not work, if they do not: a finding stays, or one is new that was not `before`."""
    move, diagnostics = changed.move, [one for one, _ in chosen]
    codes = {one.code for one in diagnostics}
    gone = {_start(one.location) for one in diagnostics}
    expected = {move(_start(one.location)) for one in before if _start(one.location) not in gone}
    # In replaced text, a remaining finding is recognised by its message: two findings may lie in one call.
    staying = Counter(
        _words(one)
        for one in before
        if _start(one.location) not in gone and move.changes(_start(one.location))
    )
    lesser = {code for one in diagnostics if one.plan is not None for code in one.plan.leads_to}
    for one in changed.found:
        place = _start(one.location)
        if one.code in ("IPL000", "IPL002"):
            return "the result could not be analysed"
        if place in expected or (
            one.severity == "note" and one.confidence != "possible" and one.code not in codes
        ):
            continue  # a finding from before, or a note, which does not fail a check
        if one.code in lesser:
            continue
        if staying[_words(one)] > 0 and move.made(place):
            staying[_words(one)] -= 1
            continue
        what = (
            "the finding would stay" if place in {move(g) for g in gone} else "it would bring another finding"
        )
        return f"{what}: {one.code} at line {one.location.row}, {one.message}"
    return None


def _words(one: Diagnostic) -> tuple[str, str]:
    return one.code, one.message


def _start(place: Location) -> tuple[int, int]:
    return place.row, place.column


class _Moves:
    """Maps places of the old text to places in the new one."""

    def __init__(self, old: str, new: str, edits: Sequence[Edit]) -> None:
        self._old, self._new = line_starts(old), line_starts(new)
        self._shifts = []
        for edit in edits:
            start, end = span(self._old, edit.location)
            self._shifts.append((start, end, len(edit.content)))
        self._shifts.sort()

    def changes(self, place: tuple[int, int]) -> bool:
        """Whether a place of the old text lies in replaced text."""
        offset = self._old[place[0] - 1] + place[1] - 1
        return any(start <= offset < end for start, end, _ in self._shifts)

    def made(self, place: tuple[int, int]) -> bool:
        """Whether a place of the new text lies in a replacement."""
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
                moved -= offset - start  # inside replaced text: maps to its beginning
        found = location("", self._new, moved, moved)
        return found.row, found.column
