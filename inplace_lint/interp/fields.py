"""Decides between a method of tensors and a field of that name: `args.mode == "x"` asks for no op, `x.mode()` does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel import table
from .joins import join
from .values import Bound, Native, OpValue, Phi, Unknown

if TYPE_CHECKING:
    from .run import Run
    from .values import Value


def as_field(run: Run, value: Value) -> Value:
    """Turns a bound method used where none can stand into a field: `b.mean * 2`, `b.mode == "x"` on an unknown `b`."""
    if isinstance(value, Phi) and any(isinstance(atom, (Bound, Native)) for _, atom in value.alternatives):
        return join([(guard, as_field(run, atom)) for guard, atom in value.alternatives])
    if isinstance(value, Native) and value in run.handed.fields:
        return run.member(*run.handed.fields[value])
    if isinstance(value, Bound) and isinstance(value.func, OpValue) and not value.kwargs:
        owner = value.args[0] if len(value.args) == 1 else None
        name = value.func.op.name.rpartition(".")[2]
        if isinstance(owner, Phi) and any(isinstance(atom, Unknown) for _, atom in owner.alternatives):
            each = [(guard, Bound(value.func, [atom], {})) for guard, atom in owner.alternatives]
            return join([(guard, as_field(run, one)) for guard, one in each])
        if isinstance(owner, Unknown) and table.method(name) is value.func.op:
            return run.member(owner, name)
    return value


def as_option(run: Run, value: Value) -> Value:
    """`as_field` of what is tested: `args.data` is a field as well where nothing shows that `args` is a tensor."""
    value = as_field(run, value)
    owner, name = (None, "") if isinstance(value, Unknown) else run.handed.fields.get(value, (None, ""))
    if owner is None or (owner.tensor is not None and owner.tensor.storage.proved):
        return value
    return run.member(owner, name)
