"""In the child process: runs a source and its fixed form, and says whether they are the same, and what each needs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import torch

from .inputs import Call, InputError, NoInputs, build
from .inputs.locate import module_of, root_of
from .measure import peaks
from .measure.sweep import Settings
from .proof import Proof, Trial, prove
from .supervisor import describe
from .targets import imported, on_path, target_in

Stage = Callable[[str], None]

#: Where peaks are compared: large enough for what grows with S² to show.
SIZES = (128, 256, 512)
#: The trial in which a rewrite may say that it differs: what no key is left for has no meaning.
_NO_KEY = "a whole row"


def compare(arguments: dict[str, Any], stage: Stage) -> dict[str, Any]:
    """Whether a fixed source computes what the source does, in the blocks that differ, and with what peak.

    `arguments` has the `file`, its dotted name `module`, the directory `top` that this is imported from, the texts
    `before` and `after`, the `blocks` to run, each the names around it (none: the file is run), `factories`, and
    `captured` inputs. The answer has `proved`; `reason`, why not; `differs`, whether a trial ran and gave another
    result, which says more than that none could be run; `inputs` and `source`, who knew them; `proof` and `peak`.
    """
    on_path(arguments["file"], arguments["top"])
    calls: list[tuple[Call, Call]] = []
    for names in arguments["blocks"]:
        pair = _pair(arguments, list(names), stage)
        if isinstance(pair, NoInputs):
            return _answer(pair.reason)
        calls.append(pair)
    trials: list[Trial] = []
    for before, after in calls:
        stage("the proof")
        trials += prove(before, after).trials
        reason = Proof(tuple(trials)).refused
        if reason:
            return _answer(reason, calls, trials)
    stage("the peak")
    before, after = calls[0]
    settings = Settings(sizes=SIZES, repeats=1, forms=False)
    return _answer("", calls, trials, peaks(before, after, root_of(arguments["file"]), settings))


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
        "only_without_keys": bool(failing) and all(one.name.endswith(_NO_KEY) for one in failing),
        "inputs": _described(calls),
        "source": calls[0][0].source if calls else None,
        "proof": Proof(tuple(trials)).record() if trials else None,
        "peak": peak,
        "torch": torch.__version__,
    }


def _described(calls: Sequence[tuple[Call, Call]]) -> dict[str, str]:
    return {name: value for before, _ in calls for name, value in before.description.items()}


def _pair(arguments: dict[str, Any], names: list[str], stage: Stage) -> tuple[Call, Call] | NoInputs:
    """The block as it is and as it becomes, called alike."""
    file = arguments["file"]
    if not names:
        return tuple(Call(_script(file, arguments[text]), "file") for text in ("before", "after"))  # type: ignore[return-value]
    stage("import")
    try:
        base = imported(arguments["module"], file)
        first = _other(base, file, arguments["before"])
        stage("import of the fixed file")
        second = _other(base, file, arguments["after"])
    except InputError as error:
        return NoInputs(str(error))
    except (Exception, SystemExit) as error:
        return NoInputs(f"the file cannot be imported: {describe(error)[1]}")
    stage("inputs")
    found = []
    for module in (base, first, second):
        target = target_in(module, names)
        if isinstance(target, NoInputs):
            return target
        found.append(target)
    call = build(found[0], arguments["factories"], arguments["captured"])
    if isinstance(call, NoInputs):
        return call
    return (call if first is base else call.instead(found[1])), call.instead(found[2])


def _other(base: ModuleType, file: str, text: str) -> ModuleType:
    """The module of a source that need not be what stands in the file."""
    with open(file, encoding="utf-8", errors="replace", newline="") as stream:
        return base if stream.read() == text else module_of(file, text)


def _script(file: str, text: str) -> Callable[[], dict[str, Any]]:
    """Runs a source as a program; gives the tensors that its names stand for in the end."""

    def run() -> dict[str, Any]:
        module = ModuleType("__main__")
        module.__file__ = file
        before, argv = sys.modules["__main__"], sys.argv
        sys.modules["__main__"], sys.argv = module, [os.path.basename(file)]
        try:
            exec(compile(text, file, "exec", dont_inherit=True), module.__dict__)
        except SystemExit as leaving:
            if leaving.code:
                raise RuntimeError(f"it called sys.exit({leaving.code!r})") from leaving
        finally:
            sys.modules["__main__"], sys.argv = before, argv
        return {name: one for name, one in vars(module).items() if isinstance(one, torch.Tensor)}

    return run
