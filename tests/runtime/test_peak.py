"""The peak of live bytes agrees with PyTorch's profiler, and each byte of it has a kind and a line."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile

from inplace_lint.runtime.inputs import given
from inplace_lint.runtime.peak import Ledger, Lines, Peak, Step, run
from inplace_lint.runtime.peak.step import clear

from . import models

ATTENTION = "dim=64, x=f32[2,256,64]"


def step_of(target: Any, inputs: str, train: bool = True) -> Step:
    call = given(target, inputs)
    function = call.function()
    module = function if isinstance(function, nn.Module) else None
    return Step(function, lambda: call.inputs(grad=train), module, train=train)


def counted(step: Step) -> Peak:
    run(step)
    clear(step)
    peak = run(step, Ledger(Lines((models.__file__,))))
    clear(step)
    assert peak is not None
    return peak


def profiled(step: Step) -> int:
    """The most that the profiler's allocations and frees of one run add up to, and what was there before."""
    run(step)
    clear(step)
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as seen:
        run(step)
    clear(step)
    events = [event for event in seen.profiler.kineto_results.events() if event.name() == "[memory]"]
    live = peak = 0
    for event in sorted(events, key=lambda event: event.start_ns()):
        live += event.nbytes()
        peak = max(peak, live)
    return peak + sum(one.numel() * one.element_size() for one in step.parameters)


@pytest.mark.parametrize(
    ("target", "inputs"),
    [
        (models.Naive, ATTENTION),
        (models.Vision, "image=f32[2,3,224,224]"),
        (models.attend, "q=f32[2,4,128,16], k=f32[2,4,256,16], v=f32[2,4,256,16]"),
    ],
    ids=["naive", "vit-tiny", "function"],
)
@pytest.mark.parametrize("train", [True, False], ids=["training", "forward"])
def test_peak_is_within_one_percent_of_the_profilers_memory_events(
    target: Any, inputs: str, train: bool
) -> None:
    step = step_of(target, inputs, train)
    assert counted(step).total == pytest.approx(profiled(step), rel=0.01)


def test_only_what_a_kernel_takes_and_gives_back_within_one_operation_is_missed() -> None:
    """The CPU's fused attention has buffers of its own, one block of queries by the keys: they grow as S."""
    missed = []
    for length in (256, 512):
        step = step_of(models.Fused, f"dim=64, x=f32[2,{length},64]")
        missed.append(profiled(step) - counted(step).total)
    assert 0 <= missed[0] <= missed[1] <= 2 * missed[0]


def test_kinds_add_up_to_the_peak_and_lines_to_what_passes_by() -> None:
    step = step_of(models.Naive, ATTENTION)
    peak = counted(step)
    assert sum(peak.kinds.values()) == peak.total
    assert sum(peak.lines.values()) == peak.kinds["kept"] + peak.kinds["temporary"]
    assert peak.kinds["parameters"] == sum(one.numel() * 4 for one in step.parameters)
    assert peak.kinds["inputs"] == 2 * 256 * 64 * 4
    assert peak.phase == "backward"


def test_backward_memory_belongs_to_the_forward_line_that_needs_it() -> None:
    source, first = inspect.getsourcelines(models.Naive.forward)
    softmax = first + next(row for row, line in enumerate(source) if "softmax" in line)
    line, size = next(iter(counted(step_of(models.Naive, ATTENTION)).lines.items()))
    assert line == (models.__file__, softmax)
    # Gradients of two S by S tensors, made by its backward, and the weights that it kept: at most three at once.
    assert size in (2 * 2 * 4 * 256 * 256 * 4, 3 * 2 * 4 * 256 * 256 * 4)


def test_a_view_adds_nothing_and_a_resize_is_counted() -> None:
    ledger = Ledger(Lines())
    with ledger:
        one = torch.zeros(1000)
        _ = one.view(10, 100).transpose(0, 1)[3:]
        assert ledger.curve[-1] == 4000
        one.untyped_storage().resize_(8000)
        one.resize_(2000)
        one.add_(1)
        assert ledger.curve[-1] == 8000
        del one, _
    assert ledger.curve[-1] == 0


def test_what_an_inplace_activation_saves_is_seen() -> None:
    def inplace(x: torch.Tensor) -> torch.Tensor:
        return torch.relu_(x * 2)

    def outofplace(x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x * 2)

    size = 1000 * 4
    inputs = "x=f32[1000]"
    first, second = (counted(step_of(one, inputs, train=False)).total for one in (inplace, outofplace))
    assert second - first == size


def test_optimizer_state_lasts() -> None:
    module = nn.Linear(10, 10)
    optimizer = torch.optim.AdamW(module.parameters())
    call = given(nn.Linear, "in_features=10, out_features=10, input=f32[4,10]")
    step = Step(module, call.inputs, module, optimizer)
    run(step)
    peak = run(step, Ledger(Lines()))
    assert peak is not None
    # Two averages and a step count for each of two parameters.
    assert peak.kinds["optimizer"] == 2 * 110 * 4 + 2 * 4


@pytest.mark.parametrize("length", [1, 5, 10_000])
def test_the_curve_is_short_and_holds_the_peak(length: int) -> None:
    def many(x: torch.Tensor) -> torch.Tensor:
        for _ in range(length):
            x = x + 1
        return x

    peak = counted(step_of(many, "x=f32[8]"))
    assert len(peak.curve) <= 700
    assert peak.curve[peak.top][0] == peak.total == max(live for live, _, _ in peak.curve)


def inner(function: Callable[[], Any]) -> Any:
    return function()


def test_lines_outside_of_the_roots_are_passed_over() -> None:
    ledger = Ledger(Lines((models.__file__,)))
    with ledger:
        kept = [inner(lambda: torch.zeros(3)), models.attend(*torch.ones(3, 1, 2, 2))]
    own = {one.line and one.line[0] for one in ledger.allocations}
    assert own == {None, models.__file__}
    assert kept
