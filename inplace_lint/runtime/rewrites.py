"""In a child process: compares a source with its fixed form, in results, gradients and peak memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import torch

from . import immediate
from .immediate import is_stale
from .inputs import Call, InputError, NoInputs
from .inputs.locate import module_of, root_of
from .inputs.sizes import is_length, lengthened
from .measure.peaks import held_by, peaks
from .peak.growth import exponent as slope
from .proof import Proof, Trial, prove
from .reached import rows_run
from .scripts import script
from .supervisor import describe
from .targets import calls_in, imported, on_path, target_in

Stage = Callable[[str], None]


def compare(arguments: dict[str, Any], stage: Stage) -> dict[str, Any]:
    """Compares a source with its fixed form in the blocks that the fix changes: results, gradients and peak.

    `arguments` holds `file`; `module`, its dotted name, and `top`, the directory to import that from; the texts
    `before` and `after`; `blocks`, the names around each changed place (empty names: the file is run); `changed`, spans
    of rows of `before`; `factories` and `captured` inputs.

    The answer holds `proved`; `reason`, why not; `differs`, whether a trial ran and the forms differed; `inputs` and
    `source`, where they came from; `proof`, `peak`, why that is `unmeasured`, and whether the varied
    size `is_length` of a sequence. A proof requires that every changed span ran.
    """
    on_path(arguments["file"], arguments["top"])
    missed = [tuple(span) for span in arguments["changed"]]
    trials: list[Trial] = []
    calls: list[tuple[Call, Call]] = []
    unknown = ""
    for names in arguments["blocks"]:
        pairs = _pairs(arguments, list(names), stage)
        if isinstance(pairs, NoInputs):
            unknown = unknown or pairs.reason
            continue
        stage("the proof")
        for before, after in pairs:
            with rows_run(arguments["file"]) as rows:
                proof = prove(before, after)
            ran = {row for module, row in rows if module in (before.target.__module__, "__main__")}
            reached = [
                span for span in arguments["changed"] if not ran.isdisjoint(range(span[0], span[1] + 1))
            ]
            if arguments["changed"] and not reached:
                continue
            missed = [span for span in missed if list(span) not in reached]
            trials += proof.trials
            calls.append((before, after))
            if not missed:
                break
    if missed or not calls:
        line = f"line {missed[0][0]}, which the fix changes, did not run on these inputs" if missed else ""
        return _answer(unknown or line, calls)
    answer = _answer(Proof(tuple(trials)).refused, calls, trials)
    if answer["proved"] or answer["only_without_keys"]:
        stage("the peak")
        before, after = calls[0]
        longer = lengthened(before)
        answer["is_length"] = is_length(longer)
        answer["peak"], answer["unmeasured"] = peaks(
            longer,
            longer.instead(after.target) if longer is not before else after,
            root_of(arguments["file"]),
        )
    return answer


def growth(arguments: dict[str, Any], stage: Stage) -> dict[str, Any]:
    """Measures the bytes that a finding's lines hold at the peak, and their growth with the length.

    `arguments` as for `compare`, with one block, and the `rows` of the lines. The answer holds `reason`, empty if it
    could be measured, `inputs`, `peak`, and for the lines at length `size` their `bytes` and growth `exponent`.
    """
    on_path(arguments["file"], arguments["top"])
    pairs = _pairs(arguments, list(arguments["blocks"][0]), stage)
    if isinstance(pairs, NoInputs):
        return {"reason": pairs.reason, "inputs": {}, "peak": None}
    stage("the peak")
    call = lengthened(pairs[0][0])
    peak, held, why = held_by(call, root_of(arguments["file"]), arguments["file"], arguments["rows"])
    if peak is None:
        reason = f"its peak could not be measured: {why}".removesuffix(": ")
        return {"reason": reason, "inputs": dict(call.description), "peak": None}
    exponent = slope(list(held), list(held.values()))
    return {
        "reason": "",
        "inputs": dict(call.description),
        "peak": peak,
        "is_length": is_length(call),
        "size": max(held, default=0),
        "bytes": held[max(held)] if held else 0,
        "exponent": exponent,
    }


def _answer(
    reason: str,
    calls: Sequence[tuple[Call, Call]] = (),
    trials: Sequence[Trial] = (),
    peak: dict[str, Any] | None = None,
) -> dict[str, Any]:
    failing = [one for one in trials if not one.same and not one.skipped]
    return {
        "proved": not reason,
        "reason": reason,
        "differs": bool(failing),
        "only_without_keys": bool(failing) and all(one.no_key for one in failing),
        "inputs": _described(calls),
        "source": calls[0][0].source if calls else None,
        "proof": Proof(tuple(trials)).record() if trials else None,
        "peak": peak,
        "unmeasured": "",
        "is_length": False,
        "torch": torch.__version__,
    }


def _described(calls: Sequence[tuple[Call, Call]]) -> dict[str, str]:
    return {name: value for before, _ in calls for name, value in before.description.items()}


def _pairs(arguments: dict[str, Any], names: list[str], stage: Stage) -> list[tuple[Call, Call]] | NoInputs:
    """Returns the calls of a block, each for the original and the fixed source."""
    file = arguments["file"]
    if not names:
        # Which rows ran is recorded by file name: the fixed text needs another one, or its rows would count too.
        before, after = script(file, arguments["before"]), script(file, arguments["after"], f"{file}, fixed")
        return [(Call(before, "file"), Call(after, "file"))]
    stage("import")
    try:
        base = imported(arguments["module"], file)
        first = _other(base, file, arguments["before"])
        stage("import of the fixed file")
        second = _other(base, file, arguments["after"])
    except InputError as error:
        return NoInputs(str(error))
    except (Exception, SystemExit) as error:
        if is_stale(error) or immediate.codes(error):
            # The hazard is in module-level code: compare the whole file instead.
            return _pairs(arguments, [], stage)
        return NoInputs(f"the file cannot be imported: {describe(error)[1]}")
    stage("inputs")
    forms = []
    for module in (first, second):
        target = target_in(module, names)
        if isinstance(target, NoInputs):
            return target
        forms.append(target)
    calls = calls_in(base, names, arguments["factories"], arguments["captured"])
    if isinstance(calls, NoInputs):
        return calls
    return [((call if first is base else call.instead(forms[0])), call.instead(forms[1])) for call in calls]


def _other(base: ModuleType, file: str, text: str) -> ModuleType:
    """Returns the module of a source text: `base` if the file holds that text, else a new module."""
    with open(file, encoding="utf-8", errors="replace", newline="") as stream:
        return base if stream.read() == text else module_of(file, text)
