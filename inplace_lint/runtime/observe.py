"""Runs a block once and keeps the error it raised, its trace, and the gradients of each backward."""

from __future__ import annotations

import contextlib
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from . import graph, ready  # noqa: F401
from .guarded import Enough, for_at_most, quiet
from .immediate import is_stale
from .refused import Refused
from .snapshot import relative_error, snapshot
from .stacks import Stack
from .tracer import Trace

#: A block: called once for each run, it makes new inputs and runs. Its result is differentiated, unless it ran a
#: backward itself.
Block = Callable[[], Any]
#: The number of backwards after which a run is ended: a training loop only repeats itself.
ENOUGH = 24


@dataclass(slots=True)
class Run:
    """A run of a block: its final error, and the gradients of each backward in order (none if one was stale).

    `stale` holds the version errors of backwards, even if the block caught them; `refused` those of writes that raised
    at once, with their stacks (in a traced run); `is_cut`: its time ran out.
    """

    error: BaseException | None
    gradients: list[list[torch.Tensor]]
    stale: list[BaseException]
    trace: Trace | None = None
    refused: list[tuple[Exception, Stack]] = field(default_factory=list)
    is_cut: bool = False


def natively(block: Block, seconds: float | None = None) -> Run:
    """Runs a block as PyTorch does, with its own version check."""
    return _run(block, contextlib.nullcontext(), seconds)


def traced(block: Block, seconds: float | None = None) -> Run:
    """Runs a block under the tracer, which records every save and write and does not stop at the first hazard.

    Compiled functions run as they are written, so that each operation has a line. Whether PyTorch raises where they are
    compiled is for `natively` to say.
    """
    trace = Trace(on_hazard=None, raises=False, journal=True)
    refused = Refused()
    with contextlib.ExitStack() as around:
        # Without this module nothing has been compiled, and its import takes seconds.
        if "torch._dynamo" in sys.modules and hasattr(torch.compiler, "set_stance"):
            around.enter_context(torch.compiler.set_stance("force_eager"))
        run = _run(block, trace, seconds, refused)
    run.trace, run.refused = trace, refused.seen
    return run


def truly(block: Block, seconds: float | None = None) -> Run:
    """Runs a block with every saved tensor copied: its gradients are the true ones of the forward pass."""
    return _run(block, snapshot(), seconds)


def worst_error(run: Run, true: Run) -> float | None:
    """Returns the largest relative error of a gradient; None if the two runs had different backwards, or none.

    An error below the rounding of the gradient's dtype counts as 0.
    """
    same = len(run.gradients) == len(true.gradients) or run.is_cut or true.is_cut
    if not same or not run.gradients:
        return None
    worst = 0.0
    for given, right in zip(run.gradients, true.gradients):
        if len(given) != len(right):
            return None
        for one, other in zip(given, right):
            error = relative_error(one, other)
            rounding = (
                torch.finfo(other.dtype).eps if other.is_floating_point() or other.is_complex() else 0.0
            )
            worst = max(worst, error if error > rounding else 0.0)
    return worst


def backward_from(*values: Any) -> None:
    """Runs one backward from all tensors in `values` that require grad, each element with a different weight.

    A plain sum has a zero gradient after a softmax, and cannot tell two elements apart.
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
        # The block already ran a backward, which freed the graph.
        if "backward through the graph a second time" not in str(error):
            raise


def _run(block: Block, around: Any, seconds: float | None, beside: Any = None) -> Run:
    torch.manual_seed(0)
    random.seed(0)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(0)
    gradients: list[list[torch.Tensor]] = []
    stale: list[BaseException] = []
    error: BaseException | None = None
    is_cut = False
    before = torch.is_grad_enabled()
    beside = beside or contextlib.nullcontext()
    with warnings.catch_warnings(), journal(gradients, stale, ENOUGH) as accumulated, around, beside:
        warnings.simplefilter("ignore")
        try:
            with for_at_most(seconds), quiet():
                result = block()
                if not accumulated:
                    backward_from(result)
        except Enough as enough:
            is_cut = bool(enough.args)
        except SystemExit as leaving:
            error = leaving if leaving.code else None
        except Exception as raised:
            error = raised
        finally:
            torch.set_grad_enabled(before)
    if stale:
        gradients.clear()  # incomplete, so they cannot be compared
    return Run(error, gradients, stale, is_cut=is_cut)


@contextlib.contextmanager
def journal(
    gradients: list[list[torch.Tensor]], stale: list[BaseException], most: int | None = None
) -> Iterator[list[Any]]:
    """Records the gradients of each backward in the body: the results of `grad`, or the `.grad` of reached leaves.

    Raises `Enough` after `most` backwards. Yields a list with one entry for each backward that accumulates in leaves.
    """
    accumulated: list[Any] = []
    autograd: Any = torch.autograd
    engine = autograd._engine_run_backward

    def run(roots: Any, *args: Any, **kwargs: Any) -> Any:
        inputs = args[3] if len(args) > 3 else kwargs.get("inputs", ())
        accumulates = kwargs.get("accumulate_grad", False)
        if accumulates:
            accumulated.append(None)
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
        if most is not None and len(gradients) >= most:
            raise Enough
        return result

    autograd._engine_run_backward = run
    try:
        yield accumulated
    finally:
        autograd._engine_run_backward = engine
