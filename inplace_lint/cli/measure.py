"""The verbs that run a class or a function of the user's: measure and capture."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from . import CLEAN, WRONG, complain, output, proving
from .cells import need_file
from .options import UsageError, Verb, choice, flag, number, several, whole
from .selection import add_colour

if TYPE_CHECKING:
    from argparse import Namespace, _ArgumentGroup
    from collections.abc import Callable

    from ..runtime.child import Children
    from ..runtime.subject import Subject
    from .options import Parser


def _measure_options(parser: Parser) -> None:
    _what_options(parser.add_argument_group("What is measured"))
    _how_options(parser.add_argument_group("How it is run"))
    report = parser.add_argument_group("Report")
    report.add_argument("--report", metavar="FILE.html", help="write an HTML page with plots there, too")
    report.add_argument(
        "--output-format", metavar="FORMAT", help="one of %(choices)s [text]", **choice("text", "json")
    )
    add_colour(report)


def _what_options(what: _ArgumentGroup) -> None:
    what.add_argument(
        "--sizes",
        metavar="N,N,...",
        action="extend",
        type=several,
        help="sequence lengths, the S of the inputs",
    )
    what.add_argument("--batch", metavar="N", type=number, help="batch size, the B of the inputs")
    what.add_argument("--inputs", metavar="TEXT", help='what to run it on, such as "dim=64, x=f32[B,S,64]"')
    what.add_argument(
        "--capture",
        metavar="FILE",
        help="inputs that `inplace-lint capture` recorded; inplace-lint-capture.json if it is there",
    )
    what.add_argument(
        "--against", metavar="FILE::NAME", help="measure this too, as what NAME becomes by a fix"
    )
    what.add_argument(
        "--dtype",
        metavar="KIND",
        default="f32",
        help="of weights and inputs: %(choices)s [f32]",
        **choice("f32", "bf16", "f16", "f64"),
    )
    what.add_argument(
        "--optimizer",
        metavar="NAME",
        default="none",
        help="take a step with it, too: %(choices)s [none]",
        **choice("none", "sgd", "adam", "adamw"),
    )
    flag(what, "--forward-only", "no backward, no gradients")


def _how_options(how: _ArgumentGroup) -> None:
    how.add_argument(
        "--method",
        metavar="METHOD",
        help="cpu: run here; predict: what a GPU would need, without one; gpu: run on the GPU",
        **choice("cpu", "predict", "gpu"),
    )
    how.add_argument("--device", metavar="NAME", help="the GPU to predict for, such as a100, h100, t4")
    how.add_argument(
        "--launcher",
        metavar="COMMAND",
        help='put this before the command of the child: "srun --gres=gpu:1"',
    )
    how.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=number,
        default=3600,
        help="seconds that all of it may take [3600]",
    )
    how.add_argument(
        "--memory", metavar="GIB", type=number, help="GiB of memory that it may use [90%% of the machine's]"
    )


def measure(options: Namespace) -> int:
    """Measures one target. Raises UsageError."""
    if len(options.arguments) != 1:
        raise UsageError("measure needs one target: inplace-lint measure model.py::Attention")
    for place in (options.arguments[0], options.against or ""):
        need_file("measure", place.rpartition("::")[0])
    sizes = options.sizes or ()
    for size in sizes:
        if not whole(size):
            raise UsageError(f"--sizes needs numbers such as 256,512,1024, not `{size}`")
    launcher = proving.launcher(options.launcher)
    proving.need_children("measure", elsewhere=bool(launcher))
    from ..runtime.problems import InputError
    from ..runtime.subject import said, subject

    try:
        target = subject(options.arguments[0])
        if options.against is not None:
            subject(options.against)
    except InputError as error:
        raise UsageError(str(error)) from error
    captured = proving.captured(options.capture)
    factories = dict(target.settings.inputs)
    findings = []
    if options.report is not None:
        verdicts = _verdicts(target, factories, captured, options)
        findings = [said(one, verdict) for one, verdict in zip(target.findings, verdicts)]
    request = {
        "target": options.arguments[0],
        "against": options.against,
        "inputs": options.inputs,
        "sizes": [int(size) for size in sizes],
        "batch": options.batch,
        "method": options.method or ("cpu" if options.device is None else "predict"),
        "device": options.device,
        "dtype": options.dtype,
        "optimizer": options.optimizer,
        "train": not options.forward_only,
        "fixed": target.fixed,
        "factories": factories,
        "captured": captured,
    }
    arguments = {
        "request": request,
        "colour": output.has_colour(sys.stdout, options.color),
        "findings": findings,
    }
    found = _run(arguments, options)
    if options.report is not None:
        _write(options.report, found["page"])
    if options.output_format == "json":
        import json

        print(json.dumps({**found["record"], "findings": findings}, indent=2))
    else:
        print(found["text"], end="")
    if options.report is not None:
        print(f"Report written to {options.report}.", file=sys.stderr)
    return CLEAN if found["complete"] else WRONG


def _run(arguments: dict[str, Any], options: Namespace) -> dict[str, Any]:
    """Measures in a child process. Raises UsageError where that could not be done."""
    from ..runtime.child import Job

    children = _children(options, float(options.timeout), _progress)
    ((_, outcome),) = children.run([Job("inplace_lint.runtime.measure:in_child", arguments, here=True)])
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
    target: Subject, factories: dict[str, str], captured: dict[str, object], options: Namespace
) -> list[str]:
    """What running them says of the findings in the target, for the page."""
    from ..engine.edits import show_edits
    from ..project import Project
    from ..project.discovery import Target
    from ..runtime.confirm import confirm

    findings = list(target.findings)
    if not findings:
        return []
    show_edits([Target(findings[0].location.filename, target.settings)], findings, {})
    project = Project.of(target.settings)
    projects = {one.location.filename: project for one in findings}
    told = ["a run does not decide this"] * len(findings)
    for done, (index, verdict) in enumerate(
        confirm(findings, _children(options, 120.0), projects, factories, captured), 1
    ):
        told[index] = f"{verdict['status']}: {verdict['reason']}"
        _progress(f"ran {done} of {len(findings)} findings")
    return told


def _children(
    options: Namespace, seconds: float, on_stage: Callable[[str], None] = lambda stage: None
) -> Children:
    from ..runtime.child import READY, Children, Limits

    launcher = proving.launcher(options.launcher)
    memory = options.memory * 2.0**30 if options.memory else float(2**60) if launcher else 0.9 * _physical()
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


def capture(options: Namespace) -> int:
    """Runs a program and returns its exit status. Raises UsageError."""
    if not options.program:
        raise UsageError("capture needs a program: inplace-lint capture train.py, or -m package.train")
    if not options.is_module and not os.path.isfile(options.program[0]):
        raise UsageError(f"there is no file {options.program[0]}")
    if not options.is_module:
        need_file("capture", options.program[0])
    from ..runtime import TorchMissing, require_installed

    try:
        require_installed()
    except TorchMissing as error:
        raise UsageError(f"capture: {error}") from error
    from ..runtime.problems import InputError
    from ..runtime.uses import FILE, read, record, write

    filename = options.output or FILE
    status, uses, end = record(options.program, options.is_module)
    if end:
        complain(end)
    try:
        write(filename, uses)
        classes = read(filename)
    except InputError as error:
        raise UsageError(str(error)) from error
    complain(f"{filename} holds inputs of {len(classes)} class{'es' * (len(classes) != 1)}")
    return status


MEASURE = Verb(
    "FILE::NAME [OPTIONS]",
    "Run a module or a function and print its peak memory over sequence lengths: what lasts, what is kept for\n"
    "backward, what is temporary, and which source lines hold it. What NAME becomes by its\n"
    "fixes is measured beside it. This runs the code of FILE, in a child process.",
    measure,
    _measure_options,
)
CAPTURE = Verb(
    "[OPTIONS] SCRIPT [ARGS...] | -m MODULE [ARGS...]",
    "Run a program unchanged, and write what its modules are given, by class, to a file that `measure --capture`\n"
    "and `confirm --capture` read. Options stand before the program; what follows is the program's own.",
    capture,
    lambda parser: parser.add_argument(
        "--output", metavar="FILE", help="write there; inplace-lint-capture.json without it"
    ),
    program=True,
)
