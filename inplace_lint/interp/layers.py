"""Looks up how a layer of torch is configured: constructor arguments, attributes assigned since, training mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel import classes as torch_classes
from .values import Constant, Instance, Sequence_, Test, TorchModule, Value

if TYPE_CHECKING:
    from .run import Run


class EachLayer(TorchModule):
    """Stands for all layers of a kind in a large module, in code that goes over its layers and sets their options."""

    __slots__ = ("layers",)

    def __init__(self, name: str) -> None:
        super().__init__(name, {}, None, None)
        self.layers: list[TorchModule] = []


def is_module(value: Value) -> bool:
    """Whether a value is a module: of torch, of the project, or an `nn.Sequential` or `nn.ModuleList`."""
    return (
        isinstance(value, TorchModule)
        or (isinstance(value, Instance) and value.cls.is_module())
        or (isinstance(value, Sequence_) and value.kind in ("Sequential", "ModuleList"))
    )


def argument(run: Run, module: TorchModule, name: str) -> Value | None:
    """The attribute that keeps a constructor argument: as assigned, as given, or its default; None if not known."""
    if not torch_classes.keeps(module.name, name):
        return None
    given = run.state.get((module, name)) if name in module.assigned else None
    if given is None:
        given = module.config.get(name)
    default = torch_classes.default(module.name, name) if given is None else None
    return given if default is None else Constant(default[0])


def as_set(run: Run, module: TorchModule) -> TorchModule:
    """The module with the attributes that were assigned since it was built in its configuration."""
    changed = {
        name: value for name in module.assigned if (value := run.state.get((module, name))) is not None
    }
    if not changed:
        return module
    other = TorchModule(module.name, {**module.config, **changed}, module.weights, module.built)
    other.owns = module.owns
    return other


def training(run: Run) -> Constant | Test:
    """`self.training`: as `train()` or `eval()` set it, else one test for all modules, noted as that of the mode."""
    if isinstance(run.keeping.mode, Constant):
        return run.keeping.mode
    test = run.test(("training",))
    run.evaluation |= 1 << test.bit
    return test
