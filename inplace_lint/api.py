"""The Python API: what `inplace-lint check` finds, as values."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .checks import registry
from .engine import edits, pipeline
from .engine.cache import Caches
from .model import Diagnostic, Edit, Fix, Label, Location
from .project import Settings
from .project.configuration import Configuration
from .project.discovery import Target, discover
from .project.errors import ConfigurationError
from .project.paths import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Path = str | os.PathLike[str]
    Source = str | bytes

__all__ = [
    "ConfigurationError",
    "Diagnostic",
    "Edit",
    "Fix",
    "Label",
    "Location",
    "Result",
    "Settings",
    "check",
    "check_paths",
]


@dataclass(frozen=True, slots=True)
class Result:
    """What a check found, and whether it saw everything.

    `diagnostics` are the findings that the settings ask for, by file and place. Their file names are relative to the
    working directory where they lie below it; places in a notebook are rows of its cells. `files` are the names of the
    files that were checked. `silenced` counts the findings that comments in the files keep back. `errors` are the
    configurations that cannot be used: nothing below them was checked.
    """

    diagnostics: tuple[Diagnostic, ...]
    files: tuple[str, ...]
    silenced: int = 0
    errors: tuple[ConfigurationError, ...] = ()

    @property
    def unread(self) -> tuple[Diagnostic, ...]:
        """The files, cells or places that could not be read (IPL000), or on which the analysis failed (IPL002)."""
        return self._of("IPL000", "IPL002")

    @property
    def cut_short(self) -> tuple[Diagnostic, ...]:
        """The functions that were not analysed to their end, because that takes too many steps (IPL003)."""
        return self._of("IPL003")

    @property
    def complete(self) -> bool:
        """Whether all was read and analysed to its end: then no finding means that there is none."""
        return not (self.errors or self.unread or self.cut_short)

    def _of(self, *codes: str) -> tuple[Diagnostic, ...]:
        return tuple(one for one in self.diagnostics if one.code in codes)


def check(
    source: Source,
    filename: Path = "<string>",
    settings: Settings | Mapping[str, object] | None = None,
    *,
    sources: Mapping[Path, Source] | None = None,
    fixes: bool = False,
) -> Result:
    """Checks one program, which stands for what is on disk under `filename`, if anything is.

    What it imports from its project is read from the files around `filename`; without a name it is a program in the
    working directory. `sources` stands for further files (an editor's buffers that are not saved), whether these exist
    or not. A name that ends in `.ipynb` says that the text is a notebook's.

    `settings` is the configuration: by default the one in force at `filename`, as on the command line; a mapping of the
    keys of the configuration (`{"select": ["IPL1"], "notes": True}`) is put over that one; `Settings` are taken as they
    are. The file is checked even if the configuration excludes it.

    With `fixes` the edits of each fix are made and tried (`Diagnostic.fix`), which takes longer.

    Nothing is executed or written, and torch is not imported. Calls in one process share what they have read of files
    that did not change since; they must not run in two threads at once.

    Raises ConfigurationError, for what is wrong with `settings` or with the configuration in force at `filename`, and
    TypeError for a source that is neither str nor bytes.
    """
    name = shown(os.fspath(filename))
    texts = {shown(os.fspath(path)): _bytes(text) for path, text in (sources or {}).items()}
    texts[name] = _bytes(source)
    if not isinstance(settings, Settings):
        settings = _configuration(settings).settings(os.path.dirname(os.path.abspath(name)))
    pipeline.turn_to(texts)
    return _result([Target(name, settings)], (), texts, 1, fixes)


def check_paths(
    paths: Iterable[Path] | Path = (".",),
    settings: Settings | Mapping[str, object] | None = None,
    *,
    sources: Mapping[Path, Source] | None = None,
    fixes: bool = False,
    jobs: int = 1,
    cache: bool = False,
) -> Result:
    """Checks files, and all Python files and notebooks below directories, as `inplace-lint check` does; one or several.

    `settings`, `sources` and `fixes` are as for `check`; but the configuration is the one in force at each file, and
    `sources` adds no file to those that the paths name. A path that does not exist gives an IPL000. `jobs` is how many
    processes share the work: with more than one, call it below `if __name__ == "__main__":`. With `sources` it is one.
    With `cache` what earlier runs found is not looked for again, and what this one finds is kept, as by the command.

    Raises ConfigurationError for what is wrong with `settings`; what is wrong with files of configuration stands in the
    result's `errors`.
    """
    texts = {shown(os.fspath(path)): _bytes(text) for path, text in (sources or {}).items()}
    given = None if isinstance(settings, Settings) else settings
    named = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    targets, errors = discover([os.fspath(path) for path in named], _configuration(given))
    if isinstance(settings, Settings):
        targets = [Target(target.filename, settings) for target in targets]
    pipeline.turn_to(texts)
    return _result(targets, tuple(errors), texts, 1 if texts else jobs, fixes, cache)


def _result(
    targets: list[Target],
    errors: tuple[ConfigurationError, ...],
    texts: dict[str, bytes],
    jobs: int,
    fixes: bool,
    cache: bool = False,
) -> Result:
    found: list[Diagnostic] = []
    silenced = 0
    limit = sys.getrecursionlimit()
    try:
        caches = Caches(writes=not texts) if cache else None
        for some, more in pipeline.examine_files(targets, jobs, caches):
            found += some
            silenced += more
        if fixes:
            edits.show_edits(targets, found, texts, jobs, caches)
    finally:
        sys.setrecursionlimit(limit)
    if any(target.filename.endswith(".ipynb") for target in targets):
        from .report import placed
        from .report.findings import Findings

        found = list(placed(Findings(found, texts=texts), beside=False).diagnostics)
    return Result(tuple(found), tuple(target.filename for target in targets), silenced, errors)


def _configuration(values: Mapping[str, object] | None) -> Configuration:
    """The configuration of each directory, with these values put over it. Raises ConfigurationError."""
    overrides = {}
    if values:
        from .project.tables import given

        overrides = given(values, registry.problem)
    return Configuration(overrides, selector_problem=registry.problem)


def _bytes(text: Source) -> bytes:
    """A file that holds the text, in the encoding that the text says it is in."""
    if isinstance(text, (bytes, bytearray, memoryview)):
        return bytes(text)
    if not isinstance(text, str):
        raise TypeError(f"a source is a str or bytes, not {type(text).__name__}")
    source = text.encode("utf-8", "surrogatepass")
    if "coding" not in text[:200]:
        return source
    from io import BytesIO
    from tokenize import detect_encoding

    try:
        return text.encode(detect_encoding(BytesIO(source).readline)[0])
    except (SyntaxError, UnicodeError):
        return source
