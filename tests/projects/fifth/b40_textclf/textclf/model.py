import torch
import torch.nn as nn
import torch.nn.functional as F

from .embed import PositionalEmbedding, TokenEmbedding


class ConvEncoder(nn.Module):
    def __init__(self, dim, widths=(2, 3)):
        super(ConvEncoder, self).__init__()
        self.convs = nn.ModuleDict({"w%d" % w: nn.Conv1d(dim, dim, w) for w in widths})
        self.out_dim = dim * len(widths)

    def forward(self, x, mask):
        x = x.transpose(1, 2)
        return torch.cat([F.relu_(c(x)).max(-1)[0] for c in self.convs.values()], 1)


class MeanEncoder(nn.Module):
    def __init__(self, dim):
        super(MeanEncoder, self).__init__()
        self.lin = nn.Linear(dim, dim)
        self.out_dim = dim

    def forward(self, x, mask):
        h = torch.tanh(self.lin(x))
        h = h.masked_fill(~mask.unsqueeze(-1), 0.0)
        s = h.sum(1)
        s /= mask.sum(1, keepdim=True).clamp_(min=1)
        return s


_ENCODERS = {"conv": ConvEncoder, "mean": MeanEncoder}


class TextClassifier(nn.Module):
    """cfg keys: vocab, dim, classes, encoder ('conv'|'mean'), embed (options of TokenEmbedding)."""

    def __init__(self, cfg):
        super(TextClassifier, self).__init__()
        dim = cfg.get("dim", 8)
        self.embed = TokenEmbedding(cfg["vocab"], dim, **cfg.get("embed", {}))
        self.pos = PositionalEmbedding(cfg.get("max_len", 32), dim)
        self.encoder = _ENCODERS[cfg.get("encoder", "conv")](dim)
        self.drop = nn.Dropout(cfg.get("dropout", 0.1))
        self.fc = nn.Linear(self.encoder.out_dim, cfg["classes"])

    def forward(self, tok):
        mask = tok.ne(self.embed.pad)
        x = self.pos(self.embed(tok))
        return self.fc(self.drop(self.encoder(x, mask)))
