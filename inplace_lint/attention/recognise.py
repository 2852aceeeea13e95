"""Recognises attention in a value graph: from the product with V back through weights and softmax to the product QKᵀ.

Axes carry labels: `l` for queries, `s` for keys, `e` for the axis that QKᵀ sums over, `c` for the channels of V; all
others are batch axes. The softmax determines which axis of the scores is `s`; the product with V must sum over it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .aliases import base_of
from .chains import PRODUCTS, Chains
from .dispatch import is_kernel
from .labels import (
    REST,
    axis_of,
    inside_of,
    match,
    permuted,
    softmax_input,
    spread,
)
from .shapes import Shapes
from .site import Chain, Operand, Site, is_given, is_one_row
from .terms import Term, integer, is_const, parts, within
from .usual import reads

if TYPE_CHECKING:
    from .frames import Moment
    from .graph import Graph


def sites(graph: Graph, shapes: Shapes) -> list[Site]:
    """Every attention that the root function computes, itself or in followed calls."""
    found: list[Site] = []
    finder = _Finder(graph, shapes)
    seen: set[Term] = set()
    for moment in graph.moments:
        term = moment.term
        if term.op in PRODUCTS and term not in seen:
            seen.add(term)
            site = finder.site(moment)
            if site is not None:
                found.append(site)
    return found


class _Finder:
    def __init__(self, graph: Graph, shapes: Shapes) -> None:
        self.graph = graph
        self.shapes = shapes
        self.chains = Chains(graph, shapes)

    def site(self, moment: Moment) -> Site | None:
        """The attention whose last product is this moment; None if it is not the last product of one."""
        product = moment.term
        operands, output = self.chains.contraction(product)
        for number, operand in enumerate(operands[:2]):
            weights = self.chains.weights(operand.term)
            if weights is None or len(operands) != 2:
                continue
            softmax = weights.source
            scores = self.chains.scores(softmax_input(softmax))
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
        q_side, k_side = self.chains.contraction(scores.source)[0][:2]
        if s in q_side.labels:
            q_side, k_side = k_side, q_side
        if s not in k_side.labels or s in q_side.labels:
            return None
        shared = [one for one in q_side.labels if one in k_side.labels and one not in scores.labels]
        rows = [one for one in scores.labels if one in q_side.labels and one not in k_side.labels]
        value_labels = tuple(rename.get(label, f"v:{label}") for label in values.labels)
        channels = [one for one in value_labels if one.startswith("v:")]
        result = tuple(rename.get(label, f"v:{label}") for label in output)
        if len(shared) != 1 or not rows or len(channels) != 1:
            return None
        plain = [one for one in rows if one in value_labels or one == REST]
        own_rows = [one for one in rows if one not in plain]
        problems = [*scores.problems, *weights.problems]
        if {*scores.shifts} - {s}:
            problems.append(
                "a maximum over another axis than that of the softmax is subtracted from the scores"
            )
        row = self._row(q_side, own_rows, scores, problems)
        if row is None:
            return None
        label = {s: "s", row: "l", shared[0]: "e", channels[0]: "c"}
        parts = (q_side, k_side, Operand(values.term, value_labels, values.number))
        site = self._named(moment, scores, weights, label, parts, result, problems)
        if not self._is_over_positions(site):
            return None
        self._who_reads(site)
        site.guarded = self._is_guarded(site)
        return site

    def _row(self, query: Operand, rows: list[str], scores: Chain, problems: list[str]) -> str | None:
        """The query axis among the one or two axes that only q has; the other one holds heads that share k and v."""
        if len(rows) == 1:
            return rows[0]
        if len(rows) != 2 or len(scores.labels) < 3:
            return None
        fixed = self._fixed(query, rows)
        if len(fixed) == 2:
            return None  # learned queries: their number does not depend on the input
        if not fixed:
            problems.append("it cannot be told which axis of q holds the queries, and which the heads")
        heads = fixed[0] if fixed else rows[0]
        return rows[1] if heads == rows[0] else rows[0]

    def _named(
        self,
        moment: Moment,
        scores: Chain,
        weights: Chain,
        label: dict[str, str],
        parts: tuple[Operand, Operand, Operand],
        output: tuple[str, ...],
        problems: list[str],
    ) -> Site:
        """The site with its axes renamed to the standard labels."""

        def named(labels: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(label.get(one, one) for one in labels)

        labels = named(scores.labels)
        query, key, value = (replace(one, labels=named(one.labels)) for one in parts)
        masks = tuple(replace(mask, labels=named(mask.labels)) for mask in scores.masks)
        batch = tuple(one for one in labels if one not in ("l", "s"))
        return Site(
            moment,
            weights.source,
            scores.then(scores.source, labels=labels, masks=masks),
            weights,
            query,
            key,
            value,
            batch,
            named(output),
            problems,
        )

    def _fixed(self, query: Operand, rows: list[str]) -> list[str]:
        """Those of the axes `rows` whose size comes from the configuration: heads, not positions."""
        shape = self.shapes.of(query.term)
        if shape is None or len(shape) != len(query.labels):
            return []
        return [one for one in rows if shape[query.labels.index(one)].role == "channel"]

    # Further conditions and facts

    def _is_over_positions(self, site: Site) -> bool:
        """Whether the scores relate positions: not channels, not learned keys, not a single query."""
        if not is_given(site.key.term, self.graph.classes) or is_one_row(site.query.term):
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
        """Records other sinks of scores or weights, and problems with the code between the two products."""
        inner = {*site.scores.steps, *site.weights.steps, *inside_of(site.softmax)} - {site.result}
        # A condition may choose between several equations of one product.
        results = {m.term for m in self.graph.moments if m.at is site.moment.at} | {site.result}
        through = {
            id(one.at) for one in inner if one.op in ("call", "opaque")
        }  # a call that changes the scores is a step of the chain, not a further reader
        for sink in self.graph.sinks:
            if sink.kind in ("call", "item") and id(sink.at) in through:
                continue
            if within(sink.term, inner, stops=results):
                site.readers.append(sink)
                site.needed = site.needed or reads(self.graph, sink, inner, results)
        moments = {m.term: m for m in reversed(self.graph.moments)}
        first, last = moments.get(site.product), moments.get(site.result)
        softmax = moments.get(site.softmax)
        if first is None or last is None:
            return
        if first.managers != last.managers or (softmax is not None and softmax.managers != last.managers):
            site.problems.append("a `with` statement holds a part of the attention only")
        # Unknown code may write to its arguments, and the rewrite reads q and k later than the original.
        held = {base_of(one.term) for one in (site.query, site.key)} | {
            base_of(m.term) for m in site.scores.masks
        }
        for sink in self.graph.sinks:
            if (
                sink.kind in ("call", "item")
                and first.order <= sink.order < last.order
                and base_of(sink.term) in held
            ):
                site.problems.append("q, k or a mask is handed to another function between the two products")

    def _is_guarded(self, site: Site) -> bool:
        """Whether the attention lies under a test for the kernel, or another path of the function calls the kernel."""
        conditions = next(
            (m.conditions for m in self.graph.moments if m.term is site.softmax), site.moment.conditions
        )
        for test, _ in conditions:
            if _asks_for_kernel(test):
                return True
        held = {(id(test), holds) for test, holds in conditions}
        return any(
            _is_kernel_call(moment.term) and any((id(t), not h) in held for t, h in moment.conditions)
            for moment in self.graph.moments
        )


def _is_kernel_call(term: Term) -> bool:
    """Whether a value is the result of a fused kernel."""
    if term.op == "call" and isinstance(term.args[0], Term) and term.args[0].op == "symbol":
        return is_kernel(term.args[0].args[0])
    return term.op == "sdpa"


def _asks_for_kernel(test: Term) -> bool:
    """Whether a test looks for the kernel, like `hasattr(F, "scaled_dot_product_attention")`."""
    return any(
        is_const(one) and isinstance(one.args[0], str) and "scaled_dot_product" in one.args[0]
        for one in parts(test)
    )
