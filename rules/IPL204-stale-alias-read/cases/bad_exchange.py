"""Rows are exchanged through views of them: the second one gets back what the first has just been given."""

import torch


def exchange(x: torch.Tensor, i: int, j: int) -> None:
    x[i], x[j] = x[j], x[i]  # expect: IPL204


def exchange_in_steps(x: torch.Tensor) -> None:
    kept = x[0]
    x[0] = x[1]
    x[1] = kept  # expect: IPL204


x = torch.arange(3.0)
exchange(x, 0, 2)
assert x.tolist() == [2, 1, 2]
exchange_in_steps(x)
assert x.tolist() == [1, 1, 2]
