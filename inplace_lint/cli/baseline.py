"""Which findings of a run are known: those that a baseline lists, by what they are and not by where they stand.

A finding is known by its code, the function that it stands in and the text that it marks, so that it may move within
its file. How many of a kind there are is counted for each file. What a file that is gone, or was checked and has fewer,
does not need is free for others, so that code may move from file to file and a file be renamed.
"""

from __future__ import annotations

import ast
import json
import os
import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from ..checks import registry
from ..engine.reading import program
from ..project.paths import relative
from ..project.reading import read
from ..report.source import decode, split
from .options import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ..model import Diagnostic, Location

VERSION = 1
#: What a formatter adds where it folds a call: blanks within its brackets, and a last comma.
_FOLDED = re.compile(r"(?<=[(\[{]) |,? (?=[)\]}])|,(?=[)\]}])")
#: What a finding is known by: its code, the qualified name of the function around it, and the text that it marks.
Key = tuple[str, str, str]


class Baseline:
    """The findings that a file lists. `filename` need not exist yet: such a baseline lists none."""

    def __init__(self, filename: str, entries: Mapping[Key, Mapping[str, int]] | None = None) -> None:
        self.filename = filename
        self._root = os.path.dirname(os.path.abspath(filename))
        self._entries = entries or {}
        self._known: dict[str, Counter[Key]] = defaultdict(Counter)
        #: how many of the listed findings are gone, once `divide` has seen what is left
        self.stale: Counter[Key] = Counter()

    def divide(
        self, findings: Sequence[Diagnostic], checked: Iterable[str], texts: Mapping[str, bytes]
    ) -> list[bool]:
        """Of each finding of a run, whether it is listed. `checked` are all files of the run."""
        files = [relative(one.location.filename, self._root) for one in findings]
        keys = list(_keys(findings, _programs(texts)))
        left = {key: Counter(counts) for key, counts in self._entries.items()}
        known = [False] * len(findings)
        self._known.clear()

        def take(index: int, among: Counter[str] | None, name: str) -> None:
            if among is not None and not known[index] and among[name] > 0:
                among[name] -= 1
                known[index] = True
                self._known[findings[index].location.filename][keys[index]] += 1

        for index, (file, key) in enumerate(zip(files, keys)):
            take(index, left.get(key), file)
        here = {relative(name, self._root) for name in checked}
        free = {
            key: Counter({"": sum(count for file, count in counts.items() if self._is_free(file, here))})
            for key, counts in left.items()
        }
        for index, key in enumerate(keys):
            take(index, free.get(key), "")
        self.stale = Counter({key: counts[""] for key, counts in free.items() if counts[""] > 0})
        return known

    def unknown(self, filename: str, source: bytes, found: Sequence[Diagnostic]) -> list[Diagnostic]:
        """Those of a program's findings that are not listed, also where rows have moved since `divide`."""
        left = Counter(self._known.get(filename, ()))
        if not left:
            return list(found)
        new = []
        for one, key in zip(found, _keys(found, lambda _: source)):
            left[key] -= 1
            if left[key] < 0:
                new.append(one)
        return new

    def write(
        self, findings: Sequence[Diagnostic], checked: Iterable[str], texts: Mapping[str, bytes]
    ) -> int:
        """Lists these findings, and those listed before of files that were not checked. Raises UsageError."""
        here = {relative(name, self._root) for name in checked}
        entries: dict[Key, Counter[str]] = defaultdict(Counter)
        for key, counts in self._entries.items():
            kept = {file: count for file, count in counts.items() if not self._is_free(file, here)}
            if kept:
                entries[key].update(kept)
        for one, key in zip(findings, _keys(findings, _programs(texts))):
            entries[key][relative(one.location.filename, self._root)] += 1
        rows = [
            json.dumps({"code": code, "name": name, "text": text, "files": dict(sorted(files.items()))})
            for (code, name, text), files in sorted(entries.items())
        ]
        listed = "[\n  " + ",\n  ".join(rows) + "\n ]" if rows else "[]"
        try:
            with open(self.filename, "w", encoding="utf-8") as file:
                file.write(f'{{\n "version": {VERSION},\n "findings": {listed}\n}}\n')
        except OSError as error:
            raise UsageError(
                f"--write-baseline: {self.filename} cannot be written: {error.strerror}"
            ) from error
        return sum(sum(files.values()) for files in entries.values())

    def _is_free(self, file: str, checked: set[str]) -> bool:
        return file in checked or not os.path.lexists(os.path.join(self._root, file))


def may_be_listed(one: Diagnostic) -> bool:
    """Whether a baseline may list a finding: what was not read or not analysed must not pass for clean."""
    return one.code not in registry.ALWAYS


def load(filename: str, said_by: str = "--baseline") -> Baseline:
    """The baseline that a file holds; `said_by`: who named it. Raises UsageError."""
    try:
        data = json.loads(read(filename))
        return Baseline(filename, _entries(data))
    except FileNotFoundError:
        raise UsageError(
            f"{said_by}: there is no file {filename}; --write-baseline {filename} writes it"
        ) from None
    except OSError as error:
        raise UsageError(f"{said_by}: {filename} cannot be read: {error.strerror}") from error
    except RecursionError:
        raise UsageError(f"{filename} is no baseline: it is nested too deeply") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{filename} is no baseline: it is not UTF-8") from error
    except json.JSONDecodeError as error:
        raise UsageError(f"{filename}:{error.lineno} is not valid JSON: {error.msg}") from error
    except ValueError as error:
        raise UsageError(f"{filename} is no baseline: {error}") from error


def _entries(data: Any) -> dict[Key, dict[str, int]]:
    """The entries of a baseline's JSON. Raises ValueError, the rest of a sentence."""
    if not isinstance(data, dict) or not isinstance(data.get("findings"), list):
        raise ValueError("it has no list of `findings`")
    if data.get("version") != VERSION:
        raise ValueError(f"it is of version {data.get('version')}, this inplace-lint reads version {VERSION}")
    entries: dict[Key, dict[str, int]] = {}
    for number, row in enumerate(data["findings"], 1):
        key = tuple(row.get(part) for part in ("code", "name", "text")) if isinstance(row, dict) else ()
        files = row.get("files") if key else None
        if not key or not all(isinstance(part, str) for part in key):
            raise ValueError(f"finding {number} lacks `code`, `name` or `text`")
        if not isinstance(files, dict) or not all(
            type(count) is int and count > 0 for count in files.values()
        ):
            raise ValueError(f"finding {number} has no `files` with a count for each")
        # Of two equal entries, as when two branches were merged, each says the same.
        known = entries.setdefault((str(key[0]), str(key[1]), str(key[2])), {})
        for file, count in files.items():
            known[file] = max(count, known.get(file, 0))
    return entries


def _keys(findings: Sequence[Diagnostic], source_of: Callable[[str], bytes]) -> Iterator[Key]:
    """What each finding is known by; each file is read once, as the findings of a file stand together."""
    filename, lines, scopes = None, [""], _Scopes(b"")
    for one in findings:
        place = one.location
        if place.filename != filename:
            filename = place.filename
            source = source_of(filename)
            lines, scopes = split(decode(source)), _Scopes(source)
        yield one.code, scopes.name(place.row), _text(lines, place)


def _programs(texts: Mapping[str, bytes]) -> Callable[[str], bytes]:
    """What is analysed of each file: of those that are not on disk their text."""

    def source_of(filename: str) -> bytes:
        try:
            return program(filename, texts[filename] if filename in texts else read(filename))
        except OSError:
            return b""

    return source_of


def _text(lines: Sequence[str], place: Location) -> str:
    """What a place marks, on one line and without last commas, so that a formatter may fold and indent it."""
    rows = list(lines[place.row - 1 : place.end_row])
    if not rows:
        return ""
    rows[-1] = rows[-1][: place.end_column - 1] if len(rows) == place.end_row - place.row + 1 else rows[-1]
    rows[0] = rows[0][place.column - 1 :]
    return _FOLDED.sub("", " ".join(" ".join(rows).split()))


class _Scopes:
    """The functions and classes of a file, by the rows that they take."""

    def __init__(self, source: bytes) -> None:
        self._spans: list[tuple[int, int, str]] = []
        try:
            pending: list[tuple[ast.AST, str]] = [(ast.parse(source), "")]
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pending = []
        while pending:
            node, around = pending.pop()
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                around = f"{around}.{node.name}" if around else node.name
                first = min((one.lineno for one in node.decorator_list), default=node.lineno)
                self._spans.append((first, node.end_lineno or first, around))
            pending += ((child, around) for child in ast.iter_child_nodes(node))

    def name(self, row: int) -> str:
        """The qualified name of the innermost function or class around a row."""
        around = [span for span in self._spans if span[0] <= row <= span[1]]
        return max(around, key=lambda span: (span[0], -span[1]))[2] if around else "<module>"
