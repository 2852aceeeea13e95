"""In the child process: runs the block of some findings natively, traced and with copies, and judges each finding."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable
from typing import Any

import torch
from torch.utils._pytree import tree_map

from . import immediate, stacks
from .findings import sentence
from .inputs import Call, NoInputs
from .observe import Block, Run, backward_from, natively, traced, truly, worst_error
from .records import Hazard
from .supervisor import describe
from .targets import calls_in, imported, on_path
from .verdicts import Verdict, best, hits, place_of, shown, verdict

#: A gradient that is off by less is the rounding of another order of sums.
TOLERANCE = 1e-4

#: What raises at the write itself, and only while gradients are recorded.
_AT_ONCE = frozenset({"IPL103", "IPL104", "IPL105", "IPL107", "IPL108"})
#: What speaks of values, and not of what backward reads.
_OF_VALUES = frozenset({"IPL204", "IPL205", "IPL206"})

Finding = dict[str, Any]
Stage = Callable[[str], None]


def examine(arguments: dict[str, Any], stage: Stage) -> list[Verdict]:
    """The verdicts on the findings of one block, in their order.

    `arguments` has the block's `file`, the dotted name `module` under which it is imported and the directory `top`
    for that, the `names` around the block (none: the file itself is run), `factories`, `captured` inputs, and
    `findings`: for each its `code`, the places `writes` and `saves` as [file, first row, last row], and the device
    `only` on which it saves.
    """
    found, inputs, device = _blocks(arguments, stage)
    if isinstance(found, NoInputs):
        # What the file does when it is imported may run the block all the same.
        verdicts = _run(arguments, _file_block(arguments["file"], arguments["module"]), inputs, device, stage)
        for one in verdicts:
            if one["status"] in ("inconclusive", "refuted") and not one["conflicts"]:
                one.update(status="inconclusive", reason=found.reason)
        return verdicts
    runs: list[list[Verdict]] = []
    for block in found:
        if not runs or any(one["status"] == "inconclusive" for one in runs[-1]):
            runs.append(_run(arguments, block, inputs, device, stage))
    return [best(each) for each in zip(*runs)]


def _run(
    arguments: dict[str, Any], block: Block, inputs: dict[str, str], device: str, stage: Stage
) -> list[Verdict]:
    stage("the run without the tracer")
    native = natively(block)
    stage("the traced run")
    second = traced(block)
    stage("the run with copies")
    true = truly(block)
    return [_judge(one, native, second, true, inputs, device) for one in arguments["findings"]]


def _blocks(arguments: dict[str, Any], stage: Stage) -> tuple[list[Block] | NoInputs, dict[str, str], str]:
    """What is to be run, one after the other until one decides, the inputs in words, and the device."""
    file, top, names = arguments["file"], arguments["top"], arguments["names"]
    on_path(file, top)
    if not names:
        stage("running the file")
        return [_file_block(file, "__main__")], {}, "cpu"
    stage("import")
    try:
        module = imported(arguments["module"], file)
    except Exception as error:
        if immediate.codes(error):
            # The hazard is in what the file does when it is imported.
            return [_file_block(file, arguments["module"])], {}, "cpu"
        return NoInputs(f"the file cannot be imported: {describe(error)[1]}"), {}, "cpu"
    except SystemExit as error:
        return NoInputs(f"the file cannot be imported: {describe(error)[1]}"), {}, "cpu"
    stage("inputs")
    calls = calls_in(module, names, arguments["factories"], arguments["captured"])
    if isinstance(calls, NoInputs):
        return calls, {}, "cpu"
    device = "cuda" if torch.cuda.is_available() else "cpu"
    return [_called(call, device) for call in calls], dict(calls[0].description), device


def _called(call: Call, device: str) -> Block:
    def block() -> None:
        function = call.function()
        args, kwargs = _moved(call.inputs(grad=False), device)
        if call.factory is None:
            args, kwargs = tree_map(_needing, (args, kwargs))
        owner = getattr(function, "__self__", function)
        if isinstance(owner, torch.nn.Module):
            owner.to(device)
        result = function(*args, **kwargs)
        backward_from(result, args, kwargs)

    return block


def _needing(value: Any) -> Any:
    """A tensor that needs a gradient, and is no leaf: errors about leaves would hide others. Its leaf's is compared."""
    if isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex()):
        return value.requires_grad_() * 1.0
    return value


def _file_block(file: str, name: str) -> Block:
    def block() -> None:
        before = sys.argv
        sys.argv = [file]
        try:
            runpy.run_path(file, run_name=name)
        finally:
            sys.argv = before

    return block


def _moved(values: Any, device: str) -> Any:
    from torch.utils._pytree import tree_map

    return tree_map(lambda one: one.to(device) if isinstance(one, torch.Tensor) else one, values)


# -- verdicts


def _judge(
    finding: Finding, native: Run, second: Run, true: Run, inputs: dict[str, str], device: str
) -> Verdict:
    trace = second.trace
    assert trace is not None
    error = native.error
    at_write = finding["writes"]
    if error is not None and not immediate.is_stale(error):
        if finding["code"] in immediate.codes(error) and hits(immediate.rows(error), at_write):
            said = str(error).partition("\n")[0]
            return verdict("confirmed", f"PyTorch raises at the write: {said}", inputs, device)
        where = next(
            (f"{shown(file)}:{row}: " for file, row in immediate.rows(error) if not stacks.is_foreign(file)),
            "",
        )
        why = f"the block ended in another error: {where}{describe(error)[1]}"
        return verdict("inconclusive", why, inputs, device)
    hazards = [one for one in trace.hazards if _concerns(one, finding)]
    hazards = [one for one in hazards if _matches_save(one, finding)] or hazards
    if hazards:
        return _hazardous(hazards, bool(native.stale), worst_error(second, true), inputs, device)
    wrong = worst_error(native, true)
    if not any(hits(stacks.rows(write.stack), at_write) for write in trace.writes or ()):
        return verdict(
            "inconclusive", f"the write at {place_of(at_write)} did not run on these inputs", inputs, device
        )
    ran_with_grad = any(
        write.grad_mode for write in trace.writes or () if hits(stacks.rows(write.stack), at_write)
    )
    if finding["code"] in _AT_ONCE and not ran_with_grad:
        why = "gradients were not recorded where the write ran"
        return verdict("inconclusive", why, inputs, device)
    if finding["code"] in _OF_VALUES:
        why = "the lines ran; which values were meant, a run cannot tell"
        return verdict("inconclusive", why, inputs, device)
    if not trace.has_run_backward:
        return verdict(
            "inconclusive", "nothing that came out has a gradient: no backward ran", inputs, device
        )
    if finding["code"] == "IPL103" and inputs:
        why = "whether an argument is a leaf is up to the caller, and these inputs are none"
        return verdict("inconclusive", why, inputs, device)
    if finding["saves"]:
        ran = [kind for kind, stack in trace.saves or () if hits(stacks.rows(stack), finding["saves"])]
        if not ran:
            why = f"nothing was saved at {place_of(finding['saves'])} on these inputs"
            return verdict("inconclusive", why, inputs, device)
        if finding["only"] and finding["only"] not in ran:
            why = f"the save happens on {finding['only']}, and this ran on {', '.join(sorted(set(ran)))}"
            return verdict("inconclusive", why, inputs, device)
    if wrong is not None and wrong > TOLERANCE:
        why = f"a gradient is off by {wrong:.2g} of its size, for another reason than this write"
        return verdict("inconclusive", why, inputs, device)
    on = "on these inputs" if inputs else "in this run"
    why = f"{on} save and write ran, and backward read what had been saved unchanged"
    return verdict("refuted", why, inputs, device)


def _hazardous(
    hazards: list[Hazard],
    raised: bool,
    wrong: float | None,
    inputs: dict[str, str],
    device: str,
) -> Verdict:
    """The verdict where the traced run saw the finding's write change a save."""
    first = hazards[0]
    conflicts = [_conflict(one, wrong) for one in hazards]
    off = f"; without its check a gradient would be off by {wrong:.2g} of its size" if wrong else ""
    if first.silent is None:
        if all(one.changed is False for one in hazards):
            why = "PyTorch raises, but no byte that was saved has changed"
            return verdict("spurious", f"{why}: {sentence(first)}", inputs, device, conflicts)
        if raised:
            return verdict(
                "confirmed", f"PyTorch raises in backward: {sentence(first)}{off}", inputs, device, conflicts
            )
        why = f"the tracer sees it, but PyTorch did not raise: {sentence(first)}"
        return verdict("inconclusive", why, inputs, device, conflicts)
    if wrong is not None and wrong > TOLERANCE:
        why = f"PyTorch raises nothing, and a gradient is off by {wrong:.2g} of its size: {sentence(first)}"
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


def _concerns(hazard: Hazard, finding: Finding) -> bool:
    if any(hits(stacks.rows(write.stack), finding["writes"]) for write in hazard.writes):
        return True
    # Where nobody saw the write, the save has to do.
    return not hazard.writes and _matches_save(hazard, finding)


def _matches_save(hazard: Hazard, finding: Finding) -> bool:
    return hits(stacks.rows(hazard.saved), finding["saves"])
