"""Decides whether a finding's hazard occurred, by comparing a native run, a traced run and a run with copied saves."""

from __future__ import annotations

from typing import Any

from . import immediate, stacks
from .findings import sentence
from .observe import Run, worst_error
from .records import Hazard
from .supervisor import describe
from .tracer import Trace
from .verdicts import Verdict, hits, place_of, shown, verdict

#: Relative error below which gradients count as equal: rounding of float32 sums in another order.
TOLERANCE = 1e-4

#: Rules whose error PyTorch raises at the write itself, and only while grad mode is on.
_AT_ONCE = frozenset({"IPL103", "IPL104", "IPL105", "IPL107", "IPL108"})
#: Rules about values, independent of a backward.
_OF_VALUES = frozenset({"IPL204", "IPL205", "IPL206"})

Finding = dict[str, Any]


def judge(
    finding: Finding,
    native: Run,
    second: Run,
    true: Run,
    inputs: dict[str, str],
    device: str,
    program: str = "",
) -> Verdict:
    """Returns the verdict on a finding from the native, the traced (`second`) and the copying (`true`) run.

    `program` names the driver that ran the block; empty if the block was called directly.
    """
    trace = second.trace
    assert trace is not None
    by = f" when {program} runs" if program else ""
    error = native.error
    if error is not None and not immediate.is_stale(error):
        if _is_its_own(error, finding):
            said = str(error).partition("\n")[0]
            return verdict("confirmed", f"PyTorch raises at the write{by}: {said}", inputs, device)
        if not native.stale:
            where = next((f"{shown(file)}:{row}: " for file, row in _own_rows(error)), "")
            ended = f"{program} ended in an error" if program else "the block ended in another error"
            why = f"{ended}: {where}{describe(error)[1]}"
            return verdict("inconclusive", why, inputs, device)
    for caught, stack in second.refused:
        if _is_refusal_of(caught, stack, finding):
            said = str(caught).partition("\n")[0]
            why = f"PyTorch raises at the write{by}, and the code catches it: {said}"
            return verdict("confirmed", why, inputs, device)
    hazards = [one for one in trace.hazards if _concerns(one, finding)]
    hazards = [one for one in hazards if _matches_save(one, finding)] or hazards
    if hazards:
        return _hazardous(hazards, bool(native.stale), worst_error(second, true), by, inputs, device)
    why = _undecided(finding, trace, worst_error(native, true), by, bool(inputs))
    if why:
        return verdict("inconclusive", why, inputs, device)
    on = by.strip() or ("on these inputs" if inputs else "in this run")
    why = f"{on} save and write ran, and backward read what had been saved unchanged"
    return verdict("refuted", why, inputs, device)


def _undecided(finding: Finding, trace: Trace, wrong: float | None, by: str, has_inputs: bool) -> str:
    """Returns why a run without the finding's hazard decides nothing; empty if it refutes the finding."""
    code = finding["code"]
    at_write = finding["writes"]
    on = by or " on these inputs"
    written = [write for write in trace.writes or () if hits(stacks.rows(write.stack), at_write)]
    if not written:
        return f"the write at {place_of(at_write)} did not run{on}"
    if code in _AT_ONCE and not any(write.grad_mode for write in written):
        return "gradients were not recorded where the write ran"
    if code in _OF_VALUES:
        return "the lines ran; which values were meant, a run cannot tell"
    if not trace.has_run_backward:
        return "nothing that came out has a gradient: no backward ran"
    if code == "IPL103" and has_inputs:
        return "whether an argument is a leaf is up to the caller, and these inputs are none"
    if finding["saves"]:
        ran = [kind for kind, stack in trace.saves or () if hits(stacks.rows(stack), finding["saves"])]
        if not ran:
            return f"nothing was saved at {place_of(finding['saves'])}{on}"
        if finding["only"] and finding["only"] not in ran:
            return f"the save happens on {finding['only']}, and this ran on {', '.join(sorted(set(ran)))}"
    if wrong is not None and wrong > TOLERANCE:
        return f"a gradient is wrong (relative error {wrong:.2g}), for another reason than this write"
    if any(hits(stacks.rows(stack), at_write) for stack in trace.idle):
        return "the write left every byte of what was saved as it was, on these values"
    return ""


def _hazardous(
    hazards: list[Hazard],
    raised: bool,
    wrong: float | None,
    by: str,
    inputs: dict[str, str],
    device: str,
) -> Verdict:
    """Returns the verdict when the traced run saw the finding's write hit a save."""
    first = hazards[0]
    conflicts = [_conflict(one, wrong) for one in hazards]
    off = f"; without its check a gradient would be wrong (relative error {wrong:.2g})" if wrong else ""
    if first.silent is None:
        if all(one.disjoint for one in hazards):
            why = "PyTorch raises, but no byte that was saved was written"
            return verdict("spurious", f"{why}: {sentence(first)}", inputs, device, conflicts)
        if raised:
            if all(one.changed is False for one in hazards):
                off = (
                    "; with these values the write changed nothing, but PyTorch compares versions, not values"
                )
            why = f"PyTorch raises in backward{by}: {sentence(first)}{off}"
            return verdict("confirmed", why, inputs, device, conflicts)
        why = f"the tracer sees it, but PyTorch did not raise: {sentence(first)}"
        return verdict("inconclusive", why, inputs, device, conflicts)
    if wrong is not None and wrong > TOLERANCE:
        why = f"PyTorch raises nothing{by}, and a gradient is wrong (relative error {wrong:.2g}): {sentence(first)}"
        return verdict("confirmed", why, inputs, device, conflicts)
    why = f"what was saved has changed, but no gradient differs on these inputs: {sentence(first)}"
    return verdict("inconclusive", why, inputs, device, conflicts)


def _conflict(hazard: Hazard, wrong: float | None) -> dict[str, Any]:
    write = hazard.write
    return {
        "node": hazard.node,
        "attribute": hazard.attribute,
        "shape": list(hazard.shape),
        "saved_at": _at(hazard.saved),
        "written_at": _at(write.stack) if write else None,
        "versions": list(hazard.versions),
        "gradient_error": wrong if wrong != float("inf") else None,
    }


def _at(stack: stacks.Stack) -> dict[str, Any] | None:
    place = stacks.location(stack)
    if place is None:
        return None
    return {"filename": place.filename, "location": {"row": place.row, "column": place.column}}


def _own_rows(error: BaseException) -> list[tuple[str, int]]:
    """Returns the rows of user code in the error's traceback, innermost first."""
    return [row for row in immediate.rows(error) if not stacks.is_foreign(row[0])]


def _is_its_own(error: BaseException, finding: Finding) -> bool:
    """Whether an error belongs to a finding: its rule's error raised at or below the write, or, for 0xx and 1xx rules,
    any in-place error whose innermost user frame is the write.
    """
    codes = immediate.codes(error)
    if finding["code"] in codes:
        return hits(immediate.rows(error), finding["writes"])
    return bool(codes) and finding["code"] < "IPL2" and hits(_own_rows(error)[:1], finding["writes"])


def _is_refusal_of(error: BaseException, stack: stacks.Stack, finding: Finding) -> bool:
    """Whether a caught error, raised with this stack, belongs to a finding, as `_is_its_own` says of others."""
    rows = stacks.rows(stack)
    if finding["code"] in immediate.codes(error):
        return hits(rows, finding["writes"])
    return finding["code"] < "IPL2" and hits(rows[:1], finding["writes"])


def _concerns(hazard: Hazard, finding: Finding) -> bool:
    if any(hits(stacks.rows(write.stack), finding["writes"]) for write in hazard.writes):
        return True
    # If no write was observed, match by the save.
    return not hazard.writes and _matches_save(hazard, finding)


def _matches_save(hazard: Hazard, finding: Finding) -> bool:
    return hits(stacks.rows(hazard.saved), finding["saves"])
