"""What the code names of torch by itself is so in torch: what tensors have, names of weights."""

from __future__ import annotations

import pytest

from inplace_lint.checks.holders import OF_THE_OBJECT
from inplace_lint.interp.attributes import WEIGHTS

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("name", sorted(OF_THE_OBJECT))
def test_a_tensor_has_what_belongs_to_the_object(name: str) -> None:
    assert hasattr(torch.Tensor, name)


def test_weights_of_recurrent_and_normed_layers_have_these_names() -> None:
    recurrent = torch.nn.LSTM(2, 3, num_layers=2, bidirectional=True, proj_size=1)
    normed = torch.nn.utils.spectral_norm(torch.nn.Linear(2, 2))
    names = [name for name, _ in (*recurrent.named_parameters(), *normed.named_parameters())]
    assert all(WEIGHTS.fullmatch(name) for name in names if name != "bias")
    assert not any(WEIGHTS.fullmatch(name) for name, _ in normed.named_buffers() if name != "weight_v")
