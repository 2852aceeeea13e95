"""Defines the parts of a recognised attention: masks, operands, the chains of scores and weights, the whole site."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from .calls import kind_of
from .ops import VIEWS
from .terms import Term, integer, is_const, is_metadata, items, parts

if TYPE_CHECKING:
    from typing import Any

    from .frames import Moment, Sink
    from .graph import Graph
    from .objects import Classes


@dataclass(slots=True, eq=False)
class Mask:
    """One mask on the scores: `kind` is "keep" or "drop" (boolean) or "add"; `value` is what masked scores become.

    `before` are the factors applied to the scores after the mask, `tests` its path condition as (term, holds) pairs,
    `labels` the axes of the scores where it is applied.
    """

    kind: str
    term: Term
    value: Term | None
    labels: tuple[str, ...]
    before: tuple[tuple[str, Term], ...] = ()
    tests: tuple[tuple[Term, bool], ...] = ()
    negative: bool = False


@dataclass(slots=True, eq=False)
class Chain:
    """The steps from a product (or softmax) to a value: axis labels, factors, masks, casts, and problems for a rewrite.

    `shifts` are the axes over which a maximum was subtracted; only a softmax over the same axis ignores that.
    """

    source: Term
    labels: tuple[str, ...]
    steps: tuple[Term, ...]
    factors: tuple[tuple[str, Term], ...] = ()
    masks: tuple[Mask, ...] = ()
    casts: tuple[Term, ...] = ()
    dropouts: tuple[Term, ...] = ()
    modules: tuple[Term, ...] = ()
    problems: tuple[str, ...] = ()
    shifts: tuple[str, ...] = ()

    @classmethod
    def begun(cls, source: Term, labels: tuple[str, ...]) -> Chain:
        """The empty chain, which starts and ends at `source`."""
        return cls(source, labels, (source,))

    def then(self, step: Term, **changes: Any) -> Chain:
        """The chain extended by one step."""
        return replace(self, steps=(*self.steps, step), **changes)

    def problem(self, step: Term, words: str) -> Chain:
        return self.then(step, problems=(*self.problems, words))


def united(one: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[Any, ...]:
    """The union of two tuples, in order; without it, n conditions in a row would give 2ⁿ copies."""
    return tuple(dict.fromkeys((*one, *other)))


@dataclass(slots=True, eq=False)
class Operand:
    """One factor of a product, with its axis labels; `number` is its position among the product's operands."""

    term: Term
    labels: tuple[str, ...]
    number: int = 0


@dataclass(slots=True, eq=False)
class Site:
    """One attention: q, k and v with axis labels, the chains of scores and weights, and the labels of the output."""

    moment: Moment
    softmax: Term
    scores: Chain
    weights: Chain
    query: Operand
    key: Operand
    value: Operand
    batch: tuple[str, ...]
    output: tuple[str, ...]
    problems: list[str]
    #: whether another path of the same function calls the kernel, or a test asks for it
    guarded: bool = False
    #: sinks of scores or weights outside of the attention
    readers: list[Sink] = field(default_factory=list)
    #: whether one of the readers reads them in training, with all flags at their defaults
    needed: bool = False

    @property
    def result(self) -> Term:
        return self.moment.term

    @property
    def product(self) -> Term:
        return self.scores.source

    def assumed(self) -> list[Term]:
        """The terms that a rewrite takes for what they are, whether or not its text reads them: masks and factors."""
        masks = [
            one for mask in self.scores.masks for one in (mask.term, *(factor for _, factor in mask.before))
        ]
        return [*masks, *(factor for _, factor in self.scores.factors)]

    def attributes(self) -> set[str]:
        """The names of the attributes that are assumed to hold what `__init__` sets."""
        return {one.args[1] for term in self.assumed() for one in parts(term, "call") if one.op == "attr"}

    def is_single(self, graph: Graph) -> bool:
        """Whether q, k and v are outputs of linear layers without a head axis split off."""
        operands = (self.query, self.key, self.value)
        return all(len(one.labels) == 3 and one.labels[0] == "..." for one in operands) and all(
            _is_projected(graph, one.term) for one in operands
        )


def _is_projected(graph: Graph, term: Term) -> bool:
    """Whether a value is the output of a linear layer, or a part of it."""
    while term.op in ("transpose", "mT", "mul", "div", "cast", "normalize", "item", "chunk", "split"):
        term = term.args[0]
    return term.op == "call" and kind_of(graph, term.args[0]) == "torch.nn.Linear"


def is_given(term: Term, classes: Classes) -> bool:
    """Whether a value depends on the input; scores with learned keys do not grow with the input."""
    stack, seen = [term], set()
    while stack:
        one = stack.pop()
        if one in seen:
            continue
        seen.add(one)
        if one.op in ("param", "opaque", "global", "element") or (
            one.op == "attr" and classes.is_passed(one)
        ):
            return True
        if one.op not in ("size", "shape", "instance", "attr") and not is_metadata(one):
            stack += _made_of(one)
    return False


def _made_of(term: Term) -> list[Term]:
    """The operands that determine a value: without the test of a `phi`; for a method call also its receiver."""
    operands = term.operands
    if term.op == "phi":
        return operands[1:]
    if term.op == "call":
        func = term.args[0]
        return [*operands[1:], *(func.operands[:1] if func.op in ("member", "getattr") else [])]
    return operands


def is_one_row(term: Term) -> bool:
    """Whether a query comes from a single position, such as `x[:, :1]` (a class token)."""
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
