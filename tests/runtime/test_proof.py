"""A rewrite is proved only if it gives the same for every mask, length, count of heads and rate of dropout."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from inplace_lint.runtime.inputs import Call, build, given
from inplace_lint.runtime.proof import TOLERANCE, Proof, prove

from . import models


def naive(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None = None
) -> torch.Tensor:
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    return scores.softmax(-1) @ v


def right(q: Any, k: Any, v: Any, mask: Any = None) -> torch.Tensor:
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


def inverted(q: Any, k: Any, v: Any, mask: Any = None) -> torch.Tensor:
    return F.scaled_dot_product_attention(q, k, v, attn_mask=None if mask is None else ~mask)


def scaled(q: Any, k: Any, v: Any, mask: Any = None) -> torch.Tensor:
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=1.001 / math.sqrt(q.size(-1)))


def square_only(q: Any, k: Any, v: Any, mask: Any = None) -> torch.Tensor:
    """Right as long as queries and keys are as many."""
    return right(q, k, v, mask) * (1.0 if q.size(-2) == k.size(-2) else 1.1)


def for_four_heads(q: Any, k: Any, v: Any, mask: Any = None) -> torch.Tensor:
    return right(q, k, v, mask) * (1.0 if q.size(1) == 4 else 1.1)


def same_forward_only(q: Any, k: Any, v: Any, mask: Any = None) -> torch.Tensor:
    out = right(q, k, v, mask)
    return out.detach() + (out - out.detach()) * 2


def broken(q: Any, k: Any, v: Any, mask: Any = None) -> torch.Tensor:
    raise RuntimeError("this rewrite does not run")


class AlwaysDropping(models.Naive):
    """As the common mistake has it: dropout stays on in evaluation."""

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        batch, length, dim = x.shape
        q, k, v = self.qkv(x).reshape(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=self.dropout.p)
        return self.out(out.transpose(1, 2).reshape(batch, length, dim))


def proof(original: Any, fixed: Any, inputs: str | None = None) -> Proof:
    call = build(original) if inputs is None else given(original, inputs)
    assert isinstance(call, Call), call
    return prove(call, replace(call, target=fixed))


def test_a_right_rewrite_is_proved() -> None:
    found = proof(naive, right)
    assert found.proved, found.refused
    assert found.worst is not None
    assert found.worst < TOLERANCE
    names = {trial.name for trial in found.trials}
    assert {
        "as given",
        "keys of another length",
        "another count of heads",
        "mask drops half",
        "mask drops a whole row",
    } <= names


@pytest.mark.parametrize(
    ("fixed", "trial"),
    [
        (inverted, "mask drops half"),
        (scaled, "as given"),
        (square_only, "keys of another length"),
        (for_four_heads, "another count of heads"),
        (same_forward_only, "as given"),
    ],
)
def test_a_wrong_rewrite_is_refused_by_the_trial_that_shows_it(fixed: Any, trial: str) -> None:
    found = proof(naive, fixed)
    assert not found.proved
    assert found.refused.startswith(f"{trial}: results differ by")


def test_a_rewrite_that_does_not_run_is_wrong() -> None:
    found = proof(naive, broken)
    assert not found.proved
    assert "this rewrite does not run" in found.refused


def test_dropout_draws_the_same_numbers() -> None:
    inputs = "dim=32, dropout=0.3, x=f32[B,S,32]"
    assert proof(models.Naive, models.Fused, inputs).proved
    found = proof(models.Naive, AlwaysDropping, inputs)
    assert not found.proved
    assert {trial.training for trial in found.trials if not trial.same} == {False}


def test_a_finite_fill_is_not_the_boolean_mask_where_a_row_is_fully_masked() -> None:
    def filled(q: Any, k: Any, v: Any, mask: Any = None) -> torch.Tensor:
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        return (scores if mask is None else scores.masked_fill(~mask, -1e9)).softmax(-1) @ v

    found = proof(filled, right)
    assert {trial.name for trial in found.trials if not trial.same} == {"mask drops a whole row"}


def test_an_original_that_does_not_run_proves_nothing() -> None:
    found = proof(broken, right, "q=f32[1,1,4,4], k=f32[1,1,4,4], v=f32[1,1,4,4]")
    assert not found.proved
    assert "the original does not run" in found.refused


def test_the_record_says_on_what_it_rests() -> None:
    record = proof(naive, right).record()
    assert record["tolerance"] == TOLERANCE
    assert record["worst_error"] < TOLERANCE
    first = record["trials"][0]
    assert first["inputs"] == {"q": "f32[2,4,64,16]", "k": "f32[2,4,64,16]", "v": "f32[2,4,64,16]"}
    assert {one["seed"] for one in record["trials"]} == {0, 1}
