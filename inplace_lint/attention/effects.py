"""What a rewrite would change besides the attention: writes and calls that lie between, or in what goes.

The kernel reads q, k, v and the mask where the last product stood, and keeps them and its result for backward.
"""

from __future__ import annotations

from ..model import Refused
from .aliases import bases
from .terms import Term
from .tree import contains, has_walrus, is_pure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .find import Seen
    from .frames import Moment, Sink
    from .plan import Plan
    from .removal import Removal


def check(plan: Plan, gone: Removal) -> None:
    """Raises Refused where the program would do something else."""
    anchor = plan.moment
    assert anchor is not None
    _changed_afterwards(plan, anchor, gone.repeated)
    _objects_between(plan, anchor)
    _lost(plan, gone)


def _changed_afterwards(plan: Plan, anchor: Moment, repeated: bool) -> None:
    """Whether something that the kernel keeps is written before its backward; in a loop, by the next round."""
    site, fresh = plan.site, plan.evaluation.fresh
    added = [mask.term for mask in site.scores.masks if mask.kind == "add"]
    for what, terms in (
        ("q, k or v", [one.term for one in (site.query, site.key, site.value)]),
        ("the result", [site.result]),
        ("the mask", added),
    ):
        memory = {base for term in terms for base in bases(term, fresh)}
        for effect in plan.evaluation.effects:
            if effect.kind != "write" or (effect.order < anchor.order and not repeated):
                continue
            if not memory.isdisjoint(bases(effect.term, fresh)):
                raise Refused(
                    f"{what} is written in place on line {_row(effect)}, and the kernel keeps it for backward"
                )


def check_callers(found: list[Seen]) -> None:
    """Name the difference where the result is handed to a caller as it is, who may write it in place."""
    for seen in found:
        root = seen.evaluation.root
        for plan in seen.plans:
            if plan.refused is not None or not _is_handed_out(plan):
                continue
            known = [term for other in found for term in _values_at(other, plan) if other is not seen]
            if any(
                not bases(effect.term, other.evaluation.fresh).isdisjoint(known)
                for other in found
                for effect in other.evaluation.effects
                if effect.kind == "write"
            ):
                plan.refused = "a caller writes the result in place, and the kernel keeps it for backward"
            elif not known or not root.name.startswith("_") or root.name.startswith("__"):
                plan.differences.append(
                    "the kernel keeps its result for backward: a caller must not write it in place"
                )


def _is_handed_out(plan: Plan) -> bool:
    fresh = plan.evaluation.fresh
    return any(
        sink.kind == "return" and plan.site.result in bases(sink.term, fresh)
        for sink in plan.evaluation.sinks
    )


def _values_at(seen: Seen, plan: Plan) -> list[Term]:
    """What the plan's product is in the evaluation of a caller."""
    return [m.term for m in seen.evaluation.moments if m.at is plan.anchor]


def _objects_between(plan: Plan, anchor: Moment) -> None:
    """Whether a call between the products may set an attribute that the rewrite reads later than it was read."""
    evaluation = plan.evaluation
    if not plan.attributes:
        return
    first = min((m.order for m in evaluation.moments if m.term is plan.site.product), default=anchor.order)
    for effect in evaluation.effects:
        if (
            effect.kind == "call"
            and first <= effect.order < anchor.order
            and _is_given_an_object(effect.term)
        ):
            raise Refused(f"what is called on line {_row(effect)} may set an attribute that the call reads")


def _is_given_an_object(call: Term) -> bool:
    func = call.args[0]
    while isinstance(func, Term) and func.op in ("attr", "member"):
        func = func.args[0]
    return func.op == "instance" or any(one.op == "instance" for one in call.operands)


def _lost(plan: Plan, gone: Removal) -> None:
    """Whether what goes does something besides computing scores and weights."""
    assert plan.anchor is not None
    if has_walrus(plan.anchor):
        raise Refused("a name is bound inside the product with the values")
    evaluation, site = plan.evaluation, plan.site
    steps = {*site.scores.steps, *site.weights.steps, site.softmax}
    for effect in evaluation.effects:
        if effect.function is not evaluation.root or not hasattr(effect.at, "lineno"):
            continue
        places = [one for one in (*gone.statements, plan.anchor) if contains(one, effect.at)]
        if not places or any(contains(node, effect.at) for node in plan.moved):
            continue
        if effect.kind == "write" and bases(effect.term, evaluation.fresh) <= steps:
            continue
        if effect.kind == "call" and is_pure(effect.at):
            continue
        raise Refused(f"line {_row(effect)} does something besides computing the attention")


def _row(effect: Sink) -> int:
    return int(getattr(effect.at, "lineno", 0))
