"""One run of a block: what it raised, what was traced, and the gradients that its backwards gave."""

from __future__ import annotations

import contextlib
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from . import graph
from .immediate import is_stale
from .snapshot import relative_error, snapshot
from .tracer import Trace

#: A block: called once for each run, it makes its inputs anew, runs, and runs backward from what came out.
Block = Callable[[], None]


@dataclass(slots=True)
class Run:
    """A run of a block: what it ended in, the errors of its backwards (the block may have caught them), and the
    gradients that each of the others gave, in order.
    """

    error: BaseException | None
    gradients: list[list[torch.Tensor]]
    stale: list[BaseException]
    trace: Trace | None = None


def natively(block: Block) -> Run:
    """As PyTorch runs it: its error is the truth."""
    return _run(block, contextlib.nullcontext())


def traced(block: Block) -> Run:
    """Under the tracer, beyond the first changed save, with every save and write noted."""
    trace = Trace(on_hazard=None, raises=False, journal=True)
    run = _run(block, trace)
    run.trace = trace
    return run


def truly(block: Block) -> Run:
    """With every saved tensor copied: the gradients are those of the forward pass that was run."""
    return _run(block, snapshot())


def worst_error(run: Run, true: Run) -> float | None:
    """The largest relative error of a gradient; None where the two runs did not go the same way."""
    if len(run.gradients) != len(true.gradients) or not run.gradients:
        return None
    worst = 0.0
    for given, right in zip(run.gradients, true.gradients):
        if len(given) != len(right):
            return None
        for one, other in zip(given, right):
            worst = max(worst, relative_error(one, other))
    return worst


def backward_from(*values: Any) -> None:
    """Runs backward from every tensor in `values` that has a history, each element with a weight of its own.

    The plain sum would have no gradient after a softmax, and cannot tell two elements apart.
    """
    total: Any = None
    seen: set[int] = set()
    for tensor in tree_leaves(values):
        if not isinstance(tensor, torch.Tensor) or not tensor.requires_grad or id(tensor) in seen:
            continue
        seen.add(id(tensor))
        if tensor.is_complex():
            tensor = torch.view_as_real(tensor)
        if tensor.layout != torch.strided:
            tensor = tensor.to_dense()
        weights = torch.cos(torch.arange(tensor.numel(), device=tensor.device)).reshape(tensor.shape)
        part = (tensor * weights.to(tensor.dtype)).sum()
        total = part if total is None else total + part.to(total.device, total.dtype)
    if total is None:
        return
    try:
        total.backward()
    except RuntimeError as error:
        # The block ran its own backward already.
        if "backward through the graph a second time" not in str(error):
            raise


def _run(block: Block, around: Any) -> Run:
    torch.manual_seed(0)
    random.seed(0)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(0)
    gradients: list[list[torch.Tensor]] = []
    stale: list[BaseException] = []
    error: BaseException | None = None
    before = torch.is_grad_enabled()
    with warnings.catch_warnings(), journal(gradients, stale), around:
        warnings.simplefilter("ignore")
        try:
            block()
        except SystemExit as leaving:
            error = leaving if leaving.code else None
        except Exception as raised:
            error = raised
        finally:
            torch.set_grad_enabled(before)
    if stale:
        gradients.clear()  # as far as they go they mean nothing
    return Run(error, gradients, stale)


@contextlib.contextmanager
def journal(gradients: list[list[torch.Tensor]], stale: list[BaseException]) -> Iterator[None]:
    """Notes the gradients of each backward: what `grad` returns, or the `.grad` of the leaves that it reached."""
    autograd: Any = torch.autograd
    engine = autograd._engine_run_backward

    def run(roots: Any, *args: Any, **kwargs: Any) -> Any:
        inputs = args[3] if len(args) > 3 else kwargs.get("inputs", ())
        accumulates = kwargs.get("accumulate_grad", False)
        leaves = [
            node.variable
            for node in graph.asked_for(tuple(roots), tuple(inputs or ()))
            if hasattr(node, "variable")
        ]
        try:
            result = engine(roots, *args, **kwargs)
        except RuntimeError as error:
            if is_stale(error):
                stale.append(error)
            raise
        found = [leaf.grad for leaf in leaves] if accumulates else list(result or ())
        with torch.no_grad():
            gradients.append(
                [
                    one.detach().clone()
                    for one in found
                    if isinstance(one, torch.Tensor) and one.layout == torch.strided
                ]
            )
        return result

    autograd._engine_run_backward = run
    try:
        yield
    finally:
        autograd._engine_run_backward = engine
