"""In a child process: runs a finding's block natively, under the tracer and with copied saves, then judges findings."""

from __future__ import annotations

import contextlib
import itertools
import os
import runpy
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import torch
from torch.utils._pytree import tree_map

from . import immediate
from .constants import vary
from .drivers import drivers
from .guarded import Enough, adding_at_most, elsewhere, for_at_most
from .inputs import Call, NoInputs, is_stated
from .inputs.trial import attempt
from .inputs.variations import told, variations
from .observe import Block, natively, traced, truly
from .occurred import judge
from .reached import rows_run
from .supervisor import describe
from .targets import calls_in, imported, on_path, target_in
from .verdicts import BY_PROGRAM, LEFT, VARIED, Verdict, best, undecided
from .without_gpu import OnCpu, without_gpu

#: Shares of a block's time limit: what each of the three runs of a driver program may take, and the share after which
#: no further driver is tried.
_A_RUN, _ALL_RUNS = 1 / 6, 1 / 2
#: Share of it after which no more inputs are varied.
_VARIATIONS = 1 / 6
#: Seconds that one of these may take to reach a line.
_A_VARIATION = 3.0
#: Share of a job's memory that user code may add before an allocation of it fails, which costs less than the job's end.
_MEMORY = 3 / 4

#: Callback that reports the current stage to the supervisor, and optionally the verdicts known so far.
Stage = Callable[..., None]


@dataclass(frozen=True, slots=True)
class Way:
    """One way to run a block: inputs as text, the device, and the driver program if the block is not called directly.

    `only_confirms`: a run without a hazard does not refute a finding. `seconds` limits one run; None: no limit here.
    `extra`: what it leaves undecided is not told.
    """

    block: Block
    inputs: dict[str, str] = field(default_factory=dict)
    device: str = "cpu"
    program: str = ""
    seconds: float | None = None
    only_confirms: bool = False
    extra: bool = False


def examine(arguments: dict[str, Any], stage: Stage) -> list[Verdict]:
    """Returns the verdicts on the findings of one block, in their order.

    `arguments` holds: `file`; `module`, its dotted name, and `top`, the directory to import that from; `names`, the
    classes and function around the block (empty: the file is run as a program); `factories`; `captured` inputs;
    `findings`, each with its `code`, its `writes` and `saves` as [file, first row, last row], and `only`, the device
    type on which the op saves; `device`, or None for a GPU if there is one; `seconds`, the time limit; optionally
    `memory`, the bytes that the job may use, and `part`.

    The ways to run it are tried in turn until every finding is decided. Inputs that the user stated come first, else
    the functions and tests of the file that reach the block without arguments; then inputs found by trial. With
    `part` "programs" the job ends after such functions, in the stage LEFT; with "calls" it leaves them out.
    """
    memory = arguments.get("memory")
    with open(arguments["file"], encoding="utf-8", errors="replace") as stream:
        source = stream.read()
    with adding_at_most(memory and memory * _MEMORY), without_gpu(source) as on_cpu:
        return _examined(arguments, stage, on_cpu)


def _examined(arguments: dict[str, Any], stage: Stage, on_cpu: OnCpu | None) -> list[Verdict]:
    runs: list[list[Verdict]] = []
    for way in _ways(arguments, stage):
        if way is None:
            stage(LEFT, [best(each) for each in zip(*runs)])
            break
        if isinstance(way, NoInputs):
            runs.append([undecided(way.reason) for _ in arguments["findings"]])
            continue
        # The last reason is the one that is told.
        found = _run(arguments, way, stage)
        if on_cpu is not None and on_cpu.used:
            found = [_of_another_device(one) for one in found]
        runs.insert(0 if way.extra else len(runs), found)
        known = [best(each) for each in zip(*runs)]
        if all(one["status"] != "inconclusive" for one in known):
            break
        stage("another run", known)
    return [best(each) for each in zip(*runs)]


def _of_another_device(one: Verdict) -> Verdict:
    """Returns a verdict of a run on the CPU, of code that asks for a GPU: such a run refutes nothing."""
    if one["status"] != "refuted":
        return one
    return {**one, "status": "inconclusive", "reason": f"on the CPU in place of a GPU: {one['reason']}"}


def _run(arguments: dict[str, Any], way: Way, stage: Stage) -> list[Verdict]:
    run = f"{BY_PROGRAM}{way.program}" if way.program else f"run on {VARIED}" if way.extra else "run"
    stage(f"the {run} without the tracer")
    native = natively(way.block, way.seconds)
    stage(f"the traced {run}")
    second = traced(way.block, way.seconds)
    stage(f"the {run} with copies")
    true = truly(way.block, way.seconds)
    device = way.device
    if way.program and second.trace is not None:
        # The program chooses the device itself: take the one on which a save was seen.
        device = next((kind for kind, _ in second.trace.saves or () if kind != "cpu"), device)
    verdicts = [
        judge(one, native, second, true, way.inputs, device, way.program) for one in arguments["findings"]
    ]
    for one in verdicts:
        if way.only_confirms and one["status"] == "refuted":
            one["status"] = "inconclusive"
    return verdicts


def _ways(arguments: dict[str, Any], stage: Stage) -> Iterator[Way | NoInputs | None]:
    """Yields the ways to run a block, or the reason why one is impossible; the last reason explains `inconclusive`.

    None: here the job ends if it is only to run programs, and some ran.
    """
    file, names = arguments["file"], arguments["names"]
    on_path(file, arguments["top"])
    if not names:
        stage("running the file")
        yield Way(_file_block(file, "__main__"))
        return
    if not _is_there(arguments["device"]):
        yield NoInputs(f"there is no device {arguments['device']} here")
        return
    # Module-level code may already run the block during the import.
    importing = Way(_file_block(file, arguments["module"]), only_confirms=True)
    stage("import")
    try:
        module = imported(arguments["module"], file)
    except (Exception, SystemExit) as error:
        yield importing
        if not immediate.codes(error):
            yield NoInputs(f"the file cannot be imported: {describe(error)[1]}")
        return
    target = target_in(module, names)
    is_told = not isinstance(target, NoInputs) and is_stated(
        target, arguments["factories"], arguments["captured"]
    )
    part = arguments.get("part")
    if not is_told and part != "calls":
        count = 0
        for way in _driven(arguments, module):
            yield way
            count += 1
        if count and part == "programs":
            yield None
    stage("inputs")
    _in_a_group(arguments["file"])
    calls = calls_in(module, names, arguments["factories"], arguments["captured"])
    if isinstance(calls, NoInputs):
        if is_told and part != "calls":
            yield from _driven(arguments, module)
        yield importing
        yield calls
        return
    device = arguments["device"] or _there()
    inputs = dict(calls[0].description)
    for call in calls:
        yield Way(_called(call, device, varied=True), inputs, device)
    # The block may fail on the varied constants: run it again without them.
    for call in calls:
        yield Way(_called(call, device), inputs, device)
    stage(VARIED)
    yield from _varied(arguments, calls, device)


def _in_a_group(file: str) -> None:
    """Makes this process a group of one, if the file speaks of distributed code and has made no group itself."""
    with open(file, encoding="utf-8", errors="replace") as stream:
        is_asked = "distributed" in stream.read()
    distributed: Any = torch.distributed
    if is_asked and distributed.is_available() and not distributed.is_initialized():
        with contextlib.suppress(Exception):  # without gloo the calls say what is missing
            distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)


def _varied(arguments: dict[str, Any], calls: list[Call], device: str) -> Iterator[Way]:
    """Yields ways on other inputs, where they reach a write that no inputs before them have reached."""
    until = time.monotonic() + arguments["seconds"] * _VARIATIONS
    file = os.path.realpath(arguments["file"])
    writes = {
        row
        for one in arguments["findings"]
        for name, first, last in one["writes"]
        if name == file
        for row in range(first, last + 1)
    }
    reached: set[int] = set()
    for call in calls:
        for other in itertools.chain([call], variations(call)):
            if time.monotonic() > until:
                return
            try:
                with for_at_most(_A_VARIATION), rows_run(arguments["file"]) as rows:
                    failure, _ = attempt(other)
            except Enough:
                continue
            new = {row for _, row in rows} & writes - reached
            reached |= new
            if other is not call and new and failure is None:
                yield Way(_called(other, device), told(call, other), device, only_confirms=True, extra=True)


def _driven(arguments: dict[str, Any], module: ModuleType) -> Iterator[Way]:
    """Yields ways that run functions of the file which need no arguments, in the temporary directory."""
    with open(arguments["file"], "rb") as stream:
        source = stream.read()
    until = time.monotonic() + arguments["seconds"] * _ALL_RUNS
    for driver in drivers(source, arguments["names"]):
        if time.monotonic() > until:
            return
        try:
            function = driver.ready(module, arguments["file"])
        except LookupError:
            continue
        yield Way(
            elsewhere(function, arguments["file"]),
            program=driver.told,
            seconds=arguments["seconds"] * _A_RUN,
        )


def _there() -> str:
    return "cuda" if torch.cuda.is_available() else "cpu"


def _is_there(device: str | None) -> bool:
    """Whether a device can be used; makes a CUDA device the current one, for code that names no index."""
    kind, _, number = (device or "cpu").partition(":")
    if kind != "cuda":
        return True
    if not torch.cuda.is_available() or int(number or 0) >= torch.cuda.device_count():
        return False
    torch.cuda.set_device(int(number or 0))
    return True


def _called(call: Call, device: str, varied: bool = False) -> Block:
    def block() -> Any:
        function = call.function()
        args, kwargs = _moved(call.inputs(grad=False), device)
        if call.factory is None:
            args, kwargs = tree_map(_needing, (args, kwargs))
        owner = getattr(function, "__self__", function)
        if isinstance(owner, torch.nn.Module):
            owner.to(device)
            if varied:
                vary(owner)
        return function(*args, **kwargs), args, kwargs

    return block


def _needing(value: Any) -> Any:
    """Makes a float tensor a non-leaf that requires grad: a write to a leaf raises at once and hides other hazards."""
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
    return tree_map(lambda one: one.to(device) if isinstance(one, torch.Tensor) else one, values)
