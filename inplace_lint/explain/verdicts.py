"""Explains why a write is a finding, why it is not a surer one, and why a write that meets a save is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..hazards.finding import CERTAIN, HARMLESS, POSSIBLE, SILENT
from ..hazards.findings import Context, of_run, proved
from ..interp.guards import ALWAYS, implies, relative, ways
from ..interp.storage import DOES
from ..schedule.refine import refine
from . import condition_words

if TYPE_CHECKING:
    from ..hazards.finding import Finding
    from ..interp.frames import Place
    from ..interp.guards import Guard
    from ..interp.heap import Hazard, Saved
    from ..interp.run import Run
    from ..syntax.module import FunctionSource
    from .tracing import Tracer

    Done = list[tuple[Run, FunctionSource | None]]

_CONFIDENCES = ("possible", "likely", "certain")
#: The rule of each kind of finding; a write is IPL101 instead if an op saved its own result.
_CODES = {
    "write": "IPL102 saved-input-overwritten",
    "step": "IPL106 step-before-backward",
    "leaf": "IPL103 leaf-overwritten",
    "multi-view": "IPL104 multi-view-output-overwritten",
    "expanded": "IPL105 expanded-tensor-overwritten",
    "out": "IPL107 out-argument-with-grad",
    "no-grad-view": "IPL108 no-grad-view-overwritten",
    "no-gain": "IPL301 inplace-without-gain",
    "no-derivative": "IPL302 unknown-inplace-op",
    "unknown-op": "IPL302 unknown-inplace-op",
    "data": "IPL201 data-write",
    "hidden": "IPL201 data-write",
    "shared": "IPL202 shared-memory-write",
    "unchecked": "IPL203 version-check-disabled",
    "stale": "IPL204 stale-alias-read",
    "argument": "IPL205 argument-overwritten",
    "lost": "IPL206 lost-write",
}


#: Of so many alternative paths to a line, so many are worded.
_LOOKED_AT, _TOLD = 8, 3


def words(tracer: Tracer, done: Done, checked: bool) -> str:
    """The verdict on the traced rows: the findings there, and why other writes there that meet a save are none."""
    findings: dict[tuple[object, ...], tuple[Finding, Run, Context]] = {}
    met: list[tuple[Hazard, Context]] = []
    for run, root in done:
        context = Context(run, tracer.module, root)
        for finding in of_run(run, tracer.module, root):
            if finding.kind == "no-gain" and finding.confidence == POSSIBLE:
                continue  # too weak for a note
            known = findings.get(finding.key())
            if known is None or known[0].confidence < finding.confidence:
                findings[finding.key()] = (finding, run, context)
        met += [(hazard, context) for hazard in run.heap.hazards if _stands(tracer, hazard.write.place)]
    for finding, run, context in findings.values():
        refine(tracer.module, run.program, [(finding, context.root)])
    lines: list[str] = []
    for finding, run, context in sorted(findings.values(), key=lambda f: -f[0].confidence):
        if tracer.first <= getattr(finding.at, "lineno", 0) <= tracer.last:
            lines += _finding(tracer, finding, run, context)
        elif any(
            s.place.frame.module is tracer.module and tracer.first <= _row(s.place) <= tracer.last
            for s in finding.saves
        ):
            lines.append(
                f"  {code(finding)}, {_CONFIDENCES[finding.confidence]}, on line {getattr(finding.at, 'lineno', 0)}: "
                "what is saved here is overwritten there"
            )
    told = {(f.at, s.place.at): f for f, _, _ in findings.values() for s in f.saves}
    immediate = {f.at for f, _, _ in findings.values() if not f.saves and f.kind not in HARMLESS}
    for hazard, context in met:
        at, _ = context.site(hazard.write.place, hazard.saved.place)
        kept = f"what {hazard.saved.op} saved on line {_row(hazard.saved.place)}"
        finding_there = None if at is None else told.get((at, hazard.saved.place.at))
        if finding_there is not None:
            row = getattr(at, "lineno", 0)
            if tracer.first <= row <= tracer.last:
                continue
            line = f"  {code(finding_there)}, {_CONFIDENCES[finding_there.confidence]},"
            line += f" is told at the call on line {row} for {kept}"
        else:
            line = f"  No finding for {kept}:"
            line += f" {_why_none(hazard, context, at, at in immediate)}"
        if line not in lines:
            lines.append(line)
    if not lines:
        return "Verdict: no finding on this line."
    return ("Verdict:\n" if checked else "Verdict, were it analysed:\n") + "\n".join(lines)


def code(finding: Finding) -> str:
    """The code and name of the rule of a finding."""
    if finding.kind == "write" and any(
        s.result and s.confidence == finding.confidence for s in finding.saves
    ):
        return "IPL101 saved-result-overwritten"
    return _CODES[finding.kind]


def save_words(saved: Saved, when: str = "") -> str:
    """`sigmoid on line 7, its result (SigmoidBackward0.result)`."""
    role = "its result" if saved.result else "its weights" if saved.attr == "weight" else "its input"
    node = ".".join(filter(None, (saved.node_name, saved.attr)))
    text = f"{saved.op}{f' {when}' if when else ''}, {role}{f' ({node})' if node else ''}"
    if not saved.certain:
        text += ", perhaps"
    if saved.only:
        text += f", on {saved.only} only"
    if saved.autocast:
        text += ", perhaps as a copy (autocast)"
    return text


def conditions(tracer: Tracer, run: Run, guard: Guard) -> str:
    """A guard in words: the conditions of the source that it stands for."""
    if not guard:
        return "a path is taken that cannot be"
    found = [_conjunction(tracer, run, positive, negative) for positive, negative in ways(guard, _LOOKED_AT)]
    found = list(dict.fromkeys(found))
    told = found[:_TOLD]
    if guard.rest.paths > _LOOKED_AT or len(found) > _TOLD:
        told.append("in other cases")
    return told[0] if len(told) == 1 else "either " + ", or ".join(told)


def beyond(guard: Guard, path: Guard) -> Guard | None:
    """The part of a guard that the path does not imply; None if there is none."""
    if implies(path, guard):
        return None
    rest = relative(guard, path)
    return None if rest is ALWAYS or not rest else rest


def _conjunction(tracer: Tracer, run: Run, positive: int, negative: int) -> str:
    parts: list[str] = []
    unnamed = 0
    for bit in range((positive | negative).bit_length()):
        if (positive | negative) >> bit & 1:
            told = tracer.tests.get((run, bit)) or condition_words.of(run, bit)
            if told is None:
                unnamed += 1
            else:
                parts.append(told[0] if positive >> bit & 1 else told[1])
    if unnamed:
        parts.append(condition_words.unnamed(unnamed))
    return " and ".join(dict.fromkeys(parts)) or "anything"


def _finding(tracer: Tracer, finding: Finding, run: Run, context: Context) -> list[str]:
    lines = [f"  {code(finding)}, {_CONFIDENCES[finding.confidence]}"]
    for saved in finding.saves:
        role = "its result" if saved.result else "its weights" if saved.attr == "weight" else "its input"
        silently = ", which backward does not notice" if finding.kind in SILENT else ""
        lines.append(
            f"    because {saved.op} on line {_row(saved.place)} saved {role}, and {finding.op} changes that{silently}"
        )
    if not finding.saves:
        lines.append("    because " + _cause(finding))
    if finding.confidence < CERTAIN:
        reasons = _reasons(tracer, finding, run, context)
        lines += [f"    not surer because {reason}" for reason in reasons]
    return lines


def _cause(finding: Finding) -> str:
    """Why a finding without a save is one."""
    cause = 0 if finding.cause is None else _row(finding.cause)
    if finding.kind == "stale":
        return f"what {finding.op} reads here was changed on line {cause}, by another name"
    if finding.kind == "lost":
        return f"what {finding.op} changes was made on line {cause}, and nothing holds it"
    if finding.kind == "argument":
        return f"{finding.op} changes what a caller has given"
    if finding.kind == "no-gain":
        return f"{finding.op} keeps a copy of what it overwrites"
    if finding.kind == "hidden":
        return f"{finding.op} moves no version"
    return f"{finding.op} raises here" + (f" (made so on line {cause})" if cause else "")


def _reasons(tracer: Tracer, finding: Finding, run: Run, context: Context) -> list[str]:
    """The reasons why a finding is not certain, from its hazards and events."""
    found = [finding.overruled] if finding.overruled else []
    if finding.kind == "argument":
        found.append("whether a caller goes on to use what it has passed is not known here")
    for hazard in run.heap.hazards:
        at, _ = context.site(hazard.write.place, hazard.saved.place)
        if at is finding.at and hazard.reached:
            found += _doubts(tracer, hazard, run, context, finding.confidence)
    for event in run.found.events:
        if event.kind == finding.kind and (event.place.at is finding.at or finding.write is not None):
            if event.grad < DOES:
                found.append(_may(context, finding.confidence))
            elif event.is_by_a_flag() and not run.as_built_by_default(event.guard):
                found.append("it happens only if its object is built with a flag that is off by default")
            elif finding.confidence == POSSIBLE:
                found.append(_DOUBT)
            elif not context.is_sure(event.guard):
                found.append(_USUAL)
    return list(dict.fromkeys(found))


_DOUBT = "it happens only if an operation that may copy does not, or in evaluation mode"
_USUAL = "it happens only if an operation that may copy does not, which is usual where all is float32 on one device"


def _may(context: Context, confidence: int) -> str:
    text = "nothing in sight proves that gradients flow: the caller decides"
    if confidence == POSSIBLE and not context.reached:
        text += ", and nothing shows that this code is trained (no method of a Module, no backward)"
    elif confidence == POSSIBLE:
        text += ", and what is given is data as often as not"
    return text


def _doubts(tracer: Tracer, hazard: Hazard, run: Run, context: Context, confidence: int) -> list[str]:
    saved, found = hazard.saved, []
    if saved.grad < DOES:
        found.append(_may(context, confidence))
    if not saved.certain:
        found.append(f"{saved.op} saves it only perhaps")
    if saved.only:
        found.append(f"{saved.op} saves it on {saved.only} only")
    if saved.autocast:
        found.append("under autocast it may be a copy that is saved")
    credible = context.credible(hazard.guard, saved)
    if credible and not context.is_trained(credible):
        found.append(_DOUBT)
    elif not run.by_default(credible):
        found.append("it happens only with a flag or a word that is not the default")
    elif not (hazard.write.in_loop or run.is_of_any_round(credible)):
        found.append("it happens only if the round that a number names is the last of its loop")
    elif not context.is_sure(credible):
        found.append(_USUAL)
    if hazard.kind == "step" and not hazard.followed:
        found.append(
            "what was computed before the step is returned or kept, and no backward of it is in sight"
        )
    if not implies(hazard.write.guard, saved.ran):
        rest = beyond(saved.ran, hazard.write.guard)
        more = f": only if {conditions(tracer, run, rest)}" if rest else ""
        found.append(f"the save does not come before the write on every path{more}")
    return found


def _why_none(hazard: Hazard, context: Context, at: object, immediate: bool) -> str:
    saved = hazard.saved
    if not saved.storage.is_tensor() or not all(s.is_tensor() for s in saved.unproved):
        return "nothing proves that these values are tensors at all"
    if not hazard.reached:
        return "no backward that comes after the write, no return and no escape needs what it was saved for"
    if not proved(hazard):
        return "it is saved only if an operand needs a gradient, and nothing proves that one to be a tensor"
    if not context.credible(hazard.guard, saved):
        return "it is on a path that is only taken where no gradients are recorded"
    if at is None:
        return "the save is another file's or the caller's: the finding stands where both are in sight"
    if immediate:
        return "the write raises at once, which is told instead"
    return f"it is told at the call on line {getattr(at, 'lineno', 0)}, which holds both places"


def _stands(tracer: Tracer, place: Place) -> bool:
    return any(
        p.frame.module is tracer.module and tracer.first <= _row(p) <= tracer.last for p in place.stack()
    )


def _row(place: Place) -> int:
    return int(getattr(place.at, "lineno", 0))
