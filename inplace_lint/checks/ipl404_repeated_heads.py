"""IPL404: k and v are repeated for grouped queries where enable_gqa says it."""

from __future__ import annotations

from .attention import Replacement, argument, calls, diagnostic, instead, label, more

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..attention.find import Seen
    from ..model import Diagnostic
    from ..syntax.module import Module

CODE = "IPL404"


def check(module: Module, seen: Seen) -> list[Diagnostic]:
    from ..attention.kernel import repeated
    from ..attention.spell import SUM, Speller, Unspellable

    found = []
    for moment in calls(seen, "sdpa"):
        call, term = moment.at, moment.term
        key, value = repeated(seen.shapes, term.args[1]), repeated(seen.shapes, term.args[2])
        if key is None or value is None or term.args[7] is not None:
            continue
        fix, refused = None, seen.target.lacks("enable_gqa")
        nodes = argument(call, 1, "key"), argument(call, 2, "value")
        try:
            speller = Speller(seen.evaluation, moment)
            texts = speller.text(key, SUM), speller.text(value, SUM)
            if refused is not None or None in nodes or speller.moved:
                raise Unspellable
            edits = [instead(module, node, text) for node, text in zip(nodes, texts) if node is not None]
            fix = Replacement(
                "safe",
                "hand over k and v as they are, with `enable_gqa=True` (torch 2.5 or newer)",
                (*edits, more(module, call, "enable_gqa=True")),
            )
        except Unspellable:
            refused = refused or "k and v as they were before have no name where the kernel is called"
        labels = (
            *label("alias", "k is copied for every head of its group", term.args[1]),
            *label("alias", "v is copied for every head of its group", term.args[2]),
        )
        found.append(
            diagnostic(
                module,
                CODE,
                "warning",
                call,
                "k and v are repeated to the number of query heads",
                "`enable_gqa=True` reads each head of k and v for its group of queries, without the copies",
                "pass k and v as they are, with `enable_gqa=True` (torch 2.5 or newer)",
                labels,
                plan=fix,
                refused=refused,
            )
        )
    return found
