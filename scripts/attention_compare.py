"""Builds the modules that the fixes of `attention_sites --apply` changed, from both copies, and compares them.

    python -m scripts.attention_compare ORIGINAL COPY

ORIGINAL and COPY are the same package under two names. A class is built with small numbers, and called in float64
with a sequence or an image, whichever its own forward takes; what neither can be built nor called is counted as such.
"""

from __future__ import annotations

import importlib
import inspect
import itertools
import sys
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import torch

TOLERANCE = 1e-10
#: Values for parameters by what their name ends in; the first that the class and its forward accept are taken.
NUMBERS = {
    "dim_head": 8, "heads": 4, "dim": 32, "image_size": 16, "patch_size": 4, "num_classes": 5, "depth": 2,
    "mlp_dim": 32,
    "dim_in": 32, "dim_out": 32, "window_size": 4, "dim_key": 8, "dim_value": 8, "num_patches": 16, "fmap_size": 4,
    "proj_factor": 1, "kv_proj_kernel": 3, "kv_proj_stride": 2, "proj_kernel": 3, "num_heads": 4, "channels": 3,
    "frames": 4, "frame_patch_size": 2, "image_patch_size": 4, "frames_patch_size": 2, "attn_type": "long",
}  # fmt: skip
INPUTS = [
    (2, 16, 32),
    (2, 32, 8, 8),
    (2, 3, 16, 16),
    (2, 32, 4, 4),
    (2, 4, 16, 32),
    (2, 3, 4, 16, 16),
    (2, 17, 32),
]


def built(cls: type) -> Any:
    """An object of the class, or None."""
    arguments: dict[str, Any] = {}
    for name, parameter in inspect.signature(cls).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if name in NUMBERS:
            arguments[name] = NUMBERS[name]
        elif name.endswith("dropout"):
            arguments[name] = 0.1
        elif parameter.default is parameter.empty:
            return None
    try:
        torch.manual_seed(0)
        return cls(**arguments).double()
    except Exception:
        return None


def called(module: Any, shapes: tuple[tuple[int, ...], ...], train: bool) -> list[torch.Tensor] | None:
    """Output and gradients, or None if it cannot be called so."""
    torch.manual_seed(1)
    inputs = [torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in shapes]
    module.train(train)
    module.zero_grad()
    torch.manual_seed(2)
    try:
        out = module(*inputs)
        out = out[0] if isinstance(out, tuple) else out
        (out * torch.linspace(-1, 1, out.numel(), dtype=out.dtype).view(out.shape)).sum().backward()
    except Exception:
        return None
    gradients = [p.grad for p in module.parameters() if p.grad is not None]
    return [out.detach(), *gradients, *(one.grad for one in inputs if one.grad is not None)]


def imported(name: str) -> Any:
    """A module of the package; what it imports and is not installed is stood in for by a mock."""
    for _ in range(20):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:  # noqa: PERF203
            missing = str(error.name)
            if missing.startswith(name.partition(".")[0]):
                raise
            for one in (missing, f"{missing}.transforms", f"{missing}.functional"):
                sys.modules[one] = MagicMock(__path__=[])
    raise ImportError(f"{name} needs too much")


def main() -> int:
    original, copy = Path(sys.argv[1]), Path(sys.argv[2])
    sys.path[:0] = [str(original.parent), str(copy.parent)]
    compared, wrong, left = 0, 0, []
    for path in sorted(original.rglob("*.py")):
        other = copy / path.relative_to(original)
        if other.read_text().replace(copy.name, original.name) == path.read_text():
            continue
        name = ".".join(path.relative_to(original).with_suffix("").parts)
        try:
            modules = [imported(f"{one.name}.{name}") for one in (original, copy)]
        except ImportError as error:
            left.append(f"{name}: {error}")
            continue
        for class_name, cls in inspect.getmembers(modules[0], inspect.isclass):
            if cls.__module__ != modules[0].__name__ or not issubclass(cls, torch.nn.Module):
                continue
            fixed = getattr(modules[1], class_name)
            text = inspect.getsource(fixed).replace(copy.name, original.name)
            if text == inspect.getsource(cls):
                continue
            pair = built(cls), built(fixed)
            if pair[0] is None or pair[1] is None:
                left.append(f"{name}.{class_name}: cannot be built")
                continue
            pair[1].load_state_dict(pair[0].state_dict())
            done = False
            for count in (1, 2):
                for shapes in itertools.product(INPUTS, repeat=count):
                    one = called(pair[0], shapes, True)
                    if one is None:
                        continue
                    both = called(pair[1], shapes, True)
                    if both is None or len(both) != len(one):
                        print(f"WRONG {name}.{class_name}: the fixed one fails for {shapes}")
                        wrong += 1
                        done = True
                        break
                    worst = max(
                        float((a - b).abs().max() / max(1, float(a.abs().max()))) for a, b in zip(one, both)
                    )
                    if worst > TOLERANCE:
                        print(f"WRONG {name}.{class_name}: {worst} for {shapes}")
                        wrong += 1
                    done = True
                    break
                if done:
                    break
            if done:
                compared += 1
            else:
                left.append(f"{name}.{class_name}: cannot be called")
    print(f"{compared} modules compared, {wrong} differ, {len(left)} left out")
    for line in left:
        print(f"  {line}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
