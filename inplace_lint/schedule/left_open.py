"""Decides, callees first, what a function that may write leaves for its callers to know: each is run once, by itself.

A function that leaves nothing writes only what it made, and its own run tells whether that is an error: no run of a
caller has to enter it. What functions of other files leave open is remembered for all files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..interp.program import Program
from ..interp.starts import run_function
from ..prefilter.text_screen import may_compute
from .callers import GRADIENTS, NO_NEED, needs, writes_what_is_kept
from .passed_over import worth_entering

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from ..interp.run import Run
    from ..prefilter.may_write import Callees
    from ..syntax.module import FunctionSource, Module


#: Functions that call each other are run one by one up to this many; more of them count as leaving something.
_TOGETHER = 8


def called_abroad(
    program: Program, module: Module, known: Collection[FunctionSource | None]
) -> dict[FunctionSource, int]:
    """The functions of other files that leave something to callers here, with what that is (`callers.needs`).

    Left out are those that only `known` functions call, which are run anyway.
    """
    if not may_compute(module):
        return {}  # it hands tensors on, if it has any
    writers = program.prefilter.writers
    asked = [
        function
        for function in writers.calls_abroad(module)
        if any(f.name != "__init__" and f not in known for f in writers.callers(module, function))
        or (None not in known and writers.is_called_at_top(module, function))
    ]
    solve(program, asked)
    return {function: need for function in asked if (need := program.prefilter.left_open[function])}


def left_by(run: Run, function: FunctionSource) -> int:
    """What a run of a function leaves to callers; if it ended before what may write, all that needs gradients."""
    owner = function.owner
    module = function.module if owner is None else owner.module  # not that of a base which has the method
    need = needs(run, module, function)
    return need or (GRADIENTS if run.found.may_lack_writes or writes_what_is_kept(run, function) else NO_NEED)


def solve(program: Program, functions: Iterable[FunctionSource]) -> None:
    """Find out what these functions and all that they call leave open, in runs that no other run has a part in."""
    prefilter = program.prefilter
    known, callees = prefilter.left_open, prefilter.writers.callees
    #: by functions that are called in one way: whether one of them leaves something
    leaving: dict[Callees, bool] = {}

    def called(node: FunctionSource | Callees) -> Iterable[FunctionSource | Callees]:
        return [f for f in node if f not in known] if isinstance(node, tuple) else callees(node)

    for group in components([f for f in functions if f not in known], called):
        members = [one for one in group if not isinstance(one, tuple)]
        if any(f in prefilter.candidates(f.module) for f in members) or any(
            leaving.get(one, False) for f in members for one in callees(f)
        ):
            # All of a group are run before what one leaves is known to the others.
            few = len(members) <= _TOGETHER
            known.update({f: _need(program, f) if few else GRADIENTS for f in members})
        else:
            known.update(dict.fromkeys(members, NO_NEED))
        leaving.update(
            (one, any(known[f] != NO_NEED for f in one)) for one in group if isinstance(one, tuple)
        )


def _need(program: Program, function: FunctionSource) -> int:
    """What a run of a function leaves open, in a program of its own."""
    other = Program(program.files.project, program.prefilter)
    other.forget_objects()
    make_known(other, [function])
    run = run_function(other, function)
    need = left_by(run, function)
    if need == NO_NEED and (deep := worth_entering(run)):
        # What it passed over may save what it writes.
        need = left_by(run_function(other, function, deep), function)
    other.close()
    return need


def make_known(program: Program, functions: Iterable[FunctionSource]) -> None:
    """Let runs know what is found out of these functions and all that they call."""
    found, callees = program.prefilter.left_open, program.prefilter.writers.callees
    seen: set[FunctionSource | Callees] = set()
    pending: list[FunctionSource | Callees] = [*functions]
    while pending:
        node = pending.pop()
        if node not in seen and node not in program.left_open:
            seen.add(node)
            pending += node if isinstance(node, tuple) else callees(node)
            if not isinstance(node, tuple) and node in found:
                program.left_open[node] = found[node]


def components(
    functions: Iterable[FunctionSource],
    callees: Callable[[FunctionSource | Callees], Iterable[FunctionSource | Callees]],
) -> Iterator[list[FunctionSource | Callees]]:
    """Yields all functions reachable through `callees`, callees first, those that call each other together (Tarjan)."""
    index: dict[FunctionSource | Callees, int] = {}
    lowest: dict[FunctionSource | Callees, int] = {}
    open_: dict[FunctionSource | Callees, None] = {}
    for start in functions:
        path: list[tuple[FunctionSource | Callees, Iterator[FunctionSource | Callees]]] = []
        if start not in index:
            path.append((start, iter(callees(start))))
        while path:
            function, rest = path[-1]
            if function not in index:
                index[function] = lowest[function] = len(index)
                open_[function] = None
            for callee in rest:
                if callee not in index:
                    path.append((callee, iter(callees(callee))))
                    break
                if callee in open_:
                    lowest[function] = min(lowest[function], index[callee])
            else:
                path.pop()
                if path:
                    caller = path[-1][0]
                    lowest[caller] = min(lowest[caller], lowest[function])
                if lowest[function] == index[function]:
                    group = []
                    while function in open_:
                        group.append(open_.popitem()[0])
                    yield group


def callees_first(program: Program, functions: Iterable[FunctionSource]) -> list[list[FunctionSource]]:
    """Functions of one file, with all that they call in it, in groups that call each other, callees first."""
    callees = program.prefilter.writers.callees

    def called(node: FunctionSource | Callees) -> Iterable[FunctionSource | Callees]:
        return callees(node) if not isinstance(node, tuple) else [f for f in node if f.module is within]

    starts = [*functions]
    within = starts[0].module if starts else None
    groups = [[one for one in group if not isinstance(one, tuple)] for group in components(starts, called)]
    return [group for group in groups if group]
