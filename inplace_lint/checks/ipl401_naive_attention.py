"""IPL401: an attention that materialises its scores and weights instead of calling a fused kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .attention import diagnostic, label

if TYPE_CHECKING:
    from ..attention.find import Seen
    from ..attention.plan import Plan
    from ..model import Diagnostic
    from ..syntax.module import Module

CODE = "IPL401"

#: Part of a plan's reason: the scores are changed by more than scale and mask, so the kernel cannot replace it.
_CHANGED = "no mask expresses"
_BIAS = ("second product", _CHANGED, "L×S mask")


def check(module: Module, seen: Seen) -> list[Diagnostic]:
    return [
        _diagnostic(module, seen, plan)
        for plan in seen.plans
        if plan.site.softmax.function is not None and plan.site.softmax.function.module is module
    ]


def _diagnostic(module: Module, seen: Seen, plan: Plan) -> Diagnostic:
    from ..attention import memory
    from ..attention.rewrite import fix

    site = plan.site
    softmax = site.softmax
    assert softmax.at is not None
    labels = (
        *label("scores", "the scores: one number for each query and key", site.product),
        *label("values", "the product with the values", site.result),
    )
    caption = f"kept for backward: {memory.told(site, seen.shapes, seen.target)}"
    refused, rewrite = plan.refused, None
    severity = "warning"
    message = "this attention keeps its weights, one number for each query and key, until backward"
    help = "`F.scaled_dot_product_attention` computes the same without them"
    if site.guarded or plan.dispatched:
        severity = "note"
        refused = "a fused path stands beside this one"
        help = "this is the fallback of a path that calls the fused kernel"
    elif refused is None:
        rewrite = fix(plan)
    elif plan.needed:
        severity = "note"
        cost = f"{memory.gibibytes(2 * memory.elements(seen.target))} a tensor at {memory.at(seen.target)}"
        help = (
            f"as long as the weights are needed they cost {cost}; "
            "a softmax written into the scores' own memory saves one of them (examples/inplace_softmax.py)"
        )
    else:
        if refused in site.problems:
            help = "`F.scaled_dot_product_attention` keeps none of them, but computes softmax(scale·QKᵀ + mask)V alone"
        elif site.readers:
            help = f"where nobody asks for the weights, {help}"
        if _CHANGED in refused:
            help = "no mask says what is done to the scores: the kernel does not compute the same"
        if any(word in refused for word in _BIAS) and seen.target.lacks("flex_attention") is None:
            help = "`torch.nn.attention.flex_attention` takes a change of the scores without an L×S mask"
    return diagnostic(
        module, CODE, severity, softmax.at, message, caption, help, labels, plan=rewrite, refused=refused
    )
