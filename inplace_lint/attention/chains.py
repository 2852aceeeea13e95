"""Traces scores back to the product QKᵀ, and weights back to the softmax, and records what each step between changes.

For `s = q @ k.mT / 8; s = s.masked_fill(m, -inf)` the chain of `s` has one factor and one mask. A step that the
kernel's arguments cannot express becomes a *problem* of the chain, with the words that the finding uses.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .calls import kind_of
from .labels import MAXIMUM, REST, maximum_of, moved, softmax_input, softmax_of_exp, swapped
from .notation import equation
from .site import Chain, Mask, Operand, united
from .terms import Term, integer, is_const, items

if TYPE_CHECKING:
    from collections.abc import Callable

    from .graph import Graph
    from .shapes import Shapes

PRODUCTS = frozenset({"matmul", "bmm", "baddbmm", "einsum"})


def _name_of(func: Term) -> str:
    """The callee as a message names it."""
    name = func.args[1] if func.op in ("attr", "member") else func.args[0] if func.args else None
    name = getattr(name, "name", name)  # of a function or class of the project
    return f"`{name}`" if isinstance(name, str) else "a function that is not known by name"


#: Steps that keep the values and at most move axes; `_CHANGED` are steps that no kernel argument can express.
_PASSED = frozenset(
    "cast contiguous clone transpose mT permute t reshape flatten unflatten squeeze unsqueeze getitem rearrange "
    "expand".split()
)
_NO_TENSOR = frozenset("attr member symbol function class instance module const size shape".split())
_CHANGED = frozenset("tanh sigmoid relu clamp exp dropout softmax normalize detach sqrt pow".split())


class Chains:
    """Computes and memoises the chains of one value graph."""

    def __init__(self, graph: Graph, shapes: Shapes) -> None:
        self.graph = graph
        self.shapes = shapes
        self._scores: dict[Term, Chain | None] = {}
        self._weights: dict[Term, Chain | None] = {}

    # Products

    def contraction(self, term: Term) -> tuple[list[Operand], tuple[str, ...]]:
        """The operands of a product with their axis labels, and the labels of the result."""
        if term.op == "einsum":
            parsed = equation(term)
            if parsed is None:
                return [], ()
            inputs, output = parsed
            pairs = enumerate(zip(term.args[1:], inputs))
            return [Operand(t, tuple(labels), number) for number, (t, labels) in pairs], tuple(output)
        a, b = (term.args[1], term.args[2]) if term.op == "baddbmm" else (term.args[0], term.args[1])
        if a is None or b is None:
            return [], ()
        if term.op in ("bmm", "baddbmm"):
            lead: tuple[str, ...] = ("b0",)
            leads = (lead, lead)
        else:
            one, other = self.shapes.rank(a), self.shapes.rank(b)
            if one is not None and other is not None and min(one, other) >= 2:
                n = max(one, other) - 2
                lead = tuple(f"b{i}" for i in range(n))
                leads = (lead[n - (one - 2) :], lead[n - (other - 2) :])
            else:
                lead = (REST,)
                leads = (lead, lead)
        return [Operand(a, (*leads[0], "m", "k")), Operand(b, (*leads[1], "k", "n"), 1)], (*lead, "m", "n")

    # From the product to the softmax

    def scores(self, term: Term | None) -> Chain | None:
        """The chain from the product QKᵀ to a value; None if the value is not derived from a product."""
        if term is None:
            return None
        if term not in self._scores:
            self._scores[term] = None
            self._scores[term] = self._find_scores(term)
        return self._scores[term]

    def _find_scores(self, term: Term) -> Chain | None:
        op = term.op
        if op in PRODUCTS:
            return self._mixed(term, self.scores) or self._product(term)
        if op in ("mul", "div"):
            return self._scaled(term)
        if op in ("add", "sub"):
            return self._added(term)
        if op == "neg":
            chain = self.scores(term.args[0])
            minus = self.graph.terms.const(-1)
            return None if chain is None else self._times(chain, term, "*", minus)
        if op in ("masked_fill", "where"):
            return self._masked(term)
        if op == "phi":
            return self._either(term)
        if op == "cat":
            return self._beside(term)
        if op in ("call", "opaque"):
            return self._through(term, self.scores, "the scores are changed by {}, which no mask expresses")
        return self._passed(term, self.scores)

    def _beside(self, term: Term) -> Chain | None:
        """Handles scores that are concatenated with other columns, such as an attention sink: a problem."""
        for part in items(term.args[0]) or ():
            chain = self.scores(part)
            if chain is not None:
                return chain.problem(term, "other columns stand beside the scores, which no mask expresses")
        return None

    def _through(self, term: Term, follow: Callable[[Term], Chain | None], words: str) -> Chain | None:
        """Handles scores or weights that pass through unknown code, a loop or a write; the axes are assumed to stay."""
        if term.op == "opaque" and not isinstance(term.args[-1] if term.args else None, str):
            return None  # the result may depend on its operands in any way
        for operand in term.operands[:4] if term.op == "call" else term.operands[:2]:
            chain = None if operand.op in _NO_TENSOR else follow(operand)
            if chain is None:
                continue
            if term.op == "opaque":
                return chain.problem(term, words.format(f"a {term.args[-1]}"))
            func = term.args[0]
            kind = kind_of(self.graph, func)
            if kind == "torch.nn.Linear" and chain.labels[-1] not in self._shared(chain):
                return None  # a linear layer over the key axis: the result is no longer a score per key
            return chain.problem(term, words.format(_name_of(func)))
        return None

    def _mixed(self, term: Term, follow: Callable[[Term], Chain | None]) -> Chain | None:
        """Handles an einsum that mixes the heads of scores or weights with a matrix (talking heads): a problem."""
        operands, output = self.contraction(term)
        if term.op != "einsum" or len(operands) != 2:
            return None
        for own, other in (operands, operands[::-1]):
            chain = follow(own.term)
            if chain is None or len(chain.labels) != len(own.labels) or follow(other.term) is not None:
                continue
            names = dict(zip(own.labels, chain.labels))
            summed = {names[one] for one in own.labels if one not in output}
            if len(summed) != 1 or not summed <= self._shared(chain) or len(output) != len(chain.labels):
                continue
            made = [names.get(one, *summed) for one in output]
            if sorted(made) == sorted(chain.labels):
                return chain.then(term, labels=tuple(made)).problem(
                    term, "heads are mixed, which no mask expresses"
                )
        return None

    def _shared(self, chain: Chain) -> set[str]:
        """The axes of the scores that both q and k have: batch and heads."""
        source = chain.source
        if source.op not in PRODUCTS:
            source_chain = self.scores(softmax_input(source))
            source = source_chain.source if source_chain is not None else source
        operands, output = self.contraction(source)
        return {one for one in output if all(one in side.labels for side in operands)} - {REST}

    def _product(self, term: Term) -> Chain | None:
        operands, output = self.contraction(term)
        if len(operands) != 2:
            return None
        if any(self._is_product_inside(one.term) for one in operands):
            return None
        chain = Chain.begun(term, output)
        if term.op == "baddbmm":
            bias, _, _, beta, alpha = term.args
            if alpha is not None and not is_const(alpha, 1, 1.0):
                chain = chain.then(term, factors=(("*", alpha),))
            if beta is None or not is_const(beta, 0, 0.0):
                if beta is not None and not is_const(beta, 1, 1.0):
                    return chain.problem(term, "`beta` scales what is added to the scores")
                chain = chain.then(term, masks=(Mask("add", bias, None, output),))
        return chain

    def _is_product_inside(self, term: Term) -> bool:
        return self.weights(term) is not None

    def _sides(self, term: Term) -> tuple[Chain | None, Term, bool]:
        """(the chain of the operand that holds the scores, the other operand, whether both operands hold scores)."""
        a, b = term.args[0], term.args[1]
        left = self.scores(a) if isinstance(a, Term) else None
        right = self.scores(b) if isinstance(b, Term) else None
        if left is not None and right is not None:
            return left, b, True
        return (left, b, False) if left is not None else (right, a, False)

    def _times(self, chain: Chain, step: Term, sign: str, factor: Term) -> Chain:
        masks = tuple([replace(mask, before=(*mask.before, (sign, factor))) for mask in chain.masks])
        return chain.then(step, factors=(*chain.factors, (sign, factor)), masks=masks)

    def _scaled(self, term: Term) -> Chain | None:
        chain, other, both = self._sides(term)
        if chain is None:
            return None
        if both:
            return chain.problem(term, "two score matrices are multiplied")
        if term.op == "div" and (other is term.args[0] or (len(term.args) > 2 and term.args[2] is not None)):
            return chain.problem(term, "the scores are a divisor")
        return self._times(chain, term, "*" if term.op == "mul" else "/", other)

    def _added(self, term: Term) -> Chain | None:
        chain, other, both = self._sides(term)
        if chain is None:
            return None
        if len(term.args) > 2 and term.args[2] is not None and not is_const(term.args[2], 1):
            return chain.problem(term, "`alpha` scales what is added to the scores")
        over = maximum_of(other, term.args[0]) if term.op == "sub" else None
        if over is not None:
            return self._shifted(chain, term, over)
        if both:
            return chain.problem(term, "a second product is added to the scores")
        if term.op == "sub" and other is term.args[0]:
            return chain.problem(term, "the scores are subtracted from something")
        mask = Mask("add", other, None, chain.labels)
        mask.negative = term.op == "sub"
        return chain.then(term, masks=(*chain.masks, mask))

    def _shifted(self, chain: Chain, term: Term, over: Term) -> Chain:
        """Subtracts a maximum from the scores; a softmax over the same axis is invariant to that."""
        number = integer(over)
        if number is None or not -len(chain.labels) <= number < (
            0 if REST in chain.labels else len(chain.labels)
        ):
            return chain.problem(term, "it cannot be told over which axis the maximum of the scores is taken")
        made = chain.then(term, shifts=(*chain.shifts, chain.labels[number]))
        maximum = term.args[1]
        while maximum.op in MAXIMUM and maximum is not term.first:  # removed with the scores
            made.steps = (*made.steps, maximum)
            maximum = maximum.first
        return made

    def _masked(self, term: Term) -> Chain | None:
        if term.op == "masked_fill":
            chain = self.scores(term.args[0])
            condition, value, kind = term.args[1], term.args[2], "drop"
        else:
            condition, then, orelse = term.args
            chain, value, kind = self.scores(then), orelse, "keep"
            if chain is None:
                chain, value, kind = self.scores(orelse), then, "drop"
        if chain is None or condition is None or value is None:
            return None
        return chain.then(term, masks=(*chain.masks, Mask(kind, condition, value, chain.labels)))

    def _either(self, term: Term) -> Chain | None:
        """Joins the two arms of a condition: both must be the same scores; a mask of one arm becomes conditional."""
        test, then, orelse = term.args
        one, other = self.scores(then), self.scores(orelse)
        if one is None or other is None:
            return one.problem(term, "the scores are something else on another path") if one else None
        if one.source is not other.source or one.labels != other.labels:
            return one.problem(term, "the scores come from different products on different paths")
        if one.factors != other.factors:
            return one.problem(term, "the scores are scaled on one path only")
        shared = [m for m in one.masks if m in other.masks]
        masks = list(shared)
        for chain, holds in ((one, True), (other, False)):
            own = [mask for mask in chain.masks if mask not in shared]
            masks += [replace(mask, tests=((test, holds), *mask.tests)) for mask in own]
        made = one.then(term, masks=tuple(masks), problems=united(one.problems, other.problems))
        made.steps = united(made.steps, other.steps)
        made.casts = united(one.casts, other.casts)
        made.shifts = united(one.shifts, other.shifts)
        return made

    def _passed(self, term: Term, follow: Callable[[Term], Chain | None]) -> Chain | None:
        """Handles steps that keep the values and whose effect on the axes is known; any other step is a problem."""
        op = term.op
        if not term.args or not isinstance(term.args[0], Term):
            return None
        first = term.args[0]
        chain: Chain | None = follow(first) if op in _PASSED or op in _CHANGED else None
        if chain is None:
            return None
        if op == "cast":
            return chain.then(term, casts=(*chain.casts, term.args[1]))
        if op in ("contiguous", "clone"):
            return chain.then(term)
        if op in ("transpose", "mT", "permute", "t", "rearrange"):
            labels = moved(term, chain.labels)
            if labels is not None:
                return chain.then(term, labels=labels)
            if op != "rearrange":
                labels = swapped(term, chain.labels)
                made = chain if labels is None else chain.then(term, labels=labels)
                return made.problem(term, "it cannot be told which axis of the scores is which")
        if op in (
            "reshape",
            "flatten",
            "unflatten",
            "squeeze",
            "unsqueeze",
            "getitem",
            "rearrange",
            "expand",
        ):
            return (
                chain.then(term)
                if self._same_layout(term, first)
                else chain.problem(term, "the scores are reshaped between the products")
            )
        return chain.problem(term, f"the scores pass through `{op}`, which no mask expresses")

    def _same_layout(self, term: Term, first: Term) -> bool:
        """Whether a reshape leaves the shape as it was."""
        before, after = self.shapes.of(first), self.shapes.of(term)
        return (
            before is not None
            and after is not None
            and len(before) == len(after)
            and all(a.size is not None and a.size is b.size for a, b in zip(before, after))
        )

    # From the softmax to the values

    def weights(self, term: Term) -> Chain | None:
        """The chain from the softmax to a value; None if the value is not derived from a softmax of scores."""
        if term not in self._weights:
            self._weights[term] = None
            self._weights[term] = self._find_weights(term)
        return self._weights[term]

    def _find_weights(self, term: Term) -> Chain | None:
        if term.op == "softmax" or softmax_of_exp(term) is not None:
            scores = self.scores(softmax_input(term))
            if scores is None:
                return None
            begun = Chain.begun(term, scores.labels)
            if len(term.args) > 3 and term.op == "softmax":
                begun = begun.then(term, modules=(term.args[3],))
            return begun
        chain: Chain | None
        if term.op == "dropout":
            chain = self.weights(term.args[0])
            if chain is None:
                return None
            modules = chain.modules if len(term.args) < 4 else (*chain.modules, term.args[3])
            return chain.then(term, dropouts=(*chain.dropouts, term), modules=modules)
        if term.op == "phi":
            one, other = self.weights(term.args[1]), self.weights(term.args[2])
            if one is None or other is None:
                known = one or other
                return None if known is None else known.problem(
                    term, "the weights are something else on another path"
                )  # fmt: skip
            if one.source is not other.source or one.labels != other.labels:
                return one.problem(term, "there are several softmaxes, on different paths")
            if one.dropouts != other.dropouts:
                return one.problem(term, "dropout is called on one path only")
            made = one.then(
                term,
                problems=united(one.problems, other.problems),
                casts=united(one.casts, other.casts),
            )
            made.steps = united(made.steps, other.steps)
            return made
        if term.op in ("mul", "div", "add", "sub", "masked_fill", "where"):
            for operand in term.operands:
                chain = self.weights(operand)
                if chain is not None:
                    return chain.problem(term, "the weights are changed after the softmax")
            return None
        if term.op in ("call", "opaque"):
            return self._through(term, self.weights, "the weights are changed after the softmax, by {}")
        if term.op == "einsum":
            return self._mixed(term, self.weights)
        return self._passed(term, self.weights)
