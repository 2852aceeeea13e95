"""In a child process: measures peak memory of one or two targets over sequence lengths, as table, JSON or page."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...report.style import Style
from ..inputs import TRIALS, Call, NoInputs, build, given
from ..inputs.direct import completed
from ..inputs.locate import load, root_of
from ..inputs.trial import attempt
from ..peak import gpu
from ..peak.devices import DEFAULT, DEVICES
from ..problems import InputError
from ..subject import split
from . import table
from .sweep import Series, Settings, sweep

SIZES = {
    "cpu": (128, 256, 512, 1024),
    "gpu": (1024, 2048, 4096, 8192),
    "predict": (1024, 2048, 4096, 8192, 16384),
}


@dataclass(frozen=True, slots=True)
class Request:
    """The user's request; targets are written `FILE::NAME`. Empty `sizes` mean the defaults of the method.

    `fixed` is the text of the target's file with its fixes applied; it is measured too, unless `against` is given.
    """

    target: str
    against: str | None = None
    inputs: str | None = None
    sizes: tuple[int, ...] = ()
    batch: int | None = None
    method: str = "cpu"
    device: str | None = None
    dtype: str = "f32"
    optimizer: str = "none"
    train: bool = True
    fixed: str | None = None
    factories: Mapping[str, str] = field(default_factory=dict)
    captured: Mapping[str, Any] = field(default_factory=dict)


def in_child(arguments: dict[str, Any], stage: Callable[[str], None]) -> dict[str, Any]:
    """Measures a request; returns its `text`, `record` and `page`, and `complete`; or in `wrong` why it cannot be run.

    `arguments` holds the `request`, `colour` for the text, and the `findings` to show on the page.
    """
    request = dict(arguments["request"])
    try:
        found = measure(Request(**{**request, "sizes": tuple(request["sizes"])}), stage)
    except InputError as error:
        return {"wrong": str(error)}
    return {
        "wrong": None,
        "text": found.text(Style(arguments["colour"])),
        "record": found.record(),
        "page": found.page(arguments["findings"]),
        "complete": found.complete,
    }


@dataclass(frozen=True, slots=True)
class Measurement:
    """The results of a request: one series for each target."""

    settings: Settings
    series: tuple[Series, ...]

    @property
    def complete(self) -> bool:
        """Whether each target ran at one size or more."""
        return all(one.measured for one in self.series)

    def text(self, style: Style) -> str:
        """Renders the results for a terminal."""
        return table.render(self.series, self.settings, style)

    def record(self) -> dict[str, Any]:
        """Returns the results as a JSON object."""
        from .record import record

        return record(self.series, self.settings)

    def page(self, findings: Sequence[Mapping[str, Any]] = ()) -> str:
        """Renders the results as an HTML page, with the findings of `check` in the form of `subject.said`."""
        from .page import page

        return page(self.series, self.settings, findings)


def measure(request: Request, progress: Callable[[str], None] = lambda text: None) -> Measurement:
    """Measures the targets. Raises InputError for a missing target, unknown inputs or an unknown device."""
    settings = _settings(request)
    filename, name = split(request.target)
    target = load(filename, name)
    call = _call(request.target, target, request)
    calls: list[tuple[str, Call, str, dict[str, bytes]]] = [(request.target, call, root_of(filename), {})]
    if request.against is not None:
        other_file, other = split(request.against)
        against = load(other_file, other)
        # Use the same inputs if the other target runs on them: only then can the two be compared.
        alike = replace(call, target=against)
        if call.factory is not None or attempt(alike)[0] is not None:
            alike = _call(request.against, against, request)
        calls.append((request.against, alike, root_of(other_file), {}))
    elif request.fixed is not None:
        # The fixed form gets the same inputs, wherever they came from.
        call = call.instead(load(filename, name, request.fixed))
        texts = {os.path.abspath(filename): request.fixed.encode()}
        calls.append((f"{request.target}, fixed", call, root_of(filename), texts))
    series = tuple(sweep(label, one, settings, root, progress, texts) for label, one, root, texts in calls)
    progress("")
    return Measurement(settings, series)


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


def _call(name: str, target: Any, request: Request) -> Call:
    if request.inputs is not None:
        call: Call | NoInputs = completed(given(target, request.inputs), TRIALS)
        if isinstance(call, NoInputs):
            raise InputError(f'{name}: {call.reason}. Give them too: --inputs "dim=64, {request.inputs}"')
        return call
    call = build(target, request.factories, request.captured)
    if isinstance(call, NoInputs):
        raise InputError(
            f"no inputs are known for {name}: {call.reason}. "
            'Give some: --inputs "x=f32[B,S,64]", or a comment `# inplace-lint: inputs x=f32[B,S,64]` in it'
        )
    return call
