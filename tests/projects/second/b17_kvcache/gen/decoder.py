import torch
from torch import nn

from .attention import CausalAttention
from .cache import KVCache


class Decoder(nn.Module):
    def __init__(self, vocab, dim, heads, length):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.attn = CausalAttention(dim, heads)
        self.head = nn.Linear(dim, vocab)
        self.shape = (heads, length, dim // heads)

    def rollout(self, tok, steps):
        """Sample `steps` tokens; returns their summed log-probability (for REINFORCE)."""
        heads, length, hd = self.shape
        cache = KVCache(tok.size(0), heads, length, hd)
        total = 0
        for _ in range(steps):
            x = self.emb(tok).unsqueeze(1)
            logits = self.head(x + self.attn(x, cache))[:, -1]
            dist = torch.distributions.Categorical(logits=logits)
            tok = dist.sample()
            total = total + dist.log_prob(tok)
        return total
