"""Models what a Lightning module inherits for training by hand: `self.optimizers()` and `self.manual_backward(loss)`.

Source: Lightning's "Manual Optimization". What `configure_optimizers` returns is one optimizer, a list of them, a dict
with an optimizer, or a pair of lists, of optimizers and of schedulers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import containers, lookup, methods
from .values import Bound, FunctionValue, Instance, Mapping_, Native, Optimizer, Sequence_, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .run import Run
    from .values import Value


def method(run: Run, obj: Instance, name: str) -> Value | None:
    """The method of this name that a class derived from `LightningModule` inherits; None for all others."""
    model = _METHODS.get(name)
    if model is None or not any(
        base.rpartition(".")[2] == "LightningModule" for base in obj.cls.external_bases()
    ):
        return None
    return Native(lambda run, args, kwargs, at: model(run, obj, args, kwargs))


def _manual_backward(run: Run, obj: Instance, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    loss = args[0] if args else kwargs.get("loss", Unknown())
    rest = {key: value for key, value in kwargs.items() if key != "loss"}
    return methods.backward(run, [loss], args[1:], rest)


def _optimizers(run: Run, obj: Instance, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    maker = lookup.find(run, obj.cls.order(), "configure_optimizers")
    known = run.state.get((obj, "optimizers()"))
    if known is not None or not isinstance(maker, FunctionValue):
        return known or Unknown()
    made = run.settled(run.call(Bound(maker, [obj], {}), [], {}, maker.source.node))
    found = _of(run, made)
    if isinstance(found, Sequence_) and containers.length(run, found) == 1:
        found = run.elements(found)[0]
    run.bottom().slots[(obj, "optimizers()")] = found
    return found


def _of(run: Run, made: Value) -> Value:
    """The optimizers in what `configure_optimizers` returned."""
    if isinstance(made, Mapping_):
        return run.state.get((made, ("key", "optimizer"))) or Unknown()
    if isinstance(made, Sequence_):
        each = run.elements(made)
        if each and isinstance(each[0], Sequence_):
            return each[0]
        return containers.make(run, "list", [_of(run, one) for one in each])
    return made if isinstance(made, (Optimizer, Instance)) else Unknown()


_METHODS: dict[str, Callable[[Run, Instance, Sequence[Value], Mapping[str, Value]], Value]] = {
    "manual_backward": _manual_backward,
    "optimizers": _optimizers,
}
