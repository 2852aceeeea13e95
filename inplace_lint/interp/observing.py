"""Handlers of the runs that observe writes: they note where tensors go, and which reads of names a run came to.

What a run did not come to, since a flag or a table that it believes in says so, may still run in the program: there a
tensor may be kept as well (`sharing.Sharing.unread`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax import ir
from . import holding
from .execute import HANDLERS as USUAL
from .iterators import Iteration
from .sharing import atoms, held
from .slices import Slice
from .values import Constant, Instance, Mapping_, Sequence_, Tensor, Unknown

if TYPE_CHECKING:
    from .execute import Handlers
    from .run import Run


def _load(run: Run, i: ir.Load) -> None:
    run.found.came_to.add(i.at)
    USUAL[ir.Load](run, i)


def _store(run: Run, i: ir.Store) -> None:
    frame = run.frame
    scope = frame.module.tree if frame.function is None else frame.function.node
    for _, atom, _ in atoms(frame.registers[i.src]):
        tensor = held(atom)
        if isinstance(tensor, Tensor):
            run.found.bound.setdefault(tensor.storage, {})[scope, i.name.partition("@")[0]] = None
    USUAL[ir.Store](run, i)


def _call(run: Run, i: ir.Call) -> None:
    """What is called by a name that the project sets anew may keep what it gets and gives, and so may a hook."""
    called = run.live(run.frame.registers[i.func])
    USUAL[ir.Call](run, i)
    if holding.is_exchanged(run, i.at) or any(holding.is_another(run, func, i.at) for _, func in called):
        given = [place for _, place in (*i.args, *i.kwargs)]
        for register in (*given, i.dst):
            holding.stored(run, run.frame.registers[register], i.at)


def _get_attribute(run: Run, i: ir.GetAttribute) -> None:
    """A method of a container or iterator of which nothing is known may give what is in it.

    An attribute that is set anew may be another property, or another layer.
    """
    USUAL[ir.GetAttribute](run, i)
    registers = run.frame.registers
    for _, atom in run.live(registers[i.obj]):
        if isinstance(atom, Instance) and holding.is_another_part(run, atom, i.name):
            holding.stored(run, registers[i.dst], i.at)
            run.handed.exchanged.update(holding.layers(run, registers[i.dst]))
    if isinstance(registers[i.dst], Unknown):
        for _, atom in run.live(registers[i.obj]):
            if isinstance(atom, (Iteration, Mapping_, Sequence_)):
                holding.stored(run, atom, i.at)


def _get_item(run: Run, i: ir.GetItem) -> None:
    """An element at an index that is not known may be any of a list or table."""
    obj, index = run.frame.registers[i.obj], run.frame.registers[i.index]
    for _, atom in run.live(obj) if not isinstance(index, (Constant, Slice)) else ():
        if isinstance(atom, (Mapping_, Sequence_)):
            holding.stored(run, atom, i.at)
    USUAL[ir.GetItem](run, i)


def _set_item(run: Run, i: ir.SetItem) -> None:
    """A key of a table counts as the object that it is; an array may be one of objects."""
    obj, index, value = (run.frame.registers[one] for one in (i.obj, i.index, i.src))
    for _, atom in run.live(obj):
        if isinstance(atom, Mapping_):
            holding.stored(run, index, i.at)
        elif not isinstance(atom, (Sequence_, Tensor)):
            holding.stored(run, value, i.at)
    USUAL[ir.SetItem](run, i)


def _set_attribute(run: Run, i: ir.SetAttribute) -> None:
    registers = run.frame.registers
    for _, atom in run.live(registers[i.obj]):
        holding.set_on(run, atom, i.name, registers[i.src], i.at)
    USUAL[ir.SetAttribute](run, i)


def _yield(run: Run, i: ir.Yield) -> None:
    if i.src is not None:
        holding.stored(run, run.frame.registers[i.src], i.at)
    USUAL[ir.Yield](run, i)


#: The handlers of `execute`, those that matter here replaced.
HANDLERS: Handlers = {
    **USUAL,
    ir.Call: _call,
    ir.GetAttribute: _get_attribute,
    ir.Load: _load,
    ir.Store: _store,
    ir.GetItem: _get_item,
    ir.SetItem: _set_item,
    ir.SetAttribute: _set_attribute,
    ir.Yield: _yield,
}
