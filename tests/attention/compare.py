"""Runs a program and its rewritten form in torch: outputs, gradients, and tensors of the scores' size."""

from __future__ import annotations

import contextlib
import io
from dataclasses import dataclass
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from inplace_lint.attention.find import find
from inplace_lint.attention.plan import Plan
from inplace_lint.attention.rewrite import fix
from inplace_lint.interp.program import Program
from inplace_lint.model import Edit
from inplace_lint.project import Project
from inplace_lint.syntax.module import Module

from .forms import Form

TOLERANCE = 1e-10


def plans(source: str, filename: str = "form.py") -> list[Plan]:
    """The attentions that are found in a program."""
    module = Module(filename, source.encode())
    program = Program(Project())
    program.files.add(module)
    return [plan for seen in find(program, module) for plan in seen.plans]


def applied(source: str, made: tuple[Edit, ...]) -> str:
    """The text with the edits made."""
    starts = [0]
    for line in source.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    for edit in sorted(made, key=lambda edit: edit.location.key(), reverse=True):
        place = edit.location
        start = starts[place.row - 1] + place.column - 1
        end = min(starts[place.end_row - 1] + place.end_column - 1, len(source))
        source = source[:start] + edit.content + source[end:]
    return source


def rewritten(source: str, plan: Plan) -> str:
    return applied(source, fix(plan).edits(source))


class _Kernel(TorchFunctionMode):
    """Marks what runs inside the fused kernel, and counts its calls."""

    def __init__(self) -> None:
        super().__init__()
        self.inside, self.calls = 0, 0

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is not torch.nn.functional.scaled_dot_product_attention:
            return func(*args, **(kwargs or {}))
        self.inside, self.calls = self.inside + 1, self.calls + 1
        try:
            return func(*args, **(kwargs or {}))
        finally:
            self.inside -= 1


class _Sizes(TorchDispatchMode):
    """Counts results as large as all scores, outside of the kernel."""

    def __init__(self, kernel: _Kernel, size: int, last: set[int]) -> None:
        super().__init__()
        self.kernel, self.size, self.last, self.found = kernel, size, last, 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        if not self.kernel.inside:
            for one in out if isinstance(out, (tuple, list)) else (out,):
                if isinstance(one, torch.Tensor) and one.dim() > 1 and one.numel() >= self.size:
                    self.found += set(one.shape[-2:]) <= self.last
        return out


@dataclass
class Run:
    """What a run gave."""

    output: torch.Tensor
    gradients: dict[str, torch.Tensor]
    scores: int
    kernel_calls: int


def run(source: str, seed: int, inputs: list[Any], size: int, last: set[int], train: bool) -> Run:
    """One forward and backward of the program's `Block`, the same weights for the same seed."""
    space: dict[str, Any] = {}
    exec(compile(source, "form", "exec"), space)
    torch.manual_seed(seed)
    block = space["Block"]().double().train(train)
    given = [one.clone().requires_grad_() if _is_float(one) else one for one in inputs]
    kernel = _Kernel()
    torch.manual_seed(seed + 1)
    with contextlib.redirect_stdout(io.StringIO()), kernel, _Sizes(kernel, size, last) as sizes:
        output = block(*given)
    (output * torch.linspace(-1, 1, output.numel(), dtype=output.dtype).view(output.shape)).sum().backward()
    gradients = {name: p.grad for name, p in block.named_parameters() if p.grad is not None}
    gradients |= {
        f"input {i}": one.grad for i, one in enumerate(given) if _is_float(one) and one.grad is not None
    }
    return Run(output.detach(), gradients, sizes.found, kernel.calls)


def offered(text: str) -> list[tuple[Plan, str]]:
    """Each fix that is offered on a program, with the program that it makes."""
    return [(plan, rewritten(text, plan)) for plan in plans(text) if plan.refused is None]


def wrong(form: Form, text: str, fixed: list[tuple[Plan, str]], number: int) -> str | None:
    """How one of the fixes of a program, which may do anything, differs from it; "" where it never runs."""
    ran = False
    modes = (False,) if _draws_elsewhere(text) else (True, False)
    for train, kind in ((train, kind) for train in modes for kind in ("mask", "empty rows", "no mask")):
        given = inputs(form, number, kind == "empty rows")
        if kind == "no mask":
            given = None if given[2] is None else [*given[:2], None]
        one = None if given is None else _tried(text, given, train)
        if given is None or isinstance(one, str) or one is None or not _is_finite(one):
            continue
        ran = True
        for plan, rewriting in fixed:
            other = _tried(rewriting, given, train)
            if any(
                ("every key" in words and (kind == "empty rows" or "mask = " in text))
                or ("no more than the scores" in words and "squeeze(0)" in text + rewriting)
                or ("one dtype" in words and ".float()" in text)
                for words in plan.differences
            ):
                continue  # the difference that the plan names
            why = other if isinstance(other, str) else f"differs by {worst(one, other)}"
            if isinstance(other, str) or not worst(one, other) < 10 * TOLERANCE:
                return f"{plan.applicability}, {kind}, train={train}: {why} {plan.differences}\n{text}\n{rewriting}"
    return None if ran else ""


def _draws_elsewhere(text: str) -> bool:
    """Whether a program draws random numbers besides one dropout: it would see in which order they are drawn."""
    calls = [text.count(f"{name}(") for name in ("dropout", "self.drop", "self._weights", "self._attention")]
    return "seed" in text or "rand(" in text or calls[0] + calls[1] > 1 or max(calls[2:]) > 1


def _is_finite(one: Run) -> bool:
    return all(bool(torch.isfinite(t).all()) for t in (one.output, *one.gradients.values()))


def _tried(source: str, inputs: list[Any], train: bool) -> Run | str:
    """Two forwards, for what the first may leave behind, and one backward; what is raised."""
    try:
        space: dict[str, Any] = {}
        exec(compile(source, "form", "exec"), space)
        torch.manual_seed(1)
        block = space["Block"]().double().train(train)
        given = [one.clone().requires_grad_() if _is_float(one) else one for one in inputs]
        given = [one if one is None or _is_float(one) else one.clone() for one in given]
        outputs = []
        with contextlib.redirect_stdout(io.StringIO()):
            for seed in (2, 3):
                torch.manual_seed(seed)
                outputs.append(block(*given).flatten())
        output = torch.cat(outputs)
        if output.requires_grad:
            (output * torch.linspace(-1, 1, output.numel(), dtype=output.dtype)).sum().backward()
    except Exception as error:
        return f"raises {error!r}"[:300]
    gradients = {name: p.grad for name, p in block.named_parameters() if p.grad is not None}
    gradients |= {str(i): one.grad for i, one in enumerate(given) if _is_float(one) and one.grad is not None}
    return Run(output.detach(), gradients, 0, 0)


def _is_float(one: object) -> bool:
    return isinstance(one, torch.Tensor) and one.is_floating_point()


def worst(one: Run, other: Run) -> float:
    """The largest difference between outputs and gradients, relative to their size."""
    if one.gradients.keys() != other.gradients.keys():
        return float("inf")
    pairs = [(one.output, other.output)]
    if any(a.shape != b.shape for a, b in pairs):
        return float("inf")
    pairs += [(one.gradients[name], other.gradients[name]) for name in one.gradients]
    pairs = [(a.double(), b.double()) for a, b in pairs]
    return max(float((a - b).abs().max() / max(1.0, float(a.abs().max()))) for a, b in pairs)


def inputs(form: Form, seed: int, empty_rows: bool = False) -> list[Any]:
    """`x`, `context`, and a mask that keeps at least one key of each row (or, where asked, none of some)."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(2, 6, 24, generator=generator, dtype=torch.float64)
    y = torch.randn(2, 9, 24, generator=generator, dtype=torch.float64)
    keys = 9 if form.cross else 6
    mask = torch.rand(2, 1, 6, keys, generator=generator) > 0.3
    mask[..., 0] = True
    if empty_rows:
        mask[0, :, 2] = False
    return [x, y, None if form.layout in ("merged", "single") else mask]


def problem(form: Form, text: str, seed: int) -> str | None:
    """What is wrong with the fix of a form, or None. A refused fix is right."""
    (plan,) = plans(text)
    if plan.refused is not None:
        return None
    fixed = rewritten(text, plan)
    keys = 9 if form.cross else 6
    size = (2 if form.layout == "single" else 6) * 6 * keys
    for train in (True, False):
        for empty in (False, True):
            given = inputs(form, seed, empty)
            one = run(text, seed, given, size, {6, keys}, train)
            if not all(torch.isfinite(t).all() for t in (one.output, *one.gradients.values())):
                continue  # the original gives NaN where a row is fully masked
            other = run(fixed, seed, given, size, {6, keys}, train)
            if empty and any("every key" in words for words in plan.differences):
                continue  # the difference that the plan names
            if not worst(one, other) < TOLERANCE:
                return f"differs by {worst(one, other)} (train={train}, empty={empty}):\n{fixed}"
            if other.scores or other.kernel_calls != 1:
                return f"{other.scores} tensors of the scores' size, {other.kernel_calls} calls:\n{fixed}"
    return None
