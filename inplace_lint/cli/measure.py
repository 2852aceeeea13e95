"""The verbs that run a class or a function of the user's: measure and capture."""

from __future__ import annotations

import contextlib
import os
import sys

from . import CLEAN, WRONG
from .options import Flag, UsageError, Verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..runtime.measure import Request

MEASURE = Verb(
    "measure",
    "FILE::NAME [OPTIONS]",
    "Run a module or a function and print its peak memory over sequence lengths: what lasts, what is kept for\n"
    "backward, what is temporary, and which source lines hold it. This runs the code of FILE.",
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
        if not size.isdigit() or int(size) < 1:
            raise UsageError(f"--sizes needs numbers such as 256,512,1024, not `{size}`")
    _need_torch("measure")
    from ..runtime import measure as runtime
    from ..runtime.inputs import InputError

    request: Request = runtime.Request(
        targets[0],
        against=values.get("against"),
        inputs=values.get("inputs"),
        capture=values.get("capture"),
        sizes=tuple(map(int, sizes)),
        batch=values.get("batch"),
        method=values.get("method", "predict" if "device" in values else "cpu"),
        device=values.get("device"),
        dtype=values.get("dtype", "f32"),
        optimizer=values.get("optimizer", "none"),
        train=not values.get("forward-only"),
    )
    try:
        # What the user's code prints is no part of the report.
        with contextlib.redirect_stdout(sys.stderr):
            found = runtime.measure(request, _progress)
    except InputError as error:
        raise UsageError(str(error)) from error
    if "report" in values:
        _write(values["report"], found.page())
    if values.get("output-format") == "json":
        import json

        print(json.dumps(found.record(), indent=2))
    else:
        from ..report.style import Style
        from .check import _has_colour

        print(found.text(Style(_has_colour(sys.stdout))), end="")
    if "report" in values:
        print(f"Report written to {values['report']}.", file=sys.stderr)
    return CLEAN if found.complete else WRONG


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text[:100]}", end="" if text else "\r", file=sys.stderr, flush=True)


def _write(filename: str, text: str) -> None:
    try:
        with open(filename, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"{filename} cannot be written: {error.strerror}") from error


def _need_torch(verb: str) -> None:
    from importlib.util import find_spec

    if find_spec("torch") is None:
        raise UsageError(
            f"{verb} runs your code, and needs torch for it, which is not installed here: "
            "pip install 'inplace-lint[runtime]'"
        )


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
    _need_torch("capture")
    from ..runtime.uses import FILE, BadCapture, read, record, write

    filename = values.get("output", FILE)
    status, uses, end = record(program, as_module)
    if end:
        print(f"inplace-lint: {end}", file=sys.stderr)
    try:
        write(filename, uses)
        classes = read(filename)
    except BadCapture as error:
        raise UsageError(str(error)) from error
    print(f"inplace-lint: {filename} holds inputs of {len(classes)} classes", file=sys.stderr)
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
