"""Checks one file with every rule; each rule is one module that turns a finding of the analysis into a diagnostic."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ..model import Diagnostic, Location, Refused
from ..project import extensions
from .places import rule_name

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from ..hazards.finding import Finding
    from ..interp.program import Program
    from ..project.modules import Project
    from ..project.settings import Settings
    from ..syntax.module import FunctionSource, Module


#: Kind of finding -> the rules that may report it; the first rule that returns a diagnostic wins.
_ASKED = {
    "write": ("IPL101", "IPL102"),
    "leaf": ("IPL103",),
    "multi-view": ("IPL104",),
    "expanded": ("IPL105",),
    "step": ("IPL106",),
    "out": ("IPL107",),
    "no-grad-view": ("IPL108",),
    "data": ("IPL201",),
    "hidden": ("IPL201",),
    "shared": ("IPL202",),
    "unchecked": ("IPL203",),
    "stale": ("IPL204",),
    "argument": ("IPL205",),
    "lost": ("IPL206",),
    "no-gain": ("IPL301",),
    "unknown-op": ("IPL302",),
    "no-derivative": ("IPL302",),
}
#: The rules that check the attentions and kernel calls of a function.
_ATTENTION = ("IPL401", "IPL402", "IPL403", "IPL404", "IPL501", "IPL502", "IPL503", "IPL504")


#: Python's recursion limit: enough for code as nested as the parser accepts, and for a chain of a thousand operations.
_NESTING = 3_000


def check_source(
    filename: str, source: bytes, settings: Settings, project: Project, trial: bool = False
) -> list[Diagnostic]:
    """Every finding of one file, in source order, before selection and suppression.

    With `trial`, `source` is a proposed new text of the file; other files that import it still see the old one.

    Never raises because of the file's content: an unreadable file is an IPL000, a bug of the tool an IPL002.
    """
    from ..interp.program import of_project

    if sys.getrecursionlimit() < _NESTING:
        sys.setrecursionlimit(_NESTING)
    program = of_project(project)
    if not trial:
        return _on_large_stack(lambda: _read(filename, source, settings, program))
    known = program.files.known(filename)
    try:
        return _on_large_stack(lambda: _read(filename, source, settings, program))
    finally:
        program.files.put_back(filename, known)


def _on_large_stack(action: Callable[[], list[Diagnostic]]) -> list[Diagnostic]:
    """What the action returns, run in a frame that claims 1 MB of CPython's stack of frames.

    From 3.11 on, CPython maps that stack in blocks of 16 KB and unmaps a block when the first call in it returns. An
    interpreter of nested calls crosses such borders all the time: on timm a seventh of the time went there. A block for
    this frame is 2 MB in size, and the calls within take its second half.
    """
    return action()


_on_large_stack.__code__ = _on_large_stack.__code__.replace(co_stacksize=1 << 17)


def _read(filename: str, source: bytes, settings: Settings, program: Program) -> list[Diagnostic]:
    from ..syntax.unreadable import UnreadableFile

    try:
        module = program.files.read(filename, source)
    except UnreadableFile as error:
        return [_trouble("IPL000", filename, error.message, error.row, error.column)]
    except RecursionError:
        return [_trouble("IPL000", filename, "the file is nested too deeply to be read", 1, 1)]
    try:
        found = _findings(module, program, settings)
        return _with_others(module, settings, found) if settings.rules else found
    except RecursionError:
        return [_trouble("IPL000", filename, "the file is nested too deeply to be analysed", 1, 1)]
    except Exception as error:
        what = f"inplace-lint failed on this file: {type(error).__name__}: {error}"
        return [_trouble("IPL002", filename, what, 1, 1)]


def _with_others(module: Module, settings: Settings, found: list[Diagnostic]) -> list[Diagnostic]:
    """The findings together with those of third-party rules, in source order."""
    from .extension import check

    extensions.load(settings.rules)
    found += list(check(module, settings, found))
    return sorted(found, key=lambda d: (d.location.key(), d.code))


def _findings(module: Module, program: Program, settings: Settings) -> list[Diagnostic]:
    from ..prefilter.selection import may_find

    diagnostics: list[Diagnostic] = []
    program.want_notes(settings.notes or settings.min_confidence == "possible")
    program.begin()
    if may_find(program.prefilter, module):
        from ..schedule.analyze import analyze

        found = {finding: _judge(module, finding) for finding in analyze(module, program)}
        if any(finding.beneath for finding in found):
            from ..schedule.reported_elsewhere import without_those_told_elsewhere

            found = {one: found[one] for one in without_those_told_elsewhere(program, [*found])}
        diagnostics += [diagnostic for diagnostic in found.values() if diagnostic is not None]
    diagnostics += _attention(module, program, settings)
    diagnostics += _declarations(module, program)
    cut = [one for one in program.cut_short.items() if one[0] is None or one[0].module is module]
    diagnostics += [_cut_short(module, source, why) for source, why in cut]
    diagnostics.sort(key=lambda d: (d.location.key(), d.code))
    return diagnostics


def _declarations(module: Module, program: Program) -> list[Diagnostic]:
    """IPL004 for the declarations of the file's functions."""
    if not program.declared.speaks_of(module):
        return []
    from .ipl004_wrong_declaration import check

    return list(check(module, program))


def _attention(module: Module, program: Program, settings: Settings) -> list[Diagnostic]:
    """The findings of the attention rules, one per code and location."""
    from ..attention import worth_a_look

    if not worth_a_look(module.source):
        return []
    from ..attention.find import find
    from ..attention.led import led
    from ..attention.target import Target
    from ..project.torch_version import oldest

    target = Target(lambda: oldest(settings), dict(settings.attention_sizes))
    seen = find(program, module, target)
    seen += led(program, module, seen, target)
    said = [one for code in _ATTENTION for place in seen for one in _rule(code).check(module, place)]
    return list({(one.code, one.location.key()): one for one in reversed(said)}.values())[::-1]


def _judge(module: Module, finding: Finding) -> Diagnostic | None:
    for code in _ASKED.get(finding.kind, ()):
        diagnostic: Diagnostic | None = _rule(code).check(module, finding)
        if diagnostic is not None:
            _remedy(module, finding, diagnostic)
            return diagnostic
    return None


def _remedy(module: Module, finding: Finding, diagnostic: Diagnostic) -> None:
    from .remedies import plan

    try:
        diagnostic.plan = plan(module, finding)
    except Refused as refusal:
        diagnostic.fix_refused = str(refusal)


def _rule(code: str) -> ModuleType:
    """A rule's module, imported on first use."""
    name = f"{__name__}.{code.lower()}_{rule_name(code).replace('-', '_')}"
    __import__(name)
    return sys.modules[name]


def _cut_short(module: Module, source: FunctionSource | None, why: str) -> Diagnostic:
    """An IPL003 at the `def` of a function, or at the start of the file."""
    from .places import column

    row = first = last = 1
    what = "the top level of this file"
    if source is not None:
        what = f"`{source.name}`"
        row = source.node.lineno
        first = column(module, row, source.node.col_offset)
        last = first + len("def ") + len(source.name)
    place = Location(module.filename, row, first, row, last)
    message = f"{what} is not analysed as a whole: {why}"
    return Diagnostic("IPL003", rule_name("IPL003"), "note", "certain", message, place)


def _trouble(code: str, filename: str, message: str, row: int, column: int) -> Diagnostic:
    place = Location(filename, row, column, row, column + 1)
    return Diagnostic(code, rule_name(code), "error", "certain", message, place)
