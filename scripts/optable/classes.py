"""Derives `inplace_lint/torchmodel/classes.txt` from the installed torch: `python -m scripts.optable.classes`.

A row for each module class of `torch.nn`, those that are not exported too: its bases, and the arguments that its
constructor leaves as they are in an attribute of the same name, with their defaults. A class is built once as its
defaults say and once for each argument with another value; the attribute has to follow.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Any

import torch
from torch import nn

TARGET = Path(__file__).resolve().parents[2] / "inplace_lint" / "torchmodel" / "classes.txt"
#: What a class is built with whose required arguments are no numbers.
_SAMPLES: dict[str, dict[str, Any]] = {
    "MultiheadAttention": {"embed_dim": 4, "num_heads": 2},
    "Transformer": {"d_model": 4, "nhead": 2},
    "TransformerDecoderLayer": {"d_model": 4, "nhead": 2},
    "TransformerEncoderLayer": {"d_model": 4, "nhead": 2},
    "Unflatten": {"dim": 1, "unflattened_size": (2, 3)},
    "RNNBase": {"mode": "LSTM", "input_size": 3, "hidden_size": 3},
}


def classes() -> list[type[nn.Module]]:
    """Every module class that `torch.nn` defines, by name."""
    found: dict[str, type[nn.Module]] = {}
    pending = [nn.Module]
    while pending:
        for cls in pending.pop().__subclasses__():
            if cls.__module__.startswith("torch.nn.modules.") and cls.__name__ not in found:
                found[cls.__name__] = cls
                pending.append(cls)
    return [found[name] for name in sorted(found)]


def parameters(cls: type[nn.Module]) -> list[inspect.Parameter]:
    """Those of the constructor; where it takes `*args`, of the base's, but for what it gives that itself."""
    found = list(inspect.signature(cls.__init__).parameters.values())[1:]
    if any(parameter.name == "args" for parameter in found) and cls.__base__ is not None:
        found = [parameter for parameter in parameters(cls.__base__) if parameter.name != "mode"]
    return [
        parameter
        for parameter in found
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD and parameter.name not in ("device", "dtype")
    ]


def arguments(cls: type[nn.Module]) -> dict[str, Any]:
    """The constructor's arguments by name, with their defaults, or something that will do."""
    given = _SAMPLES.get(cls.__name__, {})
    return {
        parameter.name: given.get(
            parameter.name, 3 if parameter.default is parameter.empty else parameter.default
        )
        for parameter in parameters(cls)
    }


def kept(cls: type[nn.Module]) -> dict[str, Any]:
    """The arguments that the constructor keeps in attributes as they are, with the values that they were given."""
    given = arguments(cls)
    made = _built(cls, given)
    found: dict[str, Any] = {}
    for name, value in given.items():
        if made is None or not _holds(made, name, value):
            continue
        others = (
            {bool: [not value], int: [value + 1, 2 * value], float: [value / 2 + 0.1]}
            if _plain(value)
            else {}
        )
        tried = [(other, _built(cls, {**given, name: other})) for other in others.get(type(value), [])]
        if all(_holds(one, name, other) for other, one in tried if one is not None):
            found[name] = value
    return found


def _plain(value: object) -> bool:
    return isinstance(value, (bool, int, float))


def _built(cls: type[nn.Module], given: dict[str, Any]) -> nn.Module | None:
    try:
        return cls(**given)
    except (TypeError, ValueError, AssertionError, RuntimeError, AttributeError, NotImplementedError):
        return None


def _holds(made: nn.Module, name: str, value: object) -> bool:
    held = getattr(made, name, made)
    return type(held) is type(value) and held == value


def text() -> str:
    torch.set_num_threads(1)
    rows = []
    for cls in classes():
        bases = ",".join(base.__name__ for base in cls.__bases__ if issubclass(base, nn.Module))
        required = {p.name for p in parameters(cls) if p.default is p.empty}
        words = [
            name if name in required or not _written(value) else f"{name}={value!r}"
            for name, value in kept(cls).items()
        ]
        rows.append(" ".join([f"{cls.__name__}({bases})", *words]))
    return "\n".join(rows) + "\n"


def _written(value: object) -> bool:
    return (
        value is None
        or isinstance(value, (bool, int, float))
        or (isinstance(value, str) and " " not in value)
    )


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore")
    TARGET.write_text(text(), encoding="utf-8")
    print(f"wrote {TARGET}", file=sys.stderr)
