"""Rows are exchanged by copies or by an index; a row is put where nothing was overwritten; lists hold what they held."""

import torch


def exchange(x: torch.Tensor, i: int, j: int) -> None:
    x[[i, j]] = x[[j, i]]


def exchange_copies(x: torch.Tensor) -> None:
    kept = x[0].clone()
    x[0] = x[1]
    x[1] = kept


def shift(x: torch.Tensor) -> None:
    for i in range(len(x) - 1):
        x[i] = x[i + 1]


def exchange_in_list(x: list[torch.Tensor]) -> None:
    x[0], x[1] = x[1], x[0]


x = torch.arange(3.0)
exchange(x, 0, 2)
exchange_copies(x)
assert x.tolist() == [1, 2, 0]
shift(x)
assert x.tolist() == [2, 0, 0]
rows = [torch.zeros(1), torch.ones(1)]
exchange_in_list(rows)
assert rows[0].item() == 1
