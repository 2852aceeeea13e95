"""Findings in the formats that people and programs read. Each format is imported when it is asked for."""

from __future__ import annotations

from ..model import Diagnostic
from .source import Sources
from .style import Style

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

FORMATS = ("full", "concise", "json", "json-lines", "github", "sarif")

__all__ = ["FORMATS", "Sources", "Style", "render"]


def render(
    name: str,
    diagnostics: Sequence[Diagnostic],
    sources: Sources,
    style: Style,
    root_of: Callable[[str], str],
) -> str:
    """The findings in the format of that name, one of FORMATS. `root_of` gives the project root of a file."""
    if not diagnostics and name in ("full", "concise", "github", "json-lines"):
        return ""
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
