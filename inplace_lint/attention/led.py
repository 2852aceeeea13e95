"""Attention whose parts are led to each other by more of Python than `evaluate` follows: found, and left as it is.

A softmax is open where its scores come from outside of the functions that were evaluated, or its weights leave them.
Then the interpreter runs what may bring the parts together: the functions of the file that lead to it by name, from
the outermost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..sketch.words import has_word
from .chains import PRODUCTS, Chains
from .dispatch import Dispatch
from .find import CUT, Seen
from .frames import Spent
from .interpreted import interpreted
from .labels import softmax_input
from .plan import Plan
from .recognise import sites
from .shapes import Shapes
from .terms import within

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable, Iterator

    from ..analysis.program import Program
    from ..syntax.module import ClassSource, FunctionSource, Module
    from .evaluate import Evaluation
    from .site import Site
    from .target import Target
    from .terms import Term

#: So many functions of a file are run for the sake of what they lead to.
_ROOTS = 8
_REFUSED = "its parts are brought together by code that the fix does not follow"
#: What a value is of which the evaluated function cannot tell where it comes from.
_GIVEN = frozenset("param opaque element global item getitem attr".split())
_STEPS = frozenset(
    "mul div add sub neg masked_fill where cast contiguous clone transpose permute reshape clamp dropout".split()
)


def led(program: Program, module: Module, found: list[Seen], target: Target) -> list[Seen]:
    """The attentions of a file that only a run of the interpreter brings together."""
    known = {id(one.site.softmax.at) for seen in found for one in seen.plans}
    open_ones = {
        function: at
        for seen in found
        for function, at in _open(seen)
        if function is not None and id(at) not in known
    }
    more: list[Seen] = []
    if not open_ones:
        return more
    dispatch = Dispatch(module, program.files)
    left = {id(at) for at in open_ones.values()}
    for root in _roots(module, [f for f in open_ones if f.module is module]):
        if left <= known:
            break
        try:
            graph = interpreted(program, module, root)
        except Spent:
            program.cut_short.setdefault(root, CUT)
            continue
        shapes = Shapes(graph)
        plans = []
        for site in sites(graph, shapes):
            at = site.softmax.at
            if id(at) in known or site.softmax.function is None or site.softmax.function.module is not module:
                continue
            known.add(id(at))
            plans.append(_plan(graph, site, dispatch))
        more.append(Seen(graph, shapes, plans, target))
    return more


def _plan(graph: Evaluation, site: Site, dispatch: Dispatch) -> Plan:
    made = Plan(graph, site)
    made.refused = _REFUSED
    function = site.softmax.function
    made.dispatched = function is not None and dispatch.offers_kernel(function)
    return made


def _open(seen: Seen) -> Iterator[tuple[FunctionSource | None, ast.AST | None]]:
    """The softmaxes of an evaluation that may be a part of an attention that is not all in sight."""
    moments = seen.evaluation.moments
    chains = Chains(seen.evaluation, seen.shapes)
    products = [one.term for one in moments if one.term.op in PRODUCTS]
    for term in dict.fromkeys(one.term for one in moments if one.term.op == "softmax"):
        scores = softmax_input(term)
        if scores is None:
            continue
        if chains.scores(scores) is None:
            if _is_given(scores):
                yield term.function, term.at
        elif not any(within(one, {term}) for one in products):
            yield term.function, term.at


def _is_given(scores: Term) -> bool:
    """Whether a value comes from outside, as far as it is changed as scores are."""
    pending, seen = [scores], set()
    while pending:
        term = pending.pop()
        if term in seen:
            continue
        seen.add(term)
        if term.op in _GIVEN:
            return True
        if term.op == "phi":
            pending += term.operands[1:]
        elif term.op in _STEPS:
            pending.append(term.first)
    return False


# Who leads to a function


def _roots(module: Module, functions: list[FunctionSource]) -> list[FunctionSource | None]:
    """What of a file leads by names to one of these functions, the nearest first; None stands for its top level.

    What only builds an object of a class comes last: its methods are called by others.
    """
    here = {function: _text(module, function) for function in module.functions_in_order()}
    found: dict[FunctionSource, None] = dict.fromkeys(functions)
    builders: dict[FunctionSource, None] = {}
    words: set[bytes] = set()
    pending = [*functions]
    for function in pending:
        names = _names(module, function)
        words |= names
        of_class = function.name.encode() not in names
        for one, text in here.items():
            if one in found or one in builders or not _mentions(text, names):
                continue
            pending.append(one)
            if one.name == "__init__" and one.owner is not None:
                builders[one] = None
                more = [m for m in _methods(module, one.owner) if m not in found and m.name != "__init__"]
                found.update(dict.fromkeys(more))
                pending += more
            else:
                (builders if of_class else found)[one] = None
        if function.owner is not None:
            for heir in _heirs(module, function.owner):
                found.update((module.as_method_of(m, heir), None) for m in _run_on(function.owner, heir))
    roots: list[FunctionSource | None] = [*found]
    body = b"\n".join(line for line in module.lines if not line[:1].isspace() and b"def " not in line[:10])
    if _mentions(body, words):
        roots.append(None)
    return [*roots, *(one for one in builders if one.name != "__init__")][:_ROOTS]


def _run_on(cls: ClassSource, heir: ClassSource) -> list[FunctionSource]:
    """The methods that are called with an object itself, and that an heir takes over from a class."""
    names = ("forward", "__call__")
    return [cls.methods[name] for name in names if name in cls.methods and name not in heir.methods]


def _text(module: Module, function: FunctionSource) -> bytes:
    """The text of a function with its decorators."""
    rows = [one.lineno for one in getattr(function.node, "decorator_list", ())]
    return module.text(min(rows), function.node.end_lineno or 0) if rows else function.text


def _names(module: Module, function: FunctionSource) -> set[bytes]:
    """The names by which other code comes to a function: its own, its class's, those that hold it."""
    owner = function.owner
    if owner is not None and (function.name.startswith("__") or function.name == "forward"):
        names = {owner.name.encode(), *(cls.name.encode() for cls in _heirs(module, owner))}
    else:
        names = {function.name.encode()}
    bound: list[tuple[str, ast.expr | None]] = [*module.assignments.items()]
    for cls in module.classes.values():
        bound += cls.assignments.items()
    for name, value in bound:
        if value is not None and _mentions(module.text(value.lineno, value.end_lineno or 0), names):
            names.add(name.encode())
    return names


def _heirs(module: Module, cls: ClassSource) -> list[ClassSource]:
    """The classes of a file that derive from one of them."""
    names, found = {cls.name}, []
    for one in module.classes.values():
        if any(getattr(base, "id", "") in names for base in one.bases):
            names.add(one.name)
            found.append(one)
    return found


def _methods(module: Module, cls: ClassSource) -> list[FunctionSource]:
    """The methods of a class and of those that derive from it."""
    return [method for one in (cls, *_heirs(module, cls)) for method in one.methods.values()]


def _mentions(text: bytes, words: Iterable[bytes]) -> bool:
    return any(has_word(text, word) for word in words)
