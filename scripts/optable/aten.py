"""What every ATen overload saves, writes and returns, from PyTorch's derivatives.yaml and native_functions.yaml.

`all_saved_inputs` alone is not the truth: two rules stand only in PyTorch's code generator (`gen_variable_type.py`)
and are repeated here. The guard: a saved input that only one derivative uses is saved only if that derivative's
argument needs grad. The clone: an in-place op whose backward needs the original self packs a clone of it, never self.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torchgen.packaged
from torchgen.api import cpp
from torchgen.api.autograd import (
    DifferentiabilityInfo,
    NativeFunctionWithDifferentiabilityInfo,
    SavedAttribute,
    match_differentiability_info,
)
from torchgen.api.types import BaseCType, SpecialArgName, tensorT
from torchgen.model import Argument, NativeFunction, SchemaKind, Variant
from torchgen.packaged.autograd.gen_inplace_or_view_type import is_tensor_list_type
from torchgen.packaged.autograd.gen_python_functions import should_generate_py_binding
from torchgen.packaged.autograd.gen_variable_type import DONT_REQUIRE_DERIVATIVE
from torchgen.packaged.autograd.load_derivatives import load_derivatives

PACKAGED = Path(next(iter(torchgen.packaged.__path__)))

# Bound to Python by hand in PyTorch, but with a schema like the others.
BOUND_BY_HAND = {
    "contiguous",
    "copy_",
    "item",
    "nonzero",
    "is_contiguous",
    "numel",
    "get_device",
    "is_complex",
}

Params = list[str]


@dataclass
class Overload:
    """One ATen overload as Python can call it. `act` is None for a composite: it is observed."""

    base: str
    key: str
    module: str
    params: list[str]
    method_params: list[str]
    act: str | None
    function: bool
    method: bool
    has_out: bool = False
    inplace: bool = False
    tensors: list[str] = field(default_factory=list)
    cuda_saves: tuple[str, ...] = ()


def kind_of(type_text: str) -> str:
    """The kind of a parameter: t tensor, tl tensors, n number, i int, b flag, s text, il ints, o other."""
    text = type_text.replace("?", "")
    if text.startswith("Tensor("):
        text = "Tensor[]" if text.endswith("[]") else "Tensor"
    if text == "Tensor":
        return "t"
    if text.startswith("Tensor["):
        return "tl"
    if text in ("Scalar", "float"):
        return "n"
    if text in ("int", "SymInt"):
        return "i"
    if text == "bool":
        return "b"
    if text == "str":
        return "s"
    if re.match(r"(int|SymInt|float|Scalar|bool)\[", text):
        return "il"
    return "o"


def default_of(text: str) -> str:
    if text in ("None", "True", "False"):
        return text[0]
    if re.fullmatch(r"-?[0-9.]+(e-?\d+)?|'\w*'|\"\w*\"", text):
        return text.replace('"', "").replace("'", "")
    return "?"


def param_text(argument: Argument) -> str:
    kind = kind_of(str(argument.type))
    if argument.default is None:
        return f"{argument.name}:{kind}"
    return f"{argument.name}:{kind}={default_of(argument.default)}"


def params_of(f: NativeFunction) -> list[str]:
    arguments = f.func.arguments
    positional = [param_text(a) for a in arguments.flat_positional]
    if len(positional) - (arguments.self_arg is not None) == 1 and ":il" in positional[-1]:
        name, _, rest = positional[-1].partition(":")
        positional[-1] = f"{name}:v{rest[2:]}"
    options = arguments.tensor_options
    option_names = {a.name for a in options.all()} if options else set()
    keyword = [param_text(a) for a in arguments.flat_kwarg_only if a.name not in option_names]
    if options:
        keyword.append("opts")
    return positional + (["*", *keyword] if keyword else [])


def needs_text(needs: Iterable[str]) -> str:
    return "+".join(needs)


def name_of(saved: SavedAttribute) -> str:
    name = saved.nctype.name
    return str(name.name if isinstance(name, SpecialArgName) else name)


def guard(saved: SavedAttribute, info: DifferentiabilityInfo, f: NativeFunction) -> list[str] | None:
    """The arguments of which any must need grad for this save; None when no guard is generated (`guard_for`)."""
    arguments = info.args_with_derivatives
    foreach_inplace = f.func.name.name.base.startswith("_foreach") and f.func.kind() == SchemaKind.inplace
    if any(is_tensor_list_type(a.type) for a in f.func.arguments.flat_all) and not foreach_inplace:
        return None
    if "backward" in info.name or len(arguments) <= 1 or saved.nctype.type != BaseCType(tensorT):
        return None
    used_in = [d for d in info.derivatives if saved in d.saved_inputs]
    if len(used_in) != 1:
        return None
    (derivative,) = used_in
    if len(derivative.var_names) == 1:
        return [derivative.var_names[0]]
    match = re.search(rf"wrap_opt_if\({name_of(saved)},(.*?)\)", derivative.formula)
    if match is None:
        return None
    return [derivative.var_names[int(i)] for i in re.findall(r"grad_input_mask\[(\d+)\]", match.group(1))]


def return_texts(f: NativeFunction, differentiable: Sequence[bool] | None) -> list[str]:
    """`new`, `same(x)`, `view(x)`, `views(x)` (outputs of one multi-output view), `list` or `other`, one a return."""
    owner: dict[str, str] = {}
    for argument in f.func.arguments.flat_all:
        if argument.annotation is not None:
            for letter in argument.annotation.alias_set:
                owner[letter] = argument.name
    names = cpp.return_names(f) if len(f.func.returns) > 1 else ()
    texts = []
    for i, ret in enumerate(f.func.returns):
        kind = kind_of(str(ret.type))
        is_list = kind == "tl"
        if kind not in ("t", "tl"):
            text = "other"
        elif ret.annotation is not None:
            of = next((owner[letter] for letter in ret.annotation.alias_set if letter in owner), "self")
            text = f"same({of})" if ret.annotation.is_write else f"{'views' if is_list else 'view'}({of})"
        else:
            text = "list" if is_list else "new"
        if differentiable is not None and i < len(differentiable) and not differentiable[i]:
            text += "!"
        if i and names and "indices" in names[i] and text == "new":
            text += ":i"
        if i and names and "indices" in names[i] and not text.endswith("!"):
            text += "!"
        if names and not re.fullmatch(r"result\d+", names[i]):
            text = f"{names[i]}={text}"
        texts.append(text)
    return texts or ["other"]


def save_text(target: str, attr: str, needs: Sequence[str] | None) -> str:
    text = attr if target == attr else f"{attr}={target}"
    return text if needs is None else f"{text}?{needs_text(needs)}"


def overwrites_self(info: DifferentiabilityInfo | None, f: NativeFunction) -> bool:
    """The formula says that no gradient reaches the old self: the write replaces it all."""
    if info is None or f.func.kind() != SchemaKind.inplace:
        return False
    formulas = [d.original_formula for d in info.derivatives if "self" in d.var_names]
    return any(re.fullmatch(r"zeros_like\(\w+\)|\w+\.new_zeros.*|grad\.zero.*", x.strip()) for x in formulas)


def formula_act(f: NativeFunction, info: DifferentiabilityInfo | None) -> str:
    """The behaviour of an overload that has a formula of its own, or none because it is not differentiable."""
    inplace = f.func.kind() == SchemaKind.inplace
    arguments = [a for a in f.func.arguments.flat_all if kind_of(str(a.type)) in ("t", "tl")]
    tensors = {a.name for a in arguments}
    # An in-place foreach op has the formula of the plain op, in that op's names (`max` for `other`).
    own = dict(
        zip(
            (a.name for a in info.func.func.arguments.flat_all) if info else (),
            (a.name for a in f.func.arguments.flat_all),
            strict=False,
        )
        if str(f.func.name.name).startswith("_foreach_")
        else ()
    )
    derivative_args = [own.get(a.name, a.name) for a in info.args_with_derivatives] if info else []
    saves: list[str] = []
    clones: list[str] | None = None
    if info and derivative_args:
        for saved in sorted(info.all_saved_inputs, key=name_of):
            name = own.get(name_of(saved), name_of(saved))
            if name not in tensors or saved.expr != name_of(saved):
                continue
            needs = guard(saved, info, f)
            needs = needs and [own.get(n, n) for n in needs]
            if inplace and name == "self":
                clones = needs or derivative_args
                continue
            saves.append(save_text(name, name_of(saved), needs))
        returns = [n if n != "self" else "result" for n in cpp.return_names(f)]
        for saved in sorted(info.all_saved_outputs, key=name_of):
            name = name_of(saved)
            if (
                name in returns
                and saved.expr == name
                and kind_of(str(f.func.returns[returns.index(name)].type)) in ("t", "tl")
            ):
                saves.append(save_text(f"r{returns.index(name)}", name, None))
    parts = []
    if info and info.op and derivative_args:
        parts.append(f"{info.op}({','.join(saves)})")
    if derivative_args and set(derivative_args) != tensors:
        parts.append("d:" + needs_text(derivative_args))
    written = [
        a.name for a in f.func.arguments.flat_all if a.annotation is not None and a.annotation.is_write
    ]
    if written:
        parts.append(("w!:" if str(f.func.name.name).startswith("_fused_") else "w:") + needs_text(written))
    if clones is not None:
        parts.append("c:" + needs_text(clones))
    if "inplace_view" in f.tags:
        parts.append("meta")
    if overwrites_self(info, f):
        parts.append("over")
    differentiable = info.output_differentiability if info else None
    not_implemented = (
        info is not None
        and all("not_implemented(" in d.formula for d in info.derivatives)
        and bool(info.derivatives)
    )
    if not derivative_args or not_implemented:
        parts.append("nodiff")
    if not tensors or f.func.name.name.base in FACTORIES:
        parts.append("factory")
    parts.append("-> " + ",".join(return_texts(f, differentiable)))
    return " ".join(parts)


FACTORIES = {
    *("empty_like", "ones_like", "full_like", "zeros_like", "rand_like", "randn_like", "randint_like"),
    *("new_empty", "new_empty_strided", "new_full", "new_zeros", "new_ones"),
}


def is_composite(f: NativeFunction) -> bool:
    """Runs as other ops: a formula that it has as well (`matmul`, `chunk`) is for nested tensors alone."""
    base = f.func.name.name.base
    return (
        f.has_composite_implicit_autograd_kernel
        and base not in DONT_REQUIRE_DERIVATIVE
        and base not in FACTORIES
    )


def functions_with_info() -> tuple[list[NativeFunctionWithDifferentiabilityInfo], dict[str, NativeFunction]]:
    native = PACKAGED / "ATen" / "native" / "native_functions.yaml"
    tags = PACKAGED / "ATen" / "native" / "tags.yaml"
    infos, _ = load_derivatives(str(PACKAGED / "autograd" / "derivatives.yaml"), str(native), str(tags))
    from torchgen.gen import parse_native_yaml

    functions = parse_native_yaml(str(native), str(tags)).native_functions
    return match_differentiability_info(functions, infos), {str(f.func.name): f for f in functions}


def default_info(fn: NativeFunctionWithDifferentiabilityInfo) -> DifferentiabilityInfo | None:
    return fn.info.get("Default") if fn.info else None


def has_names(f: NativeFunction) -> bool:
    return any("Dimname" in str(a.type) for a in f.func.arguments.flat_all)


def self_first(f: NativeFunction, params: list[str]) -> list[str]:
    for i, text in enumerate(params):
        if text.startswith("self:"):
            return [text, *params[:i], *params[i + 1 :]]
    return params


def overloads() -> list[Overload]:
    """Every overload with a Python binding, `out=` forms folded into the functional one, in the yaml's order."""
    functions, _ = functions_with_info()
    with_out = {fn.func.func.name.name.base for fn in functions if fn.func.func.kind() == SchemaKind.out}
    result = []
    for fn in functions:
        f = fn.func
        base = str(f.func.name.name)
        if f.func.kind() == SchemaKind.out or has_names(f):
            continue
        if base not in BOUND_BY_HAND and not should_generate_py_binding(f):
            continue
        info = default_info(fn)
        params = params_of(f)
        tensors = [a.name for a in f.func.arguments.flat_all if kind_of(str(a.type)) in ("t", "tl")]
        result.append(
            Overload(
                base=base,
                key=f"aten::{f.func.name}",
                module=f.python_module or "",
                params=params,
                method_params=self_first(f, params),
                act=None if is_composite(f) else formula_act(f, info),
                function=Variant.function in f.variants,
                method=Variant.method in f.variants and f.python_module is None,
                has_out=base in with_out,
                inplace=f.func.kind() == SchemaKind.inplace,
                tensors=tensors,
            )
        )
    return result
