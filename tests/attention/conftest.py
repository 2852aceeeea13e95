"""Attention is compared in float64, so that a difference is one of meaning and not of rounding."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture
def float64() -> Iterator[None]:
    import torch

    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)
