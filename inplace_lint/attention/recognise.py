"""Attention in a value graph: from a product back through the weights and their softmax to the scores' own product.

Axes are followed by label: `l` the queries, `s` the keys, `e` what is summed in the scores, `c` the values' channels,
all others batch. The softmax says which axis of the scores is `s`; the product with the values must sum over it.
"""

from __future__ import annotations

from .aliases import base_of
from .labels import (
    REST,
    axis_of,
    inside_of,
    is_maximum_of,
    match,
    moved,
    permuted,
    softmax_input,
    softmax_of_exp,
    spread,
)
from .notation import equation
from .shapes import Shapes
from .site import Chain, Mask, Operand, Site, is_given, is_one_row
from .terms import Term, integer, is_const, within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .evaluate import Evaluation
    from .frames import Moment

PRODUCTS = frozenset({"matmul", "bmm", "baddbmm", "einsum"})


def sites(evaluation: Evaluation, shapes: Shapes) -> list[Site]:
    """Every attention that the evaluated function computes, itself or in what it calls."""
    found: list[Site] = []
    finder = _Finder(evaluation, shapes)
    seen: set[Term] = set()
    for moment in evaluation.moments:
        term = moment.term
        if term.op in PRODUCTS and term not in seen:
            seen.add(term)
            site = finder.site(moment)
            if site is not None:
                found.append(site)
    return found


class _Finder:
    def __init__(self, evaluation: Evaluation, shapes: Shapes) -> None:
        self.evaluation = evaluation
        self.shapes = shapes
        self._scores: dict[Term, Chain | None] = {}
        self._weights: dict[Term, Chain | None] = {}

    def site(self, moment: Moment) -> Site | None:
        """The attention whose last product this is."""
        product = moment.term
        operands, output = self.contraction(product)
        for number, operand in enumerate(operands[:2]):
            weights = self.weights(operand.term)
            if weights is None or len(operands) != 2:
                continue
            softmax = weights.source
            scores = self.scores(softmax_input(softmax))
            if scores is None:
                return None
            return self._assemble(moment, softmax, scores, weights, operand, operands[1 - number], output)
        return None

    def _assemble(
        self,
        moment: Moment,
        softmax: Term,
        scores: Chain,
        weights: Chain,
        own: Operand,
        values: Operand,
        output: tuple[str, ...],
    ) -> Site | None:
        axis = axis_of(softmax, scores.labels)
        if axis is None:
            return None
        s = scores.labels[axis]
        # The labels that the last product uses for the axes of the weights.
        after = weights.labels if weights.labels else None
        order = permuted(scores.labels, after)
        if order is None:
            return None
        own, values, output = spread(order, own, values, output)
        rename = match(order, own.labels)
        if rename is None:
            return None
        summed = [rename[label] for label in own.labels if label not in output and label in values.labels]
        if summed != [s]:
            return None
        q_side, k_side = self.contraction(scores.source)[0][:2]
        if s in q_side.labels:
            q_side, k_side = k_side, q_side
        if s not in k_side.labels or s in q_side.labels:
            return None
        shared = [one for one in q_side.labels if one in k_side.labels and one not in scores.labels]
        rows = [one for one in scores.labels if one in q_side.labels and one not in k_side.labels]
        site = Site(moment, softmax, scores, weights)
        value_labels = tuple(rename.get(label, f"v:{label}") for label in values.labels)
        channels = [one for one in value_labels if one.startswith("v:")]
        result = tuple(rename.get(label, f"v:{label}") for label in output)
        if len(shared) != 1 or not rows or len(channels) != 1:
            return None
        # Of several axes that only the queries have, the last is the queries' own, the others are heads.
        plain = [one for one in rows if one in value_labels or one == REST]
        own_rows = [one for one in rows if one not in plain]
        if len(own_rows) != 1:
            if len(own_rows) == 2 and own_rows[0] == scores.labels[-3 if len(scores.labels) > 2 else 0]:
                own_rows = own_rows[1:]  # heads that k and v share
            else:
                return None
        l = own_rows[0]  # noqa: E741
        label = {s: "s", l: "l", shared[0]: "e", channels[0]: "c"}

        def named(labels: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(label.get(one, one) for one in labels)

        site.query = Operand(q_side.term, named(q_side.labels))
        site.key = Operand(k_side.term, named(k_side.labels))
        site.value = Operand(values.term, named(value_labels))
        site.output = named(result)
        site.batch = tuple(one for one in named(scores.labels) if one not in ("l", "s"))
        site.scores = scores.then(scores.source, labels=named(scores.labels))
        for mask in site.scores.masks:
            mask.labels = named(mask.labels)
        site.problems = [*scores.problems, *weights.problems]
        if not self._is_over_positions(site):
            return None
        self._who_reads(site)
        site.guarded = self._is_guarded(site)
        return site

    # Products

    def contraction(self, term: Term) -> tuple[list[Operand], tuple[str, ...]]:
        """The operands of a product with the labels of their axes, and the labels of the result."""
        if term.op == "einsum":
            parsed = equation(term)
            if parsed is None:
                return [], ()
            inputs, output = parsed
            return [Operand(t, tuple(labels)) for t, labels in zip(term.args[1:], inputs)], tuple(output)
        a, b = (term.args[1], term.args[2]) if term.op == "baddbmm" else (term.args[0], term.args[1])
        if a is None or b is None:
            return [], ()
        if term.op in ("bmm", "baddbmm"):
            lead: tuple[str, ...] = ("b0",)
            leads = (lead, lead)
        else:
            ranks = self.shapes.rank(a), self.shapes.rank(b)
            if None not in ranks and min(r for r in ranks if r is not None) >= 2:
                n = max(r for r in ranks if r is not None) - 2
                lead = tuple(f"b{i}" for i in range(n))
                leads = tuple(lead[n - (r - 2) :] for r in ranks if r is not None)  # type: ignore[assignment]
            else:
                lead = (REST,)
                leads = (lead, lead)
        return [Operand(a, (*leads[0], "m", "k")), Operand(b, (*leads[1], "k", "n"))], (*lead, "m", "n")

    # From the product to the softmax

    def scores(self, term: Term | None) -> Chain | None:
        """How a value is made from a product; None if it is not."""
        if term is None:
            return None
        if term not in self._scores:
            self._scores[term] = None
            self._scores[term] = self._find_scores(term)
        return self._scores[term]

    def _find_scores(self, term: Term) -> Chain | None:
        op = term.op
        if op in PRODUCTS:
            return self._product(term)
        if op in ("mul", "div"):
            return self._scaled(term)
        if op in ("add", "sub"):
            return self._added(term)
        if op == "neg":
            chain = self.scores(term.args[0])
            minus = self.evaluation.terms.const(-1)
            return None if chain is None else self._times(chain, term, "*", minus)
        if op in ("masked_fill", "where"):
            return self._masked(term)
        if op == "phi":
            return self._either(term)
        return self._passed(term, self.scores)

    def _product(self, term: Term) -> Chain | None:
        operands, output = self.contraction(term)
        if len(operands) != 2:
            return None
        if any(self._is_product_inside(one.term) for one in operands):
            return None
        chain = Chain(term, output)
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
        """(the chain of the operand that holds the scores, the other operand, whether both do)."""
        a, b = term.args[0], term.args[1]
        left = self.scores(a) if isinstance(a, Term) else None
        right = self.scores(b) if isinstance(b, Term) else None
        if left is not None and right is not None:
            return left, b, True
        return (left, b, False) if left is not None else (right, a, False)

    def _times(self, chain: Chain, step: Term, sign: str, factor: Term) -> Chain:
        masks = []
        for mask in chain.masks:
            mask = mask.again()
            mask.before = (*mask.before, (sign, factor))
            masks.append(mask)
        return chain.then(step, factors=(*chain.factors, (sign, factor)), masks=tuple(masks))

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
        if both:
            if term.op == "sub" and is_maximum_of(other, term.args[0]):
                return chain.then(term)  # softmax does not see a shift of the whole row
            return chain.problem(term, "a second product is added to the scores")
        if term.op == "sub" and other is term.args[0]:
            return chain.problem(term, "the scores are subtracted from something")
        mask = Mask("add", other, None, chain.labels)
        mask.negative = term.op == "sub"
        return chain.then(term, masks=(*chain.masks, mask))

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
        """A condition: both arms must be the same scores, with different masks."""
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
            for mask in chain.masks:
                if mask not in shared:
                    mask = mask.again()
                    mask.tests = ((test, holds), *mask.tests)
                    masks.append(mask)
        made = one.then(term, masks=tuple(masks), problems=(*one.problems, *other.problems))
        made.steps = (*made.steps, *other.steps)
        made.casts = tuple({*one.casts, *other.casts})
        return made

    def _passed(self, term: Term, follow: object) -> Chain | None:
        """Steps that change neither values nor which axis is which, or change them in a way that is told."""
        op = term.op
        if not term.args or not isinstance(term.args[0], Term):
            return None
        first = term.args[0]
        chain: Chain | None = follow(first) if op in _PASSED or op in _CHANGED else None  # type: ignore[operator]
        if chain is None:
            return None
        if op == "cast":
            return chain.then(term, casts=(*chain.casts, term.args[1]))
        if op in ("contiguous", "clone"):
            return chain.then(term)
        if op in ("transpose", "mT", "permute", "t"):
            labels = moved(term, chain.labels)
            if labels is None:
                return chain.problem(term, "it cannot be told which axis of the scores is which")
            return chain.then(term, labels=labels)
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
        """Whether a reshape gives the shape back that the value has."""
        before, after = self.shapes.of(first), self.shapes.of(term)
        return (
            before is not None
            and after is not None
            and len(before) == len(after)
            and all(a.size is not None and a.size is b.size for a, b in zip(before, after))
        )

    # From the softmax to the values

    def weights(self, term: Term) -> Chain | None:
        """How a value is made from a softmax; None if it is not."""
        if term not in self._weights:
            self._weights[term] = None
            self._weights[term] = self._find_weights(term)
        return self._weights[term]

    def _find_weights(self, term: Term) -> Chain | None:
        if term.op == "softmax" or softmax_of_exp(term) is not None:
            scores = self.scores(softmax_input(term))
            if scores is None:
                return None
            begun = Chain(term, scores.labels)
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
            made = one.then(term, problems=(*one.problems, *other.problems), casts=(*one.casts, *other.casts))
            made.steps = (*made.steps, *other.steps)
            return made
        if term.op in ("mul", "div", "add", "sub", "masked_fill", "where"):
            for operand in term.operands:
                chain = self.weights(operand)
                if chain is not None:
                    return chain.problem(term, "the weights are changed after the softmax")
            return None
        if term.op == "call" or term.op == "opaque":
            for operand in term.operands:
                chain = self.weights(operand)
                if chain is not None and operand.op != "instance":
                    return chain.problem(term, "the weights are changed after the softmax")
            return None
        return self._passed(term, self.weights)

    # What else is to be known

    def _is_over_positions(self, site: Site) -> bool:
        """Whether scores stand between positions: not between channels, and not of one query alone."""
        if not is_given(site.key.term) or is_one_row(site.query.term):
            return False
        for operand, label in ((site.query, "l"), (site.key, "s")):
            shape = self.shapes.of(operand.term)
            if shape is None or len(shape) < len(operand.labels) - (REST in operand.labels):
                continue
            if len(shape) != len(operand.labels) and REST not in operand.labels:
                continue
            axis, summed = (shape[operand.labels.index(one) - len(operand.labels)] for one in (label, "e"))
            if axis.role == "channel" and summed.role != "channel":
                return False
            if axis.size is not None and integer(axis.size) is not None and (integer(axis.size) or 0) <= 1:
                return False
            if summed.merged > 1 and axis.merged == 1 and summed.role != "channel" and axis.role != "outer":
                return False
        return True

    def _who_reads(self, site: Site) -> None:
        """Places that use scores or weights besides the attention itself."""
        inner = {*site.scores.steps, *site.weights.steps, *inside_of(site.softmax)} - {site.result}
        for sink in self.evaluation.sinks:
            if within(sink.term, inner, stop=site.result):
                site.readers.append(sink)
        moments = {m.term: m for m in reversed(self.evaluation.moments)}
        first, last = moments.get(site.product), moments.get(site.result)
        softmax = moments.get(site.softmax)
        if first is None or last is None:
            return
        if first.managers != last.managers or (softmax is not None and softmax.managers != last.managers):
            site.problems.append("a `with` statement holds a part of the attention only")
        # A function that is not known may write what it is given: q and k are read later than they were.
        held = {base_of(one.term) for one in (site.query, site.key)} | {
            base_of(m.term) for m in site.scores.masks
        }
        for sink in self.evaluation.sinks:
            if (
                sink.kind in ("call", "item")
                and first.order <= sink.order < last.order
                and base_of(sink.term) in held
            ):
                site.problems.append("q, k or a mask is handed to another function between the two products")

    def _is_guarded(self, site: Site) -> bool:
        """Whether another path of the same function calls the kernel."""
        conditions = next(
            (m.conditions for m in self.evaluation.moments if m.term is site.softmax), site.moment.conditions
        )
        for test, _ in conditions:
            if _asks_for_kernel(test):
                return True
        held = {(id(test), holds) for test, holds in conditions}
        for moment in self.evaluation.moments:
            if moment.term.op == "sdpa" and any((id(t), not h) in held for t, h in moment.conditions):
                return True
        return False


_PASSED = frozenset(
    "cast contiguous clone transpose mT permute t reshape flatten unflatten squeeze unsqueeze getitem rearrange "
    "expand".split()
)
_CHANGED = frozenset("tanh sigmoid relu clamp exp dropout softmax normalize detach sqrt pow".split())


def _asks_for_kernel(test: Term) -> bool:
    """`hasattr(F, "scaled_dot_product_attention")` and the like."""
    stack = [test]
    while stack:
        term = stack.pop()
        if is_const(term) and isinstance(term.args[0], str) and "scaled_dot_product" in term.args[0]:
            return True
        stack.extend(term.operands)
    return False
