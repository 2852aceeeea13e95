"""Turns a traced hazard into a finding of `check`: its rule code, its message, and the places of save and write."""

from __future__ import annotations

from ..checks import registry
from ..model import Diagnostic, Label, Location
from . import stacks
from .records import CHECKPOINT, DATA, HOOKS, SHARED, UNCOUNTED, Hazard, Write

#: The rules for hazards on which PyTorch raises nothing, by the reason for its silence.
_SILENT = {
    DATA: ("IPL201", "data-write"),
    SHARED: ("IPL202", "shared-memory-write"),
    HOOKS: ("IPL203", "version-check-disabled"),
    CHECKPOINT: ("IPL203", "version-check-disabled"),
    UNCOUNTED: ("IPL203", "version-check-disabled"),
}
#: The help text for a silent hazard, by the same reasons.
_WHY = {
    DATA: "the write goes past the version counter: PyTorch raises nothing, and backward uses what is there now",
    SHARED: "PyTorch does not see this write: it raises nothing, and backward uses what is there now",
    HOOKS: "saved-tensor hooks switch PyTorch's check off: it raises nothing, and backward uses what is there now",
    CHECKPOINT: "the checkpointed region is computed again from changed values: PyTorch raises nothing, and the "
    "gradient is that of another forward pass",
    UNCOUNTED: "this operation writes without counting: PyTorch raises nothing, and backward uses what is there now",
}
_MOST_LABELS = 4
_NOWHERE = Location("<unknown>", 1, 1, 1, 2)


def code(hazard: Hazard) -> tuple[str, str]:
    """Returns the code and the name of the rule that a hazard breaks."""
    if hazard.silent is not None:
        number, name = _SILENT[hazard.silent]
    elif hazard.write is not None and hazard.write.optimizer:
        number, name = "IPL106", "step-before-backward"
    elif hazard.kind == "result":
        number, name = "IPL101", "saved-result-overwritten"
    else:
        number, name = "IPL102", "saved-input-overwritten"
    rule = registry.find(number)
    return number, rule.name if rule else name


def sentence(hazard: Hazard) -> str:
    """Describes the hazard in one sentence: save and write, their places, and the version counter at each."""
    before, now = hazard.versions
    saved = stacks.location(hazard.saved)
    text = f"{_what(hazard)}, saved at {_place(saved)} (version {before}), "
    write = hazard.write
    if write is None:
        door = (
            f", which shares its memory since {_place(stacks.location(hazard.door[1]))}"
            if hazard.door
            else ""
        )
        by = f"through {hazard.door[0]}{door}" if hazard.door else "by something that PyTorch does not see"
        if hazard.silent == DATA:
            return text + "got other data by an assignment to `.data` before backward reads it"
        return text + f"was written {by} before backward reads it"
    where = _place(stacks.location(write.stack))
    by = f"{write.optimizer}.step" if write.optimizer else write.op
    if hazard.silent is None:
        return text + f"was written at {where} by {by} (version {max(write.version + 1, before + 1)})"
    return (
        text + f"was written at {where} by {by} (the version stayed at {now})"
        if now == before
        else (text + f"was written at {where} by {by} (version {now})")
    )


def diagnostic(hazard: Hazard) -> Diagnostic:
    """Returns the hazard as a finding, placed at the write, or at the save if the write was not observed."""
    number, name = code(hazard)
    saved = stacks.location(hazard.saved)
    write = hazard.write
    labels = []
    if write is None:
        place = saved or _NOWHERE
        caption = f"{hazard.node} saves {_kind(hazard)}"
        if hazard.door is not None and (door := stacks.location(hazard.door[1])):
            labels.append(Label("alias", f"{hazard.door[0]} shares its memory", door))
    else:
        place = stacks.location(write.stack) or _NOWHERE
        caption = _caption(hazard, write)
        if saved is not None:
            labels.append(Label("save", f"{hazard.node} saves {_kind(hazard)}", saved))
        seen = {place.key()}
        for other in hazard.writes[1:]:
            where = stacks.location(other.stack)
            if where is not None and where.key() not in seen and len(labels) < _MOST_LABELS:
                seen.add(where.key())
                labels.append(Label("write", f"{other.op} writes it too", where))
    return Diagnostic(
        number,
        name,
        "error",
        "certain",
        sentence(hazard),
        place,
        tuple(labels),
        caption=caption,
        help=_WHY[hazard.silent] if hazard.silent else _advice(hazard),
    )


def _caption(hazard: Hazard, write: Write) -> str:
    by = f"{write.optimizer}.step ({write.op})" if write.optimizer else write.op
    if hazard.silent is not None and hazard.versions[0] == hazard.versions[1]:
        return f"{by} writes it, and its version does not move"
    return f"{by} moves its version from {write.version} to {write.version + 1}"


def _advice(hazard: Hazard) -> str:
    if hazard.disjoint:
        return "no byte of what was saved was written, but PyTorch counts for the whole storage and raises"
    if hazard.write is not None and hazard.write.optimizer:
        return "call every backward that goes through these parameters before the step"
    return "use the out-of-place form, or write to a `.clone()`"


def _what(hazard: Hazard) -> str:
    op = hazard.op or "an operation"
    if hazard.kind == "result":
        return f"{op}'s result"
    named = hazard.attribute and hazard.attribute not in ("saved_tensors", "tensors")
    return f"{op}'s input ({hazard.attribute})" if named else f"a tensor that {op} keeps"


def _kind(hazard: Hazard) -> str:
    if hazard.kind == "result":
        return "this result"
    named = hazard.attribute and hazard.attribute not in ("saved_tensors", "tensors")
    return f"its input ({hazard.attribute})" if named else "this tensor"


def _place(location: Location | None) -> str:
    return "an unknown place" if location is None else f"{location.filename}:{location.row}"
