import torch
import torch.nn as nn


class TokenEmbedding(nn.Module):
    """Token vectors with an optional all-zero row.

    pad_mode: "mask" multiplies by the mask after look-up; "zero_row" keeps the row of the
    pad symbol at zero.
    """

    def __init__(self, vocab, dim, pad=0, pad_mode="mask", sparse=False):
        super(TokenEmbedding, self).__init__()
        self.weight = nn.Parameter(torch.empty(vocab, dim))
        self.pad, self.pad_mode, self.sparse = pad, pad_mode, sparse
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.uniform_(self.weight, -0.1, 0.1)
        with torch.no_grad():
            self.weight[self.pad].zero_()

    def _zero_pad_row(self):
        self.weight[self.pad].fill_(0)  # BUG

    def forward(self, tok):
        if self.pad_mode == "zero_row":
            self._zero_pad_row()
            return nn.functional.embedding(tok, self.weight, sparse=self.sparse)
        x = nn.functional.embedding(tok, self.weight, sparse=self.sparse)
        return x * tok.ne(self.pad).unsqueeze(-1).to(x.dtype)


class PositionalEmbedding(nn.Module):
    def __init__(self, max_len, dim):
        super(PositionalEmbedding, self).__init__()
        pe = torch.zeros(max_len, dim)
        pos = torch.arange(max_len).unsqueeze(1).float()
        div = torch.pow(10000.0, -torch.arange(0, dim, 2).float() / dim)
        pe[:, 0::2] = (pos * div).sin_()
        pe[:, 1::2] = (pos * div).cos_()
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x + self.pe[: x.size(1)]
