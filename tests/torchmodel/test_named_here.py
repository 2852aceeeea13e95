"""What the code names of torch by itself is so in torch: what shares memory, what tensors have, names of weights."""

from __future__ import annotations

import pytest

from inplace_lint.checks.holders import OF_THE_OBJECT
from inplace_lint.interp.attributes import WEIGHTS
from inplace_lint.torchmodel.spelling import KEEPS_VALUES

torch = pytest.importorskip("torch")

ROWS = torch.tensor([0, 1, 2])
PLACES = torch.tensor([0, 1])
#: What comes before and after the values, for each constructor of a matrix of two rows.
GIVEN = {
    "torch.sparse_coo_tensor": ((torch.tensor([[0, 1], [0, 1]]),), {}),
    "torch.sparse_csr_tensor": ((ROWS, PLACES), {}),
    "torch.sparse_csc_tensor": ((ROWS, PLACES), {}),
    "torch.sparse_bsr_tensor": ((ROWS, PLACES), {}),
    "torch.sparse_bsc_tensor": ((ROWS, PLACES), {}),
    "torch.sparse_compressed_tensor": ((ROWS, PLACES), {"layout": torch.sparse_csr}),
}


@pytest.mark.parametrize("name", sorted(KEEPS_VALUES))
def test_a_sparse_tensor_keeps_its_values(name: str) -> None:
    before, options = GIVEN[name]
    values = torch.ones(2, 1, 1) if "bs" in name else torch.ones(2)
    made = getattr(torch, name.partition(".")[2])(*before, values, **options)
    values.mul_(3)
    assert made.to_dense().sum() == 6


@pytest.mark.parametrize("name", sorted(OF_THE_OBJECT))
def test_a_tensor_has_what_belongs_to_the_object(name: str) -> None:
    assert hasattr(torch.Tensor, name)


def test_weights_of_recurrent_and_normed_layers_have_these_names() -> None:
    recurrent = torch.nn.LSTM(2, 3, num_layers=2, bidirectional=True, proj_size=1)
    normed = torch.nn.utils.spectral_norm(torch.nn.Linear(2, 2))
    names = [name for name, _ in (*recurrent.named_parameters(), *normed.named_parameters())]
    assert all(WEIGHTS.fullmatch(name) for name in names if name != "bias")
    assert not any(WEIGHTS.fullmatch(name) for name, _ in normed.named_buffers() if name != "weight_v")
