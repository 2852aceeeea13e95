"""Checks that a rewrite changes nothing but the attention: no write, call or binding may get lost or move past it.

The kernel reads q, k, v and the mask where the last product stood, and saves them and its result for backward. An
in-place write to one of them afterwards may therefore fail in backward although the original code worked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..model import Refused
from ..syntax.nodes import end_of, start_of
from .aliases import bases
from .frames import are_apart
from .labels import inside_of
from .layout import is_laid_as
from .terms import Term, parts
from .tree import contains, has_walrus, is_pure

if TYPE_CHECKING:
    import ast

    from .find import Seen
    from .frames import Moment, Sink
    from .graph import Graph
    from .plan import Plan
    from .removal import Removal


def check(plan: Plan, gone: Removal) -> None:
    """Raises Refused if the rewrite would lose an effect or change what one of them sees."""
    anchor = plan.moment
    assert anchor is not None
    since = anchor.order
    if gone.loop is not None:  # a write earlier in the loop body happens again, after the kernel call
        since = min(since, plan.graph.loops.get(id(gone.loop), 0))
    _changed_afterwards(plan, since)
    _objects_between(plan, anchor)
    _written_between(plan, anchor)
    _lost(plan, gone)


def _changed_afterwards(plan: Plan, since: int) -> None:
    """Raises Refused if a tensor that the kernel saves is written in place after the kernel call."""
    site, fresh, anchor = plan.site, plan.graph.fresh, plan.moment
    assert anchor is not None
    added = [mask.term for mask in site.scores.masks if mask.kind == "add"]
    for what, terms in (
        ("q, k or v", [one.term for one in (site.query, site.key, site.value)]),
        ("the result", [site.result]),
        ("the mask", added),
    ):
        memory = {base for term in terms for base in bases(term, fresh)}
        for effect in plan.graph.effects:
            if effect.kind != "write" or effect.order < since:
                continue
            if since == anchor.order and are_apart(effect.conditions, anchor.conditions):
                continue  # on the other arm of a condition, outside of any loop
            if not memory.isdisjoint(bases(effect.term, fresh)):
                raise Refused(
                    f"{what} is written in place on line {_row(effect)}, and the kernel keeps it for backward"
                )


def check_callers(found: list[Seen]) -> None:
    """Refuses plans whose returned result a caller writes in place; names a difference if callers may be unseen."""
    having: dict[ast.AST | None, dict[Seen, None]] = {}
    for seen in found:
        for moment in seen.graph.moments:
            having.setdefault(moment.at, {})[seen] = None
    for seen in found:
        for plan in seen.plans:
            if plan.refused is not None:
                continue
            callers = [other for other in having.get(plan.anchor, ()) if other is not seen]
            _lay_out(plan, callers)
            if not _is_handed_out(plan):
                continue
            if any(_writes_what_is_kept(other.graph, plan) for other in callers):
                plan.refused = "a caller writes in place what the kernel keeps for backward"
            elif not callers or not _is_private(plan):
                plan.differences.append(
                    "the kernel keeps its result for backward: a caller must not write it in place"
                )


def _lay_out(plan: Plan, callers: list[Seen]) -> None:
    """Adds `.contiguous()` if a caller calls `view` on the returned result; names a difference for unseen callers."""
    graph, result = plan.graph, plan.site.result
    returned = [one.term for one in graph.sinks if one.kind == "return"]
    if not any(is_laid_as(one, result, graph.fresh, reshaped=False) for one in returned):
        return
    for caller in callers:
        made = {moment.term for moment in _values_at(caller, plan)}
        viewed = [term for _, term, _ in caller.graph.viewed]
        if any(is_laid_as(term, one, caller.graph.fresh) for term in viewed for one in made):
            if not plan.after.endswith(".contiguous()"):
                plan.after += ".contiguous()"
            return
    if not callers or not _is_private(plan):
        plan.differences.append(
            "the kernel lays its result out in its own way: a caller must not call `view` on it"
        )


def _is_private(plan: Plan) -> bool:
    """Whether the function's name says that only its own file calls it."""
    name = plan.graph.root.name
    return name.startswith("_") and not name.startswith("__")


def _is_handed_out(plan: Plan) -> bool:
    graph = plan.graph
    # A module's result is assumed to be new, although the module may be an nn.Identity.
    fresh = graph.fresh | {t for t in graph.terms.all() if t.op == "call" and t.args[0].op == "attr"}
    return any(sink.kind == "return" and plan.site.result in bases(sink.term, fresh) for sink in graph.sinks)


def _values_at(seen: Seen, plan: Plan) -> list[Moment]:
    """The plan's product as evaluated in a caller's value graph."""
    return [moment for moment in seen.graph.moments if moment.at is plan.anchor]


def _writes_what_is_kept(graph: Graph, plan: Plan) -> bool:
    """Whether a caller writes, after the product, to the result or to a value that the product is computed from."""
    for moment in graph.moments:
        if moment.at is not plan.anchor:
            continue
        memory: set[Term] = set()
        for term in parts(moment.term, "call", "size", "shape"):
            memory |= bases(term, graph.fresh)
        for effect in graph.effects:
            later = effect.kind == "write" and effect.order >= moment.order
            if later and not memory.isdisjoint(bases(effect.term, graph.fresh)):
                return True
    return False


def _objects_between(plan: Plan, anchor: Moment) -> None:
    """Raises Refused if a call between the products may set an attribute that the rewrite reads later than before."""
    graph = plan.graph
    if not plan.attributes:
        return
    first = min((m.order for m in graph.moments if m.term is plan.site.product), default=anchor.order)
    for effect in graph.effects:
        if (
            effect.kind == "call"
            and first <= effect.order < anchor.order
            and _is_given_an_object(effect.term)
        ):
            raise Refused(f"what is called on line {_row(effect)} may set an attribute that the call reads")


def _written_between(plan: Plan, anchor: Moment) -> None:
    """Raises Refused if an attribute is written after a mask or factor was made of it, before the kernel reads it."""
    graph, steps = plan.graph, plan.site.scores.steps
    writes = [one for one in graph.effects if one.kind == "write" and one.order < anchor.order]
    for step in steps[1:] if writes else ():
        if step.at is None or step.function is not graph.root:
            continue
        others = [one for one in step.operands if one not in steps]
        read = {one for other in others for one in parts(other, "size", "shape") if one.op == "attr"}
        held = {base for one in read for base in bases(one, graph.fresh)}
        for effect in writes:
            later = start_of(effect.site) >= end_of(step.at)
            if later and not held.isdisjoint(bases(effect.term, graph.fresh)):
                raise Refused(f"what the scores are masked or scaled by is written on line {_row(effect)}")


def _is_given_an_object(call: Term) -> bool:
    func = call.args[0]
    while isinstance(func, Term) and func.op in ("attr", "member"):
        func = func.args[0]
    return func.op == "instance" or any(one.op == "instance" for one in call.operands)


def _lost(plan: Plan, gone: Removal) -> None:
    """Raises Refused if a removed statement has an effect besides computing scores and weights."""
    assert plan.anchor is not None
    if has_walrus(plan.anchor):
        raise Refused("a name is bound inside the product with the values")
    graph, site = plan.graph, plan.site
    steps = {*site.scores.steps, *site.weights.steps, *inside_of(site.softmax)}
    for effect in graph.effects:
        at = effect.site
        if not hasattr(at, "lineno") or not any(contains(one, at) for one in (*gone.statements, plan.anchor)):
            continue
        if any(contains(one, at) for one in plan.moved) or (effect.depth == 0 and _is_said(effect, gone)):
            continue
        if effect.kind == "write" and all(
            base in steps or _is_own(base, effect, graph) for base in bases(effect.term, graph.fresh)
        ):
            continue
        if effect.kind == "call" and effect.depth == 0 and is_pure(effect.at):
            continue
        raise Refused(f"line {at.lineno} does something besides computing the attention")


def _is_own(base: Term, effect: Sink, graph: Graph) -> bool:
    """Whether the write is made by a helper, to a value that a helper computed itself."""
    made = base.function
    return (
        effect.depth > 0 and made is not None and made is not graph.root and base.op not in ("param", "attr")
    )


def _is_said(effect: Sink, gone: Removal) -> bool:
    """Whether the effect is a print whose removal the plan already reports as a difference."""
    return effect.kind == "print" and any(contains(one, effect.at) for one in gone.said)


def _row(effect: Sink) -> int:
    return int(getattr(effect.at, "lineno", 0))
