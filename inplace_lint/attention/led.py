"""Finds attentions whose parts meet only in a caller, by running the interpreter on the callers; offers no fix.

A softmax is *open* if its scores enter the evaluated function from outside or its weights leave it; a kernel call is
open if one of its operands enters from outside. The interpreter then runs the functions of the file that reach it by
name, the nearest callers first.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..prefilter.source_words import has_word
from ..resolve.classes import heirs
from ..syntax.module import ClassSource
from .calls import argument_of, module_of
from .chains import PRODUCTS, Chains
from .dispatch import Dispatch
from .find import CUT, Seen
from .frames import Spent
from .graph_run import graph_as_built
from .labels import softmax_input
from .ops import VIEWS
from .plan import Plan
from .recognise import sites
from .shapes import Shapes
from .terms import Term, ends, is_const, sources
from .tree import nodes_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..interp.program import Program
    from ..syntax.module import FunctionSource, Module
    from .graph import Graph
    from .site import Site
    from .target import Target

#: Limit on the functions of a file that are run to find open attentions.
_ROOTS = 8
_REFUSED = "its parts are brought together by code that the fix does not follow"
#: Operations of values that enter the evaluated function from outside.
_GIVEN = frozenset("param opaque element global item getitem attr".split())
_STEPS = frozenset(
    "mul div add sub neg masked_fill where cast contiguous clone transpose permute reshape clamp dropout".split()
)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
#: Words in a file that creates triangular masks, and in one that repeats heads.
_TRIANGLES = (b"tril", b"triu")
_REPEATS = (b"repeat_interleave", b"expand(")
_GIVEN_TO_KERNEL = frozenset("param opaque element global".split())
_VIEWED = VIEWS | frozenset("contiguous clone detach cast invert eq ne buffer".split())


def led(program: Program, module: Module, found: list[Seen], target: Target) -> list[Seen]:
    """Runs callers for the open softmaxes and kernel calls of a file; returns what each run found."""
    known = {id(one.site.softmax.at) for seen in found for one in seen.plans}
    softmaxes: dict[int, FunctionSource] = {}
    calls: dict[int, FunctionSource] = {}
    for seen in found:
        softmaxes |= {id(at): function for function, at in _open(seen) if id(at) not in known}
        calls |= _open_calls(seen)
    more: list[Seen] = []
    sought = [f for f in dict.fromkeys((*softmaxes.values(), *calls.values())) if f.module is module]
    if not sought:
        return more
    dispatch = Dispatch(module, program.names)
    for root in _roots(module, sought):
        if softmaxes.keys() <= known and not calls:
            break
        try:
            graph = graph_as_built(program, module, root)
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
        more.append(Seen(graph, shapes, plans, target, frozenset(calls), _REFUSED))
    return more


def _plan(graph: Graph, site: Site, dispatch: Dispatch) -> Plan:
    made = Plan(graph, site)
    made.refused = site.problems[0] if site.problems else _REFUSED
    function = site.softmax.function
    made.dispatched = function is not None and dispatch.offers_kernel(function)
    return made


def _open(seen: Seen) -> Iterator[tuple[FunctionSource, ast.AST]]:
    """The softmaxes of a value graph that may belong to an attention whose other parts lie outside of it."""
    moments = seen.graph.moments
    chains = Chains(seen.graph, seen.shapes)
    multiplied = set(sources([one.term for one in moments if one.term.op in PRODUCTS]))
    for term in dict.fromkeys(one.term for one in moments if one.term.op == "softmax"):
        scores = softmax_input(term)
        if scores is None or term.function is None or term.at is None:
            continue
        if chains.scores(scores) is None:
            if _is_given(scores):
                yield term.function, term.at
        elif term not in multiplied:
            yield term.function, term.at


def _is_given(scores: Term) -> bool:
    """Whether scores enter from outside, apart from the usual steps on scores."""
    return any(end.op in _GIVEN for end in _ends(scores, _STEPS))


def _ends(value: Term, steps: frozenset[str]) -> Iterator[Term]:
    """The values at the start of a chain of `steps`, one for each path through its `phi`s."""
    pending, seen = [value], set()
    while pending:
        term = pending.pop()
        if term in seen:
            continue
        seen.add(term)
        if term.op == "phi":
            pending += term.operands[1:]
        elif term.op in steps:
            pending.append(term.first)
        else:
            yield term


def _open_calls(seen: Seen) -> dict[int, FunctionSource]:
    """The kernel calls with an operand that a caller determines, by id, each with its function."""
    return {
        id(moment.at): moment.function
        for op in ("sdpa", "mha")
        for ways in seen.calls(op)
        for moment in ways
        if moment.function is not None
        and any(_is_told(seen.graph, one) for one in _asked(moment.term, moment.function.module.source))
    }


def _asked(call: Term, text: bytes) -> list[Term]:
    """The operands of a kernel call that a rule may report on, judging by the words in the file."""
    masks = any(word in text for word in _TRIANGLES)
    if call.op == "mha":
        mask = argument_of(call, 5, "attn_mask")
        return [mask] if mask is not None and masks else []
    query, key, value, mask, p, causal = call.args[:6]
    found = [query, p]
    if masks or (b"masked_fill" in text and b"inf" in text):
        found.append(mask)
    if any(word in text for word in _REPEATS) or (is_const(causal, True) and b"cat(" in text):
        found += [key, value]
    return [one for one in found if one is not None]


def _is_told(graph: Graph, operand: Term) -> bool:
    """Whether an operand comes from outside the function, from a property, or from a call of anything but a layer."""
    for end in _ends(operand, _VIEWED):
        if end.op in _GIVEN_TO_KERNEL or (end.op == "call" and not _is_layer(graph, end.first)):
            return True
        if end.op in ("attr", "member") and _is_property(graph, end):
            return True
    return False


def _is_property(graph: Graph, read: Term) -> bool:
    """Whether the attribute read is a method of the object's class, such as a property."""
    obj = read.first
    cls = obj.args[0] if obj.op in ("instance", "new") else None
    cls = cls.args[0] if isinstance(cls, Term) and cls.op == "class" else cls
    return isinstance(cls, ClassSource) and graph.classes.method(cls, read.args[1]) is not None


def _is_layer(graph: Graph, func: Term) -> bool:
    """Whether the callee is a torch function, a tensor method, or a layer of torch or of a third party."""
    if func.op == "symbol":
        return bool(func.args[0].startswith("torch."))
    if func.op == "member" or module_of(graph, func) is not None:
        return True
    held = graph.classes.definition(func) if func.op == "attr" else None
    return held is not None and all(one.op in ("call", "const") or _built_by_torch(one) for one in ends(held))


def _built_by_torch(made: Term) -> bool:
    return made.op == "new" and isinstance(made.args[0], str)


# Callers of a function, found by name


def _roots(module: Module, functions: list[FunctionSource]) -> list[FunctionSource | None]:
    """The functions to run: these and those that reach them by name, the nearest first; None is the file's top level.

    Functions that only construct an object of the class come last: its methods are called by other code.
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
                more = [m for m in _methods(one.owner) if m not in found and m.name != "__init__"]
                found.update(dict.fromkeys(more))
                pending += more
            else:
                (builders if of_class else found)[one] = None
        if function.owner is not None:
            for heir in heirs(function.owner):
                found.update((module.as_method_of(m, heir), None) for m in _run_on(function.owner, heir))
    roots: list[FunctionSource | None] = [*found]
    if not words.isdisjoint(_said_by_the_body(module)):
        roots.append(None)
    return [*roots, *(one for one in builders if one.name != "__init__")][:_ROOTS]


def _said_by_the_body(module: Module) -> Iterator[bytes]:
    """The names used at the top level of a file outside of definitions and imports."""
    for statement in module.tree.body:
        if not isinstance(statement, _DEFINITIONS):
            for node in nodes_of(statement):
                name = getattr(node, "id", getattr(node, "attr", None))
                if isinstance(name, str):
                    yield name.encode()


def _run_on(cls: ClassSource, heir: ClassSource) -> list[FunctionSource]:
    """The methods that run when an object is called, and that `heir` inherits from `cls`."""
    names = ("forward", "__call__")
    return [cls.methods[name] for name in names if name in cls.methods and name not in heir.methods]


def _text(module: Module, function: FunctionSource) -> bytes:
    """The source of a function, decorators included."""
    rows = [one.lineno for one in getattr(function.node, "decorator_list", ())]
    return module.text(min(rows), function.node.end_lineno or 0) if rows else function.text


def _names(module: Module, function: FunctionSource) -> set[bytes]:
    """The names by which other code may reach a function: its own, its class's, and variables that hold it."""
    owner = function.owner
    if owner is not None and (function.name.startswith("__") or function.name == "forward"):
        names = {owner.name.encode(), *(cls.name.encode() for cls in heirs(owner))}
    else:
        names = {function.name.encode()}
    bound: list[tuple[str, ast.expr | None]] = [*module.assignments.items()]
    for cls in module.classes.values():
        bound += cls.assignments.items()
    for name, value in bound:
        if value is not None and _mentions(module.text(value.lineno, value.end_lineno or 0), names):
            names.add(name.encode())
    return names


def _methods(cls: ClassSource) -> list[FunctionSource]:
    """The methods of a class and of its subclasses in the file."""
    return [method for one in (cls, *heirs(cls)) for method in one.methods.values()]


def _mentions(text: bytes, words: Iterable[bytes]) -> bool:
    return any(has_word(text, word) for word in words)
