"""Decides which callees may keep the memory of a tensor that they are given, for a fix that replaces a write.

Operations of the table and functions of the project are followed, so a run knows what shares memory after them. Of
everything else this has the short list that only reads, or whose model keeps track; every other callee counts as a
holder. A name that is missing here makes a fix unsafe, and never wrong.

Only asked in runs that observe writes (`sharing`), so that a file without findings pays nothing.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..prefilter.package_uses import hooks_modules
from ..prefilter.set_anew import is_overridden, sets_attribute
from ..syntax.module import FunctionSource
from ..syntax.nodes import walk
from ..torchmodel import arrays as numpy
from ..torchmodel import table
from . import lookup
from .class_value import ClassValue
from .grad_mode import Mode
from .sharing import atoms, held, is_attribute_set_anew, is_local, is_set_anew
from .values import (
    Constant,
    FunctionValue,
    Instance,
    Mapping_,
    Native,
    Scalar,
    Sequence_,
    Symbol,
    Tensor,
    TorchModule,
    Unknown,
    alternatives,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..torchmodel.facts import Facts
    from .run import Run
    from .storage import Storage
    from .values import Value

#: By module: callees that only read their arguments, or whose result the run follows, with all that it shares.
_FOLLOWED = {
    "builtins": "abs all any bool callable chr complex dict divmod enumerate filter float format frozenset getattr "
    "hasattr int isinstance issubclass iter len list map max min next object.__getattribute__ ord pow print range "
    "repr reversed round set setattr sorted str sum super tuple zip",
    "operator": "add and_ attrgetter concat contains eq floordiv ge getitem gt is_ is_not itemgetter le lt matmul "
    "methodcaller mod mul ne not_ or_ pow sub truediv xor",
    "itertools": "accumulate chain chain.from_iterable islice repeat starmap",
    "collections": "ChainMap OrderedDict defaultdict deque namedtuple",
    "copy": "copy deepcopy",
    "functools": "partial reduce wraps",
    "einops": "einsum pack rearrange reduce repeat unpack",
    "torch": "as_tensor asarray autograd.Variable autograd.backward autograd.grad from_dlpack from_numpy is_tensor "
    "to_dlpack utils.checkpoint.checkpoint utils.dlpack.from_dlpack utils.dlpack.to_dlpack",
    "random": "gauss randint random randrange seed uniform",
    "types": "SimpleNamespace",
    "typing": "cast",
}
_FOLLOWED_NAMES = frozenset(
    f"{module}.{name}" for module, names in _FOLLOWED.items() for name in names.split()
)
_SETATTR = frozenset({"builtins.setattr", "builtins.object.__setattr__"})
#: Decorators that leave a function what it is.
_PLAIN_DECORATORS = frozenset(
    "abc.abstractmethod builtins.classmethod builtins.property builtins.staticmethod contextlib.contextmanager "
    "functools.cache functools.cached_property functools.lru_cache functools.wraps torch.compile torch.jit.export "
    "torch.jit.ignore torch.jit.script typing.override typing.overload".split()
)
#: Whole modules of functions of numbers and texts.
_OF_NUMBERS = frozenset({"math", "time", "re"})
#: Operations whose data is no operand in the table, and which copy it (as the documentation of each promises).
_COPY = frozenset({"aten::tensor", "aten::new_tensor"})
#: Attributes and methods of a tensor that only tell something of its values, shape or kind, or are followed.
_TOLD = frozenset(
    "shape dtype device layout ndim itemsize nbytes requires_grad grad output_nr backward "
    "requires_grad_ is_cuda is_cpu is_sparse is_quantized is_meta is_leaf is_complex is_conj is_contiguous "
    "is_floating_point is_neg is_inference is_nonzero is_same_size is_signed is_pinned is_tensor numpy item tolist "
    "size dim dim_order ndimension numel nelement stride element_size get_device can_cast promote_types result_type "
    "__bool__ __complex__ __float__ __index__ __int__ __long__ __nonzero__".split()
)


def called(run: Run, func: Value, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> None:
    """Note what a callee, other than an operation, may keep of its arguments."""
    if _is_declared(run, func):
        return  # a declaration says all, and `applied` looks at it
    if isinstance(func, Symbol):
        if func.dotted in _SETATTR and len(args) > 2:
            name = args[1].value if isinstance(args[1], Constant) else ""
            set_on(run, args[0], str(name), args[2], at)
        follows = _follows(func.dotted, len(args), kwargs)
    elif isinstance(func, Native):
        follows = func.follows
    elif isinstance(func, ClassValue):
        follows = not func.external_bases() or lookup.find(run, func.order(), "__init__") is not None
    elif isinstance(func, FunctionValue):
        follows = _runs_at_once(func) and not is_overridden(func.source)
    else:
        follows = not isinstance(func, (Unknown, Sequence_, Scalar))
    if not follows:
        _keep(run, (*args, *kwargs.values()), at)


def _is_declared(run: Run, func: Value) -> bool:
    declared = run.program.declared
    if isinstance(func, FunctionValue):
        return declared.of(func.source) is not None
    return isinstance(func, Symbol) and declared.function(func.dotted, run.frame.module) is not None


def _runs_at_once(function: FunctionValue) -> bool:
    """Whether a call of a function runs its body, and nothing else: no coroutine, nothing that a decorator made."""
    return not isinstance(function.source.node, ast.AsyncFunctionDef) and all(
        isinstance(one, Mode) or (isinstance(one, Symbol) and one.dotted in _PLAIN_DECORATORS)
        for one in function.decorated or ()
    )


def is_exchanged(run: Run, at: ast.AST) -> bool:
    """Whether something else may be called by this name than the run believes: the file sets it anew."""
    func, module = getattr(at, "func", None), run.frame.module
    if isinstance(func, ast.Name):
        return is_set_anew(run, func.id)
    if not isinstance(func, ast.Attribute):
        return False
    root: ast.AST = func
    while isinstance(root, ast.Attribute):
        root = root.value
    if isinstance(root, ast.Name) and is_local(run, root.id):
        return is_attribute_set_anew(run, func.attr)
    return sets_attribute(module, func.attr) or run.program.prefilter.others.may_replace(module, func.attr)


def is_another_part(run: Run, obj: Instance, name: str) -> bool:
    """Whether an attribute may hold another layer than the run believes: it is set anew, or chosen from a table."""
    if is_attribute_set_anew(run, name):
        return True
    for cls in obj.cls.order():
        init = cls.source.methods.get("__init__")
        if init is not None and _is_chosen(run, init, f".{name}", 3):
            return True
    return False


def _is_chosen(run: Run, init: FunctionSource, name: str, depth: int) -> bool:
    """Whether what `__init__` binds to a name comes from a table, or from a function that may look into one."""
    prefilter = run.program.prefilter
    assigned = prefilter.assigned(init).names
    for _, value, _ in assigned.get(name, ()) if depth else ():
        for node in walk(value):
            if isinstance(node, ast.Subscript) or getattr(node, "attr", "") == "get":
                return True
            if isinstance(node, ast.Name) and node.id in assigned:
                if _is_chosen(run, init, node.id, depth - 1):
                    return True
            elif isinstance(node, ast.Call):
                made = prefilter.names.resolve(init.module, node.func)
                if made is not None and isinstance(made.what, FunctionSource):
                    return True
    return False


def layers(run: Run, value: Value, depth: int = 2) -> Iterable[Value]:
    """The layers that a value is or holds."""
    for _, atom in alternatives(value):
        if isinstance(atom, (Instance, TorchModule)):
            yield atom
        elif depth and isinstance(atom, (Sequence_, Mapping_)):
            for element in run.elements(atom):
                yield from layers(run, element, depth - 1)


def is_another(run: Run, func: Value, at: ast.AST) -> bool:
    """Whether something else than a callee may be called in its place, or sees what it gets and gives.

    That is a layer or function that the project replaces, or a hook that it registers; hooks of the run are followed.
    """
    if isinstance(func, FunctionValue):
        return run.program.prefilter.others.may_replace(func.source.module, func.source.name)
    if not isinstance(func, (Instance, TorchModule)):
        return False
    if func in run.handed.exchanged:
        return True
    called = getattr(at, "func", None)
    attribute = called.attr if isinstance(called, ast.Attribute) else ""
    kind = func.name if isinstance(func, TorchModule) else ""
    return hooks_modules(run.frame.module, run.program.files.project, attribute, kind)


def _follows(dotted: str, count: int, kwargs: Mapping[str, Value]) -> bool:
    """Whether the model of a function outside the project keeps track of the memory that it is given."""
    if dotted == "builtins.type":
        return count == 1
    if dotted == "builtins.getattr":
        return count == 2  # the default may be what it returns
    if dotted == "builtins.sorted" and "key" in kwargs:
        return False
    if dotted.startswith("numpy."):
        name = dotted.removeprefix("numpy.")
        copies = numpy.function_reads(name)
        if copies and not kwargs.keys() <= {"axis", "out", "keepdims", "axes"}:
            return False  # `dtype=object`, `copy=False`
        return copies or numpy.function_looks(name) or numpy.function_splits(name)
    head = dotted.partition(".")[0]
    return dotted in _FOLLOWED_NAMES or head in _OF_NUMBERS or (head == "torch" and _is_operation(dotted))


def _is_operation(dotted: str) -> bool:
    """Whether a name of torch is one of the table's operations, whose arguments `applied` looks at."""
    short = dotted.removeprefix("torch.Tensor.")
    return (table.method(short) if short != dotted else table.function(dotted)) is not None


def applied(
    run: Run,
    facts: Facts | None,
    binding: Sequence[int | str | None],
    given: Iterable[tuple[int | str, Value]],
    at: ast.AST,
) -> None:
    """Note what an operation may keep: what it gets for a parameter that the table does not describe as a tensor."""
    if facts is None:
        _keep(run, [value for _, value in given], at)
        return
    if facts.key in _COPY or facts.key.endswith("getitem"):
        return
    if _is_opaque(facts) and facts.key.rpartition("::")[2] not in _TOLD:
        _keep(run, [value for _, value in given], at)
        return
    described = {
        place for place, param in zip(binding, facts.params) if param.kind in ("tensor", "tensors", "number")
    }
    if facts.key.endswith("setitem"):
        described.update(binding[1:])  # the value is copied; `observing` looks at what is no tensor
    _keep(run, [value for place, value in given if place not in described], at)


def _is_opaque(facts: Facts) -> bool:
    """Whether the table says of an operation only that it returns no tensor: `retain_grad`, `data_ptr`."""
    takes_rest = bool(facts.params) and facts.params[-1].code == "k"
    return takes_rest and all(ret.kind == "other" for ret in facts.returns)


def asked(run: Run, tensor: Tensor, name: str, at: ast.AST) -> None:
    """Note an attribute of a tensor that belongs to the object, such as `data_ptr`: a new tensor has another."""
    op = table.method(name)
    if op is None:
        of_object = table.property_(name) is None
    else:
        of_object = any(_is_opaque(row.facts(row.params, False)) for row in op.rows)
    if of_object and name not in _TOLD:
        run.handed.kept.setdefault(tensor.storage, f"what `{ast.unparse(at)}` tells of it")


def stored(run: Run, value: Value, at: ast.AST) -> None:
    """Note a value that was stored where the run does not look for it again."""
    _keep(run, [value], at)


def set_on(run: Run, obj: Value, name: str, value: Value, at: ast.AST) -> None:
    """Note `obj.name = value`: what is set on a tensor belongs to the object, and what others get is not seen again."""
    if isinstance(obj, Tensor) and name not in ("data", "grad", "requires_grad"):
        _keep(run, [obj], at)
    if name == "data" or not isinstance(obj, (Instance, Unknown, ClassValue, FunctionValue, TorchModule)):
        _keep(run, [value], at)


def _keep(run: Run, values: Iterable[Value], at: ast.AST) -> None:
    for value in values:
        for storage in _storages(run, value, 3):
            run.handed.kept.setdefault(storage, f"what `{_text(at)}` may keep of it")


def _storages(run: Run, value: Value, depth: int) -> Iterable[Storage]:
    """The storages that a value shares, itself or by what is in it."""
    for _, atom, _ in atoms(value):
        tensor = held(atom)
        if isinstance(tensor, Tensor):
            yield tensor.storage
        elif depth and isinstance(atom, (Sequence_, Mapping_, FunctionValue)):
            for element in _closed_over(run, atom) if isinstance(atom, FunctionValue) else run.elements(atom):
                yield from _storages(run, element, depth - 1)


def _closed_over(run: Run, function: FunctionValue) -> list[Value]:
    """The values of the names that a nested function reads from around it."""
    names = {node.id for node in walk(function.source.node) if isinstance(node, ast.Name)}
    found = [run.state.get((function.frame, name)) for name in sorted(names)] if function.frame else []
    return [value for value in found if value is not None]


def _text(at: ast.AST) -> str:
    """A short form of an expression for a message: `np.frombuffer(…)`."""
    if isinstance(at, ast.Call):
        return f"{ast.unparse(at.func)}(…)"
    return ast.unparse(at).partition("\n")[0][:60]
