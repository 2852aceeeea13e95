"""Elements that were only moved about, and never computed with, are as a rule tokens."""

import torch
from torch import nn


def shifted(tokens, padding):
    moved = tokens.clone()
    moved.masked_fill_(moved == -100, padding)
    last = (moved.ne(padding).sum(dim=1) - 1).unsqueeze(-1)
    first = moved.gather(1, last).squeeze()
    moved[:, 1:] = moved[:, :-1].clone()
    moved[:, 0] = first
    return moved


class Decoder(nn.Module):
    def __init__(self, words, width):
        super().__init__()
        self.embed = nn.Embedding(words, width)

    def forward(self, labels):
        return self.embed(shifted(labels, 1))


if __name__ == "__main__":
    Decoder(10, 4)(torch.tensor([[2, 3, -100], [4, 5, 6]])).sum().backward()
