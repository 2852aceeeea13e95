"""Reads inputs that the user wrote down: in a comment, on the command line, in a factory, or as annotations."""

from __future__ import annotations

import importlib
import inspect
import io
import re
import tokenize
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

import torch

from ..problems import InputError
from .call import Call, NoInputs, Ready
from .values import NAMES, SIZES, Spec, parse_arguments

_COMMENT = re.compile(r"#\s*inplace-lint:\s*inputs\s+(.*)")


def from_comment(target: Any) -> Call | None:
    """Reads a comment `# inplace-lint: inputs x=f32[2,64,768]` in the target or right above it; None without one.

    Names that the call does not take go to the constructor. Raises InputError if it cannot be read.
    """
    text = _comment(target)
    return None if text is None else given(target, text, "comment")


def given(target: Any, text: str, source: str = "given") -> Call:
    """Parses `text`, such as `dim=64, x=f32[B,S,64]`, into a call of the target. Raises InputError."""
    values = parse_arguments(text)
    method, forward = called(target)
    taken = _names(forward)
    own = _names(target) if inspect.isclass(target) else {}
    constructor, arguments, leading = {}, {}, []
    for name, value in values.items():
        if name in taken or (None in taken and name not in own):
            arguments[name] = value
        elif name in own or None in own:
            constructor[name] = value
        else:
            known = ", ".join(other for other in [*taken, *own] if other)
            raise InputError(f"`{name}` is no parameter of {shown(target)}, which has: {known or 'none'}")
    # Positional-only parameters cannot be passed by keyword.
    for own_name, parameter in taken.items():
        if own_name not in arguments or parameter.kind is not parameter.POSITIONAL_ONLY:
            break
        leading.append(arguments.pop(own_name))
    return Call(target, source, constructor, (), arguments, tuple(leading), method=method)


def from_factory(target: Any, factories: Mapping[str, str]) -> Call | None:
    """Returns the call that the target's configured factory makes; None without a factory. Raises InputError.

    A factory returns `(function, args)`, `(function, args, kwargs)`, a dict of arguments by name, those of a class's
    constructor among them, or, for a function target, a tuple of arguments. It is called with the named sizes that it
    has parameters for, such as `S`.
    """
    path = factories.get(shown(target)) or factories.get(shown(target).replace(":", "."))
    if path is None:
        return None
    module, _, name = path.partition(":")
    try:
        make: Any = importlib.import_module(module)
        for part in name.split("."):
            make = getattr(make, part)
    except (ImportError, AttributeError) as error:
        raise InputError(f"the factory `{path}` of {shown(target)} cannot be imported: {error}") from error
    call = Call(target, "factory", factory=_ready(target, make, path))
    parameters = inspect.signature(make).parameters
    sizes = {
        key: parameters[key].default if isinstance(parameters[key].default, int) else value
        for key, value in SIZES.items()
        if key in parameters
    }
    return call.at(**sizes)


def _ready(target: Any, make: Callable[..., Any], path: str) -> Callable[[Mapping[str, int]], Ready]:
    wanted = inspect.signature(make).parameters
    own = _names(target) if inspect.isclass(target) else {}

    def ready(sizes: Mapping[str, int]) -> Ready:
        made = make(**{name: size for name, size in sizes.items() if name in wanted})
        if isinstance(made, dict) and made and made.keys() <= {*_names(called(target)[1]), *own}:
            return _by_name(target, made)
        parts = made if isinstance(made, tuple) else (made,)
        function = target
        if parts and callable(parts[0]) and not isinstance(parts[0], torch.Tensor):
            function, parts = parts[0], parts[1:]
            args = tuple(parts[0]) if parts and isinstance(parts[0], (tuple, list)) else parts[:1]
            kwargs = parts[1] if len(parts) > 1 and isinstance(parts[1], dict) else {}
            return function, tuple(args), dict(kwargs)
        if inspect.isclass(target):
            must = "must return (module, args), or a dict of arguments by name"
            raise InputError(f"the factory `{path}` {must}: {shown(target)} is a class")
        return function, parts, {}

    return ready


def _by_name(target: Any, made: dict[str, Any]) -> Ready:
    """Parts arguments by name into those of the call and those of the constructor, and makes the instance."""
    function: Callable[..., Any] = target
    if not inspect.isclass(target):
        return function, (), made
    _, forward = called(target)
    taken = _names(forward)
    inside = {name: value for name, value in made.items() if name in taken}
    return function(**{name: value for name, value in made.items() if name not in taken}), (), inside


def from_annotations(target: Any) -> Call | NoInputs | None:
    """Builds a call from jaxtyping annotations such as `Float[Tensor, "b n 768"]`; None if there are none.

    Axes of one name get the same size; literal axes keep theirs.
    """
    method, forward = called(target)
    try:
        hints = typing.get_type_hints(forward, include_extras=True)
    except Exception:  # whatever an annotation raises when it is evaluated
        hints = dict(getattr(forward, "__annotations__", {}))
    arguments: dict[str, Any] = {}
    axes: dict[str, int | str] = {}
    for name, parameter in _names(forward).items():
        if name is None:
            continue
        spec = annotated(hints.get(name), axes)
        if spec is not None:
            arguments[name] = spec
        elif parameter.default is parameter.empty:
            return None if not arguments else NoInputs(f"`{name}` has no annotation that says its sizes")
    return Call(target, "annotations", {}, (), arguments, method=method) if arguments else None


#: Axis names that by convention mean the batch or the length; they only choose which size is varied.
_HABITS = {
    "b": "B",
    "batch": "B",
    "n": "S",
    "s": "S",
    "l": "S",
    "t": "S",
    "seq": "S",
    "length": "S",
    "time": "S",
}


def annotated(hint: Any, axes: dict[str, int | str]) -> Spec | None:
    """Returns the tensor that a jaxtyping annotation describes. `axes` maps axis names to sizes and is extended."""
    shape, kinds = getattr(hint, "dim_str", None), getattr(hint, "dtypes", None)
    if not isinstance(shape, str):
        return None
    dims: list[int | str] = []
    for word in shape.split():
        word = word.lstrip("*#?").partition("=")[2] or word.lstrip("*#?")
        if word.lstrip("-").isdigit():
            dims.append(int(word))
        elif word in ("...", "_", ""):
            dims.append(2)
        else:
            free = 16 * (1 + sum(isinstance(size, int) for size in axes.values()))
            dims.append(axes.setdefault(word, _HABITS.get(word, free)))
    names = [str(kind).rpartition(".")[2] for kind in kinds] if isinstance(kinds, (list, tuple)) else []
    for dtype in (
        torch.float32,
        torch.int64,
        torch.bool,
        torch.float64,
        torch.float16,
        torch.bfloat16,
        torch.int32,
    ):
        if not names or str(dtype).rpartition(".")[2] in names:
            return Spec(NAMES[dtype], tuple(dims))
    return Spec("f32", tuple(dims))


def called(target: Any) -> tuple[str, Any]:
    """Returns the method to run, empty for the default one, and the callable whose signature applies."""
    if not inspect.isclass(target):
        return "", target
    function = target.forward if issubclass(target, torch.nn.Module) else target.__call__
    # Bind it to any object, so that its signature begins after `self`.
    return "", types.MethodType(function, target) if inspect.isfunction(function) else function


def shown(target: Any) -> str:
    """Returns the target's name in the configuration and in capture files: `package.module:Class`."""
    return f"{getattr(target, '__module__', '?')}:{getattr(target, '__qualname__', type(target).__name__)}"


def _names(function: Any) -> dict[str | None, inspect.Parameter]:
    """Returns the parameters that can be passed by name; the key None stands for `**kwargs`."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return {}
    kinds = inspect.Parameter
    found: dict[str | None, inspect.Parameter] = {}
    for parameter in parameters:
        if parameter.kind is kinds.VAR_KEYWORD:
            found[None] = parameter
        elif parameter.kind is not kinds.VAR_POSITIONAL:
            found[parameter.name] = parameter
    return found


def _comment(target: Any) -> str | None:
    try:
        lines, first = inspect.getsourcelines(target)
        every, _ = inspect.findsource(target)
    except (OSError, TypeError):
        return None
    above = []
    row = first - 2
    while 0 <= row < len(every) and every[row].lstrip().startswith("#"):
        above.append(every[row])
        row -= 1
    text = "".join([*reversed(above), *lines])
    try:
        for token in tokenize.generate_tokens(io.StringIO(inspect.cleandoc("\n" + text)).readline):
            found = _COMMENT.match(token.string) if token.type == tokenize.COMMENT else None
            if found:
                return found[1]
    except (tokenize.TokenError, SyntaxError):
        pass
    return None
