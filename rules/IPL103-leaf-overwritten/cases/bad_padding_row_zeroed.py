"""One row of an embedding's weight is set, which is a write to a parameter."""

from torch import nn


class Vocabulary(nn.Module):
    def __init__(self, tokens, width):
        super().__init__()
        self.table = nn.Embedding(tokens, width)
        self.table.weight[0] = 0.0  # expect: IPL103

    def forward(self, ids):
        return self.table(ids)


if __name__ == "__main__":
    Vocabulary(10, 4)
