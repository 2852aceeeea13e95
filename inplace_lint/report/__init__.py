"""Findings in the formats that people and programs read. Each format is imported when it is asked for."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..model import Diagnostic

FORMATS = ("full", "concise", "json", "json-lines", "github", "sarif")


def render(
    name: str,
    diagnostics: Sequence[Diagnostic],
    root_of: Callable[[str], str],
    texts: Mapping[str, bytes] | None = None,
    colour: bool = False,
) -> str:
    """The findings in the format of that name, one of FORMATS.

    `root_of` gives the project root of a file; `texts` holds the sources that are not on disk, by file name.
    """
    if not diagnostics and name not in ("json", "sarif"):
        return ""
    from .source import Sources
    from .style import Style

    sources, style = Sources(texts), Style(colour)
    if name == "full":
        from . import full

        return full.render(diagnostics, sources, style)
    if name == "concise":
        from . import concise

        return concise.render(diagnostics, style)
    if name == "github":
        from . import github

        return github.render(diagnostics)
    if name == "sarif":
        from . import sarif

        return sarif.render(diagnostics, sources, root_of)
    from . import records

    return records.render(diagnostics, sources, root_of, lines=name == "json-lines")
