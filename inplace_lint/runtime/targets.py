"""What a finding's block is, and how it is called: the function or class around a line, and arguments for it."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

_DTYPES = {
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "f32": torch.float32,
    "f64": torch.float64,
    "c64": torch.complex64,
    "i32": torch.int32,
    "i64": torch.int64,
    "u8": torch.uint8,
    "bool": torch.bool,
}
_COMMENT = re.compile(r"#\s*inplace-lint:\s*inputs\s+(.*)")
_PAIR = re.compile(r"(\w+)\s*=\s*((?:[^,\[\](){}]|\[[^\]]*\]|\([^)]*\)|\{[^}]*\})+)")
_TENSOR = re.compile(r"(\w+)\s*\[([\d,\s]*)\]$")
#: The shape of a tensor of which only that it is one is known.
_GUESS = (4, 4)


@dataclass(frozen=True, slots=True)
class NoInputs:
    """Why there is nothing to call a block with."""

    reason: str


@dataclass(frozen=True, slots=True)
class Call:
    """How a block is called: `make` gives the function to call, its arguments and its keyword arguments anew.

    `description` names each argument as a person would write it, such as `f32[2,64,768]`.
    """

    make: Callable[[], tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]]
    description: Mapping[str, str] = field(default_factory=dict)


def prepare(target: Any, factories: Mapping[str, str] | None = None) -> Call | NoInputs:
    """A call of a function, a method that needs no instance, or a class (its module's forward).

    Asked in this order: a comment `# inplace-lint: inputs x=f32[2,64,768]`, a factory that `factories` names
    ("pkg.mod:Class": "tests.factories:make"), annotations. What needs no argument is called without.
    """
    name = f"{getattr(target, '__module__', '?')}:{getattr(target, '__qualname__', '?')}"
    stated = _comment(target)
    if stated is not None:
        try:
            return _called(target, _parsed(stated))
        except ValueError as error:
            return NoInputs(f"the comment with the inputs of {name} cannot be read: {error}")
    if factories and name in factories:
        return _from_factory(target, name, factories[name])
    return _called(target, {})


def _called(target: Any, given: dict[str, Any]) -> Call | NoInputs:
    """A call with what is given, what annotations tell, and what needs no value."""
    is_class = inspect.isclass(target)
    function = target
    constructor: dict[str, Any] = {}
    if is_class:
        if not issubclass(target, torch.nn.Module):
            return NoInputs(f"{target.__qualname__} is no module: how its methods are called is not known")
        found = _arguments(target.__init__, given, skip_first=True, guess=False)
        if isinstance(found, NoInputs):
            return found
        constructor, function = found, target.forward
    arguments = _arguments(function, given, skip_first=is_class, guess=True)
    if isinstance(arguments, NoInputs):
        return arguments
    unknown = given.keys() - arguments.keys() - constructor.keys()
    if unknown:
        return NoInputs(f"`{min(unknown)}` is no parameter of {target.__qualname__}")

    def make() -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]:
        run = target(**_made(constructor)) if is_class else target
        return run, (), _made(arguments)

    return Call(make, {name: _written(value) for name, value in {**constructor, **arguments}.items()})


def _arguments(
    function: Any, given: dict[str, Any], skip_first: bool, guess: bool
) -> dict[str, Any] | NoInputs:
    try:
        parameters = list(inspect.signature(function).parameters.values())[1 if skip_first else 0 :]
    except (TypeError, ValueError):
        return NoInputs(f"the parameters of {getattr(function, '__qualname__', function)} are not known")
    found: dict[str, Any] = {}
    for parameter in parameters:
        if parameter.name in given:
            found[parameter.name] = given[parameter.name]
        elif parameter.default is not parameter.empty or parameter.kind in (
            parameter.VAR_POSITIONAL,
            parameter.VAR_KEYWORD,
        ):
            continue
        elif guess and _is_tensor(parameter.annotation):
            found[parameter.name] = Spec("f32", _GUESS)
        else:
            owner = getattr(function, "__qualname__", "this block").removesuffix(".__init__")
            return NoInputs(f"no inputs known for `{parameter.name}` of {owner}")
    return found


def _is_tensor(annotation: Any) -> bool:
    return annotation in (torch.Tensor, "torch.Tensor", "Tensor")


@dataclass(frozen=True, slots=True)
class Spec:
    """A tensor yet to be made: its kind, such as f32, and its shape."""

    kind: str
    shape: tuple[int, ...]

    def make(self) -> torch.Tensor:
        """The tensor. A floating one needs a gradient, and is no leaf: errors about leaves would hide others."""
        dtype = _DTYPES[self.kind]
        if dtype.is_floating_point or dtype.is_complex:
            return torch.rand(self.shape, dtype=dtype).requires_grad_() * 1.0
        return torch.randint(0, 2, self.shape).to(dtype)


def _made(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value.make() if isinstance(value, Spec) else value for name, value in values.items()}


def _written(value: Any) -> str:
    if isinstance(value, Spec):
        return f"{value.kind}[{','.join(map(str, value.shape))}]"
    if isinstance(value, torch.Tensor):
        kind = next((name for name, dtype in _DTYPES.items() if dtype == value.dtype), str(value.dtype))
        return f"{kind}[{','.join(map(str, value.shape))}]"
    return repr(value)


def _parsed(text: str) -> dict[str, Any]:
    """`x=f32[2,64], causal=True` as values. Raises ValueError."""
    values: dict[str, Any] = {}
    rest = _PAIR.sub("", text)
    if rest.replace(",", "").strip():
        raise ValueError(f"`{rest.strip(' ,')}` is not of the form name=f32[2,3] or name=value")
    for name, written in _PAIR.findall(text):
        tensor = _TENSOR.match(written.strip())
        if tensor and tensor[1] in _DTYPES:
            values[name] = Spec(tensor[1], tuple(int(size) for size in tensor[2].split(",") if size.strip()))
            continue
        try:
            values[name] = ast.literal_eval(written.strip())
        except (ValueError, SyntaxError):
            kinds = ", ".join(_DTYPES)
            raise ValueError(
                f"`{written.strip()}` is neither a value nor a tensor such as f32[2,3] ({kinds})"
            ) from None
    return values


def _comment(target: Any) -> str | None:
    """The inputs that a comment within the target, or in the lines right above it, gives."""
    try:
        lines, first = inspect.getsourcelines(target)
        every, _ = inspect.findsource(target)
    except (OSError, TypeError):
        return None
    above = first - 1
    while above > 0 and every[above - 1].lstrip().startswith("#"):
        above -= 1
    for line in [*every[above : first - 1], *lines]:
        found = _COMMENT.search(line)
        if found:
            return found[1].strip()
    return None


def _from_factory(target: Any, name: str, path: str) -> Call | NoInputs:
    """What a factory makes: `(function, args)`, `(function, args, kwargs)`, or for a function its arguments."""
    module, _, attribute = path.partition(":")
    try:
        factory = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        return NoInputs(f"the factory `{path}` of {name} cannot be imported: {error}")

    def make() -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]:
        parts = factory()
        parts = parts if isinstance(parts, tuple) else (parts,)
        if parts and callable(parts[0]) and not isinstance(parts[0], torch.Tensor):
            return (
                parts[0],
                tuple(parts[1]) if len(parts) > 1 else (),
                dict(parts[2]) if len(parts) > 2 else {},
            )
        return target, parts, {}

    try:
        _, args, kwargs = make()
    except Exception as error:
        return NoInputs(f"the factory `{path}` of {name} failed: {type(error).__name__}: {error}")
    shown = {f"argument {place}": _written(value) for place, value in enumerate(args, 1)}
    return Call(make, {**shown, **{key: _written(value) for key, value in kwargs.items()}})
