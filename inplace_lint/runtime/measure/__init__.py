"""`inplace-lint measure`: a target, or two, over sequence lengths, as a table, a JSON record or a page."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...model import Diagnostic
from ...project import Settings as Configured
from ...project.configuration import Configuration, ConfigurationError
from ...report.style import Style
from ..inputs import TRIALS, Call, InputError, NoInputs, build, given
from ..inputs.locate import load, root_of, split
from ..inputs.search import completed
from ..inputs.trial import attempt
from ..peak import gpu
from ..peak.devices import DEFAULT, DEVICES
from . import table
from .findings import UNRUN, findings, fixed
from .sweep import Series, Settings, sweep

SIZES = {
    "cpu": (128, 256, 512, 1024),
    "gpu": (1024, 2048, 4096, 8192),
    "predict": (1024, 2048, 4096, 8192, 16384),
}


@dataclass(frozen=True, slots=True)
class Request:
    """What a person asks to measure; targets are written `FILE::NAME`. No sizes are the method's own."""

    target: str
    against: str | None = None
    inputs: str | None = None
    capture: str | None = None
    sizes: tuple[int, ...] = ()
    batch: int | None = None
    method: str = "cpu"
    device: str | None = None
    dtype: str = "f32"
    optimizer: str = "none"
    train: bool = True


@dataclass(frozen=True, slots=True)
class Measurement:
    """What was measured, one series a target."""

    settings: Settings
    series: tuple[Series, ...]
    findings: tuple[tuple[Diagnostic, str], ...] = ()

    @property
    def complete(self) -> bool:
        """Whether each target ran at one size at least."""
        return all(one.measured for one in self.series)

    def text(self, style: Style) -> str:
        """For a terminal."""
        return table.render(self.series, self.settings, style)

    def record(self) -> dict[str, Any]:
        """For a program."""
        from .record import record

        return record(self.series, self.settings)

    def page(self) -> str:
        """For a browser."""
        from .page import page

        return page(self.series, self.settings, self.findings)


def measure(request: Request, progress: Callable[[str], None] = lambda text: None) -> Measurement:
    """Runs the targets. Raises InputError: a target that is not there, inputs that nobody knows, no such device.

    The second target is the one that is asked for, else the first as its fixes would leave it, if it has any.
    """
    settings = _settings(request)
    filename, name = split(request.target)
    configured = _configured(filename)
    target = load(filename, name)
    found = findings(filename, name, configured)
    call = _call(request.target, target, request, configured)
    calls = [(request.target, call, root_of(filename))]
    if request.against is not None:
        other_file, other = split(request.against)
        against = load(other_file, other)
        # On the same inputs, if it takes them: only then do the two compare.
        alike = replace(call, target=against)
        if call.factory is not None or attempt(alike)[0] is not None:
            alike = _call(request.against, against, request, configured)
        calls.append((request.against, alike, root_of(other_file)))
    elif (source := fixed(Path(filename).read_text(encoding="utf-8"), found)) is not None:
        # The same inputs, whoever knew them.
        call = call.instead(load(filename, name, source))
        calls.append((f"{request.target}, fixed", call, root_of(filename)))
    series = tuple(sweep(label, one, settings, root, progress) for label, one, root in calls)
    progress("")
    return Measurement(settings, series, tuple((one, UNRUN) for one in found))


def _settings(request: Request) -> Settings:
    if request.device is not None and request.method != "predict":
        raise InputError(
            f"--device names a GPU to predict for; --method {request.method} runs on what is here"
        )
    name = (request.device or DEFAULT).lower()
    if name not in DEVICES:
        raise InputError(f"no device is called `{request.device}`: {', '.join(DEVICES)}")
    if request.method == "gpu" and (reason := gpu.missing()):
        raise InputError(f"{reason}; --method predict says what a GPU would need")
    return Settings(
        request.method,
        request.sizes or SIZES[request.method],
        request.batch,
        request.dtype,
        request.optimizer,
        request.train,
        DEVICES[name] if request.method == "predict" else None,
    )


def _call(name: str, target: Any, request: Request, configured: Configured) -> Call:
    if request.inputs is not None:
        call: Call | NoInputs = completed(given(target, request.inputs), TRIALS)
        if isinstance(call, NoInputs):
            raise InputError(f'{name}: {call.reason}. Give them too: --inputs "dim=64, {request.inputs}"')
        return call
    from ..inputs.capture import load as recorded
    from ..uses import FILE

    # What was recorded here is used without being named.
    file = request.capture or (FILE if os.path.isfile(FILE) else None)
    captured = None if file is None else recorded(file)
    call = build(target, dict(configured.inputs), captured)
    if isinstance(call, NoInputs):
        raise InputError(
            f"no inputs are known for {name}: {call.reason}. "
            'Give some: --inputs "x=f32[B,S,64]", or a comment `# inplace-lint: inputs x=f32[B,S,64]` in it'
        )
    return call


def _configured(filename: str) -> Configured:
    try:
        return Configuration().settings(os.path.dirname(os.path.abspath(filename)))
    except ConfigurationError as error:
        raise InputError(str(error)) from error
