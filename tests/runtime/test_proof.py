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


class NoDropout(models.Naive):
    """The rewrite that forgot it."""

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        batch, length, dim = x.shape
        q, k, v = self.qkv(x).reshape(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.out(out.transpose(1, 2).reshape(batch, length, dim))


class TwiceTheDropout(models.Naive):
    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        batch, length, dim = x.shape
        q, k, v = self.qkv(x).reshape(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        rate = 2 * self.dropout.p if self.training else 0.0
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=rate)
        return self.out(out.transpose(1, 2).reshape(batch, length, dim))


class OtherOrder(models.Naive):
    """The same dropout, drawn for the transposed weights."""

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        batch, length, dim = x.shape
        q, k, v = self.qkv(x).reshape(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) * (dim // self.heads) ** -0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = self.dropout(scores.softmax(-1).transpose(0, 1).contiguous()).transpose(0, 1)
        return self.out((weights @ v).transpose(1, 2).reshape(batch, length, dim))


@pytest.mark.parametrize("inputs", ["dim=32, x=f32[B,S,32]", "dim=32, dropout=0.1, x=f32[B,S,32]"])
@pytest.mark.parametrize("fixed", [NoDropout, TwiceTheDropout])
def test_a_rate_of_dropout_that_changed_is_refused(fixed: Any, inputs: str) -> None:
    # Also where it is zero unless somebody asks for one.
    found = proof(models.Naive, fixed, inputs)
    assert not found.proved
    assert {trial.training for trial in found.trials if not trial.same and not trial.skipped} == {True}


@pytest.mark.parametrize("inputs", ["dim=32, x=f32[B,S,32]", "dim=32, dropout=0.1, x=f32[B,S,32]"])
def test_dropout_that_is_drawn_in_another_order_is_proved(inputs: str) -> None:
    found = proof(models.Naive, OtherOrder, inputs)
    assert found.proved, found.refused
    assert any("another order" in trial.name for trial in found.trials)


def test_a_rate_that_a_function_is_given_is_tried_above_zero() -> None:
    def dropping(q: Any, k: Any, v: Any, dropout_p: float = 0.0) -> torch.Tensor:
        return F.dropout((q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1), dropout_p) @ v

    def kept(q: Any, k: Any, v: Any, dropout_p: float = 0.0) -> torch.Tensor:
        return F.scaled_dot_product_attention(q, k, v)

    def same(q: Any, k: Any, v: Any, dropout_p: float = 0.0) -> torch.Tensor:
        return F.scaled_dot_product_attention(q, k, v, dropout_p=dropout_p)

    inputs = "q=f32[2,4,S,16], k=f32[2,4,S,16], v=f32[2,4,S,16]"
    assert "dropout at 0.25" in proof(dropping, kept, inputs).refused
    assert proof(dropping, same, inputs).proved


def causal(q: Any, k: Any, v: Any) -> torch.Tensor:
    mask = torch.ones(q.size(-2), k.size(-2), dtype=torch.bool).tril(k.size(-2) - q.size(-2))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    return scores.masked_fill(~mask, float("-inf")).softmax(-1) @ v


def aligned_at_the_top(q: Any, k: Any, v: Any) -> torch.Tensor:
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


@pytest.mark.parametrize(
    "inputs",
    [
        "q=f32[2,4,S,16], k=f32[2,4,S,16], v=f32[2,4,S,16]",
        "q=f32[2,4,24,16], k=f32[2,4,24,16], v=f32[2,4,24,16]",
        "q=f32[2,24,16], k=f32[2,24,16], v=f32[2,24,16]",
    ],
)
def test_a_causal_mask_is_tried_with_keys_of_another_length(inputs: str) -> None:
    found = proof(causal, aligned_at_the_top, inputs)
    assert not found.proved
    wrong = {trial.name for trial in found.trials if not trial.same and not trial.skipped}
    assert wrong == {"keys of another length", "keys of a smaller length"}


class Crossing(models.Naive):
    """Attends to a context where it is given one."""

    def forward(self, x: torch.Tensor, context: torch.Tensor | None = None) -> torch.Tensor:  # type: ignore[override]
        q = self.qkv(x).chunk(3, -1)[0]
        _, k, v = self.qkv(x if context is None else context).chunk(3, -1)
        return self.attend(q, k, v)

    def attend(self, q: Any, k: Any, v: Any) -> torch.Tensor:
        return causal(q, k, v)


class CrossingFused(Crossing):
    def attend(self, q: Any, k: Any, v: Any) -> torch.Tensor:
        return aligned_at_the_top(q, k, v)


def test_an_optional_context_is_given_in_another_length() -> None:
    found = proof(Crossing, CrossingFused, "dim=32, x=f32[B,S,32]")
    wrong = {trial.name for trial in found.trials if not trial.same and not trial.skipped}
    assert wrong == {"context of another length"}


@pytest.mark.parametrize(
    "inputs", [f"q=f32[2,4,{one},16], k=f32[2,4,{one},16], v=f32[2,4,{one},16]" for one in ("S", 24)]
)
@pytest.mark.parametrize(
    "wrong",
    [
        lambda length: length >= 256,
        lambda length: length <= 2,
        lambda length: length == 1,
        lambda length: length > 257,
        lambda length: length % 2 == 1 and length > 16,
    ],
)
def test_a_rewrite_that_is_wrong_for_some_lengths_is_refused(wrong: Any, inputs: str) -> None:
    def fixed(q: Any, k: Any, v: Any) -> torch.Tensor:
        return right(q, k, v) * (1.1 if wrong(q.size(-2)) and q.size(-2) == k.size(-2) else 1.0)

    def plain(q: Any, k: Any, v: Any) -> torch.Tensor:
        return naive(q, k, v)

    found = proof(plain, fixed, inputs)
    assert not found.proved
    assert {trial.name for trial in found.trials if not trial.same and not trial.skipped} <= {
        *(f"S = {length}" for length in (1, 2, 3, 17, 64, 257, 300)),
        "another batch and length",
    }


def test_a_result_in_another_kind_is_refused() -> None:
    def narrow(q: Any, k: Any, v: Any) -> torch.Tensor:
        scores = (q @ k.transpose(-2, -1)).float() / math.sqrt(q.size(-1))
        return scores.softmax(-1).to(q.dtype) @ v

    def wide(q: Any, k: Any, v: Any) -> torch.Tensor:
        return F.scaled_dot_product_attention(q, k, v).float()

    def same(q: Any, k: Any, v: Any) -> torch.Tensor:
        return F.scaled_dot_product_attention(q, k, v)

    inputs = "q=f32[2,4,S,16], k=f32[2,4,S,16], v=f32[2,4,S,16]"
    assert "a result in float32 where it was in bfloat16" in proof(narrow, wide, inputs).refused
    assert proof(narrow, same, inputs).proved


class Closed(models.Naive):
    """Begins as the identity: what comes out does not depend on the weights."""

    def __init__(self, dim: int) -> None:
        super().__init__(dim)
        torch.nn.init.zeros_(self.out.weight)

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        return x + super().forward(x).detach()


class ClosedAndWrong(Closed):
    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        return x + 3 * (super().forward(x) - x) - 2 * self.out.bias.detach()


def test_a_layer_that_begins_as_zero_hides_nothing() -> None:
    found = proof(Closed, ClosedAndWrong, "dim=32, x=f32[B,S,32]")
    assert not found.proved
    assert {trial.name for trial in found.trials if not trial.same and not trial.skipped} == {
        "other values of constants"
    }


def test_kinds_alone_prove_nothing() -> None:
    def takes_no_double(q: Any, k: Any, v: Any) -> torch.Tensor:
        if q.dtype == torch.float64:
            raise TypeError("no doubles")
        return naive(q, k, v)

    inputs = "q=f32[2,4,S,16], k=f32[2,4,S,16], v=f32[2,4,S,16]"
    assert not proof(takes_no_double, scaled, inputs).proved


def test_torch_s_error_about_a_write_is_told_whole() -> None:
    def spoiled(q: Any, k: Any, v: Any, mask: Any = None) -> torch.Tensor:
        weights = (q @ k.transpose(-2, -1)).softmax(-1)
        return weights.mul_(2) @ v

    refused = proof(right, spoiled).refused
    assert refused.startswith("as given: RuntimeError: one of the variables needed for gradient computation")
    assert "expected version 0 instead (seed 0, on q = f32[2,4,64,16]" in refused
    assert "Hint" not in refused
