"""Turns a call into a term: a torch operation, the forward of an nn.Module, or an opaque `call` with its effects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel import randomness, table
from . import ops
from .aliases import is_fresh_layer
from .dispatch import is_kernel
from .frames import Unfollowed
from .operations import MAKERS, einsum, method, operation
from .terms import Term, ends, integer, is_const, parts

if TYPE_CHECKING:
    import ast

    from .graph import Graph

#: Modules whose forward is one torch operation on one argument.
_MODULES = {"torch.nn.Softmax": "softmax", "torch.nn.Dropout": "dropout"}
_SAME = frozenset({"torch.nn.Identity"})
_SEQUENTIAL = "torch.nn.Sequential"
_PYTHON_NUMBERS = frozenset({"int", "float", "abs", "round", "min", "max", "len", "pow"})


def call(
    graph: Graph,
    func: Term,
    args: list[Term] | None,
    kwargs: dict[str, Term] | None,
    loose: list[Term],
    at: ast.AST,
) -> Term:
    """The term of a call. `args` or `kwargs` is None where a spread hides what is passed; `loose` holds its parts."""
    if args is not None and kwargs is not None:
        made = apply(graph, func, args, kwargs, at)
        if made is not None:
            return made
    return unfollowed(graph, func, args, kwargs, loose, at)


def unfollowed(
    graph: Graph,
    func: Term,
    args: list[Term] | None,
    kwargs: dict[str, Term] | None,
    loose: list[Term],
    at: ast.AST,
) -> Term:
    """The term of a call of unknown code, which may write to every argument; records its sinks and effects."""
    operands = [*(args or ()), *(kwargs or {}).values(), *loose]
    if _is_print(func):
        for term in operands:
            graph.sink(at, "print", term)
        graph.effect(at, "print", func)
        return graph.terms.const(None)
    if func.op == "symbol" and (func.args[0] in _UNFOLLOWED or (func.args[0] in _OF_FRAME and not operands)):
        raise Unfollowed
    if not _reads_only(func):
        for term in operands:
            graph.sink(at, "call", term)
    if func.op == "member" and func.args[1].endswith("_") and not func.args[1].startswith("_"):
        receiver = func.args[0]
        changed = graph.terms("call", func, *operands, at=at)
        graph.replace(receiver, changed, at)
        return changed
    names = tuple(kwargs or ())
    term = graph.terms("call", func, len(args or ()), names, *operands, at=at, repeats=_repeats(graph, func))
    if func.op == "symbol" and is_kernel(func.args[0]):
        graph.moment(at, term)
    for written in _written(graph, func, operands, kwargs):
        graph.replace(written, graph.terms.opaque(at, written), at)
    _learn(graph, func, operands, term)
    if not _reads_only(func) and not _is_layer(graph, func):
        graph.effect(at, "call", term)
    return term


_UNFOLLOWED = frozenset({f"builtins.{name}" for name in ("locals", "globals", "eval", "exec", "compile")})
#: `vars()` without an argument reads the caller's local names; `vars(obj)` only reads attributes.
_OF_FRAME = frozenset({"builtins.vars"})


def _written(graph: Graph, func: Term, operands: list[Term], kwargs: dict[str, Term] | None) -> list[Term]:
    """The arguments that a call declares to write: `out=`, or its first operand under `inplace=True`."""
    found = [kwargs["out"]] if kwargs and "out" in kwargs else []
    made = module_of(graph, func)
    flag = (kwargs or {}).get("inplace") if made is None else argument_of(made, 99, "inplace")
    if flag is not None and not is_const(flag, False):
        found += operands[:1]
    return found


def _is_layer(graph: Graph, func: Term) -> bool:
    """Whether the callee is an instance of a torch.nn class."""
    return module_of(graph, func) is not None


def _repeats(graph: Graph, func: Term) -> bool:
    """Whether a callee gives the same whenever it is given the same, as most functions and layers of torch do."""
    if func.op == "symbol":
        return _reads_only(func) and func.args[0].rpartition(".")[2] not in randomness.FUNCTIONS
    made = module_of(graph, func)
    if made is None or (func.op == "new" and func.at is None):
        return False  # nothing tells it from others that were built alike
    if any(one.op == "instance" and one.args[1] and one.args[1].many for one in parts(func)):
        return False
    inside = [one for one in parts(made) if one.op in ("new", "instance", "opaque", "call")]
    kinds = [one.args[0] if one.op == "new" else None for one in inside]
    return all(isinstance(kind, str) and kind.rpartition(".")[2] not in randomness.LAYERS for kind in kinds)


def apply(
    graph: Graph, func: Term, args: list[Term], kwargs: dict[str, Term], at: ast.AST | None
) -> Term | None:
    """The term of a call whose arguments are all known; None if nothing is known of the callee."""
    if func.op == "symbol":
        return _symbol(graph, func.args[0], args, kwargs, at)
    if func.op == "member":
        return method(graph, func.args[0], func.args[1], args, kwargs, at)
    if func.op in ("attr", "new", "getitem"):
        return _module(graph, func, args, kwargs, at)
    return None


def _symbol(
    graph: Graph, dotted: str, args: list[Term], kwargs: dict[str, Term], at: ast.AST | None
) -> Term | None:
    terms = graph.terms
    op, in_place = ops.of_function(dotted)
    if op:
        return operation(graph, op, args, kwargs, in_place, at)
    space, _, name = dotted.rpartition(".")
    if name == "einsum":
        return einsum(graph, args, at)
    if dotted in ("einops.rearrange", "einops.repeat", "einops.reduce"):
        if len(args) >= 2 and name != "reduce":
            return terms(name_of_einops(name), *args[:2], tuple(kwargs), *kwargs.values(), at=at)
        return None
    if space == "math" or (space == "builtins" and name in _PYTHON_NUMBERS):
        if name == "len" and args and args[0].op == "shape":
            return None
        if name in ("int", "float") and len(args) == 1 and args[0].op in ("size", "floordiv", "mul", "const"):
            return args[0] if args[0].op != "const" else terms(dotted, *args, at=at)
        return terms(dotted, *args, at=at)
    if is_class(dotted):
        return terms("new", dotted, tuple(kwargs), len(args), *args, *kwargs.values(), at=at)
    if dotted == "torch.finfo":
        return terms("finfo", *args, at=at)
    if dotted in ("builtins.isinstance", "builtins.hasattr", "builtins.callable", "builtins.getattr"):
        return terms(name, *args, at=at)
    return None


def is_class(dotted: str) -> bool:
    """Whether a dotted name is a class of torch.nn."""
    return dotted.startswith("torch.nn.") and dotted.count(".") == 2 and dotted[9:10].isupper()


def is_maker(dotted: str) -> bool:
    """Whether a function of torch creates a tensor from sizes or Python values, such as `torch.zeros`."""
    return dotted.rpartition(".")[0] == "torch" and dotted.rpartition(".")[2] in MAKERS


def name_of_einops(name: str) -> str:
    """The operation of an einops function; `einops.repeat` must not be confused with `Tensor.repeat`."""
    return "einops_repeat" if name == "repeat" else name


def module_of(graph: Graph, func: Term) -> Term | None:
    """The `new` term of the torch.nn module that a callee refers to; None if it is not known to be one."""
    if func.op == "new":
        return func if isinstance(func.args[0], str) else None
    if func.op == "getitem":
        made = _element_of(graph, func)
        return made if made is not None and made.op == "new" and isinstance(made.args[0], str) else None
    if func.op != "attr":
        return None
    made = graph.classes.definition(func)
    return made if made is not None and made.op == "new" and isinstance(made.args[0], str) else None


def _element_of(graph: Graph, item: Term) -> Term | None:
    """The module at a constant index of an nn.Sequential."""
    whole = module_of(graph, item.args[0])
    number = integer(item.args[1])
    if whole is None or whole.args[0] != _SEQUENTIAL or whole.args[1] or number is None:
        return None
    elements: tuple[Term, ...] = whole.args[3:]
    return elements[number] if -len(elements) <= number < len(elements) else None


def kind_of(graph: Graph, func: Term) -> str:
    """The full torch.nn class name of the module that a callee refers to; "" if unknown."""
    made = module_of(graph, func)
    return "" if made is None else str(made.args[0])


def argument_of(call: Term, position: int, name: str) -> Term | None:
    """One argument of a `new` term (a torch.nn constructor) or of an `mha` term (a call of nn.MultiheadAttention)."""
    names: tuple[str, ...] = call.args[1]
    count: int = call.args[2]
    values: tuple[Term, ...] = call.args[3:]
    if position < count:
        return values[position]
    return values[count + names.index(name)] if name in names else None


def _module(
    graph: Graph, func: Term, args: list[Term], kwargs: dict[str, Term], at: ast.AST | None
) -> Term | None:
    """The term of a call of a torch.nn module that an object holds; None if its forward is not modelled."""
    made = module_of(graph, func)
    terms = graph.terms
    if made is None and func.op == "getitem":
        return None
    if made is None:
        found = graph.classes.definition(func) if func.op == "attr" else None
        if len(args) == 1 and not kwargs and _may_be(found, "torch.nn.Dropout"):
            return terms("dropout", args[0], None, None, func, "maybe", at=at)
        return None
    name = made.args[0]
    if name == "torch.nn.MultiheadAttention":
        term = terms("mha", func, tuple(kwargs), len(args), *args, *kwargs.values(), at=at)
        if at is not None:
            graph.moment(at, term)
        return term
    if len(args) != 1 or kwargs:
        return None
    if name in _SAME:
        return args[0]
    if name == _SEQUENTIAL:
        return _in_turn(graph, func, made, args[0], at)
    op = _MODULES.get(name)
    if op == "softmax":
        dim = argument_of(made, 0, "dim")
        term = terms("softmax", args[0], dim, None, func, at=at)
        if at is not None:
            graph.moment(at, term)
        return term
    if op == "dropout":
        return terms("dropout", args[0], argument_of(made, 0, "p"), None, func, at=at)
    return None


def _in_turn(graph: Graph, func: Term, made: Term, value: Term, at: ast.AST | None) -> Term | None:
    """Chains the forwards of an nn.Sequential whose elements are all modelled modules (softmax, dropout, identity)."""
    elements = [graph.terms("getitem", func, graph.terms.const(i)) for i in range(len(made.args) - 3)]
    kinds = [kind_of(graph, one) for one in elements]
    if func.op != "attr" or not any(one in _MODULES for one in kinds) or not {*kinds} <= {*_MODULES, *_SAME}:
        return None
    made_of: Term | None = value
    for one in elements:
        made_of = None if made_of is None else _module(graph, one, [made_of], {}, at)
    return made_of


def _may_be(value: Term | None, dotted: str) -> bool:
    """Whether a value, or one arm of its `phi`s, is an object of the class `dotted`."""
    return value is not None and any(one.op == "new" and one.args[0] == dotted for one in ends(value))


def _learn(graph: Graph, func: Term, operands: list[Term], result: Term) -> None:
    """Records the channel axis of a layer's argument and result, and whether the result has its own storage."""
    made = module_of(graph, func)
    if made is None:
        found = graph.classes.definition(func) if func.op == "attr" else None
        if func.op == "attr" and not any(_may_be(found, same) for same in _SAME):
            graph.fresh.add(result)  # an unknown module is assumed to allocate its result
        return
    kind = made.args[0].rpartition(".")[2]
    if is_fresh_layer(kind):
        graph.fresh.add(result)
    if len(operands) != 1:
        return
    channel = -1 if kind in ("Linear", "LayerNorm", "RMSNorm") else 1
    if channel == -1 or kind.startswith(("Conv", "BatchNorm", "GroupNorm", "InstanceNorm")):
        graph.channels.setdefault(operands[0], channel)
        graph.channels.setdefault(result, channel)


def _is_print(func: Term) -> bool:
    if func.op == "symbol":
        return func.args[0] in ("builtins.print", "warnings.warn") or func.args[0].startswith("logging.")
    return func.op == "member" and func.args[1] in ("debug", "info", "warning", "warning_once")


def _reads_only(func: Term) -> bool:
    """Whether a callee is a function known to have no side effects."""
    if func.op != "symbol":
        return False
    space, _, name = func.args[0].rpartition(".")
    if space in ("torch", "torch.nn.functional", "torch.special", "torch.linalg", "torch.fft"):
        return not name.endswith("_") and table.exists_function(func.args[0])
    return space in ("math", "einops", "torch.jit") or func.args[0] in _PURE


_PURE = {
    *(f"builtins.{name}" for name in "len range int float bool str tuple list isinstance hasattr".split()),
    *(f"builtins.{name}" for name in "getattr min max".split()),
    *("torch.finfo", "torch.iinfo", "torch.device", "torch.Size"),
}
