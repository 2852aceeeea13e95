"""Predictions: what needs no memory agrees with what was run, and the models of CUDA are the documented ones."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from inplace_lint.runtime.inputs import given
from inplace_lint.runtime.measure.sweep import Settings, sweep
from inplace_lint.runtime.peak import gpu
from inplace_lint.runtime.peak.allocator import reserved, rounded
from inplace_lint.runtime.peak.devices import DEVICES
from inplace_lint.runtime.peak.kernels import choose
from inplace_lint.runtime.peak.ledger import Allocation
from inplace_lint.runtime.peak.predict import emptied, predicting

from . import models

MIB = 1 << 20


def predicted(target: Any, inputs: str, sizes: tuple[int, ...], dtype: str = "bf16") -> dict[int, int]:
    settings = Settings("predict", sizes, dtype=dtype, device=DEVICES["a100-80"])
    series = sweep("it", given(target, inputs), settings, models.__file__)
    assert not [point.failure for point in series.points if point.failure]
    return {size: peak.total for size, peak in series.measured}


def test_without_memory_the_peak_is_the_same() -> None:
    """On float32 tensors and without dropout or attention kernels a GPU differs by its rounding alone."""
    inputs = "dim=64, x=f32[2,S,64]"
    run = sweep("it", given(models.Naive, inputs), Settings(sizes=(64, 128)), models.__file__)
    told = predicted(models.Naive, inputs, (64, 128), "f32")
    for size, peak in run.measured:
        assert 0 <= told[size] - peak.total < 40 * 512


def test_naive_attention_grows_as_the_square_and_fused_as_the_length() -> None:
    """B=8, H=16, D=64 in bfloat16: 48.75 GiB against 1.26 GiB at S=8192."""
    inputs = "q=f32[8,16,S,64], k=f32[8,16,S,64], v=f32[8,16,S,64]"
    naive = predicted(models.attend, inputs, (4096, 8192))
    fused = predicted(models.attend_fused, inputs, (4096, 8192))
    assert math.log2(naive[8192] / naive[4096]) == pytest.approx(2, abs=0.02)
    assert math.log2(fused[8192] / fused[4096]) == pytest.approx(1, abs=0.02)
    assert naive[8192] / 2**30 == pytest.approx(48.75, rel=0.02)
    assert fused[8192] / 2**30 == pytest.approx(1.258, rel=0.05)


def test_nothing_large_is_allocated() -> None:
    # 4 TiB of scores.
    inputs = "q=f32[8,16,S,64], k=f32[8,16,S,64], v=f32[8,16,S,64]"
    assert predicted(models.attend, inputs, (131072,))[131072] > 4 << 40


def test_code_that_asks_for_cuda_runs_without_it() -> None:
    def on_gpu(x: torch.Tensor) -> torch.Tensor:
        weight = torch.ones(8, 8, device="cuda", requires_grad=True)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            return x.cuda().to("cuda:0") @ weight

    assert predicted(on_gpu, "x=f32[4,8]", (1,), "f32")


def test_dropout_keeps_one_byte_an_element_as_on_cuda() -> None:
    def drop(x: torch.Tensor) -> torch.Tensor:
        return F.dropout(x, 0.5) + 1

    for device, size in ((DEVICES["a100"], 1), (None, 4)):
        settings = Settings("predict", (1024,), device=device)
        ((_, peak),) = sweep("it", given(drop, "x=f32[S,1024]"), settings, __file__).measured
        assert peak.kinds["kept"] == size * 1024 * 1024


def test_parameters_without_memory_keep_their_sharing() -> None:
    module = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
    module[1].weight = module[0].weight
    with predicting(None) as fake:
        emptied(module, fake)
        assert module[0].weight is module[1].weight
        assert len(list(module.parameters())) == 3
        assert module(torch.zeros(2, 4)).requires_grad


SHAPE = (2, 4, 128, 64)


@pytest.mark.parametrize(
    ("device", "changes", "kernel"),
    [
        ("a100", {}, "flash"),
        ("a100", {"dtype": torch.float32}, "efficient"),
        ("a100", {"mask": (128, 128)}, "efficient"),
        ("a100", {"key_length": 64, "causal": True}, "efficient"),
        ("a100", {"key_length": 64}, "flash"),
        ("a100", {"width": 320}, "efficient"),
        ("a100", {"width": 63}, "flash"),
        ("a100", {"mask": (128, 128), "width": 63}, "math"),
        ("a100", {"dtype": torch.float64}, "math"),
        ("a100", {"rank": 3}, "math"),
        ("t4", {"dtype": torch.float16}, "efficient"),
        ("t4", {}, "math"),
    ],
)
def test_kernel_is_the_one_that_cuda_would_choose(device: str, changes: dict[str, Any], kernel: str) -> None:
    batch, heads, length, width = SHAPE
    width = changes.get("width", width)
    dtype = changes.get("dtype", torch.bfloat16)
    q = torch.empty(batch, heads, length, width, dtype=dtype, device="meta")
    k = torch.empty(batch, heads, changes.get("key_length", length), width, dtype=dtype, device="meta")
    if changes.get("rank") == 3:
        q, k = q[0], k[0]
    mask = torch.empty(changes["mask"], dtype=dtype, device="meta") if "mask" in changes else None
    assert choose(DEVICES[device], q, k, k, mask, changes.get("causal", False)) == kernel


# --- the allocator


def allocations(*parts: tuple[int, int, int | None]) -> list[Allocation]:
    return [Allocation(size, None, "", made, freed=freed) for size, made, freed in parts]


@pytest.mark.parametrize(("size", "taken"), [(0, 0), (1, 512), (512, 512), (513, 1024), (MIB, MIB)])
def test_sizes_are_rounded_to_512_bytes(size: int, taken: int) -> None:
    assert rounded(size) == taken


@pytest.mark.parametrize(
    ("parts", "total"),
    [
        ([(512, 0, None)], 2 * MIB),
        ([(MIB, 0, None), (MIB, 1, None)], 2 * MIB),
        ([(2 * MIB, 0, None)], 20 * MIB),
        ([(9 * MIB, 0, None), (9 * MIB, 1, None)], 20 * MIB),
        ([(11 * MIB, 0, None)], 12 * MIB),
        # What was freed is used again, also in parts.
        ([(12 * MIB, 0, 1), (12 * MIB, 2, None)], 12 * MIB),
        ([(40 * MIB, 0, 1), (12 * MIB, 2, None), (28 * MIB, 3, None)], 40 * MIB),
        # Neighbours that are both free are one block again.
        ([(20 * MIB, 0, 1), (10 * MIB, 2, 4), (10 * MIB, 3, 5), (20 * MIB, 6, None)], 20 * MIB),
        # A remainder of up to 1 MiB is not split off, so that it cannot be used.
        ([(12 * MIB, 0, 1), (11 * MIB + 512, 2, None), (MIB + 512, 3, None)], 32 * MIB),
    ],
)
def test_segments_are_those_of_the_caching_allocator(
    parts: list[tuple[int, int, int | None]], total: int
) -> None:
    assert reserved(allocations(*parts)) == total


# --- a real GPU


def test_without_a_device_it_says_not_measured() -> None:
    if not gpu.missing():
        pytest.skip("there is a GPU here")
    assert gpu.missing().startswith("not measured: ")
    with pytest.raises(gpu.NoDevice, match="not measured"):
        gpu.measure(lambda: None)


def test_prediction_is_within_five_percent_of_the_gpu() -> None:
    if reason := gpu.missing():
        pytest.skip(reason)
    inputs = "q=f32[8,16,S,64], k=f32[8,16,S,64], v=f32[8,16,S,64]"
    for target in (models.attend, models.attend_fused):
        told = predicted(target, inputs, (1024, 4096))
        settings = Settings("gpu", (1024, 4096), dtype="bf16")
        seen = sweep("it", given(target, inputs), settings, models.__file__)
        for size, peak in seen.measured:
            assert told[size] == pytest.approx(peak.total, rel=0.05)
