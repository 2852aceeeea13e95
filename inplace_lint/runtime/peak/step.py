"""Runs one training step, or one forward alone, and counts its memory in a ledger."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils._pytree import tree_iter

from .account import Peak, account
from .ledger import Ledger


@dataclass(slots=True)
class Step:
    """The step to run: `function` on the arguments that `arguments` makes for each run.

    `train`: run a backward from every result that requires grad; otherwise only a forward under no_grad.
    """

    function: Callable[..., Any]
    arguments: Callable[[], tuple[Sequence[Any], Mapping[str, Any]]]
    module: torch.nn.Module | None = None
    optimizer: torch.optim.Optimizer | None = None
    train: bool = True
    parameters: list[torch.Tensor] = field(init=False)

    def __post_init__(self) -> None:
        """Collects the module's parameters and buffers."""
        self.parameters = [] if self.module is None else [*self.module.parameters(), *self.module.buffers()]


def run(step: Step, ledger: Ledger | None = None) -> Peak | None:
    """Runs the step once; with a ledger, returns the peak."""
    if ledger is None:
        _steps(step, lambda phase: None)
        return None
    kept: list[Any] = []

    def enter(phase: str) -> None:
        if phase == "backward":
            kept.extend(ledger.alive())
        ledger.phase = phase

    ledger.hold(step.parameters, "parameters")
    if step.optimizer is not None:
        ledger.hold(_state(step.optimizer), "optimizer")
    with ledger:
        _steps(step, enter, ledger)
    return account(ledger, kept)


def _steps(step: Step, enter: Callable[[str], None], ledger: Ledger | None = None) -> None:
    enter("inputs")
    with _grad(step.train):
        args, kwargs = step.arguments()
        if ledger is not None:
            ledger.name(_tensors((args, kwargs)), "inputs")
        enter("forward")
        result = step.function(*args, **kwargs)
        del args, kwargs
        if not step.train:
            return
        # A loss that gives every result a dense gradient, as a real one would, and keeps none of them alive.
        loss = dense_loss(result)
        del result
        if loss is None:
            return
        enter("backward")
        torch.autograd.backward(loss, torch.zeros_like(loss))
        if ledger is not None:
            ledger.name((one.grad for one in step.parameters if one.grad is not None), "gradients")
        if step.optimizer is not None:
            enter("step")
            step.optimizer.step()
            if ledger is not None:
                ledger.name(_state(step.optimizer), "optimizer")
            step.optimizer.zero_grad()


def clear(step: Step) -> None:
    """Drops the gradients of the step's parameters."""
    for one in step.parameters:
        one.grad = None


def dense_loss(result: Any) -> torch.Tensor | None:
    """Returns an empty tensor whose backward gives each result that requires grad a dense gradient; None if none does.

    It has no elements, so it adds no bytes to the measurement.
    """
    needing = [one for one in _tensors(result) if one.requires_grad]
    return _Loss.apply(*needing) if needing else None  # type: ignore[no-untyped-call]  # torch: untyped


class _Loss(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, *results: torch.Tensor) -> torch.Tensor:
        # Keep shapes only: a loss that saved its inputs would add to the measured memory.
        ctx.kinds = [(one.shape, one.dtype, one.device) for one in results]
        return results[0].new_zeros(0)

    @staticmethod
    def backward(ctx: Any, *_: torch.Tensor) -> Any:
        return tuple(torch.ones(shape, dtype=dtype, device=device) for shape, dtype, device in ctx.kinds)


@contextlib.contextmanager
def _grad(train: bool) -> Iterator[None]:
    with torch.set_grad_enabled(train):
        yield


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    return (one for one in tree_iter(value) if isinstance(one, torch.Tensor))


def _state(optimizer: torch.optim.Optimizer) -> Iterator[torch.Tensor]:
    return _tensors([list(state.values()) for state in optimizer.state.values()])
