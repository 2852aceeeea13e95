"""Which public names reach which ops: functions, methods, properties, operators of the installed torch."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch.nn import init
from torch.overrides import get_testing_overrides

SPACES: dict[str, Any] = {
    "torch": torch,
    "torch.nn.functional": F,
    "torch.special": torch.special,
    "torch.linalg": torch.linalg,
    "torch.fft": torch.fft,
    "torch.nn.init": init,
}

# Functions of these spaces that are no tensor ops.
NOT_OPS = {
    *(
        "compile",
        "load",
        "save",
        "manual_seed",
        "seed",
        "initial_seed",
        "set_rng_state",
        "get_rng_state",
        "vmap",
    ),
    *(
        "set_printoptions",
        "cond",
        "while_loop",
        "typename",
        "handle_torch_function",
        "boolean_dispatch",
        "classproperty",
    ),
    *(
        "prepare_multiprocessing_environment",
        "get_file_path",
        "thread_safe_generator",
        "use_deterministic_algorithms",
    ),
    *("eig", "lstsq", "solve", "symeig", "matrix_rank", "assert_int_or_pair", "broadcast_shapes"),
}

METHODS_LIKE_C = ("method_descriptor", "builtin_function_or_method")

OPERATORS = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "%": "remainder",
    "@": "matmul",
    "**": "pow",
    "&": "bitwise_and",
    "|": "bitwise_or",
    "^": "bitwise_xor",
    "<<": "__lshift__",
    ">>": "__rshift__",
    "==": "eq",
    "!=": "ne",
    "<": "lt",
    "<=": "le",
    ">": "gt",
    ">=": "ge",
    "neg": "neg",
    "pos": "op:pos",
    "invert": "bitwise_not",
    "abs": "abs",
    "+=": "add_",
    "-=": "sub_",
    "*=": "mul_",
    "/=": "div_",
    "//=": "floor_divide_",
    "%=": "remainder_",
    "**=": "pow_",
    "&=": "bitwise_and_",
    "|=": "bitwise_or_",
    "^=": "bitwise_xor_",
    "<<=": "__ilshift__",
    ">>=": "__irshift__",
    "@=": "matmul",
    "/": "op:div",
    "//": "floor_divide",
    "[]": "op:getitem",
    "[]=": "op:setitem",
}

# The special methods, as the ops that they are.
SPECIAL_METHODS = {
    "__add__": "+",
    "__radd__": "+",
    "__iadd__": "+=",
    "__sub__": "-",
    "__isub__": "-=",
    "__mul__": "*",
    "__rmul__": "*",
    "__imul__": "*=",
    "__truediv__": "/",
    "__itruediv__": "/=",
    "__floordiv__": "//",
    "__ifloordiv__": "//=",
    "__mod__": "%",
    "__imod__": "%=",
    "__pow__": "**",
    "__ipow__": "**=",
    "__matmul__": "@",
    "__neg__": "neg",
    "__pos__": "pos",
    "__invert__": "invert",
    "__abs__": "abs",
    "__getitem__": "[]",
    "__setitem__": "[]=",
    "__eq__": "==",
    "__ne__": "!=",
    "__lt__": "<",
    "__le__": "<=",
    "__gt__": ">",
    "__ge__": ">=",
    "__div__": "/",
    "__idiv__": "/=",
    "__and__": "&",
    "__or__": "|",
    "__xor__": "^",
    "__rand__": "&",
    "__ror__": "|",
    "__rxor__": "^",
    "__iand__": "&=",
    "__ior__": "|=",
    "__ixor__": "^=",
}


def functions() -> dict[str, dict[str, tuple[str, Any]]]:
    """Space -> name -> (group, the Python function when it is written in Python)."""
    found: dict[str, dict[str, tuple[str, Any]]] = {}
    for space, module in SPACES.items():
        here = found.setdefault(space, {})
        for name in sorted(dir(module)):
            value = getattr(module, name)
            if name in NOT_OPS and module is not torch.linalg:
                continue  # `torch.cond` runs one of two functions, `torch.solve` was removed
            if name.startswith("_") and not name.startswith(("_foreach_", "_fused_")):
                continue
            if isinstance(value, types.BuiltinFunctionType):
                if not name.startswith(("has_torch_function", "_has_")) and not is_setting(name):
                    here[name] = (value.__name__, None)
            elif isinstance(value, types.FunctionType) and not is_setting(name):
                home = value.__module__ or ""
                if home.startswith(("torch", "unknown")) and not home.startswith(
                    ("torch._jit", "torch.overrides", "torch._tensor_str")
                ):
                    here[name] = (f"py:{space}.{name}", value)
    return found


def is_setting(name: str) -> bool:
    return (
        name.startswith(("set_", "get_", "is_", "are_", "sym_", "autocast", "init_num"))
        and name not in IS_OPS
    )


IS_OPS = {
    *(
        "is_tensor",
        "is_storage",
        "is_complex",
        "is_floating_point",
        "is_nonzero",
        "is_same_size",
        "is_signed",
    ),
    *("is_inference", "is_conj", "is_neg", "is_distributed", "is_grad_enabled"),
}


def signature_of(function: Callable[..., Any]) -> inspect.Signature | None:
    """The signature, taken from torch's own overrides where the function hides it (`boolean_dispatch`)."""
    override = get_testing_overrides().get(function)
    for candidate in (function, override):
        try:
            signature = inspect.signature(candidate) if candidate is not None else None
        except (TypeError, ValueError):
            continue
        if signature and any(
            p.kind is not p.VAR_POSITIONAL and p.kind is not p.VAR_KEYWORD
            for p in signature.parameters.values()
        ):
            return signature
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


# Annotated with less than they take.
OPEN = ("size", "scale_factor", "p", "split_size_or_sections")

KINDS = (
    ("list[tensor]", "tl"),
    ("tuple[tensor", "tl"),
    ("tensor", "t"),
    ("bool", "b"),
    ("str", "s"),
    ("float", "n"),
    ("broadcastinglist", "il"),
    ("list[", "il"),
    ("tuple[", "il"),
    ("size", "il"),
    ("int", "i"),
    ("number", "n"),
)

# Names whose kind is the same wherever a signature does not say.
KIND_BY_NAME = {
    **dict.fromkeys(
        ("input", "target", "weight", "bias", "query", "key", "value", "tensor", "self", "other"), "t"
    ),
    **dict.fromkeys(
        ("A", "B", "x1", "x2", "mat1", "mat2", "running_mean", "running_var", "grid", "window", "out"), "t"
    ),
    **dict.fromkeys(("tensors", "operands"), "tl"),
    **dict.fromkeys(
        ("ceil_mode", "inplace", "training", "train", "return_indices", "keepdim", "sorted"), "b"
    ),
    **dict.fromkeys(("mode", "reduction"), "s"),
    **dict.fromkeys(("kernel_size", "stride", "padding", "dilation", "output_size"), "il"),
}


def python_params(function: Callable[..., Any], method: bool = False) -> list[str] | None:
    """The parameters of a function written in Python, as the table has them."""
    signature = signature_of(function)
    if signature is None:
        return None
    params: list[str] = []
    starred = False
    for parameter in signature.parameters.values():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            continue
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not starred:
            params.append("*")
            starred = True
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            params.append(f"{parameter.name}:tv")
            params.append("*")
            starred = True
            continue
        kind = kind_of_annotation(parameter)
        text = f"{parameter.name}:{kind}"
        if parameter.default is not inspect.Parameter.empty:
            text += "=" + default_text(parameter.default)
        params.append(text)
    if params and params[-1] == "*":
        params.pop()
    return params


def kind_of_annotation(parameter: inspect.Parameter) -> str:
    if isinstance(parameter.default, bool):
        return "b"
    if parameter.name in OPEN:
        return "x"
    annotation = parameter.annotation
    text = (
        ""
        if annotation is inspect.Parameter.empty
        else str(annotation if not isinstance(annotation, type) else annotation.__name__)
    )
    text = text.lower().replace("torch.", "").replace("typing.", "").replace("optional[", "").replace("_", "")
    if not text:
        return KIND_BY_NAME.get(parameter.name, "x")
    for word, kind in KINDS:
        if text.startswith(word):
            return kind
    return "t" if "tensor" in text else "x"


def default_text(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "N", True: "T", False: "F"}[value]
    if isinstance(value, (int, float)):
        return f"{value:g}"
    if isinstance(value, str) and value.isidentifier() and value not in ("N", "T", "F"):
        return value
    return "?"


def tensor_names() -> tuple[dict[str, str], list[str], list[str]]:
    """Methods (name -> group or "" when written in Python), properties and other attributes of torch.Tensor."""
    methods: dict[str, str] = {}
    properties: list[str] = []
    others: list[str] = []
    for name in sorted(dir(torch.Tensor)):
        value = getattr(torch.Tensor, name)
        kind = type(value).__name__
        if name in SPECIAL_METHODS:
            methods[name] = OPERATORS[SPECIAL_METHODS[name]]
        elif kind == "method_descriptor":
            methods[name] = name
        elif kind == "function" and not name.startswith("_"):
            methods[name] = f"pym:{name}"
        elif kind in ("getset_descriptor", "property"):
            properties.append(name)
        else:
            others.append(name)
    return methods, properties, others


def module_names() -> dict[str, str]:
    """The public attributes that every module has; "self" for the methods that return the module itself."""
    module = torch.nn.Module()
    found = {}
    for name in dir(module):
        if not name.startswith("_"):
            value = getattr(torch.nn.Module, name, None)
            itself = isinstance(value, types.FunctionType) and returns_itself(module, value)
            found[name] = "self" if itself else name
    return found


def returns_itself(module: torch.nn.Module, method: Callable[..., Any]) -> bool:
    """Whether a method says that it returns its object; where it says nothing, whether it does for a dtype."""
    said = inspect.signature(method).return_annotation
    if said is not inspect.Signature.empty:
        return str(said).endswith("Self")
    try:
        return method(module, torch.float32) is module
    except Exception:  # it takes something else
        return False


def optimizer_names() -> dict[str, str]:
    """The public attributes that every optimizer has."""
    optimizer = torch.optim.Optimizer([torch.zeros(1)], {})
    return {name: name for name in dir(optimizer) if not name.startswith("_")}


# The attributes of a tensor that are tensors.
TENSOR_PROPERTIES = ("H", "T", "mH", "mT", "data", "grad", "real", "imag")
