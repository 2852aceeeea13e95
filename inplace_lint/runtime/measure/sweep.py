"""Measures one target at several sizes: the peak, its parts by kind and by source line, and the time."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from ...project.paths import shown
from ...report.source import Sources
from ..inputs.call import Call
from ..inputs.values import written
from ..peak import gpu
from ..peak.account import KINDS, Peak
from ..peak.allocator import reserved, rounded
from ..peak.devices import Device
from ..peak.growth import exponent, formula, polynomial
from ..peak.ledger import Ledger, Rounding
from ..peak.lines import Line, Lines
from ..peak.predict import emptied, predicting
from ..peak.step import Step, clear, run

METHODS = ("cpu", "predict", "gpu")
OPTIMIZERS = ("none", "sgd", "adam", "adamw")
FLOATS = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16, "f64": torch.float64}


@dataclass(frozen=True, slots=True)
class Settings:
    """How to measure. `device` is the GPU to predict for; `forms`: fit closed forms too; `repeats`: timed runs."""

    method: str = "cpu"
    sizes: tuple[int, ...] = (128, 256, 512, 1024)
    batch: int | None = None
    dtype: str = "f32"
    optimizer: str = "none"
    train: bool = True
    device: Device | None = None
    repeats: int = 3
    forms: bool = True


@dataclass(frozen=True, slots=True)
class Point:
    """The result at one size (0: no size to vary): peak, reserved bytes and seconds, or the reason of a `failure`."""

    size: int
    peak: Peak | None = None
    reserved: int | None = None
    seconds: float | None = None
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One source line: its bytes at the peak by size, their growth exponent, an exact closed form if any, its text."""

    line: Line | None
    values: dict[int, int]
    exponent: float | None
    form: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """All results of one target."""

    label: str
    inputs: dict[str, str]
    source: str
    points: tuple[Point, ...]
    rows: tuple[Row, ...] = ()
    exponent: float | None = None
    form: str = ""
    kinds: dict[str, str] = field(default_factory=dict)

    @property
    def measured(self) -> list[tuple[int, Peak]]:
        """The sizes that ran, with their peaks."""
        return [(point.size, point.peak) for point in self.points if point.peak is not None]


def sweep(
    label: str,
    call: Call,
    settings: Settings,
    root: str,
    progress: Callable[[str], None] = lambda text: None,
    texts: Mapping[str, bytes] | None = None,
) -> Series:
    """Measures the target at each size; a failure at one size is recorded in its point and does not stop the others.

    `texts` holds sources, by absolute file name, that differ from the files on disk.
    """
    if settings.batch is not None:
        call = call.at(B=settings.batch)
    lines = Lines((root,))
    varied = "S" in call.names or call.factory is not None
    points = []
    for size in sorted(set(settings.sizes)) if varied else [0]:
        progress(f"{label} {said_size(size)}")
        points.append(_point(call.at(S=size) if varied else call, size, settings, lines))
    forms: dict[int, Peak] = {}
    if settings.forms and varied and any(point.peak for point in points):
        progress(f"{label}: closed form")
        forms = _exact(call, settings, lines, [point.size for point in points if point.peak])
    # Float inputs are made in the dtype that is measured.
    template = {name: value.replace("f32[", f"{settings.dtype}[") for name, value in call.template.items()}
    made = {name: written(value) for name, value in call.constructor.items()}
    shown = {**made, **template, **({"B": str(call.sizes["B"])} if "B" in call.names else {})}
    return _series(label, shown, call.source, points, forms, Sources(texts))


def _series(
    label: str,
    inputs: dict[str, str],
    source: str,
    points: Sequence[Point],
    forms: dict[int, Peak],
    sources: Sources,
) -> Series:
    peaks = {point.size: point.peak for point in points if point.peak is not None}
    places: dict[Line | None, None] = {}
    for peak in reversed(list(peaks.values())):
        places.update(dict.fromkeys(peak.lines))
    rows = []
    for place in places:
        values = {size: peak.lines.get(place, 0) for size, peak in peaks.items()}
        form = _form({size: peak.lines.get(place, 0) for size, peak in forms.items()})
        text = sources.line(*place).strip() if place is not None else ""
        rows.append(Row(place, values, exponent(list(values), list(values.values())), form, text))
    totals = {size: peak.total for size, peak in peaks.items()}
    return Series(
        label,
        inputs,
        source,
        tuple(points),
        tuple(rows),
        exponent(list(totals), list(totals.values())),
        _form({size: peak.total for size, peak in forms.items()}),
        {kind: _form({size: peak.kinds[kind] for size, peak in forms.items()}) for kind in KINDS}
        if forms
        else {},
    )


def _form(values: dict[int, int]) -> str:
    found = polynomial(list(values), list(values.values()))
    return "" if found is None else formula(found)


def _exact(call: Call, settings: Settings, lines: Lines, sizes: Sequence[int]) -> dict[int, Peak]:
    """Returns unrounded peaks on fake tensors, which cost no memory, at the sizes to fit a closed form to."""
    device = settings.device if settings.method == "predict" else None
    found = {}
    for size in _fitted(sizes):
        try:
            peak, _ = _fake(call.at(S=size), settings, lines, device, lambda bytes: bytes)
        except Exception:  # a size that the target does not take, or an operation that has no fake
            continue
        found[size] = peak
    return found


def _fitted(sizes: Sequence[int]) -> list[int]:
    """Returns the sizes to fit: seven consecutive multiples of the smallest, up to the largest or seven times it."""
    first, last = min(sizes), max(sizes)
    most = max(last // first, 7)
    return [first * factor for factor in range(max(most - 6, 1), most + 1)]


def _point(call: Call, size: int, settings: Settings, lines: Lines) -> Point:
    try:
        if settings.method == "gpu":
            return _on_gpu(call, size, settings)
        if settings.method == "predict":
            peak, held = _fake(call, settings, lines, settings.device, rounded)
            return Point(size, peak, held)
        return _on_cpu(call, size, settings, lines)
    except Exception as error:  # user code: its error is the result for this size
        return Point(size, failure=_said(error))
    finally:
        gc.collect()


def _on_cpu(call: Call, size: int, settings: Settings, lines: Lines) -> Point:
    step = _step(call, settings, "cpu")
    _warm_up(step)
    ledger = Ledger(lines)
    peak = run(step, ledger)
    clear(step)
    times = []
    for _ in range(settings.repeats):
        start = time.perf_counter()
        run(step)
        times.append(time.perf_counter() - start)
        clear(step)
        if sum(times) > 5:
            break
    return Point(size, peak, None, min(times))


def _fake(
    call: Call, settings: Settings, lines: Lines, device: Device | None, rounding: Rounding
) -> tuple[Peak, int]:
    function = _typed(call.function(), settings)
    with predicting(device) as fake:
        module = function if isinstance(function, torch.nn.Module) else getattr(function, "__self__", None)
        if isinstance(module, torch.nn.Module):
            emptied(module, fake)
        step = _step(call, settings, "cpu", function)
        if step.optimizer is not None:
            _warm_up(step)
        ledger = Ledger(lines, rounding)
        peak = run(step, ledger)
    assert peak is not None
    return peak, reserved(ledger.allocations)


def _on_gpu(call: Call, size: int, settings: Settings) -> Point:
    step = _step(call, settings, "cuda")
    seen = gpu.measure(lambda: _warm_up(step), settings.repeats)
    kinds = dict.fromkeys(KINDS, 0)
    kinds["parameters"] = sum(one.numel() * one.element_size() for one in step.parameters)
    kinds["temporary"] = seen.allocated - kinds["parameters"]
    return Point(size, Peak(seen.allocated, "", kinds, {}), seen.reserved, seen.seconds)


def _step(call: Call, settings: Settings, device: str, function: Any = None) -> Step:
    if function is None:
        function = _typed(call.function(), settings)
    module = function if isinstance(function, torch.nn.Module) else getattr(function, "__self__", None)
    if not isinstance(module, torch.nn.Module):
        module = None
    if module is not None and device != "cpu":
        module.to(device)
    if module is not None:
        module.train(settings.train)
    dtype = FLOATS[settings.dtype]
    return Step(
        function,
        lambda: call.inputs(device, None if dtype is torch.float32 else dtype, settings.train),
        module,
        _optimizer(settings.optimizer, module) if settings.train else None,
        settings.train,
    )


def _typed(function: Any, settings: Settings) -> Any:
    module = function if isinstance(function, torch.nn.Module) else getattr(function, "__self__", None)
    if settings.dtype != "f32" and isinstance(module, torch.nn.Module):
        module.to(FLOATS[settings.dtype])
    return function


def _optimizer(name: str, module: torch.nn.Module | None) -> torch.optim.Optimizer | None:
    parameters = [] if module is None else [one for one in module.parameters() if one.requires_grad]
    if not parameters or name == "none":
        return None
    if name == "sgd":
        return torch.optim.SGD(parameters, lr=0.0, momentum=0.9)
    return torch.optim.Adam(parameters, lr=0.0) if name == "adam" else torch.optim.AdamW(parameters, lr=0.0)


def _warm_up(step: Step) -> None:
    """Runs one uncounted step, which creates the optimizer's state and the module's caches."""
    run(step)
    clear(step)


def _said(error: Exception) -> str:
    text = str(error).strip().splitlines()
    if type(error).__name__ in ("DataDependentOutputException", "DynamicOutputShapeException"):
        return "depends on the values of tensors, which a prediction does not have: use --method cpu"
    first = text[0].partition(" Hint:")[0] if text else ""
    if "can't allocate memory" in str(error) or isinstance(error, (MemoryError, torch.OutOfMemoryError)):
        return "out of memory"
    return f"{type(error).__name__}: {first}"[:300]


def said_size(size: int) -> str:
    """Returns the size in words: `at S = 256`, or `on these inputs`."""
    return f"at S = {size}" if size else "on these inputs"


def relative(line: Line | None) -> str:
    """Returns a line as `model.py:12`, relative to the working directory if it is below that."""
    if line is None:
        return "elsewhere"
    return f"{shown(line[0])}:{line[1]}"
