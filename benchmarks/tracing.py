"""What tracing costs: a training step natively, in anomaly mode, traced, and traced with checksums, in one run.

`python benchmarks/tracing.py` prints seconds a step and ratios to the native step. The four take turns, so that what
else the machine does meanwhile falls on all alike, and the fastest turn of each counts.
"""

from __future__ import annotations

import argparse
import contextlib
import time
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from inplace_lint.runtime.tracer import Trace


class Block(nn.Module):
    """A transformer block, as in ViT."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.fc1, self.fc2 = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.heads = heads

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        qkv = self.qkv(self.norm1(x)).reshape(batch, length, 3, self.heads, width // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        weights = (q * (width // self.heads) ** -0.5 @ k.transpose(-2, -1)).softmax(dim=-1)
        x = x + self.proj((weights @ v).transpose(1, 2).reshape(batch, length, width))
        return x + self.fc2(F.gelu(self.fc1(self.norm2(x))))


class ViT(nn.Module):
    """ViT-tiny: width 192, 12 blocks, 3 heads, 196 patches of 16 by 16."""

    def __init__(self, width: int = 192, depth: int = 12, heads: int = 3, classes: int = 1000) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, width, 16, 16)
        self.token = nn.Parameter(torch.zeros(1, 1, width))
        self.place = nn.Parameter(torch.zeros(1, 197, width))
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(depth)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, classes)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        x = self.patches(images).flatten(2).transpose(1, 2)
        x = torch.cat((self.token.expand(len(x), -1, -1), x), dim=1) + self.place
        return self.head(self.norm(self.blocks(x))[:, 0])


def small_layers() -> nn.Module:
    """Forty layers so small that only the calls count."""
    return nn.Sequential(*(layer for _ in range(20) for layer in (nn.Linear(8, 8), nn.Tanh())))


WAYS: dict[str, Callable[[], Any]] = {
    "native": contextlib.nullcontext,
    "anomaly mode": torch.autograd.detect_anomaly,
    "traced": lambda: Trace(checksums=False, on_hazard=None),
    "traced, checksums": lambda: Trace(on_hazard=None),
}


def measure(model: nn.Module, inputs: torch.Tensor, turns: int, steps: int) -> dict[str, float]:
    """Seconds a step of each way, the fastest of `turns`."""
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    best = dict.fromkeys(WAYS, float("inf"))
    for _ in range(turns + 1):  # the first turn warms up
        for name, way in WAYS.items():
            with way():
                start = time.perf_counter()
                for _ in range(steps):
                    optimizer.zero_grad()
                    model(inputs).square().mean().backward()
                    optimizer.step()
                best[name] = min(best[name], (time.perf_counter() - start) / steps)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--turns", type=int, default=5)
    arguments = parser.parse_args()
    torch.manual_seed(0)
    import warnings

    warnings.simplefilter("ignore")
    print(f"torch {torch.__version__}, {torch.get_num_threads()} thread(s)")
    for name, model, inputs, steps in (
        (f"ViT-tiny, batch {arguments.batch}", ViT(), torch.rand(arguments.batch, 3, 224, 224), 1),
        ("40 tiny layers", small_layers(), torch.rand(4, 8), 20),
    ):
        best = measure(model, inputs, arguments.turns, steps)
        print(f"\n{name}")
        for way, seconds in best.items():
            print(f"  {way:18} {seconds * 1000:9.2f} ms a step   {seconds / best['native']:.2f} times native")


if __name__ == "__main__":
    main()
