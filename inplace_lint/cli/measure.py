"""The verbs that run a class or a function of the user's: measure and capture."""

from __future__ import annotations

import os
import sys

from . import CLEAN, WRONG, check, complain, proving
from .options import Flag, UsageError, Verb, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ..runtime.child import Children
    from ..runtime.subject import Subject

MEASURE = Verb(
    "measure",
    "FILE::NAME [OPTIONS]",
    "Run a module or a function and print its peak memory over sequence lengths: what lasts, what is kept for\n"
    "backward, what is temporary, and which source lines hold it. What NAME becomes by its\n"
    "fixes is measured beside it. This runs the code of FILE, in a child process.",
    (
        Flag("--sizes", "sequence lengths, the S of the inputs", "N,N,…", many=True),
        Flag("--batch", "batch size, the B of the inputs", "N", number=True),
        Flag("--inputs", 'what to run it on, such as "dim=64, x=f32[B,S,64]"', "TEXT"),
        Flag("--against", "measure this too, as what NAME becomes by a fix", "FILE::NAME"),
        Flag(
            "--method",
            "cpu: run here; predict: what a GPU would need, without one; gpu: run on the GPU",
            "METHOD",
            choices=("cpu", "predict", "gpu"),
        ),
        Flag("--device", "the GPU to predict for, such as a100, h100, t4", "NAME"),
        Flag("--dtype", "of weights and inputs", "KIND", choices=("f32", "bf16", "f16", "f64")),
        Flag("--optimizer", "take a step with it, too", "NAME", choices=("none", "sgd", "adam", "adamw")),
        Flag("--forward-only", "no backward, no gradients"),
        Flag(
            "--capture",
            "inputs that `inplace-lint capture` recorded; inplace-lint-capture.json if it is there",
            "FILE",
        ),
        Flag("--launcher", 'put this before the command of the child: "srun --gres=gpu:1"', "COMMAND"),
        Flag("--timeout", "seconds that all of it may take [3600]", "SECONDS", number=True),
        Flag("--memory", "GiB of memory that it may use [90% of the machine's]", "GIB", number=True),
        Flag("--report", "write an HTML page with plots there, too", "FILE.html"),
        Flag("--output-format", "how to print it", "FORMAT", choices=("text", "json")),
    ),
)


def measure(targets: list[str], values: dict[str, Any]) -> int:
    """Measures one target. Raises UsageError."""
    if len(targets) != 1:
        raise UsageError("measure needs one target: inplace-lint measure model.py::Attention")
    sizes = values.get("sizes", ())
    for size in sizes:
        if not whole(size):
            raise UsageError(f"--sizes needs numbers such as 256,512,1024, not `{size}`")
    launcher = proving.launcher(values)
    proving.need_children("measure", elsewhere=bool(launcher))
    from ..runtime.problems import InputError
    from ..runtime.subject import said, subject

    try:
        target = subject(targets[0])
        if "against" in values:
            subject(values["against"])
    except InputError as error:
        raise UsageError(str(error)) from error
    captured = proving.captured(values.get("capture"))
    factories = dict(target.settings.inputs)
    findings = []
    if "report" in values:
        verdicts = _verdicts(target, factories, captured, values)
        findings = [said(one, verdict) for one, verdict in zip(target.findings, verdicts)]
    request = {
        "target": targets[0],
        "against": values.get("against"),
        "inputs": values.get("inputs"),
        "sizes": [int(size) for size in sizes],
        "batch": values.get("batch"),
        "method": values.get("method", "predict" if "device" in values else "cpu"),
        "device": values.get("device"),
        "dtype": values.get("dtype", "f32"),
        "optimizer": values.get("optimizer", "none"),
        "train": not values.get("forward-only"),
        "fixed": target.fixed,
        "factories": factories,
        "captured": captured,
    }
    arguments = {"request": request, "colour": check._has_colour(sys.stdout), "findings": findings}
    found = _run(arguments, values)
    if "report" in values:
        _write(values["report"], found["page"])
    if values.get("output-format") == "json":
        import json

        print(json.dumps({**found["record"], "findings": findings}, indent=2))
    else:
        print(found["text"], end="")
    if "report" in values:
        print(f"Report written to {values['report']}.", file=sys.stderr)
    return CLEAN if found["complete"] else WRONG


def _run(arguments: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    """Measures in a child process. Raises UsageError where that could not be done."""
    from ..runtime.child import Job

    children = _children(values, float(values.get("timeout", 3600)), _progress)
    ((_, outcome),) = children.run([Job("inplace_lint.runtime.measure:in_child", arguments)])
    _progress("")
    if outcome.kind is not None:
        stage = f" ({outcome.stage})" if outcome.stage else ""
        if outcome.output:
            print(outcome.output.rstrip(), file=sys.stderr)
        raise UsageError(f"nothing was measured: {outcome.text}{stage}")
    if outcome.result["wrong"]:
        raise UsageError(outcome.result["wrong"])
    return dict(outcome.result)


def _verdicts(
    target: Subject, factories: dict[str, str], captured: dict[str, object], values: dict[str, Any]
) -> list[str]:
    """What running them says of the findings in the target, for the page."""
    from ..project import Project
    from ..project.discovery import Target
    from ..runtime.confirm import confirm
    from . import fixing

    findings = list(target.findings)
    if not findings:
        return []
    fixing.show_edits([Target(findings[0].location.filename, target.settings)], findings, {})
    project = Project(target.settings.root, target.settings.src)
    projects = {one.location.filename: project for one in findings}
    told = ["a run does not decide this"] * len(findings)
    for number, (index, verdict) in enumerate(
        confirm(findings, _children(values, 120.0), projects, factories, captured), 1
    ):
        told[index] = f"{verdict['status']}: {verdict['reason']}"
        _progress(f"ran {number} of {len(findings)} findings")
    return told


def _children(
    values: dict[str, Any], seconds: float, on_stage: Callable[[str], None] = lambda stage: None
) -> Children:
    from ..runtime.child import READY, Children, Limits

    launcher = proving.launcher(values)
    memory = (
        values["memory"] * 2.0**30 if "memory" in values else float(2**60) if launcher else 0.9 * _physical()
    )
    return Children(Limits(seconds=seconds, memory=memory), launcher, imports=READY, on_stage=on_stage)


def _physical() -> float:
    """The bytes of memory of this machine; as good as without end where it does not say."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (ValueError, OSError, AttributeError):
        return float(2**60)


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text[:100]}", end="" if text else "\r", file=sys.stderr, flush=True)


def _write(filename: str, text: str) -> None:
    try:
        with open(filename, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"{filename} cannot be written: {error.strerror}") from error


CAPTURE = Verb(
    "capture",
    "[OPTIONS] SCRIPT [ARGS] | -m MODULE [ARGS]",
    "Run a program unchanged, and write what its modules are given, by class, to a file that `measure --capture`\n"
    "and `confirm --capture` read. Options stand before the program; what follows is the program's own.",
    (Flag("--output", "write there; inplace-lint-capture.json without it", "FILE"),),
)


def capture(argv: Sequence[str]) -> int:
    """Runs a program and returns its exit status. Raises UsageError."""
    own, program, as_module = _program(argv)
    values, _ = CAPTURE.parse(own)
    if not program:
        raise UsageError("capture needs a program: inplace-lint capture train.py, or -m package.train")
    if not as_module and not os.path.isfile(program[0]):
        raise UsageError(f"there is no file {program[0]}")
    from ..runtime import TorchMissing, require_installed

    try:
        require_installed()
    except TorchMissing as error:
        raise UsageError(f"capture: {error}") from error
    from ..runtime.problems import InputError
    from ..runtime.uses import FILE, read, record, write

    filename = values.get("output", FILE)
    status, uses, end = record(program, as_module)
    if end:
        complain(end)
    try:
        write(filename, uses)
        classes = read(filename)
    except InputError as error:
        raise UsageError(str(error)) from error
    complain(f"{filename} holds inputs of {len(classes)} classes")
    return status


def _program(argv: Sequence[str]) -> tuple[list[str], list[str], bool]:
    """Our own words of a command line, and the program's, which begins at `-m` or at the first that is no option."""
    place = 0
    while place < len(argv):
        word = argv[place]
        if word == "-m":
            return list(argv[:place]), list(argv[place + 1 :]), True
        if not word.startswith("-"):
            break
        place += 2 if word == "--output" else 1
    return list(argv[:place]), list(argv[place:]), False


def run(name: str, argv: Sequence[str]) -> int:
    """Runs one of the verbs of this module with its part of the command line. Raises UsageError."""
    own = _program(argv)[0] if name == "capture" else argv
    verb = {"measure": MEASURE, "capture": CAPTURE}[name]
    if "--help" in own or "-h" in own:
        print(verb.help())
        return CLEAN
    if name == "capture":
        return capture(argv)
    values, targets = verb.parse(argv)
    return measure(targets, values)
