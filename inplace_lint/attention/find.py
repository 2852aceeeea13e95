"""Finds every attention of a file, makes a plan for each, and compares the plans with the callers in the file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..model import Refused
from ..prefilter import package_uses, set_elsewhere
from ..resolve.classes import heirs
from . import effects, screen
from .calls import kind_of
from .dispatch import Dispatch
from .frames import Spent, Unfollowed
from .graph_run import graph_of
from .plan import Plan, plan
from .recognise import sites
from .removal import Statements, removal
from .shapes import Shapes
from .site import Site
from .target import Target

if TYPE_CHECKING:
    from ..interp.program import Program
    from ..prefilter.other_files import OtherFiles
    from ..syntax.module import ClassSource, FunctionSource, Module
    from .frames import Moment
    from .graph import Graph
    from .terms import Term


@dataclass(slots=True, eq=False)
class Seen:
    """The result for one function: its value graph, its shapes, and a plan for each attention in it.

    If the graph comes from `led.led`, `led` holds the ids of the open kernel calls that it may report on, and `refused`
    says why they get no fix. Otherwise `led` is None, and the calls in the function's own text are reported on.
    """

    graph: Graph
    shapes: Shapes
    plans: list[Plan]
    target: Target
    led: frozenset[int] | None = None
    refused: str | None = None

    def calls(self, op: str) -> list[list[Moment]]:
        """The calls of operation `op` that are reported on, in order; for each call, one moment per distinct term."""
        found: dict[int, dict[Term, Moment]] = {}
        for moment in self.graph.moments:
            mine = moment.depth == 0 if self.led is None else id(moment.at) in self.led
            if mine and moment.term.op == op and moment.term.at is moment.at:
                found.setdefault(id(moment.at), {}).setdefault(moment.term, moment)
        return [list(ways.values()) for ways in found.values()]


#: Why a function was cut short, in the words of IPL003.
CUT = "whether it computes attention is not known, because that takes too many steps, or is nested too deeply"


def find(
    program: Program,
    module: Module,
    target: Target | None = None,
) -> list[Seen]:
    """The value graphs and attention plans of a file's functions.

    A function whose evaluation exceeds its budget is recorded in `Program.cut_short`.
    """
    target = target or Target()
    found: list[Seen] = []
    for function in screen.functions(module, program.names):
        seen = _looked_at(program, function, target)
        if isinstance(seen, Seen):
            found.append(seen)
        elif seen:
            program.cut_short.setdefault(function, seen)
    _weigh_callers(found)
    _keep_one(found)
    effects.check_callers(found)
    dispatch = Dispatch(module, program.names)
    for seen in found:
        for one in seen.plans:
            one.dispatched = one.dispatched or dispatch.offers_kernel(seen.graph.root)
    return found


def _weigh_callers(found: list[Seen]) -> None:
    """Combines the plans of one softmax: does a caller choose a kernel, and does any caller read the weights?"""
    plans: dict[int, list[Plan]] = {}
    for seen in found:
        for one in seen.plans:
            plans.setdefault(id(one.site.softmax.at), []).append(one)
    for same in plans.values():
        dispatched = any(one.site.guarded for one in same)
        callers = [one for one in same if _depth(one.site) > 0]
        unread = bool(callers) and not any(one.site.needed for one in callers)
        for one in same:
            one.dispatched = dispatched
            one.unread = unread


def _looked_at(program: Program, function: FunctionSource, target: Target) -> Seen | str:
    """The result for one function; else why it was cut short, or "" if it has something that cannot be followed."""
    try:
        graph = graph_of(program, function)
        shapes = Shapes(graph)
        plans = [plan(graph, shapes, site, target) for site in sites(graph, shapes)]
        if plans:
            statements = Statements(function)
            for one in plans:
                _complete(one, statements, program.prefilter.others)
    except Unfollowed:
        return ""
    except (Spent, RecursionError):
        return CUT
    return Seen(graph, shapes, plans, target)


def _complete(made: Plan, statements: Statements, others: OtherFiles) -> None:
    """Computes what the plan removes and which differences that makes; refuses the plan if something else needs it."""
    if made.refused is not None or made.site.guarded:
        return
    try:
        made.gone = gone = removal(made, statements)
        effects.check(made, gone)
    except Refused as reason:
        made.refused = str(reason)
        return
    module = made.graph.root.module
    files = made.graph.names.files
    overridden = _overridden(module, made)
    if overridden:
        made.refused = f"a subclass in this file has another `{overridden}`"
        return
    if package_uses.takes_second_derivatives(module, files.project):
        made.differences.append(
            "the project takes second or forward-mode derivatives, which the flash kernel lacks"
        )
    called = [one for one in made.site.weights.modules if one.op == "attr"]
    owner = made.graph.root.owner
    read = {*(one.args[1] for one in called), *made.attributes, *made.site.attributes()}
    defined = [] if owner is None else [name for name in read if made.graph.classes.defines(owner, name)]
    if owner is not None:
        set_again = set_elsewhere.line_that_sets(owner, defined, {one.args[1] for one in called})
        if set_again is not None:
            made.refused = f"`{set_again[0]}` is also set on line {set_again[1]}, for some of these objects"
            return
    anew = [
        f"`{one}`" for one in sorted({*defined, *made.graph.own_methods}) if others.may_replace(module, one)
    ]
    if anew:
        made.differences.append(f"another file may set {', '.join(anew)} anew, for some of these objects")
    for one in called:
        if package_uses.hooks_by_name(module, one.args[1]):
            made.refused = f"a hook on `{one.args[1]}` reads the scores or weights"
            return
        if package_uses.hooks_modules(module, files.project, one.args[1], kind_of(made.graph, one)):
            made.differences.append(
                f"a hook on `{one.args[1]}` is no longer called, and this project registers hooks"
            )
    for statement in gone.said:
        made.differences.append(f"what is printed or asserted on line {statement.lineno} goes with it")


def _subclasses(made: Plan) -> list[ClassSource]:
    """The classes of the file that derive from the class whose method holds the attention."""
    owner = made.graph.root.owner
    return [] if owner is None else heirs(owner)


def _overridden(module: Module, made: Plan) -> str:
    """The name of a method that the attention spans and that a subclass overrides; "" if there is none."""
    own = made.graph.own_methods
    found = sorted(
        name
        for heir in _subclasses(made)
        if made.graph.root.name not in heir.methods
        for name in own & heir.methods.keys()
    )
    return found[0] if found else ""


def _keep_one(found: list[Seen]) -> None:
    """Keeps one plan per softmax, preferably that of the function that itself contains the product with V."""
    best: dict[int, Plan] = {}
    for seen in found:
        for one in seen.plans:
            key = id(one.site.softmax.at)
            known = best.get(key)
            if known is None or _worth(one) > _worth(known):
                best[key] = one
    for seen in found:
        seen.plans = [one for one in seen.plans if best.get(id(one.site.softmax.at)) is one]


def _worth(one: Plan) -> tuple[bool, bool]:
    return (_depth(one.site) == 0, one.refused is None)


def _depth(site: Site) -> int:
    return site.moment.depth
