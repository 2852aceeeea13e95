"""Applies suppression comments: `# inplace-lint: ignore[…]`, `# inplace-lint: file-ignore[…]`, `# noqa`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..model import Diagnostic, Edit, FixPlan, Location, Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_OWN = "inplace-lint:"
_DIGITS = "0123456789"
#: Findings which say that a file was not analysed as a whole: then it is unknown what its comments silence.
_UNREAD = ("IPL000", "IPL002", "IPL003")


def suppress(
    filename: str,
    source: bytes,
    diagnostics: list[Diagnostic],
    selector_problem: Callable[[str], str | None],
) -> list[Diagnostic]:
    """The diagnostics that no comment silences, and an IPL001 for each of our comments that silences nothing.

    A comment applies if it stands on any line of a finding's span. `# noqa` belongs to other tools too, so it is never
    reported as unused, nor is any comment of a file that was not analysed as a whole. A file that cannot be tokenized
    has no suppressions: its IPL000 says enough.
    """
    from tokenize import TokenError

    try:
        said = list(comments(filename, source))
    except (TokenError, SyntaxError, ValueError):
        return diagnostics
    kept = [one for one in diagnostics if not [comment for comment in said if comment.silences(one)]]
    whole = not any(one.code in _UNREAD for one in diagnostics)
    kept.extend(found for comment in said for found in comment.faults(selector_problem, whole))
    return sorted(kept, key=lambda diagnostic: diagnostic.location.key())


class Removal(FixPlan):
    """Removes a comment that silences nothing, or those of its codes that are not needed."""

    __slots__ = ("after", "before", "place")

    def __init__(self, message: str, place: Location, before: str, after: str) -> None:
        super().__init__("safe", message)
        self.place = place
        self.before = before
        self.after = after

    def edits(self, source: str) -> tuple[Edit, ...]:
        """Replaces the comment; if it goes altogether, so do the blanks before it and a line that is then empty."""
        place, lines = self.place, source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        line = lines[place.row - 1] if place.row <= len(lines) else ""
        start, end = place.column - 1, place.end_column - 1
        if line[start:end] != self.before:
            raise Refused("the text is not the one that was checked")
        last, end = place.row, place.end_column
        if not self.after:
            start = len(line[:start].rstrip())
            if not (line[:start] + line[end - 1 :]).strip() and place.row < len(lines):
                start, last, end = 0, place.row + 1, 1
        return (Edit(self.after, Location(place.filename, place.row, start + 1, last, end)),)


class Comment:
    """One suppression comment. `selectors` is None if it silences every code; `text` is its source text."""

    __slots__ = ("fault", "location", "own", "selectors", "text", "used", "whole_file")

    def __init__(
        self,
        location: Location,
        selectors: tuple[str, ...] | None,
        own: bool,
        whole_file: bool,
        fault: str = "",
    ) -> None:
        self.location = location
        self.selectors = selectors
        self.own = own
        self.whole_file = whole_file
        self.fault = fault
        self.text = ""
        self.used: set[str] = set()

    def silences(self, diagnostic: Diagnostic) -> bool:
        """Whether this comment silences the diagnostic; records which of its selectors match."""
        place = diagnostic.location
        if self.fault or not (self.whole_file or place.row <= self.location.row <= place.end_row):
            return False
        if self.selectors is None:
            self.used.add("")
            return True
        hits = {selector for selector in self.selectors if _means(selector, diagnostic)}
        self.used |= hits
        return bool(hits)

    def faults(self, selector_problem: Callable[[str], str | None], whole: bool) -> Iterator[Diagnostic]:
        """The IPL001 findings about this comment; only if the file was analysed as a `whole` can it be unused."""
        if not self.own:
            return
        if self.fault:
            yield self._unused(self.fault)
        elif self.selectors is None:
            # A `file-ignore` without codes may cover a file that has no findings today.
            if whole and not self.used and not self.whole_file:
                yield self._unused("no finding on this line: the comment silences nothing", ())
        else:
            where = "in this file" if self.whole_file else "on this line"
            problems = {selector: selector_problem(selector) for selector in self.selectors}
            kept = tuple(one for one, problem in problems.items() if problem or self._is_needed(one))
            for selector, problem in problems.items():
                if problem:
                    yield self._unused(problem)
                elif whole and selector not in kept:
                    yield self._unused(f"no `{selector}` finding {where}: the comment silences nothing", kept)

    def _is_needed(self, selector: str) -> bool:
        return selector in self.used or selector.upper() == "IPL001"

    def _unused(self, message: str, kept: tuple[str, ...] | None = None) -> Diagnostic:
        """An IPL001; its fix leaves the codes `kept` in the comment. No fix if that is None."""
        advice = "remove it, or the code that is not needed"
        return Diagnostic(
            "IPL001",
            "unused-suppression",
            "warning",
            "certain",
            message,
            self.location,
            help="" if self.fault or "did you mean" in message else advice,
            plan=None if kept is None or not self.text else self._removal(kept),
        )

    def _removal(self, kept: tuple[str, ...]) -> Removal:
        if not kept:
            return Removal("remove the comment", self.location, self.text, "")
        return Removal(f"keep `{', '.join(kept)}` alone", self.location, self.text, self.with_selectors(kept))

    def with_selectors(self, selectors: tuple[str, ...]) -> str:
        """The comment's text with other selectors in its brackets."""
        head, _, rest = self.text.partition("[")
        return f"{head}[{', '.join(selectors)}]{rest.partition(']')[2]}"


def _means(selector: str, diagnostic: Diagnostic) -> bool:
    selector = selector.strip()
    return (
        selector.upper() == "ALL"
        or selector.lower() == diagnostic.name
        or (
            diagnostic.code.startswith(selector.upper())
            and diagnostic.code.rstrip(_DIGITS) == selector.upper().rstrip(_DIGITS)
        )
    )


def comments(filename: str, source: bytes) -> Iterator[Comment]:
    """The suppressions of a file. Raises TokenError, SyntaxError or ValueError if it cannot be tokenized."""
    from io import BytesIO
    from tokenize import COMMENT, tokenize

    if b"\0" in source:  # Python 3.13's tokenizer would continue with an exception set
        raise ValueError("a null byte stands in it")
    for token in tokenize(BytesIO(source.replace(b"\r\n", b"\n").replace(b"\r", b"\n")).readline):
        if token.type == COMMENT and ("inplace-lint:" in token.string or "noqa" in token.string.lower()):
            row, column = token.start
            yield from _parse(token.string, filename, row, column + 1)


def _parse(text: str, filename: str, row: int, column: int) -> Iterator[Comment]:
    """The suppressions in one comment, which may follow other words: `# type: ignore  # noqa: IPL101`."""
    start = 0
    for part in text.split("#"):
        body = part.strip()
        place = Location(filename, row, column + max(start - 1, 0), row, column + start + len(part.rstrip()))
        start += len(part) + 1
        if body.startswith(_OWN) and _is_no_suppression(body.removeprefix(_OWN)):
            continue
        if body.startswith(_OWN):
            comment = _own_comment(body.removeprefix(_OWN).strip(), place)
            comment.text = text[place.column - column : place.end_column - column]
            yield comment
        elif body[:4].lower() == "noqa":
            rest = body[4:]
            if rest.startswith(":"):
                # The codes end at the first word that is no code, as in `noqa: E501, IPL101 for speed`.
                codes = tuple(_leading_codes(rest[1:].replace(",", " ").split()))
                yield Comment(place, codes, own=False, whole_file=False)
            elif not rest or rest[0].isspace():
                yield Comment(place, None, own=False, whole_file=False)


def _is_no_suppression(body: str) -> bool:
    """Whether our comment is of another kind: `inputs` (for `confirm`), or a declaration of a function."""
    from .declarations import begins_one

    return body.split()[:1] == ["inputs"] or begins_one(body)


def _leading_codes(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        if not (word.isascii() and word[:1].isalpha() and word[-1:].isdigit() and word.isalnum()):
            return
        yield word


def _own_comment(body: str, place: Location) -> Comment:
    verb, bracket, rest = body.partition("[")
    words = verb.split()
    verb = words[0] if words else ""
    bracket = bracket if len(words) == 1 else ""
    if verb not in ("ignore", "file-ignore"):
        fault = (
            f"`{verb}` is not understood after `{_OWN}`: write `ignore[…]` or `file-ignore[…]`, "
            "or what a function does, as `writes(x)`"
        )
        return Comment(place, (), own=True, whole_file=False, fault=fault)
    whole_file = verb == "file-ignore"
    if not bracket:
        return Comment(place, None, own=True, whole_file=whole_file)
    inside, closed, _ = rest.partition("]")
    selectors = tuple(part.strip() for part in inside.split(",") if part.strip())
    if not closed or not selectors:
        fault = f"`{verb}[` needs the codes to ignore and a closing bracket"
        return Comment(place, (), own=True, whole_file=whole_file, fault=fault)
    return Comment(place, selectors, own=True, whole_file=whole_file)
