"""Builds the diagnostics of IPL101 and IPL102: an op saves a tensor for backward, and a later write changes it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..syntax.nodes import start_of
from . import places

if TYPE_CHECKING:
    from ..hazards.finding import Finding, SavedAt
    from ..interp.frames import Place
    from ..model import Diagnostic, Label
    from ..syntax.module import Module

_MOST_LABELS = 3
_MOST_WRITES = 8


def overwritten(module: Module, finding: Finding, code: str, saves: list[SavedAt]) -> Diagnostic:
    """The diagnostic of a write to a tensor that `saves` saved; the first save gives the headline."""
    first = saves[0]
    subject = places.target(module, finding)
    shown = finding.saves[:_MOST_LABELS]
    shown = shown if first in shown else saves[:1]
    labels = [*_layers(finding, first), *(places.label("save", describe_save(s), s.place) for s in shown)]
    again = first.place.at is finding.at and first.op == finding.op
    later = again or places.row_of(first.place) > start_of(finding.at)[0]
    same_file = first.place.frame.module is module
    when = f"after {first.op} {'saved' if first.certain else 'may have saved'} it for backward"
    if _is_in_one_call(finding, first):
        caption = "this call runs both"
        message = f"{finding.op} changes in place what {first.op} saved for backward, within one call"
    elif finding.write is not None or finding.passed is not None:
        labels += [places.label("write", "written here", place) for place in finding.writes[:_MOST_WRITES]]
        caption = "this call changes it in place"
        message = f"{places.passed(module, finding)} is changed in place by this call {when}"
    else:
        caption = f"{finding.op} moves its version"
        if finding.versions is not None and not later:
            caption += " from {} to {}".format(*finding.versions)
        message = f"{subject} is changed in place {when}"
    if later and same_file and _in_one_function(first.place, finding.at):
        message += " in the iteration before" if finding.write is None else ""
    return places.at_write(
        module,
        finding,
        code,
        "error",
        message,
        labels,
        caption=caption,
        help=_advice(module, finding),
        remark=_remark(finding),
    )


def _is_in_one_call(finding: Finding, saved: SavedAt) -> bool:
    """Whether one call of an `nn.Sequential`, or the like, makes both the save and the change, in two layers."""
    layers = saved.place.layer, finding.layer
    apart = None not in layers and layers[0] is not layers[1]
    return apart and saved.place.at is finding.at and not finding.writes


def _layers(finding: Finding, saved: SavedAt) -> list[Label]:
    """Where the layer is built that works in place; and the one that saves, if one call runs both."""
    found = []
    if _is_in_one_call(finding, saved) and saved.place.layer is not None:
        found.append(places.label("alias", f"{saved.op} is built here", saved.place.layer))
    if finding.layer is not None:
        found.append(places.label("alias", f"{finding.op} is built here, to work in place", finding.layer))
    return found


def _in_one_function(place: Place, at: ast.AST) -> bool:
    """Whether both places are in one function, so that their rows tell their order (apart from loops)."""
    function = place.frame.function
    row, _ = start_of(at)
    return function is None or function.node.lineno <= row <= (function.node.end_lineno or 0)


def _remark(finding: Finding) -> str:
    """A warning that Ruff's PLR6104 and pylint's R6104 ask for the in-place form that breaks backward here."""
    if finding.write is not None or places.augmented_operator(finding.at) is None:
        return ""
    return (
        "Ruff's PLR6104 and pylint's R6104 ask for the in-place form: "
        "where backward needs the old value, do not follow them"
    )


def describe_save(saved: SavedAt) -> str:
    """One line for the label at a save."""
    what = "this result" if saved.result else f"its input ({saved.attr})" if saved.attr else "its input"
    who = saved.node or saved.op
    when = f" (on {saved.only})" if saved.only else ""
    return f"{who} {'saves' if saved.certain else 'may save'} {what}{when}"


def _advice(module: Module, finding: Finding) -> str:
    """What to write instead, quoting the source if it is short."""
    node = finding.at
    operator = places.augmented_operator(node)
    if operator is not None and finding.write is None and finding.op != "setitem":
        name, sign, value = places.augmented_parts(module, node)
        if name and value:
            return f"write `{name} = {name} {sign} {value}`: it makes a new tensor and leaves the saved one as it was"
    if finding.beneath:
        return f"write out of place in `{finding.beneath[-1].name}`, which needs what it changes"
    if finding.passed is not None and "." in finding.passed[1]:
        return "make this call after backward, or let the operation that saves it have a copy (`.clone()`)"
    if finding.write is not None:
        return "pass a copy (`.clone()`), or let the function return a new tensor"
    return "use the out-of-place form, or write to a `.clone()`"
