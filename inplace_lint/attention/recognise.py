"""Attention in a value graph: from a product back through the weights and their softmax to the scores' own product.

Axes are followed by label: `l` the queries, `s` the keys, `e` what is summed in the scores, `c` the values' channels,
all others batch. The softmax says which axis of the scores is `s`; the product with the values must sum over it.
"""

from __future__ import annotations

from .evaluate import base_of
from .ops import VIEWS
from .shapes import Shapes, equation, permutation
from .terms import Term, integer, is_const, items, within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .evaluate import Evaluation, Moment, Sink

_REST = "..."
PRODUCTS = frozenset({"matmul", "bmm", "baddbmm", "einsum"})


class Mask:
    """What is laid over the scores. `kind` is keep, drop (boolean) or add; `value` what drop fills in.

    `before` are the factors that multiply the scores afterwards, `test` the condition it lies under (term, holds),
    `natural` whether the scores lay as (batch, queries, keys) there.
    """

    __slots__ = ("before", "kind", "labels", "negative", "term", "tests", "value")

    def __init__(self, kind: str, term: Term, value: Term | None, labels: tuple[str, ...]) -> None:
        self.kind, self.term, self.value, self.labels = kind, term, value, labels
        self.before: tuple[tuple[str, Term], ...] = ()
        self.tests: tuple[tuple[Term, bool], ...] = ()
        self.negative = False

    def again(self) -> Mask:
        other = Mask(self.kind, self.term, self.value, self.labels)
        other.before, other.tests, other.negative = self.before, self.tests, self.negative
        return other


class Chain:
    """What leads from a product to a value: its axes now, factors, masks, casts, and what stands in the way."""

    __slots__ = ("casts", "dropouts", "factors", "labels", "masks", "modules", "problems", "source", "steps")

    def __init__(self, source: Term, labels: tuple[str, ...]) -> None:
        self.source = source
        self.labels = labels
        self.factors: tuple[tuple[str, Term], ...] = ()
        self.masks: tuple[Mask, ...] = ()
        self.casts: tuple[Term, ...] = ()
        self.dropouts: tuple[Term, ...] = ()
        self.modules: tuple[Term, ...] = ()
        self.problems: tuple[str, ...] = ()
        self.steps: tuple[Term, ...] = (source,)

    def then(self, step: Term, **changes: object) -> Chain:
        made = Chain(self.source, self.labels)
        for name in self.__slots__:
            setattr(made, name, changes.get(name, getattr(self, name)))
        made.steps = (*self.steps, step)
        return made

    def problem(self, step: Term, words: str) -> Chain:
        return self.then(step, problems=(*self.problems, words))


class Operand:
    """A factor of a product: its term, its axes by label."""

    __slots__ = ("labels", "term")

    def __init__(self, term: Term, labels: tuple[str, ...]) -> None:
        self.term, self.labels = term, labels


class Site:
    """One attention: q, k, v with their axes by label, the way from scores to weights, the labels of the output."""

    __slots__ = (
        "batch",
        "guarded",
        "key",
        "moment",
        "output",
        "problems",
        "product",
        "query",
        "readers",
        "result",
        "scores",
        "softmax",
        "value",
        "weights",
    )

    def __init__(self, moment: Moment, softmax: Term, scores: Chain, weights: Chain) -> None:
        self.moment = moment
        self.result = moment.term
        self.softmax, self.scores, self.weights = softmax, scores, weights
        self.product = scores.source
        self.query = self.key = self.value = Operand(moment.term, ())
        self.batch: tuple[str, ...] = ()
        self.output: tuple[str, ...] = ()
        self.problems: list[str] = []
        self.guarded = False
        self.readers: list[Sink] = []


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
        axis = _axis(softmax, scores.labels)
        if axis is None:
            return None
        s = scores.labels[axis]
        # The labels that the last product uses for the axes of the weights.
        after = weights.labels if weights.labels else None
        order = _permuted(scores.labels, after)
        if order is None:
            return None
        own, values, output = _spread(order, own, values, output)
        rename = _match(order, own.labels)
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
        plain = [one for one in rows if one in value_labels or one == _REST]
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
                lead = (_REST,)
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
            if term.op == "sub" and _is_maximum_of(other, term.args[0]):
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
            labels = _moved(term, chain.labels)
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
        if not _is_given(site.key.term) or _is_one_row(site.query.term):
            return False
        for operand, label in ((site.query, "l"), (site.key, "s")):
            shape = self.shapes.of(operand.term)
            if shape is None or len(shape) < len(operand.labels) - (_REST in operand.labels):
                continue
            if len(shape) != len(operand.labels) and _REST not in operand.labels:
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
        inner = {*site.scores.steps, *site.weights.steps, *_extra(site.softmax)} - {site.result}
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


def _is_given(term: Term) -> bool:
    """Whether a value comes from what the function is given: scores with learned keys do not grow with the input."""
    stack, seen = [term], set()
    while stack:
        one = stack.pop()
        if one in seen:
            continue
        seen.add(one)
        if one.op in ("param", "opaque", "global", "element"):
            return True
        if one.op not in ("size", "shape", "instance", "attr"):
            stack.extend(one.operands)
    return False


def _is_one_row(term: Term) -> bool:
    """Whether a query is made from one position: `x[:, :1]`, a class token."""
    for _ in range(12):
        if term.op == "getitem":
            entries = items(term.args[1]) or ()
            for one in entries[1:]:
                if one.op == "slice" and is_const(one.args[2], None):
                    low, high = (
                        0 if is_const(one.args[0], None) else integer(one.args[0]),
                        integer(one.args[1]),
                    )
                    if low is not None and high is not None and high - low == 1:
                        return True
            term = term.args[0]
        elif term.op == "call":
            values = term.args[3:]
            if len(values) != 1:
                return False
            term = values[0]
        elif term.op in VIEWS or term.op in ("mul", "div", "normalize"):
            term = term.args[0]
        else:
            return False
    return False


_PASSED = frozenset(
    "cast contiguous clone transpose mT permute t reshape flatten unflatten squeeze unsqueeze getitem rearrange "
    "expand".split()
)
_CHANGED = frozenset("tanh sigmoid relu clamp exp dropout softmax normalize detach sqrt pow".split())


def softmax_input(term: Term) -> Term | None:
    """What a softmax, called or written out, is taken of."""
    if term.op == "softmax":
        return term.args[0]  # type: ignore[no-any-return]
    found = softmax_of_exp(term)
    return None if found is None else found[0]


def softmax_of_exp(term: Term) -> tuple[Term, Term] | None:
    """(argument, axis) of `exp(x - max) / sum(exp(x - max))`."""
    if term.op != "div" or not isinstance(term.args[1], Term):
        return None
    top, bottom = term.args[0], term.args[1]
    if top.op != "exp" or bottom.op != "sum" or bottom.args[0] is not top:
        return None
    if bottom.args[1] is None or not is_const(bottom.args[2], True):
        return None
    inner = top.args[0]
    if inner.op == "sub":
        shift = inner.args[1]
        if _is_maximum_of(shift, inner.args[0], bottom.args[1]):
            return inner.args[0], bottom.args[1]
    return inner, bottom.args[1]


def _is_maximum_of(term: Term, of: Term, dim: Term | None = None) -> bool:
    if term.op == "detach":
        term = term.args[0]
    return (
        term.op == "amax"
        and term.args[0] is of
        and is_const(term.args[2], True)
        and (dim is None or term.args[1] is dim)
    )


def _extra(softmax: Term) -> set[Term]:
    """The values inside a softmax that is written out."""
    if softmax.op == "softmax":
        return {softmax}
    top, bottom = softmax.args[0], softmax.args[1]
    return {softmax, top, bottom, top.args[0]}


def _axis(softmax: Term, labels: tuple[str, ...]) -> int | None:
    """The position in `labels` of the axis that a softmax runs over."""
    dim = softmax.args[1] if softmax.op == "softmax" else (softmax_of_exp(softmax) or (None, None))[1]
    number = integer(dim)
    if number is None:
        return None
    if _REST in labels and number >= 0:
        # (…, l, s) of unknown rank: 3 is the last axis of four, which is what attention has.
        return len(labels) - 1 if number in (2, 3) else None
    if not -len(labels) <= number < len(labels) or labels[number] == _REST:
        return None
    return number % len(labels)


def _moved(term: Term, labels: tuple[str, ...]) -> tuple[str, ...] | None:
    """Labels after a transposition or permutation."""
    axes = list(labels)
    if term.op in ("mT",) or (term.op == "t" and len(axes) == 2):
        return (*labels[:-2], labels[-1], labels[-2])
    if term.op == "transpose":
        a, b = integer(term.args[1]), integer(term.args[2])
        if a is None or b is None:
            return None
        if _REST in labels and {a, b} != {-1, -2}:
            return None
        if not all(-len(axes) <= one < len(axes) for one in (a, b)):
            return None
        axes[a], axes[b] = axes[b], axes[a]
        return tuple(axes)
    order = permutation(term) if term.op == "permute" else None
    if order is None or _REST in labels or len(order) != len(labels):
        return None
    return tuple(labels[i] for i in order)


def _permuted(before: tuple[str, ...], after: tuple[str, ...] | None) -> tuple[str, ...] | None:
    return after if after is not None and sorted(after) == sorted(before) else None


def _match(ours: tuple[str, ...], theirs: tuple[str, ...]) -> dict[str, str] | None:
    """The last product's labels -> ours, by position; leading axes may be folded into `...` on one side."""
    if len(ours) == len(theirs) and (_REST in ours) == (_REST in theirs):
        return dict(zip(theirs, ours))
    if _REST in ours and ours[0] == _REST and len(theirs) >= 3:
        return {theirs[-1]: ours[-1], theirs[-2]: ours[-2], **dict.fromkeys(theirs[:-2], _REST)}
    return None


def _spread(
    order: tuple[str, ...], own: Operand, values: Operand, output: tuple[str, ...]
) -> tuple[Operand, Operand, tuple[str, ...]]:
    """The last product with `...` written out as the leading axes that the weights are known to have."""
    if _REST not in own.labels or own.labels[0] != _REST or _REST in order:
        return own, values, output
    lead = tuple(f"d{number}" for number in range(len(order) - len(own.labels) + 1))

    def wide(labels: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(one for label in labels for one in (lead if label == _REST else (label,)))

    return Operand(own.term, wide(own.labels)), Operand(values.term, wide(values.labels)), wide(output)


def _asks_for_kernel(test: Term) -> bool:
    """`hasattr(F, "scaled_dot_product_attention")` and the like."""
    stack = [test]
    while stack:
        term = stack.pop()
        if is_const(term) and isinstance(term.args[0], str) and "scaled_dot_product" in term.args[0]:
            return True
        stack.extend(term.operands)
    return False
