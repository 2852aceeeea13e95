"""Lists the torch operations that the value graph models: signatures, spellings, and the canonical name of each."""

from __future__ import annotations

#: Canonical operation -> its parameters in order. `*name` may be passed as one tuple or as separate arguments.
SIGNATURES: dict[str, tuple[str, ...]] = {
    "matmul": ("input", "other"),
    "mm": ("input", "mat2"),
    "bmm": ("input", "mat2"),
    "baddbmm": ("input", "batch1", "batch2", "beta", "alpha"),
    "mul": ("input", "other"),
    "div": ("input", "other", "rounding_mode"),
    "add": ("input", "other", "alpha"),
    "sub": ("input", "other", "alpha"),
    "pow": ("input", "exponent"),
    "neg": ("input",),
    "invert": ("input",),
    "transpose": ("input", "dim0", "dim1"),
    "mT": ("input",),
    "t": ("input",),
    "permute": ("input", "*dims"),
    "movedim": ("input", "source", "destination"),
    "reshape": ("input", "*shape"),
    "expand": ("input", "*size"),
    "expand_as": ("input", "other"),
    "repeat": ("input", "*repeats"),
    "repeat_interleave": ("input", "repeats", "dim"),
    "unsqueeze": ("input", "dim"),
    "squeeze": ("input", "dim"),
    "flatten": ("input", "start_dim", "end_dim"),
    "unflatten": ("input", "dim", "sizes"),
    "contiguous": ("input",),
    "clone": ("input",),
    "cast": ("input", "dtype"),
    "softmax": ("input", "dim", "dtype"),
    "log_softmax": ("input", "dim", "dtype"),
    "logsumexp": ("input", "dim", "keepdim"),
    "dropout": ("input", "p", "training"),
    "masked_fill": ("input", "mask", "value"),
    "where": ("condition", "input", "other"),
    "exp": ("input",),
    "sqrt": ("input",),
    "rsqrt": ("input",),
    "tanh": ("input",),
    "sigmoid": ("input",),
    "relu": ("input",),
    "clamp": ("input", "min", "max"),
    "sum": ("input", "dim", "keepdim"),
    "amax": ("input", "dim", "keepdim"),
    "max": ("input", "dim", "keepdim"),
    "detach": ("input",),
    "tril": ("input", "diagonal"),
    "triu": ("input", "diagonal"),
    "eq": ("input", "other"),
    "ne": ("input", "other"),
    "lt": ("input", "other"),
    "gt": ("input", "other"),
    "le": ("input", "other"),
    "ge": ("input", "other"),
    "and": ("input", "other"),
    "or": ("input", "other"),
    "chunk": ("input", "chunks", "dim"),
    "split": ("input", "sizes", "dim"),
    "unbind": ("input", "dim"),
    "stack": ("tensors", "dim"),
    "cat": ("tensors", "dim"),
    "normalize": ("input", "p", "dim"),
    "linear": ("input", "weight", "bias"),
    "sdpa": ("query", "key", "value", "attn_mask", "dropout_p", "is_causal", "scale", "enable_gqa"),
    "ones": ("*size",),
    "empty": ("*size",),
    "rand": ("*size",),
    "randn": ("*size",),
    "zeros": ("*size",),
    "full": ("size", "fill_value"),
    "ones_like": ("input",),
    "zeros_like": ("input",),
    "tensor": ("data",),
    "arange": ("start", "end", "step"),
}

_SPELLINGS = {
    "multiply": "mul",
    "true_divide": "div",
    "divide": "div",
    "subtract": "sub",
    "negative": "neg",
    "swapaxes": "transpose",
    "swapdims": "transpose",
    "moveaxis": "movedim",
    "view": "reshape",
    "broadcast_to": "expand",
    "concat": "cat",
    "concatenate": "cat",
    "logical_not": "invert",
    "bitwise_not": "invert",
    "logical_and": "and",
    "logical_or": "or",
    "equal_": "eq",
    "_safe_softmax": "softmax",
    "clip": "clamp",
    "scaled_dot_product_attention": "sdpa",
    "not_equal": "ne",
    "alpha_dropout": "",
}

#: Namespaces whose functions have canonical operations.
_SPACES = ("torch.", "torch.nn.functional.", "torch.special.")

#: Methods that cast, with the dtype that they cast to.
CASTS = {
    "float": "torch.float32",
    "double": "torch.float64",
    "half": "torch.float16",
    "bfloat16": "torch.bfloat16",
    "bool": "torch.bool",
    "int": "torch.int32",
    "long": "torch.int64",
}

#: Parameters that do not affect the computed values.
IGNORED = frozenset(
    {"device", "requires_grad", "non_blocking", "memory_format", "_stacklevel", "layout", "pin_memory"}
)

DTYPES = {
    "torch.float": "torch.float32",
    "torch.double": "torch.float64",
    "torch.half": "torch.float16",
    "torch.long": "torch.int64",
    "torch.int": "torch.int32",
}


def of_method(name: str) -> tuple[str, bool]:
    """(canonical operation, whether it is in-place) of a tensor method; ("", False) if not modelled."""
    in_place = name.endswith("_") and not name.startswith("_")
    plain = name[:-1] if in_place else name
    if plain in ("view_as", "reshape_as"):
        return "", False
    plain = _SPELLINGS.get(plain, plain)
    return (plain, in_place) if plain in SIGNATURES else ("", False)


def of_function(dotted: str) -> tuple[str, bool]:
    """(canonical operation, whether it is in-place) of a function by its full name; ("", False) if not modelled."""
    if dotted.startswith("torch.ops.aten."):
        return of_method(dotted[len("torch.ops.aten.") :].partition(".")[0])
    space, _, name = dotted.rpartition(".")
    if f"{space}." in _SPACES:
        return of_method(name)
    return "", False


OPERATORS = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "div",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "@": "matmul",
    "&": "and",
    "|": "or",
    "==": "eq",
    "!=": "ne",
    "<": "lt",
    "<=": "le",
    ">": "gt",
    ">=": "ge",
}

#: Operations whose result may share storage with their first operand.
VIEWS = frozenset(
    {
        "transpose", "mT", "t", "permute", "movedim", "reshape", "expand", "expand_as", "unsqueeze", "squeeze",
        "flatten", "unflatten", "contiguous", "getitem", "item", "chunk", "split", "unbind", "cast", "rearrange",
        "detach",
    }
)  # fmt: skip
