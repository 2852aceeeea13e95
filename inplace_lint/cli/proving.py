"""What `check --prove` adds to `--fix`: the children that run code, and the file of proofs."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from ..report.style import safe
from .options import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model import Diagnostic
    from ..project.discovery import Target
    from ..runtime.proving import Prover


def prover(targets: Sequence[Target], from_input: bool) -> Prover:
    """Who proves the fixes of these files. Raises UsageError where nothing can be run."""
    if from_input:
        raise UsageError("--prove runs files: standard input cannot be run")
    need_children("--prove")
    from ..project import Project
    from ..runtime.child import READY, Children, Limits
    from ..runtime.proving import Prover

    projects = {target.filename: Project.of(target.settings) for target in targets}
    return Prover(
        Children(Limits(seconds=120.0), imports=READY), projects, factories(targets), captured(None)
    )


def tell(finding: Diagnostic) -> None:
    """Says which fix is being proved, as each may take minutes: on a terminal in a line that the next one replaces."""
    told = safe(f"Proving the fix of {finding.code} at {finding.location}")
    start, end = ("\r\x1b[K", "") if sys.stderr.isatty() else ("", "\n")
    print(f"{start}{told}", end=end, file=sys.stderr, flush=True)


def wipe() -> None:
    """Takes what was told last off the terminal."""
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def write(prover: Prover, report: str | None) -> None:
    """Writes the proofs next to the report, and says how many there are. Raises UsageError."""
    if not prover.proofs:
        return
    name = "inplace-lint-proofs.json" if report is None else f"{os.path.splitext(report)[0]}.proofs.json"
    try:
        with open(name, "w", encoding="utf-8") as file:
            file.write(prover.record())
    except OSError as error:
        raise UsageError(f"the proofs cannot be written to {name}: {error.strerror}") from error
    proved = sum(one["applied"] for one in prover.proofs)
    left = len(prover.proofs) - proved
    print(f"Proved {proved} fix{'es' * (proved != 1)}, left {left} unproved; see {name}.", file=sys.stderr)


def need_children(verb: str, elsewhere: bool = False) -> None:
    """Raises UsageError where no child process can run code; `elsewhere`: torch need not be here."""
    if not hasattr(os, "fork"):
        raise UsageError(f"{verb} needs a system that can fork: Linux, macOS, or WSL on Windows")
    from ..runtime import TorchMissing, require_installed

    if not elsewhere:
        try:
            require_installed()
        except TorchMissing as error:
            raise UsageError(f"{verb}: {error}") from error


def launcher(command: str | None) -> list[str]:
    """The words of --launcher. Raises UsageError."""
    import shlex

    try:
        return shlex.split(command or "")
    except ValueError as error:
        raise UsageError(f"--launcher: {error}") from error


def factories(targets: Sequence[Target]) -> dict[str, str]:
    """The factories of inputs that the files' configurations name."""
    found: dict[str, str] = {}
    for target in targets:
        found |= dict(target.settings.inputs)
    return found


def captured(file: str | None) -> dict[str, object]:
    """The inputs that a capture file holds; without a name, those of the one that lies here. Raises UsageError."""
    from ..runtime.problems import InputError
    from ..runtime.uses import FILE, read

    if file is None and not os.path.isfile(FILE):
        return {}
    try:
        return dict(read(file or FILE))
    except InputError as error:
        raise UsageError(str(error)) from error
