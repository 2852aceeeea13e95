"""Decides which calls of unknown values are pure: with the same arguments they answer the same, so tests correlate.

`if args.name.startswith("x"):` is one test wherever a function asks it, and `torch.cuda.is_available()` is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel.spelling import OF_SHAPES, QUESTIONS
from . import containers
from .values import Bound, OpValue, Sequence_, Symbol, Tensor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .run import Run
    from .values import Value

#: Functions of Python that compute a value from their arguments, and questions about the machine and the process group.
_FUNCTIONS = QUESTIONS.union(
    (
        f"builtins.{name}"
        for name in "abs all any callable float hasattr int isinstance len max min round str sum".split()
    ),
    ("builtins.type", "os.environ.get", "os.getenv"),
)
_MUTABLE = frozenset(name for kind in (list, dict, set) for name in dir(kind))
#: Methods that only strings have.
_OF_TEXTS = frozenset(name for name in dir(str) if not name.startswith("__")) - _MUTABLE
#: Methods by which an unknown list, set or dict changes.
_CHANGES = frozenset(
    "append appendleft extend insert pop popleft popitem remove clear sort reverse add discard update "
    "setdefault".split()
)


def answer(run: Run, func: Value, args: Sequence[Value], kwargs: Mapping[str, Value], value: Value) -> Value:
    """The value of a call, the same for the same arguments if the call is pure; notes what a call changes."""
    receiver: list[Value] = []
    name = ""
    if isinstance(func, Symbol):
        name = func.dotted if func.dotted in _FUNCTIONS else ""
    elif isinstance(func, Bound) and isinstance(func.func, OpValue):
        name, receiver = func.func.op.name.rpartition(".")[2], [*func.args]
    elif func in run.handed.fields:
        owner, name = run.handed.fields[func]
        receiver = [owner]
    if name in _CHANGES:
        for one in receiver:
            run.changed(one)
    known = bool(args) if name == "get" else name in _OF_TEXTS or name in OF_SHAPES
    if not name or (receiver and not known):
        return value
    given = [part for one in (*receiver, *args, *kwargs.values()) for part in _parts(run, one)]
    return run.computed(value, (name, *kwargs, len(given)), given, name in OF_SHAPES)


def _parts(run: Run, value: Value) -> Sequence[Value]:
    """The elements of a tuple, such as the classes that `isinstance` is given; any other value itself."""
    if isinstance(value, Tensor) and value.storage.value is not None and value.storage.value.tensor is value:
        return [value.storage.value]
    found = containers.items(run, value) if isinstance(value, Sequence_) and value.kind == "tuple" else None
    return [value] if found is None else found
