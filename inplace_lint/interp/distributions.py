"""Models `torch.distributions`: samples carry no graph; densities depend on the distribution's parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel.spelling import COMPUTED, DRAWN
from . import external_modules
from .graph import Node
from .storage import NEVER, strongest
from .values import Native, Unknown

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping, Sequence

    from .run import Run
    from .values import Value


def made(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Unknown:
    """A distribution with these parameters, and with the methods that sample it and compute densities."""
    found = external_modules.result_of(run, args, kwargs)
    parameters = [*args, *kwargs.values()]

    def computed(run: Run, given: Sequence[Value], named: Mapping[str, Value], at: ast.AST) -> Value:
        return _computed(run, [*parameters, *given, *named.values()], at)

    slots = run.bottom().slots
    for name in DRAWN:
        slots[(found, "member", name)] = Native(_drawn)
    for name in COMPUTED:
        slots[(found, "member", name)] = Native(computed)
    return found


def _drawn(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """A sample of a distribution: no gradient flows from it to the parameters."""
    return run.new_tensor("result", NEVER, at)


def _computed(run: Run, sources: Sequence[Value], at: ast.AST) -> Value:
    """A new tensor that is computed from all tensors in `sources`."""
    result = run.new_tensor("result", NEVER, at)
    result.contiguous = result.dense = False
    if run.grad not in ("on", "unknown"):
        return result
    tensors = [found for source in sources for found in run.tensors_within(source)]
    grads = strongest(found for guard, tensor in tensors for found in run.heap.gradients(tensor, guard))
    if grads:
        node = Node([edge for guard, tensor in tensors for edge in run.heap.nodes(tensor, guard)])
        run.heap.results_in(result.storage, run.path, node, grads)
        result.storage.evidence = tuple(t.graph for guard, t in tensors if run.heap.gradients(t, guard))
    return result
