"""Generators of the project: what stands under a `with`, or in a loop over one, runs where the generator yields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import calls
from .budget import DEPTH
from .values import Symbol, Unknown

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Mapping, Sequence

    from ..syntax import ir
    from .run import Run
    from .values import FunctionValue, Value


class Generator:
    """A call of a generator function, whose body is still to run."""

    __slots__ = ("args", "exact", "function", "kwargs")

    def __init__(
        self, function: FunctionValue, args: Sequence[Value], kwargs: Mapping[str, Value], exact: bool
    ) -> None:
        self.function, self.args, self.kwargs, self.exact = function, args, kwargs, exact


def writing(run: Run, value: Value, manages: bool = False) -> Generator | None:
    """The generator that a value is, if running it may write; `manages`: only of a context manager."""
    found = run.entering.generators.get(value)
    if found is None:
        return None
    source = found.function.source
    if manages and not any(
        isinstance(one, Symbol) and one.dotted == "contextlib.contextmanager"
        for one in found.function.decorated or ()
    ):
        return None
    free = run.frame.depth < DEPTH and not run.budget.is_spent() and source not in run.entering.active
    return found if free and (source in run.entering.deep or run.program.enters(source)) else None


def around(run: Run, generator: Generator, at: ast.AST, body: Callable[[Value], None]) -> None:
    """Run the generator, and, wherever it yields, the body in the frame at hand with what is yielded."""
    frame, loops = run.frame, run.loops

    def yielded(value: Value) -> None:
        inner = run.frame, run.loops
        run.frame, run.loops = frame, loops
        source = run.entering.active.pop()
        body(value)
        run.entering.active.append(source)
        run.frame, run.loops = inner

    function = generator.function
    calls.enter(run, function, generator.args, generator.kwargs, at, generator.exact, True, yielded)


def hand_over(run: Run, i: ir.Yield, on_yield: Callable[[Value], None]) -> None:
    """`yield value`, where it is known who takes it."""
    known = i.src is not None and type(i.at).__name__ == "Yield"
    on_yield(run.frame.registers[i.src] if known and i.src is not None else Unknown())
    run.frame.registers[i.dst] = Unknown()
