"""What a call gives: an operation of torch, a module's forward, a function of the project, or something unknown."""

from __future__ import annotations

from ..torchmodel import table
from . import objects, ops
from .aliases import is_fresh_layer
from .terms import Term, is_const, items

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast

    from .evaluate import Evaluation

#: Modules whose forward is an operation on their one argument.
_MODULES = {"torch.nn.Softmax": "softmax", "torch.nn.Dropout": "dropout"}
#: Functions that make a tensor of nothing; no method of a tensor.
_MAKERS = frozenset({"ones", "zeros", "full", "tensor", "arange", "rand", "randn", "empty"})
_SAME = frozenset({"torch.nn.Identity"})
_PYTHON_NUMBERS = frozenset({"int", "float", "abs", "round", "min", "max", "len", "pow"})


def call(
    evaluation: Evaluation,
    func: Term,
    args: list[Term] | None,
    kwargs: dict[str, Term] | None,
    loose: list[Term],
    at: ast.AST,
) -> Term:
    """The value of a call; `args` or `kwargs` is None where it is not known what is passed (`loose` are its parts)."""
    if args is not None and kwargs is not None:
        made = apply(evaluation, func, args, kwargs, at)
        if made is not None:
            return made
    operands = [*(args or ()), *(kwargs or {}).values(), *loose]
    if _is_print(func):
        for term in operands:
            evaluation.sink(at, "print", term)
        evaluation.effect(at, "print", func)
        return evaluation.terms.const(None)
    if func.op == "symbol" and func.args[0] in _UNFOLLOWED:
        raise Unfollowed
    if not _reads_only(func):
        for term in operands:
            evaluation.sink(at, "call", term)
    if func.op == "member" and func.args[1].endswith("_") and not func.args[1].startswith("_"):
        receiver = func.args[0]
        changed = evaluation.terms("call", func, *operands, at=at)
        evaluation.replace(receiver, changed, at)
        return changed
    names = tuple(kwargs or ())
    term = evaluation.terms("call", func, len(args or ()), names, *operands, at=at)
    for written in _written(evaluation, func, operands, kwargs):
        evaluation.replace(written, evaluation.terms.opaque(at, written), at)
    _learn(evaluation, func, operands, term)
    if not _reads_only(func) and not _is_layer(evaluation, func):
        evaluation.effect(at, "call", term)
    return term


class Unfollowed(Exception):
    """The function does what cannot be followed at all: nothing is said of it."""


_UNFOLLOWED = frozenset(
    {f"builtins.{name}" for name in ("locals", "globals", "vars", "eval", "exec", "compile")}
)


def _written(
    evaluation: Evaluation, func: Term, operands: list[Term], kwargs: dict[str, Term] | None
) -> list[Term]:
    """What a call writes by its own words: `out=`, or its argument where it is told to work in place."""
    found = [kwargs["out"]] if kwargs and "out" in kwargs else []
    made = module_of(evaluation, func)
    flag = (kwargs or {}).get("inplace") if made is None else argument_of(made, 99, "inplace")
    if flag is not None and not is_const(flag, False):
        found += operands[:1]
    return found


def _is_layer(evaluation: Evaluation, func: Term) -> bool:
    """Whether a call runs a layer of torch."""
    return module_of(evaluation, func) is not None


def apply(
    evaluation: Evaluation, func: Term, args: list[Term], kwargs: dict[str, Term], at: ast.AST | None
) -> Term | None:
    """The value of a call whose arguments are known one by one; None if nothing is known of the function."""
    if func.op == "symbol":
        return _symbol(evaluation, func.args[0], args, kwargs, at)
    if func.op == "function":
        return _function(evaluation, func, args, kwargs, at)
    if func.op == "partial":
        keywords = dict(zip(func.args[1], func.args[2:]))
        return apply(evaluation, func.args[0], args, {**keywords, **kwargs}, at)
    if func.op == "member":
        return _method(evaluation, func.args[0], func.args[1], args, kwargs, at)
    if func.op == "registers" and evaluation.recorder is not None and len(args) >= 2 and is_const(args[0]):
        evaluation.recorder.set(str(args[0].args[0]), evaluation.terms("buffer", args[1]), False)
        return evaluation.terms.const(None)
    if func.op in ("attr", "new"):
        return _module(evaluation, func, args, kwargs, at)
    if func.op == "phi":
        arms = [apply(evaluation, arm, list(args), dict(kwargs), at) for arm in func.args[1:]]
        if arms[0] is not None and arms[1] is not None:
            return evaluation.phi(func.args[0], arms[0], arms[1], at)
    if func.op == "class":
        return evaluation.terms("new", func, *args, *kwargs.values(), at=at)
    return None


def _symbol(
    evaluation: Evaluation, dotted: str, args: list[Term], kwargs: dict[str, Term], at: ast.AST | None
) -> Term | None:
    terms = evaluation.terms
    op, in_place = ops.of_function(dotted)
    if op:
        return operation(evaluation, op, args, kwargs, in_place, at)
    space, _, name = dotted.rpartition(".")
    if name == "einsum":
        return _einsum(evaluation, args, at)
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
    if dotted == "builtins.map" and len(args) == 2:
        elements = items(args[1])
        if elements is not None and not any(one.op == "star" for one in elements):
            made = [apply(evaluation, args[0], [one], {}, at) for one in elements]
            return None if None in made else terms("tuple", *made, at=at)
        return terms("mapped", *args, at=at)
    if dotted in ("builtins.tuple", "builtins.list") and len(args) == 1:
        return args[0] if args[0].op in ("tuple", "list", "mapped", "comprehension", "chunk") else None
    if dotted == "builtins.zip" and args:
        columns = [items(a) for a in args]
        if all(c is not None and not any(one.op == "star" for one in c) for c in columns):
            rows = zip(*(c for c in columns if c is not None))
            return terms("tuple", *(terms("tuple", *row) for row in rows))
        return terms("zip", *args, at=at)
    if dotted == "functools.partial" and len(args) == 1:
        return terms("partial", args[0], tuple(kwargs), *kwargs.values(), at=at)
    if is_class(dotted):
        return terms("new", dotted, tuple(kwargs), len(args), *args, *kwargs.values(), at=at)
    if dotted == "torch.finfo":
        return terms("finfo", *args, at=at)
    if dotted == "builtins.print":
        return None
    if dotted in ("builtins.isinstance", "builtins.hasattr", "builtins.callable", "builtins.getattr"):
        return terms(name, *args, at=at)
    return None


def is_class(dotted: str) -> bool:
    """Whether a name is a class of torch.nn."""
    return dotted.startswith("torch.nn.") and dotted.count(".") == 2 and dotted[9:10].isupper()


def name_of_einops(name: str) -> str:
    """Einops' `repeat` is another operation than the tensor's method."""
    return "einops_repeat" if name == "repeat" else name


def _einsum(evaluation: Evaluation, args: list[Term], at: ast.AST | None) -> Term | None:
    """torch's and einops' forms: the equation first, or the tensors first."""
    equation = [a for a in args if is_const(a) and isinstance(a.args[0], str)]
    tensors = [a for a in args if a not in equation]
    if len(tensors) == 1 and items(tensors[0]) is not None:
        tensors = list(items(tensors[0]) or ())
    if len(equation) != 1 or not tensors:
        return None
    term = evaluation.terms("einsum", equation[0], *tensors, at=at)
    if at is not None:
        evaluation.moment(at, term)
    return term


def operation(
    evaluation: Evaluation,
    op: str,
    args: list[Term],
    kwargs: dict[str, Term],
    in_place: bool,
    at: ast.AST | None,
) -> Term | None:
    """The term of a torch operation, arguments in the order of its signature, None where one is left out."""
    terms = evaluation.terms
    signature = ops.SIGNATURES[op]
    values: list[Term | None] = []
    position = 0
    spare = dict(kwargs)
    for parameter in signature:
        if parameter.startswith("*"):
            rest = args[position:]
            position = len(args)
            name = parameter[1:]
            if not rest and name in spare:
                rest = [spare.pop(name)]
            elif not rest and name == "shape" and "size" in spare:
                rest = [spare.pop("size")]
            if len(rest) == 1 and rest[0].op in ("tuple", "list", "shape"):
                values.append(rest[0])
            else:
                values.append(terms("tuple", *rest))
        elif position < len(args):
            values.append(args[position])
            position += 1
        else:
            given = spare.pop(parameter, None)
            if given is None:
                for other in _OTHER_NAMES.get(parameter, ()):
                    given = given or spare.pop(other, None)
            values.append(given)
    inplace_flag = spare.pop("inplace", None)
    dtype = spare.pop("dtype", None)
    unknown = [name for name in spare if name not in ops.IGNORED]
    extra = len(args) > position
    if op == "softmax" and extra and len(args) == 4:  # F.softmax(input, dim, _stacklevel, dtype)
        values[2], extra = args[3], False
    if op == "dropout" and extra and len(args) == 4:
        inplace_flag, extra = args[3], False
    if unknown or extra or None in values[: _NEEDED.get(op, 1)] or "out" in spare:
        return None
    if op == "max" and values[1] is not None and values[1].op not in ("const",):
        return None
    if dtype is not None and (op in _MAKERS or op in ("ones_like", "zeros_like")):
        values.append(dtype)
    elif dtype is not None and op not in ("softmax", "cast", "sum"):
        return None
    if op == "reshape" and values[1] is not None and _is_dtype(items(values[1])):
        op, values = "cast", [values[0], (items(values[1]) or ())[0]]
    term = terms(op, *values, at=at)
    if in_place or (inplace_flag is not None and not is_const(inplace_flag, False)):
        first = values[1] if op == "where" else values[0]
        if first is not None and at is not None:
            evaluation.replace(first, term, at)
    if op in ("matmul", "bmm", "baddbmm", "softmax", "sdpa") and at is not None:
        evaluation.moment(at, term)
    return term


_OTHER_NAMES = {
    "input": ("x", "self"),
    "other": ("mat2", "tensor2", "vec2"),
    "mat2": ("other",),
    "min": ("low",),
    "dims": ("dim",),
    "dim": ("axis",),
    "training": ("train",),
    "keepdim": ("keepdims",),
}


#: How many arguments an operation cannot do without.
_NEEDED = dict.fromkeys(
    "matmul bmm mul div add sub pow eq ne lt gt le ge and or expand_as split".split(), 2
) | (dict.fromkeys("baddbmm masked_fill where transpose movedim sdpa".split(), 3))


def _is_dtype(elements: tuple[Term, ...] | None) -> bool:
    return elements is not None and len(elements) == 1 and elements[0].op == "symbol"


def _method(
    evaluation: Evaluation,
    obj: Term,
    name: str,
    args: list[Term],
    kwargs: dict[str, Term],
    at: ast.AST | None,
) -> Term | None:
    terms = evaluation.terms
    if name == "size":
        if not args and not kwargs:
            return terms("shape", obj, at=at)
        which = args[0] if args else kwargs.get("dim")
        return None if which is None else terms("size", obj, which, at=at)
    if name in ops.CASTS and not args and not kwargs:
        return terms("cast", obj, terms("symbol", ops.CASTS[name]), at=at)
    if name in ("to", "type"):
        return _to(evaluation, obj, args, kwargs, at)
    if name == "type_as" and len(args) == 1:
        return terms("cast", obj, terms("member", args[0], "dtype"), at=at)
    if name in ("cuda", "cpu", "requires_grad_") and not kwargs:
        return obj
    if name in ("dim", "numel", "item", "ndimension") and not args:
        return terms(name, obj, at=at)
    op, in_place = ops.of_method(name)
    if not op or op in ("sdpa", "normalize", "linear", "stack", "cat") or op in _MAKERS:
        return None
    if op == "where":
        return terms("where", args[0], obj, args[1], at=at) if len(args) == 2 and not kwargs else None
    return operation(evaluation, op, [obj, *args], kwargs, in_place, at)


def _to(
    evaluation: Evaluation, obj: Term, args: list[Term], kwargs: dict[str, Term], at: ast.AST | None
) -> Term | None:
    """`x.to(…)`: a cast where a dtype is among the arguments; a move to a device changes nothing here."""
    dtype = kwargs.get("dtype")
    for term in args:
        if (term.op == "symbol" and term.args[0].startswith("torch.")) or (
            term.op == "member" and term.args[1] == "dtype"
        ):
            dtype = term
        elif (term.op == "member" and term.args[1] == "device") or is_const(term):
            continue
        elif len(args) == 1 and not kwargs:  # another tensor, or a device, or a dtype in a variable
            return evaluation.terms("cast", obj, evaluation.terms("member", term, "dtype"), at=at) if term.op in (
                "matmul", "cast", "add", "param", "item", "softmax", "permute", "transpose", "reshape", "call"
            ) else None  # fmt: skip
    return obj if dtype is None else evaluation.terms("cast", obj, dtype, at=at)


def _function(
    evaluation: Evaluation, func: Term, args: list[Term], kwargs: dict[str, Term], at: ast.AST | None
) -> Term | None:
    """Follow a call of a function of the project."""
    source, self_, _ = func.args
    made_in = evaluation.classes.closures.get(func)
    if not objects.is_plain(source):
        return None
    arguments = source.node.args
    parameters = [p.arg for p in source.parameters]
    given = list(args) if self_ is None else [self_, *args]
    if arguments.vararg is not None or arguments.kwarg is not None or len(given) > len(parameters):
        return None
    names = dict(zip(parameters, given))
    for name, term in kwargs.items():
        if name in names or name not in (*parameters, *(p.arg for p in arguments.kwonlyargs)):
            return None
        names[name] = term
    for parameter in (*source.parameters, *arguments.kwonlyargs):
        if parameter.arg not in names:
            default = source.default_of(parameter)
            if default is None:
                return None
            names[parameter.arg] = objects.evaluate_at(evaluation, source.module, default)
    outermost = evaluation.site is None
    if outermost:
        evaluation.site = at
    value = evaluation.enter(source, names, self_, made_in)
    if outermost:
        evaluation.site = None
    if value is not None and at is not None:
        evaluation.moment(at, value)
    return value


def module_of(evaluation: Evaluation, func: Term) -> Term | None:
    """The module object, as `__init__` builds it, that an attribute holds."""
    if func.op == "new":
        return func if isinstance(func.args[0], str) else None
    if func.op != "attr":
        return None
    made = evaluation.classes.definition(func)
    return made if made is not None and made.op == "new" and isinstance(made.args[0], str) else None


def argument_of(made: Term, position: int, name: str) -> Term | None:
    """An argument of the call that built a module of torch."""
    names, count = made.args[1], made.args[2]
    values = made.args[3:]
    if position < count:
        return values[position]  # type: ignore[no-any-return]
    return values[count + names.index(name)] if name in names else None


def passed(call: Term, position: int, name: str) -> Term | None:
    """An argument of a call of nn.MultiheadAttention."""
    names, count, values = call.args[1], call.args[2], call.args[3:]
    if position < count:
        return values[position]  # type: ignore[no-any-return]
    return values[count + names.index(name)] if name in names else None


def _module(
    evaluation: Evaluation, func: Term, args: list[Term], kwargs: dict[str, Term], at: ast.AST | None
) -> Term | None:
    """The forward of a module that the object holds."""
    made = module_of(evaluation, func)
    terms = evaluation.terms
    if made is None:
        found = evaluation.classes.definitions(func) if func.op == "attr" else []
        if len(args) == 1 and not kwargs and any(_may_be(one, "torch.nn.Dropout") for one in found):
            return terms("dropout", args[0], None, None, func, "maybe", at=at)
        only = found[0] if len(found) == 1 else None
        if only is not None and only.op in ("partial", "function"):
            return apply(evaluation, only, args, kwargs, at)
        if (
            only is not None
            and only.op == "new"
            and isinstance(only.args[0], Term)
            and only.args[0].op == "class"
        ):
            method = evaluation.classes.method(only.args[0].args[0], "forward")
            if method is not None:
                bound = terms("function", method, terms("instance", only.args[0].args[0]), 0)
                return _function(evaluation, bound, args, kwargs, at)
        return None
    name = made.args[0]
    if name == "torch.nn.MultiheadAttention":
        term = terms("mha", func, tuple(kwargs), len(args), *args, *kwargs.values(), at=at)
        if at is not None:
            evaluation.moment(at, term)
        return term
    if len(args) != 1 or kwargs:
        return None
    if name in _SAME:
        return args[0]
    op = _MODULES.get(name)
    if op == "softmax":
        dim = argument_of(made, 0, "dim")
        term = terms("softmax", args[0], dim, None, func, at=at)
        if at is not None:
            evaluation.moment(at, term)
        return term
    if op == "dropout":
        return terms("dropout", args[0], argument_of(made, 0, "p"), None, func, at=at)
    return None


def _may_be(term: Term, dotted: str) -> bool:
    if term.op == "phi":
        return any(_may_be(arm, dotted) for arm in term.args[1:] if isinstance(arm, Term))
    return term.op == "new" and term.args[0] == dotted


def _learn(evaluation: Evaluation, func: Term, operands: list[Term], result: Term) -> None:
    """A layer says which axis of its argument holds the channels, and whether its result is new."""
    made = module_of(evaluation, func)
    if made is None:
        if func.op == "attr" and not any(
            _may_be(one, same) for one in evaluation.classes.definitions(func) for same in _SAME
        ):
            evaluation.fresh.add(result)  # a module of which nothing is known: taken to compute something
        return
    kind = made.args[0].rpartition(".")[2]
    if is_fresh_layer(kind):
        evaluation.fresh.add(result)
    if len(operands) != 1:
        return
    if kind in ("Linear", "LayerNorm", "RMSNorm"):
        evaluation.channels.setdefault(operands[0], -1)
    elif kind.startswith(("Conv", "BatchNorm", "GroupNorm", "InstanceNorm")):
        evaluation.channels.setdefault(operands[0], 1)


def _is_print(func: Term) -> bool:
    if func.op == "symbol":
        return func.args[0] in ("builtins.print", "warnings.warn") or func.args[0].startswith("logging.")
    return func.op == "member" and func.args[1] in ("debug", "info", "warning", "warning_once")


def _reads_only(func: Term) -> bool:
    """Whether a function does nothing but compute its result."""
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
