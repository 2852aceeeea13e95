"""Measures the peak that torch reports for a real GPU, after one warm-up run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch


class NoDevice(RuntimeError):
    """There is no GPU here that torch can use."""


@dataclass(frozen=True, slots=True)
class Seen:
    """Peak bytes in tensors and in reserved segments, and the shortest time of a run."""

    allocated: int
    reserved: int
    seconds: float


def missing() -> str:
    """Returns why nothing can be measured on a GPU here; empty if it can."""
    if torch.cuda.is_available():
        return ""
    built = "this torch is built without CUDA" if torch.version.cuda is None else "torch finds no CUDA device"
    return f"not measured: {built}"


def measure(step: Callable[[], Any], repeats: int = 3) -> Seen:
    """Runs the step once to warm up, then `repeats` times measured. Raises NoDevice."""
    if reason := missing():
        raise NoDevice(reason)
    # cuBLAS allocates its workspace at the first matrix product and keeps it: 8 MiB, 32 MiB on Hopper.
    torch.ones(8, 8, device="cuda") @ torch.ones(8, 8, device="cuda")
    step()
    workspace = _workspace()
    times, allocated, held = [], 0, 0
    for _ in range(max(repeats, 1)):
        torch.cuda.empty_cache()
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        start = time.perf_counter()
        step()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
        allocated = max(allocated, torch.cuda.max_memory_allocated() - workspace)
        held = max(held, torch.cuda.max_memory_reserved())
    return Seen(allocated, held, min(times))


def _workspace() -> int:
    """Returns the bytes of cuBLAS workspaces, which belong to no tensor of the step: frees and recreates them."""
    before = torch.cuda.memory_allocated()
    torch._C._cuda_clearCublasWorkspaces()
    kept = before - torch.cuda.memory_allocated()
    torch.ones(8, 8, device="cuda") @ torch.ones(8, 8, device="cuda")
    return kept
