"""Decides which terms are Python numbers and which are zero-dimensional tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .terms import Term, is_const

if TYPE_CHECKING:
    import ast

    from .graph import Graph


#: Recursion limit in steps of arithmetic; each step may have two operands, so the work grows exponentially.
_DEPTH = 6


def is_number(graph: Graph, term: Term, depth: int = 0) -> bool:
    """Whether a factor is a Python number, which the kernel's `scale` accepts, and not a tensor."""
    if is_scalar(term):
        return True
    if depth > _DEPTH:
        return False
    op, args = term.op, term.args
    if op in ("pow", "mul", "div", "add", "sub", "neg", "floordiv"):
        parts = [a for a in args if isinstance(a, Term)]
        return all(is_number(graph, a, depth + 1) or _is_built_with(a) for a in parts)
    if op == "attr":
        made = graph.classes.definition(term)
        return made is not None and is_number(graph, made, depth + 1)
    if op == "phi":
        arms = [a for a in args[1:] if not is_const(a, None)]
        return all(is_number(graph, a, depth + 1) or _is_built_with(a) for a in arms) and any(
            is_number(graph, a, depth + 1) for a in arms
        )
    if op == "param":
        return _is_annotated_number(term)
    return False


def _is_built_with(term: Term) -> bool:
    """Whether a term is a parameter of `__init__`, assumed to be a number if it occurs in arithmetic with numbers."""
    return term.op == "param" and getattr(term.at, "name", "") == "__init__"


def _is_annotated_number(term: Term) -> bool:
    parameter, default = parameter_of(term)
    if getattr(getattr(parameter, "annotation", None), "id", "") in ("int", "float"):
        return True
    value = getattr(default, "value", None)
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def parameter_of(term: Term) -> tuple[ast.arg | None, ast.expr | None]:
    """The syntax node and the default of the parameter behind a `param` term; None for either if it has none."""
    arguments = getattr(term.at, "args", None)
    if arguments is None:
        return None, None
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = dict(zip([p.arg for p in positional][::-1], arguments.defaults[::-1]))
    defaults.update({p.arg: d for p, d in zip(arguments.kwonlyargs, arguments.kw_defaults) if d is not None})
    named = {one.arg: one for one in (*positional, *arguments.kwonlyargs)}
    return named.get(term.args[0]), defaults.get(term.args[0])


def is_zero_dimensional(graph: Graph, term: Term, depth: int = 0) -> bool:
    """Whether a tensor is known to have no axes; False also for factors computed in too many steps."""
    if depth > _DEPTH:
        return False
    depth += 1
    if term.op in ("sqrt", "rsqrt", "cast", "exp", "neg"):
        return is_zero_dimensional(graph, term.args[0], depth)
    if term.op in ("mul", "div", "pow", "add", "sub"):
        return all(is_scalar(one) or is_zero_dimensional(graph, one, depth) for one in term.args[:2])
    if term.op == "attr":
        made = graph.classes.definition(term)
        return made is not None and is_zero_dimensional(graph, made, depth)
    if term.op == "new" and term.args[0] == "torch.nn.Parameter" and len(term.args) > 3:
        return is_zero_dimensional(graph, term.args[3], depth)
    if term.op == "buffer":
        return is_zero_dimensional(graph, term.args[0], depth)
    return term.op == "tensor" and isinstance(term.args[0], Term) and is_scalar(term.args[0])


def is_scalar(term: Term) -> bool:
    """Whether a term is a Python number, judging by its operations alone."""
    stack, seen = [term], set()
    while stack:
        one = stack.pop()
        if one in seen:
            continue
        seen.add(one)
        if one.op in ("pow", "mul", "div", "add", "sub", "neg"):
            stack += one.operands
        elif not _is_one_number(one):
            return False
    return True


def _is_one_number(term: Term) -> bool:
    if term.op == "const":
        return isinstance(term.args[0], (int, float)) and not isinstance(term.args[0], bool)
    return term.op in ("size", "dim", "numel", "floordiv", "finfo") or (
        term.op.startswith(("math.", "builtins.")) or (term.op == "member" and term.args[0].op == "finfo")
    )
